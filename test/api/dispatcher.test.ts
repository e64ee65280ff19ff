import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { createDispatcher } from '@clinic/api/dispatcher';
import type { Stores } from '@clinic/prisma/stores';
import { assertHeld, whileHeld } from '@clinic/prisma/while-held';
import { createLog } from '@clinic/shared/log';
import type { RunToStart } from '@clinic/temporal/start-options';
import type { WorkflowStarter } from '@clinic/temporal/starter';
import type { Client } from '@temporalio/client';
import { eventually } from '../support/eventually';

const aRun = (index: number, clinicId = 'clinic'): RunToStart => ({
  clinicId,
  workflowId: `run-${index}`,
  workflowType: 'care-gap-follow-up',
  patientId: null,
  caseId: null,
  sessionId: `session-${index}`,
});

/** A dispatcher whose starts last until they are let go. */
function heldDispatcher() {
  const begun: string[] = [];
  const told: string[] = [];
  const marked: string[] = [];
  const over = new Set<string>();
  const works: string[] = [];
  const woken: object[] = [];
  const openings = { areWaiting: false };
  const held = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const starter = {
    startRun: ({ workflowId }: RunToStart) =>
      new Promise<void>((resolve, reject) => {
        begun.push(workflowId);
        held.set(workflowId, { resolve, reject });
      }),
    tell: async ({ id }: { id: string }) => void told.push(id),
    startWork: ({ id }: { id: string }) => {
      works.push(`start ${id}`);
      return id === 'broken' ? Promise.reject(new Error('Temporal is down')) : Promise.resolve();
    },
    wakeDeliveries: async (owner: object) => void woken.push(owner),
  } as unknown as WorkflowStarter;
  const stores = {
    longWork: { markDispatched: async ({ id }: { id: string }) => void works.push(`mark ${id}`) },
    messages: { find: async (id: string) => ({ id }), markSent: async () => undefined },
    runs: {
      areOpeningsWaiting: () => openings.areWaiting,
      isOpen: async (_clinicId: string, id: string) => {
        assertHeld();
        return !over.has(id);
      },
      markDispatched: async (ids: string[]) => {
        assertHeld();
        marked.push(...ids);
      },
    },
  } as unknown as Pick<Stores, 'runs' | 'messages' | 'longWork'>;
  const log = createLog({ process: 'test', level: 'silent' });
  return {
    begun,
    told,
    marked,
    over,
    works,
    woken,
    openings,
    held,
    dispatcher: createDispatcher({ client: {} as Client, starter, stores, log }),
  };
}

test('a few runs are started at the same time', () => {
  const { dispatcher, begun } = heldDispatcher();

  for (let index = 0; index < 5; index += 1) dispatcher.dispatch(aRun(index));

  expect(begun).toHaveLength(5);
});

test('what is started after the run of a request is started, though the time of that is over under its Idempotency-Key', async () => {
  const { dispatcher, marked, held } = heldDispatcher();
  const dispatch = async (from: number) => {
    for (let index = from; index < from + 20; index += 1) dispatcher.dispatch(aRun(index));
    // Longer than a burst.
    await delay(120);
  };
  await whileHeld(Date.now() + 50, () => dispatch(0));
  await dispatch(20);

  for (const turn of [32, 40]) {
    for (const { resolve } of held.values()) resolve();
    await eventually(() => marked.length === turn, { within: 5_000 });
  }
});

test('while many arrive none is started, so that accepting them comes first, and many at once as soon as the burst is over', async () => {
  const { dispatcher, begun, held } = heldDispatcher();
  for (let index = 0; index < 60; index += 1) dispatcher.dispatch(aRun(index));
  const beforeTheBurstWasSeen = begun.length;
  for (const { resolve } of held.values()) resolve();
  await setImmediate();
  const duringTheBurst = begun.length - beforeTheBurstWasSeen;

  await eventually(() => begun.length > beforeTheBurstWasSeen + 20);

  expect(beforeTheBurstWasSeen).toBe(23);
  expect(duringTheBurst).toBe(0);
});

test('of one client that sends the next when it has its answer, every run is started at once', async () => {
  const { dispatcher, begun } = heldDispatcher();
  for (let index = 0; index < 30; index += 1) {
    dispatcher.dispatch(aRun(index));
    await delay(6);
  }

  expect(begun).toHaveLength(30);
});

test('none is started while what opens runs waits for its commit, however few have arrived', async () => {
  const { dispatcher, begun, openings } = heldDispatcher();
  openings.areWaiting = true;
  dispatcher.dispatch(aRun(1));
  const meanwhile = [...begun];
  openings.areWaiting = false;

  await eventually(() => begun.includes('run-1'));

  expect(meanwhile).toEqual([]);
});

test('a run that ended while its start was queued, as before an erasure, is not started', async () => {
  const { dispatcher, begun, held, over } = heldDispatcher();
  for (let index = 0; index < 30; index += 1) dispatcher.dispatch(aRun(index));
  over.add('run-25');
  for (const { resolve } of held.values()) resolve();

  await eventually(() => {
    for (const { resolve } of held.values()) resolve();
    return begun.includes('run-29');
  });

  expect(begun).not.toContain('run-25');
});

