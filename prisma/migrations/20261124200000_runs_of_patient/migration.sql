-- Staff read why a patient was not called, over all workflows of that patient, ended ones too.
CREATE INDEX workflow_runs_clinic_id_patient_id_idx ON workflow_runs (clinic_id, patient_id);
