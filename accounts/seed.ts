import { countryOfZone, DEFAULT_COUNTRY } from '@clinic/shared/domain/operations/countries';
import type { KeyRing } from '@clinic/shared/config';
import { newId, randomToken } from '@clinic/shared/crypto';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { type InboundPath, inboundPaths } from '@clinic/shared/contracts/events/inbound-events';
import { createAccounts } from './accounts';
import { type Scope, scopes, usualScopes } from '@clinic/shared/domain/accounts/rights';
import type { Database } from '@clinic/prisma/client';
import { demoPolicy, providerFixtures } from '@clinic/prisma/fixtures';
import { createStores } from '@clinic/prisma/stores';
import { DEFAULT_PLATFORM, SIMULATOR, type VoicePlatformName } from '@clinic/shared/domain/voice/platforms';

/** A new clinic as its first administrator needs it. Its secrets are shown here and never again. */
export interface MadeClinic {
  clinicId: string;
  name: string;
  timezone: string;
  /** ISO 3166, as `US`. */
  country: string;
  email: string;
  password: string;
  apiKey: string;
  inboundSecrets: Record<InboundPath, string>;
  outboundSigningSecret: string;
}

/** The same with everything that a developer or a rehearsal needs besides. */
export interface DevClinic extends MadeClinic {
  providers: string[];
  staff: { email: string; password: string };
  testCallId: string;
}

export interface SeedDeps {
  database: Database;
  secretKeys: KeyRing;
  authSecret: string;
}

export interface NewClinic {
  name: string;
  timezone: string;
  /** ISO 3166; that of its time zone unless given. */
  country?: string;
  demo: boolean;
  /** Of the first administrator; made up unless given. */
  email?: string;
  password?: string;
  outboundUrl?: string;
  /** A demo's is the simulator; any other clinic's only where it is named here. */
  voiceProvider?: VoicePlatformName;
  /** Of its first API key: a demo's opens everything, any other one's the workflows alone. */
  keyScopes?: Scope[];
}

/** Makes a clinic with providers to book, an admin and a staff account, an API key, inbound secrets and an open test call. */
export async function createClinic(deps: SeedDeps, input: NewClinic): Promise<DevClinic> {
  const { database, secretKeys } = deps;
  const accounts = accountsOf(deps);
  const stores = createStores(database, secretKeys);
  const made = await makeClinic(deps, input);
  const { clinicId } = made;
  await database.prisma.provider.createMany({
    data: providerFixtures.map(({ workingHours, ...provider }) => ({
      id: newId(),
      clinicId,
      ...provider,
      workingHours: JSON.parse(JSON.stringify(workingHours)) as object,
    })),
  });
  const staff = {
    email: `staff@${await localPart(accounts, input, clinicId, 'staff')}.example`,
    password: randomToken(12),
  };
  await accounts.createAccount({ name: 'Clinic staff', ...staff, clinicId, role: 'staff' });
  const patientId = await stores.patients.createPlaceholder(clinicId);
  const testCallId = await stores.calls.openTestCall({
    clinicId,
    patientId,
    workflowType: null,
    workflowId: null,
    caseId: null,
  });
  return { ...made, providers: providerFixtures.map(({ name }) => name), staff, testCallId };
}

/** Makes a clinic with nothing invented in it: an administrator, an API key and secrets. */
export async function makeClinic(deps: SeedDeps, input: NewClinic): Promise<MadeClinic> {
  const { database, secretKeys } = deps;
  const stores = createStores(database, secretKeys);
  const accounts = accountsOf(deps);
  if (input.email !== undefined && (await accounts.findByEmail(input.email)) !== null) {
    throw new Error(`There is an account with the email ${input.email} already.`);
  }
  const country = input.country ?? countryOfZone(input.timezone) ?? DEFAULT_COUNTRY;
  const clinicId = await stores.clinics.create({
    name: input.name,
    timezone: input.timezone,
    country,
    isDemo: input.demo,
    voiceProvider: input.voiceProvider ?? (input.demo ? SIMULATOR : DEFAULT_PLATFORM),
    policy: input.demo ? demoPolicy : defaultCallingPolicy,
  });
  if (input.outboundUrl) {
    const { events } = await stores.clinics.outboundEndpoint(clinicId);
    await stores.clinics.setOutboundEndpoint(clinicId, { url: input.outboundUrl, isEnabled: true, events });
  }
  const email = input.email ?? `admin@${await localPart(accounts, input, clinicId, 'admin')}.example`;
  const password = input.password ?? randomToken(12);
  await accounts.createAccount({ name: 'Clinic admin', email, password, clinicId, role: 'admin' });

  const { key: apiKey } = await stores.keys.createApiKey({
    clinicId,
    name: 'First key',
    scopes: input.keyScopes ?? (input.demo ? scopes : usualScopes),
  });
  const inboundSecrets = {} as Record<InboundPath, string>;
  for (const path of inboundPaths) inboundSecrets[path] = await stores.keys.rotateInbound(clinicId, path);
  const outboundSigningSecret = await stores.keys.rotateSigning(clinicId);
  const { name, timezone } = input;
  return { clinicId, name, timezone, country, email, password, apiKey, inboundSecrets, outboundSigningSecret };
}

export const accountsOf = ({ database, secretKeys, authSecret }: SeedDeps) =>
  createAccounts({ database, secretKeys, secret: authSecret, publicUrl: 'http://localhost' });

/** Names repeat; a demo clinic of an emptied seed file may stand in the database already. */
async function localPart(
  accounts: ReturnType<typeof accountsOf>,
  { name, demo }: NewClinic,
  clinicId: string,
  role: 'admin' | 'staff',
): Promise<string> {
  const short = emailName(name);
  const isFree = demo && (await accounts.findByEmail(`${role}@${short}.example`)) === null;
  return isFree ? short : `${short}-${clinicId.slice(-8)}`;
}

/** The two clinics of the local stack, in zones whose clocks change on different days, and an account linked to none. */
export async function seedDemo(
  deps: SeedDeps,
): Promise<{ clinics: DevClinic[]; unlinkedAccount: { email: string; password: string } }> {
  const clinics = [
    await createClinic(deps, { name: 'Cedar Family Health', timezone: 'America/Denver', demo: true }),
    await createClinic(deps, { name: 'Harbour Clinic', timezone: 'Europe/London', demo: true }),
  ];
  const unlinkedAccount = { email: `unlinked-${newId().slice(-8)}@example.com`, password: randomToken(12) };
  const accounts = accountsOf(deps);
  await accounts.createAccount({ name: 'Unlinked account', ...unlinkedAccount, clinicId: null, role: 'staff' });
  return { clinics, unlinkedAccount };
}

function emailName(name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return slug.replaceAll(/^-|-$/g, '').slice(0, 40) || 'clinic';
}
