import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Change, type Changes, listenToChanges } from '@clinic/prisma/changes';
import { type Database, openDatabase } from '@clinic/prisma/client';
import { whyDatabaseFailed } from '@clinic/prisma/failures';
import type { Sql } from '@clinic/prisma/sql';
import { Client } from 'pg';
import { startTcpProxy, type TcpProxy } from '../proofs/faults/tcp-proxy';
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

test('a listener that finds no server looks for one twice a second', async () => {
  const tries: number[] = [];
  const nobody = createServer((socket) => {
    tries.push(performance.now());
    socket.destroy();
  });
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  const { port } = nobody.address() as AddressInfo;
  const changes = listenToChanges(`postgresql://nobody@127.0.0.1:${port}/none`);

  await eventually(() => tries.length >= 3);
  changes.close();
  nobody.close();

  expect([changes.lagSeconds(), (tries[2] ?? 0) - (tries[0] ?? 0) > 900]).toEqual([null, true]);
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
      const running = await direct.sql<{ pid: number | null }>`
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
      await note('later');
      await eventually(() => heard.some(({ id }) => id === 'later'), { within: 5_000 });
    });
  });
});

test.each<[state: string, failures: number, tries: number, isKept: boolean]>([
  ['40001', 2, 3, true],
  ['40P01', 3, 3, false],
  ['23505', 1, 1, false],
])(
  'a transaction that fails with %s %i times is tried %i times, and what failed has written nothing',
  async (state, failures, tries, isKept) => {
    const failure = Object.assign(new Error('it failed'), { code: state });
    const written: string[] = [];

    const done = await database
      .transaction(async (sql) => {
        const id = `${state} ${failures} ${written.length + 1}`;
        written.push(id);
        await noteIn(sql, id);
        if (written.length <= failures) throw failure;
        return id;
      })
      .catch((error: unknown) => error);

    expect(written).toHaveLength(tries);
    expect(done).toBe(isKept ? written.at(-1) : failure);
    const kept = await direct.sql<{
      id: string | null;
    }>`select record_id as id from changes where record_id = any(${written})`;
    expect(kept.map(({ id }) => id)).toEqual(isKept ? [done] : []);
  },
);

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
    await withListener(
      async (heard) => {
        proxy.weather({ kind: 'black-hole' });
        await delay(600);
        proxy.weather({ kind: 'clear' });

        await eventually(() => heard.some(({ table }) => table === '*'), { within: 10_000 });
        await note('later');
        await eventually(() => heard.some(({ id }) => id === 'later'), { within: 5_000 });
      },
      { silenceMs: 500 },
    );
  });

  test('a statement that takes longer than it may is ended by the server', async () => {
    const error = await database.sql`select pg_sleep(3)`.catch((reason: unknown) => reason);

    expect(whyDatabaseFailed(error)).toBe('57014');
  });
});

describe('the change feed', () => {
  const heardOf = (heard: Change[], ...ids: string[]) =>
    eventually(() => ids.every((id) => heard.some((each) => each.id === id)));

  test('tells of a transaction that began before others and ended after them, and of none that was rolled back', async () => {
    await withListener(async (heard) => {
      await direct.transaction(async (sql) => {
        await noteIn(sql, 'began-first');
        await direct
          .transaction(async (other) => {
            await noteIn(other, 'rolled-back');
            throw new Error('rolled back');
          })
          .catch(() => undefined);
        await note('ended-first');
        await heardOf(heard, 'ended-first');
        expect(heard.map(({ id }) => id)).toEqual(['ended-first']);
      });
      await heardOf(heard, 'began-first');

      expect(heard.map(({ id }) => id)).toEqual(['ended-first', 'began-first']);
    });
  });

  test('tells what a writer noted while another kept the bell', async () => {
    const writer = new Client({ connectionString: direct.url });
    await writer.connect();
    await writer.query('create table noted (id text, clinic_id text)');
    await writer.query('create trigger note_change after insert on noted for each row execute function note_change()');
    await withListener(async (heard) => {
      await eventually(async () => {
        const held = await direct.sql<{ pid: number | null }>`
          select pid from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
        return held.length === 0;
      });
      await direct.transaction(async (sql) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('changes', 0))`;
        await writer.query(`insert into noted values ('unrung', 'clinic')`);
        await eventually(() => heard.length > 0, { within: 5_000 });
        expect(heard).toEqual([{ table: 'noted', clinicId: 'clinic', id: 'unrung' }]);
      });
    });
    await writer.end();
  });

  test('keeps writers from ringing while there are changes, not in a quiet moment, and again after it', async () => {
    const held = async () => {
      const locks = await direct.sql<{ mode: string | null }>`
        select mode from pg_locks where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())`;
      return locks.map(({ mode }) => mode);
    };
    await withListener(async () => {
      for (let turn = 0; turn < 2; turn += 1) {
        await eventually(async () => (await held()).length === 0);
        await eventually(async () => {
          await note(`turn ${turn}`);
          return (await held()).length > 0;
        });
        expect(await held()).toEqual(['ShareLock']);
      }
    });
  });

  test('leaves the bell to writers for as long as it is quiet, and not for a moment now and then', async () => {
    await withListener(async () => {
      let free = 0;
      // Ten looks at the locks take longer than a listener that comes back for nothing stays away.
      await eventually(
        async () => {
          const held = await direct.sql`
            select from pg_locks where locktype = 'advisory' and granted
              and database = (select oid from pg_database where datname = current_database())`;
          free = held.length === 0 ? free + 1 : 0;
          return free === 10;
        },
        { within: 10_000, every: 30 },
      );
      expect(free).toBe(10);
    });
  });

  test('tells that anything may have changed once the table was emptied, as by a crash of the server, and goes on', async () => {
    await withListener(async (heard) => {
      await direct.sql`truncate changes`;
      await heardOf(heard, '*');
      await note('later');
      await heardOf(heard, 'later');

      expect(heard.map(({ id }) => id)).toEqual(['*', 'later']);
    });
  });

  test.each([
    [2_000, 2_000, 'last 2000'],
    [2_001, 1, '*'],
  ])('tells each of %i changes at once, or that anything may have changed', async (count, told, last) => {
    await withListener(async (heard) => {
      await direct.sql`
        insert into changes (xid, table_name, record_id)
        select pg_current_xact_id(), 'clinics', case when n = ${count}::int then 'last ' else 'many ' end || n
        from generate_series(1, ${count}::int) n`;
      await heardOf(heard, last);

      expect(heard).toHaveLength(told);
    });
  });

  test('tells what changed several times once, and what differs in anything apart', async () => {
    await withListener(async (heard) => {
      await direct.sql`
        insert into changes (xid, table_name, clinic_id, record_id)
        select pg_current_xact_id(), t, c, i from (values ('calls', 'a', 'x'), ('calls', 'a', 'x'), ('runs', 'a', 'x'),
          ('calls', 'b', 'x'), ('calls', 'a', 'y'), ('calls', null, 'x'), ('calls', 'a', 'x')) v (t, c, i)`;
      await eventually(() => heard.length > 0);

      expect(heard.map(({ table, clinicId, id }) => `${table} ${clinicId} ${id}`).toSorted()).toEqual([
        'calls a x',
        'calls a y',
        'calls b x',
        'calls null x',
        'runs a x',
      ]);
    });
  });

  test('tells whoever listens what this process announces, until they no longer listen, and says how late it is', async () => {
    const changes = listenToChanges(throughProxy());
    const heard: string[][] = [[], []];
    const ends = heard.map((each) => changes.subscribe(({ id }) => each.push(id)));
    const before = changes.lagSeconds();
    const announce = (id: string) => changes.announce({ table: 'clinics', clinicId: null, id });
    announce('first');
    ends[0]?.();
    announce('second');
    await eventually(() => changes.lagSeconds() !== null);
    const late = changes.lagSeconds() ?? -1;
    changes.close();

    const announced = heard.map((each) => each.filter((id) => id !== '*'));
    expect(announced).toEqual([['first'], ['first', 'second']]);
    expect([before, late >= 0, heard[1]?.includes('*')]).toEqual([null, true, true]);
  });

  test('deletes what was heard a while ago, and what was copied from a server with other transactions', async () => {
    await direct.sql`insert into changes (xid, table_name, record_id) values ('900000000000', 'clinics', 'copied')`;
    await withListener(
      async (heard) => {
        await note('soon gone');
        await heardOf(heard, 'soon gone');
        await eventually(async () => {
          const left = await direct.sql<{ id: string | null }>`select record_id as id from changes where xid > '0'`;
          return left.length === 0;
        });

        expect(heard.map(({ id }) => id)).not.toContain('copied');
      },
      { keptMs: 600 },
    );
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

/** As a trigger does, but without ringing. */
const noteIn = (sql: Sql, id: string) =>
  sql`insert into changes (xid, table_name, record_id) values (pg_current_xact_id(), 'clinics', ${id})`;
const note = (id: string) => noteIn(direct.sql, id);

async function withListener(
  work: (heard: Change[]) => Promise<void>,
  about: { silenceMs?: number; keptMs?: number } = {},
): Promise<void> {
  const changes: Changes = listenToChanges(throughProxy(), about);
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
