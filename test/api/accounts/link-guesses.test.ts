import { patientData } from '@clinic/prisma/stores/patients/patient-data';
import { type App, startApp } from '../../support/app';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false, env: { SIGN_INS_PER_MINUTE: '10' } });
}, 240_000);

afterAll(() => app.stop());

const post = (path: string, body: unknown) => app.request('POST', path, { body });
/** Of all tables but the feed, which tells of what goes on beside the guesses too. */
const rowsByTable = () => {
  const tables = Object.keys(patientData).filter((table) => table !== 'changes');
  const counts = tables.map((table) => `select '${table}' as name, count(*)::int as count from ${table}`);
  return app.database.prisma.$queryRawUnsafe<{ name: string; count: number }[]>(counts.join(' union all '));
};

test('guesses at links are refused after some, store nothing, and keep nobody behind their address from signing in', async () => {
  const before = await rowsByTable();
  const statuses: number[] = [];
  for (let index = 0; index < 26; index += 1) {
    const token = `guessed-${index}`;
    const isRead = index % 2 === 0;
    const use = { token, name: 'Nobody', password: 'quiet orange lighthouse' };
    const guess = isRead ? post('/auth/links/read', { token }) : post('/auth/links/use', use);
    statuses.push((await guess).status);
  }
  const after = await rowsByTable();

  const signIn = await post('/auth/sign-in/email', { email: app.clinic.email, password: app.clinic.password });

  expect(statuses).toEqual([...Array(20).fill(404), ...Array(6).fill(429)]);
  expect(after).toEqual(before);
  expect(signIn.status).toBe(200);
});

test('an administrator makes so many links a minute as there may be sign-ins, for whomever', async () => {
  const bearer = await app.admin();
  const { body } = await app.request('GET', '/accounts', { bearer });
  const staff = body.items.find(({ role }: { role: string }) => role === 'staff');
  const invite = (index: number) =>
    app.request('POST', '/accounts/invitations', {
      bearer,
      body: { email: `person-${index}@clinic.example`, role: 'staff' },
    });
  const reset = () => app.request('POST', `/accounts/${staff.id}/reset`, { bearer });

  const statuses = [(await reset()).status];
  for (let index = 0; index < 10; index += 1) statuses.push((await invite(index)).status);
  statuses.push((await reset()).status);

  expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
});

test('whoever tries passwords in an open session is refused after ten, and tells nothing of the eleventh', async () => {
  const { clinicId, staff } = app.clinic;
  const bearer = await app.staff();
  const guess = async (password: string) =>
    (await app.request('POST', '/auth/second-factor', { body: { password }, bearer })).status;
  const statuses: number[] = [];
  for (let tries = 0; tries < 10; tries += 1) statuses.push(await guess('not the one'));

  statuses.push(await guess('not the one'), await guess(staff.password));

  expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
  const refused = await app.database.prisma.auditEntry.count({ where: { clinicId, action: 'password.refused' } });
  expect(refused).toBe(10);
});

test('whatever makes or answers a challenge counts for its address, and is refused after so many', async () => {
  const bearer = await app.admin();
  const { paths } = (await app.request('GET', '/openapi.json')).body;
  const ask = async (path: string) => {
    const [type, shown] = Object.entries<{ example: unknown }>(paths[path].post.requestBody?.content ?? {})[0] ?? [];
    const isForm = type === 'application/x-www-form-urlencoded';
    const body = isForm ? new URLSearchParams(shown?.example as Record<string, string>).toString() : shown?.example;
    const filled = path.replace('{clinicId}', app.clinic.clinicId);
    const headers = type ? { 'content-type': type } : undefined;
    return (await app.request('POST', filled, { body, bearer, headers })).status;
  };

  for (let tries = 0; tries < 100 && (await ask('/auth/sign-in/passkey/options')) !== 429;) tries += 1;

  const statuses = await Promise.all(challenging.map(ask));
  // An identity provider may share the address; what it tells of signing out is counted by itself.
  expect(await ask('/auth/sso/{clinicId}/logout')).toBe(404);
  expect(Object.fromEntries(challenging.map((path, index) => [path, statuses[index]]))).toEqual(
    Object.fromEntries(challenging.map((path) => [path, 429])),
  );
});

const challenging = [
  '/auth/sign-in/passkey/options',
  '/auth/sign-in/passkey',
  '/auth/sign-in/sso/begin',
  '/auth/sign-in/sso',
  '/auth/step-up/sso/begin',
  '/auth/step-up/sso',
];
