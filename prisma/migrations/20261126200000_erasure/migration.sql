-- Data can leave: erasures that go on where they were interrupted, what stays of whom was erased, and holds that refuse it.

CREATE TABLE erasures (
    id text NOT NULL,
    clinic_id text NOT NULL,
    patient_id text NOT NULL,
    -- Out of a fixed list: it stays, and free text could name somebody.
    reason text NOT NULL,
    state text NOT NULL DEFAULT 'REQUESTED',
    requested_by text NOT NULL,
    requested_at timestamptz(3) NOT NULL DEFAULT now(),
    erased_at timestamptz(3),
    done_at timestamptz(3),
    counts jsonb NOT NULL DEFAULT '{}',
    CONSTRAINT erasures_pkey PRIMARY KEY (id),
    CONSTRAINT erasures_state CHECK (state IN ('REQUESTED', 'ERASED', 'DONE')),
    CONSTRAINT erasures_reason CHECK (reason IN ('patient_request', 'retention_over', 'entered_by_mistake', 'court_order')),
    CONSTRAINT erasures_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
-- One at a time for a patient.
CREATE UNIQUE INDEX erasures_one_open ON erasures (clinic_id, patient_id) WHERE state <> 'DONE';
-- What is to be done, looked for every second.
CREATE INDEX erasures_unfinished ON erasures (requested_at) WHERE state IN ('REQUESTED', 'ERASED');
CREATE INDEX erasures_clinic_id_requested_at_id_idx ON erasures (clinic_id, requested_at, id);
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
    CONSTRAINT tombstones_erasure_fkey FOREIGN KEY (clinic_id, erasure_id) REFERENCES erasures (clinic_id, id)
        ON DELETE CASCADE ON UPDATE CASCADE
);
-- What the voice platform and Temporal name without a clinic.
CREATE INDEX tombstones_key_idx ON tombstones (key);
CREATE INDEX tombstones_clinic_id_erasure_id_idx ON tombstones (clinic_id, erasure_id);

-- A hold refuses the deletion of its patient in the database itself.
CREATE TABLE legal_holds (
    clinic_id text NOT NULL,
    patient_id text NOT NULL,
    reason text NOT NULL,
    placed_by text NOT NULL,
    placed_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT legal_holds_pkey PRIMARY KEY (clinic_id, patient_id),
    CONSTRAINT legal_holds_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT legal_holds_patient_fkey FOREIGN KEY (clinic_id, patient_id) REFERENCES patients (clinic_id, id)
        ON DELETE NO ACTION ON UPDATE CASCADE
);

INSERT INTO duties (name) VALUES ('erase');

-- An erasure, and the checks of relations that go with it, find rows by these.
CREATE INDEX IF NOT EXISTS inbound_events_clinic_id_workflow_id_idx ON inbound_events (clinic_id, workflow_id);
CREATE INDEX IF NOT EXISTS staff_tasks_clinic_id_patient_id_created_at_id_idx ON staff_tasks (clinic_id, patient_id, created_at, id);
CREATE INDEX IF NOT EXISTS identity_matches_clinic_id_patient_id_idx ON identity_matches (clinic_id, patient_id);
