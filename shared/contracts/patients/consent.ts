import { z } from 'zod';
import type { Consent } from '../../domain/patients/consent';
import { Instant, Line, Timestamp } from '../primitives';

/** As an event of a form or another platform brings it. */
export const ToldConsent = z.object({
  given: z.boolean().nullish().describe('false where the patient refused; left out: true'),
  basis: Line.describe('What the patient agreed to, as `intake form, checkbox 4`'),
  given_at: Timestamp.nullish().describe('Left out: when the event came'),
  source: Line.nullish().describe('Who asked; left out: the event'),
});

/** As it is written over REST. */
export const NewConsent = z.strictObject({
  isGiven: z.boolean().optional().describe('Left out: true'),
  basis: Line,
  at: Timestamp.optional().describe('Left out: now'),
  source: Line.optional().describe('Left out: api'),
});

export const ConsentView = z
  .object({ isGiven: z.boolean(), basis: z.string(), at: Instant, source: z.string() })
  .meta({ id: 'Consent' }) satisfies z.ZodType<Consent>;
