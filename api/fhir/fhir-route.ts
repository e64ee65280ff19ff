import type { IncomingHttpHeaders } from 'node:http';
import { FHIR_JSON, OperationOutcome } from '@clinic/shared/contracts/calendar/fhir';
import { type RefusalReason, refusals } from '@clinic/shared/domain/calendar/refusals';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import type { Deps, Documented, ParamsOf, Reply, Route } from '../http/route';

/** What FHIR routes are documented under. */
export const tag = 'FHIR' as const;

export type FhirDeps = Deps<'stores' | 'baseUrl'>;

export const fhirType = `${FHIR_JSON}; charset=utf-8`;

type FhirRoute<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = Omit<
  Route<'fhir', Params, Query, Body>,
  'method' | 'path' | 'access' | 'tag' | 'consumes'
>;

const of =
  (method: Route['method']) =>
  <
    Path extends string,
    Params extends z.ZodType = z.ZodType<ParamsOf<Path>>,
    Query extends z.ZodType = z.ZodType,
    Body extends z.ZodType = z.ZodType,
  >(
    path: Path,
    definition: FhirRoute<Params, Query, Body>,
  ): Route => {
    const route: Route<'fhir', Params, Query, Body> = {
      ...definition,
      method,
      path,
      access: 'fhir',
      tag,
      consumes: [FHIR_JSON, 'application/json'],
      responses: { 406: notAcceptable, ...definition.responses },
      async handle(request, deps) {
        refuseOtherFormats(request);
        return asFhir(await definition.handle(request, deps));
      },
    };
    return route;
  };

/** Routes for signed-in FHIR clients while the sandbox is enabled: they speak `application/fhir+json`. */
export const fhir = { get: of('get'), post: of('post'), put: of('put'), delete: of('delete') };

export const notAcceptable = { description: 'The response is wanted in another format than JSON' };

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

/** An OperationOutcome with one of the closed list of reasons. */
export const fhirRefusal = (reason: RefusalReason): Documented =>
  fhirResponse(refusals[reason].means, OperationOutcome);

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
