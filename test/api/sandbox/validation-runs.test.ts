import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ValidationRun } from '@clinic/shared/contracts/sandbox/validation-runs';
import { behaviours, behavioursAt, judgeRun } from '@clinic/shared/domain/sandbox/readiness/behaviours';
import { areas } from '@clinic/shared/domain/sandbox/readiness/judging';
import { refusals } from '@clinic/shared/domain/calendar/refusals';
import type { DevClinic } from '@clinic/accounts/seed';
import { MAX_EXCHANGES } from '@clinic/prisma/stores/sandbox/validation-runs';
import { type App, startApp } from '../../support/app';
import { eventually } from '../../support/eventually';
import { aMatch, aNote, openSandbox } from '../../support/fhir';
import { exchangesOf, planted, plantedContext } from '../../support/planted-exchanges';

let app: App;

const judge = (id: string, steps: Parameters<typeof exchangesOf>[0]) =>
  behaviours.find((each) => each.id === id)?.judge(exchangesOf(steps), plantedContext);

const canBeMended = ['paging-to-the-end', 'lost-move', 'token-renewed', 'workflow-followed'];

test('every behaviour has exchanges planted that pass it, and those that can fail some that do', () => {
  expect(Object.keys(planted)).toEqual(behaviours.map(({ id }) => id));
});

test.each(Object.entries(planted))('%s is told from what was exchanged', (id, { good, bad }) => {
  expect(judge(id, [])).toEqual({ verdict: 'not_seen' });
  expect(judge(id, good)).toMatchObject({ verdict: 'passed' });
  if (bad !== null)
    expect(judge(id, bad)).toMatchObject({ verdict: 'failed', why: expect.stringMatching(/^[A-Z].*[^.]$/) });
  // Who fails once has failed, however well it goes on; but what was left undone can still be done.
  if (bad !== null && !canBeMended.includes(id))
    expect(judge(id, [...bad, ...good])).toMatchObject({ verdict: 'failed' });
});

test('a created appointment is judged as a booking, and a changed one as a move or a cancellation', () => {
  const start = '2026-12-01T16:00:00.000Z';
  const [wish, unkeyed, keyed] = [{}, { start, key: null, patient: 'p1' }, { start, patient: 'p1', appointment: 'a1' }];
  const verdictOf = (id: string, steps: Parameters<typeof exchangesOf>[0]) =>
    judgeRun(exchangesOf(steps), plantedContext).find(({ behaviour }) => behaviour.id === id)?.finding.verdict;

  expect(verdictOf('book-with-key', [['create', wish]])).toBe('not_seen');
  expect(verdictOf('book-with-key', [['create', unkeyed]])).toBe('failed');
  expect(verdictOf('book-with-key', [['create', keyed]])).toBe('passed');
  expect(verdictOf('move-with-key', [['change', { start, key: null }]])).toBe('failed');
  expect(verdictOf('move-with-key', [['change', { start, key: null, hasVersion: true }]])).toBe('passed');
  expect(verdictOf('appointment-from-reply', [['change', { cancels: true, appointment: 'a1' }]])).toBe('failed');
  expect(
    verdictOf('appointment-from-reply', [
      ['create', keyed],
      ['change', { cancels: true, appointment: 'a1' }],
    ]),
  ).toBe('passed');
});

test('docs/readiness.md names every behaviour and every reason of a refusal as the registry does', () => {
  const file = join(__dirname, '../../../docs/readiness.md');
  const page = readFileSync(file, 'utf8');
  const generated = page
    .replace(between('behaviours'), `$1${behaviourTables()}$2`)
    .replace(between('refusals'), `$1${refusalTable()}$2`);
  if (process.env.WRITE_PAGES) writeFileSync(file, generated);

  expect(withoutPadding(page)).toBe(withoutPadding(generated));
});

