import { FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import { checkFhir, type FhirCheckOptions, shownName } from '@clinic/gateways/calendar/fhir/check';
import { OutboundError } from '@clinic/gateways/http/safe-http';
import { type Said, scriptedFhir, searchset as bundle } from '../../../support/outside/scripted-fhir';

const NOW = '2035-03-01T08:00:00.000Z';
const allPermitted = ['patient.upsert', 'appointment.book', 'appointment.cancel', 'document.write', 'insurance.verify'];

const resource = (type: string, codes: string[], params?: string[], more: object = {}) => ({
  type,
  interaction: codes.map((code) => ({ code })),
  ...(params && { searchParam: params.map((name) => ({ name })) }),
  ...more,
});
const writes = ['read', 'create', 'update', 'search-type'];
const whole = {
  Patient: resource('Patient', ['create', 'search-type'], undefined, { conditionalCreate: true }),
  Schedule: resource('Schedule', ['search-type']),
  Slot: resource('Slot', ['search-type', 'update']),
  Appointment: resource('Appointment', writes, ['identifier', 'patient', 'date', 'actor'], {
    operation: [{ name: 'book' }, { name: 'hold' }],
  }),
  DocumentReference: resource('DocumentReference', ['create']),
  CoverageEligibilityRequest: resource('CoverageEligibilityRequest', ['create']),
};
type Types = Record<string, object>;
const statementOf = (types: Types = whole, more: object = {}) => ({
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: Object.values(types), interaction: [{ code: 'transaction' }], ...more }],
});
const without = (...names: (keyof typeof whole)[]): Types =>
  Object.fromEntries(Object.entries(whole).filter(([name]) => !names.some((each) => each === name)));
const appointments = (
  codes = writes,
  params = ['identifier', 'patient', 'date', 'actor'],
  operations: string[] = [],
) => ({
  ...whole,
  Appointment: resource('Appointment', codes, params, { operation: operations.map((name) => ({ name })) }),
});

const free = {
  resourceType: 'Slot',
  id: 'at-9',
  status: 'free',
  start: '2035-03-05T09:00:00Z',
  schedule: { reference: 'Schedule/s7' },
};
const answers: Record<string, Said> = {
  'Practitioner/7': { body: { resourceType: 'Practitioner', id: '7', name: [{ family: 'Vega', given: ['Ana'] }] } },
  'Location/north': { body: { resourceType: 'Location', id: 'north', name: 'North' } },
  'Patient/test': { body: { resourceType: 'Patient', id: 'test' } },
  Patient: { body: bundle() },
  Schedule: {
    body: bundle({ resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] }),
  },
  Slot: { body: bundle(free) },
  Location: { body: bundle({ resourceType: 'Location', id: 'north' }) },
  HealthcareService: { body: bundle({ resourceType: 'HealthcareService', id: 'h' }) },
};

interface Given {
  fhir?: object;
  says?: Record<string, Said | Error>;
  statement?: Said | Error;
  names?: FhirCheckOptions['names'];
  known?: unknown;
}

/** What the check finds, as `path code`, with `!` for a problem. */
async function check({ fhir = {}, says = {}, statement = { body: statementOf() }, names, known }: Given = {}) {
  const baseUrl = 'https://ehr.example/fhir/';
  const server = scriptedFhir(baseUrl, (path) => says[path] ?? answers[path]);
  const patient = scriptedFhir(baseUrl, () => statement);
  const checked = await checkFhir({
    send: server.send,
    sendPatiently: patient.send,
    baseUrl,
    settings: FhirSettings.parse({
      permitted: allPermitted,
      providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }],
      visitTypes: [{ name: 'Follow-up', system: 'urn:types', code: 'FU' }],
      locations: [{ name: 'North', reference: 'Location/north' }],
      ...fhir,
    }),
    names: names ?? { providers: [{ name: 'Dr.Vega', visitTypes: ['Follow-up'] }] },
    known,
    now: () => new Date(NOW),
  });
  const found = checked.findings.map(({ path, code, isProblem }) => `${path} ${code}${isProblem ? '!' : ''}`);
  const patiently = patient.requests.map(({ method, url, isIdempotent }) => `${method} ${url} ${isIdempotent}`);
  return { ...checked, found, asked: server.asked(), patiently };
}

