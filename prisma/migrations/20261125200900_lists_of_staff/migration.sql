-- As those of patients.
CREATE INDEX IF NOT EXISTS staff_tasks_clinic_id_created_at_id_idx ON staff_tasks (clinic_id, created_at, id);
CREATE INDEX IF NOT EXISTS staff_tasks_clinic_id_reason_created_at_id_idx ON staff_tasks (clinic_id, reason, created_at, id);
CREATE INDEX IF NOT EXISTS staff_tasks_clinic_id_assignee_id_created_at_id_idx ON staff_tasks (clinic_id, assignee_id, created_at, id);
CREATE INDEX IF NOT EXISTS staff_tasks_of_patient ON staff_tasks (clinic_id, patient_id, created_at, id) WHERE patient_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS staff_tasks_of_case ON staff_tasks (clinic_id, case_id, created_at, id) WHERE case_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS opt_outs_clinic_id_created_at_id_idx ON opt_outs (clinic_id, created_at, id);
CREATE INDEX IF NOT EXISTS appointments_clinic_id_status_starts_at_id_idx ON appointments (clinic_id, status, starts_at, id);
CREATE INDEX IF NOT EXISTS appointments_clinic_id_provider_id_starts_at_id_idx ON appointments (clinic_id, provider_id, starts_at, id);
CREATE INDEX IF NOT EXISTS appointments_clinic_id_created_at_idx ON appointments (clinic_id, created_at);
CREATE INDEX IF NOT EXISTS staff_tasks_open ON staff_tasks (created_at) WHERE state = 'OPEN';
