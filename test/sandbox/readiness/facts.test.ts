import type { Request } from 'express';
import { factsOf, operationOf } from '@clinic/sandbox/readiness/facts';
import { type Operation, operations } from '@clinic/shared/domain/sandbox/exchange';

interface Given {
  query?: object;
  body?: unknown;
  params?: Record<string, unknown>;
  reply?: unknown;
  text?: string;
  headers?: Record<string, string>;
  originalUrl?: string;
  observed?: object;
  failure?: string;
}

/** What is kept besides what every exchange has. */
function facts(operation: Operation, given: Given = {}) {
  const {
    query = {},
    body,
    params = {},
    reply = null,
    text = '',
    headers = {},
    originalUrl = '',
    observed = {},
  } = given;
  const request = {
    query,
    body,
    headers,
    originalUrl,
    ...(given.failure && { res: { locals: { wanted: { chosenFailure: given.failure } } } }),
  } as unknown as Request;
  const { takesFhir, ...found } = factsOf(operation, {
    request,
    params,
    reply,
    text,
    observed,
    digest: (each) => `<${each}>`,
  });
  expect(takesFhir).toBe(headers['accept'] !== undefined);
  return found;
}

const participant = [
  { actor: { reference: 'Location/north' } },
  { actor: { reference: 'Patient/p1' } },
  { actor: { reference: 'Practitioner/7' } },
];
const start = '2035-03-05T10:00:00+01:00';
const appointment = { resourceType: 'Appointment', id: 'a1', start, participant, serviceType: [{ text: 'Follow-up' }] };
const booked = {
  patient: 'p1',
  provider: '7',
  start: '2035-03-05T09:00:00.000Z',
  hasVisitType: true,
  appointment: 'a1',
};
const bundle = (...entry: unknown[]) => ({ resourceType: 'Bundle', total: entry.length, entry });
const entry = (resourceType: string, id: unknown, grade?: string) => ({
  resource: { resourceType, id },
  ...(grade && { search: { extension: [{ valueCode: grade }] } }),
});
const parameters = (name: string, resource: unknown = appointment) => ({
  parameter: [{ name: 'x' }, { name, resource }],
});

test('the operations are those of the routes', () => {
  for (const [operation, route] of Object.entries(operations)) expect(operationOf(route)).toBe(operation);
  expect(operationOf('GET /elsewhere')).toBeNull();
});

