import type { Overview, SettingsFacts, SetUp } from '@clinic/prisma/stores/operations/overview';
import { newId } from '@clinic/shared/crypto';
import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import { aPhone } from '../../../support/builders';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const nothing: SetUp = { hasUrl: false, hasInboundSecret: false, hasTestEvent: false, hasCase: false, hasVoice: false };

beforeEach(async () => {
  clinicId = await records.aClinic();
  await records.database.sql`update receivers set url = null where clinic_id = ${clinicId}`;
});

const secret = (kind: string, expiresAt: string | null) => records.database.sql`
  insert into secrets (id, clinic_id, kind, name, expires_at)
  values (${`${clinicId} ${kind}`}, ${clinicId}, ${kind}, 'forms-completed', ${expiresAt}::timestamptz)`;

const url = (isFirst: boolean, isEnabled: boolean) => records.database.sql`
  insert into receivers (id, clinic_id, is_first, is_enabled, url, name)
  values (${`${clinicId} further`}, ${clinicId}, ${isFirst}, ${isEnabled}, 'https://clinic.example/events', 'Further')`;

async function delivery(event: string, state: string): Promise<void> {
  await records.database.sql`
    insert into outbound_events (id, clinic_id, event, subject, data) values (${clinicId}, ${clinicId}, ${event}, 'x', '{}')`;
  await records.database.sql`
    insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, state)
    select ${clinicId}, ${clinicId}, ${clinicId}, id, ${event}, 'x', 1, ${state}
    from receivers where clinic_id = ${clinicId} limit 1`;
}

const voice = (platform: string) =>
  records.database.sql`update clinics set voice_provider = ${platform} where id = ${clinicId}`;

test.each<[situation: string, arrange: () => Promise<unknown>, done: Partial<SetUp>]>([
  ['nothing', async () => undefined, {}],
  ['a secret of an inbound URL', () => secret('inbound', null), { hasInboundSecret: true }],
  ['one that ends', () => secret('inbound', '2100-01-01'), {}],
  ['a secret of another kind', () => secret('signing', null), {}],
  [
    'a URL',
    () => records.database.sql`update receivers set url = 'https://clinic.example/x' where clinic_id = ${clinicId}`,
    { hasUrl: true },
  ],
  [
    'one that is disabled',
    () =>
      records.database
        .sql`update receivers set url = 'https://clinic.example/x', is_enabled = false where clinic_id = ${clinicId}`,
    {},
  ],
  ['a further endpoint alone', () => url(false, true), {}],
  ['a sample that was delivered', () => delivery('test', 'DELIVERED'), { hasTestEvent: true }],
  ['one that waits', () => delivery('test', 'PENDING'), {}],
  ['another event', () => delivery('case.opened', 'DELIVERED'), {}],
  ['a case', () => records.aCase({ clinicId }), { hasCase: true }],
  ['a run that is no case', () => records.aRun({ clinicId }), {}],
  ['calls that ring phones', () => voice('vapi'), { hasVoice: true }],
  ['calls that are simulated', () => voice('simulator'), {}],
])('of a clinic that has %s, what is set up is said', async (_situation, arrange, done) => {
  await arrange();

  expect(await records.stores.overview.setUp(clinicId)).toEqual({ ...nothing, ...done });
});

test('what the areas of the settings hold is counted: what is to come, live and open, and what needs a look', async () => {
  const { sql } = records.database;
  const counted = async () => records.stores.overview.settings(clinicId);
  const before = await counted();
  await sql`update clinics set closed_days = '{"2020-12-25": "Past", "2999-12-25": "Christmas"}', target_recoveries = 3
    where id = ${clinicId}`;
  await sql`insert into providers (id, clinic_id, name, display_name, working_hours) values
    (${`${clinicId} idle`}, ${clinicId}, 'Dr.Idle', 'Dr. Idle', '{"mon": []}')`;
  await sql`insert into api_keys (id, clinic_id, name, prefix, hash, scopes, revoked_at) values
    (${`${clinicId} live`}, ${clinicId}, 'live', 'ck_1', ${`${clinicId} 1`}, '{}', null),
    (${`${clinicId} revoked`}, ${clinicId}, 'revoked', 'ck_2', ${`${clinicId} 2`}, '{}', now())`;
  await secret('inbound', null);
  await url(false, true);
  const { endpoints } = (await counted()) ?? {};
  await sql`update receivers set failing_since = now() where clinic_id = ${clinicId} and url is not null`;
  await records.stores.pauses.pause(
    { clinicId, workflowType: null, reason: 'a test', until: null },
    { actor: 'operator' },
  );

  expect(before?.hasFailingEndpoint).toBe(false);
  expect(endpoints).toBe(1);
  expect(await counted()).toEqual({
    ...before,
    closedDays: 1,
    hasGoals: true,
    providers: (before?.providers ?? 0) + 1,
    hasProviderWithoutHours: true,
    apiKeys: (before?.apiKeys ?? 0) + 1,
    inbound: 1,
    endpoints: 1,
    openEndpoints: 1,
    hasFailingEndpoint: true,
    isPaused: true,
  });
  expect(await records.stores.overview.settings('nobody')).toBeNull();
});

