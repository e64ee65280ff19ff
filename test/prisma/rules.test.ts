import type { Database } from '@clinic/prisma/client';
import { Client, DatabaseError } from 'pg';
import { freshDatabase } from '../support/database';

/** What the tables themselves refuse, fill in and tell, whoever writes to them: each statement is undone afterwards. */
let database: Database;
let client: Client;

const base = `
  insert into clinics (id, name, timezone) values ('a', 'A', 'UTC'), ('b', 'B', 'UTC'), ('named', 'Named', 'UTC');
  insert into clinics (id, name, timezone, sandbox_enabled, is_demo) values ('s', 'S', 'UTC', true, true);
  insert into named_sandboxes (clinic_id, parent_id, name, token_hash) values ('named', 'a', 'ci', 'x');
  insert into users (id, name, email) values ('u', 'U', 'u@clinic.example');
  insert into calling_policies (clinic_id, first_call_delay_seconds, max_attempts, seconds_between_attempts, calling_hours, max_concurrent_calls)
    values ('a', 0, 3, 60, '{}', 1), ('b', 0, 3, 60, '{}', 1);
  insert into patients (id, clinic_id, phone) values ('kept', 'a', '+1'), ('plain', 'a', '+2'), ('there', 'b', '+2'), ('boxed', 's', '+3');
  insert into patients (id, clinic_id, replaced_by) values ('replaced', 'a', 'kept');
  insert into providers (id, clinic_id, name, display_name, working_hours) values
    ('dr', 'a', 'Dr.A', 'Dr. A', '{}'), ('dr2', 'a', 'Dr.A2', 'Dr. A2', '{}'), ('drS', 's', 'Dr.S', 'Dr. S', '{}');
  insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id) values
    ('run', 'a', 'care-gap-follow-up', 's1', 'plain'), ('run2', 'a', 'care-gap-follow-up', 's2', 'plain'),
    ('runThere', 'b', 'care-gap-follow-up', 's1', 'there');
  insert into recovery_cases (id, clinic_id, session_id, workflow_id, patient_id) values ('case', 'a', 's1', 'run', 'plain');
  insert into calls (id, clinic_id, patient_id, direction, state) values
    ('call', 'a', 'plain', 'inbound', 'ENDED'), ('call2', 'a', 'plain', 'inbound', 'ENDED'), ('callThere', 'b', 'there', 'inbound', 'ENDED');
  insert into waitlist_entries (id, clinic_id, patient_id, visit_type, earliest_on, latest_on, added_by) values
    ('entry', 'a', 'plain', 'v', '2030-01-01', '2030-01-02', 'x'), ('entry2', 'a', 'plain', 'v2', '2030-01-01', '2030-01-02', 'x');
  insert into receivers (id, clinic_id, is_first, url, name, events) values ('first', 'a', true, 'https://x.example', null, '{told}');
  insert into outbound_events (id, clinic_id, event, subject, data) values ('event', 'a', 'unheard', 'case', '{}');
  insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place) values ('delivery', 'a', 'event', 'first', 'unheard', 'case', 1);
  insert into staff_tasks (id, clinic_id, reason, cause) values ('task', 'a', 'r', 'c');
  insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning) values ('tool', 'a', 'call', 't', 'f', 't', '{}', 'm');
  insert into validation_runs (id, clinic_id, started_by, started_at, ends_at) values ('validation', 'a', 'x', now(), now() + interval '1 hour');
  insert into secrets (id, clinic_id, kind, hash) values ('secret', 'a', 'inbound', 'h'), ('voice', 'a', 'voice', 'v');
  insert into api_keys (id, clinic_id, name, prefix, hash, scopes) values ('key', 'a', 'k', 'k', 'h', '{}');
  insert into sandbox_clocks (clinic_id, shows) values ('a', now());
  insert into sandbox_failures (id, clinic_id, failure, times, ends_at) values ('failure', 'a', 'f', 1, now());
  insert into sandbox_clients (id, clinic_id, name, jwks) values ('client', 'a', 'c', '{}');
  insert into bulk_jobs (id, clinic_id, kind, filter, requested_by, total) values ('job', 'a', 'cancel_runs', '{}', 'x', 1);
  insert into outreach_pauses (id, clinic_id, reason, paused_by, resumed_at) values ('pause', 'a', 'r', 'x', now());
  insert into sessions (id, user_id, token, expires_at) values ('session', 'u', 't', now());
  insert into viewers (id, clinic_id, session_id, record_id) values ('viewer', 'a', 'session', 'task');
  insert into documents (id, clinic_id, patient_id, content) values ('note', 'a', 'plain', '{}');
  insert into identity_matches (id, clinic_id, patient_id, call_id) values ('match', 'a', 'plain', 'call');
  insert into verification_attempts (id, clinic_id, patient_id, call_id, tool, outcome) values ('attempt', 'a', 'plain', 'call', 't', 'mismatched');
  insert into caller_tries (id, clinic_id, patient_id, call_id, kind) values ('try', 'a', 'plain', 'call', 'identity');
  insert into record_proposals (id, clinic_id, patient_id, call_id, given) values ('proposal', 'a', 'plain', 'call', '{}');
  insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
    values ('visit', 'a', 'plain', 'dr', 'v', '2030-01-07T09:00Z', '2030-01-07T09:30Z')`;

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(base);
});
afterAll(async () => {
  await client.end();
  await database.close();
});

/** Runs statements, reads what the last returns, and takes everything back. A refusal is its constraint, or its code. */
async function tried(...statements: string[]): Promise<Record<string, unknown>[] | string> {
  await client.query('begin');
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return error.constraint ?? error.code ?? error.message;
  } finally {
    await client.query('rollback');
  }
}

const call = (about: string) =>
  `insert into calls (id, clinic_id, patient_id, direction, phone, state, workflow_id, dial, is_test) values (gen_random_uuid()::text, ${about})`;
const visit = (about: string, startsAt = '2030-01-08T09:00Z') =>
  `insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at, status, held_until, cancelled_at)
   values (gen_random_uuid()::text, 'a', 'plain', ${about.includes("'dr2'") ? "'dr2'" : "'dr'"}, 'v', '${startsAt}', '${startsAt}'::timestamptz + interval '30 minutes', ${about.replace("'dr2', ", '')})`;
const atEhr = (owner: string, holder: string, time: string, actor = 'Practitioner/7') =>
  `insert into ehr_times (clinic_id, holder, actor, starts_at, ends_at, expires_at)
   values ('${owner}', '${holder}', '${actor}', '2030-01-08T${time}Z', '2030-01-08T${time}Z'::timestamptz + interval '30 minutes', now())`;
const offer = (entry: string, run: string, status: string, provider = 'dr') =>
  `insert into waitlist_offers (id, clinic_id, entry_id, workflow_id, provider_id, starts_at, appointment_id, status, ends_at)
   values (gen_random_uuid()::text, 'a', '${entry}', '${run}', '${provider}', '2030-01-09T09:00Z', 'x', '${status}', now())`;
const wait = (status: string) =>
  `insert into waitlist_entries (id, clinic_id, patient_id, visit_type, earliest_on, latest_on, added_by, status)
   values (gen_random_uuid()::text, 'a', 'kept', 'v', '2030-01-01', '2030-01-02', 'x', '${status}')`;
const event = (name: string, number = 'null', subject = 'x') =>
  `insert into outbound_events (id, clinic_id, event, subject, number, data)
   values (gen_random_uuid()::text, 'a', '${name}', '${subject}', ${number}, '{}')`;
