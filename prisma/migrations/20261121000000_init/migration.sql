-- The whole database, in this order: tables, relations, rules, indexes, functions and triggers, views.
-- What each of the rules, functions, triggers and views is for, and what relies on it: docs/database.md.
-- The tables, relations and most indexes are those of schema.prisma; what Prisma cannot say is written by hand.

CREATE SCHEMA IF NOT EXISTS public;

-- An exclusion constraint over an id and a range needs a GiST index over both.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- ————— Tables —————

-- The tenant. Every table that belongs to a clinic carries its id.
CREATE TABLE clinics (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    timezone TEXT NOT NULL,
    default_country TEXT NOT NULL DEFAULT 'US',
    voice_provider TEXT NOT NULL DEFAULT 'simulator',
    sandbox_enabled BOOLEAN NOT NULL DEFAULT false,
    sandbox_seeded_at TIMESTAMPTZ(3),
    is_demo BOOLEAN NOT NULL DEFAULT false,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT clinics_pkey PRIMARY KEY (id)
);

-- When and how often a clinic's patients may be called.
CREATE TABLE calling_policies (
    clinic_id TEXT NOT NULL,
    first_call_delay_seconds INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL,
    seconds_between_attempts INTEGER NOT NULL,
    calling_hours JSONB NOT NULL,
    max_concurrent_calls INTEGER NOT NULL,
    calls_per_patient_per_day INTEGER,
    calls_per_patient_per_week INTEGER,
    CONSTRAINT calling_policies_pkey PRIMARY KEY (clinic_id)
);

-- Who gives appointments, with the hours in which they do.
CREATE TABLE providers (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    name TEXT NOT NULL,
    display_name TEXT NOT NULL,
    working_hours JSONB NOT NULL,
    visit_types TEXT[],
    is_active BOOLEAN NOT NULL DEFAULT true,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT providers_pkey PRIMARY KEY (id)
);

-- People, and placeholders for those of whom no more than a phone number is known.
CREATE TABLE patients (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    identifier TEXT,
    first_name TEXT NOT NULL DEFAULT '',
    last_name TEXT NOT NULL DEFAULT '',
    phone TEXT,
    email TEXT,
    birth_date TEXT,
    address TEXT,
    reason_for_visit TEXT,
    preferred_location TEXT,
    medicare_status TEXT,
    health_plan_name TEXT,
    referral_source TEXT,
    comms_consent BOOLEAN,
    is_placeholder BOOLEAN NOT NULL DEFAULT false,
    patient_type TEXT NOT NULL DEFAULT 'NEW',
    insurance JSONB,
    self_pay JSONB,
    billing_notes JSONB,
    external_id TEXT,
    crm_synced_at TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT patients_pkey PRIMARY KEY (id)
);

-- Half-hour appointments of a patient with a provider.
CREATE TABLE appointments (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    patient_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'booked',
    visit_type TEXT NOT NULL,
    starts_at TIMESTAMPTZ(3) NOT NULL,
    ends_at TIMESTAMPTZ(3) NOT NULL,
    external_id TEXT,
    cancelled_at TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT appointments_pkey PRIMARY KEY (id)
);

-- Notes of calls, written back to the sandbox EMR.
CREATE TABLE documents (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    patient_id TEXT NOT NULL,
    call_id TEXT,
    content JSONB NOT NULL,
    escalate_to_clinical_team BOOLEAN,
    request_external_records BOOLEAN,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT documents_pkey PRIMARY KEY (id)
);

-- One workflow as its REST client sees it. Written before the workflow is started.
CREATE TABLE workflow_runs (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    workflow_type TEXT NOT NULL,
    session_id TEXT NOT NULL,
    context JSONB NOT NULL DEFAULT '{}',
    patient_id TEXT,
    status TEXT NOT NULL DEFAULT 'started',
    outcome TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    started_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    dispatched_at TIMESTAMPTZ(3),
    completed_at TIMESTAMPTZ(3),
    CONSTRAINT workflow_runs_pkey PRIMARY KEY (id)
);

