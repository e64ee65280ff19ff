import type { IncomingHttpHeaders } from 'node:http';
import { FHIR_JSON, OperationOutcome } from '@clinic/shared/contracts/fhir';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import { route, type Documented, type Reply, type Route, type RouteRequest } from '../http/route';
import type { RouteDeps } from '../route-deps';

/** What FHIR routes are documented under. */
export const tag = 'FHIR';

export interface FhirDeps extends Pick<RouteDeps, 'stores'> {
  /** Where FHIR clients are pointed at, as `https://clinic.example/api`. */
  baseUrl: string;
}

export const fhirType = `${FHIR_JSON}; charset=utf-8`;

/** A request of a FHIR route, as far as it is the same for all of them. */
export type FhirRequest = RouteRequest<'fhir', Record<string, string>, Record<string, unknown>, unknown>;

type FhirRoute<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = Omit<
  Route<'fhir', Params, Query, Body>,
  'access' | 'tag' | 'consumes'
>;

/** A route for signed-in FHIR clients while the sandbox is enabled: it speaks `application/fhir+json`. */
export function fhirRoute<
  Params extends z.ZodType = z.ZodType<Record<string, string>>,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
>(definition: FhirRoute<Params, Query, Body>): Route {
  return route({
    ...definition,
    access: 'fhir',
    tag,
    consumes: [FHIR_JSON, 'application/json'],
    responses: { 406: { description: 'The response is wanted in another format than JSON' }, ...definition.responses },
    async handle(request) {
      refuseOtherFormats(request);
      return asFhir(await definition.handle(request));
    },
  });
}

/** Sends a resource, or the text of one, as FHIR. */
export const asFhir = (reply: Reply): Reply => ({ type: fhirType, ...reply });

export const conflictOutcome: Documented = {
  description:
    'The reason stands in `diagnostics`: slot_taken, slot_held, slot_unavailable, hold_expired, appointment_cancelled, appointment_fulfilled; times that would do, in the header `x-nearest-slots`',
  schema: OperationOutcome,
  type: FHIR_JSON,
};

export const fhirResponse = (description: string, schema: z.ZodType): Documented => ({
  description,
  schema,
  type: FHIR_JSON,
});

/** The contract's 409. */
export function conflict(diagnostics: string): Reply {
  const outcome: OperationOutcome = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code: 'conflict', diagnostics }],
  };
  return { status: 409, body: outcome };
}

/** Throws 406 for a client that takes no JSON. `_format` wins over `Accept`, as FHIR has it. */
export function refuseOtherFormats({ headers, query }: { headers: IncomingHttpHeaders; query: unknown }): void {
  const { _format: format } = (query ?? {}) as { _format?: unknown };
  const wanted = typeof format === 'string' ? format.replace(/ /g, '+') : (headers.accept ?? '*/*');
  const types = wanted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter((parameters) => !parameters.slice(1).some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([type = '']) => type);
  if (types.some((type) => jsonTypes.has(type))) return;
  throw new AppError('not_acceptable', `Answers are ${FHIR_JSON}`);
}

const jsonTypes = new Set([
  '',
  '*/*',
  'application/*',
  'json',
  'text/json',
  FHIR_JSON,
  'application/json',
  'application/json+fhir',
]);
