import type { Database } from '@clinic/prisma/client';
import { type SearchReads, searchedIn } from '@clinic/prisma/stores/search';
import { fill } from '../../support/fill';
import { openRecords, type Records } from '../../support/records';

let records: Records;

beforeAll(async () => {
  records = await openRecords();
  const { database, clinicId, otherClinicId } = records;
  await fill(database, { clinicIds: [clinicId, otherClinicId], cases: 1_600 });
});
afterAll(() => records.close());

/** Found by reading every row. */
async function everyRow(database: Database, clinicId: string, search: string) {
  const [found] = await database.sql<{ patients: string[]; cases: string[]; calls: string[] }>`
    with people as (
      select id, created_at from patients
      where clinic_id = ${clinicId} and search_text like all (search_patterns(${search})) and search_patterns(${search}) <> '{}'
    )
    select
      coalesce((select array_agg(id order by created_at desc, id desc) from people), '{}') as patients,
      coalesce((
        select array_agg(id order by created_at desc, id desc) from recovery_cases
        where clinic_id = ${clinicId} and (patient_id in (select id from people) or strpos(lower(session_id), lower(${search})) > 0)), '{}') as cases,
      coalesce((
        select array_agg(id order by created_at desc, id desc) from calls
        where clinic_id = ${clinicId} and patient_id in (select id from people)), '{}') as calls`;
  if (!found) throw new Error('a query without a table has a row');
  return found;
}

type Ordered = { limit: number; order?: 'newest' | 'oldest' };

test.each<[string, (asked: Ordered) => Promise<{ items: { id: string }[] }>]>([
  ['patients', (asked) => records.stores.patientRecords.list(records.clinicId, { ...asked, now: new Date() })],
  ['cases', (asked) => records.stores.caseRecords.list(records.clinicId, asked)],
  ['calls', (asked) => records.stores.callRecords.list(records.clinicId, asked)],
  ['tasks', (asked) => records.stores.tasks.list(records.clinicId, asked)],
  ['deliveries', (asked) => records.stores.deliveries.list(records.clinicId, asked)],
])('the newest %s come first where no order is named', async (_what, list) => {
  const usual = idsOf(await list({ limit: 20 }));

  expect(usual).toEqual(idsOf(await list({ limit: 20, order: 'newest' })));
  expect(usual).not.toEqual(idsOf(await list({ limit: 20, order: 'oldest' })));
});

const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
const exact = <Row extends { isSimilar: boolean }>({ items }: { items: Row[] }) => ({
  items: items.filter(({ isSimilar }) => !isSimilar),
});
const totalOf = (ids: string[]) => ({ count: Math.min(ids.length, 1_000), isMore: ids.length > 1_000 });

