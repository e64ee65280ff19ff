-- What the platform hands over of a call once it is over. Apart from `calls`, so that lists do not read transcripts, and
-- so that it can be deleted while the call's record stays.
CREATE TABLE call_evidence (
    clinic_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    transcript TEXT,
    recording_url TEXT,
    -- In US dollars, as the platform bills it.
    cost_usd DOUBLE PRECISION,
    duration_seconds INTEGER,
    -- The platform's own word for whether the call did what it was for.
    success TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT call_evidence_pkey PRIMARY KEY (clinic_id, call_id)
);

ALTER TABLE call_evidence
    ADD CONSTRAINT call_evidence_clinic_id_call_id_fkey FOREIGN KEY (clinic_id, call_id)
        REFERENCES calls (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX call_evidence_created_at_idx ON call_evidence (created_at);