const link = (about: string) =>
  `insert into account_links (id, clinic_id, kind, role, user_id, email, hash, expires_at)
   values (gen_random_uuid()::text, ${about}, gen_random_uuid()::text, gen_random_uuid()::text, now())`;
const erasure = (state: string) =>
  `insert into erasures (id, clinic_id, patient_id, reason, requested_by, state)
   values (gen_random_uuid()::text, 'a', 'plain', 'court_order', 'x', '${state}')`;
const merge = (undoneAt: string) =>
  `insert into patient_merges (id, clinic_id, kept_id, replaced_id, merged_by, moved, fields_before, undone_at)
   values (gen_random_uuid()::text, 'a', 'kept', 'replaced', 'x', '{}', '{}', ${undoneAt})`;
const line = (owner: string, confirmedAt: string, number = '+9', platformId = 'p9') =>
  `insert into phone_numbers (id, clinic_id, number, platform_id, confirmed_at)
   values (gen_random_uuid()::text, '${owner}', '${number}', '${platformId}', ${confirmedAt})`;
const domain = (owner: string, confirmedAt: string) => [
  `insert into single_sign_on (clinic_id, issuer, client_id, role_rules) values ('${owner}', '', '', '[]')`,
  `insert into single_sign_on_domains (clinic_id, domain, confirmed_at) values ('${owner}', 'x.example', ${confirmedAt})`,
];
const validation = (endsAt: string, endedAt = 'now()') =>
  `insert into validation_runs (id, clinic_id, started_by, started_at, ends_at, ended_at)
   values (gen_random_uuid()::text, 'a', 'x', now(), now() + interval '${endsAt}', ${endedAt})`;
const failure = (times: number, played: number) => `update sandbox_failures set times = ${times}, played = ${played}`;
const job = (kind: string, state: string) =>
  `insert into bulk_jobs (id, clinic_id, kind, filter, requested_by, total, state)
   values (gen_random_uuid()::text, 'a', '${kind}', '{}', 'x', 1, '${state}')`;
const clinic = (about: string) => `update clinics set ${about} where id = 'b'`;
const receiver = (about: string) =>
  `insert into receivers (id, clinic_id, is_first, name, url) values (gen_random_uuid()::text, ${about})`;
const taken: string[] = [];

