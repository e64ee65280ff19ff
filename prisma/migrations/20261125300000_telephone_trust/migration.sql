-- Whose line it is, and who a caller is. A number proves neither: whoever calls can show any, and a clinic can enter any.

-- The caller was matched with a patient whom the clinic knows by the number alone.
ALTER TABLE calls ADD COLUMN is_matched_by_number BOOLEAN NOT NULL DEFAULT false;

-- When the operator confirmed that the line is this clinic's; what was entered before counts as confirmed.
ALTER TABLE phone_numbers ADD COLUMN confirmed_at TIMESTAMPTZ(3);
UPDATE phone_numbers SET confirmed_at = created_at;

-- Every date of birth that somebody stated for a patient in a call. Never the date itself.
CREATE TABLE verification_attempts (
    -- That of the tool call, so that one which is run again counts once.
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    patient_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    outcome TEXT NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT verification_attempts_pkey PRIMARY KEY (id),
    CONSTRAINT verification_attempts_outcome CHECK (outcome IN ('matched', 'mismatched', 'unreadable', 'locked'))
);

CREATE INDEX verification_attempts_clinic_id_call_id_at_idx ON verification_attempts (clinic_id, call_id, at);
CREATE INDEX verification_attempts_clinic_id_patient_id_at_idx ON verification_attempts (clinic_id, patient_id, at);

ALTER TABLE verification_attempts
    ADD CONSTRAINT verification_attempts_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT verification_attempts_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT verification_attempts_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;

-- What a caller who was not verified says about a patient whom the clinic knows: staff decide whether it is true.
CREATE TABLE record_proposals (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    patient_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    given JSONB NOT NULL,
    state TEXT NOT NULL DEFAULT 'OPEN',
    decided_by TEXT,
    decided_at TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT record_proposals_pkey PRIMARY KEY (id),
    CONSTRAINT record_proposals_state CHECK (state IN ('OPEN', 'ACCEPTED', 'DISMISSED'))
);

CREATE UNIQUE INDEX record_proposals_clinic_id_id_key ON record_proposals (clinic_id, id);
CREATE UNIQUE INDEX record_proposals_one_per_call ON record_proposals (call_id, patient_id);
CREATE INDEX record_proposals_clinic_id_patient_id_created_at_idx ON record_proposals (clinic_id, patient_id, created_at);

ALTER TABLE record_proposals
    ADD CONSTRAINT record_proposals_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT record_proposals_clinic_id_patient_id_fkey FOREIGN KEY (clinic_id, patient_id)
        REFERENCES patients (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    ADD CONSTRAINT record_proposals_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;
