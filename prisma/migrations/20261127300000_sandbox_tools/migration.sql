-- What a clinic's team sets its sandbox EMR to while it tests: a clock, named snapshots, and failures chosen beforehand.

-- A sandbox without a row goes by the real time.
CREATE TABLE sandbox_clocks (
    clinic_id text NOT NULL,
    -- What the clock showed when it was set.
    shows timestamptz(3) NOT NULL,
    -- When that was, for a clock that goes on from there. Null: it stands still.
    runs_since timestamptz(3),
    CONSTRAINT sandbox_clocks_pkey PRIMARY KEY (clinic_id),
    CONSTRAINT sandbox_clocks_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE sandbox_snapshots (
    clinic_id text NOT NULL,
    name text NOT NULL,
    -- { patients, appointments, documents, clock }
    contents jsonb NOT NULL,
    -- All who are in it: a snapshot goes when one of them is erased.
    patient_ids text[] NOT NULL,
    appointments integer NOT NULL,
    documents integer NOT NULL,
    taken_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT sandbox_snapshots_pkey PRIMARY KEY (clinic_id, name),
    CONSTRAINT sandbox_snapshots_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE sandbox_failures (
    id text NOT NULL,
    clinic_id text NOT NULL,
    -- shared/domain/sandbox-failures.ts
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
    CONSTRAINT sandbox_failures_pkey PRIMARY KEY (id),
    CONSTRAINT sandbox_failures_times CHECK (times > 0 AND played BETWEEN 0 AND times),
    CONSTRAINT sandbox_failures_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX sandbox_failures_clinic_id_created_at_id_idx ON sandbox_failures (clinic_id, created_at, id);

-- Both are remembered with the clinic's hours, by every process.
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON sandbox_clocks FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON sandbox_failures FOR EACH ROW EXECUTE FUNCTION notify_change();
