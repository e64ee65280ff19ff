/**
 * Every table and column of the records, and what of it is a patient's: what an export of the patient holds, and what an
 * erasure does with it. `test/prisma/stores/patients/patient-data.test.ts` compares this with the database, so that a new column is classified.
 *
 * Conditions are SQL over the table as `t`, with the clinic as $1 and the patient as $2.
 */
export interface ClassifiedTable {
  /**
   * `deleted`: rows about the patient go. `kept`: rows about the patient stay, and hold nothing that says who it was.
   * `other`: no row is about a patient.
   */
  erasure: 'deleted' | 'kept' | 'other';
  /** Why it is so; for deleted tables where it needs saying. */
  why?: string;
  /** Which rows are about the patient; left out where none is. */
  isAbout?: string;
  /** All columns that an export shows, or that were looked at and hold nothing of a patient. */
  columns: string[];
  /** Columns that an export leaves out: they serve processes, and say nothing that the others do not say. */
  internal?: string[];
  /** Of a table with `patient_id`: what a merge of two patients does with its rows. */
  merge?: Moved | Stays;
}

/** They move to the patient who is kept; `oncePer`: but for those for which that patient has one already, by this column. */
interface Moved {
  kind: 'moved';
  oncePer?: string;
}

/** They stay with the patient who is replaced, whom an export and an erasure of the kept one include. */
interface Stays {
  kind: 'stays';
  why: string;
}

const moved: Moved = { kind: 'moved' };
const stays = (why: string): Stays => ({ kind: 'stays', why });

// Arrays, so that each condition is read by the index of its column.
const own = (what: string) => `any(array(${what}))`;
const runIds = 'select id from workflow_runs where clinic_id = $1 and patient_id = $2';
const caseIds = 'select id from recovery_cases where clinic_id = $1 and patient_id = $2';
const callIds = 'select id from calls where clinic_id = $1 and patient_id = $2';
const runs = own(runIds);
const calls = own(callIds);
const eventIds = `select id from outbound_events where clinic_id = $1 and subject = ${own(`${runIds} union all ${caseIds}`)}`;
const events = own(eventIds);
/** Sessions of the patient's, and what a platform may have made a session of. */
const sessions = own(`select session_id from recovery_cases where clinic_id = $1 and patient_id = $2
  union select named from patients p, unnest(array[p.phone, p.email, lower(p.email), p.identifier, p.external_id]) named
    where p.clinic_id = $1 and p.id = $2 and named <> ''`);
/** Anybody else: not one who was merged into this patient, nor whom this one was merged into. */
const isElse = `coalesce(p.replaced_by, p.id)
    <> all (select coalesce(replaced_by, id) from patients where clinic_id = $1 and id = $2)`;
/** The phones by which the clinic knows the patient, and nobody else of its patients. */
const phones = own(`select phone from patients where clinic_id = $1 and id = $2 and phone is not null
  union select phone from calls where clinic_id = $1 and patient_id = $2 and phone is not null
  except select p.phone from patients o join patients p on p.clinic_id = o.clinic_id and p.phone = o.phone
    where o.clinic_id = $1 and o.id = $2 and ${isElse}
  except select p.phone from calls k join patients p on p.clinic_id = k.clinic_id and p.phone = k.phone
    where k.clinic_id = $1 and k.patient_id = $2 and ${isElse}`);

const split = (names: string) => names.trim().split(/\s+/);

const deleted = (
  isAbout: string,
  columns: string,
  { internal = '', why, merge }: { internal?: string; why?: string; merge?: Moved | Stays } = {},
) =>
  ({
    erasure: 'deleted',
    isAbout: `t.clinic_id = $1 and (${isAbout})`,
    columns: split(columns),
    internal: internal === '' ? [] : split(internal),
    ...(why !== undefined && { why }),
    ...(merge !== undefined && { merge }),
  }) satisfies ClassifiedTable;

const kept = (why: string, columns: string, isAbout?: string, merge?: Stays) =>
  ({
    erasure: 'kept',
    why,
    columns: split(columns),
    ...(isAbout !== undefined && { isAbout: `t.clinic_id = $1 and (${isAbout})` }),
    ...(merge !== undefined && { merge }),
  }) satisfies ClassifiedTable;

