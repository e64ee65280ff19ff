import { createApp } from '@clinic/api/app';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { createMetrics } from '@clinic/api/metrics';
import { documentedPath } from '@clinic/api/openapi/document';
import { tools } from '@clinic/api/tools/registry';
import { toolFamilies } from '@clinic/api/tools/tool';
import { readApiConfig } from '@clinic/shared/config';
import { outboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { refusals } from '@clinic/shared/domain/calendar/refusals';
import { appointmentStatuses } from '@clinic/shared/domain/calendar/appointment-status';
import { callStates } from '@clinic/shared/domain/outreach/call-state';
import { caseStates } from '@clinic/shared/domain/outreach/case-state';
import { deliveryStates } from '@clinic/shared/domain/events/delivery-state';
import { callEndings } from '@clinic/shared/domain/outreach/call-ending';
import { runStatuses } from '@clinic/shared/domain/outreach/run-status';
import { taskPriorities, taskReasons, taskStates } from '@clinic/shared/domain/tasks/task';
import { workflowTypeNames, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020';
import { z } from 'zod';
import { type App, startApp } from '../support/app';
import { type Operation as Described, outlineOf, type Schema, typeOf } from '../support/outline';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
});
afterAll(() => app.stop());

test('the document holds every mounted route and no other', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const inDocument = Object.entries<object>(body.paths).flatMap(([path, members]) =>
    Object.keys(members).map((method) => `${method} ${path}`),
  );
  expect(inDocument.toSorted()).toEqual((await mountedRoutes()).toSorted());
});

test('the document is valid OpenAPI 3.1, and each of its schemas valid JSON Schema', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const result = await new Validator().validate(body);
  expect(result.errors ?? []).toEqual([]);
  const ajv = new Ajv2020({ strict: false });
  const wrong = schemasIn(body).filter((schema) => !ajv.validateSchema(schema));
  expect(wrong).toEqual([]);
  expect(body.openapi).toMatch(/^3\.1\./);
});

test('what clients rely on changes only where a review sees it: `npm test -- api/openapi -u` writes it down anew', async () => {
  const { paths, webhooks, components } = (await app.request('GET', '/openapi.json')).body;

  const lines = [
    ...Object.entries<Record<string, Described>>({ ...paths, ...webhooks }).flatMap(([path, members]) =>
      Object.entries(members).map(([method, operation]) => `${method} ${path}\n${outlineOf(operation)}`),
    ),
    ...Object.entries<{ schema: Schema }>(components.parameters).map(
      ([name, { schema }]) => `${name}: ${typeOf(schema)}`,
    ),
    ...Object.entries<Schema>(components.schemas).map(([name, schema]) => `${name}: ${typeOf(schema)}`),
    ...tools.map((tool) => {
      const [taken, given] = [tool.arguments, tool.result].map((each) =>
        typeOf(z.toJSONSchema(each, { io: 'input' }) as Schema),
      );
      return `${tool.family}/${tool.name}\n${taken}\n${given}`;
    }),
    Object.entries(refusals)
      .map(([reason, { status, issue }]) => `${reason}: ${status} ${issue}`)
      .join('\n'),
  ];
  expect(lines.join('\n\n')).toMatchSnapshot();
});

test('every answer carries x-request-id, and every status that the checks before a handler give is documented', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const operation = body.paths['/integrations/outbound/test'].post;
  expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '401', '403', '422', '429', '503']));
  expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/Idempotency-Key' });
  expect(operation.security).toEqual([{ session: [] }]);
  for (const response of Object.values<{ headers: object }>(body.components.responses)) {
    expect(Object.keys(response.headers)).toContain('x-request-id');
  }
});

