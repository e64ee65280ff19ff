import { localDate } from './clinic-time';
import { type Conversation, did } from '../outreach/conversation';
import { rebooking } from './rebooking';
import type { OutcomeOf } from '../outreach/workflow-types';
import { isWithin, type TimesOfDay } from './time-of-day';
import { minuteMs } from './zone-offsets';

/** `offered`: a time is held for the patient, who is being called. `expired`: their last day is over. */
export const waitlistStatuses = ['waiting', 'offered', 'booked', 'removed', 'expired'] as const;
export type WaitlistStatus = (typeof waitlistStatuses)[number];

/**
 * `lapsed`: nobody answered in time. `postponed`: the patient may not be called before the offer ends, and may be offered the same time
 * later. `withdrawn`: staff took the entry off the list.
 */
export const offerStatuses = ['open', 'accepted', 'declined', 'lapsed', 'postponed', 'withdrawn'] as const;
export type OfferStatus = (typeof offerStatuses)[number];

/** So long after a person has cancelled or moved an appointment the time that became free is offered to nobody: they may take it back. */
export const undoSeconds = 15;

/** How long a time is held for one person, in minutes by the real time. As long as any hold. */
export const offerMinutes = 15;

/** What somebody waits for. Dates and times of day are those of the clinic's clock. */
export interface Wish extends TimesOfDay {
  /** Null for any provider. */
  providerId: string | null;
  /** `2026-11-24`, both included. */
  earliestOn: string;
  latestOn: string;
}

/** Whether a time that became free is what somebody waits for. */
export function isWished(wish: Wish, { providerId, startsAt }: { providerId: string; startsAt: string }, zone: string) {
  if (wish.providerId !== null && wish.providerId !== providerId) return false;
  const date = localDate(startsAt, zone);
  if (date < wish.earliestOn || date > wish.latestOn) return false;
  return isWithin(wish, startsAt, zone);
}

/** Somebody on the list, as far as it decides whose turn it is. */
export interface Waiting extends Wish {
  id: string;
  addedAt: Date;
  /** The patient may not be called before; null where nothing is known to forbid it. */
  notBefore: Date | null;
  /** Another time is being offered to the patient. */
  isBusy: boolean;
}

export type Turn = { kind: 'offer'; entryId: string } | { kind: 'later'; at: Date } | { kind: 'nobody' };

/**
 * Who is offered a time: of those who wait for it, may be called and are not on the phone about another, the one who was first on the list.
 * Where nobody can be asked now, but somebody later, the moment to look again.
 */
export function nextTurn(
  waiting: readonly Waiting[],
  { providerId, startsAt, zone, realNow }: { providerId: string; startsAt: string; zone: string; realNow: Date },
): Turn {
  const wanting = waiting.filter((each) => isWished(each, { providerId, startsAt }, zone)).toSorted(byAge);
  const mayBeCalled = ({ notBefore }: Waiting) => notBefore === null || notBefore <= realNow;
  const first = wanting.find((each) => mayBeCalled(each) && !each.isBusy);
  if (first) return { kind: 'offer', entryId: first.id };
  const soon = new Date(realNow.getTime() + minuteMs);
  const moments = wanting.map((each) => (mayBeCalled(each) ? soon : (each.notBefore ?? soon)));
  const [at] = moments.toSorted((one, other) => one.getTime() - other.getTime());
  return at === undefined ? { kind: 'nobody' } : { kind: 'later', at };
}

/** An offer as its run sees it. */
export interface OfferedTime {
  status: OfferStatus;
  /** Until then the time is held for the patient. */
  endsAt: string;
}

/** How a run ends without another call, because its offer is over; null while it goes on. */
export function endOfOffer({ status, endsAt }: OfferedTime, now: string): OutcomeOf<'waitlist-offer'> | null {
  if (status === 'accepted') return 'REBOOKED';
  if (status === 'declined') return 'DECLINED';
  return status === 'open' && endsAt > now ? null : 'PATIENT_NOT_REACHED';
}

/** What is left of an offer when its run has ended, whatever ended it. */
export const offerAfter = (outcome: string): OfferStatus => (outcome === 'DECLINED' ? 'declined' : 'lapsed');

/** What a call that offered a time came to; null when it settled nothing. */
export function offerOutcome(talk: Conversation): OutcomeOf<'waitlist-offer'> | null {
  const isDeclined = did(talk, 'declined') && !did(talk, 'booked', 'escalated');
  return isDeclined ? 'DECLINED' : rebooking(talk);
}

const byAge = (one: Waiting, other: Waiting) =>
  one.addedAt.getTime() - other.addedAt.getTime() || (one.id < other.id ? -1 : 1);
