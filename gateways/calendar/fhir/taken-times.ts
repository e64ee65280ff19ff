import type { EhrTime } from '@clinic/prisma/stores/calendar/ehr-times';

/** The times that bookings of this service are at, in any process: of two for one time one alone is sent. */
export interface TakenTimes {
  /** False where another has some of this time. A holder has one time, the last one. */
  take(holder: string, time: EhrTime): Promise<boolean>;
  giveBack(holder: string): Promise<void>;
}
