import { setTimeout as delay } from 'node:timers/promises';
import { lockLines } from '@clinic/prisma/stores/outreach/lines';
import { newId } from '@clinic/shared/crypto';
import { eventually } from '../../../support/eventually';
import { noteFigure } from '../../../support/figures';
import { waitingForLocks } from '../../../support/locks';
import { readsTooMuch, recordStatements } from '../../../support/plans';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

/** How many calls are due at once in the tests of a long queue; `npm run prove -- calling` has 1,000 of them. */
const WAITING = Number(process.env.QUEUE_LENGTH ?? 60);
const POOL = 16;

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  ({ clinicId } = records);
  await records.database.sql`delete from line_tickets`;
  await records.database.sql`update calls set state = 'ENDED', ended_at = now() where state <> 'ENDED'`;
  await setLines(1);
});
afterAll(() => records.close());

const setLines = (lines: number) => records.database.sql`update calling_policies set max_concurrent_calls = ${lines}`;
const linesOf = async () => {
  const [row] = await records.database.sql<{ lines: number }>`
    select max_concurrent_calls as lines from calling_policies where clinic_id = ${clinicId}`;
  return row?.lines ?? 0;
};
const reserve = async (run: OpenedRun, about: object = {}) =>
  records.stores.calls.reserve(records.anIntent(run, { maxConcurrentCalls: await linesOf(), ...about }));
const at = (minute: number) => new Date(Date.now() - 3_600_000 + minute * 60_000).toISOString();
const end = (callId: string) => records.stores.calls.close({ clinicId, callId, reason: 'voicemail' });
const callOf = async (run: OpenedRun, about: object = {}) => {
  const reservation = await reserve(run, about);
  if (reservation.kind !== 'reserved') throw new Error(`the line was ${reservation.kind}`);
  return reservation.callId;
};
const granted = async () => {
  const rows = await records.database.sql<{ workflowId: string }>`
    select workflow_id as "workflowId" from line_tickets where granted_at is not null`;
  return rows.map(({ workflowId }) => workflowId);
};
const toldOf = (signal: string) => (run: OpenedRun) =>
  records.database.prisma.workflowMessage.count({ where: { workflowId: run.workflowId, signal } });
const woken = toldOf('lineFreed');
const reminded = toldOf('rulesChanged');
const inUse = async () => {
  const [row] = await records.database.sql<{ count: number }>`
    select count(*)::int as count from calls where clinic_id = ${clinicId} and state <> 'ENDED'`;
  return row?.count ?? 0;
};

