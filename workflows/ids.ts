import { defineSearchAttributeKey } from '@temporalio/common';

/** The queue of the service's workflows and of their activities but for one. */
export const TASK_QUEUE = 'clinic-workflows';

/** The queue of attempts to deliver: a receiver that hangs holds a place there, and none that a call needs. */
export const DELIVERY_TASK_QUEUE = 'clinic-deliveries';

/** What the versions of the worker are versions of. */
export const DEPLOYMENT = 'clinic-workflows';

/** What operators search by in the Temporal UI. Ids and states only, never a patient's data. */
export const searchAttributes = {
  clinic: defineSearchAttributeKey('ClinicId', 'KEYWORD'),
  recoveryCase: defineSearchAttributeKey('RecoveryCaseId', 'KEYWORD'),
  session: defineSearchAttributeKey('SessionId', 'KEYWORD'),
  status: defineSearchAttributeKey('CaseStatus', 'KEYWORD'),
};

/** One sender per subject and endpoint keeps its events in order, and waits for no other endpoint. */
export const deliveryWorkflowId = (subject: string, endpointId?: string) =>
  endpointId ? `deliver-events-${subject}-${endpointId}` : `deliver-events-${subject}`;

export const simulatedCallWorkflowId = (callId: string) => `simulated-call-${callId}`;

export const FULFILMENT_SCHEDULE_ID = 'fulfil-past-appointments';

export const RETENTION_SCHEDULE_ID = 'purge-old-contents';