test.each<[Operation, string, Given, object]>([
  ['schedule', 'of a provider', { query: { actor: 'Practitioner/7' } }, { provider: '7' }],
  ['schedule', 'of another type', { query: { actor: 'Patient/7' } }, {}],
  ['schedule', 'of a list', { query: { actor: ['Practitioner/7'] } }, {}],
  [
    'read',
    'of an appointment',
    { params: { id: 'a1' }, reply: appointment },
    { appointment: 'a1', appointments: ['a1'], patient: 'p1' },
  ],
  ['read', 'of none', { params: { id: 'a1' } }, { appointment: 'a1', appointments: [] }],
  ['read', 'of an empty id', { params: { id: '' } }, { appointments: [] }],
  [
    'read',
    'of the longest id',
    { params: { id: 'x'.repeat(128) } },
    { appointment: 'x'.repeat(128), appointments: [] },
  ],
  ['read', 'of an id that PostgreSQL cannot hold', { params: { id: 'a\u0000' } }, { appointments: [] }],
  ['read', 'of an id that is too long', { params: { id: 'x'.repeat(129) } }, { appointments: [] }],
  ['history', 'of an appointment', { params: { id: 'a1' } }, { appointment: 'a1' }],
  ['book', 'of an appointment', { body: parameters('appointment'), reply: appointment }, booked],
  ['book', 'by the guide’s name', { body: parameters('appt-resource'), reply: appointment }, booked],
  ['book', 'by its longer name', { body: parameters('appointment-resource'), reply: appointment }, booked],
  ['book', 'of what is held', { body: { parameter: [{ name: 'appt-id' }] }, reply: appointment }, booked],
  ['book', 'of nothing', { body: {} }, { start: null, hasVisitType: false }],
  [
    'book',
    'that was refused',
    { body: parameters('appointment'), reply: { resourceType: 'OperationOutcome', id: 'a1' } },
    { patient: 'p1', provider: '7', start: booked.start, hasVisitType: true },
  ],
  [
    'book',
    'of no instant and no visit type',
    { body: parameters('appointment', { start: 'soon', participant: 'x', serviceType: [{ text: 7 }] }) },
    { start: null, hasVisitType: false },
  ],
  ['create', 'of an appointment', { body: appointment, reply: appointment }, booked],
  ['create', 'of a place on the waitlist', { body: { ...appointment, status: 'waitlist' }, reply: appointment }, {}],
  [
    'reschedule',
    'to a time',
    { params: { id: 'a1' }, body: { start }, reply: appointment },
    { appointment: 'a1', start: booked.start, patient: 'p1' },
  ],
  ['reschedule', 'to none', { params: { id: 'a1' }, body: {} }, { appointment: 'a1', start: null }],
  [
    'change',
    'of a time',
    { params: { id: 'a1' }, body: { start, status: 'booked' }, reply: appointment },
    { appointment: 'a1', start: booked.start, cancels: false, patient: 'p1' },
  ],
  [
    'change',
    'that cancels',
    { params: { id: 'a1' }, body: { status: 'cancelled' } },
    { appointment: 'a1', start: null, cancels: true },
  ],
  ['cancel', 'of an appointment', { params: { id: 'a1' }, reply: appointment }, { appointment: 'a1', patient: 'p1' }],
  ['start_workflow', 'that began', { reply: { workflowId: 'w1' } }, { workflow: 'w1' }],
  [
    'read_workflow',
    'that is waited for',
    { params: { workflowId: 'w1' }, query: { wait: '20' }, reply: { status: 'RUNNING' } },
    { workflow: 'w1', state: 'RUNNING', waitSeconds: 20 },
  ],
  ['read_workflow', 'at once', { params: { workflowId: 'w1' } }, { workflow: 'w1', waitSeconds: 0 }],
  [
    'read_workflow',
    'for no number',
    { params: { workflowId: 'w1' }, query: { wait: 'x' } },
    { workflow: 'w1', waitSeconds: 0 },
  ],
  [
    'cancel_workflow',
    'that ended',
    { params: { workflowId: 'w1' }, reply: { status: 'CANCELLED' } },
    { workflow: 'w1', state: 'CANCELLED' },
  ],
  ['event', 'of ours', { reply: appointment }, {}],
  ['handled', 'by the client', { body: { webhookId: 'm1' } }, { webhookId: 'm1' }],
  [
    'upcoming',
    'of a patient',
    { query: { patient: 'Patient/p1' }, reply: bundle(entry('Appointment', 'a1')) },
    { patient: 'p1', total: 1, appointments: ['a1'] },
  ],
  [
    'upcoming',
    'with others beside',
    { reply: { ...bundle(entry('Patient', 'p1'), entry('Appointment', 7), entry('Appointment', 'a1')), total: 'x' } },
    { appointments: ['a1'] },
  ],
  ['upcoming', 'without an answer', {}, { appointments: [] }],
  ['match', 'of one', { reply: bundle(entry('Patient', 'p1')) }, { patient: 'p1' }],
  [
    'match',
    'of several',
    { reply: bundle(entry('Patient', 'p1'), entry('Patient', 'p2')) },
    { patient: 'p1', others: ['p2'] },
  ],
  ['match', 'of nobody', { reply: { resourceType: 'Bundle', total: 0 } }, {}],
  [
    'match',
    'that is certain of one',
    { reply: bundle(entry('Patient', 'p1', 'probable'), entry('Patient', 'p2', 'certain')) },
    { patient: 'p1', others: ['p2'], certain: 'p2' },
  ],
  [
    'match',
    'that is certain of two',
    { reply: bundle(entry('Patient', 'p1', 'certain'), entry('Patient', 'p2', 'certain')) },
    { patient: 'p1', others: ['p2'], certain: null },
  ],
  [
    'match',
    'that grades some',
    { reply: bundle(entry('Patient', 'p1'), entry('Patient', 'p2', 'possible')) },
    { patient: 'p1', others: ['p2'], certain: null },
  ],
  ['match', 'that is certain of who has no id', { reply: bundle(entry('Patient', 7, 'certain')) }, { certain: null }],
])('%s %s', (operation, _what, given, expected) => {
  expect(facts(operation, given)).toEqual(expected);
});

test.each(['practitioner', 'actor', 'date', 'status', 'identifier', '_id', '_cursor'])(
  'a search that %s narrows does not say how many a patient has',
  (name) => {
    const reply = bundle(entry('Appointment', 'a1'));

    expect(facts('upcoming', { query: { patient: 'Patient/p1', [name]: 'x' }, reply })).toEqual({
      patient: 'p1',
      appointments: ['a1'],
    });
  },
);

test('of a long page two hundred are kept, and of a long list a hundred are looked at', () => {
  const many = Array.from({ length: 201 }, (_, index) => entry('Appointment', `a${index}`));
  const unnamed = (count: number) => [...Array.from({ length: count }, () => ({})), ...participant.slice(1, 2)];

  expect(facts('upcoming', { reply: bundle(...many) }).appointments).toHaveLength(200);
  expect(facts('cancel', { reply: { participant: unnamed(99) } })).toEqual({ patient: 'p1' });
  expect(facts('cancel', { reply: { participant: unnamed(100) } })).toEqual({});
});