describe('among thousands, a search', () => {
  test.each([
    ['maria'],
    ['m'],
    ['garcía ana'],
    ['kim'],
    ['quillfeather'],
    ['(303) 000-1042'],
    ['13030001042'],
    ['1042'],
    ['mail.example'],
    ['nobodyhasthisname'],
    ['...'],
  ])('for "%s" finds what reading every row finds, and counts it', async (search) => {
    const { stores, clinicId, database } = records;
    const every = await everyRow(database, clinicId, search);
    const { caseRecords, callRecords, patientRecords } = stores;

    expect({
      patients: idsOf(exact(await patientRecords.list(clinicId, { search, limit: 50, now: new Date() }))),
      cases: idsOf(await caseRecords.list(clinicId, { search, limit: 50 })),
      calls: idsOf(await callRecords.list(clinicId, { search, limit: 50 })),
    }).toEqual({
      patients: every.patients.slice(0, 50),
      cases: every.cases.slice(0, 50),
      calls: every.calls.slice(0, 50),
    });
    expect({
      patients: await patientRecords.count(clinicId, { search }),
      cases: await caseRecords.count(clinicId, { search, zone: 'UTC' }),
      calls: await callRecords.count(clinicId, { search }),
    }).toEqual({ patients: totalOf(every.patients), cases: totalOf(every.cases), calls: totalOf(every.calls) });
  });

  test('finds and counts what it may mean in either of two ways, each once', async () => {
    const { stores, clinicId, database } = records;
    const [search, orSearch] = ['kim', 'quillfeather'];
    const every = [
      ...(await everyRow(database, clinicId, search)).patients,
      ...(await everyRow(database, clinicId, orSearch)).patients,
    ];
    const asked = { search, orSearch };

    const page = await stores.patientRecords.list(clinicId, { ...asked, limit: 200, now: new Date() });
    expect(idsOf(page).toSorted()).toEqual([...new Set(every)].toSorted());
    expect(await stores.patientRecords.count(clinicId, asked)).toEqual(totalOf([...new Set(every)]));
    expect(await stores.patientRecords.count(clinicId, { search: 'nobodyhasthisname', orSearch })).toEqual(
      await stores.patientRecords.count(clinicId, { search: orSearch }),
    );
  });

  test.each([
    ['maria', 'kim'],
    ['kim', 'maria'],
    ['maria', 'nobodyhasthisname'],
    ['nobodyhasthisname', 'maria'],
    ['maria garcía', 'm'],
  ])('for "%s" or else "%s" has the newest of both on its first page, however short that is', async (...words) => {
    const [search, orSearch] = words;
    const { stores, clinicId, database } = records;
    const every = await database.sql<{ id: string }>`
      select id from patients
      where clinic_id = ${clinicId} and (
        (search_text like all (search_patterns(${search})) and search_patterns(${search}) <> '{}')
        or (search_text like all (search_patterns(${orSearch})) and search_patterns(${orSearch}) <> '{}'))
      order by created_at desc, id desc limit 50`;
    const page = async (limit: number) =>
      idsOf(exact(await stores.patientRecords.list(clinicId, { search, orSearch, limit, now: new Date() })));

    for (const limit of [1, 5, 50])
      expect([limit, await page(limit)]).toEqual([limit, every.slice(0, limit).map(({ id }) => id)]);
  });

  test('for a misspelled name finds those that are written nearly so, below whom the words find', async () => {
    const { database, stores, clinicId, otherClinicId } = records;
    await database.sql`
      insert into patients (id, clinic_id, first_name, last_name, patient_type, created_at)
      values ('right', ${clinicId}, 'Thessalia', 'Marsh', 'EXISTING', now() - interval '9 days'),
        ('as-typed', ${clinicId}, 'Thessalya', 'Frost', 'EXISTING', now() - interval '10 days'),
        ('elsewhere', ${otherClinicId}, 'Thessalia', 'Marsh', 'EXISTING', now())`;
    const found = async (search: string) =>
      (await stores.patientRecords.list(clinicId, { search, limit: 50, now: new Date() })).items.map(
        ({ id, isSimilar }) => [id, isSimilar],
      );

    expect(await found('Thessalya')).toEqual([
      ['as-typed', false],
      ['right', true],
    ]);
    expect(await found('thessalya marsch')).toContainEqual(['right', true]);
    expect(await found('thess')).toHaveLength(2);
  });

  test('finds a name that was typed with a slip in each word, also beside a birth date, where nobody has what was typed', async () => {
    const { database, stores, clinicId, otherClinicId } = records;
    await database.sql`
      insert into patients (id, clinic_id, first_name, last_name, birth_date, patient_type, created_at)
      values ('slipped', ${clinicId}, 'Omri', 'Falkner', '2000-10-02', 'EXISTING', now()),
        ('slipped-elsewhere', ${otherClinicId}, 'Omri', 'Falkner', '2000-10-02', 'EXISTING', now())`;
    const found = async (search: string) =>
      (await stores.patientRecords.list(clinicId, { search, limit: 50, now: new Date() })).items.map(
        ({ id, isSimilar }) => [id, isSimilar],
      );

    for (const search of ['omir fakner', 'FALKNER omry', 'faklner', 'fqlkner', 'falkener', 'fakner 2000-10-02'])
      expect([search, await found(search)]).toEqual([search, [['slipped', true]]]);
    for (const search of ['fakner 2000-10-03', 'faxxner', 'omir quibble', 'fakner 5550199'])
      expect([search, await found(search)]).toEqual([search, []]);
    const flores = (await stores.patientRecords.list(clinicId, { search: 'floers', limit: 50, now: new Date() })).items;
    expect([...new Set(flores.map(({ lastName }) => lastName))]).toEqual(['Flores']);
    const { items } = await stores.patientRecords.list(clinicId, { search: 'shroeder', limit: 50, now: new Date() });
    expect([...new Set(items.map(({ lastName, isSimilar }) => `${lastName} ${isSimilar}`))]).toEqual(['Schröder true']);
  });

  test('for what more than two thousand are called counts the cases and calls of those among the newest', async () => {
    const { database, stores, clinicId } = records;
    const { workflowId, patientId, caseId } = await records.aCase();
    await stores.calls.openTestCall({ clinicId, workflowType: null, patientId, workflowId, caseId });
    await database.sql`update patients set last_name = 'Vandermeer' where id = ${patientId}`;
    await database.sql`
      insert into patients (id, clinic_id, first_name, last_name, patient_type)
      select 'alike-' || n, ${clinicId}, 'Ann', 'Vandermeer', 'EXISTING' from generate_series(1, 2001) n`;
    const search = 'vandermeer';

    const counted = [
      await stores.caseRecords.count(clinicId, { search }),
      await stores.callRecords.count(clinicId, { search }),
    ];
    const listed = [
      idsOf(await stores.caseRecords.list(clinicId, { search, limit: 50 })),
      (await stores.callRecords.list(clinicId, { search, limit: 50 })).items.map((call) => call.caseId),
    ];

    expect(listed).toEqual([[caseId], [caseId]]);
    expect(counted).toEqual([
      { count: 1, isMore: true },
      { count: 1, isMore: true },
    ]);
  });

  test('for a common word finds the cases of those who are called so and those of whose session it is a part', async () => {
    const { database, stores, clinicId } = records;
    const { caseId } = await records.aCase({ sessionId: 'form-MARIA-1' });
    const { cases } = await everyRow(database, clinicId, 'maria');

    const found = idsOf(await stores.caseRecords.list(clinicId, { search: 'maria', limit: 50 }));

    expect(cases.length).toBeGreaterThan(51);
    expect(found).toContain(caseId);
    expect(found).toEqual(cases.slice(0, 50));
  });

  test('finds a case by its whole session and by parts of it', async () => {
    const { database, stores, clinicId } = records;
    const [of] = await database.sql<{ id: string; session: string }>`
      select id, session_id as session from recovery_cases where clinic_id = ${clinicId} order by created_at offset 900 limit 1`;
    const session = of?.session ?? '';

    for (const search of [session, session.toUpperCase(), session.slice(3, -3), session.slice(-10)])
      expect([search, idsOf(await stores.caseRecords.list(clinicId, { search, limit: 50 }))]).toEqual([
        search,
        [of?.id],
      ]);
    // Its ends are the ones that the index is asked for.
    const other = `${session.slice(0, 12)}-${session.slice(13)}`;
    expect((await stores.caseRecords.list(clinicId, { search: other, limit: 50 })).items).toEqual([]);
  });
});

