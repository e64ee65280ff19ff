-- Why a phone rang, or did not: each decision with what it was made of and the rule that decided. Ids, times and settings; no
-- name, no phone.
CREATE TABLE call_decisions (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    workflow_id TEXT NOT NULL,
    call_id TEXT,
    stage TEXT NOT NULL,
    rule TEXT NOT NULL,
    decided JSONB NOT NULL,
    inputs JSONB NOT NULL,
    decided_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT call_decisions_pkey PRIMARY KEY (id)
);
ALTER TABLE call_decisions
    ADD CONSTRAINT call_decisions_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT call_decisions_clinic_id_workflow_id_fkey FOREIGN KEY (clinic_id, workflow_id)
        REFERENCES workflow_runs (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT call_decisions_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE call_decisions ADD CONSTRAINT call_decisions_stage CHECK (stage IN ('plan', 'dial'));
CREATE INDEX call_decisions_clinic_id_workflow_id_decided_at_idx ON call_decisions (clinic_id, workflow_id, decided_at);
CREATE INDEX call_decisions_clinic_id_call_id_idx ON call_decisions (clinic_id, call_id);