test('every body has an example, which the route that reads it takes', async () => {
  const { body } = await app.request('GET', '/openapi.json');
  const reading = documentedRoutes().filter((route) => route.body);

  const faults = reading.flatMap(({ method, path, body: schema, documentedBody }) => {
    const { content } = body.paths[documentedPath(path)][method].requestBody;
    return Object.entries<Shown>(content).flatMap(([type, shown]) =>
      examplesOf(shown).flatMap((example) =>
        [schema, documentedBody].flatMap((each) => {
          const read = each?.safeParse(example);
          return read?.success === false ? [`${method} ${path}, ${type}: ${read.error.message}`] : [];
        }),
      ),
    );
  });

  expect(faults).toEqual([]);
  expect(reading.length).toBeGreaterThan(70);
});

test('every successful response that holds something has an example, which its schema returns', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const faults = documentedRoutes().flatMap(({ method, path, responses }) =>
    Object.entries(responses).flatMap(([status, { schema, also = {} }]) => {
      const { content } = body.paths[documentedPath(path)][method].responses[status];
      if (Number(status) >= 300) return [];
      if (!content) return ['202', '204'].includes(status) ? [] : [`${method} ${path}: ${status} holds nothing`];
      return Object.entries<Shown>(content).flatMap(([type, shown]) =>
        examplesOf(shown).flatMap((example) => {
          const read = (also[type]?.schema ?? schema)?.safeParse(example);
          return read?.success ? [] : [`${method} ${path}: ${read?.error.message}`];
        }),
      );
    }),
  );

  expect(faults).toEqual([]);
});

test.each([
  ['/patients', 'post', 200, 'patient-record-1'],
  ['/tasks/{taskId}', 'patch', 200, 'task-1'],
])('the example of %s, %s, has an id that says of what it is', async (path, method, status, id) => {
  const { body } = await app.request('GET', '/openapi.json');
  const { example } = body.paths[path][method].responses[status].content['application/json'];

  expect(example.id).toBe(id);
});

test('what the examples hold changes only where a review sees it', async () => {
  const { paths, webhooks } = (await app.request('GET', '/openapi.json')).body;

  const lines = Object.entries<Record<string, Operation>>({ ...paths, ...webhooks }).flatMap(([path, members]) =>
    Object.entries(members).flatMap(([method, { requestBody, responses }]) =>
      Object.entries({ body: requestBody, ...responses }).flatMap(([place, shown]) =>
        Object.values(shown?.content ?? {})
          .flatMap(examplesOf)
          .filter((example) => example !== undefined)
          .map((example) => `${method} ${path}, ${place}: ${JSON.stringify(example)}`),
      ),
    ),
  );
  expect(lines.join('\n')).toMatchSnapshot();
});

test('every body is documented under one media type, so that no generator leaves it out', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const types = operationsIn(body).flatMap(({ requestBody }) =>
    requestBody ? [Object.keys(requestBody.content).join(' or ')] : [],
  );
  expect([...new Set(types)].toSorted()).toEqual([
    'application/fhir+json',
    'application/json',
    'application/x-www-form-urlencoded',
    'text/csv',
  ]);
});

test('every operation has a description that says more than its summary', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const sent = Object.values<{ post: Operation }>(body.webhooks).map(({ post }) => post);
  const silent = [...operationsIn(body), ...sent].filter(
    ({ summary, description = '' }) => description.length < 20 || description === summary,
  );
  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
});

test('every tag is described and used, and the document names its licence and whom to ask', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const sent = Object.values<{ post: Operation }>(body.webhooks).map(({ post }) => post);
  const used = new Set([...operationsIn(body), ...sent].flatMap((operation) => operation.tags));
  const described: string[] = body.tags.map(({ name }: { name: string }) => name);
  expect(described.toSorted()).toEqual([...used].toSorted());
  expect(body.tags.filter(({ description }: { description: string }) => description.length < 20)).toEqual([]);
  expect(body.info).toMatchObject({ contact: { name: expect.any(String) }, license: { name: expect.any(String) } });
});

