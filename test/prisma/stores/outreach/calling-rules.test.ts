import { setTimeout as delay } from 'node:timers/promises';
import { verifyDials } from '@clinic/commands/verify-dials';
import { newId } from '@clinic/shared/crypto';
import { recordsEnvironment, typed } from '../../../support/command';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

/** How often a stop races with a dial; `npm run prove -- calling` lets them do so 10,000 times. */
const RACES = Number(process.env.STOP_RACES ?? 240);
/** How many race at once, each in a clinic of its own. */
const LANES = 8;

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const pause = (clinicId: string | null, workflowType: string | null = null, endsAt: Date | null = null) =>
  records.database.prisma.outreachPause.create({
    data: { id: newId(), clinicId, workflowType, reason: 'a test', pausedBy: 'account:1', endsAt },
  });
const operator = { actor: 'account:1' };
const resumeAll = () => records.database.prisma.outreachPause.updateMany({ data: { resumedAt: new Date() } });
const optOut = ({ clinicId, phone }: OpenedRun, scope = 'all') =>
  records.database.prisma.optOut.create({ data: { id: newId(), clinicId, phone, scope } });

/** Dials: null where the request to the platform was begun, else why it was not. `meanwhile` happens after the decision. */
async function dial(run: OpenedRun, meanwhile: () => Promise<unknown> = async () => undefined): Promise<string | null> {
  const { clinicId } = run;
  const callId = await records.aReservedCall(run);
  await meanwhile();
  const begun = await records.stores.calls.beginRequest({ clinicId, callId, requests: 0 });
  return begun.kind === 'withdrawn' ? begun.because : null;
}

async function changePolicy(about: Partial<Awaited<ReturnType<Records['stores']['clinics']['policy']>>>) {
  const { stores, clinicId } = records;
  await stores.clinics.setPolicy(clinicId, { ...(await stores.clinics.policy(clinicId)), ...about });
}

describe('a pause', () => {
  afterEach(resumeAll);

  test('of everything, of the clinic, or of the type forbids the dial; one of others does not', async () => {
    for (const [clinicId, type, refusal] of [
      [null, null, 'paused'],
      [records.clinicId, null, 'paused'],
      [records.clinicId, 'care-gap-follow-up', 'paused'],
      [records.clinicId, 'payment-recovery', null],
      [records.otherClinicId, null, null],
    ] as const) {
      expect(await dial(await records.aRun(), () => pause(clinicId, type))).toBe(refusal);
      await resumeAll();
    }
  });

  test('lets nobody intend to call: the run keeps its place in line until outreach goes on', async () => {
    const { clinicId } = records;
    const [first, second] = [await records.aRun(), await records.aRun()];
    const other = await records.aRun({ workflowType: 'payment-recovery' });
    const reserve = async (run: OpenedRun, minute: number) => {
      const dueAt = new Date(Date.now() - 3_600_000 + minute * 60_000).toISOString();
      return (await records.stores.calls.reserve(records.anIntent(run, { dueAt }))).kind;
    };
    const intents = () =>
      records.database.prisma.call.count({ where: { workflowId: { in: [first.workflowId, second.workflowId] } } });
    const place = (run: OpenedRun) =>
      records.database.prisma.lineTicket.findUnique({ where: { workflowId: run.workflowId } });
    await pause(clinicId, 'care-gap-follow-up');

    expect([await reserve(second, 2), await reserve(first, 1)]).toEqual(['queued', 'queued']);
    expect(await reserve(other, 3)).toBe('reserved');
    expect(await intents()).toBe(0);
    const [before, after] = [await place(first), await place(second)];
    expect(before?.dueAt.getTime()).toBeLessThan(after?.dueAt.getTime() ?? 0);

    await resumeAll();
    expect([await reserve(first, 1), await reserve(second, 2)]).toEqual(['reserved', 'reserved']);
  });

  test('that comes between the decision and the dial is stored as the rule that refused it, with what was looked at', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await pause(run.clinicId);

    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });

    const stored = await records.database.prisma.callDecision.findMany({ where: { callId, stage: 'dial' } });
    expect(stored).toMatchObject([
      { stage: 'dial', rule: 'paused', decided: { kind: 'withdrawn', because: 'paused' }, inputs: { isPaused: true } },
    ]);
  });

  test('ends at its time', async () => {
    const run = await records.aRun();
    await pause(run.clinicId, null, new Date(Date.now() - 1_000));

    expect(await dial(run)).toBeNull();
    expect((await records.stores.runs.facts(run.clinicId, run.workflowId))?.pause).toBeNull();
  });

  test('is a fact of every run that it holds back, with the last of the times at which it ends', async () => {
    const run = await records.aRun();
    const [soon, later] = [new Date(Date.now() + 60_000), new Date(Date.now() + 120_000)];
    await pause(run.clinicId, null, soon);
    await pause(null, null, later);

    const pauseOf = async () => (await records.stores.runs.facts(run.clinicId, run.workflowId))?.pause;
    expect(await pauseOf()).toEqual({ until: later.toISOString() });

    await pause(run.clinicId);
    expect(await pauseOf()).toEqual({ until: null });
  });
});

