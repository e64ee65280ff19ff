/** What of the environment decides whether a process may run in production. What a process does not have is left out. */
export interface ProductionConfig {
  LOCAL_STACK?: boolean;
  ALLOW_PRIVATE_TARGETS?: boolean;
  NODE_TLS_REJECT_UNAUTHORIZED?: string;
  DATABASE_URL?: string;
  AUDIT_DATABASE_URL?: string;
  TEMPORAL_ADDRESS?: string;
  TEMPORAL_TLS?: boolean;
  /** Hosts that are reached over a network of their own, where nobody else listens. */
  TRUSTED_HOSTS?: readonly string[];
  /** Like each variable whose name ends in _BASE_URL. */
  PUBLIC_URL?: string;
  PAYLOAD_KEYS?: readonly { id: string; key: Buffer }[];
  SECRET_KEYS?: readonly { id: string; key: Buffer }[];
  VOICE_WEBHOOK_SECRET?: string;
  VOICE_WEBHOOK_SECRET_PREVIOUS?: string;
  AUDIT_HEADS_URL?: string;
  AUTH_SECRET?: string;
  METRICS_TOKEN?: string;
  FRESH_PROOF_MINUTES?: number;
  CODEC_TOKEN?: string;
  CODEC_CREDENTIALS?: readonly { person: string; secret: string }[];
}

const MIN_SECRET = 32;
const MAX_FRESH_MINUTES = 15;
/** Made by a person or by a repetition, not by chance: 32 characters of hex have some 14 different ones. */
const MIN_DIFFERENT = 8;

/** Everything that is careless about an environment, each as `NAME: why`; no value is repeated. */
export function productionFaults(config: ProductionConfig): string[] {
  return [...switchFaults(config), ...secretFaults(config), ...keyFaults(config), ...transportFaults(config)];
}

function switchFaults(config: ProductionConfig): string[] {
  const {
    LOCAL_STACK,
    ALLOW_PRIVATE_TARGETS,
    CODEC_TOKEN,
    FRESH_PROOF_MINUTES = 0,
    NODE_TLS_REJECT_UNAUTHORIZED,
  } = config;
  return [
    ...(NODE_TLS_REJECT_UNAUTHORIZED === '0' ? ['NODE_TLS_REJECT_UNAUTHORIZED: has every certificate believed'] : []),
    ...(LOCAL_STACK ? ['LOCAL_STACK: is for a local stack only'] : []),
    ...(ALLOW_PRIVATE_TARGETS ? ['ALLOW_PRIVATE_TARGETS: lets calls out reach private addresses'] : []),
    ...(FRESH_PROOF_MINUTES > MAX_FRESH_MINUTES
      ? [`FRESH_PROOF_MINUTES: must be at most ${MAX_FRESH_MINUTES} in production`]
      : []),
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
  // Of 32 random characters some are digits or capitals, and none is a space.
  !/[A-Z0-9]/.test(secret) ||
  /\s/.test(secret) ||
  /change.?me|password|example|default|secret.?secret/i.test(secret) ||
  isMadeOfWords(secret);

/** Runs of five letters in one case, as of words, fill two thirds of one random secret in 100,000 in base64, and of none in hex. */
function isMadeOfWords(secret: string): boolean {
  const words = secret.match(/[A-Z]?[a-z]{5,}|[A-Z]{6,}/g) ?? [];
  return words.join('').length >= secret.length * 0.65;
}

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
  const { AUDIT_HEADS_URL, TEMPORAL_ADDRESS, TEMPORAL_TLS, TRUSTED_HOSTS = [] } = config;
  const isNear = (host: string) => isLoopback(host) || TRUSTED_HOSTS.includes(host);
  const plain = Object.entries(config).filter(
    ([name, value]) =>
      (name === 'PUBLIC_URL' || name.endsWith('_BASE_URL')) &&
      typeof value === 'string' &&
      value.toLowerCase().startsWith('http:'),
  );
  const plainDatabases = (['DATABASE_URL', 'AUDIT_DATABASE_URL'] as const).filter((name) => {
    const database = config[name] === undefined ? null : new URL(config[name]);
    return database !== null && !isNear(hostOf(database)) && !hasTls(database);
  });
  const heads = AUDIT_HEADS_URL === undefined ? null : new URL(AUDIT_HEADS_URL);
  const areHeadsPlain = heads !== null && /^(http|syslog):$/.test(heads.protocol) && !isNear(heads.hostname);
  const temporalHost = TEMPORAL_ADDRESS?.replace(/:\d+$/, '');
  const isTemporalPlain = temporalHost !== undefined && !TEMPORAL_TLS && !isNear(temporalHost);
  return [
    ...plain.map(([name]) => `${name}: must be https`),
    ...(areHeadsPlain ? ['AUDIT_HEADS_URL: must be https, syslog+tls or a file'] : []),
    ...plainDatabases.map(
      (name) =>
        `${name}: asks for no TLS; add sslmode=verify-full, or name a host of a private network in TRUSTED_HOSTS`,
    ),
    ...(isTemporalPlain
      ? ['TEMPORAL_TLS: must be 1, or the host of a private network must stand in TRUSTED_HOSTS']
      : []),
  ];
}

/** A socket's folder may stand in the query instead of a host. Of what is given twice `pg` takes the last. */
const hostOf = (url: URL): string => url.searchParams.getAll('host').at(-1) ?? url.hostname;

const isLoopback = (host: string): boolean =>
  host === '' || host.startsWith('/') || /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);

/** As `pg` reads it: everything from `require` on checks the certificate too, unless it is told to do as `libpq` does. */
function hasTls({ searchParams }: URL): boolean {
  const mode = searchParams.getAll('sslmode').at(-1) ?? '';
  const checked = searchParams.has('uselibpqcompat') ? ['verify-full'] : ['require', 'verify-ca', 'verify-full'];
  return checked.includes(mode);
}