test('a live-call tool is named by an enum of its family, and shown by a call that it takes and a result that it gives', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  for (const family of toolFamilies) {
    const { parameters, requestBody, responses } = body.paths[`/${family}/{toolName}`].post;
    const own = tools.filter((tool) => tool.family === family);
    expect(parameters[0].schema).toEqual({ type: 'string', enum: own.map(({ name }) => name) });
    const calls = requestBody.content['application/json'].examples;
    const replies = responses[200].content['application/json'].examples;
    for (const tool of own) {
      const [call] = calls[tool.name].value.message.toolCalls;
      const [reply] = replies[tool.name].value.results;
      expect(tool.arguments.safeParse(call.function.arguments).error).toBeUndefined();
      expect(tool.result.safeParse(JSON.parse(reply.result)).error).toBeUndefined();
      expect(reply.toolCallId).toBe(call.id);
    }
  }
});

test('who sends the resume link is said where its promise is told', async () => {
  const { body } = await app.request('GET', '/openapi.json');
  const { description } = body.webhooks['recovery_case.outcome'].post;
  expect(description).toContain('sends nothing to patients: your system sends the link');
});

test('the events that the service sends stand under webhooks', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  expect(Object.keys(body.webhooks)).toEqual([
    'recovery_case.created',
    'recovery_case.outcome',
    'workflow.completed',
    'test',
  ]);
});

test('a receiver is told with each event what comes with it, what to answer and what a failure means', async () => {
  const { webhooks } = (await app.request('GET', '/openapi.json')).body;

  for (const [event, { post, ...more }] of Object.entries<{ post: Sent }>(webhooks)) {
    const { parameters, requestBody, responses, tags, security, operationId } = post;
    expect([more, operationId, tags, security]).toEqual([{}, `on.${event}`, ['Outbound events'], []]);
    expect(parameters).toEqual(
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        name,
        in: 'header',
        required: true,
        schema: { type: 'string' },
        description: expect.stringMatching(/\w{3}/),
      })),
    );
    expect([requestBody.required, Object.keys(requestBody.content)]).toEqual([true, ['application/json']]);
    expect(Object.entries(responses).map(([status, { description }]) => `${status}: ${description}`)).toEqual([
      '410: Disables the endpoint until it is registered again',
      '2XX: Delivered',
      'default: Tried again, over about 3 days',
    ]);
  }
});

test('each event that is sent is described by the schema that its writer builds', async () => {
  const { body } = await app.request('GET', '/openapi.json');

  const fieldsOf = (event: string) => {
    const { properties } = body.webhooks[event].post.requestBody.content['application/json'].schema;
    return [properties.event.const, Object.keys(properties.data.properties)];
  };
  const described = Object.entries(outboundEvents).map(([event, { data }]) => [event, Object.keys(data.shape)]);
  expect(Object.keys(body.webhooks).map(fieldsOf)).toEqual(described);
});

test.each([
  ['AppointmentStatus', appointmentStatuses],
  ['CallEnding', callEndings],
  ['CallState', callStates],
  ['CaseState', caseStates],
  ['DeliveryState', deliveryStates],
  ['OutboundEvent', Object.keys(outboundEvents)],
  ['Outcome', [...new Set(Object.values(workflowTypes).flatMap(({ outcomes }) => outcomes))]],
  ['TaskReason', taskReasons],
  ['TaskState', taskStates],
  ['TaskPriority', taskPriorities],
  ['WorkflowStatus', runStatuses],
  ['WorkflowType', workflowTypeNames],
])('the closed set %s is an enum of its own', async (name, words) => {
  const { body } = await app.request('GET', '/openapi.json');

  expect(body.components.schemas[name]).toEqual({ type: 'string', enum: words });
});

