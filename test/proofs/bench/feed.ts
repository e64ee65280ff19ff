import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { supervise } from '@clinic/local/child';
import { startGuard } from '@clinic/local/guard';
import { freePort } from '@clinic/local/ports';
import { ensureDatabase, postgres, postgresUrl } from '@clinic/local/postgres';
import { listenToChanges } from '@clinic/prisma/changes';
import { type Database, openDatabase } from '@clinic/prisma/client';
import { migrate } from '@clinic/prisma/migrate';
import { seedDemo } from '@clinic/accounts/seed';
import { readApiConfig } from '@clinic/shared/config';
import { newId } from '@clinic/shared/crypto';
import { Client } from 'pg';
import { serviceEnvironment } from '../../support/app';
import { openStream } from '../../support/event-stream';
import { fill } from '../../support/fill';
import { compare, load, report } from './load';
import type { BenchStack } from './stack';

const GOAL = '>= 0.90';
const TIMES = 6_000;
const ROUNDS = 5;
const PROBES = 60;

/**
 * What the change feed costs those who write, a row in each commit: without its trigger and with it, on a server that waits
 * for its disk as a real one does, while a process listens. Then how long a change takes to the dashboard's stream.
 */
export async function feed(stack: BenchStack): Promise<void> {
  stack.holdWorker();
  try {
    await withDurableDatabase(async (database) => {
      const listening = listenToChanges(database.url);
      await isolatedTable(database);
      await realTable(database);
      listening.close();
    });
    await untilShown(stack);
  } finally {
    stack.resumeWorker();
  }
}

async function isolatedTable(database: Database): Promise<void> {
  const owner = await connected(database.url);
  await owner.query('create table bench_rows (id text primary key, clinic_id text not null, n int not null)');
  await owner.query(`insert into bench_rows select 'row-' || n, 'clinic', 0 from generate_series(0, 9999) n`);
  await owner.query(
    'create trigger note_change after update on bench_rows for each row execute function note_change()',
  );
  await owner.end();
  await writers(database, 'bench_rows', 'an isolated table', (index) => ({
    name: 'isolated',
    text: 'update bench_rows set n = n + 1 where id = $1',
    values: [`row-${index % 10_000}`],
  }));
}

async function realTable(database: Database): Promise<void> {
  const config = readApiConfig(serviceEnvironment({ port: 0, databaseUrl: database.url, namespace: 'bench' }));
  const { clinics } = await seedDemo({ database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET });
  const clinicId = clinics[0]?.clinicId ?? '';
  await fill(database, { clinicIds: [clinicId], cases: 5_000 });
  const calls = await database.sql<{ id: string }>`select id from calls where clinic_id = ${clinicId}`;
  await writers(database, 'calls', 'calls', (index) => ({
    name: 'real',
    text: 'update calls set requests = requests + 1 where clinic_id = $1 and id = $2',
    values: [clinicId, calls[index % calls.length]?.id],
  }));
}

type Statement = { name: string; text: string; values: unknown[] };

async function writers(
  database: Database,
  table: 'bench_rows' | 'calls',
  called: string,
  statement: (index: number) => Statement,
): Promise<void> {
  const owner = await connected(database.url);
  for (const clients of [64, 8]) {
    const free = await Promise.all(Array.from({ length: clients }, () => connected(database.url)));
    const commits = async (how: 'enable' | 'disable') => {
      await owner.query(`alter table ${table} ${how} trigger note_change`);
      return load({
        clients,
        times: TIMES,
        async work(index) {
          const client = free.pop();
          if (!client) throw new Error('each client has its connection');
          await client.query(statement(index));
          free.push(client);
        },
      });
    };
    const compared = await compare({
      rounds: ROUNDS,
      baseline: () => commits('disable'),
      ours: () => commits('enable'),
    });
    report(`Commits of ${clients} writers with the change feed, ${called}`, compared, GOAL);
    await Promise.all(free.map((client) => client.end()));
  }
  await owner.end();
}

/** A change while nothing else happens, and while 64 writers do: until it came out of the API's stream. */
async function untilShown({ api, clinic, database, post }: BenchStack): Promise<void> {
  const { clinicId, email, password } = clinic;
  const { token } = JSON.parse(await post(`${api}/auth/sign-in/email`, { email, password })) as { token: string };
  const [other] = await database.sql<{ id: string }>`select id from clinics where id <> ${clinicId} limit 1`;
  const aPatients = async (ofClinic: string, times: number) => {
    const ids = Array.from({ length: times }, () => newId());
    await database.sql`
      insert into patients (id, clinic_id, first_name, last_name)
      select id, ${ofClinic}, 'Bench', 'Feed' from unnest(${ids}::text[]) id`;
    return ids;
  };
  const ours = await aPatients(clinicId, PROBES);
  const theirs = await aPatients(other?.id ?? '', 1_000);
  const shown = async (): Promise<number[]> => {
    const times: number[] = [];
    for (const id of ours) {
      const stream = await openStream(api, token);
      const from = performance.now();
      await database.sql`update patients set last_name = 'Changed' where id = ${id}`;
      while (!stream.changes().some((change) => change.id === id || change.id === '*')) await delay(1);
      times.push(performance.now() - from);
      stream.close();
    }
    return times.toSorted((a, b) => a - b);
  };
  const told = (name: string, times: number[]) =>
    console.log(
      `  ${name.padEnd(20)} p50 ${times[times.length >> 1]?.toFixed(0)}, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(0)}, max ${times.at(-1)?.toFixed(0)} ms   goal <= 300 ms`,
    );

  console.log('A change, from its statement to the dashboard’s stream');
  told('nobody else writes', await shown());
  const others = await Promise.all(Array.from({ length: 64 }, () => connected(database.url)));
  let isOver = false;
  const writing = Promise.all(
    others.map(async (client, n) => {
      for (let index = n; !isOver; index += 64) {
        await client.query({
          name: 'others',
          text: 'update patients set billing_notes = to_jsonb($1::int) where id = $2',
          values: [index, theirs[index % theirs.length]],
        });
        await delay(20);
      }
      await client.end();
    }),
  );
  told('64 write, 20 ms apart', await shown());
  isOver = true;
  await writing;
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** A migrated database on a PostgreSQL of its own that keeps what it has said it keeps. */
async function withDurableDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'clinic-bench-'));
  await chmod(folder, 0o755);
  const guard = startGuard();
  const dataDir = join(folder, 'postgres');
  for (const path of [dataDir, folder]) guard.folder(path);
  const server = { port: await freePort(), password: 'bench' };
  const spec = await postgres({ ...server, dataDir, logFile: join(folder, 'postgres.log') });
  const running = await supervise(spec, { say: (line) => console.log(line), ...guard });
  try {
    await ensureDatabase(postgresUrl(server, 'postgres'), 'bench');
    const url = postgresUrl(server, 'bench');
    await migrate(url);
    const database = openDatabase(url, { statementTimeoutMs: 600_000, silenceMs: 600_000 });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  } finally {
    await running.stop();
    for (const path of [await realpath(dataDir).catch(() => dataDir), folder])
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    guard.release();
  }
}
