import type { TaskReason } from '../tasks/task';
import { type Outcome, type OutcomeOf, taskFor, type WorkflowType } from './workflow-types';

/** What the records can say for an outcome of a run, or against it. */
export const recordedFacts = [
  // A tool of its calls has done it, and the appointment has not become another since.
  'booked',
  'rescheduled',
  'cancelled',
  'registered',
  'self_pay',
  'insurance_updated',
  /** The patient has an appointment that was booked or moved since the run was opened. */
  'appointment_booked',
  /** The appointment that the run is about is cancelled; has become another since the run last called; its patient is here. */
  'appointment_cancelled',
  'appointment_moved',
  'appointment_arrived',
  'offer_accepted',
  'form_completed',
  /** The patient asked for the care team, by a tool or in so many words. */
  'escalated',
  /** A tool that books was refused, and none booked anything. */
  'booking_refused',
  /** A date of birth was asked for and nobody was verified: nothing of a record may have been said. */
  'not_verified',
] as const;
export type RecordedFact = (typeof recordedFacts)[number];

/** The tools that book, by their names. */
export const bookingTools = ['book_appointment', 'reschedule_appointment', 'accept_waitlist_offer'];

/** An outcome that says that something was done. */
interface Claim {
  /** One of these in the records makes it true. */
  madeTrueBy: readonly RecordedFact[];
  /** Each of these in the records makes it untrue, whatever was said. */
  contradictedBy: readonly RecordedFact[];
  /** Where the records say nothing: the patient's word stands, or it does not. */
  isWordEnough: boolean;
  /** What staff are asked where the records do not make it true; null for nothing. */
  task: TaskReason | null;
}

const booking: Claim = {
  madeTrueBy: ['booked', 'rescheduled', 'appointment_booked', 'offer_accepted'],
  contradictedBy: ['booking_refused', 'not_verified'],
  isWordEnough: true,
  task: 'booking_to_check',
};

const byTool = (...madeTrueBy: RecordedFact[]): Claim => ({
  madeTrueBy,
  contradictedBy: [],
  isWordEnough: false,
  task: 'follow_up_required',
});

/**
 * What the records must hold for a run to end so. Null: it promises nothing (a refusal, nobody reached), it is a task for staff
 * itself, or only a tool or an event of its own can end a run so (RECOVERED, ALREADY_COMPLETED).
 */
export const claims: Record<Outcome, Claim | null> = {
  REBOOKED: booking,
  RESCHEDULED: { ...byTool('booked', 'rescheduled', 'appointment_moved'), task: 'booking_to_check' },
  CANCELLED: byTool('cancelled', 'appointment_cancelled'),
  // No tool confirms a visit or tells of a prescription: the word is all that there is, of somebody who was verified.
  CONFIRMED: {
    madeTrueBy: ['appointment_arrived'],
    contradictedBy: ['appointment_cancelled', 'not_verified'],
    isWordEnough: true,
    task: null,
  },
  INFORMED: { madeTrueBy: [], contradictedBy: ['not_verified'], isWordEnough: true, task: null },
  REGISTERED: byTool('registered'),
  SELF_PAY: byTool('self_pay'),
  INSURANCE_UPDATED: byTool('insurance_updated'),
  RECOVERED: null,
  ALREADY_COMPLETED: null,
  FOLLOW_UP_REQUIRED: null,
  ACTION_REQUIRED: null,
  ESCALATED: null,
  BILLING_ESCALATION: null,
  PRICING_ESCALATION: null,
  CLINICAL_ESCALATION: null,
  DECLINED: null,
  PATIENT_NOT_INTERESTED: null,
  PATIENT_NOT_REACHED: null,
};

type Settled<Ends extends Outcome = Outcome> = Partial<Record<RecordedFact, Ends>>;

const rebooked = { appointment_booked: 'REBOOKED' } as const;
const kept = {
  appointment_cancelled: 'CANCELLED',
  appointment_moved: 'RESCHEDULED',
  appointment_arrived: 'CONFIRMED',
} as const;

/** What a run has come to by the records alone, whoever did it and wherever: at the desk, online, in no call of ours. */
const settled: { [Type in WorkflowType]: Settled<OutcomeOf<Type>> } = {
  'abandonment-recovery': { form_completed: 'ALREADY_COMPLETED' },
  'new-patient-journey': { registered: 'REGISTERED' },
  'cancellation-follow-up': rebooked,
  'reschedule-follow-up': rebooked,
  'care-gap-follow-up': rebooked,
  'appointment-confirmation': kept,
  'appointment-reminder': kept,
  // No record of ours tells that something was paid elsewhere, or what a pharmacy said.
  'payment-recovery': {},
  'prescription-follow-up': {},
  'waitlist-offer': { offer_accepted: 'REBOOKED' },
};

/** How a run ends whose calls left open what it is about, or came to nothing. */
export const leavesOpen = (outcome: Outcome): boolean =>
  outcome === 'FOLLOW_UP_REQUIRED' || outcome === 'ACTION_REQUIRED' || outcome === 'DECLINED';

/**
 * The outcome that stands by the records, with the task that they leave; a promise that no tool made true is a task. What the
 * calls left open, and the records have settled, is neither; a question for the care team stays open.
 */
export function judged(
  { workflowType, outcome }: { workflowType: WorkflowType; outcome: Outcome },
  held: readonly RecordedFact[],
): { outcome: Outcome; taskReason: TaskReason | null } {
  if (leavesOpen(outcome)) {
    const own: Settled = held.includes('escalated') ? {} : settled[workflowType];
    const [instead = outcome] = recordedFacts.flatMap((fact) => (held.includes(fact) ? (own[fact] ?? []) : []));
    return { outcome: instead, taskReason: null };
  }
  const claim = claims[outcome];
  const holds = (facts: readonly RecordedFact[]) => facts.some((fact) => held.includes(fact));
  if (claim === null || holds(claim.madeTrueBy)) return { outcome, taskReason: null };
  if (claim.isWordEnough && !holds(claim.contradictedBy)) return { outcome, taskReason: claim.task };
  return { outcome: 'FOLLOW_UP_REQUIRED', taskReason: taskOfRefused(outcome) };
}

/** The task of a run that was to end so, and did not because of what the records say. */
export const taskOfRefused = (outcome: Outcome): TaskReason | null =>
  claims[outcome]?.task ?? taskFor('FOLLOW_UP_REQUIRED', []);
