import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { type Activities, createActivities } from '@clinic/activities/index';
import type { PlaceCall, PlacedCall, VoiceGateway } from '@clinic/gateways/voice/port';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { createLog } from '@clinic/shared/log';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { createWorker } from '@clinic/worker/create-worker';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { openRecords, type OpenedRun, type Records } from '../support/records';
import { testServers } from '../support/servers';
import { freshNamespace, temporalAddress } from '../support/temporal';
import { quietenTemporal } from '../support/workflow-bench';

/** Runs over the real records, whose workflows Temporal loses: each house is a Temporal that knows of nothing. */
let records: Records;
let connection: NativeConnection;
const houses: (() => Promise<void>)[] = [];
beforeAll(async () => {
  quietenTemporal();
  records = await openRecords();
  connection = await NativeConnection.connect({ address: temporalAddress() });
});
afterAll(async () => {
  for (const close of houses) await close();
  await connection.close();
  await records.close();
});

const placedCalls: PlaceCall[] = [];
let reply: (call: PlaceCall) => PlacedCall;
beforeEach(() => {
  placedCalls.length = 0;
  reply = ({ callId }) => ({ kind: 'placed', platformCallId: `platform-${callId}` });
});
const gateway: VoiceGateway = {
  account: 'the account',
  settleMs: 180_000,
  async place(call) {
    placedCalls.push(call);
    return reply(call);
  },
  findByIntent: async () => null,
  lookUp: async () => ({ state: 'IN_PROGRESS', endedReason: null }),
};

const unused = new Proxy({}, { get: () => () => Promise.reject(new Error('not of this test')) });
const activitiesOf = (): Activities => ({
  ...createActivities({
    stores: records.stores,
    voice: () => gateway,
    publicUrl: 'https://service.example',
    log: createLog({ process: 'test', level: 'silent' }),
    ...unused,
  } as unknown as Parameters<typeof createActivities>[0]),
  sendAtOnce: async () => undefined,
});

/** A Temporal with a worker. `tell` gives it what the records have for its workflows; `lose` ends it for ever. */
async function aHouse() {
  const namespace = await freshNamespace();
  const client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  const { workflowBundle } = testServers();
  const setup = { connection, namespace, payloadKeys: testPayloadKeys, workflowBundle };
  const worker = await createWorker({ ...setup, activities: activitiesOf() });
  const running = worker.run();
  let isOpen = true;
  const lose = async () => {
    if (!isOpen) return;
    isOpen = false;
    worker.shutdown();
    await running;
  };
  houses.push(lose);
  const starter = createWorkflowStarter(client, testPayloadKeys);
  return {
    lose,
    async start(run: OpenedRun) {
      await starter.startRun(run);
      await records.stores.runs.markDispatched([run.workflowId]);
      return client.workflow.getHandle(run.workflowId);
    },
    /** Reports are stored in their order, then the workflow is told of them. */
    async report(callId: string, ...reports: object[]) {
      const { platformCallId } = await storedCall(callId);
      const about = { platformCallId: platformCallId ?? '', intentId: null, state: null, endedReason: null };
      const messageIds: string[] = [];
      for (const report of reports) {
        const heard = await records.stores.calls.report({ ...about, summary: null, ...report });
        messageIds.push(...(heard?.messageIds ?? []));
      }
      for (const id of messageIds) {
        const message = await records.stores.messages.find(id);
        if (message) await starter.tell(message);
        await records.stores.messages.markSent(id);
      }
    },
  };
}

const storedCall = (id: string) => records.database.prisma.call.findUniqueOrThrow({ where: { id } });
const callsOf = ({ workflowId }: OpenedRun) =>
  records.database.prisma.call.findMany({ where: { workflowId }, orderBy: { dial: 'asc' } });
const stored = (run: OpenedRun) => records.stores.runs.find(run.clinicId, run.workflowId);

/** The default limits, so that a patient has one call a day; calls at once. */
async function aClinic() {
  const clinicId = await records.aClinic();
  await records.database.sql`
    update calling_policies set first_call_delay_seconds = 0, seconds_between_attempts = 0,
      calls_per_patient_per_day = ${defaultCallingPolicy.callsPerPatientPerDay} where clinic_id = ${clinicId}`;
  return clinicId;
}

