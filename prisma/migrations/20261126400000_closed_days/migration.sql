-- Days on which a whole clinic is closed, by date on its calendar, with what they are called: { "2026-12-25": "Christmas Day" }.
-- What runs during the upgrade leaves it as it is and offers times by the hours of providers alone.
ALTER TABLE clinics ADD COLUMN closed_days JSONB NOT NULL DEFAULT '{}';
