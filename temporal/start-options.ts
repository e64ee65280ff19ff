import type { KeyRing } from '@clinic/shared/config';
import { keyedDigests } from '@clinic/shared/crypto';
import type { Priority, SearchAttributePair } from '@temporalio/common';
import { searchAttributes, TASK_QUEUE } from '@clinic/workflows/ids';
import { inputOf, type RunToCarry, workflowOf } from './registry';

/** A stored run, as far as starting it goes. */
export interface RunToStart extends RunToCarry {
  workflowId: string;
  sessionId: string;
}

/**
 * How a stored run is started, by every starter and however often: one workflow per run, for ever.
 * Used with `client.workflow.start(type, options)`; "already started" is a success.
 */
export function startOptions(run: RunToStart, payloadKeys: KeyRing) {
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
      // Encrypted, like all that Temporal stores; what is lost with the records can be named by it.
      memo: { sessionId: run.sessionId },
      typedSearchAttributes: searchable(run, payloadKeys),
    },
  } as const;
}

const priorities = { live: 1, calls: 3, deliveries: 4, longWork: 5 };

/** What somebody on the phone waits for goes first, then calls, then deliveries, then long work; among equals the clinics take turns. */
export function priorityOf(kind: keyof typeof priorities, clinicId?: string): Priority {
  return { priorityKey: priorities[kind], ...(clinicId !== undefined && { fairnessKey: clinicId }) };
}

/** By which operators find what Temporal does for a clinic. */
export const ofClinic = (clinicId: string): SearchAttributePair => ({ key: searchAttributes.clinic, value: clinicId });

function searchable({ clinicId, caseId, sessionId }: RunToStart, payloadKeys: KeyRing): SearchAttributePair[] {
  const [session = ''] = searchableSession(payloadKeys, clinicId, sessionId);
  return [
    ofClinic(clinicId),
    { key: searchAttributes.session, value: session },
    { key: searchAttributes.status, value: 'PENDING' },
    ...(caseId ? [{ key: searchAttributes.recoveryCase, value: caseId }] : []),
  ];
}

/**
 * What `SessionId` in Temporal holds of a session: a keyed hash, for a platform may make a session of an e-mail address, a phone or a
 * name. One for each key of the ring, the newest first: it is written under that one, and searched by all.
 */
export const searchableSession = (payloadKeys: KeyRing, clinicId: string, sessionId: string): string[] =>
  keyedDigests(payloadKeys, 'session attribute', [clinicId, sessionId]);
