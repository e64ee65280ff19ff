import { X509Certificate } from 'node:crypto';
import { type ApprovedApi, ApprovedApiChange, ApprovedApiView } from '@clinic/shared/contracts/events/approved-api';
import { ApiCheck, FilledMappings, FillMappings } from '@clinic/shared/contracts/events/approved-api-check';
import { AppError } from '@clinic/shared/errors';
import { jwksUrlOf } from '@clinic/gateways/clinic-systems';
import type { Deps } from '../../http/route';
import { approvedApiSettings } from '@clinic/gateways/clinic-api/settings';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Integrations: approved API',
  access: 'clinic',
  right: 'settings',
  patientData: 'none',
});

/** The clinic's own API: where it is, how we prove ourselves, and what we may do there. */
export const approvedApiRoutes = [
  routes.get('/integrations/approved-api', {
    right: 'settings.read',
    summary: "The clinic's approved API, without its secret",
    description:
      '`baseUrl` is null until one is approved. It says how we sign in there and which actions are permitted, never the secret itself.',
    responses: { 200: { description: 'The settings', schema: ApprovedApiView } },
    handle: async ({ caller: { clinicId } }, { stores, config }) => ({
      body: toView({ config }, clinicId, await stores.settings.approvedApi(clinicId)),
    }),
  }),
  routes.put('/integrations/approved-api', {
    stepUp: 'access',
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
    async handle({ caller: { clinicId }, body, by, signal }, { stores, systems, config }) {
      const settingsOf = approvedApiSettings({ stores, systems });
      const settings = await settingsOf.save(clinicId, body, { by, signal });
      return { body: toView({ config }, clinicId, settings) };
    },
  }),
  routes.post('/integrations/approved-api/check', {
    summary: 'Say what will work and what will not, with the settings as they are kept',
    description:
      'Asks for a token where one is needed. Of a FHIR server it reads the CapabilityStatement, tries each row of the ' +
      'mappings by one request and lists what is not mapped. It changes nothing there.',
    responses: {
      200: { description: 'What was found', schema: ApiCheck },
      409: { description: 'No API is approved' },
    },
    async handle({ caller: { clinicId }, by, signal }, { stores, systems }) {
      const settingsOf = approvedApiSettings({ stores, systems });
      const checked = await settingsOf.checkKept(clinicId, { by, signal });
      if (!checked) throw new AppError('conflict', 'No API is approved; save the settings first');
      return { body: checked };
    },
  }),
  routes.post('/integrations/approved-api/fill', {
    summary: 'Fill the mappings of providers, visit types and locations from the EHR',
    description:
      'Reads Schedule, Practitioner, PractitionerRole, HealthcareService, Location and the types of past appointments, ' +
      'and sets each of your names beside the one thing there that is called so. Each row is tried by one request; what could ' +
      'not be decided is a finding, with `choices` to decide from. It changes nothing there, and takes no data of patients.',
    body: FillMappings,
    responses: {
      200: { description: 'The rows, and what was found', schema: FilledMappings },
      409: { description: 'No FHIR server is set, or the check found the problems in `details` and nothing was kept' },
    },
    async handle({ caller: { clinicId }, body: { save: isSaved }, by, signal }, { stores, systems }) {
      const filled = await approvedApiSettings({ stores, systems }).fill(clinicId, { by, signal, isSaved });
      if (!filled) throw new AppError('conflict', 'No FHIR server is set; save its address and authentication first');
      return { body: filled };
    },
  }),
  routes.delete('/integrations/approved-api', {
    stepUp: 'access',
    summary: 'Call the API no more, and forget its secret',
    description: 'Nothing is asked of it or told to it from then on. Repeating it is 204 too.',
    responses: { 204: { description: 'Removed, or there was none' } },
    async handle({ caller: { clinicId }, by }, { stores }) {
      await stores.settings.removeApprovedApi(clinicId, by);
      return { status: 204 };
    },
  }),
];

const toView = ({ config }: Deps<'config'>, clinicId: string, settings: ApprovedApi | null): ApprovedApiView => {
  const jwksUrl = jwksUrlOf(config.PUBLIC_URL, clinicId);
  if (!settings) return { ...nothingSet, jwksUrl };
  const { fhir = null, capabilities = null } = settings;
  // The view's schema names what may be shown, and drops the rest.
  return ApprovedApiView.parse({ ...settings, fhir, capabilities, jwksUrl, certificateEndsAt: endOf(settings) });
};

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
