-- Work on many records that somebody asked for: it goes on for as long as it takes, in whichever worker, and says how far it is.
CREATE TABLE bulk_jobs (
    id text NOT NULL,
    clinic_id text NOT NULL,
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
    -- How many the next step takes.
    pace integer NOT NULL DEFAULT 1,
    -- Ids of the step that was begun: a process that ends in it is followed by one that does the same again.
    under_way text[] NOT NULL DEFAULT '{}',
    tries integer NOT NULL DEFAULT 0,
    -- The last record that was taken.
    place_at timestamptz(3),
    place_id text,
    -- What it waits for: 'receiver', 'endpoint' or 'workflows'; null while it goes on.
    waits_for text,
    next_step_at timestamptz(3) NOT NULL DEFAULT now(),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    CONSTRAINT bulk_jobs_pkey PRIMARY KEY (id),
    CONSTRAINT bulk_jobs_kind CHECK (kind IN ('cancel_runs', 'resend_deliveries')),
    CONSTRAINT bulk_jobs_state CHECK (state IN ('RUNNING', 'DONE', 'STOPPED')),
    CONSTRAINT bulk_jobs_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX bulk_jobs_clinic_id_id_key ON bulk_jobs (clinic_id, id);
CREATE INDEX bulk_jobs_clinic_id_created_at_id_idx ON bulk_jobs (clinic_id, created_at, id);
-- One of a kind at a time.
CREATE UNIQUE INDEX bulk_jobs_one_running ON bulk_jobs (clinic_id, kind) WHERE state = 'RUNNING';
-- What is to be done, looked for every second.
CREATE INDEX bulk_jobs_due ON bulk_jobs (next_step_at) WHERE state = 'RUNNING';
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON bulk_jobs FOR EACH ROW EXECUTE FUNCTION note_change();

INSERT INTO duties (name) VALUES ('bulk');
