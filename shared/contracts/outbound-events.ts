import { z } from 'zod';
import { Instant } from './primitives';
import { RecoveryStatus } from './recovery';
import { TargetUrl } from './target-url';
import { Outcome, WorkflowTypeName } from './workflows';

const RecoveryCaseCreated = z.object({
  recoveryCaseId: z.string(),
  sessionId: z.string(),
  patientFirstName: z.string(),
  patientLastName: z.string(),
});
export type RecoveryCaseCreated = z.infer<typeof RecoveryCaseCreated>;

const RecoveryCaseOutcome = z.object({
  recoveryCaseId: z.string(),
  sessionId: z.string(),
  recoveryStatus: RecoveryStatus,
});
export type RecoveryCaseOutcome = z.infer<typeof RecoveryCaseOutcome>;

const WorkflowCompleted = z.object({
  workflowId: z.string(),
  workflowType: WorkflowTypeName,
  sessionId: z.string(),
  outcome: Outcome,
});
export type WorkflowCompleted = z.infer<typeof WorkflowCompleted>;

/** What `POST /api/integrations/outbound/test` sends unless a sample is asked for. */
const TestEvent = z.object({ message: z.string() });

/** What each event carries as its `data`: whoever writes an event builds this, and OpenAPI shows it. */
export const outboundEvents = {
  'recovery_case.created': RecoveryCaseCreated,
  'recovery_case.outcome': RecoveryCaseOutcome,
  'workflow.completed': WorkflowCompleted,
  test: TestEvent,
} as const;
export type SentEventName = keyof typeof outboundEvents;
export const SentEventName = z
  .enum(Object.keys(outboundEvents) as [SentEventName, ...SentEventName[]])
  .meta({ id: 'OutboundEvent' });

/** `POST /api/integrations/outbound/test`; the body may be left out. */
export const SampleEvent = z
  .strictObject({ event: SentEventName.default('test').describe('Of which event a sample is sent') })
  .optional()
  .transform((body) => body ?? { event: 'test' as const });

/** An event with its data. */
export type OutboundEvent = {
  [Name in SentEventName]: { event: Name; data: z.infer<(typeof outboundEvents)[Name]> };
}[SentEventName];

/** The events that a clinic can choose; a test event is sent to whoever asks for it. */
const outboundEventNames = ['recovery_case.created', 'recovery_case.outcome', 'workflow.completed'] as const;
export const OutboundEventName = z.enum(outboundEventNames);
export type OutboundEventName = z.infer<typeof OutboundEventName>;

/** The events every registered URL receives unless the clinic chooses otherwise: the contract's two. */
export const defaultOutboundEvents: OutboundEventName[] = ['recovery_case.created', 'recovery_case.outcome'];

const bodyOf = <Name extends SentEventName>(event: Name) =>
  z.object({ event: z.literal(event), clinicId: z.string(), sentAt: Instant, data: outboundEvents[event] });

/** The body of every outgoing request. It is the same at each attempt; the attempt's own time is in `webhook-timestamp`. */
export const OutboundBody = z.discriminatedUnion('event', [
  bodyOf('recovery_case.created'),
  bodyOf('recovery_case.outcome'),
  bodyOf('workflow.completed'),
  bodyOf('test'),
]);
export type OutboundBody = z.infer<typeof OutboundBody>;

/** `PUT /api/integrations/outbound`. */
export const OutboundSettings = z.strictObject({
  url: TargetUrl.nullable(),
  enabled: z.boolean().default(true),
  events: z
    .array(OutboundEventName)
    .max(20)
    .default(defaultOutboundEvents)
    .transform((events) => [...new Set(events)]),
});
export type OutboundSettings = z.output<typeof OutboundSettings>;

export const OutboundView = z
  .object({
    url: z.string().nullable(),
    enabled: z.boolean(),
    events: z.array(OutboundEventName),
    disabledReason: z.string().nullable().describe('Why the service switched it off; registering it again clears it'),
    secretCreatedAt: Instant.nullable(),
    previousSecretExpiresAt: Instant.nullable().describe('Until then events carry a signature of the old secret too'),
  })
  .meta({ id: 'OutboundSettings' });
