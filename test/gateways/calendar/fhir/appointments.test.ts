import { FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { FhirCapabilities } from '@clinic/shared/contracts/events/approved-api';
import {
  book,
  bookedUnderOurs,
  cancel,
  isAt,
  keptUnderOurs,
  makeAppointment,
  move,
  readAppointment,
} from '@clinic/gateways/calendar/fhir/appointments';
import { askFhir, type FhirRequest } from '@clinic/gateways/calendar/fhir/exchange';
import type { Resource } from '@clinic/shared/contracts/calendar/fhir-reading';
import { emptyMemory } from '@clinic/gateways/calendar/fhir/call-memory';
import type { FreeSlot } from '@clinic/gateways/calendar/fhir/slots';
import { noOtherBookings } from '../../../support/ehr-times';
import { type Said, scriptedFhir, searchset, visitNotice as notice } from '../../../support/outside/scripted-fhir';

const BASE = 'https://ehr.example/fhir';
const OURS = 'urn:clinic-workflows:appointment';
const [nine, halfPast] = ['2035-03-05T09:00:00.000Z', '2035-03-05T09:30:00.000Z'];
const KEY = `a-1.${Date.parse(nine) / 60_000}`;
const ENDLESS = 40;

/** Answers each method and path with what stands for it, in turn, and with the last of it from then on. */
function serverOf(says: Record<string, Said | Said[]>, allows: Partial<FhirCapabilities> = {}) {
  const left = new Map(Object.entries(says).map(([at, said]) => [at, [said].flat()]));
  const server = scriptedFhir(BASE, (path, { method }) => {
    if (server.requests.length > ENDLESS) throw new Error('it is asked without end');
    const queue = left.get(`${method} ${path}`.trim()) ?? [];
    return queue.length > 1 ? queue.shift() : queue[0];
  });
  const ask = (request: FhirRequest) => askFhir(server.send, BASE, request);
  const capabilities = { canBook: false, canHold: false, hasSlots: false, findsAppointments: true, ...allows };
  const times = (wanted: RegExp) => server.asked().filter((each) => wanted.test(each)).length;
  const sent = (method: string) => server.requests.filter((each) => each.method === method);
  const bodies = (method: string) => sent(method).map(({ body }) => JSON.parse(body ?? 'null'));
  const memory = emptyMemory();
  return { ...server, ask, memory, capabilities: { showsBusyTimes: false, ...capabilities }, times, sent, bodies };
}
/** What came of it, or why not. */
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    ({ result, ...fault }: { result?: { kind: string; status?: number; because?: string; fault?: string } }) =>
      result ? [result.kind, result.status ?? null, result.because ?? null].filter((each) => each !== null) : fault,
  );

const there = (changed: object = {}) => ({
  resourceType: 'Appointment',
  id: '1',
  status: 'booked',
  start: '2035-03-05T10:00:00+01:00',
  end: '2035-03-05T10:30:00+01:00',
  identifier: [{ system: OURS, value: KEY }],
  participant: [{ actor: { reference: 'Practitioner/7' } }],
  meta: { versionId: '3' },
  ...changed,
});
const settings = (more: object = {}) =>
  FhirSettings.parse({
    permitted: [],
    providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }],
    visitTypes: [],
    locations: [],
    ...more,
  });
const slot = (id: string, versionId?: string): FreeSlot => ({
  reference: `Slot/${id}`,
  startsAt: nine,
  endsAt: halfPast,
  resource: { resourceType: 'Slot', id, status: 'free', ...(versionId && { meta: { versionId } }) },
});
type Server = ReturnType<typeof serverOf>;
const booking = (server: Server, changed: object = {}) => ({
  ...server,
  times: noOtherBookings,
  holder: 'call',
  settings: settings(),
  notice,
  patientReference: 'Patient/1',
  ...changed,
});

/** What a change comes to, and how often it was read and sent, by how the server answers those that are sent. */
const changes: [number[], string, number, number][] = [
  [[200], 'done', 1, 1],
  [[409, 200], 'done', 2, 2],
  [[412, 200], 'done', 2, 2],
  [[409, 412], 'refused,412', 2, 2],
  [[412, 409], 'refused,409', 2, 2],
  [[409, 409, 200], 'refused,409', 2, 2],
  [[412, 412, 200], 'refused,412', 2, 2],
  [[404, 200], 'refused,404', 1, 1],
  [[422, 200], 'refused,422', 1, 1],
  [[500, 200], 'unavailable', 1, 1],
];
const versions = [{ body: there() }, { body: there({ meta: { versionId: '4' } }) }];
const answering = (statuses: number[]) =>
  statuses.map((status): Said => (status === 200 ? { body: there() } : { status }));
const saidOf = (outcome: unknown) => (Array.isArray(outcome) ? outcome.join(',') : (outcome ?? 'done'));

