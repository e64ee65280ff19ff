import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { InboundAccepted } from '@clinic/shared/contracts/inbound-events';
import { formSender } from './forms';
import { load } from './load';
import type { BenchStack } from './stack';

const CASES = 300;
const CLIENTS = 16;
/** Of Linux, in the unit of /proc. */
const TICKS_PER_SECOND = 100;

/** Whose processor time a case takes, by how the process was started. */
const owners = {
  Temporal: /temporal\S* server start-dev/,
  PostgreSQL: /postgres/,
  worker: /dist\/worker\.js/,
  API: /dist\/api\.js/,
} as const;
type Owner = keyof typeof owners;

/** What one case costs from its form to its delivered outcome, with a simulated call: time, work of Temporal, and of PostgreSQL. */
export async function cases(stack: BenchStack): Promise<void> {
  const { clinic, stores, temporal, analyze } = stack;
  const policy = await stores.clinics.policy(clinic.clinicId);
  await stores.clinics.setPolicy(clinic.clinicId, { ...policy, maxConcurrentCalls: 100 });
  const send = formSender(stack);
  const started: string[] = [];
  const run = async (count: number) => {
    const work = async () => {
      // Nobody shares a phone, so that no call waits for another.
      const phone = `+1${2_122_000_000 + started.length}`;
      started.push('');
      const at = started.length - 1;
      const { workflowId = '' } = InboundAccepted.parse(JSON.parse(await send(randomUUID(), phone)));
      started[at] = workflowId;
    };
    await load({ clients: CLIENTS, times: count, work });
    await stack.settled();
  };
  await run(50);
  await analyze();

  const [workflowsBefore, databaseBefore, timeBefore] = [await workflowCount(stack), await written(stack), spent()];
  const startedAt = performance.now();
  await run(CASES);
  const seconds = (performance.now() - startedAt) / 1_000;
  const [workflowsAfter, databaseAfter, timeAfter] = [await workflowCount(stack), await written(stack), spent()];

  const handle = temporal.workflow.getHandle(started.at(-1) ?? '');
  await handle.result();
  const { events } = await handle.fetchHistory();
  const ms = (owner: Owner) => (1_000 * (timeAfter[owner] - timeBefore[owner])) / TICKS_PER_SECOND / CASES;
  const names = Object.keys(owners) as Owner[];
  const all = names.reduce((sum, owner) => sum + ms(owner), 0);
  const perCase = (key: 'commits' | 'walBytes') => (databaseAfter[key] - databaseBefore[key]) / CASES;
  console.log(`A case from its form to its delivered outcome, ${CASES} of them, on Temporal's development server
  ${(CASES / seconds).toFixed(1)} cases/s   goal >= 30
  ${all.toFixed(0)} ms of processor time: ${names.map((owner) => `${owner} ${ms(owner).toFixed(0)}`).join(', ')}
  ${events?.length ?? 0} events in its history   goal <= 30
  ${((workflowsAfter - workflowsBefore) / CASES).toFixed(2)} workflows, of which one plays the patient   goal <= 2
  ${perCase('commits').toFixed(0)} transactions, ${(perCase('walBytes') / 1_024).toFixed(1)} kB of WAL\n`);
  await stores.clinics.setPolicy(clinic.clinicId, policy);
}

const workflowCount = async ({ temporal }: BenchStack): Promise<number> => (await temporal.workflow.count()).count;

async function written({ database }: BenchStack): Promise<{ commits: number; walBytes: number }> {
  const [row] = await database.sql<{ commits: number; walBytes: number }>`
    select coalesce(xact_commit, 0)::int as commits, coalesce(pg_current_wal_lsn() - '0/0', 0)::float8 as "walBytes"
    from pg_stat_database where datname = current_database()`;
  return row ?? { commits: 0, walBytes: 0 };
}

/** Processor time in ticks of this process's children and theirs, those that have ended included. */
function spent(): Record<Owner, number> {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const ours = new Set([process.pid]);
  for (let size = 0; size !== ours.size;) {
    size = ours.size;
    for (const { pid, parent } of processes) if (ours.has(parent)) ours.add(pid);
  }
  const sum = { Temporal: 0, PostgreSQL: 0, worker: 0, API: 0 };
  for (const { pid, command, ticks } of processes) {
    const owner = (Object.keys(owners) as Owner[]).find((name) => owners[name].test(command));
    if (owner && ours.has(pid)) sum[owner] += ticks;
  }
  return sum;
}

function readProcess(name: string): { pid: number; parent: number; command: string; ticks: number }[] {
  try {
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
    // The name of the program, in parentheses, may hold anything.
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return [{ pid: Number(name), parent: Number(fields[1]), command, ticks }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
