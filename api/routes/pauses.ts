import { NewPause, Pauses, PauseView } from '@clinic/shared/contracts/pauses';
import { WorkflowTypeName } from '@clinic/shared/contracts/workflows';
import { workflowTypeNames } from '@clinic/shared/domain/workflow-types';
import { AppError } from '@clinic/shared/errors';
import type { PauseRecord } from '@clinic/prisma/stores/pauses';
import { z } from 'zod';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { staffNames } from '../staff-names';

const tag = 'Integrations: calling';

/** Stops outreach at once, for as long as it takes. */
export function pauseRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/pauses',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The pauses that hold for the clinic now, newest first',
      responses: { 200: { description: 'The pauses', schema: Pauses } },
      async handle({ caller: { clinicId } }) {
        const [pauses, names] = await Promise.all([stores.pauses.holding(clinicId), staffNames(stores, clinicId)]);
        return { body: { items: pauses.map((pause) => toPause(pause, names)), workflowTypes: workflowTypeNames } };
      },
    }),
    route({
      method: 'post',
      path: '/pauses',
      access: 'admin',
      tag,
      summary: 'Pause outreach: once this returns, no call begins; calls under way go on',
      body: NewPause,
      isIdempotent: true,
      responses: { 200: { description: 'The pause', schema: PauseView } },
      async handle({ caller, body: { workflowType = null, reason, until }, requestId }) {
        const { clinicId } = caller;
        const ends = until === undefined ? null : new Date(until);
        if (ends !== null && ends.getTime() <= Date.now()) {
          const message = 'must be in the future';
          throw new AppError('bad_request', `until ${message}`, [{ path: 'until', message }]);
        }
        const made = await stores.pauses.pause(
          { clinicId, workflowType, reason, until: ends },
          actorOf(caller, requestId),
        );
        return { body: toPause(made, await staffNames(stores, clinicId)) };
      },
    }),
    route({
      method: 'delete',
      path: '/pauses/:pauseId',
      access: 'admin',
      tag,
      summary: 'Resume outreach; what waited goes on within the usual limits',
      params: z.object({ pauseId: z.string() }),
      responses: { 204: { description: 'Resumed' }, 404: { description: 'No such pause of this clinic holds' } },
      async handle({ caller, params: { pauseId }, requestId }) {
        if (!(await stores.pauses.resume(caller.clinicId, pauseId, actorOf(caller, requestId)))) {
          throw new AppError('not_found', `Pause ${pauseId} not found`);
        }
        return { status: 204 };
      },
    }),
  ];
}

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
