-- Runs that wait for a free line of their clinic, in the order in which they get one. A run has one ticket at most.
CREATE TABLE line_tickets (
    workflow_id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    phone TEXT NOT NULL,
    priority INTEGER NOT NULL,
    due_at TIMESTAMPTZ(3) NOT NULL,
    not_after TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    granted_at TIMESTAMPTZ(3),
    CONSTRAINT line_tickets_pkey PRIMARY KEY (workflow_id)
);

ALTER TABLE line_tickets
    ADD CONSTRAINT line_tickets_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT line_tickets_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX line_tickets_clinic_id_priority_due_at_created_at_idx ON line_tickets (clinic_id, priority, due_at, created_at);
