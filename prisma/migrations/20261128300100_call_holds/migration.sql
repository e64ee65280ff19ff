-- For how many minutes the agent of a live call may keep a time for a caller who thinks it over; 0: not at all.
ALTER TABLE clinics ADD COLUMN call_hold_minutes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE clinics ADD CONSTRAINT clinics_call_hold_minutes CHECK (call_hold_minutes BETWEEN 0 AND 15);
