import type { LongWork } from '@clinic/shared/domain/operations/long-work';
import { defineSearchAttributeKey } from '@temporalio/common';

/** The queue of the service's workflows and of their activities but for one. */
export const TASK_QUEUE = 'clinic-workflows';

/** The queue of attempts to deliver: a receiver that hangs holds a place there, and none that a call needs. */
export const DELIVERY_TASK_QUEUE = 'clinic-deliveries';

/** The queue of the steps of long work: however much of it there is, few are made at once, and the clinics take turns. */
export const LONG_WORK_TASK_QUEUE = 'clinic-long-work';

/** What the versions of the worker are versions of. */
export const DEPLOYMENT = 'clinic-workflows';

/** What operators search by in the Temporal UI. Ids and states only, never a patient's data. */
export const searchAttributes = {
  clinic: defineSearchAttributeKey('ClinicId', 'KEYWORD'),
  recoveryCase: defineSearchAttributeKey('RecoveryCaseId', 'KEYWORD'),
  session: defineSearchAttributeKey('SessionId', 'KEYWORD'),
  status: defineSearchAttributeKey('CaseStatus', 'KEYWORD'),
};

/** One sender per subject and receiver keeps its events in order, and waits for no other receiver. */
export const deliveryWorkflowId = (subject: string, receiverId: string) => `deliver-events-${subject}-${receiverId}`;

export const simulatedCallWorkflowId = (callId: string) => `simulated-call-${callId}`;

/** One workflow for each piece of long work: `cancel-runs-…`, `resend-deliveries-…`, `erase-patient-…`. */
export const longWorkflowId = ({ kind, id }: Pick<LongWork, 'kind' | 'id'>) => `${kind.replaceAll('_', '-')}-${id}`;

export const RETENTION_SCHEDULE_ID = 'purge-old-contents';
