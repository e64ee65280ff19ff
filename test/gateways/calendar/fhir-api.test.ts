import {
  ApprovedApi,
  type ClinicAction,
  type FhirCapabilities,
  type FhirSettings,
} from '@clinic/shared/contracts/events/approved-api';
import { createClinicApi } from '@clinic/gateways/clinic-api/clinic-api';
import { createTokenCache } from '@clinic/gateways/clinic-api/clinic-api-auth';
import { createClinicHttp, type OutboundAudit } from '@clinic/gateways/http/clinic-http';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { assertR4 } from '../../support/r4';
import { type FhirServer, outcome, startFhirServer, type Statement } from '../../support/outside/fhir-server';
import { noOtherBookings } from '../../support/ehr-times';

let safeHttp: SafeHttp;
let server: FhirServer;
let audit: OutboundAudit[];

beforeAll(() => {
  safeHttp = createSafeHttp({ allowPrivateTargets: true });
});
beforeEach(async () => {
  audit = [];
  server = await startFhirServer();
  server.add({ resourceType: 'Practitioner', id: '7', name: [{ family: 'Vega', given: ['Ana'] }] });
  server.add({ resourceType: 'Location', id: 'north', name: 'North' });
  server.add({ resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] });
  for (const [id, start] of [
    ['at-9', '2035-03-05T09:00:00Z'],
    ['at-10', '2035-03-05T10:00:00Z'],
  ]) {
    server.add({
      resourceType: 'Slot',
      id,
      status: 'free',
      schedule: { reference: 'Schedule/s7' },
      start,
      serviceType: [{ coding: [{ code: 'FU' }] }],
    });
  }
});
afterEach(async () => {
  await server.close();
  // Whatever was sent is R4 to the letter.
  for (const { headers, body } of server.receiver.received) {
    if (headers['content-type'] === 'application/fhir+json') assertR4(JSON.parse(body));
  }
});
afterAll(() => safeHttp.close());

const allCapabilities: FhirCapabilities = {
  canBook: false,
  canHold: false,
  hasSlots: true,
  findsAppointments: true,
  showsBusyTimes: true,
  marksSlots: false,
};
const api = ({
  fhir = {},
  capabilities = {},
  below = '',
  ehrTimes = noOtherBookings,
}: Partial<{
  fhir: Partial<FhirSettings>;
  /** Null before it was checked. */
  capabilities: Partial<FhirCapabilities> | null;
  below: string;
  ehrTimes: typeof noOtherBookings;
}> = {}) =>
  createClinicApi({
    ehrTimes,
    http: createClinicHttp({ http: safeHttp, audit: (row) => void audit.push(row), adjustWait: () => 0 }),
    clinicId: 'clinic-1',
    tokens: createTokenCache(),
    keys: { signing: async () => null, jwksUrl: () => '' },
    now: () => new Date('2035-03-01T08:00:00.000Z'),
    settings: ApprovedApi.parse({
      kind: 'fhir-r4',
      baseUrl: `${server.url}${below}`,
      auth: { method: 'bearer', token: 'abc' },
      fhir: {
        isOn: true,
        permitted: ['patient.upsert', 'appointment.book', 'appointment.cancel', 'document.write', 'insurance.verify'],
        providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }],
        visitTypes: [{ name: 'Follow-up', system: 'urn:types', code: 'FU' }],
        locations: [{ name: 'North', reference: 'Location/north' }],
        ...fhir,
      },
      capabilities: capabilities === null ? undefined : { ...allCapabilities, ...capabilities },
    }),
  });

const ann = {
  patientId: 'p-1',
  externalId: null as string | null,
  firstName: 'Ann',
  lastName: 'Lee',
  phone: '+15005550100',
  email: 'ann@example.com',
  dateOfBirth: '1990-02-03' as string | null,
  address: '1 Main St',
  preferredLocation: null,
};
const annThere = (changed: object = {}) =>
  server.add({
    resourceType: 'Patient',
    name: [{ family: 'Lee', given: ['Ann'] }],
    birthDate: '1990-02-03',
    ...changed,
  });
const appointment = (changed: object = {}) => ({
  appointmentId: 'a-1',
  externalId: null as string | null,
  status: 'booked',
  providerName: 'Dr.Vega',
  visitType: 'Follow-up',
  startsAt: '2035-03-05T09:00:00.000Z',
  endsAt: '2035-03-05T09:30:00.000Z',
  patient: ann,
  ...changed,
});
const at10 = { startsAt: '2035-03-05T10:00:00.000Z', endsAt: '2035-03-05T10:30:00.000Z' };
const note = {
  documentId: 'd-1',
  text: 'Wants a refill — Zoë',
  escalateToClinicalTeam: true,
  requestExternalRecords: false,
  createdAt: '2035-03-05T08:00:00.000Z',
};
const policy = { patientId: 'p-1', payerName: 'Acme Health', memberId: 'M-1', groupId: 'G-1' };
const externalId = (answer: unknown) => (answer as { body: { externalId: string } }).body.externalId;