describe('a line that gets free', () => {
  test('goes to the run that has been due for longest, and wakes no other', async () => {
    const [holder, late, early] = [await records.aRun(), await records.aRun(), await records.aRun()];
    const callId = await callOf(holder);
    expect(await reserve(late, { dueAt: at(2) })).toEqual({ kind: 'queued' });
    expect(await reserve(early, { dueAt: at(1) })).toEqual({ kind: 'queued' });

    await end(callId);

    expect(await granted()).toEqual([early.workflowId]);
    expect([await woken(early), await woken(late)]).toEqual([1, 0]);
    expect(await reserve(late, { dueAt: at(2) })).toEqual({ kind: 'queued' });
    expect((await reserve(early, { dueAt: at(1) })).kind).toBe('reserved');
  });

  test('goes first to a call that loses its use with time', async () => {
    const [holder, usual, urgent] = [await records.aRun(), await records.aRun(), await records.aRun()];
    const callId = await callOf(holder);
    await reserve(usual, { dueAt: at(1) });
    await reserve(urgent, { dueAt: at(5), priority: 1 });

    await end(callId);

    expect(await granted()).toEqual([urgent.workflowId]);
  });

  test('counts in the results of its day where a call waited for it for more than 15 minutes', async () => {
    const waited = async () => {
      const days = { from: at(-1_440), until: at(1_440), zone: 'UTC' };
      const endings = await records.stores.results.endings(clinicId, days);
      return endings.reduce((total, each) => total + each.waited, 0);
    };
    for (const [time, count] of [
      ['14 minutes', 0],
      ['16 minutes', 1],
    ] as const) {
      const holder = await callOf(await records.aRun());
      const late = await records.aCase();
      expect(await reserve(late)).toEqual({ kind: 'queued' });
      await records.database.sql`update line_tickets set created_at = now() - ${time}::interval`;
      await end(holder);
      await end(await callOf(late));

      expect(await waited()).toBe(count);
    }
  });

  test('is not taken by a run that asks at that moment and is not next', async () => {
    const [holder, first, second] = [await records.aRun(), await records.aRun(), await records.aRun()];
    const callId = await callOf(holder);
    await reserve(first, { dueAt: at(1) });
    await end(callId);

    expect(await reserve(second, { dueAt: at(2) })).toEqual({ kind: 'queued' });
  });

  test.each([1, 2])(
    'is given at once to a run that asks while only %s wait for phones in a call, and it is in line no longer',
    async (others) => {
      await setLines(2);
      const talking = await records.aRun();
      await callOf(talking);
      for (let n = 0; n < others; n += 1) await reserve(await records.aRun({ phone: talking.phone }), { dueAt: at(1) });
      const run = await records.aRun();

      const callId = await callOf(run, { dueAt: at(2) });

      const { prisma } = records.database;
      expect(await prisma.lineTicket.count({ where: { workflowId: run.workflowId } })).toBe(0);
      expect((await prisma.call.findUniqueOrThrow({ where: { id: callId } })).queuedAt).not.toBeNull();
    },
  );

  test('passes over a phone that is in a call, which keeps its place', async () => {
    await setLines(2);
    const talking = await records.aRun();
    const other = await records.aRun();
    const [longCall, shortCall] = [await callOf(talking), await callOf(other)];
    const samePhone = await records.aRun({ phone: talking.phone });
    const next = await records.aRun();
    await reserve(samePhone, { dueAt: at(1) });
    await reserve(next, { dueAt: at(2) });

    await end(shortCall);
    expect(await granted()).toEqual([next.workflowId]);
    await end(longCall);
    expect(await granted()).toContain(samePhone.workflowId);
  });

  test('is told in the report of the platform that a call has ended', async () => {
    const [holder, next] = [await records.aRun(), await records.aRun()];
    await records.stores.runs.markDispatched([holder.workflowId, next.workflowId]);
    const { platformCallId } = await records.aPlacedCall(holder, { maxConcurrentCalls: 1 });
    await reserve(next);

    const report = { platformCallId, intentId: null, state: 'ENDED', endedReason: 'voicemail', summary: null } as const;
    const told = await records.stores.calls.report(report);

    const messages = await Promise.all((told?.messageIds ?? []).map((id) => records.stores.messages.find(id)));
    expect(messages.map((message) => [message?.signal, message?.workflowId])).toEqual([
      ['callEnded', holder.workflowId],
      ['lineFreed', next.workflowId],
    ]);
  });

  test.each<
    [what: string, about: { isTest?: boolean; isEnded?: boolean; state: 'RINGING' | 'ENDED' | null }, isGiven: boolean]
  >([
    ['that a call has ended', { state: 'ENDED' }, true],
    ['that a call has ended, which was told before', { state: 'ENDED', isEnded: true }, false],
    ['that a call rings', { state: 'RINGING' }, false],
    ['of nothing but what was said', { state: null }, false],
    ['that a test call has ended', { state: 'ENDED', isTest: true }, false],
  ])('is given by no report but one that a call has ended: one %s', async (_what, about, isGiven) => {
    const { state, isTest = false, isEnded = false } = about;
    const holder = await records.aRun();
    const { callId, platformCallId } = await records.aPlacedCall(holder, { maxConcurrentCalls: 1 });
    const data = { isTest, ...(isEnded && { state: 'ENDED', endedAt: new Date() }) };
    await records.database.prisma.call.update({ where: { id: callId }, data });
    const next = await aTicket();
    await setLines(2);
    const endedReason = state === 'ENDED' ? 'voicemail' : null;

    const report = { platformCallId, intentId: null, state, endedReason, summary: 'Said hello' };
    await records.stores.calls.report(report);

    const ticket = await records.database.prisma.lineTicket.findUnique({ where: { workflowId: next.workflowId } });
    expect(ticket?.grantedAt !== null).toBe(isGiven);
  });

  test('goes to the next when it is not taken within a minute', async () => {
    const [holder, gone, next] = [await records.aRun(), await records.aRun(), await records.aRun()];
    const callId = await callOf(holder);
    await reserve(gone, { dueAt: at(1) });
    await reserve(next, { dueAt: at(2) });
    await end(callId);

    expect(await records.stores.lines.sweep()).toEqual([]);
    await records.database.sql`update line_tickets set granted_at = granted_at - interval '61 seconds'`;
    const told = await records.stores.lines.sweep();

    expect(told.map(({ workflowId }) => workflowId)).toEqual([next.workflowId]);
    expect(await granted()).toEqual([next.workflowId]);
  });

  test('is not given to a run that has ended', async () => {
    const [holder, ended, next] = [await records.aRun(), await records.aRun(), await records.aRun()];
    const callId = await callOf(holder);
    await reserve(ended, { dueAt: at(1) });
    await reserve(next, { dueAt: at(2) });
    const ending = { status: 'cancelled', outcome: 'FOLLOW_UP_REQUIRED', taskReason: null, resolution: null } as const;
    await records.stores.runs.end({ clinicId, workflowId: ended.workflowId, ...ending });

    await end(callId);

    expect(await granted()).toEqual([next.workflowId]);
  });

  describe('while outreach is paused', () => {
    const operator = { actor: 'account:1' };
    const pause = (about: { clinicId?: string | null; workflowType?: 'care-gap-follow-up' | null }) =>
      records.stores.pauses.pause({ clinicId, workflowType: null, reason: 'a test', until: null, ...about }, operator);
    const resume = ({ id }: { id: string }) => records.stores.pauses.resume(null, id, operator);
    const other = { workflowType: 'payment-recovery' } as const;
    const stand = (run: OpenedRun, minute: number) => {
      const { workflowId, phone } = records.anIntent(run);
      const place = { priority: 2, dueAt: at(minute), notAfter: null };
      return records.stores.lines.standWhilePaused({ clinicId, workflowId, phone, ...place });
    };
    afterEach(async () => {
      for (const held of await records.stores.pauses.holding(null)) await resume(held);
    });

    test.each([
      ['for every clinic', { clinicId: null }],
      ['for the clinic', {}],
    ])('%s goes to nobody, and then to the one that has been due for longest', async (_what, about) => {
      const [holder, late, early] = [await records.aRun(), await records.aRun(other), await records.aRun()];
      const callId = await callOf(holder);
      await reserve(late, { dueAt: at(2) });
      await reserve(early, { dueAt: at(1) });
      const held = await pause(about);

      await end(callId);
      expect(await records.stores.lines.sweep()).toEqual([]);
      expect(await granted()).toEqual([]);
      await resume(held);
      const told = await records.stores.lines.sweep();

      expect(told.map(({ workflowId }) => workflowId)).toEqual([early.workflowId]);
    });

    test('for one workflow type passes over its runs, which keep their places', async () => {
      const [holder, paused, next] = [await records.aRun(), await records.aRun(), await records.aRun(other)];
      const callId = await callOf(holder);
      await reserve(paused, { dueAt: at(1) });
      await reserve(next, { dueAt: at(2) });
      const held = await pause({ workflowType: 'care-gap-follow-up' });

      await end(callId);
      expect(await granted()).toEqual([next.workflowId]);
      const nextCallId = await callOf(next);
      const last = await records.aRun(other);
      await reserve(last, { dueAt: at(3) });
      await resume(held);
      await end(nextCallId);

      expect(await granted()).toEqual([paused.workflowId]);
    });

    test('is taken back from a run that was given it just before, at once, and goes to the next', async () => {
      const [holder, paused, next] = [await records.aRun(), await records.aRun(), await records.aRun(other)];
      const callId = await callOf(holder);
      await reserve(paused, { dueAt: at(1) });
      await reserve(next, { dueAt: at(2) });
      await end(callId);
      expect(await granted()).toEqual([paused.workflowId]);

      await pause({ workflowType: 'care-gap-follow-up' });
      const told = await records.stores.lines.sweep();

      expect(told.map(({ workflowId }) => workflowId)).toEqual([next.workflowId]);
      expect(await granted()).toEqual([next.workflowId]);
    });

    test('goes, when it is over, to the first of those who stood in line, and no others are woken', async () => {
      const [late, early, elsewhere] = [await records.aRun(), await records.aRun(), await records.aRun()];
      const held = await pause({});
      await stand(late, 2);
      await stand(early, 1);
      await stand(early, 1);

      await resume(held);
      const told = await records.stores.lines.sweep();

      expect(told.map(({ workflowId }) => workflowId)).toEqual([early.workflowId]);
      expect([await reminded(late), await reminded(early), await reminded(elsewhere)]).toEqual([0, 0, 0]);
    });

    test('is stood in line for only as long as it lasts', async () => {
      const run = await records.aRun();
      await resume(await pause({}));

      // Its run decides again by itself: nobody tells it.
      expect(await stand(run, 1)).toBe('not_paused');

      expect((await records.stores.lines.queue(clinicId, { limit: 10 })).waiting).toBe(0);
      expect(await reminded(run)).toBe(0);
    });

    test('of everything ends with one row, and wakes as many as there are lines, however many runs it held or did not', async () => {
      const { database, stores } = records;
      const ofMany = await records.aClinic('Clinic of many');
      const patientId = (await records.aRun({ clinicId: ofMany })).patientId;
      const held = await pause({ clinicId: null });
      // Each within a statement's time on a slow machine.
      for (let from = 1; from <= 30_000; from += 5_000)
        await database.sql`
          insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id)
          select 'many-' || n, ${ofMany}, 'care-gap-follow-up', 'many-' || n, ${patientId}
          from generate_series(${from}::int, ${from + 4_999}::int) n`;
      // The check of each ticket's run has its plan from a table that was empty a moment ago.
      await database.sql`analyze workflow_runs`;
      await database.sql`
        insert into line_tickets (clinic_id, workflow_id, phone, priority, due_at)
        select ${ofMany}, 'many-' || n, '+1500' || n, 2, now() from generate_series(1, 10000) n`;
      await database.sql`update calling_policies set max_concurrent_calls = 3 where clinic_id = ${ofMany}`;
      const messages = async () => database.prisma.workflowMessage.count({ where: { clinicId: ofMany } });

      await resume(held);
      const atTheEnd = await messages();
      const told = (await stores.lines.sweep()).filter(({ workflowId }) => workflowId.startsWith('many-'));
      const afterwards = [told.length, await messages()];
      await database.sql`delete from workflow_messages where clinic_id = ${ofMany}`;
      await database.sql`delete from line_tickets where clinic_id = ${ofMany}`;
      await database.sql`delete from workflow_runs where clinic_id = ${ofMany}`;
      // Now, and not by itself while commits are counted further on.
      await database.sql`vacuum (analyze) workflow_runs, line_tickets, workflow_messages`;

      expect({ atTheEnd, afterwards }).toEqual({ atTheEnd: 0, afterwards: [3, 3] });
    });

    test('goes to the next when the run that was given it asks for it in the pause', async () => {
      const [holder, paused, next] = [await records.aRun(), await records.aRun(), await records.aRun(other)];
      const callId = await callOf(holder);
      await reserve(paused, { dueAt: at(1) });
      await reserve(next, { dueAt: at(2) });
      await end(callId);
      await pause({ workflowType: 'care-gap-follow-up' });

      expect(await reserve(paused, { dueAt: at(1) })).toEqual({ kind: 'queued' });

      expect(await granted()).toEqual([next.workflowId]);
      expect(await woken(next)).toBe(1);
    });
  });

  test('is not given to a call whose time is over', async () => {
    const [holder, over] = [await records.aRun(), await records.aRun()];
    const callId = await callOf(holder);
    await reserve(over, { notAfter: at(1) });

    await end(callId);
    await records.stores.lines.sweep();

    expect(await granted()).toEqual([]);
    expect(await woken(over)).toBe(0);
  });
});

