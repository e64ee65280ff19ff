import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { InboundAccepted } from '@clinic/shared/contracts/events/inbound-events';
import { formSender } from './forms';
import { load } from './load';
import { type Owner, processorMs } from './processor-time';
import type { BenchStack } from './stack';

const OPEN = Number(process.env.OPEN_CASES ?? 500);
const WARM_UP = 50;
const WATCHED_MS = 60_000;
const TERMINATED = 50;

/**
 * What a case costs that waits for its first call: memory of the worker that keeps it in its cache, disk, and processor time
 * while nothing happens. Then fifty workflows are terminated behind the service's back, and their runs waited for.
 */
export async function openCases(stack: BenchStack): Promise<void> {
  const { api, clinic, stores, post, analyze, undispatched } = stack;
  const { clinicId, apiKey } = clinic;
  const send = formSender(stack);
  const opened: string[] = [];
  const open = async (count: number) => {
    const work = async () => {
      const phone = `+1${2_132_000_000 + opened.length}`;
      const at = opened.push('') - 1;
      opened[at] = InboundAccepted.parse(JSON.parse(await send(randomUUID(), phone))).workflowId ?? '';
    };
    await load({ clients: 16, times: count, work });
    while ((await undispatched()) > 0) await delay(100);
    // They tell the clinic that they began, and write down when the first call is due.
    await delay(10_000);
  };
  const policy = await stores.clinics.policy(clinicId);
  await stores.clinics.setPolicy(clinicId, { ...policy, firstCallDelaySeconds: 86_400 });
  await open(WARM_UP);
  await analyze();

  const [memoryBefore, diskBefore] = [stack.memory(), await stack.diskBytes()];
  await open(OPEN);
  const [memoryAfter, diskAfter] = [stack.memory(), await stack.diskBytes()];
  const timeBefore = processorMs();
  await delay(WATCHED_MS);
  const timeAfter = processorMs();

  const share = (owner: Owner) => ((100 * (timeAfter[owner] - timeBefore[owner])) / WATCHED_MS).toFixed(1);
  const names = (Object.keys(timeAfter) as Owner[]).filter((owner) => timeAfter[owner] > 0);
  const disk = (owner: keyof typeof diskAfter) => ((diskAfter[owner] - diskBefore[owner]) / OPEN / 1_024).toFixed(1);
  console.log(`Cases that wait for their first call, ${OPEN + WARM_UP} of them
  worker    ${memoryBefore.worker.toFixed(0)} MB with ${WARM_UP}, ${memoryAfter.worker.toFixed(0)} MB with all: ${((memoryAfter.worker - memoryBefore.worker) / OPEN).toFixed(2)} MB each
  disk      ${disk('service')} kB each in the records${diskAfter.temporal > 0 ? `, ${disk('temporal')} kB in Temporal's` : ''}
  processor ${names.map((owner) => `${owner} ${share(owner)}`).join(', ')} % of a core while they wait\n`);
  const seconds = await secondsUntilMended(stack, opened.slice(-TERMINATED));
  console.log(
    `${TERMINATED} of them terminated in Temporal: their runs have ended after ${seconds.toFixed(0)} s   goal <= 120 s\n`,
  );
  for (const workflowId of opened.slice(0, -TERMINATED))
    await post(`${api}/workflows/${workflowId}/cancel`, {}, { authorization: `Bearer ${apiKey}` });
  await stack.settled();
  await stores.clinics.setPolicy(clinicId, policy);
}

/** What nobody tells the service of, the reconciler finds by Temporal's list of what has closed. */
async function secondsUntilMended({ temporal, database }: BenchStack, workflowIds: string[]): Promise<number> {
  const from = performance.now();
  await Promise.all(workflowIds.map((workflowId) => temporal.workflow.getHandle(workflowId).terminate('bench')));
  const isOpen = { id: { in: workflowIds }, status: 'started' };
  while ((await database.prisma.workflowRun.count({ where: isOpen })) > 0) await delay(500);
  return (performance.now() - from) / 1_000;
}
