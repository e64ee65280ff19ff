import { CallDecisionView, CallRule } from '@clinic/shared/contracts/outreach/call-decisions';
import type { CallDecisionRecord } from '@clinic/prisma/stores/outreach/call-decisions';
import { z } from 'zod';
import { factsOf } from '../../http/facts';

const Decided = z.object({ kind: CallDecisionView.shape.decided, until: z.string().optional() });

/** A stored decision as staff read it. */
export function toDecision({ decidedAt, stage, rule, decided, inputs }: CallDecisionRecord): CallDecisionView {
  const { kind, until } = Decided.parse(decided);
  return {
    at: decidedAt.toISOString(),
    stage: CallDecisionView.shape.stage.parse(stage),
    decided: kind,
    rule: CallRule.catch('unknown').parse(rule),
    until: until ?? null,
    inputs: factsOf(inputs) ?? {},
  };
}
