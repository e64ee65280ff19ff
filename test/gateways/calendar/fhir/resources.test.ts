import { FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { AppointmentNotice, InsuranceQuestion } from '@clinic/shared/contracts/events/clinic-notice';
import {
  appointmentResource,
  cancelled,
  comingIn,
  isCalledOff,
} from '@clinic/gateways/calendar/fhir/appointment-resource';
import { appointmentsNear, cameSecond, refuseTaken } from '@clinic/gateways/calendar/fhir/busy-times';
import { createCallMemories, emptyMemory, takeLookedUp } from '@clinic/gateways/calendar/fhir/call-memory';
import { documentResource } from '@clinic/gateways/calendar/fhir/documents';
import { answerTo, eligibilityRequest, verdictIn } from '@clinic/gateways/calendar/fhir/eligibility';
import { askFhir, type FhirRequest } from '@clinic/gateways/calendar/fhir/exchange';
import { slotsToFree, writeWithSlots } from '@clinic/gateways/calendar/fhir/marked-slots';
import { freeSlot, freeSlots, schedulesOf } from '@clinic/gateways/calendar/fhir/slots';
import { type Said, scriptedFhir, searchset, visitNotice as notice } from '../../../support/outside/scripted-fhir';

const BASE = 'https://ehr.example/fhir';
const NOW = '2035-03-01T08:00:00.000Z';

function serverOf(says: Record<string, Said | object[]>) {
  const server = scriptedFhir(BASE, (path) => {
    const said = says[path];
    return Array.isArray(said) ? { body: searchset(...said) } : said;
  });
  return { ...server, ask: (request: FhirRequest) => askFhir(server.send, BASE, request) };
}
/** The words of a refusal. */
const refused = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: { result: unknown }) => error.result,
  );

const settings = (more: object = {}) =>
  FhirSettings.parse({
    permitted: [],
    providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }],
    visitTypes: [
      { name: 'Follow-up', system: 'urn:types', code: 'FU' },
      { name: 'Check', code: 'C' },
    ],
    locations: [
      { name: 'North', reference: 'Location/north' },
      { name: 'South', reference: 'Location/south' },
    ],
    ...more,
  });
const placed = (changed: Partial<AppointmentNotice> = {}, given = settings(), slotReference: string | null = null) =>
  appointmentResource({ ...notice, ...changed }, { patientReference: 'Patient/1', slotReference }, given);
const actors = (...references: string[]) =>
  references.map((reference) => ({ actor: { reference }, status: 'accepted' }));

describe('an appointment that is written', () => {
  const preferring = (preferredLocation: string) => ({ patient: { ...notice.patient, preferredLocation } });
  const oneLocation = settings({ locations: [{ name: 'North', reference: 'Location/north' }] });

  test('has its identifier, time, type and people', () => {
    expect(placed()).toEqual({
      resourceType: 'Appointment',
      identifier: [{ system: 'urn:clinic-workflows:appointment', value: `a-1.${Date.UTC(2035, 2, 5, 9) / 60_000}` }],
      status: 'booked',
      serviceType: [{ coding: [{ system: 'urn:types', code: 'FU' }], text: 'Follow-up' }],
      start: notice.startsAt,
      end: notice.endsAt,
      participant: actors('Patient/1', 'Practitioner/7'),
    });
  });

  test.each<[string, object, object]>([
    ['a slot', placed({}, settings(), 'Slot/1'), { slot: [{ reference: 'Slot/1' }] }],
    [
      'a code without a system',
      placed({ visitType: 'Check' }),
      { serviceType: [{ coding: [{ code: 'C' }], text: 'Check' }] },
    ],
    ['no code', placed({ visitType: 'Other' }), { serviceType: [{ text: 'Other' }] }],
    ['nobody who is mapped', placed({ providerName: 'Dr.New' }), { participant: actors('Patient/1') }],
    [
      'the place that is preferred',
      placed(preferring(' SOUTH ')),
      { participant: actors('Patient/1', 'Practitioner/7', 'Location/south') },
    ],
    ['no place that is known', placed(preferring('East')), { participant: actors('Patient/1', 'Practitioner/7') }],
    [
      'the only place',
      placed(preferring('East'), oneLocation),
      { participant: actors('Patient/1', 'Practitioner/7', 'Location/north') },
    ],
  ])('has %s', (_what, resource, expected) => {
    expect(resource).toMatchObject(expected);
  });

  test.each([
    ['patient', 'pat', 'Cancelled by the patient'],
    ['moved', 'pat', 'Moved to another time'],
    ['taken', 'other', 'Somebody else was there first'],
  ] as const)('is cancelled for %s as %s', (reason, code, text) => {
    expect(cancelled(reason)).toMatchObject({ status: 'cancelled', cancelationReason: { coding: [{ code }], text } });
  });
});