test('filters by a closed set are enums, and refuse another word', async () => {
  const { body } = await app.request('GET', '/openapi.json');
  const bearer = await app.staff();

  for (const [path, name, set] of [
    ['/tasks', 'reason', 'TaskReason'],
    ['/deliveries', 'event', 'DeliveredEvent'],
    ['/calls', 'state', 'CallState'],
  ] as const) {
    const parameter = body.paths[path].get.parameters.find((each: { name: string }) => each.name === name);
    expect(parameter.schema).toEqual({ $ref: `#/components/schemas/${set}` });
    expect((await app.request('GET', `${path}?${name}=nonsense`, { bearer })).status).toBe(400);
  }
});

test('what shows a secret once is kept from the answers that repeated requests get', () => {
  const showing = documentedRoutes().flatMap(({ method, path, showsSecret }) =>
    showsSecret ? `${method.toUpperCase()} ${path}` : [],
  );

  expect(showing.toSorted()).toMatchInlineSnapshot(`
[
  "POST /Subscription",
  "POST /accounts/:accountId/reset",
  "POST /accounts/invitations",
  "POST /integrations/api-keys",
  "POST /integrations/api-keys/:apiKeyId/rotate",
  "POST /integrations/inbound/:event/rotate-secret",
  "POST /integrations/outbound/endpoints",
  "POST /integrations/outbound/endpoints/:endpointId/rotate-secret",
  "POST /integrations/outbound/rotate-secret",
  "POST /integrations/voice/rotate-secret",
  "POST /sandboxes",
  "POST /sandboxes/:sandboxId/token",
]
`);
});

test('the page loads nothing from another host', async () => {
  const page = await app.request('GET', '/docs');

  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  const addresses = [...page.text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
  expect(addresses.filter((address) => !address.startsWith('/api/docs/') && address !== 'data:,')).toEqual([]);
  for (const address of addresses.filter((each) => each.startsWith('/api/'))) {
    expect((await app.request('GET', address.slice('/api'.length))).status).toBe(200);
  }
  expect((await app.request('GET', '/docs/package.json')).status).toBe(404);
});

interface Shown {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

const examplesOf = ({ example, examples }: Shown): unknown[] =>
  examples ? Object.values(examples).map(({ value }) => value) : [example];

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  requestBody?: { content: Record<string, Shown> };
  responses: Record<string, { content?: Record<string, Shown> }>;
}

/** What the service sends. */
interface Sent extends Operation {
  security: unknown[];
  parameters: unknown[];
  requestBody: { required: boolean; content: Record<string, Shown> };
  responses: Record<string, { description: string; content?: Record<string, Shown> }>;
}

const operationsIn = ({ paths }: { paths: Record<string, Record<string, Operation>> }): Operation[] =>
  Object.values(paths).flatMap((members) => Object.values(members));

/** Every route below /api, as `get /cases/{caseId}`: Express names the paths, each path its methods. */
async function mountedRoutes(): Promise<string[]> {
  // Nothing is asked of this app: what only answers need is left out.
  const { router } = createApp({
    config: readApiConfig(app.env),
    stores: app.stores,
    metrics: createMetrics(),
    changes: { subscribe: () => () => undefined },
    voice: createVoicePlatforms({ config: readApiConfig(app.env), http: undefined as never }),
  } as never);
  const { stack } = router as unknown as { stack: { route?: { path: string | string[] } }[] };
  const paths = stack.flatMap(({ route }) => [route?.path ?? []].flat().slice(0, 1));
  const mounted: string[] = [];
  for (const path of paths.filter((each) => each.startsWith('/api/')).map((each) => each.slice('/api'.length))) {
    const { headers } = await app.request('OPTIONS', path.replaceAll(/:\w+/g, 'some'));
    const methods = (headers.get('allow') ?? '').toLowerCase().split(', ');
    mounted.push(...methods.filter((each) => each !== 'head').map((each) => `${each} ${documentedPath(path)}`));
  }
  return mounted;
}

function schemasIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === 'schema') return [member as object];
    return key === 'schemas' ? Object.values(member as object) : schemasIn(member);
  });
}
