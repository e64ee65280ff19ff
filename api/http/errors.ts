import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import { FHIR_JSON } from '@clinic/shared/contracts/calendar/fhir';
import { outcomeOf } from '@clinic/shared/contracts/calendar/outcome';
import { type IssueCode, REFUSAL_HEADER, type RefusalReason, refusals } from '@clinic/shared/domain/calendar/refusals';
import { AppError, type ErrorCode, type ErrorDetail, InsufficientScope, SandboxOff } from '@clinic/shared/errors';
import { describeError } from '@clinic/shared/log';
import { whyDatabaseFailed } from '@clinic/prisma/failures';
import { TooManyRequests } from './limits';

/** What an error becomes: its status everywhere, and, in the FHIR routes, the reason of `x-refusal-reason` or an issue type alone. */
type Shown = { status: number; refusal: RefusalReason } | { status: number; issue: IssueCode };

const errors: Record<ErrorCode, Shown> = {
  bad_request: { status: 400, refusal: 'invalid_request' },
  unauthorized: { status: 401, refusal: 'unauthenticated' },
  forbidden: { status: 403, refusal: 'not_allowed' },
  insufficient_scope: { status: 403, refusal: 'insufficient_scope' },
  not_found: { status: 404, issue: 'not-found' },
  unknown_patient: { status: 404, refusal: 'unknown_patient' },
  unknown_practitioner: { status: 404, refusal: 'unknown_practitioner' },
  unknown_appointment: { status: 404, refusal: 'unknown_appointment' },
  unknown_subscription: { status: 404, refusal: 'unknown_subscription' },
  method_not_allowed: { status: 405, issue: 'not-supported' },
  not_acceptable: { status: 406, refusal: 'format_not_offered' },
  conflict: { status: 409, issue: 'conflict' },
  slot_taken: { status: 409, refusal: 'slot_taken' },
  slot_held: { status: 409, refusal: 'slot_held' },
  waitlist_full: { status: 409, issue: 'conflict' },
  slot_unavailable: { status: 409, refusal: 'slot_unavailable' },
  in_the_past: { status: 400, refusal: 'in_the_past' },
  appointment_cancelled: { status: 409, refusal: 'appointment_cancelled' },
  appointment_fulfilled: { status: 409, refusal: 'appointment_fulfilled' },
  idempotency_key_reused: { status: 422, refusal: 'key_reused' },
  payload_too_large: { status: 413, refusal: 'body_too_large' },
  unsupported_media_type: { status: 415, refusal: 'body_type' },
  body_too_slow: { status: 408, issue: 'transient' },
  too_many_requests: { status: 429, refusal: 'too_many_requests' },
  unavailable: { status: 503, issue: 'transient' },
  internal_error: { status: 500, issue: 'exception' },
};

/** Seconds a client is asked to wait when a dependency is down. */
const RETRY_AFTER_SECONDS = 5;

/** Sends the one error shape (docs/contract.md, 1). */
export function sendError(
  response: Response,
  code: ErrorCode,
  message: string,
  { status = errors[code].status, details }: { status?: number; details?: ErrorDetail[] } = {},
): void {
  if (status === 429 && !response.hasHeader('retry-after')) response.set('retry-after', '1');
  if (status === 503 && !response.hasHeader('retry-after')) response.set('retry-after', String(RETRY_AFTER_SECONDS));
  const body = { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' };
  // FHIR routes have the contract's shape to the letter: they say the code in `x-refusal-reason`.
  const told = response.locals.isFhir ? { ...body, details } : { ...body, code, details };
  response.status(status).type('application/json').send(JSON.stringify(told));
}

/** The last resort: every error that reaches it becomes the one error shape, never a stack trace, never HTML. */
export const handleErrors: ErrorRequestHandler = (error: unknown, request, response, _next) => {
  const failure = failureOf(error);
  if (failure.status >= 500) {
    const { name, code, stack } = describeError(error);
    request.log?.().error({ name, code: failure.cause ?? code, stack, status: failure.status }, 'request failed');
  }
  // What has begun cannot be taken back: its client sees that it is not whole.
  if (response.headersSent) return void response.destroy();
  if (error instanceof InsufficientScope) {
    response.set('www-authenticate', `Bearer error="insufficient_scope", scope="${error.scope}"`);
    // No session is refused so: it stands in nobody's contract.
    response.locals.sendsOutcomes = true;
  }
  if (error instanceof TooManyRequests) response.set('retry-after', String(error.retryAfterSeconds));
  if (!response.locals.isFhir) return sendError(response, failure.code, failure.message, failure);
  const { reason } = failure;
  if (reason) response.set(REFUSAL_HEADER, reason);
  if (!response.locals.sendsOutcomes) return sendError(response, failure.code, failure.message, failure);
  sendOutcome(response, failure);
};

interface Failure {
  code: ErrorCode;
  status: number;
  message: string;
  details?: ErrorDetail[];
  reason: RefusalReason | null;
  issue: IssueCode;
  /** For the log: why the database did not do its part. */
  cause?: string;
}

/** An error as FHIR has it, for callers who are sent R4 without deviations. */
function sendOutcome(response: Response, { status, message, details, reason, issue }: Failure): void {
  const body = outcomeOf({ issue, reason, text: message, paths: details?.map(({ path }) => path) });
  response.status(status).type(FHIR_JSON).send(JSON.stringify(body));
}

function failureOf(error: unknown): Failure {
  if (error instanceof SandboxOff) return { ...coded(error.code, error.message), reason: 'sandbox_off' };
  if (error instanceof AppError) return coded(error.code, error.message, error.details);
  const cause = whyDatabaseFailed(error);
  if (cause) return { ...coded('unavailable', 'The database cannot be reached; please try again shortly'), cause };
  const { status, type } = error as { status?: unknown; type?: unknown };
  if (status === 413) return coded('payload_too_large', 'The request body is too large');
  if (status === 415) {
    return coded('unsupported_media_type', 'The request body has a charset or an encoding that is not supported');
  }
  if (type === 'entity.parse.failed') return coded('bad_request', 'The request body is not valid JSON');
  if (error instanceof URIError) return coded('bad_request', 'The path holds an invalid percent-encoding');
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { ...coded('bad_request', 'The request could not be read'), status };
  }
  return coded('internal_error', 'Something went wrong on our side; the request id helps to find it');
}

function coded(code: ErrorCode, message: string, details?: ErrorDetail[]): Failure {
  const shown = errors[code];
  const { status } = shown;
  if ('issue' in shown) return { code, status, message, details, reason: null, issue: shown.issue };
  return { code, status, message, details, reason: shown.refusal, issue: refusals[shown.refusal].issue };
}
