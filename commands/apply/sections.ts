import type { Actor } from '@clinic/prisma/stores/operations/audit';
import { ClinicCountryChange, ClinicLanguageChange } from '@clinic/shared/contracts/accounts/accounts';
import { ApprovedApiChange, KeyAlgorithm } from '@clinic/shared/contracts/events/approved-api';
import { CallingPolicySettings } from '@clinic/shared/contracts/outreach/calling-policy';
import { Crm, CrmChange, withKeptToken } from '@clinic/shared/contracts/events/crm';
import { ClosedDaysChange, closedDaysIn } from '@clinic/shared/contracts/calendar/hours';
import { inboundPaths } from '@clinic/shared/contracts/events/inbound-events';
import { OutboundSettings } from '@clinic/shared/contracts/events/outbound-events';
import { PhoneNumbersChange } from '@clinic/shared/contracts/voice/phone-numbers';
import { named, ProvidersChange } from '@clinic/shared/contracts/calendar/providers';
import { SandboxConfigChange } from '@clinic/shared/contracts/sandbox/sandbox-config';
import { newId } from '@clinic/shared/crypto';
import { isFields } from '@clinic/shared/domain/json';
import { type KeptVoice, VoiceChange, withKeptKey } from '@clinic/shared/contracts/voice/voice';
import { type ClinicSystems, jwksUrlOf } from '@clinic/gateways/clinic-systems';
import type { VoicePlatforms } from '@clinic/gateways/voice/registry';
import { z } from 'zod';
import { asked, parse } from '@clinic/shared/contracts/parse';
import type { Stores } from '@clinic/prisma/stores';
import type { ApiConfig } from '@clinic/shared/config';
import { approvedApiSettings } from '@clinic/gateways/clinic-api/settings';
import { isSecretField } from './clinic-file';
import { endpointsSection } from './endpoints-section';
import type { Section, SectionPlan } from './section';
import { noVoiceSettings, type VoiceSettingDeps, voiceSettings } from '@clinic/gateways/voice/settings';

export interface SectionDeps {
  stores: Stores;
  systems: ClinicSystems;
  config: Pick<ApiConfig, 'PUBLIC_URL'>;
  voice: VoicePlatforms;
  offeredTools: VoiceSettingDeps['offeredTools'];
}

const secretNames = ['voice', 'outbound', ...inboundPaths.map((path) => `inbound/${path}` as const)] as const;
const SecretNames = z.array(z.enum(secretNames));

