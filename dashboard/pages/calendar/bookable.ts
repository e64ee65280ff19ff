import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useAction } from '#forms';
import { type Area, codeOf, sentenceOf } from '#http';
import { sayDoneOrUndo, sayFailed, useZone } from '#parts';
import { t } from '#texts';
import { formatDay, formatTime } from '#words';

/** Why the service did not book, move or cancel, as somebody tells it to the patient on the phone. */
const refusals: Partial<Record<NonNullable<api.Error['code']>, string>> = {
  slot_taken: t`Somebody else has just booked this time. Choose another one.`,
  slot_held: t`Another caller is considering this time. Choose another one, or try again in a few minutes.`,
  slot_unavailable: t`This time is not offered any more. Choose another one.`,
  in_the_past: t`This time has passed. Choose another one.`,
  appointment_cancelled: t`The appointment was cancelled meanwhile.`,
  appointment_fulfilled: t`The appointment has taken place already.`,
};

export const refusalOf = (error: unknown): string => {
  const code = codeOf(error);
  return (code && refusals[code]) ?? sentenceOf(error);
};

export const useBookable = () => useQuery({ ...api.getProvidersOptions(), staleTime: 60_000 });

/** An instant as a day and a time of the clinic. */
export function useWhen(): (startsAt: string) => string {
  const zone = useZone();
  return (startsAt) => `${formatDay(startsAt, zone, 'numeric')}, ${formatTime(startsAt, zone)}`;
}

export const displayNameOf = (providers: api.Provider[], name: string) =>
  providers.find((provider) => provider.name === name)?.displayName ?? name;

export const bookingAreas: Area[] = ['patients', 'appointments', 'dayList', 'providers', 'overview', 'slots'];

interface Booking {
  /** Whom it is for. */
  patientName: string;
  onDone: (booked: api.AppointmentRecord) => void;
  /** Where the service refused it; who had no connection books the same time once there is one. */
  onError: () => void;
}

/** Where the service refused it, and not for want of a connection. */
const whereRefused = (then?: () => void) => (error: unknown) => void (codeOf(error) !== undefined && then?.());

/** What takes back what was done with an appointment: its form is gone by then. */
export const takingBack = (done: string) => ({
  done,
  onRefused: (error: unknown) => sayFailed({ message: refusalOf(error) }),
  refresh: bookingAreas,
});

/** Books a time, and says what is booked with whom and for whom; for a while it can be undone. What is refused stands in `error`. */
export function useBook({ patientName, onDone, onError }: Booking) {
  const when = useWhen();
  const cancel = useAction(
    api.postAppointmentsByAppointmentIdCancelMutation(),
    takingBack(t`The appointment is cancelled.`),
  );
  return useAction(api.postAppointmentsMutation(), {
    onDone(booked) {
      const { id, startsAt, providerDisplayName } = booked;
      const told = t`Booked: ${when(startsAt)} with ${providerDisplayName}, for ${patientName}.`;
      sayDoneOrUndo(told, id, () => cancel.mutate({ path: { appointmentId: id }, body: { reason: 'oth-err' } }));
      onDone(booked);
    },
    onRefused: whereRefused(onError),
    refresh: bookingAreas,
  });
}

interface Moving {
  appointment: Pick<api.AppointmentRecord, 'id' | 'providerName' | 'startsAt'>;
  onDone: () => void;
  onError?: () => void;
}

/** Moves an appointment to another time, likewise, also of another provider; for a while it can be undone. */
export function useMove({ appointment: { id, providerName, startsAt }, onDone, onError }: Moving) {
  const when = useWhen();
  const reschedule = api.postAppointmentsByAppointmentIdRescheduleMutation();
  const back = useAction(reschedule, takingBack(t`Moved back to ${when(startsAt)}.`));
  return useAction(reschedule, {
    onDone(moved) {
      onDone();
      const undo = () => back.mutate({ path: { appointmentId: id }, body: { providerName, startsAt } });
      sayDoneOrUndo(t`Moved to ${when(moved.startsAt)}.`, id, undo);
    },
    onRefused: whereRefused(onError),
    refresh: bookingAreas,
  });
}
