import { goodbye, talk, use } from '../talk';
import type { Cast } from './cast';

const recovery = (tool: string, args: Record<string, unknown> = {}) => use('abandonment-recovery-tools', tool, args);

const barrier = (primaryBarrier: string, rest: Record<string, unknown> = {}) =>
  recovery('record_abandonment_barrier', { primaryBarrier, ...rest });

const resolve = (recoveryStatus: string, rest: Record<string, unknown> = {}) =>
  recovery('resolve_recovery_outcome', { recoveryStatus, resumeLinkSent: false, ...rest });

/** Patients who left a form or checkout unfinished. */
export const recoveryCast: Cast = {
  agrees: talk(
    recovery('check_recovery_session_status'),
    barrier('form too long', { knowledgeTopic: 'form length' }),
    recovery('send_resume_link', { method: 'sms' }),
    resolve('RECOVERED', { recoveryAction: 'resume_link', resumeLinkSent: true }),
    goodbye('The patient agreed to finish and was promised a link.'),
  ),
  'wants-callback': talk(
    barrier('not a good moment'),
    resolve('FOLLOW_UP_REQUIRED', { recoveryAction: 'callback' }),
    goodbye('The patient asked to be called back.'),
  ),
  'finds-it-expensive': talk(
    barrier('price', { specificQuestion: 'Is there a payment plan?', knowledgeTopic: 'pricing' }),
    resolve('PRICING_ESCALATION', { escalationType: 'billing', offerPresented: 'payment plan' }),
    goodbye('The patient finds the price too high.'),
  ),
  'asks-clinical-question': talk(
    barrier('clinical question', { specificQuestion: 'Can I take this with my other medication?' }),
    resolve('CLINICAL_ESCALATION', { escalationType: 'clinical' }),
    goodbye('The patient has a question for the care team.'),
  ),
  declines: talk(barrier('no longer interested'), resolve('PATIENT_NOT_INTERESTED'), goodbye('The patient declined.')),
};
