import type { SetUp } from '@clinic/prisma/stores/operations/overview';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const nothing: SetUp = { hasUrl: false, hasInboundSecret: false, hasTestEvent: false, hasCase: false, hasVoice: false };

beforeEach(async () => {
  clinicId = await records.aClinic();
  await records.database.sql`update receivers set url = null where clinic_id = ${clinicId}`;
});

const secret = (kind: string, expiresAt: string | null) => records.database.sql`
  insert into secrets (id, clinic_id, kind, name, expires_at)
  values (${`${clinicId} ${kind}`}, ${clinicId}, ${kind}, 'forms-completed', ${expiresAt}::timestamptz)`;

const url = (isFirst: boolean, isEnabled: boolean) => records.database.sql`
  insert into receivers (id, clinic_id, is_first, is_enabled, url, name)
  values (${`${clinicId} further`}, ${clinicId}, ${isFirst}, ${isEnabled}, 'https://clinic.example/events', 'Further')`;

async function delivery(event: string, state: string): Promise<void> {
  await records.database.sql`
    insert into outbound_events (id, clinic_id, event, subject, data) values (${clinicId}, ${clinicId}, ${event}, 'x', '{}')`;
  await records.database.sql`
    insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, state)
    select ${clinicId}, ${clinicId}, ${clinicId}, id, ${event}, 'x', 1, ${state}
    from receivers where clinic_id = ${clinicId} limit 1`;
}

const voice = (platform: string) =>
  records.database.sql`update clinics set voice_provider = ${platform} where id = ${clinicId}`;

test.each<[situation: string, arrange: () => Promise<unknown>, done: Partial<SetUp>]>([
  ['nothing', async () => undefined, {}],
  ['a secret of an inbound URL', () => secret('inbound', null), { hasInboundSecret: true }],
  ['one that ends', () => secret('inbound', '2100-01-01'), {}],
  ['a secret of another kind', () => secret('signing', null), {}],
  [
    'a URL',
    () => records.database.sql`update receivers set url = 'https://clinic.example/x' where clinic_id = ${clinicId}`,
    { hasUrl: true },
  ],
  [
    'one that is disabled',
    () =>
      records.database
        .sql`update receivers set url = 'https://clinic.example/x', is_enabled = false where clinic_id = ${clinicId}`,
    {},
  ],
  ['a further endpoint alone', () => url(false, true), {}],
  ['a sample that was delivered', () => delivery('test', 'DELIVERED'), { hasTestEvent: true }],
  ['one that waits', () => delivery('test', 'PENDING'), {}],
  ['another event', () => delivery('case.opened', 'DELIVERED'), {}],
  ['a case', () => records.aCase({ clinicId }), { hasCase: true }],
  ['a run that is no case', () => records.aRun({ clinicId }), {}],
  ['calls that ring phones', () => voice('vapi'), { hasVoice: true }],
  ['calls that are simulated', () => voice('simulator'), {}],
])('of a clinic that has %s, what is set up is said', async (_situation, arrange, done) => {
  await arrange();

  expect(await records.stores.overview.setUp(clinicId)).toEqual({ ...nothing, ...done });
});

test('what the areas of the settings hold is counted: what is to come, live and open, and what needs a look', async () => {
  const { sql } = records.database;
  const counted = async () => records.stores.overview.settings(clinicId);
  const before = await counted();
  await sql`update clinics set closed_days = '{"2020-12-25": "Past", "2999-12-25": "Christmas"}', target_recoveries = 3
    where id = ${clinicId}`;
  await sql`insert into providers (id, clinic_id, name, display_name, working_hours) values
    (${`${clinicId} idle`}, ${clinicId}, 'Dr.Idle', 'Dr. Idle', '{"mon": []}')`;
  await sql`insert into api_keys (id, clinic_id, name, prefix, hash, scopes, revoked_at) values
    (${`${clinicId} live`}, ${clinicId}, 'live', 'ck_1', ${`${clinicId} 1`}, '{}', null),
    (${`${clinicId} revoked`}, ${clinicId}, 'revoked', 'ck_2', ${`${clinicId} 2`}, '{}', now())`;
  await secret('inbound', null);
  await url(false, true);
  const { endpoints } = (await counted()) ?? {};
  await sql`update receivers set failing_since = now() where clinic_id = ${clinicId} and url is not null`;
  await records.stores.pauses.pause(
    { clinicId, workflowType: null, reason: 'a test', until: null },
    { actor: 'operator' },
  );

  expect(endpoints).toBe(1);
  expect(await counted()).toEqual({
    ...before,
    closedDays: 1,
    hasGoals: true,
    providers: (before?.providers ?? 0) + 1,
    hasProviderWithoutHours: true,
    apiKeys: (before?.apiKeys ?? 0) + 1,
    inbound: 1,
    endpoints: 1,
    openEndpoints: 1,
    hasFailingEndpoint: true,
    isPaused: true,
  });
  expect(await records.stores.overview.settings('nobody')).toBeNull();
});
