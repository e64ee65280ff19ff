-- The key pairs by which we prove ourselves at a clinic's own systems (SMART Backend Services): two while they are rotated.
CREATE TABLE client_keys (
    clinic_id TEXT NOT NULL,
    kid TEXT NOT NULL,
    algorithm TEXT NOT NULL,
    public_jwk JSONB NOT NULL,
    -- Encrypted JSON Web Key.
    private_key TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    signs_from TIMESTAMPTZ(3) NOT NULL,
    -- Until when it is published; null for the newest.
    retires_at TIMESTAMPTZ(3),
    CONSTRAINT client_keys_pkey PRIMARY KEY (clinic_id, kid)
);

ALTER TABLE client_keys
    ADD CONSTRAINT client_keys_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;

-- Headers that go with every request to the API, encrypted as the credentials are.
ALTER TABLE approved_apis ADD COLUMN headers TEXT;
