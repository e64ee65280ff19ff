import { Crm, CrmChange, CrmView, withKeptToken } from '@clinic/shared/contracts/events/crm';
import { parse } from '@clinic/shared/contracts/parse';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: CRM', access: 'clinic', right: 'settings', patientData: 'none' });

/** The CRM that patients are synced to. */
export const crmRoutes = [
  routes.get('/integrations/crm', {
    right: 'settings.read',
    summary: 'The CRM that patients are synced to, without its token',
    description: '`kind` is `none` until one is chosen.',
    responses: { 200: { description: 'The settings', schema: CrmView } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({ body: toView(await stores.settings.crm(clinicId)) }),
  }),
  routes.put('/integrations/crm', {
    stepUp: 'access',
    summary: 'Choose the CRM; `none` takes it away',
    description:
      'A token that is left out stays as it is, unless the kind or the host changes. `token: null` takes the token of ' +
      'a webhook away.',
    body: CrmChange,
    responses: { 200: { description: 'The settings as they are now', schema: CrmView } },
    async handle({ caller: { clinicId }, body, by }, { stores }) {
      const settings =
        body.kind === 'none' ? null : parse(Crm, withKeptToken(body, await stores.settings.crm(clinicId)));
      await stores.settings.setCrm(clinicId, settings, by);
      return { body: toView(settings) };
    },
  }),
];

function toView(crm: Crm | null): CrmView {
  if (!crm) return { kind: 'none', enabled: false, url: null, hasToken: false };
  const { kind, enabled } = crm;
  return crm.kind === 'webhook'
    ? { kind, enabled, url: crm.url, hasToken: crm.token !== undefined }
    : { kind, enabled, url: null, hasToken: true };
}
