import { type App, startApp } from '../support/app';

let app: App;
let admin: string;
let staff: string;
/** The other clinic's admin. */
let stranger: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [admin, staff, stranger] = await Promise.all([app.admin(), app.staff(), app.signIn(app.otherClinic)]);
});
afterAll(() => app.stop());

const pauses = async (bearer = staff) => (await app.request('GET', '/pauses', { bearer })).body;
const pause = (body: object, bearer = admin) => app.request('POST', '/pauses', { bearer, body });
const resume = (id: string, bearer = admin) => app.request('DELETE', `/pauses/${id}`, { bearer });

test('an admin pauses a workflow type and resumes it; staff see it, and the other clinic does not', async () => {
  const until = '2099-01-01T00:00:00.000Z';
  const made = await pause({ workflowType: 'care-gap-follow-up', reason: 'wrong list', until });

  expect(made).toMatchObject({
    status: 200,
    body: { workflowType: 'care-gap-follow-up', until, isForEveryClinic: false },
  });
  expect(await pauses()).toEqual({ items: [made.body] });
  expect(await pauses(stranger)).toEqual({ items: [] });
  expect((await resume(String(made.body.id), stranger)).status).toBe(404);
  expect((await resume(String(made.body.id), staff)).status).toBe(403);

  expect((await resume(String(made.body.id))).status).toBe(204);
  expect((await resume(String(made.body.id))).status).toBe(404);
  expect(await pauses()).toEqual({ items: [] });
});

test('a pause needs a reason and an admin', async () => {
  expect((await pause({})).status).toBe(400);
  expect((await pause({ reason: 'stop' }, staff)).status).toBe(403);
});
