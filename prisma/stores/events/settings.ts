import type { KeyRing } from '@clinic/shared/config';
import { ApprovedApi, ClinicAction, FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import { Crm } from '@clinic/shared/contracts/events/crm';
import { type KeptVoice, VoiceSettings } from '@clinic/shared/contracts/voice/voice';
import type { VoicePlatformName } from '@clinic/shared/domain/voice/platforms';
import { decrypt, encrypt } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { changeVoiceProvider } from '../operations/clinics';

type Use = 'approved-api' | 'approved-api-headers' | 'approved-api-certificate' | 'crm' | 'voice';

const VoiceCredentials = z.object({ apiKey: z.string() });

interface Context {
  database: Database;
  secretKeys: KeyRing;
}

/** What a clinic entrusts to us for calling its own systems. Credentials are encrypted, bound to their clinic and use. */
export const createSettingsStores = (database: Database, secretKeys: KeyRing) =>
  bound(
    { database, secretKeys },
    {
      approvedApi,
      permittedActions,
      setApprovedApi,
      removeApprovedApi,
      statement,
      keepStatement,
      crm,
      setCrm,
      voice,
      nameAssistants,
      setVoice,
    },
  );

const seal = ({ secretKeys }: Context, clinicId: string, use: Use, value: unknown) =>
  encrypt(secretKeys, JSON.stringify(value), `${clinicId}/${use}`);

const open = ({ secretKeys }: Context, clinicId: string, use: Use, sealed: string): unknown =>
  JSON.parse(decrypt(secretKeys, sealed, `${clinicId}/${use}`));

function keyIn(context: Context, clinicId: string, credentials: string | null): VoiceKey {
  if (credentials === null) return { apiKey: null };
  try {
    return VoiceCredentials.parse(open(context, clinicId, 'voice', credentials));
  } catch {
    return { apiKey: null, isKeyUnreadable: true };
  }
}

type VoiceKey = Pick<KeptVoice, 'apiKey' | 'isKeyUnreadable'>;

/** The clinic's approved API with its credentials, for calling it; null where none is set. */
async function approvedApi(context: Context, clinicId: string): Promise<ApprovedApi | null> {
  const { sql } = context.database;
  const [row] = await sql<ApprovedApiRow>`
    select kind, base_url as "baseUrl", credentials, headers, client_certificate as "clientCertificate", actions, fhir,
      capabilities
    from approved_apis where clinic_id = ${clinicId}`;
  if (!row) return null;
  const { kind, baseUrl, credentials, actions } = row;
  return ApprovedApi.parse({
    kind,
    baseUrl,
    actions,
    auth: open(context, clinicId, 'approved-api', credentials),
    headers: row.headers === null ? [] : open(context, clinicId, 'approved-api-headers', row.headers),
    clientCertificate:
      row.clientCertificate === null
        ? undefined
        : open(context, clinicId, 'approved-api-certificate', row.clientCertificate),
    fhir: row.fhir ?? undefined,
    capabilities: row.capabilities ?? undefined,
  });
}

/** What the clinic permits at its own API; nothing where none is set. */
async function permittedActions({ database: { sql } }: Context, clinicId: string): Promise<ClinicAction[]> {
  const [row] = await sql<{ actions: unknown; fhir: unknown }>`
    select actions, fhir from approved_apis where clinic_id = ${clinicId}`;
  const named = z.record(z.string(), z.unknown()).optional();
  if (!row?.fhir) return Object.keys(named.parse(row?.actions) ?? {}).map((action) => ClinicAction.parse(action));
  const { isOn, permitted } = FhirSettings.parse(row.fhir);
  return isOn ? permitted : [];
}

async function setApprovedApi(
  context: Context,
  clinicId: string,
  settings: z.input<typeof ApprovedApi>,
  by?: Actor,
): Promise<void> {
  const { transaction } = context.database;
  const { kind, baseUrl, auth, headers, clientCertificate, actions, fhir, capabilities } = ApprovedApi.parse(settings);
  const credentials = seal(context, clinicId, 'approved-api', auth);
  const sealedHeaders = headers.length === 0 ? null : seal(context, clinicId, 'approved-api-headers', headers);
  const certificate = clientCertificate ? seal(context, clinicId, 'approved-api-certificate', clientCertificate) : null;
  await transaction(async (tx) => {
    await tx`
      insert into approved_apis as a (clinic_id, kind, base_url, auth, credentials, headers, client_certificate, actions, fhir,
        capabilities)
      values (${clinicId}, ${kind}, ${baseUrl}, ${auth.method}, ${credentials}, ${sealedHeaders}, ${certificate},
        ${JSON.stringify(actions)}::jsonb, ${jsonOrNull(fhir)}::jsonb, ${jsonOrNull(capabilities)}::jsonb)
      on conflict (clinic_id) do update set kind = excluded.kind, base_url = excluded.base_url, auth = excluded.auth,
        credentials = excluded.credentials, headers = excluded.headers, client_certificate = excluded.client_certificate,
        actions = excluded.actions, fhir = excluded.fhir, capabilities = excluded.capabilities, updated_at = now(),
        -- What another server has said of itself is not this one's.
        statement = case when a.base_url = excluded.base_url then a.statement end`;
    const permitted = fhir ? fhir.permitted : Object.keys(actions);
    const names = headers.map(({ name }) => name);
    const host = new URL(baseUrl).host;
    const detail = {
      kind,
      host,
      auth: auth.method,
      headers: names,
      actions: permitted,
      isOn: fhir?.isOn,
      hasCertificate: certificate !== null,
    };
    await audit(tx, by, { clinicId, action: 'approved-api.change', detail });
  });
}

/** What the server at this address said of itself within the last day; null where nothing is kept. */
async function statement({ database: { sql } }: Context, clinicId: string, baseUrl: string): Promise<unknown> {
  const [row] = await sql<{ statement: unknown }>`
    select statement from approved_apis
    where clinic_id = ${clinicId} and base_url = ${baseUrl} and statement_read_at > now() - interval '1 day'`;
  return row?.statement ?? null;
}

/** Keeps it as long as the clinic's API is at this address. */
async function keepStatement(
  { database: { sql } }: Context,
  clinicId: string,
  { baseUrl, declared }: { baseUrl: string; declared: unknown },
): Promise<void> {
  await sql`
    update approved_apis set statement = ${JSON.stringify(declared)}::jsonb, statement_read_at = now()
    where clinic_id = ${clinicId} and base_url = ${baseUrl}`;
}

/** False when there was none. */
const removeApprovedApi = ({ database: { transaction } }: Context, clinicId: string, by?: Actor): Promise<boolean> =>
  transaction(async (tx) => {
    const [removed] = await tx`delete from approved_apis where clinic_id = ${clinicId} returning clinic_id`;
    if (removed) await audit(tx, by, { clinicId, action: 'approved-api.remove' });
    return removed !== undefined;
  });

/** The clinic's CRM with its token, switched on or not; null where none is set. */
async function crm(context: Context, clinicId: string): Promise<Crm | null> {
  const { sql } = context.database;
  const [row] = await sql<{ kind: string; enabled: boolean; url: string | null; credentials: string }>`
    select kind, is_enabled as enabled, url, credentials from crm_settings where clinic_id = ${clinicId}`;
  if (!row) return null;
  const { credentials, url, ...rest } = row;
  return Crm.parse({
    ...rest,
    ...(url !== null && { url }),
    ...(open(context, clinicId, 'crm', credentials) as object),
  });
}

/** null takes it away. */
async function setCrm(context: Context, clinicId: string, settings: Crm | null, by?: Actor): Promise<void> {
  const { transaction } = context.database;
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
      values (${clinicId}, ${kind}, ${enabled}, ${url}, ${seal(context, clinicId, 'crm', secret)})
      on conflict (clinic_id) do update set kind = excluded.kind, is_enabled = excluded.is_enabled, url = excluded.url,
        credentials = excluded.credentials, updated_at = now()`;
    await audit(tx, by, { clinicId, action: 'crm.change', detail: { kind, enabled } });
  });
}

/** How the clinic's calls are placed, with its key where that can be read; null where the operator's environment says all of it. */
async function voice(context: Context, clinicId: string): Promise<KeptVoice | null> {
  const { sql } = context.database;
  const [row] = await sql<VoiceRow>`
    select v.credentials, v.credential_id as "credentialId", v.phone_number_id as "phoneNumberId", n.number,
      v.assistant_id as "assistantId", v.assistants, v.transfer_to as "transferTo",
      v.detects_voicemail as "detectsVoicemail", v.leaves_message as "leavesMessage",
      v.max_call_seconds as "maxCallSeconds", v.is_recorded as "isRecorded",
      v.discloses_recording as "disclosesRecording", v.is_hipaa as "isHipaa"
    from voice_settings v
    join clinics c on c.id = v.clinic_id
    -- Over the operator's account a clinic calls from its own lines alone, and the operator says which these are.
    left join phone_numbers n on n.clinic_id = v.clinic_id and n.platform_id = v.phone_number_id
      and (v.credentials is not null or c.is_demo or n.confirmed_at is not null)
    where v.clinic_id = ${clinicId}`;
  if (!row) return null;
  const { credentials, number, detectsVoicemail, leavesMessage, isRecorded, disclosesRecording, ...rest } = row;
  const { apiKey, ...known } = keyIn(context, clinicId, credentials);
  const settings = VoiceSettings.parse({
    ...rest,
    apiKey,
    voicemail: { isDetected: detectsVoicemail, leavesMessage },
    recording: { isOn: isRecorded, isDisclosed: disclosesRecording },
  });
  return { ...settings, ...known, number };
}

/** Names who talks for some workflow types, and leaves everything else of the voice settings as it is. */
const nameAssistants = (
  { database: { transaction } }: Context,
  clinicId: string,
  assistants: VoiceSettings['assistants'],
  by?: Actor,
): Promise<void> =>
  transaction(async (tx) => {
    await tx`
      update voice_settings set assistants = assistants || ${JSON.stringify(assistants)}::jsonb, updated_at = now()
      where clinic_id = ${clinicId}`;
    await audit(tx, by, { clinicId, action: 'voice.assistants', detail: { assistants } });
  });

/** Throws `conflict` where a clinic that is no demo would go to the simulator. */
async function setVoice(
  context: Context,
  clinicId: string,
  provider: VoicePlatformName,
  { apiKey, ...settings }: VoiceSettings,
  by?: Actor,
): Promise<void> {
  const { transaction } = context.database;
  const { credentialId, phoneNumberId, assistantId, assistants, transferTo, voicemail, recording } = settings;
  const credentials = apiKey === null ? null : seal(context, clinicId, 'voice', { apiKey });
  await transaction(async (tx) => {
    await moveTo(tx, { clinicId, provider, by });
    const [before] = await tx<{ disclosed: boolean }>`
      select discloses_recording as disclosed from voice_settings where clinic_id = ${clinicId}`;
    await tx`
      insert into voice_settings (clinic_id, credentials, credential_id, phone_number_id, assistant_id, assistants,
        transfer_to, detects_voicemail, leaves_message, max_call_seconds, is_recorded, discloses_recording, is_hipaa)
      values (${clinicId}, ${credentials}, ${credentialId}, ${phoneNumberId}, ${assistantId},
        ${JSON.stringify(assistants)}::jsonb, ${transferTo}, ${voicemail.isDetected}, ${voicemail.leavesMessage},
        ${settings.maxCallSeconds}, ${recording.isOn}, ${recording.isDisclosed}, ${settings.isHipaa})
      on conflict (clinic_id) do update set credentials = excluded.credentials,
        credential_id = excluded.credential_id, phone_number_id = excluded.phone_number_id,
        assistant_id = excluded.assistant_id, assistants = excluded.assistants, transfer_to = excluded.transfer_to,
        detects_voicemail = excluded.detects_voicemail, leaves_message = excluded.leaves_message,
        max_call_seconds = excluded.max_call_seconds, is_recorded = excluded.is_recorded,
        discloses_recording = excluded.discloses_recording, is_hipaa = excluded.is_hipaa, updated_at = now()`;
    const { transferTo: _phone, ...named } = settings;
    const account = apiKey === null ? 'operator' : 'own';
    const detail = { provider, account, isTransferred: transferTo !== null, ...named };
    await audit(tx, by, { clinicId, action: 'voice.change', detail });
    // Anyone who asks later why patients were not told finds it under a name of its own.
    if (recording.isDisclosed !== (before?.disclosed ?? true)) {
      const action = recording.isDisclosed ? 'recording-disclosure.on' : 'recording-disclosure.off';
      await audit(tx, by, { clinicId, action });
    }
  });
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

interface ApprovedApiRow {
  kind: string;
  baseUrl: string;
  credentials: string;
  headers: string | null;
  clientCertificate: string | null;
  actions: unknown;
  fhir: unknown;
  capabilities: unknown;
}

interface VoiceRow {
  credentials: string | null;
  credentialId: string | null;
  phoneNumberId: string | null;
  number: string | null;
  assistantId: string | null;
  assistants: unknown;
  transferTo: string | null;
  detectsVoicemail: boolean;
  leavesMessage: boolean;
  maxCallSeconds: number;
  isRecorded: boolean;
  disclosesRecording: boolean;
  isHipaa: boolean;
}

/** To real phones anyone who may change settings; to the simulator a demo alone, as others need an operator for that. */
async function moveTo(
  tx: Sql,
  { clinicId, provider, by }: { clinicId: string; provider: VoicePlatformName; by?: Actor },
): Promise<void> {
  const [clinic] = await tx<{ provider: VoicePlatformName; isDemo: boolean }>`
    select voice_provider as provider, is_demo as "isDemo" from clinics where id = ${clinicId} for no key update`;
  if (!clinic || clinic.provider === provider) return;
  if (provider === 'simulator' && !clinic.isDemo) {
    throw new AppError('conflict', 'Only a demo can be taken to the simulator here; an operator can do it for others');
  }
  await changeVoiceProvider(tx, { clinicId, voiceProvider: provider, by });
}