describe('an appointment that is cancelled', () => {
  test.each(changes)(
    'where changes are answered with %j is %s, read %d times',
    async (statuses, expected, reads, sent) => {
      const says = { 'GET Appointment/1': versions, 'PUT Appointment/1': answering(statuses) };
      const [server, known] = [serverOf(says), serverOf(says)];
      const current = { resource: there(), version: 'W/"3"' };

      expect(saidOf(await outcomeOf(cancel(server, '1', 'patient')))).toBe(expected);
      expect(saidOf(await outcomeOf(cancel(known, '1', 'patient', { current })))).toBe(expected);

      expect([server.times(/^GET/), server.times(/^PUT/)]).toEqual([reads, sent]);
      // As it was looked up a moment ago it is changed at once, and read where that was too old.
      expect([known.times(/^GET/), known.times(/^PUT/)]).toEqual([reads - 1, sent]);
      const matched = server.sent('PUT').map(({ headers }) => headers['if-match']);
      expect(matched).toEqual(['W/"3"', 'W/"4"'].slice(0, sent));
      expect(server.bodies('PUT')[0]).toMatchObject({ id: '1', start: there().start, status: 'cancelled' });
    },
  );

  test.each<[string, Said, number]>([
    ['is cancelled', { body: there({ status: 'cancelled' }) }, 0],
    ['was made in error', { body: there({ status: 'entered-in-error' }) }, 0],
    ['nobody came to', { body: there({ status: 'noshow' }) }, 0],
    ['is not there', { status: 404 }, 0],
    ['is not there any more', { status: 410 }, 0],
    ['is asked for', { body: there({ status: 'pending' }) }, 1],
  ])('and %s is changed as often as it must', async (_what, said, times) => {
    const server = serverOf({ 'GET Appointment/1': said, 'PUT Appointment/1': { body: there() } });

    await cancel(server, '1', 'patient');

    expect(server.times(/^PUT/)).toBe(times);
  });

  test('at a server without versions is changed whatever it is by now', async () => {
    const server = serverOf({ 'GET Appointment/1': { body: there({ meta: {} }) }, 'PUT Appointment/1': { text: '' } });

    await cancel(server, '1', 'patient');

    expect(server.sent('PUT')[0]?.headers).not.toHaveProperty('if-match');
  });

  test.each<[string, boolean, string | undefined, string[]]>([
    ['that is busy', true, 'busy', ['Appointment/1 cancelled', 'Slot/s free']],
    ['that is free already', true, 'free', []],
    ['that is not there', true, undefined, []],
    ['that the server marks itself', false, 'busy', []],
  ])('gives up its slot %s', async (_what, marksSlots, status, written) => {
    const reference = `${BASE}/Slot/s`;
    const server = serverOf(
      {
        'GET Appointment/1': { body: there({ slot: [{ reference }] }) },
        'GET Slot/s': status === undefined ? { status: 404 } : { body: { resourceType: 'Slot', id: 's', status } },
        'PUT Appointment/1': { body: there() },
        POST: {
          body: { type: 'transaction-response', entry: [{ response: { status: '200 OK' } }], resourceType: 'Bundle' },
        },
      },
      { marksSlots },
    );

    await cancel(server, '1', 'patient');

    const entries: { request: { url: string }; resource: { status: string } }[] = server.bodies('POST')[0]?.entry ?? [];
    expect(entries.map(({ request, resource }) => `${request.url} ${resource.status}`)).toEqual(written);
    expect(server.times(/^PUT/)).toBe(written.length > 0 ? 0 : 1);
  });
});