describe('the queue as staff see it', () => {
  const queue = (page: Parameters<Records['stores']['lines']['queue']>[1]) =>
    records.stores.lines.queue(clinicId, page);

  test('says how many lines are in use, and who waits in the order in which lines are given', async () => {
    await setLines(2);
    const [holder, about] = [await records.aRun(), await records.aRun()];
    const calls = [await callOf(holder), await callOf(about)];
    const samePhone = await records.aRun({ phone: holder.phone });
    const [late, urgent, over] = [await records.aRun(), await records.aRun(), await records.aRun()];
    await reserve(late, { dueAt: at(3) });
    const dueAt = at(1);
    await reserve(samePhone, { dueAt });
    await reserve(urgent, { dueAt: at(5), priority: 1 });
    await reserve(over, { dueAt: at(0), notAfter: at(1) });

    const shown = await queue({ limit: 50 });
    await end(calls[1] ?? '');
    const afterwards = await queue({ limit: 50 });

    expect(shown).toMatchObject({ lines: 2, inUse: 2, waiting: 3, nextCursor: null });
    expect(shown.items.map(({ workflowId }) => workflowId)).toEqual(
      [urgent, samePhone, late].map(({ workflowId }) => workflowId),
    );
    expect(shown.items.map(({ isPhoneInCall }) => isPhoneInCall)).toEqual([false, true, false]);
    expect(shown.items[1]).toMatchObject({ dueAt: new Date(dueAt), patientId: samePhone.patientId, firstName: 'Ann' });
    expect([await granted(), afterwards]).toMatchObject([[urgent.workflowId], { inUse: 2, waiting: 2 }]);
  });

  test('is filtered by when calls are due, from one instant on and before another, in its rows and in their count', async () => {
    await callOf(await records.aRun());
    const [first, second, third] = [at(1), at(2), at(3)];
    for (const dueAt of [first, second, third]) await reserve(await records.aRun(), { dueAt });

    const due = async (filter: { from?: string; until?: string }) => {
      const { items, total } = await queue({ limit: 50, ...filter });
      expect(total.count).toBe(items.length);
      return items.map(({ dueAt }) => dueAt.toISOString());
    };

    expect(await due({ from: second })).toEqual([second, third]);
    expect(await due({ until: third })).toEqual([first, second]);
    expect(await due({ from: second, until: third })).toEqual([second]);
    expect(await due({})).toEqual([first, second, third]);
  });

  test('is read page by page when a thousand wait, each once and in order, also those due at one instant', async () => {
    const { workflowId } = await records.aRun();
    await records.database.sql`
      insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id)
      select 'waiting-' || n, clinic_id, workflow_type, 'waiting-' || n, patient_id
      from workflow_runs, generate_series(1, 1000) n where id = ${workflowId}`;
    await records.database.sql`
      insert into line_tickets (workflow_id, clinic_id, phone, priority, due_at, created_at)
      select 'waiting-' || n, ${clinicId}, '+1415555' || n, 2, timestamptz '2026-03-02 15:00:00Z' + make_interval(mins => n / 7),
        timestamptz '2026-03-02 15:00:00Z' + make_interval(secs => n / 3)
      from generate_series(1, 1000) n`;

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor, waiting } = await queue({ limit: 150, cursor });
      expect(waiting).toBe(1_000);
      seen.push(...items.map((item) => item.workflowId));
      cursor = nextCursor ?? undefined;
    } while (cursor);

    const [all] = await records.database.sql<{ ids: string[] | null }>`
      select array_agg(workflow_id order by priority, due_at, created_at, workflow_id) as ids from line_tickets`;
    expect(seen).toEqual(all?.ids);
    await records.aRun({ clinicId });
    await records.aRun({ clinicId });
    const { nextCursor } = await records.stores.runs.list(clinicId, { limit: 1 });
    expect(nextCursor).not.toBeNull();
    await expect(queue({ limit: 1, cursor: nextCursor ?? '' })).rejects.toMatchObject({ code: 'bad_request' });
    await records.database.sql`delete from workflow_runs where id like 'waiting-%'`;
  });
});

