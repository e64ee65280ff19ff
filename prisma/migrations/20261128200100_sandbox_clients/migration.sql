-- Clients that prove who they are at a clinic's sandbox by a key pair (SMART Backend Services).
CREATE TABLE sandbox_clients (
    id text NOT NULL,
    clinic_id text NOT NULL,
    name text NOT NULL,
    -- Public keys, as a JSON Web Key Set.
    jwks jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT sandbox_clients_pkey PRIMARY KEY (id),
    CONSTRAINT sandbox_clients_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX sandbox_clients_clinic_id_id_key ON sandbox_clients (clinic_id, id);

-- An assertion is good once: its id is kept until it has ended.
CREATE TABLE sandbox_assertions (
    client_id text NOT NULL,
    jti_hash text NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT sandbox_assertions_pkey PRIMARY KEY (client_id, jti_hash),
    CONSTRAINT sandbox_assertions_client_id_fkey FOREIGN KEY (client_id) REFERENCES sandbox_clients (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE sandbox_tokens (
    hash text NOT NULL,
    clinic_id text NOT NULL,
    client_id text NOT NULL,
    ends_at timestamptz(3) NOT NULL,
    CONSTRAINT sandbox_tokens_pkey PRIMARY KEY (hash),
    CONSTRAINT sandbox_tokens_clinic_id_client_id_fkey FOREIGN KEY (clinic_id, client_id) REFERENCES sandbox_clients (clinic_id, id)
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX sandbox_tokens_clinic_id_client_id_idx ON sandbox_tokens (clinic_id, client_id);

-- Their tokens are remembered for some seconds by every process.
CREATE TRIGGER note_change AFTER DELETE ON sandbox_clients FOR EACH ROW EXECUTE FUNCTION note_change();
