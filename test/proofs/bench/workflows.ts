import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { InboundAccepted } from '@clinic/shared/contracts/events/inbound-events';
import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { Workflow } from '@clinic/shared/contracts/outreach/workflows';
import { startOptions } from '@clinic/temporal/start-options';
import { startReceiver } from '../../support/outside/receiver';
import { aPhone } from '../faults/load';
import { type Bare, startBare } from './bare';
import { bareEnd, bareUpdate } from './bare-workflow';
import { formSender } from './forms';
import { compare, load, type Measured, report } from './load';
import type { BenchStack } from './stack';

const OPEN_CASES = 32;
const FORMS = 30;
const PAYLOAD_KEYS = [{ id: 'bench', key: Buffer.alloc(32) }];

/** What Temporal adds to an answer: tools that the workflow decides, events that start one, a form on its way to its outcome. */
export async function workflows(stack: BenchStack): Promise<void> {
  await webhookToStarted(stack);
  const bare = await startBare(stack);
  try {
    await toolsOfCase(stack, bare);
    await formToOutcome(stack, bare);
  } finally {
    await bare.stop();
  }
}

/** One tool that says something of its case, beside an update that a bare workflow answers. */
async function toolsOfCase(stack: BenchStack, bare: Bare): Promise<void> {
  const { api, post, voiceSecret } = stack;
  const { cases, close } = await openCases(stack);
  const headers = { 'x-voice-secret': voiceSecret };
  const caseOf = (index: number) => cases[index % cases.length] ?? cases[0]!;
  // The same words again would be answered from the first reply.
  const aBarrier = () => ({ primaryBarrier: 'price', specificQuestion: randomUUID() });

  const throughTool = async (index: number) => {
    const toolCalls = [{ id: randomUUID(), function: { arguments: aBarrier() } }];
    const body = { message: { type: 'tool-calls', call: { id: caseOf(index).callId }, toolCalls } };
    const answer = await post(`${api}/abandonment-recovery-tools/record_abandonment_barrier`, body, headers);
    if (!answer.includes('\\"success\\":true')) throw new Error(`the tool answered ${answer}`);
  };
  const open = await Promise.all(cases.map(bare.openForUpdates));
  const throughClient = (index: number) => open[index % open.length]!.executeUpdate(bareUpdate);

  for (const [clients, times, goal] of [
    [1, 100, '>= 0.85, p50 <= 20 ms'],
    [16, 400, '>= 0.85'],
  ] as const) {
    const measured = await compare({
      ours: () => load({ clients, times, work: throughTool }),
      baseline: () => load({ clients, times, work: throughClient }),
    });
    report(`Live tool of a case (record_abandonment_barrier), ${clients} at once`, measured, goal);
  }
  for (const handle of open) await handle.signal(bareEnd);
  await close();
}

/** Cases whose first call is not yet due, each with an open test call. */
async function openCases({ api, post, get, stores, clinic, analyze }: BenchStack) {
  const { clinicId, apiKey, email, password } = clinic;
  const policy = await stores.clinics.policy(clinicId);
  await stores.clinics.setPolicy(clinicId, { ...policy, firstCallDelaySeconds: 86_400 });
  const withKey = { authorization: `Bearer ${apiKey}` };
  const { token } = JSON.parse(await post(`${api}/auth/sign-in/email`, { email, password })) as { token: string };
  const open = async () => {
    const { workflowId } = JSON.parse(
      await post(
        `${api}/workflows/start`,
        {
          workflowType: 'abandonment-recovery',
          clinicId,
          context: { sessionId: randomUUID() },
          patient: { firstName: 'Ann', lastName: randomUUID(), phone: aPhone() },
        },
        withKey,
      ),
    ) as { workflowId: string };
    const { recoveryCaseId } = Workflow.parse(JSON.parse(await get(`${api}/workflows/${workflowId}`, withKey)));
    const asStaff = { authorization: `Bearer ${token}` };
    const call = await post(`${api}/voice/test-calls`, { recoveryCaseId }, asStaff);
    const { callId } = JSON.parse(call) as { callId: string };
    return { workflowId, callId };
  };
  const cases = await Promise.all(Array.from({ length: OPEN_CASES }, open));
  await analyze();
  // A case looks up when it is due only after the clinic was told of it.
  const close = async () => {
    for (const { workflowId } of cases) await post(`${api}/workflows/${workflowId}/cancel`, {}, withKey);
    await stores.clinics.setPolicy(clinicId, policy);
  };
  return { cases, close };
}

