-- Validation runs: what a clinic's client did at the sandbox EMR while one was under way, and what it was found to do well.
CREATE TABLE validation_runs (
    id text NOT NULL,
    clinic_id text NOT NULL,
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
    CONSTRAINT validation_runs_pkey PRIMARY KEY (id),
    CONSTRAINT validation_runs_exchanges CHECK (exchanges BETWEEN 0 AND 2000),
    CONSTRAINT validation_runs_span CHECK (ends_at > started_at AND ends_at <= started_at + interval '24 hours'),
    CONSTRAINT validation_runs_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX validation_runs_clinic_id_id_key ON validation_runs (clinic_id, id);
CREATE INDEX validation_runs_clinic_id_started_at_id_idx ON validation_runs (clinic_id, started_at DESC, id DESC);
-- One at a time.
CREATE UNIQUE INDEX validation_runs_under_way ON validation_runs (clinic_id) WHERE ended_at IS NULL;

CREATE TABLE observed_exchanges (
    position bigint GENERATED ALWAYS AS IDENTITY,
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
    CONSTRAINT observed_exchanges_pkey PRIMARY KEY (position),
    CONSTRAINT observed_exchanges_detail CHECK (octet_length(detail::text) <= 16384),
    CONSTRAINT observed_exchanges_run_fkey FOREIGN KEY (clinic_id, run_id) REFERENCES validation_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX observed_exchanges_clinic_id_run_id_at_position_idx ON observed_exchanges (clinic_id, run_id, at, position);
CREATE INDEX observed_exchanges_clinic_id_patient_id_idx ON observed_exchanges (clinic_id, patient_id) WHERE patient_id IS NOT NULL;
CREATE INDEX observed_exchanges_at_brin ON observed_exchanges USING brin (at) WITH (pages_per_range = 16);

-- Every process watches a run from its start to its end; pages fill while it goes on.
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON validation_runs FOR EACH ROW EXECUTE FUNCTION notify_change();

ALTER TABLE retention DROP CONSTRAINT retention_kind;
ALTER TABLE retention ADD CONSTRAINT retention_kind CHECK (kind IN ('inbound_payloads', 'tool_contents', 'event_bodies', 'sent_messages', 'stored_answers', 'call_evidence', 'call_decisions', 'observed_exchanges'));
