-- What one worker at a time does for all of them. A holder that does not prolong its lease has lost it; the token grows with
-- each holder, so that a write of an earlier one is refused. All times are of this server's clock.
CREATE TABLE duties (
    name text NOT NULL,
    holder text,
    token integer NOT NULL DEFAULT 0,
    expires_at timestamptz(3) NOT NULL DEFAULT now(),
    done_until timestamptz(3),
    CONSTRAINT duties_pkey PRIMARY KEY (name)
);
INSERT INTO duties (name) VALUES ('relay'), ('reconcile');

-- What the relay has tried in vain is tried again with the next batch: nothing reads how often, or when again.
ALTER TABLE workflow_messages DROP COLUMN tries, DROP COLUMN next_try_at;
ALTER TABLE workflow_runs DROP COLUMN dispatch_tries, DROP COLUMN next_dispatch_at;
