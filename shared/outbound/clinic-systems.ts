import type { ApprovedApi } from '../contracts/approved-api';
import type { Crm } from '../contracts/crm';
import { type ClinicApi, createClinicApi } from './clinic-api';
import { createTokenCache } from './clinic-api-auth';
import type { ClinicHttp, OutboundAudit } from './clinic-http';
import { createHubspot } from './crm/hubspot';
import type { CrmGateway } from './crm/port';
import { createCrmWebhook } from './crm/webhook';

/** The systems that a clinic has told us of, as it has set them at this moment. */
export interface ClinicSystems {
  /** Its own approved API; null where none is set. */
  approvedApi(clinicId: string): Promise<ClinicApi | null>;
  /** Its CRM; null where none is switched on. */
  crm(clinicId: string): Promise<CrmGateway | null>;
}

export interface ClinicSystemsDeps {
  http: ClinicHttp;
  settings: {
    approvedApi(clinicId: string): Promise<ApprovedApi | null>;
    crm(clinicId: string): Promise<Crm | null>;
  };
  /** HubSpot itself unless said otherwise. */
  hubspotUrl?: string;
}

export function createClinicSystems({ http, settings, hubspotUrl }: ClinicSystemsDeps): ClinicSystems {
  const tokens = createTokenCache();
  return {
    async approvedApi(clinicId) {
      const found = await settings.approvedApi(clinicId);
      return found && createClinicApi({ http, clinicId, settings: found, tokens });
    },

    async crm(clinicId) {
      const found = await settings.crm(clinicId);
      if (!found?.enabled) return null;
      if (found.kind === 'webhook') return createCrmWebhook({ http, clinicId, url: found.url, token: found.token });
      return createHubspot({ http, clinicId, accessToken: found.accessToken, baseUrl: hubspotUrl });
    },
  };
}

/** What is kept of a call to a clinic's own system. */
export const toAudit = ({ clinicId, system, action, ...detail }: OutboundAudit) => ({
  clinicId,
  actor: 'system',
  action: `outbound.${action}`,
  subject: system,
  detail,
});
