import type { ApiFinding, ApprovedApi, ClinicAction, FhirCapabilities } from '../contracts/approved-api';
import type { PatientNotice } from '../contracts/clinic-notice';
import type { OutboundError, OutboundErrorCode } from './safe-http';

export interface ClinicApiInput {
  /** What fills the `{names}` of the path. */
  params?: Record<string, string>;
  body?: unknown;
  /** Whom it is about, for a kind of API that must find the patient first; not sent otherwise. */
  patient?: PatientNotice | null;
  /** Sent as `Idempotency-Key`, for an API that knows it. */
  idempotencyKey?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export type ClinicApiResult =
  /** The clinic did not permit this action: nothing was sent. */
  | { kind: 'not_permitted' }
  /** The path cannot be filled in with these parameters: nothing was sent. */
  | { kind: 'unusable'; reason: string }
  /** `body` is the parsed JSON, or null. It is another system's word: parse it before use. */
  | { kind: 'answered'; status: number; body: unknown }
  /**
   * Something is wrong with the request or the settings. `fault` says so in words of our own; `body` is for a person who
   * tries the settings, and nothing is decided by it.
   */
  | { kind: 'refused'; status: number; fault: string; body: unknown; because?: 'time_taken' | 'no_such_patient' }
  /** Asking later may help. */
  | {
      kind: 'unavailable';
      error: OutboundErrorCode | `http_${number}`;
      /** What went wrong, as a sentence for the clinic's administrators, where more is known. */
      said?: string;
    };

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
  /** Free times of these providers, those that are mapped, in order of time. A server that has thousands gives the first pages. */
  openSlots(
    search: { providers: string[]; from: string; until: string },
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

export interface ClinicApi {
  kind: ApprovedApi['kind'];
  call(action: ClinicAction, input?: ClinicApiInput): Promise<ClinicApiResult>;
  /** Its appointments, for a call that goes on; null where the clinic has not chosen that calls act on them. */
  live: LiveEhr | null;
  /** Says what will work and what will not; changes nothing there. */
  check(
    names: NamesHere,
    signal?: AbortSignal,
  ): Promise<{ findings: ApiFinding[]; capabilities: FhirCapabilities | null }>;
}

/** What is called here what, so that a gap is seen before a patient meets it. */
export interface NamesHere {
  providers: { name: string; visitTypes: string[] }[];
}

/** Why no token was given is known in words; what else goes wrong by its code. */
export function unavailable({ code, message }: OutboundError): Extract<ClinicApiResult, { kind: 'unavailable' }> {
  return { kind: 'unavailable', error: code, ...(code === 'unauthorized' && { said: message }) };
}
