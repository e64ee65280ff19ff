-- Days on which a provider works other hours than in a usual week, and how long before it begins a time can still be booked.
ALTER TABLE providers
    ADD COLUMN special_days JSONB NOT NULL DEFAULT '{}',
    ADD COLUMN notice_minutes INTEGER NOT NULL DEFAULT 0;