describe('an opt-out', () => {
  test('of everything forbids every dial to the phone', async () => {
    const run = await records.aRun();
    await optOut(run);

    expect(await dial(run)).toBe('opted_out');
    expect(await dial(await records.aRun())).toBeNull();
  });

  test('at another clinic forbids nothing here', async () => {
    const run = await records.aRun();
    await optOut({ ...run, clinicId: records.otherClinicId });

    expect(await dial(run)).toBeNull();
  });

  test('of recovery and reminders leaves the other calls', async () => {
    const run = await records.aRun();
    await optOut(run, 'recovery_and_reminders');

    expect(await dial(run)).toBe('opted_out');
    expect(await dial(await records.aRun({ phone: run.phone, workflowType: 'payment-recovery' }))).toBeNull();
  });
});

describe("the operator's limit of numbers in a day", () => {
  const allow = (clinicId: string, numbers: number) =>
    typed(
      ['clinic', 'set-limit', '--clinic', clinicId, '--numbers-per-day', String(numbers)],
      recordsEnvironment(records.database.url),
    );
  const begin = async (run: OpenedRun, callId: string) => {
    const begun = await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    return begun.kind === 'withdrawn' ? begun.because : null;
  };

  test('lets so many different numbers be called, however many dial at once; the rest wait for the next day', async () => {
    const clinicId = await records.aClinic();
    await allow(clinicId, 3);
    const runs = await Promise.all(Array.from({ length: 6 }, () => records.aRun({ clinicId })));
    const callIds = await Promise.all(runs.map((run) => records.aReservedCall(run)));

    const begun = await Promise.all(runs.map((run, index) => begin(run, callIds[index]!)));

    expect(begun.filter((refusal) => refusal === null)).toHaveLength(3);
    expect(begun.filter((refusal) => refusal === 'clinic_limit')).toHaveLength(3);
    const [called, refused] = [runs[begun.indexOf(null)]!, runs[begun.indexOf('clinic_limit')]!];
    const facts = async ({ workflowId }: OpenedRun) => (await records.stores.runs.facts(clinicId, workflowId))!;
    const tomorrow = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
    expect((await facts(refused)).clinicLimitUntil).toBe(tomorrow);
    expect((await facts(called)).clinicLimitUntil).toBeNull();
    expect(await records.stores.calls.reserve(records.anIntent(refused, { dial: 2 }))).toEqual({ kind: 'limited' });
    expect(await records.stores.callingRules.mayRing(clinicId, refused.phone)).toBe(false);
    const callId = callIds[begun.indexOf(null)]!;
    await records.stores.calls.close({ clinicId, callId, reason: 'voicemail' });
    expect(await records.stores.callingRules.mayRing(clinicId, called.phone)).toBe(true);
    const rules = await records.database.prisma.callDecision.groupBy({
      by: ['stage', 'rule'],
      where: { clinicId },
      _count: true,
    });
    const refusals = rules.flatMap(({ stage, rule, _count: count }) =>
      rule === 'clinic_limit' ? [{ stage, count }] : [],
    );
    expect(refusals).toHaveLength(2);
    expect(refusals).toEqual(
      expect.arrayContaining([
        { stage: 'dial', count: 3 },
        { stage: 'line', count: 1 },
      ]),
    );
    expect(await verifyDials(records.stores)).toEqual({
      checked: await records.database.prisma.callDecision.count(),
      differences: [],
    });
  });

  test('is of one clinic and one day, does not count what the platform refused, and can be changed', async () => {
    const clinicId = await records.aClinic();
    await allow(clinicId, 1);
    const aCall = async () => {
      const run = await records.aRun({ clinicId });
      return { run, callId: await records.aReservedCall(run) };
    };
    const [first, second, third] = [await aCall(), await aCall(), await aCall()];
    const change = (callId: string, data: object) =>
      records.database.prisma.call.update({ where: { id: callId }, data });

    expect(await begin(first.run, first.callId)).toBeNull();
    expect(await dial(await records.aRun())).toBeNull();
    expect(await begin(second.run, second.callId)).toBe('clinic_limit');
    await change(first.callId, { state: 'ENDED', endedAt: new Date(), endedReason: 'refused' });
    expect(await begin(third.run, third.callId)).toBeNull();
    await change(third.callId, { requestedAt: new Date(Date.now() - 25 * 3_600_000) });
    expect(await dial(await records.aRun({ clinicId }))).toBeNull();
    await allow(clinicId, 2);
    expect(await dial(await records.aRun({ clinicId }))).toBeNull();
    const { items } = await records.stores.audit.list(clinicId, { action: 'numbers-per-day.change', limit: 5 });
    expect(items.map(({ actor, detail }) => [actor, detail])).toEqual([
      ['operator', { numbersPerDay: 2 }],
      ['operator', { numbersPerDay: 1 }],
    ]);
    await expect(allow('no-such-clinic', 1)).rejects.toThrow('There is no clinic');
  });
});

