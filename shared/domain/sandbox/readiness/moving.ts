import type { Exchange } from '../exchange';
import { otherTimeAfter, sameKeyAfterLoss } from './booking';
import {
  after,
  before,
  type Behaviour,
  each,
  isOk,
  judged,
  notRepeated,
  readsAppointment,
  type RunContext,
  unlessThen,
} from './judging';
import { offerOf } from './open-times';

/** Whether appointments can be moved at all. */
const moves = ({ leniency }: RunContext): boolean => leniency.reschedules;

export const movingBehaviours: Behaviour[] = [
  {
    id: 'move-to-offered',
    area: 'Moving and cancelling',
    title: 'Moves appointments to times that a search has offered',
    howToCause: 'Search Slot, then POST /Appointment/<id>/$reschedule with a start of the reply.',
    applies: moves,
    judge: (exchanges) =>
      each('reschedule', (at) => {
        if (!isOk(at)) return undefined;
        return offerOf(exchanges, at) ? null : 'It moved to a start that no search of this run had offered';
      })(exchanges),
  },
  {
    id: 'move-with-key',
    area: 'Moving and cancelling',
    title: 'Sends an Idempotency-Key, or If-Match, with each move',
    howToCause: 'Add the header Idempotency-Key to $reschedule, or If-Match with the version that was read.',
    applies: moves,
    judge: each('reschedule', ({ key, facts: { hasVersion } }) =>
      key === null && hasVersion !== true ? 'It moved an appointment with neither Idempotency-Key nor If-Match' : null,
    ),
  },
  {
    id: 'lost-move',
    area: 'Moving and cancelling',
    title: 'Sends a move again, the same under the same key, when its reply is lost or 5xx',
    howToCause: 'Choose the failure reply_lost_after_write for reschedule, or break the connection.',
    applies: moves,
    judge: sameKeyAfterLoss('reschedule'),
  },
  {
    id: 'move-other-time',
    area: 'Moving and cancelling',
    title: 'Asks for another time when a move is refused because of its time',
    howToCause: 'Move an appointment to a time that is taken or not on offer.',
    applies: moves,
    judge: otherTimeAfter('reschedule', ['slot_taken', 'slot_unavailable']),
  },
  {
    id: 'move-of-ended',
    area: 'Moving and cancelling',
    title: 'Does not move what is cancelled or has taken place a second time',
    howToCause: 'Cancel an appointment, then move it: 409 appointment_cancelled.',
    applies: moves,
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ refusal }) => refusal === 'appointment_cancelled' || refusal === 'appointment_fulfilled')
          .map((at) => {
            const again = after(exchanges, at).find(
              ({ operation, facts }) => operation === at.operation && facts.appointment === at.facts.appointment,
            );
            return unlessThen(at, again, 'It tried again to change an appointment that has ended');
          }),
      ),
  },
  {
    id: 'cancel-twice',
    area: 'Moving and cancelling',
    title: 'Takes the reply to a second cancellation for success, and stops there',
    howToCause: 'Cancel the same appointment twice: both replies are 200.',
    judge: (exchanges) =>
      judged(
        exchanges.flatMap((at) => {
          if (at.operation !== 'cancel' || !isOk(at)) return [];
          const earlier = before(exchanges, at).filter(
            (other) => other.operation === 'cancel' && isOk(other) && other.facts.appointment === at.facts.appointment,
          );
          if (earlier.length === 0) return [];
          return [{ at, wrong: earlier.length === 1 ? null : 'It cancelled a third time what was cancelled' }];
        }),
      ),
  },
  {
    id: 'appointment-from-reply',
    area: 'Moving and cancelling',
    title: 'Moves and cancels appointments whose ids it got from a reply',
    howToCause: 'Use the id of the reply to $book or GET Appointment.',
    judge: (exchanges) =>
      each(['reschedule', 'cancel'], (at) => {
        if (!isOk(at)) return undefined;
        return before(exchanges, at).some(
          (other) =>
            (other.operation === 'book' && other.facts.appointment === at.facts.appointment) ||
            readsAppointment(other, at.facts.appointment),
        )
          ? null
          : 'It used the id of an appointment that no reply of this run had told it';
      })(exchanges),
  },
  {
    id: 'version-sent',
    area: 'Moving and cancelling',
    title: 'Sends If-Match with the version that it read',
    howToCause: 'Read the appointment, and send its ETag as If-Match with $cancel, $reschedule or PUT.',
    applies: ({ leniency }) => !leniency.takesChangesUnseen,
    judge: each(['reschedule', 'cancel'], (at) => {
      if (at.facts.hasVersion === true) return null;
      const isAbout = isOk(at) || at.refusal === 'version_required';
      return isAbout ? 'It changed an appointment without saying which version it had read' : undefined;
    }),
  },
  {
    id: 'version-changed',
    area: 'Moving and cancelling',
    title: 'Reads an appointment again after 412, before it changes it',
    howToCause:
      'Choose the failure precondition_failed, or send an old ETag as If-Match: 412. Read it, then decide anew.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ operation, status }) => ['reschedule', 'cancel'].includes(operation) && status === 412)
          .flatMap((at) => {
            const { appointment } = at.facts;
            const isChange = ({ operation }: Exchange) => ['reschedule', 'cancel'].includes(operation);
            const next = after(exchanges, at).find(
              (other) =>
                // A search shows the next appointment alone, unless the sandbox is stricter.
                other.operation === 'upcoming' ||
                ((isChange(other) || ['read', 'history'].includes(other.operation)) &&
                  other.facts.appointment === appointment),
            );
            if (!next) return [];
            const wrong = isChange(next) ? 'It changed an appointment after 412 without reading it again' : null;
            return [{ at: next, wrong }];
          }),
      ),
  },
  {
    id: 'unknown-appointment-once',
    area: 'Moving and cancelling',
    title: 'Does not send a request again whose appointment is unknown',
    howToCause: 'Cancel the appointment nowhere: 404.',
    judge: (exchanges, { foreign }) =>
      notRepeated(
        ({ refusal, facts }) => refusal === 'unknown_appointment' && facts.appointment !== foreign.appointment,
        'It sent a request again whose appointment is unknown',
      )(exchanges),
  },
  {
    id: 'foreign-appointment',
    area: 'Moving and cancelling',
    title: "Takes another clinic's appointment for unknown",
    howToCause: 'POST /<foreign.appointmentReference of the run>/$cancel: 404. Do nothing more with it.',
    judge: (exchanges, { foreign }) =>
      judged(
        exchanges
          .filter(
            ({ facts, refusal }) => facts.appointment === foreign.appointment && refusal === 'unknown_appointment',
          )
          .map((at, index) => ({
            at,
            wrong: index === 0 ? null : "It tried another clinic's appointment again",
          })),
      ),
  },
];
