-- A clinic may require a second factor of everybody who signs in for it. A service of the previous version does not know of it, nor of
-- passkeys: either is set once all processes are of this one.
ALTER TABLE clinics ADD COLUMN requires_second_factor boolean NOT NULL DEFAULT false;

-- The public half of a passkey (WebAuthn), by which an account signs in without its password.
CREATE TABLE passkeys (
    id text NOT NULL,
    user_id text NOT NULL,
    -- What the person calls it.
    name text NOT NULL,
    -- As the authenticator made it, base64url.
    credential_id text NOT NULL,
    -- COSE, base64url.
    public_key text NOT NULL,
    -- How often the authenticator says that it was used; those that are kept on several devices always say 0.
    counter bigint NOT NULL,
    transports text[] NOT NULL DEFAULT '{}',
    -- Whether it is kept on several devices of the person.
    is_synced boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    used_at timestamptz(3),
    CONSTRAINT passkeys_pkey PRIMARY KEY (id),
    CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id);
CREATE INDEX passkeys_user_id_idx ON passkeys (user_id);

-- What an authenticator has to sign. Deleted when it is used, whatever comes of it.
CREATE TABLE passkey_challenges (
    -- Of the challenge.
    hash text NOT NULL,
    -- Who registers a passkey; null for whoever signs in.
    user_id text,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT passkey_challenges_pkey PRIMARY KEY (hash),
    CONSTRAINT passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX passkey_challenges_user_id_idx ON passkey_challenges (user_id);
CREATE INDEX passkey_challenges_expires_at_idx ON passkey_challenges (expires_at);
