import { Looking, Viewers } from '@clinic/shared/contracts/operations/viewers';
import { type Right, roleHas } from '@clinic/shared/domain/accounts/rights';
import { isAlarm } from '@clinic/shared/domain/tasks/alarms';
import { AppError } from '@clinic/shared/errors';
import type { ViewedRecord } from '@clinic/prisma/stores/operations/viewers';
import type { CallerOf, Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { seesAlarms } from '../../http/sees-alarms';

const routes = routesOf({ tag: 'Overview', access: 'clinic', right: 'dashboard', patientData: 'none' });

const unknown = {
  description: 'No such patient, task, case or appointment of this clinic, or the role may not see it',
};

const rightOf: Record<ViewedRecord['kind'], Right> = {
  patient: 'patients.read',
  task: 'tasks',
  case: 'workflows',
  appointment: 'appointments.read',
};

/** Who has a record open, so that two people do not do one thing. */
export const viewerRoutes = [
  routes.put('/records/:recordId/viewers', {
    summary: 'Say that you look at a record, or edit it, and see who else does',
    description:
      'Of a patient, task, case or appointment, for those who may see it. It counts for a minute: repeat it every 20 s while somebody is there. The `viewers` of `GET /stream` tell when others come, go, or begin to edit.',
    body: Looking,
    responses: { 200: { description: 'Who else looks at it', schema: Viewers }, 404: unknown },
    async handle({ caller, params: { recordId }, body }, { stores }) {
      await mustSee({ stores }, caller, recordId);
      const { clinicId, sessionId, accountId } = caller;
      await stores.viewers.note({ clinicId, sessionId, recordId }, body);
      return { body: { items: await stores.viewers.others({ clinicId, accountId, recordId }) } };
    },
  }),
  routes.delete('/records/:recordId/viewers', {
    summary: 'Say that you no longer look at a record',
    description: 'Others are told at once. Whoever does not look at it is answered the same.',
    responses: { 204: { description: 'You no longer count' }, 404: unknown },
    async handle({ caller, params: { recordId } }, { stores }) {
      await mustSee({ stores }, caller, recordId);
      await stores.viewers.leave({ clinicId: caller.clinicId, sessionId: caller.sessionId, recordId });
      return { status: 204 };
    },
  }),
];

/** Throws `not_found` also where the caller may not see what the id names. */
async function mustSee({ stores }: Deps<'stores'>, caller: CallerOf<'clinic'>, recordId: string): Promise<void> {
  const record = await stores.viewers.recordOf(caller.clinicId, recordId);
  const isShown = record !== null && roleHas(caller.role, rightOf[record.kind]);
  if (!isShown || (record.kind === 'task' && isAlarm(record.reason) && !seesAlarms(caller))) {
    throw new AppError('not_found', `Record ${recordId} not found`);
  }
}
