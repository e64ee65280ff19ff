-- Sign-ins of an account from an address in a minute, over all processes. The key is a digest: no e-mail is kept.
CREATE TABLE sign_in_counts (
    key text NOT NULL,
    sign_ins integer NOT NULL,
    began_at timestamptz(3) NOT NULL,
    CONSTRAINT sign_in_counts_pkey PRIMARY KEY (key)
);
CREATE INDEX sign_in_counts_began_at_idx ON sign_in_counts (began_at);