/** Events to started workflows, beside a client that starts the same; the worker takes part in neither. */
async function webhookToStarted(stack: BenchStack): Promise<void> {
  const { clinic, temporal, database, analyze, undispatched } = stack;
  const { clinicId } = clinic;
  const send = formSender(stack);
  const bareStart = async () => {
    const run = {
      workflowId: randomUUID(),
      clinicId,
      workflowType: 'abandonment-recovery',
      sessionId: randomUUID(),
      caseId: randomUUID(),
      patientId: randomUUID(),
    } as const;
    const { type, options } = startOptions(run, PAYLOAD_KEYS);
    await temporal.workflow.start(type, { ...options, args: [...options.args], taskQueue: 'bench-nobody' });
  };
  const startAll = async (clients: number, times: number): Promise<Measured> => {
    const startedAt = performance.now();
    const answered = await load({ clients, times, work: () => send(randomUUID()) });
    while ((await undispatched()) > 0) await delay(5);
    return { ...answered, perSecond: times / ((performance.now() - startedAt) / 1_000) };
  };

  stack.holdWorker();
  try {
    const rate = await compare({
      rounds: 2,
      ours: () => startAll(16, 200),
      baseline: () => load({ clients: 16, times: 200, work: bareStart }),
    });
    report('Webhook to workflow started (16 clients; the latencies are of the answers)', rate, '>= 0.90');

    await analyze();
    const alone = await compare({
      rounds: 2,
      ours: async () => {
        const sessions: string[] = [];
        const answered = await load({
          clients: 1,
          times: 50,
          work: async () => {
            const session = randomUUID();
            sessions.push(session);
            await send(session);
            while ((await undispatched()) > 0);
          },
        });
        const [row] = await database.sql<{ p50: number; p95: number; p99: number }>`
          select coalesce(percentile_cont(0.5) within group (order by ms), 'NaN') as p50,
            coalesce(percentile_cont(0.95) within group (order by ms), 'NaN') as p95,
            coalesce(percentile_cont(0.99) within group (order by ms), 'NaN') as p99
          from (select extract(epoch from dispatched_at - started_at)::float8 * 1000 as ms
            from workflow_runs where session_id = any (${sessions}::text[])) took`;
        return { ...answered, ...row };
      },
      baseline: () => load({ clients: 1, times: 50, work: bareStart }),
    });
    report('Webhook to workflow started, 1 client (stored to started)', alone, 'p50 at most 2 ms over the baseline');
  } finally {
    stack.resumeWorker();
  }
  await stack.settled();
}

/** One form after the other to its delivered outcome, beside the steps of a case on Temporal alone. */
async function formToOutcome(stack: BenchStack, bare: Bare): Promise<void> {
  const { clinic, stores } = stack;
  const { clinicId } = clinic;
  const send = formSender(stack);
  const receiver = await startReceiver(() => [clinic.outboundSigningSecret]);
  const sendEventsTo = (url: string) =>
    stores.clinics.setOutboundEndpoint(clinicId, { url, isEnabled: true, events: defaultOutboundEvents });
  try {
    await sendEventsTo(receiver.url);
    const ours = async () => {
      const { recoveryCaseId = '' } = InboundAccepted.parse(JSON.parse(await send(randomUUID(), aPhone())));
      while (receiver.about(recoveryCaseId).length < 2) await delay(2);
    };
    const measured = await compare({
      ours: () => load({ clients: 1, times: FORMS, work: ours }),
      baseline: () => load({ clients: 1, times: FORMS, work: bare.case }),
    });
    const longer = (measured.ours.p50 / measured.baseline.p50).toFixed(2);
    report(
      `One form to its outcome event (p50 is ${longer} times that of the bare steps)`,
      measured,
      'at most 1.3 times',
    );
  } finally {
    await sendEventsTo(`${stack.baseline}/events`);
    await receiver.close();
  }
}
