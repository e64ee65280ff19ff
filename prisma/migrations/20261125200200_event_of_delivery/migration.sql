-- Deliveries are listed by what they tell: kept beside them, so that an event that a clinic rarely has is found at once.
ALTER TABLE deliveries ADD COLUMN event TEXT NOT NULL DEFAULT '';

CREATE OR REPLACE FUNCTION create_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (id, clinic_id, event_id, event, next_attempt_at)
  SELECT NEW.id, NEW.clinic_id, NEW.id, NEW.event, now()
  FROM outbound_endpoints
  WHERE clinic_id = NEW.clinic_id AND is_enabled AND url IS NOT NULL AND (NEW.event = ANY (events) OR NEW.event = 'test');
  RETURN NULL;
END $$;
