import { defineSearchAttributeKey } from '@temporalio/common';

/** The one queue of the service's workflows and activities. */
export const TASK_QUEUE = 'clinic-workflows';

/** What the versions of the worker are versions of. */
export const DEPLOYMENT = 'clinic-workflows';

/** What operators search by in the Temporal UI. Ids and states only, never a patient's data. */
export const searchAttributes = {
  clinic: defineSearchAttributeKey('ClinicId', 'KEYWORD'),
  recoveryCase: defineSearchAttributeKey('RecoveryCaseId', 'KEYWORD'),
  session: defineSearchAttributeKey('SessionId', 'KEYWORD'),
  status: defineSearchAttributeKey('CaseStatus', 'KEYWORD'),
};

/** One sender per subject keeps its events in order. */
export const deliveryWorkflowId = (subject: string) => `deliver-events-${subject}`;

export const simulatedCallWorkflowId = (callId: string) => `simulated-call-${callId}`;

export const FULFILMENT_SCHEDULE_ID = 'fulfil-past-appointments';
