import { X509Certificate } from 'node:crypto';
import { ApiCheck, type ApprovedApi, ApprovedApiChange, ApprovedApiView } from '@clinic/shared/contracts/approved-api';
import { AppError } from '@clinic/shared/errors';
import { jwksUrlOf } from '@clinic/shared/outbound/clinic-systems';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';
import { approvedApiSettings } from '../../settings/approved-api';

const tag = 'Integrations: approved API';

/** The clinic's own API: where it is, how we prove ourselves, and what we may do there. */
export function approvedApiRoutes({ stores, systems, config }: RouteDeps): Route[] {
  const toView = (clinicId: string, settings: ApprovedApi | null): ApprovedApiView => {
    const jwksUrl = jwksUrlOf(config.PUBLIC_URL, clinicId);
    if (!settings) return { ...nothingSet, jwksUrl };
    const { fhir = null, capabilities = null } = settings;
    // The view's schema names what may be shown, and drops the rest.
    return ApprovedApiView.parse({ ...settings, fhir, capabilities, jwksUrl, certificateEndsAt: endOf(settings) });
  };

  const settingsOf = approvedApiSettings({ stores, systems });

  return [
    route({
      method: 'get',
      path: '/integrations/approved-api',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: "The clinic's approved API, without its secret",
      responses: { 200: { description: 'The settings', schema: ApprovedApiView } },
      handle: async ({ caller }) => ({
        body: toView(caller.clinicId, await stores.settings.approvedApi(caller.clinicId)),
      }),
    }),
    route({
      method: 'put',
      path: '/integrations/approved-api',
      access: 'admin',
      tag,
      summary: 'Approve an API, or change what it may be used for',
      description:
        'A secret that is left out stays as it is, unless the method or the host changes: a kept secret is never sent ' +
        'to another host. Paths may hold `{parameters}`, as `/forms/{sessionId}`. A FHIR server is switched on only when the ' +
        'check of exactly these settings finds no problem.',
      body: ApprovedApiChange,
      responses: {
        200: { description: 'The settings as they are now', schema: ApprovedApiView },
        409: { description: 'The check of a FHIR server found the problems in `details`; nothing was changed' },
      },
      async handle({ caller, body, requestId, signal }) {
        const settings = await settingsOf.save(caller.clinicId, body, { by: actorOf(caller, requestId), signal });
        return { body: toView(caller.clinicId, settings) };
      },
    }),
    route({
      method: 'post',
      path: '/integrations/approved-api/check',
      access: 'admin',
      tag,
      summary: 'Say what will work and what will not, with the settings as they are kept',
      description:
        'Asks for a token where one is needed. Of a FHIR server it reads the CapabilityStatement, tries each row of the ' +
        'mappings by one request and lists what is not mapped. It changes nothing there.',
      responses: {
        200: { description: 'What was found', schema: ApiCheck },
        409: { description: 'No API is approved' },
      },
      async handle({ caller, requestId, signal }) {
        const checked = await settingsOf.checkKept(caller.clinicId, { by: actorOf(caller, requestId), signal });
        if (!checked) throw new AppError('conflict', 'No API is approved; save the settings first');
        return { body: checked };
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

const nothingSet = {
  kind: 'json',
  baseUrl: null,
  auth: { method: 'none' },
  headers: [],
  certificateEndsAt: null,
  actions: {},
  fhir: null,
  capabilities: null,
} satisfies Omit<ApprovedApiView, 'jwksUrl'>;

const endOf = ({ clientCertificate }: ApprovedApi): string | null =>
  clientCertificate ? new Date(new X509Certificate(clientCertificate.certificate).validTo).toISOString() : null;
