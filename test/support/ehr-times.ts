/** The times at an EHR where nobody else of this service books. */
export const noOtherBookings = {
  take: async () => true,
  giveBack: async () => undefined,
};
