import { z } from 'zod';
import { MAX_VIEWS, savedLists } from '../../domain/accounts/saved-view';
import { Line } from '../primitives';

const SavedList = z.enum(savedLists).meta({ id: 'SavedList' });

const Filters = z
  .record(z.string().regex(/^[a-zA-Z]{1,30}$/, 'must be the name of a filter'), z.string().min(1).max(200))
  .refine((filters) => Object.keys(filters).length <= 20, 'must not have more than 20 filters')
  .describe('As they stand in the address of the dashboard’s list. What somebody searches for is none of them');

const fields = {
  name: Line.max(60),
  filters: Filters,
  isShared: z.boolean().describe('Everybody of the clinic sees it'),
};

/** `GET /api/views`. */
export const ListViews = z.object({ list: SavedList.optional() });

/** `POST /api/views`: an account keeps 50 at most. */
export const NewView = z.strictObject({ ...fields, list: SavedList, isShared: fields.isShared.default(false) });

/** `PATCH /api/views/{id}`: what is left out stays. */
export const ViewChange = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, `must change something: ${Object.keys(fields).join(', ')}`);

export const SavedView = z
  .object({
    id: z.string(),
    list: SavedList,
    ...fields,
    isOwn: z.boolean().describe('Saved by the person who asks, who may change it'),
    savedBy: z.string().describe('By name'),
  })
  .meta({ id: 'SavedView' });
export type SavedView = z.infer<typeof SavedView>;

export const SavedViews = z.object({
  items: z.array(SavedView).describe(`One's own, ${MAX_VIEWS} at most, and those that others share; by name`),
});
