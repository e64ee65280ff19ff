import { type App, startApp } from '../../support/app';

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false, env: { SIGN_INS_PER_MINUTE: '10' } });
}, 240_000);

afterAll(() => app.stop());

const post = (path: string, body: unknown) => app.request('POST', path, { body });
const rows = async () => (await app.database.sql`select key from sign_in_counts`).length;

test('guesses at links are refused after some, store nothing, and keep nobody behind their address from signing in', async () => {
  const before = await rows();
  const statuses: number[] = [];
  for (let index = 0; index < 26; index += 1) {
    statuses.push((await post('/auth/links/read', { token: `guessed-${index}` })).status);
  }
  const after = await rows();

  const signIn = await post('/auth/sign-in/email', { email: app.clinic.email, password: app.clinic.password });

  expect(statuses).toEqual([...Array(20).fill(404), ...Array(6).fill(429)]);
  expect(after).toBe(before);
  expect(signIn.status).toBe(200);
});
