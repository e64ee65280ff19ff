import { type CallingFacts, type NextStep, type NoCallReason, nextStep, type WaitReason } from './calling-policy';
import { type DialFacts, type LineFacts, whyNoLine, whyNotDial, type WithdrawalReason } from './dialling';

/**
 * `plan`: a workflow decides whether to call. `line`: the call it decided asks for a line and gets none, now or later.
 * `dial`: all is checked again in the moment before the phone rings.
 */
export const decisionStages = ['plan', 'line', 'dial'] as const;

/** What came of a check before dialling. */
export type DialVerdict = { kind: 'begun' } | { kind: 'withdrawn'; because: WithdrawalReason };

export type Decision =
  | { stage: 'plan'; inputs: CallingFacts; decided: NextStep }
  | { stage: 'line'; inputs: LineFacts; decided: DialVerdict }
  | { stage: 'dial'; inputs: DialFacts; decided: DialVerdict };

export function checked(inputs: DialFacts): Extract<Decision, { stage: 'dial' }> {
  return { stage: 'dial', inputs, decided: verdictOf(whyNotDial(inputs)) };
}

export function checkedForLine(inputs: LineFacts): Extract<Decision, { stage: 'line' }> {
  return { stage: 'line', inputs, decided: verdictOf(whyNoLine(inputs)) };
}

/** What the rules of today say to what a decision was made of. */
export function decidedAgain({ stage, inputs }: Decision): Decision['decided'] {
  switch (stage) {
    case 'plan':
      return nextStep(inputs);
    case 'line':
      return checkedForLine(inputs).decided;
    case 'dial':
      return checked(inputs).decided;
  }
}

const verdictOf = (because: WithdrawalReason | null): DialVerdict =>
  because === null ? { kind: 'begun' } : { kind: 'withdrawn', because };

type Rule = 'due' | 'all_rules_hold' | WaitReason | NoCallReason | WithdrawalReason;

/** The rule that decided. */
export function ruleOf({ decided }: Decision): Rule {
  switch (decided.kind) {
    case 'call':
      return 'due';
    case 'begun':
      return 'all_rules_hold';
    case 'withdrawn':
      return decided.because;
    case 'wait':
    case 'no_call':
      return decided.reason;
  }
}

const sentences: Record<Rule, string> = {
  due: 'A call was due, and every rule permitted it.',
  all_rules_hold: 'Every rule still permitted the call in the moment before it was dialled.',
  first_call_delay: 'The calling policy gives patients some time to finish by themselves.',
  between_attempts: 'The calling policy leaves some time between two attempts.',
  clinic_limit: 'The clinic has called as many different numbers today as its operator allows.',
  patient_limits: 'The patient has had as many calls as the calling policy allows.',
  calling_hours: "It was outside the clinic's calling hours.",
  patient_hours: 'It was not between 8:00 and 20:00 everywhere where the patient may be.',
  paused: 'Outreach was paused.',
  no_phone: 'There is no phone number that can be dialled.',
  opted_out: 'The phone is on the list of those who want no such calls.',
  attempts_exhausted: 'The patient was called as often as the calling policy says.',
  no_calling_hours: 'No hour of the coming two weeks is open for a call.',
  too_late: 'The next possible call would come too late to be of use.',
  call_over: 'The call was over before it was dialled.',
  never_dialled: 'Nobody came to dial the call.',
  run_over: 'The workflow had ended.',
  case_over: 'The case had ended, or was not in a call any more.',
  form_completed: 'The form had been completed.',
  window_over: 'The time that the call was decided for had passed.',
  outside_hours: 'The hours in which the phone may ring had passed.',
  appointment_changed: 'The appointment that the call was about had changed or begun.',
};

/** A rule in a sentence that staff understand; null for one of another version of the service. */
export const sentenceOf = (rule: string): string | null =>
  Object.hasOwn(sentences, rule) ? sentences[rule as Rule] : null;