describe('an appointment that is read', () => {
  const there = (changed: object = {}) => ({
    resourceType: 'Appointment',
    id: '1',
    status: 'booked',
    start: '2035-03-05T10:00:00+01:00',
    serviceType: [{ text: 'as typed', coding: [{ code: 'x' }, { code: 'FU' }] }],
    participant: [
      { actor: { reference: 'Patient/1' } },
      {},
      { actor: { reference: `${BASE}/Practitioner/7`, display: 'Ana' } },
    ],
    ...changed,
  });
  const read = (...resources: Record<string, unknown>[]) => comingIn(resources, NOW, settings());

  test('is in our words as far as they are mapped', () => {
    expect(read(there())).toEqual([
      {
        id: '1',
        providerName: 'Dr.Vega',
        actor: 'Practitioner/7',
        visitType: 'Follow-up',
        startsAt: notice.startsAt,
        status: 'booked',
      },
    ]);
  });

  test.each<[string, object, object]>([
    [
      'somebody else',
      { participant: [{ actor: { reference: 'Practitioner/9', display: 'Zoe' } }] },
      { providerName: 'Zoe', actor: 'Practitioner/9' },
    ],
    [
      'a role without a name',
      { participant: [{ actor: { reference: 'PractitionerRole/9' } }] },
      { providerName: null, actor: 'PractitionerRole/9' },
    ],
    ['nobody', { participant: undefined }, { providerName: null, actor: null }],
    ['people that are none', { participant: 'x' }, { providerName: null }],
    ['a type in words', { serviceType: [{ text: 'as typed' }] }, { visitType: 'as typed' }],
    ['no type', { serviceType: undefined }, { visitType: 'Visit' }],
    ['a type that is none', { serviceType: 7 }, { visitType: 'Visit' }],
    ['the state of being asked for', { status: 'pending' }, { status: 'pending' }],
  ])('has %s', (_what, changed, expected) => {
    expect(read(there(changed))).toMatchObject([expected]);
  });

  test.each([
    { status: 'cancelled' },
    { status: 'proposed' },
    { status: 'fulfilled' },
    { start: NOW },
    { start: '2035-02-28T10:00:00Z' },
    { start: 'soon' },
    { id: undefined },
  ])('that is not to come is left out: %j', (changed) => {
    expect(read(there(changed))).toEqual([]);
  });

  test('stands in order of time', () => {
    const times = ['2035-03-07T10:00:00Z', '2035-03-06T10:00:00Z', '2035-03-08T10:00:00Z'];

    expect(read(...times.map((start, index) => there({ start, id: `${index}` }))).map(({ id }) => id)).toEqual([
      '1',
      '0',
      '2',
    ]);
  });

  test.each([
    ['cancelled', true],
    ['entered-in-error', true],
    ['noshow', true],
    ['booked', false],
    ['pending', false],
    [undefined, false],
  ])('in the state %s is called off: %s', (status, expected) => {
    expect(isCalledOff({ status })).toBe(expected);
  });
});

