-- For how long a clinic keeps contents, and until when they are purged.
CREATE TABLE retention (
    clinic_id text NOT NULL,
    kind text NOT NULL,
    -- Null: the operator's default.
    days integer,
    -- Nothing that is older has contents left. Null: nothing was purged yet.
    purged_until timestamptz(3),
    CONSTRAINT retention_pkey PRIMARY KEY (clinic_id, kind),
    CONSTRAINT retention_days CHECK (days BETWEEN 7 AND 3653),
    CONSTRAINT retention_kind CHECK (kind IN ('inbound_payloads', 'tool_contents', 'event_bodies', 'sent_messages', 'stored_answers', 'call_evidence', 'call_decisions')),
    CONSTRAINT retention_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- These tables are written in the order of time, and asked for a day at a time: a few pages in place of an entry for each row.
CREATE INDEX tool_calls_started_at_brin ON tool_calls USING brin (started_at) WITH (pages_per_range = 16);
CREATE INDEX outbound_events_created_at_brin ON outbound_events USING brin (created_at) WITH (pages_per_range = 16);
CREATE INDEX workflow_messages_created_at_brin ON workflow_messages USING brin (created_at) WITH (pages_per_range = 16);
CREATE INDEX idempotency_records_created_at_brin ON idempotency_records USING brin (created_at) WITH (pages_per_range = 16);
