import type { Answer } from './clinic-client';
import { assertR4 } from './r4';

/** What the sandbox EMR answers, as tests expect it. */

/** The id of a Bundle's first resource. */
export const idOf = ({ body }: Answer): string => body.entry[0].resource.id;

/** The contract's 404. */
export const notFound = (message: string) => ({ statusCode: 404, message, error: 'Not Found' });

export function expectFhir({ status, headers, body }: Answer) {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/fhir+json; charset=utf-8']);
  assertR4(body);
}

export function expectConflict({ status, headers, body }: Answer, diagnostics: string) {
  expect([status, headers.get('content-type')]).toEqual([409, 'application/fhir+json; charset=utf-8']);
  expect(body.issue).toEqual([{ severity: 'error', code: 'conflict', diagnostics }]);
  assertR4(body);
}

export function expectBadRequest({ status, headers, body }: Answer) {
  expect([status, headers.get('content-type')]).toEqual([400, expect.stringMatching(/^application\/json/)]);
  expect(body).toMatchObject({ statusCode: 400, message: expect.any(String), error: 'Bad Request' });
}