describe('the time of a practitioner', () => {
  const capabilities = { canBook: false, canHold: false, hasSlots: true, findsAppointments: true };
  const time = { actor: 'Practitioner/7', startsAt: notice.startsAt, endsAt: notice.endsAt };
  const ours = 'urn:clinic-workflows:appointment';
  const taken = (changed: object = {}) => ({
    resourceType: 'Appointment',
    id: '1',
    status: 'booked',
    start: '2035-03-05T09:00:00Z',
    end: '2035-03-05T09:30:00Z',
    participant: [{ actor: { reference: 'Practitioner/7' } }],
    identifier: [{ system: ours, value: 'x' }],
    meta: { lastUpdated: '2035-03-01T08:00:00Z' },
    ...changed,
  });
  const near = (resources: object[], more: object = {}) =>
    appointmentsNear(
      {
        ask: serverOf({ Appointment: resources }).ask,
        memory: emptyMemory(),
        capabilities: { ...capabilities, ...more },
      },
      time,
    );

  test('is searched for half a day around', async () => {
    const { ask, asked } = serverOf({ Appointment: [] });

    await appointmentsNear(
      { ask, memory: emptyMemory(), capabilities: { ...capabilities, showsBusyTimes: true } },
      time,
    );

    expect(asked()).toEqual([
      'GET Appointment?actor=Practitioner/7&date=ge2035-03-04T21:00:00.000Z&date=lt2035-03-05T21:00:00.000Z&_count=100',
      'GET PractitionerRole?practitioner=Practitioner/7&_count=50',
    ]);
  });

  test('is searched under all roles of theirs, each once', async () => {
    const role = (id: string, whose: string) => ({
      resourceType: 'PractitionerRole',
      id,
      practitioner: { reference: `${BASE}/Practitioner/${whose}` },
    });
    const { ask, asked } = serverOf({
      'PractitionerRole/r7': { body: role('r7', '7') },
      PractitionerRole: [role('r7', '7'), role('r8', '7'), role('r9', '9')],
      Appointment: [taken()],
    });
    const server = { ask, memory: emptyMemory(), capabilities };
    const actorsAsked = () => asked().flatMap((each) => /Appointment\?actor=([^&]*)/.exec(each)?.[1] ?? []);

    const cold = await appointmentsNear(server, { ...time, actor: 'PractitionerRole/r7' });
    const warm = await appointmentsNear(server, time);

    // It is filed under the person, who is not known at first.
    expect([cold, warm].map((found) => found.map(({ id }) => id))).toEqual([['1'], ['1']]);

    expect(actorsAsked()).toEqual([
      'PractitionerRole/r7',
      'Practitioner/7,PractitionerRole/r8',
      'Practitioner/7,PractitionerRole/r7,PractitionerRole/r8',
    ]);
  });

  test('is read with who wrote it when', async () => {
    const bare = taken({ id: '2', end: undefined, identifier: undefined, meta: undefined });

    expect(await near([taken(), bare])).toEqual([
      { id: '1', identifiers: [`${ours}|x`], writtenAt: NOW, startsAt: time.startsAt, endsAt: time.endsAt },
      { id: '2', identifiers: [], writtenAt: null, startsAt: time.startsAt, endsAt: expect.any(String) },
    ]);
    expect(await near([taken({ identifier: [{}], meta: { lastUpdated: 'x' }, end: 'x' })])).toMatchObject([
      { identifiers: ['|'], writtenAt: null },
    ]);
  });

  test.each(['booked', 'pending', 'arrived', 'checked-in', 'fulfilled'])(
    'is taken by one that is %s',
    async (status) => {
      expect(await near([taken({ status })])).toHaveLength(1);
    },
  );

  test.each([
    { status: 'cancelled' },
    { status: 'noshow' },
    { status: 'proposed' },
    { start: 'x' },
    { participant: [{ actor: { reference: 'Practitioner/8' } }] },
    { participant: [{}] },
    { participant: 'x' },
  ])('is not taken by %j', async (changed) => {
    expect(await near([taken(changed)])).toEqual([]);
  });

  test.each([{ canBook: true }, { showsBusyTimes: false }])('is not looked at where %j', async (more) => {
    expect(await near([taken()], more)).toEqual([]);
  });

  test('that has too many is left to staff', async () => {
    const link = [{ relation: 'next', url: 'https://other.example' }];
    const { ask } = serverOf({ Appointment: { body: { ...searchset(taken()), link } } });

    expect(await refused(appointmentsNear({ ask, memory: emptyMemory(), capabilities }, time))).toMatchObject({
      kind: 'refused',
      status: 409,
    });
  });

  test.each<[string, object, boolean]>([
    ['the same', {}, true],
    ['one that begins within', { start: '2035-03-05T09:29:00Z', end: '2035-03-05T10:00:00Z' }, true],
    ['one that ends within', { start: '2035-03-05T08:00:00Z', end: '2035-03-05T09:01:00Z' }, true],
    ['one that begins at its end', { start: '2035-03-05T09:30:00Z', end: '2035-03-05T10:00:00Z' }, false],
    ['one that ends at its beginning', { start: '2035-03-05T08:00:00Z', end: '2035-03-05T09:00:00Z' }, false],
    ['itself by its id', { id: 'mine' }, false],
    [
      'itself by its identifier',
      {
        identifier: [
          { system: 'a', value: 'b' },
          { system: '', value: 'mine' },
        ],
      },
      true,
    ],
  ])('is refused for %s: %s', async (_what, changed, isRefused) => {
    const found = await near([taken(changed)]);

    const result = await refused((async () => refuseTaken(found, time, { except: 'mine' }))());

    expect(result).toEqual(isRefused ? expect.objectContaining({ status: 409, because: 'time_taken' }) : null);
    expect(() => refuseTaken(found, time, { except: `${ours}|x` })).not.toThrow(TypeError);
  });

  const written = (id: string, lastUpdated?: string, value = ours) =>
    taken({ id, identifier: [{ system: value, value: id }], meta: { lastUpdated } });
  const second = (...resources: object[]) =>
    cameSecond({ ask: serverOf({ Appointment: resources }).ask, memory: emptyMemory(), capabilities }, time, {
      id: 'b',
      isOurs: ({ identifiers }) => identifiers.some((each) => each.startsWith(ours)),
    });
  const [early, late] = ['2035-03-01T08:00:00Z', '2035-03-01T08:00:01Z'];
  test.each<[string, object[], boolean]>([
    ['nobody', [written('b', late)], false],
    ['one of ours before', [written('a', early), written('b', late)], true],
    ['one of ours after', [written('a', late), written('b', early)], false],
    ['one of ours at once, by its id', [written('a', early), written('b', early)], true],
    ['one of ours at once, after it by its id', [written('c', early), written('b', early)], false],
    ['one of ours, and it is not known when', [written('c'), written('b', early)], true],
    ['one of ours, and it is not known when ours was', [written('c', late), written('b')], true],
    ['one of ours, and ours is not there', [written('c', late)], true],
    ['one of somebody else’s after', [written('c', late, 'x'), written('b', early)], true],
    [
      'one at another time',
      [{ ...written('a', early), start: '2035-03-05T10:00:00Z', end: '2035-03-05T11:00:00Z' }, written('b', late)],
      false,
    ],
  ])('came second to %s: %s', async (_what, resources, expected) => {
    expect(await second(...resources)).toBe(expected);
  });
});

