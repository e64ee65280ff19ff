import type { KeyRing } from '@clinic/shared/config';
import { newId, randomToken } from '@clinic/shared/crypto';
import { defaultCallingPolicy } from '@clinic/shared/domain/calling-policy';
import { type InboundPath, inboundPaths } from '@clinic/shared/contracts/inbound-events';
import { createAccounts } from './accounts';
import type { Database } from './client';
import { demoPolicy, providerFixtures } from './fixtures';
import { createStores } from './stores';
import type { VoiceProvider } from './stores/clinics';

/** A new clinic with everything an integration needs. Its secrets are shown here and never again. */
export interface DevClinic {
  clinicId: string;
  name: string;
  timezone: string;
  providers: string[];
  email: string;
  password: string;
  staff: { email: string; password: string };
  apiKey: string;
  inboundSecrets: Record<InboundPath, string>;
  outboundSigningSecret: string;
  testCallId: string;
}

export interface SeedDeps {
  database: Database;
  secretKeys: KeyRing;
  authSecret: string;
}

/** Makes a clinic with its providers, an admin and a staff account, an API key, inbound secrets and an open test call. */
export async function createClinic(
  { database, secretKeys, authSecret }: SeedDeps,
  input: {
    name: string;
    timezone: string;
    demo: boolean;
    email?: string;
    password?: string;
    outboundUrl?: string;
    /** A demo's is the simulator; any other clinic's only where it is named here. */
    voiceProvider?: VoiceProvider;
  },
): Promise<DevClinic> {
  const stores = createStores(database, secretKeys);
  const accounts = createAccounts({ database, secret: authSecret, publicUrl: 'http://localhost' });
  const clinicId = await stores.clinics.create({
    name: input.name,
    timezone: input.timezone,
    isDemo: input.demo,
    voiceProvider: input.voiceProvider ?? (input.demo ? 'simulator' : 'vapi'),
    policy: input.demo ? demoPolicy : defaultCallingPolicy,
  });
  await database.prisma.provider.createMany({
    data: providerFixtures.map(({ workingHours, ...provider }) => ({
      id: newId(),
      clinicId,
      ...provider,
      workingHours: JSON.parse(JSON.stringify(workingHours)) as object,
    })),
  });
  if (input.outboundUrl) {
    const { events } = await stores.clinics.outboundEndpoint(clinicId);
    await stores.clinics.setOutboundEndpoint(clinicId, { url: input.outboundUrl, isEnabled: true, events });
  }

  const short = emailName(input.name);
  // Names repeat; a demo clinic of an emptied seed file may stand in the database already.
  const isFree = input.demo && (await accounts.findByEmail(`admin@${short}.example`)) === null;
  const local = isFree ? short : `${short}-${clinicId.slice(-8)}`;
  const email = input.email ?? `admin@${local}.example`;
  const password = input.password ?? randomToken(12);
  const staff = { email: `staff@${local}.example`, password: randomToken(12) };
  await accounts.createAccount({ name: 'Clinic admin', email, password, clinicId, role: 'admin' });
  await accounts.createAccount({ name: 'Clinic staff', ...staff, clinicId, role: 'staff' });

  const { key: apiKey } = await stores.keys.createApiKey({ clinicId, name: 'First key' });
  const inboundSecrets = {} as Record<InboundPath, string>;
  for (const path of inboundPaths) inboundSecrets[path] = await stores.keys.rotateInbound(clinicId, path);
  const outboundSigningSecret = await stores.keys.rotateSigning(clinicId);
  const patientId = await stores.patients.createPlaceholder(clinicId);
  const testCallId = await stores.calls.openTestCall({
    clinicId,
    patientId,
    workflowType: null,
    workflowId: null,
    caseId: null,
  });
  return {
    clinicId,
    name: input.name,
    timezone: input.timezone,
    providers: providerFixtures.map(({ name }) => name),
    email,
    password,
    staff,
    apiKey,
    inboundSecrets,
    outboundSigningSecret,
    testCallId,
  };
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
  const accounts = createAccounts({ database: deps.database, secret: deps.authSecret, publicUrl: 'http://localhost' });
  await accounts.createAccount({ name: 'Unlinked account', ...unlinkedAccount, clinicId: null, role: 'staff' });
  return { clinics, unlinkedAccount };
}

function emailName(name: string): string {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return slug.replaceAll(/^-|-$/g, '').slice(0, 40) || 'clinic';
}
