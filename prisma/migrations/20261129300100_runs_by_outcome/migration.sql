-- Runs are listed and counted by how they ended.
CREATE INDEX IF NOT EXISTS workflow_runs_by_outcome ON workflow_runs (clinic_id, outcome, started_at, id) WHERE outcome IS NOT NULL;
