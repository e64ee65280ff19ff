import { setTimeout as delay } from 'node:timers/promises';
import type { Violation } from './checker';
import type { Evidence, Execution, FaultEntry, Recovery, RequestEntry, Reversal } from './evidence';
import type { House } from './house';
import type { Ledger } from './ledger';
import type { Load } from './load';
import type { Target } from './processes';
import type { Random } from '@clinic/local/random';

export const tiers = ['pr', 'nightly', 'release'] as const;
export type Tier = (typeof tiers)[number];

/** What a scenario works with. */
export interface Stage {
  house: House;
  load: Load;
  random: Random;
  prefix: string;
  requests: Ledger<RequestEntry>;
  faults: Ledger<FaultEntry>;
  recoveries: Recovery[];
  reversals: Reversal[];
  /** What a Temporal that was lost knew, and the present one need not know. */
  lostExecutions: Execution[];
  /** When the records were set back to a backup, and when that was taken; null where they were not. */
  restored: { backedUpAt: Date; at: Date } | null;
  /** How much slower this machine is now than an idle one; every deadline is multiplied by it. */
  patience: number;
  say(line: string): void;
}

/** Shows what no promise is about, as `ops 120` in the table. */
export type Figures = Record<string, string | number>;

export interface Scenario<N = object> {
  id: string;
  title: string;
  /** Null where the tier leaves it out. */
  numbers: Record<Tier, N | null>;
  /** How soon after the last fault nothing is behind. */
  drainsWithinSeconds: number;
  /** False where neither retries nor redeliveries are to be expected. */
  expectsTrouble?: boolean;
  /** Staff send again what is delivered meanwhile: a delivery may be pending twice. */
  mayRedeliver?: boolean;
  /** Plays it: load and faults. The suite then waits until nothing is open, and checks. */
  play(stage: Stage, numbers: N): Promise<Figures | void>;
  /** What is to be checked, where it is not all that was seen, and what broke a promise of the scenario's own. */
  judge?(stage: Stage, evidence: Evidence): Promise<{ evidence: Evidence; violations: Violation[] }>;
}

/** Lets a scenario state the type of its numbers once. */
export const scenario = <N>(given: Scenario<N>): Scenario => given as unknown as Scenario;

/** Notes a fault with the proof that its target is there; it is for the caller to do it. */
export function note({ faults }: Stage, fault: string, target: Target): void {
  const pid = target.pid();
  faults.add({ at: new Date().toISOString(), fault, target: target.name, pid, wasAlive: pid !== null && exists(pid) });
}

/** Notes a fault of the network. */
export function noteEdge({ faults }: Stage, fault: string, edge: string, connections: number): void {
  faults.add({ at: new Date().toISOString(), fault, target: edge, pid: null, wasAlive: connections > 0 });
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** SIGKILL, and a new start some time later. Resolves when the target is at work again. */
export async function killAndRestart(stage: Stage, target: Target): Promise<void> {
  const pauseMs = stage.random.between(0, 2_000);
  await untilAlive(stage, target);
  note(stage, 'SIGKILL', target);
  await target.kill();
  await delay(pauseMs);
  await target.start();
}

/** What ended by itself is started again by its supervisor; no fault may hit what is not there. */
export async function untilAlive({ patience }: Stage, target: Target): Promise<void> {
  for (const deadline = Date.now() + 20_000 * patience; !target.isAlive(); await delay(50)) {
    if (Date.now() > deadline) throw new Error(`${target.name} does not come back`);
  }
}

/** Measures how long it takes until something is so, from `since`; Infinity when it never is. */
export async function measureRecovery(
  { recoveries, patience }: Stage,
  what: string,
  { isSo, withinSeconds, since = Date.now() }: { isSo: () => Promise<boolean>; withinSeconds: number; since?: number },
): Promise<void> {
  const allowed = withinSeconds * patience;
  for (;;) {
    const isRecovered = await isSo().catch(() => false);
    const seconds = (Date.now() - since) / 1_000;
    if (isRecovered || seconds > allowed * 1.5) {
      recoveries.push({ what, seconds: isRecovered ? seconds : Infinity, withinSeconds: allowed });
      return;
    }
    await delay(100);
  }
}
