import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesChanged } from '@clinic/workflows/messages';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { eventually } from '../support/eventually';
import type { PlacedCall } from '../support/fake-voice';
import { openCase } from '../support/recovery-story';
import { hungUp, openPatientRun, type RunStory } from '../support/run-story';
import { testServers } from '../support/servers';
import { openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

/** A full server, which gives the work of a worker that has gone to the next. */
let bench: WorkflowBench;
const folders: string[] = [];
beforeAll(async () => {
  bench = await openBench({ longHistory: 1_000 });
});
afterAll(async () => {
  await bench.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test('a call that ends while no worker runs ends its run as soon as one does, of whatever type', async () => {
  const talking: PlacedCall[] = [];
  const staysOnTheLine = async (call: PlacedCall) => void talking.push(call);
  const setting = { calls: [staysOnTheLine], record: 'worker-away' };
  const types = workflowTypeNames.filter((type) => type !== 'abandonment-recovery');
  const runs = await Promise.all(types.map((workflowType) => openPatientRun(bench, { ...setting, workflowType })));
  const stories = [await openCase(bench, setting), ...runs];
  await eventually(() => talking.length === stories.length, { within: 30_000 });

  await bench.whileWorkerIsAway(async () => {
    for (const call of talking) await endCall(call, runs);
  });

  for (const story of stories) {
    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.voice.lookUps).toEqual([]);
    expect(story.voice.dialled).toHaveLength(1);
  }
});

test('a run that is told what only a newer release knows waits for a worker of it', async () => {
  const facts = { pause: { until: null } };
  const story = await openPatientRun(bench, { workflowType: 'payment-recovery', calls: [hungUp], facts });
  await untilWaiting(story.workflow);

  await bench.whileWorkerIsAway(async () => {
    story.facts.pause = null;
    await story.workflow.signal(rulesChanged, {});
    await eventually(async () => ((await story.workflow.describe()).raw.pendingWorkflowTask?.attempt ?? 0) > 1);
  }, earlierBundle('rulesChanged'));

  expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
}, 60_000);

/** The workflows of a release that did not know a message yet. */
function earlierBundle(message: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'clinic-earlier-'));
  folders.push(folder);
  const file = join(folder, 'workflows.js');
  writeFileSync(file, readFileSync(testServers().workflowBundle, 'utf8').replaceAll(message, `former${message}`));
  return file;
}

async function endCall({ callId, hangUp, workflow }: PlacedCall, runs: RunStory[]): Promise<void> {
  await hangUp('customer-ended-call');
  const run = runs.find(({ workflowId }) => workflowId === workflow.workflowId);
  await run?.talk(callId, { said: 'callback' });
}