describe('an appointment that is moved', () => {
  test.each(changes)(
    'where changes are answered with %j is %s, read %d times',
    async (statuses, expected, reads, sent) => {
      const server = serverOf({ 'GET Appointment/1': versions, 'PUT Appointment/1': answering(statuses) });

      expect(saidOf(await outcomeOf(move(booking(server), '1', null)))).toBe(expected);

      expect([server.times(/^GET/), server.times(/^PUT/)]).toEqual([reads, sent]);
      expect(server.bodies('PUT')[0]).toMatchObject({ start: nine, end: halfPast, status: 'booked' });
      expect(server.bodies('PUT')[0]).not.toHaveProperty('slot');
    },
  );

  test.each([
    [[200], 'done'],
    [[409, 200], 'done'],
    [[409, 409], 'refused,409,time_taken'],
    [[412, 409], 'refused,409,time_taken'],
    [[409, 412], 'refused,412'],
    [[412, 412], 'refused,412'],
  ])('to a slot, where changes are answered with %j, is %s', async (statuses, expected) => {
    const server = serverOf({ 'GET Appointment/1': versions, 'PUT Appointment/1': answering(statuses) });

    expect(saidOf(await outcomeOf(move(booking(server, { slot: slot('s') }), '1', null)))).toBe(expected);
    expect(server.bodies('PUT')[0]).toMatchObject({ slot: [{ reference: 'Slot/s' }] });
  });

  test.each<[string, Said, string]>([
    ['was cancelled', { body: there({ status: 'cancelled' }) }, 'refused,409'],
    ['was made in error', { body: there({ status: 'entered-in-error' }) }, 'refused,409'],
    ['is not there', { status: 404 }, 'refused,404'],
    ['is not there any more', { status: 410 }, 'refused,404'],
  ])('and %s stays so', async (_what, said, expected) => {
    const server = serverOf({ 'GET Appointment/1': said });

    expect(saidOf(await outcomeOf(move(booking(server), '1', null)))).toBe(expected);
    expect(server.times(/^PUT/)).toBe(0);
  });

  const marked = { 'Appointment/1': 'booked', 'Slot/new': 'busy', 'Slot/old': 'free' };
  test.each<[string, number[], string, (Record<string, string> | undefined)[]]>([
    ['at once', [200], 'done', [marked]],
    ['at the second try', [412, 200], 'done', [marked, marked]],
    ['never', [409, 409], 'refused,409,time_taken', [marked, marked]],
  ])('takes a slot and gives one up in one step, %s', async (_what, statuses, expected, written) => {
    const old = { resourceType: 'Slot', id: 'old', status: 'busy', meta: { versionId: '8' } };
    const done = {
      body: { resourceType: 'Bundle', type: 'transaction-response', entry: [{ response: { status: '200' } }] },
    };
    const server = serverOf(
      {
        'GET Appointment/1': versions.map(({ body }) => ({ body: { ...body, slot: [{ reference: 'Slot/old' }] } })),
        'GET Slot/old': { body: old },
        POST: statuses.map((status): Said => (status === 200 ? done : { status })),
      },
      { marksSlots: true },
    );

    expect(saidOf(await outcomeOf(move(booking(server, { slot: slot('new', '6') }), '1', null)))).toBe(expected);

    interface Entry {
      request: { url: string; ifMatch: string };
      resource: { status: string };
    }
    const bundles: Entry[][] = server.bodies('POST').map(({ entry }) => entry);
    const statesIn = (entries: Entry[]) =>
      Object.fromEntries(entries.map(({ request, resource }) => [request.url, resource.status]));
    expect(bundles.map(statesIn)).toEqual(written);
    expect(bundles[0]?.map(({ request }) => request.ifMatch)).toEqual(['W/"3"', 'W/"6"', 'W/"8"']);
  });

  const noon = { start: '2035-03-05T12:00:00Z', end: '2035-03-05T12:30:00Z' };
  test.each<[string, Said, string, boolean]>([
    ['goes back', { body: there() }, 'refused,409,time_taken', true],
    ['stays called off', { body: there({ status: 'cancelled' }) }, 'refused,409', false],
    ['stays deleted', { status: 404 }, 'refused,404', false],
    [
      'stays at a third time, to which somebody has moved it',
      { body: there({ start: '2035-03-05T14:00:00Z' }) },
      'refused,409,time_taken',
      false,
    ],
  ])('%s where somebody came first after all', async (_what, meanwhile, expected, goesBack) => {
    const theirs = there({ id: '2', identifier: [], start: nine, end: halfPast });
    const server = serverOf(
      {
        'GET Appointment/1': [{ body: there(noon) }, meanwhile],
        'GET Appointment': { body: searchset(theirs, there()) },
        'PUT Appointment/1': { body: there() },
      },
      { showsBusyTimes: true },
    );

    expect(saidOf(await outcomeOf(move(booking(server), '1', null)))).toBe(expected);
    expect(server.bodies('PUT').map(({ start, end }) => [start, end])).toEqual([
      [nine, halfPast],
      ...(goesBack ? [[noon.start, noon.end]] : []),
    ]);
  });
});

