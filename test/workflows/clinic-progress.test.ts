import { ApplicationFailure } from '@temporalio/common';
import { doesNotAnswer, agrees, openCase } from '../support/recovery-story';
import { openBench, type WorkflowBench } from '../support/workflow-bench';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const recovery = { hasProgressApi: true };

describe("the clinic's own word on the form", () => {
  test('that it is completed ends the case without a call', async () => {
    const story = await openCase(bench, {
      recovery,
      fakes: { checkFormProgress: async () => ({ isCompleted: true }) },
    });

    expect(await story.outcome()).toBe('ALREADY_COMPLETED');
    expect(story.voice.dialled).toEqual([]);
  });

  test('is asked for before each call, and not while the case waits', async () => {
    const asked: string[] = [];
    const story = await openCase(bench, {
      recovery,
      calls: [doesNotAnswer, agrees],
      policy: { firstCallDelaySeconds: 3_600 },
      fakes: {
        async checkFormProgress({ caseId }) {
          asked.push(caseId);
          return { isCompleted: false };
        },
      },
    });

    expect(await story.outcome()).toBe('RECOVERED');
    expect(asked).toEqual([story.caseId, story.caseId]);
  });

  test('that does not come is not asked for twice, and holds no call back', async () => {
    let asked = 0;
    const story = await openCase(bench, {
      recovery,
      calls: [agrees],
      fakes: {
        checkFormProgress() {
          asked += 1;
          return Promise.reject(ApplicationFailure.retryable('the API is down', 'unavailable'));
        },
      },
    });

    expect(await story.outcome()).toBe('RECOVERED');
    expect(asked).toBe(1);
  });

  test('is not asked for where the clinic has not permitted it', async () => {
    let asked = 0;
    const story = await openCase(bench, {
      calls: [agrees],
      fakes: {
        async checkFormProgress() {
          asked += 1;
          return { isCompleted: true };
        },
      },
    });

    expect(await story.outcome()).toBe('RECOVERED');
    expect(asked).toBe(0);
  });
});