test.each<[rule: string, statements: string[], refusal: string | string[]]>([
  ['a limit of no numbers', [clinic('numbers_per_day = 0')], taken],
  ['a limit below that', [clinic('numbers_per_day = -1')], 'clinics_numbers_per_day_check'],
  ['a sandbox of a clinic with patients', [clinic('sandbox_enabled = true')], 'clinics_sandbox_without_patients'],
  ['a sandbox of a demo', [clinic('sandbox_enabled = true, is_demo = true')], taken],
  [
    'a sandbox of a clinic whose patients are simulated',
    [clinic(`sandbox_enabled = true, voice_provider = 'simulator', simulator_asked_at = now()`)],
    taken,
  ],
  ['a simulator that nobody asked for', [clinic(`voice_provider = 'simulator'`)], 'clinics_simulator_by_name'],
  ['a simulator of a demo', [clinic(`voice_provider = 'simulator', is_demo = true`)], taken],
  ['an operator of a clinic', [`update users set role = 'operator', clinic_id = 'a'`], 'users_operator_of_no_clinic'],
  ['an operator of none', [`update users set role = 'operator'`], taken],
  ['staff of a clinic', [`update users set role = 'staff', clinic_id = 'a'`], taken],
  ['an invitation', [link(`'a', 'invitation', 'staff', null`)], taken],
  ['an invitation to no role', [link(`'a', 'invitation', null, null`)], 'account_links_kind'],
  ['an invitation of an account', [link(`'a', 'invitation', 'staff', 'u'`)], 'account_links_kind'],
  ['a reset', [link(`'a', 'reset', null, 'u'`)], taken],
  ['a reset for an operator', [link(`null, 'reset', null, 'u'`)], taken],
  ['a reset of nobody', [link(`'a', 'reset', null, null`)], 'account_links_kind'],
  ['a reset to a role', [link(`'a', 'reset', 'staff', 'u'`)], 'account_links_kind'],
  ['a link of another kind', [link(`'a', 'other', 'staff', null`)], 'account_links_kind'],
  ['an invitation of an operator', [link(`null, 'invitation', 'operator', null`)], taken],
  [
    'an invitation of an operator to a clinic',
    [link(`'a', 'invitation', 'operator', null`)],
    'account_links_operator_of_no_clinic',
  ],
  [
    'an invitation of staff to none',
    [link(`null, 'invitation', 'staff', null`)],
    'account_links_operator_of_no_clinic',
  ],
  [
    'a patient who replaces themselves',
    [`update patients set replaced_by = id where id = 'plain'`],
    'patients_replaced_by',
  ],
  [
    'hours that end when they begin',
    [`update patients set preferred_call_hours = '{"from": "09:00", "until": "09:00"}' where id = 'plain'`],
    'patients_preferred_call_hours',
  ],
  [
    'hours without an end',
    [`update patients set preferred_call_hours = '{"from": "09:00"}' where id = 'plain'`],
    taken,
  ],
  ['a change of who was replaced', [`update patients set last_name = 'X' where id = 'replaced'`], '40001'],
  ['who is replaced no more', [`update patients set replaced_by = null where id = 'replaced'`], taken],
  ['two domains that nobody confirmed', [...domain('a', 'null'), ...domain('b', 'null')], taken],
  ['two that were confirmed', [...domain('a', 'now()'), ...domain('b', 'now()')], 'single_sign_on_domains_held'],
  [
    'one secret of two clinics',
    [`insert into secrets (id, clinic_id, kind, hash) values ('x', 'b', 'inbound', 'h')`],
    taken,
  ],
  [
    'one secret of two voice platforms',
    [`insert into secrets (id, clinic_id, kind, hash) values ('x', 'b', 'voice', 'v')`],
    'secrets_voice_hash_key',
  ],
  ['two merges in force', [merge('null'), merge('null')], 'patient_merges_in_force'],
  ['a merge again after it was undone', [merge('now()'), merge('null')], taken],
  ['two erasures', [erasure('REQUESTED'), erasure('ERASED')], 'erasures_one_open'],
  ['an erasure after another', [erasure('DONE'), erasure('DONE'), erasure('REQUESTED')], taken],
  [
    'one dial made twice',
    [
      call(`'a', 'plain', 'inbound', null, 'ENDED', 'run', 1, false`),
      call(`'a', 'plain', 'inbound', null, 'ENDED', 'run', 1, false`),
    ],
    'calls_one_per_dial',
  ],
  [
    'tests beside it',
    [
      call(`'a', 'plain', 'inbound', null, 'ENDED', 'run', 1, false`),
      call(`'a', 'plain', 'inbound', null, 'ENDED', 'run', 1, true`),
    ],
    taken,
  ],
  [
    'one phone called twice at once',
    [
      call(`'a', 'plain', 'outbound', '+5', 'QUEUED', null, 0, false`),
      call(`'a', 'plain', 'outbound', '+5', 'RINGING', null, 0, false`),
    ],
    'calls_one_ringing_per_phone',
  ],
  [
    'one that calls while it is called',
    [
      call(`'a', 'plain', 'outbound', '+5', 'QUEUED', null, 0, false`),
      call(`'a', 'plain', 'inbound', '+5', 'RINGING', null, 0, false`),
    ],
    taken,
  ],
  [
    'one that is called again',
    [
      call(`'a', 'plain', 'outbound', '+5', 'ENDED', null, 0, false`),
      call(`'a', 'plain', 'outbound', '+5', 'ENDED', null, 0, false`),
    ],
    taken,
  ],
  [
    'a test while it is called',
    [
      call(`'a', 'plain', 'outbound', '+5', 'QUEUED', null, 0, false`),
      call(`'a', 'plain', 'outbound', '+5', 'QUEUED', null, 0, true`),
    ],
    taken,
  ],
  [
    'a pause of one type everywhere',
    [`insert into outreach_pauses (id, workflow_type, reason, paused_by) values ('x', 't', 'r', 'x')`],
    'outreach_pauses_type_of_clinic',
  ],
  [
    'a pause of everything, and of a type in a clinic',
    [
      `insert into outreach_pauses (id, clinic_id, workflow_type, reason, paused_by) values ('x', null, null, 'r', 'x'), ('y', 'a', 't', 'r', 'x')`,
    ],
    taken,
  ],
  [
    'a case that goes on',
    [`update recovery_cases set status = 'CALLING'`, `update recovery_cases set status = 'RECOVERED'`],
    taken,
  ],
  [
    'an outcome twice',
    [`update recovery_cases set status = 'RECOVERED'`, `update recovery_cases set status = 'RECOVERED'`],
    taken,
  ],
  [
    'another outcome',
    [`update recovery_cases set status = 'RECOVERED'`, `update recovery_cases set status = 'PENDING'`],
    '23514',
  ],
  ['two lines that nobody confirmed', [line('a', 'null'), line('b', 'null')], taken],
  ['one number of two clinics', [line('a', 'now()'), line('b', 'now()', '+9', 'p8')], 'phone_numbers_number_held'],
  ['one line of two clinics', [line('a', 'now()'), line('b', 'now()', '+8')], 'phone_numbers_platform_id_held'],
  ['a hold', [visit(`'cancelled', now(), null`)], taken],
  ['a hold that is booked', [visit(`'booked', now(), null`)], 'appointments_holds'],
  [
    'a visit of another length',
    [`update appointments set ends_at = ends_at + interval '1 minute'`],
    'appointments_length',
  ],
  ['two visits at once', [visit(`'booked', null, null`), visit(`'booked', null, null`)], 'appointments_never_overlap'],
  [
    'one that begins within another',
    [visit(`'booked', null, null`), visit(`'booked', null, null`, '2030-01-08T09:15Z')],
    'appointments_never_overlap',
  ],
  [
    'one that begins as another ends',
    [visit(`'booked', null, null`), visit(`'booked', null, null`, '2030-01-08T09:30Z')],
    taken,
  ],
  ['one at another provider', [visit(`'booked', null, null`), visit(`'dr2', 'booked', null, null`)], taken],
  ['a time at an EHR', [atEhr('a', 'one', '09:00')], taken],
  ['one time at an EHR for two', [atEhr('a', 'one', '09:00'), atEhr('a', 'two', '09:29')], 'ehr_times_never_overlap'],
  ['the next time at an EHR', [atEhr('a', 'one', '09:00'), atEhr('a', 'two', '09:30')], taken],
  ['a time of another practitioner', [atEhr('a', 'one', '09:00'), atEhr('a', 'two', '09:00', 'other')], taken],
  ['a time at the EHR of another clinic', [atEhr('a', 'one', '09:00'), atEhr('b', 'one', '09:00')], taken],
  ['two times at an EHR for one', [atEhr('a', 'one', '09:00'), atEhr('a', 'one', '10:00')], 'ehr_times_pkey'],
  [
    'one while somebody is here',
    [visit(`'arrived', null, null`), visit(`'booked', null, null`)],
    'appointments_never_overlap',
  ],
  [
    'one in a time that is held',
    [visit(`'cancelled', now(), null`), visit(`'booked', null, null`)],
    'appointments_never_overlap',
  ],
  ['one in a time that was held', [visit(`'cancelled', now(), now()`), visit(`'booked', null, null`)], taken],
  ['one in place of a cancelled one', [visit(`'cancelled', null, null`), visit(`'booked', null, null`)], taken],
  ['two visits without identifiers', [visit(`'cancelled', null, null`), visit(`'cancelled', null, null`)], taken],
  ['a wish twice', [wait('waiting'), wait('offered')], 'waitlist_entries_once'],
  ['a wish again', [wait('booked'), wait('removed'), wait('waiting')], taken],
  [
    'an offer to two at once',
    [offer('entry', 'run', 'open'), offer('entry2', 'run2', 'open')],
    'waitlist_offers_one_of_a_time',
  ],
  ['an offer to the next', [offer('entry', 'run', 'declined'), offer('entry2', 'run2', 'open')], taken],
  [
    'two offers to one',
    [offer('entry', 'run', 'open'), offer('entry', 'run2', 'open', 'dr2')],
    'waitlist_offers_one_of_an_entry',
  ],
  ['an offer after another', [offer('entry', 'run', 'lapsed'), offer('entry', 'run2', 'open', 'dr2')], taken],
  ['an offer twice', [offer('entry', 'run', 'declined'), offer('entry', 'run2', 'open')], 'waitlist_offers_once'],
  ['an offer that was put off', [offer('entry', 'run', 'postponed'), offer('entry', 'run2', 'postponed')], taken],
  ['a task for a time of no day', [`update staff_tasks set due_time = '09:00'`], 'staff_tasks_due_time'],
  ['a task for no time', [`update staff_tasks set due_on = '2030-01-07', due_time = '9:00'`], 'staff_tasks_due_time'],
  ['a task for a time of a day', [`update staff_tasks set due_on = '2030-01-07', due_time = '09:00'`], taken],
  ['a task for a day', [`update staff_tasks set due_on = '2030-01-07'`], taken],
  ['a first endpoint without a URL', [receiver(`'b', true, null, null`)], taken],
  ['a further one without a URL', [receiver(`'b', false, 'x', null`)], 'receivers_named'],
  ['a further one without a name', [receiver(`'b', false, null, 'x'`)], 'receivers_named'],
  ['two further ones', [receiver(`'a', false, 'x', 'x'`), receiver(`'a', false, 'y', 'y'`)], taken],
  ['two first ones', [receiver(`'a', true, 'x', 'x'`)], 'receivers_one_first'],
  ['an outcome told twice', [event('told'), event('told')], 'outbound_events_once_per_case'],
  ['a test told twice', [event('test'), event('test')], taken],
  [
    'two events of one number',
    [event('subscription.event', '1'), event('subscription.event', '1')],
    'outbound_events_numbered',
  ],
  ['two that have none yet', [event('subscription.event'), event('subscription.event')], taken],
  ['a failure that is played as often as it may be', [failure(1, 1)], taken],
  ['one that is played more often', [failure(1, 2)], 'sandbox_failures_times'],
  ['one that is never played', [failure(0, 0)], 'sandbox_failures_times'],
  [
    'a sandbox of its own',
    [`insert into named_sandboxes (clinic_id, parent_id, name, token_hash) values ('b', 'b', 'x', 'y')`],
    'named_sandboxes_not_its_own',
  ],
  ['a run of no time', [validation('0 hours')], 'validation_runs_span'],
  ['a run of a day', [validation('24 hours')], taken],
  ['a run of longer', [validation('25 hours')], 'validation_runs_span'],
  ['two runs at once', [validation('1 hour', 'null')], 'validation_runs_under_way'],
  [
    'a long exchange',
    [
      `insert into observed_exchanges (clinic_id, run_id, at, operation, duration_ms, detail) values ('a', 'validation', now(), 'o', 1, to_jsonb(repeat('x', 16382)))`,
    ],
    taken,
  ],
  [
    'a longer one',
    [
      `insert into observed_exchanges (clinic_id, run_id, at, operation, duration_ms, detail) values ('a', 'validation', now(), 'o', 1, to_jsonb(repeat('x', 16383)))`,
    ],
    'observed_exchanges_detail',
  ],
  ['two jobs of a kind', [job('cancel_runs', 'RUNNING')], 'bulk_jobs_one_running'],
  [
    'jobs of another kind, and those that are over',
    [job('resend_deliveries', 'RUNNING'), job('cancel_runs', 'DONE'), job('cancel_runs', 'DONE')],
    taken,
  ],
  ...(
    [
      ['api_keys', `(id, name, prefix, hash, scopes, clinic_id) values ('x', 'k', 'k', 'x', '{}', `],
      ['phone_numbers', `(id, number, clinic_id) values ('x', '+7', `],
      ['single_sign_on', `(issuer, client_id, role_rules, clinic_id) values ('', '', '[]', `],
      [
        'account_links',
        `(id, kind, role, email, hash, expires_at, clinic_id) values ('x', 'invitation', 'staff', 'e', 'h', now(), `,
      ],
      [
        'voice_settings',
        `(assistants, detects_voicemail, leaves_message, max_call_seconds, is_recorded, discloses_recording, is_hipaa, clinic_id)
         values ('{}', true, true, 1, true, true, true, `,
      ],
      ['secrets', `(id, kind, hash, clinic_id) values ('x', 'inbound', 'x', `],
    ] as const
  ).flatMap(([table, values]): [string, string[], string | string[]][] => [
    [`${table} of a named sandbox`, [`insert into ${table} ${values} 'named')`], '23514'],
    [`${table} of a clinic`, [`insert into ${table} ${values} 'b')`], taken],
    [
      `${table} that come to a named sandbox`,
      [`insert into ${table} ${values} 'b')`, `update ${table} set clinic_id = 'named' where clinic_id = 'b'`],
      '23514',
    ],
  ]),
  [
    'what a named sandbox signs with',
    [`insert into secrets (id, clinic_id, kind) values ('x', 'named', 'signing')`],
    taken,
  ],
])('%s: the tables refuse it, or take it', async (_rule, statements, refusal) => {
  expect(await tried(...statements)).toEqual(refusal);
});