/** The sections in the order in which they are made true: what one of them needs of another comes after it. */
export function clinicSections(deps: SectionDeps): Record<string, Section> {
  const { stores, config } = deps;
  const voice = voiceSettings(deps);
  const approvedApi = approvedApiSettings(deps);

  return {
    providers: {
      async plan(clinicId, said) {
        const { items } = within('items', () => ProvidersChange.parse({ items: said }, asked));
        const present = byName(await stores.providers.list(clinicId));
        const wanted = items.map(named);
        return {
          before: withoutIds(present),
          after: Object.fromEntries(
            wanted.map((each) => [each.name, { ...keptOf(present[each.name]), ...withoutName(each) }]),
          ),
          save: async ({ by }) => void (await stores.providers.replace(clinicId, wanted, by)),
        };
      },
    },

    closedDays: {
      async plan(clinicId, said) {
        const days = closedDaysIn(within('items', () => ClosedDaysChange.parse({ items: said }, asked)));
        return {
          before: await stores.clinics.closedDays(clinicId),
          after: days,
          save: ({ by }) => stores.clinics.setClosedDays(clinicId, days, by),
        };
      },
    },

    callingPolicy: {
      async plan(clinicId, said) {
        const before = await stores.clinics.policy(clinicId);
        const after = CallingPolicySettings.parse(over(before, said), asked);
        return { before, after, save: ({ by }) => stores.clinics.setPolicy(clinicId, after, by) };
      },
    },

    language: {
      async plan(clinicId, said) {
        const { language } = within('language', () => ClinicLanguageChange.parse({ language: said }, asked));
        return {
          before: await stores.clinics.language(clinicId),
          after: language,
          save: ({ by }) => stores.clinics.setLanguage(clinicId, language, by),
        };
      },
    },

    country: {
      async plan(clinicId, said) {
        const { country } = within('country', () => ClinicCountryChange.parse({ country: said }, asked));
        return {
          before: (await stores.clinics.find(clinicId))?.defaultCountry,
          after: country,
          save: ({ by }) => stores.clinics.setCountry(clinicId, country, by),
        };
      },
    },

    phoneNumbers: {
      async plan(clinicId, said) {
        const { items } = within('items', () => PhoneNumbersChange.parse({ items: said }, asked));
        const lines = (all: { number: string; platformId: string | null; assistantId: string | null }[]) =>
          Object.fromEntries(all.map(({ number, platformId, assistantId }) => [number, { platformId, assistantId }]));
        return {
          before: lines(await stores.phoneNumbers.list(clinicId)),
          after: lines(items),
          save: async ({ by }) => void (await stores.phoneNumbers.replace(clinicId, items, by)),
        };
      },
    },

    secrets: {
      async plan(clinicId, said) {
        const wanted = SecretNames.parse(said, asked);
        const [inbound, signing, voices] = await Promise.all([
          stores.keys.listInbound(clinicId),
          stores.keys.listSigning(clinicId),
          stores.keys.listVoice(clinicId),
        ]);
        const isLive = ({ expiresAt }: { expiresAt: Date | null }) => expiresAt === null;
        const present = [
          ...(voices.some(isLive) ? ['voice'] : []),
          ...(signing.some(isLive) ? ['outbound'] : []),
          ...inbound.filter(isLive).map(({ name }) => `inbound/${name}`),
        ];
        const missing = wanted.filter((name) => !present.includes(name));
        return {
          before: {},
          after: Object.fromEntries(missing.map((name) => [name, 'made now'])),
          async save({ by }) {
            const shown: Record<string, string> = {};
            for (const name of missing) shown[name] = await rotateSecret(stores, { clinicId, name, by });
            return { shown };
          },
        };
      },
    },

    voice: {
      async plan(clinicId, said) {
        const [clinic, kept] = await Promise.all([stores.clinics.find(clinicId), stores.settings.voice(clinicId)]);
        const { number: _n, isKeyUnreadable: _k, ...settings }: Partial<KeptVoice> = kept ?? noVoiceSettings;
        const before = { provider: clinic?.voiceProvider, ...settings };
        const change = VoiceChange.parse(over(withoutSecrets(before), said), asked);
        return {
          // Settings that were never saved are the operator's: to save the same is a change.
          before: kept ? before : { provider: clinic?.voiceProvider },
          after: { provider: change.provider, ...withKeptKey(change, kept) },
          save: (context) => voice.save(clinicId, change, context),
        };
      },
    },

    clientKey: {
      async plan(clinicId, said) {
        const algorithm = KeyAlgorithm.parse(said, asked);
        const present = (await stores.clientKeys.list(clinicId)).filter(({ state }) => state !== 'previous');
        const isThere = present.some((key) => key.algorithm === algorithm);
        return {
          before: isThere ? algorithm : null,
          after: algorithm,
          async save({ by }) {
            await stores.clientKeys.create(clinicId, { kid: newId(), algorithm }, by);
            return { shown: { jwksUrl: jwksUrlOf(config.PUBLIC_URL, clinicId) } };
          },
        };
      },
    },

    approvedApi: {
      async plan(clinicId, said) {
        const kept = await stores.settings.approvedApi(clinicId);
        if (said === null) {
          const save: SectionPlan['save'] = async ({ by }) =>
            void (await stores.settings.removeApprovedApi(clinicId, by));
          return { before: kept, after: null, save };
        }
        const { capabilities: _found, ...before } = kept ?? { clientCertificate: undefined };
        const { clientCertificate: _certificate, ...readable } = before;
        const change = ApprovedApiChange.parse(over(withoutSecrets(readable), said), asked);
        return {
          before,
          after: await approvedApi.complete(clinicId, change),
          save: async (context) => void (await approvedApi.save(clinicId, change, context)),
        };
      },
    },

    crm: {
      async plan(clinicId, said) {
        const kept = await stores.settings.crm(clinicId);
        const isSameKind = kept?.kind === (said as { kind?: unknown } | null)?.kind;
        const change = CrmChange.parse(isSameKind ? over(withoutSecrets(kept ?? {}), said) : said, asked);
        const wanted = change.kind === 'none' ? null : parse(Crm, withKeptToken(change, kept));
        return { before: kept, after: wanted, save: ({ by }) => stores.settings.setCrm(clinicId, wanted, by) };
      },
    },

    outbound: {
      async plan(clinicId, said) {
        const { url, isEnabled, events } = await stores.clinics.outboundEndpoint(clinicId);
        const before = { url, enabled: isEnabled, events };
        const after = OutboundSettings.parse(over(before, said), asked);
        const endpoint = { url: after.url, isEnabled: after.enabled, events: after.events };
        return { before, after, save: ({ by }) => stores.clinics.setOutboundEndpoint(clinicId, endpoint, by) };
      },
    },

    endpoints: endpointsSection(stores),

    sandbox: {
      async plan(clinicId, said) {
        const after = SandboxConfigChange.parse(said, asked);
        const before = { enabled: (await stores.clinics.find(clinicId))?.isSandboxEnabled };
        const { enabled: isEnabled } = after;
        return {
          before,
          after,
          save: ({ by }) => stores.sandbox.setEnabled({ clinicId, isEnabled, now: new Date(), by }),
        };
      },
    },
  };
}

