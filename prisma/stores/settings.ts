import type { KeyRing } from '@clinic/shared/config';
import { ApprovedApi, ClinicAction } from '@clinic/shared/contracts/approved-api';
import { Crm } from '@clinic/shared/contracts/crm';
import { decrypt, encrypt } from '@clinic/shared/crypto';
import type { Database } from '../client';
import { type Actor, audit } from './audit';

export interface SettingsStores {
  /** The clinic's approved API with its credentials, for calling it; null where none is set. */
  approvedApi(clinicId: string): Promise<ApprovedApi | null>;
  /** What the clinic permits at its own API; nothing where none is set. */
  permittedActions(clinicId: string): Promise<ClinicAction[]>;
  setApprovedApi(clinicId: string, settings: ApprovedApi, by?: Actor): Promise<void>;
  /** False when there was none. */
  removeApprovedApi(clinicId: string, by?: Actor): Promise<boolean>;
  /** The clinic's CRM with its token, switched on or not; null where none is set. */
  crm(clinicId: string): Promise<Crm | null>;
  /** null takes it away. */
  setCrm(clinicId: string, settings: Crm | null, by?: Actor): Promise<void>;
}

/** What a clinic entrusts to us for calling its own systems. Credentials are encrypted, bound to their clinic and use. */
export function createSettingsStores({ sql, transaction }: Database, secretKeys: KeyRing): SettingsStores {
  const seal = (clinicId: string, use: 'approved-api' | 'crm', value: unknown) =>
    encrypt(secretKeys, JSON.stringify(value), `${clinicId}/${use}`);
  const open = (clinicId: string, use: 'approved-api' | 'crm', sealed: string): unknown =>
    JSON.parse(decrypt(secretKeys, sealed, `${clinicId}/${use}`));

  return {
    async approvedApi(clinicId) {
      const [row] = await sql<{ baseUrl: string; credentials: string; actions: unknown }>`
        select base_url as "baseUrl", credentials, actions from approved_apis where clinic_id = ${clinicId}`;
      if (!row) return null;
      const { baseUrl, credentials, actions } = row;
      return ApprovedApi.parse({ baseUrl, actions, auth: open(clinicId, 'approved-api', credentials) });
    },

    async permittedActions(clinicId) {
      const rows = await sql<{ action: string }>`
        select jsonb_object_keys(actions) as action from approved_apis where clinic_id = ${clinicId}`;
      return rows.map(({ action }) => ClinicAction.parse(action));
    },

    async setApprovedApi(clinicId, { baseUrl, auth, actions }, by) {
      await transaction(async (tx) => {
        await tx`
          insert into approved_apis (clinic_id, base_url, auth, credentials, actions)
          values (${clinicId}, ${baseUrl}, ${auth.method}, ${seal(clinicId, 'approved-api', auth)}, ${JSON.stringify(actions)}::jsonb)
          on conflict (clinic_id) do update set base_url = excluded.base_url, auth = excluded.auth,
            credentials = excluded.credentials, actions = excluded.actions, updated_at = now()`;
        const detail = { host: new URL(baseUrl).host, auth: auth.method, actions: Object.keys(actions) };
        await audit(tx, by, { clinicId, action: 'approved-api.change', detail });
      });
    },

    removeApprovedApi: (clinicId, by) =>
      transaction(async (tx) => {
        const [removed] = await tx`delete from approved_apis where clinic_id = ${clinicId} returning clinic_id`;
        if (removed) await audit(tx, by, { clinicId, action: 'approved-api.remove' });
        return removed !== undefined;
      }),

    async crm(clinicId) {
      const [row] = await sql<{ kind: string; enabled: boolean; url: string | null; credentials: string }>`
        select kind, is_enabled as enabled, url, credentials from crm_settings where clinic_id = ${clinicId}`;
      if (!row) return null;
      const { credentials, url, ...rest } = row;
      return Crm.parse({ ...rest, ...(url !== null && { url }), ...(open(clinicId, 'crm', credentials) as object) });
    },

    async setCrm(clinicId, settings, by) {
      await transaction(async (tx) => {
        if (settings === null) {
          await tx`delete from crm_settings where clinic_id = ${clinicId}`;
          return audit(tx, by, { clinicId, action: 'crm.remove' });
        }
        const { kind, enabled } = settings;
        const url = kind === 'webhook' ? settings.url : null;
        const secret = kind === 'webhook' ? { token: settings.token } : { accessToken: settings.accessToken };
        await tx`
          insert into crm_settings (clinic_id, kind, is_enabled, url, credentials)
          values (${clinicId}, ${kind}, ${enabled}, ${url}, ${seal(clinicId, 'crm', secret)})
          on conflict (clinic_id) do update set kind = excluded.kind, is_enabled = excluded.is_enabled, url = excluded.url,
            credentials = excluded.credentials, updated_at = now()`;
        await audit(tx, by, { clinicId, action: 'crm.change', detail: { kind, enabled } });
      });
    },
  };
}