const between = (name: string) => new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n<!-- end of ${name} -->)`);
/** The formatter aligns tables. */
const withoutPadding = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/\| ?:?-+:? ?(?=\|)/g, '| - ');
const cell = (text: string) => text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;');

function behaviourTables(): string {
  const tables = areas
    .map((area) => {
      const rows = behaviours
        .filter((each) => each.area === area)
        .map(({ id, title, howToCause }) => `| \`${id}\` | ${cell(title)} | ${cell(howToCause)} |`);
      return [
        `\n### ${area}\n`,
        '| Name | What a good client does | How it is brought about |',
        '| - | - | - |',
        ...rows,
      ].join('\n');
    })
    .join('\n');
  return `${tables}\n`;
}

function refusalTable(): string {
  const rows = Object.entries(refusals).map(
    ([reason, { status, means, toDo }]) => `| \`${reason}\` | ${status} | ${cell(means)} | ${cell(toDo)} |`,
  );
  return ['\n| Reason | Status | What it means | What to do |', '| - | - | - | - |', ...rows].join('\n') + '\n';
}

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
});
afterAll(() => app.stop());

const begin = async (clinic: DevClinic, body: object = {}): Promise<ValidationRun> => {
  const { status, text, body: run } = await app.request('POST', '/validation-runs', { body, bearer: clinic.apiKey });
  if (status !== 200) throw new Error(text);
  return run;
};
const show = async (clinic: DevClinic, { id }: { id: string }): Promise<ValidationRun> =>
  (await app.request('GET', `/validation-runs/${id}`, { bearer: clinic.apiKey })).body;
const end = async (clinic: DevClinic, { id }: { id: string }): Promise<ValidationRun> =>
  (await app.request('POST', `/validation-runs/${id}/end`, { bearer: clinic.apiKey })).body;
/** What is answered to who tells a run of something: the status, the code and the words. */
async function tell(what: string, { id }: { id: string }, bearer: string) {
  const body = what === 'handled-events' ? { webhookId: 'a-webhook' } : undefined;
  const { status, body: said } = await app.request('POST', `/validation-runs/${id}/${what}`, { body, bearer });
  return [status, said?.code, said?.message];
}

test('what is watched is stored soon, each time something comes, though nobody looks at the run', async () => {
  const clinic = await app.addClinic();
  const fhir = await openSandbox(app, clinic);
  const run = await begin(clinic);
  const stored = async () => (await app.stores.validationRuns.exchangesOf(clinic.clinicId, run.id)).length;

  for (const count of [1, 2]) {
    await fhir.match('MRN-1001');
    await eventually(async () => (await stored()) === count);
  }

  expect(await stored()).toBe(2);
});

test('a clinic has one run at a time, sees nothing of others, and nothing is watched without one', async () => {
  const [clinic, other] = await Promise.all([app.addClinic(), app.addClinic()]);
  const bearer = clinic.apiKey;
  expect(await app.request('POST', '/validation-runs', { body: {}, bearer })).toMatchObject({
    status: 403,
    body: { code: 'forbidden', message: 'The sandbox EMR is not enabled for this clinic' },
  });
  const [fhir, elsewhere] = [await openSandbox(app, clinic), await openSandbox(app, other)];
  await fhir.match('MRN-1001');
  const run = await begin(clinic);

  await elsewhere.match('MRN-1001');
  await fhir.match('MRN-1001');
  expect((await show(clinic, run)).exchanges).toBe(1);
  expect(await app.request('POST', '/validation-runs', { body: {}, bearer })).toMatchObject({
    status: 409,
    body: { code: 'conflict', message: `The validation run ${run.id} is under way; end it first` },
  });
  const handled = (by = bearer) => tell('handled-events', run, by);
  expect(await handled(other.apiKey)).toEqual([404, 'not_found', `Validation run ${run.id} not found`]);
  expect((await app.request('GET', `/validation-runs/${run.id}`, { bearer: other.apiKey })).status).toBe(404);
  await begin(other);

  await end(clinic, run);
  await fhir.match('MRN-1001');
  expect((await show(clinic, run)).exchanges).toBe(1);
  const over = [409, 'conflict', 'The validation run has ended'];
  expect([await tell('events', run, bearer), await handled()]).toEqual([over, over]);
  const { body: list } = await app.request('GET', '/validation-runs', { bearer });
  expect(list.items).toMatchObject([
    { id: run.id, state: 'ended', exchanges: 1, score: { of: behavioursAt(plantedContext).length } },
  ]);
});