const told = `select distinct table_name as name from changes where xid = pg_current_xact_id() order by 1`;

test.each<[what: string, statement: string, tables: string[]]>([
  ['a clinic that changes', `update clinics set name = 'X' where id = 'a'`, ['clinics']],
  ['an account that changes', `update users set name = 'X'`, ['users']],
  ['a session that ends', `delete from sessions where id = 'session'`, ['sessions', 'viewers']],
  ['a key that changes', `update api_keys set name = 'X'`, ['api_keys']],
  ['a key that goes', `delete from api_keys`, ['api_keys']],
  ['a new secret', `insert into secrets (id, clinic_id, kind) values ('x', 'a', 'inbound')`, ['secrets']],
  ['a secret that changes', `update secrets set name = 'X'`, ['secrets']],
  ['a secret that goes', `delete from secrets`, ['secrets']],
  [
    'somebody who looks',
    `insert into viewers (id, clinic_id, session_id, record_id) values ('x', 'a', 'session', 'y')`,
    ['viewers'],
  ],
  ['somebody who edits', `update viewers set is_editing = true`, ['viewers']],
  ['somebody who is there still', `update viewers set seen_at = now()`, []],
  ['somebody who goes', `delete from viewers`, ['viewers']],
  ['a patient who changes', `update patients set last_name = 'X' where id = 'plain'`, ['patients']],
  ['a run that changes', `update workflow_runs set attempts = 1 where id = 'run'`, ['workflow_runs']],
  ['a case that changes', `update recovery_cases set status = 'CALLING'`, ['recovery_cases']],
  ['a new call', call(`'a', 'plain', 'inbound', null, 'ENDED', null, 0, false`), ['calls']],
  ['a call that changes', `update calls set summary = 'X' where id = 'call'`, ['calls']],
  [
    'a decision without a call',
    `insert into call_decisions (id, clinic_id, workflow_id, stage, rule, decided, inputs) values ('x', 'a', 'run', 'plan', 'r', '{}', '{}')`,
    ['call_decisions'],
  ],
  [
    'a decision of a call',
    `insert into call_decisions (id, clinic_id, workflow_id, call_id, stage, rule, decided, inputs) values ('x', 'a', 'run', 'call', 'plan', 'r', '{}', '{}')`,
    [],
  ],
  [
    'a new pause',
    `insert into outreach_pauses (id, clinic_id, reason, paused_by) values ('x', 'a', 'r', 'x')`,
    ['outreach_pauses'],
  ],
  ['a pause that ends', `update outreach_pauses set resumed_at = now()`, ['outreach_pauses']],
  ['a tool call that changes', `update tool_calls set reply = 'X'`, ['tool_calls']],
  [
    'a new provider',
    `insert into providers (id, clinic_id, name, display_name, working_hours) values ('x', 'a', 'x', 'x', '{}')`,
    ['providers'],
  ],
  ['a provider who changes', `update providers set notice_minutes = 1 where id = 'dr'`, ['providers']],
  ['a provider who goes', `delete from providers where id = 'dr2'`, ['providers']],
  ['a new visit', visit(`'booked', null, null`), ['appointments']],
  ['a visit that changes', `update appointments set status = 'arrived'`, ['appointments']],
  ['a new wish', wait('waiting'), ['waitlist_entries']],
  ['a wish that changes', `update waitlist_entries set status = 'removed'`, ['waitlist_entries']],
  ['a new task', `insert into staff_tasks (id, clinic_id, reason, cause) values ('x', 'a', 'r', 'x')`, ['staff_tasks']],
  ['a task that changes', `update staff_tasks set priority = 'HIGH'`, ['staff_tasks']],
  [
    'a note about a task',
    `insert into task_notes (id, clinic_id, task_id, written_by, note) values ('x', 'a', 'task', 'x', 'x')`,
    ['task_notes'],
  ],
  ['a delivery that changes', `update deliveries set tries = 1`, ['deliveries']],
  ['a new clock', `insert into sandbox_clocks (clinic_id, shows) values ('b', now())`, ['sandbox_clocks']],
  ['a clock that is set', `update sandbox_clocks set shows = now()`, ['sandbox_clocks']],
  ['a clock that goes', `delete from sandbox_clocks`, ['sandbox_clocks']],
  [
    'a new failure',
    `insert into sandbox_failures (id, clinic_id, failure, times, ends_at) values ('x', 'a', 'f', 1, now())`,
    ['sandbox_failures'],
  ],
  ['a failure that is played', `update sandbox_failures set played = 1`, ['sandbox_failures']],
  ['a failure that goes', `delete from sandbox_failures`, ['sandbox_failures']],
  ['a client that goes', `delete from sandbox_clients`, ['sandbox_clients']],
  ['a named sandbox that changes', `update named_sandboxes set name = 'X'`, ['named_sandboxes']],
  ['a named sandbox that goes', `delete from named_sandboxes`, ['named_sandboxes']],
  ['a new run of validation', validation('1 hour'), ['validation_runs']],
  ['such a run that ends', `update validation_runs set ended_at = now()`, ['validation_runs']],
  [
    'what somebody changed',
    `insert into audit_entries (id, clinic_id, actor, action) values ('x', 'a', 'x', 'x')`,
    ['audit_entries'],
  ],
  [
    'what a route saw',
    `insert into audit_entries (id, clinic_id, actor, action, route) values ('x', 'a', 'x', 'x', 'GET /x')`,
    [],
  ],
  ['a new job', job('resend_deliveries', 'RUNNING'), ['bulk_jobs']],
  ['a job that goes on', `update bulk_jobs set done = 1`, ['bulk_jobs']],
])('%s is told to those who wait', async (_what, statement, tables) => {
  expect(await tried(statement, told)).toEqual(tables.map((name) => ({ name })));
});

