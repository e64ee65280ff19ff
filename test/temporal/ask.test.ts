import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { createLog } from '@clinic/shared/log';
import { createAsk } from '@clinic/temporal/ask';
import { cancelRun } from '@clinic/workflows/messages';

/** A client whose workflow replies as given; what was sent to it. */
function askingOf(reply: () => Promise<unknown>) {
  const sent: { updateId?: string }[] = [];
  const deadlines: number[] = [];
  const executeUpdate = (_update: unknown, options: { updateId?: string }) => {
    sent.push(options);
    return reply();
  };
  const client = {
    withDeadline: (deadline: number, work: () => unknown) => {
      deadlines.push(deadline);
      return work();
    },
    workflow: { getHandle: () => ({ executeUpdate }) },
  } as unknown as Client;
  const log = createLog({ process: 'test', level: 'silent' });
  return { ask: createAsk({ client, log }), sent, deadlines };
}

test('an update that is done gives its result, and is sent under the id given', async () => {
  const { ask, sent, deadlines } = askingOf(async () => 'a result');

  expect(await ask('run-1', cancelRun, { id: 'ask-1', args: [{ by: 'account:a' }] })).toEqual({
    kind: 'done',
    result: 'a result',
  });

  expect(sent).toEqual([{ updateId: 'ask-1', args: [{ by: 'account:a' }] }]);
  const waitsMs = (deadlines[0] ?? 0) - Date.now();
  expect(waitsMs).toBeGreaterThan(5_000);
  expect(waitsMs).toBeLessThanOrEqual(7_000);
});

test('a refusal gives the type that the workflow named', async () => {
  const refusal = ApplicationFailure.nonRetryable('the workflow has ended', 'already_ended');
  const { ask } = askingOf(() => Promise.reject(new WorkflowUpdateFailedError('refused', refusal)));

  expect(await ask('run-1', cancelRun, { id: 'ask-1', args: [{ by: 'account:a' }] })).toEqual({
    kind: 'refused',
    type: 'already_ended',
  });
});

test('a workflow that is over is not running', async () => {
  const { ask } = askingOf(() => Promise.reject(new WorkflowNotFoundError('not found', 'run-1', undefined)));

  expect(await ask('run-1', cancelRun, { id: 'ask-1', args: [{ by: 'account:a' }] })).toEqual({ kind: 'not_running' });
});

test('no reply in time is unavailable', async () => {
  const { ask } = askingOf(() => Promise.reject(new Error('4 DEADLINE_EXCEEDED')));

  await expect(ask('run-1', cancelRun, { id: 'ask-1', args: [{ by: 'account:a' }] })).rejects.toMatchObject({
    code: 'unavailable',
  });
});
