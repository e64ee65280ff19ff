import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { completeEnvironment } from './environment-sources';
import { parseJson } from './domain/json';
import { type ProductionConfig, productionFaults } from './production';
import {
  isRetentionKind,
  retentionDefaults,
  type RetentionDays,
  retentionKinds,
  retentionLimits,
} from './domain/operations/retention';

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

const Hosts = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((host) => host.trim())
      .filter(Boolean),
  );

/** A host of a clinic's own network, with the port where it is not 443, and the certificate that alone vouches for it there. */
const PrivateTarget = z.strictObject({
  clinic: z.string().min(1),
  host: z
    .string()
    .refine((host) => /^[\w.:[\]-]+$/.test(host) && URL.canParse(`https://${host}`))
    .transform((host) => new URL(`https://${host}`).host),
  ca: z.string().refine(isCertificate).optional(),
});
export type PrivateTarget = z.infer<typeof PrivateTarget>;

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).toString() !== '';
  } catch {
    return false;
  }
}

const PrivateTargets = z
  .string()
  .default('[]')
  .transform((text, ctx) => {
    const parsed = z.array(PrivateTarget).safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    const message = 'must be a JSON array of {"clinic", "host", "ca"}, of which ca is a PEM certificate';
    ctx.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** `person:secret,person:secret`: who may read what Temporal stores. */
const Credentials = z.string().transform((text, ctx) => {
  const credentials = text.split(',').map((entry) => {
    const [, person = '', own = ''] = /^\s*([\w.-]{1,64}):(\S{16,})\s*$/.exec(entry) ?? [];
    return { person, secret: own };
  });
  const people = new Set(credentials.map(({ person }) => person));
  if (people.has('') || people.size < credentials.length) {
    ctx.addIssue({
      code: 'custom',
      message:
        'must be person:secret pairs, separated by commas, each person once and each secret of 16 characters at least',
    });
    return z.NEVER;
  }
  return credentials;
});

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
    const isChoice = ({ kind, days }: { kind: string; days: number }) => {
      if (!isRetentionKind(kind) || !Number.isInteger(days)) return false;
      const { minDays, maxDays } = retentionLimits(kind);
      return days >= minDays && days <= maxDays;
    };
    if (!chosen.every(isChoice)) {
      const kinds = retentionKinds.map((kind) => `${kind} (at least ${retentionLimits(kind).minDays})`).join(', ');
      ctx.addIssue({ code: 'custom', message: `must be kind=days pairs; kinds: ${kinds}` });
      return z.NEVER;
    }
    return { ...retentionDefaults, ...Object.fromEntries(chosen.map(({ kind, days }) => [kind, days])) };
  });

/** Development is what says so, as `npm start` does; another word, another spelling or none is production. */
const Environment = z
  .string()
  .default('production')
  .transform((name) => (name === 'development' ? name : 'production'));

const Service = z.object({
  NODE_ENV: Environment,
  /** Node's own switch, by which it believes any certificate; refused in production. */
  NODE_TLS_REJECT_UNAUTHORIZED: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  DATABASE_URL: z.url(),
  /** PostgreSQL connections a process may hold. */
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(16),
  TEMPORAL_ADDRESS: z.string(),
  TEMPORAL_NAMESPACE: z.string().default('default'),
  TEMPORAL_API_KEY: z.string().optional(),
  TEMPORAL_TLS: flag,
  /** The certificate of the authority that vouches for Temporal, in PEM, where it is not one that everybody trusts. */
  TEMPORAL_TLS_CA: z.string().refine(isCertificate, 'must be a PEM certificate').optional(),
  /** Hosts that are reached over a network of their own: PostgreSQL and Temporal need no TLS there. */
  TRUSTED_HOSTS: Hosts,
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
  /** Mails the links by which people set their passwords, and that there are new tasks, as smtps://user:password@host. */
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  /** Whom those mails are from, as `Clinic workflows <no-reply@clinic.example>`. */
  MAIL_FROM: z.string().min(3).max(320).optional(),
  HUBSPOT_BASE_URL: origin.default('https://api.hubapi.com'),
  /** Set by the local stack only: a default test call, generous rate limits, an open codec endpoint. */
  LOCAL_STACK: flag,
  ALLOW_PRIVATE_TARGETS: flag,
  /** What clinics' own networks let us reach, by clinic: everything else that is private is refused. */
  PRIVATE_TARGETS: PrivateTargets,
});