-- What running workflows must be sent; the relay repeats it until Temporal has taken it. Only an outbox.
CREATE TABLE workflow_messages (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    signal TEXT NOT NULL,
    payload JSONB NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    sent_at TIMESTAMPTZ(3),
    CONSTRAINT workflow_messages_pkey PRIMARY KEY (id)
);

-- What a run has in addition when it recovers an abandoned form. Only its workflow changes its status.
CREATE TABLE recovery_cases (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    patient_id TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'PENDING',
    form_id TEXT,
    form_name TEXT,
    last_page_reached INTEGER,
    total_pages INTEGER,
    completion_percentage DOUBLE PRECISION,
    abandoned_at_checkout BOOLEAN,
    abandoned_at TIMESTAMPTZ(3),
    resume_url TEXT,
    selected_products JSONB,
    barrier JSONB,
    resolution JSONB,
    form_completed_at TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ended_at TIMESTAMPTZ(3),
    CONSTRAINT recovery_cases_pkey PRIMARY KEY (id)
);

-- Our own record of each phone call. It exists before the phone rings.
CREATE TABLE calls (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    patient_id TEXT NOT NULL,
    workflow_type TEXT,
    workflow_id TEXT,
    case_id TEXT,
    direction TEXT NOT NULL,
    is_test BOOLEAN NOT NULL DEFAULT false,
    state TEXT NOT NULL DEFAULT 'QUEUED',
    phone TEXT,
    attempt INTEGER NOT NULL DEFAULT 0,
    dial INTEGER NOT NULL DEFAULT 0,
    platform_call_id TEXT,
    requested_at TIMESTAMPTZ(3),
    ended_reason TEXT,
    summary TEXT,
    said TEXT,
    analysed_at TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    started_at TIMESTAMPTZ(3),
    ended_at TIMESTAMPTZ(3),
    CONSTRAINT calls_pkey PRIMARY KEY (id)
);

-- What a voice agent asked for during a call, the reply, so that a repetition gets the same one, and what it changed:
-- outcomes are decided by these facts.
CREATE TABLE tool_calls (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    family TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments JSONB NOT NULL,
    meaning TEXT NOT NULL,
    reply TEXT,
    is_success BOOLEAN,
    fact TEXT,
    detail JSONB,
    started_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    completed_at TIMESTAMPTZ(3),
    CONSTRAINT tool_calls_pkey PRIMARY KEY (id)
);

-- What a platform sent, stored before it is answered.
CREATE TABLE inbound_events (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    event TEXT NOT NULL,
    dedupe_key TEXT NOT NULL,
    payload JSONB NOT NULL,
    workflow_id TEXT,
    received_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT inbound_events_pkey PRIMARY KEY (id)
);

-- What clinics are told, written in the transaction that makes it true.
CREATE TABLE outbound_events (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    event TEXT NOT NULL,
    subject TEXT NOT NULL,
    sequence BIGSERIAL NOT NULL,
    data JSONB NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT outbound_events_pkey PRIMARY KEY (id)
);

-- An outgoing event on its way to the clinic's URL.
CREATE TABLE deliveries (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'PENDING',
    tries INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ(3),
    leased_until TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    delivered_at TIMESTAMPTZ(3),
    CONSTRAINT deliveries_pkey PRIMARY KEY (id)
);

-- Each try of a delivery and what came of it.
CREATE TABLE delivery_attempts (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    delivery_id TEXT NOT NULL,
    url TEXT NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    status INTEGER,
    error TEXT,
    duration_ms INTEGER NOT NULL,
    response TEXT,
    CONSTRAINT delivery_attempts_pkey PRIMARY KEY (id)
);

-- Where a clinic wants its events sent, and which.
CREATE TABLE outbound_endpoints (
    clinic_id TEXT NOT NULL,
    url TEXT,
    is_enabled BOOLEAN NOT NULL DEFAULT true,
    disabled_reason TEXT,
    events TEXT[],
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT outbound_endpoints_pkey PRIMARY KEY (clinic_id)
);

