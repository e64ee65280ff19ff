import { type Conversation, did, lastOf } from '@clinic/shared/domain/outreach/conversation';
import type { OutcomeOf } from '@clinic/shared/domain/outreach/workflow-types';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';

type Settlement = OutcomeOf<'payment-recovery'>;

/** A payment failed. Call the patient within the clinic's policy: they pay themselves, bring other insurance, or talk to billing. */
export async function paymentRecovery(input: RunInput): Promise<Settlement> {
  const outreach = openOutreach('payment-recovery', input);
  return outreach.reach({
    decide: (facts) => outreach.nextCall(facts),
    uncalled: () => 'PATIENT_NOT_REACHED',
    conclude: async (call) => settlement(await outreach.review(call)),
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
