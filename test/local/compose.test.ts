import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { drainMsOf } from '@clinic/api/start-api';
import { readApiConfig, readCodecConfig, readWorkerConfig } from '@clinic/shared/config';
import { temporalCli } from '@clinic/local/binaries';
import { entries } from '@clinic/local/build';
import { deployedTemporal } from '@clinic/local/deployed-temporal';
import { serverSettings, temporal as temporalServer, untilServing } from '@clinic/local/temporal';
import { runScript } from '@clinic/local/temporal-on-postgres';
import { parse } from 'yaml';
import { typed } from '../support/command';
import { aCertificate } from '../support/outside/tls-receiver';
import { temporalAddress } from '../support/temporal';

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  /** Null: as Compose's own environment has it. */
  environment?: Record<string, string | null>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  stop_grace_period?: string;
  ports?: string[];
}

const root = join(__dirname, '../..');
const [main = '', ui = ''] = ['docker-compose.yml', 'docker-compose.temporal-ui.yml'].map((file) =>
  readFileSync(join(root, file), 'utf8'),
);
const text = main + ui;
const { services: deployed, configs } = parse(main, { merge: true }) as {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
};
const services: Record<string, Service> = { ...deployed, ...parse(ui).services };

const values: Record<string, string> = {
  POSTGRES_PASSWORD: 'a'.repeat(24),
  SERVICE_POSTGRES_PASSWORD: 'd'.repeat(24),
  AUDIT_POSTGRES_PASSWORD: 'e'.repeat(24),
  TEMPORAL_POSTGRES_PASSWORD: 'b'.repeat(24),
  AUTH_SECRET: randomBytes(32).toString('hex'),
  VOICE_WEBHOOK_SECRET: randomBytes(32).toString('hex'),
  METRICS_TOKEN: randomBytes(32).toString('hex'),
  CODEC_CREDENTIALS: `ann:${randomBytes(32).toString('hex')}`,
  PAYLOAD_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  PUBLIC_URL: 'https://clinic.example',
};

/** What the container would see, with `${NAME:-default}` and `${NAME:?message}` filled in as Compose does. */
function environmentOf(name: string): Record<string, string> {
  const fill = (value: string) =>
    value.replaceAll(
      /\$\{(\w+)(?::?-([^}]*)|:\?[^}]*)?\}/g,
      (_, key: string, fallback = '') => values[key] ?? fallback,
    );
  return Object.fromEntries(
    Object.entries(services[name]?.environment ?? {}).map(([key, value]) => [key, fill(value ?? `\${${key}:-}`)]),
  );
}

test('the API, the worker and the codec server are given an environment they start with', () => {
  expect(readApiConfig(environmentOf('api'))).toMatchObject({ LOCAL_STACK: false, ALLOW_PRIVATE_TARGETS: false });
  expect(readWorkerConfig(environmentOf('worker')).DATABASE_URL).toBe(environmentOf('migrate').DATABASE_URL);
  expect(readCodecConfig(environmentOf('codec')).CODEC_PORT).toBe(8234);
});

test.each(['api', 'worker'])('what an operator asks of Temporal can be asked in the %s’s container', async (name) => {
  const { lines } = await typed(['workflows-of-session', 'clinic-1', 'session-1'], environmentOf(name));

  expect(lines).toEqual([expect.stringMatching(/^SessionId IN \('.+'\)$/)]);
});

test('what the handbook has an operator set in the environment reaches the processes that it names', () => {
  const reaches = (variable: string) =>
    ['api', 'worker'].filter((name) => Object.hasOwn(services[name]?.environment ?? {}, variable));

  expect(reaches('VOICE_WEBHOOK_SECRET_PREVIOUS')).toEqual(['api']);
  expect(reaches('PRIVATE_TARGETS')).toEqual(['api', 'worker']);
  expect(reaches('WORKER_BUILD_ID')).toEqual(['worker']);
});

