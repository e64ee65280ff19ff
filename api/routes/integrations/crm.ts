import { Crm, CrmChange, CrmView, withKeptToken } from '@clinic/shared/contracts/crm';
import { parse } from '../../http/parse';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const tag = 'Integrations: CRM';

/** The CRM that patients are synced to. */
export function crmRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/crm',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The CRM that patients are synced to, without its token',
      responses: { 200: { description: 'The settings', schema: CrmView } },
      handle: async ({ caller }) => ({ body: toView(await stores.settings.crm(caller.clinicId)) }),
    }),
    route({
      method: 'put',
      path: '/integrations/crm',
      access: 'admin',
      tag,
      summary: 'Choose the CRM; `none` takes it away',
      description:
        'A token that is left out stays as it is, unless the kind or the host changes. `token: null` takes the token of ' +
        'a webhook away.',
      body: CrmChange,
      responses: { 200: { description: 'The settings as they are now', schema: CrmView } },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        const settings =
          body.kind === 'none' ? null : parse(Crm, withKeptToken(body, await stores.settings.crm(clinicId)));
        await stores.settings.setCrm(clinicId, settings, actorOf(caller, requestId));
        return { body: toView(settings) };
      },
    }),
  ];
}

function toView(crm: Crm | null): CrmView {
  if (!crm) return { kind: 'none', enabled: false, url: null, hasToken: false };
  const { kind, enabled } = crm;
  return crm.kind === 'webhook'
    ? { kind, enabled, url: crm.url, hasToken: crm.token !== undefined }
    : { kind, enabled, url: null, hasToken: true };
}
