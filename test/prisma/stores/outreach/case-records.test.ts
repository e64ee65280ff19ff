import type { CallFilter } from '@clinic/prisma/stores/outreach/call-records';
import { createCursors } from '@clinic/prisma/stores/cursor';
import { clockOf } from '@clinic/prisma/stores/outreach/case-facts';
import { type CaseFilter, createCaseRecordStores } from '@clinic/prisma/stores/outreach/case-records';
import { newId } from '@clinic/shared/crypto';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
const ids = new Map<string, string>();
const people = new Map<string, string>();
const calls = new Map<string, string>();

beforeAll(async () => {
  records = await openRecords();
  ({ clinicId } = records);
  await arrange(clinicId, '');
  await arrange(records.otherClinicId, 'elsewhere ');
});
afterAll(() => records.close());

const at = (instant: string) => new Date(`2030-01-${instant}:00Z`);
const ended = at('20T00:00');
const priced = (unitPrice: number) => [{ productName: 'Visit', unitPrice }];

interface About {
  case: object;
  isSimulated?: boolean;
  calls?: Record<string, object>;
  visits?: { provider?: string; about?: object; type?: string }[];
}

/** Cases that differ in what they are found by. */
const cases: Record<string, About> = {
  open: { case: { createdAt: at('07T10:30'), formName: 'A' } },
  called: {
    case: { createdAt: at('08T11:00'), formName: 'B', status: 'CALLING' },
    calls: { rang: { rangAt: at('08T12:00'), state: 'RINGING', direction: 'outbound', endedReason: null } },
  },
  reached: {
    case: {
      createdAt: at('09T10:10'),
      status: 'PATIENT_NOT_INTERESTED',
      endedAt: ended,
      barrier: { primaryBarrier: 'Price' },
      selectedProducts: priced(100),
    },
    calls: { answered: { startedAt: at('09T15:00'), rangAt: at('09T14:59'), costUsd: 2, durationSeconds: 60 } },
  },
  voicemail: {
    case: {
      createdAt: at('10T23:59'),
      status: 'PATIENT_NOT_REACHED',
      endedAt: ended,
      barrier: { primaryBarrier: 'price' },
    },
    calls: { voicemail: { startedAt: at('11T15:00'), said: 'voicemail', endedReason: 'customer-ended-call' } },
  },
  visited: {
    case: { createdAt: at('11T08:00'), status: 'RECOVERED', endedAt: ended, selectedProducts: priced(250) },
    visits: [
      { type: 'Consultation', about: { createdAt: at('12T08:00') } },
      { type: 'Follow-up', about: { createdAt: at('13T08:00') } },
    ],
  },
  unvisited: {
    case: { createdAt: at('12T08:00'), status: 'RECOVERED', endedAt: ended },
    visits: [
      { about: { createdAt: at('12T07:59') } },
      { about: { createdAt: new Date('2030-02-11T08:00:00Z') } },
      { about: { createdAt: at('13T08:00'), status: 'cancelled' } },
      { about: { createdAt: at('13T08:00'), status: 'cancelled', heldUntil: ended } },
    ],
  },
  completed: { case: { createdAt: at('13T08:00'), status: 'ALREADY_COMPLETED', endedAt: ended } },
  simulated: { case: { createdAt: at('14T08:00') }, isSimulated: true },
  tested: {
    case: { createdAt: at('15T08:00') },
    calls: { test: { startedAt: at('15T09:00'), rangAt: at('15T09:00'), isTest: true, costUsd: 9 } },
  },
};

let halfHours = 0;

async function arrange(owner: string, prefix: string) {
  const { prisma } = records.database;
  const provider = await prisma.provider.findFirstOrThrow({ where: { clinicId: owner } });
  for (const [name, about] of Object.entries(cases)) {
    const run = await records.aCase({ clinicId: owner });
    const { workflowId, patientId } = run;
    const caseId = run.caseId ?? '';
    ids.set(caseId, `${prefix}${name}`);
    people.set(`${prefix}${name}`, patientId);
    await prisma.workflowRun.update({
      where: { id: workflowId },
      data: { isSimulated: about.isSimulated ?? false },
    });
    for (const [call, more] of Object.entries(about.calls ?? {})) {
      const id = newId();
      calls.set(id, `${prefix}${call}`);
      const usual = {
        direction: 'inbound',
        state: 'ENDED',
        workflowType: 'abandonment-recovery',
        createdAt: at('16T08:00'),
      };
      await prisma.call.create({
        data: {
          id,
          clinicId: owner,
          patientId,
          workflowId,
          caseId,
          endedReason: 'assistant-ended-call',
          ...usual,
          ...more,
        },
      });
    }
    for (const { type = 'New Patient', about: more } of about.visits ?? []) {
      halfHours += 1;
      const startsAt = new Date(Date.parse('2031-01-01T00:00:00Z') + halfHours * 1_800_000);
      const endsAt = new Date(startsAt.getTime() + 1_800_000);
      const visit = { patientId, providerId: provider.id, visitType: type, startsAt, endsAt };
      await prisma.appointment.create({ data: { id: newId(), clinicId: owner, ...visit, ...more } });
    }
    await prisma.recoveryCase.update({ where: { id: caseId }, data: about.case });
  }
}