const Api = Service.extend({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default('0.0.0.0'),
  AUTH_SECRET: secret,
  /** Number of reverse proxies in front, for the client's address in the sign-in limit. */
  TRUST_PROXY: z.coerce.number().int().min(0).max(10).default(0),
  RATE_LIMIT_PER_SECOND: z.coerce.number().int().min(1).default(100),
  RATE_LIMIT_BURST: z.coerce.number().int().min(0).default(200),
  SIGN_INS_PER_MINUTE: z.coerce.number().int().min(1).default(10),
  /** A session that no person uses ends after so long: streams and what the dashboard reads by itself give it no more time. */
  SESSION_IDLE_MINUTES: z.coerce.number().int().min(5).max(10_080).default(720),
  /** So long after a proof of who somebody is, what asks for a fresh one asks for no other. */
  FRESH_PROOF_MINUTES: z.coerce.number().int().min(1).max(720).default(5),
  /** Event streams and held `wait`s that one session or API key may have open at once, in each process. */
  HELD_REQUESTS_PER_CALLER: z.coerce.number().int().min(1).default(100),
  /** Requests under way beyond which a process refuses more with 503; those held open on purpose are not counted. */
  MAX_REQUESTS_UNDER_WAY: z.coerce.number().int().min(1).default(500),
  /** How long a request body may take to arrive. */
  BODY_TIMEOUT_MS: z.coerce.number().int().min(100).max(60_000).default(10_000),
  /** How long a process that stops goes on serving while it says that it is not ready: load balancers need to see it. */
  SHUTDOWN_DRAIN_MS: z.coerce.number().int().min(0).max(60_000).optional(),
});

/** In production those who write the audit cannot seal it. */
function hasSealer({ NODE_ENV, DATABASE_URL, AUDIT_DATABASE_URL: url }: Record<string, unknown>): boolean {
  if (NODE_ENV !== 'production') return true;
  return typeof url === 'string' && new URL(url).username !== new URL(String(DATABASE_URL)).username;
}

const Worker = Service.extend({
  /** The same database as the role that seals the audit and does nothing else; the service's own role does it in development. */
  AUDIT_DATABASE_URL: z.url().optional(),
  /** Where the heads of the audit's chains are taken once a minute: file:///…, syslog+tls://…, https://…; beside the log. */
  AUDIT_HEADS_URL: z.url({ protocol: /^(file|https?|syslog|syslog\+tls)$/ }).optional(),
  /** How the worker proves itself to an https receiver of them: the whole header, as `Splunk …` or `Bearer …`. */
  AUDIT_HEADS_AUTHORIZATION: z.string().min(1).optional(),
  /** Where the worker says whether it lives and works; nowhere where this is not set. */
  WORKER_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  /** How long the simulator's caller takes over each sentence. 0 plays at full speed. */
  SIMULATOR_PAUSE_MS: z.coerce.number().int().min(0).default(400),
  /** Names this version of the workflows to Temporal, which then keeps a run on the version it began on (docs/change-a-workflow.md). */
  WORKER_BUILD_ID: z.string().max(100).optional(),
  /** The workflows as worker/bundle-main.ts wrote them; without it the worker bundles them when it starts. */
  WORKFLOW_BUNDLE: z.string().optional(),
}).refine(hasSealer, {
  path: ['AUDIT_DATABASE_URL'],
  message: 'must sign in as another role than DATABASE_URL, which seals the audit and which migrate makes',
});

