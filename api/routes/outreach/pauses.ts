import { NewPause, Pauses, PauseView } from '@clinic/shared/contracts/outreach/pauses';
import { WorkflowTypeName } from '@clinic/shared/contracts/outreach/workflows';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { AppError, invalid } from '@clinic/shared/errors';
import type { PauseRecord } from '@clinic/prisma/stores/outreach/pauses';
import { staffNames } from '../accounts/staff-names';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: calling', access: 'clinic', right: 'operations', patientData: 'none' });

/** Stops outreach at once, for as long as it takes. */
export const pauseRoutes = [
  routes.get('/pauses', {
    right: 'workflows',
    summary: 'The pauses that hold for the clinic now, newest first',
    description: 'With `isForEveryClinic` where the operator set one for all.',
    responses: { 200: { description: 'The pauses', schema: Pauses } },
    async handle({ caller: { clinicId } }, { stores }) {
      const [pauses, names] = await Promise.all([stores.pauses.holding(clinicId), staffNames(stores, clinicId)]);
      return { body: { items: pauses.map((pause) => toPause(pause, names)), workflowTypes: workflowTypeNames } };
    },
  }),
  routes.post('/pauses', {
    summary: 'Pause outreach: once this returns, no call begins; calls under way go on',
    description:
      'Of one workflow type or of all; without `until` it holds until it is resumed. An `until` in the past is 400.',
    body: NewPause,
    isIdempotent: true,
    responses: { 200: { description: 'The pause', schema: PauseView } },
    async handle({ caller: { clinicId }, body: { workflowType = null, reason, until }, idOfNew: id, by }, { stores }) {
      const ends = until === undefined ? null : new Date(until);
      if (ends !== null && ends.getTime() <= Date.now()) {
        throw invalid('until', 'must be in the future');
      }
      const made = await stores.pauses.pause({ id, clinicId, workflowType, reason, until: ends }, by);
      return { body: toPause(made, await staffNames(stores, clinicId)) };
    },
  }),
  routes.delete('/pauses/:pauseId', {
    summary: 'Resume outreach; what waited goes on within the usual limits',
    description: 'Those of the operator are not the clinic’s to end (404).',
    responses: { 204: { description: 'Resumed' }, 404: { description: 'No such pause of this clinic holds' } },
    async handle({ caller: { clinicId }, params: { pauseId }, by }, { stores }) {
      if (!(await stores.pauses.resume(clinicId, pauseId, by))) {
        throw new AppError('not_found', `Pause ${pauseId} not found`);
      }
      return { status: 204 };
    },
  }),
];

const toPause = (
  { id, clinicId, workflowType, reason, pausedBy, pausedAt, endsAt }: PauseRecord,
  names: ReadonlyMap<string, string>,
): PauseView => ({
  id,
  isForEveryClinic: clinicId === null,
  workflowType: WorkflowTypeName.nullable().parse(workflowType),
  reason,
  pausedBy,
  pausedByName: names.get(pausedBy) ?? null,
  pausedAt: pausedAt.toISOString(),
  until: endsAt?.toISOString() ?? null,
});