describe('an appointment that is made', () => {
  const made: Said = { status: 201, body: there({ id: 'new' }) };
  const known = (...resources: object[]): Said => ({ body: searchset(...resources) });
  const elsewhere = { start: '2035-03-05T09:01:00Z' };
  const calledOff = ['cancelled', 'entered-in-error', 'noshow'].map((status): [string, Said] => [
    status,
    { body: there({ id: '9', status }) },
  ]);
  const existing = { status: 200, body: there({ id: '9' }) };
  const none = known();

  /** Whether each creation was made on the condition that there is none. */
  const once = `identifier=${OURS}|${KEY}`;
  test.each<[string, Record<string, Said | Said[]>, string, (string | undefined)[]]>([
    ['at once', { 'POST Appointment': made }, 'new', [once]],
    [
      'with its id in the location alone',
      { 'POST Appointment': { status: 201, text: '', headers: { location: 'Appointment/7' } } },
      '7',
      [once],
    ],
    ['without an id', { 'POST Appointment': { status: 201, text: '' } }, 'refused,201', [once]],
    [
      'as asked for alone',
      { 'POST Appointment': { status: 201, body: there({ status: 'proposed' }) } },
      'unavailable',
      [once],
    ],
    ['as pending', { 'POST Appointment': { status: 201, body: there({ status: 'pending' }) } }, 'unavailable', [once]],
    ['without a state', { 'POST Appointment': { status: 201, body: there({ status: undefined }) } }, '1', [once]],
    ['before', { 'POST Appointment': existing, 'GET Appointment/9': { body: there({ id: '9' }) } }, '9', [once]],
    ['before, and cannot be read', { 'POST Appointment': existing, 'GET Appointment/9': { status: 404 } }, '9', [once]],
    ...calledOff.map(([status, said]): [string, Record<string, Said | Said[]>, string, (string | undefined)[]] => [
      `anew after one that is ${status}`,
      { 'POST Appointment': [existing, made], 'GET Appointment/9': said },
      'new',
      [once, undefined],
    ]),
    [
      'anew after one that is cancelled, where somebody has the time',
      {
        'POST Appointment': [existing, { status: 409 }],
        'GET Appointment/9': calledOff[0]?.[1] ?? none,
        'GET Appointment': none,
      },
      'refused,409,time_taken',
      [once, undefined],
    ],
    [
      'anew after one that is cancelled, at most once',
      {
        'POST Appointment': [existing, { status: 412 }, made],
        'GET Appointment/9': calledOff[0]?.[1] ?? none,
        'GET Appointment': none,
      },
      'refused,412',
      [once, undefined],
    ],
    [
      'by the same request, which was sent twice',
      { 'POST Appointment': { status: 409 }, 'GET Appointment': known(there({ id: '9' })) },
      '9',
      [once],
    ],
    [
      'anew, by the same request, which was sent twice',
      {
        'POST Appointment': [existing, { status: 409 }],
        'GET Appointment/9': calledOff[0]?.[1] ?? none,
        'GET Appointment': known(there({ id: 'twice' })),
      },
      'twice',
      [once, undefined],
    ],
    [
      'by nobody, as the time is taken',
      { 'POST Appointment': { status: 409 }, 'GET Appointment': none },
      'refused,409,time_taken',
      [once],
    ],
    [
      'before, and several times',
      { 'POST Appointment': { status: 412 }, 'GET Appointment': known(there({ id: '9' })) },
      '9',
      [once],
    ],
    [
      'anew after several that are cancelled',
      {
        'POST Appointment': [{ status: 412 }, made],
        'GET Appointment': known(there({ status: 'cancelled' }), there({ status: 'noshow' })),
      },
      'new',
      [once, undefined],
    ],
    [
      'by nobody, as it is not valid',
      { 'POST Appointment': { status: 422 }, 'GET Appointment': known(there()) },
      'refused,422',
      [once],
    ],
    [
      'by nobody, as the server is down',
      { 'POST Appointment': { status: 503 }, 'GET Appointment': known(there()) },
      'unavailable',
      [once],
    ],
  ])('%s', async (_what, says, expected, conditions) => {
    const server = serverOf(says);

    expect(saidOf(await outcomeOf(makeAppointment(booking(server))))).toBe(expected);
    expect(server.sent('POST').map(({ headers }) => headers['if-none-exist'])).toEqual(conditions);
  });

  test('before, and is at another time now, is not made again', async () => {
    const moved = { body: there({ id: '9', ...elsewhere }) };
    const server = serverOf({ 'POST Appointment': existing, 'GET Appointment/9': moved, 'GET Appointment': none });

    // Nobody else has the time: staff look at what stands there.
    expect(await outcomeOf(makeAppointment(booking(server)))).toEqual(['refused', 409]);
    expect(server.times(/^POST/)).toBe(1);
  });

  test('several times is left to staff where none of them can be found', async () => {
    const server = serverOf({ 'POST Appointment': { status: 412 } }, { findsAppointments: false });

    expect(await outcomeOf(makeAppointment(booking(server)))).toEqual(['refused', 412]);
    expect(server.asked()).toEqual(['POST Appointment']);
  });

  const writtenAt = (lastUpdated: string) => ({ lastUpdated, versionId: '1' });
  const ours = there({ id: 'new', meta: writtenAt('2035-03-01T08:00:01Z') });
  test.each<[string, object, boolean]>([
    ['somebody else', { identifier: [{ system: 'urn:another', value: KEY }] }, false],
    ['somebody else later', { identifier: [], meta: writtenAt('2035-03-01T08:00:02Z') }, false],
    ['one of ours before', { meta: writtenAt('2035-03-01T08:00:00Z') }, false],
    ['one of ours later', { meta: writtenAt('2035-03-01T08:00:02Z') }, true],
    ['one that was called off', { identifier: [], status: 'cancelled' }, true],
    ['one that begins when it ends', { identifier: [], start: halfPast, end: '2035-03-05T10:00:00Z' }, true],
    [
      'one of another practitioner',
      { identifier: [], participant: [{ actor: { reference: 'Practitioner/8' } }] },
      true,
    ],
  ])('is undone beside %s, and stays otherwise: %j, %s', async (_who, changed, stays) => {
    const server = serverOf(
      {
        'POST Appointment': made,
        'GET Appointment': known(there({ id: 'another', ...changed }), ours),
        'GET Appointment/new': { body: ours },
        'PUT Appointment/new': { body: ours },
      },
      { showsBusyTimes: true },
    );

    expect(saidOf(await outcomeOf(makeAppointment(booking(server))))).toBe(stays ? 'new' : 'refused,409,time_taken');
    expect(server.bodies('PUT')).toEqual(
      stays
        ? []
        : [
            expect.objectContaining({
              status: 'cancelled',
              cancelationReason: expect.objectContaining({ text: 'Somebody else was there first' }),
            }),
          ],
    );
  });

  const done = (status: string, location?: string): Said => ({
    body: { resourceType: 'Bundle', type: 'transaction-response', entry: [{ response: { status, location } }] },
  });
  test.each<[string, Said, boolean, string]>([
    ['at once', done('201 Created', 'Appointment/7/_history/1'), true, '7'],
    ['without a word of it', { body: { resourceType: 'Bundle', entry: [] } }, true, 'unavailable'],
    ['with a state that is none', done('done', 'Appointment/7'), true, 'unavailable'],
    ['where the slot is another by now', { status: 412 }, true, 'refused,409,time_taken'],
    ['where the slot is another by now, and nothing can be found', { status: 412 }, false, 'refused,412'],
    ['where it is taken', { status: 409 }, true, 'refused,409,time_taken'],
  ])('with its slot, in one step, %s', async (_what, said, findsAppointments, expected) => {
    const server = serverOf({ POST: said, 'GET Appointment': none }, { marksSlots: true, findsAppointments });

    expect(saidOf(await outcomeOf(makeAppointment(booking(server, { slot: slot('s', '6') }))))).toBe(expected);

    const [{ entry }] = server.bodies('POST');
    expect(entry).toMatchObject([
      {
        request: { method: 'POST', url: 'Appointment', ifNoneExist: once },
        resource: { slot: [{ reference: 'Slot/s' }] },
      },
      { request: { method: 'PUT', url: 'Slot/s', ifMatch: 'W/"6"' }, resource: { status: 'busy', id: 's' } },
    ]);
  });

  test.each<[string, Partial<FhirCapabilities>, FreeSlot | undefined]>([
    ['a server that marks slots itself', {}, slot('s', '6')],
    ['a time without a slot', { marksSlots: true }, undefined],
  ])('alone at %s', async (_what, allows, given) => {
    const server = serverOf({ 'POST Appointment': made }, allows);

    expect(await makeAppointment(booking(server, { slot: given }))).toBe('new');
    expect(server.asked()).toEqual(['POST Appointment']);
  });

  test.each<[string, Record<string, Said>, boolean, string]>([
    ['is booked', { 'POST Appointment/$book': { body: there({ id: 'b' }) } }, false, 'b'],
    [
      'is held, then booked',
      {
        'POST Appointment/$hold': { body: there({ id: 'h', status: 'proposed' }) },
        'POST Appointment/$book': { body: there({ id: 'b' }) },
      },
      true,
      'b',
    ],
    ['is taken', { 'POST Appointment/$book': { status: 409 } }, false, 'refused,409,time_taken'],
    ['cannot be kept', { 'POST Appointment/$book': { status: 412 } }, false, 'refused,412'],
    ['cannot be held', { 'POST Appointment/$hold': { status: 409 } }, true, 'refused,409,time_taken'],
    [
      'is answered as cancelled',
      { 'POST Appointment/$book': { body: there({ status: 'cancelled' }) } },
      false,
      'refused,200',
    ],
    [
      'is answered by words',
      {
        'POST Appointment/$book': {
          body: { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'value' }] },
        },
      },
      false,
      'refused,200',
    ],
    [
      'is answered by words, with an address',
      {
        'POST Appointment/$book': {
          body: { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'value' }] },
          headers: { location: 'Appointment/l' },
        },
      },
      false,
      'refused,200',
    ],
    ['is kept as pending', { 'POST Appointment/$book': { body: there({ status: 'pending' }) } }, false, 'unavailable'],
    [
      'is told by the location alone',
      { 'POST Appointment/$book': { text: '', headers: { location: 'Appointment/l' } } },
      false,
      'l',
    ],
    ['is told without an id', { 'POST Appointment/$book': { text: '' } }, false, 'refused,200'],
  ])('by operations %s', async (_what, says, canHold, expected) => {
    const server = serverOf(says, { canBook: true, canHold });

    expect(saidOf(await outcomeOf(makeAppointment(booking(server))))).toBe(expected);
    expect(server.times(/^POST Appointment\/\$hold$/)).toBe(canHold ? 1 : 0);
  });
});

