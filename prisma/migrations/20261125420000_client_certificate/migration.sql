-- A certificate by which we prove ourselves at a clinic's own API while we connect, with its key; encrypted as the credentials are.
ALTER TABLE approved_apis ADD COLUMN client_certificate TEXT;
