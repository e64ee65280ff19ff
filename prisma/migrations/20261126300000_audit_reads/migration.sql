-- Reads of patient data are in the audit too: many more rows than changes, so that they are found by an index each, wake
-- nobody, and cost little to write.

ALTER TABLE audit_entries
    -- What was seen, not changed.
    ADD COLUMN is_read BOOLEAN NOT NULL DEFAULT false,
    -- The route or the tool that was asked; null for what no route did, and for entries of before.
    ADD COLUMN route TEXT,
    -- The first fifty whose data it was about: patients, or what else names them; `detail` has the count where there were more.
    ADD COLUMN subjects TEXT[] NOT NULL DEFAULT '{}';

-- What changed is listed by itself, however many reads lie between.
CREATE INDEX IF NOT EXISTS audit_changes ON audit_entries (clinic_id, at, id) WHERE NOT is_read;
CREATE INDEX IF NOT EXISTS audit_changes_of_actor ON audit_entries (clinic_id, actor, at, id) WHERE NOT is_read;
-- Entries by the patients that they name.
CREATE INDEX IF NOT EXISTS audit_entries_subjects_idx ON audit_entries USING gin (subjects);

-- Reads have no other subject.
CREATE INDEX IF NOT EXISTS audit_of_subject ON audit_entries (clinic_id, subject, at, id) WHERE subject IS NOT NULL;
DROP INDEX IF EXISTS audit_entries_clinic_id_subject_at_id_idx;

-- A read changes nothing that a page shows; what a route or a tool changed is told by the records that it changed.
DROP TRIGGER notify_change ON audit_entries;
CREATE TRIGGER notify_change AFTER INSERT ON audit_entries
  FOR EACH ROW WHEN (NEW.route IS NULL) EXECUTE FUNCTION notify_change();

-- What requests and tools tell the audit, until the worker that seals takes it over: somebody waits for each of them, so that
-- they are stored with one index and nothing else to do.
CREATE TABLE audit_requests (
    position BIGINT GENERATED ALWAYS AS IDENTITY,
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    detail JSONB NOT NULL DEFAULT '{}',
    request_id TEXT,
    address TEXT,
    is_read BOOLEAN NOT NULL,
    route TEXT NOT NULL,
    subjects TEXT[] NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT audit_requests_pkey PRIMARY KEY (position)
);
