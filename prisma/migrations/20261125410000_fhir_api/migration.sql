-- A clinic's own API may be a FHIR server: what is permitted there, what our names are called there, and what it declares.
ALTER TABLE approved_apis ADD COLUMN kind TEXT NOT NULL DEFAULT 'json';
ALTER TABLE approved_apis ADD COLUMN fhir JSONB;
ALTER TABLE approved_apis ADD COLUMN capabilities JSONB;
ALTER TABLE approved_apis ADD CONSTRAINT approved_apis_kind CHECK (kind IN ('json', 'fhir-r4'));

-- The id of a note at the clinic's own system; patients and appointments have theirs already.
ALTER TABLE documents ADD COLUMN external_id TEXT;