test('more lines are granted when the clinic gets more', async () => {
  const runs = [await records.aRun(), await records.aRun(), await records.aRun(), await records.aRun()];
  for (const run of runs) await reserve(run);
  expect(await granted()).toEqual([]);

  await setLines(3);
  await records.stores.lines.sweep();

  expect(await granted()).toHaveLength(2);
});

test('no two runs get one line, however many ask at once', async () => {
  await setLines(3);
  const runs = await records.manyRuns(20);

  const reservations = await Promise.all(runs.map((run) => reserve(run)));

  expect(reservations.filter(({ kind }) => kind === 'reserved')).toHaveLength(3);
  expect(await inUse()).toBe(3);
});

describe(`${WAITING} calls are due at once`, () => {
  /** A session tells of its commits once a second at most, and only when it does something. This itself makes `POOL` + 1. */
  const commits = async () => {
    await delay(1_100);
    await Promise.all(Array.from({ length: POOL }, () => records.database.sql`select pg_sleep(0.05)::text`));
    const [row] = await records.database.sql<{ count: number | null }>`
      select xact_commit::int as count from pg_stat_database where datname = current_database()`;
    return row?.count ?? 0;
  };

  test.each([1, 10])(
    'with %i lines they are made in order, all lines are used, and another clinic waits for none',
    async (lines) => {
      await setLines(lines);
      const runs = await records.manyRuns(WAITING);
      const order = new Map(runs.map((run, n) => [run.workflowId, { run, dueAt: at(n / 1_000) }]));
      const live: string[] = [];
      for (const { run, dueAt } of order.values()) {
        const reservation = await reserve(run, { dueAt });
        if (reservation.kind === 'reserved') live.push(reservation.callId);
      }
      const made = [...order.keys()].slice(0, lines);
      const before = await commits();
      let asked = 0;

      while (made.length < WAITING) {
        expect(await inUse()).toBe(lines);
        await end(live.shift() ?? '');
        for (const workflowId of await granted()) {
          const { run, dueAt } = order.get(workflowId)!;
          live.push(await callOf(run, { dueAt }));
          made.push(workflowId);
          asked += 1;
        }
      }
      const perCall = ((await commits()) - before - POOL - 1) / asked;
      noteFigure(`${lines} lines: ${(perCall - 3).toFixed(1)} commits per call that waited`);

      expect(made).toEqual([...order.keys()]);
      // Of these, this test itself makes three: it counts the lines in use, asks who is next, and reads the policy.
      expect(perCall - 3).toBeLessThan(5);
      const elsewhere = await records.aRun({ clinicId: records.otherClinicId });
      expect((await reserve(elsewhere)).kind).toBe('reserved');
    },
    600_000,
  );
});

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

