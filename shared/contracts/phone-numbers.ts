import { z } from 'zod';
import { isUnique, Line, Phone } from './primitives';

/** `PUT /api/integrations/phone-numbers`: all of the clinic's numbers. */
export const PhoneNumbersChange = z.strictObject({
  items: z
    .array(
      z.strictObject({
        number: Phone,
        platformId: Line.nullable().default(null),
        assistantId: Line.nullable().default(null),
      }),
    )
    .max(100)
    .refine((items) => isUnique(items.map(({ number }) => number)), 'must not name a number twice')
    .refine(
      (items) => isUnique(items.flatMap(({ platformId }) => platformId ?? [])),
      'must not name a platformId twice',
    ),
});

const PhoneNumber = z
  .object({
    number: z.string(),
    platformId: z.string().nullable().describe("The voice platform's id of the number"),
    assistantId: z.string().nullable().describe("The voice platform's assistant that answers it"),
  })
  .meta({ id: 'PhoneNumber' });

export const PhoneNumbers = z.object({ items: z.array(PhoneNumber) });
