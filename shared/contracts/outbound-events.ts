import { z } from 'zod';
import { Instant } from './primitives';
import { RecoveryStatus } from './recovery';

export const outboundEventNames = ['recovery_case.created', 'recovery_case.outcome', 'workflow.completed'] as const;
export const OutboundEventName = z.enum(outboundEventNames);
export type OutboundEventName = z.infer<typeof OutboundEventName>;

/** The events every registered URL receives unless the clinic chooses otherwise: the contract's two. */
export const defaultOutboundEvents: OutboundEventName[] = ['recovery_case.created', 'recovery_case.outcome'];

export const RecoveryCaseCreated = z.object({
  recoveryCaseId: z.string(),
  sessionId: z.string(),
  patientFirstName: z.string(),
  patientLastName: z.string(),
});
export type RecoveryCaseCreated = z.infer<typeof RecoveryCaseCreated>;

export const RecoveryCaseOutcome = z.object({
  recoveryCaseId: z.string(),
  sessionId: z.string(),
  recoveryStatus: RecoveryStatus,
});
export type RecoveryCaseOutcome = z.infer<typeof RecoveryCaseOutcome>;

export const WorkflowCompleted = z.object({
  workflowId: z.string(),
  workflowType: z.string(),
  sessionId: z.string(),
  outcome: z.string(),
});
export type WorkflowCompleted = z.infer<typeof WorkflowCompleted>;

/** What `POST /api/integrations/outbound/test` sends. */
export const TestEvent = z.object({ message: z.string() });
export type TestEvent = z.infer<typeof TestEvent>;

/** Every event that is sent, with its data: what the writers build, and what the OpenAPI document shows. */
export type OutboundEvent =
  | { event: 'recovery_case.created'; data: RecoveryCaseCreated }
  | { event: 'recovery_case.outcome'; data: RecoveryCaseOutcome }
  | { event: 'workflow.completed'; data: WorkflowCompleted }
  | { event: 'test'; data: TestEvent };

/** The body of every outgoing request. It is the same at each attempt; the attempt's own time is in `webhook-timestamp`. */
export const OutboundBody = z.object({
  event: z.string(),
  clinicId: z.string(),
  sentAt: Instant,
  data: z.record(z.string(), z.unknown()),
});
export type OutboundBody = z.infer<typeof OutboundBody>;
