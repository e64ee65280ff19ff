import { openRecords, type Records } from '../../support/records';

let records: Records;

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

/** The last names of the patients, cases and calls that a search finds, each newest first. */
async function found(search: string, clinicId = records.clinicId) {
  const { stores } = records;
  const [patients, cases, calls] = await Promise.all([
    stores.patientRecords.list(clinicId, { search, limit: 50, now: new Date() }),
    stores.caseRecords.list(clinicId, { search, limit: 50 }),
    stores.callRecords.list(clinicId, { search, limit: 50 }),
  ]);
  const names = (page: { items: { patient: { lastName: string } }[] }) =>
    page.items.map(({ patient }) => patient.lastName);
  return { patients: patients.items.map(({ lastName }) => lastName), cases: names(cases), calls: names(calls) };
}

/** A person with a case and a call, known from a form alone unless registered. */
async function aPerson(lastName: string, about: { firstName?: string; phone?: string; sessionId?: string } = {}) {
  const { clinicId, stores } = records;
  const { firstName = 'Ann', phone = '+12025550100', sessionId = `form-${lastName}-${firstName}` } = about;
  const opened = await stores.runs.openRecovery({
    clinicId,
    sessionId,
    patient: { firstName, lastName, phone },
    form: {},
  });
  await stores.calls.openTestCall({
    clinicId,
    workflowType: null,
    patientId: opened.patientId ?? '',
    workflowId: opened.workflowId,
    caseId: opened.caseId,
  });
  return opened;
}

const everywhere = (lastName: string) => ({ patients: [lastName], cases: [lastName], calls: [lastName] });
const nothing = { patients: [], cases: [], calls: [] };

describe('a search', () => {
  test.each([
    ['Zoë', 'O’Brien-Núñez', 'zoe obrien'],
    ['Zoë', 'O’Brien-Núñez', "NUNEZ o'brien"],
    ['Zoë', 'O’Brien-Núñez', 'o brien'],
    ['Zoë', 'O’Brien-Núñez', 'núñez zo'],
    ['Søren', 'Łukasz', 'lukasz soren'],
    ['Jürgen', 'Straßer', 'strasser'],
    ['Jürgen', 'Straßer', 'Juergen'],
    ['Uwe', 'Schröder', 'schroeder'],
    ['Uwe', 'Schröder', 'SCHROEDER uwe'],
    ['Uwe', 'Schröder', 'schroder'],
    ['Götz', 'Mueller', 'Müller'],
    ['Götz', 'Mueller', 'goetz muller'],
    ['Ann', "D'Angelo", 'd’angelo'],
    ['Ann', "D'Angelo", 'dangelo'],
    ['Dmitri', 'Иванов', 'ИВАНОВ'],
    ['Wei', '王伟', '王伟'],
  ])('finds %s %s by "%s", in any order and however it is written', async (firstName, lastName, search) => {
    const known = await found(search);
    if (known.patients.length === 0) await aPerson(lastName, { firstName });

    expect(await found(search)).toEqual(everywhere(lastName));
  });

  test.each([
    ['(917) 555-0142'],
    ['917.555.0142'],
    ['+1 917 555 0142'],
    ['0019175550142'],
    ['555-0142'],
    ['９１７５５５０１４２'],
  ])('finds a phone written as %s', async (search) => {
    if ((await found('Dialled')).patients.length === 0) await aPerson('Dialled', { phone: '+19175550142' });

    expect(await found(search)).toEqual(everywhere('Dialled'));
  });

  test.each([['020 7946 0991'], ['+44 (0)20 7946 0991'], ['0044 20 7946 0991']])(
    'finds a phone of another country written as %s',
    async (search) => {
      if ((await found('Abroad')).patients.length === 0) await aPerson('Abroad', { phone: '+442079460991' });

      expect(await found(search)).toEqual(everywhere('Abroad'));
    },
  );

  test('finds by four digits whose phone or identifier ends in them', async () => {
    await aPerson('Ending', { phone: '+19175551225' });
    await aPerson('Within', { phone: '+19171225555' });
    await records.aPatient({ lastName: 'Dated', birthDate: '1980-12-25' });
    const id = await records.aPatient({ lastName: 'Numbered' });
    await records.database.sql`update patients set identifier = 'MRN-1225' where id = ${id}`;

    for (const search of ['1225', ' 1225 ', '１２２５']) {
      const { patients, ...others } = await found(search);
      expect([search, patients.toSorted(), others]).toEqual([
        search,
        ['Ending', 'Numbered'],
        { cases: ['Ending'], calls: ['Ending'] },
      ]);
    }
    expect((await found('ending 1225')).patients).toEqual(['Ending']);
  });

  test('finds who was born on a day, and by an address of e-mail', async () => {
    const id = await records.aPatient({ lastName: 'Born', birthDate: '1931-07-29' });
    await records.stores.patientRecords.change(records.clinicId, id, { email: 'first.born@mail.example' });

    expect((await found('1931-07-29')).patients).toEqual(['Born']);
    for (const search of ['born 1931-07-29', '1931-07-29, Born', 'born 1931.07.29'])
      expect((await found(search)).patients).toEqual(['Born']);
    expect((await found('born 1931-07-28')).patients).toEqual([]);
    expect((await found('first.born@mail.example')).patients).toEqual(['Born']);
  });

  test('finds a case by part of its session, whatever the case of its letters', async () => {
    await aPerson('Session', { sessionId: 'Checkout_4711-XyZ' });

    for (const search of ['checkout_4711-xyz', '4711-X', 'Checkout_4711-XyZ']) {
      expect((await found(search)).cases).toEqual(['Session']);
    }
    expect((await found('checkout%4711')).cases).toEqual([]);
  });

  test('finds a name that has changed by the new one alone', async () => {
    const { patientId } = await aPerson('Maiden');
    await records.stores.patientRecords.change(records.clinicId, patientId ?? '', { lastName: 'Wedded' });

    expect(await found('wedded')).toEqual(everywhere('Wedded'));
    expect((await found('maiden')).patients).toEqual([]);
  });

  test.each([['%'], ['_'], ['\\'], ["'"], ['...'], ['nobodywhohasthisname'], ['ann nobodywhohasthisname']])(
    'finds nothing for %s',
    async (search) => {
      expect(await found(search)).toEqual(nothing);
    },
  );

  test('finds nobody of another clinic', async () => {
    await aPerson('Ours');

    expect(await found('ours', records.otherClinicId)).toEqual(nothing);
  });

  test('goes through its pages once, with the other filters', async () => {
    for (const firstName of ['Ada', 'Bea', 'Cleo', 'Dora', 'Eve']) await aPerson('Pager', { firstName });
    const { caseRecords } = records.stores;

    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await caseRecords.list(records.clinicId, { search: 'pager', open: true, limit: 2, cursor });
      seen.push(...page.items.map(({ patient }) => patient.firstName));
      cursor = page.nextCursor;
    }

    expect(seen).toEqual(['Eve', 'Dora', 'Cleo', 'Bea', 'Ada']);
    expect((await caseRecords.list(records.clinicId, { search: 'pager', open: false, limit: 2 })).items).toEqual([]);
  });
});