const rows = [
  'auth found',
  'fhir.providers.0.reference found',
  'fhir.locations.0.reference found',
  'fhir.visitTypes.0.code found',
];
const patientUpsert = 'fhir.permitted.0';
const book = 'fhir.permitted.1';
const cancel = 'fhir.permitted.2';

test('a server that has everything has no finding but that each row is there', async () => {
  const { found, asked, patiently, capabilities, declared } = await check({ fhir: { testPatient: 'Patient/test' } });

  expect(found).toEqual([rows[0], 'fhir.testPatient found', ...rows.slice(1)]);
  expect(capabilities).toEqual({
    canBook: true,
    canHold: true,
    hasSlots: true,
    findsAppointments: true,
    showsBusyTimes: true,
    marksSlots: true,
  });
  expect(declared).toEqual(statementOf());
  expect(patiently).toEqual(['GET https://ehr.example/fhir/metadata false']);
  expect(asked.map((each) => each.replace('GET ', ''))).toEqual([
    'Schedule?actor=Practitioner/7',
    'Patient?identifier=urn:clinic-workflows:patient|none&_count=1',
    'Patient/test',
    'Practitioner/7',
    'Location/north',
    `Slot?service-type=urn:types|FU&start=ge${NOW}&_count=1`,
    `Slot?schedule=Schedule/s7&status=free&start=ge${NOW}&start=lt2035-03-29T08:00:00.000Z&_count=50`,
    'Schedule?_count=1&_total=accurate',
    'Location?_count=1&_total=accurate',
    'HealthcareService?_count=1&_total=accurate',
  ]);
});

test.each<[string, Types, string[], object?]>([
  [
    'no creation of patients',
    { ...whole, Patient: resource('Patient', ['search-type']) },
    [`${patientUpsert} cannot_do!`],
  ],
  [
    'no conditional creation of patients',
    { ...whole, Patient: resource('Patient', ['create', 'search-type'], undefined, { conditionalCreate: false }) },
    [`${patientUpsert} works_otherwise`],
  ],
  [
    'no search for patients',
    { ...whole, Patient: resource('Patient', ['create'], undefined, { conditionalCreate: true }) },
    ['fhir.permitted cannot_do!'],
  ],
  ['a way to book and none to create', appointments(['read', 'update', 'search-type'], undefined, ['$book']), []],
  ['a creation and no way to book', appointments(), [`${book} works_otherwise`]],
  ['neither', appointments(['read', 'update', 'search-type']), [`${book} cannot_do!`, `${book} works_otherwise`]],
  ['no search for slots', { ...whole, Slot: resource('Slot', ['update']) }, [`${book} works_otherwise`]],
  ['no search for schedules', { ...whole, Schedule: resource('Schedule', ['read']) }, [`${book} works_otherwise`]],
  [
    'no search for appointments',
    appointments(['read', 'create', 'update'], undefined, ['book']),
    [`${book} works_otherwise`],
  ],
  [
    'no search for appointments by identifier',
    appointments(writes, ['patient', 'date', 'actor'], ['book']),
    [`${book} works_otherwise`],
  ],
  [
    'no update of appointments',
    appointments(['read', 'create', 'search-type'], undefined, ['book']),
    [`${book} cannot_do!`, `${cancel} cannot_do!`],
  ],
  [
    'no reading of appointments',
    appointments(['create', 'update', 'search-type'], undefined, ['book']),
    [`${book} cannot_do!`, `${cancel} cannot_do!`],
  ],
  [
    'no update of appointments, which are booked anew where they move',
    appointments(['read', 'create', 'search-type'], undefined, ['book']),
    [],
    { rescheduling: 'cancel-and-rebook', permitted: ['appointment.book'] },
  ],
  [
    'no update of appointments, where moved ones are updated',
    appointments(['read', 'create', 'search-type'], undefined, ['book']),
    ['fhir.permitted.0 cannot_do!'],
    { permitted: ['appointment.book'] },
  ],
  [
    'no update of appointments, where the old one is to be cancelled',
    appointments(['read', 'create', 'search-type'], undefined, ['book']),
    ['fhir.permitted.0 cannot_do!', 'fhir.permitted.1 cannot_do!'],
    { rescheduling: 'cancel-and-rebook', permitted: ['appointment.book', 'appointment.cancel'] },
  ],
  ['no creation of notes', without('DocumentReference'), ['fhir.permitted.3 cannot_do!']],
  ['no questions about insurance', without('CoverageEligibilityRequest'), ['fhir.permitted.4 cannot_do!']],
  ['no search for patients, whom nothing is about', without('Patient'), [], { permitted: ['appointment.cancel'] }],
  [
    'no search for patients, where insurance alone is asked about',
    without('Patient'),
    [],
    { permitted: ['insurance.verify'] },
  ],
  [
    'no search for patients, for notes',
    without('Patient'),
    ['fhir.permitted cannot_do!'],
    { permitted: ['document.write'] },
  ],
])('of a server with %s it is said', async (_what, types, expected, fhir = {}) => {
  const { found } = await check({ statement: { body: statementOf(types) }, fhir });

  expect(found.filter((each) => each.startsWith('fhir.permitted'))).toEqual(expected);
});

