import { performance } from 'node:perf_hooks';

export interface Measured {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

/** `2.4 / 8.1`: what half of them took at most, and what nearly all. */
export const shown = (each: Measured | undefined): string =>
  each ? `${each.p50.toFixed(1)} / ${each.p95.toFixed(1)}` : '–';

/** Runs `work` `times` times, `clients` at once. Latencies are in milliseconds; a failure ends the run. */
export async function load({
  clients,
  times,
  work,
}: {
  clients: number;
  times: number;
  work: (index: number) => Promise<unknown>;
}): Promise<Measured> {
  const latencies: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const client = async () => {
    while (next < times) {
      const index = next;
      next += 1;
      const from = performance.now();
      await work(index);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { perSecond: times / seconds, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/**
 * Measures two ways of doing a thing in turns, so that both see the same machine: the best round of each counts.
 * The first round of both only warms up.
 */
export async function compare({
  rounds = 3,
  ours,
  baseline,
}: {
  rounds?: number;
  ours: (round: number) => Promise<Measured>;
  baseline: (round: number) => Promise<Measured>;
}): Promise<{ ours: Measured; baseline: Measured; ratio: number }> {
  const measured: { ours: Measured[]; baseline: Measured[] } = { ours: [], baseline: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const [theirs, mine] = [await baseline(round), await ours(round)];
    if (round === 0) continue;
    measured.baseline.push(theirs);
    measured.ours.push(mine);
  }
  const best = (all: Measured[]) => all.reduce((top, each) => (each.perSecond > top.perSecond ? each : top));
  const result = { ours: best(measured.ours), baseline: best(measured.baseline) };
  return { ...result, ratio: result.ours.perSecond / result.baseline.perSecond };
}

/** One line of the report. */
export function report(
  name: string,
  { ours, baseline, ratio }: Awaited<ReturnType<typeof compare>>,
  goal: string,
): void {
  const figures = ({ perSecond, p50, p95, p99 }: Measured) =>
    `${perSecond.toFixed(0)}/s p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} p99 ${p99.toFixed(1)} ms`;
  console.log(`${name}\n  ours      ${figures(ours)}\n  baseline  ${figures(baseline)}`);
  console.log(`  ratio     ${ratio.toFixed(2)}   goal ${goal}\n`);
}
