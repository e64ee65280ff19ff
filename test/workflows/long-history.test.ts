import type { WorkflowHandle } from '@temporalio/client';
import { callEnded } from '@clinic/workflows/messages';
import { recordHistory } from '../support/histories';
import { agrees, doesNotAnswer, endsWith, openCase } from '../support/recovery-story';
import { openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

/** Temporal suggests a new run after some thousand events; here, already after forty. */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench({ isCached: false, longHistory: 40 });
});
afterAll(() => bench.close());

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
  const story = await openCase(bench, { calls: [doesNotAnswer, doesNotAnswer, agrees], policy: atOnce });

  expect(await story.outcome()).toBe('RECOVERED');
  const runs = await runsOf(story.workflow);
  expect(runs.length).toBeGreaterThan(1);
  expect(story.voice.dialled.map(({ attempt, dial }) => [attempt, dial])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  expect(story.log.filter((line) => line === 'told the clinic')).toHaveLength(1);
  const { typedSearchAttributes } = await story.workflow.describe();
  expect(Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]))).toMatchObject({
    ClinicId: 'clinic-1',
    RecoveryCaseId: story.endings[0]!.caseId,
    CaseStatus: 'RECOVERED',
  });
  await recordHistory(runs[0]!, 'abandonment-recovery/goes-on-in-a-new-run');
  await recordHistory(runs.at(-1)!, 'abandonment-recovery/went-on-in-a-new-run');
});

test('a new run remembers how earlier calls ended', async () => {
  const failed = endsWith('call.in-progress.error-providerfault-outbound-sip-failed-to-connect');
  const story = await openCase(bench, { calls: [failed, failed], policy: atOnce });
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

async function untilManyMessages(workflow: WorkflowHandle): Promise<void> {
  for (let count = 0; count < 50; count += 1) {
    await workflow.signal(callEnded, { callId: `unknown-${count}`, reason: 'voicemail', isTest: false });
  }
}
