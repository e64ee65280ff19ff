import { ApprovedApi, ApprovedApiChange, ApprovedApiView, withKeptSecret } from '@clinic/shared/contracts/approved-api';
import { parse } from '../../http/parse';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const tag = 'Integrations: approved API';

/** The clinic's own API: where it is, how we prove ourselves, and what we may do there. */
export function approvedApiRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/approved-api',
      access: 'clinic',
      tag,
      summary: "The clinic's approved API, without its secret",
      responses: { 200: { description: 'The settings', schema: ApprovedApiView } },
      handle: async ({ caller }) => ({ body: toView(await stores.settings.approvedApi(caller.clinicId)) }),
    }),
    route({
      method: 'put',
      path: '/integrations/approved-api',
      access: 'admin',
      tag,
      summary: 'Approve an API, or change what it may be used for',
      description:
        'A secret that is left out stays as it is, unless the method or the host changes: a kept secret is never sent ' +
        'to another host. Paths may hold `{parameters}`, as `/forms/{sessionId}`.',
      body: ApprovedApiChange,
      responses: { 200: { description: 'The settings as they are now', schema: ApprovedApiView } },
      async handle({ caller, body, requestId }) {
        const stored = await stores.settings.approvedApi(caller.clinicId);
        const settings = parse(ApprovedApi, withKeptSecret(body, stored));
        await stores.settings.setApprovedApi(caller.clinicId, settings, actorOf(caller, requestId));
        return { body: toView(settings) };
      },
    }),
    route({
      method: 'delete',
      path: '/integrations/approved-api',
      access: 'admin',
      tag,
      summary: 'Call the API no more, and forget its secret',
      responses: { 204: { description: 'Removed, or there was none' } },
      async handle({ caller, requestId }) {
        await stores.settings.removeApprovedApi(caller.clinicId, actorOf(caller, requestId));
        return { status: 204 };
      },
    }),
  ];
}

function toView(settings: ApprovedApi | null): ApprovedApiView {
  if (!settings) return { baseUrl: null, auth: { method: 'none' }, actions: {} };
  // The view's schema names what may be shown, and drops the rest.
  return ApprovedApiView.parse(settings);
}
