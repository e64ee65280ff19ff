import type { WorkflowHandle } from '@temporalio/client';
import { createPayloadCodec } from '@clinic/temporal/payload-codec';
import { callEnded, caseState, rulesChanged, testCallOpened } from '@clinic/workflows/messages';
import type { Known } from '@clinic/workflows/outreach/known';
import { eventually } from '../support/eventually';
import { recordHistory, testPayloadKeys } from '../support/histories';
import { agrees, doesNotAnswer, endsWith, openCase } from '../support/recovery-story';
import { openPatientRun } from '../support/run-story';
import { openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

/** Temporal suggests a new run after some thousand events; here, already after thirty. */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench({ longHistory: 30 });
});
afterAll(() => bench.close());

const refused = { refused: 'call.start.error-vapifault' };
const atOnce = { secondsBetweenAttempts: 0 };

async function runsOf(workflow: WorkflowHandle): Promise<WorkflowHandle[]> {
  const runs: WorkflowHandle[] = [];
  const { raw } = await workflow.describe();
  for (let runId = raw.workflowExecutionInfo?.firstRunId; runId;) {
    const run = bench.client.workflow.getHandle(workflow.workflowId, runId, { followRuns: false });
    runs.push(run);
    const { events } = await run.fetchHistory();
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return runs;
}

test('a case goes on in a new run where it stood: its attempts, its calls, what operators search by', async () => {
  // A second between calls begins a workflow task, which is told how long the history has become: one task can take all at once.
  const policy = { secondsBetweenAttempts: 1 };
  const story = await openCase(bench, { calls: [doesNotAnswer, doesNotAnswer, agrees], policy });

  expect(await story.outcome()).toBe('RECOVERED');
  const runs = await runsOf(story.workflow);
  expect(runs.length).toBeGreaterThan(1);
  expect(story.voice.dialled.map(({ attempt, dial }) => [attempt, dial])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  // Of its beginning and of its end.
  expect(story.log.filter((line) => line === 'told the clinic')).toHaveLength(2);
  const { typedSearchAttributes } = await story.workflow.describe();
  expect(Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))).toMatchObject({
    ClinicId: 'clinic-1',
    RecoveryCaseId: story.caseId,
    CaseStatus: 'RECOVERED',
  });
  await recordHistory(runs[0]!, 'abandonment-recovery/goes-on-in-a-new-run');
  await recordHistory(runs.at(-1)!, 'abandonment-recovery/went-on-in-a-new-run');
});

test('a new run remembers how earlier calls ended', async () => {
  const failed = endsWith('call.in-progress.error-providerfault-outbound-sip-failed-to-connect');
  const story = await openCase(bench, { calls: [failed, failed], policy: { secondsBetweenAttempts: 4 } });
  await eventually(() => story.voice.dialled.length === 1);
  await untilManyMessages(story.workflow);

  expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
  expect(story.tasks).toEqual(['bad_number']);
  expect((await runsOf(story.workflow)).length).toBeGreaterThan(1);
});

test('many messages that say nothing do no harm', async () => {
  const story = await openCase(bench, { calls: [agrees], policy: { firstCallDelaySeconds: 2 } });
  await untilWaiting(story.workflow);
  await untilManyMessages(story.workflow);

  expect(await story.outcome()).toBe('RECOVERED');
  expect((await runsOf(story.workflow)).length).toBeGreaterThan(1);
  expect(story.voice.dialled).toHaveLength(1);
});

describe('a new run knows what the earlier one knew', () => {
  test('of a recovery: how its calls went, why the patient stopped, that the form was completed', async () => {
    const story = await openCase(bench, {
      calls: [refused, doesNotAnswer, refused],
      policy: atOnce,
    });
    await eventually(() => story.voice.dialled.length === 3);
    story.voice.busy = Infinity;
    await untilManyMessages(story.workflow);

    const carried = await eventually(async () => {
      const latest = await carriedTo((await runsOf(story.workflow)).at(-1)!);
      return latest?.calls.dials === 3 && latest;
    });
    const { attempts } = await story.workflow.query(caseState);
    expect(attempts).toBe(1);
    expect(carried).toMatchObject({
      attempts: 1,
      lastAttemptEndedAt: expect.stringMatching(/Z$/) as string,
      faultsInARow: 1,
      calls: { dials: 3, endedReasons: [refused.refused, 'customer-did-not-answer', refused.refused] },
    });

    await story.complete();
    expect(await story.outcome()).toBe('ALREADY_COMPLETED');
  });

  test('that a test call is open, and since when a line is waited for', async () => {
    const story = await openCase(bench, { policy: atOnce });
    story.voice.busy = Infinity;
    await untilWaiting(story.workflow);
    await story.workflow.executeUpdate(testCallOpened, { args: [{ callId: 'test-1' }] });
    await untilManyMessages(story.workflow);
    // A run in line sleeps; what wakes it lets it go on in a new one.
    await story.workflow.signal(rulesChanged, {});
    await untilNewRun(story.workflow);

    const { status } = await story.workflow.query(caseState);
    const [, secondRun] = await runsOf(story.workflow);
    const { testCalls, dueAt } = (await carriedTo(secondRun!))!;
    expect({ status, testCalls }).toEqual({ status: 'CALLING', testCalls: ['test-1'] });
    expect(dueAt).toMatch(/Z$/);

    story.isInTestCall = true;
    await story.complete();
    await story.workflow.signal(callEnded, { callId: 'test-1', reason: 'closed', wasAnswered: true, isTest: true });
    expect(await story.outcome()).toBe('RECOVERED');
  });

  test("of a run: what its calls changed, and what the clinic's systems are still to be told", async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'payment-recovery',
      calls: [{ facts: ['documented'], reason: 'customer-did-not-answer' }, { facts: ['self_pay'] }],
      policy: { secondsBetweenAttempts: 3 },
      permitted: ['document.write'],
    });
    await eventually(() => story.voice.dialled.length === 1);
    await untilManyMessages(story.workflow);
    await untilNewRun(story.workflow);

    expect(await story.outcome()).toBe('SELF_PAY');
    const [, secondRun] = await runsOf(story.workflow);
    const notice = expect.objectContaining({ action: 'document.write' }) as object;
    expect(await carriedTo(secondRun!)).toMatchObject({ changes: ['documented'], untold: [notice], answered: [] });
    expect(story.told).toEqual([notice]);
  });
});

async function untilNewRun(workflow: WorkflowHandle): Promise<void> {
  await eventually(async () => (await runsOf(workflow)).length > 1, { within: 30_000, every: 100 });
}

/** What a run was given of the one before it. */
/** Undefined for a run that nothing was carried to: the first. */
async function carriedTo(run: WorkflowHandle): Promise<Known | undefined> {
  const { events } = await run.fetchHistory();
  const payloads = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  const [input] = await createPayloadCodec(testPayloadKeys).decode(payloads);
  return (JSON.parse(Buffer.from(input?.data ?? []).toString()) as { carried?: Known }).carried;
}

async function untilManyMessages(workflow: WorkflowHandle): Promise<void> {
  for (let count = 0; count < 50; count += 1) {
    await workflow.signal(callEnded, {
      callId: `unknown-${count}`,
      reason: 'voicemail',
      wasAnswered: false,
      isTest: false,
    });
  }
}
