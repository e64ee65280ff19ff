/** Every expected failure of the service, by its code. The HTTP edge turns the code into a response (`api/http/errors.ts`). */
export const errorCodes = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'insufficient_scope',
  'not_found',
  'unknown_patient',
  'unknown_practitioner',
  'unknown_appointment',
  'unknown_subscription',
  'method_not_allowed',
  'not_acceptable',
  'conflict',
  'slot_taken',
  'slot_held',
  'waitlist_full',
  'slot_unavailable',
  'in_the_past',
  'appointment_cancelled',
  'appointment_fulfilled',
  'idempotency_key_reused',
  'payload_too_large',
  'unsupported_media_type',
  'body_too_slow',
  'too_many_requests',
  'unavailable',
  'internal_error',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export interface ErrorDetail {
  path: string;
  message: string;
}

/** A failure with a code for machines and one readable sentence for people. The sentence never holds patient data. */
export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: ErrorDetail[],
  ) {
    super(message);
  }
}

/** A token that is good, but not for this (RFC 6750): `scope` is what would open it. */
export class InsufficientScope extends AppError {
  constructor(readonly scope: string) {
    super('insufficient_scope', `The token was not granted ${scope}`);
  }
}

/** The sandbox EMR is not there for who asks: FHIR routes say so as a reason of its own. */
export class SandboxOff extends AppError {
  constructor(message = 'The sandbox EMR is not enabled for this clinic') {
    super('forbidden', message);
  }
}

/** A field of a request that will not do: `invalid('start', 'is not a date')`. */
export const invalid = (path: string, message: string): AppError =>
  new AppError('bad_request', `${path} ${message}`, [{ path, message }]);

/** The end of an exhaustive switch: reaching it is a programming error. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
