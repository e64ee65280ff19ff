-- What a search for open slots reads: a provider's booked times, in order, from the index alone.
CREATE INDEX appointments_booked_times ON appointments (provider_id, starts_at) WHERE status = 'booked';
