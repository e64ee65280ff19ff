import { setTimeout as delay } from 'node:timers/promises';
import { type Change, type Changes, listenToChanges } from '@clinic/prisma/changes';
import { type Database, openDatabase } from '@clinic/prisma/client';
import { whyDatabaseFailed } from '@clinic/prisma/failures';
import { startTcpProxy, type TcpProxy } from '../faults/tcp-proxy';
import { freshDatabase } from '../support/database';
import { eventually } from '../support/eventually';

const SILENCE_MS = 1_500;

let direct: Database;
let proxy: TcpProxy;
let database: Database;

beforeAll(async () => {
  direct = await freshDatabase();
  proxy = await startTcpProxy({ upstream: () => ({ port: Number(new URL(direct.url).port) }) });
});

beforeEach(() => {
  proxy.weather({ kind: 'clear' });
  database = openDatabase(throughProxy(), { poolSize: 4, statementTimeoutMs: 1_000, silenceMs: SILENCE_MS });
});

afterEach(() => database.close());

afterAll(async () => {
  await proxy.close();
  await direct.close();
});

describe.each([
  { how: 'is ended by the server', harm: () => terminateAll() },
  { how: 'is reset', harm: async () => proxy.cut() },
])('a connection that $how', ({ harm }) => {
  test('between two statements of a transaction fails that transaction only', async () => {
    const broken = database.transaction(async (sql) => {
      await sql<{ one: number }>`select 1 as one`;
      await harm();
      await delay(300);
      return sql<{ one: number }>`select 1 as one`;
    });

    const error = await broken.catch((reason: unknown) => reason);
    expect(whyDatabaseFailed(error)).toMatch(/^(57P01|ECONNRESET|connection_lost)$/);
    expect(await database.sql<{ one: number }>`select 1 as one`).toEqual([{ one: 1 }]);
  });

  test('during a statement of the generated client fails that one only, for a reason that can be read', async () => {
    await database.prisma.clinic.count();
    const slow = database.prisma.$queryRaw`select pg_sleep(0.9)`.catch((reason: unknown) => reason);
    await eventually(async () => {
      const running = await direct.sql<{ pid: number }>`
        select pid from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(0.9)'`;
      return running.length > 0;
    });
    await harm();

    const error = await slow;
    expect(whyDatabaseFailed(error)).toMatch(/^(57P01|ECONNRESET|P1017|connection_lost)$/);
    expect(await database.prisma.clinic.count()).toBe(0);
  });

  test('in a transaction of the generated client fails that transaction only', async () => {
    const broken = database.prisma.$transaction(async (tx) => {
      await tx.clinic.count();
      await harm();
      await delay(300);
      return tx.clinic.count();
    });

    const error = await broken.catch((reason: unknown) => reason);
    expect(whyDatabaseFailed(error)).not.toBeNull();
    expect(await database.prisma.clinic.count()).toBe(0);
  });

  test('while it listens is opened again, and listeners are told that anything may have changed', async () => {
    await withListener(async (heard) => {
      await harm();

      await eventually(() => heard.some(({ table }) => table === '*'), { within: 10_000 });
      await direct.sql`select pg_notify('changes', '{"table":"clinics","clinicId":null,"id":"later"}')`;
      await eventually(() => heard.some(({ id }) => id === 'later'), { within: 5_000 });
    });
  });
});

describe('connections that go silent', () => {
  const silently = async (work: () => Promise<unknown>) => {
    await Promise.all(Array.from({ length: 4 }, () => database.sql<{ one: number }>`select 1 as one`));
    proxy.weather({ kind: 'black-hole' });
    const startedAt = performance.now();
    const error = await work().catch((reason: unknown) => reason);
    const afterMs = performance.now() - startedAt;
    proxy.weather({ kind: 'clear' });
    return { code: whyDatabaseFailed(error), afterMs };
  };

  test.each<[string, () => Promise<unknown>]>([
    ['statement', () => database.sql<{ one: number }>`select 1 as one`],
    ['transaction', () => database.transaction((sql) => sql<{ one: number }>`select 1 as one`)],
    ['statement of the generated client', () => database.prisma.clinic.count()],
    ['transaction of the generated client', () => database.prisma.$transaction((tx) => tx.clinic.count())],
  ])('fail a %s in time, and are never used again', async (_what, work) => {
    const { code, afterMs } = await silently(work);

    expect(code).toMatch(/^(ETIMEDOUT|P1008)$/);
    expect(afterMs).toBeLessThan(SILENCE_MS * 2);
    const again = await Promise.allSettled(Array.from({ length: 4 }, work));
    await eventually(
      () =>
        work().then(
          () => true,
          () => false,
        ),
      { within: 5_000 },
    );
    expect(again).toHaveLength(4);
  });

  test('fail what is in the middle of a transaction', async () => {
    const startedAt = performance.now();
    const error = await database
      .transaction(async (sql) => {
        await sql<{ one: number }>`select 1 as one`;
        proxy.weather({ kind: 'black-hole' });
        return sql<{ one: number }>`select 1 as one`;
      })
      .catch((reason: unknown) => reason);

    expect(whyDatabaseFailed(error)).toBe('ETIMEDOUT');
    expect(performance.now() - startedAt).toBeLessThan(SILENCE_MS * 2);
  });

  test('a listener that no longer hears anything notices, and listens again', async () => {
    await withListener(async (heard) => {
      proxy.weather({ kind: 'black-hole' });
      await delay(600);
      proxy.weather({ kind: 'clear' });

      await eventually(() => heard.some(({ table }) => table === '*'), { within: 10_000 });
      await direct.sql`select pg_notify('changes', '{"table":"clinics","clinicId":null,"id":"later"}')`;
      await eventually(() => heard.some(({ id }) => id === 'later'), { within: 5_000 });
    }, 500);
  });

  test('a statement that takes longer than it may is ended by the server', async () => {
    const error = await database.sql`select pg_sleep(3)`.catch((reason: unknown) => reason);

    expect(whyDatabaseFailed(error)).toBe('57014');
  });
});

const throughProxy = () => {
  const url = new URL(direct.url);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  return url.href;
};

async function terminateAll(): Promise<void> {
  await direct.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`;
}

async function withListener(work: (heard: Change[]) => Promise<void>, heartbeatMs?: number): Promise<void> {
  const changes: Changes = listenToChanges(throughProxy(), { heartbeatMs });
  const heard: Change[] = [];
  changes.subscribe((change) => heard.push(change));
  try {
    await eventually(() => heard.length > 0);
    heard.length = 0;
    await work(heard);
  } finally {
    changes.close();
  }
}