describe('an appointment of ours is found again', () => {
  test.each<[string, object, string | null]>([
    ['as it was made', {}, '1'],
    ['at another time', { start: '2035-03-05T09:01:00Z' }, null],
    ['without a time', { start: undefined }, null],
    ['called off', { status: 'cancelled' }, null],
    ['while the patient is there', { status: 'arrived' }, '1'],
    ['under another number', { identifier: [{ system: OURS, value: 'a-2' }] }, null],
    ['under another system', { identifier: [{ system: 'urn:another', value: KEY }] }, null],
    ['under two numbers', { identifier: [{}, { system: OURS, value: KEY }] }, '1'],
    ['without a number', { identifier: undefined }, null],
  ])('%s', async (_what, changed, expected) => {
    const server = serverOf({ 'GET Appointment': { body: searchset(there({ id: 'x', start: 'x' }), there(changed)) } });

    expect((await bookedUnderOurs(server.ask, notice, server.capabilities))?.id ?? null).toBe(expected);
    expect(server.asked()).toEqual([`GET Appointment?identifier=${OURS}|${KEY}`]);
  });

  test.each(['proposed', 'pending', 'waitlist'])('as %s, which is no booking yet', async (status) => {
    const says = { 'POST Appointment': { body: there() }, 'GET Appointment/1': { body: there({ status }) } };
    const server = serverOf({ ...says, 'GET Appointment': { body: searchset(there({ status })) } });

    expect(await outcomeOf(bookedUnderOurs(server.ask, notice, server.capabilities))).toEqual(['unavailable']);
    expect(await outcomeOf(makeAppointment(booking(server)))).toEqual(['unavailable']);
    // It can be called off all the same.
    expect((await keptUnderOurs(server.ask, notice, server.capabilities))?.id).toBe('1');
  });

  test.each<[string, object, boolean]>([
    ['nobody else', { status: 'cancelled' }, true],
    ['somebody else', {}, false],
    ['somebody else in a part of it', { start: '2035-03-05T09:29:00Z', end: '2035-03-05T10:00:00Z' }, false],
    ['somebody else after it', { start: halfPast, end: '2035-03-05T10:00:00Z' }, true],
  ])('beside %s it is looked at as one that was made just now', async (_who, changed, stays) => {
    const ours = there({ id: 'ours', meta: { versionId: '1', lastUpdated: '2035-03-01T08:00:00Z' } });
    const server = serverOf(
      {
        'GET Appointment': { body: searchset(ours, there({ id: 'theirs', identifier: [], ...changed })) },
        'GET Appointment/ours': { body: ours },
        'PUT Appointment/ours': { body: ours },
      },
      { showsBusyTimes: true },
    );

    expect(saidOf(await outcomeOf(book(booking(server))))).toBe(stays ? 'ours' : 'refused,409,time_taken');
    expect(server.bodies('PUT')).toEqual(stays ? [] : [expect.objectContaining({ id: 'ours', status: 'cancelled' })]);
    expect(server.times(/^POST/)).toBe(0);
  });

  test('nowhere at a server that does not find it', async () => {
    const server = serverOf({ 'GET Appointment': { body: searchset(there()) } });

    expect(await bookedUnderOurs(server.ask, notice, { ...server.capabilities, findsAppointments: false })).toBeNull();
    expect(server.asked()).toEqual([]);
  });

  test.each([
    ['2035-03-05T09:00:00Z', true],
    ['2035-03-05T10:00:00+01:00', true],
    ['2035-03-05T09:00:00.001Z', false],
    ['2035-03-05T08:59:59Z', false],
    ['soon', false],
    [undefined, false],
  ])('at %s is at nine: %s', (start, expected) => {
    expect(isAt({ start }, notice)).toBe(expected);
  });

  test.each<[string, Said, unknown]>([
    ['there', { body: there() }, { resource: there(), version: 'W/"3"' }],
    ['not there', { status: 404 }, null],
    ['not there any more', { status: 410 }, null],
    ['another thing', { body: { resourceType: 'Slot', id: '1' } }, ['unavailable']],
    ['forbidden', { status: 403 }, ['refused', 403]],
  ])('by its id where it is %s', async (_what, said, expected) => {
    const { ask } = serverOf({ 'GET Appointment/1': said });

    expect(await outcomeOf(readAppointment(ask, '1'))).toEqual(expected);
  });
});

