import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { beginAnew, KEEPS_FAILING, stuckByClinic } from '@clinic/temporal/stuck-workflows';
import { searchAttributes } from '@clinic/workflows/ids';

/** A Temporal that lists workflows of these clinics, null for those of none, and then answers no more where it `breaks`. */
function temporal(clinics: (string | null)[], breaks = false) {
  const queries: unknown[] = [];
  const deadlines: number[] = [];
  async function* list({ query }: { query: string }) {
    queries.push(query);
    for (const [index, clinicId] of clinics.entries()) {
      const known = clinicId === null ? [] : [{ key: searchAttributes.clinic, value: clinicId }];
      yield { workflowId: `w${index}`, typedSearchAttributes: new TypedSearchAttributes(known) };
    }
    if (breaks) throw new Error('deadline exceeded');
  }
  const withDeadline = (deadline: number, work: () => Promise<void>) => {
    deadlines.push(deadline - Date.now());
    return work();
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked of Temporal
  return { queries, deadlines, client: { workflow: { list }, withDeadline } as unknown as Client };
}

const many = (count: number, clinicId: string | null = 'a') => Array.from({ length: count }, () => clinicId);

test.each<[string, (string | null)[], Record<string, number>]>([
  ['none', [], {}],
  ['some of two clinics, and one of none', ['a', 'b', null, 'a'], { a: 2, b: 1 }],
  ['999 and one more', [...many(999), 'b'], { a: 999, b: 1 }],
  ['1000 and one more', [...many(1_000), 'b'], { a: 1_000 }],
  ['500 of no clinic and 501 of one', [...many(500, null), ...many(501)], { a: 500 }],
])('of workflows that keep failing there are %s: they are counted by clinic, a thousand of them', async (...row) => {
  const [, clinics, counts] = row;
  const { client, queries, deadlines } = temporal(clinics);

  expect(await stuckByClinic(client)).toEqual(new Map(Object.entries(counts)));
  expect(queries).toEqual([`ExecutionStatus = 'Running' AND ${KEEPS_FAILING}`]);
  const [deadline = 0] = deadlines;
  expect(deadline > 0 && deadline <= 3_000).toBe(true);
});

test('where Temporal ends its answer too early nothing is told of them', async () => {
  expect(await stuckByClinic(temporal(['a', 'b'], true).client)).toBeNull();
});

test.each<
  [what: string, isAnew: boolean, about: { attempt?: number; firstRunId?: string; ageMs?: number; events?: object[] }]
>([
  ['whose task has failed three times', true, {}],
  ['whose task has failed twice', false, { attempt: 2 }],
  ['that began anew an hour ago', true, { firstRunId: 'another', ageMs: 3_600_001 }],
  ['that began anew within the hour', false, { firstRunId: 'another' }],
  ['that has not finished a task', false, { events: [{ eventId: 3 }] }],
])('a workflow %s begins anew: %s', async (_what, isAnew, about) => {
  const finished = [{ eventId: 3 }, { eventId: 4, workflowTaskCompletedEventAttributes: {} }];
  const { attempt = 3, firstRunId = 'run-1', ageMs = 0, events = finished } = about;
  const described = {
    raw: { pendingWorkflowTask: { attempt }, workflowExecutionInfo: { firstRunId } },
    runId: 'run-1',
    startTime: new Date(Date.now() - ageMs),
  };
  const reset = jest.fn(async (_asked: { workflowTaskFinishEventId: number }) => undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked of Temporal
  const client = {
    options: { namespace: 'default' },
    workflow: { getHandle: () => ({ describe: async () => described }) },
    workflowService: {
      getWorkflowExecutionHistory: async () => ({ history: { events } }),
      resetWorkflowExecution: reset,
    },
  } as unknown as Client;

  expect(await beginAnew(client, 'workflow-1')).toBe(isAnew);
  expect(reset.mock.calls.map(([asked]) => asked.workflowTaskFinishEventId)).toEqual(isAnew ? [4] : []);
});
