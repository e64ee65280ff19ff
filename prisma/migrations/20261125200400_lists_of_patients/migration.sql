-- Nobody writes to the table while its indexes are made. Where it is large, each may be made before by hand, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS patients_by_words ON patients USING gin (clinic_id, search_text gin_trgm_ops) WHERE search_text <> '';
CREATE INDEX IF NOT EXISTS patients_registered ON patients (clinic_id, created_at, id) WHERE NOT is_placeholder;
