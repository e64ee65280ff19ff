import { setTimeout as delay } from 'node:timers/promises';
import { changesOf } from '@clinic/api/routes/operations/stream';
import type { Change, Changes } from '@clinic/prisma/changes';
import { type AccountRole, roles } from '@clinic/shared/domain/accounts/accounts';

/** The stream of one session over a feed into which a test puts changes. */
function open({
  role = 'admin',
  lives = async () => true,
  heartbeatMs = 20,
}: { role?: AccountRole; lives?: () => Promise<boolean>; heartbeatMs?: number } = {}) {
  const listeners = new Set<(change: Change) => void>();
  const changes: Changes = {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    announce: (change) => listeners.forEach((listener) => listener(change)),
    lagSeconds: () => null,
    close: () => undefined,
  };
  const end = new AbortController();
  const feed = { clinicId: 'clinic', sessionId: 'session', accountId: 'account', role, lives, changes };
  const stream = changesOf({ ...feed, signal: end.signal }, { heartbeatMs, askMs: 60_000 });
  return {
    end,
    stream,
    listeners,
    tell: (table: string, id = 'record', clinicId: string | null = 'clinic') =>
      changes.announce({ table, id, clinicId }),
    /** The next message, with what it tells; null once the stream has ended. */
    async next() {
      const { value, done } = await stream.next();
      if (done) return null;
      return [...value.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Omit<Change, 'clinicId'>);
    },
  };
}

const everybody = ['admin', 'manager', 'staff', 'auditor'];
const frontDesk = ['admin', 'manager', 'staff'];

test.each([
  ['recovery_cases', frontDesk],
  ['workflow_runs', frontDesk],
  ['calls', frontDesk],
  ['call_decisions', frontDesk],
  ['tool_calls', frontDesk],
  ['deliveries', frontDesk],
  ['staff_tasks', frontDesk],
  ['task_notes', frontDesk],
  ['patients', frontDesk],
  ['documents', frontDesk],
  ['legal_holds', frontDesk],
  ['opt_outs', frontDesk],
  ['appointments', frontDesk],
  ['providers', frontDesk],
  ['clinics', everybody],
  ['api_keys', ['admin']],
  ['secrets', ['admin']],
  ['audit_entries', ['admin', 'auditor']],
  ['outreach_pauses', frontDesk],
  ['validation_runs', ['admin']],
  ['sandbox_failures', frontDesk],
  ['bulk_jobs', frontDesk],
  ['waitlist_entries', frontDesk],
  ['viewers', everybody],
  ['sessions', []],
  ['no_such_table', []],
])('a change of %s is told to %j', async (table, told) => {
  const id = table === 'clinics' ? 'clinic' : 'record';

  const hearing = await Promise.all(
    roles.map(async (role) => {
      const { stream, next, tell } = open({ role });
      await next();
      tell(table, id);
      const heard = await next();
      await stream.return(undefined);
      expect(heard).toEqual(heard?.length ? [{ table, id }] : []);
      return heard?.length ? [role] : [];
    }),
  );

  expect(new Set(hearing.flat())).toEqual(new Set(told));
});

test.each([
  ['a record of another clinic', 'calls', 'record', 'other', false],
  ['a record of no clinic', 'calls', 'record', null, false],
  ['a pause of every clinic', 'outreach_pauses', 'pause', null, true],
  ['a pause of another clinic', 'outreach_pauses', 'pause', 'other', false],
  ['the clinic itself', 'clinics', 'clinic', null, true],
  ['another clinic', 'clinics', 'other', null, false],
  ['anything', '*', '*', null, true],
])('of %s: %s', async (_what, table, id, clinicId, isTold) => {
  const { stream, next, tell } = open();
  await next();

  tell(table, id, clinicId);

  expect(await next()).toEqual(isTold ? [{ table, id }] : []);
  await stream.return(undefined);
});

