import { after, before, type Behaviour, each, isOk, judged, notRepeated, unlessThen } from './judging';
import type { Exchange } from '../exchange';

const matched = (exchanges: readonly Exchange[], at: Exchange) =>
  before(exchanges, at).some(
    (other) => other.operation === 'match' && foundBy(other).some((found) => found === at.facts.patient),
  );

const foundBy = ({ facts: { patient, others = [] } }: Exchange): string[] =>
  patient === undefined ? [] : [patient, ...others];

/** $match found several, or is certain of nobody. */
const isAmbiguous = (at: Exchange): boolean =>
  at.operation === 'match' &&
  typeof at.facts.certain !== 'string' &&
  (foundBy(at).length > 1 || at.facts.certain === null);

const onlyMatched =
  (operation: 'book' | 'note' | 'upcoming', what: string): Behaviour['judge'] =>
  (exchanges, { foreign }) =>
    each(operation, (at) => {
      const { patient } = at.facts;
      // What the run asks a client to try is no mistake, nor what was refused as unknown.
      if (patient === undefined || patient === foreign.patient || at.status === 404) return undefined;
      return matched(exchanges, at) ? null : `${what} a patient whom no Patient/$match of this run had found`;
    })(exchanges);

export const patientBehaviours: Behaviour[] = [
  {
    id: 'match-before-book',
    area: 'Patients',
    title: 'Finds the patient by Patient/$match before it books',
    howToCause: 'Match a patient, as MRN-1001, then book for the id in the reply.',
    judge: onlyMatched('book', 'It booked for'),
  },
  {
    id: 'match-before-note',
    area: 'Patients',
    title: 'Writes notes back to patients whom it has matched',
    howToCause: 'Match a patient, then POST /DocumentReference with the id in the reply as its subject.',
    judge: onlyMatched('note', 'It wrote a note to'),
  },
  {
    id: 'match-before-read',
    area: 'Patients',
    title: 'Asks for the appointments of patients whom it has matched',
    howToCause: 'Match a patient, then GET /Appointment?patient=Patient/<id>.',
    judge: onlyMatched('upcoming', 'It asked for the appointments of'),
  },
  {
    id: 'made-patient-unused',
    area: 'Patients',
    title: 'Does not take a patient whom $match has just made for one whom it knows',
    howToCause:
      'Match an identifier that nobody has, as NOBODY-1. The sandbox makes a patient; a real EHR finds none. A client that compares name and birth date sees it, and neither books nor writes for them.',
    applies: ({ leniency }) => leniency.createsUnknownPatients,
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ operation, facts }) => operation === 'match' && facts.isMade === true)
          .map((at) => {
            const used = after(exchanges, at).find(
              ({ operation, facts: { patient } }) =>
                ['book', 'note'].includes(operation) && patient === at.facts.patient,
            );
            return unlessThen(at, used, 'It went on with a patient whom $match had made for an unknown identifier');
          }),
      ),
  },
  {
    id: 'duplicate-patient',
    area: 'Patients',
    title: 'Chooses nobody by itself where $match finds several, or is certain of nobody',
    howToCause:
      'Choose the failure duplicate_patient, or match what two people share. Go on after a $match that finds one of them alone, or for certain.',
    judge: (exchanges) =>
      judged(
        exchanges.filter(isAmbiguous).map((at) => {
          const rest = after(exchanges, at);
          const chosen = rest.find(
            ({ operation, number, facts: { patient } }) =>
              ['book', 'note'].includes(operation) &&
              foundBy(at).some((found) => found === patient) &&
              !rest.some(
                (other) =>
                  other.operation === 'match' &&
                  other.number < number &&
                  !isAmbiguous(other) &&
                  (other.facts.certain ?? other.facts.patient) === patient,
              ),
          );
          return unlessThen(at, chosen, 'It went on with one of several patients whom $match had found');
        }),
      ),
  },
  {
    id: 'unknown-patient-once',
    area: 'Patients',
    title: 'Does not send a request again whose patient is unknown',
    howToCause: 'Book for Patient/nobody. The reply is 404; match the patient anew instead of trying again.',
    judge: notRepeated(
      ({ refusal }) => refusal === 'unknown_patient',
      'It sent a request again whose patient is unknown',
    ),
  },
  {
    id: 'foreign-patient',
    area: 'Patients',
    title: "Takes another clinic's patient for unknown, and writes nothing for them",
    howToCause:
      'GET /Appointment?patient=<foreign.patientReference of the run>. The Bundle is empty: go on with another patient.',
    judge: (exchanges, { foreign }) =>
      judged(
        exchanges
          .filter(({ operation, facts }) => operation === 'upcoming' && facts.patient === foreign.patient)
          .map((at) => {
            const next = after(exchanges, at).find(
              ({ operation, facts }) => operation !== 'match' && facts.patient === foreign.patient,
            );
            return unlessThen(at, next, "It went on with another clinic's patient, of whom it had been told nothing");
          }),
      ),
  },
  {
    id: 'empty-appointments',
    area: 'Patients',
    title: 'Takes an empty Bundle of appointments for "none", and moves or cancels nothing',
    howToCause: 'GET /Appointment for a matched patient who has none, as MRN-1012.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter((at) => at.operation === 'upcoming' && isOk(at) && at.facts.total === 0)
          .map((at) => {
            const [next] = after(exchanges, at).filter(
              ({ operation, facts }) =>
                ['book', 'reschedule', 'cancel', 'upcoming'].includes(operation) && facts.patient === at.facts.patient,
            );
            return next && ['reschedule', 'cancel'].includes(next.operation) && isOk(next)
              ? { at: next, wrong: 'It moved or cancelled an appointment after it was told that there is none' }
              : { at, wrong: null };
          }),
      ),
  },
];
