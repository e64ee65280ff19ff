-- A caller may be looked for by name alone.
CREATE INDEX patients_by_name ON patients (clinic_id, lower(first_name || ' ' || last_name));
