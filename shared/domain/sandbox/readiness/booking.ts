import type { Exchange, Operation } from '../exchange';
import {
  after,
  before,
  type Behaviour,
  each,
  isOk,
  isUnknown,
  judged,
  notRepeated,
  readsAppointment,
  unlessThen,
} from './judging';

/**
 * After a write whose reply is unknown the next one of its kind is the same request under the same key. A change of a version has
 * no need of one: sent again it is 412, and read anew it shows what has become of it.
 */
export const sameKeyAfterLoss = (operation: Operation) => (exchanges: readonly Exchange[]) =>
  judged(
    exchanges
      .filter((at) => at.operation === operation && isUnknown(at))
      .map((at) => {
        const isGuarded = at.key === null && at.facts.hasVersion === true;
        const next = after(exchanges, at).find(
          (other) => other.operation === operation || (isGuarded && readsAppointment(other, at.facts.appointment)),
        );
        if (isGuarded && next && (next.operation !== operation || next.request === at.request))
          return { at: next, wrong: null };
        if (!next) return { at, wrong: 'It never sent the request again whose reply it did not get' };
        if (at.key === null || next.key !== at.key)
          return { at: next, wrong: 'It sent the request again without the Idempotency-Key of the first' };
        return { at: next, wrong: next.request === at.request ? null : 'It changed the request under the same key' };
      }),
  );

/** After a refused time the next request of the kind asks for another one. */
export const otherTimeAfter =
  (operation: 'book' | 'reschedule', refusals: readonly (string | null)[]) => (exchanges: readonly Exchange[]) =>
    judged(
      exchanges
        .filter((at) => at.operation === operation && refusals.includes(at.refusal))
        .flatMap((at) => {
          const next = after(exchanges, at).find((other) => other.operation === operation);
          if (!next) return [];
          const isSame = next.facts.start === at.facts.start && next.facts.provider === at.facts.provider;
          return [{ at: next, wrong: isSame ? 'It asked again for the time that it had just been refused' : null }];
        }),
    );

