-- What a request changed is found by its id, which a client has as x-request-id.
CREATE INDEX IF NOT EXISTS audit_changes_of_request ON audit_entries (clinic_id, request_id) WHERE NOT is_read AND request_id IS NOT NULL;
