import type { ServiceConfig } from '@clinic/shared/config';
import {
  DEFAULT_PLATFORM,
  isVoicePlatform,
  type VoicePlatformName,
  voicePlatforms,
} from '@clinic/shared/domain/voice/platforms';
import type { SimulatedCalls } from '@clinic/shared/domain/voice/simulated-call';
import type { SafeHttp } from '../http/safe-http';
import type { PlatformAccount, PlatformMessages, VoicePlatform } from './port';
import { createSimulatorPlatform } from './simulator/platform';
import { createVapiPlatform } from './vapi/platform';

export interface PlatformDeps {
  config: ServiceConfig;
  http: SafeHttp;
  /** The simulator's calls, in the process that places calls. */
  simulatedCalls?: SimulatedCalls;
}

/** A line for each platform of shared/domain/voice/platforms.ts. */
const platforms: Record<VoicePlatformName, (deps: PlatformDeps) => VoicePlatform> = {
  vapi: createVapiPlatform,
  simulator: ({ simulatedCalls = null }) => createSimulatorPlatform(simulatedCalls),
};

export interface VoicePlatforms {
  of(name: string): VoicePlatform;
  /** The account behind a clinic's settings: where the simulator plays its calls, the one that it would leave it for. */
  accountOf(name: string): PlatformAccount;
  /** Those that have accounts, by name. */
  accounts: readonly { name: VoicePlatformName; account: PlatformAccount }[];
  /** Each way in which platforms speak to this service, with the account that a call can be looked up at. */
  speakers: readonly { messages: PlatformMessages; account: PlatformAccount }[];
  /** In the form that the contract shows, where a request does not say by its path which platform speaks. */
  contract: PlatformMessages;
  /** Loads what takes long. */
  prepare(): Promise<void>;
}

/** Every voice platform that this service knows. */
export function createVoicePlatforms(deps: PlatformDeps): VoicePlatforms {
  const made = voicePlatforms.map((name) => ({ name, ...platforms[name](deps) }));
  const accounts = made.flatMap(({ name, account }) => (account ? [{ name, account }] : []));
  const speakers = made.flatMap(({ messages, account }) => (messages && account ? [{ messages, account }] : []));

  const contract = made.find(({ name }) => name === DEFAULT_PLATFORM)?.messages;
  if (!contract) throw new Error(`nothing reads the messages of ${DEFAULT_PLATFORM}`);

  const of = (name: string) => {
    const found = made.find((each) => each.name === name);
    if (!found) throw new Error(`${name} is no voice platform`);
    return found;
  };
  return {
    of,
    accountOf(name) {
      const account = (isVoicePlatform(name) ? of(name).account : null) ?? of(DEFAULT_PLATFORM).account;
      if (!account) throw new Error(`${DEFAULT_PLATFORM} has no account`);
      return account;
    },
    accounts,
    speakers,
    contract,
    async prepare() {
      await Promise.all(made.map(async ({ prepare }) => prepare?.()));
    },
  };
}
