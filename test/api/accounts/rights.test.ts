import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accountsOf } from '@clinic/accounts/seed';
import { documentedPath } from '@clinic/api/openapi/document';
import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import type { Access, Route } from '@clinic/api/http/route';
import { readApiConfig } from '@clinic/shared/config';
import { type Role, roles } from '@clinic/shared/domain/accounts/accounts';
import { rightNames, rights, rightsOfRole, type Scope, scopes } from '@clinic/shared/domain/accounts/rights';
import { typed } from '../../support/command';
import { type App, startApp } from '../../support/app';
import { type EventStream, openStream } from '../../support/event-stream';
import { eventually } from '../../support/eventually';
import { openSandbox } from '../../support/fhir';

/** Who may do what: asked of the service itself, route by route, and compared with the table that people read. */

const page = join(__dirname, '../../../docs/rights.md');
const password = 'quiet orange lighthouse';
/** The credential alone opens these. */
const routes = documentedRoutes().filter(({ right }) => right !== null);

let app: App;
let bearers: Record<Role, string>;
let keys: Record<Scope, string>;
let patientId: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  const { clinicId } = app.clinic;
  patientId = await (await openSandbox(app)).aPatient();
  const { SECRET_KEYS: secretKeys, AUTH_SECRET: authSecret } = readApiConfig(app.env);
  const accounts = accountsOf({ database: app.database, secretKeys, authSecret });
  const signedIn = roles.map(async (role) => {
    const email = `${role}@rights.example`;
    await accounts.createAccount({ name: role, email, password, clinicId, role });
    return [role, await app.signIn({ email, password })] as const;
  });
  const made = scopes.map(async (scope) => {
    const { key } = await app.stores.keys.createApiKey({ clinicId, name: scope, scopes: [scope] });
    return [scope, key] as const;
  });
  bearers = Object.fromEntries(await Promise.all(signedIn)) as typeof bearers;
  keys = Object.fromEntries(await Promise.all(made)) as typeof keys;
}, 240_000);

afterAll(() => app.stop());

/** Is let in, and then refused before anything is done: a parameter stands there twice. */
const ask = (bearer: string, { method, path }: Pick<Route, 'method' | 'path'>) => {
  const filled = path.replace(':clinicId', app.clinic.clinicId).replaceAll(/:\w+/g, 'some-id').replaceAll('\\', '');
  return app.request(method.toUpperCase(), `${filled}?twice=1&twice=2`, { bearer });
};

async function letIn<Name extends string>(of: Record<Name, string>, route: Route): Promise<Name[]> {
  const names = Object.keys(of) as Name[];
  const answers = await Promise.all(names.map((name) => ask(of[name], route)));
  // 401 says that no such credential is taken there at all.
  return names.filter((_, index) => ![401, 403].includes(answers[index]?.status ?? 401));
}

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ');

test('each role and each scope opens the routes that docs/rights.md says, and no other', async () => {
  const rows: string[] = [];
  for (const route of routes) {
    const [people, systems] = [await letIn(bearers, route), await letIn(keys, route)];
    const name = `\`${route.method.toUpperCase()} ${documentedPath(route.path)}\``;
    rows.push(`| ${name} | \`${route.right}\` | ${code(people)} | ${code(systems)} |`);
  }
  const meanings = rightNames.map((right) => {
    const having = roles.map((role) => (rightsOfRole[role].includes(right) ? 'yes' : ''));
    return `| \`${right}\` | ${rights[right]} | ${having.join(' | ')} |`;
  });
  const tables = [
    `| Right | Opens | ${roles.join(' | ')} |\n|---|---|${roles.map(() => '---|').join('')}\n${meanings.join('\n')}`,
    `| Route | Right | Roles | Scopes of keys |\n|---|---|---|---|\n${rows.toSorted().join('\n')}`,
  ];

  const written = await readFile(page, 'utf8');
  const begin = '<!-- made by test/api/accounts/rights.test.ts -->';
  const [head = ''] = written.split(begin);
  const expected = `${head}${begin}\n\n${tables.join('\n\n')}\n`;
  // A change is made on purpose: its lines are read in the review.
  if (process.env.WRITE_RIGHTS === '1') await writeFile(page, expected);
  else
    expect(written.replaceAll(/ *\| */g, '|').replaceAll(/\|-+(?=\|)/g, '|---')).toBe(
      expected.replaceAll(/ *\| */g, '|'),
    );
}, 240_000);

