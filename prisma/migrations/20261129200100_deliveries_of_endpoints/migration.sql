-- As those of patients (20261125200400): where the table is large, each may be made before by hand, CONCURRENTLY.
CREATE UNIQUE INDEX IF NOT EXISTS deliveries_clinic_id_event_id_endpoint_id_key ON deliveries (clinic_id, event_id, endpoint_id);
CREATE INDEX IF NOT EXISTS deliveries_given_up ON deliveries (clinic_id, endpoint_id, created_at, id) WHERE state = 'DEAD';
-- For a list of the deliveries of one endpoint, and for what its senders are woken for.
CREATE INDEX IF NOT EXISTS deliveries_of_further ON deliveries (clinic_id, endpoint_id, created_at, id) WHERE endpoint_id <> '';
CREATE INDEX IF NOT EXISTS deliveries_pending_of_further ON deliveries (next_attempt_at)
    WHERE state = 'PENDING' AND endpoint_id <> '';
DROP INDEX deliveries_clinic_id_event_id_key;
DROP INDEX deliveries_dead;
