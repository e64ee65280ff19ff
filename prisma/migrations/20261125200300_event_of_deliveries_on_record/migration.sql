-- In parts, each of which is committed: nobody who sends one meanwhile waits for long.
DO $$
DECLARE
  after text := '';
BEGIN
  LOOP
    WITH part AS (SELECT id FROM deliveries WHERE id > after ORDER BY id LIMIT 2000), filled AS (
      UPDATE deliveries d SET event = e.event
      FROM part, outbound_events e
      WHERE d.id = part.id AND d.event = '' AND e.clinic_id = d.clinic_id AND e.id = d.event_id
    )
    SELECT max(id) INTO after FROM part;
    EXIT WHEN after IS NULL;
    COMMIT;
  END LOOP;
END $$;
