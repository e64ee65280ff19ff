import { goodbye, journey, talk } from '../talk';
import { anyCast } from './any';
import type { Cast } from './cast';

/** Patients whose payment has failed. */
export const paymentCast: Cast = {
  ...anyCast,
  agrees: talk(
    journey('record_self_pay_decision', { decision: 'self_pay_continue' }),
    goodbye('The patient pays.', 'confirmed'),
  ),
  'finds-it-expensive': talk(
    journey('escalate_billing', { reason: 'The patient asks for a payment plan.' }),
    goodbye('Billing will call the patient.', 'escalated'),
  ),
  'asks-clinical-question': talk(
    journey('record_self_pay_decision', { decision: 'billing_escalation' }),
    goodbye('Billing will call the patient.', 'escalated'),
  ),
};