test('a change is told with its clinic and its id, where the table has them', async () => {
  const all = `select table_name, clinic_id, record_id from changes where xid = pg_current_xact_id() order by 1, 3`;
  const rows = await tried(
    `update clinics set name = 'X' where id = 'a'`,
    `delete from sandbox_clocks`,
    `update patients set last_name = 'X' where id = 'plain'`,
    `delete from api_keys`,
    all,
  );

  expect(rows).toEqual([
    { table_name: 'api_keys', clinic_id: 'a', record_id: 'key' },
    { table_name: 'clinics', clinic_id: null, record_id: 'a' },
    { table_name: 'patients', clinic_id: 'a', record_id: 'plain' },
    { table_name: 'sandbox_clocks', clinic_id: 'a', record_id: null },
  ]);
});

const aboutPatients: [table: string, columns: string, values: string][] = [
  ['documents', 'content', `'{}'`],
  ['identity_matches', 'call_id', `'call2'`],
  ['workflow_runs', 'workflow_type, session_id', `'care-gap-follow-up', 'new'`],
  ['recovery_cases', 'session_id, workflow_id', `'new', 'run2'`],
  ['calls', 'direction', `'inbound'`],
  ['verification_attempts', 'call_id, tool, outcome', `'call2', 't', 'matched'`],
  ['caller_tries', 'call_id, kind', `'call2', 'hold'`],
  ['record_proposals', 'call_id, given', `'call2', '{}'`],
  [
    'appointments',
    'provider_id, visit_type, starts_at, ends_at',
    `'dr', 'v', '2030-02-01T09:00Z', '2030-02-01T09:30Z'`,
  ],
  ['waitlist_entries', 'visit_type, earliest_on, latest_on, added_by', `'new', '2030-01-01', '2030-01-02', 'x'`],
  ['staff_tasks', 'reason, cause', `'r', 'new'`],
];

test.each(aboutPatients)('%s about who was merged into another are about that one', async (table, columns, values) => {
  const insert = (patient: string) =>
    `insert into ${table} (id, clinic_id, patient_id, ${columns}) values ('new', 'a', '${patient}', ${values}) returning patient_id`;
  const update = (patient: string) =>
    `update ${table} set patient_id = '${patient}' where id = 'new' returning patient_id`;

  expect(await tried(insert('replaced'))).toEqual([{ patient_id: 'kept' }]);
  expect(await tried(insert('plain'))).toEqual([{ patient_id: 'plain' }]);
  expect(await tried(insert('plain'), update('replaced'))).toEqual([{ patient_id: 'kept' }]);
  expect(await tried(insert('kept'), update('plain'))).toEqual([{ patient_id: 'plain' }]);
});

test.each([
  ['replaced', 'a', 'kept'],
  ['plain', 'a', 'plain'],
  ['replaced', 'b', 'replaced'],
  ['nobody', 'a', 'nobody'],
])('who is meant by the id %s in clinic %s', async (named, of, meant) => {
  expect(await tried(`select kept_patient('${of}', '${named}') as id`)).toEqual([{ id: meant }]);
});

const pause = (about: string) =>
  `insert into outreach_pauses (id, clinic_id, workflow_type, ends_at, resumed_at, reason, paused_by) values (${about}, 'r', 'x')`;
const held = `select outreach_pause('a', 'care-gap-follow-up') as pause`;
const lasting = { until: null };

test.each<[what: string, pauses: string[], holds: object | null]>([
  ['none', [], null],
  ['of everything', [pause(`'1', null, null, null, null`)], lasting],
  ['of the clinic', [pause(`'1', 'a', null, null, null`)], lasting],
  ['of the type', [pause(`'1', 'a', 'care-gap-follow-up', null, null`)], lasting],
  ['of another clinic', [pause(`'1', 'b', null, null, null`)], null],
  ['of another type', [pause(`'1', 'a', 'payment-recovery', null, null`)], null],
  ['that was ended', [pause(`'1', 'a', null, null, now()`)], null],
  ['that is over', [pause(`'1', 'a', null, now() - interval '1 second', null`)], null],
  ['that ends', [pause(`'1', 'a', null, '2999-01-01', null`)], { until: '2999-01-01T00:00:00.000Z' }],
  [
    'two that end',
    [pause(`'1', 'a', null, '2999-01-01', null`), pause(`'2', 'a', null, '2999-02-01', null`)],
    { until: '2999-02-01T00:00:00.000Z' },
  ],
  [
    'one that ends and one that does not',
    [pause(`'1', 'a', null, '2999-01-01', null`), pause(`'2', null, null, null, null`)],
    lasting,
  ],
])('the pause of a run: %s', async (_what, pauses, holds) => {
  expect(await tried(...pauses, held)).toEqual([{ pause: holds }]);
});

test('a pause is not counted that somebody asks to leave out', async () => {
  const without = `select outreach_pause('a', 'care-gap-follow-up', '1') as pause`;

  expect(await tried(pause(`'1', 'a', null, null, null`), without)).toEqual([{ pause: null }]);
  expect(await tried(pause(`'2', 'a', null, null, null`), without)).toEqual([{ pause: lasting }]);
});

const dialled = (about: Record<string, string> = {}) => {
  const values = {
    clinic_id: `'a'`,
    patient_id: `'kept'`,
    direction: `'outbound'`,
    phone: `'+5'`,
    requested_at: 'now()',
    ...about,
  };
  return `insert into calls (id, ${Object.keys(values).join(', ')}) values (gen_random_uuid()::text, ${Object.values(values).join(', ')})`;
};
const isAtLimit = (phone = '+6') => `select numbers_used_until('a', '${phone}') is not null as "isAtLimit"`;

test.each<[what: string, about: Record<string, string>, isCounted: boolean]>([
  ['a call that goes on', {}, true],
  ['one that rang', { state: `'ENDED'`, rang_at: 'now()' }, true],
  ['one that rang nobody', { state: `'ENDED'` }, false],
  ['a test', { is_test: 'true' }, false],
  ['a caller', { direction: `'inbound'` }, false],
  ['one that was not requested', { requested_at: 'null' }, false],
  ['one as the day begins', { requested_at: `date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'` }, true],
  [
    'one just before',
    { requested_at: `date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '1 ms'` },
    false,
  ],
  ['one of another clinic', { clinic_id: `'b'`, patient_id: `'there'` }, false],
])('%s is counted among the numbers of the day, or is not', async (_what, about, isCounted) => {
  expect(await tried(`update clinics set numbers_per_day = 1`, dialled(about), isAtLimit())).toEqual([
    { isAtLimit: isCounted },
  ]);
});

