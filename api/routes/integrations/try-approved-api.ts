import { TriedAction, TryAction } from '@clinic/shared/contracts/approved-api';
import { AppError } from '@clinic/shared/errors';
import type { ClinicApiResult } from '@clinic/shared/outbound/clinic-api-port';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const TIMEOUT_MS = 10_000;
/** Calls the clinic's approved API once, as a workflow would, to see that the settings are right. */
export function tryApprovedApiRoutes({ stores, systems }: RouteDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/integrations/approved-api/try',
      access: 'admin',
      tag: 'Integrations: approved API',
      summary: 'Call a permitted action now, and see what the API returns',
      body: TryAction,
      responses: {
        200: { description: 'What came of it', schema: TriedAction },
        409: { description: 'The action is not permitted, or no API is approved' },
      },
      async handle({ caller, body: { action, params, body }, requestId, signal }) {
        const { clinicId } = caller;
        const clinicApi = await systems.approvedApi(clinicId);
        const result = await clinicApi?.call(action, { params, body, timeoutMs: TIMEOUT_MS, signal });
        if (!result || result.kind === 'not_permitted') {
          throw new AppError('conflict', `The action ${action} is not permitted; save the settings first`);
        }
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'approved-api.try',
          subject: action,
          detail: { result: result.kind },
        });
        return { body: toView(result) };
      },
    }),
  ];
}

function toView(result: Exclude<ClinicApiResult, { kind: 'not_permitted' }>): TriedAction {
  switch (result.kind) {
    case 'answered':
    case 'refused':
      return { result: result.kind, status: result.status, body: result.body, error: null, said: null };
    case 'unavailable':
      return { result: result.kind, status: null, body: null, error: result.error, said: result.said ?? null };
    case 'unusable':
      return { result: result.kind, status: null, body: null, error: result.reason, said: null };
  }
}
