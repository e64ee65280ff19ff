-- As those of patients. Test calls are among what has not ended, which `calls_live` leaves out.
CREATE INDEX IF NOT EXISTS calls_not_ended ON calls (clinic_id, created_at, id) WHERE state <> 'ENDED';
CREATE INDEX IF NOT EXISTS calls_of_case ON calls (clinic_id, case_id, created_at, id) WHERE case_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS calls_of_workflow ON calls (clinic_id, workflow_id, created_at, id) WHERE workflow_id IS NOT NULL;
