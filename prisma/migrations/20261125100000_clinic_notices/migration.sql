-- What a run that has ended has still to tell the clinic's own system. Its workflow tells it; were Temporal's store lost
-- before, nobody else would know. A row goes when its notice was told, or staff have a task instead.
CREATE TABLE clinic_notices (
    workflow_id text NOT NULL,
    clinic_id text NOT NULL,
    action text NOT NULL,
    -- The appointment, or the call where the notice is not of an appointment.
    subject text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT clinic_notices_pkey PRIMARY KEY (workflow_id, action, subject)
);
ALTER TABLE clinic_notices
    ADD CONSTRAINT clinic_notices_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT clinic_notices_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;
