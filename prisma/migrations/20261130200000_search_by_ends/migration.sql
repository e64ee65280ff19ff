-- An index over words takes time for each three letters that it is asked for. Of what is long, the ends tell enough: what they
-- find is few, and compared as a whole. The text is concatenated with nothing so that the index is not asked for the whole as well.

-- A phone's last seven digits. Not of what else is looked for: many an e-mail address ends alike.
CREATE OR REPLACE FUNCTION patients_matching(clinic text, patterns text[], at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_indexscan = off AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT id FROM patients WHERE clinic_id = %L AND search_text <> ''''', clinic)
    || (SELECT coalesce(string_agg(
          CASE WHEN pattern ~ '^%\d{8,}%$' THEN format(' AND search_text LIKE %L AND search_text || '''' LIKE %L', '%' || right(pattern, 8), pattern)
            ELSE format(' AND search_text LIKE %L', pattern) END, ''), ' AND false') FROM unnest(patterns) pattern)
    || format(' LIMIT %s', at_most);
END $$;

-- Both ends of a session id, the last one first: the index begins with it, and what ids of one form have in common is mostly in front.
CREATE OR REPLACE FUNCTION cases_of_session(clinic text, part text, at_most bigint) RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_indexscan = off AS $$
DECLARE
  pattern text := '%' || regexp_replace(part, '([\\%_])', '\\\1', 'g') || '%';
  is_long boolean := part ~ '^[[:alnum:]]{3}.{12,}[[:alnum:]]{3}$' AND part !~ '[\\%_]';
BEGIN
  IF part !~ '[[:alnum:]]{3}' THEN RETURN; END IF;
  RETURN QUERY EXECUTE format('SELECT id FROM recovery_cases WHERE clinic_id = %L AND session_id <> ''''', clinic)
    || CASE WHEN is_long THEN format(' AND session_id ILIKE %L AND session_id ILIKE %L AND session_id || '''' ILIKE %L',
      '%' || right(part, 8) || '%', '%' || left(part, 8) || '%', pattern) ELSE format(' AND session_id ILIKE %L', pattern) END
    || format(' LIMIT %s', at_most);
END $$;
