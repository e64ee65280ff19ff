import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { aPhone } from '../support/builders';
import { eventually } from '../support/eventually';
import { type Receiver, startReceiver } from '../support/outside/receiver';
import { type Service, startService } from '../support/service';
import { temporalAddress } from '../support/temporal';

const CASES = 8;

let service: Service;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService({ env: { SIMULATOR_PAUSE_MS: '500' } });
  receiver = await startReceiver(() => [service.clinic.outboundSigningSecret]);
  await service.stores.clinics.setOutboundEndpoint(service.clinic.clinicId, {
    url: receiver.url,
    isEnabled: true,
    events: ['recovery_case.created', 'recovery_case.outcome'],
  });
}, 90_000);

afterAll(async () => {
  await service.stop();
  await receiver.close();
});

/** What a case left behind: everything that must be there once. */
async function traces(workflowId: string, recoveryCaseId: string) {
  const calls = await service.database.sql<{ id: string; attempt: number; state: string }>`
    select id, attempt, state from calls where workflow_id = ${workflowId} order by dial`;
  const outcomes = await service.database.sql`
    select id from outbound_events where subject = ${recoveryCaseId} and event = 'recovery_case.outcome'`;
  const received = receiver.about(recoveryCaseId);
  return {
    calls: calls.map(({ attempt, state }) => ({ attempt, state })),
    outcomes: outcomes.length,
    /** A repetition carries the same id. */
    events: [...new Map(received.map(({ id, event }) => [id, event])).values()],
  };
}

test('a worker that is killed in the middle of calls and started again ends each case once, and nobody is rung twice', async () => {
  const cases: { workflowId: string; recoveryCaseId: string }[] = [];
  for (let index = 0; index < CASES; index += 1) {
    const { body } = await service.abandon({ phone: aPhone() });
    cases.push(body);
    await delay(400);
  }
  const live = await eventually(async () => {
    const [{ count } = { count: 0 }] = await service.database.sql<{ count: number }>`
      select count(*)::int as count from calls where state = 'IN_PROGRESS'`;
    return count > 1 && count;
  });

  await service.worker.kill();
  await service.worker.start();
  const ended = await Promise.all(
    cases.map(({ workflowId }) => service.ended(workflowId, service.clinic, { within: 60 })),
  );
  for (const { recoveryCaseId } of cases) await receiver.heard(recoveryCaseId, 2);
  await eventually(
    async () => (await service.database.sql`select 1 from calls where state <> 'ENDED' and not is_test`).length === 0,
    { within: 60_000 },
  );

  expect(live).toBeGreaterThan(1);
  expect(ended.map(({ status, outcome, attempts }) => ({ status, outcome, attempts }))).toEqual(
    Array.from({ length: CASES }, () => ({ status: 'completed', outcome: 'RECOVERED', attempts: 1 })),
  );
  for (const { workflowId, recoveryCaseId } of cases) {
    expect(await traces(workflowId, recoveryCaseId)).toEqual({
      calls: [{ attempt: 1, state: 'ENDED' }],
      outcomes: 1,
      events: ['recovery_case.created', 'recovery_case.outcome'],
    });
  }
  expect(await simulatedCalls()).toBe(CASES);
}, 180_000);

/** How many phones the simulator has rung, by Temporal's own account. */
async function simulatedCalls(): Promise<number> {
  const connection = await Connection.connect({ address: temporalAddress() });
  const client = new Client({ connection, namespace: service.namespace });
  const { count } = await client.workflow.count("WorkflowType = 'simulatedCall'");
  await connection.close();
  return count;
}