-- API keys, as digests.
CREATE TABLE api_keys (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_used_at TIMESTAMPTZ(3),
    revoked_at TIMESTAMPTZ(3),
    CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);

-- Secrets of inbound URLs (as digests) and for signing outgoing events (encrypted).
CREATE TABLE secrets (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '',
    hash TEXT,
    ciphertext TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMPTZ(3),
    last_used_at TIMESTAMPTZ(3),
    CONSTRAINT secrets_pkey PRIMARY KEY (id)
);

-- Phones that are never called.
CREATE TABLE opt_outs (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    phone TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT opt_outs_pkey PRIMARY KEY (id)
);

-- Numbers that patients can call, and the clinic that each belongs to.
CREATE TABLE phone_numbers (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    number TEXT NOT NULL,
    platform_id TEXT,
    assistant_id TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT phone_numbers_pkey PRIMARY KEY (id)
);

-- A clinic's own API and what the service may do there.
CREATE TABLE approved_apis (
    clinic_id TEXT NOT NULL,
    base_url TEXT NOT NULL,
    auth TEXT NOT NULL,
    credentials TEXT NOT NULL,
    actions JSONB NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT approved_apis_pkey PRIMARY KEY (clinic_id)
);

-- A clinic's CRM.
CREATE TABLE crm_settings (
    clinic_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    is_enabled BOOLEAN NOT NULL DEFAULT true,
    url TEXT,
    credentials TEXT NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT crm_settings_pkey PRIMARY KEY (clinic_id)
);

-- What a person must do, and why.
CREATE TABLE staff_tasks (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'OPEN',
    assignee_id TEXT,
    patient_id TEXT,
    call_id TEXT,
    case_id TEXT,
    workflow_id TEXT,
    detail JSONB NOT NULL DEFAULT '{}',
    cause TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    resolved_at TIMESTAMPTZ(3),
    CONSTRAINT staff_tasks_pkey PRIMARY KEY (id)
);

-- Patients that the caller of a call may be; staff decide.
CREATE TABLE identity_matches (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    patient_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    matched_on TEXT[],
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT identity_matches_pkey PRIMARY KEY (id)
);

-- Who changed what, without secrets or patient data.
CREATE TABLE audit_entries (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT,
    detail JSONB NOT NULL DEFAULT '{}',
    request_id TEXT,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT audit_entries_pkey PRIMARY KEY (id)
);

-- Replies to requests that carried an Idempotency-Key.
CREATE TABLE idempotency_records (
    clinic_id TEXT NOT NULL,
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    status INTEGER,
    body TEXT,
    content_type TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT idempotency_records_pkey PRIMARY KEY (clinic_id,route,key)
);

-- People who sign in. This table and the three below have the shape that better-auth expects.
CREATE TABLE users (
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_verified BOOLEAN NOT NULL DEFAULT false,
    image TEXT,
    clinic_id TEXT,
    role TEXT NOT NULL DEFAULT 'staff',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT users_pkey PRIMARY KEY (id)
);

-- Who is signed in.
CREATE TABLE sessions (
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    token TEXT NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    ip_address TEXT,
    user_agent TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT sessions_pkey PRIMARY KEY (id)
);

-- Password hashes.
CREATE TABLE accounts (
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    password TEXT,
    access_token TEXT,
    refresh_token TEXT,
    id_token TEXT,
    access_token_expires_at TIMESTAMPTZ(3),
    refresh_token_expires_at TIMESTAMPTZ(3),
    scope TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT accounts_pkey PRIMARY KEY (id)
);

-- Required by better-auth; unused.
CREATE TABLE verifications (
    id TEXT NOT NULL,
    identifier TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT verifications_pkey PRIMARY KEY (id)
);

-- ————— Relations —————

-- A relation between rows of a clinic goes through (clinic_id, id), so that no row can point into another clinic; the
-- unique constraints that it needs are below. Whatever belongs to a clinic is deleted with it. A patient, a run and a case
-- cannot be deleted alone while something tells of them.