describe('free slots', () => {
  const slot = (changed: object = {}) => ({
    resourceType: 'Slot',
    id: '1',
    status: 'free',
    start: '2035-03-05T10:00:00+01:00',
    end: '2035-03-05T09:20:00Z',
    schedule: { reference: `${BASE}/Schedule/s7` },
    ...changed,
  });
  const schedule = (id: string, ...references: string[]) => ({
    resourceType: 'Schedule',
    id,
    actor: references.map((reference) => ({ reference })),
  });
  const schedules = [
    schedule('s7', 'Location/x', `${BASE}/Practitioner/7`),
    schedule('s9', 'Practitioner/9'),
    schedule('s8', 'Practitioner/8'),
  ];
  const wanted = { actors: ['Practitioner/7', 'Practitioner/9'], from: NOW, until: '2035-04-01T08:00:00.000Z' };

  test('are found by the schedules of those who are asked for', async () => {
    const { ask, asked } = serverOf({ Schedule: schedules, Slot: [slot()] });

    expect(await freeSlots(ask, wanted)).toEqual([
      {
        reference: 'Slot/1',
        actor: 'Practitioner/7',
        startsAt: notice.startsAt,
        endsAt: '2035-03-05T09:20:00.000Z',
        resource: slot(),
      },
    ]);
    expect(asked()).toEqual([
      'GET Schedule?actor=Practitioner/7,Practitioner/9',
      `GET Slot?schedule=Schedule/s7,Schedule/s9&status=free&start=ge${NOW}&start=lt${wanted.until}&_count=200`,
    ]);
  });

  test.each([
    { status: 'busy' },
    { schedule: { reference: 'Schedule/other' } },
    { start: 'x' },
    { id: 7 },
    { schedule: undefined },
  ])('are none where one has %j', async (changed) => {
    expect(await freeSlots(serverOf({ Schedule: schedules, Slot: [slot(changed)] }).ask, wanted)).toEqual([]);
  });

  test('without an end are as long as ours', async () => {
    const { ask } = serverOf({ Schedule: schedules, Slot: [slot({ end: 'x' })] });
    const [found] = await freeSlots(ask, wanted);

    expect(Date.parse(found?.endsAt ?? '')).toBeGreaterThan(Date.parse(notice.startsAt));
  });

  test('of somebody without a schedule are refused', async () => {
    expect(await refused(freeSlots(serverOf({ Schedule: [] }).ask, wanted))).toMatchObject({
      status: 404,
      fault: 'it has no schedule of Practitioner/7, Practitioner/9',
    });
  });

  test('at one time are those of that very time', async () => {
    const at = (...slots: object[]) =>
      freeSlot(serverOf({ Schedule: schedules, Slot: slots }).ask, {
        actor: 'Practitioner/7',
        startsAt: notice.startsAt,
      });

    expect(await at(slot({ id: '2', start: '2035-03-05T09:00:30Z' }), slot())).toMatchObject({ reference: 'Slot/1' });
    expect(await refused(at(slot({ start: '2035-03-05T09:00:30Z' })))).toMatchObject({
      status: 409,
      because: 'time_taken',
    });
  });

  test('schedules are asked for once in a call, those that there are not again', async () => {
    const { ask, requests } = serverOf({ Schedule: schedules });
    const memory = emptyMemory();
    const of = async (...people: string[]) => [...(await schedulesOf(ask, people, memory))];

    const first = await of('Practitioner/7');
    const again = await of('Practitioner/7');
    const both = await of('Practitioner/7', 'Practitioner/9');
    await of('Practitioner/gone');
    await of('Practitioner/gone');

    expect([first, again]).toEqual([[['Schedule/s7', 'Practitioner/7']], [['Schedule/s7', 'Practitioner/7']]]);
    expect(both).toHaveLength(2);
    expect(requests).toHaveLength(4);
  });
});

