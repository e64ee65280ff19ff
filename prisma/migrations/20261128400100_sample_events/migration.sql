-- A sample of an event is sent to whoever asks for it, like a test event, whatever events the clinic has chosen.
CREATE OR REPLACE FUNCTION create_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (id, clinic_id, event_id, event, next_attempt_at)
  SELECT NEW.id, NEW.clinic_id, NEW.id, NEW.event, now()
  FROM outbound_endpoints
  WHERE clinic_id = NEW.clinic_id AND is_enabled AND url IS NOT NULL
    AND (NEW.event = ANY (events) OR NEW.event = 'test' OR starts_with(NEW.subject, 'sample-'));
  RETURN NULL;
END $$;

-- How a clinic's receiver has been doing of late.
CREATE INDEX IF NOT EXISTS delivery_attempts_clinic_id_at_idx ON delivery_attempts (clinic_id, at);
