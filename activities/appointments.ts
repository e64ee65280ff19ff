import type { Stores } from '@clinic/prisma/stores';

export interface AppointmentActivityDeps {
  stores: Stores;
}

/** What becomes of appointments without anybody asking. */
export function createAppointmentActivities({ stores }: AppointmentActivityDeps) {
  return {
    /** Marks booked appointments that have ended as fulfilled, oldest first; returns how many. */
    fulfilPastAppointments: ({ limit }: { limit: number }): Promise<number> =>
      stores.appointments.fulfilPast(new Date(), limit),
  };
}