test('what asks a person for a fresh proof, no key opens', () => {
  const withoutKeys: Access[] = ['clinic', 'session', 'fhir'];
  const open = routes.filter(({ access, stepUp }) => stepUp !== undefined && !withoutKeys.includes(access));

  expect(open.map(({ path }) => path)).toEqual([]);
});

test('the one who is refused is told which role, or which scope of a key, it needs', async () => {
  const told = async (bearer: string, method: Route['method'], path: string) =>
    (await ask(bearer, { method, path })).body.message;

  expect(await told(bearers.staff, 'put', '/retention')).toBe('Only an account with the role admin may do this');
  expect(await told(app.clinic.apiKey, 'post', '/deliveries/resend')).toBe(
    'No API key is taken here: send the token of a session, from POST /auth/sign-in/email; docs/rights.md lists what an API key opens',
  );
  expect(await told(bearers.admin, 'get', '/workflows')).toBe(
    'No session is taken here: send an API key of the clinic (ck_…), which is made at Connections › API keys',
  );
  expect(await told('ck_nobody', 'get', '/workflows')).toBe('The API key is missing, unknown or revoked');
  expect(await told(app.clinic.apiKey, 'get', '/Slot')).toMatch(/or a token of the sandbox: .* \(docs\/sandbox\.md\)$/);
  expect(await told(bearers.auditor, 'get', '/results')).toBe(
    'Only an account with the role admin or manager may do this',
  );
  expect(await told(keys.workflows, 'get', '/patients')).toBe(
    'The API key needs the scope patients.read or patients for this',
  );
});

test('an auditor finds no record by its id, and a person at the front desk does', async () => {
  const found = async (role: Role) =>
    (await app.request('GET', `/lookup?id=${patientId}`, { bearer: bearers[role] })).body;

  expect(await found('auditor')).toEqual({ found: null });
  expect(await found('staff')).toEqual({ found: { kind: 'patient', id: patientId } });
});

test('of the views that an administrator shares each role sees those of the lists that it may see', async () => {
  const lists = ['audit', 'calls', 'cases', 'deliveries', 'patients', 'queue', 'runs', 'tasks'];
  for (const list of lists) {
    const body = { list, name: `Shared ${list}`, filters: {}, isShared: true };
    expect((await app.request('POST', '/views', { bearer: bearers.admin, body })).status).toBe(200);
  }
  const seen = async (role: Role, query = '') => {
    const { body } = await app.request('GET', `/views${query}`, { bearer: bearers[role] });
    return body.items.map(({ list }: { list: string }) => list).toSorted();
  };

  const byRole = Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await seen(role)] as const)));

  const ofFrontDesk = lists.filter((list) => list !== 'audit');
  expect(byRole).toEqual({ admin: lists, manager: ofFrontDesk, staff: ofFrontDesk, auditor: ['audit'] });
  expect([await seen('staff', '?list=calls'), await seen('auditor', '?list=calls')]).toEqual([['calls'], []]);
});

test('an auditor’s stream tells of the audit, and of no patient', async () => {
  const [auditor, staff] = await Promise.all([
    openStream(app.baseUrl, bearers.auditor),
    openStream(app.baseUrl, bearers.staff),
  ]);

  await app.request('PATCH', `/patients/${patientId}`, { bearer: bearers.staff, body: { firstName: 'Renamed' } });
  await app.request('POST', `/patients/${patientId}/opt-outs`, { bearer: bearers.staff, body: {} });
  // Entries are told of once they are sealed.
  await app.stores.auditChain.seal(1);
  await Promise.all([staff.change('patients', patientId), auditor.change('audit_entries')]);
  auditor.close();
  staff.close();

  const tables = (stream: EventStream) => new Set(stream.changes().map(({ table }) => table));
  expect(tables(auditor)).toEqual(new Set(['audit_entries']));
  expect(tables(staff)).not.toContain('audit_entries');
});

