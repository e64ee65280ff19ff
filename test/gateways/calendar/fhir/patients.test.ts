import type { PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import { askFhir } from '@clinic/gateways/calendar/fhir/exchange';
import { emptyMemory } from '@clinic/gateways/calendar/fhir/call-memory';
import {
  birthDateThere,
  knownId,
  knownPatient,
  namedPatient,
  patientResource,
  patientThere,
} from '@clinic/gateways/calendar/fhir/patients';
import { type Said, scriptedFhir, searchset } from '../../../support/outside/scripted-fhir';

const BASE = 'https://ehr.example/fhir';

const ann: PatientNotice = {
  patientId: 'p-1',
  externalId: null,
  firstName: 'Ann',
  lastName: 'Lee',
  phone: '+1 (500) 555-0100',
  email: 'ann@example.com',
  dateOfBirth: '1990-02-03',
  address: '1 Main St',
  preferredLocation: null,
};
const annThere = (changed: object = {}) => ({
  resourceType: 'Patient',
  id: '7',
  name: [{ family: 'Lee', given: ['Ann'] }],
  birthDate: '1990-02-03',
  telecom: [{ system: 'phone', value: '5005550100' }],
  ...changed,
});

/** A server that finds these by a search, and has these by their ids. */
function serverWith(people: object[], says: Record<string, Said> = {}) {
  const server = scriptedFhir(
    BASE,
    (path) => says[path] ?? (path === 'Patient/_search' ? { body: searchset(...people) } : undefined),
  );
  return { ...server, ask: (request: Parameters<typeof askFhir>[2]) => askFhir(server.send, BASE, request) };
}

/** The id of who is found; null for nobody, the words of a refusal. */
async function found(records: object[], patient: PatientNotice, says: Record<string, Said> = {}) {
  const { ask } = serverWith(records, says);
  return patientThere(ask, patient, emptyMemory()).catch((error: { result: { fault?: string; reason?: string } }) => {
    const { fault, reason } = error.result;
    return fault ?? reason ?? error.result;
  });
}

const unborn: PatientNotice = { ...ann, phone: '+15005550100', dateOfBirth: null };

test.each<[string, object, PatientNotice, string | null]>([
  ['all is the same', {}, ann, '7'],
  ['the name has other capitals, accents and spaces', { name: [{ family: ' LÉE ', given: ['ANN'] }] }, ann, '7'],
  ['a second given name follows', { name: [{ family: 'Lee', given: ['Ann', 'Mary'] }] }, ann, '7'],
  [
    'both given names are ours',
    { name: [{ family: 'Lee', given: ['Ann', 'Mary'] }] },
    { ...ann, firstName: 'Ann Mary' },
    '7',
  ],
  [
    'one of several names is theirs',
    {
      name: [
        { family: 'Old', given: ['Ann'] },
        { family: 'Lee', given: ['Ann'] },
      ],
    },
    ann,
    '7',
  ],
  ['the family name is longer', { name: [{ family: 'Leeson', given: ['Ann'] }] }, ann, null],
  ['the given name is another', { name: [{ family: 'Lee', given: ['Anna'] }] }, ann, null],
  ['there is no name', { name: undefined }, ann, null],
  [
    'the date of birth is another',
    { birthDate: '1990-02-04' },
    ann,
    'it has a patient of this name and phone with another date of birth',
  ],
  ['the date of birth and the phone are others', { birthDate: '1990-02-04', telecom: [] }, ann, null],
  ['there is no date of birth', { birthDate: undefined }, ann, '7'],
  ['there is its year alone', { birthDate: '1990' }, ann, '7'],
  [
    'there is another year alone',
    { birthDate: '1991' },
    ann,
    'it has a patient of this name and phone with another date of birth',
  ],
  [
    'there is no date of birth, and the phone is another',
    { birthDate: undefined, telecom: [{ value: '1' }] },
    ann,
    null,
  ],
  ['there is no date of birth, and we know no phone', { birthDate: undefined }, { ...ann, phone: null }, null],
  [
    'there is no date of birth, and the name is another',
    { birthDate: undefined, name: [{ family: 'Lee', given: ['Ben'] }] },
    ann,
    null,
  ],
  ['we know no date of birth, and the phone is the same', { birthDate: undefined }, unborn, '7'],
  ['we know no date of birth, and the phone is another', { telecom: [{ value: '5005550199' }] }, unborn, null],
  ['we know no date of birth, and there is no phone', { telecom: undefined }, unborn, null],
  ['we know no date of birth, and the name is another', { name: [{ family: 'Lee', given: ['Ben'] }] }, unborn, null],
  ['we know a date of birth, and the phone is another', { telecom: [{ value: '1' }] }, ann, '7'],
  ['our date of birth is none', {}, { ...ann, dateOfBirth: '3 February' }, '7'],
  ['there is no id', { id: undefined }, ann, null],
])('somebody who is found is the patient where %s', async (_what, changed, patient, expected) => {
  expect(await found([annThere(changed)], patient)).toBe(expected);
});

test.each<[string, object[], PatientNotice, string]>([
  ['two of them', [annThere(), annThere({ id: '8' })], ann, 'it has 2 patients of this name and date of birth'],
  [
    'three by phone',
    [annThere(), annThere({ id: '8' }), annThere({ id: '9' })],
    unborn,
    'it has 3 patients of this name and phone',
  ],
  ['one who is inactive', [annThere({ active: false })], ann, 'it has this patient only as inactive or merged'],
  [
    'one who was merged',
    [annThere({ link: [{ type: 'replaced-by' }] })],
    ann,
    'it has this patient only as inactive or merged',
  ],
  ...(['firstName', 'lastName'] as const).map((name): [string, object[], PatientNotice, string] => [
    `somebody without ${name}`,
    [],
    { ...ann, [name]: '' },
    'a patient is told apart by name and date of birth, or name and phone, and these are not known',
  ]),
  [
    'somebody without date of birth and phone',
    [],
    { ...unborn, phone: null },
    'a patient is told apart by name and date of birth, or name and phone, and these are not known',
  ],
])('%s are left to staff', async (_what, records, patient, words) => {
  expect(await found(records, patient)).toBe(words);
  const { ask } = serverWith(records);
  await expect(patientThere(ask, patient, emptyMemory())).rejects.toMatchObject({
    status: records.length > 0 ? 409 : null,
  });
});

test.each<[string, object[]]>([
  ['twice the same record', [annThere(), annThere()]],
  ['one beside an inactive one', [annThere({ id: '6', active: false }), annThere()]],
  ['one beside a merged one', [annThere({ id: '6', link: [{ type: 'replaced-by' }] }), annThere()]],
  ['one that replaces another', [annThere({ link: [{ type: 'replaces' }] })]],
  ['one whose fields are no FHIR', [annThere({ active: 'yes', link: 'x', telecom: 7 })]],
])('%s are one patient', async (_what, records) => {
  expect(await found(records, ann)).toBe('7');
});

test('without a date of birth the phone alone is enough, and with one no phone', async () => {
  expect(await found([annThere()], { ...ann, phone: null })).toBe('7');
  expect(await found([annThere()], unborn)).toBe('7');
});

test('the search has names, and date of birth or phone, in the body of a POST', async () => {
  const { ask, requests } = serverWith([]);
  await patientThere(ask, { ...ann, phone: unborn.phone }, emptyMemory());
  await patientThere(ask, unborn, emptyMemory());

  const byPhone = [
    ['POST', `${BASE}/Patient/_search`, 'family=Lee&given=Ann&phone=%2B15005550100&_count=20', true],
    ['POST', `${BASE}/Patient/_search`, expect.stringContaining('&phone=5005550100%2C15005550100%2C'), true],
  ];
  expect(requests.map(({ method, url, body, isIdempotent }) => [method, url, body, isIdempotent])).toEqual([
    ['POST', `${BASE}/Patient/_search`, 'family=Lee&given=Ann&birthdate=1990-02-03&_count=20', true],
    ...byPhone,
    ...byPhone,
  ]);
});

describe('a phone that the server keeps as text', () => {
  /** A server that finds a phone by the text that it keeps. */
  const serverOf = (written: string, refuses?: number) => {
    const server = scriptedFhir(BASE, (_path, { body }) => {
      const asked = new URLSearchParams(body).get('phone')?.split(',') ?? [];
      if (refuses !== undefined && asked.length > 1) return { status: refuses };
      return { body: searchset(...(asked.includes(written) ? [annThere({ telecom: [{ value: written }] })] : [])) };
    });
    const ask = (request: Parameters<typeof askFhir>[2]) => askFhir(server.send, BASE, request);
    return { ...server, there: () => patientThere(ask, unborn, emptyMemory()) };
  };

  test.each([
    ['+15005550100', 1],
    ['5005550100', 2],
    ['15005550100', 2],
    ['(500) 555-0100', 2],
    ['500-555-0100', 2],
    ['500.555.0100', 2],
    ['500 555 0100', 2],
    ['1-500-555-0100', 2],
    ['+1 500 555 0100', 2],
  ])('as %s is found, by %d searches', async (written, searches) => {
    const server = serverOf(written);

    expect(await server.there()).toBe('7');
    expect(server.requests).toHaveLength(searches);
  });

  test.each([
    [400, null],
    [422, null],
    [503, 'unavailable'],
  ])('is looked for once where %d says that several are too many: %s', async (status, expected) => {
    const came = await serverOf('500-555-0100', status)
      .there()
      .catch(({ result }: { result: { kind: string } }) => result.kind);

    expect(came).toBe(expected);
  });
});

test.each([404, 405, 501])('a server that has no search by POST, and says %d, is asked by GET', async (status) => {
  const says = { 'Patient/_search': { status }, Patient: { body: searchset(annThere()) } };

  expect(await found([], ann, says)).toBe('7');
});

test.each([400, 403, 500])('one that says %d is not', async (status) => {
  const { ask, requests } = serverWith([], { 'Patient/_search': { status } });

  await expect(patientThere(ask, ann, emptyMemory())).rejects.toMatchObject({ status });
  expect(requests).toHaveLength(1);
});

test('a search that goes on elsewhere is left to staff', async () => {
  const link = [{ relation: 'next', url: 'https://other.example/next' }];
  const says = { 'Patient/_search': { body: { ...searchset(annThere()), link } } };

  expect(await found([], ann, says)).toBe('it finds more patients of such a name than can be compared');
});

describe('an id that we were told', () => {
  const told = { ...ann, externalId: '7' };
  const ours = { system: 'urn:clinic-workflows:patient', value: 'p-1' };
  const another = { name: [{ family: 'New' }], birthDate: '2000-01-01', telecom: [] };
  test.each<[string, Said, PatientNotice, string | null]>([
    ['is theirs', { body: annThere() }, told, '7'],
    ['is theirs by name and phone', { body: annThere({ birthDate: '2000-01-01' }) }, told, '7'],
    ['is theirs by name and date of birth', { body: annThere({ telecom: [] }) }, told, '7'],
    ['is theirs by phone and date of birth', { body: annThere({ name: [{ family: 'New' }] }) }, told, '7'],
    ['has their name alone', { body: annThere({ birthDate: '2000-01-01', telecom: [] }) }, told, null],
    ['has their date of birth alone', { body: annThere({ name: [{ family: 'New' }], telecom: [] }) }, told, null],
    ['has their phone alone', { body: annThere({ name: [{ family: 'New' }], birthDate: '2000-01-01' }) }, told, null],
    ['is one that we have made', { body: annThere({ ...another, identifier: [ours] }) }, told, '7'],
    [
      'is one that we have made for somebody else',
      { body: annThere({ ...another, identifier: [{ ...ours, value: 'p-10' }] }) },
      told,
      null,
    ],
    [
      'is one that another system has made',
      { body: annThere({ ...another, identifier: [{ value: 'p-1' }] }) },
      told,
      null,
    ],
    [
      'is somebody else’s',
      { body: annThere({ name: [{ family: 'New' }], birthDate: '2000-01-01', telecom: [] }) },
      told,
      null,
    ],
    [
      'is of nobody known, and we know no date of birth',
      { body: annThere({ name: [{ family: 'New' }], birthDate: undefined, telecom: [] }) },
      { ...told, dateOfBirth: null },
      null,
    ],
    [
      'is of nobody known, and we know no phone',
      { body: annThere({ name: [{ family: 'New' }], birthDate: '2000-01-01', telecom: [{ value: '' }] }) },
      { ...told, phone: null },
      null,
    ],
    ['is inactive', { body: annThere({ active: false }) }, told, null],
    ['was merged', { body: annThere({ link: [{ type: 'replaced-by' }] }) }, told, null],
    ['is gone', { status: 410 }, told, null],
    ['is unknown', { status: 404 }, told, null],
    ['is no id there', { status: 400 }, told, null],
    ['would lead elsewhere', { body: annThere() }, { ...told, externalId: '7/../8' }, null],
    ['is too long', { body: annThere() }, { ...told, externalId: '7'.repeat(65) }, null],
    ['is none', { body: annThere() }, ann, null],
  ])('%s', async (_what, said, patient, expected) => {
    const { ask } = serverWith([], { 'Patient/7': said });

    expect(await knownId(ask, patient)).toBe(expected);
  });

  test.each<[string, object, object[], string | null]>([
    ['has nothing of theirs', another, [], null],
    [
      'has one thing of theirs',
      { ...another, birthDate: '1990-02-03' },
      [],
      'only one of name, date of birth and phone is that of the patient whose id we were told',
    ],
    [
      'has one thing of theirs, and they are found',
      { ...another, birthDate: '1990-02-03' },
      [annThere({ id: '8' })],
      '8',
    ],
    ['is inactive', { active: false, telecom: [] }, [], null],
  ])('which %s says whether they are there', async (_what, changed, people, expected) => {
    expect(await found(people, told, { 'Patient/7': { body: annThere(changed) } })).toBe(expected);
  });

  test('is used without a search, and with one where it is somebody else’s', async () => {
    const mine = serverWith([], { 'Patient/7': { body: annThere() } });
    const other = serverWith([annThere({ id: '8' })], { 'Patient/7': { status: 404 } });

    expect(await patientThere(mine.ask, told, emptyMemory())).toBe('7');
    expect(await patientThere(other.ask, told, emptyMemory())).toBe('8');
    expect(mine.asked()).toEqual(['GET Patient/7']);
    expect(other.asked()).toEqual(['GET Patient/7', 'POST Patient/_search']);
  });
});

test.each<[string, object[], string | null]>([
  ['one', [annThere()], '1990-02-03'],
  ['nobody', [], null],
])('the date of birth of %s there', async (_what, records, expected) => {
  const { ask } = serverWith(records);

  expect(await birthDateThere(ask, ann, emptyMemory())).toBe(expected);
});

test('a year alone is no date of birth', async () => {
  const { ask } = serverWith([annThere({ birthDate: '1990' })]);

  expect(await birthDateThere(ask, unborn, emptyMemory())).toBeNull();
});

test('who was found is not looked for again in the call, who was not or is told otherwise is', async () => {
  const { ask, requests } = serverWith([annThere()]);
  const memory = emptyMemory();
  const count = async (patient: PatientNotice) => {
    await patientThere(ask, patient, memory);
    return requests.length;
  };

  expect(await count(ann)).toBe(1);
  expect(await count(ann)).toBe(1);
  expect(await count({ ...ann, lastName: 'Other', phone: null })).toBe(2);
  expect(await count({ ...ann, lastName: 'Other', phone: null })).toBe(3);
  expect(await count({ ...ann, patientId: 'p-2' })).toBe(4);
  expect(await count({ ...ann, firstName: 'Bea', phone: null })).toBe(5);
  expect(await count({ ...ann, phone: '1' })).toBe(6);
  expect(await count(unborn)).toBe(7);
  expect(await count({ ...ann, externalId: 'x y' })).toBe(8);
});

describe('who is not there', () => {
  const made = { status: 201, body: annThere({ id: '9' }) };
  test('is made under our identifier, where that is permitted', async () => {
    const { ask, requests } = serverWith([], { Patient: made });

    expect(await knownPatient(ask, ann, { mayMake: true })).toBe('9');
    expect(requests.at(-1)).toMatchObject({
      method: 'POST',
      headers: { 'if-none-exist': 'identifier=urn:clinic-workflows:patient|p-1' },
    });
  });

  test('is refused where it is not', async () => {
    const { ask, requests } = serverWith([], { Patient: made });

    await expect(knownPatient(ask, { ...ann, phone: null }, { mayMake: false })).rejects.toMatchObject({
      result: { kind: 'refused', status: 404, because: 'no_such_patient' },
    });
    expect(requests).toHaveLength(1);
  });
});

const nobody = { ...ann, firstName: '', lastName: '', phone: null, email: null, dateOfBirth: null, address: null };
const bare = {
  resourceType: 'Patient',
  identifier: [{ system: 'urn:clinic-workflows:patient', value: 'p-1' }],
  active: true,
};
test.each<[string, PatientNotice, object]>([
  ['nothing', nobody, {}],
  ['a family name', { ...nobody, lastName: 'Lee' }, { name: [{ use: 'official', family: 'Lee' }] }],
  ['a first name', { ...nobody, firstName: 'Ann' }, { name: [{ use: 'official', given: ['Ann'] }] }],
  [
    'both',
    { ...nobody, firstName: 'Ann', lastName: 'Lee' },
    { name: [{ use: 'official', family: 'Lee', given: ['Ann'] }] },
  ],
  ['a phone', { ...nobody, phone: '+1' }, { telecom: [{ system: 'phone', value: '+1', use: 'mobile' }] }],
  ['a mail address', { ...nobody, email: 'a@b.c' }, { telecom: [{ system: 'email', value: 'a@b.c' }] }],
  ['a date of birth', { ...nobody, dateOfBirth: '1990-02-03' }, { birthDate: '1990-02-03' }],
  ['an address', { ...nobody, address: '1 Main St' }, { address: [{ text: '1 Main St' }] }],
])('of whom %s is known is written as that', (_what, patient, expected) => {
  expect(patientResource(patient)).toEqual({ ...bare, ...expected });
});

describe('the test patient', () => {
  const named = async (body: object) => {
    const { ask, asked } = serverWith([], { 'Patient/7': { body } });
    const patient = await namedPatient(ask, 'Patient/7');
    expect(asked()).toEqual(['GET Patient/7']);
    return patient;
  };

  test('has the first whole name, and a date of birth where it is whole', async () => {
    const name = [
      { family: 'Half' },
      { given: ['Half'] },
      { family: 'None', given: [] },
      { family: 'Lee', given: ['Ann', 'B'] },
    ];

    expect(await named(annThere({ name }))).toEqual({
      externalId: '7',
      firstName: 'Ann',
      lastName: 'Lee',
      birthDate: '1990-02-03',
    });
    expect(await named(annThere({ birthDate: '1990' }))).toMatchObject({ birthDate: null });
  });

  test.each([[[]], [[{ family: 'Lee' }]], [undefined]])('cannot be used with the name %j', async (name) => {
    await expect(named(annThere({ name }))).rejects.toMatchObject({ result: { kind: 'unusable' } });
  });
});
