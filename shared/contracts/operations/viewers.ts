import { z } from 'zod';

/** `PUT /api/records/{recordId}/viewers`. */
export const Looking = z.strictObject({
  isEditing: z.boolean().default(false).describe('Whether something of it is open in a form'),
});

const Viewer = z
  .object({
    accountId: z.string(),
    name: z.string(),
    isEditing: z.boolean(),
    isEmergency: z.boolean().describe('Signed in by emergency access'),
  })
  .meta({ id: 'Viewer' });

export const Viewers = z.object({
  items: z.array(Viewer).describe('Other people, those who came first before others; twenty at most'),
});
