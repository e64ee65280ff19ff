import type { PlaceCall } from './port';

/** What a caller does next: a tool the agent calls for them, or the end of the call. */
export type Line =
  | { say: 'tool'; family: string; tool: string; arguments: Record<string, unknown> }
  | { say: 'end'; reason: string; summary: string };

/** A caller's part. Tools' results come back in order, so that a caller can take the slot that was offered. */
export interface Scene {
  isAnswered: boolean;
  lines: Line[];
}

type Cue = Pick<PlaceCall, 'phone' | 'attempt' | 'workflowType'>;

/** The platform refuses the number of the outage twice before it takes the call. */
export function isRefused({ phone, earlierFaults }: { phone: string; earlierFaults: number }): boolean {
  return phone === '+15005550009' && earlierFaults < 2;
}

/** The scene of a number (decisions, section 5). Any number without one of its own answers and agrees. */
export function sceneFor(cue: Cue): Scene {
  if (cue.phone === '+15005550006') return unanswered;
  if (cue.phone === '+15005550007' && cue.attempt < 2) return unanswered;
  if (cue.phone === '+15005550008') return answered(hangUp('The patient hung up.'));
  return abandonmentScenes[cue.phone] ?? agrees;
}

const unanswered: Scene = {
  isAnswered: false,
  lines: [{ say: 'end', reason: 'customer-did-not-answer', summary: '' }],
};

const answered = (...lines: Line[]): Scene => ({ isAnswered: true, lines });

const recovery = (tool: string, args: Record<string, unknown> = {}): Line => ({
  say: 'tool',
  family: 'abandonment-recovery-tools',
  tool,
  arguments: args,
});

const barrier = (primaryBarrier: string, rest: Record<string, unknown> = {}) =>
  recovery('record_abandonment_barrier', { primaryBarrier, ...rest });

const resolve = (recoveryStatus: string, rest: Record<string, unknown> = {}) =>
  recovery('resolve_recovery_outcome', { recoveryStatus, resumeLinkSent: false, ...rest });

const goodbye = (summary: string): Line => ({ say: 'end', reason: 'assistant-ended-call', summary });
const hangUp = (summary: string): Line => ({ say: 'end', reason: 'customer-ended-call', summary });

const agrees = answered(
  recovery('check_recovery_session_status'),
  barrier('ran out of time', { knowledgeTopic: 'form length' }),
  recovery('send_resume_link', { method: 'sms' }),
  resolve('RECOVERED', { recoveryAction: 'resume_link', resumeLinkSent: true }),
  goodbye('The patient agreed to finish and was promised a link.'),
);

const abandonmentScenes: Record<string, Scene> = {
  '+15005550002': answered(
    barrier('not a good moment'),
    resolve('FOLLOW_UP_REQUIRED', { recoveryAction: 'callback' }),
    goodbye('The patient asked to be called back.'),
  ),
  '+15005550003': answered(
    barrier('price', { specificQuestion: 'Is there a payment plan?', knowledgeTopic: 'pricing' }),
    resolve('PRICING_ESCALATION', { escalationType: 'billing', offerPresented: 'payment plan' }),
    goodbye('The patient finds the price too high.'),
  ),
  '+15005550004': answered(
    barrier('clinical question', { specificQuestion: 'Can I take this with my other medication?' }),
    resolve('CLINICAL_ESCALATION', { escalationType: 'clinical' }),
    goodbye('The patient has a question for the care team.'),
  ),
  '+15005550005': answered(
    barrier('no longer interested'),
    resolve('PATIENT_NOT_INTERESTED'),
    goodbye('The patient declined.'),
  ),
};
