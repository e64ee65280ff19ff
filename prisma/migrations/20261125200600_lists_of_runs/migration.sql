-- As those of patients.
CREATE INDEX IF NOT EXISTS workflow_runs_clinic_id_workflow_type_started_at_id_idx ON workflow_runs (clinic_id, workflow_type, started_at, id);
CREATE INDEX IF NOT EXISTS workflow_runs_not_completed ON workflow_runs (clinic_id, status, started_at, id) WHERE status <> 'completed';
