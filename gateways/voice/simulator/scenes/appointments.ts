import { type Caller, emr, goodbye, type Line, offers, type Reply, type Talk, use } from '../talk';
import { anyCast } from './any';
import type { Cast } from './cast';

const verify = ({ dateOfBirth }: Caller): Line => emr('verify_patient', { dateOfBirth });

/** The agent makes sure whom it talks to, and looks the appointment up. */
function* findAppointment(caller: Caller): Generator<Line, Reply, Reply> {
  yield verify(caller);
  return yield emr('get_upcoming_appointment');
}

/**
 * Takes the first time that is offered in place of the present one, or the next where somebody else has just taken it; without
 * one here, the clinic's desk has found it.
 */
const takesFirstOffer: Talk = function* (caller) {
  const { found, providerName } = yield* findAppointment(caller);
  const offered = found === true ? offers(yield emr('check_availability', { providerName })) : [];
  for (const { startsAt } of offered) {
    const moved = yield emr('reschedule_appointment', { newDateTime: startsAt });
    if (moved.success !== true) continue;
    yield goodbye('The patient took the first time that was offered.');
    return;
  }
  yield goodbye('The patient has a new appointment.', 'rebooked');
};

const comes: Talk = function* (caller) {
  yield* findAppointment(caller);
  yield goodbye('The patient will come.', 'confirmed');
};

const asks = (question: string): Talk =>
  function* (caller) {
    yield verify(caller);
    yield emr('document_and_escalate', { escalationReason: question, escalateToClinicalTeam: true });
    yield goodbye('The patient has a question for the team.', 'escalated');
  };

const questions = {
  'finds-it-expensive': asks('The patient asks what the visit will cost.'),
  'asks-clinical-question': asks('The patient asks whether to stop a medication before the visit.'),
};

/** Patients who need an appointment. */
export const rebookingCast: Cast = { ...anyCast, ...questions, agrees: takesFirstOffer };

/** Patients who have one. */
export const attendanceCast: Cast = { ...anyCast, ...questions, agrees: comes };

/** Patients whose prescription has changed. */
export const prescriptionCast: Cast = {
  ...anyCast,
  ...questions,
  *agrees(caller) {
    yield verify(caller);
    yield goodbye('The patient was told.', 'confirmed');
  },
};

const offered = (tool: string): Line => use('calling-tools', tool);

/** Patients for whom a time is held that became free. */
export const waitlistCast: Cast = {
  ...anyCast,
  ...questions,
  *agrees(caller) {
    yield verify(caller);
    yield offered('get_waitlist_offer');
    const booked = yield offered('accept_waitlist_offer');
    yield booked.success === true
      ? goodbye('The patient took the time.')
      : goodbye('The patient has another time.', 'rebooked');
  },
  *declines(caller) {
    yield verify(caller);
    yield offered('get_waitlist_offer');
    yield offered('decline_waitlist_offer');
    yield goodbye('The patient does not want the time.', 'declined');
  },
};
