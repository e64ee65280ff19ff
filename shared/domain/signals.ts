import type { Said, ToolFact } from './conversation';

/** The voice platform says that a call is over. */
export interface CallEnded {
  callId: string;
  /** The voice platform's word for it. */
  reason: string;
  /** Somebody or something had picked up; left out by what was stored before it was told. */
  wasAnswered?: boolean;
  isTest: boolean;
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

/** Every signal that is stored for a workflow, with its payload: what the records write and the workflows receive. */
export interface Signals {
  callEnded: CallEnded;
  callAnalysed: CallAnalysed;
  toolUsed: ToolUsed;
  /** The patient finished the form. */
  formCompleted: Record<string, never>;
}

/** A signal and its payload, which belong together. */
export type Signal = { [Name in keyof Signals]: { signal: Name; payload: Signals[Name] } }[keyof Signals];
