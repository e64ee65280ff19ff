/** What of the environment decides whether a process may run in production. What a process does not have is left out. */
export interface ProductionConfig {
  LOCAL_STACK?: boolean;
  ALLOW_PRIVATE_TARGETS?: boolean;
  DATABASE_URL?: string;
  TEMPORAL_ADDRESS?: string;
  TEMPORAL_TLS?: boolean;
  /** Hosts that are reached over a network of their own, where nobody else listens. */
  TRUSTED_HOSTS?: readonly string[];
  PUBLIC_URL?: string;
  VAPI_BASE_URL?: string;
  HUBSPOT_BASE_URL?: string;
  PAYLOAD_KEYS?: readonly { id: string; key: Buffer }[];
  SECRET_KEYS?: readonly { id: string; key: Buffer }[];
  VOICE_WEBHOOK_SECRET?: string;
  VOICE_WEBHOOK_SECRET_PREVIOUS?: string;
  AUTH_SECRET?: string;
  METRICS_TOKEN?: string;
  CODEC_TOKEN?: string;
  CODEC_CREDENTIALS?: readonly { person: string; secret: string }[];
}

const MIN_SECRET = 32;
/** Made by a person or by a repetition, not by chance: 32 characters of hex have some 14 different ones. */
const MIN_DIFFERENT = 8;

/** Everything that is careless about an environment, each as `NAME: why`; no value is repeated. */
export function productionFaults(config: ProductionConfig): string[] {
  return [...switchFaults(config), ...secretFaults(config), ...keyFaults(config), ...transportFaults(config)];
}

function switchFaults({ LOCAL_STACK, ALLOW_PRIVATE_TARGETS, CODEC_TOKEN }: ProductionConfig): string[] {
  return [
    ...(LOCAL_STACK ? ['LOCAL_STACK: is for a local stack only'] : []),
    ...(ALLOW_PRIVATE_TARGETS ? ['ALLOW_PRIVATE_TARGETS: lets calls out reach private addresses'] : []),
    ...(CODEC_TOKEN === undefined
      ? []
      : ['CODEC_TOKEN: is nobody’s own; give CODEC_CREDENTIALS, so that it is known who decoded what']),
  ];
}

function secretFaults(config: ProductionConfig): string[] {
  const { CODEC_CREDENTIALS = [] } = config;
  const named: [string, string][] = [
    ...(['VOICE_WEBHOOK_SECRET', 'VOICE_WEBHOOK_SECRET_PREVIOUS', 'AUTH_SECRET', 'METRICS_TOKEN'] as const).flatMap(
      (name): [string, string][] => (config[name] === undefined ? [] : [[name, config[name]]]),
    ),
    ...CODEC_CREDENTIALS.map(({ person, secret }): [string, string] => [`CODEC_CREDENTIALS of ${person}`, secret]),
  ];
  const holders = new Map<string, string>();
  return named.flatMap(([name, secret]) => {
    const other = holders.get(secret);
    holders.set(secret, name);
    return [
      ...(secret.length < MIN_SECRET ? [`${name}: must be at least ${MIN_SECRET} characters in production`] : []),
      ...(isGuessable(secret) ? [`${name}: is not random; make one with: openssl rand -hex 32`] : []),
      ...(other === undefined ? [] : [`${name}: is the same as ${other}`]),
    ];
  });
}

const isGuessable = (secret: string): boolean =>
  new Set(secret).size < MIN_DIFFERENT ||
  /^(.{1,16})\1+$/.test(secret) ||
  /change.?me|password|example|default|secret.?secret/i.test(secret);

function keyFaults({ PAYLOAD_KEYS = [], SECRET_KEYS = [] }: ProductionConfig): string[] {
  const holders = new Map<string, string>();
  const named = [
    ...PAYLOAD_KEYS.map(({ id, key }) => ({ name: `PAYLOAD_KEYS ${id}`, key })),
    ...SECRET_KEYS.map(({ id, key }) => ({ name: `SECRET_KEYS ${id}`, key })),
  ];
  return named.flatMap(({ name, key }) => {
    const text = key.toString('base64');
    const other = holders.get(text);
    holders.set(text, name);
    return [
      ...(new Set(key).size < MIN_DIFFERENT ? [`${name}: is not random; make one with: openssl rand -base64 32`] : []),
      ...(other === undefined ? [] : [`${name}: is the same as ${other}`]),
    ];
  });
}

function transportFaults(config: ProductionConfig): string[] {
  const { DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_TLS, TRUSTED_HOSTS = [] } = config;
  const isNear = (host: string) => isLoopback(host) || TRUSTED_HOSTS.includes(host);
  const plain = (['PUBLIC_URL', 'VAPI_BASE_URL', 'HUBSPOT_BASE_URL'] as const).filter((name) =>
    config[name]?.toLowerCase().startsWith('http:'),
  );
  const database = DATABASE_URL === undefined ? null : new URL(DATABASE_URL);
  const isDatabasePlain = database !== null && !isNear(hostOf(database)) && !hasTls(database);
  const temporalHost = TEMPORAL_ADDRESS?.replace(/:\d+$/, '');
  const isTemporalPlain = temporalHost !== undefined && !TEMPORAL_TLS && !isNear(temporalHost);
  return [
    ...plain.map((name) => `${name}: must be https`),
    ...(isDatabasePlain
      ? ['DATABASE_URL: asks for no TLS; add sslmode=verify-full, or name a host of a private network in TRUSTED_HOSTS']
      : []),
    ...(isTemporalPlain
      ? ['TEMPORAL_TLS: must be 1, or the host of a private network must stand in TRUSTED_HOSTS']
      : []),
  ];
}

/** A socket's folder may stand in the query instead of a host. */
const hostOf = (url: URL): string => url.searchParams.get('host') ?? url.hostname;

const isLoopback = (host: string): boolean =>
  host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);

/** As `pg` reads it: everything from `require` on checks the certificate too. */
const hasTls = (url: URL): boolean =>
  ['require', 'verify-ca', 'verify-full'].includes(url.searchParams.get('sslmode') ?? '');
