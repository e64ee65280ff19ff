import type { Client } from '@temporalio/client';
import { createDispatcher } from '@clinic/api/dispatcher';
import type { Stores } from '@clinic/prisma/stores';
import { createLog } from '@clinic/shared/log';
import type { RunToStart } from '@clinic/temporal/start-options';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import { eventually } from '../../support/eventually';

interface Setting {
  /** Ids of messages that are stored. */
  stored?: string[];
  startRun?: WorkflowStarter['startRun'];
  /** How long a message takes to be told. */
  isTold?: () => Promise<void>;
}

const aRun: RunToStart = {
  clinicId: 'clinic',
  workflowId: 'run-1',
  workflowType: 'care-gap-follow-up',
  patientId: null,
  caseId: null,
  sessionId: 'session-1',
};

function openDispatcher({ stored = [], startRun = async () => undefined, isTold = async () => undefined }: Setting) {
  const seen = { told: [] as string[], sent: [] as string[], warned: [] as string[], deadlines: [] as number[] };
  const starter = {
    startRun,
    tell: async ({ id }: { id: string }) => {
      seen.told.push(id);
      await isTold();
    },
  } as unknown as WorkflowStarter;
  const stores = {
    longWork: {},
    runs: { areOpeningsWaiting: () => false, isOpen: async () => true, markDispatched: async () => undefined },
    messages: {
      find: async (id: string) => (stored.includes(id) ? { id } : null),
      markSent: async (id: string) => void seen.sent.push(id),
    },
  } as unknown as Pick<Stores, 'runs' | 'messages' | 'longWork'>;
  const client = {
    withDeadline: (deadline: number, work: () => Promise<void>) => {
      seen.deadlines.push(deadline - Date.now());
      return work();
    },
  } as unknown as Client;
  const log = createLog({ process: 'test', level: 'silent' });
  log.warn = (_about, text) => void seen.warned.push(text);
  return { ...seen, dispatcher: createDispatcher({ client, starter, stores, log }) };
}

/** Longer than anything in the queue takes here. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test('a message is told and then marked, so that the relay does not tell it again', async () => {
  const { dispatcher, told, sent } = openDispatcher({ stored: ['message-1'] });

  dispatcher.tell({ clinicId: 'clinic', messageId: 'message-1' });
  await settled();

  expect([told, sent]).toEqual([['message-1'], ['message-1']]);
});

test('a message that is gone, because it was told already, is no failure', async () => {
  const { dispatcher, told, warned } = openDispatcher({});

  dispatcher.tell({ clinicId: 'clinic', messageId: 'message-1' });
  await settled();

  expect([told, warned]).toEqual([[], []]);
});

test('a start that somebody waits for has a deadline, and is unavailable when it fails', async () => {
  const { dispatcher, deadlines } = openDispatcher({ startRun: () => Promise.reject(new Error('Temporal is down')) });

  await expect(dispatcher.startNow(aRun)).rejects.toMatchObject({ code: 'unavailable' });
  expect(deadlines).toHaveLength(1);
  expect(deadlines[0]).toBeLessThan(10_000);
});

test('of more than twenty thousand that wait, the rest is left to the relay', async () => {
  let letGo = () => undefined as void;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { dispatcher, told, sent } = openDispatcher({ stored: ['message-1'], isTold: () => held });

  for (let index = 0; index < 20_100; index += 1) dispatcher.tell({ clinicId: 'clinic', messageId: 'message-1' });
  await settled();
  const running = told.length;
  letGo();

  await eventually(() => sent.length >= 20_000 + running);
  await settled();
  expect(told).toHaveLength(20_000 + running);
});