const hours = [{ opens: '09:00', closes: '17:00' }];
const [longAgo, later] = [new Date('2020-01-01T00:00:00Z'), new Date('2100-01-01T00:00:00Z')];

const aProvider = (workingHours: object, isActive = true, owner = clinicId) => {
  const id = newId();
  return records.database.prisma.provider.create({
    data: { id, clinicId: owner, name: id, displayName: 'Dr.', workingHours, isActive },
  });
};
const aUser = (about: { disabledAt?: Date; endsAt?: Date } = {}, owner = clinicId) => {
  const id = newId();
  return records.database.prisma.user.create({
    data: { id, name: 'Ann', email: `${id}@clinic.example`, clinicId: owner, ...about },
  });
};
const aKey = (about: { expiresAt?: Date; revokedAt?: Date } = {}, owner = clinicId) => {
  const id = newId();
  return records.database.prisma.apiKey.create({
    data: { id, clinicId: owner, name: 'key', prefix: 'ck', hash: id, scopes: [], ...about },
  });
};
const aReceiver = (about: object, owner = clinicId) => {
  const id = newId();
  const named = { name: 'Further', url: 'https://clinic.example/further' };
  return records.database.prisma.receiver.create({ data: { id, clinicId: owner, ...named, ...about } });
};
const anApi = (kind: string, about: { actions?: object; fhir?: object }) =>
  records.database.prisma.approvedApi.create({
    data: { clinicId, kind, baseUrl: '', auth: '', credentials: '', actions: {}, ...about },
  });
const aCrm = (isEnabled: boolean) =>
  records.database.prisma.crmSettings.create({ data: { clinicId, kind: 'hubspot', isEnabled, credentials: '' } });
const setClinic = (about: object) => records.database.prisma.clinic.update({ where: { id: clinicId }, data: about });

