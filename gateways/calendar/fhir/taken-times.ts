import type { EhrTime } from '@clinic/prisma/stores/calendar/ehr-times';

/** The times that bookings of this service are at, in any process: of two for one time one alone is sent. */
export interface TakenTimes {
  /**
   * False where another visit has some of this time. A visit has one time, the last one it got; that of the visit in whose place
   * it comes is free for it.
   */
  take(visit: { holder: string; inPlaceOf?: string | undefined }, time: EhrTime): Promise<boolean>;
  giveBack(holder: string): Promise<void>;
}