describe('a note', () => {
  const note = (extension: unknown, data?: unknown, more: object = {}) =>
    facts('note', { body: { extension, content: [{ attachment: { data } }], ...more } });
  const plain = { escalates: false, wantsRecords: false, hasUnknownExtension: false };
  const base64 = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64');

  test.each<[string, unknown, object]>([
    ['nothing', undefined, plain],
    ['what is no list', 'x', plain],
    ['an escalation', [{ url: 'escalateToClinicalTeam', valueBoolean: true }], { ...plain, escalates: true }],
    ['none', [{ url: 'escalateToClinicalTeam', valueBoolean: false }], plain],
    ['words in its place', [{ url: 'escalateToClinicalTeam', valueBoolean: 'true' }], plain],
    ['a wish for records', [{ url: 'requestExternalRecords', valueBoolean: true }], { ...plain, wantsRecords: true }],
    [
      'an absolute url',
      [{ url: 'https://s/StructureDefinition/requestExternalRecords', valueBoolean: true }],
      { ...plain, wantsRecords: true },
    ],
    ['one that is unknown', [{ url: 'other' }], { ...plain, hasUnknownExtension: true }],
    ['one without a url', [{ url: 7 }], { ...plain, hasUnknownExtension: true }],
  ])('with %s', (_what, extension, expected) => {
    expect(note(extension)).toEqual(expected);
  });

  test('is of a patient', () => {
    expect(note([], undefined, { subject: { reference: 'Patient/p1' } })).toEqual({ ...plain, patient: 'p1' });
  });

  // A character of two bytes across the place where the look ends.
  const long = base64(`${'x'.repeat(49_151)}é${'x'.repeat(10)}`);
  test.each<[string, unknown, boolean | undefined]>([
    ['of ASCII', base64('plain'), undefined],
    ['of its last character', base64('\x7f'), undefined],
    ['of UTF-8', base64('é'), true],
    ['of the first character beyond ASCII', base64('\u0080'), true],
    ['of Latin-1', base64('é', 'latin1'), false],
    ['that ends in a character', base64('é').slice(0, 2), false],
    ['that is long, and cut in a character', long, true],
    [
      'whose end is not looked at',
      Buffer.concat([Buffer.from(`é${'x'.repeat(49_150)}`), Buffer.from([0xe9])]).toString('base64'),
      true,
    ],
    ['of a byte that begins no character', Buffer.from([0x61, 0x80]).toString('base64'), false],
    ['that is none', 7, undefined],
  ])('with a text %s', (_what, data, expected) => {
    expect(note([], data)).toEqual({ ...plain, ...(expected !== undefined && { isUtf8: expected }) });
  });
});

describe('open times', () => {
  const slots = (
    text: string,
    query: object = { schedule: 'Schedule/7' },
    originalUrl = '/fhir/Slot?schedule=Schedule/7',
  ) => facts('slots', { text, query, originalUrl });
  const page = (head: string, ...starts: string[]) =>
    `{"resourceType":"Bundle",${head}"entry":[${starts.map((each) => `{"resource":{"start":"${each}"}}`).join(',')}]}`;

  test('are kept as minutes, with how many there are', () => {
    expect(slots(page('"total":2,', '1970-01-01T00:02:00Z', '1970-01-01T01:00:00Z'))).toEqual({
      provider: '7',
      total: 2,
      offered: [2, 60],
    });
  });

  test('are kept up to five hundred', () => {
    const many = Array.from({ length: 501 }, () => '1970-01-01T00:02:00Z');

    expect(slots(page('"total":501,', ...many)).offered).toHaveLength(500);
  });

  test('have a next page, told by its parameters in any order', () => {
    const link = '"link":[{"relation":"next","url":"https://s/fhir/Slot?b=2&a=1"}],';

    expect(slots(page(`"total":1,${link}`))).toMatchObject({ next: '<a=1&b=2>' });
    expect(
      slots(page('"total":1,'), { schedule: 'Schedule/7', _cursor: 'c' }, '/fhir/Slot?schedule=x&_cursor=c'),
    ).toMatchObject({
      page: '<_cursor=c&schedule=x>',
    });
  });

  test('that were refused are none', () => {
    expect(slots('{"resourceType":"OperationOutcome"}')).toEqual({ provider: '7' });
  });
});

test.each<[Given, object]>([
  [{ headers: { 'if-match': 'W/"3"' } }, { hasVersion: true }],
  [{ headers: { 'if-match': '*' } }, {}],
  [{ headers: { accept: 'text/html, application/fhir+json' } }, {}],
  [{ failure: 'slow_answer' }, { failure: 'slow_answer' }],
  [{ observed: { isMade: true, provider: '8' } }, { isMade: true, provider: '8' }],
])('of every request %j is kept', (given, expected) => {
  expect(facts('event', given)).toEqual(expected);
});
