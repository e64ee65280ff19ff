-- How kind a clinic's sandbox is (shared/domain/kindnesses.ts): only what is not as it begins is kept.
ALTER TABLE clinics ADD COLUMN sandbox_kindnesses jsonb NOT NULL DEFAULT '{}';

ALTER TABLE appointments
    -- Counted by count_version, whoever changes a row.
    ADD COLUMN version integer NOT NULL DEFAULT 1,
    -- Who made this version, as the writer noted it: { by, request }. Null: nobody said.
    ADD COLUMN last_change jsonb,
    -- A code of HL7's appointment-cancellation-reason.
    ADD COLUMN cancellation_reason text,
    -- A FHIR client's own, as system|value.
    ADD COLUMN identifier text;
CREATE UNIQUE INDEX appointments_identified ON appointments (clinic_id, identifier) WHERE identifier IS NOT NULL;

-- What an appointment was, for clinics whose sandbox shows it.
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
BEGIN
    IF NEW.held_until IS NOT NULL OR NOT EXISTS (
        SELECT FROM clinics WHERE id = NEW.clinic_id AND sandbox_enabled AND sandbox_kindnesses ->> 'showsNextAppointmentOnly' = 'false')
    THEN
        RETURN NULL;
    END IF;
    -- What came before, too: it may be from before versions were kept.
    IF TG_OP = 'UPDATE' AND OLD.held_until IS NULL THEN
        INSERT INTO appointment_versions
        VALUES (OLD.clinic_id, OLD.id, OLD.version, OLD.provider_id, OLD.status, OLD.visit_type, OLD.starts_at, OLD.ends_at,
            OLD.cancellation_reason, OLD.last_change, OLD.updated_at)
        ON CONFLICT DO NOTHING;
    END IF;
    INSERT INTO appointment_versions
    VALUES (NEW.clinic_id, NEW.id, NEW.version, NEW.provider_id, NEW.status, NEW.visit_type, NEW.starts_at, NEW.ends_at,
        NEW.cancellation_reason, NEW.last_change, NEW.updated_at)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_version AFTER INSERT OR UPDATE OF status, visit_type, starts_at, ends_at, provider_id, patient_id ON appointments
    FOR EACH ROW EXECUTE FUNCTION keep_version();

-- Candidates of $match. Where the table is large, it may be made before by hand, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS patients_by_birth_date ON patients (clinic_id, birth_date) WHERE birth_date IS NOT NULL;