describe('production', () => {
  const careless = {
    LOCAL_STACK: '1',
    ALLOW_PRIVATE_TARGETS: '1',
    DATABASE_URL: 'postgresql://clinic:pw@db.example:5432/clinic',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TRUSTED_HOSTS: '',
    PUBLIC_URL: 'http://clinic.example',
    VAPI_BASE_URL: 'http://vapi.example',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    AUTH_SECRET: 'too-short-and-known',
    METRICS_TOKEN: 'ab'.repeat(20),
    VOICE_WEBHOOK_SECRET: values.AUTH_SECRET ?? '',
    VOICE_WEBHOOK_SECRET_PREVIOUS: values.AUTH_SECRET ?? '',
    PAYLOAD_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    SECRET_KEYS: `k2:${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const messageOf = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  test('names everything careless at once, and repeats no value', () => {
    const env = { ...environmentOf('api'), ...careless };

    const message = messageOf(() => readApiConfig(env));

    const named = message.split('\n').flatMap((line) => /^  (\w+( k\d)?): /.exec(line)?.[1] ?? []);
    expect(new Set(named)).toEqual(
      new Set([
        'LOCAL_STACK',
        'ALLOW_PRIVATE_TARGETS',
        'NODE_TLS_REJECT_UNAUTHORIZED',
        'VOICE_WEBHOOK_SECRET_PREVIOUS',
        'AUTH_SECRET',
        'METRICS_TOKEN',
        'PAYLOAD_KEYS k1',
        'SECRET_KEYS k2',
        'PUBLIC_URL',
        'VAPI_BASE_URL',
        'DATABASE_URL',
        'TEMPORAL_TLS',
      ]),
    );
    for (const value of Object.values(careless).filter(({ length }) => length > 18))
      expect(message).not.toContain(value);
    expect(messageOf(() => readApiConfig({ ...env, NODE_ENV: 'development' }))).toBe('');
  });

  test.each([
    ['over TLS', { DATABASE_URL: `${careless.DATABASE_URL}?sslmode=verify-full`, TEMPORAL_TLS: '1' }],
    ['on this machine', { DATABASE_URL: 'postgresql://c:p@127.0.0.1/c', TEMPORAL_ADDRESS: 'localhost:7233' }],
  ])('takes PostgreSQL and Temporal %s', (_where, about) => {
    const AUDIT_DATABASE_URL = about.DATABASE_URL.replace('//c', '//sealer-of-c');
    const env = { ...environmentOf('worker'), TRUSTED_HOSTS: '', AUDIT_DATABASE_URL, ...about };

    expect(messageOf(() => readWorkerConfig(env))).toBe('');
  });

  test.each(['prod', 'Production', 'staging', 'test', 'Development', ' development', ''])(
    'is whatever is not called development, as %p',
    (name) => {
      expect(messageOf(() => readApiConfig({ ...environmentOf('api'), LOCAL_STACK: '1', NODE_ENV: name }))).toContain(
        'LOCAL_STACK: ',
      );
    },
  );

  test('reads what clinics let it reach in their own networks, and repeats nothing of what it cannot read', async () => {
    const listing = (targets: unknown) => () =>
      readWorkerConfig({ ...environmentOf('worker'), PRIVATE_TARGETS: JSON.stringify(targets) });
    const { cert: ca } = await aCertificate('10.0.0.5');
    const target = { clinic: 'clinic-1', host: 'EHR.clinic.example:443', ca };

    expect(listing([target])().PRIVATE_TARGETS).toEqual([{ ...target, host: 'ehr.clinic.example' }]);
    expect(readWorkerConfig(environmentOf('worker')).PRIVATE_TARGETS).toEqual([]);
    for (const wrong of [
      { ...target, ca: 'MARKER' },
      { ...target, host: '10.0.0.0/MARKER' },
      { ...target, host: 'MARKER@10.0.0.5' },
      { host: 'MARKER' },
    ]) {
      const message = messageOf(listing([wrong]));
      expect(message).toContain('PRIVATE_TARGETS: must be a JSON array');
      expect(message).not.toContain('MARKER');
    }
  });

  test('has no worker that seals the audit as the role that writes it', () => {
    const { AUDIT_DATABASE_URL: _sealer, ...env } = environmentOf('worker');

    for (const given of [{}, { AUDIT_DATABASE_URL: env.DATABASE_URL }])
      expect(messageOf(() => readWorkerConfig({ ...env, ...given }))).toContain('AUDIT_DATABASE_URL: must sign in as');
    const plain = { AUDIT_DATABASE_URL: 'postgresql://sealer:pw@db.example:5432/clinic' };
    expect(messageOf(() => readWorkerConfig({ ...env, ...plain }))).toContain('AUDIT_DATABASE_URL: asks for no TLS');
    expect(messageOf(() => readWorkerConfig({ ...env, NODE_ENV: 'development' }))).toBe('');
  });

  test('keeps why a phone rang for six years at least', () => {
    const keeping = (RETENTION_DAYS: string) => () => readWorkerConfig({ ...environmentOf('worker'), RETENTION_DAYS });

    expect(messageOf(keeping('call_decisions=7'))).toContain('call_decisions (at least 2190)');
    expect(keeping('call_decisions=2500,event_bodies=7')().RETENTION_DAYS.call_decisions).toBe(2500);
  });

  test('is where nothing says what it is', () => {
    const { NODE_ENV: _said, ...unsaid } = environmentOf('worker');

    expect(messageOf(() => readWorkerConfig({ ...unsaid, LOCAL_STACK: '1' }))).toContain('LOCAL_STACK: ');
    expect(readWorkerConfig(unsaid).NODE_ENV).toBe('production');
  });

  test.each([
    ['the certificate is not checked', 'sslmode=require&uselibpqcompat=true'],
    ['the host is not checked', 'sslmode=verify-ca&sslrootcert=/ca.pem&uselibpqcompat=true'],
    ['the last of two modes is none', 'sslmode=verify-full&sslmode=disable'],
    ['the last of two hosts is another', 'host=localhost&host=db.example'],
    ['the certificate is believed unseen', 'sslmode=no-verify'],
  ])('takes no PostgreSQL where %s', (_why, query) => {
    const DATABASE_URL = `${careless.DATABASE_URL}?${query}`;

    expect(messageOf(() => readApiConfig({ ...environmentOf('api'), DATABASE_URL }))).toContain('DATABASE_URL: ');
  });

  test.each([
    'correct horse battery staple correct',
    'CorrectHorseBatteryStaple-MyClinic1',
    'cedar-family-health-2026-session-key',
    'correct horse battery staple and then some',
    'the-cat-sat-on-the-mat-and-ate-a-rat',
  ])('takes no secret that is made of words, as %p', (AUTH_SECRET) => {
    expect(messageOf(() => readApiConfig({ ...environmentOf('api'), AUTH_SECRET }))).toContain(
      'AUTH_SECRET: is not random',
    );
  });

  test('takes what is random, in each of the usual spellings', () => {
    const spellings = ['hex', 'base64', 'base64url'] as const;
    // The same each time.
    const random = (at: number) => createHash('sha256').update(`${at}`).digest();
    for (const AUTH_SECRET of Array.from({ length: 600 }, (_, at) => random(at).toString(spellings[at % 3]))) {
      expect(messageOf(() => readApiConfig({ ...environmentOf('api'), AUTH_SECRET }))).toBe('');
    }
  });

  test('counts no proof of who somebody is as fresh for long', () => {
    const read = (FRESH_PROOF_MINUTES: string) =>
      messageOf(() => readApiConfig({ ...environmentOf('api'), FRESH_PROOF_MINUTES }));

    expect(read('15')).toBe('');
    expect(read('16')).toContain('FRESH_PROOF_MINUTES: must be at most 15');
  });

  test('has no codec server that does not know who asks', () => {
    const { CODEC_CREDENTIALS, ...nobody } = environmentOf('codec');
    const shared = { ...nobody, CODEC_TOKEN: values.AUTH_SECRET };

    expect(messageOf(() => readCodecConfig(nobody))).toContain('CODEC_CREDENTIALS');
    expect(messageOf(() => readCodecConfig(shared))).toContain('CODEC_TOKEN: is nobody');
    expect(
      messageOf(() =>
        readCodecConfig({ ...nobody, CODEC_CREDENTIALS: `${CODEC_CREDENTIALS},ann:another-secret-of-ann` }),
      ),
    ).toContain('each person once');
  });
});

test('all of them speak to the same Temporal namespace, which is made before the worker starts', () => {
  const names = ['api', 'worker', 'temporal-namespace'].map((name) => environmentOf(name).TEMPORAL_NAMESPACE);

  expect(new Set(names).size).toBe(1);
  expect(services.worker?.depends_on?.['temporal-namespace']?.condition).toBe('service_completed_successfully');
});

test('the job that makes the namespace makes it at a server without TLS, and asks for TLS where an authority is named', async () => {
  const { namespace } = deployedTemporal();
  const bin = await mkdtemp(join(tmpdir(), 'clinic-cli-'));
  await symlink(await temporalCli(() => undefined), join(bin, 'temporal'));
  const run = (env: Record<string, string>) =>
    runScript(namespace, {
      PATH: [bin, process.env.PATH].join(delimiter),
      TEMPORAL_ADDRESS: temporalAddress(),
      TEMPORAL_NAMESPACE: 'as-deployed',
      ...env,
    });
  try {
    await run({});
    await run({});
    await untilServing(temporalAddress(), AbortSignal.timeout(10_000), 'as-deployed');

    await expect(run({ TEMPORAL_TLS_CA_FILE: join(root, 'package.json') })).rejects.toThrow('TLS');
  } finally {
    await rm(bin, { recursive: true });
  }
});

test('task queues go by priority and fairness, and a lost task is soon handed out again, on the server of the compose file as on that of the local stack', () => {
  const settings = parse(configs['temporal-dynamic-config']?.content ?? '') as Record<string, { value: unknown }[]>;
  const { args } = temporalServer({ binary: 'temporal', port: 7233, logFile: 'temporal.log' });

  for (const [key, value] of Object.entries(serverSettings)) {
    expect(settings[key]).toEqual([{ value }]);
    expect(args).toContain(`${key}=${JSON.stringify(value)}`);
  }
  expect(services.temporal?.environment?.DYNAMIC_CONFIG_FILE_PATH).toMatch(/clinic-workflows\.yaml$/);
});

test('the server, the tools that make its tables and its namespace, and what is tried of them are of one version', () => {
  const { version, databases } = deployedTemporal();

  for (const name of ['temporal', 'temporal-schema', 'temporal-namespace'])
    expect(services[name]?.image).toMatch(new RegExp(`:${version}(@|$)`));
  expect(databases.filter((statement) => statement.startsWith('CREATE DATABASE'))).toHaveLength(2);
});

test('Temporal’s UI is not published without a sign-in', () => {
  const published = Object.entries(deployed).filter(([, { ports }]) => ports !== undefined);

  expect(published.map(([name]) => name)).toEqual(['codec', 'api']);
  expect(services['temporal-ui']?.environment).toMatchObject({
    TEMPORAL_AUTH_ENABLED: 'true',
    TEMPORAL_AUTH_PROVIDER_URL: expect.stringMatching(/:\?/),
  });
});

test('with its variables filled in, PostgreSQL and Temporal are reached over TLS and checked by the certificate that is given', async () => {
  Object.assign(values, {
    DATABASE_TLS: '?sslmode=verify-full&sslrootcert=/run/tls/ca.pem',
    TEMPORAL_TLS: '1',
    TEMPORAL_TLS_CA_FILE: '/run/tls/ca.pem',
  });
  const { DATABASE_URL, TEMPORAL_TLS, TEMPORAL_TLS_CA_FILE, ...others } = environmentOf('worker');
  const config = readWorkerConfig({
    ...others,
    DATABASE_URL,
    TEMPORAL_TLS,
    TEMPORAL_TLS_CA: (await aCertificate('temporal')).cert,
    TRUSTED_HOSTS: '',
  });
  for (const name of ['DATABASE_TLS', 'TEMPORAL_TLS', 'TEMPORAL_TLS_CA_FILE']) delete values[name];

  expect(TEMPORAL_TLS_CA_FILE).toBe('/run/tls/ca.pem');
  expect([config.TEMPORAL_TLS, new URL(config.DATABASE_URL).searchParams.get('sslmode')]).toEqual([
    true,
    'verify-full',
  ]);
  expect(services.postgres?.command).toContain('--ssl=${POSTGRES_SSL:-off}');
});

test('no secret has a default', () => {
  const secrets = text.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|TOKEN|KEYS|CREDENTIALS)\w*)([^}]*)\}/g);

  for (const [, name, rest] of secrets) expect(`${name}${rest}`).toMatch(/^\w+:\?/);
});

test('every variable stands in .env.example, and the secrets stand there empty', () => {
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));

  for (const name of used) expect(example).toMatch(new RegExp(`^${name}=`, 'm'));
  expect(example).not.toMatch(/^\w*(PASSWORD|SECRET|TOKEN|KEYS|CREDENTIALS)=\S/m);
});

test('the tables are made before the processes that use them start', () => {
  for (const name of ['api', 'worker']) {
    expect(services[name]?.depends_on?.migrate?.condition).toBe('service_completed_successfully');
  }
  expect(services.migrate?.depends_on?.postgres?.condition).toBe('service_healthy');
});

test('what runs for long and answers on a port is watched and is given time to finish', () => {
  for (const name of ['postgres', 'temporal', 'api', 'codec']) expect(services[name]?.healthcheck?.test).toBeDefined();
  for (const name of ['postgres', 'temporal', 'api', 'worker', 'codec']) {
    expect(services[name]?.stop_grace_period).toBeDefined();
  }
});

test('every image of others is named by its digest', () => {
  const images = Object.values(services).flatMap(({ image }) => (image && image !== 'clinic-workflows' ? [image] : []));
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const base = /^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile)?.[1] ?? '';

  expect(images.length).toBeGreaterThan(3);
  for (const image of [...images, base]) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('every command of our own image is a file of this project', () => {
  const files = Object.values(services)
    .filter(({ build }) => build)
    .flatMap(({ command }) => command?.find((word) => word.endsWith('.js')) ?? []);

  expect(files).toHaveLength(3);
  for (const file of files) expect(readFileSync(join(root, file), 'utf8')).not.toBe('');
});

describe('the image', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const { workspaces, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    workspaces: string[];
    engines: { node: string };
  };

  test('knows every room', () => {
    for (const room of workspaces) expect(dockerfile).toContain(`COPY ${room}/package.json ${room}/`);
  });

  test('holds the packages of every room that runs in it, and the files that its processes start from', () => {
    const running = workspaces.filter((room) => !['dashboard', 'local', 'test'].includes(room));
    const started = [...text.matchAll(/dist\/(\w+)\.js/g)].map(([, name]) => name ?? '');

    for (const room of running) expect(dockerfile).toMatch(new RegExp(`-w @clinic/${room}\\b`));
    expect(started).toEqual(expect.arrayContaining(['codec', 'command', 'worker']));
    for (const name of [...started, 'api']) expect(Object.keys(entries)).toContain(name);
    expect(dockerfile).toContain('COPY --from=build /app/dist ./dist\n');
  });

  test('brings the workflows bundled, so that no worker bundles them when it starts', () => {
    expect(dockerfile).toContain('RUN node --import tsx worker/bundle-main.ts workflows.js\n');
    expect(dockerfile).toContain('ENV WORKFLOW_BUNDLE=/app/workflows.js\n');
  });

  test('runs no install script, runs as nobody special, and says what it holds', () => {
    expect(dockerfile.indexOf('COPY .npmrc')).toBeLessThan(dockerfile.indexOf('RUN npm ci'));
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toContain('ignore-scripts=true\n');
    expect(dockerfile).toContain('USER node\n');
    expect(dockerfile).toContain('> sbom.cdx.json\n');
  });

  test('runs on the Node that .nvmrc names, which is not older than the oldest supported one', () => {
    const version = readFileSync(join(root, '.nvmrc'), 'utf8').trim();
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);

    expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}', 'manifests']));
    expect(dockerfile).toContain(`ARG NODE_IMAGE=node:${version}-slim@sha256:`);
    expect(Number(version)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
  });
});

test('all processes together, twice the service while it is replaced, find room among the connections', () => {
  const temporal = services.temporal?.environment ?? {};
  const settings = services.postgres?.command ?? [];
  const allowed = Number(settings.find((setting) => setting.startsWith('--max_connections='))?.split('=')[1]);
  const ofTemporal = 4 * (Number(temporal.SQL_MAX_CONNS) + Number(temporal.SQL_VIS_MAX_CONNS));
  const ofApi = readApiConfig(environmentOf('api')).DATABASE_POOL_SIZE + 1;
  const ofWorker = readWorkerConfig(environmentOf('worker')).DATABASE_POOL_SIZE + 1;
  const forOperators = 10;

  expect(ofTemporal + 2 * (ofApi + ofWorker) + forOperators).toBeLessThanOrEqual(allowed);
});

test('an API that stops has the time to drain and to finish before it is killed', () => {
  const seconds = Number(services.api?.stop_grace_period?.replace(/s$/, ''));

  expect(drainMsOf(readApiConfig(environmentOf('api'))) / 1_000 + 20).toBeLessThan(seconds);
  expect(environmentOf('worker').WORKER_PORT).toBe('3001');
});