describe('a patient', () => {
  test('who is there already is found by name and date of birth, and not changed', async () => {
    const { id } = annThere({ name: [{ family: 'LEE', given: ['Ann', 'Mary'] }] });
    annThere({ name: [{ family: 'Leeson', given: ['Ann'] }] });

    const answer = await api().call('patient.upsert', { body: ann });

    expect(answer).toEqual({ kind: 'answered', status: 200, body: { externalId: id } });
    expect(server.asked()).toEqual(['POST Patient/_search']);
    expect(server.receiver.received[0]!.path).not.toContain('Lee');
  });

  test('who is not there is created once, also when the answer is lost', async () => {
    server.losesAnswerTo = 'POST Patient';
    const lost = await api().call('patient.upsert', { body: ann });
    const again = await api().call('patient.upsert', { body: ann });

    expect(lost).toMatchObject({ kind: 'unavailable', error: 'network' });
    expect(server.all('Patient')).toMatchObject([
      {
        id: externalId(again),
        identifier: [{ system: 'urn:clinic-workflows:patient', value: 'p-1' }],
        name: [{ family: 'Lee', given: ['Ann'] }],
        birthDate: '1990-02-03',
        telecom: [{ system: 'phone', value: '+15005550100' }, { system: 'email' }],
      },
    ]);
  });

  test('who is told twice at once, which HAPI refuses once with a conflict, is one', async () => {
    let conflicts = 1;
    server.instead = ({ method, path }) =>
      method === 'POST' && path === '/fhir/Patient' && conflicts-- > 0
        ? outcome(409, 'processing', 'HAPI-0550: HAPI-2745: conditional constraint failure')
        : null;

    expect(externalId(await api().call('patient.upsert', { body: ann }))).toBe(server.all('Patient')[0]!.id);
  });

  test('is known by the Location where the answer has no body', async () => {
    server.answersBody = false;

    const answer = await api().call('patient.upsert', { body: ann });

    expect(externalId(answer)).toBe(server.all('Patient')[0]!.id);
  });

  test('is searched by GET where the server knows no other way', async () => {
    server.hasPostSearch = false;
    const { id } = annThere();

    expect(externalId(await api().call('patient.upsert', { body: ann }))).toBe(id);
  });

  test('without a date of birth is told apart by the phone', async () => {
    annThere({ telecom: [{ system: 'phone', value: '+15005550199' }] });
    const { id } = annThere({ telecom: [{ system: 'phone', value: '+15005550100' }] });

    expect(externalId(await api().call('patient.upsert', { body: { ...ann, dateOfBirth: null } }))).toBe(id);
  });

  test.each([
    ['of whom there are two', () => [annThere(), annThere()], ann, /409|2 patients of this name and date of birth/],
    ['of whom nothing tells apart', () => [], { ...ann, dateOfBirth: null, phone: null }, /told apart by/],
  ])('%s is left to staff', async (_what, prepare, patient, words) => {
    prepare();
    const before = server.all('Patient').length;

    const answer = await api().call('patient.upsert', { body: patient });

    expect(JSON.stringify(answer)).toMatch(words);
    expect(server.all('Patient')).toHaveLength(before);
  });

  test.each([[['Ann', 'Mary']], [['Ann Mary']]])(
    'of two first names is found as the server writes them: %j',
    async (given) => {
      const { id } = annThere({ name: [{ family: 'Lee', given }] });
      annThere({ name: [{ family: 'Lee', given: ['Ann', 'Rose'] }] });

      const answer = await api().call('patient.upsert', { body: { ...ann, firstName: 'Ann Mary' } });

      expect(answer).toEqual({ kind: 'answered', status: 200, body: { externalId: id } });
      expect(server.all('Patient')).toHaveLength(2);
    },
  );

  test('whose id is that of another platform is not taken for somebody else', async () => {
    server.add({
      resourceType: 'Patient',
      id: '12',
      name: [{ family: 'Ortiz', given: ['Ben'] }],
      birthDate: '1950-01-01',
    });
    const { id } = annThere();

    expect(externalId(await api().call('patient.upsert', { body: { ...ann, externalId: '12' } }))).toBe(id);
    expect(externalId(await api().call('patient.upsert', { body: { ...ann, externalId: id } }))).toBe(id);
  });
});

describe('a search of several pages', () => {
  const page = (resources: object[], next?: string) => ({
    status: 200,
    body: {
      resourceType: 'Bundle',
      type: 'searchset',
      ...(next && { link: [{ relation: 'next', url: next }] }),
      entry: resources.map((resource) => ({ resource })),
    },
  });
  const slot = (hour: number) => ({
    resourceType: 'Slot',
    id: `more-${hour}`,
    status: 'free',
    schedule: { reference: 'Schedule/s7' },
    start: `2035-03-06T${hour}:00:00Z`,
    end: `2035-03-06T${hour}:30:00Z`,
  });
  const openTimes = async () => {
    const answer = await api({ fhir: { isLive: true } }).live!.openSlots(
      { providers: ['Dr.Vega'], from: '2035-03-05T00:00:00.000Z', until: '2035-03-07T00:00:00.000Z' },
      { timeoutMs: 5_000 },
    );
    return answer.kind === 'done' ? answer.value.map(({ slotId }) => slotId) : answer;
  };

  test('is read to its end, by links that are absolute or not', async () => {
    server.instead = ({ path }) => {
      if (path === '/fhir/Slot/next?page=3') return page([slot(13)]);
      if (path === '/fhir?_getpages=1') return page([slot(14)], 'Slot/next?page=3');
      return path.startsWith('/fhir/Slot') ? page([slot(15)], `${server.url}?_getpages=1`) : null;
    };

    expect(await openTimes()).toEqual(['more-13', 'more-14', 'more-15']);
  });

  test('is followed to no other address, where the credentials would go too', async () => {
    const other = await startFhirServer();
    for (const next of [`${other.url}?_getpages=1`, `${server.receiver.url}/elsewhere?_getpages=1`, 'http://[']) {
      server.instead = ({ path }) => (path.startsWith('/fhir/Slot') ? page([slot(15)], next) : null);

      expect(await openTimes()).toEqual(['more-15']);
    }
    expect(other.asked()).toEqual([]);
    expect(server.receiver.received.filter(({ path }) => path.includes('_getpages'))).toEqual([]);
    await other.close();
  });

  test('without an end is cut off, and leaves a patient to staff', async () => {
    const somebody = { resourceType: 'Patient', id: '9', name: [{ family: 'Leeson', given: ['Ann'] }] };
    server.instead = () => page([somebody], `${server.url}?_getpages=1`);

    expect(await api().call('patient.upsert', { body: ann })).toMatchObject({
      kind: 'refused',
      status: 409,
      fault: 'it finds more patients of such a name than can be compared',
    });
    expect(server.receiver.received).toHaveLength(10);
  });
});

