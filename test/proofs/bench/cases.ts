import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { InboundAccepted } from '@clinic/shared/contracts/events/inbound-events';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { aPhone } from '../faults/load';
import { startBare } from './bare';
import { formSender } from './forms';
import { load } from './load';
import { type Owner, processorMs } from './processor-time';
import type { BenchStack } from './stack';

const CASES = Number(process.env.CASES ?? 300);
const CLIENTS = 16;
const WARM_UP = 50;
const IDLE_MS = 20_000;
const servers: Record<BenchStack['temporalKind'], string> = {
  dev: "Temporal's development server",
  postgres: 'Temporal on PostgreSQL, as docker-compose.yml deploys it',
};

/**
 * What one case costs from its form to its delivered outcome, with one call that a voice platform outside plays: time, work of
 * Temporal and of PostgreSQL, beside the steps of a case on the same Temporal and nothing else.
 */
export async function cases(stack: BenchStack): Promise<void> {
  const { clinic, stores, temporal, analyze } = stack;
  const bare = await startBare(stack);
  const policy = await stores.clinics.policy(clinic.clinicId);
  await stores.clinics.setPolicy(clinic.clinicId, { ...policy, maxConcurrentCalls: 100 });
  const send = formSender(stack);
  const started: string[] = [];
  const run = async (count: number) => {
    const work = async () => {
      const at = started.push('') - 1;
      const { workflowId = '' } = InboundAccepted.parse(JSON.parse(await send(randomUUID(), aPhone())));
      started[at] = workflowId;
    };
    await load({ clients: CLIENTS, times: count, work });
    await stack.settled();
  };
  await run(Math.min(WARM_UP, CASES));
  await analyze();
  const idle = await idlePerSecond();

  const [workflowsBefore, databaseBefore, timeBefore] = [
    await workflowCount(stack),
    await stack.written(),
    processorMs(),
  ];
  const startedAt = performance.now();
  await run(CASES);
  const seconds = (performance.now() - startedAt) / 1_000;
  const [workflowsAfter, databaseAfter, timeAfter] = [await workflowCount(stack), await stack.written(), processorMs()];

  await load({ clients: CLIENTS, times: WARM_UP, work: bare.case });
  const [bareBefore, ownBefore] = [processorMs(), process.cpuUsage()];
  await load({ clients: CLIENTS, times: CASES, work: bare.case });
  const [bareAfter, own] = [processorMs(), process.cpuUsage(ownBefore)];
  await bare.stop();
  const bareMs = (owner: Owner) => (bareAfter[owner] - bareBefore[owner]) / CASES;
  const [bareTemporal, bareProcess] = [
    bareMs('Temporal') + bareMs('PostgreSQL for Temporal'),
    (own.user + own.system) / 1_000 / CASES,
  ];
  const bareAll = bareTemporal + bareProcess;

  const handle = temporal.workflow.getHandle(started.at(-1) ?? '');
  await handle.result();
  const { events } = JSON.parse(historyToJSON(await handle.fetchHistory())) as { events: { eventType: string }[] };
  const ms = (owner: Owner) => (timeAfter[owner] - timeBefore[owner]) / CASES;
  const names = Object.keys(timeAfter) as Owner[];
  const all = names.reduce((sum, owner) => sum + ms(owner), 0);
  const perCase = (key: keyof typeof databaseBefore) => (databaseAfter[key] - databaseBefore[key]) / CASES;
  const idleMs = (seconds * idle) / CASES;
  const shares = names.filter((owner) => timeAfter[owner] > 0).map((owner) => `${owner} ${ms(owner).toFixed(0)}`);
  console.log(`A case from its form to its delivered outcome, ${CASES} of them, on ${servers[stack.temporalKind]}
  ${(CASES / seconds).toFixed(1)} cases/s   goal >= 30
  ${all.toFixed(0)} ms of processor time: ${shares.join(', ')}; ${idleMs.toFixed(0)} of them pass when nothing happens too   goal <= 190
  ${(all / bareAll).toFixed(2)} times that of the bare steps, ${bareAll.toFixed(0)} ms: Temporal and its PostgreSQL ${bareTemporal.toFixed(0)}, worker and client in one process ${bareProcess.toFixed(0)}   goal at most 1.3 times
  ${events.length} events in its history   goal <= 30
    ${kindsOf(events).join(', ')}
  ${((workflowsAfter - workflowsBefore) / CASES).toFixed(2)} workflows   goal <= 1.1
  ${perCase('byService').toFixed(0)} SQL statements of the service, ${perCase('byTemporal').toFixed(0)} of Temporal; ${(perCase('walBytes') / 1_024).toFixed(1)} kB of WAL, ${(perCase('walByTemporal') / 1_024).toFixed(1)} of them by Temporal's\n`);
  await stack.workerSteps('A case', CASES, () => run(CASES));
  await stores.clinics.setPolicy(clinic.clinicId, policy);
}

/** How many events there are of each kind, the most frequent first. */
function kindsOf(events: { eventType: string }[]): string[] {
  const counts = new Map<string, number>();
  for (const { eventType } of events) {
    const kind = eventType.replace('EVENT_TYPE_', '').toLowerCase();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([kind, count]) => `${count} ${kind}`);
}

/** What all processes take together while nothing happens, in ms of processor time a second. */
async function idlePerSecond(): Promise<number> {
  const sum = () => Object.values(processorMs()).reduce((all, each) => all + each, 0);
  const before = sum();
  await delay(IDLE_MS);
  return (1_000 * (sum() - before)) / IDLE_MS;
}

const workflowCount = async ({ temporal }: BenchStack): Promise<number> => (await temporal.workflow.count()).count;
