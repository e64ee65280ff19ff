import { z } from 'zod';
import { operationNames } from '../../domain/sandbox/exchange';
import { areas } from '../../domain/sandbox/readiness/judging';
import { Instant, Line } from '../primitives';

const MAX_RUN_MINUTES = 24 * 60;

export const StartValidationRun = z
  .strictObject({
    label: Line.max(100).optional().describe('What is tried, as a version or a branch; shown in reports'),
    minutes: z
      .int()
      .min(1)
      .max(MAX_RUN_MINUTES)
      .default(120)
      .describe('After so long it ends by itself, and nothing is watched any more'),
  })
  .meta({ id: 'StartValidationRun' });

const Verdict = z.enum(['passed', 'failed', 'not_seen']).meta({ id: 'Verdict' });

const ShownBy = z.object({
  number: z.int().describe('Its place in the run, from 1'),
  at: Instant,
  operation: z.enum(operationNames),
  request: z.string().describe('Method and path, as POST /Appointment/$book'),
  status: z.int().nullable().describe('Null where the response did not reach its receiver'),
});

export const JudgedBehaviour = z
  .object({
    id: z.string().describe('As match-before-book'),
    area: z.enum(areas),
    title: z.string().describe('What a good client does'),
    verdict: Verdict,
    why: z.string().nullable().describe('What was wrong, where it failed'),
    shownBy: ShownBy.nullable().describe('The exchange that shows it'),
    howToCause: z.string().describe('How to bring it about'),
  })
  .meta({ id: 'JudgedBehaviour' });
export type JudgedBehaviour = z.infer<typeof JudgedBehaviour>;

const Score = z.object({
  passed: z.int(),
  failed: z.int(),
  notSeen: z.int(),
  of: z.int().describe('How many behaviours can be seen at this clinic'),
});

export const ValidationRunSummary = z
  .object({
    id: z.string(),
    label: z.string().nullable(),
    state: z.enum(['running', 'ended']),
    startedAt: Instant,
    endsAt: Instant.describe('When it ends by itself'),
    endedAt: Instant.nullable(),
    exchanges: z.int().describe('How many were watched'),
    score: Score.nullable().describe('Null in a list while the run is under way'),
  })
  .meta({ id: 'ValidationRunSummary' });
export type ValidationRunSummary = z.infer<typeof ValidationRunSummary>;

export const ValidationRun = ValidationRunSummary.extend({
  score: Score,
  isFull: z.boolean().describe('As many exchanges as are kept were watched; what came after them was not'),
  foreign: z
    .object({ appointmentReference: z.string(), patientReference: z.string() })
    .describe("To try, as Patient/<id>: this clinic has neither, as with another clinic's"),
  clockChanges: z
    .object({ forward: Instant.nullable(), back: Instant.nullable() })
    .describe('The midnight after the clocks of the clinic change next; null where they do not'),
  behaviours: z.array(JudgedBehaviour),
}).meta({ id: 'ValidationRun' });
export type ValidationRun = z.infer<typeof ValidationRun>;

export const HandledEvent = z
  .strictObject({ webhookId: z.string().min(1).max(128).describe('The webhook-id of the event that was acted upon') })
  .meta({ id: 'HandledEvent' });

export const SentEvents = z
  .object({
    sent: z.array(z.object({ probe: z.string(), webhookId: z.string(), status: z.int().nullable() })),
  })
  .meta({ id: 'SentEvents' });
