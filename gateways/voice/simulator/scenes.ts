import { type Part, sceneOf } from '@clinic/shared/domain/voice/scenes';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { SimulatedCall } from '@clinic/shared/domain/voice/simulated-call';
import { hangUp, noAnswer, talk, type Talk } from './talk';
import { anyCast } from './scenes/any';
import { attendanceCast, prescriptionCast, rebookingCast, waitlistCast } from './scenes/appointments';
import type { Cast } from './scenes/cast';
import { paymentCast } from './scenes/payment';
import { recoveryCast } from './scenes/recovery';
import { registrationCast } from './scenes/registration';

/** What happens on the line in one call. */
export interface Play {
  isAnswered: boolean;
  talk: Talk;
}

type Cue = Pick<SimulatedCall, 'phone' | 'attempt' | 'workflowType'>;

/** How a call goes: the number chooses the scene, the workflow type what its part says. */
export function playOf({ phone, attempt, workflowType }: Cue): Play {
  const { part, answersAtAttempt } = sceneOf(phone);
  if (part === 'never-answers' || attempt < answersAtAttempt) return { isAnswered: false, talk: talk(noAnswer) };
  return { isAnswered: true, talk: talkOf(part, { workflowType, phone }) };
}

function talkOf(part: Exclude<Part, 'never-answers'>, { workflowType, phone }: Omit<Cue, 'attempt'>): Talk {
  if (part === 'hangs-up') return talk(hangUp('The patient hung up.'));
  const cast = casts[workflowType as WorkflowType] ?? anyCast;
  return (typeof cast === 'function' ? cast(phone) : cast)[part];
}

/** The callers of each workflow type. Those of a type without a cast of its own only say what they want. */
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
  'waitlist-offer': waitlistCast,
};