describe('a booking that is told', () => {
  const none: Said = { body: searchset() };
  const ours: Said = { body: searchset(there({ id: 'ours' })) };
  const later = there({ start: '2035-03-05T12:00:00Z', end: '2035-03-05T12:30:00Z' });
  const writes = {
    'POST Appointment': { status: 201, body: there({ id: 'new' }) },
    'PUT Appointment/1': { body: there() },
  };
  test.each<[string, string | null, Record<string, Said>, string, string[]]>([
    ['is made', null, { 'GET Appointment': none }, 'new', ['POST Appointment']],
    ['is found', null, { 'GET Appointment': ours }, 'ours', []],
    ['is known', 'ours', { 'GET Appointment': ours }, 'ours', []],
    ['is at its time already', '1', { 'GET Appointment': none, 'GET Appointment/1': { body: there() } }, '1', []],
    ['is moved', '1', { 'GET Appointment': none, 'GET Appointment/1': { body: later } }, '1', ['PUT Appointment/1']],
    [
      'was called off',
      '1',
      { 'GET Appointment': none, 'GET Appointment/1': { body: { ...later, status: 'cancelled' } } },
      'refused,409',
      [],
    ],
    ['is gone', '1', { 'GET Appointment': none, 'GET Appointment/1': { status: 404 } }, 'refused,409', []],
    [
      'is somebody else’s there',
      '1',
      { 'GET Appointment': none, 'GET Appointment/1': { body: { ...later, identifier: [] } } },
      'refused,409',
      [],
    ],
    [
      'was made anew, and the old one is there still',
      '1',
      { 'GET Appointment': ours, 'GET Appointment/1': { body: later } },
      'ours',
      ['PUT Appointment/1'],
    ],
    [
      'was made anew, and the old one is gone',
      '1',
      { 'GET Appointment': ours, 'GET Appointment/1': { status: 404 } },
      'ours',
      [],
    ],
  ])('%s', async (_what, externalId, says, expected, written) => {
    const server = serverOf({ ...writes, ...says });

    expect(saidOf(await outcomeOf(book(booking(server, { notice: { ...notice, externalId } }))))).toBe(expected);
    expect(server.asked().filter((each) => !each.startsWith('GET'))).toEqual(written);
  });

  test('is refused while another one of ours is sent for its time', async () => {
    const server = serverOf({ ...writes, 'GET Appointment': none });
    const times = { ...noOtherBookings, take: async () => false };

    expect(saidOf(await outcomeOf(book(booking(server, { times }))))).toBe('refused,409,time_taken');
    expect(server.times(/^(POST|PUT)/)).toBe(0);
  });

  const theirs = there({ id: 'theirs', identifier: [] });
  test.each<[string, string | null, object, string, number]>([
    ['is made where nobody has its time', null, none, 'new', 1],
    ['is not made where somebody has its time', null, { body: searchset(theirs) }, 'refused,409,time_taken', 0],
    ['is moved where nobody has the new time', '1', { body: searchset(later) }, '1', 1],
    ['is moved within its own time', '1', { body: searchset({ ...later, start: nine }) }, '1', 1],
    [
      'is not moved where somebody has the new time',
      '1',
      { body: searchset(theirs, later) },
      'refused,409,time_taken',
      0,
    ],
  ])('%s', async (_what, externalId, near, expected, times) => {
    const says = { ...writes, 'GET Appointment': near, 'GET Appointment/1': { body: later } };
    const server = serverOf(says, { showsBusyTimes: true, findsAppointments: false });

    expect(saidOf(await outcomeOf(book(booking(server, { notice: { ...notice, externalId } }))))).toBe(expected);
    expect(server.times(/^(POST|PUT)/)).toBe(times);
  });

  test.each([
    [422, 'refused,422'],
    [500, 'unavailable'],
  ])('is not moved before the server says so, with %d', async (status, expected) => {
    const says = { 'GET Appointment': none, 'GET Appointment/1': { body: later }, 'PUT Appointment/1': { status } };
    const moved = book(booking(serverOf(says), { notice: { ...notice, externalId: '1' } }));

    expect(saidOf(await outcomeOf(moved))).toBe(expected);
  });

  test.each<[string, Record<string, Said>, string, string[]]>([
    ['in a free slot', {}, 'new', ['Slot/s']],
    ['in none that is another time', { 'GET Slot': { body: searchset() } }, 'refused,409,time_taken', []],
    ['in none of nobody’s', { 'GET Schedule': { body: searchset() } }, 'refused,404', []],
    ['where it is found, in no slot', { 'GET Appointment': ours, 'GET Slot': { body: searchset() } }, 'ours', []],
  ])('is made %s', async (_what, changed, expected, slots) => {
    const schedule = { resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] };
    const free = { ...slot('s').resource, start: nine, end: halfPast, schedule: { reference: 'Schedule/s7' } };
    const found = { 'GET Schedule': { body: searchset(schedule) }, 'GET Slot': { body: searchset(free) } };
    const server = serverOf({ ...writes, 'GET Appointment': none, ...found, ...changed }, { hasSlots: true });

    expect(saidOf(await outcomeOf(book(booking(server))))).toBe(expected);
    expect(server.bodies('POST').map((made) => made.slot[0].reference)).toEqual(slots);
  });

  test('is booked anew and the old one cancelled, by a setting', async () => {
    const server = serverOf({ ...writes, 'GET Appointment': none, 'GET Appointment/1': { body: later } });
    const anew = { settings: settings({ rescheduling: 'cancel-and-rebook' }), notice: { ...notice, externalId: '1' } };

    expect(await book(booking(server, anew))).toBe('new');
    expect(server.asked().filter((each) => !each.startsWith('GET'))).toEqual(['POST Appointment', 'PUT Appointment/1']);
    expect(server.bodies('PUT')[0]).toMatchObject({
      status: 'cancelled',
      cancelationReason: { text: 'Moved to another time' },
    });
  });

  test.each([
    [
      'is kept',
      201,
      ['booked', 'cancelled', 'cancelled'],
      'new',
      ['POST Appointment', 'PUT Appointment/1', 'POST Appointment'],
    ],
    [
      'fails',
      422,
      ['booked', 'cancelled', 'booked'],
      'refused,422',
      ['POST Appointment', 'PUT Appointment/1', 'POST Appointment', 'PUT Appointment/1'],
    ],
  ])(
    'makes room for itself where it is booked anew in a part of its own time, which %s',
    async (_what, status, states, expected, written) => {
      const schedule = { resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] };
      const own = {
        ...slot('s').resource,
        status: 'busy',
        start: nine,
        end: halfPast,
        schedule: { reference: 'Schedule/s7' },
      };
      const long = there({ start: '2035-03-05T08:30:00Z', end: halfPast });
      const server = serverOf(
        {
          'GET Appointment': none,
          'GET Appointment/1': states.map((each) => ({ body: { ...long, status: each } })),
          'GET Schedule': { body: searchset(schedule) },
          'GET Slot': { body: searchset(own) },
          'POST Appointment': [{ status: 409 }, { status, body: there({ id: 'new' }) }],
          'PUT Appointment/1': { body: long },
        },
        { hasSlots: true },
      );
      const anew = {
        settings: settings({ rescheduling: 'cancel-and-rebook' }),
        notice: { ...notice, externalId: '1' },
      };

      expect(saidOf(await outcomeOf(book(booking(server, anew))))).toBe(expected);
      expect(server.asked().filter((each) => !each.startsWith('GET'))).toEqual(written);
      expect(server.bodies('PUT').map((each) => each.status)).toEqual(
        status === 201 ? ['cancelled'] : ['cancelled', 'booked'],
      );
    },
  );

  const offByUs = {
    status: 'cancelled',
    cancelationReason: { text: 'Moved to another time' },
    meta: { versionId: '4' },
  };
  const offByClinic = { status: 'cancelled', cancelationReason: { text: 'Dr. Vega is ill' }, meta: { versionId: '5' } };
  const calledOff = 'the old visit, which had made room, was called off there';
  test.each<[string, Said[], Said[], string, (string | undefined)[]]>([
    [
      'comes back as we left it',
      [{ body: offByUs }],
      [{ body: { meta: { versionId: '4' } } }],
      'http 422',
      ['cancelled', 'booked'],
    ],
    [
      'comes back where the server keeps no reason',
      [{ body: { ...offByUs, cancelationReason: undefined } }],
      [{ body: { meta: { versionId: '4' } } }],
      'http 422',
      ['cancelled', 'booked'],
    ],
    [
      'comes back where the answer to making room was lost',
      [{ body: offByUs }, { body: offByUs }],
      [{ status: 412 }, { body: {} }],
      'http 422',
      ['cancelled', 'booked'],
    ],
    [
      'stays off where the clinic calls it off after it made room',
      [{ body: offByClinic }],
      [{ body: { meta: { versionId: '4' } } }],
      calledOff,
      ['cancelled'],
    ],
    [
      'stays off where the clinic calls it off while it comes back',
      [{ body: offByUs }, { body: offByClinic }],
      [{ body: { meta: { versionId: '4' } } }, { status: 412 }],
      calledOff,
      ['cancelled', 'booked'],
    ],
    [
      'stays off where the clinic strikes it out as an error',
      [{ body: { ...offByUs, status: 'entered-in-error', meta: { versionId: '5' } } }],
      [{ body: { meta: { versionId: '4' } } }],
      calledOff,
      ['cancelled'],
    ],
    [
      'stays deleted where the clinic deletes it',
      [{ status: 404 }],
      [{ body: { meta: { versionId: '4' } } }],
      calledOff,
      ['cancelled'],
    ],
    [
      'makes no room where the clinic has called it off before',
      [{ body: offByClinic }],
      [{ status: 412 }],
      'the appointment was called off there',
      ['cancelled'],
    ],
    [
      'makes no room where the clinic has deleted it before',
      [{ status: 404 }],
      [{ status: 412 }],
      'the appointment is not there any more',
      ['cancelled'],
    ],
  ])('that fails in a part of its own time: the old one %s', async (_what, meanwhile, puts, expected, sent) => {
    const schedule = { resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] };
    const own = { ...slot('s').resource, status: 'busy', start: nine, end: halfPast };
    const long = there({ start: '2035-03-05T08:30:00Z', end: halfPast });
    const asLong = (said: Said): Said => (said.body ? { ...said, body: { ...long, ...said.body } } : said);
    const server = serverOf(
      {
        'GET Appointment': none,
        'GET Appointment/1': [{ body: long }, ...meanwhile.map(asLong)],
        'GET Schedule': { body: searchset(schedule) },
        'GET Slot': { body: searchset({ ...own, schedule: { reference: 'Schedule/s7' } }) },
        'POST Appointment': [{ status: 409 }, { status: 422 }],
        'PUT Appointment/1': puts.map(asLong),
      },
      { hasSlots: true },
    );
    const anew = { settings: settings({ rescheduling: 'cancel-and-rebook' }), notice: { ...notice, externalId: '1' } };

    const failure = await book(booking(server, anew)).catch(({ result }) => result);

    expect(failure).toMatchObject({ kind: 'refused', fault: expected });
    expect(server.bodies('PUT').map(({ status }) => status)).toEqual(sent);
  });

  test.each<[string, object, string[]]>([
    ['there still', {}, ['Appointment/ours cancelled']],
    ['called off', offByClinic, ['Appointment/ours cancelled', 'Slot/s free']],
    [
      'called off by a try before, and there again',
      offByUs,
      ['Appointment/ours cancelled', 'Slot/s free', 'Appointment/1 booked', 'Slot/s busy'],
    ],
  ])(
    'that is found, and came second, leaves to the old one what it has, which is %s',
    async (_what, state, written) => {
      const shared = [{ reference: 'Slot/s' }];
      const found = there({ id: 'ours', slot: shared, meta: { lastUpdated: '2035-03-01T08:00:00Z' } });
      const old = there({ start: '2035-03-05T08:00:00Z', end: nine, slot: shared, ...state });
      const first = there({ id: 'theirs', identifier: [] });
      const server = serverOf(
        {
          'GET Appointment': { body: searchset(found, old, first) },
          'GET Appointment/1': { body: old },
          'GET Appointment/ours': { body: found },
          'GET Slot/s': ['busy', 'free'].map((status) => ({ body: { resourceType: 'Slot', id: 's', status } })),
          'PUT Appointment/ours': { body: found },
          POST: {
            body: { resourceType: 'Bundle', type: 'transaction-response', entry: [{ response: { status: '200' } }] },
          },
        },
        { showsBusyTimes: true, marksSlots: true },
      );
      const anew = {
        settings: settings({ rescheduling: 'cancel-and-rebook' }),
        notice: { ...notice, externalId: '1' },
      };

      expect(saidOf(await outcomeOf(book(booking(server, anew))))).toBe('refused,409,time_taken');
      const bundles: { entry: { resource: Resource }[] }[] = server.bodies('POST');
      const changed = [
        ...server.bodies('PUT'),
        ...bundles.flatMap(({ entry }) => entry.map(({ resource }) => resource)),
      ];
      expect(changed.map(({ resourceType, id, status }) => `${resourceType}/${id} ${status}`)).toEqual(written);
    },
  );

  test('with nobody who is mapped is asked of no server', async () => {
    const server = serverOf({});

    expect(await outcomeOf(book(booking(server, { notice: { ...notice, providerName: 'Dr.New' } })))).toEqual([
      'unusable',
    ]);
    expect(server.asked()).toEqual([]);
  });
});