describe('where words are common', () => {
  /** Ids that match, by their place among all rows from the newest on, of which the index over words finds every one. */
  async function asked({ places, isCounted }: { places: number[]; isCounted?: boolean }) {
    const read: string[] = [];
    const page = (some: number[]) => some.slice(0, 51).map((place) => ({ id: String(place) }));
    const reads: SearchReads = {
      async amongFirst(_tx, { atMost }) {
        read.push(`newest ${atMost}`);
        return page(places.filter((place) => place < atMost));
      },
      async byWords(_tx, { atMost }) {
        read.push(`words ${atMost}`);
        const isEvery = places.length < atMost;
        const none = [{ id: null }];
        return (isEvery ? page(places) : none).map((row) => ({ ...row, matches: Math.min(places.length, atMost) }));
      },
    };
    return { read, ...(await searchedIn(records.database, { search: 'words', limit: 50, isCounted }, reads)) };
  }
  const from = (first: number, step: number, count: number) =>
    Array.from({ length: count }, (_, n) => first + n * step);
  const firstOf = (places: number[]) => places.slice(0, 51).map(String);

  test.each([
    ['in every row', from(0, 1, 9_000), ['newest 1000']],
    ['in one of a hundred', from(0, 100, 9_000), ['newest 1000', 'newest 12500']],
    ['in one of five hundred', from(0, 500, 900), ['newest 1000', 'words 2001']],
    ['in one of three hundred, of very many', from(0, 300, 9_000), ['newest 1000', 'words 2001', 'newest 20000']],
    ['in old rows alone', from(50_000, 1, 9_000), ['newest 1000', 'words 2001', 'newest 20000', 'words 1000000000']],
  ])('%s, a page is the newest of them', async (_, places, read) => {
    expect(await asked({ places })).toEqual({ read, ids: firstOf(places), isCut: true });
  });

  test('what is counted is cut where only old rows have them', async () => {
    const places = [3, 7, ...from(50_000, 1, 9_000)];

    expect(await asked({ places, isCounted: true })).toEqual({
      read: ['newest 1000', 'words 2001', 'newest 20000'],
      ids: ['3', '7'],
      isCut: true,
    });
  });
});
