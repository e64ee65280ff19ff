import { parse } from '@clinic/shared/contracts/parse';
import { z } from 'zod';

test.each([
  [z.int().min(7), 0, 'days must be at least 7'],
  [z.int().positive(), 0, 'days must be more than 0'],
  [z.int().max(3650), 9999, 'days must be at most 3650'],
  [z.string().min(2), 'x', 'days must have at least 2 characters'],
  [z.string().min(1), '', 'days must not be empty'],
  [z.array(z.int()).max(1), [1, 2], 'days must have at most 1 entries'],
  [z.string().min(1, 'must not be empty'), '', 'days must not be empty'],
  [z.int(), undefined, 'days is required'],
  [z.string(), 5, 'days is not valid: Invalid input: expected string, received number'],
])('a limit is told in words that follow the name of the field, %#', (schema, days, sentence) => {
  expect(() => parse(z.object({ days: schema }), { days })).toThrow(sentence);
});