describe('an appointment', () => {
  const book = (changed: object = {}, given: Parameters<typeof api>[0] = {}) =>
    api(given).call('appointment.book', { body: appointment(changed) });

  test('is booked in a free slot, with the patient first', async () => {
    const answer = await book();

    const [patient] = server.all('Patient');
    expect(answer).toMatchObject({ kind: 'answered', body: { externalPatientId: patient!.id } });
    expect(server.all('Appointment')).toMatchObject([
      {
        id: externalId(answer),
        status: 'booked',
        start: '2035-03-05T09:00:00.000Z',
        slot: [{ reference: 'Slot/at-9' }],
        serviceType: [{ coding: [{ system: 'urn:types', code: 'FU' }], text: 'Follow-up' }],
        participant: [
          { actor: { reference: `Patient/${patient!.id}` }, status: 'accepted' },
          { actor: { reference: 'Practitioner/7' } },
          { actor: { reference: 'Location/north' } },
        ],
      },
    ]);
    const { headers } = server.receiver.received.find(
      ({ method, path }) => method === 'POST' && path === '/fhir/Appointment',
    )!;
    expect([headers['content-type'], headers['accept'], headers.authorization]).toEqual([
      'application/fhir+json',
      'application/fhir+json',
      'Bearer abc',
    ]);
    expect(JSON.stringify(audit)).not.toMatch(/Lee|at-9|p-1/);
  });

  test('is booked once, also when the answer was lost', async () => {
    server.losesAnswerTo = 'POST Appointment';
    expect(await book()).toMatchObject({ kind: 'unavailable' });

    const again = await book();

    expect(server.all('Appointment').map(({ id }) => id)).toEqual([externalId(again)]);
  });

  test.each([
    [{ canBook: true }, ['POST Appointment/$book']],
    [{ canBook: true, canHold: true }, ['POST Appointment/$hold', 'POST Appointment/$book']],
  ])('is booked by the operations that are declared: %j', async (capabilities, operations) => {
    const answer = await book({}, { capabilities });

    expect(server.asked().slice(-operations.length)).toEqual(operations);
    expect(server.all('Appointment')).toMatchObject([{ id: externalId(answer), status: 'booked' }]);
  });

  test('at a server that has not said what it can it is written, and nothing is asked for but who has the time', async () => {
    const answer = await book({}, { capabilities: null });

    expect(server.asked().slice(server.asked().indexOf('POST Patient') + 1)).toEqual([
      'GET Appointment',
      'GET PractitionerRole',
      'POST Appointment',
      'GET Appointment',
    ]);
    expect(server.all('Appointment')).toMatchObject([{ id: externalId(answer), status: 'booked' }]);
  });

  test.each([
    ['by an appointment that is cancelled', { resourceType: 'Appointment', id: 'a', status: 'cancelled' }],
    ['in words', { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'value' }] }],
  ])('that $book refuses with the status of a success, %s, has left nothing there', async (_how, body) => {
    server.instead = ({ path }) => (path.endsWith('/$book') ? { status: 200, body } : null);

    expect(await book({}, { capabilities: { canBook: true } })).toEqual({
      kind: 'refused',
      status: 200,
      fault: '$book was refused',
      body: null,
    });
  });

  test('at a time that is not free there is a refusal in words', async () => {
    await book({ appointmentId: 'a-0' });

    expect(await book()).toMatchObject({ kind: 'refused', fault: 'the time is not free there' });
    // Without slots the practitioner's appointments say it; a server that shows neither refuses it or does not.
    expect(await book({}, { capabilities: { hasSlots: false } })).toMatchObject({
      kind: 'refused',
      fault: 'somebody else has this time there',
    });
    const blind = { hasSlots: false, showsBusyTimes: false };
    expect(await book({}, { capabilities: blind })).toMatchObject({ kind: 'answered' });
  });

  test('that is not said, or in part, is not told', async () => {
    const told = (body?: object) => api().call('appointment.book', { body });

    expect(await told()).toEqual({ kind: 'unusable', reason: 'the body lacks everything' });
    expect(await told({ appointmentId: 'a-1' })).toEqual({
      kind: 'unusable',
      reason: expect.stringMatching(/^the body lacks [a-zA-Z.]+$/),
    });
    expect(server.asked()).toEqual([]);
  });

  test('with nobody who is mapped is not told', async () => {
    expect(await book({ providerName: 'Dr.New' })).toEqual({
      kind: 'unusable',
      reason: 'no practitioner of the EHR is mapped to Dr.New',
    });
    expect(server.all('Appointment')).toEqual([]);
  });

  test('takes its time for itself before it is sent, and gives it back when it is called off', async () => {
    const noted: unknown[] = [];
    let isTaken = true;
    const ehrTimes: typeof noOtherBookings = {
      take: async (...asked: unknown[]) => {
        noted.push(['take', ...asked, server.all('Appointment').length]);
        return isTaken;
      },
      giveBack: async (...asked: unknown[]) => void noted.push(['give back', ...asked]),
    };
    const time = {
      holder: 'a-1',
      actor: 'Practitioner/7',
      startsAt: appointment().startsAt,
      endsAt: appointment().endsAt,
    };

    const id = externalId(await book({}, { ehrTimes }));
    isTaken = false;
    const moved = await book({ externalId: id, ...at10 }, { ehrTimes });
    const refused = await book({ appointmentId: 'a-2', ...at10 }, { ehrTimes });
    await api({ ehrTimes }).call('appointment.cancel', { body: appointment({ status: 'cancelled', externalId: id }) });

    expect(noted).toEqual([
      ['take', 'clinic-1', time, 0],
      // Once more when it is there: it may have been held up for minutes.
      ['take', 'clinic-1', time, 1],
      ['take', 'clinic-1', { ...time, ...at10 }, 1],
      ['take', 'clinic-1', { ...time, ...at10, holder: 'a-2' }, 1],
      ['give back', 'clinic-1', 'a-1'],
    ]);
    const fault = 'another booking of ours has this time';
    expect([moved, refused]).toMatchObject([1, 2].map(() => ({ kind: 'refused', because: 'time_taken', fault })));
    expect(server.all('Appointment')).toMatchObject([{ id, start: time.startsAt, status: 'cancelled' }]);
  });

  test('needs no time of ours at a server that books by itself', async () => {
    const ehrTimes = { ...noOtherBookings, take: async () => false };

    expect(await book({}, { ehrTimes, capabilities: { canBook: true } })).toMatchObject({ kind: 'answered' });
  });

  test('that was moved is updated, in its new slot', async () => {
    const id = externalId(await book());

    const moved = await book({ externalId: id, ...at10 });

    expect(externalId(moved)).toBe(id);
    expect(server.all('Appointment')).toMatchObject([
      { id, start: at10.startsAt, slot: [{ reference: 'Slot/at-10' }] },
    ]);
    expect(server.records.get('Slot/at-9')).toMatchObject({ status: 'free' });
  });

  describe('that lasts longer than a slot', () => {
    const quarters = (...times: string[]) =>
      times.map((time) => {
        const start = `2035-03-05T${time}:00.000Z`;
        const end = new Date(Date.parse(start) + 15 * 60_000).toISOString();
        const schedule = { reference: 'Schedule/s7' };
        return { reference: `Slot/${server.add({ resourceType: 'Slot', status: 'free', schedule, start, end }).id}` };
      });
    const marking = { capabilities: { marksSlots: true } };
    const from = (time: string) => {
      const startsAt = `2035-03-05T${time}:00.000Z`;
      return { startsAt, endsAt: new Date(Date.parse(startsAt) + 30 * 60_000).toISOString() };
    };
    const states = (slots: { reference: string }[]) =>
      slots.map(({ reference }) => server.records.get(reference)?.status);

    beforeEach(() => {
      server.keepsSlots = false;
    });

    test('takes all of its time, moves within it, and gives all of it up', async () => {
      const slots = quarters('14:00', '14:15', '14:30', '14:45');

      const id = externalId(await book(from('14:00'), marking));
      const booked = [server.all('Appointment')[0]?.slot, states(slots)];
      const moved = await book({ externalId: id, ...from('14:15') }, marking);
      const then = [externalId(moved), server.all('Appointment')[0]?.slot, states(slots)];
      await api(marking).call('appointment.cancel', { body: appointment({ status: 'cancelled', externalId: id }) });

      expect(booked).toEqual([slots.slice(0, 2), ['busy', 'busy', 'free', 'free']]);
      expect(then).toEqual([id, slots.slice(1, 3), ['free', 'busy', 'busy', 'free']]);
      expect(states(slots)).toEqual(['free', 'free', 'free', 'free']);
    });

    test('is not booked where a part of its time is not free', async () => {
      quarters('14:00', '14:30');

      expect(await book(from('14:00'), marking)).toMatchObject({
        kind: 'refused',
        fault: 'the time is not free there for as long as the visit lasts',
        because: 'time_taken',
      });
      expect(server.all('Appointment')).toEqual([]);
    });
  });

  test('that was moved is booked anew and the old one cancelled, by a setting', async () => {
    const given = { fhir: { rescheduling: 'cancel-and-rebook' as const } };
    const first = externalId(await book({}, given));

    const second = externalId(await book({ externalId: first, ...at10 }, given));
    const again = externalId(await book({ externalId: first, ...at10 }, given));

    expect([second === first, again]).toEqual([false, second]);
    expect(server.all('Appointment')).toMatchObject([
      { id: first, status: 'cancelled' },
      { id: second, status: 'booked', start: at10.startsAt },
    ]);
  });

  test('that is moved away and back again is booked at its first time', async () => {
    const given = { fhir: { rescheduling: 'cancel-and-rebook' as const } };
    const first = externalId(await book({}, given));
    const second = externalId(await book({ externalId: first, ...at10 }, given));
    const third = externalId(await book({ externalId: second }, given));

    expect(server.all('Appointment').map(({ id, status }) => [id, status])).toEqual([
      [first, 'cancelled'],
      [second, 'cancelled'],
      [third, 'booked'],
    ]);
  });

  test('keeps its old time where the new one is not to be had', async () => {
    const given = { fhir: { rescheduling: 'cancel-and-rebook' as const } };
    const id = externalId(await book({}, given));
    await book({ appointmentId: 'a-0', ...at10 }, given);

    expect(await book({ externalId: id, ...at10 }, given)).toMatchObject({ kind: 'refused' });
    expect(server.records.get(`Appointment/${id}`)).toMatchObject({ status: 'booked' });
  });

  test('is cancelled with a reason, once, and whatever is not there is cancelled already', async () => {
    const id = externalId(await book());
    const cancel = (changed: object) =>
      api().call('appointment.cancel', { body: appointment({ status: 'cancelled', ...changed }) });

    await cancel({ externalId: id });
    await cancel({ externalId: id });
    expect(await cancel({ externalId: 'gone' })).toMatchObject({ kind: 'answered' });
    expect(await cancel({ appointmentId: 'never-told' })).toMatchObject({
      kind: 'answered',
      body: { externalId: null },
    });

    expect(server.all('Appointment')).toMatchObject([
      {
        status: 'cancelled',
        cancelationReason: { coding: [{ code: 'pat' }], text: 'Cancelled by the patient' },
        meta: { versionId: '2' },
      },
    ]);
  });

  test.each<[string, 'annThere' | 'other', object, string]>([
    ['somebody else’s', 'other', {}, 'refused'],
    [
      'somebody else’s, made by us',
      'other',
      { identifier: [{ system: 'urn:clinic-workflows:appointment', value: 'a-10.1' }] },
      'refused',
    ],
    ['the patient’s, made there', 'annThere', {}, 'answered'],
    [
      'ours, of a record that was merged',
      'other',
      { identifier: [{ system: 'urn:clinic-workflows:appointment', value: 'a-1.1' }] },
      'answered',
    ],
  ])(
    'whose id is that of an appointment there which is %s is left alone unless it is meant',
    async (_whose, of, changed, kind) => {
      const other = server.add({ resourceType: 'Patient', name: [{ family: 'Other', given: ['Ola'] }] });
      const patient = annThere();
      const told = (id: string) =>
        server.add({
          resourceType: 'Appointment',
          id,
          status: 'booked',
          start: '2035-03-05T14:00:00.000Z',
          end: '2035-03-05T14:30:00.000Z',
          participant: [
            { actor: { reference: `Patient/${of === 'other' ? other.id : patient.id}` }, status: 'accepted' },
            { actor: { reference: 'Practitioner/7' }, status: 'accepted' },
          ],
          ...changed,
        }).id;
      const statusOf = (id: string) => {
        const { status, start } = server.records.get(`Appointment/${id}`)!;
        return `${status} ${start}`;
      };

      const moved = await book({ externalId: told('55'), ...at10 });
      const cancelled = await api().call('appointment.cancel', {
        body: appointment({ status: 'cancelled', externalId: told('56') }),
      });

      expect([moved.kind, cancelled.kind]).toEqual([kind, kind]);
      expect([statusOf('55'), statusOf('56')]).toEqual(
        kind === 'refused'
          ? ['booked 2035-03-05T14:00:00.000Z', 'booked 2035-03-05T14:00:00.000Z']
          : [`booked ${at10.startsAt}`, 'cancelled 2035-03-05T14:00:00.000Z'],
      );
    },
  );

  test('that somebody changes meanwhile is read again, and their change stays', async () => {
    const id = externalId(await book());
    let isChanged = false;
    server.instead = ({ method }) => {
      if (method !== 'PUT' || isChanged) return null;
      isChanged = true;
      const known = server.records.get(`Appointment/${id}`)!;
      server.records.set(`Appointment/${id}`, {
        ...known,
        comment: 'by the front desk',
        meta: { ...known.meta, versionId: '9' },
      });
      return null;
    };

    await api().call('appointment.cancel', { body: appointment({ status: 'cancelled', externalId: id }) });

    expect(server.all('Appointment')).toMatchObject([{ status: 'cancelled', comment: 'by the front desk' }]);
  });
});

