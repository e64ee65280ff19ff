-- The whole database, area by area; in each its tables with their indexes, then its functions, triggers and views.
-- What each rule, function, trigger and view is for, and what relies on it: docs/database.md.
-- schema.prisma says the same as far as Prisma can; exclusion constraints, partial indexes and checks stand here alone.

-- A relation between rows of a clinic goes through (clinic_id, id), so that no row can point into another clinic. What belongs
-- to a clinic is deleted with it. A patient, a run and a case cannot be deleted alone while something tells of them.

-- The states and kinds of rows are checked. Words that get new ones with a workflow, such as its type and the reasons of tasks,
-- are kept by the program alone, so that they need no migration. An index without a word is for a list, in its order, or for
-- look-ups by a relation.

CREATE SCHEMA IF NOT EXISTS public;

-- An exclusion constraint over an id and a range needs a GiST index over both; searches need the others. All are trusted:
-- the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS btree_gin;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- ————— Change feed —————
-- What has changed, as rows that every API reads after they are committed, in place of a notification in each writer's
-- commit: notifying transactions commit one after the other, all over the server.

-- Kept for a minute. Unlogged: after a crash it is empty, and anyone who reads it notices by `xid` 0.
CREATE UNLOGGED TABLE changes (
    -- The transaction that wrote the row. 0: the row whose record_id names this filling of the table.
    xid xid8 NOT NULL,
    table_name text NOT NULL,
    clinic_id text,
    record_id text
) WITH (
    -- As many rows go as come.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0
);

CREATE INDEX changes_xid_idx ON changes (xid);

-- Notes table and ids of a changed row. One writer at a time also rings: those who commit meanwhile are found by anyone who
-- the bell has woken, or looks some moments later. An argument says that the table has no clinic_id, or no id: then it is its patient's.
-- For each statement, where one may write thousands of rows, it notes one change of each clinic, with the id of a row that is alone.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb;
BEGIN
  IF TG_LEVEL = 'STATEMENT' THEN
    INSERT INTO changes (xid, table_name, clinic_id, record_id)
    SELECT pg_current_xact_id(), TG_TABLE_NAME, clinic_id, CASE WHEN count(*) = 1 THEN min(id) ELSE '*' END
    FROM changed_rows GROUP BY clinic_id;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  ELSIF TG_NARGS = 0 THEN
    INSERT INTO changes (xid, table_name, clinic_id, record_id)
    VALUES (pg_current_xact_id(), TG_TABLE_NAME, COALESCE(NEW.clinic_id, OLD.clinic_id), COALESCE(NEW.id, OLD.id));
  ELSE
    changed := to_jsonb(COALESCE(NEW, OLD));
    INSERT INTO changes (xid, table_name, clinic_id, record_id)
    VALUES (pg_current_xact_id(), TG_TABLE_NAME, changed ->> 'clinic_id', COALESCE(changed ->> 'id', changed ->> 'patient_id'));
  END IF;
  IF pg_try_advisory_xact_lock(hashtextextended('changes', 0)) THEN
    PERFORM pg_notify('changes', '');
  END IF;
  RETURN NULL;
END $$;

-- What was committed since `seen`, a snapshot that an earlier call returned: rows of transactions that had not begun then,
-- and of those that were under way. Transactions do not commit in the order of their ids. At most 2,001 rows.
CREATE FUNCTION changes_since(seen pg_snapshot) RETURNS TABLE (snapshot text, at timestamptz, filling text, changed json)
  LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT pg_current_snapshot()::text, statement_timestamp(),
    (SELECT min(record_id) FROM changes WHERE xid = '0'),
    (
      SELECT COALESCE(json_agg(json_build_object('table', table_name, 'clinicId', clinic_id, 'id', record_id)), '[]')
      FROM (
        SELECT table_name, clinic_id, record_id FROM changes WHERE xid >= pg_snapshot_xmax(seen)
        UNION ALL
        SELECT table_name, clinic_id, record_id FROM changes WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(seen)))
        LIMIT 2001
      ) noted
    );
END $$;

-- ————— Accounts —————
-- Clinics, the people and programs that act for them, and their secrets.

-- The tenant. Every table that belongs to a clinic carries its id.
CREATE TABLE clinics (
    id text PRIMARY KEY,
    name text NOT NULL,
    timezone text NOT NULL,
    default_country text NOT NULL DEFAULT 'US',
    voice_provider text NOT NULL DEFAULT 'vapi',
    -- The simulator plays the patients of a clinic that is no demo only where an operator asked for it by name.
    simulator_asked_at timestamptz(3),
    sandbox_enabled boolean NOT NULL DEFAULT false,
    sandbox_seeded_at timestamptz(3),
    -- How lenient a clinic's sandbox is (shared/domain/sandbox/leniency.ts): only what is not as it begins is kept.
    sandbox_leniency jsonb NOT NULL DEFAULT '{}',
    is_demo boolean NOT NULL DEFAULT false,
    -- Days on which the whole clinic is closed, with what they are called: { "2026-12-25": "Christmas Day" }.
    closed_days jsonb NOT NULL DEFAULT '{}',
    -- What the ids of a clinic's runs and cases are derived with. A session id may hold an e-mail or a phone, which could
    -- be guessed from an id that is derived from it alone.
    id_salt text NOT NULL DEFAULT gen_random_uuid()::text,
    -- How many different numbers a clinic may call on a day of its calendar: the operator's limit, against lists that were
    -- imported by mistake and keys that were stolen.
    numbers_per_day integer NOT NULL DEFAULT 2000,
    -- A clinic may require a second factor of everybody who signs in for it.
    requires_second_factor boolean NOT NULL DEFAULT false,
    -- For how many minutes the agent of a live call may keep a time for a caller who thinks it over; 0: not at all.
    call_hold_minutes integer NOT NULL DEFAULT 0,
    -- The language of a clinic's dashboard, where a person has not chosen another one in their browser.
    language text NOT NULL DEFAULT 'en',
    -- Of the prices in its forms, as USD; null: that of its country. And what a US dollar costs in it, for calls are billed in dollars.
    currency text,
    usd_rate double precision,
    -- What it wants to reach: a share of the cases that are decided, and recoveries in a calendar month.
    target_recovery_rate double precision,
    target_recoveries integer,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT clinics_call_hold_minutes CHECK (call_hold_minutes BETWEEN 0 AND 15),
    CONSTRAINT clinics_currency CHECK (currency ~ '^[A-Z]{3}$'),
    CONSTRAINT clinics_language CHECK (language IN ('en', 'es')),
    CONSTRAINT clinics_numbers_per_day_check CHECK (numbers_per_day >= 0),
    -- What a sandbox does to records, it never does to those of real patients.
    CONSTRAINT clinics_sandbox_without_patients CHECK (NOT sandbox_enabled OR is_demo OR voice_provider = 'simulator'),
    CONSTRAINT clinics_simulator_by_name CHECK (voice_provider <> 'simulator' OR is_demo OR simulator_asked_at IS NOT NULL),
    CONSTRAINT clinics_voice_provider CHECK (voice_provider IN ('simulator', 'vapi'))
);

-- People who sign in. This table and the three below have the shape that better-auth expects.
CREATE TABLE users (
    id text PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    email_verified boolean NOT NULL DEFAULT false,
    image text,
    clinic_id text REFERENCES clinics (id) ON DELETE SET NULL ON UPDATE CASCADE,
    role text NOT NULL DEFAULT 'staff',
    disabled_at timestamptz(3),
    ends_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT users_operator_of_no_clinic CHECK (role <> 'operator' OR clinic_id IS NULL)
);

CREATE UNIQUE INDEX users_email_key ON users (email);
CREATE INDEX users_clinic_id_idx ON users (clinic_id);

-- Who is signed in.
CREATE TABLE sessions (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    token text NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    ip_address text,
    user_agent text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    proved_at timestamptz(3) NOT NULL DEFAULT now(),
    -- Of a session that single sign-on opened: who vouched for the person, the identity provider's own session, and whether it
    -- said that a second factor was used.
    issuer text,
    issuer_session text,
    has_issuer_factor boolean NOT NULL DEFAULT false
);

CREATE UNIQUE INDEX sessions_token_key ON sessions (token);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);

