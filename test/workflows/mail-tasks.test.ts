import { TASK_QUEUE } from '@clinic/workflows/ids';
import { recordHistory } from '../support/histories';
import { openBench, type WorkflowBench } from '../support/workflow-bench';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

let started = 0;

async function mailingTo(people: string[], isTaken: (accountId: string, tries: number) => boolean = () => true) {
  const workflowId = `mail-tasks-${(started += 1)}`;
  const mailed: string[] = [];
  bench.fake(workflowId, {
    peopleToMail: async ({ after, limit }) => people.filter((each) => each > after).slice(0, limit),
    async mailNewTasks({ accountId }) {
      mailed.push(accountId);
      if (!isTaken(accountId, mailed.filter((each) => each === accountId).length)) throw new Error('cut off');
    },
  });
  const workflow = await bench.client.workflow.start('mailTasks', { workflowId, taskQueue: TASK_QUEUE });
  await bench.result(workflow);
  return { workflow, mailed };
}

test('everybody who is due is mailed, some at once, and who stays due is not mailed twice in a run', async () => {
  const people = Array.from({ length: 40 }, (_each, index) => `account-${10 + index}`);

  const { workflow, mailed } = await mailingTo(people);

  expect(mailed.toSorted()).toEqual(people);
  await recordHistory(workflow, 'mail-tasks/many');
});

test('nobody is due: it ends at once', async () => {
  const { workflow, mailed } = await mailingTo([]);

  expect(mailed).toEqual([]);
  await recordHistory(workflow, 'mail-tasks/nobody');
});

test('a mail whose step was cut off is tried again, and the others are not', async () => {
  const { mailed } = await mailingTo(['account-1', 'account-2'], (id, tries) => id !== 'account-1' || tries === 2);

  expect(mailed.toSorted()).toEqual(['account-1', 'account-1', 'account-2']);
});
