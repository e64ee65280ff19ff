import type { Resolution } from './recovery';
import type { Said, ToolFact } from '../../domain/outreach/conversation';

/** The voice platform says that a call is over. */
export interface CallEnded {
  callId: string;
  /** The voice platform's word for it. */
  reason: string;
  /** Somebody or something had picked up. */
  wasAnswered: boolean;
  isTest: boolean;
  /** When it ended, where that was learned later. */
  endedAt?: string;
}

/** The voice platform's analysis of a call that is over; it comes some seconds after the end. */
export interface CallAnalysed {
  callId: string;
  /** Null where the analysis came to no conclusion. */
  said: Said | null;
}

/** A live tool has changed the records. */
export interface ToolUsed {
  callId: string;
  tool: string;
  fact: ToolFact;
  /** Ids and times. No patient data. */
  detail?: Record<string, string>;
}

/** The agent has said how the call ended for the case. What it has said stands, whenever the workflow hears of it. */
export interface OutcomeResolved {
  callId: string;
  resolution: Resolution;
  /** When the records ended with it. */
  endedAt: string;
}

/** Every signal that is stored for a workflow, with its payload: what the records write and the workflows receive. */
export interface Signals {
  callEnded: CallEnded;
  callAnalysed: CallAnalysed;
  toolUsed: ToolUsed;
  /** The patient finished the form. */
  formCompleted: Record<string, never>;
  /** A line of the clinic is kept for this run, for a minute. */
  lineFreed: Record<string, never>;
  /** What decides whether and when a patient is called has changed: a pause is over. */
  rulesChanged: Record<string, never>;
  outcomeResolved: OutcomeResolved;
}

const names: Record<keyof Signals, true> = {
  callEnded: true,
  callAnalysed: true,
  toolUsed: true,
  formCompleted: true,
  lineFreed: true,
  rulesChanged: true,
  outcomeResolved: true,
};

/** The signals that this release knows. */
export const signalNames = Object.keys(names);

/** A signal and its payload, which belong together. */
export type Signal = { [Name in keyof Signals]: { signal: Name; payload: Signals[Name] } }[keyof Signals];