describe('slots that are marked', () => {
  const busySlot = { resourceType: 'Slot', id: '1', status: 'busy', meta: { versionId: '3' } };
  test.each<[string, Record<string, unknown>, Said | object[], number]>([
    ['its own', { slot: [{ reference: 'Slot/1' }] }, { body: busySlot }, 1],
    ['its own with the server’s address', { slot: [{ reference: `${BASE}/Slot/1` }] }, { body: busySlot }, 1],
    ['one that is free already', { slot: [{ reference: 'Slot/1' }] }, { body: { ...busySlot, status: 'free' } }, 0],
    ['one that is gone', { slot: [{ reference: 'Slot/1' }] }, { status: 410 }, 0],
    ['none', {}, { body: busySlot }, 0],
    ['an empty list', { slot: [] }, { body: busySlot }, 0],
    ['something else', { slot: [{ reference: 'Other/1' }] }, { body: busySlot }, 0],
  ])('of an appointment %s becomes free', async (_what, appointment, said, count) => {
    const marks = await slotsToFree(serverOf({ 'Slot/1': said }).ask, appointment);

    expect(marks).toEqual(count === 0 ? [] : [{ resource: busySlot, status: 'free' }]);
  });

  test('of a long appointment all become free', async () => {
    const [first, second, third] = ['1', '2', '3'].map((id) => ({ ...busySlot, id }));
    const says = {
      'Slot/1': { body: first },
      'Slot/2': { body: { ...second, status: 'free' } },
      'Slot/3': { body: third },
    };
    const slot = ['1', '2', '3'].map((id) => ({ reference: `Slot/${id}` }));

    expect(await slotsToFree(serverOf(says).ask, { slot })).toEqual([
      { resource: first, status: 'free' },
      { resource: third, status: 'free' },
    ]);
  });

  const response = (entry: object[]) => ({ body: { resourceType: 'Bundle', type: 'transaction-response', entry } });
  const marks = [
    { resource: busySlot, status: 'free' as const },
    { resource: { resourceType: 'Slot', id: '2', status: 'free' }, status: 'busy' as const },
  ];

  test('are written in one transaction with the appointment, as they were read', async () => {
    const { ask, requests } = serverOf({
      '': response([{ response: { status: '201 Created', location: 'Appointment/9/_history/1', etag: 'W/"1"' } }]),
    });

    const made = await writeWithSlots(
      ask,
      { method: 'POST', url: 'Appointment', resource: { a: 1 }, ifNoneExist: 'x=y' },
      marks,
    );
    await writeWithSlots(ask, { method: 'PUT', url: 'Appointment/9', resource: { a: 1 }, ifMatch: 'W/"1"' }, []);

    expect(made).toEqual({ status: 201, body: null, id: '9', version: 'W/"1"', next: null });
    const [first, second] = requests.map(({ body }) => JSON.parse(String(body)));
    expect(
      first.entry.map(({ request, resource }: { request: object; resource: object }) => [request, resource]),
    ).toEqual([
      [{ method: 'POST', url: 'Appointment', ifNoneExist: 'x=y' }, { a: 1 }],
      [
        { method: 'PUT', url: 'Slot/1', ifMatch: 'W/"3"' },
        { ...busySlot, status: 'free' },
      ],
      [
        { method: 'PUT', url: 'Slot/2' },
        { resourceType: 'Slot', id: '2', status: 'busy' },
      ],
    ]);
    expect(second.entry[0].request).toEqual({ method: 'PUT', url: 'Appointment/9', ifMatch: 'W/"1"' });
    const urls = first.entry.map(({ fullUrl }: { fullUrl: string }) => fullUrl);
    expect(new Set(urls).size).toBe(3);
    for (const url of urls)
      expect(url).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test.each<[string, Said]>([
    ['another Bundle', { body: searchset() }],
    ['no entry', response([])],
    ['no status', response([{ response: { status: 'done' } }])],
  ])('%s does not say what was done', async (_what, said) => {
    const write = writeWithSlots(serverOf({ '': said }).ask, { method: 'PUT', url: 'Appointment/9', resource: {} }, []);

    expect(await refused(write)).toEqual({
      kind: 'unavailable',
      error: 'http_200',
      said: 'it does not say what it did',
    });
  });
});

describe('what a call remembers', () => {
  const lookedUp = (at: number) => ({ id: '1', appointment: { resource: {}, version: null }, at });

  test('is taken once, for the appointment that it is of, and not when it is old', () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(20_000);
    const taken = (memory: ReturnType<typeof emptyMemory>, id = '1') => takeLookedUp(memory, id) !== null;
    const memory = { ...emptyMemory(), lookedUp: lookedUp(10_001) };

    expect([taken(memory), taken(memory)]).toEqual([true, false]);
    expect(taken({ ...emptyMemory(), lookedUp: lookedUp(10_000) })).toBe(false);
    expect(taken({ ...emptyMemory(), lookedUp: lookedUp(20_000) }, '2')).toBe(false);
    expect(taken(emptyMemory())).toBe(false);
    clock.mockRestore();
  });

  test('is kept for half an hour, and for a thousand calls', () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(0);
    const memoryOf = createCallMemories();
    const first = memoryOf('first');

    clock.mockReturnValue(30 * 60_000 - 1);
    expect(memoryOf('first')).toBe(first);
    clock.mockReturnValue(30 * 60_000);
    const renewed = memoryOf('first');
    for (let call = 1; call < 1_000; call += 1) memoryOf(`call-${call}`);
    expect([renewed === first, memoryOf('first') === renewed]).toEqual([false, true]);
    memoryOf('one more');
    expect(memoryOf('first')).not.toBe(renewed);
    clock.mockRestore();
  });
});