test.each<[string, object, RegExp]>([
  [
    'a search by actor and date',
    statementOf(appointments()),
    /looked at before and after, and the slot is marked as busy/,
  ],
  ['no transactions', statementOf(appointments(), { interaction: [{ code: 'batch' }] }), /looked at before and after$/],
  [
    'no update of slots',
    statementOf({ ...appointments(), Slot: resource('Slot', ['search-type']) }),
    /looked at before and after$/,
  ],
  ['no search by actor', statementOf(appointments(writes, ['identifier', 'patient', 'date'])), /can be booked twice$/],
  ['no search by date', statementOf(appointments(writes, ['identifier', 'patient', 'actor'])), /can be booked twice$/],
])('what keeps two from one time without $book is told: %s', async (_what, body, words) => {
  const { findings } = await check({ statement: { body } });

  expect(
    findings
      .filter(({ path }) => path === book)
      .map(({ message }) => message)
      .at(-1),
  ).toMatch(words);
});

test.each<[string, Types, RegExp[]]>([
  ['everything', whole, []],
  ['no slots', without('Slot'), [/no free time could be offered/]],
  [
    'no identifiers',
    appointments(writes, ['patient', 'date', 'actor'], ['book']),
    [/nobody would know what is booked/],
  ],
  [
    'no search by patient',
    appointments(writes, ['identifier', 'date', 'actor'], ['book']),
    [/appointment could not be looked up/],
  ],
  [
    'no search by date',
    appointments(writes, ['identifier', 'patient', 'actor'], ['book']),
    [/appointment could not be looked up/],
  ],
  [
    'no search for appointments',
    appointments(['read', 'create', 'update'], undefined, ['book']),
    [/nobody would know what is booked/, /appointment could not be looked up/],
  ],
  ['a search by actor in place of $book', appointments(), []],
  ['neither', appointments(writes, ['identifier', 'patient', 'date']), [/one practitioner's time/]],
])('calls act at a server with %s as far as this lets them', async (_what, types, words) => {
  const fhir = { isOn: true, isLive: true };
  const statement = { body: statementOf(types) };

  const { findings } = await check({ statement, fhir });
  const told = await check({ statement });

  const live = findings.filter(({ path }) => path === 'fhir.isLive');
  expect(live.map(({ code, isProblem }) => [code, isProblem])).toEqual(words.map(() => ['cannot_do', true]));
  words.forEach((each, index) => expect(live[index]?.message).toMatch(each));
  expect(told.found.filter((each) => each.startsWith('fhir.isLive'))).toEqual([]);
});

test.each([
  ['4.0.1', []],
  ['4.3.0', []],
  ['3.0.2', ['baseUrl wrong_version!']],
  ['5.0.0', ['baseUrl wrong_version!']],
])('a server of FHIR %s', async (fhirVersion, expected) => {
  const { found } = await check({ statement: { body: { ...statementOf(), fhirVersion } } });

  expect(found).toEqual([...expected, ...rows]);
});

const fault = (code: string) => ({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] });

test.each<[string, Said | Error, string]>([
  ['another resource', { body: { resourceType: 'Bundle' } }, 'baseUrl not_fhir!'],
  ['a page of words with 200', { body: 'hello' }, 'baseUrl not_fhir!'],
  ['nothing there', { status: 404, body: fault('not-found') }, 'baseUrl not_fhir!'],
  ['a fault in a success', { status: 200, body: fault('invalid') }, 'baseUrl not_fhir!'],
  ['no access', { status: 401 }, 'auth no_credentials!'],
  ['no right', { status: 403 }, 'auth no_credentials!'],
  ['a refusal', { status: 400 }, 'baseUrl unknown_there!'],
  ['a fault of its own', { status: 500 }, 'baseUrl unreachable!'],
  ['no token', new OutboundError('unauthorized', 'it gives no token'), 'auth no_credentials!'],
  ['no connection', new OutboundError('network', 'no connection'), 'baseUrl unreachable!'],
])('a statement that cannot be read for %s is the one finding', async (_what, statement, expected) => {
  const { found, asked, capabilities, declared } = await check({ statement });

  expect({ found, asked, capabilities, declared }).toEqual({
    found: [expected],
    asked: [],
    capabilities: null,
    declared: null,
  });
});

test('a fault of our own is not told as one of the server', async () => {
  await expect(check({ statement: new TypeError('ours') })).rejects.toThrow('ours');
});

describe('what it has declared before', () => {
  test('is not read again where nothing is wrong with it', async () => {
    const { found, patiently, declared } = await check({ known: statementOf() });

    expect({ found, patiently, declared }).toEqual({ found: rows, patiently: [], declared: null });
  });

  test.each([
    ['has a problem', statementOf(without('DocumentReference'))],
    ['cannot be read any more', { resourceType: 'CapabilityStatement' }],
  ])('is read again where it %s', async (_what, known) => {
    const { found, patiently, declared } = await check({ known });

    expect(found).toEqual(rows);
    expect(patiently).toHaveLength(1);
    expect(declared).toEqual(statementOf());
  });
});

test('of a statement what is asked for is kept, and of the rest nothing', async () => {
  const others = ['CoverageEligibilityResponse', 'HealthcareService', 'Location', 'Practitioner', 'PractitionerRole'];
  const asked = { ...whole, ...Object.fromEntries(others.map((type) => [type, resource(type, ['read'])])) };
  const { declared } = await check({
    statement: { body: statementOf({ ...asked, Medication: resource('Medication', ['read']) }) },
  });

  expect(declared).toEqual(statementOf(asked));
});

test.each([
  ['of the resource', statementOf(appointments(writes, undefined, ['appointment-book', 'appointment-hold']))],
  ['of the server', statementOf(appointments(), { operation: [{ name: '$book' }, { name: 'appointment-hold' }] })],
])('operations are read where they are those %s', async (_what, body) => {
  const { capabilities } = await check({ statement: { body } });

  expect(capabilities).toMatchObject({ canBook: true, canHold: true });
});

test('what is declared of a client is nothing that the server does, and no mode is that of a server', async () => {
  const [rest] = statementOf().rest;
  const asClient = { ...statementOf({}), rest: [{ ...rest, mode: 'client' }, ...statementOf({}).rest] };
  const unsaid = { ...statementOf(), rest: [{ ...rest, mode: undefined }] };

  const client = await check({ statement: { body: asClient } });
  const plain = await check({ statement: { body: unsaid } });

  expect(client.capabilities).toMatchObject({ canBook: false, hasSlots: false });
  expect(plain.found).toEqual(rows);
});

describe('a row', () => {
  const [auth = '', provider = '', location = '', visitType = ''] = rows;
  test.each<[string, Record<string, Said | Error>, string[]]>([
    [
      'that is not there is a problem',
      { 'Practitioner/7': { status: 404 } },
      [auth, 'fhir.providers.0.reference unknown_there!', location, visitType],
    ],
    [
      'that is another resource is a problem',
      { 'Location/north': { body: { resourceType: 'Practitioner', id: 'north' } } },
      [auth, provider, 'fhir.locations.0.reference unreachable!', visitType],
    ],
    [
      'of a code without a slot to come is none',
      { Slot: { body: bundle() } },
      [auth, provider, location, 'fhir.visitTypes.0.code not_offered', 'fhir.providers.0.reference no_free_time'],
    ],
    [
      'that cannot be asked for now is a problem',
      { 'Location/north': { status: 503 } },
      [auth, provider, 'fhir.locations.0.reference unreachable!', visitType],
    ],
    [
      'of patients says that the credentials do not open them',
      { Patient: { status: 403 } },
      ['auth no_credentials!', provider, location, visitType],
    ],
  ])('%s', async (_what, says, expected) => {
    const { found } = await check({ says });

    expect(new Set(found)).toEqual(new Set(expected));
    expect(found).toHaveLength(expected.length);
  });

  test('of a code is not tried where the server has no slots', async () => {
    const { found, asked } = await check({ statement: { body: statementOf(without('Slot')) } });

    expect(found).toContain('fhir.visitTypes.0.code not_tried');
    expect(asked.filter((each) => /GET (Slot|Schedule\?actor)/.test(each))).toEqual([]);
  });

  test('of a code without a system is searched by the code alone', async () => {
    const { asked } = await check({ fhir: { visitTypes: [{ name: 'Follow-up', code: 'FU' }] } });

    expect(asked).toContainEqual(expect.stringContaining('service-type=FU&'));
  });

  test('of patients is not tried where insurance alone is asked about', async () => {
    const { found } = await check({ fhir: { permitted: ['insurance.verify'] } });

    expect(found).toEqual(rows.slice(1));
  });
});

describe('the times of the providers', () => {
  const live = { isOn: true, isLive: true };
  const noSchedule = { Schedule: { body: bundle() } };

  test.each<[string, Given, string[]]>([
    ['a provider without a schedule', { says: noSchedule }, ['fhir.providers.0.reference no_schedule']],
    ['the same where calls act there', { says: noSchedule, fhir: live }, ['fhir.providers.0.reference no_schedule!']],
    [
      'a provider without a schedule, who is unknown too',
      { says: { ...noSchedule, 'Practitioner/7': { status: 404 } } },
      [],
    ],
    ['no booking permitted', { says: noSchedule, fhir: { permitted: ['patient.upsert'] } }, []],
    ['schedules that cannot be searched', { says: { Schedule: { status: 400 } } }, ['fhir.providers unknown_there!']],
    ['slots that cannot be searched', { says: { Slot: { status: 500 } } }, ['fhir.providers unreachable!']],
    [
      'nobody who is mapped',
      { fhir: { providers: [] }, says: { Schedule: { status: 400 } }, names: { providers: [] } },
      [],
    ],
    [
      'times that are taken on the first page alone',
      {
        says: {
          Slot: {
            body: {
              ...bundle({ ...free, status: 'busy' }),
              link: [{ relation: 'next', url: 'https://ehr.example/fhir/more' }],
            },
          },
          more: { body: bundle(free) },
        },
      },
      [],
    ],
    [
      'times that are taken all',
      { says: { Slot: { body: bundle({ ...free, status: 'busy' }) } } },
      ['fhir.providers.0.reference no_free_time'],
    ],
  ])('%s', async (_what, given, expected) => {
    const { found } = await check(given);

    expect(found.filter((each) => /no_schedule|no_free_time|^fhir.providers /.test(each))).toEqual(expected);
  });
});

test('of a provider without a schedule no free time is asked for', async () => {
  const { asked } = await check({ says: { Schedule: { body: bundle() } } });

  expect(asked.filter((each) => each.includes('Slot?schedule'))).toEqual([]);
});

test('where the server is too slow for all of them, what is left is told as not tried', async () => {
  const clock = jest
    .spyOn(performance, 'now')
    .mockReturnValueOnce(0)
    .mockReturnValueOnce(25_000)
    .mockReturnValue(25_001);

  const { found } = await check({ fhir: { testPatient: 'Patient/test' } });
  clock.mockRestore();

  expect(found).toEqual([
    rows[0],
    'fhir.testPatient found',
    ...rows.slice(1, 3),
    'fhir.visitTypes.0.code not_tried!',
    'fhir.providers.0.reference not_tried',
    'fhir.providers not_tried',
    'fhir.locations not_tried',
    'fhir.visitTypes not_tried',
  ]);
});

test.each<[string, Said, string[]]>([
  [
    'more of them',
    { body: { ...bundle({ resourceType: 'Location', id: 'north' }), total: 4 } },
    ['fhir.locations counts_differ'],
  ],
  ['as many', { body: { ...bundle(), total: 1 } }, []],
  ['none, or does not count', { body: { ...bundle(), total: 0 } }, []],
  ['no word of them', { status: 400 }, []],
])('a server that has %s than locations are mapped', async (_what, said, expected) => {
  const { found } = await check({ says: { Location: said } });

  expect(found.filter((each) => each.startsWith('fhir.locations '))).toEqual(expected);
});

test('names of ours without a row, and rows without a name of ours, are told once each where bookings are', async () => {
  const names = {
    providers: [
      { name: 'Dr.New', visitTypes: ['Check', 'Follow-up'] },
      { name: 'Dr.Old', visitTypes: ['Check'] },
    ],
  };
  const gaps = async (fhir: object) =>
    (await check({ names, fhir })).findings
      .filter(({ code }) => code === 'unmapped' || code === 'not_here')
      .map(({ path, code, isProblem, message }) => [path, code, isProblem, message.split(' ')[0]]);

  expect(await gaps({})).toEqual([
    ['fhir.providers', 'not_here', false, 'Dr.Vega'],
    ['fhir.providers', 'unmapped', true, 'Dr.New'],
    ['fhir.providers', 'unmapped', true, 'Dr.Old'],
    ['fhir.visitTypes', 'unmapped', false, 'Check'],
  ]);
  expect(await gaps({ visitTypes: [{ name: 'Laser', code: 'L' }] })).toContainEqual([
    'fhir.visitTypes',
    'not_here',
    false,
    'Laser',
  ]);
  expect(await gaps({ permitted: ['appointment.cancel'] })).toEqual([]);
  expect(await gaps({ permitted: ['appointment.book'] })).toHaveLength(4);
});

test.each<[Record<string, unknown>, string | null]>([
  [{ name: 'North' }, 'North'],
  [{ name: [{ text: 'Dr. Ana Vega', family: 'Vega', given: ['Ana'] }] }, 'Dr. Ana Vega'],
  [{ name: [{ family: 'Vega', given: ['Ana', 'Luz'] }] }, 'Ana Luz Vega'],
  [{ name: [{ family: 'Vega' }] }, 'Vega'],
  [{ name: [{ given: ['Ana'] }] }, 'Ana'],
  [{ name: [] }, null],
  [{}, null],
])('%j is shown as %s', (named, shown) => {
  expect(shownName(named)).toBe(shown);
});
