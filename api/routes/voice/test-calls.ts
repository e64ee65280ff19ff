import { OpenedTestCall, OpenTestCall } from '@clinic/shared/contracts/outreach/calls';
import { AppError } from '@clinic/shared/errors';
import { testCallOpened } from '@clinic/workflows/messages';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Voice platform', access: 'clinic', right: 'settings' });

/** Internal test calls: a call record without a phone, so that tools can be tried (docs/contract.md, 5). */
export const testCallRoutes = [
  routes.post('/voice/test-calls', {
    summary: 'Open an internal test call; its id is what message.call.id then carries',
    description:
      'Lets you call the live-call tools as a voice agent does, without a phone: nobody rings. With `recoveryCaseId` the case becomes CALLING; otherwise `workflowType` chooses the tools, and no type allows all of them. Close it when you are done.',
    body: OpenTestCall,
    responses: {
      200: { description: 'The open call', schema: OpenedTestCall },
      404: { description: 'No such patient or recovery case of this clinic' },
      409: { description: 'The recovery case has ended' },
      503: { description: 'The workflow of the case could not be reached' },
    },
    async handle({ caller: { clinicId }, body, by }, { stores, temporal }) {
      const recovery = body.recoveryCaseId ? await stores.cases.find(clinicId, body.recoveryCaseId) : null;
      if (body.recoveryCaseId && !recovery) {
        throw new AppError('not_found', `Recovery case ${body.recoveryCaseId} not found`);
      }
      const run = recovery ? await stores.runs.find(clinicId, recovery.workflowId) : null;
      // Stored but not yet known to Temporal: only a workflow that runs can make its case CALLING.
      if (run?.status === 'started' && !run.dispatchedAt) await temporal.startNow(run);
      const callId = await stores.calls.openTestCall({
        clinicId,
        workflowType: recovery ? 'abandonment-recovery' : (body.workflowType ?? null),
        patientId: recovery?.patientId ?? (await patientOf({ stores }, clinicId, body)),
        workflowId: recovery?.workflowId ?? null,
        caseId: recovery?.id ?? null,
      });
      if (recovery) {
        const asked = await temporal
          .ask(recovery.workflowId, testCallOpened, { id: `test-call-${callId}`, args: [{ callId }] })
          .catch(async (error: unknown) => {
            await stores.calls.close({ clinicId, callId, reason: 'not-opened' });
            throw error;
          });
        if (asked.kind !== 'done') {
          await stores.calls.close({ clinicId, callId, reason: 'not-opened' });
          throw new AppError('conflict', `Recovery case ${recovery.id} has ended`);
        }
      }
      await stores.audit.write({
        clinicId,
        ...by,
        action: 'test-call.open',
        subject: callId,
      });
      return { body: { callId } };
    },
  }),
  routes.delete('/voice/test-calls/:callId', {
    summary: 'Close an internal test call that is open; one that nobody closes is closed after an hour',
    description: 'An unknown call, and one that is closed already, are 404.',
    responses: { 204: { description: 'Closed' }, 404: { description: 'No such open test call of this clinic' } },
    async handle({ caller: { clinicId }, params: { callId }, by }, { stores }) {
      if (!(await stores.calls.closeTestCall(clinicId, callId))) {
        throw new AppError('not_found', `Open test call ${callId} not found`);
      }
      const action = 'test-call.close';
      await stores.audit.write({ clinicId, ...by, action, subject: callId });
      return { status: 204 };
    },
  }),
];

const patientOf = async (
  { stores }: Deps<'stores'>,
  clinicId: string,
  { patientId, phone }: OpenTestCall,
): Promise<string> => {
  if (patientId) {
    if (await stores.patients.exists(clinicId, patientId)) return patientId;
    throw new AppError('not_found', `Patient ${patientId} not found`);
  }
  return phone ? stores.patients.findOrCreateByPhone(clinicId, phone) : stores.patients.createPlaceholder(clinicId);
};
