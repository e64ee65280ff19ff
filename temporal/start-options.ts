import type { Priority, SearchAttributePair } from '@temporalio/common';
import { searchAttributes, TASK_QUEUE } from '@clinic/workflows/ids';
import { inputOf, type RunToCarry, workflowOf } from './registry';

/** A stored run, as far as starting it goes. */
export interface RunToStart extends RunToCarry {
  workflowId: string;
  sessionId: string;
}

/**
 * How a stored run is started, whoever starts it and however often: one workflow per run, for ever.
 * Used with `client.workflow.start(type, options)`; "already started" is a success.
 */
export function startOptions(run: RunToStart) {
  const { workflowId, workflowType, clinicId } = run;
  return {
    type: workflowOf(workflowType),
    options: {
      workflowId,
      taskQueue: TASK_QUEUE,
      args: [inputOf(run)],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: workflowType,
      priority: priorityOf('calls', clinicId),
      typedSearchAttributes: searchable(run),
    },
  } as const;
}

const priorities = { live: 1, calls: 3, deliveries: 4 };

/** What somebody on the phone waits for goes first, then calls, then deliveries; among equals the clinics take turns. */
export function priorityOf(kind: keyof typeof priorities, clinicId?: string): Priority {
  return { priorityKey: priorities[kind], ...(clinicId !== undefined && { fairnessKey: clinicId }) };
}

function searchable({ clinicId, caseId, sessionId }: RunToStart): SearchAttributePair[] {
  return [
    { key: searchAttributes.clinic, value: clinicId },
    { key: searchAttributes.session, value: searchableSession(sessionId) },
    { key: searchAttributes.status, value: 'PENDING' },
    ...(caseId ? [{ key: searchAttributes.recoveryCase, value: caseId }] : []),
  ];
}

/** A platform may put an e-mail or a phone into its session ids. Only what looks like an opaque token is shown. */
export function searchableSession(sessionId: string): string {
  const isOpaque = /^[A-Za-z0-9_-]{1,100}$/.test(sessionId) && /\D{2}/.test(sessionId);
  return isOpaque ? sessionId : 'not-shown';
}