export const bookingBehaviours: Behaviour[] = [
  {
    id: 'book-with-key',
    area: 'Booking',
    title: 'Sends an Idempotency-Key, or If-None-Exist, with each booking',
    howToCause:
      'Add the header Idempotency-Key with a new UUID to POST /Appointment/$book, or to POST /Appointment, which takes If-None-Exist, too.',
    judge: each('book', ({ key }) => (key === null ? 'It booked without an Idempotency-Key' : null)),
  },
  {
    id: 'new-key-for-new-request',
    area: 'Booking',
    title: 'Makes a new Idempotency-Key for each new request',
    howToCause: 'Book twice, each time with a key of its own.',
    judge: (exchanges) =>
      each(['book', 'reschedule', 'note', 'start_workflow'], (at) => {
        if (at.key === null) return undefined;
        const earlier = before(exchanges, at).filter(({ key }) => key !== null);
        if (earlier.some(({ key, request }) => key === at.key && request !== at.request))
          return 'It used one Idempotency-Key for two different requests';
        return earlier.length > 0 ? null : undefined;
      })(exchanges),
  },
  {
    id: 'lost-booking',
    area: 'Booking',
    title: 'Sends a booking again, the same under the same key, when its reply is lost or 5xx',
    howToCause: 'Choose the failure reply_lost_after_write for book, or break the connection.',
    judge: sameKeyAfterLoss('book'),
  },
  {
    id: 'booked-once',
    area: 'Booking',
    title: 'Books one time for one patient once',
    howToCause: 'Book; where a reply was lost, send it again under the same key.',
    judge: (exchanges) =>
      each('book', (at) => {
        if (!isOk(at)) return undefined;
        const twin = after(exchanges, at).find(
          ({ operation, key, facts: { patient, start, provider } }) =>
            operation === 'book' &&
            (key === null || key !== at.key) &&
            patient === at.facts.patient &&
            start === at.facts.start &&
            provider === at.facts.provider,
        );
        const wasCancelled =
          twin &&
          exchanges.some(
            ({ operation, facts: { appointment }, number }) =>
              ['cancel', 'reschedule'].includes(operation) &&
              appointment === at.facts.appointment &&
              number < twin.number,
          );
        return twin && !wasCancelled ? 'It asked again for what it had booked already' : null;
      })(exchanges),
  },
  {
    id: 'taken-other-time',
    area: 'Booking',
    title: 'Offers another time after 409 slot_taken',
    howToCause: 'Choose the failure slot_goes, or book a time that somebody has booked since the search.',
    judge: otherTimeAfter('book', ['slot_taken']),
  },
  {
    id: 'taken-new-search',
    area: 'Booking',
    title: 'Searches anew after 409 slot_taken',
    howToCause: 'Choose the failure slot_goes; after the 409 search Slot before the next booking.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ operation, refusal }) => operation === 'book' && refusal === 'slot_taken')
          .flatMap((at) => {
            const next = after(exchanges, at).find(({ operation }) => ['slots', 'book'].includes(operation));
            if (!next) return [];
            return [
              { at: next, wrong: next.operation === 'slots' ? null : 'It booked from the search of before the 409' },
            ];
          }),
      ),
  },
  {
    id: 'unavailable-other-time',
    area: 'Booking',
    title: 'Does not ask again for a time that is not on offer',
    howToCause: 'Book a start off the grid, as ten past: 409 slot_unavailable. Then book an offered one.',
    judge: otherTimeAfter('book', ['slot_unavailable']),
  },
  {
    id: 'past-once',
    area: 'Booking',
    title: 'Does not ask again for a time that has passed',
    howToCause: 'Book a start of yesterday: 400. Then search anew.',
    judge: notRepeated(({ refusal }) => refusal === 'in_the_past', 'It asked again for a time that has passed'),
  },
  {
    id: 'booking-read-back',
    area: 'Booking',
    title: 'Reads a booking back by GET Appointment',
    howToCause: 'After a booking, GET /Appointment?patient=Patient/<id>.',
    judge: (exchanges) =>
      judged(
        exchanges.flatMap((at) => {
          const wasBooked =
            (at.operation === 'upcoming' || at.operation === 'read') &&
            isOk(at) &&
            before(exchanges, at).some(
              (other) => other.operation === 'book' && isOk(other) && other.facts.patient === at.facts.patient,
            );
          return wasBooked ? [{ at, wrong: null }] : [];
        }),
      ),
  },
  {
    id: 'stale-read',
    area: 'Booking',
    title: 'Goes by the reply to its own booking, and not by a search that lags behind',
    howToCause:
      'Book, choose the failure stale_read, and GET /Appointment of the patient: the booking is missing. Do not book again.',
    judge: (exchanges) =>
      judged(
        exchanges
          .filter(({ operation, facts: { failure } }) => operation === 'upcoming' && failure === 'stale_read')
          .flatMap((at) => {
            const own = before(exchanges, at).findLast(
              (other) => other.operation === 'book' && isOk(other) && other.facts.patient === at.facts.patient,
            );
            if (!own || at.facts.appointments?.includes(own.facts.appointment ?? '')) return [];
            const next = after(exchanges, at).find(
              (other) =>
                ['book', 'upcoming', 'cancel'].includes(other.operation) && other.facts.patient === at.facts.patient,
            );
            const isSecond = next?.operation === 'book' && (next.key === null || next.key !== own.key);
            return [
              unlessThen(
                at,
                isSecond ? next : undefined,
                'It booked a second time after a search that did not show its booking yet',
              ),
            ];
          }),
      ),
  },
  {
    id: 'visit-type',
    area: 'Booking',
    title: 'Says what a visit is for',
    howToCause: 'Send serviceType[0].text in a booking; without it every visit is a follow-up consultation.',
    judge: each('book', (at) => {
      if (!isOk(at)) return undefined;
      return at.facts.hasVisitType === true ? null : 'It did not say what the visit is for';
    }),
  },
];
