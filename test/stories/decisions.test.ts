import { randomUUID } from 'node:crypto';
import { createMetrics } from '@clinic/api/metrics';
import { createToolRunner } from '@clinic/api/tools/run-tool';
import { AppError } from '@clinic/shared/errors';
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
/** A tool call as an API process runs it whose workflow gives no reply, or which dies before it has asked. */
const runWithout = async (call: LiveCall, name: string, args: object, { isKilled = false } = {}) => {
  const id = randomUUID();
  const died = new Promise<never>(() => undefined);
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (ask = resolve));
  const runner = createToolRunner({
    stores: isKilled ? { ...app.stores, toolCalls: { ...app.stores.toolCalls, renew: () => died } } : app.stores,
    systems: {} as never,
    temporal: {
      tell: () => undefined,
      ask: () => {
        ask();
        return isKilled ? died : Promise.reject(new AppError('unavailable', 'no reply in time'));
      },
    } as never,
    metrics: createMetrics(),
    deadlineMs: isKilled ? 100 : 8_000,
  });
  const live = (await app.stores.calls.live(call.id))!;
  const request = { id, name: null, arguments: args as Record<string, unknown>, isUnreadable: false };
  const replies = runner.run(live, [{ family: 'abandonment-recovery-tools', name, request }], from);
  await asked;
  return { id, replies };
};
const outcomeOf = async ({ workflowId }: LiveCall) => (await app.ended(workflowId)).outcome;
const caseOf = ({ recoveryCaseId }: LiveCall) => app.stores.cases.find(app.clinic.clinicId, recoveryCaseId);
const outcomesTold = ({ recoveryCaseId }: LiveCall) =>
  app.database.prisma.outboundEvent.count({ where: { subject: recoveryCaseId, event: 'recovery_case.outcome' } });

test('what the agent resolves while the workflow gives no reply ends the case, although the call ends at once', async () => {
  const call = await inCall();

  const { replies } = await runWithout(call, tools.resolve, resolution);
  await call.ends();

  expect(await replies).toEqual(['{"success":true}']);
  expect(await outcomeOf(call)).toBe('PRICING_ESCALATION');
  expect(await caseOf(call)).toMatchObject({ status: 'PRICING_ESCALATION', resolution });
  expect(await outcomesTold(call)).toBe(1);
});

test('what the agent resolves while the workflow gives no reply is relayed to it, although the call goes on', async () => {
  const call = await inCall();

  await runWithout(call, tools.resolve, resolution);

  expect(await outcomeOf(call)).toBe('PRICING_ESCALATION');
});

test('an API that dies between storing a decision and asking loses nothing; anyone who asks again, also after the call, gets the truth', async () => {
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

test('a barrier that the workflow has not heard of is on record, and relayed', async () => {
  const call = await inCall();

  await runWithout(call, tools.barrier, barrier);
  const recorded = await caseOf(call);
  const isSent = async () => {
    const messages = await app.database.prisma.workflowMessage.findMany({ where: { workflowId: call.workflowId } });
    return messages.some(({ signal, sentAt }) => signal === 'barrierRecorded' && sentAt !== null);
  };
  await eventually(isSent, { within: 15_000 });
  await call.tool(tools.resolve, resolution);

  expect(recorded?.barrier).toEqual(barrier);
  expect(await outcomeOf(call)).toBe('PRICING_ESCALATION');
});

test('the first decision stands: another one is refused, and staff who cancel afterwards do not undo it', async () => {
  const call = await inCall();

  await runWithout(call, tools.resolve, resolution);
  const second = await call.tool(tools.resolve, { recoveryStatus: 'RECOVERED', resumeLinkSent: true });
  await app.request('POST', `/workflows/${call.workflowId}/cancel`, { bearer: await app.staff() });

  expect(second).toMatchObject({ success: false });
  expect(await outcomeOf(call)).toBe('PRICING_ESCALATION');
});
