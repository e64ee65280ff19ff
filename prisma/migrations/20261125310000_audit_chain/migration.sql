-- An audit that can be believed: it is only added to, and a chain of keyed hashes for each clinic shows what was changed,
-- removed or inserted around this.

-- From where; null for entries of before, and for what no request caused.
ALTER TABLE audit_entries ADD COLUMN address TEXT;

-- A clinic is not deleted while it has an audit. Checked row by row later: the rows of before satisfy the constraint of before.
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_clinic_id_fkey;
ALTER TABLE audit_entries
    ADD CONSTRAINT audit_entries_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE RESTRICT ON UPDATE RESTRICT NOT VALID;
ALTER TABLE audit_entries VALIDATE CONSTRAINT audit_entries_clinic_id_fkey;

-- Search by subject, person and action, newest first.
CREATE INDEX audit_entries_clinic_id_subject_at_id_idx ON audit_entries (clinic_id, subject, at, id);
CREATE INDEX audit_entries_clinic_id_actor_at_id_idx ON audit_entries (clinic_id, actor, at, id);
CREATE INDEX audit_entries_clinic_id_action_at_id_idx ON audit_entries (clinic_id, action, at, id);

-- The chain: an entry's place in its clinic, and the hash over the hash before it and the entry. Written by one sealer, in
-- batches, so that no writer waits for another.
CREATE TABLE audit_links (
    clinic_id TEXT NOT NULL,
    -- From 1, without a gap.
    position BIGINT NOT NULL,
    entry_id TEXT NOT NULL,
    -- Of the key ring that the hash was made with.
    key_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    sealed_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT audit_links_pkey PRIMARY KEY (clinic_id, position)
);
CREATE UNIQUE INDEX audit_links_one_per_entry ON audit_links (entry_id);

-- Entries that wait for their place.
CREATE TABLE audit_unsealed (
    entry_id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT audit_unsealed_pkey PRIMARY KEY (entry_id)
);
CREATE INDEX audit_unsealed_clinic_id_at_entry_id_idx ON audit_unsealed (clinic_id, at, entry_id);

CREATE FUNCTION queue_for_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_unsealed (entry_id, clinic_id, at) SELECT id, clinic_id, at FROM added;
  RETURN NULL;
END $$;
CREATE TRIGGER queue_for_seal AFTER INSERT ON audit_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_for_seal();

INSERT INTO audit_unsealed (entry_id, clinic_id, at) SELECT id, clinic_id, at FROM audit_entries;

CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only added to', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- For each statement: also those that a deletion elsewhere causes, and those that touch no row.
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_links
  FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER audit_stays;
ALTER TABLE audit_links ENABLE ALWAYS TRIGGER audit_stays;
