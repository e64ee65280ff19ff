-- As those of patients.
CREATE INDEX IF NOT EXISTS deliveries_clinic_id_event_created_at_id_idx ON deliveries (clinic_id, event, created_at, id);
CREATE INDEX IF NOT EXISTS deliveries_not_delivered ON deliveries (clinic_id, state, created_at, id) WHERE state <> 'DELIVERED';
