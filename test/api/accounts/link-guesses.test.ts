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