test('how many numbers a clinic may call on a day is its own limit', async () => {
  const limit = (of: string, count: number) => `update clinics set numbers_per_day = ${count} where id = '${of}'`;

  expect(await tried(limit('a', 2), limit('b', 1), dialled(), isAtLimit())).toEqual([{ isAtLimit: false }]);
  expect(await tried(limit('a', 1), limit('b', 2), dialled(), isAtLimit())).toEqual([{ isAtLimit: true }]);
});

test('numbers of a day are counted once each, and one that was called today may be called again', async () => {
  const two = [`update clinics set numbers_per_day = 2`, dialled(), dialled({ state: `'ENDED'`, rang_at: 'now()' })];

  expect(await tried(...two, isAtLimit())).toEqual([{ isAtLimit: false }]);
  expect(await tried(...two, dialled({ phone: `'+7'` }), isAtLimit())).toEqual([{ isAtLimit: true }]);
  expect(await tried(...two, dialled({ phone: `'+7'` }), isAtLimit('+5'))).toEqual([{ isAtLimit: false }]);
});

const previous = `select json_array_length(previous_calls_at) as calls from calling_facts where clinic_id = 'a' and patient_id = 'kept'`;
const placed = { platform_call_id: `'p'`, phone: `'+1'` };

test.each<[what: string, about: Record<string, string>, calls: number]>([
  ['a call that goes on', placed, 1],
  ['one that rang', { ...placed, state: `'ENDED'`, rang_at: 'now()' }, 1],
  ['one that rang nobody', { ...placed, state: `'ENDED'` }, 0],
  ['one that the platform has not', { ...placed, platform_call_id: 'null' }, 0],
  ['a test', { ...placed, is_test: 'true' }, 0],
  ['one to another phone', { ...placed, phone: `'+5'` }, 0],
  ['one of another clinic', { ...placed, clinic_id: `'b'`, patient_id: `'there'` }, 0],
  ['one of less than a week ago', { ...placed, requested_at: `now() - interval '7 days' + interval '1 second'` }, 1],
  ['one of a week ago', { ...placed, requested_at: `now() - interval '7 days' - interval '1 second'` }, 0],
])('%s counts as one of the last week to a patient, or does not', async (_what, about, calls) => {
  expect(await tried(dialled(about), previous)).toEqual([{ calls }]);
});

const optOut = (owner: string, phone: string, scope: string) =>
  `insert into opt_outs (id, clinic_id, phone, scope) values (gen_random_uuid()::text, '${owner}', '${phone}', '${scope}')`;
const corrected = `update patients set phone = '+8' where id = 'plain'`;
const scopes = `select phone, scope from opt_outs where clinic_id = 'a' order by phone`;

test.each<[what: string, before: string[], after: [phone: string, scope: string][]]>([
  [
    'who had asked for none',
    [optOut('a', '+2', 'all')],
    [
      ['+2', 'all'],
      ['+8', 'all'],
    ],
  ],
  [
    'who had asked for few',
    [optOut('a', '+2', 'recovery_and_reminders')],
    [
      ['+2', 'recovery_and_reminders'],
      ['+8', 'recovery_and_reminders'],
    ],
  ],
  ['of another number', [optOut('a', '+1', 'all')], [['+1', 'all']]],
  ['of another clinic', [optOut('b', '+2', 'all')], []],
  [
    'whose new number is narrower',
    [optOut('a', '+2', 'all'), optOut('a', '+8', 'recovery_and_reminders')],
    [
      ['+2', 'all'],
      ['+8', 'all'],
    ],
  ],
  [
    'whose new number is wider',
    [optOut('a', '+2', 'recovery_and_reminders'), optOut('a', '+8', 'all')],
    [
      ['+2', 'recovery_and_reminders'],
      ['+8', 'all'],
    ],
  ],
])('a corrected number of a patient, %s, is on the list as the old one is', async (_what, before, after) => {
  expect(await tried(...before, corrected, scopes)).toEqual(after.map(([phone, scope]) => ({ phone, scope })));
});

const wokenRuns = `select workflow_id as id from workflow_messages where signal = 'rulesChanged' order by 1`;
const over = `update workflow_runs set status = 'completed' where id = 'run2'`;
const both = [{ id: 'run' }];

test('an opt-out that is carried to a corrected number wakes the open runs of its patients', async () => {
  const sharing = [
    `insert into patients (id, clinic_id, phone) values ('sharing', 'a', '+8')`,
    `insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id) values ('shared', 'a', 't', 's9', 'sharing')`,
    `update patients set phone = '+8' where id = 'there'`,
    `insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id) values ('ofKept', 'a', 't', 's8', 'kept')`,
  ];

  expect(await tried(over, ...sharing, optOut('a', '+2', 'all'), corrected, wokenRuns)).toEqual([
    { id: 'run' },
    { id: 'shared' },
  ]);
});

test('a patient who asks for other hours wakes their open runs, and those who wait for a line get none', async () => {
  const asks = `update patients set preferred_call_hours = '{"from": "10:00"}' where id = 'plain'`;
  const ticket = (run: string, of: string, grantedAt: string) =>
    `insert into line_tickets (workflow_id, clinic_id, phone, priority, due_at, granted_at) values ('${run}', '${of}', '+2', 1, now(), ${grantedAt})`;
  const closed = `select workflow_id as id from line_tickets where not_after is not null order by 1`;
  const tickets = [ticket('run', 'a', 'null'), ticket('run2', 'a', 'now()'), ticket('runThere', 'b', 'null')];

  expect(await tried(over, asks, wokenRuns)).toEqual(both);
  expect(await tried(asks, asks, wokenRuns)).toEqual([{ id: 'run' }, { id: 'run2' }]);
  expect(await tried(...tickets, asks, closed)).toEqual(both);
});

test('a policy that changes has the open runs of its clinic told, and one that does not nobody', async () => {
  const change = (attempts: number) => `update calling_policies set max_attempts = ${attempts} where clinic_id = 'a'`;
  const toTell = `select clinic_id as id from calling_policies where told_up_to = ''`;

  expect(await tried(change(4), toTell)).toEqual([{ id: 'a' }]);
  expect(await tried(change(3), toTell)).toEqual([]);
});

const anAttempt = (about: Record<string, string>) => {
  const values = {
    clinic_id: `'a'`,
    patient_id: `'plain'`,
    call_id: `'call2'`,
    tool: `'verify_patient'`,
    outcome: `'mismatched'`,
    ...about,
  };
  return `insert into verification_attempts (id, ${Object.keys(values).join(', ')}) values (gen_random_uuid()::text, ${Object.values(values).join(', ')})`;
};

test.each<[what: string, attempts: Record<string, string>[], standing: string]>([
  ['nobody asked', [], 'unasked'],
  ['it was wrong', [{}], 'failed'],
  ['it was right', [{ outcome: `'matched'` }], 'verified'],
  ['it was right by another tool', [{ outcome: `'matched'`, tool: `'find_patient'` }], 'verified'],
  ['it was wrong by another tool', [{ tool: `'find_patient'` }], 'unasked'],
  ['it was right in another call', [{ outcome: `'matched'`, call_id: `'call'` }], 'unasked'],
  ['it was right, then wrong', [{ outcome: `'matched'` }, {}], 'failed'],
  ['it was wrong, then right', [{}, { outcome: `'matched'` }], 'verified'],
  ['of whom no date of birth is on file', [{ patient_id: `'kept'` }], 'unasked'],
])('how a caller stands where %s', async (_what, attempts, standing) => {
  const known = `update patients set birth_date = '1980-01-01' where id = 'plain'`;
  const stated = attempts.map((about, index) => anAttempt({ ...about, at: `now() + interval '${index} seconds'` }));

  expect(await tried(known, ...stated, `select standing from caller_standing('a', 'call2')`)).toEqual([{ standing }]);
  expect(await tried(known, ...stated, `select standing from caller_standing('b', 'call2')`)).toEqual([
    { standing: 'unasked' },
  ]);
});

