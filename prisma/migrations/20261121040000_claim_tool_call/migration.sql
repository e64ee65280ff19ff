-- Takes a writing tool call for execution, once: by its id, and by its meaning where it was asked under another id a moment
-- ago. The claims of one call take turns; a function does it in one round trip, each of its queries seeing what the turn
-- before has written.
--   claimed: the caller's to run; since: when an earlier try of it began that nobody finished
--   answered: reply is what was answered before
--   running: its twin is at work
CREATE FUNCTION claim_tool_call(
  new_id text, of_clinic text, of_call text, under_id text, of_family text, of_tool text, given jsonb, means text,
  rivals text[], abandoned_after interval, same_within interval
) RETURNS TABLE (kind text, id text, since timestamptz, reply text) LANGUAGE plpgsql AS $$
DECLARE
  own tool_calls;
  twin tool_calls;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(of_call, 5));

  SELECT * INTO own FROM tool_calls t WHERE t.call_id = of_call AND t.tool_call_id = under_id;
  IF own.reply IS NOT NULL THEN
    RETURN QUERY SELECT 'answered', own.id, NULL::timestamptz, own.reply;
    RETURN;
  END IF;
  IF own.started_at >= now() - abandoned_after THEN
    RETURN QUERY SELECT 'running', own.id, NULL::timestamptz, NULL::text;
    RETURN;
  END IF;

  -- The latest that means the same and has not failed, unless something else was changed since.
  SELECT * INTO twin FROM tool_calls t
  WHERE t.call_id = of_call AND t.meaning = means AND t.tool_call_id <> under_id
    AND t.started_at > now() - same_within AND t.is_success IS DISTINCT FROM false
    AND NOT EXISTS (
      SELECT 1 FROM tool_calls later
      WHERE later.call_id = of_call AND later.tool = ANY (rivals) AND later.meaning <> means
        AND later.is_success AND later.started_at > t.started_at)
  ORDER BY t.started_at DESC LIMIT 1;
  IF twin.reply IS NULL AND twin.started_at >= now() - abandoned_after THEN
    RETURN QUERY SELECT 'running', twin.id, NULL::timestamptz, NULL::text;
    RETURN;
  END IF;

  -- With a twin's answer the second id gets a row of its own, so that its own repetition is answered for ever.
  RETURN QUERY
  INSERT INTO tool_calls AS t (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success, completed_at)
  VALUES (new_id, of_clinic, of_call, under_id, of_family, of_tool, given, means, twin.reply,
    CASE WHEN twin.reply IS NOT NULL THEN true END, CASE WHEN twin.reply IS NOT NULL THEN now() END)
  ON CONFLICT (call_id, tool_call_id) DO UPDATE SET started_at = now(), reply = excluded.reply,
    is_success = excluded.is_success, completed_at = excluded.completed_at
  RETURNING CASE WHEN t.reply IS NULL THEN 'claimed' ELSE 'answered' END, t.id,
    COALESCE(own.started_at, CASE WHEN twin.reply IS NULL THEN twin.started_at END), t.reply;
END $$;