test('in a burst that goes on for seconds what has waited for three is left to the relay, and the rest is started after it', async () => {
  jest.useFakeTimers();
  const { dispatcher, begun, held } = heldDispatcher();
  for (let index = 0; index < 1_600; index += 1) {
    dispatcher.dispatch(aRun(index));
    if (index % 8 === 7) await jest.advanceTimersByTimeAsync(20);
  }
  const duringTheBurst = [...begun];
  while (!begun.includes('run-1599')) {
    for (const { resolve } of held.values()) resolve();
    held.clear();
    await jest.advanceTimersByTimeAsync(20);
  }
  jest.useRealTimers();

  const afterIt = begun.slice(duringTheBurst.length);
  expect(duringTheBurst).toHaveLength(23);
  expect(afterIt).not.toContain('run-300');
  expect(afterIt).toContain('run-600');
  for (const { resolve } of held.values()) resolve();
  await dispatcher.drain();
});

test('what a call waits for is told in a burst of starts too', async () => {
  const { dispatcher, told } = heldDispatcher();
  for (let index = 0; index < 60; index += 1) dispatcher.dispatch(aRun(index));

  dispatcher.tell({ clinicId: 'clinic', messageId: 'message-1' });
  await setImmediate();

  expect(told).toEqual(['message-1']);
});

test('clinics take turns: a thousand runs of one hold up the single one of another by no more than those under way', async () => {
  const { dispatcher, begun, held } = heldDispatcher();
  for (let index = 0; index < 1_000; index += 1) dispatcher.dispatch(aRun(index));
  dispatcher.dispatch(aRun(1_000, 'other clinic'));
  const before = begun.length;

  await eventually(() => {
    for (const { resolve } of held.values()) resolve();
    return begun.includes('run-1000');
  });

  expect(begun.indexOf('run-1000')).toBeLessThanOrEqual(before + 1);
});

test('a start that fails is left to the relay and holds up no other', async () => {
  const { dispatcher, marked, held } = heldDispatcher();
  dispatcher.dispatch(aRun(1));
  dispatcher.dispatch(aRun(2));

  held.get('run-1')?.reject(new Error('Temporal is down'));
  held.get('run-2')?.resolve();

  await eventually(() => marked.length > 0);
  expect(marked).toEqual(['run-2']);
});

test('draining waits for what has begun and drops the rest', async () => {
  const { dispatcher, begun, marked, held } = heldDispatcher();
  for (let index = 0; index < 40; index += 1) dispatcher.dispatch(aRun(index));
  const started = [...begun];

  const drained = dispatcher.drain();
  for (const { resolve } of held.values()) resolve();
  await drained;

  expect(begun).toEqual(started);
  expect(marked.toSorted()).toEqual(started.toSorted());
});

test('a job and an erasure are begun and then marked, so that the relay leaves them alone; one that fails is not', async () => {
  const { dispatcher, works } = heldDispatcher();

  dispatcher.begin({ kind: 'job', clinicId: 'clinic', id: 'one' } as never);
  dispatcher.begin({ kind: 'job', clinicId: 'clinic', id: 'broken' } as never);
  await dispatcher.drain();

  expect(works.toSorted()).toEqual(['mark one', 'start broken', 'start one']);
});

test('deliveries of a receiver are woken in a burst of starts too', async () => {
  const { dispatcher, woken } = heldDispatcher();
  const owner = { clinicId: 'clinic', subject: 'case', receiverId: 'receiver' };
  for (let index = 0; index < 60; index += 1) dispatcher.dispatch(aRun(index));

  dispatcher.wakeDeliveries(owner);
  await setImmediate();

  expect(woken).toEqual([owner]);
});

test('thirty-two are started at the same time, and each that ends makes room for one', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
  const { dispatcher, begun, held } = heldDispatcher();
  for (let index = 0; index < 40; index += 1) {
    dispatcher.dispatch(aRun(index));
    jest.advanceTimersByTime(10);
  }
  const atOnce = begun.length;

  held.get('run-0')?.resolve();
  await setImmediate();
  jest.useRealTimers();

  expect([atOnce, begun.length]).toEqual([32, 33]);
});

test.each([
  [99, 23],
  [100, 24],
])('twenty-four within %d ms: %d are started at once', (ms, started) => {
  jest.useFakeTimers();
  const { dispatcher, begun } = heldDispatcher();
  for (let index = 0; index < 23; index += 1) dispatcher.dispatch(aRun(index));
  jest.advanceTimersByTime(ms);

  dispatcher.dispatch(aRun(23));

  jest.useRealTimers();
  expect(begun).toHaveLength(started);
});

test('what is drained is not looked at again', async () => {
  jest.useFakeTimers();
  const { dispatcher, begun, openings } = heldDispatcher();
  openings.areWaiting = true;
  dispatcher.dispatch(aRun(1));
  await dispatcher.drain();
  openings.areWaiting = false;

  await jest.advanceTimersByTimeAsync(200);
  jest.useRealTimers();

  expect(begun).toEqual([]);
});

test.each(['well', 'badly'])('draining is over when the last that had begun has ended, be it %s', async (how) => {
  const { dispatcher, held } = heldDispatcher();
  dispatcher.dispatch(aRun(1));
  dispatcher.dispatch(aRun(2, 'other'));
  let isOver = false;
  const drained = dispatcher.drain().then(() => (isOver = true));
  const seen: boolean[] = [];

  for (const id of ['run-1', 'run-2']) {
    await setImmediate();
    seen.push(isOver);
    if (how === 'well') held.get(id)?.resolve();
    else held.get(id)?.reject(new Error('Temporal is down'));
  }
  await setImmediate();
  seen.push(isOver);
  await drained;

  expect(seen).toEqual([false, false, true]);
});