const answered = { state: 'IN_PROGRESS' } as const;
const confirmed = { state: 'ENDED', endedReason: 'assistant-ended-call', analysis: { said: 'confirmed' } } as const;

/** The patient is on the phone when Temporal is lost; another one then goes on with the run. */
async function lostInCall(run: OpenedRun, inCall: (callId: string) => Promise<unknown> = async () => undefined) {
  const before = await aHouse();
  await before.start(run);
  const { callId } = await eventually(async () => placedCalls[0] ?? null, { within: 30_000 });
  await eventually(async () => (await storedCall(callId)).platformCallId);
  await before.report(callId, answered);
  await inCall(callId);
  await before.lose();
  const after = await aHouse();
  const workflow = await after.start(run);
  return { after, workflow, callId };
}

/** Until the workflow waits for something that only time or a message brings. */
const untilQuiet = async (historyLength: () => Promise<number>) => {
  let last = -1;
  await eventually(
    async () => {
      const now = await historyLength();
      const isQuiet = now > 4 && now === last;
      last = now;
      return isQuiet;
    },
    { within: 30_000, every: 1_000 },
  );
};

test('a run that is lost in the middle of a call, under a limit of one call a day, stays in the call and ends as the patient says', async () => {
  const run = await records.aRun({ clinicId: await aClinic(), workflowType: 'appointment-confirmation' });
  const { after, workflow, callId } = await lostInCall(run);
  await untilQuiet(async () => (await workflow.describe()).historyLength);
  const meanwhile = await stored(run);

  await after.report(callId, confirmed);

  expect(meanwhile).toMatchObject({ status: 'started', outcome: null });
  expect(await workflow.result()).toBe('CONFIRMED');
  expect(await stored(run)).toMatchObject({ status: 'completed', outcome: 'CONFIRMED' });
  expect(placedCalls).toHaveLength(1);
}, 90_000);

test('a case that is lost in the middle of a call does not stay CALLING: its call is over, and it waits for the next', async () => {
  const clinicId = await aClinic();
  const run = await records.aCase({ clinicId });
  const { after, workflow, callId } = await lostInCall(run);
  await untilQuiet(async () => (await workflow.describe()).historyLength);
  const during = await records.stores.cases.find(clinicId, run.caseId ?? '');

  await after.report(callId, { state: 'ENDED', endedReason: 'voicemail' });

  expect(during?.status).toBe('CALLING');
  await eventually(async () => (await records.stores.cases.find(clinicId, run.caseId ?? ''))?.status === 'PENDING', {
    within: 20_000,
  });
  expect((await callsOf(run)).map(({ attempt, endedReason }) => [attempt, endedReason])).toEqual([[1, 'voicemail']]);
  await workflow.terminate();
}, 90_000);

test('a form that is completed in a call is recovered by it, though the run is lost before the call ends', async () => {
  const run = await records.aCase({ clinicId: await aClinic() });
  const { clinicId, sessionId } = run;
  const { after, workflow, callId } = await lostInCall(run, async () =>
    records.stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: {} }),
  );

  await after.report(callId, { state: 'ENDED', endedReason: 'customer-ended-call' });

  expect(await workflow.result()).toBe('RECOVERED');
}, 90_000);

test('a form that is completed in a call is recovered by it, though the run is lost before and after its end', async () => {
  const run = await records.aCase({ clinicId: await aClinic() });
  const { clinicId, sessionId } = run;
  const { workflow } = await lostInCall(run, async (callId) => {
    await records.stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: {} });
    await records.stores.calls.close({ clinicId, callId, reason: 'customer-ended-call' });
  });

  expect(await workflow.result()).toBe('RECOVERED');
}, 90_000);

test('a call that failed is no fault where the platform tells later that somebody had talked in it: it was the attempt', async () => {
  const clinicId = await aClinic();
  await records.database.sql`
    update calling_policies set max_attempts = 1, calls_per_patient_per_day = null where clinic_id = ${clinicId}`;
  const run = await records.aRun({ clinicId, workflowType: 'appointment-confirmation' });
  const house = await aHouse();
  const workflow = await house.start(run);
  const { callId } = await eventually(async () => placedCalls[0] ?? null, { within: 30_000 });
  await eventually(async () => (await storedCall(callId)).platformCallId);
  await records.database.sql`update calls set requested_at = now() - interval '1 minute' where id = ${callId}`;
  const endedAt = new Date(Date.now() - 30_000).toISOString();
  const failed = { state: 'ENDED', endedReason: 'pipeline-error-openai-llm-failed', endedAt } as const;

  await house.report(callId, failed, { ...failed, evidence: { transcript: 'User: Hello?' } });

  await eventually(async () => placedCalls[1] ?? ((await stored(run))?.outcome ? true : null), { within: 30_000 });
  expect(placedCalls).toHaveLength(1);
  expect(await workflow.result()).toBe('PATIENT_NOT_REACHED');
}, 90_000);