test.each<[situation: string, arrange: () => Promise<unknown>, change: Partial<SettingsFacts>]>([
  [
    'that is closed yesterday, today and tomorrow',
    () => records.database.sql`
      update clinics set closed_days = (select jsonb_object_agg(to_char(now() at time zone timezone + make_interval(days => n), 'YYYY-MM-DD'), '')
        from generate_series(-1, 1) n)
      where id = ${clinicId}`,
    { closedDays: 2 },
  ],
  ['with another provider', () => aProvider({ monday: hours }), { providers: 2 }],
  ['with one who works on one day', () => aProvider({ monday: [], tuesday: hours }), { providers: 2 }],
  ['with one who never works', () => aProvider({ monday: [] }), { providers: 2, hasProviderWithoutHours: true }],
  ['with one who never works and is gone', () => aProvider({ monday: [] }, false), {}],
  ['beside one where somebody never works', () => aProvider({ monday: [] }, true, records.otherClinicId), {}],
  ['with an opt-out', () => records.stores.optOuts.add(clinicId, aPhone()), { optOuts: 1 }],
  ['beside one with an opt-out', () => records.stores.optOuts.add(records.otherClinicId, aPhone()), {}],
  ['with an account', () => aUser(), { accounts: 1 }],
  ['with an account that ends later', () => aUser({ endsAt: later }), { accounts: 1 }],
  ['with an account that has ended', () => aUser({ endsAt: longAgo }), {}],
  ['with an account that is disabled', () => aUser({ disabledAt: longAgo }), {}],
  ['beside one with an account', () => aUser({}, records.otherClinicId), {}],
  [
    'with single sign-on',
    () => records.database.prisma.singleSignOn.create({ data: { clinicId, issuer: '', clientId: '', roleRules: [] } }),
    { hasSingleSignOn: true },
  ],
  ['with a share to reach', () => setClinic({ targetRecoveryRate: 0.5 }), { hasGoals: true }],
  ['with a number to reach', () => setClinic({ targetRecoveries: 5 }), { hasGoals: true }],
  ['with a sandbox', () => setClinic({ sandboxEnabled: true }), { isSandboxOn: true }],
  ['with a key that ends later', () => aKey({ expiresAt: later }), { apiKeys: 1 }],
  ['with a key that has ended', () => aKey({ expiresAt: longAgo }), {}],
  ['with a key that was revoked', () => aKey({ revokedAt: longAgo }), {}],
  ['beside one with a key', () => aKey({}, records.otherClinicId), {}],
  ['with a secret of an inbound URL', () => secret('inbound', null), { inbound: 1 }],
  ['with such a secret that ends', () => secret('inbound', '2100-01-01'), {}],
  ['with a secret of another kind', () => secret('signing', null), {}],
  ['with an endpoint', () => aReceiver({}), { endpoints: 1, openEndpoints: 1 }],
  ['with an endpoint that is off', () => aReceiver({ isEnabled: false }), { endpoints: 1 }],
  [
    'with an endpoint that fails',
    () => aReceiver({ failingSince: longAgo }),
    { endpoints: 1, openEndpoints: 1, hasFailingEndpoint: true },
  ],
  [
    'with an endpoint that failed until it was turned off by hand',
    () => aReceiver({ failingSince: longAgo, isEnabled: false }),
    { endpoints: 1 },
  ],
  [
    'with an endpoint that was turned off because it failed',
    () => aReceiver({ disabledReason: 'gone', isEnabled: false }),
    { endpoints: 1, hasFailingEndpoint: true },
  ],
  ['with an endpoint that was removed', () => aReceiver({ removedAt: longAgo }), {}],
  ['with a subscription', () => aReceiver({ kind: 'subscription' }), {}],
  ['beside one with an endpoint', () => aReceiver({}, records.otherClinicId), {}],
  ['with an EHR that is on', () => anApi('fhir-r4', { fhir: { isOn: true } }), { isApprovedApiOn: true }],
  ['with an EHR that is off', () => anApi('fhir-r4', { fhir: { isOn: false } }), { isApprovedApiOn: false }],
  ['with an EHR of which nothing is known', () => anApi('fhir-r4', { fhir: {} }), { isApprovedApiOn: false }],
  ['with an API for nothing', () => anApi('json', {}), { isApprovedApiOn: false }],
  ['with an API for an empty list', () => anApi('json', { actions: [] }), { isApprovedApiOn: false }],
  ['with an API for something', () => anApi('json', { actions: { note: {} } }), { isApprovedApiOn: true }],
  ['with a CRM', () => aCrm(true), { isCrmOn: true }],
  ['with a CRM that is off', () => aCrm(false), { isCrmOn: false }],
  ['whose phones ring', () => voice('vapi'), { isSimulated: false }],
  [
    'with a line',
    () => records.database.prisma.phoneNumber.create({ data: { id: newId(), clinicId, number: aPhone() } }),
    { phoneNumbers: 1 },
  ],
])('of a clinic %s, the facts of its settings say so and nothing else', async (_situation, arrange, change) => {
  const before = await records.stores.overview.settings(clinicId);

  await arrange();

  expect(before).not.toBeNull();
  expect(await records.stores.overview.settings(clinicId)).toEqual({ ...before, ...change });
});

