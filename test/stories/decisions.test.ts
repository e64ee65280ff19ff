import { randomUUID } from 'node:crypto';
import { createMetrics } from '@clinic/api/metrics';
import { createToolRunner } from '@clinic/api/tools/run-tool';
import { type App, startApp } from '../support/app';
import { eventually } from '../support/eventually';
import { type LiveCall, startVoicePlatform, type VoicePlatform } from '../support/live-call';

let platform: VoicePlatform;
let app: App;

beforeAll(async () => {
  platform = await startVoicePlatform();
  app = await startApp({ env: platform.env });
  await app.database.sql`update clinics set voice_provider = 'vapi' where id = ${app.clinic.clinicId}`;
}, 240_000);

afterAll(async () => {
  await app.stop();
  await platform.close();
});

const from = { requestId: 'a-request', address: '192.0.2.1', log: { error: () => undefined } as never };
const barrier = { primaryBarrier: 'price', specificQuestion: 'Is there a plan?' };
const resolution = { recoveryStatus: 'PRICING_ESCALATION', resumeLinkSent: false };
const tools = { resolve: 'resolve_recovery_outcome', barrier: 'record_abandonment_barrier' };
const notRecognised = { success: false, error: 'call not recognised' };

const inCall = async () => {
  const call = await platform.ring(app);
  await call.says('in-progress');
  return call;
};
/** A tool call as an API process runs it that tells nobody of it, or dies before it has replied. */
const runWithout = async (call: LiveCall, name: string, args: object, { isKilled = false } = {}) => {
  const id = randomUUID();
  const died = new Promise<never>(() => undefined);
  const dying = { ...app.stores.toolCalls, renew: () => died, complete: () => died };
  const runner = createToolRunner({
    stores: isKilled ? { ...app.stores, toolCalls: dying } : app.stores,
    systems: {} as never,
    temporal: { tell: () => undefined } as never,
    metrics: createMetrics(),
    deadlineMs: isKilled ? 1_000 : 8_000,
  });
  const live = (await app.stores.calls.live(call.id))!;
  const request = { id, name: null, arguments: args as Record<string, unknown>, isUnreadable: false };
  return { id, replies: await runner.run(live, [{ family: 'abandonment-recovery-tools', name, request }], from) };
};
const outcomeOf = async ({ workflowId }: LiveCall) => (await app.ended(workflowId)).outcome;
const caseOf = ({ recoveryCaseId }: LiveCall) => app.stores.cases.find(app.clinic.clinicId, recoveryCaseId);
const outcomesTold = ({ recoveryCaseId }: LiveCall) =>
  app.database.prisma.outboundEvent.count({ where: { subject: recoveryCaseId, event: 'recovery_case.outcome' } });

test('what the agent resolves ends the case at once, although its workflow is not told and the call ends', async () => {
  const call = await inCall();

  const { replies } = await runWithout(call, tools.resolve, resolution);
  const atOnce = await caseOf(call);
  await call.ends();

  expect(atOnce).toMatchObject({ status: 'PRICING_ESCALATION', resolution });
  expect(replies).toEqual(['{"success":true}']);
  expect(await outcomeOf(call)).toBe('PRICING_ESCALATION');
  expect(await caseOf(call)).toMatchObject({ status: 'PRICING_ESCALATION', resolution });
  expect(await outcomesTold(call)).toBe(1);
});

test('what the agent resolves is relayed to a workflow that was not told, and its clinic hears of it, although the call goes on', async () => {
  const call = await inCall();

  await runWithout(call, tools.resolve, resolution);
  const isTold = async () => {
    const { recoveryCaseId: subject } = call;
    const deliveries = await app.database.prisma.delivery.findMany({ where: { subject } });
    const messages = await app.database.prisma.workflowMessage.findMany({ where: { workflowId: call.workflowId } });
    return (
      messages.some(({ signal, sentAt }) => signal === 'outcomeResolved' && sentAt !== null) &&
      deliveries.every(({ state }) => state !== 'PENDING')
    );
  };

  expect(await eventually(isTold, { within: 15_000 })).toBe(true);
  expect(await outcomeOf(call)).toBe('PRICING_ESCALATION');
});

test('an API that dies between storing a decision and telling loses nothing; anyone who asks again, also after the call, gets the truth', async () => {
  const call = await inCall();

  const { id } = await runWithout(call, tools.resolve, resolution, { isKilled: true });
  await call.ends();
  const outcome = await outcomeOf(call);
  await app.database.sql`update tool_calls set claimed_until = null where tool_call_id = ${id}`;
  const again = await call.tool(tools.resolve, resolution, id);
  const unknown = await call.tool(tools.resolve, resolution);

  expect(outcome).toBe('PRICING_ESCALATION');
  expect(again).toEqual({ success: true });
  expect(unknown).toEqual(notRecognised);
  expect(await outcomesTold(call)).toBe(1);
});

test('a barrier is said again after the case has ended: the same is on record, another is refused', async () => {
  const call = await inCall();

  const { replies } = await runWithout(call, tools.barrier, barrier);
  await runWithout(call, tools.resolve, resolution);
  const said = await runWithout(call, tools.barrier, barrier);
  const other = await runWithout(call, tools.barrier, { primaryBarrier: 'time' });

  expect([replies, said.replies]).toEqual([['{"success":true}'], ['{"success":true}']]);
  expect(other.replies).toEqual([expect.stringContaining('no active recovery case found for this call')]);
  expect((await caseOf(call))?.barrier).toEqual(barrier);
});

test('the first decision stands: another one is refused, and staff who cancel afterwards do not undo it', async () => {
  const call = await inCall();

  await runWithout(call, tools.resolve, resolution);
  const second = await call.tool(tools.resolve, { recoveryStatus: 'RECOVERED', resumeLinkSent: true });
  await app.request('POST', `/workflows/${call.workflowId}/cancel`, { bearer: await app.staff() });

  expect(second).toMatchObject({ success: false });
  expect(await outcomeOf(call)).toBe('PRICING_ESCALATION');
});