test('a run that begins anew does not wait again for what the platform refused long ago', async () => {
  const run = await records.aRun({ clinicId: await aClinic(), workflowType: 'appointment-confirmation' });
  for (let dial = 1; dial <= 7; dial += 1) {
    const callId = await records.aReservedCall(run, { attempt: 1, dial });
    await records.stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    await records.stores.calls.close({ clinicId: run.clinicId, callId, reason: 'call.start.error-vapifault' });
  }
  await records.database.sql`
    update calls set ended_at = ended_at - interval '5 minutes' where workflow_id = ${run.workflowId}`;
  const house = await aHouse();
  const startedAt = Date.now();

  const workflow = await house.start(run);
  const placed = await eventually(async () => placedCalls[0] ?? null, { within: 80_000 });

  expect(placed).toMatchObject({ attempt: 1, earlierFaults: 7 });
  expect(Date.now() - startedAt).toBeLessThan(15_000);
  await workflow.terminate();
}, 120_000);

test('and leaves them to staff where they have been too many, without ringing once more', async () => {
  const run = await records.aRun({ clinicId: await aClinic(), workflowType: 'appointment-confirmation' });
  await records.database.sql`
    insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, direction, phone, attempt, dial, state, requested_at,
      requests, ended_at, ended_reason)
    select ${run.workflowId} || n, ${run.clinicId}, ${run.patientId}, ${run.workflowType}, ${run.workflowId}, 'outbound', ${run.phone}, 1,
      n, 'ENDED', now() - interval '1 day', 1, now() - interval '1 day', 'call.start.error-vapifault'
    from generate_series(1, 61) n`;

  const workflow = await (await aHouse()).start(run);

  expect(await workflow.result()).toBe('FOLLOW_UP_REQUIRED');
  expect(placedCalls).toEqual([]);
  const tasks = await records.database.prisma.staffTask.findMany({ where: { workflowId: run.workflowId } });
  expect(tasks.map(({ reason }) => reason)).toContain('platform_fault');
}, 90_000);

test('a run that stands in line keeps its place when Temporal loses it, also where a line was given to it in vain', async () => {
  const clinicId = await aClinic();
  await records.database.sql`update calling_policies set max_concurrent_calls = 1 where clinic_id = ${clinicId}`;
  const [holder, first] = [await records.aRun({ clinicId }), await records.aRun({ clinicId })];
  const held = await records.aReservedCall(holder, { maxConcurrentCalls: 1 });
  const before = await aHouse();
  await before.start(first);
  const ticketOf = (run: OpenedRun) =>
    records.database.prisma.lineTicket.findUnique({ where: { workflowId: run.workflowId } });
  const { dueAt } = await eventually(async () => (await ticketOf(first)) ?? null, { within: 30_000 });
  await before.lose();
  // While Temporal is away the line gets free and is granted to the lost run, which does not take it.
  await records.stores.calls.close({ clinicId, callId: held, reason: 'voicemail' });
  await records.database
    .sql`update line_tickets set granted_at = granted_at - interval '61 seconds' where clinic_id = ${clinicId}`;
  await records.stores.lines.sweep();
  const next = await records.aRun({ clinicId });
  const another = await records.aReservedCall(next, { maxConcurrentCalls: 1 });

  const workflow = await (await aHouse()).start(first);
  await eventually(async () => (await workflow.describe()).historyLength > 3, { within: 30_000 });
  await untilQuiet(async () => (await workflow.describe()).historyLength);

  expect((await ticketOf(first))?.dueAt).toEqual(dueAt);
  expect(await storedCall(another)).toMatchObject({ state: 'QUEUED' });
  await workflow.terminate();
}, 120_000);
