import { onDemand } from '#parts';

// What the dialogs about appointments hold.
export const BookingForm = onDemand(async () => (await import('./booking')).BookingForm);
export const MovingForm = onDemand(async () => (await import('./moving')).MovingForm);
export const CancelForm = onDemand(async () => (await import('./cancelling')).CancelForm);
export const OverrideForm = onDemand(async () => (await import('./override-form')).OverrideForm);
export const WaitForm = onDemand(async () => (await import('./wait-form')).WaitForm);
