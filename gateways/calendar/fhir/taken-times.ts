/** The time of a practitioner that an appointment takes. */
export interface BusyTime {
  /** As `Practitioner/12`. */
  actor: string;
  startsAt: string;
  endsAt: string;
}

/** The times that bookings of this service are at, in any process: of two for one time one alone is sent. */
export interface TakenTimes {
  /** False where another has some of this time. A holder has one time, the last one. */
  take(holder: string, time: BusyTime): Promise<boolean>;
  giveBack(holder: string): Promise<void>;
}