test('a note is written once, as text of the patient', async () => {
  const write = () => api().call('document.write', { body: note, patient: ann });
  await write();
  const answer = await write();

  expect(server.all('DocumentReference')).toMatchObject([
    {
      id: externalId(answer),
      status: 'current',
      subject: { reference: `Patient/${server.all('Patient')[0]!.id}` },
      type: { coding: [{ system: 'http://loinc.org', code: '34748-4' }] },
      description: 'Note of a phone call: the care team should look at it',
      content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(note.text).toString('base64') } }],
    },
  ]);
});

test('an escalation without words says what is known, and never holds an empty text', async () => {
  await api().call('document.write', { body: { ...note, documentId: 'd-2', text: '' }, patient: ann });
  const nothing = { ...note, documentId: 'd-3', text: '', escalateToClinicalTeam: false };
  await api().call('document.write', { body: nothing, patient: ann });

  const [said, silent] = server.all('DocumentReference').map(({ content }) => content);
  expect(said).toMatchObject([
    { attachment: { data: Buffer.from('the care team should look at it').toString('base64') } },
  ]);
  expect(silent).toMatchObject([{ attachment: { contentType: 'text/plain', title: 'Note of a phone call' } }]);
  expect(JSON.stringify(silent)).not.toContain('"data"');
});

