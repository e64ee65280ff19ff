import { MAX_CLIENTS } from '@clinic/prisma/stores/sandbox/sandbox-clients';
import { newClientKey, signAssertion } from '@clinic/shared/client-key';
import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { opens, scopeNeeded } from '@clinic/shared/domain/sandbox/smart-scopes';
import { startApp, type App } from '../../support/app';
import { aBooking, aMatch, aNote, type FhirClinic, openSandbox } from '../../support/fhir';

/** A token of SMART Backend Services opens what its scopes name, and nothing else. */

let app: App;
let clinic: FhirClinic;
/** What the token endpoint says to a good request but for what is changed in it. */
let asked: (changed: Record<string, string>) => ReturnType<App['request']>;
let tokenOf: (scope: string) => Promise<string>;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  clinic = await openSandbox(app);
  const key = await newClientKey('ES384');
  const about = { name: 'Scoped', jwks: { keys: [key.publicJwk] } };
  const { body: client } = await app.request('POST', '/sandbox/clients', { body: about, bearer: clinic.admin });
  const audience = `${app.baseUrl}/sandbox/token`;
  asked = async (changed) =>
    app.request('POST', '/sandbox/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        scope: 'system/Slot.s',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await signAssertion(key, { clientId: client.id, audience }),
        ...changed,
      }).toString(),
    });
  tokenOf = async (scope) => {
    const granted = await asked({ scope });
    return granted.body.access_token ?? granted.body.error;
  };
});
afterAll(() => app.stop());

test.each([
  ['another grant', { grant_type: 'password' }, 'unsupported_grant_type', /^grant_type must be client_credentials$/],
  [
    'an assertion of another type',
    { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
    'invalid_request',
    /^client_assertion_type must be urn:/,
  ],
  ['no scope', { scope: ' ' }, 'invalid_scope', /^scope must name system scopes, as system\//],
  ['a scope of a user', { scope: 'system/Slot.s user/Slot.s' }, 'invalid_scope', /^scope must name system scopes/],
  ['no assertion', { client_assertion: '' }, 'invalid_client', /./],
])('a token is refused to %s, and developers are told why', async (_what, changed, error, why) => {
  const { status, body, headers } = await asked(changed);

  expect([status, body, headers.get('cache-control')]).toEqual([400, { error }, 'no-store']);
  expect(headers.get('x-sandbox-token-reason')).toMatch(why);
});

interface Case {
  method: string;
  path: string;
  body?: unknown;
  /** The scope that opens it, in the spelling of v2. */
  needs: string;
}

/** Every interaction of the sandbox EMR, with a body that is good. */
async function interactions(): Promise<Case[]> {
  const patient = await clinic.aPatient();
  const [booked, start] = [await clinic.aBooked({ patient }), await clinic.aStart()];
  const at = `/Appointment/${booked.id}`;
  return [
    { method: 'GET', path: '/Schedule?actor=Practitioner/Dr.Chen', needs: 'system/Schedule.s' },
    { method: 'GET', path: '/Slot?schedule=Schedule/Dr.Chen', needs: 'system/Slot.s' },
    { method: 'GET', path: `/Slot/$explain?schedule=Schedule/Dr.Chen&start=${start}`, needs: 'system/Slot.s' },
    { method: 'GET', path: `/Appointment?patient=Patient/${patient}`, needs: 'system/Appointment.s' },
    { method: 'POST', path: '/Patient/$match', body: aMatch('MRN-1001'), needs: 'system/Patient.r' },
    { method: 'POST', path: '/Appointment/$book', body: aBooking({ patient, start }), needs: 'system/Appointment.c' },
    { method: 'POST', path: `${at}/$reschedule`, body: { start }, needs: 'system/Appointment.u' },
    { method: 'POST', path: '/DocumentReference', body: aNote(patient), needs: 'system/DocumentReference.c' },
    { method: 'GET', path: '/Subscription', needs: 'system/Subscription.s' },
    { method: 'POST', path: `${at}/$cancel`, needs: 'system/Appointment.u' },
  ];
}

const send = ({ method, path, body }: Case, bearer: string) => app.request(method, path, { body, bearer });

test('every route asks for the scope of its resource and interaction, and says which', async () => {
  const all = await interactions();
  const letters = 'cruds';
  const refused = [];
  for (const each of all) {
    const [, resource = '', letter = ''] = /^system\/(\w+)\.(\w)$/.exec(each.needs) ?? [];
    // `$match` reads and searches at once: either will do.
    const others = letters.split('').filter((other) => other !== letter && !(resource === 'Patient' && other === 's'));
    const bearer = await tokenOf(`system/${resource}.${others.join('')} system/Practitioner.cruds`);
    refused.push({ each, answer: await send(each, bearer) });
  }

  for (const { each, answer } of refused) {
    expect([each.path, answer.status]).toEqual([each.path, 403]);
    expect(answer.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${each.needs}"`);
    expect(answer.headers.get('x-refusal-reason')).toBe('insufficient_scope');
    expect(answer.headers.get('content-type')).toMatch(/^application\/fhir\+json/);
    expect(answer.body).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: 'forbidden', diagnostics: expect.stringContaining(each.needs) }],
    });
  }
  expect((await clinic.get(`/Appointment?patient=${all[3]!.path.split('=')[1]}`)).body.total).toBe(1);
});

