-- Alone in its file: it is built while others write, which no transaction may be around.
CREATE INDEX CONCURRENTLY patients_by_words ON patients USING gin (clinic_id, search_text gin_trgm_ops);
