import { setTimeout as delay } from 'node:timers/promises';
import type { DutyStores } from '@clinic/prisma/stores/operations/duties';
import { createLog } from '@clinic/shared/log';
import { type Duty, startDuty, type Turn } from '@clinic/worker/duty';
import { eventually } from '../support/eventually';
import { openRecords, type Records } from '../support/records';

let records: Records;
let duties: DutyStores;
let started: Duty[] = [];

beforeAll(async () => {
  records = await openRecords();
  duties = records.stores.duties;
});
afterEach(async () => {
  await Promise.all(started.map((duty) => duty.stop()));
  started = [];
});
afterAll(() => records.close());

const log = createLog({ process: 'test', level: 'silent' });

function start(pass: (turn: Turn) => Promise<boolean>, about: { leaseMs?: number; duties?: DutyStores } = {}): Duty {
  const duty = startDuty({ name: 'relay', duties, everyMs: 10, log, pass, ...about });
  started.push(duty);
  return duty;
}

/** Anyone who waits for the end of such a lease waits for longer than these tests. */
const forLong = { leaseMs: 60_000 };

describe('however rare the passes are', () => {
  const seldom = { name: 'relay', everyMs: 600_000, log } as const;
  /** One duty that is free once, and held from then on. */
  const freeOnce = () => {
    const asked: string[] = [];
    const alone: DutyStores = {
      ...duties,
      async take(name, holder) {
        asked.push(holder);
        return asked.length === 1 ? { name, token: 1 } : null;
      },
      prolong: async () => true,
      release: async () => undefined,
    };
    return { asked, alone };
  };

  // First of all: nothing of another test is under way that could begin to wait.
  test('neither the process that has the duty nor one that waits for it is kept from ending', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const { asked, alone } = freeOnce();
    const before = timers();
    let made = 0;
    const rests = { ...seldom, duties: alone, leaseMs: 600_000, pass: async () => (made += 1) < 0 };
    started.push(startDuty(rests), startDuty(rests));
    // Everything that is done at once is done: both rest.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve));

    expect([asked.length, made]).toEqual([2, 1]);
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test('a process that waits looks within the time of a lease again', async () => {
    const { asked, alone } = freeOnce();
    await alone.take('relay', 'another process', 60);
    started.push(startDuty({ ...seldom, duties: alone, leaseMs: 60, pass: async () => false }));

    await eventually(() => asked.length >= 4);
  });
});

test('of two processes one makes the passes, one after the other, and the other follows when it stops', async () => {
  const made: string[] = [];
  let [underWay, mostAtOnce] = [0, 0];
  const process = (name: string) =>
    start(async () => {
      underWay += 1;
      mostAtOnce = Math.max(mostAtOnce, underWay);
      await delay(20);
      underWay -= 1;
      made.push(name);
      return false;
    }, forLong);

  const first = process('first');
  await eventually(() => made.length >= 2);
  process('second');
  await eventually(() => made.length >= 6);
  const before = [...made];
  await first.stop();
  await eventually(() => made.includes('second'));

  expect(new Set(before)).toEqual(new Set(['first']));
  expect(mostAtOnce).toBe(1);
});

const cutOff = () => Promise.reject(new Error('the database does not reply'));
const frozen: DutyStores['prolong'] = async (...wanted) => {
  await delay(400);
  return duties.prolong(...wanted);
};

test.each([
  ['cut off', { prolong: cutOff, release: cutOff }],
  ['frozen', { prolong: frozen }],
])(
  'a process that is %s loses the duty, begins nothing more, and writes nothing over its follower',
  async (_how, broken) => {
    const turns: Turn[] = [];
    const pass = async (turn: Turn) => {
      turns.push(turn);
      // For longer than this test waits for it.
      await eventually(() => turn.signal.aborted, { within: 120_000 });
      return true;
    };
    start(pass, { leaseMs: 200, duties: { ...duties, ...broken, take: once(duties.take) } });
    await eventually(() => turns.length === 1);
    const follower: Turn[] = [];
    start(async (turn) => {
      follower.push(turn);
      return false;
    });
    const [late, next] = await eventually(
      () => turns[0]?.signal.aborted && follower[0] && ([turns[0], follower[0]] as const),
    );
    const at = new Date('2026-03-02T10:00:00Z');

    expect(turns).toHaveLength(1);
    expect(next.held.token).toBeGreaterThan(late.held.token);
    expect(await duties.noteDone(next.held, at)).toBe(true);
    expect(await duties.noteDone(late.held, new Date())).toBe(false);
    expect(await duties.prolong(late.held, 60_000)).toBe(false);
    await duties.release(late.held);
    expect(await duties.prolong(next.held, 6_000)).toBe(true);
    expect(await duties.doneUntil('relay')).toEqual(at);
  },
);

test('the lease is prolonged while a pass goes on, and says when one last came to its end', async () => {
  const ends: (Date | undefined)[] = [];
  const expiresAt = async () =>
    (await records.database.prisma.duty.findUnique({ where: { name: 'relay' } }))?.expiresAt;
  start(async ({ signal }) => {
    ends.push(await expiresAt());
    await eventually(async () => (await expiresAt())?.getTime() !== ends[0]?.getTime());
    ends.push(await expiresAt());
    return signal.aborted;
  });

  const [first, later] = await eventually(() => ends.length >= 2 && ends);
  const passed = await eventually(async () =>
    (await duties.list()).find(({ name, passedAt }) => name === 'relay' && passedAt !== null),
  );

  expect(later?.getTime()).toBeGreaterThan(first?.getTime() ?? 0);
  expect(passed.isHeld).toBe(true);
});

test('a process that could not prolong its lease keeps the duty for as long as the lease is', async () => {
  let asked = 0;
  const cutOffOnce: DutyStores['prolong'] = async (...wanted) => {
    asked += 1;
    return asked === 1 ? cutOff() : duties.prolong(...wanted);
  };
  const turns: Turn[] = [];
  const pass = async (turn: Turn) => {
    turns.push(turn);
    await eventually(() => turn.signal.aborted || asked >= 3, { within: 60_000 });
    return false;
  };
  start(pass, { leaseMs: 3_000, duties: { ...duties, prolong: cutOffOnce, take: once(duties.take) } });

  await eventually(() => turns.length >= 2, { within: 20_000 });

  expect(turns[0]?.signal.aborted).toBe(false);
});

test('a process whose pass fails gives the duty to one that can do it', async () => {
  let failed = 0;
  start(async () => {
    failed += 1;
    throw new Error('14 UNAVAILABLE');
  }, forLong);
  await eventually(() => failed > 0);
  let made = 0;
  start(async () => (made += 1) < 0);

  await eventually(() => made > 2);
});

test('it stops within a second, though a pass hangs', async () => {
  let hasBegun = false;
  const duty = start(() => {
    hasBegun = true;
    return new Promise(() => undefined);
  });
  await eventually(() => hasBegun);

  const stoppedAt = performance.now();
  await duty.stop();

  expect(performance.now() - stoppedAt).toBeLessThan(5_000);
});

/** Does as `take` does, and never again. */
function once(take: DutyStores['take']): DutyStores['take'] {
  let hasTaken = false;
  return async (...wanted) => {
    if (hasTaken) return null;
    const held = await take(...wanted);
    hasTaken = held !== null;
    return held;
  };
}
