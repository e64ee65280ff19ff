import { z } from 'zod';

const position = /^[\w$.<>[\] -]{0,80} [\w.-]{1,80}\.js:\d{1,6}:\d{1,7}$/;

/** `POST /api/dashboard/faults`: a page that a browser could not show. Neither the error's message nor an address: both may name a patient. */
export const DashboardFault = z.strictObject({
  id: z
    .string()
    .regex(/^[\da-f]{12}$/, 'must be 12 hexadecimal digits')
    .meta({ examples: ['4f0c19d2a7be'] })
    .describe('What the page shows to anyone who reports it'),
  page: z
    .string()
    .regex(/^[a-z-]{0,40}$/, 'must be the first word of an address')
    .meta({ examples: ['results'] })
    .describe('The first word of the page’s address'),
  kind: z
    .string()
    .regex(/^\w{1,40}$/, 'must be the name of an error')
    .meta({ examples: ['TypeError'] })
    .describe('The kind of the error, as `RangeError`'),
  frames: z
    .array(
      z
        .string()
        .regex(position, 'must be a function and its place')
        .meta({ examples: ['Shown start-2i3tnxmE.js:62:13341'] }),
    )
    .max(12)
    .describe('Where it was thrown, innermost first: a function and its place in a script'),
});