test('a refusal says why in a header, again under its key too, and a refused time names the nearest that would do', async () => {
  const clinic = await app.addClinic();
  const fhir = await openSandbox(app, clinic);
  const patient = await fhir.aPatient();
  const starts = (await fhir.slots()).map(({ start }) => start);
  // Of a whole day: today may have but one slot left, which is far from all others.
  const [first, second, third, fourth] = starts.filter((start) => start.slice(0, 10) !== starts[0]!.slice(0, 10));
  await fhir.book({ patient, start: second! });
  const key = { 'idempotency-key': 'one-key' };

  const taken = await fhir.book({ patient, start: second! }, key);
  const repeated = await fhir.book({ patient, start: second! }, key);

  expect(taken).toMatchObject({ status: 409, text: repeated.text });
  expect(taken.headers.get('x-refusal-reason')).toBe('slot_taken');
  expect(taken.headers.get('x-nearest-slots')).toBe([first, third, fourth].join(', '));
  expect(repeated.headers.get('x-refusal-reason')).toBe('slot_taken');
  const reasonOf = async (asked: Promise<{ headers: Headers }>) => (await asked).headers.get('x-refusal-reason');
  expect(await reasonOf(fhir.book({ patient: 'nobody', start: first! }))).toBe('unknown_patient');
  expect(await reasonOf(fhir.book({ patient, start: first!, provider: 'Dr.Nobody' }))).toBe('unknown_practitioner');
  expect(await reasonOf(fhir.book({ patient, start: '2020-01-06T16:00:00.000Z' }))).toBe('in_the_past');
  expect(await reasonOf(fhir.cancel('nowhere'))).toBe('unknown_appointment');
  expect(await reasonOf(fhir.book({ patient, start: first! }, key))).toBe('key_reused');
  expect(await reasonOf(fhir.get('/Slot'))).toBe('invalid_request');
  expect(await reasonOf(fhir.ask('GET', '/Slot', { bearer: 'a-token-that-nobody-has' }))).toBe('unauthenticated');
  expect(await reasonOf(fhir.match('MRN-1001'))).toBeNull();
});

test('what is kept of a run says of nobody who they are, and is bounded', async () => {
  const clinic = await app.addClinic();
  const fhir = await openSandbox(app, clinic);
  const run = await begin(clinic);
  const { body } = await fhir.match('MRN-1001');
  const { id, name, telecom } = body.entry[0].resource;
  await fhir.post('/DocumentReference', aNote(id, 'Prefers mornings'));
  await fhir.post('/Patient/$match', aMatch(''));
  await fhir.get(`/Slot?schedule=Schedule/Dr.Chen&_count=500`);
  await show(clinic, run);

  const [row] = await app.database.sql<{ kept: string | null }>`
    select string_agg(e::text, ' ') as kept from observed_exchanges e where clinic_id = ${clinic.clinicId}`;
  const kept = row?.kept ?? '';
  expect(kept).toContain(id);
  for (const secret of ['MRN-1001', name[0].family, telecom[0].value, 'Prefers', fhir.staff, btoa('Prefers mornings')])
    expect(kept).not.toContain(secret);

  const one = (await app.stores.validationRuns.exchangesOf(clinic.clinicId, run.id))[0]!;
  await app.stores.validationRuns.observe(
    clinic.clinicId,
    run.id,
    Array.from({ length: MAX_EXCHANGES }, () => one),
  );
  await fhir.match('MRN-1001');
  expect(await show(clinic, run)).toMatchObject({ exchanges: MAX_EXCHANGES, isFull: true });
  const purge = { clinicId: clinic.clinicId, kind: 'observed_exchanges' as const, from: null, until: new Date() };
  expect(await app.stores.retention.purge(purge, 5_000)).toBe(0);
  const ended = await end(clinic, run);
  expect(await app.stores.retention.purge(purge, 5_000)).toBe(MAX_EXCHANGES);
  expect(await show(clinic, run)).toEqual(ended);
});