describe('an insurance', () => {
  const verify = () => api().call('insurance.verify', { body: policy, patient: ann });
  const verdict = (changed: object) => ({
    resourceType: 'CoverageEligibilityResponse',
    status: 'active',
    outcome: 'complete',
    insurance: [
      {
        inforce: true,
        item: [
          { benefit: [{ type: { coding: [{ code: 'copay' }] }, allowedMoney: { value: 25.5, currency: 'USD' } }] },
        ],
      },
    ],
    ...changed,
  });

  test.each([
    [{}, { status: 'VERIFIED', copayCents: 2550 }],
    [{ insurance: [{ inforce: false }] }, { status: 'NOT_IN_FORCE', errorMessage: expect.any(String) }],
    [{ insurance: [{}] }, {}],
    [{ insurance: undefined }, {}],
    [{ outcome: 'queued', insurance: undefined }, {}],
    [{ outcome: 'queued' }, {}],
    [{ outcome: 'partial' }, {}],
    [{ status: 'cancelled' }, {}],
    [{ status: 'draft' }, {}],
    [{ outcome: 'error', insurance: undefined, error: [{ code: { text: 'member' } }] }, {}],
  ])('with the response %j has the verdict %j', async (changed, expected) => {
    server.instead = ({ method }) => (method === 'POST' ? { status: 200, body: verdict(changed) } : null);

    expect(await verify()).toEqual({ kind: 'answered', status: 200, body: expected });
  });

  test('whose verdict stands beside the request is read there', async () => {
    const bundle = { resourceType: 'Bundle', type: 'searchset', entry: [{ resource: verdict({}) }] };
    server.instead = ({ path }) =>
      path.startsWith('/fhir/CoverageEligibilityResponse') ? { status: 200, body: bundle } : null;

    const answer = await verify();

    const [request] = server.all('CoverageEligibilityRequest');
    expect(answer).toMatchObject({ body: { status: 'VERIFIED', copayCents: 2550 } });
    expect(server.receiver.received.at(-1)!.path).toContain(`request=CoverageEligibilityRequest%2F${request!.id}`);
    expect(request).toMatchObject({
      contained: [
        { resourceType: 'Patient', id: 'patient', birthDate: '1990-02-03' },
        { resourceType: 'Coverage', subscriberId: 'M-1', payor: [{ display: 'Acme Health' }] },
      ],
      patient: { reference: '#patient' },
      purpose: ['validation', 'benefits'],
    });
  });

  test('of somebody whose name is not known yet is asked about without one', async () => {
    await api().call('insurance.verify', { body: policy, patient: { ...ann, firstName: '', lastName: '' } });

    const [request] = server.all('CoverageEligibilityRequest');
    expect(JSON.stringify(request)).toContain('#patient');
    expect(JSON.stringify(request)).not.toContain('"name"');
  });
});