const all = Object.keys(cases);
const without = (...names: string[]) => all.filter((name) => !names.includes(name));

test.each<[filter: CaseFilter, found: string[]]>([
  [{}, all],
  [{ open: true }, ['open', 'called', 'simulated', 'tested']],
  [{ open: false }, ['reached', 'voicemail', 'visited', 'unvisited', 'completed']],
  [{ recoveryStatus: 'RECOVERED' }, ['visited', 'unvisited']],
  [{ recoveryStatus: 'RECOVERED', open: true }, []],
  [{ recoveryStatus: 'RECOVERED', open: false }, ['visited', 'unvisited']],
  [{ recoveryStatus: 'CALLING', open: false }, []],
  [{ recoveryStatus: 'CALLING', open: true }, ['called']],
  [{ from: '2030-01-12T08:00:00.000Z' }, ['unvisited', 'completed', 'simulated', 'tested']],
  [{ until: '2030-01-09T10:10:00.000Z' }, ['open', 'called']],
  [{ formName: 'A' }, ['open']],
  [{ barrier: 'PRICE' }, ['reached', 'voicemail']],
  [{ called: true }, ['called', 'reached', 'voicemail']],
  [{ called: false }, without('called', 'reached', 'voicemail')],
  [{ reached: true }, ['reached']],
  [{ reached: false }, without('reached')],
  [{ hourReached: 15 }, ['reached']],
  [{ hourReached: 10, zone: 'America/New_York' }, ['reached']],
  [{ hourReached: 9 }, []],
  [{ lost: true }, ['reached', 'voicemail']],
  [{ lost: false }, without('reached', 'voicemail')],
  [{ simulated: true }, ['simulated']],
  [{ simulated: false }, without('simulated')],
  [{ weekday: 4 }, ['voicemail']],
  [{ weekday: 5, zone: 'Asia/Tokyo' }, ['voicemail', 'visited']],
  [{ hour: 10 }, ['open', 'reached']],
  [{ hour: 5, zone: 'America/New_York' }, ['open', 'reached']],
  [{ providerName: 'Dr.Vega' }, ['visited']],
  [{ providerName: 'none' }, ['unvisited']],
  [{ visitType: 'Consultation' }, ['visited']],
  [{ visitType: 'Follow-up' }, []],
  [{ visitType: 'none' }, ['unvisited']],
])('cases that are asked for by %j are listed and counted', async (filter, found) => {
  const { caseRecords } = records.stores;
  const { items } = await caseRecords.list(clinicId, { ...filter, limit: 100 });
  const oldest = await caseRecords.list(clinicId, { ...filter, limit: 100, order: 'oldest' });

  expect(items.map(({ id }) => ids.get(id)).toReversed()).toEqual(found);
  expect(oldest.items.map(({ id }) => ids.get(id))).toEqual(found);
  expect(await caseRecords.count(clinicId, filter)).toEqual({ count: found.length, isMore: false });
});

test('cases of a patient are that patient’s', async () => {
  const found = await records.stores.caseRecords.list(clinicId, { patientId: people.get('visited'), limit: 100 });

  expect(found.items.map(({ id }) => ids.get(id))).toEqual(['visited']);
});