describe('a note', () => {
  const document = (more: object) =>
    documentResource(
      {
        documentId: 'd-1',
        text: '',
        escalateToClinicalTeam: false,
        requestExternalRecords: false,
        createdAt: NOW,
        ...more,
      },
      'Patient/1',
    );
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');

  test.each<[string, object, string | undefined, string | undefined]>([
    ['its words', { text: 'Zoë' }, base64('Zoë'), undefined],
    ['nothing', { text: ' ' }, undefined, undefined],
    [
      'an escalation',
      { escalateToClinicalTeam: true },
      base64('the care team should look at it'),
      'Note of a phone call: the care team should look at it',
    ],
    [
      'a wish',
      { requestExternalRecords: true, text: 'x' },
      base64('x'),
      'Note of a phone call: external records are to be requested',
    ],
    [
      'both',
      { escalateToClinicalTeam: true, requestExternalRecords: true },
      base64('the care team should look at it; external records are to be requested'),
      'Note of a phone call: the care team should look at it; external records are to be requested',
    ],
  ])('holds %s', (_what, more, data, description) => {
    const resource = document(more);

    expect(resource.content[0]?.attachment).toEqual({
      contentType: 'text/plain',
      language: 'en',
      ...(data !== undefined && { data }),
      title: 'Note of a phone call',
      creation: NOW,
    });
    expect('description' in resource ? resource.description : undefined).toBe(description);
    expect(resource).toMatchObject({
      identifier: [{ system: 'urn:clinic-workflows:document', value: 'd-1' }],
      category: [{ coding: [{ code: 'clinical-note' }] }],
      type: { coding: [{ code: '34748-4' }] },
      subject: { reference: 'Patient/1' },
    });
  });
});