test('the operator makes, rotates and revokes keys by command', async () => {
  const { clinicId } = app.clinic;
  const clinic = async (line: string) => (await typed(['clinic', ...line.split(' ')], app.env)).shown;
  const opens = async (key: string) => (await app.request('GET', '/results', { bearer: key })).status;

  const added = await clinic(`key add --clinic ${clinicId} --name Reports --scopes results --days 30`);
  const rotated = await clinic(`key rotate --clinic ${clinicId} --key ${added.id} --old-key-hours 1`);
  const both = [await opens(added.key), await opens(rotated.key)];
  await clinic(`key revoke --clinic ${clinicId} --key ${rotated.id}`);
  await eventually(async () => (await opens(rotated.key)) === 401);
  const { keys: listed } = await clinic(`key list --clinic ${clinicId}`);

  expect(both).toEqual([200, 200]);
  expect(rotated).toMatchObject({ name: 'Reports', scopes: ['results'], expiresAt: null });
  const old = listed.find(({ id }: { id: string }) => id === added.id);
  expect(Date.parse(old.expiresAt)).toBeLessThan(Date.now() + 3_700_000);
  expect(JSON.stringify(listed)).not.toContain(added.key);
  await expect(clinic(`key add --clinic ${clinicId} --name All --scopes everything`)).rejects.toThrow('Scopes are');
});

test('the page of rights has every role, and every route that asks for a right', async () => {
  const { body } = await app.request('GET', '/rights', { bearer: bearers.auditor });

  const listed = body.items.flatMap(({ routes: asked }: { routes: unknown[] }) => asked);
  expect(listed).toHaveLength(routes.length - 1);
  expect(body.items.find(({ right }: { right: string }) => right === 'audit').roles).toEqual(['admin', 'auditor']);
});

test.each(roles)('the session of a %s says who they are, and what they may do', async (role) => {
  const { body } = await app.request('GET', '/auth/session', { bearer: bearers[role] });
  const { clinicId } = app.clinic;
  const { name, timezone, defaultCountry } = await app.database.prisma.clinic.findUniqueOrThrow({
    where: { id: clinicId },
  });

  expect(body).toMatchObject({
    accountId: expect.stringMatching(/./),
    clinicId,
    role,
    name: role,
    email: `${role}@rights.example`,
    needsSecondFactor: false,
    clinic: { id: clinicId, name, timezone, country: defaultCountry },
  });
  expect(body.rights).toEqual([...rightsOfRole[role]]);
});

test.each([
  ['GB', null, 'es', { country: 'GB', currency: 'GBP', isMonthFirst: false, language: 'es' }],
  ['GB', 'EUR', 'en', { country: 'GB', currency: 'EUR', isMonthFirst: false, language: 'en' }],
  ['US', null, 'en', { country: 'US', currency: 'USD', isMonthFirst: true, language: 'en' }],
])('the session of a clinic in %s with the currency %s and the language %s says so', async (...row) => {
  const [country, currency, language, shown] = row;
  await app.database.sql`
    update clinics set default_country = ${country}, currency = ${currency}, language = ${language}
    where id = ${app.clinic.clinicId}`;

  const { body } = await app.request('GET', '/auth/session', { bearer: bearers.staff });

  expect(body.clinic).toMatchObject({ ...shown, voiceProvider: expect.any(String) });
  expect(body.baseUrl).toMatch(/^https?:.*\/api$/);
  expect(body.temporalWorkflowsUrl).toMatch(/^https?:.*\/namespaces\/[\w-]+\/workflows$/);
});
