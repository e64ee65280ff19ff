import {
  type CallingFacts,
  type NextStep,
  type NoCallReason,
  nextStep,
  noCallReasons,
  type WaitReason,
  waitReasons,
} from './calling-policy';
import {
  type DialFacts,
  type LineFacts,
  whyNoLine,
  whyNotDial,
  type WithdrawalReason,
  withdrawalReasons,
} from './dialling';

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

/** Every rule that can decide whether a phone rings. */
export const callRules: readonly CallRule[] = [
  ...new Set<CallRule>(['due', 'all_rules_hold', ...waitReasons, ...noCallReasons, ...withdrawalReasons]),
];
export type CallRule = 'due' | 'all_rules_hold' | WaitReason | NoCallReason | WithdrawalReason;

/** The rule that decided. */
export function ruleOf({ decided }: Decision): CallRule {
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
