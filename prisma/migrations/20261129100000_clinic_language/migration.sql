-- The language of a clinic's dashboard, where a person has not chosen another one in their browser. What runs during the upgrade
-- leaves it as it is.
ALTER TABLE clinics
  ADD COLUMN language TEXT NOT NULL DEFAULT 'en' CONSTRAINT clinics_language CHECK (language IN ('en', 'es'));