async function aTicket(about: object = {}, owner = clinicId) {
  const run = await records.aRun({ clinicId: owner });
  const { workflowId, phone } = run;
  const standing = { priority: 2, dueAt: new Date('2030-01-10T00:00:00Z') };
  await records.database.prisma.lineTicket.create({
    data: { workflowId, clinicId: owner, phone, ...standing, ...about },
  });
  return run;
}

async function aCallOf(run: OpenedRun, about: object = {}) {
  const { clinicId: owner, patientId, phone } = run;
  const going = { direction: 'inbound', state: 'RINGING' };
  await records.database.prisma.call.create({
    data: { id: newId(), clinicId: owner, patientId, phone, ...going, ...about },
  });
}

const ended = (run: OpenedRun) =>
  records.database.prisma.workflowRun.update({ where: { id: run.workflowId }, data: { status: 'completed' } });

describe('the queue of a clinic', () => {
  const from = '2030-01-01T00:00:00.000Z';
  const until = '2030-02-01T00:00:00.000Z';
  const queue = (about: object = {}) => records.stores.lines.queue(clinicId, { limit: 10, ...about });
  const justBefore = (instant: string) => new Date(Date.parse(instant) - 1);

  test.each<[what: string, about: object, filter: object, isWaiting: boolean, isFound: boolean]>([
    ['who waits', {}, {}, true, true],
    ['who waits in the span', {}, { from, until }, true, true],
    ['who is due as it begins', { dueAt: new Date(from) }, { from, until }, true, true],
    ['who is due before', { dueAt: justBefore(from) }, { from, until }, true, false],
    ['who is due just before it ends', { dueAt: justBefore(until) }, { from, until }, true, true],
    ['who is due as it ends', { dueAt: new Date(until) }, { from, until }, true, false],
    ['who has a line', { grantedAt: new Date() }, {}, false, false],
    ['whose time is over', { notAfter: inMinutes(-1) }, {}, false, false],
    ['whose time is not over', { notAfter: inMinutes(1) }, {}, true, true],
  ])('has %s, or has not', async (_what, about, filter, isWaiting, isFound) => {
    const { workflowId } = await aTicket(about);
    await aTicket({}, records.otherClinicId);

    const { items, waiting, total, inUse: lines } = await queue(filter);

    expect(items.map((item) => item.workflowId)).toEqual(isFound ? [workflowId] : []);
    expect([waiting, total]).toEqual([isWaiting ? 1 : 0, { count: isFound ? 1 : 0, isMore: false }]);
    expect(lines).toBe('grantedAt' in about ? 1 : 0);
  });

  test.each<[what: string, about: object, isInUse: boolean]>([
    ['a call that goes on', {}, true],
    ['one that has ended', { state: 'ENDED' }, false],
    ['a test call', { isTest: true }, false],
  ])('counts the lines in use, and says whose phone is in a call: %s', async (_what, about, isInUse) => {
    const run = await aTicket();
    await aCallOf(run, about);
    const there = await records.aRun({ clinicId: records.otherClinicId, phone: run.phone });
    await aCallOf(there);

    const { items, inUse: lines } = await queue();

    expect(lines).toBe(isInUse ? 1 : 0);
    expect(items).toMatchObject([{ workflowId: run.workflowId, isPhoneInCall: isInUse }]);
  });

  test('is read page by page in the order in which lines are given', async () => {
    const createdAt = new Date('2030-01-01T00:00:00Z');
    const [last, third, second, urgent] = [
      await aTicket({ dueAt: new Date('2030-01-12T00:00:00Z'), createdAt }),
      await aTicket({ createdAt: new Date('2030-01-02T00:00:00Z') }),
      await aTicket({ createdAt }),
      await aTicket({ priority: 1, dueAt: new Date('2030-01-12T00:00:00Z'), createdAt }),
    ];
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await queue({ limit: 1, cursor });
      found.push(...page.items.map(({ workflowId }) => workflowId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && found.length < 9);

    const order = [urgent, second, third, last];
    expect(found).toEqual(order.map(({ workflowId }) => workflowId));
  });
});

test('the line of a call that ends goes to a run that goes on', async () => {
  const callId = await callOf(await records.aRun());
  const [over, next] = [await aTicket(), await aTicket({ dueAt: new Date('2030-01-12T00:00:00Z') })];
  await ended(over);

  await end(callId);

  expect(await granted()).toEqual([next.workflowId]);
});

test.each([
  [1, true],
  [-1, false],
])('who is called before one who waits until %d minutes from now is said to have waited: %s', async (...row) => {
  const [minutes, hasWaited] = row;
  await setLines(3);
  await aTicket({ notAfter: inMinutes(minutes), dueAt: new Date('2030-01-12T00:00:00Z') });
  const callId = await callOf(await records.aRun(), { dueAt: at(0) });

  const { queuedAt } = await records.database.prisma.call.findUniqueOrThrow({ where: { id: callId } });
  expect(queuedAt !== null).toBe(hasWaited);
});

test('a pass over the queues reads no run of those who wait where no line is free, or all are paused', async () => {
  const { database, stores } = records;
  const own = await records.aClinic();
  const { patientId, workflowId } = await records.aRun({ clinicId: own });
  await database.sql`
    insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id)
    select 'waits-' || n, clinic_id, workflow_type, session_id || n, ${patientId}
    from workflow_runs, generate_series(1, 300) n where id = ${workflowId}`;
  await database.sql`
    insert into line_tickets (workflow_id, clinic_id, phone, priority, due_at)
    select id, clinic_id, '+1303' || id, 2, now() from workflow_runs where id like 'waits-%'`;
  await database.sql`analyze workflow_runs, line_tickets`;
  const readOf = async () => {
    const statements = recordStatements();
    await stores.lines.sweep();
    const looked = statements.take().find(({ text }) => text.includes('join calling_policies p'));
    statements.stop();
    return looked ? readsTooMuch(database, looked, { tables: ['workflow_runs'], atMost: 5 }) : null;
  };

  await setLines(0);
  const withoutLines = await readOf();
  await setLines(1);
  const pause = await stores.pauses.pause(
    { clinicId: own, workflowType: null, reason: 'A test', until: null },
    { actor: 'operator' },
  );
  const paused = await readOf();
  await stores.pauses.resume(own, pause.id, { actor: 'operator' });

  expect([withoutLines, paused]).toEqual([[], []]);
  expect(await stores.lines.sweep()).toHaveLength(1);
});

describe('a sweep', () => {
  const ticketOf = ({ workflowId }: OpenedRun) =>
    records.database.prisma.lineTicket.findUnique({ where: { workflowId } });
  const sweep = async () => (await records.stores.lines.sweep()).map(({ workflowId }) => workflowId);

  test('takes back lines that were not used within a minute, and leaves the others', async () => {
    await setLines(2);
    const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);
    const [unused, fresh] = [
      await aTicket({ grantedAt: secondsAgo(62) }),
      await aTicket({ grantedAt: secondsAgo(50) }),
    ];
    const next = await aTicket();
    const there = await aTicket({ grantedAt: secondsAgo(50) }, records.otherClinicId);

    expect(await sweep()).toEqual([next.workflowId]);

    const [taken, kept, given, other] = [
      await ticketOf(unused),
      await ticketOf(fresh),
      await ticketOf(next),
      await ticketOf(there),
    ];
    expect([taken?.grantedAt, taken?.notAfter !== null]).toEqual([null, true]);
    expect([kept?.grantedAt !== null, kept?.notAfter]).toEqual([true, null]);
    expect([given?.grantedAt !== null, other?.grantedAt !== null]).toEqual([true, true]);
  });

  test('takes places of runs that have ended away', async () => {
    const [over, next] = [await aTicket(), await aTicket()];
    await ended(over);
    const there = await aTicket({ grantedAt: new Date() }, records.otherClinicId);
    await ended(there);

    expect(await sweep()).toEqual([next.workflowId]);

    expect([await ticketOf(over), (await ticketOf(there)) !== null]).toEqual([null, true]);
  });

  test.each<[what: string, ticket: object, arrange: (run: OpenedRun) => Promise<unknown>, isGiven: boolean]>([
    ['who waits', {}, async () => undefined, true],
    ['whose time is over', { notAfter: inMinutes(-1) }, async () => undefined, false],
    ['whose time is not over', { notAfter: inMinutes(1) }, async () => undefined, true],
    ['whose phone is in a call', {}, (run) => aCallOf(run), false],
    ['whose phone was in a call', {}, (run) => aCallOf(run, { state: 'ENDED' }), true],
    ['whose phone is in a test call', {}, (run) => aCallOf(run, { isTest: true }), true],
    [
      'whose phone is in a call of another clinic',
      {},
      async ({ phone }) => aCallOf(await records.aRun({ clinicId: records.otherClinicId, phone })),
      true,
    ],
    ['while another has the line', {}, () => aTicket({ grantedAt: new Date() }), false],
    [
      'while another has a line of another clinic',
      {},
      () => aTicket({ grantedAt: new Date() }, records.otherClinicId),
      true,
    ],
    ['while another is in a call', {}, async () => aCallOf(await records.aRun()), false],
    ['while another is in a test call', {}, async () => aCallOf(await records.aRun(), { isTest: true }), true],
    [
      'while somebody is called by another clinic',
      {},
      async () => aCallOf(await records.aRun({ clinicId: records.otherClinicId })),
      true,
    ],
  ])('gives the line of a clinic to one %s, or does not', async (what, ticket, arrange, isGiven) => {
    const run = await aTicket(ticket);
    await arrange(run);
    if (what.startsWith('whose phone')) await setLines(2);

    expect(await sweep()).toEqual(isGiven ? [run.workflowId] : []);

    expect((await ticketOf(run))?.grantedAt !== null).toBe(isGiven);
  });

  test('gives as many lines as are free besides those that were given, to whoever comes first', async () => {
    await setLines(4);
    await aTicket(given(0));
    await aCallOf(await records.aRun());
    const last = await aTicket({ dueAt: new Date('2030-01-12T00:00:00Z') });
    const first = await aTicket();
    const urgent = await aTicket({ dueAt: new Date('2030-01-13T00:00:00Z'), priority: 1 });

    expect(await sweep()).toEqual(expect.arrayContaining([urgent, first].map(({ workflowId }) => workflowId)));

    expect((await ticketOf(last))?.grantedAt).toBeNull();
  });

  const byOperator = { actor: 'operator' };
  const pauseOf = () =>
    records.stores.pauses.pause({ clinicId, workflowType: null, reason: 'a test', until: null }, byOperator);
  const given = (minutes: number) => ({ grantedAt: inMinutes(minutes) });

  test.each<[what: string, ticket: () => object, arrange: (run: OpenedRun) => Promise<unknown>, isMended: boolean]>([
    ['who waits', () => ({}), async () => undefined, true],
    ['whose time is over', () => ({ notAfter: inMinutes(-1) }), async () => undefined, false],
    ['whose time is not over', () => ({ notAfter: inMinutes(1) }), async () => undefined, true],
    ['whose phone is in a call', () => ({}), (run) => aCallOf(run), false],
    ['whose phone was in a call', () => ({}), (run) => aCallOf(run, { state: 'ENDED' }), true],
    ['whose phone is in a test call', () => ({}), (run) => aCallOf(run, { isTest: true }), true],
    ['while another is called', () => ({}), async () => aCallOf(await records.aRun()), true],
    [
      'while as many are called as there are lines',
      () => ({}),
      async () => Promise.all([aCallOf(await records.aRun()), aTicket(given(0))]),
      false,
    ],
    ['who was given a line just now', () => given(-0.5), async () => undefined, false],
    ['who was given a line a while ago', () => given(-1.5), async () => undefined, true],
    ['who was given a line and is paused', () => given(0), pauseOf, true],
    ['who waits and is paused', () => ({}), pauseOf, false],
  ])('waits for whoever counts the lines of a clinic with one %s, or has nothing to do there', async (...row) => {
    const [, ticket, arrange, hasToWait] = row;
    await setLines(2);
    await arrange(await aTicket(ticket()));

    let isSwept = false;
    const held = await records.database.transaction(async (tx) => {
      await lockLines(tx, clinicId);
      const sweeping = sweep().finally(() => (isSwept = true));
      await eventually(async () => isSwept || (await waitingForLocks(records.database)) > 0, { every: 5 });
      return { isSwept, sweeping };
    });
    await held.sweeping;
    for (const { id } of await records.stores.pauses.holding(clinicId))
      await records.stores.pauses.resume(clinicId, id, byOperator);

    expect(held.isSwept).toBe(!hasToWait);
  });

  test('gives no line for a phone that another was given one for', async () => {
    await setLines(3);
    const run = await aTicket();
    await aTicket({ phone: run.phone, grantedAt: new Date() });
    const there = await aTicket({ grantedAt: new Date() }, records.otherClinicId);
    const other = await aTicket({ phone: there.phone });

    expect(await sweep()).toEqual([other.workflowId]);
  });

  test('takes the line of a run that is paused, which keeps its place, and gives none while it is', async () => {
    const paused = await aTicket({ grantedAt: new Date() });
    const waiting = await aTicket();
    const { pauses } = records.stores;
    const by = { actor: 'operator' };
    const pause = await pauses.pause({ clinicId, workflowType: null, reason: 'a test', until: null }, by);

    const meanwhile = await sweep();
    const place = await ticketOf(paused);
    await pauses.resume(clinicId, pause.id, by);

    expect([meanwhile, place?.grantedAt, place?.notAfter]).toEqual([[], null, null]);
    expect(await sweep()).toEqual([paused.workflowId]);
    expect((await ticketOf(waiting))?.grantedAt).toBeNull();
  });
});
