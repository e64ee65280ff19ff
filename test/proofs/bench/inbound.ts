import { setTimeout as delay } from 'node:timers/promises';
import { formOf, formSender } from './forms';
import { compare, load, report } from './load';
import type { BenchStack } from './stack';

const WARM_UP = 1_500;
const BURST = 2_000;
const TIMES = 2_500;

/** Accepting events: a burst of 64 clients with none lost or doubled, and 16 clients against one INSERT behind bare Express. */
export async function inbound(stack: BenchStack): Promise<void> {
  await burst(stack);
  await accepting(stack);
}

async function burst(stack: BenchStack): Promise<void> {
  const { database, settled, analyze } = stack;
  const send = formSender(stack);
  await load({ clients: 16, times: WARM_UP, work: (index) => send(`warm-up-${index}`) });
  await settled();
  await analyze();
  const { perSecond, p99 } = await load({ clients: 64, times: BURST, work: (index) => send(`burst-${index}`) });
  const startedAt = Date.now();
  const [cases] = await database.sql<{ count: number }>`
    select count(*)::int as count from recovery_cases where session_id like 'burst-%'`;
  await settled();
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  console.log(`Burst of ${BURST} sessions, 64 clients`);
  console.log(`  accepted  ${perSecond.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms   goal >= 1,000/s`);
  console.log(`  cases     ${cases?.count} of ${BURST}; all ended, and told to the clinic, ${seconds} s later\n`);
}

/**
 * Beside one INSERT a request, behind Express and behind Node's own server alone. The worker does nothing meanwhile: what a case
 * does afterwards is not what its event waits for.
 */
async function accepting(stack: BenchStack): Promise<void> {
  const { clinic, baseline, post, analyze } = stack;
  const send = formSender(stack);
  stack.holdWorker();
  try {
    for (const [clients, route, goal] of [
      [16, 'insert', '>= 0.60'],
      [64, 'insert', '>= 1.0'],
      [16, 'insert-without-express', 'none'],
    ] as const) {
      const compared = await compare({
        baseline: (round) =>
          load({
            clients,
            times: TIMES,
            work: (index) => {
              const session = `base-${route}-${clients}-${round}-${index}`;
              return post(`${baseline}/${route}`, { ...formOf(session), session, clinicId: clinic.clinicId });
            },
          }),
        ours: async (round) => {
          const work = (index: number) => send(`ours-${route}-${clients}-${round}-${index}`);
          const measured = await load({ clients, times: TIMES, work });
          await untilDispatched(stack);
          await analyze();
          return measured;
        },
      });
      report(`Inbound webhook, answered (${clients} clients), beside /${route}`, compared, goal);
    }
    const work = (index: number) => send(`steps-${index}`);
    await stack.steps('Inbound webhook', TIMES, () => load({ clients: 16, times: TIMES, work }));
  } finally {
    stack.resumeWorker();
  }
}

/** Until the API has started what it will: the rest is the relay's, in the worker that is held. */
async function untilDispatched({ undispatched }: BenchStack): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; ; await delay(500)) {
    const now = await undispatched();
    if (now === left) return;
    left = now;
  }
}