test.each<[filter: CaseFilter, newest: number, all: number | null]>([
  [{}, 5, 9],
  [{ open: false }, 3, 5],
  [{ recoveryStatus: 'RECOVERED' }, 2, 2],
  [{ barrier: 'price' }, 0, null],
  [{ formName: 'A' }, 0, null],
  [{ called: false }, 5, null],
  [{ reached: false }, 5, null],
  [{ weekday: 6 }, 1, null],
  [{ hour: 8 }, 5, null],
  [{ hourReached: 15 }, 0, null],
  [{ lost: false }, 5, null],
  [{ simulated: true }, 1, null],
  [{ providerName: 'none' }, 1, null],
  [{ visitType: 'none' }, 1, null],
  [{ open: true, recoveryStatus: 'PENDING' }, 2, null],
])(
  'cases asked for by %j are counted among the newest alone where no index finds them',
  async (filter, newest, every) => {
    const { database } = records;
    // A clinic that has twenty thousand newer ones.
    const recoveryCase = { findFirst: () => Promise.resolve({ createdAt: at('11T08:00') }) };
    const prisma = Object.create(database.prisma, { recoveryCase: { value: recoveryCase } }) as typeof database.prisma;
    const { count } = createCaseRecordStores({ ...database, prisma }, createCursors('a-secret'));

    const counted = every === null ? { count: newest, isMore: true } : { count: every, isMore: false };
    expect(await count(clinicId, { ...filter, zone: 'UTC' })).toEqual(counted);
  },
);

test('a form whose case has nothing of it has come as far as the event of its own session told', async () => {
  const owner = records.otherClinicId;
  const run = await records.aCase({ clinicId: owner });
  const { prisma } = records.database;
  for (const [sessionId, percentage] of [
    [run.sessionId, 30],
    [newId(), 90],
  ] as const) {
    const data = { form_id: `form-${percentage}`, completion_percentage: percentage, abandoned_at_checkout: false };
    await prisma.inboundEvent.create({
      data: { id: newId(), clinicId: owner, event: 'forms.abandoned', dedupeKey: sessionId, payload: { data } },
    });
  }

  const progress = await records.stores.cases.progress(owner, run.caseId ?? '');

  expect(progress).toMatchObject({ formId: 'form-30', completionPercentage: 30 });
});

test.each<[what: string, about: object, percentage: number, isFormCompleted: boolean, isCheckoutCompleted: boolean]>([
  ['of which nothing was told', {}, 0, false, false],
  ['that was left half done', { completionPercentage: 55, abandonedAtCheckout: false }, 55, false, false],
  ['that was left at the checkout', { completionPercentage: 80, abandonedAtCheckout: true }, 80, true, false],
  ['that is completed', { completionPercentage: 55, formCompletedAt: at('07T11:00') }, 100, true, true],
])('a form %s has come so far', async (_what, about, completionPercentage, isFormCompleted, isCheckoutCompleted) => {
  const run = await records.aCase({ clinicId: records.otherClinicId });
  const id = run.caseId ?? '';
  const { sessionId } = await records.database.prisma.recoveryCase.update({
    where: { id },
    data: { formId: 'form-7', ...about },
  });

  const progress = await records.stores.cases.progress(records.otherClinicId, id);

  const done = { completionPercentage, isFormCompleted, isCheckoutCompleted };
  expect(progress).toEqual({ sessionId, formId: 'form-7', ...done });
  expect(await records.stores.cases.progress(clinicId, id)).toBeNull();
});

test('cases are read page by page, in both orders', async () => {
  for (const order of ['newest', 'oldest'] as const) {
    const read: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const page = await records.stores.caseRecords.list(clinicId, { limit: 4, cursor, order });
      read.push(...page.items.map(({ id }) => ids.get(id)));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && read.length < 20);

    expect(read).toEqual(order === 'oldest' ? all : all.toReversed());
  }
});

const span = { from: '2030-01-01T00:00:00.000Z', until: '2030-02-01T00:00:00.000Z', zone: 'UTC' };