describe('a question about insurance', () => {
  const question: InsuranceQuestion = { patientId: 'p-1', payerName: 'Acme', memberId: 'M' };
  const asked = (
    more: object,
    externalPatientId: string | null,
    patient: AppointmentNotice['patient'] | null = notice.patient,
  ) => eligibilityRequest({ ...question, ...more }, { patient, externalPatientId, created: NOW });

  test('names the patient by the id there, or holds who it is', () => {
    expect(asked({}, '9')).toMatchObject({
      contained: [
        {
          resourceType: 'Coverage',
          subscriberId: 'M',
          beneficiary: { reference: 'Patient/9' },
          payor: [{ display: 'Acme' }],
        },
      ],
      patient: { reference: 'Patient/9' },
      purpose: ['validation', 'benefits'],
      insurance: [{ focal: true, coverage: { reference: '#coverage' } }],
    });
    expect(asked({}, null)).toMatchObject({
      contained: [
        { resourceType: 'Patient', id: 'patient', name: [{ family: 'Lee' }] },
        { beneficiary: { reference: '#patient' } },
      ],
      patient: { reference: '#patient' },
    });
    expect(asked({}, null, null).contained[0]).toEqual({ resourceType: 'Patient', id: 'patient' });
    expect(asked({}, '9').contained).toHaveLength(1);
  });

  test('has group and subscriber where they are known', () => {
    const [plain] = asked({}, '9').contained;
    const [known] = asked({ groupId: 'G', subscriberName: 'Bea' }, '9').contained;

    expect([plain && 'class' in plain, plain && 'policyHolder' in plain]).toEqual([false, false]);
    expect(known).toMatchObject({
      class: [{ value: 'G', type: { coding: [{ code: 'group' }] } }],
      policyHolder: { display: 'Bea' },
    });
  });

  const verdict = (insurance: unknown, more: object = {}) => ({
    resourceType: 'CoverageEligibilityResponse',
    outcome: 'complete',
    insurance,
    ...more,
  });
  const benefit = (code: string, value?: number) => ({
    type: { coding: [{ code }] },
    ...(value !== undefined && { allowedMoney: { value } }),
  });
  test.each<[unknown, object | null]>([
    [verdict([{ inforce: true }]), { status: 'VERIFIED' }],
    [
      verdict([
        { inforce: true, item: [{}, { benefit: [benefit('deductible', 9), benefit('copay-maximum', 12.345)] }] },
      ]),
      { status: 'VERIFIED', copayCents: 1235 },
    ],
    [
      verdict([{ inforce: true }, { item: [{ benefit: [benefit('copay', 7)] }] }]),
      { status: 'VERIFIED', copayCents: 700 },
    ],
    [verdict([{ inforce: true, item: [{ benefit: [benefit('copay')] }] }]), { status: 'VERIFIED' }],
    [
      verdict([
        { inforce: true, item: [{ benefit: [benefit('copay-maximum', 500), benefit('copay-percent', 20)] }] },
        { item: [{ benefit: [benefit('copay'), benefit('copay', 25)] }] },
      ]),
      { status: 'VERIFIED', copayCents: 2500 },
    ],
    [verdict([{ inforce: true, item: [{ benefit: [benefit('copay-percent', 20)] }] }]), { status: 'VERIFIED' }],
    [verdict([{ inforce: true, item: [{ benefit: [{}] }] }]), { status: 'VERIFIED' }],
    [verdict([{ inforce: false }]), { status: 'NOT_IN_FORCE', errorMessage: expect.any(String) }],
    [verdict([{}]), null],
    [verdict([]), null],
    [verdict(undefined), null],
    [verdict([{ inforce: true }], { outcome: 'partial' }), null],
    [verdict([{ inforce: true }], { status: 'draft' }), null],
    [verdict([{ inforce: true }], { status: 'active' }), { status: 'VERIFIED' }],
    [{ resourceType: 'Patient' }, null],
  ])('%j is the verdict %j', (resource, expected) => {
    expect(verdictIn(resource)).toEqual(expected);
  });

  test('is answered by what stands beside it, found by the id of the body or the location', async () => {
    const says = { CoverageEligibilityResponse: [verdict([{ inforce: true }])] };
    const answer = (body: unknown, id: string | null) => {
      const server = serverOf(says);
      return answerTo(server.ask, { status: 201, body, id, version: null, next: null }).then((found) => [
        found,
        server.asked(),
      ]);
    };
    const request = (id: string) => [`GET CoverageEligibilityResponse?request=CoverageEligibilityRequest/${id}`];

    expect(await answer({ id: '4' }, '5')).toEqual([{ status: 'VERIFIED' }, request('4')]);
    expect(await answer(null, '5')).toEqual([{ status: 'VERIFIED' }, request('5')]);
    expect(await answer(null, null)).toEqual([null, []]);
  });

  test.each<[string, object[], object | null]>([
    ['another request alone', [{ reference: 'CoverageEligibilityRequest/5' }], null],
    [
      'another request, and of this one',
      [{ reference: 'CoverageEligibilityRequest/5' }, { reference: `${BASE}/CoverageEligibilityRequest/4/_history/1` }],
      { status: 'NOT_IN_FORCE', errorMessage: expect.any(String) },
    ],
  ])('is not answered by what a server that passes over the request shows of %s', async (_of, requests, expected) => {
    const answers = requests.map((request, index) => verdict([{ inforce: index === 0 }], { request }));
    const { ask } = serverOf({ CoverageEligibilityResponse: answers });

    expect(await answerTo(ask, { status: 201, body: { id: '4' }, id: null, version: null, next: null })).toEqual(
      expected,
    );
  });
});
