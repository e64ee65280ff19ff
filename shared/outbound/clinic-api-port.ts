import type { ApiFinding, ApprovedApi, ClinicAction, FhirCapabilities } from '../contracts/approved-api';
import type { PatientNotice } from '../contracts/clinic-notice';
import type { LiveEhr } from './live-ehr-port';
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