test('each change is told once, those that came together in one message, and silence by a comment', async () => {
  const { stream, next, tell } = open();
  const first = await stream.next();
  tell('calls', 'one');
  tell('calls', 'one');
  tell('calls', 'two');

  expect(first.value).toBe('retry: 1000\n: connected\n\n');
  expect(await next()).toEqual([
    { table: 'calls', id: 'one' },
    { table: 'calls', id: 'two' },
  ]);
  expect((await stream.next()).value).toBe(': still here\n\n');
  await stream.return(undefined);
});

test.each([
  [500, 500],
  [501, 1],
  [700, 1],
])('of %i changes that wait %i are told: beyond five hundred anything may have changed', async (count, told) => {
  const { stream, next, tell } = open();
  await next();
  for (let index = 0; index < count; index += 1) tell('calls', `call-${index}`);

  const heard = await next();

  expect(heard).toHaveLength(told);
  if (told === 1) expect(heard).toEqual([{ table: '*', id: '*' }]);
  expect(await next()).toEqual([]);
  await stream.return(undefined);
});

test.each([
  ['its session', 'sessions', 'session', true],
  ['another session', 'sessions', 'other', false],
  ['its account', 'users', 'account', true],
  ['another account', 'users', 'other', false],
])('it ends with a change of %s', async (_what, table, id, isEnd) => {
  const { stream, next, tell, listeners } = open();
  await next();

  tell(table, id, null);

  expect((await next()) === null).toBe(isEnd);
  expect(listeners.size).toBe(isEnd ? 0 : 1);
  await stream.return(undefined);
});

test.each([
  ['clinic', 1],
  ['other', 0],
])('whether the session lives is asked at once where the clinic %s changes', async (id, times) => {
  let asked = 0;
  const lives = async () => {
    asked += 1;
    return false;
  };
  const { stream, next, tell } = open({ lives });
  await next();

  tell('clinics', id, null);
  const heard = await next();

  expect([asked, heard === null]).toEqual([times, times === 1]);
  await stream.return(undefined);
});

test('it ends when its client goes, without another message', async () => {
  const { next, end, listeners } = open();
  await next();

  end.abort();

  expect(await next()).toBeNull();
  expect(listeners.size).toBe(0);
});

describe('while nothing else is to be said for a minute', () => {
  const silent = { heartbeatMs: 60_000 };
  const soon = <T>(message: Promise<T>) => Promise.race([message, delay(2_000, 'late' as const, { ref: false })]);

  test('a change is told as it comes, and one that came before at once', async () => {
    const { stream, next, tell } = open(silent);
    await next();

    tell('calls', 'before');
    const before = await soon(next());
    const waiting = next();
    const early = await Promise.race([waiting, delay(30, 'waits' as const)]);
    tell('calls', 'while it waits');

    expect([before, early, await soon(waiting)]).toEqual([
      [{ table: 'calls', id: 'before' }],
      'waits',
      [{ table: 'calls', id: 'while it waits' }],
    ]);
    await stream.return(undefined);
  });

  test('that anything may have changed takes the place of what changed before', async () => {
    const { stream, next, tell } = open(silent);
    await next();

    tell('calls', 'one');
    tell('*', '*', null);
    tell('calls', 'two');

    expect(await soon(next())).toEqual([{ table: '*', id: '*' }]);
    await stream.return(undefined);
  });

  test('it ends as soon as its client goes', async () => {
    const { next, end } = open(silent);
    await next();

    const waiting = next();
    end.abort();

    expect(await soon(waiting)).toBeNull();
  });
});

test('a session that lives on is asked once for a change of its clinic', async () => {
  let asked = 0;
  const lives = async () => {
    asked += 1;
    return true;
  };
  const { stream, next, tell } = open({ lives });
  await next();

  tell('clinics', 'clinic', null);
  const heard = [await next(), await next(), await next()];

  expect([asked, heard]).toEqual([1, [[{ table: 'clinics', id: 'clinic' }], [], []]]);
  await stream.return(undefined);
});
