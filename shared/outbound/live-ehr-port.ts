import type { PatientNotice } from '../contracts/clinic-notice';
import type { ClinicApiInput, ClinicApiResult } from './clinic-api-port';

/** A free time at the clinic's own server. `providerName` is ours. Instants in UTC. */
export interface EhrSlot {
  slotId: string;
  providerName: string;
  startsAt: string;
  endsAt: string;
}

/** An appointment as the server has it. */
export interface EhrAppointment {
  id: string;
  /** Ours where the practitioner is mapped, else the server's; null where it names none. */
  providerName: string | null;
  /** The reference by which its schedule is found; null where it names no practitioner. */
  actor: string | null;
  visitType: string;
  startsAt: string;
}

/** A booking that may be asked for twice: the same `key` is the same booking. */
export interface EhrBooking {
  key: string;
  patient: PatientNotice;
  providerName: string;
  visitType: string;
  startsAt: string;
}

/** Why something could not be done. `refused` and `circuit_open` changed nothing there; of other faults nobody knows. */
export type EhrFailure = Exclude<ClinicApiResult, { kind: 'answered' }>;
export type EhrAnswer<T> = { kind: 'done'; value: T } | EhrFailure;

type Within = Pick<ClinicApiInput, 'timeoutMs' | 'signal'>;

/** The appointments of a clinic's own server, for a call that goes on. No answer is kept: the server is the record. */
export interface LiveEhr {
  /** Free times of these providers, those that are mapped, in order of time, at most `limit`. */
  openSlots(
    search: { providers: string[]; from: string; until: string; limit: number },
    within: Within,
  ): Promise<EhrAnswer<EhrSlot[]>>;
  /** The patient's next booked appointment; null where there is none, or no such patient. */
  upcoming(patient: PatientNotice, now: string, within: Within): Promise<EhrAnswer<EhrAppointment | null>>;
  /** Whether this booking is on record there; null where it is not. */
  bookingOf(booking: Pick<EhrBooking, 'key' | 'startsAt'>, within: Within): Promise<EhrAnswer<string | null>>;
  /** Books a free time, or finds that this booking was made before. */
  book(booking: EhrBooking, within: Within): Promise<EhrAnswer<{ id: string; patientId: string }>>;
  /** Moves an appointment to a free time of its provider. The new time first: where it is not to be had, the old one stays. */
  move(
    change: { appointment: EhrAppointment; key: string; patient: PatientNotice; startsAt: string },
    within: Within,
  ): Promise<EhrAnswer<{ id: string }>>;
  /** Cancels an appointment; one that is cancelled already stays as it is. */
  cancel(appointmentId: string, within: Within): Promise<EhrAnswer<null>>;
}
