-- What the ids of a clinic's runs and cases are derived with. A session id may hold an e-mail or a phone, which could be
-- guessed from an id that is derived from it alone.
ALTER TABLE clinics ADD COLUMN id_salt text NOT NULL DEFAULT gen_random_uuid()::text;