const further = (about: Record<string, string> = {}) => {
  const values = { clinic_id: `'a'`, name: `'Further'`, url: `'https://y.example'`, events: `'{told}'`, ...about };
  return `insert into receivers (id, ${Object.keys(values).join(', ')}) values ('further', ${Object.values(values).join(', ')})`;
};
const emit = (about: Record<string, string> = {}) => {
  const values = { event: `'told'`, subject: `'x'`, ...about };
  return `insert into outbound_events (id, clinic_id, data, ${Object.keys(values).join(', ')}) values ('new', 'a', '{}', ${Object.values(values).join(', ')})`;
};
const owed = `select receiver_id as to, state, next_attempt_at is not null as "isDue" from deliveries where event_id = 'new' order by 1`;
const [toFirst, toFurther] = [
  { to: 'first', state: 'PENDING', isDue: true },
  { to: 'further', state: 'PENDING', isDue: true },
];
const kept = (to: string) => ({ to, state: 'DEAD', isDue: false });

test.each<[what: string, statements: string[], deliveries: object[]]>([
  ['what both want', [further(), emit()], [toFirst, toFurther]],
  ['what one wants', [further({ events: `'{other}'` }), emit()], [toFirst]],
  ['what nobody wants', [further(), emit({ event: `'other'` })], []],
  ['beside one of another clinic', [further({ clinic_id: `'b'` }), emit()], [toFirst]],
  ['beside one that was removed', [further({ removed_at: 'now()' }), emit()], [toFirst]],
  ['beside one without a URL', [`update receivers set url = null`, further(), emit()], [toFurther]],
  ['beside one that is off', [further({ is_enabled: 'false' }), emit()], [toFirst, kept('further')]],
  ['a test', [further(), emit({ event: `'test'` })], [toFirst]],
  ['a sample', [further(), emit({ subject: `'sample-1'` })], [toFirst]],
  ['a test where it is off', [`update receivers set is_enabled = false`, emit({ event: `'test'` })], []],
  ['a sample for one', [further({ events: `'{}'` }), emit({ only_to: `'further'` })], [toFurther]],
  ['a sample for one that is off', [further({ is_enabled: 'false' }), emit({ only_to: `'further'` })], []],
  [
    'what a subscription hears',
    [further({ events: `'{subscription.event}'` }), emit({ event: `'subscription.event'` })],
    [],
  ],
])('an event is owed to those who want it: %s', async (_what, statements, deliveries) => {
  expect(await tried(...statements, owed)).toEqual(deliveries);
});

const freed = `select provider_id as of, starts_at from freed_times`;
const nine = { of: 'dr', starts_at: new Date('2030-01-07T09:00:00Z') };
const aHold = `insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at, status, held_until)
  values ('hold', 'a', 'plain', 'dr', 'v', '2030-01-07T10:00Z', '2030-01-07T10:30Z', 'cancelled', now())`;
const ten = { of: 'dr', starts_at: new Date('2030-01-07T10:00:00Z') };

test.each<[what: string, statements: string[], times: object[]]>([
  ['a visit that is cancelled', [`update appointments set status = 'cancelled' where id = 'visit'`], [nine]],
  [
    'a visit that is moved',
    [
      `update appointments set starts_at = starts_at + interval '1 day', ends_at = ends_at + interval '1 day' where id = 'visit'`,
    ],
    [nine],
  ],
  ['a visit at another provider', [`update appointments set provider_id = 'dr2' where id = 'visit'`], [nine]],
  ['a visit that is deleted', [`delete from appointments where id = 'visit'`], [nine]],
  ['somebody who arrives', [`update appointments set status = 'arrived' where id = 'visit'`], []],
  [
    'somebody who arrived and is cancelled',
    [
      `update appointments set status = 'arrived' where id = 'visit'`,
      `update appointments set status = 'cancelled' where id = 'visit'`,
    ],
    [nine],
  ],
  [
    'a cancelled visit that is deleted',
    [
      `update appointments set status = 'cancelled' where id = 'visit'`,
      `delete from freed_times`,
      `delete from appointments where id = 'visit'`,
    ],
    [],
  ],
  ['a hold that ends', [aHold, `update appointments set cancelled_at = now() where id = 'hold'`], [ten]],
  [
    'a hold that is prolonged',
    [aHold, `update appointments set held_until = now() + interval '1 day' where id = 'hold'`],
    [],
  ],
  [
    'a hold that is booked',
    [aHold, `update appointments set held_until = null, status = 'booked' where id = 'hold'`],
    [],
  ],
  [
    'a hold that had ended',
    [
      aHold,
      `update appointments set cancelled_at = now() where id = 'hold'`,
      `delete from freed_times`,
      `delete from appointments where id = 'hold'`,
    ],
    [],
  ],
  [
    'where nobody waits',
    [`update waitlist_entries set status = 'removed'`, `delete from appointments where id = 'visit'`],
    [],
  ],
  [
    'where somebody waits elsewhere',
    [
      `update waitlist_entries set status = 'removed'`,
      `insert into waitlist_entries (id, clinic_id, patient_id, visit_type, earliest_on, latest_on, added_by) values ('x', 'b', 'there', 'v', '', '', 'x')`,
      `delete from appointments where id = 'visit'`,
    ],
    [],
  ],
])('a time becomes free: %s', async (_what, statements, times) => {
  expect(await tried(...statements, freed)).toEqual(times);
});

const moved = `update appointments set starts_at = starts_at + interval '1 day', ends_at = ends_at + interval '1 day' where id = 'visit'`;
const versions = `select version from appointment_versions where appointment_id = 'visit' order by 1`;
const shows = `update clinics set is_demo = true, sandbox_enabled = true, sandbox_leniency = '{"showsNextAppointmentOnly": false}' where id = 'a'`;
const leniently = `update clinics set is_demo = true, sandbox_enabled = true where id = 'a'`;

test.each<[what: string, statements: string[], kept: number[]]>([
  ['it is moved', [moved], [1, 2]],
  ['it is moved to another provider', [`update appointments set provider_id = 'dr2' where id = 'visit'`], [1, 2]],
  ['it is moved twice', [moved, moved], [1, 2, 3]],
  ['it is cancelled', [`update appointments set status = 'cancelled' where id = 'visit'`], []],
  [
    'it is cancelled under a key',
    [`update appointments set status = 'cancelled', last_change = '{"key": "k"}' where id = 'visit'`],
    [1, 2],
  ],
  [
    'it is cancelled where all changes are shown',
    [shows, `update appointments set status = 'cancelled' where id = 'visit'`],
    [1, 2],
  ],
  [
    'it is cancelled in another sandbox',
    [leniently, `update appointments set status = 'cancelled' where id = 'visit'`],
    [],
  ],
  [
    'it is cancelled where the sandbox is off',
    [
      shows,
      `update clinics set sandbox_enabled = false where id = 'a'`,
      `update appointments set status = 'cancelled' where id = 'visit'`,
    ],
    [],
  ],
  [
    'it was held',
    [
      aHold,
      `update appointments set held_until = null, status = 'booked' where id = 'hold'`,
      `select version from appointment_versions where appointment_id = 'hold'`,
    ],
    [],
  ],
])('of a visit versions are kept where %s', async (_what, statements, of) => {
  expect(await tried(...statements, versions)).toEqual(of.map((version) => ({ version })));
});

