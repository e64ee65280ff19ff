import { z } from 'zod';
import { isUnique, Line, Phone } from '../primitives';

/** `PUT /api/integrations/phone-numbers`: all of the clinic's numbers. */
export const PhoneNumbersChange = z.strictObject({
  items: z
    .array(
      z.strictObject({
        number: Phone,
        platformId: Line.nullable().default(null),
        assistantId: Line.nullable().default(null),
        awaitsOperator: z.boolean().optional().describe('Ignored: what was read may be sent back'),
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
    awaitsOperator: z
      .boolean()
      .optional()
      .describe(
        "The operator has not confirmed the line: over the operator's account no call is taken on it or placed from it",
      ),
  })
  .meta({ id: 'PhoneNumber' });

export const PhoneNumbers = z.object({ items: z.array(PhoneNumber) });