test('every FHIR route is closed to a token of another resource, but the topic, which holds nothing of anybody', async () => {
  const bearer = await tokenOf('system/Practitioner.cruds');
  const routes = documentedRoutes().filter(({ access }) => access === 'fhir');

  const open = [];
  for (const { method, path } of routes) {
    const { headers } = await app.request(method.toUpperCase(), path.replaceAll(/:\w+/g, 'x'), { bearer });
    if (headers.get('x-refusal-reason') !== 'insufficient_scope') open.push(`${method} ${path}`);
  }

  expect(open).toEqual(['get /Basic/:id']);
  expect(routes.length).toBeGreaterThan(20);
});

test('clients find where to ask, and the scopes that together open every route, none of them for nothing', async () => {
  const { body } = await app.request('GET', '/.well-known/smart-configuration');
  const supported: string[] = body.scopes_supported;
  const needed = documentedRoutes()
    .filter(({ access }) => access === 'fhir')
    .flatMap(({ method, path }) => scopeNeeded(method, path) ?? []);
  const closed = (scopes: string[]) => needed.filter((each) => !opens(scopes.join(' '), each));

  expect(body).toMatchObject({
    token_endpoint: `${app.baseUrl}/sandbox/token`,
    token_endpoint_auth_methods_supported: ['private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
    grant_types_supported: ['client_credentials'],
    capabilities: ['client-confidential-asymmetric', 'permission-v1', 'permission-v2'],
  });
  expect(closed(supported)).toEqual([]);
  for (const scope of supported) expect(closed(supported.filter((each) => each !== scope))).not.toEqual([]);
  const granted = await Promise.all([...supported, supported.join(' ')].map((scope) => tokenOf(scope)));
  expect(granted).not.toContain('invalid_scope');
});

test('the scope that is named opens it', async () => {
  for (const each of await interactions()) {
    const { status } = await send(each, await tokenOf(each.needs));
    // A second booking of the same start is the contract's 409: it was let in.
    expect([each.path, [200, 201, 409].includes(status)]).toEqual([each.path, true]);
  }
});

test.each([
  ['system/Slot.read', [200, 403]],
  ['system/*.read', [200, 403]],
  ['system/*.write', [403, 200]],
  ['system/Slot.rs system/Appointment.write', [200, 200]],
  ['system/*.*', [200, 200]],
  ['system/*.cruds', [200, 200]],
  ['system/Appointment.*', [403, 200]],
  ['system/Slot.*', [200, 403]],
])('%s is understood, as SMART 1 and 2 spell it', async (scope, statuses) => {
  const bearer = await tokenOf(scope);
  const booked = await clinic.aBooked();

  const slots = await app.request('GET', '/Slot?schedule=Schedule/Dr.Chen', { bearer });
  const cancelled = await app.request('POST', `/Appointment/${booked.id}/$cancel`, { bearer });

  expect([slots.status, cancelled.status]).toEqual(statuses);
});

test.each(['system/Slot.sr', 'system/Slot.x', 'system/Slot.', 'patient/Slot.rs', 'system/Slot.rs?status=free'])(
  '%s is no scope: there is no token for it',
  async (scope) => {
    expect(await tokenOf(scope)).toBe('invalid_scope');
  },
);

test('sessions and tokens of named sandboxes have no scopes, and open everything as before', async () => {
  const opened = await app.request('POST', '/sandboxes', { body: { name: 'No scopes' }, bearer: clinic.admin });

  const slots = await app.request('GET', '/Slot?schedule=Schedule/Dr.Chen', { bearer: opened.body.token });

  expect([slots.status, (await clinic.get('/Slot?schedule=Schedule/Dr.Chen')).status]).toEqual([200, 200]);
});

test('a client is registered once under an Idempotency-Key, also where the first answer was never stored', async () => {
  const key = await newClientKey('ES384');
  const body = { name: 'Once', jwks: { keys: [key.publicJwk] } };
  const headers = { 'idempotency-key': 'a-client' };
  const register = () => app.request('POST', '/sandbox/clients', { body, headers, bearer: clinic.admin });

  const first = await register();
  const again = await register();
  await app.database.sql`delete from idempotency_records where key = 'a-client'`;
  const later = await register();

  expect([first.status, again.body, later.body]).toEqual([200, first.body, first.body]);
});

test('more clients than a sandbox may have are refused, until one is removed', async () => {
  const { publicJwk } = await newClientKey('ES384');
  const body = { name: 'One of many', jwks: { keys: [publicJwk] } };
  const register = () => app.request('POST', '/sandbox/clients', { body, bearer: clinic.admin });
  const { body: known } = await app.request('GET', '/sandbox/clients', { bearer: clinic.admin });
  const free = MAX_CLIENTS - known.items.length;

  const taken = await Promise.all(Array.from({ length: free }, register));
  const refused = await register();
  const removed = await app.request('DELETE', `/sandbox/clients/${taken[0]?.body.id}`, { bearer: clinic.admin });

  expect(taken.map(({ status }) => status)).toEqual(taken.map(() => 200));
  expect([refused.status, refused.body.code, removed.status]).toEqual([409, 'conflict', 204]);
  expect((await register()).status).toBe(200);
});