describe('of a day', () => {
  const from = new Date('2030-01-07T00:00:00Z');
  const until = new Date('2030-01-08T00:00:00Z');
  const noon = new Date('2030-01-07T12:00:00Z');
  const before = new Date(from.getTime() - 1);
  const last = new Date(until.getTime() - 1);

  async function aCase(
    { createdAt = noon, endedAt = null }: { createdAt?: Date; endedAt?: Date | null },
    { isSimulated = false, owner = clinicId } = {},
  ) {
    const { caseId, workflowId } = await records.aCase({ clinicId: owner });
    const status = endedAt ? 'RECOVERED' : 'PENDING';
    const { prisma } = records.database;
    await prisma.workflowRun.update({ where: { id: workflowId }, data: { isSimulated } });
    await prisma.recoveryCase.update({ where: { id: caseId ?? '' }, data: { createdAt, endedAt, status } });
  }
  const aPatient = async (owner: string) => {
    const id = newId();
    await records.database.prisma.patient.create({ data: { id, clinicId: owner } });
    return id;
  };
  async function aCall(about: object, owner = clinicId) {
    const patientId = await aPatient(owner);
    const ended = { state: 'ENDED', createdAt: noon, platformCallId: newId() };
    await records.database.prisma.call.create({
      data: { id: newId(), clinicId: owner, patientId, direction: 'outbound', ...ended, ...about },
    });
  }
  async function aDelivery(about: object, eventName = 'case.opened', owner = clinicId) {
    const { prisma } = records.database;
    const receiver = await prisma.receiver.findFirstOrThrow({ where: { clinicId: owner } });
    const id = newId();
    await prisma.outboundEvent.create({ data: { id, clinicId: owner, event: 'unheard of', subject: id, data: {} } });
    const ofReceiver = { receiverId: receiver.id, eventName, subject: id, place: 1, createdAt: noon };
    await prisma.delivery.create({
      data: { id, clinicId: owner, eventId: id, ...ofReceiver, state: 'DELIVERED', ...about },
    });
  }
  const aTask = (about: object, owner = clinicId) =>
    records.database.prisma.staffTask.create({
      data: { id: newId(), clinicId: owner, reason: 'follow_up_required', cause: newId(), ...about },
    });
  async function aVisit(about: object, owner = clinicId) {
    const { prisma } = records.database;
    const patientId = await aPatient(owner);
    const { id: providerId } = await prisma.provider.findFirstOrThrow({ where: { clinicId: owner } });
    const { startsAt = new Date('2030-03-04T10:00:00Z'), ...rest } = about as { startsAt?: Date };
    const endsAt = new Date(startsAt.getTime() + 1_800_000);
    const booked = { patientId, providerId, visitType: 'New Patient', startsAt, endsAt, createdAt: longAgo };
    await prisma.appointment.create({ data: { id: newId(), clinicId: owner, ...booked, ...rest } });
  }
  const open = { opened: 1, byStatus: { PENDING: 1 } };
  const ended = { ended: 1, byStatus: { RECOVERED: 1 } };

  test.each<
    [what: string, arrange: () => Promise<unknown>, told: { [area in keyof Overview]?: Partial<Overview[area]> }]
  >([
    ['a case that was opened at its beginning', () => aCase({ createdAt: from }), { cases: open }],
    ['one opened at its end', () => aCase({ createdAt: last }), { cases: open }],
    ['one opened before', () => aCase({ createdAt: before }), { cases: { byStatus: { PENDING: 1 } } }],
    ['one opened after', () => aCase({ createdAt: until }), { cases: { byStatus: { PENDING: 1 } } }],
    ['one ended at its beginning', () => aCase({ createdAt: longAgo, endedAt: from }), { cases: ended }],
    ['one ended at its end', () => aCase({ createdAt: longAgo, endedAt: last }), { cases: ended }],
    ['one ended before', () => aCase({ createdAt: longAgo, endedAt: before }), {}],
    ['one ended after', () => aCase({ createdAt: longAgo, endedAt: until }), {}],
    ['one that was simulated', () => aCase({}, { isSimulated: true }), { cases: { simulated: 1 } }],
    [
      'two cases and a run that is none',
      () => Promise.all([aCase({}), aCase({}, { isSimulated: true }), records.aRun({ clinicId })]),
      { cases: { opened: 1, simulated: 1, byStatus: { PENDING: 1 } } },
    ],
    ['a case elsewhere', () => aCase({}, { owner: records.otherClinicId }), {}],
    [
      'an ended one elsewhere',
      () => aCase({ createdAt: longAgo, endedAt: noon }, { owner: records.otherClinicId }),
      {},
    ],
    ['a call', () => aCall({}), { calls: { placed: 1 } }],
    ['a call at its beginning', () => aCall({ createdAt: from }), { calls: { placed: 1 } }],
    ['a call at its end', () => aCall({ createdAt: last }), { calls: { placed: 1 } }],
    ['a call before', () => aCall({ createdAt: before }), {}],
    ['a call after', () => aCall({ createdAt: until }), {}],
    ['a call that was not placed', () => aCall({ platformCallId: null }), {}],
    ['a call that a patient placed', () => aCall({ direction: 'inbound' }), {}],
    ['a test call', () => aCall({ isTest: true }), {}],
    ['a call elsewhere', () => aCall({}, records.otherClinicId), {}],
    ['a call that goes on', () => aCall({ state: 'RINGING', createdAt: longAgo }), { calls: { running: 1 } }],
    ['a test call that goes on', () => aCall({ state: 'RINGING', isTest: true }), {}],
    ['a call elsewhere that goes on', () => aCall({ state: 'RINGING' }, records.otherClinicId), {}],
    ['what was delivered', () => aDelivery({}), { deliveries: { delivered: 1 } }],
    ['what was delivered of its beginning', () => aDelivery({ createdAt: from }), { deliveries: { delivered: 1 } }],
    ['what was delivered of before', () => aDelivery({ createdAt: before }), {}],
    ['what was delivered of after', () => aDelivery({ createdAt: until }), {}],
    ['what a subscription was told', () => aDelivery({}, 'subscription.event'), {}],
    ['what was delivered elsewhere', () => aDelivery({}, 'case.opened', records.otherClinicId), {}],
    ['what is tried again', () => aDelivery({ state: 'PENDING', tries: 1 }), { deliveries: { retrying: 1 } }],
    ['what was not tried yet', () => aDelivery({ state: 'PENDING', tries: 0 }), {}],
    ['what a subscription is told again', () => aDelivery({ state: 'PENDING', tries: 1 }, 'subscription.event'), {}],
    [
      'what is tried again elsewhere',
      () => aDelivery({ state: 'PENDING', tries: 1 }, 'case.opened', records.otherClinicId),
      {},
    ],
    ['what was given up', () => aDelivery({ state: 'DEAD', tries: 1 }), { deliveries: { dead: 1 } }],
    [
      'what was given up for an endpoint that was removed',
      async () => {
        const { id: receiverId } = await aReceiver({ removedAt: noon });
        await aDelivery({ state: 'DEAD', tries: 1, receiverId });
      },
      {},
    ],
    ['what a subscription was never told', () => aDelivery({ state: 'DEAD' }, 'subscription.event'), {}],
    ['what was given up elsewhere', () => aDelivery({ state: 'DEAD' }, 'case.opened', records.otherClinicId), {}],
    ['an endpoint that fails', () => aReceiver({ failingSince: noon }), { deliveries: { failingSince: noon } }],
    ['a subscription that fails', () => aReceiver({ failingSince: noon, kind: 'subscription' }), {}],
    ['a removed endpoint that failed', () => aReceiver({ failingSince: noon, removedAt: noon }), {}],
    ['an endpoint elsewhere that fails', () => aReceiver({ failingSince: noon }, records.otherClinicId), {}],
    ['a task', () => aTask({}), { tasks: { open: 1, unassigned: 1 } }],
    ['a task of somebody', () => aTask({ assigneeId: 'account:1' }), { tasks: { open: 1 } }],
    ['a task that is resolved', () => aTask({ state: 'RESOLVED' }), {}],
    ['an alarm', () => aTask({ reason: alarmKinds[0] }), {}],
    ['a task elsewhere', () => aTask({}, records.otherClinicId), {}],
    ['a visit on the day', () => aVisit({ startsAt: from }), { appointments: { onTheDay: 1 } }],
    ['a visit of before', () => aVisit({ startsAt: new Date(from.getTime() - 1_800_000) }), {}],
    ['a visit of after', () => aVisit({ startsAt: until }), {}],
    ['a cancelled visit on the day', () => aVisit({ startsAt: noon, status: 'cancelled' }), {}],
    ['a visit elsewhere', () => aVisit({ startsAt: noon }, records.otherClinicId), {}],
    ['a booking of its beginning', () => aVisit({ createdAt: from }), { appointments: { booked: 1 } }],
    ['a booking of its end', () => aVisit({ createdAt: last }), { appointments: { booked: 1 } }],
    ['a booking of before', () => aVisit({ createdAt: before }), {}],
    ['a booking of after', () => aVisit({ createdAt: until }), {}],
    ['a time that is held', () => aVisit({ createdAt: noon, status: 'cancelled', heldUntil: noon }), {}],
    ['a booking elsewhere', () => aVisit({ createdAt: noon }, records.otherClinicId), {}],
  ])('%s is told as what it is', async (_what, arrange, told) => {
    await arrange();

    const overview = await records.stores.overview.of(clinicId, {
      from: from.toISOString(),
      until: until.toISOString(),
      withoutAlarms: true,
    });

    expect(overview).toEqual({
      cases: { opened: 0, ended: 0, simulated: 0, byStatus: {}, ...told.cases },
      calls: { running: 0, placed: 0, ...told.calls },
      deliveries: { delivered: 0, retrying: 0, dead: 0, failingSince: null, ...told.deliveries },
      tasks: { open: 0, unassigned: 0, ...told.tasks },
      appointments: { booked: 0, onTheDay: 0, ...told.appointments },
    });
  });

  test('an alarm is a task for whoever may see it', async () => {
    await aTask({ reason: alarmKinds[0] });

    const { tasks } = await records.stores.overview.of(clinicId, {
      from: from.toISOString(),
      until: until.toISOString(),
      withoutAlarms: false,
    });

    expect(tasks).toEqual({ open: 1, unassigned: 1 });
  });
});