describe('the hours', () => {
  test('of the clinic hold in the moment of the dial', async () => {
    const run = await records.aRun();
    const { callingHours } = await records.stores.clinics.policy(run.clinicId);
    await changePolicy({ callingHours: {} });

    expect(await dial(run)).toBe('outside_hours');

    await changePolicy({ callingHours });
  });

  test('of the patient hold for a clinic whose phones ring', async () => {
    const vapi = (voiceProvider: string) =>
      records.database.prisma.clinic.update({ where: { id: records.clinicId }, data: { voiceProvider } });
    const phone = '+12125550100';
    expect(await dial(await records.aRun({ phone }))).toBeNull();

    await vapi('vapi');
    const run = await records.aRun({ phone: '+12125550101' });
    const facts = await records.stores.runs.facts(run.clinicId, run.workflowId);
    const refusal = await dial(run);
    await vapi('simulator');

    expect(facts?.patientZones).toEqual(['America/New_York']);
    const hour = Number(
      new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', hour: 'numeric', hourCycle: 'h23' }).format(),
    );
    expect(refusal).toBe(hour >= 8 && hour < 20 ? null : 'outside_hours');
  });
});

/** As the relay does. */
async function tellAll(atOnce: number): Promise<number[]> {
  const steps: number[] = [];
  let step: number;
  do {
    step = await records.stores.messages.tellOfRules(atOnce);
    steps.push(step);
  } while (step > 0);
  return steps;
}