test('the results of a span count what its lists show', async () => {
  const of = (about: object = {}) => records.stores.results.of(clinicId, { ...span, withSimulated: false, ...about });
  const results = await of();

  expect(results.all).toEqual({
    opened: 8,
    ended: 5,
    recovered: 2,
    alreadyCompleted: 1,
    lost: 2,
    called: 3,
    reached: 1,
    calls: 3,
    valueRecovered: 250,
    valueLost: 100,
    callCostUsd: 2,
    callSeconds: 60,
  });
  expect(results).toMatchObject({ simulated: 1, recoveredPatients: 2, recoveredWithPrice: 1 });
  const named = (groups: { name: string; opened: number }[]) =>
    Object.fromEntries(groups.map(({ name, opened }) => [name, opened]));
  expect(named(results.byStatus)).toEqual({
    PENDING: 2,
    CALLING: 1,
    PATIENT_NOT_INTERESTED: 1,
    PATIENT_NOT_REACHED: 1,
    RECOVERED: 2,
    ALREADY_COMPLETED: 1,
  });
  expect([named(results.byForm), named(results.byBarrier)]).toEqual([{ A: 1, B: 1 }, { price: 2 }]);
  expect(named(results.byHourReached)).toEqual({ 15: 1 });
  expect(named(results.byProvider)).toEqual({ 'Dr.Vega': 1, none: 1 });
  expect(results.byProvider.map(({ name, displayName }) => [name, displayName])).toContainEqual([
    'Dr.Vega',
    'Dr. Luz Vega',
  ]);
  expect(named(results.byVisitType)).toEqual({ Consultation: 1, none: 1 });
  expect(results.byDay.map(({ date, opened }) => [date, opened])).toEqual(
    ['07', '08', '09', '10', '11', '12', '13', '15'].map((day) => [`2030-01-${day}`, 1]),
  );
  expect(results.byHour.find(({ weekday, hour }) => weekday === 1 && hour === 10)?.opened).toBe(1);
  expect((await of({ withSimulated: true })).all.opened).toBe(9);
  expect((await of({ from: '2030-01-08T11:00:00.000Z' })).all.opened).toBe(7);
  expect((await of({ until: '2030-01-15T08:00:00.000Z' })).all.opened).toBe(7);
  expect((await of({ until: span.from })).all.opened).toBe(0);
});

test.each([
  // Its last change was decided so late that many databases do not know of it.
  'America/Vancouver',
  'Europe/Chisinau',
  'Australia/Lord_Howe',
  'Pacific/Apia',
])('in %s cases and calls fall on the days and hours of the clock that the service knows', async (zone) => {
  const own = await records.aClinic();
  const { prisma } = records.database;
  const instants = [
    '2023-03-26T00:30:00.000Z',
    '2026-03-08T09:59:59.999Z',
    '2026-03-08T10:00:00.000Z',
    '2026-04-04T15:15:00.000Z',
    '2026-07-01T06:30:00.000Z',
    '2026-11-23T07:30:00.000Z',
    '2026-12-31T23:45:00.000Z',
  ];
  for (const instant of instants) {
    const { caseId, patientId } = await records.aCase({ clinicId: own });
    const createdAt = new Date(instant);
    await prisma.recoveryCase.update({ where: { id: caseId ?? '' }, data: { createdAt } });
    const call = { direction: 'outbound', state: 'ENDED', endedReason: 'assistant-ended-call', createdAt };
    const about = { clinicId: own, patientId, workflowType: 'abandonment-recovery' };
    await prisma.call.create({ data: { id: newId(), ...about, ...call } });
  }
  const during = { from: '2023-01-01T00:00:00.000Z', until: '2027-01-01T00:00:00.000Z', zone };
  const hourOf = (instant: string) =>
    Number(
      new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' }).format(new Date(instant)),
    );

  const { byDay, byHour } = await records.stores.results.of(own, { ...during, withSimulated: true });
  const endings = await records.stores.results.endings(own, during);

  const days = [...new Set(instants.map((instant) => localDate(instant, zone)))].toSorted();
  expect(byDay.map(({ date }) => date)).toEqual(days);
  expect(endings.map(({ date }) => date)).toEqual(days);
  expect(new Set(byHour.map(({ hour }) => hour))).toEqual(new Set(instants.map(hourOf)));
  for (const { weekday, hour, opened } of byHour) {
    const { items } = await records.stores.caseRecords.list(own, { weekday, hour, zone, limit: 20 });
    expect(items).toHaveLength(opened);
  }
});