describe('a booking of a call that is asked for twice', () => {
  const wanted = { key: 'b-1', patient: ann, providerName: 'Dr.Vega', visitType: 'Follow-up' };
  const nine = { ...wanted, startsAt: '2035-03-05T09:00:00.000Z' };
  const ten = { ...wanted, startsAt: '2035-03-05T10:00:00.000Z' };

  test.each<[what: string, capabilities: Partial<FhirCapabilities>]>([
    ['finds appointments', {}],
    ['finds none by an identifier', { findsAppointments: false }],
    ['shows no busy times', { showsBusyTimes: false }],
    ['shows neither', { findsAppointments: false, showsBusyTimes: false }],
  ])('is one where the server %s; what others ask for is theirs to have elsewhere', async (_what, capabilities) => {
    // A plain server leaves a slot free that was booked.
    server.keepsSlots = false;
    const { live } = api({ fhir: { isLive: true }, capabilities });
    const book = async (asked: typeof nine) => live?.book(asked, {});

    const [first, again, elsewhere] = [await book(nine), await book(nine), await book({ ...ten, key: 'b-2' })];
    const theirs = await book({ ...nine, key: 'b-3' });

    expect(first).toMatchObject({ kind: 'done', value: { id: expect.any(String), patientId: expect.any(String) } });
    expect(again).toEqual(first);
    expect(elsewhere).toMatchObject({ kind: 'done' });
    if (capabilities.showsBusyTimes === false) expect(theirs).toMatchObject({ kind: 'done' });
    else expect(theirs).toMatchObject({ kind: 'refused', because: 'time_taken' });
    expect(server.all('Patient')).toHaveLength(1);
    expect(server.all('Appointment').map(({ start }) => start?.slice(11, 13))).toEqual(
      capabilities.showsBusyTimes === false ? ['09', '10', '09'] : ['09', '10'],
    );
  });
});

describe('a booking that is refused once', () => {
  test.each<
    [status: number, there: 'ours' | 'cancelled' | 'nothing', findsAppointments: boolean, came: object, posts: number]
  >([
    // Sent twice at once: the other one has booked it.
    [409, 'ours', true, { kind: 'answered', body: { externalId: 'ours' } }, 1],
    [412, 'ours', true, { kind: 'answered', body: { externalId: 'ours' } }, 1],
    [409, 'ours', false, { kind: 'refused', because: 'time_taken' }, 1],
    [412, 'ours', false, { kind: 'refused', status: 412 }, 1],
    // Booked, moved away and called off before: only the condition stands in the way.
    [409, 'cancelled', true, { kind: 'refused', because: 'time_taken' }, 1],
    [412, 'cancelled', true, { kind: 'answered', body: { externalId: '200' } }, 2],
    [409, 'nothing', true, { kind: 'refused', because: 'time_taken' }, 1],
    [412, 'nothing', true, { kind: 'answered', body: { externalId: '200' } }, 2],
    [412, 'nothing', false, { kind: 'refused', status: 412 }, 1],
    [400, 'ours', true, { kind: 'refused', status: 400 }, 1],
    [422, 'nothing', true, { kind: 'refused', status: 422 }, 1],
    [503, 'ours', true, { kind: 'unavailable', error: 'http_503' }, 1],
  ])(
    'by %i, where there is %s and appointments are found: %s',
    async (status, there, findsAppointments, came, posts) => {
      const conditions: unknown[] = [];
      server.instead = ({ method, path, headers, body }) => {
        if (method !== 'POST' || path !== '/fhir/Appointment') return null;
        conditions.push(headers['if-none-exist']);
        if (conditions.length > 1) {
          const made = server.add({ ...JSON.parse(body), id: '200' });
          return { status: 201, body: made };
        }
        if (there !== 'nothing')
          server.add({ ...JSON.parse(body), id: 'ours', status: there === 'ours' ? 'booked' : 'cancelled' });
        return outcome(status, 'processing', 'x');
      };

      const answer = await api({ capabilities: { findsAppointments } }).call('appointment.book', {
        body: appointment(),
      });

      expect(answer).toMatchObject(came);
      // Never under the condition again, under which several were found.
      expect(conditions).toEqual([expect.stringMatching(/^identifier=/), undefined].slice(0, posts));
    },
  );
});