CREATE UNIQUE INDEX providers_clinic_id_id_key ON providers (clinic_id, id);
CREATE UNIQUE INDEX patients_clinic_id_id_key ON patients (clinic_id, id);
CREATE UNIQUE INDEX appointments_clinic_id_id_key ON appointments (clinic_id, id);
CREATE UNIQUE INDEX documents_clinic_id_id_key ON documents (clinic_id, id);
CREATE UNIQUE INDEX workflow_runs_clinic_id_id_key ON workflow_runs (clinic_id, id);
CREATE UNIQUE INDEX recovery_cases_clinic_id_id_key ON recovery_cases (clinic_id, id);
CREATE UNIQUE INDEX calls_clinic_id_id_key ON calls (clinic_id, id);
CREATE UNIQUE INDEX outbound_events_clinic_id_id_key ON outbound_events (clinic_id, id);
CREATE UNIQUE INDEX deliveries_clinic_id_id_key ON deliveries (clinic_id, id);
CREATE UNIQUE INDEX api_keys_clinic_id_id_key ON api_keys (clinic_id, id);
CREATE UNIQUE INDEX staff_tasks_clinic_id_id_key ON staff_tasks (clinic_id, id);

ALTER TABLE calling_policies
    ADD CONSTRAINT calling_policies_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE providers
    ADD CONSTRAINT providers_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE patients
    ADD CONSTRAINT patients_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE appointments
    ADD CONSTRAINT appointments_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT appointments_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT appointments_clinic_id_provider_id_fkey FOREIGN KEY (clinic_id, provider_id)
        REFERENCES providers (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE documents
    ADD CONSTRAINT documents_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT documents_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE workflow_runs
    ADD CONSTRAINT workflow_runs_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT workflow_runs_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE workflow_messages
    ADD CONSTRAINT workflow_messages_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT workflow_messages_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE recovery_cases
    ADD CONSTRAINT recovery_cases_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT recovery_cases_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE,
    ADD CONSTRAINT recovery_cases_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE calls
    ADD CONSTRAINT calls_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT calls_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE,
    ADD CONSTRAINT calls_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE,
    ADD CONSTRAINT calls_clinic_id_case_id_fkey FOREIGN KEY (clinic_id, case_id)
        REFERENCES recovery_cases (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE tool_calls
    ADD CONSTRAINT tool_calls_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT tool_calls_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE inbound_events
    ADD CONSTRAINT inbound_events_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE outbound_events
    ADD CONSTRAINT outbound_events_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE deliveries
    ADD CONSTRAINT deliveries_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT deliveries_clinic_id_event_id_fkey FOREIGN KEY (clinic_id, event_id)
        REFERENCES outbound_events (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE delivery_attempts
    ADD CONSTRAINT delivery_attempts_clinic_id_delivery_id_fkey FOREIGN KEY (clinic_id, delivery_id)
        REFERENCES deliveries (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE outbound_endpoints
    ADD CONSTRAINT outbound_endpoints_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE api_keys
    ADD CONSTRAINT api_keys_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE secrets
    ADD CONSTRAINT secrets_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE opt_outs
    ADD CONSTRAINT opt_outs_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE phone_numbers
    ADD CONSTRAINT phone_numbers_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE approved_apis
    ADD CONSTRAINT approved_apis_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE crm_settings
    ADD CONSTRAINT crm_settings_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE staff_tasks
    ADD CONSTRAINT staff_tasks_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT staff_tasks_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE identity_matches
    ADD CONSTRAINT identity_matches_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT identity_matches_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE audit_entries
    ADD CONSTRAINT audit_entries_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE idempotency_records
    ADD CONSTRAINT idempotency_records_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE users
    ADD CONSTRAINT users_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id)
        REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE accounts
    ADD CONSTRAINT accounts_user_id_fkey FOREIGN KEY (user_id)
        REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE;

-- ————— Rules —————

-- Of two bookers of overlapping times of one provider one wins. Not deferrable, so that the other learns it at once.
ALTER TABLE appointments
    ADD CONSTRAINT appointments_never_overlap
    EXCLUDE USING gist (provider_id WITH =, tstzrange(starts_at, ends_at) WITH &&) WHERE (status = 'booked');

-- Appointments are as long as the slots that are offered.
ALTER TABLE appointments ADD CONSTRAINT appointments_length CHECK (ends_at = starts_at + interval '30 minutes');

-- The states that a row can be in, and its kind. Words that get new ones with a workflow, such as its type and the reasons
-- of tasks, are kept by the program alone, so that they need no migration.
ALTER TABLE appointments ADD CONSTRAINT appointments_status CHECK (status IN ('booked', 'cancelled', 'fulfilled'));
ALTER TABLE workflow_runs ADD CONSTRAINT workflow_runs_status
    CHECK (status IN ('started', 'completed', 'failed', 'cancelled'));
ALTER TABLE recovery_cases ADD CONSTRAINT recovery_cases_status CHECK (status IN (
    'PENDING', 'CALLING', 'RECOVERED', 'FOLLOW_UP_REQUIRED', 'PRICING_ESCALATION', 'CLINICAL_ESCALATION',
    'PATIENT_NOT_INTERESTED', 'PATIENT_NOT_REACHED', 'ALREADY_COMPLETED'));
ALTER TABLE patients ADD CONSTRAINT patients_patient_type CHECK (patient_type IN ('NEW', 'EXISTING'));
ALTER TABLE calls ADD CONSTRAINT calls_direction CHECK (direction IN ('inbound', 'outbound'));
ALTER TABLE calls ADD CONSTRAINT calls_state CHECK (state IN ('QUEUED', 'RINGING', 'IN_PROGRESS', 'ENDED'));
ALTER TABLE deliveries ADD CONSTRAINT deliveries_state CHECK (state IN ('PENDING', 'DELIVERED', 'DEAD'));
ALTER TABLE staff_tasks ADD CONSTRAINT staff_tasks_state CHECK (state IN ('OPEN', 'RESOLVED'));

-- ————— What exists only once —————

-- An event that is sent again, and a session or event that would start a second run or case, changes nothing.
CREATE UNIQUE INDEX inbound_events_clinic_id_event_dedupe_key_key ON inbound_events (clinic_id, event, dedupe_key);
CREATE UNIQUE INDEX workflow_runs_clinic_id_workflow_type_session_id_key ON workflow_runs (clinic_id, workflow_type, session_id);
CREATE UNIQUE INDEX recovery_cases_clinic_id_session_id_key ON recovery_cases (clinic_id, session_id);
CREATE UNIQUE INDEX recovery_cases_clinic_id_workflow_id_key ON recovery_cases (clinic_id, workflow_id);

-- A clinic is told once that a case was opened, and once of each outcome.
CREATE UNIQUE INDEX outbound_events_once_per_case ON outbound_events (clinic_id, subject, event)
    WHERE event IN ('recovery_case.created', 'recovery_case.outcome', 'workflow.completed');
CREATE UNIQUE INDEX deliveries_clinic_id_event_id_key ON deliveries (clinic_id, event_id);

-- A workflow makes each of its dials once, and a phone never has two calls of ours at the same time.
CREATE UNIQUE INDEX calls_one_per_dial ON calls (workflow_id, dial) WHERE workflow_id IS NOT NULL AND NOT is_test;
CREATE UNIQUE INDEX calls_one_ringing_per_phone ON calls (clinic_id, phone)
    WHERE direction = 'outbound' AND NOT is_test AND state <> 'ENDED';
CREATE UNIQUE INDEX calls_platform_call_id_key ON calls (platform_call_id);

-- A tool call that is repeated finds its reply, and a cause for a task finds the task that it had.
CREATE UNIQUE INDEX tool_calls_call_id_tool_call_id_key ON tool_calls (call_id, tool_call_id);
CREATE UNIQUE INDEX staff_tasks_clinic_id_cause_key ON staff_tasks (clinic_id, cause);
CREATE UNIQUE INDEX identity_matches_call_id_patient_id_key ON identity_matches (call_id, patient_id);

-- Names by which a clinic, a platform or a person refers to a row. A number belongs to one clinic only.
CREATE UNIQUE INDEX providers_clinic_id_name_key ON providers (clinic_id, name);
CREATE UNIQUE INDEX patients_clinic_id_identifier_key ON patients (clinic_id, identifier);
CREATE UNIQUE INDEX appointments_clinic_id_external_id_key ON appointments (clinic_id, external_id);
CREATE UNIQUE INDEX opt_outs_clinic_id_phone_key ON opt_outs (clinic_id, phone);
CREATE UNIQUE INDEX phone_numbers_number_key ON phone_numbers (number);
CREATE UNIQUE INDEX phone_numbers_platform_id_key ON phone_numbers (platform_id);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE UNIQUE INDEX users_email_key ON users (email);
CREATE UNIQUE INDEX sessions_token_key ON sessions (token);

-- ————— Indexes —————

-- For lists, each in its order, and for look-ups by a relation.
CREATE INDEX patients_clinic_id_phone_idx ON patients (clinic_id, phone);
CREATE INDEX patients_clinic_id_created_at_id_idx ON patients (clinic_id, created_at, id);
CREATE INDEX patients_clinic_id_external_id_idx ON patients (clinic_id, external_id);
CREATE INDEX appointments_clinic_id_patient_id_starts_at_idx ON appointments (clinic_id, patient_id, starts_at);
CREATE INDEX appointments_clinic_id_starts_at_id_idx ON appointments (clinic_id, starts_at, id);
CREATE INDEX documents_clinic_id_patient_id_created_at_idx ON documents (clinic_id, patient_id, created_at);
CREATE INDEX workflow_runs_clinic_id_started_at_id_idx ON workflow_runs (clinic_id, started_at, id);
CREATE INDEX workflow_messages_clinic_id_workflow_id_idx ON workflow_messages (clinic_id, workflow_id);
CREATE INDEX recovery_cases_clinic_id_created_at_id_idx ON recovery_cases (clinic_id, created_at, id);
CREATE INDEX calls_clinic_id_created_at_id_idx ON calls (clinic_id, created_at, id);
CREATE INDEX calls_clinic_id_patient_id_created_at_idx ON calls (clinic_id, patient_id, created_at);
CREATE INDEX calls_clinic_id_phone_requested_at_idx ON calls (clinic_id, phone, requested_at);
CREATE INDEX tool_calls_call_id_meaning_started_at_idx ON tool_calls (call_id, meaning, started_at);
CREATE INDEX inbound_events_clinic_id_received_at_id_idx ON inbound_events (clinic_id, received_at, id);
CREATE INDEX outbound_events_clinic_id_subject_sequence_idx ON outbound_events (clinic_id, subject, sequence);
CREATE INDEX deliveries_clinic_id_created_at_id_idx ON deliveries (clinic_id, created_at, id);
CREATE INDEX delivery_attempts_clinic_id_delivery_id_at_idx ON delivery_attempts (clinic_id, delivery_id, at);
CREATE INDEX secrets_clinic_id_kind_name_idx ON secrets (clinic_id, kind, name);
CREATE INDEX staff_tasks_clinic_id_state_created_at_id_idx ON staff_tasks (clinic_id, state, created_at, id);
CREATE INDEX audit_entries_clinic_id_at_id_idx ON audit_entries (clinic_id, at, id);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);
CREATE INDEX accounts_user_id_idx ON accounts (user_id);
CREATE INDEX recovery_cases_by_status ON recovery_cases (clinic_id, status, created_at DESC, id DESC);

-- For work that is waiting: what was not yet started, sent or delivered, and what has become past.
CREATE INDEX workflow_runs_undispatched ON workflow_runs (started_at) WHERE dispatched_at IS NULL;
CREATE INDEX workflow_messages_unsent ON workflow_messages (created_at) WHERE sent_at IS NULL;
CREATE INDEX deliveries_pending ON deliveries (next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX appointments_booked ON appointments (ends_at) WHERE status = 'booked';

-- For the count of lines in use, and for the count of undelivered events on the overview.
CREATE INDEX calls_live ON calls (clinic_id) WHERE state <> 'ENDED' AND NOT is_test;
CREATE INDEX deliveries_dead ON deliveries (clinic_id) WHERE state = 'DEAD';

-- For a patient's next appointment.
CREATE INDEX appointments_upcoming ON appointments (clinic_id, patient_id, starts_at) WHERE status = 'booked';

-- For a search for open slots: a provider's booked times, in order, from the index alone.
CREATE INDEX appointments_booked_times ON appointments (provider_id, starts_at) WHERE status = 'booked';

-- For a caller who is looked up by name alone.
CREATE INDEX patients_by_name ON patients (clinic_id, lower(first_name || ' ' || last_name));

-- ————— Functions and triggers —————

-- A recovery case that has ended keeps its outcome.
CREATE FUNCTION recovery_case_stays_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status NOT IN ('PENDING', 'CALLING') AND NEW.status IS DISTINCT FROM OLD.status THEN
    RAISE EXCEPTION 'recovery case % has ended as %', OLD.id, OLD.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER recovery_case_stays_ended BEFORE UPDATE OF status ON recovery_cases
  FOR EACH ROW EXECUTE FUNCTION recovery_case_stays_ended();

-- An outgoing event gets a delivery, with the event's id, if the clinic has a URL that wants such events.
CREATE FUNCTION create_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (id, clinic_id, event_id, next_attempt_at)
  SELECT NEW.id, NEW.clinic_id, NEW.id, now()
  FROM outbound_endpoints
  WHERE clinic_id = NEW.clinic_id AND is_enabled AND url IS NOT NULL AND (NEW.event = ANY (events) OR NEW.event = 'test');
  RETURN NULL;
END $$;
CREATE TRIGGER create_delivery AFTER INSERT ON outbound_events FOR EACH ROW EXECUTE FUNCTION create_delivery();

-- Tells every process that listens on the channel `changes` that a row has changed: its table and ids, nothing else.
CREATE FUNCTION notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb := to_jsonb(COALESCE(NEW, OLD));
BEGIN
  PERFORM pg_notify('changes', json_build_object(
    'table', TG_TABLE_NAME, 'clinicId', changed ->> 'clinic_id', 'id', changed ->> 'id')::text);
  RETURN NULL;
END $$;

-- For requests that wait for an outcome, and for the dashboard's stream. Settings are heard of by their audit entries.
CREATE TRIGGER notify_change AFTER UPDATE ON workflow_runs FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON recovery_cases FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON tool_calls FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON staff_tasks FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON appointments FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON patients FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION notify_change();

-- For what processes remember of keys, secrets, sessions, accounts, clinics and providers.
CREATE TRIGGER notify_change AFTER UPDATE OR DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON secrets FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON clinics FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON providers FOR EACH ROW EXECUTE FUNCTION notify_change();

-- Held until the transaction ends by whoever opens the case of a session or stores that its form was completed.
CREATE FUNCTION lock_form(of_clinic text, of_session text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(of_clinic || ' ' || of_session, 3))
$$;

-- When the form of a session was completed, for a case that is being opened. A form may be completed at the same moment:
-- the lock makes the two take turns, and a function sees what was committed while it waited, where the statement that
-- calls it would not. So either the case opens with the event, or the event finds the case.
CREATE FUNCTION form_completed_at(of_clinic text, of_session text) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM lock_form(of_clinic, of_session);
  RETURN (
    SELECT received_at FROM inbound_events
    WHERE clinic_id = of_clinic AND event = 'forms.completed' AND dedupe_key = of_session);
END $$;

-- Takes a writing tool call for execution once: by its id, and by its meaning where the same was asked under another id a
-- moment ago. The claims of one call take turns. It is a function so that this takes one round trip, and so that each of
-- its queries sees what the claim before has written.
--   claimed: the caller runs it; since: when an earlier try began that nobody finished
--   answered: reply is the earlier reply
--   running: another process is running it
CREATE FUNCTION claim_tool_call(
  new_id text, of_clinic text, of_call text, under_id text, of_family text, of_tool text, given jsonb, means text,
  rivals text[], abandoned_after interval, same_within interval
) RETURNS TABLE (kind text, id text, since timestamptz, reply text) LANGUAGE plpgsql AS $$
DECLARE
  own tool_calls;
  twin tool_calls;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_call, 5));

  SELECT * INTO own FROM tool_calls t WHERE t.call_id = of_call AND t.tool_call_id = under_id;
  IF own.reply IS NOT NULL THEN
    RETURN QUERY SELECT 'answered', own.id, NULL::timestamptz, own.reply;
    RETURN;
  END IF;
  IF own.started_at >= now() - abandoned_after THEN
    RETURN QUERY SELECT 'running', own.id, NULL::timestamptz, NULL::text;
    RETURN;
  END IF;

  -- The latest that means the same and has not failed, unless something else was changed since.
  SELECT * INTO twin FROM tool_calls t
  WHERE t.call_id = of_call AND t.meaning = means AND t.tool_call_id <> under_id
    AND t.started_at > now() - same_within AND t.is_success IS DISTINCT FROM false
    AND NOT EXISTS (
      SELECT 1 FROM tool_calls later
      WHERE later.call_id = of_call AND later.tool = ANY (rivals) AND later.meaning <> means
        AND later.is_success AND later.started_at > t.started_at)
  ORDER BY t.started_at DESC LIMIT 1;
  IF twin.reply IS NULL AND twin.started_at >= now() - abandoned_after THEN
    RETURN QUERY SELECT 'running', twin.id, NULL::timestamptz, NULL::text;
    RETURN;
  END IF;

  -- With a twin's reply the second id gets a row of its own, so that its own repetition always gets that reply.
  RETURN QUERY
  INSERT INTO tool_calls AS t (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success, completed_at)
  VALUES (new_id, of_clinic, of_call, under_id, of_family, of_tool, given, means, twin.reply,
    CASE WHEN twin.reply IS NOT NULL THEN true END, CASE WHEN twin.reply IS NOT NULL THEN now() END)
  ON CONFLICT (call_id, tool_call_id) DO UPDATE SET started_at = now(), reply = excluded.reply,
    is_success = excluded.is_success, completed_at = excluded.completed_at
  RETURNING CASE WHEN t.reply IS NULL THEN 'claimed' ELSE 'answered' END, t.id,
    COALESCE(own.started_at, CASE WHEN twin.reply IS NULL THEN twin.started_at END), t.reply;
END $$;

-- ————— Views —————

-- What decides whether and when a patient may be called, whatever the call is about.
CREATE VIEW calling_facts AS
SELECT p.clinic_id, p.id AS patient_id, p.phone, c.timezone AS clinic_zone,
  EXISTS (SELECT 1 FROM opt_outs o WHERE o.clinic_id = p.clinic_id AND o.phone = p.phone) AS is_opted_out,
  json_build_object(
    'firstCallDelaySeconds', rp.first_call_delay_seconds, 'maxAttempts', rp.max_attempts,
    'secondsBetweenAttempts', rp.seconds_between_attempts, 'callingHours', rp.calling_hours,
    'maxConcurrentCalls', rp.max_concurrent_calls, 'callsPerPatientPerDay', rp.calls_per_patient_per_day,
    'callsPerPatientPerWeek', rp.calls_per_patient_per_week) AS policy,
  COALESCE((
    SELECT json_agg(to_char(k.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM calls k
    WHERE k.clinic_id = p.clinic_id AND k.phone = p.phone AND k.platform_call_id IS NOT NULL AND NOT k.is_test
      AND k.requested_at > now() - interval '7 days'), '[]'::json) AS previous_calls_at
FROM patients p
JOIN clinics c ON c.id = p.clinic_id
JOIN calling_policies rp ON rp.clinic_id = p.clinic_id;
