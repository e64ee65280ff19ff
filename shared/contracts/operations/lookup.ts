import { z } from 'zod';
import { Id } from '../primitives';

/** `GET /api/lookup`. */
export const Lookup = z.object({
  id: Id.describe('Of a case, call, patient, delivery or workflow, or of a call at the voice platform'),
});

/** The record that the id names: of a workflow its case, else its patient; null where there is none. */
export const FoundRecord = z.object({
  found: z.object({ kind: z.enum(['case', 'call', 'patient', 'delivery']), id: z.string() }).nullable(),
});