describe('a fault is told as that', () => {
  const cases: [ReturnType<typeof outcome>, object][] = [
    [
      outcome(400, 'invalid', 'Ann Lee'),
      { kind: 'refused', fault: 'http 400 with an OperationOutcome of invalid: the content is not valid' },
    ],
    [{ status: 401 }, { kind: 'refused', fault: 'http 401: it does not accept the token' }],
    [
      outcome(403, 'forbidden', 'x'),
      { kind: 'refused', fault: expect.stringContaining('the access that was granted does not permit it') },
    ],
    [outcome(409, 'conflict', 'x'), { kind: 'refused', fault: 'the time is taken there' }],
    [
      outcome(412, 'multiple-matches', 'x'),
      { kind: 'refused', fault: expect.stringContaining('several records match') },
    ],
    [
      outcome(422, 'invariant', 'Ann Lee', ['Appointment.slot[0]', "Patient.where(name='Ann')"]),
      {
        kind: 'refused',
        fault:
          'http 422 with an OperationOutcome of invariant: a rule of its profile is not met, at Appointment.slot[0]',
      },
    ],
    [
      outcome(200, 'business-rule', 'Ann Lee'),
      { kind: 'refused', status: 200, fault: expect.stringContaining('a rule of the clinic forbids it') },
    ],
    [
      outcome(422, 'lock-error', 'x'),
      { kind: 'unavailable', error: 'http_422', said: 'lock-error: the record is being edited' },
    ],
    [{ status: 429 }, { kind: 'unavailable', error: 'http_429' }],
    [outcome(503, 'transient', 'x'), { kind: 'unavailable', error: 'http_503' }],
    [
      { status: 201, body: { resourceType: 'Appointment' } },
      { kind: 'refused', fault: 'the answer names no id of what was made' },
    ],
  ];

  test.each(cases)('%j', async (reply, expected) => {
    server.instead = ({ method, path }) => (method === 'POST' && path === '/fhir/Appointment' ? reply : null);

    const answer = await api().call('appointment.book', { body: appointment() });

    expect(answer).toMatchObject(expected);
    expect('fault' in answer ? answer.fault : '').not.toContain('Ann');
  });

  test('no answer in time', async () => {
    server.instead = () => ({ status: 200, headers: { 'content-length': '10' } });

    expect(await api().call('patient.upsert', { body: ann, timeoutMs: 300 })).toMatchObject({
      kind: 'unavailable',
      error: 'timeout',
    });
  });
});

test.each<[Partial<FhirSettings>, ClinicAction]>([
  [{ permitted: ['patient.upsert'] }, 'appointment.book'],
  [{ isOn: false }, 'patient.upsert'],
  [{}, 'form.progress'],
])('with %j nothing is asked for %s', async (fhir, action) => {
  expect(await api({ fhir }).call(action, { body: ann })).toEqual({ kind: 'not_permitted' });
  expect(server.asked()).toEqual([]);
});

