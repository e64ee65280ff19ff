-- People are found by words in any order, however they are written: what they are found by is kept beside what is shown.
-- Both extensions are trusted: whoever owns the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- The part of a text that a search compares. Separators are named one by one, so that no locale decides what a letter is.
CREATE FUNCTION folded(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN btrim(regexp_replace(
  replace(replace(replace(replace(
    translate(
      lower(regexp_replace(normalize($1, NFKD), '[\u0300-\u036f''`´‘’ʹʻʼʽˈ]', '', 'g')),
      'øłđðħıŧ', 'olddhit'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
  '[[:space:][:punct:][:cntrl:]$+<=>^|~\u00a0-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'));

-- What a patient is found by: a space before each word, so that the beginning of a word can be looked for.
CREATE FUNCTION patient_search_text(first_name text, last_name text, email text, identifier text, phone text, birth_date text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ' ' || concat_ws(' ', nullif(folded(concat_ws(' ', first_name, last_name, email, identifier)), ''),
  nullif(regexp_replace(phone, '\D', '', 'g'), ''), nullif(regexp_replace(birth_date, '\D', '', 'g'), ''));

-- LIKE patterns, each of which the search text must match. None: there is nothing in the words to look for.
CREATE FUNCTION search_patterns(words text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE
  -- A phone as people write it: without what only its own country dials first, or what is dialled before a country.
  WHEN normalize(words, NFKC) ~ '^[\s\d+().\-/–]*$' AND normalize(words, NFKC) ~ '(\d\D*){3}' THEN ARRAY[
    '%' || regexp_replace(regexp_replace(replace(normalize(words, NFKC), '(0)', ''), '\D', '', 'g'), '^0{1,2}(?=\d{3})', '') || '%']
  ELSE (
    SELECT coalesce(array_agg(CASE WHEN length(word) > 2 THEN '%' || word || '%' ELSE '% ' || word || '%' END), '{}')
    FROM (
      SELECT word FROM regexp_split_to_table(folded(words), ' ') AS word WHERE word <> '' ORDER BY length(word) DESC LIMIT 8
    ) AS longest)
END;

ALTER TABLE patients ADD COLUMN search_text TEXT NOT NULL DEFAULT '';

CREATE FUNCTION fill_search_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_text := patient_search_text(NEW.first_name, NEW.last_name, NEW.email, NEW.identifier, NEW.phone, NEW.birth_date);
  RETURN NEW;
END $$;
CREATE TRIGGER fill_search_text BEFORE INSERT OR UPDATE OF first_name, last_name, email, identifier, phone, birth_date ON patients
  FOR EACH ROW EXECUTE FUNCTION fill_search_text();

-- Reads by the index over words, whatever the statistics say: those of all clinics' names tell little about one clinic's.
CREATE FUNCTION patients_matching(clinic text, patterns text[], at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT id FROM patients WHERE clinic_id = %L', clinic)
    || (SELECT coalesce(string_agg(format(' AND search_text LIKE %L', pattern), ''), ' AND false') FROM unnest(patterns) pattern)
    || format(' LIMIT %s', at_most);
END $$;

-- The same for a part of a session id. Nothing is read for a part that is too short for the index.
CREATE FUNCTION cases_of_session(clinic text, part text, at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
  IF part !~ '[[:alnum:]]{3}' THEN RETURN; END IF;
  RETURN QUERY EXECUTE format('SELECT id FROM recovery_cases WHERE clinic_id = %L AND session_id ILIKE %L LIMIT %s',
    clinic, '%' || regexp_replace(part, '([\\%_])', '\\\1', 'g') || '%', at_most);
END $$;
