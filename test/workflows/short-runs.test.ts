import { agrees, openCase, type RecoveryStory } from '../support/recovery-story';
import { openBench, type WorkflowBench } from '../support/workflow-bench';

/** Here Temporal suggests a new run after twenty events, so a case goes on in a new one after each fault or two. */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench({ longHistory: 20 });
});
afterAll(() => bench.close());

const runIdOf = async ({ workflow }: RecoveryStory) => (await workflow.describe()).runId;

const refused = { refused: 'call.start.error-vapifault' };
const secondsBetween = (from: string | undefined, to: string | undefined) =>
  (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;

test('faults in a row are counted over new runs: each wait is longer than the last', async () => {
  const story = await openCase(bench, { calls: [refused, refused, refused, agrees] });

  expect(await story.outcome()).toBe('RECOVERED');
  const { dialled } = story.voice;
  expect(dialled.map(({ attempt, dial }) => [attempt, dial])).toEqual([
    [1, 1],
    [1, 2],
    [1, 3],
    [1, 4],
  ]);
  expect(secondsBetween(dialled[2]?.at, dialled[3]?.at)).toBeGreaterThanOrEqual(4);
});

test('a run that waits for a line keeps its place over new runs', async () => {
  const story = await openCase(bench, { calls: [agrees], policy: { firstCallDelaySeconds: 2 } });
  story.voice.busy = 6;
  const firstRunId = await runIdOf(story);

  expect(await story.outcome()).toBe('RECOVERED');
  expect(await runIdOf(story)).not.toBe(firstRunId);
  const { dueTimes } = story.voice;
  expect(dueTimes).toHaveLength(7);
  expect(dueTimes).toEqual(dueTimes.map(() => dueTimes[0]));
});