describe('the check', () => {
  const declared = (statement: Statement, at: number) => statement.rest[0]!.resource[at]!;
  const names = { providers: [{ name: 'Dr.Vega', visitTypes: ['Follow-up'] }] };
  const check = async (fhir: Partial<FhirSettings> = {}, given = names) => {
    const { findings, capabilities } = await api({ fhir: { isOn: false, ...fhir } }).check(given);
    return { findings, capabilities, problems: findings.filter(({ isProblem }) => isProblem) };
  };

  test('tries each row by one request, and says what it is there', async () => {
    const { findings, capabilities, problems } = await check();

    expect(problems).toEqual([]);
    const [guard, ...rows] = findings;
    expect(guard).toMatchObject({ path: 'fhir.permitted.1', code: 'works_otherwise' });
    expect(guard?.message).toContain('a slot may stay free there when it is booked');
    expect(rows.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'auth: A search for patients is permitted',
      'fhir.providers.0.reference: Dr.Vega is Ana Vega',
      'fhir.locations.0.reference: North is North',
      'fhir.visitTypes.0.code: Follow-up is known there as Slot',
    ]);
    expect(capabilities).toEqual(allCapabilities);
    expect(server.asked().filter((request) => request.startsWith('P'))).toEqual([]);
  });

  test('lists what is not mapped, and what is not known there', async () => {
    const { problems, findings } = await check(
      { providers: [{ name: 'Dr.Vega', reference: 'Practitioner/8' }], visitTypes: [] },
      { providers: [...names.providers, { name: 'Dr.New', visitTypes: ['First visit'] }] },
    );

    expect(problems).toMatchObject([
      { path: 'fhir.providers', code: 'unmapped', message: expect.stringContaining('Dr.New is not mapped') },
      { path: 'fhir.providers.0.reference', code: 'unknown_there', message: expect.stringContaining('not-found') },
    ]);
    expect(findings.filter(({ path }) => path === 'fhir.visitTypes')).toHaveLength(2);
  });

  test.each<[string, (statement: Statement) => void, string[]]>([
    ['another version', (it) => (it.fhirVersion = '3.0.2'), ['wrong_version']],
    [
      'no update of appointments',
      (it) => (declared(it, 3).interaction = [{ code: 'create' }]),
      ['cannot_do', 'cannot_do'],
    ],
    [
      'nothing but patients',
      (it) => it.rest[0]!.resource.splice(1),
      ['cannot_do', 'cannot_do', 'cannot_do', 'cannot_do', 'cannot_do'],
    ],
    ['no resource at all', (it) => (it.resourceType = 'Bundle'), ['not_fhir']],
  ])('says of a server with %s what will not work', async (_what, change, codes) => {
    change(server.statement);

    expect((await check()).problems.map(({ code }) => code)).toEqual(codes);
  });

  test('says of an address that is no FHIR server where such an address ends', async () => {
    const { findings } = await api({ below: '/Patient' }).check(names);

    expect(findings).toMatchObject([
      { path: 'baseUrl', code: 'not_fhir', message: expect.stringContaining('ends before /metadata') },
    ]);
  });

  test('says what keeps two patients from one time, and has no live calls where nothing does', async () => {
    const messages = async () => (await check({ isOn: true, isLive: true })).findings.map(({ message }) => message);
    const plain = await messages();
    declared(server.statement, 3).searchParam = [{ name: 'identifier', type: 'token' }];
    const blind = await check({ isOn: true, isLive: true });
    server.statement = { ...server.statement, rest: structuredClone(server.statement.rest) };
    server.statement.rest[0]!.interaction = [{ code: 'transaction' }];
    declared(server.statement, 3).searchParam = ['identifier', 'patient', 'actor', 'date'].map((name) => ({
      name,
      type: 'token',
    }));
    const marking = await check({ isOn: true, isLive: true });

    expect(plain.join()).toContain('looked at before and after');
    expect(blind.problems.map(({ message }) => message).join()).toContain(
      "two callers could get one practitioner's time",
    );
    expect(blind.capabilities).toMatchObject({ showsBusyTimes: false, marksSlots: false });
    expect(marking.capabilities).toMatchObject({ showsBusyTimes: true, marksSlots: true });
    expect(marking.findings.map(({ message }) => message).join()).toContain('in one transaction');
  });

  test('sees a provider without a schedule, one without a free time in four weeks, and numbers that do not match', async () => {
    const chen = { name: 'Dr.Chen', reference: 'Practitioner/9' };
    server.add({ resourceType: 'Practitioner', id: '9', name: [{ text: 'Li Chen' }] });
    server.add({ resourceType: 'Location', id: 'south' });
    const given = { providers: [...names.providers, { name: 'Dr.Chen', visitTypes: ['Follow-up'] }] };
    const providers = [{ name: 'Dr.Vega', reference: 'Practitioner/7' }, chen];

    const without = await check({ providers, isOn: true, isLive: true }, given);
    server.add({ resourceType: 'Schedule', id: 's9', actor: [{ reference: 'Practitioner/9' }] });
    const schedule = { reference: 'Schedule/s9' };
    server.add({ resourceType: 'Slot', status: 'busy', schedule, start: '2035-03-05T09:00:00.000Z' });
    server.add({ resourceType: 'Slot', status: 'free', schedule, start: '2035-05-05T09:00:00.000Z' });
    server.ignores = /status=free&()/;
    const full = await check({ providers, isOn: true, isLive: true }, given);
    server.add({ resourceType: 'Slot', status: 'free', schedule, start: '2035-03-05T10:00:00.000Z' });
    const free = await check({ providers, isOn: true, isLive: true }, given);

    expect(without.problems).toMatchObject([
      { path: 'fhir.providers.1.reference', code: 'no_schedule', message: expect.stringContaining('Dr.Chen') },
    ]);
    expect(without.findings).toContainEqual(
      expect.objectContaining({
        path: 'fhir.locations',
        code: 'counts_differ',
        message: expect.stringMatching(/^1 mapped.*2/),
      }),
    );
    const noted = (findings: typeof free.findings) => findings.filter(({ code }) => code === 'no_free_time');
    expect([full.problems, noted(full.findings), noted(free.findings)]).toMatchObject([
      [],
      [{ path: 'fhir.providers.1.reference', isProblem: false }],
      [],
    ]);
  });

  test('sees rows that are of nobody and nothing here', async () => {
    const { findings } = await check({}, { providers: [{ name: 'Dr.Other', visitTypes: ['First visit'] }] });

    expect(findings.filter(({ code }) => code === 'not_here').map(({ message }) => message)).toEqual([
      "Dr.Vega is mapped, and is nobody's name here",
      'Follow-up is mapped, and no provider here has it',
    ]);
  });

  test('waits for a statement that takes longer to write than any other answer may', async () => {
    server.slowOn = { when: 'GET metadata', ms: 8_500 };

    expect((await check()).problems).toEqual([]);
  }, 30_000);

  test('reads a statement of a megabyte', async () => {
    server.statement['description'] = 'x'.repeat(1_000_000);

    expect((await check()).problems).toEqual([]);
  });

  test('reads the operations that are declared', async () => {
    declared(server.statement, 3).operation = [{ name: 'book' }, { name: '$hold' }];

    expect((await check()).capabilities).toMatchObject({ canBook: true, canHold: true });
  });

  test('is not passed by a server that shows its statement and refuses our credentials', async () => {
    server.instead = ({ path }) => (path.includes('metadata') ? null : { status: 403 });

    expect((await check()).problems[0]).toMatchObject({ path: 'auth', code: 'no_credentials' });
  });
});
