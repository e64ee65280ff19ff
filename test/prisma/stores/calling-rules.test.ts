import { checkDial } from '@clinic/prisma/stores/calling-rules';
import type { CallingPolicy } from '@clinic/shared/domain/calling-policy';
import { newId } from '@clinic/shared/crypto';
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
const check = (run: OpenedRun) => records.database.transaction((tx) => checkDial(tx, run));
const refusalOf = async (run: OpenedRun) => (await check(run)).refusal;

async function changePolicy(about: Partial<CallingPolicy>) {
  const { stores, clinicId } = records;
  await stores.clinics.setPolicy(clinicId, { ...(await stores.clinics.policy(clinicId)), ...about });
}

describe('a pause', () => {
  afterEach(resumeAll);

  test('of everything, of the clinic, or of the type forbids the dial; one of others does not', async () => {
    const run = await records.aRun();
    expect(await refusalOf(run)).toBeNull();

    for (const [clinicId, type, refusal] of [
      [null, null, 'paused'],
      [run.clinicId, null, 'paused'],
      [run.clinicId, 'care-gap-follow-up', 'paused'],
      [run.clinicId, 'payment-recovery', null],
      [records.otherClinicId, null, null],
    ] as const) {
      await pause(clinicId, type);
      expect(await refusalOf(run)).toBe(refusal);
      await resumeAll();
    }
  });

  test('ends at its time', async () => {
    const run = await records.aRun();
    await pause(run.clinicId, null, new Date(Date.now() - 1_000));

    expect(await refusalOf(run)).toBeNull();
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

    expect(await refusalOf(run)).toBe('opted_out');
    expect(await refusalOf(await records.aRun())).toBeNull();
  });

  test('of recovery and reminders leaves the other calls', async () => {
    const run = await records.aRun();
    await optOut(run, 'recovery_and_reminders');

    expect(await refusalOf(run)).toBe('opted_out');
    expect(await refusalOf({ ...run, workflowType: 'payment-recovery' })).toBeNull();
  });
});

describe('the hours', () => {
  test('of the clinic hold in the moment of the dial', async () => {
    const run = await records.aRun();
    const { callingHours } = await records.stores.clinics.policy(run.clinicId);
    await changePolicy({ callingHours: {} });

    expect(await refusalOf(run)).toBe('outside_hours');

    await changePolicy({ callingHours });
  });

  test('of the patient hold for a clinic whose phones ring, and tell the zones that they come from', async () => {
    const run = await records.aRun({ phone: '+12125550100' });
    expect((await check(run)).inputs?.patientZones).toEqual([]);

    await records.database.prisma.clinic.update({ where: { id: run.clinicId }, data: { voiceProvider: 'vapi' } });
    const { inputs, refusal } = await check(run);
    await records.database.prisma.clinic.update({ where: { id: run.clinicId }, data: { voiceProvider: 'simulator' } });

    expect(inputs?.patientZones).toEqual(['America/New_York']);
    const hour = Number(
      new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', hour: 'numeric', hourCycle: 'h23' }).format(),
    );
    expect(refusal).toBe(hour >= 8 && hour < 20 ? null : 'outside_hours');
  });
});

/** A dial that reads the rules, takes its time, and then marks that it has begun. */
async function dial(run: OpenedRun, waitMs: number): Promise<number | null> {
  return records.database.transaction(async (tx) => {
    const { refusal } = await checkDial(tx, run);
    if (refusal !== null) return null;
    await tx`select pg_sleep(${waitMs / 1_000}::float)::text`;
    return Date.now();
  });
}

test('whoever has been told that a phone is not called, or that all is paused, sees no dial begin after it', async () => {
  let late = 0;
  for (let race = 0; race < races; race += 1) {
    const run = await records.aRun();
    const stop = race % 2 === 0 ? () => optOut(run) : () => pause(run.clinicId);
    const [begun, acknowledged] = await Promise.all([
      Promise.all([0, 2, 4].map((waitMs) => dial(run, waitMs))),
      stop().then(() => Date.now()),
    ]);
    if (begun.some((at) => at !== null && at > acknowledged)) late += 1;
    expect(await refusalOf(run)).not.toBeNull();
    await resumeAll();
  }
  expect(late).toBe(0);
}, 600_000);
