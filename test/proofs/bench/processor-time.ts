import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux, in the unit of /proc. */
const TICKS_PER_SECOND = 100;

/** Whose processor time it is, by how the process was started. */
const owners = {
  Temporal: /temporal\S* (server start-dev|start$)/,
  'PostgreSQL for Temporal': /postgres: temporal /,
  PostgreSQL: /postgres/,
  worker: /dist\/worker\.js/,
  API: /dist\/api\.js/,
} as const;
export type Owner = keyof typeof owners;

/** Processor time in ms of this process's children and theirs, those that have ended included. */
export function processorMs(): Record<Owner, number> {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const ours = new Set([process.pid]);
  for (let size = 0; size !== ours.size;) {
    size = ours.size;
    for (const { pid, parent } of processes) if (ours.has(parent)) ours.add(pid);
  }
  const sum = { Temporal: 0, 'PostgreSQL for Temporal': 0, PostgreSQL: 0, worker: 0, API: 0 };
  for (const { pid, command, ticks } of processes) {
    const owner = (Object.keys(owners) as Owner[]).find((name) => owners[name].test(command));
    if (owner && ours.has(pid)) sum[owner] += (1_000 * ticks) / TICKS_PER_SECOND;
  }
  return sum;
}

function readProcess(name: string): { pid: number; parent: number; command: string; ticks: number }[] {
  try {
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
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
