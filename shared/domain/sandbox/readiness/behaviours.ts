import type { Exchange, Operation } from '../exchange';
import { bookingBehaviours } from './booking';
import { eventBehaviours } from './events';
import { failureBehaviours } from './failures';
import type { Behaviour, Finding, RunContext } from './judging';
import { movingBehaviours } from './moving';
import { noteBehaviours } from './notes';
import { openTimeBehaviours } from './open-times';
import { patientBehaviours } from './patients';
import { workflowBehaviours } from './workflows';

/** Everything that a validation run judges, in the order of a report. */
export const behaviours: readonly Behaviour[] = [
  ...patientBehaviours,
  ...openTimeBehaviours,
  ...bookingBehaviours,
  ...movingBehaviours,
  ...noteBehaviours,
  ...failureBehaviours,
  ...workflowBehaviours,
  ...eventBehaviours,
];

export interface Judged {
  behaviour: Behaviour;
  finding: Finding;
}

/** Judges a run's exchanges, in their order, by every behaviour that can be seen at its clinic. */
export function judgeRun(exchanges: readonly Exchange[], context: RunContext): Judged[] {
  const alike = exchanges.map((each) => ({ ...each, operation: meaningOf(each) }));
  return behavioursAt(context).map((behaviour) => ({ behaviour, finding: behaviour.judge(alike, context) }));
}

export const behavioursAt = (context: RunContext): Behaviour[] =>
  behaviours.filter(({ applies }) => applies?.(context) ?? true);

/** A created appointment is a booking and a changed one a move or a cancellation, and judged as that. */
function meaningOf({ operation, facts }: Exchange): Operation {
  if (operation === 'create') return 'start' in facts ? 'book' : operation;
  if (operation === 'change') return facts.cancels ? 'cancel' : 'reschedule';
  return operation;
}

export interface Score {
  passed: number;
  failed: number;
  notSeen: number;
  of: number;
}

export function scoreOf(verdicts: readonly { verdict: Finding['verdict'] }[]): Score {
  const count = (wanted: Finding['verdict']) => verdicts.filter(({ verdict }) => verdict === wanted).length;
  return { passed: count('passed'), failed: count('failed'), notSeen: count('not_seen'), of: verdicts.length };
}