test.each<[string, Parameters<typeof changePolicy>[0], number]>([
  ['the hours', { callingHours: { monday: [{ opens: '00:00', closes: '24:00' }] } }, 1],
  ['the delay before a first call', { firstCallDelaySeconds: 7 }, 1],
  ['how many calls there are', { maxAttempts: 9 }, 1],
  ['the time between them', { secondsBetweenAttempts: 777 }, 1],
  ['calls on a day', { callsPerPatientPerDay: 9 }, 1],
  ['calls in a week', { callsPerPatientPerWeek: 10 }, 1],
  ['the zone of a number that tells none', { unknownZone: 'clinic' }, 1],
  ['whether the simulator keeps the hours of patients', { simulatorKeepsPatientHours: true }, 1],
  ['how calls open', { disclosesAutomation: false }, 0],
  ['how many lines there are', { maxConcurrentCalls: 77 }, 0],
])('a change of %s (%j) tells each open run of the clinic %d times, and no other', async (_what, change, times) => {
  const [run, ended] = [await records.aRun(), await records.aRun()];
  const ofAnother = await records.aRun({ clinicId: records.otherClinicId });
  await records.database.sql`
    update workflow_runs set status = 'cancelled', completed_at = now() where id = ${ended.workflowId}`;
  const { clinics } = records.stores;
  const before = await clinics.policy(records.clinicId);
  const woken = () =>
    Promise.all(
      [run, ended, ofAnother].map(({ workflowId }) =>
        records.database.prisma.workflowMessage.count({ where: { workflowId, signal: 'rulesChanged' } }),
      ),
    );

  await changePolicy(change);
  await tellAll(500);
  await changePolicy(change);
  await tellAll(500);

  expect(await woken()).toEqual([times, 0, 0]);
  await clinics.setPolicy(records.clinicId, before);
  await tellAll(500);
});

test('of a change of rules the runs are told in batches, those of each clinic in turn, and all again after another change', async () => {
  const { sql } = records.database;
  const [one, other] = [await records.aClinic(), await records.aClinic()];
  const runs = async (clinicId: string, many: number) => {
    for (let index = 0; index < many; index += 1) await records.aRun({ clinicId });
  };
  await Promise.all([runs(one, 5), runs(other, 1)]);
  const change = (clinicId: string, maxAttempts: number) =>
    sql`update calling_policies set max_attempts = ${maxAttempts} where clinic_id = ${clinicId}`;
  const times = async () => {
    const found = await sql<{ times: number }>`
      select count(m.id)::int as times from workflow_runs r left join workflow_messages m on m.workflow_id = r.id and m.signal = 'rulesChanged'
      where r.clinic_id in (${one}, ${other}) group by r.id`;
    return found.map((each) => each.times);
  };

  await tellAll(500);
  await change(one, 2);
  await change(other, 2);
  expect(await tellAll(2)).toEqual([3, 2, 1, 0]);
  expect(await times()).toEqual(Array(6).fill(1));

  await change(one, 3);
  await records.stores.messages.tellOfRules(2);
  await change(one, 4);
  expect(await tellAll(2)).toEqual([2, 2, 1, 0]);
});

describe('hours that a patient asked for', () => {
  /** The half of the day that is not now, on the clinic's clock, which is UTC. */
  const atAnotherTime = () =>
    new Date().getUTCHours() < 12 ? { from: '13:00', until: null } : { from: null, until: '11:00' };
  const ask = ({ clinicId, patientId }: OpenedRun, preferredCallHours: ReturnType<typeof atAnotherTime> | null) =>
    records.stores.patientRecords.change(clinicId, patientId, { preferredCallHours });
  const wokenOf = ({ workflowId }: OpenedRun) =>
    records.database.prisma.workflowMessage.count({ where: { workflowId, signal: 'rulesChanged' } });

  test('are a fact of every run, and hold in the moment of the dial, also for a campaign of the platform', async () => {
    const run = await records.aRun();
    const mayRing = () => records.stores.callingRules.mayRing(run.clinicId, run.phone);
    const before = await mayRing();

    expect(await dial(run, () => ask(run, atAnotherTime()))).toBe('outside_hours');

    const facts = await records.stores.runs.facts(run.clinicId, run.workflowId);
    expect(facts?.preferredHours).toEqual(atAnotherTime());
    expect([before, await mayRing()]).toEqual([true, false]);
    const [preview] = await records.stores.callPreview.openRuns(run.clinicId, { patientId: run.patientId, limit: 1 });
    expect(preview?.facts.preferredHours).toEqual(atAnotherTime());
  });

  test('that change wake the runs of the patient and nobody else, once, and take them out of line until they ask again', async () => {
    const [run, other] = [await records.aRun(), await records.aRun()];
    const reserve = () => records.stores.calls.reserve(records.anIntent(run, { maxConcurrentCalls: 0 }));
    const place = () => records.database.prisma.lineTicket.findUniqueOrThrow({ where: { workflowId: run.workflowId } });
    await reserve();
    const hours = atAnotherTime();

    await ask(run, hours);
    await ask(run, hours);
    await records.stores.patientRecords.change(run.clinicId, run.patientId, { firstName: 'Anna' });

    expect([await wokenOf(run), await wokenOf(other)]).toEqual([1, 0]);
    expect((await place()).notAfter?.getTime()).toBeLessThanOrEqual(Date.now());
    await ask(run, null);
    await reserve();
    expect([await wokenOf(run), (await place()).notAfter]).toEqual([2, null]);
  });

  test('over midnight are refused by the database too', async () => {
    const { patientId } = await records.aRun();

    await expect(
      records.database.sql`
        update patients set preferred_call_hours = '{"from": "22:00", "until": "06:00"}' where id = ${patientId}`,
    ).rejects.toThrow('patients_preferred_call_hours');
  });
});