test('an id that PostgreSQL cannot hold costs no exchange, neither its own nor one beside it', async () => {
  const clinic = await app.addClinic();
  const fhir = await openSandbox(app, clinic);
  const run = await begin(clinic);

  const [refused, matched] = await Promise.all([fhir.get('/Appointment?patient=Patient/a%00'), fhir.match('MRN-1001')]);

  expect([refused.status, matched.status]).toEqual([400, 200]);
  expect(await show(clinic, run)).toMatchObject({ exchanges: 2 });
});

test('a patient whom an earlier run made, changes of R4 without a version and a note that ends in Latin-1 are seen', async () => {
  const clinic = await app.addClinic();
  const fhir = await openSandbox(app, clinic);
  const body = { showsNextAppointmentOnly: false, takesChangesUnseen: false };
  await app.request('PATCH', '/sandbox/leniency', { body, bearer: fhir.admin });
  const earlier = await begin(clinic);
  await fhir.match('NOBODY-8');
  await end(clinic, earlier);
  const run = await begin(clinic);
  const made = (await fhir.match('NOBODY-8')).body.entry[0].resource.id;
  const [one] = await fhir.slotsAhead();
  const { body: appointment, headers } = await fhir.post('/Appointment', {
    resourceType: 'Appointment',
    status: 'booked',
    start: one!.start,
    participant: [
      { actor: { reference: `Patient/${made}` }, status: 'accepted' },
      { actor: { reference: 'Practitioner/Dr.Chen' }, status: 'accepted' },
    ],
  });
  const path = `/Appointment/${appointment.id}`;
  const ended = { ...appointment, status: 'cancelled' };
  const etag = { 'if-match': headers.get('etag') ?? '' };
  const unversioned = await fhir.ask('PUT', path, { body: ended });
  await fhir.ask('PUT', path, { body: ended, headers: etag });
  await fhir.get(path);
  await fhir.get(`${path}/_history`);
  const stale = await fhir.ask('PUT', path, { body: ended, headers: etag });
  await fhir.ask('PUT', path, { body: ended, headers: etag });
  const note = aNote(made);
  note.content[0]!.attachment.data = Buffer.from('Café', 'latin1').toString('base64');
  await fhir.post('/DocumentReference', note);

  const { behaviours: judged, exchanges } = await show(clinic, run);
  const of = (wanted: string) => judged.find(({ id }) => id === wanted);
  expect([unversioned.status, stale.status, exchanges]).toEqual([428, 412, 10]);
  expect(of('made-patient-unused')).toMatchObject({ verdict: 'failed', shownBy: { request: 'POST /Appointment' } });
  expect(of('version-sent')).toMatchObject({
    verdict: 'failed',
    shownBy: { operation: 'change', request: 'PUT /Appointment/:id', status: 428 },
  });
  expect(of('version-changed')).toMatchObject({ verdict: 'failed', shownBy: { request: 'PUT /Appointment/:id' } });
  expect(of('booking-read-back')).toMatchObject({ verdict: 'passed', shownBy: { request: 'GET /Appointment/:id' } });
  expect(of('note-in-utf8')).toMatchObject({ verdict: 'failed', why: 'The text of the note is not UTF-8' });
});

test('a run whose time is over ends by itself', async () => {
  const clinic = await app.addClinic();
  const fhir = await openSandbox(app, clinic);
  const run = await begin(clinic, { minutes: 1 });
  await fhir.match('MRN-1001');
  await show(clinic, run);
  await app.database.sql`
    update validation_runs set started_at = started_at - interval '1 hour', ends_at = ends_at - interval '1 hour'
    where id = ${run.id}`;

  const late = await tell('events', run, clinic.apiKey);
  const next = await begin(clinic);

  expect(late).toEqual([409, 'conflict', 'The validation run has ended']);
  expect(await show(clinic, run)).toMatchObject({ state: 'ended', exchanges: 1 });
  expect(next.id).not.toBe(run.id);
});
