-- In parts, each of which is committed: nobody who changes a patient meanwhile waits for long.
DO $$
DECLARE
  after text := '';
BEGIN
  LOOP
    WITH part AS (SELECT id FROM patients WHERE id > after ORDER BY id LIMIT 2000), filled AS (
      UPDATE patients p SET search_text = patient_search_text(first_name, last_name, email, identifier, phone, birth_date)
      FROM part WHERE p.id = part.id AND p.search_text = ''
    )
    SELECT max(id) INTO after FROM part;
    EXIT WHEN after IS NULL;
    COMMIT;
  END LOOP;
END $$;
