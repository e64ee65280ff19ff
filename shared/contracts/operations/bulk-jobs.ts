import { z } from 'zod';
import { bulkJobKinds, bulkJobStates, bulkJobWaits } from '../../domain/operations/bulk-job';
import { EndpointChoice } from '../events/deliveries';
import { OutboundEventName, SentEventName } from '../events/outbound-events';
import { Instant, Moment } from '../primitives';
import { WorkflowTypeName } from '../outreach/workflows';

const dryRun = z
  .boolean()
  .default(true)
  .describe('true: nothing is done, and the response says what would be; false: it begins');

/** `POST /api/runs/cancel`. */
export const CancelRuns = z.strictObject({
  workflowType: WorkflowTypeName.optional().describe('Of every type where it is left out'),
  from: Moment.optional().describe('Started on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe(
    'Started before; now where it is left out. `until` of the dry run cancels what that has counted',
  ),
  dryRun,
});

/** `POST /api/deliveries/resend`. */
export const ResendDeliveries = z.strictObject({
  event: SentEventName.optional().describe('Of every event where it is left out'),
  endpointId: EndpointChoice.default('first'),
  from: Moment.optional().describe('Of events that happened on this day of the clinic, at this instant, or later'),
  until: Moment.optional().describe('Of events that happened before; now where it is left out'),
  dryRun,
});

/** `POST /api/deliveries/replay`. */
export const ReplayDeliveries = ResendDeliveries.extend({
  event: OutboundEventName.optional().describe('Of every event where it is left out'),
  from: Moment.describe('Of events that happened on this day of the clinic, at this instant, or later'),
});

export const BulkJobView = z
  .object({
    id: z.string(),
    kind: z.enum(bulkJobKinds),
    state: z.enum(bulkJobStates),
    workflowType: WorkflowTypeName.nullable(),
    event: SentEventName.nullable(),
    endpointId: z
      .string()
      .nullable()
      .describe('The further endpoint that events are sent to again; null: the first one'),
    isReplay: z.boolean().describe('Of deliveries: whatever became of them, in place of those that failed'),
    from: Instant.nullable(),
    until: Instant,
    total: z.int().describe('How many records there were when it began'),
    done: z.int(),
    skipped: z.int().describe('They no longer needed it, or their body is no longer kept'),
    failed: z.int(),
    pace: z.int().describe('How many deliveries the next second sends again'),
    waitsFor: z
      .enum(bulkJobWaits)
      .nullable()
      .describe('receiver: it fails; endpoint: no URL is registered and enabled; workflows: some did not answer yet'),
    requestedBy: z.string().describe('Who asked for it, by name where it was one of the clinic'),
    createdAt: Instant,
    endedAt: Instant.nullable(),
  })
  .meta({ id: 'BulkJob' });
export type BulkJobView = z.infer<typeof BulkJobView>;

/** What a dry run returns, and what has begun. */
export const BulkStarted = z
  .object({
    total: z.int(),
    parts: z.array(z.object({ name: z.string().describe('A workflow type, or an event'), count: z.int() })),
    oldest: Instant.nullable(),
    newest: Instant.nullable(),
    from: Instant.nullable(),
    until: Instant.describe('What happened later is not part of it'),
    job: BulkJobView.nullable().describe('The handle to what has begun; null after a dry run'),
  })
  .meta({ id: 'BulkStarted' });
export type BulkStarted = z.infer<typeof BulkStarted>;
