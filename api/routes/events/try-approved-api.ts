import { TriedAction, TryAction } from '@clinic/shared/contracts/events/approved-api';
import { AppError } from '@clinic/shared/errors';
import type { ClinicApiResult } from '@clinic/gateways/clinic-api/result';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: approved API', access: 'clinic', right: 'settings' });

const TIMEOUT_MS = 10_000;
/** Calls the clinic's approved API once, as a workflow would, to see that the settings are right. */
export const tryApprovedApiRoutes = [
  routes.post('/integrations/approved-api/try', {
    summary: 'Call a permitted action now, and see what the API returns',
    description:
      'A real request: what it changes at the clinic’s system is changed. A refusal or failure of that system is told in the body, with 200; `status` is what it returned. Nothing is retried.',
    body: TryAction,
    responses: {
      200: { description: 'What came of it', schema: TriedAction },
      409: { description: 'The action is not permitted, or no API is approved' },
    },
    async handle({ caller: { clinicId }, body: { action, params, body }, by, signal }, { stores, systems }) {
      const clinicApi = await systems.approvedApi(clinicId);
      const result = await clinicApi?.call(action, { params, body, timeoutMs: TIMEOUT_MS, signal });
      if (!result || result.kind === 'not_permitted') {
        throw new AppError('conflict', `The action ${action} is not permitted; save the settings first`);
      }
      await stores.audit.write({
        clinicId,
        ...by,
        action: 'approved-api.try',
        subject: action,
        detail: { result: result.kind },
      });
      return { body: toView(result) };
    },
  }),
];

function toView(result: Exclude<ClinicApiResult, { kind: 'not_permitted' }>): TriedAction {
  switch (result.kind) {
    case 'answered':
      return { result: result.kind, status: result.status, body: result.body, error: null, said: null };
    case 'refused':
      return { result: result.kind, status: result.status, body: result.body, error: null, said: result.fault };
    case 'unavailable':
      return { result: result.kind, status: null, body: null, error: result.error, said: result.said ?? null };
    case 'unusable':
      return { result: result.kind, status: null, body: null, error: result.reason, said: null };
  }
}
