import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { type App, startApp } from '../support/app';
import { aSession } from '../support/builders';
import { aCall } from '../support/calls';
import { eventually } from '../support/eventually';

let app: App;

// Nothing but the process that hears of something is there to tell a workflow of it.
beforeAll(async () => {
  app = await startApp({ hasWorker: false });
});
afterAll(() => app.stop());

interface Story {
  sessionId: string;
  pointer: string;
}

test.each<[signal: string, of: WorkflowType, hear: (story: Story) => Promise<unknown>]>([
  [
    'callEnded',
    'abandonment-recovery',
    ({ pointer: id }) =>
      app.voiceEvent({ type: 'end-of-call-report', endedReason: 'customer-ended-call', call: { id } }),
  ],
  ['toolUsed', 'payment-recovery', ({ pointer }) => app.tool('patient-journey/escalate_billing', pointer)],
  [
    'outcomeResolved',
    'abandonment-recovery',
    ({ pointer }) =>
      app.tool('abandonment-recovery-tools/resolve_recovery_outcome', pointer, {
        recoveryStatus: 'RECOVERED',
        resumeLinkSent: true,
      }),
  ],
  ['formCompleted', 'abandonment-recovery', ({ sessionId }) => app.complete(sessionId)],
])('a workflow is told %s at once by whoever hears of it', async (signal, workflowType, hear) => {
  const { prisma } = app.database;
  const sessionId = aSession();
  const { workflowId, recoveryCaseId: id } = (await app.abandon({ sessionId })).body;
  const { patientId } = await prisma.recoveryCase.update({ where: { id }, data: { status: 'CALLING' } });
  const { pointer } = await aCall(app, { workflowType, workflowId, patientId: patientId ?? '' });
  // What comes before it is known as started waits for the relay, which is not there.
  await eventually(
    async () => (await prisma.workflowRun.findUniqueOrThrow({ where: { id: workflowId } })).dispatchedAt,
  );

  await hear({ sessionId, pointer });

  await eventually(async () => {
    const message = await prisma.workflowMessage.findFirst({ where: { workflowId, signal } });
    return message?.sentAt ?? null;
  });
});
