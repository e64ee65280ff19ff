import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Barrier, Resolution } from '@clinic/shared/contracts/recovery';
import type { Said } from '@clinic/shared/domain/conversation';
import type { CaseState } from '@clinic/shared/domain/calling-policy';

export interface CallEnded {
  callId: string;
  /** The voice platform's word for it. */
  reason: string;
  isTest: boolean;
}

/** The voice platform says that a call is over. */
export const callEnded = defineSignal<[CallEnded]>('callEnded');

export interface CallAnalysed {
  callId: string;
  said: Said | null;
}

/** The voice platform's analysis of a call that is over; it comes some seconds after the end. */
export const callAnalysed = defineSignal<[CallAnalysed]>('callAnalysed');

export interface ToolUsed {
  callId: string;
  tool: string;
  /** One of `toolFacts`; a word that is new is kept and decides nothing. */
  fact: string;
  /** Ids and times. No patient data. */
  detail?: Record<string, string>;
}

/** A live tool has changed the records. */
export const toolUsed = defineSignal<[ToolUsed]>('toolUsed');

/** The patient finished the form. */
export const formCompleted = defineSignal('formCompleted');

/** The agent understood why the patient stopped. Refused with `no_calling_case` unless the case is CALLING. */
export const recordBarrier = defineUpdate<void, [Barrier]>('recordBarrier');

/** The agent says how the call ended. Makes the case terminal. Refused with `no_calling_case` unless the case is CALLING. */
export const resolveOutcome = defineUpdate<void, [Resolution]>('resolveOutcome');

/** Staff end the workflow. Refused with `already_ended` once it is terminal. */
export const cancelRun = defineUpdate<void>('cancelRun');

/** An internal test call stands in for a real one: the case is CALLING while it is open. */
export const testCallOpened = defineUpdate<void, [{ callId: string }]>('testCallOpened');

export const caseState = defineQuery<{ status: CaseState; attempts: number; barrier: Barrier | null }>('caseState');

/** Something new to deliver, or a wait to cut short. */
export const deliveriesChanged = defineSignal('deliveriesChanged');
