/**
 * The calendar that one call acts on: the clinic's own at this service (`own`), or its EHR (`fhir`). What may be expected of a
 * calendar is a result, not an error. `calendarOf` chooses.
 */
export interface Calendar {
  /** Whether the clinic lets its calls act on it. */
  isOn: boolean;
  /** For how many minutes it holds a time for a caller; 0 where it holds none. */
  holdMinutes(): Promise<number>;
  /** What time it is there: a sandbox may have a clock of its own. */
  now(): Promise<Date>;
  /** The date of birth that it has of the patient: what a caller states is compared with this one, and with ours where it has none. */
  birthDate(): Promise<BirthDateThere>;
  /** Times that may be offered, in order of time, `limit` at most. */
  freeTimes(search: TimeSearch, now: Date): Promise<FreeTimes>;
  /** The patient's next booked appointment. */
  upcoming(now: Date): Promise<Upcoming>;
  /** Books a time that is on offer. A repeated attempt finds what the first one booked. */
  book(booking: NewBooking, attempt: Attempt): Promise<Booking>;
  /** Moves the patient's next appointment to another time of its provider: it keeps the old time until it has the new one. */
  move(startsAt: string, attempt: Attempt): Promise<Move>;
  /** Cancels the patient's next appointment. */
  cancel(attempt: Attempt): Promise<Cancellation>;
  /** Keeps a time for the patient while they think it over. */
  hold(time: TimeToHold, attempt: Attempt): Promise<Holding>;
}

/** One request to change something, which may be tried several times. */
export interface Attempt {
  /** An id for the record that it makes: the same one at each try. */
  recordId: string;
  /** When an earlier try began whose end is unknown; null for a first try. */
  triedAt: Date | null;
  now: Date;
}

export interface TimeSearch {
  /** As the caller says it; null for any. */
  provider: string | null;
  /** An instant. */
  from: string;
  days: number;
  limit: number;
}

export interface FreeTime {
  slotId: string;
  providerName: string;
  startsAt: string;
}

export interface NewBooking {
  /** As the caller says it. */
  provider: string;
  visitType: string;
  startsAt: string;
}

export interface TimeToHold {
  /** As the caller says it; null for the provider of the patient's next appointment. */
  provider: string | null;
  startsAt: string;
  minutes: number;
}

export interface CalendarAppointment {
  id: string;
  /** Null where the EHR names none. */
  providerName: string | null;
  status: string;
  startsAt: string;
}

type UnknownProvider = { kind: 'unknown_provider' };
type NothingUpcoming = { kind: 'nothing_upcoming' };

/** To a caller a time that somebody else holds is as good as taken. */
export type TimeRefusal = { kind: 'time_refused'; reason: 'slot_taken' | 'slot_unavailable' | 'in_the_past' };

/** The calendar could not be asked, or nobody knows what came of it. Staff have a task; the caller is promised nothing. */
type LeftToStaff = { kind: 'left_to_staff' };

/** Why nothing was changed, or nobody knows whether it was. */
export type NotChanged =
  | TimeRefusal
  | LeftToStaff
  /** The calendar cannot tell who the patient is. */
  | { kind: 'patient_not_identified' }
  /** Another booking of this call, whose answer was lost, turns out to be made: this change is not. */
  | { kind: 'booked_before'; appointment: CalendarAppointment };

export type FreeTimes = { kind: 'found'; times: FreeTime[] } | UnknownProvider | LeftToStaff;

export type BirthDateThere = { kind: 'found'; birthDate: string | null } | LeftToStaff;

export type Upcoming = { kind: 'found'; appointment: CalendarAppointment } | NothingUpcoming | LeftToStaff;

export type Booking =
  | { kind: 'booked'; appointment: CalendarAppointment }
  | UnknownProvider
  | { kind: 'unknown_patient' }
  | NotChanged;

export type Move = { kind: 'moved'; appointment: CalendarAppointment } | NothingUpcoming | NotChanged;

export type Cancellation = { kind: 'cancelled'; appointment: CalendarAppointment } | NothingUpcoming | NotChanged;

export type Holding =
  | { kind: 'held'; heldUntil: Date }
  | TimeRefusal
  | UnknownProvider
  | { kind: 'unknown_patient' }
  | NothingUpcoming;
