import { z } from 'zod';
import { retentionDefaults, retentionLimits, type RetentionDays } from './domain/retention';

/** `id:base64,id:base64` with 32-byte keys; the first one encrypts, all of them decrypt. */
const KeyRing = z.string().transform((text, ctx) => {
  const keys = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => {
      const colon = entry.indexOf(':');
      return { id: entry.slice(0, colon), key: Buffer.from(entry.slice(colon + 1), 'base64') };
    });
  if (keys.length === 0 || keys.some(({ id, key }) => !id || key.length !== 32)) {
    ctx.addIssue({ code: 'custom', message: 'must be id:base64 pairs of 32-byte keys, separated by commas' });
    return z.NEVER;
  }
  return keys;
});

/** Keys by age: the first encrypts, the rest only decrypt. */
export type KeyRing = z.infer<typeof KeyRing>;

const flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((value) => value === '1');
const origin = z.url().transform((value) => value.replace(/\/+$/, ''));
const secret = z.string().min(16, 'must be at least 16 characters');

/** `event_bodies=60,call_evidence=180`: days by kind, where they differ from the defaults. */
const Retention = z
  .string()
  .default('')
  .transform((text, ctx): RetentionDays => {
    const chosen = text
      .split(',')
      .filter((entry) => entry.trim() !== '')
      .map((entry) => {
        const [kind = '', days = ''] = entry.split('=').map((part) => part.trim());
        return { kind, days: Number(days) };
      });
    const { minDays, maxDays } = retentionLimits;
    const isDays = (days: number) => Number.isInteger(days) && days >= minDays && days <= maxDays;
    if (!chosen.every(({ kind, days }) => kind in retentionDefaults && isDays(days))) {
      const kinds = Object.keys(retentionDefaults).join(', ');
      ctx.addIssue({
        code: 'custom',
        message: `must be kind=days pairs of ${minDays} to ${maxDays} days; kinds: ${kinds}`,
      });
      return z.NEVER;
    }
    return { ...retentionDefaults, ...Object.fromEntries(chosen.map(({ kind, days }) => [kind, days])) };
  });

const Service = z.object({
  NODE_ENV: z.string().default('development'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  DATABASE_URL: z.url(),
  /** PostgreSQL connections a process may hold. */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(16),
  TEMPORAL_ADDRESS: z.string(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: flag,
  TEMPORAL_UI_URL: origin.default('http://localhost:8233'),
  /** Encrypts everything Temporal stores. */
  PAYLOAD_KEYS: KeyRing,
  /** Encrypts credentials and signing secrets in PostgreSQL. */
  SECRET_KEYS: KeyRing,
  /** Where the service is reached from outside, without `/api`. */
  PUBLIC_URL: origin,
  VOICE_WEBHOOK_SECRET: secret,
  /** The one before, which is still accepted while the platform is told the new one. */
  VOICE_WEBHOOK_SECRET_PREVIOUS: secret.optional(),
  /** The operator's account at the voice platform, for clinics that have none of their own. */
  VAPI_API_KEY: z.string().optional(),
  VAPI_BASE_URL: origin.default('https://api.vapi.ai'),
  VAPI_PHONE_NUMBER_ID: z.string().optional(),
  /** Answers the calls, in and out, of clinics that name no assistant of their own. */
  VAPI_ASSISTANT_ID: z.string().optional(),
  /** Bearer token of `/metrics`. */
  METRICS_TOKEN: z.string().min(16).optional(),
  /** For how long contents are kept by clinics that choose nothing themselves. */
  RETENTION_DAYS: Retention,
  HUBSPOT_BASE_URL: origin.default('https://api.hubapi.com'),
  /** Set by the local stack only: a default test call, generous rate limits, an open codec endpoint. */
  LOCAL_STACK: flag,
  ALLOW_PRIVATE_TARGETS: flag,
});

const Api = Service.extend({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default('0.0.0.0'),
  AUTH_SECRET: secret,
  CODEC_TOKEN: secret.optional(),
  /** Number of reverse proxies in front, for the client's address in the sign-in limit. */
  TRUST_PROXY: z.coerce.number().int().min(0).max(10).default(0),
  RATE_LIMIT_PER_SECOND: z.coerce.number().int().min(1).default(100),
  RATE_LIMIT_BURST: z.coerce.number().int().min(0).default(200),
  SIGN_INS_PER_MINUTE: z.coerce.number().int().min(1).default(10),
  /** Event streams and held `wait`s that one session or API key may have open at once, in each process. */
  HELD_REQUESTS_PER_CALLER: z.coerce.number().int().min(1).default(100),
  /** Requests under way beyond which a process refuses more with 503; those held open on purpose are not counted. */
  MAX_REQUESTS_UNDER_WAY: z.coerce.number().int().min(1).default(500),
  /** How long a process that stops goes on serving while it says that it is not ready: load balancers need to see it. */
  SHUTDOWN_DRAIN_MS: z.coerce.number().int().min(0).max(60_000).optional(),
});

const Worker = Service.extend({
  /** Where the worker says whether it lives and works; nowhere where this is not set. */
  WORKER_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  /** How long the simulator's caller takes over each sentence. 0 plays at full speed. */
  SIMULATOR_PAUSE_MS: z.coerce.number().int().min(0).default(400),
  /** Names this version of the workflows to Temporal, which then keeps a run on the version it began on (docs/change-a-workflow.md). */
  WORKER_BUILD_ID: z.string().max(100).optional(),
  /** The workflows as worker/bundle-main.ts wrote them; without it the worker bundles them when it starts. */
  WORKFLOW_BUNDLE: z.string().optional(),
});

const Codec = Service.pick({ NODE_ENV: true, LOG_LEVEL: true, PAYLOAD_KEYS: true, TEMPORAL_UI_URL: true }).extend({
  CODEC_TOKEN: secret,
  CODEC_PORT: z.coerce.number().int().min(0).max(65_535).default(8234),
});

export type ServiceConfig = z.infer<typeof Service>;
export type ApiConfig = z.infer<typeof Api>;
export type WorkerConfig = z.infer<typeof Worker>;
export type CodecConfig = z.infer<typeof Codec>;

/** Reads the API process's environment once. Throws one error that names every missing or wrong variable. */
export const readApiConfig = (env: NodeJS.ProcessEnv): ApiConfig => read(Api, env);

/** Reads the worker process's environment once. Throws one error that names every missing or wrong variable. */
export const readWorkerConfig = (env: NodeJS.ProcessEnv): WorkerConfig => read(Worker, env);

/** Reads the codec server's environment once. Throws one error that names every missing or wrong variable. */
export const readCodecConfig = (env: NodeJS.ProcessEnv): CodecConfig => read(Codec, env);

function read<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`The environment is not complete:\n${lines.join('\n')}\nSee docs/operate.md for every variable.`);
}
