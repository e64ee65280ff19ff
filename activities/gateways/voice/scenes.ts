import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import type { PlaceCall } from './port';
import { anyCast } from './scenes/any';
import { attendanceCast, prescriptionCast, rebookingCast } from './scenes/appointments';
import { paymentCast } from './scenes/payment';
import { recoveryCast } from './scenes/recovery';
import { registrationCast } from './scenes/registration';
import { type Cast, hangUp, talk, type Talk } from './scenes/talk';

export interface Scene {
  isAnswered: boolean;
  talk: Talk;
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
  if (cue.phone === '+15005550008') return { isAnswered: true, talk: talk(hangUp('The patient hung up.')) };
  return { isAnswered: true, talk: castOf(cue)[parts[cue.phone] ?? 'agrees'] };
}

const unanswered: Scene = {
  isAnswered: false,
  talk: talk({ say: 'end', reason: 'customer-did-not-answer', summary: '' }),
};

const parts: Record<string, keyof Cast> = {
  '+15005550002': 'wantsCallback',
  '+15005550003': 'findsItExpensive',
  '+15005550004': 'asksClinicalQuestion',
  '+15005550005': 'declines',
};

const casts: { [type in WorkflowType]?: Cast | ((phone: string) => Cast) } = {
  'abandonment-recovery': recoveryCast,
  'new-patient-journey': registrationCast,
  'cancellation-follow-up': rebookingCast,
  'reschedule-follow-up': rebookingCast,
  'care-gap-follow-up': rebookingCast,
  'appointment-confirmation': attendanceCast,
  'appointment-reminder': attendanceCast,
  'payment-recovery': paymentCast,
  'prescription-follow-up': prescriptionCast,
};

/** A workflow type without a cast of its own is played by people who only say what they want. */
function castOf({ workflowType, phone }: Cue): Cast {
  const cast = casts[workflowType as WorkflowType] ?? anyCast;
  return typeof cast === 'function' ? cast(phone) : cast;
}
