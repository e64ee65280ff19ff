import { anyCast } from './any';
import { type Cast, goodbye, talk, use } from './talk';

const journey = (tool: string, args: Record<string, unknown>) => use('patient-journey', tool, args);

/** Patients whose payment has failed. */
export const paymentCast: Cast = {
  ...anyCast,
  agrees: talk(
    journey('record_self_pay_decision', { decision: 'self_pay_continue' }),
    goodbye('The patient pays.', 'confirmed'),
  ),
  findsItExpensive: talk(
    journey('escalate_billing', { reason: 'The patient asks for a payment plan.' }),
    goodbye('Billing will call the patient.', 'escalated'),
  ),
  asksClinicalQuestion: talk(
    journey('record_self_pay_decision', { decision: 'billing_escalation' }),
    goodbye('Billing will call the patient.', 'escalated'),
  ),
};
