import type { WorkflowHandle } from '@temporalio/client';
import { deliveryWaitsMs, nextDeliveryWaitMs } from '@clinic/shared/domain/events/delivery-schedule';
import { deliveryWorkflowId } from '@clinic/workflows/ids';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { eventually } from '../support/eventually';
import { recordHistory } from '../support/histories';
import { agrees, openCase } from '../support/recovery-story';
import { activityTime, openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';
import { testPayloadKeys } from '../support/histories';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

interface Owed {
  id: string;
  tries: number;
  dueAt: string;
}

interface Outbox {
  owed: Owed[];
  /** `<event> delivered`, `<event> failed` or `<event> dead`, in order. */
  log: string[];
  attemptsAt: string[];
  workflow: WorkflowHandle;
  /** Adds an event and wakes its sender, as the service does. */
  emit(id: string): Promise<void>;
  wake(): Promise<void>;
}

let opened = 0;

/** What one subject owes, to a receiver that answers as told. */
async function openOutbox(
  events: string[],
  isAccepted: (event: string, attempt: number) => boolean | Promise<boolean>,
) {
  const subject = `case-${(opened += 1)}`;
  const owner = { clinicId: 'clinic-1', subject, receiverId: 'endpoint-1' };
  const starter = createWorkflowStarter(bench.client, testPayloadKeys);
  const outbox: Outbox = {
    owed: [],
    log: [],
    attemptsAt: [],
    workflow: bench.client.workflow.getHandle(deliveryWorkflowId(subject, owner.receiverId)),
    async emit(id) {
      outbox.owed.push({ id, tries: 0, dueAt: await bench.now() });
      await outbox.wake();
    },
    wake: () => starter.wakeDeliveries(owner),
  };

  bench.fake(deliveryWorkflowId(subject, owner.receiverId), {
    async attemptDelivery(given) {
      expect(given).toEqual(owner);
      const oldest = outbox.owed[0];
      if (!oldest) return { kind: 'none' };
      if (oldest.dueAt > activityTime())
        return { kind: 'later', at: oldest.dueAt, waitMs: Date.parse(oldest.dueAt) - Date.parse(activityTime()) };
      oldest.tries += 1;
      outbox.attemptsAt.push(activityTime());
      const isDelivered = await isAccepted(oldest.id, oldest.tries);
      const waitMs = nextDeliveryWaitMs({ tries: oldest.tries, random: 0, retryAfterMs: null });
      if (isDelivered || waitMs === null) outbox.owed.shift();
      outbox.log.push(`${oldest.id} ${isDelivered ? 'delivered' : waitMs === null ? 'dead' : 'failed'}`);
      oldest.dueAt = new Date(Date.parse(activityTime()) + (waitMs ?? 0)).toISOString();
      return isDelivered ? { kind: 'attempted', hasMore: outbox.owed.length > 0 } : { kind: 'failed' };
    },
  });
  for (const id of events) outbox.owed.push({ id, tries: 0, dueAt: await bench.now() });
  await outbox.wake();
  return outbox;
}

test('events go in order, and the sender ends when nothing is owed', async () => {
  const outbox = await openOutbox(['created', 'outcome'], () => true);

  await bench.result(outbox.workflow);
  expect(outbox.log).toEqual(['created delivered', 'outcome delivered']);
  await recordHistory(outbox.workflow, 'deliver-events/in-order');
});

test('an event that fails holds back those after it', async () => {
  const outbox = await openOutbox(['created', 'outcome'], (event, attempt) => event === 'outcome' || attempt === 3);

  await bench.result(outbox.workflow);
  expect(outbox.log).toEqual(['created failed', 'created failed', 'created delivered', 'outcome delivered']);
  await recordHistory(outbox.workflow, 'deliver-events/receiver-down-for-a-while');
});

test('a receiver that stays down gets every attempt of the schedule; then the event is dead and the next one goes', async () => {
  const outbox = await openOutbox(['created', 'outcome'], (event) => event === 'outcome');

  await bench.result(outbox.workflow);
  expect(outbox.log).toEqual([...deliveryWaitsMs.map(() => 'created failed'), 'created dead', 'outcome delivered']);
  const instants = outbox.attemptsAt.slice(0, -1).map((at) => Date.parse(at));
  const waitedMs = instants.slice(1).map((at, index) => at - instants[index]!);
  waitedMs.forEach((ms, index) => expect(Math.abs(ms - deliveryWaitsMs[index]!)).toBeLessThan(2_000));
  await recordHistory(outbox.workflow, 'deliver-events/dead-letter');
});

test('a signal cuts a wait short', async () => {
  let isUp = false;
  const outbox = await openOutbox(['created'], () => isUp);
  await untilWaiting(outbox.workflow);
  isUp = true;
  outbox.owed[0]!.dueAt = await bench.now();
  await outbox.wake();

  await outbox.workflow.result();
  expect(outbox.log).toEqual(['created failed', 'created delivered']);
  await recordHistory(outbox.workflow, 'deliver-events/woken');
});

test('a signal cuts a wait of an hour short', async () => {
  const outbox = await openOutbox([], () => true);
  await bench.result(outbox.workflow);
  const inAnHour = new Date(Date.parse(await bench.now()) + 3_600_000).toISOString();
  outbox.owed.push({ id: 'created', tries: 0, dueAt: inAnHour });
  await outbox.wake();
  await untilWaiting(outbox.workflow);

  outbox.owed[0]!.dueAt = await bench.now();
  await outbox.wake();

  // No time is skipped here.
  await outbox.workflow.result();
  expect(outbox.log).toEqual(['created delivered']);
});

test('a signal while nothing is due yet changes nothing', async () => {
  const outbox = await openOutbox(['created'], (_event, attempt) => attempt === 2);
  await untilWaiting(outbox.workflow);
  await outbox.wake();

  await bench.result(outbox.workflow);
  expect(outbox.log).toEqual(['created failed', 'created delivered']);
});

test('an event that is written while the last one is on its way is sent too', async () => {
  const outbox: Outbox = await openOutbox(['created'], async (event) => {
    if (event === 'created') await outbox.emit('outcome');
    return true;
  });

  await bench.result(outbox.workflow);
  expect(outbox.log).toEqual(['created delivered', 'outcome delivered']);
});

test('a dead letter that is sent again starts the sender anew', async () => {
  const outbox = await openOutbox(['created'], () => true);
  await bench.result(outbox.workflow);
  await outbox.emit('created');

  await bench.result(outbox.workflow);
  expect(outbox.log).toEqual(['created delivered', 'created delivered']);
});

test('where receivers hang in all places for attempts, other work goes on', async () => {
  const PLACES = 200;
  let begun = 0;
  let release = () => {};
  const released = new Promise<boolean>((resolve) => {
    release = () => resolve(true);
  });
  const hangs = () => {
    begun += 1;
    return released;
  };
  const outboxes = await Promise.all(Array.from({ length: PLACES + 1 }, () => openOutbox(['created'], hangs)));
  await eventually(() => begun >= PLACES, { within: 30_000 });

  try {
    const { workflow } = await openCase(bench, { calls: [agrees] });
    await eventually(() => hasDoneAnActivity(workflow), { within: 60_000 });

    expect(outboxes.flatMap(({ log }) => log)).toEqual([]);
  } finally {
    release();
  }
  await Promise.all(outboxes.map(({ workflow }) => workflow.result()));
  // On a slow machine an attempt hangs past its limit, and is made again.
  expect(outboxes.map(({ log }) => [...new Set(log)])).toEqual(outboxes.map(() => ['created delivered']));
});

async function hasDoneAnActivity(workflow: WorkflowHandle): Promise<boolean> {
  const { events } = await workflow.fetchHistory();
  return (events ?? []).some(({ activityTaskCompletedEventAttributes: done }) => done);
}

test("an event that is not due by the database's clock is waited for as long as that says, whatever Temporal's clock shows", async () => {
  const subject = `case-${(opened += 1)}`;
  const owner = { clinicId: 'clinic-1', subject, receiverId: 'endpoint-1' };
  const workflowId = deliveryWorkflowId(subject, owner.receiverId);
  // Temporal's clock is ten years ahead.
  const later = { kind: 'later', at: '2016-01-01T00:00:00.000Z', waitMs: 60_000 } as const;
  const attemptsAt: string[] = [];
  bench.fake(workflowId, {
    async attemptDelivery() {
      attemptsAt.push(activityTime());
      return attemptsAt.length < 4 ? later : { kind: 'none' };
    },
  });

  await createWorkflowStarter(bench.client, testPayloadKeys).wakeDeliveries(owner);
  await bench.result(bench.client.workflow.getHandle(workflowId));

  const [first = '', last = ''] = [attemptsAt[0], attemptsAt.at(-1)];
  expect(attemptsAt).toHaveLength(4);
  expect(Date.parse(last) - Date.parse(first)).toBeGreaterThanOrEqual(180_000);
});
