import { productionFaults } from '@clinic/shared/production';

const secret = 'k3J9dQ0mZ7rX2vB8nT5wY1cH6gL4pS0a';
const other = 'Q8w2E5r7T1y4U6i9O3p0A2s5D8f1G4h7';
const key = (first: number) => Buffer.from(Array.from({ length: 32 }, (_, index) => (first + index * 7) % 256));

test.each<[string, Parameters<typeof productionFaults>[0], string | null]>([
  ['nothing', {}, null],
  ['certificates that are checked', { NODE_TLS_REJECT_UNAUTHORIZED: '1' }, null],
  [
    'any certificate',
    { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    'NODE_TLS_REJECT_UNAUTHORIZED: has every certificate believed',
  ],
  ['a local stack', { LOCAL_STACK: true }, 'LOCAL_STACK: is for a local stack only'],
  ['private targets', { ALLOW_PRIVATE_TARGETS: true }, 'ALLOW_PRIVATE_TARGETS: lets calls out reach private addresses'],
  ['neither', { LOCAL_STACK: false, ALLOW_PRIVATE_TARGETS: false }, null],
  ['a proof of fifteen minutes', { FRESH_PROOF_MINUTES: 15 }, null],
  ['a proof of sixteen minutes', { FRESH_PROOF_MINUTES: 16 }, 'FRESH_PROOF_MINUTES: must be at most 15 in production'],
  [
    'a token of the codec',
    { CODEC_TOKEN: secret },
    'CODEC_TOKEN: is nobody’s own; give CODEC_CREDENTIALS, so that it is known who decoded what',
  ],
  ['a random secret', { AUTH_SECRET: secret }, null],
  ['a short secret', { AUTH_SECRET: secret.slice(1) }, 'AUTH_SECRET: must be at least 32 characters in production'],
  [
    'a short secret of metrics',
    { METRICS_TOKEN: secret.slice(1) },
    'METRICS_TOKEN: must be at least 32 characters in production',
  ],
  [
    'a short secret of the voice platform',
    { VOICE_WEBHOOK_SECRET_PREVIOUS: secret.slice(1) },
    'VOICE_WEBHOOK_SECRET_PREVIOUS: must be at least 32 characters in production',
  ],
  [
    'a short secret of a person',
    { CODEC_CREDENTIALS: [{ person: 'ana', secret: secret.slice(1) }] },
    'CODEC_CREDENTIALS of ana: must be at least 32 characters in production',
  ],
  [
    'one secret twice',
    { VOICE_WEBHOOK_SECRET: secret, AUTH_SECRET: secret },
    'AUTH_SECRET: is the same as VOICE_WEBHOOK_SECRET',
  ],
  ['two secrets', { VOICE_WEBHOOK_SECRET: other, AUTH_SECRET: secret }, null],
  ['two keys', { PAYLOAD_KEYS: [{ id: 'k1', key: key(1) }], SECRET_KEYS: [{ id: 'k1', key: key(2) }] }, null],
  [
    'one key twice',
    { PAYLOAD_KEYS: [{ id: 'k1', key: key(1) }], SECRET_KEYS: [{ id: 'k2', key: key(1) }] },
    'SECRET_KEYS k2: is the same as PAYLOAD_KEYS k1',
  ],
  [
    'a key of seven bytes again and again',
    { PAYLOAD_KEYS: [{ id: 'k1', key: Buffer.from(Array.from({ length: 32 }, (_, index) => index % 7)) }] },
    'PAYLOAD_KEYS k1: is not random; make one with: openssl rand -base64 32',
  ],
  [
    'a key of eight bytes again and again',
    { PAYLOAD_KEYS: [{ id: 'k1', key: Buffer.from(Array.from({ length: 32 }, (_, index) => index % 8)) }] },
    null,
  ],
  ['an address in plain', { PUBLIC_URL: 'HTTP://clinic.example' }, 'PUBLIC_URL: must be https'],
  ['an address under TLS', { PUBLIC_URL: 'https://clinic.example' }, null],
  ['a platform in plain', { VAPI_BASE_URL: 'http://vapi.example' } as object, 'VAPI_BASE_URL: must be https'],
  ['another variable in plain', { TEMPORAL_UI_URL: 'http://ui.example' } as object, null],
  [
    'heads in plain',
    { AUDIT_HEADS_URL: 'http://heads.example' },
    'AUDIT_HEADS_URL: must be https, syslog+tls or a file',
  ],
  [
    'heads by syslog in plain',
    { AUDIT_HEADS_URL: 'syslog://heads.example' },
    'AUDIT_HEADS_URL: must be https, syslog+tls or a file',
  ],
  ['heads under TLS', { AUDIT_HEADS_URL: 'syslog+tls://heads.example' }, null],
  ['heads nearby', { AUDIT_HEADS_URL: 'http://127.0.0.1:90' }, null],
  ['heads at a trusted host', { AUDIT_HEADS_URL: 'http://heads', TRUSTED_HOSTS: ['heads'] }, null],
  [
    'Temporal in plain',
    { TEMPORAL_ADDRESS: 'temporal.example:7233' },
    'TEMPORAL_TLS: must be 1, or the host of a private network must stand in TRUSTED_HOSTS',
  ],
  ['Temporal under TLS', { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: true }, null],
  ['Temporal at a trusted host', { TEMPORAL_ADDRESS: 'temporal:7233', TRUSTED_HOSTS: ['temporal'] }, null],
  ['Temporal nearby', { TEMPORAL_ADDRESS: '[::1]:7233' }, null],
])('an environment with %s', (_what, config, fault) => {
  expect(productionFaults(config)).toEqual(fault === null ? [] : [fault]);
});

test.each([
  'abababab12345678'.repeat(2),
  'aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3aB3',
  'kfjdqxmzhrvtbnwycgplsaoeuikfjdqx',
  'k3J9dQ0mZ7rX2vB8 T5wY1cH6gL4pS0a',
  'k3J9dQ0mZ7change-me8nT5wY1cH6gL4',
  'k3J9dQ0mZ7Password8nT5wY1cH6gL4p',
  'k3J9dQ0mZ7example8nT5wY1cH6gL4pS',
  'k3J9dQ0mZ7DEFAULT8nT5wY1cH6gL4pS',
  'SecretSecret8nT5wY1cH6gL4pS0aZ7r',
  'CorrectHorseBatteryStaplesAgain1',
])('%s is not random', (guessable) => {
  expect(productionFaults({ AUTH_SECRET: guessable })).toEqual([
    'AUTH_SECRET: is not random; make one with: openssl rand -hex 32',
  ]);
});

test.each([
  ['db.example/clinic', true],
  ['db.example/clinic?sslmode=disable', true],
  ['db.example/clinic?sslmode=prefer', true],
  ['db.example/clinic?sslmode=require', false],
  ['db.example/clinic?sslmode=verify-ca', false],
  ['db.example/clinic?sslmode=verify-full', false],
  ['db.example/clinic?sslmode=verify-full&sslmode=disable', true],
  ['db.example/clinic?sslmode=require&uselibpqcompat=true', true],
  ['db.example/clinic?sslmode=verify-ca&uselibpqcompat=true', true],
  ['db.example/clinic?sslmode=verify-full&uselibpqcompat=true', false],
  ['localhost/clinic', false],
  ['127.0.0.1:5432/clinic', false],
  ['127.0.0.1.example/clinic', true],
  ['trusted/clinic', false],
  ['db.example/clinic?host=/var/run/postgresql', false],
  ['localhost/clinic?host=db.example', true],
])('the database %s asks for no TLS: %s', (address, isPlain) => {
  const faultOf = (name: string) =>
    `${name}: asks for no TLS; add sslmode=verify-full, or name a host of a private network in TRUSTED_HOSTS`;
  const url = `postgresql://clinic@${address}`;

  for (const name of ['DATABASE_URL', 'AUDIT_DATABASE_URL'])
    expect(productionFaults({ [name]: url, TRUSTED_HOSTS: ['trusted'] })).toEqual(isPlain ? [faultOf(name)] : []);
});
