import type { Said } from '@clinic/shared/domain/outreach/conversation';
import { type App, startApp } from '../support/app';
import { aPhone } from '../support/builders';
import { eventually } from '../support/eventually';
import { startVoicePlatform, type VoicePlatform } from '../support/live-call';
import { aPatientEvent } from '../support/patient-events';

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

/** Messages are an outbox: what was sent may be deleted at any time. */
async function pruneMessages(workflowId: string, signal: string): Promise<void> {
  await eventually(async () => {
    const [pruned] = await app.database.sql`
      delete from workflow_messages where workflow_id = ${workflowId} and signal = ${signal} and sent_at is not null
      returning id`;
    return pruned;
  });
}

async function anAnsweredCall() {
  const phone = aPhone();
  const { body } = await app.inbound('payment-failed', aPatientEvent('payment-failed', { phone }));
  const { id, assistantOverrides } = await platform.callTo(phone);
  const call = { id, assistantOverrides: { metadata: assistantOverrides?.metadata } };
  await app.voiceEvent({ call, type: 'status-update', status: 'in-progress' });
  return { call, workflowId: body.workflowId as string };
}

/** The analysis may come before the word that the call is over. */
const analysed = (platformCallId: string, said: Said) =>
  app.stores.calls.report({
    platformCallId,
    intentId: null,
    state: null,
    endedReason: null,
    summary: null,
    analysis: { said },
  });

test('what a tool changed decides the outcome when the message of it is gone', async () => {
  const { call, workflowId } = await anAnsweredCall();
  const decided = { decision: 'self_pay_continue' };

  expect(await app.tool('patient-journey/record_self_pay_decision', call.id, decided)).toEqual({ success: true });
  await pruneMessages(workflowId, 'toolUsed');
  await app.voiceEvent({ call, type: 'end-of-call-report', endedReason: 'customer-ended-call' });

  expect(await app.ended(workflowId)).toMatchObject({ status: 'completed', outcome: 'SELF_PAY' });
});

test('what the analysis heard decides the outcome when the message of it is gone', async () => {
  const { call, workflowId } = await anAnsweredCall();

  await analysed(call.id, 'escalated');
  await pruneMessages(workflowId, 'callAnalysed');
  await app.voiceEvent({ call, type: 'status-update', status: 'ended', endedReason: 'customer-ended-call' });

  expect(await app.ended(workflowId)).toMatchObject({ status: 'completed', outcome: 'BILLING_ESCALATION' });
});

test('the first analysis of a call stands', async () => {
  const { call, workflowId } = await anAnsweredCall();

  const told = [await analysed(call.id, 'escalated'), await analysed(call.id, 'declined')];
  await app.voiceEvent({ call, type: 'status-update', status: 'ended', endedReason: 'customer-ended-call' });
  await app.ended(workflowId);

  expect(told.map((report) => report?.messageIds.length)).toEqual([1, 0]);
  const kept = await app.database.prisma.call.findUnique({ where: { platformCallId: call.id } });
  expect(kept).toMatchObject({ said: 'escalated', analysedAt: expect.any(Date) as Date });
});
