-- How a clinic's calls are placed at the voice platform. Without a row, and where a row says nothing, the operator's
-- environment holds.
CREATE TABLE voice_settings (
    clinic_id TEXT NOT NULL,
    -- Encrypted JSON of the clinic's own key at the platform; null where it calls through the operator's account.
    credentials TEXT,
    credential_id TEXT,
    phone_number_id TEXT,
    assistant_id TEXT,
    assistants JSONB NOT NULL,
    transfer_to TEXT,
    detects_voicemail BOOLEAN NOT NULL,
    leaves_message BOOLEAN NOT NULL,
    max_call_seconds INTEGER NOT NULL,
    is_recorded BOOLEAN NOT NULL,
    discloses_recording BOOLEAN NOT NULL,
    is_hipaa BOOLEAN NOT NULL,
    -- A request made before, whose answer was lost, can be looked up at another account only.
    account_changed_at TIMESTAMPTZ(3),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT voice_settings_pkey PRIMARY KEY (clinic_id)
);

ALTER TABLE voice_settings
    ADD CONSTRAINT voice_settings_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

-- By this secret the platform proves itself for one clinic; it is looked up by its digest alone.
CREATE UNIQUE INDEX secrets_voice_hash_key ON secrets (hash) WHERE kind = 'voice';
