import type { RunFacts } from '@clinic/activities/runs';
import type { CallingFacts, NextStep, NoCallReason } from '@clinic/shared/domain/outreach/calling-policy';
import type { CallOver } from './phone-line';

/** Two outcomes that every type has, whatever it is about. */
export type CommonOutcome = 'FOLLOW_UP_REQUIRED' | 'PATIENT_NOT_REACHED';

/** What one type of workflow adds to the way that all of them go. */
export interface Story<Ends extends string> {
  /** Once, before anything else. */
  begin?(): Promise<void>;
  /** Asked before every call: end, or what the calling policy says. */
  decide(facts: RunFacts): Step<Ends> | Promise<Step<Ends>>;
  /** How it ends when the calling policy permits no more calls. */
  uncalled(reason: NoCallReason): Ends;
  /** What a call that is over came to; null when it settled nothing. */
  conclude(call: CallOver): Promise<Ends | null>;
}

export type Step<Ends extends string> = { kind: 'end'; outcome: Ends } | NextCall;

/** What the calling policy says, with what it was decided by. */
export type NextCall = NoCall | Wait | CallNow;

type Decided<Kind extends NextStep['kind']> = Extract<NextStep, { kind: Kind }> & { inputs: CallingFacts };
export type NoCall = Decided<'no_call'>;
export type Wait = Decided<'wait'>;

/** From `notAfter` on, or once the appointment is another, it does not ring. */
export interface CallNow extends Decided<'call'> {
  notAfter: string | null;
  appointmentStartsAt: string | null;
}