-- Password hashes.
CREATE TABLE accounts (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id text NOT NULL,
    provider_id text NOT NULL,
    password text,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamptz(3),
    refresh_token_expires_at timestamptz(3),
    scope text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX accounts_user_id_idx ON accounts (user_id);

-- Required by better-auth; unused.
CREATE TABLE verifications (
    id text PRIMARY KEY,
    identifier text NOT NULL,
    value text NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- A link by which a person sets a password, once: an invitation, or a reset for an account that exists. Deleted when it is
-- used.
CREATE TABLE account_links (
    id text PRIMARY KEY,
    -- Null for an operator.
    clinic_id text REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kind text NOT NULL,
    email text NOT NULL,
    -- Of the link's token.
    hash text NOT NULL,
    -- What the invited person will be.
    role text,
    -- Whose password is set by a reset.
    user_id text REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT account_links_kind CHECK (kind = 'invitation' AND role IS NOT NULL AND user_id IS NULL OR kind = 'reset' AND role IS NULL AND user_id IS NOT NULL),
    CONSTRAINT account_links_operator_of_no_clinic CHECK (kind = 'reset' OR (role = 'operator') = (clinic_id IS NULL))
);

CREATE UNIQUE INDEX account_links_hash_key ON account_links (hash);
CREATE UNIQUE INDEX account_links_one_per_person ON account_links (clinic_id, kind, email) NULLS NOT DISTINCT;
CREATE INDEX account_links_user_id_idx ON account_links (user_id);

-- The second factor of an account: it counts once the person has proved that their authenticator has it.
CREATE TABLE second_factors (
    user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- Encrypted.
    secret text NOT NULL,
    confirmed_at timestamptz(3),
    -- The half minute of the code that was used last: no code is taken twice.
    last_step bigint NOT NULL DEFAULT 0,
    -- Hashes of those that are left.
    backup_codes text[] NOT NULL DEFAULT '{}',
    -- Wrong codes since the last right one.
    failures integer NOT NULL DEFAULT 0,
    failed_at timestamptz(3)
);

-- The public half of a passkey (WebAuthn), by which an account signs in without its password.
CREATE TABLE passkeys (
    id text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- What the person calls it.
    name text NOT NULL,
    -- As the authenticator made it, base64url.
    credential_id text NOT NULL,
    -- COSE, base64url.
    public_key text NOT NULL,
    -- How often the authenticator says that it was used; those that are kept on several devices always say 0.
    counter bigint NOT NULL,
    transports text[] NOT NULL DEFAULT '{}',
    -- Whether it is kept on several devices of the person.
    is_synced boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    used_at timestamptz(3)
);

CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id);
CREATE INDEX passkeys_user_id_idx ON passkeys (user_id);

-- What an authenticator has to sign. Deleted when it is used, whatever comes of it.
CREATE TABLE passkey_challenges (
    -- Of the challenge.
    hash text PRIMARY KEY,
    -- Who registers a passkey; null for anyone who signs in.
    user_id text REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    expires_at timestamptz(3) NOT NULL
);

CREATE INDEX passkey_challenges_user_id_idx ON passkey_challenges (user_id);
CREATE INDEX passkey_challenges_expires_at_idx ON passkey_challenges (expires_at);

-- The identity provider by which a clinic's people sign in (OpenID Connect).
CREATE TABLE single_sign_on (
    clinic_id text PRIMARY KEY REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    issuer text NOT NULL,
    client_id text NOT NULL,
    -- Encrypted; null for a client without one.
    client_secret text,
    -- The claim that says somebody's role; null: the dashboard says it.
    role_claim text,
    -- [{ "value": …, "role": … }]: the first that matches counts.
    role_rules jsonb NOT NULL,
    -- Of whom no rule matches; null: they are refused.
    default_role text,
    -- Values of the acr claim that say that a second factor was used.
    factor_acrs text[] NOT NULL DEFAULT '{}',
    -- Whether nobody signs in otherwise, save emergency access.
    is_only_way boolean NOT NULL DEFAULT false,
    -- When something was changed that decides whether anybody gets in.
    changed_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Domains of e-mail addresses whose people sign in so.
CREATE TABLE single_sign_on_domains (
    clinic_id text NOT NULL REFERENCES single_sign_on (clinic_id) ON DELETE CASCADE ON UPDATE CASCADE,
    domain text NOT NULL,
    -- When the operator confirmed that the domain is this clinic's; it counts from then on.
    confirmed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT single_sign_on_domains_pkey PRIMARY KEY (clinic_id, domain)
);

-- A domain belongs to one clinic only, once the operator has confirmed whose it is; until then anybody can enter it.
CREATE UNIQUE INDEX single_sign_on_domains_held ON single_sign_on_domains (domain) WHERE confirmed_at IS NOT NULL;

-- Whose account an identity provider's person has.
CREATE TABLE single_sign_on_people (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT single_sign_on_people_pkey PRIMARY KEY (clinic_id, issuer, subject)
);

-- A person has one account at an issuer: who gets the address of another later is not taken for them.
CREATE UNIQUE INDEX single_sign_on_people_user_id_issuer_key ON single_sign_on_people (user_id, issuer);

-- Somebody is on their way to the identity provider and back. Deleted when they return, whatever comes of it.
CREATE TABLE single_sign_on_attempts (
    -- Of the state.
    hash text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- Of what the browser keeps that began it.
    browser_hash text NOT NULL,
    nonce text NOT NULL,
    verifier text NOT NULL,
    -- Of who proves once more who they are; null for anyone who signs in.
    session_id text REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    began_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL
);

CREATE INDEX single_sign_on_attempts_clinic_id_idx ON single_sign_on_attempts (clinic_id);
CREATE INDEX single_sign_on_attempts_session_id_idx ON single_sign_on_attempts (session_id);
CREATE INDEX single_sign_on_attempts_expires_at_idx ON single_sign_on_attempts (expires_at);

-- A logout token is good once: its id is kept until it has ended.
CREATE TABLE single_sign_on_logouts (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    jti_hash text NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT single_sign_on_logouts_pkey PRIMARY KEY (clinic_id, jti_hash)
);

-- Sign-ins of an account from an address in a minute, over all processes. The key is a digest: no e-mail is kept.
CREATE TABLE sign_in_counts (
    key text PRIMARY KEY,
    sign_ins integer NOT NULL,
    began_at timestamptz(3) NOT NULL
);

CREATE INDEX sign_in_counts_began_at_idx ON sign_in_counts (began_at);

-- The filters of a list under a name, as one of the clinic's staff has saved them.
CREATE TABLE saved_views (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    list text NOT NULL,
    name text NOT NULL,
    filters jsonb NOT NULL DEFAULT '{}',
    is_shared boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX saved_views_user_id_list_name_key ON saved_views (user_id, list, name);
CREATE INDEX saved_views_clinic_id_list_idx ON saved_views (clinic_id, list);

-- Which session looks at which record, or edits it: it says so again every 20 s, and counts for a minute. Unlogged: after a
-- crash each says so again.
CREATE UNLOGGED TABLE viewers (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    session_id text NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- Of a patient, task, case or appointment.
    record_id text NOT NULL,
    is_editing boolean NOT NULL DEFAULT false,
    since timestamptz(3) NOT NULL DEFAULT now(),
    seen_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX viewers_clinic_id_record_id_session_id_key ON viewers (clinic_id, record_id, session_id);
CREATE INDEX viewers_session_id_idx ON viewers (session_id);

-- API keys, as digests.
CREATE TABLE api_keys (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name text NOT NULL,
    prefix text NOT NULL,
    hash text NOT NULL,
    -- A key without one opens nothing.
    scopes text[] NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3)
);

CREATE UNIQUE INDEX api_keys_clinic_id_id_key ON api_keys (clinic_id, id);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);

-- Secrets of inbound URLs (as digests) and for signing outgoing events (encrypted).
CREATE TABLE secrets (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kind text NOT NULL,
    name text NOT NULL DEFAULT '',
    hash text,
    ciphertext text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3),
    last_used_at timestamptz(3)
);

CREATE INDEX secrets_clinic_id_kind_name_idx ON secrets (clinic_id, kind, name);
-- By this secret the platform proves itself for one clinic; it is looked up by its digest alone.
CREATE UNIQUE INDEX secrets_voice_hash_key ON secrets (hash) WHERE kind = 'voice';

-- The key pairs by which we prove ourselves at a clinic's own systems (SMART Backend Services): two while they are
-- rotated.
CREATE TABLE client_keys (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kid text NOT NULL,
    algorithm text NOT NULL,
    public_jwk jsonb NOT NULL,
    -- Encrypted JSON Web Key.
    private_key text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    signs_from timestamptz(3) NOT NULL,
    -- Until when it is published; null for the newest.
    retires_at timestamptz(3),
    CONSTRAINT client_keys_pkey PRIMARY KEY (clinic_id, kid)
);

-- A clinic's own API and what the service may do there.
CREATE TABLE approved_apis (
    clinic_id text PRIMARY KEY REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- json, or fhir-r4: then what is permitted there, what our names are called there, and what it declares.
    kind text NOT NULL DEFAULT 'json',
    base_url text NOT NULL,
    auth text NOT NULL,
    credentials text NOT NULL,
    -- Headers that go with every request to the API, encrypted as the credentials are.
    headers text,
    -- A certificate by which we prove ourselves at a clinic's own API while we connect, with its key; encrypted as the
    -- credentials are.
    client_certificate text,
    actions jsonb NOT NULL,
    fhir jsonb,
    capabilities jsonb,
    -- What /metadata said and when: it is read again after a day, or where something is wrong with it.
    statement jsonb,
    statement_read_at timestamptz(3),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT approved_apis_kind CHECK (kind IN ('json', 'fhir-r4'))
);

-- A clinic's CRM.
CREATE TABLE crm_settings (
    clinic_id text PRIMARY KEY REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kind text NOT NULL,
    is_enabled boolean NOT NULL DEFAULT true,
    url text,
    credentials text NOT NULL,
    updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- For what processes remember of clinics, accounts, sessions, keys and secrets.
CREATE TRIGGER note_change AFTER UPDATE ON clinics FOR EACH ROW EXECUTE FUNCTION note_change('no clinic_id');
CREATE TRIGGER note_change AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION note_change('no clinic_id');
CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON secrets FOR EACH ROW EXECUTE FUNCTION note_change();
-- That somebody is still there is no news.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OF is_editing OR DELETE ON viewers FOR EACH ROW EXECUTE FUNCTION note_change();

-- ————— Patients —————

-- People, and placeholders for those of whom no more than a phone number is known.
CREATE TABLE patients (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    identifier text,
    first_name text NOT NULL DEFAULT '',
    last_name text NOT NULL DEFAULT '',
    phone text,
    email text,
    birth_date text,
    address text,
    reason_for_visit text,
    preferred_location text,
    medicare_status text,
    health_plan_name text,
    referral_source text,
    comms_consent boolean,
    -- {isGiven, basis, at, source}: as a form, a tool or the API gave it last.
    consent jsonb,
    -- {from, until}: HH:MM on the patient's clock, every day; null where they named no such time.
    preferred_call_hours jsonb,
    preferred_language text,
    is_placeholder boolean NOT NULL DEFAULT false,
    patient_type text NOT NULL DEFAULT 'NEW',
    insurance jsonb,
    self_pay jsonb,
    billing_notes jsonb,
    external_id text,
    -- Kept by fill_search_text. People are found by words in any order, however they are written.
    search_text text NOT NULL DEFAULT '',
    crm_synced_at timestamptz(3),
    -- Made while the sandbox of its clinic was on (mark_in_sandbox): only that is the sandbox's to delete.
    in_sandbox boolean NOT NULL DEFAULT false,
    -- The patient whom this one was merged into: they are one person. Such a row is neither listed nor found, and stays as it is.
    replaced_by text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT patients_patient_type CHECK (patient_type IN ('NEW', 'EXISTING')),
    CONSTRAINT patients_replaced_by CHECK (replaced_by <> id),
    CONSTRAINT patients_preferred_call_hours CHECK (
        COALESCE(preferred_call_hours ->> 'from', '00:00') < COALESCE(preferred_call_hours ->> 'until', '24:00')),
    CONSTRAINT patients_preferred_language CHECK (preferred_language IN ('en', 'es'))
);

CREATE UNIQUE INDEX patients_clinic_id_id_key ON patients (clinic_id, id);
CREATE UNIQUE INDEX patients_clinic_id_identifier_key ON patients (clinic_id, identifier);
-- Its key is the index above.
ALTER TABLE patients ADD CONSTRAINT patients_clinic_id_replaced_by_fkey FOREIGN KEY (clinic_id, replaced_by)
    REFERENCES patients (clinic_id, id) ON DELETE NO ACTION ON UPDATE CASCADE;
CREATE INDEX patients_replaced ON patients (clinic_id, replaced_by) WHERE replaced_by IS NOT NULL;
CREATE INDEX patients_clinic_id_phone_idx ON patients (clinic_id, phone);
CREATE INDEX patients_clinic_id_created_at_idx ON patients (clinic_id, created_at);
CREATE INDEX patients_clinic_id_external_id_idx ON patients (clinic_id, external_id);
-- For a caller who is looked up by name alone.
CREATE INDEX patients_by_name ON patients (clinic_id, lower(first_name || ' ' || last_name));
CREATE INDEX patients_by_words ON patients USING gin (clinic_id, search_text gin_trgm_ops) WHERE search_text <> '';
CREATE INDEX patients_registered ON patients (clinic_id, created_at) WHERE NOT is_placeholder;
-- What a reset of the sandbox looks for; a clinic with real patients has none.
CREATE INDEX patients_in_sandbox ON patients (clinic_id) WHERE in_sandbox;
-- Candidates of $match.
CREATE INDEX patients_by_birth_date ON patients (clinic_id, birth_date) WHERE birth_date IS NOT NULL;

-- Notes of calls, written back to the sandbox EMR.
CREATE TABLE documents (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    call_id text,
    content jsonb NOT NULL,
    -- The id of a note at the clinic's own system; patients and appointments have theirs already.
    external_id text,
    escalate_to_clinical_team boolean,
    request_external_records boolean,
    in_sandbox boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT documents_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX documents_clinic_id_id_key ON documents (clinic_id, id);
CREATE INDEX documents_in_sandbox ON documents (clinic_id) WHERE in_sandbox;
CREATE INDEX documents_clinic_id_patient_id_created_at_idx ON documents (clinic_id, patient_id, created_at);

-- Patients that the caller of a call may be; staff decide.
CREATE TABLE identity_matches (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    call_id text NOT NULL,
    matched_on text[],
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT identity_matches_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX identity_matches_call_id_patient_id_key ON identity_matches (call_id, patient_id);
-- An erasure, and the checks of relations that go with it, find rows by this.
CREATE INDEX identity_matches_clinic_id_patient_id_idx ON identity_matches (clinic_id, patient_id);

-- Two patients who are one person: what was moved from the one who is replaced to the one who is kept, so that it can be moved
-- back for a day.
CREATE TABLE patient_merges (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kept_id text NOT NULL,
    replaced_id text NOT NULL,
    merged_by text NOT NULL,
    merged_at timestamptz(3) NOT NULL DEFAULT now(),
    undone_by text,
    undone_at timestamptz(3),
    -- Ids by the name of their table.
    moved jsonb NOT NULL,
    -- What the kept patient had before, by the columns that were written.
    fields_before jsonb NOT NULL,
    CONSTRAINT patient_merges_clinic_id_kept_id_fkey FOREIGN KEY (clinic_id, kept_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT patient_merges_clinic_id_replaced_id_fkey FOREIGN KEY (clinic_id, replaced_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX patient_merges_clinic_id_kept_id_merged_at_idx ON patient_merges (clinic_id, kept_id, merged_at);
CREATE INDEX patient_merges_clinic_id_replaced_id_merged_at_idx ON patient_merges (clinic_id, replaced_id, merged_at);
-- Who is replaced is so by one merge.
CREATE UNIQUE INDEX patient_merges_in_force ON patient_merges (clinic_id, replaced_id) WHERE undone_at IS NULL;

CREATE TABLE erasures (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    -- Out of a fixed list: it stays, and free text could name somebody.
    reason text NOT NULL,
    state text NOT NULL DEFAULT 'REQUESTED',
    requested_by text NOT NULL,
    requested_at timestamptz(3) NOT NULL DEFAULT now(),
    -- Null while the relay is still to give it to Temporal.
    dispatched_at timestamptz(3),
    erased_at timestamptz(3),
    done_at timestamptz(3),
    counts jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT erasures_reason CHECK (reason IN ('patient_request', 'retention_over', 'entered_by_mistake', 'court_order')),
    CONSTRAINT erasures_state CHECK (state IN ('REQUESTED', 'ERASED', 'DONE'))
);

-- One at a time for a patient.
CREATE UNIQUE INDEX erasures_one_open ON erasures (clinic_id, patient_id) WHERE state <> 'DONE';
-- What is to be done, looked for every second.
CREATE INDEX erasures_unfinished ON erasures (requested_at) WHERE state IN ('REQUESTED', 'ERASED');
CREATE INDEX erasures_clinic_id_requested_at_idx ON erasures (clinic_id, requested_at);
CREATE UNIQUE INDEX erasures_clinic_id_id_key ON erasures (clinic_id, id);

-- What stays: ids of our own, and keyed hashes of what a platform or a patient could bring again.
CREATE TABLE tombstones (
    clinic_id text NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    erasure_id text NOT NULL,
    workflow_id text,
    scope text,
    CONSTRAINT tombstones_pkey PRIMARY KEY (clinic_id, kind, key),
    CONSTRAINT tombstones_kind CHECK (kind IN ('patient', 'run', 'case', 'call', 'platform-call', 'session', 'event', 'opt-out')),
    CONSTRAINT tombstones_erasure_fkey FOREIGN KEY (clinic_id, erasure_id)
        REFERENCES erasures (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- What the voice platform and Temporal name without a clinic.
CREATE INDEX tombstones_key_idx ON tombstones (key);
CREATE INDEX tombstones_clinic_id_erasure_id_idx ON tombstones (clinic_id, erasure_id);

-- A hold refuses the deletion of its patient in the database itself.
CREATE TABLE legal_holds (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    reason text NOT NULL,
    placed_by text NOT NULL,
    placed_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT legal_holds_pkey PRIMARY KEY (clinic_id, patient_id),
    CONSTRAINT legal_holds_patient_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE NO ACTION ON UPDATE CASCADE
);

-- The part of a text that a search compares. Separators are named one by one, so that no locale decides what a letter is.
CREATE FUNCTION folded(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN btrim(regexp_replace(
  replace(replace(replace(replace(
    translate(
      lower(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f''`´‘’ʹʻʼʽˈ]', '', 'g')),
      'øłđðħıŧ', 'olddhit'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
  '[[:space:][:punct:][:cntrl:]$+<=>^|~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'));

-- A name as it is spelled where the keyboard has no umlauts, Schroeder for Schröder. The rule is that of patient-matching.ts.
CREATE FUNCTION spelled_out(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(normalize($1, NFKD), '([aouAOU])\u0308', '\1e', 'g');

-- A name as it is compared, and after it, where they are others, its spellings without umlauts and with what might be one.
CREATE FUNCTION spellings(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (
  SELECT concat_ws(' ', nullif(plain, ''), nullif(spelled, plain), nullif(nullif(short, plain), spelled))
  FROM (SELECT folded(name) AS plain OFFSET 0) folded_once,
    -- Most names are ASCII, and have no other spelling.
    LATERAL (SELECT CASE WHEN octet_length(name) = char_length(name) THEN plain ELSE folded(spelled_out(name)) END AS spelled OFFSET 0) written,
    LATERAL (SELECT regexp_replace(spelled, '([aou])e', '\1', 'g') AS short OFFSET 0) shortened);

-- What a patient is found by: a space before each word, so that the beginning of a word can be looked for, and one after the phone,
-- so that its end can be.
CREATE FUNCTION patient_search_text(first_name text, last_name text, email text, identifier text, phone text, birth_date text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ' ' || concat_ws(' ', nullif(spellings(concat_ws(' ', first_name, last_name)), ''),
  -- As one word each: a word of a name is not looked for at the beginning of where somebody has their e-mail.
  nullif(replace(folded(email), ' ', ''), ''), nullif(replace(folded(identifier), ' ', ''), ''),
  nullif(regexp_replace(phone, '\D', '', 'g'), '')) || ' ' || coalesce(regexp_replace(birth_date, '\D', '', 'g'), '');

-- The longest words of what somebody searches for, the longest first.
CREATE FUNCTION search_words(words text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (
  SELECT array_agg(word) FROM (
    SELECT word FROM regexp_split_to_table(words, '\s+') AS written, regexp_split_to_table(
      -- What has letters and digits, and a date of birth, are compared as one word each.
      CASE WHEN written ~ '\d' AND written ~ '[A-Za-z]' OR written ~ '^\W*\d{4}([-/.])\d{2}\1\d{2}\W*$'
        THEN replace(folded(written), ' ', '') ELSE folded(written) END, ' ') AS word
    WHERE word <> '' ORDER BY length(word) DESC LIMIT 8
  ) AS longest);

-- LIKE patterns, each of which the search text must match. None: there is nothing in the words to look for.
CREATE FUNCTION search_patterns(words text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE
  -- Four digits are the last of a phone or of an identifier.
  WHEN normalize(words, NFKC) ~ '^\s*\d{4}\s*$' THEN ARRAY['%' || regexp_replace(normalize(words, NFKC), '\s', '', 'g') || ' %']
  -- A phone as people write it: without what only its own country dials first, or what is dialled before a country.
  WHEN normalize(words, NFKC) ~ '^[\s\d+().\-/–]*$' AND normalize(words, NFKC) ~ '(\d\D*){3}' THEN ARRAY[
    '%' || regexp_replace(regexp_replace(replace(normalize(words, NFKC), '(0)', ''), '\D', '', 'g'), '^0{1,2}(?=\d{3})', '') || '%']
  ELSE (
    SELECT coalesce(array_agg(CASE WHEN length(word) > 2 THEN '%' || word || '%' ELSE '% ' || word || '%' END), '{}')
    FROM unnest(search_words(words)) word)
END;

CREATE FUNCTION fill_search_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A search finds the patient who is kept.
  NEW.search_text := CASE WHEN NEW.replaced_by IS NULL
    THEN patient_search_text(NEW.first_name, NEW.last_name, NEW.email, NEW.identifier, NEW.phone, NEW.birth_date) ELSE '' END;
  RETURN NEW;
END $$;

CREATE TRIGGER fill_search_text BEFORE INSERT OR UPDATE OF first_name, last_name, email, identifier, phone, birth_date, replaced_by
  ON patients FOR EACH ROW EXECUTE FUNCTION fill_search_text();

-- The list of patients in the order of their last names.
CREATE INDEX patients_in_order_of_name ON patients (clinic_id, folded(last_name || ' ' || first_name), id)
  WHERE NOT is_placeholder AND replaced_by IS NULL;

-- Whatever is written about a patient who was merged into another is written about that one, no matter who writes it and since when
-- they hold the id. It waits for a merge or an undo that is under way, as both lock the row.
CREATE FUNCTION follow_merge() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kept text;
BEGIN
  SELECT replaced_by INTO kept FROM patients WHERE clinic_id = NEW.clinic_id AND id = NEW.patient_id FOR KEY SHARE;
  IF kept IS NOT NULL THEN
    NEW.patient_id := kept;
  END IF;
  RETURN NEW;
END $$;

-- The patient who is meant by an id: of who was merged into another, that one.
CREATE FUNCTION kept_patient(of_clinic text, named text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT COALESCE((SELECT replaced_by FROM patients WHERE clinic_id = of_clinic AND id = named), named)
$$;

-- Gives what is recorded about one patient to another, and returns the ids of it by the name of the table.
--   wanted: by table, { "ids": [...] } for these alone, { "oncePer": column } for what the other may have already
CREATE FUNCTION give_rows(of_clinic text, giver text, taker text, wanted jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  one record;
  given jsonb;
  all_given jsonb := '{}';
BEGIN
  FOR one IN SELECT key AS name, value ->> 'oncePer' AS once_per,
    CASE WHEN value ? 'ids' THEN ARRAY(SELECT jsonb_array_elements_text(value -> 'ids')) END AS ids
    FROM jsonb_each(wanted) ORDER BY key
  LOOP
    EXECUTE format(
      'WITH given AS (
        UPDATE %1$I t SET patient_id = $3
        WHERE clinic_id = $1 AND patient_id = $2 AND ($4 IS NULL OR id = ANY ($4)) %2$s RETURNING id)
      SELECT jsonb_agg(id ORDER BY id) FROM given',
      one.name, CASE WHEN one.once_per IS NULL THEN '' ELSE format(
        'AND NOT EXISTS (SELECT FROM %1$I o WHERE o.clinic_id = $1 AND o.patient_id = $3 AND o.%2$I = t.%2$I)',
        one.name, one.once_per) END)
    INTO given USING of_clinic, giver, taker, one.ids;
    IF given IS NOT NULL THEN
      all_given := all_given || jsonb_build_object(one.name, given);
    END IF;
  END LOOP;
  RETURN all_given;
END $$;

-- How many rows are about a patient, by the name of the table.
CREATE FUNCTION count_rows(of_clinic text, of_patient text, wanted jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  name text;
  counted bigint;
  counts jsonb := '{}';
BEGIN
  FOR name IN SELECT jsonb_object_keys(wanted) LOOP
    EXECUTE format('SELECT count(*) FROM %I WHERE clinic_id = $1 AND patient_id = $2', name)
    INTO counted USING of_clinic, of_patient;
    IF counted > 0 THEN
      counts := counts || jsonb_build_object(name, counted);
    END IF;
  END LOOP;
  RETURN counts;
END $$;

-- Who wanted to change the row while it was replaced tries again, and finds the patient who is kept.
CREATE FUNCTION replaced_patient_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'patient % was merged into another', OLD.id USING ERRCODE = 'serialization_failure';
END $$;

CREATE TRIGGER replaced_patient_stays BEFORE UPDATE ON patients
  FOR EACH ROW WHEN (OLD.replaced_by IS NOT NULL AND NEW.replaced_by IS NOT DISTINCT FROM OLD.replaced_by)
  EXECUTE FUNCTION replaced_patient_stays();

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON documents FOR EACH ROW EXECUTE FUNCTION follow_merge();
CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON identity_matches FOR EACH ROW EXECUTE FUNCTION follow_merge();

-- Reads by the index over words, whatever the statistics say: those of all clinics' names tell little about one clinic's.
-- An index over words takes time for each three letters that it is asked for; of a long phone number the last seven digits
-- tell enough, and what they find is compared as a whole. The text is concatenated with nothing so that the index is not
-- asked for the whole as well.
CREATE FUNCTION patients_matching(clinic text, patterns text[], at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT id FROM patients WHERE clinic_id = %L AND search_text <> ''''', clinic)
    || (SELECT coalesce(string_agg(
          CASE WHEN pattern ~ '^%\d{8,}%$' THEN format(' AND search_text LIKE %L AND search_text || '''' LIKE %L', '%' || right(pattern, 8), pattern)
            ELSE format(' AND search_text LIKE %L', pattern) END, ''), ' AND false') FROM unnest(patterns) pattern)
    || format(' LIMIT %s', at_most);
END $$;

-- LIKE patterns of a whole word that is typed as `word` with one slip: a letter too many, too few or another, or two that are swapped.
CREATE FUNCTION slips_of(word text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (
  SELECT array_agg('% ' || slip || ' %') FROM generate_series(0, length(word)) typed, LATERAL (VALUES
    (left(word, typed) || substr(word, typed + 2)),
    (left(word, typed) || '_' || substr(word, typed + 1)),
    (left(word, typed) || '_' || substr(word, typed + 2)),
    (left(word, typed) || substr(word, typed + 2, 1) || substr(word, typed + 1, 1) || substr(word, typed + 3))) slips (slip));

-- Whose names were typed with a slip in a word or in each, the newest first. The longest word is looked for by the index over words,
-- and what it finds is compared as a whole, up to so many that a common name costs little. Numbers and short words are as typed.
CREATE FUNCTION patients_with_slip(clinic text, words text, at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE ROWS 10 AS $$
DECLARE
  typed text;
  longest text[];
  compared text := '';
  ways text[];
BEGIN
  FOREACH typed IN ARRAY coalesce(search_words(words), '{}') LOOP
    ways := CASE WHEN typed ~ '\d' THEN ARRAY['%' || typed || '%']
      WHEN length(typed) BETWEEN 4 AND 20 THEN slips_of(typed) || ('% ' || typed || '%') ELSE ARRAY['% ' || typed || '%'] END;
    longest := coalesce(longest, ways);
    compared := compared || format(' AND search_text || '' '' LIKE ANY (%L)', ways);
  END LOOP;
  IF longest IS NOT NULL THEN
    RETURN QUERY EXECUTE format(
      'SELECT id FROM (
        SELECT id, search_text, created_at FROM patients WHERE clinic_id = %L AND search_text <> '''' AND search_text LIKE ANY (%L) LIMIT 5000) p
      WHERE true %s ORDER BY created_at DESC, id DESC LIMIT %s',
      clinic, (SELECT array_agg(rtrim(way, ' %') || '%') FROM unnest(longest) way), compared, at_most);
  END IF;
END $$;

-- Whose name is nearly what was typed: by a slip in a word where nobody's is just so; or else the nearest first, by half of the
-- groups of three letters of it, in their order. The rarest groups are looked for by the index over words, so that common ones cost little.
CREATE FUNCTION patients_named_like(clinic text, words text, is_anyone_found boolean, at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE ROWS 10
  SET enable_seqscan = off SET enable_indexscan = off SET pg_trgm.word_similarity_threshold = 0.5 AS $$
BEGIN
  IF NOT is_anyone_found THEN
    RETURN QUERY SELECT patients_with_slip(clinic, words, at_most);
  END IF;
  -- Numbers are not nearly right.
  IF NOT FOUND AND words !~ '\d' THEN
    RETURN QUERY EXECUTE format(
      'SELECT id FROM patients WHERE clinic_id = %1$L AND search_text <> '''' AND %2$L <%% search_text
       ORDER BY word_similarity(%2$L, search_text) DESC, created_at DESC, id DESC LIMIT %3$s', clinic, folded(words), at_most);
  END IF;
END $$;

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER UPDATE ON patients FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_new AFTER INSERT ON patients REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();
CREATE TRIGGER note_gone AFTER DELETE ON patients REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();
CREATE TRIGGER note_new AFTER INSERT ON documents REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();
CREATE TRIGGER note_gone AFTER DELETE ON documents REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON legal_holds FOR EACH ROW EXECUTE FUNCTION note_change('no id');

-- ————— Outreach —————
-- Workflow runs, recovery cases and calls, and what decides whether a phone rings.

-- When and how often a clinic's patients may be called.
CREATE TABLE calling_policies (
    clinic_id text PRIMARY KEY REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    first_call_delay_seconds integer NOT NULL,
    max_attempts integer NOT NULL,
    seconds_between_attempts integer NOT NULL,
    calling_hours jsonb NOT NULL,
    max_concurrent_calls integer NOT NULL,
    calls_per_patient_per_day integer,
    calls_per_patient_per_week integer,
    unknown_zone text NOT NULL DEFAULT 'country',
    simulator_keeps_patient_hours boolean NOT NULL DEFAULT false,
    -- Whether calls open with a sentence that says who calls, for which clinic, and that it is an automated assistant.
    discloses_automation boolean NOT NULL DEFAULT true,
    -- Whether calls act on the calendar kept here where there is no sandbox.
    books_in_own_calendar boolean NOT NULL DEFAULT false,
    -- Whether calls about a cancelled or a missing visit may book one for a patient who has none.
    books_follow_ups boolean NOT NULL DEFAULT false,
    -- Whether a booking of a caller whom nobody has verified is a request that staff confirm.
    confirms_bookings boolean NOT NULL DEFAULT false,
    -- The last open run, by id, that was told of a change of these rules; empty before the first, null where all have been.
    told_up_to text,
    CONSTRAINT calling_policies_unknown_zone CHECK (unknown_zone IN ('country', 'clinic'))
);

-- One workflow as its REST client sees it. Written before the workflow is started.
CREATE TABLE workflow_runs (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workflow_type text NOT NULL,
    session_id text NOT NULL,
    context jsonb NOT NULL DEFAULT '{}',
    patient_id text,
    status text NOT NULL DEFAULT 'started',
    outcome text,
    attempts integer NOT NULL DEFAULT 0,
    -- What the simulator played stays marked as simulated.
    is_simulated boolean NOT NULL DEFAULT false,
    started_at timestamptz(3) NOT NULL DEFAULT now(),
    dispatched_at timestamptz(3),
    completed_at timestamptz(3),
    -- Who cancelled a run, as the audit names them: account:…, api-key:…, operator. Null where nobody did.
    cancelled_by text,
    CONSTRAINT workflow_runs_status CHECK (status IN ('started', 'completed', 'failed', 'cancelled')),
    CONSTRAINT workflow_runs_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX workflow_runs_clinic_id_id_key ON workflow_runs (clinic_id, id);
-- A session or event that would start a second run changes nothing.
CREATE UNIQUE INDEX workflow_runs_clinic_id_workflow_type_session_id_key ON workflow_runs (clinic_id, workflow_type, session_id);
CREATE INDEX workflow_runs_clinic_id_started_at_idx ON workflow_runs (clinic_id, started_at);
CREATE INDEX workflow_runs_undispatched ON workflow_runs (clinic_id, started_at)
    WHERE dispatched_at IS NULL AND status = 'started';
-- When a patient wants no calls, the runs that wait to call them decide again.
CREATE INDEX workflow_runs_open ON workflow_runs (clinic_id, patient_id) WHERE status = 'started';
-- Staff read why a patient was not called, over all workflows of that patient, ended ones too.
CREATE INDEX workflow_runs_clinic_id_patient_id_idx ON workflow_runs (clinic_id, patient_id);
CREATE INDEX workflow_runs_clinic_id_workflow_type_started_at_idx ON workflow_runs (clinic_id, workflow_type, started_at);
CREATE INDEX workflow_runs_not_completed ON workflow_runs (clinic_id, status, started_at) WHERE status <> 'completed';
-- Runs are listed and counted by how they ended.
CREATE INDEX workflow_runs_by_outcome ON workflow_runs (clinic_id, outcome, started_at) WHERE outcome IS NOT NULL;

-- What running workflows must be sent; the relay repeats it until Temporal has taken it. Only an outbox.
CREATE TABLE workflow_messages (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workflow_id text NOT NULL,
    signal text NOT NULL,
    payload jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    sent_at timestamptz(3),
    CONSTRAINT workflow_messages_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX workflow_messages_clinic_id_workflow_id_idx ON workflow_messages (clinic_id, workflow_id);
CREATE INDEX workflow_messages_unsent ON workflow_messages (clinic_id, created_at) WHERE sent_at IS NULL;
-- Written in the order of time, and asked for a day at a time: a few pages in place of an entry for each row.
CREATE INDEX workflow_messages_created_at_brin ON workflow_messages USING brin (created_at) WITH (pages_per_range = 16);

-- An instant on a clock that is so many seconds ahead of UTC since each of these instants: days and hours of a clinic are those of
-- the process that asks, whose release of the time zones may be another than the server's.
CREATE FUNCTION on_clock(instant timestamptz, since timestamptz[], seconds integer[]) RETURNS timestamp LANGUAGE sql IMMUTABLE AS $$
  SELECT instant AT TIME ZONE 'UTC' + make_interval(secs => seconds[width_bucket(instant, since)])
$$;

-- What a run has in addition when it recovers an abandoned form. Only its workflow changes its status.
CREATE TABLE recovery_cases (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    session_id text NOT NULL,
    workflow_id text NOT NULL,
    patient_id text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    form_id text,
    form_name text,
    last_page_reached integer,
    total_pages integer,
    completion_percentage double precision,
    abandoned_at_checkout boolean,
    abandoned_at timestamptz(3),
    resume_url text,
    selected_products jsonb,
    barrier jsonb,
    resolution jsonb,
    -- What the agent has resolved in a call: stored before the case's workflow is asked, which ends the case with it.
    decision jsonb,
    form_completed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    CONSTRAINT recovery_cases_status CHECK (status IN ('PENDING', 'CALLING', 'RECOVERED', 'FOLLOW_UP_REQUIRED', 'PRICING_ESCALATION', 'CLINICAL_ESCALATION', 'PATIENT_NOT_INTERESTED', 'PATIENT_NOT_REACHED', 'ALREADY_COMPLETED')),
    CONSTRAINT recovery_cases_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT recovery_cases_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX recovery_cases_clinic_id_id_key ON recovery_cases (clinic_id, id);
-- A session has one case, and a run too.
CREATE UNIQUE INDEX recovery_cases_clinic_id_session_id_key ON recovery_cases (clinic_id, session_id);
CREATE UNIQUE INDEX recovery_cases_clinic_id_workflow_id_key ON recovery_cases (clinic_id, workflow_id);
CREATE INDEX recovery_cases_clinic_id_created_at_idx ON recovery_cases (clinic_id, created_at);
CREATE INDEX recovery_cases_by_status ON recovery_cases (clinic_id, status, created_at DESC);
CREATE INDEX recovery_cases_by_session ON recovery_cases USING gin (clinic_id, session_id gin_trgm_ops) WHERE session_id <> '';
CREATE INDEX recovery_cases_clinic_id_ended_at_status_idx ON recovery_cases (clinic_id, ended_at, status);
CREATE INDEX recovery_cases_clinic_id_patient_id_created_at_idx ON recovery_cases (clinic_id, patient_id, created_at);
-- What is still worked on: a list, and the counts of the overview.
CREATE INDEX recovery_cases_open ON recovery_cases (clinic_id, created_at, id, status) WHERE ended_at IS NULL;

-- Our own record of each phone call. It exists before the phone rings.
CREATE TABLE calls (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    workflow_type text,
    workflow_id text,
    case_id text,
    direction text NOT NULL,
    is_test boolean NOT NULL DEFAULT false,
    state text NOT NULL DEFAULT 'QUEUED',
    phone text,
    -- The caller was matched with a patient whom the clinic knows by the number alone.
    is_matched_by_number boolean NOT NULL DEFAULT false,
    attempt integer NOT NULL DEFAULT 0,
    dial integer NOT NULL DEFAULT 0,
    platform_call_id text,
    requested_at timestamptz(3),
    requests integer NOT NULL DEFAULT 0,
    requested_account text,
    queued_at timestamptz(3),
    not_after timestamptz(3),
    appointment_starts_at timestamptz(3),
    withdrawn_because text,
    rang_at timestamptz(3),
    not_found_count integer NOT NULL DEFAULT 0,
    not_found_at timestamptz(3),
    next_look_at timestamptz(3),
    ended_reason text,
    summary text,
    said text,
    analysed_at timestamptz(3),
    -- In US dollars, as the platform bills it, and for how long people talked: they stay when the evidence is deleted.
    cost_usd double precision,
    duration_seconds integer,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    started_at timestamptz(3),
    ended_at timestamptz(3),
    CONSTRAINT calls_direction CHECK (direction IN ('inbound', 'outbound')),
    CONSTRAINT calls_state CHECK (state IN ('QUEUED', 'RINGING', 'IN_PROGRESS', 'ENDED')),
    CONSTRAINT calls_clinic_id_case_id_fkey FOREIGN KEY (clinic_id, case_id)
        REFERENCES recovery_cases (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT calls_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT calls_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX calls_clinic_id_id_key ON calls (clinic_id, id);
-- A workflow makes each of its dials once, and a phone never has two calls of ours at the same time.
CREATE UNIQUE INDEX calls_one_per_dial ON calls (workflow_id, dial) WHERE workflow_id IS NOT NULL AND NOT is_test;
CREATE UNIQUE INDEX calls_one_ringing_per_phone ON calls (clinic_id, phone)
    WHERE direction = 'outbound' AND NOT is_test AND state <> 'ENDED';
CREATE UNIQUE INDEX calls_platform_call_id_key ON calls (platform_call_id);
CREATE INDEX calls_clinic_id_created_at_idx ON calls (clinic_id, created_at);
CREATE INDEX calls_clinic_id_patient_id_created_at_idx ON calls (clinic_id, patient_id, created_at);
CREATE INDEX calls_clinic_id_phone_requested_at_idx ON calls (clinic_id, phone, requested_at);
-- For the count of lines in use.
CREATE INDEX calls_live ON calls (clinic_id) WHERE state <> 'ENDED' AND NOT is_test;
-- Test calls are among what has not ended, which `calls_live` leaves out.
CREATE INDEX calls_not_ended ON calls (clinic_id, created_at) WHERE state <> 'ENDED';
CREATE INDEX calls_of_case ON calls (clinic_id, case_id, created_at) WHERE case_id IS NOT NULL;
CREATE INDEX calls_of_workflow ON calls (clinic_id, workflow_id, created_at) WHERE workflow_id IS NOT NULL;
-- The numbers of a day, from the index alone.
CREATE INDEX calls_dialled ON calls (clinic_id, requested_at, phone)
    WHERE direction = 'outbound' AND NOT is_test AND requested_at IS NOT NULL;
CREATE INDEX calls_clinic_id_workflow_type_created_at_idx ON calls (clinic_id, workflow_type, created_at);
CREATE INDEX calls_inbound ON calls (clinic_id, created_at) WHERE direction = 'inbound';
-- Which reasons a clinic's calls have ended for: some dozens, which are read one after the other.
CREATE INDEX calls_ended_reasons ON calls (clinic_id, ended_reason) WHERE ended_reason IS NOT NULL;

-- Why a phone rang, or did not: each decision with what it was made of and the rule that decided. Ids, times and settings;
-- no name, no phone.
CREATE TABLE call_decisions (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workflow_id text NOT NULL,
    call_id text,
    stage text NOT NULL,
    rule text NOT NULL,
    decided jsonb NOT NULL,
    inputs jsonb NOT NULL,
    decided_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT call_decisions_stage CHECK (stage IN ('plan', 'line', 'dial')),
    CONSTRAINT call_decisions_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT call_decisions_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX call_decisions_clinic_id_workflow_id_decided_at_idx ON call_decisions (clinic_id, workflow_id, decided_at);
CREATE INDEX call_decisions_clinic_id_call_id_idx ON call_decisions (clinic_id, call_id);
-- How many runs of a clinic wait for the same opening of calling hours.
CREATE INDEX call_decisions_waiting ON call_decisions (clinic_id, (decided ->> 'until'), workflow_id)
    WHERE decided ->> 'kind' = 'wait';
-- Decisions are kept for some years, and then deleted.
CREATE INDEX call_decisions_decided_at_idx ON call_decisions (decided_at);

-- Runs that wait for a free line of their clinic, in the order in which they get one. A run has one ticket at most.
CREATE TABLE line_tickets (
    workflow_id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    phone text NOT NULL,
    priority integer NOT NULL,
    due_at timestamptz(3) NOT NULL,
    not_after timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    granted_at timestamptz(3),
    CONSTRAINT line_tickets_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX line_tickets_clinic_id_priority_due_at_created_at_idx ON line_tickets (clinic_id, priority, due_at, created_at);

-- Phones that are never called.
CREATE TABLE opt_outs (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    phone text NOT NULL,
    scope text NOT NULL DEFAULT 'all',
    source text NOT NULL DEFAULT 'staff',
    added_by text NOT NULL DEFAULT 'unknown',
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT opt_outs_scope CHECK (scope IN ('all', 'recovery_and_reminders')),
    CONSTRAINT opt_outs_source CHECK (source IN ('tool', 'analysis', 'staff', 'import', 'patient', 'corrected_number'))
);

CREATE UNIQUE INDEX opt_outs_clinic_id_phone_key ON opt_outs (clinic_id, phone);
CREATE INDEX opt_outs_clinic_id_created_at_idx ON opt_outs (clinic_id, created_at);

-- Outreach that is paused: for everything where it names no clinic, else for a clinic or one workflow type of it.
CREATE TABLE outreach_pauses (
    id text PRIMARY KEY,
    clinic_id text REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workflow_type text,
    reason text NOT NULL,
    paused_by text NOT NULL,
    paused_at timestamptz(3) NOT NULL DEFAULT now(),
    ends_at timestamptz(3),
    resumed_by text,
    resumed_at timestamptz(3),
    CONSTRAINT outreach_pauses_type_of_clinic CHECK (workflow_type IS NULL OR clinic_id IS NOT NULL)
);

CREATE INDEX outreach_pauses_clinic_id_paused_at_idx ON outreach_pauses (clinic_id, paused_at);
CREATE INDEX outreach_pauses_open ON outreach_pauses (clinic_id) WHERE resumed_at IS NULL;

-- A recovery case that has ended keeps its outcome.
CREATE FUNCTION recovery_case_stays_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status NOT IN ('PENDING', 'CALLING') AND NEW.status IS DISTINCT FROM OLD.status THEN
    RAISE EXCEPTION 'recovery case % has ended as %', OLD.id, OLD.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER recovery_case_stays_ended BEFORE UPDATE OF status ON recovery_cases FOR EACH ROW EXECUTE FUNCTION recovery_case_stays_ended();

-- The same for a part of a session id; nothing is read for a part that is too short for the index. Of a long one both ends
-- are looked for, the last one first: the index begins with it, and what ids of one form have in common is mostly in
-- front.
CREATE FUNCTION cases_of_session(clinic text, part text, at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_indexscan = off AS $$
DECLARE
  pattern text := '%' || regexp_replace(part, '([\\%_])', '\\\1', 'g') || '%';
  is_long boolean := part ~ '^[[:alnum:]]{3}.{12,}[[:alnum:]]{3}$' AND part !~ '[\\%_]';
BEGIN
  IF part !~ '[[:alnum:]]{3}' THEN RETURN; END IF;
  RETURN QUERY EXECUTE format('SELECT id FROM recovery_cases WHERE clinic_id = %L AND session_id <> ''''', clinic)
    || CASE WHEN is_long THEN format(' AND session_id ILIKE %L AND session_id ILIKE %L AND session_id || '''' ILIKE %L',
      '%' || right(part, 8) || '%', '%' || left(part, 8) || '%', pattern) ELSE format(' AND session_id ILIKE %L', pattern) END
    || format(' LIMIT %s', at_most);
END $$;

-- Held until the transaction ends by the one who begins a request to the platform. Many may hold it at once.
CREATE FUNCTION share_dialling(of_clinic text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('', 7)), pg_advisory_xact_lock_shared(hashtextextended(of_clinic, 7))
$$;

-- Held until the transaction ends by the one who stops calls of a clinic, or of all with null. It waits for the requests that
-- are being begun, and those that come later see what it has written: none begins once a stop has been acknowledged.
CREATE FUNCTION stop_dialling(of_clinic text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(COALESCE(of_clinic, ''), 7))
$$;

CREATE FUNCTION stop_dialling() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM stop_dialling(NEW.clinic_id);
  RETURN NEW;
END $$;

CREATE TRIGGER stop_dialling BEFORE INSERT OR UPDATE ON opt_outs FOR EACH ROW EXECUTE FUNCTION stop_dialling();
CREATE TRIGGER stop_dialling BEFORE INSERT OR UPDATE ON outreach_pauses FOR EACH ROW EXECUTE FUNCTION stop_dialling();

-- Who asked not to be called is not called at a number that is corrected either, no matter who corrects it. The old number stays on the
-- list: somebody else may have it. Runs that wait to call the new one decide again.
CREATE FUNCTION carry_opt_out() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH carried AS (
    INSERT INTO opt_outs (id, clinic_id, phone, scope, source, added_by, created_at)
    SELECT gen_random_uuid()::text, clinic_id, NEW.phone, scope, 'corrected_number', added_by, created_at
    FROM opt_outs WHERE clinic_id = NEW.clinic_id AND phone = OLD.phone
    ON CONFLICT (clinic_id, phone) DO UPDATE SET scope = 'all' WHERE opt_outs.scope <> 'all' AND EXCLUDED.scope = 'all'
    RETURNING id, scope
  ), recorded AS (
    INSERT INTO audit_entries (id, clinic_id, actor, action, subject, subjects, detail)
    SELECT gen_random_uuid()::text, NEW.clinic_id, 'system', 'opt-out.add', id, ARRAY[NEW.id],
      jsonb_build_object('source', 'corrected_number', 'scope', scope) FROM carried
  )
  INSERT INTO workflow_messages (id, clinic_id, workflow_id, signal, payload)
  SELECT 'opted-out-' || c.id || '-' || c.scope || '-' || r.id, r.clinic_id, r.id, 'rulesChanged', '{}'::jsonb
  FROM carried c
  JOIN patients p ON p.clinic_id = NEW.clinic_id AND p.phone = NEW.phone
  JOIN workflow_runs r ON r.clinic_id = p.clinic_id AND r.patient_id = p.id AND r.status = 'started'
  ON CONFLICT (id) DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER carry_opt_out AFTER UPDATE OF phone ON patients
    FOR EACH ROW WHEN (OLD.phone <> NEW.phone) EXECUTE FUNCTION carry_opt_out();

-- Runs that wait to call a patient decide again when the patient asks for other hours, no matter who wrote them down. Who stands in
-- line gets no line until then: it keeps its place by since when its call is due.
CREATE FUNCTION wake_for_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH woken AS (
    INSERT INTO workflow_messages (id, clinic_id, workflow_id, signal, payload)
    SELECT 'call-hours-' || gen_random_uuid()::text, clinic_id, id, 'rulesChanged', '{}'::jsonb
    FROM workflow_runs WHERE clinic_id = NEW.clinic_id AND patient_id = NEW.id AND status = 'started'
    RETURNING workflow_id
  )
  UPDATE line_tickets t SET not_after = now() FROM woken
  WHERE t.workflow_id = woken.workflow_id AND t.granted_at IS NULL;
  RETURN NULL;
END $$;

CREATE TRIGGER wake_for_call_hours AFTER UPDATE OF preferred_call_hours ON patients
    FOR EACH ROW WHEN (OLD.preferred_call_hours IS DISTINCT FROM NEW.preferred_call_hours) EXECUTE FUNCTION wake_for_call_hours();

-- Runs that wait decide again when their clinic changes when and how often it calls: hours that were widened in the evening are of use in
-- the evening. The relay tells them in turn with those of others.
CREATE FUNCTION wake_for_policy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.told_up_to := '';
  RETURN NEW;
END $$;

CREATE TRIGGER wake_for_policy
    BEFORE UPDATE ON calling_policies FOR EACH ROW WHEN (
      (OLD.first_call_delay_seconds, OLD.max_attempts, OLD.seconds_between_attempts, OLD.calling_hours, OLD.calls_per_patient_per_day,
        OLD.calls_per_patient_per_week, OLD.unknown_zone, OLD.simulator_keeps_patient_hours)
      IS DISTINCT FROM
      (NEW.first_call_delay_seconds, NEW.max_attempts, NEW.seconds_between_attempts, NEW.calling_hours, NEW.calls_per_patient_per_day,
        NEW.calls_per_patient_per_week, NEW.unknown_zone, NEW.simulator_keeps_patient_hours))
    EXECUTE FUNCTION wake_for_policy();

-- The pause that holds for a workflow type of a clinic: {"until": …}, null in it where nobody has said when it ends. NULL
-- where there is none.
CREATE FUNCTION outreach_pause(of_clinic text, of_type text, but_for text DEFAULT NULL) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('until', CASE WHEN bool_and(p.ends_at IS NOT NULL)
      THEN to_char(max(p.ends_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END)
  FROM outreach_pauses p
  WHERE p.resumed_at IS NULL AND (p.ends_at IS NULL OR p.ends_at > now())
    AND (p.clinic_id IS NULL OR p.clinic_id = of_clinic) AND (p.workflow_type IS NULL OR p.workflow_type = of_type)
    AND p.id IS DISTINCT FROM but_for
  HAVING count(*) > 0
$$;

-- From when on another number may be called; null where this one may be called today. One that was called today may be
-- again. A request that the platform refused called nobody. The day is that of the server's time zones, since it begins and
-- ends in this statement alone.
CREATE FUNCTION numbers_used_until(of_clinic text, of_phone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  WITH today AS (
    SELECT c.numbers_per_day, c.timezone, date_trunc('day', now() AT TIME ZONE c.timezone) AS began
    FROM clinics c WHERE c.id = of_clinic
  ), called AS (
    SELECT DISTINCT k.phone FROM calls k, today t
    WHERE k.clinic_id = of_clinic AND k.direction = 'outbound' AND NOT k.is_test
      AND k.requested_at >= t.began AT TIME ZONE t.timezone AND (k.state <> 'ENDED' OR k.rang_at IS NOT NULL)
  )
  SELECT (t.began + interval '1 day') AT TIME ZONE t.timezone FROM today t
  WHERE t.numbers_per_day <= (SELECT count(*) FROM called)
    AND NOT EXISTS (SELECT FROM called WHERE called.phone = of_phone)
$$;

-- Phones that are in a call, no matter who placed it: none of them rings meanwhile.
CREATE VIEW phones_in_call AS
SELECT clinic_id, phone, id AS call_id FROM calls WHERE state <> 'ENDED' AND NOT is_test AND phone IS NOT NULL;

-- What decides whether and when a patient may be called, whatever the call is about. A fault of the platform before
-- anything rang counts against no limit of the patient.
CREATE VIEW calling_facts AS
SELECT p.clinic_id, p.id AS patient_id, p.phone, p.address, p.preferred_call_hours AS preferred_hours, c.timezone AS clinic_zone, c.voice_provider,
  o.scope AS opt_out_scope,
  json_build_object(
    'firstCallDelaySeconds', rp.first_call_delay_seconds, 'maxAttempts', rp.max_attempts,
    'secondsBetweenAttempts', rp.seconds_between_attempts, 'callingHours', rp.calling_hours,
    'maxConcurrentCalls', rp.max_concurrent_calls, 'callsPerPatientPerDay', rp.calls_per_patient_per_day,
    'callsPerPatientPerWeek', rp.calls_per_patient_per_week, 'unknownZone', rp.unknown_zone,
    'simulatorKeepsPatientHours', rp.simulator_keeps_patient_hours,
    'disclosesAutomation', rp.discloses_automation, 'booksInOwnCalendar', rp.books_in_own_calendar,
    'booksFollowUps', rp.books_follow_ups, 'confirmsBookings', rp.confirms_bookings) AS policy,
  COALESCE((
    SELECT json_agg(to_char(k.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM calls k
    WHERE k.clinic_id = p.clinic_id AND k.phone = p.phone AND k.platform_call_id IS NOT NULL AND NOT k.is_test
      AND (k.state <> 'ENDED' OR k.rang_at IS NOT NULL)
      AND k.requested_at > now() - interval '7 days'), '[]'::json) AS previous_calls_at,
  (SELECT max(k.ended_at) FROM calls k WHERE k.clinic_id = p.clinic_id AND k.patient_id = p.id
    AND k.direction = 'inbound' AND k.started_at IS NOT NULL AND NOT k.is_test) AS own_call_at
FROM patients p
JOIN clinics c ON c.id = p.clinic_id
JOIN calling_policies rp ON rp.clinic_id = p.clinic_id
LEFT JOIN opt_outs o ON o.clinic_id = p.clinic_id AND o.phone = p.phone;

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON workflow_runs FOR EACH ROW EXECUTE FUNCTION follow_merge();
CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON recovery_cases FOR EACH ROW EXECUTE FUNCTION follow_merge();
CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON calls FOR EACH ROW EXECUTE FUNCTION follow_merge();

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER UPDATE ON workflow_runs FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE ON recovery_cases FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION note_change();
-- What led to a call is told with the call.
CREATE TRIGGER note_change AFTER INSERT ON call_decisions FOR EACH ROW WHEN (NEW.call_id IS NULL) EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON outreach_pauses FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_new AFTER INSERT ON opt_outs REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE ON opt_outs REFERENCING NEW TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();
CREATE TRIGGER note_gone AFTER DELETE ON opt_outs REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();

-- ————— Voice —————
-- Settings of the voice platform, and what happens in a call.

-- How a clinic's calls are placed at the voice platform. Without a row, and where a row says nothing, the operator's
-- environment holds.
CREATE TABLE voice_settings (
    clinic_id text PRIMARY KEY REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- Encrypted JSON of the clinic's own key at the platform; null where it calls through the operator's account.
    credentials text,
    credential_id text,
    phone_number_id text,
    assistant_id text,
    assistants jsonb NOT NULL,
    transfer_to text,
    detects_voicemail boolean NOT NULL,
    leaves_message boolean NOT NULL,
    max_call_seconds integer NOT NULL,
    is_recorded boolean NOT NULL,
    discloses_recording boolean NOT NULL,
    is_hipaa boolean NOT NULL,
    updated_at timestamptz(3) NOT NULL DEFAULT now()
);

-- Numbers that patients can call, and the clinic that each belongs to.
CREATE TABLE phone_numbers (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    number text NOT NULL,
    platform_id text,
    assistant_id text,
    -- When the operator confirmed that the line is this clinic's.
    confirmed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX phone_numbers_clinic_id_number_key ON phone_numbers (clinic_id, number);
CREATE UNIQUE INDEX phone_numbers_clinic_id_platform_id_key ON phone_numbers (clinic_id, platform_id);
-- A number belongs to one clinic only, once the operator has confirmed whose it is; until then anybody can enter it.
CREATE UNIQUE INDEX phone_numbers_number_held ON phone_numbers (number) WHERE confirmed_at IS NOT NULL;
CREATE UNIQUE INDEX phone_numbers_platform_id_held ON phone_numbers (platform_id) WHERE confirmed_at IS NOT NULL;

-- What a voice agent asked for during a call, the reply, so that a repetition gets the same one, and what it changed:
-- outcomes are decided by these facts.
CREATE TABLE tool_calls (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    call_id text NOT NULL,
    tool_call_id text NOT NULL,
    family text NOT NULL,
    tool text NOT NULL,
    arguments jsonb NOT NULL,
    meaning text NOT NULL,
    reply text,
    is_success boolean,
    fact text,
    detail jsonb,
    claim_token text,
    claimed_until timestamptz(3),
    started_at timestamptz(3) NOT NULL DEFAULT now(),
    completed_at timestamptz(3),
    -- The how-manieth write of its call: some begin in one millisecond. Null for a read.
    place integer,
    CONSTRAINT tool_calls_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- A tool call that is repeated finds its reply.
CREATE UNIQUE INDEX tool_calls_call_id_tool_call_id_key ON tool_calls (call_id, tool_call_id);
CREATE INDEX tool_calls_call_id_meaning_started_at_idx ON tool_calls (call_id, meaning, started_at);
-- Written in the order of time, and asked for a day at a time: a few pages in place of an entry for each row.
CREATE INDEX tool_calls_started_at_brin ON tool_calls USING brin (started_at) WITH (pages_per_range = 16);

-- What the platform hands over of a call once it is over. Apart from `calls`, so that lists do not read transcripts, and
-- so that it can be deleted while the call's record stays.
CREATE TABLE call_evidence (
    clinic_id text NOT NULL,
    call_id text NOT NULL,
    transcript text,
    recording_url text,
    -- The platform's own word for whether the call did what it was for.
    success text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT call_evidence_pkey PRIMARY KEY (clinic_id, call_id),
    CONSTRAINT call_evidence_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX call_evidence_created_at_idx ON call_evidence (created_at);

-- Every date of birth that somebody stated for a patient in a call. Never the date itself.
CREATE TABLE verification_attempts (
    -- That of the tool call, so that one which is run again counts once.
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    call_id text NOT NULL,
    tool text NOT NULL,
    outcome text NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT verification_attempts_outcome CHECK (outcome IN ('matched', 'mismatched', 'unreadable', 'locked')),
    CONSTRAINT verification_attempts_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT verification_attempts_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX verification_attempts_clinic_id_call_id_at_idx ON verification_attempts (clinic_id, call_id, at);
CREATE INDEX verification_attempts_clinic_id_patient_id_at_idx ON verification_attempts (clinic_id, patient_id, at);

-- What callers whom nobody has verified tried within a day, as far as it is counted: who they are, and bookings.
CREATE TABLE caller_tries (
    -- That of the tool call, so that one which is run again counts once.
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    call_id text NOT NULL,
    kind text NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT caller_tries_kind CHECK (kind IN ('identity', 'booking', 'hold', 'waitlist')),
    CONSTRAINT caller_tries_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT caller_tries_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX caller_tries_clinic_id_at_idx ON caller_tries (clinic_id, at);

-- What a caller who was not verified says about a patient whom the clinic knows: staff decide whether it is true.
CREATE TABLE record_proposals (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    call_id text NOT NULL,
    given jsonb NOT NULL,
    state text NOT NULL DEFAULT 'OPEN',
    decided_by text,
    decided_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT record_proposals_state CHECK (state IN ('OPEN', 'ACCEPTED', 'DISMISSED')),
    CONSTRAINT record_proposals_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT record_proposals_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX record_proposals_clinic_id_id_key ON record_proposals (clinic_id, id);
CREATE UNIQUE INDEX record_proposals_one_per_call ON record_proposals (call_id, patient_id);
CREATE INDEX record_proposals_clinic_id_patient_id_created_at_idx ON record_proposals (clinic_id, patient_id, created_at);

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON verification_attempts FOR EACH ROW EXECUTE FUNCTION follow_merge();
CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON caller_tries FOR EACH ROW EXECUTE FUNCTION follow_merge();
CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON record_proposals FOR EACH ROW EXECUTE FUNCTION follow_merge();

-- How the caller of a call stands: 'unasked', 'failed' or 'verified'. Nobody has failed where no date of birth is on file.
CREATE FUNCTION caller_standing(of_clinic text, of_call text) RETURNS TABLE (standing text) LANGUAGE sql STABLE AS $$
  SELECT COALESCE((
    SELECT CASE WHEN a.outcome = 'matched' THEN 'verified' WHEN p.birth_date IS NOT NULL THEN 'failed' END
    FROM verification_attempts a JOIN patients p ON p.clinic_id = a.clinic_id AND p.id = a.patient_id
    WHERE a.clinic_id = of_clinic AND a.call_id = of_call AND (a.outcome = 'matched' OR a.tool = 'verify_patient')
    ORDER BY a.at DESC, a.id DESC LIMIT 1), 'unasked')
$$;

-- Takes a writing tool call for execution once: by its id, and by its meaning where the same was asked under another id a
-- moment ago. The claims of one call take turns. It is a function so that this takes one round trip, and so that each of
-- its queries sees what the claim before has written. A claim lasts only as long as its holder renews it, and its token is
-- the id that was given with it.
--   claimed: the caller runs it; since: when an earlier try began that nobody finished; standing: that of the call's caller
--   answered: reply is the earlier reply
--   running: another process is running it
CREATE FUNCTION claim_tool_call(
  new_id text, of_clinic text, of_call text, under_id text, of_family text, of_tool text, given jsonb, means text,
  rivals text[], claim_lasts interval, same_within interval
) RETURNS TABLE (kind text, id text, since timestamptz, reply text, standing text) LANGUAGE plpgsql AS $$
DECLARE
  own tool_calls;
  twin tool_calls;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_call, 5));

  SELECT * INTO own FROM tool_calls t WHERE t.call_id = of_call AND t.tool_call_id = under_id;
  IF own.reply IS NOT NULL THEN
    RETURN QUERY SELECT 'answered', own.id, NULL::timestamptz, own.reply, NULL::text;
    RETURN;
  END IF;
  IF own.claimed_until > now() THEN
    RETURN QUERY SELECT 'running', own.id, NULL::timestamptz, NULL::text, NULL::text;
    RETURN;
  END IF;

  -- The latest that means the same and has not failed, unless something else was changed since.
  SELECT * INTO twin FROM tool_calls t
  WHERE t.call_id = of_call AND t.meaning = means AND t.tool_call_id <> under_id
    AND t.started_at > now() - same_within AND t.is_success IS DISTINCT FROM false
    AND NOT EXISTS (
      SELECT 1 FROM tool_calls later
      WHERE later.call_id = of_call AND later.tool = ANY (rivals) AND later.meaning <> means
        AND later.is_success AND later.place > t.place)
  ORDER BY t.place DESC LIMIT 1;
  IF twin.reply IS NULL AND twin.claimed_until > now() THEN
    RETURN QUERY SELECT 'running', twin.id, NULL::timestamptz, NULL::text, NULL::text;
    RETURN;
  END IF;

  -- With a twin's reply the second id gets a row of its own, so that its own repetition always gets that reply.
  RETURN QUERY
  INSERT INTO tool_calls AS t (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success,
    completed_at, claim_token, claimed_until, place)
  VALUES (new_id, of_clinic, of_call, under_id, of_family, of_tool, given, means, twin.reply,
    CASE WHEN twin.reply IS NOT NULL THEN true END, CASE WHEN twin.reply IS NOT NULL THEN now() END,
    new_id, now() + claim_lasts, (SELECT COALESCE(max(c.place), 0) + 1 FROM tool_calls c WHERE c.call_id = of_call))
  ON CONFLICT (call_id, tool_call_id) DO UPDATE SET started_at = now(), place = excluded.place, reply = excluded.reply,
    is_success = excluded.is_success, completed_at = excluded.completed_at,
    claim_token = excluded.claim_token, claimed_until = excluded.claimed_until
  RETURNING CASE WHEN t.reply IS NULL THEN 'claimed' ELSE 'answered' END, t.id,
    COALESCE(own.started_at, CASE WHEN twin.reply IS NULL THEN twin.started_at END), t.reply,
    (SELECT c.standing FROM caller_standing(of_clinic, of_call) c);
END $$;

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER UPDATE ON tool_calls FOR EACH ROW EXECUTE FUNCTION note_change();

-- ————— Calendar —————
-- Providers, appointments, held times and the waitlist.

-- Who gives appointments, with the hours in which they do.
CREATE TABLE providers (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name text NOT NULL,
    display_name text NOT NULL,
    working_hours jsonb NOT NULL,
    visit_types text[],
    special_days jsonb NOT NULL DEFAULT '{}',
    notice_minutes integer NOT NULL DEFAULT 0,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX providers_clinic_id_id_key ON providers (clinic_id, id);
CREATE UNIQUE INDEX providers_clinic_id_name_key ON providers (clinic_id, name);

-- Half-hour appointments of a patient with a provider.
CREATE TABLE appointments (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    provider_id text NOT NULL,
    status text NOT NULL DEFAULT 'booked',
    visit_type text NOT NULL,
    starts_at timestamptz(3) NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    external_id text,
    cancelled_at timestamptz(3),
    -- A code of HL7's appointment-cancellation-reason.
    cancellation_reason text,
    -- A FHIR client's own, as system|value.
    identifier text,
    -- Counted by count_version at every change.
    version integer NOT NULL DEFAULT 1,
    -- Who made this version, as the writer noted it, and under which key, by which a repeat finds it: { by, request, key }.
    -- Null: nobody said.
    last_change jsonb,
    -- Such a row is no appointment but a time that is held for a patient until this instant: its status is cancelled, so
    -- that look-ups of booked ones never meet it. It keeps its time until somebody ends it (cancelled_at), and becomes an
    -- appointment by losing held_until. A constraint cannot look at a clock: those who want the time see whether the
    -- instant has passed.
    held_until timestamptz(3),
    in_sandbox boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT appointments_holds CHECK (held_until IS NULL OR status = 'cancelled'),
    -- Appointments are as long as the slots that are offered.
    CONSTRAINT appointments_length CHECK (ends_at = starts_at + interval '30 minutes'),
    CONSTRAINT appointments_status CHECK (status IN ('booked', 'arrived', 'fulfilled', 'noshow', 'cancelled')),
    -- Of two who want overlapping times of one provider one wins, whether they book, move or hold. Not deferrable, so that
    -- the other learns it at once.
    CONSTRAINT appointments_never_overlap EXCLUDE USING gist (provider_id WITH =, tstzrange(starts_at, ends_at) WITH &&)
        WHERE (status IN ('booked', 'arrived') OR (held_until IS NOT NULL AND cancelled_at IS NULL)),
    CONSTRAINT appointments_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT appointments_clinic_id_provider_id_fkey FOREIGN KEY (clinic_id, provider_id)
        REFERENCES providers (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX appointments_clinic_id_id_key ON appointments (clinic_id, id);
CREATE UNIQUE INDEX appointments_clinic_id_external_id_key ON appointments (clinic_id, external_id);
CREATE INDEX appointments_clinic_id_patient_id_starts_at_idx ON appointments (clinic_id, patient_id, starts_at);
CREATE INDEX appointments_clinic_id_starts_at_idx ON appointments (clinic_id, starts_at);
-- For work that is waiting: what was not yet started, sent or delivered, and appointments that are over.
CREATE INDEX appointments_booked ON appointments (ends_at) WHERE status IN ('booked', 'arrived');
-- For a patient's next appointment.
CREATE INDEX appointments_upcoming ON appointments (clinic_id, patient_id, starts_at) WHERE status = 'booked';
-- For a search for open slots: a provider's booked times, in order, from the index alone.
CREATE INDEX appointments_booked_times ON appointments (provider_id, starts_at) WHERE status IN ('booked', 'arrived');
CREATE INDEX appointments_clinic_id_status_starts_at_idx ON appointments (clinic_id, status, starts_at);
CREATE INDEX appointments_clinic_id_provider_id_starts_at_idx ON appointments (clinic_id, provider_id, starts_at);
CREATE INDEX appointments_in_sandbox ON appointments (clinic_id) WHERE in_sandbox;
CREATE INDEX appointments_clinic_id_created_at_idx ON appointments (clinic_id, created_at);
CREATE UNIQUE INDEX appointments_identified ON appointments (clinic_id, identifier) WHERE identifier IS NOT NULL;
-- Searches for open times.
CREATE INDEX appointments_held_times ON appointments (provider_id, starts_at) WHERE held_until IS NOT NULL AND cancelled_at IS NULL;
-- Removing holds that are long over.
CREATE INDEX appointments_holds_made ON appointments (created_at) WHERE held_until IS NOT NULL;

-- What an appointment was: before and after it was moved or changed under a key, and at every change for clinics whose sandbox shows it.
CREATE TABLE appointment_versions (
    clinic_id text NOT NULL,
    appointment_id text NOT NULL,
    version integer NOT NULL,
    provider_id text NOT NULL,
    status text NOT NULL,
    visit_type text NOT NULL,
    starts_at timestamptz(3) NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    cancellation_reason text,
    last_change jsonb,
    updated_at timestamptz(3) NOT NULL,
    CONSTRAINT appointment_versions_pkey PRIMARY KEY (clinic_id, appointment_id, version),
    CONSTRAINT appointment_versions_clinic_id_appointment_id_fkey FOREIGN KEY (clinic_id, appointment_id)
        REFERENCES appointments (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- What is asked for again under its key is changed once.
CREATE UNIQUE INDEX appointment_versions_keyed ON appointment_versions (clinic_id, (last_change ->> 'key')) WHERE last_change ->> 'key' IS NOT NULL;

-- Who waits for a time that becomes free, in the sandbox EMR. Dates and times of day are those of the clinic's clock.
CREATE TABLE waitlist_entries (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    patient_id text NOT NULL,
    -- Null for any.
    provider_id text,
    visit_type text NOT NULL,
    earliest_on text NOT NULL,
    latest_on text NOT NULL,
    from_time text,
    until_time text,
    status text NOT NULL DEFAULT 'waiting',
    -- The patient may not be called before.
    not_before timestamptz(3),
    added_by text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    CONSTRAINT waitlist_entries_status CHECK (status IN ('waiting', 'offered', 'booked', 'removed', 'expired')),
    CONSTRAINT waitlist_entries_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT waitlist_entries_clinic_id_provider_id_fkey FOREIGN KEY (clinic_id, provider_id)
        REFERENCES providers (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX waitlist_entries_clinic_id_id_key ON waitlist_entries (clinic_id, id);
CREATE INDEX waitlist_entries_clinic_id_created_at_idx ON waitlist_entries (clinic_id, created_at);
CREATE INDEX waitlist_entries_clinic_id_status_created_at_idx ON waitlist_entries (clinic_id, status, created_at);
CREATE INDEX waitlist_entries_clinic_id_patient_id_created_at_idx ON waitlist_entries (clinic_id, patient_id, created_at);
CREATE INDEX waitlist_entries_open ON waitlist_entries (clinic_id, created_at) WHERE status IN ('waiting', 'offered');
-- Who asks twice for the same waits once.
CREATE UNIQUE INDEX waitlist_entries_once ON waitlist_entries (clinic_id, patient_id, visit_type, earliest_on, latest_on,
    COALESCE(provider_id, ''), COALESCE(from_time, ''), COALESCE(until_time, '')) WHERE status IN ('waiting', 'offered');

-- A free time that is held for somebody who is called about it. The appointment is the hold, and what the patient books.
CREATE TABLE waitlist_offers (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    entry_id text NOT NULL,
    workflow_id text NOT NULL,
    provider_id text NOT NULL,
    starts_at timestamptz(3) NOT NULL,
    appointment_id text NOT NULL,
    status text NOT NULL DEFAULT 'open',
    offered_at timestamptz(3) NOT NULL DEFAULT now(),
    -- By the real time, whatever a sandbox's clock shows.
    ends_at timestamptz(3) NOT NULL,
    closed_at timestamptz(3),
    CONSTRAINT waitlist_offers_status CHECK (status IN ('open', 'accepted', 'declined', 'lapsed', 'postponed', 'withdrawn')),
    CONSTRAINT waitlist_offers_clinic_id_entry_id_fkey FOREIGN KEY (clinic_id, entry_id)
        REFERENCES waitlist_entries (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT waitlist_offers_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX waitlist_offers_clinic_id_workflow_id_key ON waitlist_offers (clinic_id, workflow_id);
CREATE INDEX waitlist_offers_open ON waitlist_offers (ends_at) WHERE status = 'open';
CREATE INDEX waitlist_offers_holds ON waitlist_offers (clinic_id, appointment_id) WHERE status = 'open';
CREATE INDEX waitlist_offers_clinic_id_entry_id_idx ON waitlist_offers (clinic_id, entry_id);
-- One offer of a time, and one to a person, at a time.
CREATE UNIQUE INDEX waitlist_offers_one_of_a_time ON waitlist_offers (provider_id, starts_at) WHERE status = 'open';
CREATE UNIQUE INDEX waitlist_offers_one_of_an_entry ON waitlist_offers (entry_id) WHERE status = 'open';
-- Nobody is called twice about one time.
CREATE UNIQUE INDEX waitlist_offers_once ON waitlist_offers (entry_id, provider_id, starts_at) WHERE status <> 'postponed';

-- Times that became free while somebody waits: written with what freed them, deleted with the offer that they lead to.
-- Rows are only added, so that who cancels waits for nobody.
CREATE TABLE freed_times (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    provider_id text NOT NULL,
    starts_at timestamptz(3) NOT NULL,
    freed_at timestamptz(3) NOT NULL DEFAULT now(),
    look_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE INDEX freed_times_clinic_id_idx ON freed_times (clinic_id);
CREATE INDEX freed_times_look_at_id_idx ON freed_times (look_at, id);

-- Times at clinics' EHRs that bookings of this service are at: who asks an EHR may see a booking of the other process too late.
CREATE TABLE ehr_times (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- The visit, by our key of it or by the id of the EHR, hashed.
    holder text NOT NULL,
    -- As Practitioner/12.
    actor text NOT NULL,
    starts_at timestamptz(3) NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (clinic_id, holder),
    CONSTRAINT ehr_times_never_overlap EXCLUDE USING gist (clinic_id WITH =, actor WITH =, tstzrange(starts_at, ends_at) WITH &&)
);

-- A change that does not say who made it leaves the note of the one before: that is not its own.
CREATE FUNCTION count_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A time that is only held is no appointment yet: what is booked in its place begins anew.
    NEW.version := CASE WHEN OLD.held_until IS NULL THEN OLD.version + 1 ELSE 1 END;
    IF NEW.last_change IS NOT DISTINCT FROM OLD.last_change THEN
        NEW.last_change := NULL;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER count_version BEFORE UPDATE OF status, visit_type, starts_at, ends_at, provider_id, patient_id ON appointments
    FOR EACH ROW EXECUTE FUNCTION count_version();

CREATE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_move boolean := TG_OP = 'UPDATE' AND OLD.held_until IS NULL
        AND (OLD.starts_at, OLD.provider_id) IS DISTINCT FROM (NEW.starts_at, NEW.provider_id);
    is_keyed boolean := NEW.last_change ->> 'key' IS NOT NULL;
BEGIN
    IF NEW.held_until IS NOT NULL OR NOT (is_move OR is_keyed OR EXISTS (
        SELECT FROM clinics WHERE id = NEW.clinic_id AND sandbox_enabled AND sandbox_leniency ->> 'showsNextAppointmentOnly' = 'false'))
    THEN
        RETURN NULL;
    END IF;
    -- What came before, too: it may be from before versions were kept.
    IF TG_OP = 'UPDATE' AND OLD.held_until IS NULL THEN
        INSERT INTO appointment_versions
        VALUES (OLD.clinic_id, OLD.id, OLD.version, OLD.provider_id, OLD.status, OLD.visit_type, OLD.starts_at, OLD.ends_at,
            OLD.cancellation_reason, OLD.last_change, OLD.updated_at)
        ON CONFLICT ON CONSTRAINT appointment_versions_pkey DO NOTHING;
    END IF;
    INSERT INTO appointment_versions
    VALUES (NEW.clinic_id, NEW.id, NEW.version, NEW.provider_id, NEW.status, NEW.visit_type, NEW.starts_at, NEW.ends_at,
        NEW.cancellation_reason, NEW.last_change, NEW.updated_at)
    ON CONFLICT ON CONSTRAINT appointment_versions_pkey DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER keep_version AFTER INSERT OR UPDATE OF status, visit_type, starts_at, ends_at, provider_id, patient_id ON appointments
    FOR EACH ROW EXECUTE FUNCTION keep_version();

-- No matter who writes, over FHIR, REST, in a call or by a reset.
CREATE FUNCTION mark_in_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.in_sandbox := EXISTS (SELECT FROM clinics WHERE id = NEW.clinic_id AND sandbox_enabled);
  RETURN NEW;
END
$$;

CREATE TRIGGER mark_in_sandbox BEFORE INSERT ON patients FOR EACH ROW EXECUTE FUNCTION mark_in_sandbox();
CREATE TRIGGER mark_in_sandbox BEFORE INSERT ON documents FOR EACH ROW EXECUTE FUNCTION mark_in_sandbox();
CREATE TRIGGER mark_in_sandbox BEFORE INSERT ON appointments FOR EACH ROW EXECUTE FUNCTION mark_in_sandbox();

-- Anyone who frees a time, by whatever statement: a cancellation, a move, the end of a hold, an erasure.
CREATE FUNCTION note_freed_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.provider_id = OLD.provider_id AND NEW.starts_at = OLD.starts_at
    AND (NEW.status <> 'cancelled' OR (NEW.held_until IS NOT NULL AND NEW.cancelled_at IS NULL)) THEN
    RETURN NULL;
  END IF;
  INSERT INTO freed_times (clinic_id, provider_id, starts_at)
  SELECT OLD.clinic_id, OLD.provider_id, OLD.starts_at
  WHERE EXISTS (SELECT 1 FROM waitlist_entries WHERE clinic_id = OLD.clinic_id AND status IN ('waiting', 'offered'))
    AND EXISTS (SELECT 1 FROM clinics WHERE id = OLD.clinic_id);
  RETURN NULL;
END $$;

CREATE TRIGGER note_freed_time AFTER UPDATE OF status, held_until, cancelled_at, starts_at, provider_id OR DELETE ON appointments
  FOR EACH ROW WHEN (OLD.status IN ('booked', 'arrived') OR (OLD.held_until IS NOT NULL AND OLD.cancelled_at IS NULL))
  EXECUTE FUNCTION note_freed_time();

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON appointments FOR EACH ROW EXECUTE FUNCTION follow_merge();
CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON waitlist_entries FOR EACH ROW EXECUTE FUNCTION follow_merge();

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON providers FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON appointments FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_gone AFTER DELETE ON appointments REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON waitlist_entries FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_gone AFTER DELETE ON waitlist_entries REFERENCING OLD TABLE AS changed_rows FOR EACH STATEMENT EXECUTE FUNCTION note_change();

-- ————— Tasks —————

-- What a person must do, and why.
CREATE TABLE staff_tasks (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    reason text NOT NULL,
    state text NOT NULL DEFAULT 'OPEN',
    assignee_id text,
    patient_id text,
    call_id text,
    case_id text,
    workflow_id text,
    detail jsonb NOT NULL DEFAULT '{}',
    cause text NOT NULL,
    priority text NOT NULL DEFAULT 'NORMAL',
    -- A day of the clinic's calendar, and a time of its clock.
    due_on date,
    due_time text,
    -- What the last call about it came to.
    outcome text,
    -- Who gave it to the one who has it, as the audit names them: account:…
    assigned_by text,
    assigned_at timestamptz(3),
    -- By it open tasks are done one after the other: set_task_turn.
    turn timestamptz(3) NOT NULL DEFAULT now(),
    -- Counts the changes, so that a change to what somebody else has changed meanwhile is refused.
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    resolved_at timestamptz(3),
    CONSTRAINT staff_tasks_priority CHECK (priority IN ('HIGH', 'NORMAL', 'LOW')),
    CONSTRAINT staff_tasks_state CHECK (state IN ('OPEN', 'RESOLVED')),
    CONSTRAINT staff_tasks_outcome CHECK (outcome IN ('spoke', 'voicemail', 'no_answer', 'try_later')),
    CONSTRAINT staff_tasks_due_time CHECK (due_time IS NULL OR (due_on IS NOT NULL AND due_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$')),
    CONSTRAINT staff_tasks_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX staff_tasks_clinic_id_id_key ON staff_tasks (clinic_id, id);
-- A cause for a task finds the task that it had.
CREATE UNIQUE INDEX staff_tasks_clinic_id_cause_key ON staff_tasks (clinic_id, cause);
CREATE INDEX staff_tasks_clinic_id_state_created_at_idx ON staff_tasks (clinic_id, state, created_at);
CREATE INDEX staff_tasks_clinic_id_created_at_idx ON staff_tasks (clinic_id, created_at);
CREATE INDEX staff_tasks_clinic_id_reason_created_at_idx ON staff_tasks (clinic_id, reason, created_at);
CREATE INDEX staff_tasks_clinic_id_assignee_id_created_at_idx ON staff_tasks (clinic_id, assignee_id, created_at);
CREATE INDEX staff_tasks_of_case ON staff_tasks (clinic_id, case_id, created_at) WHERE case_id IS NOT NULL;
CREATE INDEX staff_tasks_open ON staff_tasks (created_at) WHERE state = 'OPEN';
CREATE INDEX staff_tasks_clinic_id_patient_id_created_at_idx ON staff_tasks (clinic_id, patient_id, created_at);
CREATE INDEX staff_tasks_clinic_id_priority_created_at_idx ON staff_tasks (clinic_id, priority, created_at);
CREATE INDEX staff_tasks_clinic_id_state_turn_idx ON staff_tasks (clinic_id, state, turn);
CREATE INDEX staff_tasks_clinic_id_assignee_id_state_turn_idx ON staff_tasks (clinic_id, assignee_id, state, turn);
CREATE INDEX staff_tasks_assigned ON staff_tasks (clinic_id, assignee_id, assigned_at) WHERE state = 'OPEN' AND assignee_id IS NOT NULL;
CREATE INDEX staff_tasks_due ON staff_tasks (clinic_id, created_at) WHERE due_on IS NOT NULL;

-- What people write to each other about a task. Notes are only added: two people at once lose nothing.
CREATE TABLE task_notes (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    task_id text NOT NULL,
    -- As the audit names them: account:…
    written_by text NOT NULL,
    note text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT task_notes_clinic_id_task_id_fkey FOREIGN KEY (clinic_id, task_id)
        REFERENCES staff_tasks (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX task_notes_clinic_id_task_id_created_at_idx ON task_notes (clinic_id, task_id, created_at);

-- Who of a clinic's staff is mailed about new tasks, and up to when they were told.
CREATE TABLE task_mails (
    user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    told_until timestamptz(3) NOT NULL DEFAULT now()
);

-- Who of a clinic's staff is mailed the results of each month.
CREATE TABLE month_mails (
    user_id text PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- The first day of the last month that they were told of: set before the last line of its mail is sent, so that no month is told twice.
    told_month date NOT NULL,
    -- When a mail server last refused it, or could not be reached.
    refused_at timestamptz(3)
);

-- Who was told of an alarm: 'operator', or an account by its id.
CREATE TABLE alarm_notices (
    task_id text NOT NULL,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    told text NOT NULL,
    told_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT alarm_notices_pkey PRIMARY KEY (task_id, told),
    CONSTRAINT alarm_notices_clinic_id_task_id_fkey FOREIGN KEY (clinic_id, task_id)
        REFERENCES staff_tasks (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX staff_tasks_alarms ON staff_tasks (created_at)
    WHERE reason IN ('bulk_reads', 'emergency_access', 'records_exported', 'refused_sign_ins');

-- Counts, whether a workflow or a person writes.
CREATE FUNCTION count_task_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

-- In the order of when they are due, a day without a time at its end, the more urgent first; then, long after, those that are due at no
-- day: by urgency, the oldest first.
CREATE FUNCTION set_task_turn() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rank integer := CASE NEW.priority WHEN 'HIGH' THEN 0 WHEN 'NORMAL' THEN 1 ELSE 2 END;
BEGIN
  NEW.turn := CASE
    WHEN NEW.due_on IS NOT NULL THEN NEW.due_on + coalesce(NEW.due_time, '24:00')::time + rank * interval '1 millisecond'
    ELSE timestamp '4000-01-01' + rank * interval '1000 years' + (NEW.created_at AT TIME ZONE 'UTC' - timestamp '2000-01-01')
  END AT TIME ZONE 'UTC';
  RETURN NEW;
END $$;

CREATE TRIGGER set_task_turn BEFORE INSERT OR UPDATE ON staff_tasks FOR EACH ROW EXECUTE FUNCTION set_task_turn();

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF patient_id ON staff_tasks FOR EACH ROW EXECUTE FUNCTION follow_merge();
CREATE TRIGGER count_task_change BEFORE UPDATE ON staff_tasks FOR EACH ROW EXECUTE FUNCTION count_task_change();

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON staff_tasks FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT ON task_notes FOR EACH ROW EXECUTE FUNCTION note_change();

-- ————— Events —————
-- What platforms tell us, and what clinics are told.

-- What a platform sent, stored before it is answered.
CREATE TABLE inbound_events (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    event text NOT NULL,
    dedupe_key text NOT NULL,
    payload jsonb NOT NULL,
    workflow_id text,
    received_at timestamptz(3) NOT NULL DEFAULT now()
);

-- An event that is sent again changes nothing.
CREATE UNIQUE INDEX inbound_events_clinic_id_event_dedupe_key_key ON inbound_events (clinic_id, event, dedupe_key);
CREATE INDEX inbound_events_clinic_id_received_at_idx ON inbound_events (clinic_id, received_at);
-- An erasure, and the checks of relations that go with it, find rows by this.
CREATE INDEX inbound_events_clinic_id_workflow_id_idx ON inbound_events (clinic_id, workflow_id);

-- Where events of a clinic are sent, and which. How each does stands beside it: after some failures in a row its events wait, and
-- are tried one at a time.
CREATE TABLE receivers (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- An endpoint, or a FHIR Subscription of a sandbox.
    kind text NOT NULL DEFAULT 'endpoint',
    -- The one that PUT /integrations/outbound registers. It alone may have no URL and no name.
    is_first boolean NOT NULL DEFAULT false,
    name text,
    url text,
    is_enabled boolean NOT NULL DEFAULT true,
    disabled_reason text,
    events text[] NOT NULL DEFAULT '{}',
    -- Failed attempts at the present URL since the last one that succeeded.
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz(3),
    -- The first 410 since it answered anything else.
    gone_since timestamptz(3),
    -- Nothing is sent before; then one attempt at a time.
    paused_until timestamptz(3),
    -- Senders that wait look again one after the other: the last one's turn.
    next_look_at timestamptz(3),
    -- Why the last attempt failed; null where it did not.
    last_error text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    -- Its deliveries stay on record, and say its name.
    removed_at timestamptz(3),
    CONSTRAINT receivers_kind CHECK (kind IN ('endpoint', 'subscription')),
    CONSTRAINT receivers_named CHECK (is_first OR (name IS NOT NULL AND url IS NOT NULL))
);

CREATE UNIQUE INDEX receivers_clinic_id_id_key ON receivers (clinic_id, id);
CREATE UNIQUE INDEX receivers_one_first ON receivers (clinic_id) WHERE is_first;

-- What clinics are told, written in the transaction that makes it true.
CREATE TABLE outbound_events (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    event text NOT NULL,
    subject text NOT NULL,
    sequence bigserial NOT NULL,
    -- Of a change that a subscription tells of: from 1 on, in the order in which they were committed. Given a little later, so that
    -- who books waits for nobody.
    number integer,
    data jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    -- The one receiver that it is for, as a sample; null: for all that want it.
    only_to text
);

CREATE UNIQUE INDEX outbound_events_clinic_id_id_key ON outbound_events (clinic_id, id);
-- A clinic is told once that a case was opened, and once of each outcome; a subscription of each change, and a test is sent as
-- often as somebody asks.
CREATE UNIQUE INDEX outbound_events_once_per_case ON outbound_events (clinic_id, subject, event)
    WHERE event NOT IN ('test', 'subscription.handshake', 'subscription.heartbeat', 'subscription.event');
-- A subscription's events by their numbers; those that have none yet; and those about a patient who is erased.
CREATE UNIQUE INDEX outbound_events_numbered ON outbound_events (clinic_id, subject, number) WHERE number IS NOT NULL;
CREATE INDEX outbound_events_unnumbered ON outbound_events (clinic_id, subject, sequence)
    WHERE event = 'subscription.event' AND number IS NULL;
CREATE INDEX outbound_events_of_patient ON outbound_events (clinic_id, (data ->> 'patientId')) WHERE event = 'subscription.event';
CREATE INDEX outbound_events_clinic_id_subject_sequence_idx ON outbound_events (clinic_id, subject, sequence);
-- Written in the order of time, and asked for a day at a time: a few pages in place of an entry for each row.
CREATE INDEX outbound_events_created_at_brin ON outbound_events USING brin (created_at) WITH (pages_per_range = 16);

-- An outgoing event on its way to a receiver. What a receiver is owed about one subject is sent in the order of `place`.
CREATE TABLE deliveries (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    event_id text NOT NULL,
    receiver_id text NOT NULL,
    -- The name and the subject of the event, by which deliveries are listed and sent: kept beside them, so that each is found
    -- at once.
    event text NOT NULL,
    subject text NOT NULL,
    place bigint NOT NULL,
    state text NOT NULL DEFAULT 'PENDING',
    tries integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3),
    leased_until timestamptz(3),
    -- The holder of a lease has a token. A write with an older token is refused: a process that was frozen and wakes
    -- changes nothing that others have done meanwhile.
    lease_token text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    delivered_at timestamptz(3),
    CONSTRAINT deliveries_state CHECK (state IN ('PENDING', 'DELIVERED', 'DEAD')),
    CONSTRAINT deliveries_clinic_id_event_id_fkey FOREIGN KEY (clinic_id, event_id)
        REFERENCES outbound_events (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT deliveries_clinic_id_receiver_id_fkey FOREIGN KEY (clinic_id, receiver_id)
        REFERENCES receivers (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX deliveries_clinic_id_id_key ON deliveries (clinic_id, id);
CREATE INDEX deliveries_clinic_id_created_at_idx ON deliveries (clinic_id, created_at);
-- For work that is waiting: what was not yet started, sent or delivered, and appointments that are over.
CREATE INDEX deliveries_pending ON deliveries (next_attempt_at) WHERE state = 'PENDING';
-- For a sender: what comes next for its receiver about its subject.
CREATE INDEX deliveries_next ON deliveries (clinic_id, receiver_id, subject, place) WHERE state = 'PENDING';
-- For counting the attempts that are under way.
CREATE INDEX deliveries_leased ON deliveries (clinic_id, leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_clinic_id_event_created_at_idx ON deliveries (clinic_id, event, created_at);
CREATE INDEX deliveries_clinic_id_receiver_id_created_at_idx ON deliveries (clinic_id, receiver_id, created_at);
CREATE INDEX deliveries_not_delivered ON deliveries (clinic_id, state, created_at) WHERE state <> 'DELIVERED';
CREATE UNIQUE INDEX deliveries_clinic_id_event_id_receiver_id_key ON deliveries (clinic_id, event_id, receiver_id);
CREATE INDEX deliveries_given_up ON deliveries (clinic_id, receiver_id, created_at) WHERE state = 'DEAD';

-- Each try of a delivery and what came of it.
CREATE TABLE delivery_attempts (
    id text PRIMARY KEY,
    clinic_id text NOT NULL,
    delivery_id text NOT NULL,
    url text NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT now(),
    status integer,
    error text,
    duration_ms integer NOT NULL,
    response text,
    receiver_id text NOT NULL,
    CONSTRAINT delivery_attempts_clinic_id_delivery_id_fkey FOREIGN KEY (clinic_id, delivery_id)
        REFERENCES deliveries (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX delivery_attempts_clinic_id_delivery_id_at_idx ON delivery_attempts (clinic_id, delivery_id, at);
-- How a clinic's receiver has been doing of late.
CREATE INDEX delivery_attempts_clinic_id_at_idx ON delivery_attempts (clinic_id, at);

-- What a run that has ended has still to tell the clinic's own system. Its workflow tells it; were Temporal's store lost
-- before, nobody else would know. A row goes when its notice was told, or staff have a task instead.
CREATE TABLE clinic_notices (
    workflow_id text NOT NULL,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    action text NOT NULL,
    -- The appointment, or the call where the notice is not of an appointment.
    subject text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT clinic_notices_pkey PRIMARY KEY (workflow_id, action, subject),
    CONSTRAINT clinic_notices_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- An outgoing event gets one delivery for each receiver that wants it; the first one's has the id of the event. What passes by one
-- that is off stays owed, and waits for a person to send it. A test event or a sample is for one receiver alone, whatever events it
-- has chosen, and for none that is off.
CREATE FUNCTION create_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, state, next_attempt_at)
  SELECT CASE WHEN r.is_first THEN NEW.id ELSE NEW.id || '-' || r.id END, NEW.clinic_id, NEW.id, r.id, NEW.event, NEW.subject,
    NEW.sequence, CASE WHEN r.is_enabled THEN 'PENDING' ELSE 'DEAD' END, CASE WHEN r.is_enabled THEN now() END
  FROM receivers r
  WHERE r.clinic_id = NEW.clinic_id AND r.url IS NOT NULL AND r.removed_at IS NULL
    AND CASE
      WHEN NEW.only_to IS NOT NULL THEN r.is_enabled AND r.id = NEW.only_to
      WHEN NEW.event = 'test' OR starts_with(NEW.subject, 'sample-') THEN r.is_enabled AND r.is_first
      ELSE NEW.event = ANY (r.events)
    END;
  RETURN NULL;
END $$;

-- What a subscription hears of is owed once it has its number.
CREATE TRIGGER create_delivery AFTER INSERT ON outbound_events FOR EACH ROW
    WHEN (NOT starts_with(NEW.event, 'subscription.')) EXECUTE FUNCTION create_delivery();

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_change();

-- How a session opens a case or run, and learns that its form was completed.

-- What a session opens, completes and loses by an erasure takes turns: the one that holds the lock sees, in the next statement, what was
-- committed while it waited. A clinic has a thousand such locks, for an erasure takes those of all sessions of its patient, and
-- the server has room for so many at once. Who takes several takes them in the order of their numbers.
CREATE FUNCTION lock_of_session(of_session text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  -- prisma/stores/events/intake.ts tells by it which sessions may meet at a lock.
  SELECT (get_byte(sha256(convert_to(of_session, 'UTF8')), 0) & 3) << 8 | get_byte(sha256(convert_to(of_session, 'UTF8')), 1)
$$;

CREATE FUNCTION lock_session(of_clinic text, of_session text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtext(of_clinic), lock_of_session(of_session))
$$;

-- The appointment, prescription or payment that a run is about; null for any other.
CREATE FUNCTION matter_of(of_type text, context jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE of_type
    WHEN 'appointment-confirmation' THEN context #>> '{appointment,appointmentId}'
    WHEN 'appointment-reminder' THEN context #>> '{appointment,appointmentId}'
    WHEN 'prescription-follow-up' THEN context #>> '{prescription,prescriptionId}'
    WHEN 'payment-recovery' THEN context #>> '{payment,paymentId}'
  END
$$;

-- Under which names others may tell of the same matter: of an appointment ours, and that of the clinic's EHR or platform.
CREATE FUNCTION names_of_matter(of_clinic text, of_type text, context jsonb) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT array_remove(told || COALESCE(
    (SELECT ARRAY[external_id] FROM appointments WHERE of_type LIKE 'appointment-%' AND clinic_id = of_clinic AND id = told),
    (SELECT ARRAY[id] FROM appointments WHERE of_type LIKE 'appointment-%' AND clinic_id = of_clinic AND external_id = told)), NULL)
  FROM (SELECT matter_of(of_type, context)) matter (told) WHERE told IS NOT NULL
$$;

-- What a run tells of its matter that may be another the next time: the time of an appointment, the status of a prescription.
CREATE FUNCTION news_of(context jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(context #>> '{appointment,startsAt}', context #>> '{prescription,status}')
$$;

-- What is known of a matter, with what is told of it beside: what is there stays.
CREATE FUNCTION filled_context(context jsonb, told jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT told || context || COALESCE((SELECT jsonb_object_agg(key, told -> key || value) FROM jsonb_each(context) WHERE told ? key), '{}')
$$;

-- When its event was sent, as far as that is known: nothing is sent after it has come. Else when it was opened.
CREATE FUNCTION told_at(run workflow_runs) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT COALESCE((SELECT min(LEAST((payload ->> 'sent_at')::timestamptz, received_at)) FROM inbound_events
    WHERE clinic_id = run.clinic_id AND workflow_id = run.id), run.started_at)
$$;

-- Whether what a run would tell its patient is old: a later event of its kind was about the same appointment, prescription or payment, or the
-- patient has settled with us what it is about since it was told. A status that comes again later is new, another status or time was not told.
CREATE FUNCTION is_superseded(run workflow_runs) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT matter_of(run.workflow_type, run.context) IS NOT NULL AND EXISTS (
    SELECT FROM workflow_runs other
    WHERE other.clinic_id = run.clinic_id AND other.patient_id = run.patient_id AND other.workflow_type = run.workflow_type
      AND other.id <> run.id AND matter_of(other.workflow_type, other.context)
        = ANY ((SELECT names_of_matter(run.clinic_id, run.workflow_type, run.context))::text[])
      AND ((told_at(other), other.started_at, other.id) > (told_at(run), run.started_at, run.id)
        OR (other.outcome NOT IN ('PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED') AND other.completed_at > told_at(run)
          AND news_of(other.context) IS NOT DISTINCT FROM news_of(run.context))))
$$;

-- Opens runs of any type in one statement, because platforms wait for the answer: to begin a statement of so many parts takes as long as
-- a run. It is a function so that it is planned once for a connection: what it reads it finds by keys, whatever is asked, and planning it
-- took longer than running it. No two are of one session or of one person. Each part takes its rows from `run`, which has none for a run that exists. `run` refers to
-- a patient, and `opened` to a run and a patient, that are inserted by other parts, in no certain order: foreign keys are
-- checked at the end of the statement.
--   opening: { clinicId, workflowType, sessionId, workflowId, context, patient, erasedKeys }, and where there is one
--   event: { id, name, payload } as it was sent
--   patient: { id, firstName, lastName, phone, email, patientId, consent }
--   form: of a recovery, which has a case and tells the clinic of it: { caseId, eventId, event, data, formId, … }
--   unreadable: { id, reason, cause } of the task for staff where a phone was given that could not be read
CREATE FUNCTION open_runs(places integer[], openings jsonb[])
RETURNS TABLE (place integer, is_new_event boolean, patient_id text) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
-- By keys while tables are still small too, for the plan is kept.
SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH item AS (
    SELECT place, opening ->> 'clinicId' AS of_clinic, opening ->> 'workflowType' AS of_type, opening ->> 'sessionId' AS of_session,
      opening ->> 'workflowId' AS new_run, opening -> 'context' AS run_context, opening -> 'event' AS event,
      opening -> 'form' AS form, opening -> 'unreadable' AS unreadable, opening -> 'patient' AS patient,
      opening #>> '{event,id}' AS new_event, opening #>> '{patient,id}' AS new_patient, opening #>> '{patient,phone}' AS given_phone,
      opening #>> '{patient,patientId}' AS given_id, opening #>> '{patient,dateOfBirth}' AS given_birth_date,
      -- Of JSON, null is no consent.
      NULLIF(opening #> '{patient,consent}', 'null') AS given_consent,
      -- By a limit each is looked up by itself: joined with all rows, a table without statistics is read as many times as it has rows.
      (SELECT true FROM tombstones
        WHERE clinic_id = opening ->> 'clinicId' AND kind IN ('session', 'event')
          AND key = ANY (ARRAY(SELECT jsonb_array_elements_text(opening -> 'erasedKeys'))) LIMIT 1) IS NOT NULL AS is_erased
    FROM unnest(places, openings) AS given (place, opening)
  ), met AS (
    -- The run that a session has.
    SELECT place, run_id, patient_id FROM item, LATERAL (
      SELECT id AS run_id, patient_id FROM workflow_runs
      WHERE clinic_id = of_clinic AND workflow_type = of_type AND session_id = of_session LIMIT 1
    ) found
  ), stored AS (
    INSERT INTO inbound_events (id, clinic_id, event, dedupe_key, payload, workflow_id)
    SELECT new_event, of_clinic, COALESCE(event ->> 'name', ''), of_session, event -> 'payload', COALESCE(run_id, new_run)
    FROM item LEFT JOIN met USING (place) WHERE event IS NOT NULL AND NOT is_erased
    ON CONFLICT DO NOTHING
    RETURNING id
  ), known AS (
    -- Of who was merged into another patient, that one.
    SELECT place, kept.id FROM item, LATERAL (
      SELECT id FROM patients WHERE clinic_id = of_clinic AND id = (
        SELECT COALESCE(replaced_by, id) FROM (
          SELECT id, replaced_by, 1 AS rank, is_placeholder, created_at FROM patients WHERE clinic_id = of_clinic AND id = given_id
          UNION ALL
          SELECT id, replaced_by, 2, is_placeholder, created_at FROM patients WHERE clinic_id = of_clinic AND external_id = given_id
          UNION ALL
          SELECT id, replaced_by, 3, is_placeholder, created_at FROM patients
          WHERE clinic_id = of_clinic AND phone = given_phone
            AND lower(first_name) = lower(patient ->> 'firstName') AND lower(last_name) = lower(patient ->> 'lastName')
        ) candidates
        ORDER BY rank, is_placeholder, created_at LIMIT 1
      ) LIMIT 1
    ) kept
  ), run AS (
    INSERT INTO workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, context, is_simulated)
    SELECT new_run, of_clinic, of_type, of_session, COALESCE(known.id, new_patient), run_context,
      COALESCE((SELECT voice_provider = 'simulator' FROM clinics WHERE id = of_clinic LIMIT 1), false)
    FROM item LEFT JOIN known USING (place) LEFT JOIN stored ON stored.id = new_event
    WHERE (event IS NULL OR stored.id IS NOT NULL) AND NOT is_erased
    -- Of any kind: the id is derived from the session, and of two at the same moment one may meet the other's id first.
    ON CONFLICT DO NOTHING
    RETURNING id, patient_id
  ), begun AS (
    SELECT item.*, run.id AS run_id, run.patient_id FROM run JOIN item ON new_run = run.id
  ), again AS (
    -- What is told of a session that has a run. What repeats an event, or is about somebody else, tells that run nothing.
    SELECT item.*, run_id, patient_id
    FROM item JOIN met USING (place) LEFT JOIN stored ON stored.id = new_event LEFT JOIN known USING (place)
    WHERE (event IS NULL OR stored.id IS NOT NULL) AND NOT is_erased AND COALESCE(known.id, patient_id) = patient_id
  ), added AS (
    INSERT INTO patients (id, clinic_id, first_name, last_name, phone, email, birth_date, external_id, consent, is_placeholder)
    SELECT new_patient, of_clinic, patient ->> 'firstName', patient ->> 'lastName', given_phone, patient ->> 'email', given_birth_date,
      given_id, given_consent, true
    FROM begun LEFT JOIN known USING (place) WHERE known.id IS NULL
  ), told_anew AS (
    UPDATE patients p SET phone = COALESCE(p.phone, said.phone), consent = COALESCE(said.consent, p.consent),
      birth_date = COALESCE(p.birth_date, said.birth_date)
    FROM (
      -- Several may be of one patient whom the clinic knows.
      SELECT of_clinic, id,
        (array_agg(given_phone ORDER BY place) FILTER (WHERE given_phone IS NOT NULL))[1] AS phone,
        (array_agg(given_consent ORDER BY place DESC) FILTER (WHERE given_consent IS NOT NULL))[1] AS consent,
        -- A form may be filled in by anybody: callers are not verified by what it says of a patient whom the clinic knows.
        (array_agg(given_birth_date ORDER BY place) FILTER (WHERE given_birth_date IS NOT NULL AND form IS NULL))[1] AS birth_date
      FROM (
        SELECT place, of_clinic, known.id, given_phone, given_consent, given_birth_date, form FROM begun JOIN known USING (place)
        UNION ALL
        SELECT place, of_clinic, patient_id, given_phone, given_consent, given_birth_date, form FROM again WHERE event IS NOT NULL
      ) told GROUP BY of_clinic, id
    ) said
    WHERE p.clinic_id = said.of_clinic AND p.id = said.id
      AND ((p.phone IS NULL AND said.phone IS NOT NULL) OR said.consent IS NOT NULL
        OR (p.birth_date IS NULL AND said.birth_date IS NOT NULL))
  ), filled AS (
    -- A case that a REST start has opened knows nothing of its form before the event tells it. What is there stays.
    UPDATE recovery_cases c SET form_id = COALESCE(c.form_id, form ->> 'formId'), form_name = COALESCE(c.form_name, form ->> 'formName'),
      last_page_reached = COALESCE(c.last_page_reached, (form ->> 'lastPageReached')::integer),
      total_pages = COALESCE(c.total_pages, (form ->> 'totalPages')::integer),
      completion_percentage = COALESCE(c.completion_percentage, (form ->> 'completionPercentage')::double precision),
      abandoned_at = COALESCE(c.abandoned_at, (form ->> 'abandonedAt')::timestamptz),
      abandoned_at_checkout = COALESCE(c.abandoned_at_checkout, (form ->> 'abandonedAtCheckout')::boolean),
      resume_url = COALESCE(c.resume_url, form ->> 'resumeUrl'),
      selected_products = COALESCE(c.selected_products, NULLIF(form -> 'selectedProducts', 'null'))
    FROM again WHERE event IS NOT NULL AND form IS NOT NULL AND c.clinic_id = of_clinic AND c.workflow_id = run_id
  ), learned AS (
    -- What it did not know of its matter; of another one it is told nothing.
    UPDATE workflow_runs r SET context = filled_context(r.context, run_context)
    FROM again
    WHERE r.id = run_id AND r.status = 'started'
      AND (matter_of(of_type, r.context) = ANY (names_of_matter(of_clinic, of_type, run_context))) IS NOT FALSE
      AND filled_context(r.context, run_context) <> r.context
    RETURNING r.id AS run_id, r.patient_id, of_clinic, of_type, r.context AS run_context
  ), opened AS (
    INSERT INTO recovery_cases (id, clinic_id, session_id, workflow_id, patient_id, form_id, form_name, last_page_reached,
      total_pages, completion_percentage, abandoned_at, abandoned_at_checkout, resume_url, selected_products, form_completed_at)
    SELECT form ->> 'caseId', of_clinic, of_session, run_id, patient_id, form ->> 'formId', form ->> 'formName',
      (form ->> 'lastPageReached')::integer, (form ->> 'totalPages')::integer,
      (form ->> 'completionPercentage')::double precision, (form ->> 'abandonedAt')::timestamptz,
      (form ->> 'abandonedAtCheckout')::boolean, form ->> 'resumeUrl', NULLIF(form -> 'selectedProducts', 'null'),
      (SELECT received_at FROM inbound_events
        WHERE clinic_id = of_clinic AND event = 'forms.completed' AND dedupe_key = of_session LIMIT 1)
    FROM begun WHERE form IS NOT NULL
  ), told AS (
    INSERT INTO outbound_events (id, clinic_id, event, subject, data)
    SELECT form ->> 'eventId', of_clinic, form ->> 'event', form ->> 'caseId', form -> 'data'
    FROM begun WHERE form IS NOT NULL
  ), woken AS (
    -- What is superseded decides again, and so ends; what has learned its matter decides by that.
    INSERT INTO workflow_messages (id, clinic_id, workflow_id, signal, payload)
    SELECT 'told-anew-' || gen_random_uuid()::text, r.clinic_id, r.id, 'rulesChanged', '{}'
    FROM (
      SELECT run_id, patient_id, of_clinic, of_type, run_context FROM begun UNION ALL
      SELECT run_id, patient_id, of_clinic, of_type, run_context FROM learned
    ) about JOIN workflow_runs r ON r.clinic_id = of_clinic AND r.patient_id = about.patient_id AND r.status = 'started'
      AND r.workflow_type = of_type
      AND (r.id = run_id OR matter_of(r.workflow_type, r.context) = ANY (names_of_matter(of_clinic, of_type, run_context)))
  ), task AS (
    INSERT INTO staff_tasks (id, clinic_id, reason, cause, patient_id, case_id, workflow_id)
    SELECT unreadable ->> 'id', of_clinic, unreadable ->> 'reason', unreadable ->> 'cause', patient_id, form ->> 'caseId', run_id
    FROM begun WHERE unreadable IS NOT NULL
  )
  SELECT place, stored.id IS NOT NULL, begun.patient_id
  FROM item LEFT JOIN stored ON stored.id = new_event LEFT JOIN begun USING (place);
END $$;

-- Remembers that a session's form was completed, once for ever, and tells the workflow of its case where there is one; a case that
-- opens later finds the event by itself. Nothing is stored of a session that was erased.
--   completion: { clinicId, sessionId, erasedKeys, event: { id, name, payload } }
CREATE FUNCTION complete_form(completion jsonb)
RETURNS TABLE (is_new_event boolean, workflow_id text, case_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  of_clinic CONSTANT text := completion ->> 'clinicId';
  of_session CONSTANT text := completion ->> 'sessionId';
  erased_keys CONSTANT text[] := ARRAY(SELECT jsonb_array_elements_text(completion -> 'erasedKeys'));
BEGIN
  IF EXISTS (SELECT 1 FROM tombstones
    WHERE clinic_id = of_clinic AND kind IN ('session', 'event') AND key = ANY (erased_keys))
  THEN
    RETURN QUERY SELECT false, NULL::text, NULL::text;
    RETURN;
  END IF;
  INSERT INTO inbound_events (id, clinic_id, event, dedupe_key, payload)
  VALUES (completion #>> '{event,id}', of_clinic, completion #>> '{event,name}', of_session, completion #> '{event,payload}')
  ON CONFLICT DO NOTHING;
  RETURN QUERY
  WITH completed AS (
    UPDATE recovery_cases SET form_completed_at = COALESCE(form_completed_at, now())
    WHERE clinic_id = of_clinic AND session_id = of_session
    RETURNING id, workflow_id
  ), told AS (
    INSERT INTO workflow_messages (id, clinic_id, workflow_id, signal, payload)
    SELECT 'form-completed-' || id, of_clinic, workflow_id, 'formCompleted', '{}' FROM completed
    ON CONFLICT (id) DO NOTHING
  )
  SELECT stored.is_new, completed.workflow_id, completed.id
  FROM (SELECT EXISTS (SELECT 1 FROM inbound_events
    WHERE clinic_id = of_clinic AND id = completion #>> '{event,id}') AS is_new) stored
  LEFT JOIN completed ON true;
END $$;

-- The openings before which nothing arrived of the same session, and none of the same person, as open_runs knows one.
CREATE FUNCTION first_arrivals(arrived jsonb)
RETURNS TABLE (number integer, item jsonb) LANGUAGE sql STABLE AS $$
  SELECT number, item FROM (
    SELECT number::integer, item,
      row_number() OVER (PARTITION BY item ->> 'clinicId', item ->> 'sessionId' ORDER BY number) AS of_session,
      item #>> '{patient,patientId}' AS given_id,
      row_number() OVER (PARTITION BY item ->> 'clinicId', item #>> '{patient,patientId}' ORDER BY number) AS of_given_id,
      item #>> '{patient,phone}' AS phone,
      row_number() OVER (PARTITION BY item ->> 'clinicId', item #>> '{patient,phone}' ORDER BY number) AS of_phone
    FROM jsonb_array_elements(arrived) WITH ORDINALITY AS a (item, number)
  ) counted
  WHERE item ->> 'kind' = 'opening' AND of_session = 1 AND (given_id IS NULL OR of_given_id = 1) AND (phone IS NULL OR of_phone = 1)
$$;

-- Takes in what arrived together, in one transaction. `place` counts from one.
--   arrived: list of what open_runs and complete_form take, with `kind`: opening or completion
--   may_wait: for locks that others hold; otherwise it fails where it would have to for long
CREATE FUNCTION take_in(arrived jsonb, may_wait boolean)
RETURNS TABLE (place integer, is_new_event boolean, patient_id text, workflow_id text, case_id text) LANGUAGE plpgsql AS $$
DECLARE
  first_places integer[];
  firsts jsonb[];
  later record;
BEGIN
  IF NOT may_wait THEN
    PERFORM set_config('lock_timeout', '100ms', true);
  END IF;
  -- The statements after it see what was opened, completed and erased while it waited.
  PERFORM lock_session(of_clinic, of_session) FROM (
    SELECT item ->> 'clinicId' AS of_clinic, item ->> 'sessionId' AS of_session FROM jsonb_array_elements(arrived) item
    ORDER BY hashtext(item ->> 'clinicId'), lock_of_session(item ->> 'sessionId')
  ) sessions;
  -- Whatever is the first of its session, and of its person, is opened together; the others find then what these have stored.
  SELECT array_agg(number), array_agg(item) INTO first_places, firsts FROM first_arrivals(arrived);
  RETURN QUERY SELECT o.place, o.is_new_event, o.patient_id, NULL::text, NULL::text FROM open_runs(first_places, firsts) o;
  FOR later IN
    SELECT item, number::integer FROM jsonb_array_elements(arrived) WITH ORDINALITY AS a (item, number)
    WHERE number <> ALL (COALESCE(first_places, '{}')) ORDER BY number
  LOOP
    IF later.item ->> 'kind' = 'opening' THEN
      RETURN QUERY SELECT o.place, o.is_new_event, o.patient_id, NULL::text, NULL::text
        FROM open_runs(ARRAY[later.number], ARRAY[later.item]) o;
    ELSE
      RETURN QUERY SELECT later.number, c.is_new_event, NULL::text, c.workflow_id, c.case_id FROM complete_form(later.item) c;
    END IF;
  END LOOP;
END $$;

-- What a receiver that is a FHIR Subscription of a sandbox (Subscriptions R5 Backport, R4) is told of changes of appointments. It is
-- the subject of its events.
CREATE TABLE fhir_subscriptions (
    clinic_id text NOT NULL,
    id text NOT NULL,
    -- Where the sandbox was asked for it, as https://clinic.example/api: what it is sent refers to resources there.
    base_url text NOT NULL,
    -- Media type of what it is sent.
    payload text NOT NULL,
    content text NOT NULL,
    -- Whose appointments; null for everybody's.
    patient_id text,
    provider_name text,
    heartbeat_seconds integer,
    ends_at timestamptz(3),
    version integer NOT NULL DEFAULT 1,
    -- When it took the first handshake: since then changes are heard of.
    active_since timestamptz(3),
    -- How many events have a number.
    last_number integer NOT NULL DEFAULT 0,
    -- When it last took something.
    sent_at timestamptz(3),
    CONSTRAINT fhir_subscriptions_pkey PRIMARY KEY (clinic_id, id),
    CONSTRAINT fhir_subscriptions_content CHECK (content IN ('empty', 'id-only', 'full-resource')),
    CONSTRAINT fhir_subscriptions_clinic_id_id_fkey FOREIGN KEY (clinic_id, id)
        REFERENCES receivers (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- Anyone who changes an appointment, by whatever statement. A time that is only held is none; what is deleted was made undone
-- by a reset, a restore or an erasure. A row is only added, and has no key to the subscription, whose end would otherwise
-- be felt by a booking.
CREATE FUNCTION note_for_subscriptions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.held_until IS NULL
        AND (NEW.status, NEW.visit_type, NEW.starts_at, NEW.ends_at, NEW.provider_id, NEW.patient_id)
            IS NOT DISTINCT FROM (OLD.status, OLD.visit_type, OLD.starts_at, OLD.ends_at, OLD.provider_id, OLD.patient_id)
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO outbound_events (id, clinic_id, event, subject, created_at, data)
    SELECT gen_random_uuid()::text, s.clinic_id, 'subscription.event', s.id, clock_timestamp(),
        jsonb_build_object('appointmentId', NEW.id, 'patientId', NEW.patient_id, 'isNew', TG_OP = 'INSERT' OR OLD.held_until IS NOT NULL,
            'shown', jsonb_build_object('version', NEW.version, 'status', NEW.status, 'startsAt', NEW.starts_at, 'endsAt', NEW.ends_at,
                'visitType', NEW.visit_type, 'providerName', p.name, 'identifier', NEW.identifier,
                'cancellationReason', NEW.cancellation_reason))
    FROM fhir_subscriptions s
    JOIN receivers r ON r.clinic_id = s.clinic_id AND r.id = s.id AND r.is_enabled
    JOIN clinics c ON c.id = s.clinic_id AND c.sandbox_enabled
    JOIN providers p ON p.clinic_id = s.clinic_id AND p.id = NEW.provider_id
    WHERE s.clinic_id = NEW.clinic_id AND s.active_since IS NOT NULL
        AND (s.ends_at IS NULL OR s.ends_at > now())
        AND (s.patient_id IS NULL OR s.patient_id = NEW.patient_id
            -- Or of one who was merged into them.
            OR s.patient_id IN (SELECT id FROM patients WHERE clinic_id = NEW.clinic_id AND replaced_by = NEW.patient_id))
        AND (s.provider_name IS NULL OR s.provider_name = p.name);
    RETURN NULL;
END
$$;

CREATE TRIGGER note_for_subscriptions
    AFTER INSERT OR UPDATE OF status, visit_type, starts_at, ends_at, provider_id, patient_id, held_until ON appointments
    FOR EACH ROW WHEN (NEW.held_until IS NULL) EXECUTE FUNCTION note_for_subscriptions();

-- ————— Sandbox —————
-- What makes the calendar a proving ground: a clock, snapshots, chosen failures, more sandboxes of a clinic, and validation
-- runs, which watch what a client does.

-- A sandbox without a row goes by the real time.
CREATE TABLE sandbox_clocks (
    clinic_id text PRIMARY KEY REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- What the clock showed when it was set.
    shows timestamptz(3) NOT NULL,
    -- When that was, for a clock that goes on from there. Null: it stands still.
    runs_since timestamptz(3)
);

CREATE TABLE sandbox_snapshots (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name text NOT NULL,
    -- { patients, appointments, documents, clock }
    contents jsonb NOT NULL,
    -- All who are in it: a snapshot goes when one of them is erased.
    patient_ids text[] NOT NULL,
    appointments integer NOT NULL,
    documents integer NOT NULL,
    taken_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT sandbox_snapshots_pkey PRIMARY KEY (clinic_id, name)
);

CREATE TABLE sandbox_failures (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- shared/domain/sandbox/sandbox-failures.ts
    failure text NOT NULL,
    -- Null: every operation that the failure is for.
    operation text,
    -- Of the one patient whom it is about; null: of any.
    identifier text,
    parameters jsonb NOT NULL DEFAULT '{}',
    times integer NOT NULL,
    played integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT sandbox_failures_times CHECK (times > 0 AND played BETWEEN 0 AND times)
);

CREATE INDEX sandbox_failures_clinic_id_created_at_idx ON sandbox_failures (clinic_id, created_at);

-- Clients that prove who they are at a clinic's sandbox by a key pair (SMART Backend Services).
CREATE TABLE sandbox_clients (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name text NOT NULL,
    -- Public keys, as a JSON Web Key Set.
    jwks jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX sandbox_clients_clinic_id_id_key ON sandbox_clients (clinic_id, id);

-- An assertion is good once: its id is kept until it has ended.
CREATE TABLE sandbox_assertions (
    client_id text NOT NULL REFERENCES sandbox_clients (id) ON DELETE CASCADE ON UPDATE CASCADE,
    jti_hash text NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT sandbox_assertions_pkey PRIMARY KEY (client_id, jti_hash)
);

CREATE TABLE sandbox_tokens (
    hash text PRIMARY KEY,
    clinic_id text NOT NULL,
    client_id text NOT NULL,
    -- As SMART spells them, set apart by spaces.
    scopes text NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT sandbox_tokens_clinic_id_client_id_fkey FOREIGN KEY (clinic_id, client_id)
        REFERENCES sandbox_clients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX sandbox_tokens_clinic_id_client_id_idx ON sandbox_tokens (clinic_id, client_id);

-- More sandboxes of a clinic, so that a team and its CI do not meet: each is a row of clinics without people, keys,
-- secrets or a number, which holds its own patients, appointments, clock, failures and lenient rules, and is opened by its
-- own token alone.
CREATE TABLE named_sandboxes (
    -- The sandbox itself.
    clinic_id text PRIMARY KEY REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- Whose it is.
    parent_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name text NOT NULL,
    token_hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT named_sandboxes_not_its_own CHECK (clinic_id <> parent_id)
);

CREATE UNIQUE INDEX named_sandboxes_parent_id_name_key ON named_sandboxes (parent_id, name);
CREATE UNIQUE INDEX named_sandboxes_token_hash_key ON named_sandboxes (token_hash);

-- Validation runs: what a clinic's client did at the sandbox EMR while one was under way, and what it was found to do
-- well.
CREATE TABLE validation_runs (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    label text,
    started_by text NOT NULL,
    started_at timestamptz(3) NOT NULL,
    -- Nothing is watched after this, whether somebody ends it or not.
    ends_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    -- How many were watched, also those that are no longer kept.
    exchanges integer NOT NULL DEFAULT 0,
    -- What was found at its end. Null while it is under way.
    findings jsonb,
    CONSTRAINT validation_runs_exchanges CHECK (exchanges BETWEEN 0 AND 2000),
    CONSTRAINT validation_runs_span CHECK (ends_at > started_at AND ends_at <= started_at + interval '24 hours')
);

CREATE UNIQUE INDEX validation_runs_clinic_id_id_key ON validation_runs (clinic_id, id);
CREATE INDEX validation_runs_clinic_id_started_at_idx ON validation_runs (clinic_id, started_at DESC);
-- One at a time.
CREATE UNIQUE INDEX validation_runs_under_way ON validation_runs (clinic_id) WHERE ended_at IS NULL;

CREATE TABLE observed_exchanges (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    clinic_id text NOT NULL,
    run_id text NOT NULL,
    at timestamptz(3) NOT NULL,
    operation text NOT NULL,
    duration_ms integer NOT NULL,
    -- Null where the response did not reach its receiver.
    status integer,
    -- A digest.
    credential text,
    -- Whose data it asked for, where the clinic has the patient.
    patient_id text,
    detail jsonb NOT NULL,
    CONSTRAINT observed_exchanges_detail CHECK (octet_length(detail::text) <= 16384),
    CONSTRAINT observed_exchanges_run_fkey FOREIGN KEY (clinic_id, run_id)
        REFERENCES validation_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX observed_exchanges_clinic_id_run_id_at_position_idx ON observed_exchanges (clinic_id, run_id, at, position);
CREATE INDEX observed_exchanges_clinic_id_patient_id_idx ON observed_exchanges (clinic_id, patient_id) WHERE patient_id IS NOT NULL;
CREATE INDEX observed_exchanges_at_brin ON observed_exchanges USING brin (at) WITH (pages_per_range = 16);

-- What would let a named sandbox ring a phone, take a form or be signed in to.
CREATE FUNCTION refuse_for_named_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM named_sandboxes WHERE clinic_id = NEW.clinic_id) THEN
        RAISE EXCEPTION 'a named sandbox has no %', TG_TABLE_NAME USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON api_keys FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON phone_numbers FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON single_sign_on FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON account_links FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON voice_settings FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();

-- It has no secret but those that its subscriptions are signed with.
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON secrets FOR EACH ROW
    WHEN (NEW.kind <> 'signing') EXECUTE FUNCTION refuse_for_named_sandbox();

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON sandbox_clocks FOR EACH ROW EXECUTE FUNCTION note_change('no id');
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON sandbox_failures FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER DELETE ON sandbox_clients FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON named_sandboxes FOR EACH ROW EXECUTE FUNCTION note_change('no id');
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON validation_runs FOR EACH ROW EXECUTE FUNCTION note_change();

-- ————— Operations —————
-- The audit and its chain, retention, stored answers, long work, and what one worker does for all.

-- Who changed or read what, without secrets or patient data. It is only added to; a clinic is not deleted while it has an
-- audit.
CREATE TABLE audit_entries (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    actor text NOT NULL,
    action text NOT NULL,
    subject text,
    detail jsonb NOT NULL DEFAULT '{}',
    request_id text,
    -- From where; null for what no request caused.
    address text,
    at timestamptz(3) NOT NULL DEFAULT now(),
    -- What was seen, not changed.
    is_read boolean NOT NULL DEFAULT false,
    -- The route or the tool that was asked; null for what no route did.
    route text,
    -- All whose data it was about: patients, or what else names them.
    subjects text[] NOT NULL DEFAULT '{}'
);

CREATE INDEX audit_entries_clinic_id_at_idx ON audit_entries (clinic_id, at);
-- Search by person and action, newest first.
CREATE INDEX audit_entries_clinic_id_actor_at_idx ON audit_entries (clinic_id, actor, at);
CREATE INDEX audit_entries_clinic_id_action_at_idx ON audit_entries (clinic_id, action, at);
-- What changed is listed by itself, however many reads lie between.
CREATE INDEX audit_changes ON audit_entries (clinic_id, at) WHERE NOT is_read;
CREATE INDEX audit_changes_of_actor ON audit_entries (clinic_id, actor, at) WHERE NOT is_read;
-- Entries by the patients that they name.
CREATE INDEX audit_entries_subjects_idx ON audit_entries USING gin (subjects);
-- Reads have no other subject.
CREATE INDEX audit_of_subject ON audit_entries (clinic_id, subject, at) WHERE subject IS NOT NULL;
-- What a request changed is found by its id, which a client has as x-request-id.
CREATE INDEX audit_changes_of_request ON audit_entries (clinic_id, request_id) WHERE NOT is_read AND request_id IS NOT NULL;

-- The chain: an entry's place in its clinic, and the hash over the hash before it and the entry. Written by one sealer, in
-- batches, so that no writer waits for another.
CREATE TABLE audit_links (
    clinic_id text NOT NULL,
    -- From 1, without a gap.
    position bigint NOT NULL,
    entry_id text NOT NULL,
    -- Of the key ring that the hash was made with.
    key_id text NOT NULL,
    hash text NOT NULL,
    sealed_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT audit_links_pkey PRIMARY KEY (clinic_id, "position")
);

CREATE UNIQUE INDEX audit_links_one_per_entry ON audit_links (entry_id);

-- Entries that wait for their place.
CREATE TABLE audit_unsealed (
    entry_id text PRIMARY KEY,
    clinic_id text NOT NULL,
    at timestamptz(3) NOT NULL
);

CREATE INDEX audit_unsealed_clinic_id_at_entry_id_idx ON audit_unsealed (clinic_id, at, entry_id);

-- What requests and tools tell the audit, until the worker that seals takes it over: somebody waits for each of them, so
-- that they are stored with one index and nothing else to do.
CREATE TABLE audit_requests (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL,
    clinic_id text NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    detail jsonb NOT NULL DEFAULT '{}',
    request_id text,
    address text,
    is_read boolean NOT NULL,
    route text NOT NULL,
    subjects text[] NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT now()
);

-- These three write as the role that owns the tables: the service's own role only adds entries.
CREATE FUNCTION queue_for_seal() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_unsealed (entry_id, clinic_id, at) SELECT id, clinic_id, at FROM added;
  RETURN NULL;
END $$;

CREATE TRIGGER queue_for_seal AFTER INSERT ON audit_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_for_seal();

-- What requests told becomes entries, the oldest first; a clinic that has gone meanwhile had no entry before. Returns how many.
CREATE FUNCTION take_audit_requests(at_most integer) RETURNS integer LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH taken AS (
    DELETE FROM audit_requests
    WHERE position IN (SELECT r.position FROM audit_requests r ORDER BY r.position LIMIT at_most FOR UPDATE SKIP LOCKED)
    RETURNING *
  ), added AS (
    INSERT INTO audit_entries (id, clinic_id, actor, action, detail, request_id, address, is_read, route, subjects, at)
    SELECT id, clinic_id, actor, action, detail, request_id, address, is_read, route, subjects, at FROM taken
    WHERE clinic_id IN (SELECT c.id FROM clinics c)
  )
  SELECT count(*)::integer FROM taken
$$;

-- Gives entries that wait their places. What does not wait, or waits for another clinic's chain, is refused.
CREATE FUNCTION seal_audit(of_clinic text, with_key text, links json) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  sealed integer;
BEGIN
  INSERT INTO audit_links (clinic_id, position, entry_id, key_id, hash)
  SELECT of_clinic, l.position, u.entry_id, with_key, l.hash
  FROM json_to_recordset(links) AS l(position bigint, "entryId" text, hash text)
  JOIN audit_unsealed u ON u.entry_id = l."entryId" AND u.clinic_id = of_clinic;
  GET DIAGNOSTICS sealed = ROW_COUNT;
  IF sealed <> json_array_length(links) THEN
    RAISE EXCEPTION 'an entry does not wait for its place' USING ERRCODE = 'restrict_violation';
  END IF;
  DELETE FROM audit_unsealed u USING json_to_recordset(links) AS l("entryId" text) WHERE u.entry_id = l."entryId";
  RETURN sealed;
END $$;

CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only added to', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- For each statement: also those that a deletion elsewhere causes, and those that touch no row.
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_links FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();

ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_stays;
ALTER TABLE audit_links ENABLE ALWAYS TRIGGER audit_stays;

-- A read changes nothing that a page shows; what a route or a tool changed is told by the records that it changed.
CREATE TRIGGER note_change AFTER INSERT ON audit_entries FOR EACH ROW WHEN (NEW.route IS NULL) EXECUTE FUNCTION note_change();

-- How many patients a person or a key was shown on a day of the clinic's calendar, as the audit has it.
CREATE TABLE reads_by_day (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- As the audit names them: account:…, api-key:…
    actor text NOT NULL,
    day date NOT NULL,
    patients integer NOT NULL,
    CONSTRAINT reads_by_day_pkey PRIMARY KEY (clinic_id, actor, day)
);

CREATE INDEX reads_by_day_day_idx ON reads_by_day (day);

-- For how long a clinic keeps contents, and until when they are purged.
CREATE TABLE retention (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kind text NOT NULL,
    -- Null: the operator's default.
    days integer,
    -- Nothing that is older has contents left. Null: nothing was purged yet.
    purged_until timestamptz(3),
    -- When it was found that something older has to stay for now; null where nothing has.
    held_back_at timestamptz(3),
    CONSTRAINT retention_pkey PRIMARY KEY (clinic_id, kind),
    CONSTRAINT retention_days CHECK (days BETWEEN 7 AND 3653),
    CONSTRAINT retention_kind CHECK (kind IN ('inbound_payloads', 'tool_contents', 'event_bodies', 'sent_messages', 'stored_answers', 'call_evidence', 'call_decisions', 'observed_exchanges'))
);

-- Replies to requests that carried an Idempotency-Key.
CREATE TABLE idempotency_records (
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    route text NOT NULL,
    key text NOT NULL,
    request_hash text NOT NULL,
    status integer,
    body text,
    content_type text,
    -- Why a FHIR route refused (shared/domain/calendar/refusals.ts): it is said again with the reply.
    refusal text,
    -- The headers of the reply, and what the audit is told of it: both are repeated with it.
    besides jsonb,
    -- Of the process that runs the request: one that was frozen until another took over writes nothing.
    claim_token text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_records_pkey PRIMARY KEY (clinic_id, route, key)
);

-- Written in the order of time, and asked for a day at a time: a few pages in place of an entry for each row.
CREATE INDEX idempotency_records_created_at_brin ON idempotency_records USING brin (created_at) WITH (pages_per_range = 16);

-- Work on many records that somebody asked for. A workflow does it for as long as it takes; the row says how far it is.
CREATE TABLE bulk_jobs (
    id text PRIMARY KEY,
    clinic_id text NOT NULL REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    kind text NOT NULL,
    -- Which records: types, events and times, nothing of a patient.
    filter jsonb NOT NULL,
    state text NOT NULL DEFAULT 'RUNNING',
    requested_by text NOT NULL,
    -- How many records there were when it began.
    total integer NOT NULL,
    done integer NOT NULL DEFAULT 0,
    -- They no longer needed it.
    skipped integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    -- How many the next step sends again.
    pace integer NOT NULL DEFAULT 1,
    -- The last record that was taken: a step that is made or noted again counts once.
    place_at timestamptz(3),
    place_id text,
    -- What it waits for: 'receiver', 'endpoint' or 'workflows'; null while it goes on.
    waits_for text,
    -- Null while the relay is still to give it to Temporal.
    dispatched_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    CONSTRAINT bulk_jobs_kind CHECK (kind IN ('cancel_runs', 'resend_deliveries')),
    CONSTRAINT bulk_jobs_state CHECK (state IN ('RUNNING', 'DONE', 'STOPPED'))
);

CREATE UNIQUE INDEX bulk_jobs_clinic_id_id_key ON bulk_jobs (clinic_id, id);
CREATE INDEX bulk_jobs_clinic_id_created_at_idx ON bulk_jobs (clinic_id, created_at);
-- One of a kind at a time.
CREATE UNIQUE INDEX bulk_jobs_one_running ON bulk_jobs (clinic_id, kind) WHERE state = 'RUNNING';

-- For processes that wait for these rows or remember them.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON bulk_jobs FOR EACH ROW EXECUTE FUNCTION note_change();

-- What one worker at a time does for all of them. A holder that does not prolong its lease has lost it; the token grows
-- with each holder, so that a write of an earlier one is refused. All times are of this server's clock.
CREATE TABLE duties (
    name text PRIMARY KEY,
    holder text,
    token integer NOT NULL DEFAULT 0,
    expires_at timestamptz(3) NOT NULL DEFAULT now(),
    done_until timestamptz(3),
    passed_at timestamptz(3)
);

INSERT INTO duties (name) VALUES ('relay'), ('reconcile'), ('fulfil'), ('mail');
