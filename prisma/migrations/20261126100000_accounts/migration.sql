-- Accounts are people: they are invited, disabled, reset and made safe with a second factor, without the database.

-- A disabled account neither signs in nor goes on; one that ends by itself is for emergencies. A service of the previous version
-- knows neither: accounts are disabled once all processes are of this one.
ALTER TABLE users ADD COLUMN disabled_at TIMESTAMPTZ(3), ADD COLUMN ends_at TIMESTAMPTZ(3);
CREATE INDEX users_clinic_id_idx ON users (clinic_id);

-- A link by which a person sets a password, once: an invitation, or a reset for an account that exists. Deleted when it is used.
CREATE TABLE account_links (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    email TEXT NOT NULL,
    -- Of the link's token.
    hash TEXT NOT NULL,
    -- What the invited person will be.
    role TEXT,
    -- Whose password is set by a reset.
    user_id TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT account_links_pkey PRIMARY KEY (id),
    CONSTRAINT account_links_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT account_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT account_links_kind CHECK (
        kind = 'invitation' AND role IS NOT NULL AND user_id IS NULL OR kind = 'reset' AND role IS NULL AND user_id IS NOT NULL)
);
CREATE UNIQUE INDEX account_links_hash_key ON account_links (hash);
CREATE UNIQUE INDEX account_links_one_per_person ON account_links (clinic_id, kind, email);
CREATE INDEX account_links_user_id_idx ON account_links (user_id);

-- The second factor of an account: it counts once the person has proved that their authenticator has it.
CREATE TABLE second_factors (
    user_id TEXT NOT NULL,
    -- Encrypted.
    secret TEXT NOT NULL,
    confirmed_at TIMESTAMPTZ(3),
    -- The half minute of the code that was used last: no code is taken twice.
    last_step BIGINT NOT NULL DEFAULT 0,
    -- Hashes of those that are left.
    backup_codes TEXT[] NOT NULL DEFAULT '{}',
    -- Wrong codes since the last right one.
    failures INTEGER NOT NULL DEFAULT 0,
    failed_at TIMESTAMPTZ(3),
    CONSTRAINT second_factors_pkey PRIMARY KEY (user_id),
    CONSTRAINT second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