test('of forms, barriers, providers and visit types the ten that most cases have are told, and who booked no visit', async () => {
  const own = await records.aClinic();
  const { prisma } = records.database;
  const names = Array.from({ length: 11 }, (_, index) => `name-${String(index).padStart(2, '0')}`);
  // The last has two cases, and two cases have nothing of the kind.
  for (const name of [...names, 'name-10', null, null]) {
    const { caseId, patientId } = await records.aCase({ clinicId: own });
    const won = { status: 'RECOVERED', endedAt: ended };
    const data = name === null ? won : { ...won, formName: name, barrier: { primaryBarrier: name } };
    const { createdAt } = await prisma.recoveryCase.update({ where: { id: caseId ?? '' }, data });
    if (name === null) continue;
    const provider = await prisma.provider.upsert({
      where: { clinicId_name: { clinicId: own, name } },
      create: { id: newId(), clinicId: own, name, displayName: name, workingHours: {} },
      update: {},
    });
    halfHours += 1;
    const startsAt = new Date(Date.parse('2031-01-01T00:00:00Z') + halfHours * 1_800_000);
    const endsAt = new Date(startsAt.getTime() + 1_800_000);
    const visit = { clinicId: own, patientId, providerId: provider.id, visitType: name, startsAt, endsAt, createdAt };
    await prisma.appointment.create({ data: { id: newId(), ...visit } });
  }
  const always = { from: '2020-01-01T00:00:00.000Z', until: '2100-01-01T00:00:00.000Z', zone: 'UTC' };

  const results = await records.stores.results.of(own, { ...always, withSimulated: true });

  const told = names.slice(0, 9);
  const { byForm, byBarrier, byProvider, byVisitType } = results;
  for (const groups of [byForm, byBarrier]) expect(groups.map(({ name }) => name)).toEqual(['name-10', ...told]);
  for (const groups of [byProvider, byVisitType])
    expect(groups.map(({ name }) => name)).toEqual(['name-10', 'none', ...told]);
});

test('whatever span is asked for, the clock of a zone is looked up for years of which there are cases alone', () => {
  const zone = 'America/Denver';
  const ever = { from: '0001-01-01T00:00:00.000Z', until: '9999-12-31T00:00:00.000Z', zone };
  const [past, future] = ['1900-01-01T00:00:00.000Z', '9000-01-01T00:00:00.000Z'];

  expect(clockOf(ever)).toEqual(clockOf({ zone }));
  expect(clockOf({ from: future, until: future, zone }).since.length).toBeLessThan(10);
  expect(clockOf({ from: past, until: past, zone }).since.length).toBeLessThan(10);
});

test('the median of a span is over the cases that have ended', async () => {
  const results = await records.stores.results.of(clinicId, { ...span, withSimulated: false });

  // Of reached, voicemail, visited, unvisited and completed.
  expect(results.medianSecondsToOutcome).toBe((ended.getTime() - at('11T08:00').getTime()) / 1_000);
});

test('the ends of recovery calls are counted by day and reason, but not those of tests or of other types', async () => {
  const { prisma } = records.database;
  const patientId = people.get('open') ?? '';
  const usual = { clinicId, patientId, direction: 'outbound', state: 'ENDED', createdAt: at('16T08:00') };
  await prisma.call.create({
    data: { id: newId(), ...usual, workflowType: 'payment-recovery', endedReason: 'assistant-ended-call' },
  });

  const endings = await records.stores.results.endings(clinicId, span);
  const later = await records.stores.results.endings(clinicId, { ...span, from: '2030-01-16T08:00:00.000Z' });
  const before = await records.stores.results.endings(clinicId, { ...span, until: '2030-01-16T08:00:00.000Z' });

  expect(endings).toEqual([
    { date: '2030-01-16', reason: 'assistant-ended-call', calls: 1, waited: 0 },
    { date: '2030-01-16', reason: 'customer-ended-call', calls: 1, waited: 0 },
  ]);
  expect([later, before]).toEqual([endings, []]);
});

test.each<[what: string, about: object, waited: number | null]>([
  ['that stood in no line', { queuedAt: null }, 0],
  ['that got a line at once', { queuedAt: at('17T08:00') }, 0],
  ['that waited for a quarter of an hour', { queuedAt: at('17T07:45') }, 0],
  ['that waited for longer', { queuedAt: new Date('2030-01-17T07:44:59.999Z') }, 1],
  ['that waited for long, of a test', { queuedAt: at('17T06:00'), isTest: true }, null],
  ['that waited for long, of another type', { queuedAt: at('17T06:00'), workflowType: 'payment-recovery' }, null],
  ['that waited for long, and has not ended', { queuedAt: at('17T06:00'), endedReason: null }, null],
])('of calls %s so many count as late: %#', async (_what, about, waited) => {
  const owner = await records.aClinic();
  const { patientId } = await records.aRun({ clinicId: owner });
  const usual = { clinicId: owner, patientId, direction: 'outbound', state: 'ENDED', createdAt: at('17T08:00') };
  const call = { ...usual, workflowType: 'abandonment-recovery', endedReason: 'voicemail', ...about };
  await records.database.prisma.call.create({ data: { id: newId(), ...call } });

  expect(await records.stores.results.endings(owner, { ...span, until: '2030-01-18T00:00:00.000Z' })).toEqual(
    waited === null ? [] : [{ date: '2030-01-17', reason: 'voicemail', calls: 1, waited }],
  );
  expect(await records.stores.results.endings(clinicId, { ...span, from: '2030-01-17T00:00:00.000Z' })).toEqual([]);
});

