import type { SeedDeps } from '@clinic/accounts/seed';
import { readApiConfig } from '@clinic/shared/config';
import type { DevStack } from './dev-file';
import { localSecrets, type Secrets } from './secrets';

export interface Addresses {
  /** Where the service is reached, without /api. */
  publicUrl: string;
  port: number;
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string;
}

/** The environment of the API and the worker (shared/config.ts). What the developer has set in theirs wins over our defaults. */
export function serviceEnvironment(addresses: Addresses, secrets: Secrets): NodeJS.ProcessEnv {
  const { databasePassword: _databasePassword, ...named } = secrets;
  return {
    LOG_LEVEL: 'info',
    ...named,
    RATE_LIMIT_PER_SECOND: '20000',
    RATE_LIMIT_BURST: '40000',
    SIGN_INS_PER_MINUTE: '2000',
    FRESH_PROOF_MINUTES: '720',
    ...process.env,
    NODE_ENV: 'development',
    LOCAL_STACK: '1',
    ALLOW_PRIVATE_TARGETS: '1',
    HOST: '127.0.0.1',
    PORT: String(addresses.port),
    PUBLIC_URL: addresses.publicUrl,
    DATABASE_URL: addresses.databaseUrl,
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_UI_URL: addresses.temporalUiUrl,
  };
}

/** What the running stack's API and worker were given. */
export function localEnvironment(dev: DevStack): NodeJS.ProcessEnv {
  const publicUrl = dev.baseUrl.replace(/\/api$/, '');
  const addresses = { ...dev, publicUrl, port: Number(new URL(publicUrl).port) };
  return serviceEnvironment(addresses, localSecrets());
}

/** As far as records can only be written with it. */
export function localKeys(dev: DevStack): Omit<SeedDeps, 'database'> {
  const { SECRET_KEYS: secretKeys, AUTH_SECRET: authSecret } = readApiConfig(localEnvironment(dev));
  return { secretKeys, authSecret };
}
