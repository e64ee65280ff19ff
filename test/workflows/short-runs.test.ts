import { agrees, openCase } from '../support/recovery-story';
import { openBench, type WorkflowBench } from '../support/workflow-bench';

/** Here Temporal suggests a new run after twenty events, so a case goes on in a new one after each fault or two. */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench({ longHistory: 20 });
});
afterAll(() => bench.close());

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
