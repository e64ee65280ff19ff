-- `expired`: the last day that somebody wanted is over.
ALTER TABLE waitlist_entries DROP CONSTRAINT waitlist_entries_status;
ALTER TABLE waitlist_entries ADD CONSTRAINT waitlist_entries_status
    CHECK (status IN ('waiting', 'offered', 'booked', 'removed', 'expired'));
