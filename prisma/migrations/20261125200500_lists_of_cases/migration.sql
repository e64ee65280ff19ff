-- As those of patients.
CREATE INDEX IF NOT EXISTS recovery_cases_by_session ON recovery_cases USING gin (clinic_id, session_id gin_trgm_ops) WHERE session_id <> '';
CREATE INDEX IF NOT EXISTS recovery_cases_clinic_id_ended_at_status_idx ON recovery_cases (clinic_id, ended_at, status);
CREATE INDEX IF NOT EXISTS recovery_cases_clinic_id_patient_id_created_at_id_idx ON recovery_cases (clinic_id, patient_id, created_at, id);
-- What is still worked on: a list, and the counts of the overview.
CREATE INDEX IF NOT EXISTS recovery_cases_open ON recovery_cases (clinic_id, created_at, id, status) WHERE ended_at IS NULL;
