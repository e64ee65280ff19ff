import { ErrorBody } from '@clinic/shared/contracts/primitives';
import { FHIR_JSON, OperationOutcome } from '@clinic/shared/contracts/calendar/fhir';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import type { z } from 'zod';
import type { Documented, Route } from '../http/route';
import { tags } from '../http/tags';
import { byAccess, sharedResponses, type SharedStatus, sharedStatuses, whoMay } from './shared-responses';
import { exampleOf, exampleOfReply } from './examples';
import { type Components, createComponents, type JsonSchema } from './json-schema';
import { documentOutboundEvents } from './outbound-events';

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, unknown>;
  components: { schemas: Record<string, JsonSchema> } & Record<string, unknown>;
  [member: string]: unknown;
}

interface Operation {
  responses: Record<string, unknown>;
  [member: string]: unknown;
}

/** The OpenAPI 3.1 document of these routes, written from the schemas that read their requests. */
export function openApiDocument(routes: Route[]): OpenApiDocument {
  const components = createComponents();
  const error = components.schemaOf(ErrorBody, 'output');
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = documentedPath(route.path);
    paths[path] = { ...paths[path], [route.method]: operation(route, error, components) };
  }
  return {
    openapi: '3.1.1',
    info,
    tags: Object.entries(tags).map(([name, meaning]) => ({ name, description: meaning })),
    servers: [{ url: '/api' }],
    paths,
    webhooks: documentOutboundEvents(components),
    components: {
      schemas: components.schemas,
      responses: Object.fromEntries(
        statusesOf(sharedResponses).flatMap((status) => [
          [status, refusal(status, { 'application/json': { schema: error } })],
          [`fhir-${status}`, refusal(status, refusedInFhir(error, components))],
        ]),
      ),
      headers,
      parameters: { 'Idempotency-Key': idempotencyKey },
      securitySchemes,
    },
  };
}

const description = `Durable patient workflows, a FHIR R4-shaped sandbox EMR, live-call tools and webhooks for clinics.

Every error has one shape (\`Error\`). Every response carries \`x-request-id\`. Clients must expect new fields in responses.
Lists take \`limit\` and \`cursor\` and return \`{items, nextCursor}\`. \`GET\` routes take \`HEAD\` too.
\`/healthz\`, \`/readyz\` and \`/metrics\` stand at the root of the service, beside \`/api\`.`;

const info = {
  title: 'Clinic workflows',
  version: '1.0.0',
  description,
  contact: { name: 'The administrators of the clinic, or the operator of this deployment' },
  license: { name: 'Proprietary: for use with a deployment of the service' },
};

const securitySchemes = {
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a dashboard session, from `POST /auth/sign-in/email`',
  },
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the clinic, from the page Connections' },
  voiceSecret: {
    type: 'apiKey',
    in: 'header',
    name: VOICE_SECRET,
    description: "The secret that the service shares with the voice platform; not a clinic's",
  },
  automationSecret: {
    type: 'apiKey',
    in: 'header',
    name: 'x-automation-secret',
    description: 'The secret of one inbound URL, from the page Connections',
  },
};

const headers = {
  'x-request-id': { description: 'Stands in the logs too', required: true, schema: { type: 'string' } },
  'retry-after': { description: 'Seconds to wait', required: true, schema: { type: 'integer' } },
  'www-authenticate': { description: '`Bearer`, where that is what is asked for', schema: { type: 'string' } },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and body get the first response again; the same key with another body is 422',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,200}$' },
};

const headerRef = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } });

/** `/cases/:caseId` as `/cases/{caseId}`; what Express has to escape stands as it is. */
export const documentedPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}').replaceAll('\\', '');

function operation(route: Route, error: JsonSchema, components: Components): Operation {
  const sharedName = (status: number) => (isFhir(route) ? `fhir-${status}` : status);
  const shared = sharedStatuses(route).map((status) => [
    status,
    { $ref: `#/components/responses/${sharedName(status)}` },
  ]);
  const own = Object.entries(route.responses).map(([status, answer]) => [
    status,
    response(answer, { status: Number(status), error, components, route }),
  ]);
  return {
    tags: [route.tag],
    operationId: operationId(route),
    summary: route.summary,
    description: [route.description, whoMay(route)].filter(Boolean).join('\n\n'),
    security: byAccess[route.access].security,
    parameters: parameters(route, components),
    ...(route.body && { requestBody: requestBody(route, route.body, components) }),
    responses: { ...Object.fromEntries(shared), ...Object.fromEntries(own) },
  };
}

