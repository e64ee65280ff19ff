import { optOutHeader, optOutRows, readOptOuts } from '@clinic/api/routes/outreach/opt-out-csv';
import { optOutScopes, optOutSources } from '@clinic/shared/domain/outreach/opt-out';
import { type App, startApp } from '../../support/app';

let app: App;
let admin: string;
let staff: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  [admin, staff] = await Promise.all([app.admin(), app.staff()]);
});
afterAll(() => app.stop());

const send = async (body: string, bearer = admin, type = 'text/csv', query = '') => {
  const response = await fetch(`${app.baseUrl}/integrations/opt-outs/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': type },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const exported = async (bearer = admin) => {
  const response = await fetch(`${app.baseUrl}/integrations/opt-outs/export`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};

test('a list is taken row by row, and what cannot be read is named by its line', async () => {
  const file = [
    '\uFEFFname, phone ,scope,createdAt',
    '"Ada, Example",+15005550301,all,2026-01-02T03:04:05Z',
    'Bo,(303) 555-0302,recovery_and_reminders,',
    '',
    'Cy,12,all,',
    'Di,,all,',
    'Ed,+15005550305,everything,',
    'Fo,+15005550306,all,tomorrow',
    'Gu,+15005550301,recovery_and_reminders,',
  ].join('\r\n');

  const { status, body } = await send(file);

  expect(status).toBe(200);
  expect(body).toEqual({
    rows: 7,
    added: 2,
    widened: 0,
    refused: [
      { line: 5, message: 'phone cannot be read as a phone number, as (201) 555-0123 or +12015550123' },
      { line: 6, message: 'phone is missing' },
      { line: 7, message: 'scope must be all or recovery_and_reminders' },
      { line: 8, message: 'createdAt is not an ISO 8601 timestamp' },
    ],
  });
  const stored = await app.stores.optOuts.list(app.clinic.clinicId, { phone: '+15005550301', limit: 1 });
  expect(stored.items[0]).toMatchObject({
    scope: 'all',
    source: 'import',
    addedBy: expect.stringMatching(/^account:/),
  });
  expect(stored.items[0]?.createdAt.toISOString()).toBe('2026-01-02T03:04:05.000Z');
});

test('numbers are read as people of the clinic’s country write them, and an example is one of theirs', () => {
  expect(readOptOuts('phone\n020 7946 0112\nsoon', 'GB')).toMatchObject({
    entries: [{ phone: '+442079460112' }],
    refused: [{ line: 3, message: 'phone cannot be read as a phone number, as 07400 123456 or +447400123456' }],
  });
});

test('an export is what an import takes, and taking it again changes nothing', async () => {
  await send('phone,createdAt\n+15005550311,\n+15005550312,\n+15005550313,2026-01-02T03:04:05Z');

  const { status, type, text } = await exported();
  const again = await send(text);

  expect(status).toBe(200);
  expect(type).toMatch(/^text\/csv/);
  expect(text.split('\n')[0]).toBe('phone,scope,source,addedBy,createdAt');
  expect(text).toContain('+15005550312,all,import,account:');
  expect(text).toMatch(/^\+15005550313,all,import,account:[^,]+,2026-01-02T03:04:05\.000Z$/m);
  expect(again.body).toMatchObject({ added: 0, widened: 0, refused: [] });
  expect((await exported()).text).toBe(text);
});

test('a row of an export says of which phone it is, what is not wanted, who told it and when', () => {
  const records = optOutScopes.flatMap((scope) =>
    optOutSources.map((source) => ({
      id: `of-${source}`,
      phone: '+15005550300',
      scope,
      source,
      addedBy: source === 'staff' ? 'account:one, "two"' : `by:${source}`,
      createdAt: new Date('2026-01-02T03:04:05.678Z'),
      clinicId: 'clinic',
    })),
  );

  const [header, ...rows] = (optOutHeader() + optOutRows(records)).split('\n');

  const end = '2026-01-02T03:04:05.678Z';
  expect(header).toBe('phone,scope,source,addedBy,createdAt');
  expect(rows).toEqual([
    ...optOutScopes.flatMap((scope) =>
      optOutSources.map((source) => {
        const addedBy = source === 'staff' ? '"account:one, ""two"""' : `by:${source}`;
        return `+15005550300,${scope},${source},${addedBy},${end}`;
      }),
    ),
    '',
  ]);
});

const agoOrAhead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
test.each([
  ['a minute ago', agoOrAhead(-1), null],
  ['in ten minutes', agoOrAhead(10), 'createdAt is in the future'],
  ['in a hundred years', '2199-12-31T23:59:59+14:00', 'createdAt is in the future'],
  ['at no time', '', null],
  ['on a day that there is not', '2026-02-30T10:00:00Z', 'createdAt is not an ISO 8601 timestamp'],
  ['as a word', 'now', 'createdAt is not an ISO 8601 timestamp'],
])('a row that was added %s is taken or refused', (_when, createdAt, message) => {
  const read = readOptOuts(`phone,scope,createdAt\n+15005550371,,${createdAt}`, 'US');

  const entry = { phone: '+15005550371', scope: 'all', createdAt: createdAt === '' ? null : createdAt };
  expect(read).toEqual({
    rows: 1,
    entries: message === null ? [entry] : [],
    refused: message === null ? [] : [{ line: 2, message }],
  });
});

test.each<[scope: string, taken: string | null]>([
  ['all', 'all'],
  ['recovery_and_reminders', 'recovery_and_reminders'],
  ['', 'all'],
  ['ALL', null],
  ['none', null],
])('a row with the scope %p is of %p', (scope, taken) => {
  const { entries, refused } = readOptOuts(`createdAt,scope,phone\n,${scope},+15005550372`, 'US');

  const entry = { phone: '+15005550372', scope: taken, createdAt: null };
  expect(entries).toEqual(taken === null ? [] : [entry]);
  const message = 'scope must be all or recovery_and_reminders';
  expect(refused).toEqual(taken === null ? [{ line: 2, message }] : []);
});

test('a scope is widened by an import and never narrowed', async () => {
  await send('phone,scope\n+15005550321,recovery_and_reminders');

  expect((await send('phone,scope\n+15005550321,all')).body).toMatchObject({ added: 0, widened: 1 });
  expect((await send('phone,scope\n+15005550321,recovery_and_reminders')).body).toMatchObject({ added: 0, widened: 0 });
});

test('what is no such file is refused as a whole', async () => {
  expect(await send('number\n+15005550331')).toMatchObject({
    status: 400,
    body: { message: 'The first line must name the columns, and one of them must be phone' },
  });
  expect(await send('phone\n"+15005550332')).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('The file is not CSV') },
  });
  expect((await send('phone\n+15005550333', staff)).status).toBe(403);
  expect((await send('{}', admin, 'application/json')).status).toBe(415);
  expect(() => readOptOuts(`phone\n${'+15005550334\n'.repeat(20_001)}`, 'US')).toThrow('more than 20000 rows');
});

const header = 'The first line must name the columns, and one of them must be phone';
test.each([
  ['nothing', '', header],
  ['a header without phone', 'number\n+15005550331', header],
  ['another case', 'Phone\n+15005550331', header],
  ['columns between semicolons', 'phone;scope\n+15005550331;all', header],
  ['an open quote', 'phone\n+15005550331\n"x', 'The file is not CSV at line 3: csv quote not closed'],
  ['text behind a quote', 'phone\n"a"b', 'The file is not CSV at line 2: csv invalid closing quote'],
  ['a quote within a text', 'phone\na"b', 'The file is not CSV at line 2: invalid opening quote'],
])('a file of %s is refused with what is wrong, and where', async (_what, file, message) => {
  const { status, body } = await send(file === '' ? '\n' : file);

  expect([status, body.code, body.message]).toEqual([400, 'bad_request', message]);
  expect(body.details).toEqual([{ path: '', message }]);
});

test.each([
  ['of a header alone', 'phone', [], []],
  ['with a row that is too short', 'phone,scope\n+15005550381', ['+15005550381'], []],
  ['with a row that is too long', 'phone\n+15005550381,all', ['+15005550381'], []],
  ['with empty lines', '\n\nphone\n\n+15005550381\n\n12\n', ['+15005550381'], [7]],
  ['with quotes and lines as of Windows', '"phone"\r\n"+15005550381"\r\n', ['+15005550381'], []],
  ['with phone as its last column', 'name,phone\nAda,+15005550381\nBo', ['+15005550381'], [3]],
])('a file %s is read', (_what, file, phones, lines) => {
  const { entries, refused } = readOptOuts(file, 'US');

  expect(entries.map(({ phone }) => phone)).toEqual(phones);
  expect(refused.map(({ line }) => line)).toEqual(lines);
});

test('a preview says what would become of the rows, and takes none', async () => {
  await send('phone,scope\n+15005550351,recovery_and_reminders');
  const file = 'phone\n+15005550351\n+15005550352\n12';

  const preview = await send(file, admin, 'text/csv', '?preview=true');

  expect(preview.body).toMatchObject({ rows: 3, added: 1, widened: 1, refused: [{ line: 4 }] });
  expect((await exported()).text).not.toContain('+15005550352');
  expect((await send(file)).body).toEqual(preview.body);
});

test('the list is found by a part of a number and by the name of who has it, in its own clinic alone', async () => {
  const { clinicId } = app.clinic;
  const name = { firstName: 'Quentin', lastName: 'Ashdown', phone: '+15005550361' };
  await app.database.prisma.patient.createMany({
    data: [
      { id: 'opted-out', clinicId, ...name },
      { id: 'elsewhere', clinicId: app.otherClinic.clinicId, ...name },
    ],
  });
  await send('phone\n+15005550361');
  const found = async (search: string) => {
    const { items } = await app.stores.optOuts.list(clinicId, { search, limit: 10 });
    return items.map(({ phone, patients }) => [phone, patients.map(({ id }) => id)]);
  };

  expect(await found('ashdown')).toEqual([['+15005550361', ['opted-out']]]);
  expect(await found('555 0361')).toEqual([['+15005550361', ['opted-out']]]);
  expect(await found('361')).toContainEqual(['+15005550361', ['opted-out']]);
  expect(await found('61')).toEqual([]);
  expect(await found('nobody')).toEqual([]);
});

test("the other clinic's list is not in it", async () => {
  await send('phone\n+15005550341');

  expect((await exported(await app.signIn(app.otherClinic))).text).not.toContain('+15005550341');
});

test('a list of thousands is exported whole, each number once', async () => {
  const clinic = await app.addClinic();
  await app.database.sql`
    insert into opt_outs (id, clinic_id, phone)
    select 'opt-out-' || n, ${clinic.clinicId}, '+1500556' || lpad(n::text, 4, '0') from generate_series(1, 2001) n`;

  const { text } = await exported(await app.signIn(clinic));

  const phones = text.match(/\+1500556\d{4}/g) ?? [];
  expect([phones.length, new Set(phones).size]).toEqual([2_001, 2_001]);
});
