import { type Conversation, did, lastOf } from '@clinic/shared/domain/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/workflow-types';
import { openRun, type RunInput } from './patient-run';
import { reachPatient } from './reach-patient';

type Settlement = OutcomeOf<'payment-recovery'>;

/** A payment failed. Call the patient within the clinic's policy: they pay themselves, bring other insurance, or talk to billing. */
export async function paymentRecovery(input: RunInput): Promise<Settlement> {
  const run = openRun('payment-recovery', input);
  return reachPatient(run, {
    decide: () => run.decide(),
    conclude: async (call) => settlement(await run.review(call)),
    afterwards: () => run.tellClinicSystems(),
  });
}

/** The last thing that was settled stands: new insurance after all, or self-pay when it was refused. */
function settlement(talk: Conversation): Settlement | null {
  switch (lastOf(talk, 'self_pay', 'billing_escalated', 'insurance_updated')) {
    case 'self_pay':
      return 'SELF_PAY';
    case 'insurance_updated':
      return 'INSURANCE_UPDATED';
    case 'billing_escalated':
      return 'BILLING_ESCALATION';
    case undefined:
      return did(talk, 'escalated') || talk.said === 'escalated' ? 'BILLING_ESCALATION' : null;
  }
}
