import { otherTimeAfter, sameKeyAfterLoss } from './booking';
import { after, before, type Behaviour, each, isOk, judged, notRepeated, unlessThen } from './judging';
import { offerOf } from './open-times';

export const movingBehaviours: Behaviour[] = [
  {
    id: 'move-to-offered',
    area: 'Moving and cancelling',
    title: 'Moves appointments to times that a search has offered',
    howToCause: 'Search Slot, then POST /Appointment/<id>/$reschedule with a start of the reply.',
    judge: (exchanges) =>
      each('reschedule', (at) => {
        if (!isOk(at)) return undefined;
        return offerOf(exchanges, at) ? null : 'It moved to a start that no search of this run had offered';
      })(exchanges),
  },
  {
    id: 'move-with-key',
    area: 'Moving and cancelling',
    title: 'Sends an Idempotency-Key with each move',
    howToCause: 'Add the header Idempotency-Key to $reschedule.',
    judge: each('reschedule', ({ key }) =>
      key === null ? 'It moved an appointment without an Idempotency-Key' : null,
    ),
  },
  {
    id: 'lost-move',
    area: 'Moving and cancelling',
    title: 'Sends a move again, the same under the same key, when its reply is lost or 5xx',
    howToCause: 'Choose the failure reply_lost_after_write for reschedule, or break the connection.',
    judge: sameKeyAfterLoss('reschedule'),
  },
  {
    id: 'move-other-time',
    area: 'Moving and cancelling',
    title: 'Asks for another time when a move is refused because of its time',
    howToCause: 'Move an appointment to a time that is taken or not on offer.',
    judge: otherTimeAfter('reschedule', ['slot_taken', 'slot_unavailable']),
  },
  {
    id: 'move-of-ended',
    area: 'Moving and cancelling',
    title: 'Does not move what is cancelled or has taken place a second time',
    howToCause: 'Cancel an appointment, then move it: 409 appointment_cancelled.',
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
          ({ operation, facts: { appointment } }) =>
            ['book', 'upcoming'].includes(operation) && appointment === at.facts.appointment,
        )
          ? null
          : 'It used the id of an appointment that no reply of this run had told it';
      })(exchanges),
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
