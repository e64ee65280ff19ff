-- As those of patients (20261125200400): where the table is large, each may be made before by hand, CONCURRENTLY.
CREATE INDEX IF NOT EXISTS calls_clinic_id_workflow_type_created_at_id_idx ON calls (clinic_id, workflow_type, created_at, id);
CREATE INDEX IF NOT EXISTS calls_inbound ON calls (clinic_id, created_at, id) WHERE direction = 'inbound';
-- Which reasons a clinic's calls have ended for: some dozens, which are read one after the other.
CREATE INDEX IF NOT EXISTS calls_ended_reasons ON calls (clinic_id, ended_reason) WHERE ended_reason IS NOT NULL;
