import { openCase } from '../support/recovery-story';
import { openBench, type WorkflowBench } from '../support/workflow-bench';
import { recoveryStories } from './recovery-stories';

describe('a recovery', () => {
  recoveryStories({ isCached: true });
});

describe('a platform that is down for days', () => {
  let bench: WorkflowBench;
  beforeAll(async () => {
    bench = await openBench({ isCached: true });
  });
  afterAll(() => bench.close());

  test('costs no attempt; in the end staff are asked to look', async () => {
    const story = await openCase(bench, {
      calls: Array.from({ length: 61 }, () => ({ refused: 'call.start.error-vapifault' })),
    });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.tasks).toEqual(['platform_fault']);
    expect(story.endings[0]).toMatchObject({ status: 'completed' });
    expect(story.voice.dialled.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(hoursBetween(story.voice.dialled)).toBeGreaterThan(45);
    expect(hoursBetween(story.voice.dialled)).toBeLessThan(60);
  });
});

function hoursBetween(calls: { at: string }[]): number {
  return (Date.parse(calls.at(-1)!.at) - Date.parse(calls[0]!.at)) / 3_600_000;
}