/** Makes a secret again; the one before lives on for a day. */
export async function rotateSecret(
  stores: Pick<SectionDeps['stores'], 'keys'>,
  { clinicId, name, by }: { clinicId: string; name: string; by: Actor },
): Promise<string> {
  if (name === 'voice') return stores.keys.rotateVoice(clinicId, by);
  if (name === 'outbound') return stores.keys.rotateSigning(clinicId, by);
  const path = inboundPaths.find((each) => name === `inbound/${each}`);
  if (!path) throw new Error(`${name} is not a secret: ${secretNames.join(', ')}.`);
  return stores.keys.rotateInbound(clinicId, path, by);
}

/** What is said, over what is there. What is no object is left for the schema to refuse. */
function over(present: object, said: unknown): unknown {
  return isFields(said) ? { ...present, ...said } : said;
}

/**
 * Settings as the dashboard is told them. Whether a kept secret goes on to be used is for the rules that a change over the API
 * goes by: one is never sent to another host.
 */
function withoutSecrets(settings: object): object {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([key]) => !isSecretField(key));
    return Object.fromEntries(kept.map(([key, each]) => [key, strip(each)]));
  };
  return Object(strip(settings)) as object;
}

/** A list stands in the file by itself, and in a body under a name: what is wrong with it is told by the file's paths. */
function within<T>(field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new z.ZodError(
      error.issues.map((issue) => ({ ...issue, path: issue.path[0] === field ? issue.path.slice(1) : issue.path })),
    );
  }
}

type Provider = Awaited<ReturnType<SectionDeps['stores']['providers']['list']>>[number];

const byName = (providers: Provider[]): Record<string, Provider> =>
  Object.fromEntries(providers.map((provider) => [provider.name, provider]));

const withoutIds = (providers: Record<string, Provider>) =>
  Object.fromEntries(
    Object.entries(providers).map(
      ([name, { id: _id, name: _name, daysInForce: _days, noticeInForce: _notice, ...settings }]) => [name, settings],
    ),
  );

const withoutName = <Named extends { name: string }>({ name: _name, ...rest }: Named) => rest;

/** What a provider keeps where the file leaves it out. */
const keptOf = (provider: Provider | undefined) => ({
  specialDays: provider?.specialDays ?? {},
  noticeMinutes: provider?.noticeMinutes ?? 0,
});
