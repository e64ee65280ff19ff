import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { aPhone } from '../faults/load';
import { lineThrough } from '../size/line-through';
import { type Measurement, measurementFile } from '../size/measurement';
import { formSender } from './forms';
import { type Owner, processorMs } from './processor-time';
import type { BenchStack } from './stack';

/** A clinic has 50 forms left behind a day, an eighth of them in the busiest hour. */
const CASES_A_SECOND = (Number(process.env.CLINICS ?? 1_000) * 50) / 8 / 3_600;
const MINUTES = Number(process.env.MINUTES ?? 30);
/** Nobody answers the first call, and somebody the second: a case has both, and is over before a step of load is measured. */
const RINGS_MS = 30_000;
const UNTIL_SECOND_S = 60;
const TALKS_MS = 180_000;
const LEAD_MS = 300_000;
const IDLE_MS = 120_000;

/**
 * What so many clinics do in their busiest hour, with calls of realistic length, in three steps: nothing, half of it, all of it.
 * Each step is measured once the cases of the one before are over. What a case costs is the slope over the steps; the whole goes to
 * test/proofs/size/measured.json, from which `npm run prove -- size` tells the engines that a number of clinics needs.
 */
export async function busyHour(stack: BenchStack): Promise<void> {
  const { clinic, stores, phones, analyze, temporalKind } = stack;
  const { clinicId } = clinic;
  const policy = await stores.clinics.policy(clinicId);
  await stores.clinics.setPolicy(clinicId, {
    ...policy,
    firstCallDelaySeconds: 0,
    secondsBetweenAttempts: UNTIL_SECOND_S,
    maxConcurrentCalls: 1_000,
  });
  await stores.clinics.setNumbersPerDay(clinicId, 1_000_000);
  const send = formSender(stack);
  let sent = 0;
  const failures: unknown[] = [];
  const sendOne = () => {
    const phone = aPhone();
    sent += 1;
    phones.plan(phone, [
      { isAnswered: false, resolves: null, lasts: () => delay(RINGS_MS) },
      { isAnswered: true, resolves: 'RECOVERED', lasts: () => delay(TALKS_MS) },
    ]);
    send(randomUUID(), phone).catch((error: unknown) => failures.push(error));
  };
  /** As they come: nobody waits for the answer to the one before. */
  const sendFor = async (ms: number, perSecond: number) => {
    const [from, before] = [performance.now(), sent];
    while (performance.now() - from < ms) {
      while (sent - before < ((performance.now() - from) / 1_000) * perSecond) sendOne();
      await delay(20);
    }
  };

  const loadMs = (MINUTES * 60_000 - IDLE_MS - 2 * LEAD_MS) / 3;
  if (loadMs < 60_000) throw new Error('MINUTES is at least 18: what the cases before a step do must be over');
  const steps: Step[] = [];
  for (const { share, ms } of [
    { share: 0, ms: IDLE_MS },
    { share: 0.5, ms: loadMs },
    { share: 1, ms: 2 * loadMs },
  ]) {
    const perSecond = share * CASES_A_SECOND;
    if (share > 0) await sendFor(LEAD_MS, perSecond);
    if (share > 0) await analyze();
    const before = await look(stack);
    const watched = watch(stack, perSecond);
    await sendFor(ms, perSecond);
    const [after, worst] = [await look(stack), await watched.stop()];
    steps.push({ perSecond, seconds: (after.at - before.at) / 1_000, before, after, worst });
    console.log(lineOf(steps.at(-1)!));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} forms of ${sent} were not taken`);
  const measurement = measurementOf(stack, steps);
  console.log(`${JSON.stringify(measurement, null, 2)}\n`);
  if (temporalKind === 'postgres') await writeFile(measurementFile, `${JSON.stringify(measurement, null, 2)}\n`);
  await stores.clinics.setPolicy(clinicId, policy);
}

interface Step {
  perSecond: number;
  seconds: number;
  before: Look;
  after: Look;
  worst: Worst;
}

type Look = Awaited<ReturnType<typeof look>>;

async function look(stack: BenchStack) {
  const [written, disk, metrics, lags] = await Promise.all([
    stack.written(),
    stack.diskBytes(),
    stack.workerMetrics(),
    stack.database.sql<{ total: number; ended: number }>`
      select count(*)::int as total, (count(*) filter (where ended_at is not null))::int as ended from recovery_cases`,
  ]);
  return {
    at: performance.now(),
    date: new Date(),
    processor: processorMs(),
    written,
    disk,
    memory: stack.memory(),
    waits: {
      workflow: bucketsOf(metrics, 'temporal_workflow_task_schedule_to_start_latency_seconds'),
      activity: bucketsOf(metrics, 'temporal_activity_schedule_to_start_latency_seconds'),
    },
    cases: lags[0] ?? { total: 0, ended: 0 },
  };
}

interface Worst {
  undispatchedRunSeconds: number;
  unsentMessageSeconds: number;
  dueCallSeconds: number;
  dueDeliverySeconds: number;
  callsAtOnce: number;
}

/** The oldest of what waits, looked at each second; a line a minute says how far it is. */
function watch({ stores, phones, memory }: BenchStack, perSecond: number): { stop(): Promise<Worst> } {
  const worst: Worst = {
    undispatchedRunSeconds: 0,
    unsentMessageSeconds: 0,
    dueCallSeconds: 0,
    dueDeliverySeconds: 0,
    callsAtOnce: 0,
  };
  const stopping = new AbortController();
  const watching = async () => {
    for (let looks = 1; !stopping.signal.aborted; looks += 1) {
      const now = { ...(await stores.backlog.read()), callsAtOnce: phones.live().calls };
      for (const name of Object.keys(worst) as (keyof Worst)[]) worst[name] = Math.max(worst[name], now[name]);
      if (looks % 60 === 0) {
        const { api, worker } = memory();
        console.log(
          `  ${perSecond.toFixed(2)} cases/s: ${now.callsAtOnce} calls, API ${api.toFixed(0)} MB, worker ${worker.toFixed(0)} MB`,
        );
      }
      await delay(1_000, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const watched = watching();
  return {
    async stop() {
      stopping.abort();
      await watched;
      return worst;
    },
  };
}

/** Counts by their upper bound in seconds, of all series of a histogram. */
function bucketsOf(metrics: string, name: string): Map<number, number> {
  const buckets = new Map<number, number>();
  for (const [, labels = '', count = ''] of metrics.matchAll(new RegExp(`^${name}_bucket\\{(.*)\\} (\\S+)$`, 'gm'))) {
    const [, bound = ''] = /le="([^"]+)"/.exec(labels) ?? [];
    const upTo = bound === '+Inf' ? Infinity : Number(bound);
    buckets.set(upTo, (buckets.get(upTo) ?? 0) + Number(count));
  }
  return buckets;
}

/** The bound that 95 of 100 are within, in ms; 0 where there were none. */
function p95Of(before: Map<number, number>, after: Map<number, number>): number {
  const counts = [...after].map(([bound, count]) => ({ bound, count: count - (before.get(bound) ?? 0) }));
  const all = Math.max(0, ...counts.map(({ count }) => count));
  if (all === 0) return 0;
  const bounds = counts.filter(({ count }) => count >= 0.95 * all).map(({ bound }) => bound);
  return 1_000 * Math.min(...bounds);
}

const ownersOf = (steps: Step[]): Owner[] =>
  (Object.keys(steps[0]!.after.processor) as Owner[]).filter((owner) => steps.at(-1)!.after.processor[owner] > 0);

/** ms of processor a second: a tenth of a percent of a core. */
const rateOf = ({ before, after, seconds }: Step, owner: Owner): number =>
  (after.processor[owner] - before.processor[owner]) / seconds;

function lineOf(step: Step): string {
  const { perSecond, seconds, before, after, worst } = step;
  const shares = ownersOf([step]).map((owner) => `${owner} ${(rateOf(step, owner) / 10).toFixed(1)}`);
  return `${perSecond.toFixed(2)} cases a second for ${(seconds / 60).toFixed(1)} minutes: ${after.cases.ended - before.cases.ended} ended
  processor, % of a core: ${shares.join(', ')}
  at worst ${worst.callsAtOnce} calls at once; the oldest start ${worst.undispatchedRunSeconds.toFixed(1)} s, message ${worst.unsentMessageSeconds.toFixed(1)} s, due call ${worst.dueCallSeconds.toFixed(1)} s, due delivery ${worst.dueDeliverySeconds.toFixed(1)} s
  schedule to start, p95: workflow tasks ${p95Of(before.waits.workflow, after.waits.workflow)} ms, activities ${p95Of(before.waits.activity, after.waits.activity)} ms`;
}

function measurementOf({ temporalKind }: BenchStack, steps: Step[]): Measurement {
  const per = (ofStep: (step: Step) => number) =>
    lineThrough(steps.map((step) => [step.perSecond, ofStep(step)] as const));
  const written = (name: keyof Look['written']) =>
    per(({ before, after, seconds }) => (after.written[name] - before.written[name]) / seconds).slope;
  const full = steps.at(-1)!;
  const ended = full.after.cases.total - full.before.cases.total;
  const grown = (name: keyof Look['disk']) => (full.after.disk[name] - full.before.disk[name]) / ended / 1_024;
  const owners = ownersOf(steps);
  const processor = Object.fromEntries(
    owners.map((owner) => {
      const { slope, intercept } = per((step) => rateOf(step, owner));
      return [owner, { msPerCase: round(slope), idlePercent: round(intercept / 10) }];
    }),
  );
  return {
    on: full.after.date.toISOString().slice(0, 10),
    cores: availableParallelism(),
    temporal: temporalKind,
    casesPerSecond: steps.map(({ perSecond }) => round(perSecond)),
    minutes: MINUTES,
    processor,
    walKbPerCase: round(written('walBytes') / 1_024),
    statementsPerCase: { service: round(written('byService')), temporal: round(written('byTemporal')) },
    diskKbPerCase: { service: round(grown('service')), temporal: round(grown('temporal')) },
    memoryMb: { api: round(full.after.memory.api), worker: round(full.after.memory.worker) },
    callsAtOnce: full.worst.callsAtOnce,
    scheduleToStartP95Ms: {
      workflow: p95Of(full.before.waits.workflow, full.after.waits.workflow),
      activity: p95Of(full.before.waits.activity, full.after.waits.activity),
    },
    oldestSeconds: {
      start: round(full.worst.undispatchedRunSeconds),
      message: round(full.worst.unsentMessageSeconds),
      dueCall: round(full.worst.dueCallSeconds),
      dueDelivery: round(full.worst.dueDeliverySeconds),
    },
  };
}

const round = (value: number): number => Math.round(100 * value) / 100;
