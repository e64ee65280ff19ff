-- Who waits for a time that becomes free, in the sandbox EMR. Dates and times of day are those of the clinic's clock.
CREATE TABLE waitlist_entries (
    id text NOT NULL,
    clinic_id text NOT NULL,
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
    CONSTRAINT waitlist_entries_pkey PRIMARY KEY (id),
    CONSTRAINT waitlist_entries_status CHECK (status IN ('waiting', 'offered', 'booked', 'removed')),
    CONSTRAINT waitlist_entries_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT waitlist_entries_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT waitlist_entries_clinic_id_provider_id_fkey FOREIGN KEY (clinic_id, provider_id)
        REFERENCES providers (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX waitlist_entries_clinic_id_id_key ON waitlist_entries (clinic_id, id);
CREATE INDEX waitlist_entries_clinic_id_created_at_id_idx ON waitlist_entries (clinic_id, created_at, id);
CREATE INDEX waitlist_entries_clinic_id_status_created_at_id_idx ON waitlist_entries (clinic_id, status, created_at, id);
CREATE INDEX waitlist_entries_clinic_id_patient_id_created_at_id_idx ON waitlist_entries (clinic_id, patient_id, created_at, id);
CREATE INDEX waitlist_entries_open ON waitlist_entries (clinic_id, created_at, id) WHERE status IN ('waiting', 'offered');
-- Who asks twice for the same waits once.
CREATE UNIQUE INDEX waitlist_entries_once ON waitlist_entries (clinic_id, patient_id, visit_type, earliest_on, latest_on,
    COALESCE(provider_id, ''), COALESCE(from_time, ''), COALESCE(until_time, '')) WHERE status IN ('waiting', 'offered');

-- A free time that is held for somebody who is called about it. The appointment is the hold, and what the patient books.
CREATE TABLE waitlist_offers (
    id text NOT NULL,
    clinic_id text NOT NULL,
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
    CONSTRAINT waitlist_offers_pkey PRIMARY KEY (id),
    CONSTRAINT waitlist_offers_status CHECK (status IN ('open', 'accepted', 'declined', 'lapsed', 'postponed', 'withdrawn')),
    CONSTRAINT waitlist_offers_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
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

-- Times that became free while somebody waits: written with what freed them, deleted with the offer that they lead to. Rows are
-- only added, so that who cancels waits for nobody.
CREATE TABLE freed_times (
    id bigint GENERATED ALWAYS AS IDENTITY,
    clinic_id text NOT NULL,
    provider_id text NOT NULL,
    starts_at timestamptz(3) NOT NULL,
    freed_at timestamptz(3) NOT NULL DEFAULT now(),
    look_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT freed_times_pkey PRIMARY KEY (id),
    CONSTRAINT freed_times_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX freed_times_clinic_id_idx ON freed_times (clinic_id);
CREATE INDEX freed_times_look_at_id_idx ON freed_times (look_at, id);

-- Whoever frees a time, by whatever statement: a cancellation, a move, the end of a hold, an erasure.
CREATE FUNCTION note_freed_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.provider_id = OLD.provider_id AND NEW.starts_at = OLD.starts_at
    AND (NEW.status IN ('booked', 'fulfilled') OR (NEW.held_until IS NOT NULL AND NEW.cancelled_at IS NULL)) THEN
    RETURN NULL;
  END IF;
  INSERT INTO freed_times (clinic_id, provider_id, starts_at)
  SELECT OLD.clinic_id, OLD.provider_id, OLD.starts_at
  WHERE EXISTS (SELECT 1 FROM waitlist_entries WHERE clinic_id = OLD.clinic_id AND status IN ('waiting', 'offered'))
    AND EXISTS (SELECT 1 FROM clinics WHERE id = OLD.clinic_id);
  RETURN NULL;
END $$;
CREATE TRIGGER note_freed_time AFTER UPDATE OF status, held_until, cancelled_at, starts_at, provider_id OR DELETE ON appointments
  FOR EACH ROW WHEN (OLD.status = 'booked' OR (OLD.held_until IS NOT NULL AND OLD.cancelled_at IS NULL))
  EXECUTE FUNCTION note_freed_time();

-- For the dashboard's stream.
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON waitlist_entries FOR EACH ROW EXECUTE FUNCTION note_change();
