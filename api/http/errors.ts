import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import { AppError, type ErrorCode, type ErrorDetail } from '@clinic/shared/errors';
import { REFUSAL_HEADER, type RefusalReason, refusalOf } from '@clinic/shared/domain/refusals';
import { describeError } from '@clinic/shared/log';
import { whyDatabaseFailed } from '@clinic/prisma/failures';
import { outcomeOf, REFUSAL_SYSTEM } from '../fhir/outcome';
import { TooManyRequests } from './limits';

const statuses: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  not_acceptable: 406,
  conflict: 409,
  slot_taken: 409,
  slot_held: 409,
  waitlist_full: 409,
  slot_unavailable: 409,
  in_the_past: 400,
  appointment_cancelled: 409,
  appointment_fulfilled: 409,
  idempotency_key_reused: 422,
  payload_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  unavailable: 503,
};

const statusOf = (code: ErrorCode): number => statuses[code];

/** Seconds a client is asked to wait when a dependency is down. */
const RETRY_AFTER_SECONDS = 5;

/** Sends the one error shape (decisions, section 1). */
export function sendError(
  response: Response,
  { status, message, details }: { status: number; message: string; details?: ErrorDetail[] },
): void {
  if (status === 429 && !response.hasHeader('retry-after')) response.set('retry-after', '1');
  if (status === 503 && !response.hasHeader('retry-after')) response.set('retry-after', String(RETRY_AFTER_SECONDS));
  response
    .status(status)
    .type('application/json')
    .send(JSON.stringify({ statusCode: status, message, error: STATUS_CODES[status] ?? 'Error', details }));
}

/** The same as FHIR has it, for sandboxes that speak R4 without deviations. */
function sendOutcome(
  response: Response,
  { status, message, details, reason }: Known & { reason: RefusalReason | null },
): void {
  const body = outcomeOf({ status, reason, text: message, paths: details?.map(({ path }) => path) });
  response.status(status).type('application/fhir+json').send(JSON.stringify(body));
}

const coded = new RegExp(`"system":"${REFUSAL_SYSTEM}","code":"(\\w+)"`);

/** Says in a header why a conflict of the sandbox EMR is one: its body is the contract's. */
export function sayWhy(response: Response, { status = 200, body }: { status?: number; body?: unknown }): void {
  if (status < 400) return;
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
  const [, code] = coded.exec(text) ?? /"diagnostics":"(\w+)"/.exec(text) ?? [];
  const reason = refusalOf({ status, code });
  if (reason) response.set(REFUSAL_HEADER, reason);
}

/** The last resort: every error that reaches it becomes the one error shape, never a stack trace, never HTML. */
export const handleErrors: ErrorRequestHandler = (error: unknown, request, response, next) => {
  if (response.headersSent) return next(error);
  const known = toKnown(error);
  if (error instanceof TooManyRequests) response.set('retry-after', String(error.retryAfterSeconds));
  if (known.status >= 500) {
    const { name, code, stack } = describeError(error);
    request.log?.().error({ name, code: known.code ?? code, stack, status: known.status }, 'request failed');
  }
  if (response.locals.isOfEmr) {
    const reason = refusalOf({ ...known, code: error instanceof AppError ? error.code : undefined });
    if (reason) response.set(REFUSAL_HEADER, reason);
    if (response.locals.speaksR4) return sendOutcome(response, { ...known, reason });
  }
  sendError(response, known);
};

interface Known {
  status: number;
  message: string;
  details?: ErrorDetail[];
  /** For the log: why the database did not do its part. */
  code?: string;
}

function toKnown(error: unknown): Known {
  if (error instanceof AppError) {
    return { status: statusOf(error.code), message: error.message, details: error.details };
  }
  const code = whyDatabaseFailed(error);
  if (code) return { status: 503, message: 'The database cannot be reached; please try again shortly', code };
  const { status, type } = error as { status?: unknown; type?: unknown };
  if (status === 413) return { status: 413, message: 'The request body is too large' };
  if (status === 415)
    return { status: 415, message: 'The request body has a charset or an encoding that is not supported' };
  if (type === 'entity.parse.failed') return { status: 400, message: 'The request body is not valid JSON' };
  if (error instanceof URIError) return { status: 400, message: 'The path holds an invalid percent-encoding' };
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return { status, message: 'The request could not be read' };
  }
  return { status: 500, message: 'Something went wrong on our side; the request id helps to find it' };
}
