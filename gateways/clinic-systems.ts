import type { Stores } from '@clinic/prisma/stores';
import type { ServiceConfig } from '@clinic/shared/config';
import type { ApprovedApi } from '@clinic/shared/contracts/events/approved-api';
import type { Crm } from '@clinic/shared/contracts/events/crm';
import type { Logger } from '@clinic/shared/log';
import { type ClinicApiOptions, createClinicApi } from './clinic-api/clinic-api';
import type { ClinicApi } from './clinic-api/port';
import { type ClientKeySource, createTokenCache } from './clinic-api/clinic-api-auth';
import { type ClinicHttp, createClinicHttp, type OutboundAudit } from './http/clinic-http';
import type { SafeHttp } from './http/safe-http';
import { createHubspot } from './crm/hubspot';
import { type CallMemory, createCallMemories } from './calendar/fhir/call-memory';
import type { CrmGateway } from './crm/port';
import { createCrmWebhook } from './crm/webhook';
import { createIdentityProviders, type IdentityProviders } from './sign-on/identity-provider';

/** The systems that a clinic has told us of, as it has set them at this moment. */
export interface ClinicSystems {
  /** Its own approved API; null where none is set. */
  approvedApi(clinicId: string): Promise<ClinicApi | null>;
  /** As it would be with these settings, to be checked before they are kept. */
  approvedApiWith(clinicId: string, settings: ApprovedApi): ClinicApi;
  /** What its EHR has said during a call. */
  callMemory(callId: string): CallMemory;
  /** Its CRM; null where none is switched on. */
  crm(clinicId: string): Promise<CrmGateway | null>;
  /** By whom its people sign in. */
  identityProviders: IdentityProviders;
}

export interface ClinicSystemsDeps {
  http: ClinicHttp;
  settings: {
    approvedApi(clinicId: string): Promise<ApprovedApi | null>;
    crm(clinicId: string): Promise<Crm | null>;
  };
  clientKeys: Pick<ClientKeySource, 'signing'>;
  ehrTimes: ClinicApiOptions['ehrTimes'];
  /** Where this service is reached from outside, without `/api`. */
  publicUrl: string;
  /** HubSpot itself unless said otherwise. */
  hubspotUrl?: string;
  /** Whether people may sign in at an address without TLS. */
  allowsHttpSignOn?: boolean;
}

/** As a process of the service reaches them: through its own rules for what lies outside, with each call on record. */
export const openClinicSystems = ({
  config,
  stores,
  http,
  log,
}: {
  config: ServiceConfig;
  stores: Pick<Stores, 'audit' | 'settings' | 'clientKeys' | 'ehrTimes'>;
  http: SafeHttp;
  log: Logger;
}): ClinicSystems =>
  createClinicSystems({
    http: createClinicHttp({
      http,
      audit: (call) => stores.audit.write(toAudit(call)),
      privateTargets: config.PRIVATE_TARGETS,
      log,
    }),
    settings: stores.settings,
    clientKeys: stores.clientKeys,
    ehrTimes: stores.ehrTimes,
    publicUrl: config.PUBLIC_URL,
    hubspotUrl: config.HUBSPOT_BASE_URL,
    allowsHttpSignOn: config.NODE_ENV === 'development',
  });

export function createClinicSystems({
  http,
  settings,
  clientKeys,
  ehrTimes,
  publicUrl,
  hubspotUrl,
  allowsHttpSignOn = false,
}: ClinicSystemsDeps): ClinicSystems {
  const tokens = createTokenCache();
  const keys: ClientKeySource = {
    signing: (clinicId) => clientKeys.signing(clinicId),
    jwksUrl: (clinicId) => jwksUrlOf(publicUrl, clinicId),
  };
  const approvedApiWith: ClinicSystems['approvedApiWith'] = (clinicId, given) =>
    createClinicApi({ http, clinicId, settings: given, tokens, keys, ehrTimes });
  return {
    approvedApiWith,
    callMemory: createCallMemories(),
    identityProviders: createIdentityProviders({ http, allowsHttp: allowsHttpSignOn }),

    async approvedApi(clinicId) {
      const found = await settings.approvedApi(clinicId);
      return found && approvedApiWith(clinicId, found);
    },

    async crm(clinicId) {
      const found = await settings.crm(clinicId);
      if (!found?.enabled) return null;
      if (found.kind === 'webhook') return createCrmWebhook({ http, clinicId, url: found.url, token: found.token });
      return createHubspot({ http, clinicId, accessToken: found.accessToken, baseUrl: hubspotUrl });
    },
  };
}

/** Where the systems of a clinic read the public halves of its key pairs. */
export const jwksUrlOf = (publicUrl: string, clinicId: string): string =>
  `${publicUrl}/api/clinics/${encodeURIComponent(clinicId)}/jwks.json`;

/** What is kept of a call to a clinic's own system. */
const toAudit = ({ clinicId, callId, system, action, ...detail }: OutboundAudit) => ({
  clinicId,
  actor: callId === undefined ? 'system' : `call:${callId}`,
  action: `outbound.${action}`,
  subject: system,
  detail,
});