const other = (why: string, columns: string, merge?: Stays) =>
  ({ erasure: 'other', why, columns: split(columns), ...(merge !== undefined && { merge }) }) satisfies ClassifiedTable;

/** By the name of the table, in the order in which rows can be deleted: what refers to others comes before them. */
export const patientData: Record<string, ClassifiedTable> = {
  delivery_attempts: deleted(
    `t.delivery_id = ${own(`select id from deliveries where clinic_id = $1 and event_id = ${events}`)}`,
    'id clinic_id delivery_id receiver_id url at status error duration_ms response',
  ),
  deliveries: deleted(
    `t.event_id = ${events}`,
    'id clinic_id event_id receiver_id event subject state tries next_attempt_at created_at delivered_at',
    { internal: 'place leased_until lease_token' },
  ),
  outbound_events: deleted(
    `t.id = ${events} or (t.event = 'subscription.event' and t.data ->> 'patientId' = $2)`,
    'id clinic_id event subject number data created_at',
    { internal: 'sequence only_to', why: 'what a subscription was told is emptied instead: its number stays used' },
  ),
  inbound_events: deleted(
    `t.workflow_id = ${runs} or (t.event = 'forms.completed' and t.dedupe_key = ${sessions})`,
    'id clinic_id event dedupe_key payload workflow_id received_at',
    { why: 'a tombstone with a keyed hash of event and key stays, so that the same event again opens nothing' },
  ),
  idempotency_records: {
    erasure: 'deleted',
    why: 'stored replies repeat what other rows say: an export leaves them out, and they are deleted page by page, by the ids in them',
    columns: split('clinic_id route key request_hash status body content_type refusal besides claim_token created_at'),
  },
  workflow_messages: deleted(`t.workflow_id = ${runs}`, 'id clinic_id workflow_id signal payload created_at sent_at'),
  line_tickets: deleted(
    `t.workflow_id = ${runs}`,
    'workflow_id clinic_id phone priority due_at not_after created_at granted_at',
  ),
  clinic_notices: deleted(`t.workflow_id = ${runs}`, 'workflow_id clinic_id action subject created_at'),
  call_decisions: deleted(
    `t.workflow_id = ${runs} or t.call_id = ${calls}`,
    'id clinic_id workflow_id call_id stage rule decided inputs decided_at',
    { why: 'what a call was decided by says when and where the patient lives and was called' },
  ),
  call_evidence: deleted(`t.call_id = ${calls}`, 'clinic_id call_id transcript recording_url success created_at'),
  verification_attempts: deleted(
    `t.patient_id = $2 or t.call_id = ${calls}`,
    'id clinic_id patient_id call_id tool outcome at',
    { merge: moved },
  ),
  caller_tries: deleted(`t.patient_id = $2 or t.call_id = ${calls}`, 'id clinic_id patient_id call_id kind at', {
    merge: moved,
  }),
  record_proposals: deleted(
    `t.patient_id = $2 or t.call_id = ${calls}`,
    'id clinic_id patient_id call_id given state decided_by decided_at created_at',
    { merge: { kind: 'moved', oncePer: 'call_id' } },
  ),
  identity_matches: deleted(
    `t.patient_id = $2 or t.call_id = ${calls}`,
    'id clinic_id patient_id call_id matched_on created_at',
    { merge: { kind: 'moved', oncePer: 'call_id' } },
  ),
  tool_calls: deleted(
    `t.call_id = ${calls}`,
    'id clinic_id call_id tool_call_id family tool arguments reply is_success fact detail started_at completed_at',
    { internal: 'meaning claim_token claimed_until place' },
  ),
  task_notes: deleted(
    `t.task_id = ${own('select id from staff_tasks where clinic_id = $1 and patient_id = $2')}`,
    'id clinic_id task_id written_by note created_at',
  ),
  staff_tasks: deleted(
    't.patient_id = $2',
    'id clinic_id reason state assignee_id patient_id call_id case_id workflow_id detail priority due_on due_time outcome assigned_by assigned_at created_at resolved_at',
    { internal: 'cause version turn', merge: moved },
  ),
  documents: deleted(
    't.patient_id = $2',
    'id clinic_id patient_id call_id content external_id escalate_to_clinical_team request_external_records created_at',
    { internal: 'in_sandbox', merge: moved },
  ),
  appointment_versions: deleted(
    `t.appointment_id = ${own('select id from appointments where clinic_id = $1 and patient_id = $2')}`,
    `clinic_id appointment_id version provider_id status visit_type starts_at ends_at cancellation_reason last_change updated_at`,
  ),
  waitlist_offers: deleted(
    `t.entry_id = ${own('select id from waitlist_entries where clinic_id = $1 and patient_id = $2')}`,
    'id clinic_id entry_id workflow_id provider_id starts_at appointment_id status offered_at ends_at closed_at',
  ),
  waitlist_entries: deleted(
    't.patient_id = $2',
    `id clinic_id patient_id provider_id visit_type earliest_on latest_on from_time until_time status not_before added_by created_at
      ended_at`,
    { merge: moved },
  ),
  appointments: deleted(
    't.patient_id = $2',
    `id clinic_id patient_id provider_id status visit_type starts_at ends_at external_id cancelled_at held_until cancellation_reason
      identifier version last_change created_at updated_at`,
    { internal: 'in_sandbox', merge: moved },
  ),
  opt_outs: deleted(`t.phone = ${phones}`, 'id clinic_id phone scope source added_by created_at', {
    why: 'a tombstone with a keyed hash of the phone stays, so that who opted out is not called again',
  }),
  calls: deleted(
    't.patient_id = $2',
    `id clinic_id patient_id workflow_type workflow_id case_id direction is_test state phone is_matched_by_number attempt dial
      platform_call_id requested_at requests queued_at not_after appointment_starts_at withdrawn_because rang_at ended_reason summary
      said analysed_at cost_usd duration_seconds created_at started_at ended_at`,
    {
      internal: 'not_found_count not_found_at next_look_at requested_account',
      merge: moved,
      why: 'ids stay as tombstones, so that a report which comes late opens no call',
    },
  ),
  recovery_cases: deleted(
    't.patient_id = $2',
    `id clinic_id session_id workflow_id patient_id status form_id form_name last_page_reached total_pages
      completion_percentage abandoned_at_checkout abandoned_at resume_url selected_products barrier resolution decision
      form_completed_at created_at ended_at`,
    { merge: moved },
  ),
  workflow_runs: deleted(
    't.patient_id = $2',
    `id clinic_id workflow_type session_id context patient_id status outcome attempts is_simulated started_at dispatched_at
      completed_at cancelled_by`,
    {
      why: 'a tombstone with the id and a keyed hash of the session stays: one session opens one run, for ever',
      merge: moved,
    },
  ),
  observed_exchanges: deleted(
    "t.patient_id = $2 or t.detail -> 'facts' -> 'others' ? $2",
    'position clinic_id run_id at operation duration_ms status credential patient_id detail',
    {
      why: 'ids, times and digests of what a client asked in a validation run: no name, phone or note is among them',
      merge: stays('it says whom a client asked for'),
    },
  ),
  sandbox_failures: deleted(
    `t.identifier = ${own('select identifier from patients where clinic_id = $1 and id = $2')}`,
    'id clinic_id failure operation identifier parameters times played created_at ends_at',
  ),
  patient_merges: deleted(
    't.kept_id = $2 or t.replaced_id = $2',
    'id clinic_id kept_id replaced_id merged_by merged_at undone_by undone_at moved fields_before',
  ),
  patients: deleted(
    't.id = $2',
    `id clinic_id identifier first_name last_name phone email birth_date address reason_for_visit preferred_location
      medicare_status health_plan_name referral_source comms_consent consent preferred_call_hours preferred_language is_placeholder
      patient_type insurance self_pay billing_notes external_id crm_synced_at replaced_by created_at updated_at`,
    { internal: 'search_text in_sandbox' },
  ),
  sandbox_snapshots: deleted('t.patient_ids @> array[$2]', 'clinic_id name appointments documents taken_at', {
    internal: 'contents patient_ids',
    why: 'it holds others too, whom an export may not show. Deleted after the patient, whose row a snapshot that is just being taken holds',
  }),
  legal_holds: kept(
    'one refuses the erasure: a row and its patient cannot both be there and be erased',
    'clinic_id patient_id reason placed_by placed_at',
    't.patient_id = $2',
    stays('one refuses the merge, and an undo'),
  ),
  erasures: kept(
    'proof that it was done, by whom and why: ids, a reason out of a fixed list, and counts',
    'id clinic_id patient_id reason state requested_by requested_at dispatched_at erased_at done_at counts',
    't.patient_id = $2',
    stays('one that is under way refuses the merge, and an undo; one that is done is of a patient who is gone'),
  ),
  tombstones: kept(
    'ids of what was erased, and keyed hashes of phones that opted out, sessions and events',
    'clinic_id kind key erasure_id workflow_id scope',
  ),
  audit_entries: kept(
    'who did what to which id: the law asks for six years (45 CFR 164.316), and the database refuses to change it',
    'id clinic_id actor action subject detail request_id address at is_read route subjects',
    `t.subject = ${own(`select $2 union all ${runIds} union all ${caseIds} union all ${callIds}`)}`,
  ),
  audit_links: kept('the chain of the audit', 'clinic_id position entry_id key_id hash sealed_at'),
  audit_requests: kept(
    'what the audit is told, for a second or so until it is there',
    'position id clinic_id actor action detail request_id address is_read route subjects at',
  ),
  audit_unsealed: kept('the chain of the audit', 'entry_id clinic_id at'),
  clinics: other(
    'the clinic itself',
    `id name timezone default_country voice_provider simulator_asked_at sandbox_enabled sandbox_seeded_at sandbox_leniency is_demo id_salt
      numbers_per_day closed_days requires_second_factor call_hold_minutes language currency usd_rate target_recovery_rate target_recoveries created_at`,
  ),
  calling_policies: other(
    'settings of the clinic',
    `clinic_id first_call_delay_seconds max_attempts seconds_between_attempts calling_hours max_concurrent_calls
      calls_per_patient_per_day calls_per_patient_per_week unknown_zone simulator_keeps_patient_hours discloses_automation
      books_in_own_calendar books_follow_ups confirms_bookings told_up_to`,
  ),
  providers: other(
    'staff of the clinic',
    'id clinic_id name display_name working_hours visit_types special_days notice_minutes is_active created_at',
  ),
  freed_times: other('times of providers', 'id clinic_id provider_id starts_at freed_at look_at'),
  ehr_times: other('times of practitioners, for minutes', 'clinic_id holder actor starts_at ends_at expires_at'),
  sandbox_clients: other('credentials of the clinic: public keys', 'id clinic_id name jwks created_at'),
  sandbox_assertions: other('credentials of the clinic, hashed', 'client_id jti_hash ends_at'),
  sandbox_tokens: other('credentials of the clinic, hashed', 'hash clinic_id client_id scopes ends_at'),
  fhir_subscriptions: other(
    'settings of the clinic',
    `clinic_id id base_url payload content patient_id provider_name heartbeat_seconds ends_at version active_since last_number
      sent_at`,
    stays('it says whom a client asked for'),
  ),
  named_sandboxes: other(
    'settings of the clinic, and a credential, hashed',
    'clinic_id parent_id name token_hash created_at',
  ),
  sandbox_clocks: other('settings of the clinic', 'clinic_id shows runs_since'),
  changes: other('ids of what has changed, for a minute', 'xid table_name clinic_id record_id'),
  duties: other('which process does what', 'name holder token expires_at done_until passed_at'),
  sign_in_counts: other('a digest of account and address', 'key sign_ins began_at'),
  receivers: other(
    'settings of the clinic, and how its receivers do',
    `id clinic_id kind is_first name url is_enabled disabled_reason events failures failing_since gone_since paused_until next_look_at last_error
      created_at updated_at removed_at`,
  ),
  api_keys: other(
    'credentials of the clinic',
    'id clinic_id name prefix hash scopes expires_at created_at last_used_at revoked_at',
  ),
  secrets: other(
    'credentials of the clinic',
    'id clinic_id kind name hash ciphertext created_at expires_at last_used_at',
  ),
  outreach_pauses: other(
    'why staff paused outreach as a whole',
    'id clinic_id workflow_type reason paused_by paused_at ends_at resumed_by resumed_at',
  ),
  retention: other('settings of the clinic', 'clinic_id kind days purged_until held_back_at'),
  bulk_jobs: other(
    'what staff had done to many records: types, times, and how far it is',
    'id clinic_id kind filter state requested_by total done skipped failed pace place_at place_id waits_for dispatched_at created_at ended_at',
  ),
  validation_runs: other(
    'what a client of the clinic was found to do well',
    'id clinic_id label started_by started_at ends_at ended_at exchanges findings',
  ),
  phone_numbers: other('lines of the clinic', 'id clinic_id number platform_id assistant_id confirmed_at created_at'),
  approved_apis: other(
    'settings of the clinic',
    'clinic_id kind base_url auth credentials headers client_certificate actions fhir capabilities statement statement_read_at updated_at',
  ),
  client_keys: other(
    'credentials of the clinic',
    'clinic_id kid algorithm public_jwk private_key created_at signs_from retires_at',
  ),
  crm_settings: other('settings of the clinic', 'clinic_id kind is_enabled url credentials updated_at'),
  voice_settings: other(
    'settings of the clinic',
    `clinic_id credentials credential_id phone_number_id assistant_id assistants transfer_to detects_voicemail
      leaves_message max_call_seconds is_recorded discloses_recording is_hipaa updated_at`,
  ),
  users: other(
    'staff of the clinic',
    'id name email email_verified image clinic_id role disabled_at ends_at created_at updated_at',
  ),
  account_links: other('of staff', 'id clinic_id kind email hash role user_id created_at expires_at'),
  task_mails: other('of staff', 'user_id clinic_id told_until'),
  month_mails: other('of staff', 'user_id clinic_id told_month refused_at'),
  alarm_notices: other('which of staff were told of an alarm', 'task_id clinic_id told told_at'),
  reads_by_day: other('of staff and keys: how many patients they were shown', 'clinic_id actor day patients'),
  saved_views: other(
    'of staff: filters, which hold ids alone',
    'id clinic_id user_id list name filters is_shared created_at',
  ),
  viewers: other(
    'which of staff looks at which record, by ids, for a minute',
    'id clinic_id session_id record_id is_editing since seen_at',
  ),
  second_factors: other('of staff', 'user_id secret confirmed_at last_step backup_codes failures failed_at'),
  passkeys: other(
    'of staff',
    'id user_id name credential_id public_key counter transports is_synced created_at used_at',
  ),
  passkey_challenges: other('of staff who sign in', 'hash user_id expires_at'),
  sessions: other(
    'of staff',
    'id user_id token expires_at ip_address user_agent proved_at created_at updated_at issuer issuer_session has_issuer_factor',
  ),
  single_sign_on: other(
    'settings of the clinic',
    `clinic_id issuer client_id client_secret role_claim role_rules default_role factor_acrs is_only_way changed_at
      updated_at`,
  ),
  single_sign_on_domains: other('settings of the clinic', 'clinic_id domain confirmed_at created_at'),
  single_sign_on_people: other('of staff', 'clinic_id issuer subject user_id created_at'),
  single_sign_on_attempts: other(
    'of staff who sign in',
    'hash clinic_id browser_hash nonce verifier session_id began_at expires_at',
  ),
  single_sign_on_logouts: other('of staff who signed out', 'clinic_id jti_hash ends_at'),
  accounts: other(
    'of staff',
    `id user_id account_id provider_id password access_token refresh_token id_token access_token_expires_at
      refresh_token_expires_at scope created_at updated_at`,
  ),
  verifications: other('of staff who sign in', 'id identifier value expires_at created_at updated_at'),
};

/** Tables with rows about a patient, in the order in which they can be deleted. */
export const tablesAboutPatients = Object.entries(patientData).flatMap(([table, { isAbout, ...about }]) =>
  isAbout === undefined ? [] : [{ table, isAbout, ...about }],
);

/** By the name of the table, what moves when two patients are merged. */
export const movedTables: Record<string, { oncePer?: string }> = Object.fromEntries(
  Object.entries(patientData).flatMap(([table, { merge }]) =>
    merge?.kind === 'moved' ? [[table, merge.oncePer === undefined ? {} : { oncePer: merge.oncePer }]] : [],
  ),
);