const Temporal = Service.pick({
  NODE_ENV: true,
  TEMPORAL_ADDRESS: true,
  TEMPORAL_NAMESPACE: true,
  TEMPORAL_API_KEY: true,
  TEMPORAL_TLS: true,
  TEMPORAL_TLS_CA: true,
  NODE_TLS_REJECT_UNAUTHORIZED: true,
});

const Codec = Service.pick({ NODE_ENV: true, LOG_LEVEL: true, PAYLOAD_KEYS: true, TEMPORAL_UI_URL: true })
  .extend({
    /** Everybody's; refused in production. */
    CODEC_TOKEN: secret.optional(),
    CODEC_CREDENTIALS: Credentials.optional(),
    CODEC_PORT: z.coerce.number().int().min(0).max(65_535).default(8234),
  })
  .refine(({ CODEC_TOKEN, CODEC_CREDENTIALS }) => CODEC_TOKEN !== undefined || CODEC_CREDENTIALS !== undefined, {
    path: ['CODEC_CREDENTIALS'],
    message: 'is missing: who may read what Temporal stores, as person:secret',
  });

export type ServiceConfig = z.infer<typeof Service>;
export type ApiConfig = z.infer<typeof Api>;
export type WorkerConfig = z.infer<typeof Worker>;
export type CodecConfig = z.infer<typeof Codec>;

/** What of an environment decides where calls out may go. */
export const outboundRules = ({ ALLOW_PRIVATE_TARGETS, NODE_ENV }: ServiceConfig) => ({
  allowPrivateTargets: ALLOW_PRIVATE_TARGETS,
  isHttpsOnly: NODE_ENV === 'production',
});

/** Reads the API process's environment once. Throws one error that names every missing or wrong variable. */
export const readApiConfig = (env: NodeJS.ProcessEnv): ApiConfig => read(Api, env);

/** Reads the worker process's environment once. Throws one error that names every missing or wrong variable. */
export const readWorkerConfig = (env: NodeJS.ProcessEnv): WorkerConfig => read(Worker, env);

/** Reads what every process of the service has. Throws one error that names every missing or wrong variable. */
export const readServiceConfig = (env: NodeJS.ProcessEnv): ServiceConfig => read(Service, env);

/** Reads where Temporal is. Throws one error that names every missing or wrong variable. */
export const readTemporalConfig = (env: NodeJS.ProcessEnv): z.infer<typeof Temporal> => read(Temporal, env);

/** Reads the codec server's environment once. Throws one error that names every missing or wrong variable. */
export const readCodecConfig = (env: NodeJS.ProcessEnv): CodecConfig => read(Codec, env);

function read<T extends z.ZodObject & z.ZodType<ProductionConfig & { NODE_ENV: string }>>(
  schema: T,
  env: NodeJS.ProcessEnv,
): z.infer<T> {
  const { values, faults } = completeEnvironment(env, Object.keys(schema.shape));
  const parsed = schema.safeParse(values);
  if (parsed.success && faults.length === 0) return carefulInProduction(parsed.data);
  const issues = (parsed.error?.issues ?? []).map(({ path, message }) => ({ name: path.join('.'), message }));
  const unread = new Set(faults.map(({ name }) => name));
  const lines = [...faults, ...issues.filter(({ name }) => !unread.has(name))].map(
    ({ name, message }) => `  ${name}: ${message}`,
  );
  throw new Error(`The environment is not complete:\n${lines.join('\n')}\nSee docs/operate.md for every variable.`);
}

/** Throws one error that names everything careless, in production. */
function carefulInProduction<Config extends ProductionConfig & { NODE_ENV: string }>(config: Config): Config {
  const faults = config.NODE_ENV === 'production' ? productionFaults(config) : [];
  if (faults.length === 0) return config;
  throw new Error(
    `This environment is not fit for production, which is what NODE_ENV does not call development:\n${faults.map((fault) => `  ${fault}`).join('\n')}\nSee docs/operate.md, "Production".`,
  );
}
