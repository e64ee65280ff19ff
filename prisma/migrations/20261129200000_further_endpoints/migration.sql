-- A clinic's further endpoints, beside its first one, which stays in outbound_endpoints and endpoint_health and has the id ''.
CREATE TABLE further_endpoints (
    id text NOT NULL,
    clinic_id text NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    is_enabled boolean NOT NULL DEFAULT true,
    disabled_reason text,
    events text[] NOT NULL DEFAULT '{}',
    -- How the present URL does, as in endpoint_health.
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz(3),
    paused_until timestamptz(3),
    next_look_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    -- Its deliveries stay on record, and say its name.
    removed_at timestamptz(3),
    CONSTRAINT further_endpoints_pkey PRIMARY KEY (id),
    CONSTRAINT further_endpoints_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX further_endpoints_clinic_id_id_key ON further_endpoints (clinic_id, id);

-- Every receiver of a clinic's events, and how it does.
CREATE VIEW endpoints AS
SELECT o.clinic_id, ''::text AS id, o.url, o.is_enabled, false AS is_removed, h.failures, h.failing_since, h.paused_until
FROM outbound_endpoints o
LEFT JOIN endpoint_health h ON h.clinic_id = o.clinic_id AND h.url = o.url
UNION ALL
SELECT clinic_id, id, url, is_enabled, removed_at IS NOT NULL, failures, failing_since, paused_until
FROM further_endpoints;

-- To which endpoint; '' is the first.
ALTER TABLE deliveries ADD COLUMN endpoint_id text NOT NULL DEFAULT '';
ALTER TABLE delivery_attempts ADD COLUMN endpoint_id text NOT NULL DEFAULT '';
-- The one further endpoint that it is for, as a sample; null: for all that want it.
ALTER TABLE outbound_events ADD COLUMN only_to text;

-- One delivery for each endpoint that wants the event: the first one's has the id of the event.
CREATE OR REPLACE FUNCTION create_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (id, clinic_id, event_id, endpoint_id, event, next_attempt_at)
  SELECT NEW.id, NEW.clinic_id, NEW.id, '', NEW.event, now()
  FROM outbound_endpoints
  WHERE clinic_id = NEW.clinic_id AND is_enabled AND url IS NOT NULL AND NEW.only_to IS NULL
    AND (NEW.event = ANY (events) OR NEW.event = 'test' OR starts_with(NEW.subject, 'sample-'))
  UNION ALL
  SELECT NEW.id || '-' || id, NEW.clinic_id, NEW.id, id, NEW.event, now()
  FROM further_endpoints
  WHERE clinic_id = NEW.clinic_id AND is_enabled AND removed_at IS NULL
    AND (id = NEW.only_to OR (NEW.only_to IS NULL AND NEW.event = ANY (events) AND NOT starts_with(NEW.subject, 'sample-')));
  RETURN NULL;
END $$;
