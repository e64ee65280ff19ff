import type { PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import type { OutboundError, OutboundErrorCode } from '../http/safe-http';

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
  /** The call that goes on meanwhile, for the record of what was asked. */
  callId?: string;
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
  | {
      kind: 'refused';
      status: number;
      fault: string;
      body: unknown;
      because?: 'time_taken' | 'no_such_patient';
      /** Something of it was done before. */
      isInPart?: boolean;
    }
  /** Asking later may help. */
  | {
      kind: 'unavailable';
      error: OutboundErrorCode | `http_${number}`;
      /** What went wrong, as a sentence for the clinic's administrators, where more is known. */
      said?: string;
      isInPart?: boolean;
    };

/** Why something could not be done. `refused` and `circuit_open` changed nothing there, unless it was done in part; of other faults nobody knows. */
export type ClinicApiFailure = Exclude<ClinicApiResult, { kind: 'answered' }>;

/** Why no token was given is known in words; what else goes wrong by its code. */
export function unavailable({ code, message }: OutboundError): Extract<ClinicApiResult, { kind: 'unavailable' }> {
  return { kind: 'unavailable', error: code, ...(code === 'unauthorized' && { said: message }) };
}