describe('a stop that comes while a dial is beginning', () => {
  afterEach(resumeAll);

  const stops: [what: string, stop: (run: OpenedRun) => Promise<unknown>][] = [
    ['an opt-out', (run) => optOut(run)],
    ['a pause of the clinic', ({ clinicId }) => pause(clinicId)],
    ['a pause of everything', () => pause(null)],
    [
      'the end of its run',
      ({ workflowId }) =>
        records.database.prisma.workflowRun.update({
          where: { id: workflowId },
          data: { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', completedAt: new Date() },
        }),
    ],
    [
      'the end of its form',
      ({ caseId }) =>
        records.database.prisma.recoveryCase.update({
          where: { id: caseId ?? '' },
          data: { formCompletedAt: new Date() },
        }),
    ],
  ];

  test.each(stops)('%s is acknowledged after the dial has begun', async (_what, stop) => {
    const { database, stores, clinicId } = records;
    const run = await records.aCase();
    const callId = await records.aReservedCall(run);
    const order: string[] = [];

    const both = await database.transaction(async (tx) => {
      // Holds the dial where it has looked at the rules and not yet begun.
      await tx`select 1 from calls where id = ${callId} for update`;
      const dialling = stores.calls.beginRequest({ clinicId, callId, requests: 0 });
      await eventually(async () => (await waitingForLocks(records.database)) === 1);
      const stopping = stop(run).then(() => order.push('acknowledged'));
      await eventually(async () => (await waitingForLocks(records.database)) === 2, { within: 5_000 });
      order.push('begins');
      return [dialling, stopping] as const;
    });
    const [begun] = await Promise.all(both);

    expect(begun.kind).toBe('begun');
    expect(order).toEqual(['begins', 'acknowledged']);
  });

  test('a pause is acknowledged after the intent that is just being stored', async () => {
    const { database, stores, clinicId } = records;
    const run = await records.aRun();
    const order: string[] = [];

    const both = await database.transaction(async (tx) => {
      // Holds the intent where it has looked for a pause and is not yet stored.
      await tx`select pg_advisory_xact_lock(hashtext(${`calls:${clinicId}`}))::text`;
      const intending = stores.calls.reserve(records.anIntent(run));
      await eventually(async () => (await waitingForLocks(records.database)) === 1);
      const pausing = pause(clinicId).then(() => order.push('acknowledged'));
      await eventually(async () => (await waitingForLocks(records.database)) === 2, { within: 5_000 });
      order.push('is stored');
      return [intending, pausing] as const;
    });
    const [intended] = await Promise.all(both);

    expect(intended.kind).toBe('reserved');
    expect(order).toEqual(['is stored', 'acknowledged']);
  });
});

test('an opt-out that an erasure takes along while a dial waits for its turn holds for it', async () => {
  const { database, stores } = records;
  const clinicId = await records.aClinic();
  const gone = await records.aRun({ clinicId });
  await optOut(gone);
  const asked = await stores.erasures.request(
    { clinicId, patientId: gone.patientId, reason: 'patient_request' },
    operator,
  );
  if (asked.kind !== 'requested') throw new Error(asked.kind);
  await database.sql`update workflow_runs set status = 'cancelled', completed_at = now() where id = ${gone.workflowId}`;
  await eventually(async () => (await stores.erasures.erase(asked.erasure)).kind === 'erased', { within: 8_000 });
  const where = { clinicId, kind: 'opt-out' };
  const stone = await database.prisma.tombstone.findFirstOrThrow({ where });
  // As it was before its last step.
  await database.prisma.tombstone.deleteMany({ where });
  await optOut(gone);
  const callId = await records.aReservedCall(await records.aRun({ clinicId, phone: gone.phone }));

  const dialling = await database.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended(${`numbers:${clinicId}`}, 0))::text`;
    const begun = stores.calls.beginRequest({ clinicId, callId, requests: 0 });
    await eventually(async () => (await waitingForLocks(database)) === 1);
    await database.prisma.$transaction([
      database.prisma.optOut.deleteMany({ where: { clinicId } }),
      database.prisma.tombstone.create({ data: stone }),
    ]);
    return [begun] as const;
  });

  expect(await dialling[0]).toEqual({ kind: 'withdrawn', because: 'opted_out' });
});

test(`anyone who has been told that a phone is not called, or that all is paused, sees no dial begin after it, ${RACES} times`, async () => {
  const { database, stores } = records;
  /** A dial, and where all is paused an intent too, begin in the moment of the stop. */
  const race = async (clinicId: string, n: number) => {
    const isPause = n % 2 === 0;
    const [dialled, intending] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
    const callId = await records.aReservedCall(dialled);
    const stop = async () => {
      await delay(n % 7);
      if (isPause) await stores.pauses.pause({ clinicId, workflowType: null, reason: 'a race', until: null }, operator);
      else await stores.optOuts.add(clinicId, dialled.phone);
      const [seen] = await database.sql<{ at: Date | null; isStored: boolean }>`
        select clock_timestamp() as at,
          exists (select 1 from calls where workflow_id = ${intending.workflowId}) as "isStored"`;
      return { at: seen?.at?.getTime() ?? 0, isStored: seen?.isStored ?? false };
    };
    const begin = async () => {
      await delay((n * 3) % 7);
      return stores.calls.beginRequest({ clinicId, callId, requests: 0 });
    };
    const intend = async () => {
      await delay((n * 5) % 7);
      return stores.calls.reserve(records.anIntent(intending));
    };
    const [acknowledged, first, intent] = await Promise.all([stop(), begin(), isPause ? intend() : null]);
    const requests = first.kind === 'begun' ? 1 : 0;
    const second = await stores.calls.beginRequest({ clinicId, callId, requests });
    const { requestedAt } = await database.prisma.call.findUniqueOrThrow({ where: { id: callId } });
    await database.prisma.outreachPause.updateMany({ where: { clinicId }, data: { resumedAt: new Date() } });
    await database.prisma.call.updateMany({ where: { clinicId, state: { not: 'ENDED' } }, data: { state: 'ENDED' } });
    await database.prisma.lineTicket.deleteMany({ where: { clinicId } });
    return {
      kinds: [first.kind, second.kind, intent?.kind],
      // Both are rounded to the millisecond.
      isLate: (requestedAt?.getTime() ?? 0) > acknowledged.at + 1,
      isLateIntent: intent?.kind === 'reserved' && !acknowledged.isStored,
    };
  };
  const lane = async (index: number) => {
    const clinicId = await records.aClinic(`Lane ${index}`);
    const results: Awaited<ReturnType<typeof race>>[] = [];
    for (let n = index; n < RACES; n += LANES) results.push(await race(clinicId, n + Math.floor(n / LANES)));
    return results;
  };
  const results = (await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index)))).flat();

  expect(results).toHaveLength(RACES);
  expect(
    results.filter(({ kinds, isLate, isLateIntent }) => isLate || isLateIntent || kinds[1] !== 'withdrawn'),
  ).toEqual([]);
  // Both came first at times.
  expect(new Set(results.map(({ kinds }) => kinds[0]))).toEqual(new Set(['begun', 'withdrawn']));
  expect(new Set(results.map(({ kinds }) => kinds[2]))).toEqual(new Set(['reserved', 'queued', undefined]));
}, 1_800_000);
