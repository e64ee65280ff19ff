import type { CallingPolicy } from '@clinic/shared/domain/calling-policy';
import { newId } from '@clinic/shared/crypto';
import { eventually } from '../../support/eventually';
import { openRecords, type OpenedRun, type Records } from '../../support/records';

/** `RACES=10000 npm test -- calling-rules` runs as many. */
const races = Number(process.env.RACES ?? 150);

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const pause = (clinicId: string | null, workflowType: string | null = null, endsAt: Date | null = null) =>
  records.database.prisma.outreachPause.create({
    data: { id: newId(), clinicId, workflowType, reason: 'a test', pausedBy: 'account:1', endsAt },
  });
const resumeAll = () => records.database.prisma.outreachPause.updateMany({ data: { resumedAt: new Date() } });
const optOut = ({ clinicId, phone }: OpenedRun, scope = 'all') =>
  records.database.prisma.optOut.create({ data: { id: newId(), clinicId, phone, scope } });

/** Dials: null where the request to the platform was begun, else why it was not. */
async function dial(run: OpenedRun): Promise<string | null> {
  const { clinicId } = run;
  const begun = await records.stores.calls.beginRequest({
    clinicId,
    callId: await records.aReservedCall(run),
    requests: 0,
  });
  return begun.kind === 'withdrawn' ? begun.because : null;
}

async function changePolicy(about: Partial<CallingPolicy>) {
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
      await pause(clinicId, type);
      expect(await dial(await records.aRun())).toBe(refusal);
      await resumeAll();
    }
  });

  test('that comes between the decision and the dial is stored as the rule that refused it, with what was looked at', async () => {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    await pause(run.clinicId);

    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });

    const stored = await records.database.prisma.callDecision.findMany({ where: { callId } });
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

describe('a stop that comes while a dial is beginning', () => {
  afterEach(resumeAll);

  const waitingForLocks = async () => {
    const waiting = await records.database.sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length;
  };
  const stops: [what: string, stop: (run: OpenedRun) => Promise<unknown>][] = [
    ['an opt-out', (run) => optOut(run)],
    ['a pause of the clinic', ({ clinicId }) => pause(clinicId)],
    ['a pause of everything', () => pause(null)],
  ];

  test.each(stops)('%s is acknowledged after the dial has begun', async (_what, stop) => {
    const { database, stores, clinicId } = records;
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    const order: string[] = [];

    const both = await database.transaction(async (tx) => {
      // Holds the dial where it has looked at the rules and not yet begun.
      await tx`select 1 from calls where id = ${callId} for update`;
      const dialling = stores.calls.beginRequest({ clinicId, callId, requests: 0 });
      await eventually(async () => (await waitingForLocks()) === 1);
      const stopping = stop(run).then(() => order.push('acknowledged'));
      await eventually(async () => (await waitingForLocks()) === 2, { within: 5_000 });
      order.push('begins');
      return [dialling, stopping] as const;
    });
    const [begun] = await Promise.all(both);

    expect(begun.kind).toBe('begun');
    expect(order).toEqual(['begins', 'acknowledged']);
  });
});

test('whoever has been told that a phone is not called, or that all is paused, sees no dial begin after it', async () => {
  const { database, stores, clinicId } = records;
  let late = 0;
  for (let race = 0; race < races; race += 1) {
    const run = await records.aRun();
    const callId = await records.aReservedCall(run);
    const stop = race % 2 === 0 ? () => optOut(run) : () => pause(run.clinicId);
    const [acknowledged] = await Promise.all([
      stop().then(() => database.sql<{ at: Date }>`select clock_timestamp() as at`),
      stores.calls.beginRequest({ clinicId, callId, requests: 0 }),
    ]);
    const { requestedAt } = await database.prisma.call.findUniqueOrThrow({ where: { id: callId } });
    if (requestedAt !== null && requestedAt > (acknowledged[0]?.at ?? requestedAt)) late += 1;
    await stores.calls.close({ clinicId, callId, reason: 'test' });
    await resumeAll();
  }
  expect(late).toBe(0);
}, 600_000);
