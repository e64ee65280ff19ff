CREATE INDEX CONCURRENTLY recovery_cases_by_session ON recovery_cases USING gin (clinic_id, session_id gin_trgm_ops);