function response(
  answer: Documented,
  { status, error, components, route }: { status: number; error: JsonSchema; components: Components; route: Route },
) {
  const { description: meaning, schema, type = 'application/json', also = {} } = answer;
  const { examples } = route;
  const shown = schema ? components.schemaOf(schema, 'output') : status >= 400 ? error : null;
  const others = Object.entries(also).map(([other, each]) => [
    other,
    {
      schema: components.schemaOf(each.schema, 'output'),
      example: exampleOfReply(each, components),
    },
  ]);
  const shownBy = examples ? named(examples, 'reply') : { example: exampleOfReply(answer, components) };
  return {
    description: meaning,
    headers: headersOf(status),
    ...(shown && {
      content: {
        ...(isFhir(route) && status >= 400 && status !== 409 && refusedInFhir(error, components)),
        [type]: { schema: shown, ...(status < 300 && shownBy) },
        ...Object.fromEntries(others),
      },
    }),
  };
}

const isFhir = ({ access }: Route): boolean => access === 'fhir';

/** By what is refused and by the sandbox's rules it comes in either shape; a 409 never does (the tag `FHIR` says which). */
const refusedInFhir = (error: JsonSchema, components: Components) => ({
  'application/json': { schema: error },
  [FHIR_JSON]: { schema: components.schemaOf(OperationOutcome, 'output') },
});

/** Of each kind of body what is sent, or what comes back. */
const named = (examples: NonNullable<Route['examples']>, side: 'body' | 'reply') => ({
  examples: Object.fromEntries(Object.entries(examples).map(([name, kind]) => [name, { value: kind[side] }])),
});

const refusal = (status: SharedStatus, content: object) => ({
  description: sharedResponses[status],
  headers: headersOf(status),
  content,
});

const headersOf = (status: number) => ({
  ...headerRef('x-request-id'),
  ...(status === 401 && headerRef('www-authenticate')),
  ...([429, 503].includes(status) && headerRef('retry-after')),
});

const statusesOf = (responses: typeof sharedResponses) =>
  Object.keys(responses).map((status) => Number(status) as SharedStatus);

/** As `getCases`, `patchTasksByTaskId`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9:]+/).filter(Boolean);
  return words.reduce(
    (name, word) => name + (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word)),
    method,
  );
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function parameters(route: Route, components: Components): JsonSchema[] {
  const { path, params, query, repeatable = [], isIdempotent, documentedHeaders = {} } = route;
  const inPath = params ? propertiesOf(params, components) : {};
  const inQuery = query ? propertiesOf(query, components) : {};
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: inPath[name]?.schema ?? { type: 'string' },
    })),
    ...Object.entries(inQuery).map(([name, { schema, isRequired }]) => ({
      name,
      in: 'query',
      required: isRequired,
      schema,
      ...(repeatable.includes(name) && { style: 'form', explode: true }),
    })),
    ...Object.entries(documentedHeaders).map(([name, meaning]) => ({
      name,
      in: 'header',
      required: false,
      description: meaning,
      schema: { type: 'string' },
    })),
    ...(isIdempotent ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
}

function propertiesOf(
  schema: z.ZodType,
  { schemaOf }: Components,
): Record<string, { schema: JsonSchema; isRequired: boolean }> {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { schema: property, isRequired: required.includes(name) },
    ]),
  );
}

function requestBody(route: Route, body: z.ZodType, components: Components) {
  const { documentedBody, consumes = ['application/json'] } = route;
  const shown = documentedBody ?? body;
  const schema = components.schemaOf(shown, 'input');
  const shownBy = route.examples ? named(route.examples, 'body') : { example: exampleOf(route, components) };
  return {
    required: !shown.safeParse(undefined).success,
    // One type alone: a generator makes a class of each, or leaves the operation out.
    content: { [consumes[0] ?? '']: { schema, ...shownBy } },
  };
}
