import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { RecordedEnd } from '@clinic/activities/runs';
import type { CaseState } from '@clinic/shared/domain/outreach/case-state';
import type { Signals } from '@clinic/shared/contracts/outreach/signals';
import type { TaskReason } from '@clinic/shared/domain/tasks/task';

/** The name and the payload of a signal are those that the records write: shared/contracts/outreach/signals.ts says what each means. */
const stored = <Name extends keyof Signals>(name: Name) => defineSignal<[Signals[Name]]>(name);

export const callEnded = stored('callEnded');
export const callAnalysed = stored('callAnalysed');
export const toolUsed = stored('toolUsed');
export const formCompleted = stored('formCompleted');
export const lineFreed = stored('lineFreed');
export const rulesChanged = stored('rulesChanged');
export const outcomeResolved = stored('outcomeResolved');

/** Somebody ends the workflow; `by` is who, as the audit names them. Refused with `already_ended` once it is terminal. */
export const cancelRun = defineUpdate<void, [{ by: string }]>('cancelRun');

/** An internal test call stands in for a real one: the case is CALLING while it is open. */
export const testCallOpened = defineUpdate<void, [{ callId: string }]>('testCallOpened');

export const caseState = defineQuery<{ status: CaseState; attempts: number }>('caseState');

/** What a run has ended with, as it was written to the records, and why staff have a task. */
export interface RunEnd extends RecordedEnd {
  taskReason: TaskReason | null;
}

/** How the run ended; null while it is open. It is asked of workflows that are over: after a restore of the records. */
export const runEnd = defineQuery<RunEnd | null>('runEnd');

/** Something new to deliver, or a wait to cut short. */
export const deliveriesChanged = defineSignal('deliveriesChanged');