test.each<[filter: CallFilter, found: string[]]>([
  [{ workflowType: 'abandonment-recovery' }, ['answered', 'rang', 'test', 'voicemail']],
  [{ workflowType: 'abandonment-recovery', live: true }, ['rang']],
  [{ workflowType: 'abandonment-recovery', live: false }, ['answered', 'test', 'voicemail']],
  [{ state: 'RINGING' }, ['rang']],
  [{ state: 'ENDED', live: true }, []],
  [{ state: 'RINGING', live: false }, []],
  [{ state: 'RINGING', live: true }, ['rang']],
  [{ direction: 'outbound', workflowType: 'abandonment-recovery' }, ['rang']],
  [{ ending: 'not_reached' }, ['voicemail']],
  [{ ending: 'conversation', workflowType: 'abandonment-recovery' }, ['answered', 'test']],
  [{ ending: 'not_reached', live: true }, []],
  [{ ending: 'not_reached', live: false }, ['voicemail']],
  [{ ending: 'not_reached', state: 'RINGING' }, []],
  [{ ending: 'not_reached', state: 'ENDED' }, ['voicemail']],
  [
    { workflowType: 'abandonment-recovery', from: '2030-01-16T08:00:00.000Z' },
    ['answered', 'rang', 'test', 'voicemail'],
  ],
  [{ until: '2030-01-16T08:00:00.000Z' }, []],
])('calls that are asked for by %j are listed and counted', async (filter, found) => {
  const { callRecords } = records.stores;
  const { items } = await callRecords.list(clinicId, { ...filter, limit: 100 });

  const names = items.map(({ id }) => calls.get(id) ?? 'another');
  expect(names.toSorted((one, other) => one.localeCompare(other))).toEqual(found);
  expect(await callRecords.count(clinicId, filter)).toEqual({ count: found.length, isMore: false });
});

test('calls of a case, of a run and of a patient are theirs', async () => {
  const { caseRecords, callRecords } = records.stores;
  const { items } = await caseRecords.list(clinicId, { reached: true, limit: 1 });
  const { id: caseId = '', workflowId = '', patientId = '' } = items[0] ?? {};

  for (const filter of [{ caseId }, { workflowId }, { patientId }]) {
    const found = await callRecords.list(clinicId, { ...filter, limit: 10 });
    expect(found.items.map(({ id }) => calls.get(id))).toEqual(['answered']);
  }
  expect((await callRecords.list(records.otherClinicId, { caseId, limit: 10 })).items).toEqual([]);
});

test('what the tools of a call did, and what was decided about it, is told in the order in which it happened', async () => {
  const { prisma } = records.database;
  const { workflowId, caseId, patientId } = await records.aCase({ clinicId });
  const about = { workflowId, workflowType: 'abandonment-recovery', caseId, patientId };
  const { id: callId } = await prisma.call.create({
    data: { id: newId(), clinicId, ...about, direction: 'outbound', state: 'ENDED', createdAt: at('16T08:00') },
  });
  for (const minute of ['02', '01', '03']) {
    const tool = {
      family: 'emr',
      tool: 'find_slots',
      arguments: {},
      meaning: minute,
      startedAt: at(`16T08:${minute}`),
    };
    await prisma.toolCall.create({ data: { id: newId(), clinicId, callId, toolCallId: minute, ...tool } });
  }
  for (const [stage, minute] of [
    ['dial', '02'],
    ['line', '01'],
    ['plan', '01'],
    ['line', '00'],
  ]) {
    const decided = { stage: stage ?? '', rule: 'due', decided: {}, inputs: {}, decidedAt: at(`16T08:${minute}`) };
    await prisma.callDecision.create({ data: { id: newId(), clinicId, workflowId, callId, ...decided } });
  }

  const found = await records.stores.callRecords.find(clinicId, callId);

  expect(found?.toolCalls.map(({ toolCallId }) => toolCallId)).toEqual(['01', '02', '03']);
  expect(found?.decisions.map(({ stage, decidedAt }) => `${decidedAt.getUTCMinutes()} ${stage}`)).toEqual([
    '0 line',
    '1 plan',
    '1 line',
    '2 dial',
  ]);
});
