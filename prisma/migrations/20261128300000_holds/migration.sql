-- A time that is held for a patient until an instant. Such a row is no appointment: its status is cancelled, so that whoever looks
-- for booked ones never meets it. It keeps its time for as long as nobody has ended it (cancelled_at), and becomes an appointment by
-- losing held_until. Whether its instant has passed is for those who want the time to see: a constraint cannot look at a clock.
ALTER TABLE appointments ADD COLUMN held_until TIMESTAMPTZ(3);
ALTER TABLE appointments ADD CONSTRAINT appointments_holds CHECK (held_until IS NULL OR status = 'cancelled');

-- Of two who want overlapping times of one provider one wins, whether they book, move or hold. The rows are read anew for its index:
-- some seconds for a million appointments.
ALTER TABLE appointments
    DROP CONSTRAINT appointments_never_overlap,
    ADD CONSTRAINT appointments_never_overlap EXCLUDE USING gist (provider_id WITH =, tstzrange(starts_at, ends_at) WITH &&)
        WHERE (status = 'booked' OR (held_until IS NOT NULL AND cancelled_at IS NULL));

-- Searches for open times.
CREATE INDEX appointments_held_times ON appointments (provider_id, starts_at) WHERE held_until IS NOT NULL AND cancelled_at IS NULL;
-- Removing holds that are long over.
CREATE INDEX appointments_holds_made ON appointments (created_at) WHERE held_until IS NOT NULL;
