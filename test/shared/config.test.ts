import { readApiConfig, readCodecConfig, readWorkerConfig } from '@clinic/shared/config';

const ring = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const least = {
  NODE_ENV: 'development',
  DATABASE_URL: 'postgresql://clinic@127.0.0.1/clinic',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  PAYLOAD_KEYS: ring,
  SECRET_KEYS: ring,
  PUBLIC_URL: 'https://clinic.example/',
  VOICE_WEBHOOK_SECRET: 'v'.repeat(16),
  AUTH_SECRET: 'a'.repeat(16),
  CODEC_TOKEN: 'c'.repeat(16),
};
const readers = { api: readApiConfig, worker: readWorkerConfig, codec: readCodecConfig };

function read(by: keyof typeof readers, change: Record<string, string | undefined> = {}) {
  try {
    return readers[by]({ ...least, ...change });
  } catch (error) {
    return (error as Error).message
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim());
  }
}

test('what nobody sets is as docs/operate.md says', () => {
  const { PAYLOAD_KEYS, SECRET_KEYS, ...rest } = readApiConfig(least);
  expect(rest).toEqual({
    NODE_ENV: 'development',
    LOG_LEVEL: 'info',
    DATABASE_URL: least.DATABASE_URL,
    DATABASE_POOL_SIZE: 16,
    TEMPORAL_ADDRESS: least.TEMPORAL_ADDRESS,
    TEMPORAL_NAMESPACE: 'default',
    TEMPORAL_TLS: false,
    TEMPORAL_UI_URL: 'http://localhost:8233',
    TRUSTED_HOSTS: [],
    PUBLIC_URL: 'https://clinic.example',
    VOICE_WEBHOOK_SECRET: least.VOICE_WEBHOOK_SECRET,
    VAPI_BASE_URL: 'https://api.vapi.ai',
    RETENTION_DAYS: {
      inbound_payloads: 90,
      tool_contents: 90,
      event_bodies: 90,
      sent_messages: 30,
      stored_answers: 30,
      call_evidence: 365,
      call_decisions: 2190,
      observed_exchanges: 30,
    },
    HUBSPOT_BASE_URL: 'https://api.hubapi.com',
    LOCAL_STACK: false,
    ALLOW_PRIVATE_TARGETS: false,
    PRIVATE_TARGETS: [],
    PORT: 3000,
    HOST: '0.0.0.0',
    AUTH_SECRET: least.AUTH_SECRET,
    TRUST_PROXY: 0,
    RATE_LIMIT_PER_SECOND: 100,
    RATE_LIMIT_BURST: 200,
    SIGN_INS_PER_MINUTE: 10,
    SESSION_IDLE_MINUTES: 720,
    FRESH_PROOF_MINUTES: 5,
    HELD_REQUESTS_PER_CALLER: 100,
    MAX_REQUESTS_UNDER_WAY: 500,
    BODY_TIMEOUT_MS: 10_000,
  });
  expect(PAYLOAD_KEYS).toEqual([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
  expect(SECRET_KEYS).toEqual(PAYLOAD_KEYS);
  expect(read('worker')).toMatchObject({ SIMULATOR_PAUSE_MS: 400 });
  expect(read('worker')).not.toHaveProperty('WORKER_PORT');
  expect(read('codec')).toMatchObject({ CODEC_PORT: 8234 });
});

test.each([
  ['api', 'DATABASE_POOL_SIZE', 2, 200],
  ['api', 'PORT', 0, 65_535],
  ['api', 'TRUST_PROXY', 0, 10],
  ['api', 'RATE_LIMIT_PER_SECOND', 1, null],
  ['api', 'RATE_LIMIT_BURST', 0, null],
  ['api', 'SIGN_INS_PER_MINUTE', 1, null],
  ['api', 'SESSION_IDLE_MINUTES', 5, 10_080],
  ['api', 'FRESH_PROOF_MINUTES', 1, 720],
  ['api', 'HELD_REQUESTS_PER_CALLER', 1, null],
  ['api', 'MAX_REQUESTS_UNDER_WAY', 1, null],
  ['api', 'BODY_TIMEOUT_MS', 100, 60_000],
  ['api', 'SHUTDOWN_DRAIN_MS', 0, 60_000],
  ['worker', 'WORKER_PORT', 0, 65_535],
  ['worker', 'SIMULATOR_PAUSE_MS', 0, null],
  ['codec', 'CODEC_PORT', 0, 65_535],
] as const)('%s takes for %s a whole number from %d to %s', (by, name, from, to) => {
  const taken = (value: number) => read(by, { [name]: String(value) });
  const refused = [expect.stringMatching(`^${name}: `)];

  expect(taken(from)).toMatchObject({ [name]: from });
  expect([taken(from - 1), taken(from + 0.5)]).toEqual([refused, refused]);
  if (to !== null) expect([taken(to), taken(to + 1)]).toEqual([expect.objectContaining({ [name]: to }), refused]);
});

test.each([
  ['api', 'NODE_ENV', 'production', /^[A-Z_]+: /],
  ['api', 'LOG_LEVEL', 'loud', /^LOG_LEVEL: /],
  ['api', 'DATABASE_URL', 'clinic', /^DATABASE_URL: /],
  ['api', 'TEMPORAL_ADDRESS', undefined, /^TEMPORAL_ADDRESS: /],
  ['api', 'TEMPORAL_TLS', 'yes', /^TEMPORAL_TLS: /],
  ['api', 'TEMPORAL_TLS_CA', 'no certificate', 'TEMPORAL_TLS_CA: must be a PEM certificate'],
  ['api', 'PAYLOAD_KEYS', 'k1:c2hvcnQ=', 'PAYLOAD_KEYS: must be id:base64 pairs of 32-byte keys, separated by commas'],
  ['api', 'SECRET_KEYS', ring.slice(2), 'SECRET_KEYS: must be id:base64 pairs of 32-byte keys, separated by commas'],
  ['api', 'SECRET_KEYS', ' , ', 'SECRET_KEYS: must be id:base64 pairs of 32-byte keys, separated by commas'],
  ['api', 'PUBLIC_URL', 'clinic.example', /^PUBLIC_URL: /],
  ['api', 'VOICE_WEBHOOK_SECRET', 'v'.repeat(15), 'VOICE_WEBHOOK_SECRET: must be at least 16 characters'],
  ['api', 'VOICE_WEBHOOK_SECRET_PREVIOUS', 'short', 'VOICE_WEBHOOK_SECRET_PREVIOUS: must be at least 16 characters'],
  ['api', 'AUTH_SECRET', 'a'.repeat(15), 'AUTH_SECRET: must be at least 16 characters'],
  ['api', 'METRICS_TOKEN', 'm'.repeat(15), /^METRICS_TOKEN: /],
  ['api', 'SMTP_URL', 'http://mail.example', /^SMTP_URL: /],
  ['api', 'MAIL_FROM', 'ab', /^MAIL_FROM: /],
  ['api', 'MAIL_FROM', 'a'.repeat(321), /^MAIL_FROM: /],
  [
    'api',
    'RETENTION_DAYS',
    'letters=60',
    /^RETENTION_DAYS: must be kind=days pairs; kinds: .*event_bodies \(at least 7\).*call_decisions \(at least 2190\)/,
  ],
  ['api', 'RETENTION_DAYS', 'event_bodies=6', /^RETENTION_DAYS: /],
  ['api', 'RETENTION_DAYS', 'event_bodies=7.5', /^RETENTION_DAYS: /],
  ['api', 'RETENTION_DAYS', 'event_bodies=3654', /^RETENTION_DAYS: /],
  ['api', 'PRIVATE_TARGETS', '{', /^PRIVATE_TARGETS: must be a JSON array of /],
  ['api', 'PRIVATE_TARGETS', '[{"clinic":"","host":"ehr.clinic"}]', /^PRIVATE_TARGETS: must be a JSON array of /],
  ['api', 'PRIVATE_TARGETS', '[{"clinic":"c","host":"a b"}]', /^PRIVATE_TARGETS: must be a JSON array of /],
  ['worker', 'AUDIT_DATABASE_URL', 'sealer', /^AUDIT_DATABASE_URL: /],
  ['worker', 'AUDIT_HEADS_URL', 'ftp://heads.example', /^AUDIT_HEADS_URL: /],
  ['worker', 'WORKER_BUILD_ID', 'b'.repeat(101), /^WORKER_BUILD_ID: /],
  [
    'codec',
    'CODEC_TOKEN',
    undefined,
    'CODEC_CREDENTIALS: is missing: who may read what Temporal stores, as person:secret',
  ],
  ['codec', 'CODEC_CREDENTIALS', `ana:${'s'.repeat(15)}`, /^CODEC_CREDENTIALS: must be person:secret pairs/],
  ['codec', 'CODEC_CREDENTIALS', `ana:${'s'.repeat(16)},ana:${'t'.repeat(16)}`, /^CODEC_CREDENTIALS: must be /],
] as const)('%s refuses another %s (%#)', (by, name, value, said) => {
  const faults = read(by, { [name]: value });
  const matching = typeof said === 'string' ? said : expect.stringMatching(said);
  expect(faults).toEqual(expect.arrayContaining([matching]));
  if (name !== 'NODE_ENV') expect(faults).toHaveLength(1);
});

test.each([
  ['api', 'TRUSTED_HOSTS', ' db.internal, ,temporal.internal ', ['db.internal', 'temporal.internal']],
  ['api', 'TEMPORAL_TLS', '1', true],
  ['api', 'TEMPORAL_UI_URL', 'https://temporal.example//', 'https://temporal.example'],
  ['api', 'METRICS_TOKEN', 'm'.repeat(16), 'm'.repeat(16)],
  ['api', 'SMTP_URL', 'smtp://mail.example', 'smtp://mail.example'],
  ['api', 'MAIL_FROM', 'a@b', 'a@b'],
  ['api', 'MAIL_FROM', 'a'.repeat(320), 'a'.repeat(320)],
  ['api', 'RETENTION_DAYS', 'event_bodies = 7, ,call_evidence=3653', { event_bodies: 7, call_evidence: 3653 }],
  ['api', 'PRIVATE_TARGETS', '[{"clinic":"c","host":"EHR.clinic:8443"}]', [{ clinic: 'c', host: 'ehr.clinic:8443' }]],
  ['worker', 'AUDIT_HEADS_URL', 'syslog+tls://heads.example', 'syslog+tls://heads.example'],
  ['worker', 'AUDIT_HEADS_URL', 'file:///heads', 'file:///heads'],
  ['worker', 'AUDIT_HEADS_AUTHORIZATION', 't', 't'],
  ['worker', 'WORKER_BUILD_ID', 'b'.repeat(100), 'b'.repeat(100)],
  ['codec', 'CODEC_CREDENTIALS', ` ana:${'s'.repeat(16)} `, [{ person: 'ana', secret: 's'.repeat(16) }]],
] as const)('%s reads %s (%#)', (by, name, value, result) => {
  expect(read(by, { [name]: value })).toMatchObject({ [name]: result });
});
