import { type App, startApp } from '../../support/app';
import { fill } from '../../support/fill';

let app: App;
let bearer: string;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  bearer = await app.admin();
  await fill(app.database, { clinicIds: [app.clinic.clinicId], cases: 260 });
  await app.database.sql`
    update staff_tasks set state = 'OPEN', resolved_at = null, due_on = case when length(id) % 2 = 0 then date '2030-01-01' + (ascii(id) % 7) end
    where clinic_id = ${app.clinic.clinicId}`;
});
afterAll(() => app.stop());

const get = (path: string) => app.request('GET', path, { bearer });

// oxlint-disable-next-line typescript/no-explicit-any
type Row = any;

/** All rows of a list, read page by page. */
async function allOf(list: string, order: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await get(`${list}&limit=37&order=${order}${cursor}`);
    if (status !== 200) throw new Error(`${list} by ${order}: ${status}`);
    rows.push(...body.items);
    if (body.nextCursor === null) return rows;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

const idOf = (row: Row): string => row.id ?? row.recoveryCaseId;

test.each([
  ['/cases?', 'newest', 'oldest'],
  ['/cases?search=garcia', 'newest', 'oldest'],
  ['/calls?', 'newest', 'oldest'],
  ['/calls?search=garcia', 'newest', 'oldest'],
  ['/deliveries?', 'newest', 'oldest'],
  ['/tasks?', 'newest', 'oldest'],
  ['/tasks?', 'due', '-due'],
  ['/patients?', 'newest', 'oldest'],
  ['/patients?search=garcia', 'newest', 'oldest'],
  ['/patients?', 'name', '-name'],
] as const)('%s by %s is, page by page, the other way round of %s', async (list, one, other) => {
  const [there, back] = await Promise.all([allOf(list, one), allOf(list, other)]);

  expect(there.length).toBeGreaterThan(list.includes('search') ? 3 : 40);
  expect(new Set(there.map(idOf)).size).toBe(there.length);
  expect(back.map(idOf)).toEqual(there.map(idOf).toReversed());
});

test('patients by name stand as in a register, however a name is written', async () => {
  const people = [
    { firstName: 'Ängla', lastName: 'Aaberg' },
    { firstName: 'bea', lastName: 'AABERG' },
    { firstName: 'Cé', lastName: 'Áaberg' },
  ];
  for (const person of people.toReversed()) {
    await app.request('POST', '/patients', { bearer, body: { ...person, phone: '+13035550171' } });
  }

  const { body } = await get('/patients?order=name&limit=3');
  const listed = await allOf('/patients?', 'name');

  expect(body.items).toMatchObject(people);
  const names = listed.map(({ lastName }) =>
    lastName
      .normalize('NFKD')
      .replaceAll(/[^a-z]/gi, '')
      .toLowerCase(),
  );
  expect(names).toEqual(names.toSorted((one, other) => (one < other ? -1 : Number(one > other))));
});

test('a cursor is for the order that it was given out in, it holds no name, and what is searched for is read by time', async () => {
  const { body } = await get('/patients?order=name&limit=3');
  const cursor = encodeURIComponent(body.nextCursor);
  const inAnother = await get(`/patients?limit=3&cursor=${cursor}`);
  const withSearch = await get('/patients?order=name&search=garcia');
  const unknown = await get('/cases?order=due');

  expect([inAnother.status, withSearch.status, unknown.status]).toEqual([400, 400, 400]);
  expect(withSearch.body.details).toMatchObject([{ path: 'order' }]);
  const said = Buffer.from(body.nextCursor.split('.')[0], 'base64url').toString();
  for (const { firstName, lastName } of body.items) {
    expect(said).not.toContain(firstName);
    expect(said).not.toContain(lastName);
  }
});