test('a hold that is booked begins anew, and a note of who changed something is of that change alone', async () => {
  const version = (id: string) => `select version, last_change from appointments where id = '${id}'`;
  const noted = `update appointments set status = 'arrived', last_change = '{"by": "x"}' where id = 'visit'`;

  expect(
    await tried(
      aHold,
      `update appointments set held_until = null, status = 'booked' where id = 'hold'`,
      version('hold'),
    ),
  ).toEqual([{ version: 1, last_change: null }]);
  expect(await tried(noted, version('visit'))).toEqual([{ version: 2, last_change: { by: 'x' } }]);
  expect(
    await tried(noted, `update appointments set status = 'fulfilled' where id = 'visit'`, version('visit')),
  ).toEqual([{ version: 3, last_change: null }]);
});

test.each([
  ['patients', `insert into patients (id, clinic_id) values ('x', $)`],
  [
    'documents',
    `insert into documents (id, clinic_id, patient_id, content) values ('x', $, case $ when 's' then 'boxed' else 'plain' end, '{}')`,
  ],
  [
    'appointments',
    `insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
     values ('x', $, case $ when 's' then 'boxed' else 'plain' end, case $ when 's' then 'drS' else 'dr' end, 'v', '2030-03-01T09:00Z', '2030-03-01T09:30Z')`,
  ],
])('%s are the sandbox’s where they are made while it is on', async (table, insert) => {
  const isMarked = async (of: string) =>
    tried(insert.replaceAll('$', `'${of}'`), `select in_sandbox as "isMarked" from ${table} where id = 'x'`);

  expect([await isMarked('s'), await isMarked('a')]).toEqual([[{ isMarked: true }], [{ isMarked: false }]]);
});

const subscribed = (about: Record<string, string> = {}, enabled = true) => {
  const values = { active_since: 'now()', base_url: `''`, payload: `''`, content: `'empty'`, ...about };
  return [
    `insert into receivers (id, clinic_id, kind, name, url, is_enabled) values ('sub', 's', 'subscription', 'x', 'x', ${enabled})`,
    `insert into fhir_subscriptions (clinic_id, id, ${Object.keys(values).join(', ')}) values ('s', 'sub', ${Object.values(values).join(', ')})`,
  ];
};
const inSandbox = (about: Record<string, string> = {}) => {
  const values = { clinic_id: `'s'`, patient_id: `'boxed'`, provider_id: `'drS'`, ...about };
  return `insert into appointments (id, visit_type, starts_at, ends_at, ${Object.keys(values).join(', ')})
    values ('new', 'v', '2030-03-01T09:00Z', '2030-03-01T09:30Z', ${Object.values(values).join(', ')})`;
};
const heard = `select data -> 'isNew' as "isNew" from outbound_events where subject = 'sub' order by sequence`;
const change = (set: string) => `update appointments set ${set} where id = 'new'`;
const merged = [`insert into patients (id, clinic_id, replaced_by) values ('old', 's', 'boxed')`];

test.each<[what: string, statements: string[], isNew: boolean[]]>([
  ['a new visit', [...subscribed(), inSandbox()], [true]],
  ['a change', [...subscribed(), inSandbox(), change(`visit_type = 'w'`)], [true, false]],
  ['a change of nothing', [...subscribed(), inSandbox(), change(`visit_type = visit_type`)], [true]],
  ['a hold', [...subscribed(), inSandbox({ status: `'cancelled'`, held_until: 'now()' })], []],
  [
    'a hold that is booked',
    [
      ...subscribed(),
      inSandbox({ status: `'cancelled'`, held_until: 'now()' }),
      change(`held_until = null, status = 'booked'`),
    ],
    [true],
  ],
  ['before it took its handshake', [...subscribed({ active_since: 'null' }), inSandbox()], []],
  ['of one that has ended', [...subscribed({ ends_at: `now() - interval '1 second'` }), inSandbox()], []],
  ['of one that ends later', [...subscribed({ ends_at: `now() + interval '1 day'` }), inSandbox()], [true]],
  ['of one that is off', [...subscribed({}, false), inSandbox()], []],
  [
    'where the sandbox is off',
    [...subscribed(), `update clinics set sandbox_enabled = false where id = 's'`, inSandbox()],
    [],
  ],
  ['of its patient', [...subscribed({ patient_id: `'boxed'` }), inSandbox()], [true]],
  ['of who was merged into them', [...merged, ...subscribed({ patient_id: `'old'` }), inSandbox()], [true]],
  ['of another patient', [...subscribed({ patient_id: `'plain'` }), inSandbox()], []],
  ['of its provider', [...subscribed({ provider_name: `'Dr.S'` }), inSandbox()], [true]],
  ['of another provider', [...subscribed({ provider_name: `'Dr.A'` }), inSandbox()], []],
  [
    'of another clinic',
    [...subscribed(), leniently, inSandbox({ clinic_id: `'a'`, patient_id: `'plain'`, provider_id: `'dr'` })],
    [],
  ],
])('what a subscription hears: %s', async (_what, statements, isNew) => {
  expect(await tried(...statements, heard)).toEqual(isNew.map((each) => ({ isNew: each })));
});

const entry = `insert into audit_entries (id, clinic_id, actor, action) values ('one', 'a', 'x', 'x'), ('two', 'a', 'x', 'x')`;
const seal = (of: string, ids: string[]) =>
  `select seal_audit('${of}', 's1', '${JSON.stringify(ids.map((entryId, index) => ({ position: index + 1, entryId, hash: entryId })))}') as sealed`;

test('an entry is sealed once, in the chain of its own clinic, and waits no more', async () => {
  const waiting = `select entry_id as id from audit_unsealed`;

  expect(await tried(entry, seal('a', ['one']))).toEqual([{ sealed: 1 }]);
  expect(await tried(entry, seal('a', ['one']), waiting)).toEqual([{ id: 'two' }]);
  expect(await tried(entry, seal('a', ['one']), seal('a', ['one']))).toBe('23001');
  expect(await tried(entry, seal('b', ['one']))).toBe('23001');
  expect(await tried(entry, seal('a', ['one', 'three']))).toBe('23001');
});

test('what requests told is taken over the oldest first, so many at a time, but for what another takes or of a clinic that is gone', async () => {
  const request = (id: string, of: string) =>
    `insert into audit_requests (id, clinic_id, actor, action, is_read, route, subjects) values ('${id}', '${of}', 'x', 'x', true, 'r', '{}')`;
  const requests = [request('one', 'a'), request('two', 'gone'), request('three', 'a')];
  const entries = `select id from audit_entries order by id`;

  expect(await tried(...requests, `select take_audit_requests(2) as taken`)).toEqual([{ taken: 2 }]);
  expect(await tried(...requests, `select take_audit_requests(2)`, entries)).toEqual([{ id: 'one' }]);
  expect(await tried(...requests, `select take_audit_requests(9)`, entries)).toEqual([{ id: 'one' }, { id: 'three' }]);
  expect(await tried(...requests, `select take_audit_requests(9)`, `select take_audit_requests(9) as taken`)).toEqual([
    { taken: 0 },
  ]);
});

test.each(['audit_entries', 'audit_links'])('%s are only added to', async (table) => {
  const [column] = table === 'audit_entries' ? ['actor'] : ['hash'];

  for (const statement of [`update ${table} set ${column} = 'x'`, `delete from ${table}`, `truncate ${table}`])
    expect(await tried(statement)).toBe('23001');
});
