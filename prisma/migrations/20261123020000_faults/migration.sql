-- What lets the service go on where a process, a receiver or a connection fails.

-- Whoever holds a lease or a claim has a token. A write with an older token is refused: a process that was frozen and
-- wakes changes nothing that others have done meanwhile.
ALTER TABLE deliveries ADD COLUMN lease_token text;
ALTER TABLE tool_calls
    ADD COLUMN claim_token text,
    ADD COLUMN claimed_until timestamptz(3);

-- What the agent has resolved in a call: stored before the case's workflow is asked, which ends the case with it.
ALTER TABLE recovery_cases ADD COLUMN decision jsonb;

-- What the relay has tried in vain waits, later and later, and holds up nothing else.
ALTER TABLE workflow_messages
    ADD COLUMN tries integer NOT NULL DEFAULT 0,
    ADD COLUMN next_try_at timestamptz(3) NOT NULL DEFAULT now();
ALTER TABLE workflow_runs
    ADD COLUMN dispatch_tries integer NOT NULL DEFAULT 0,
    ADD COLUMN next_dispatch_at timestamptz(3) NOT NULL DEFAULT now();

-- How a receiver has been doing: after some failures in a row its events wait, and are tried one at a time.
CREATE TABLE endpoint_health (
    clinic_id text NOT NULL,
    url text NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz(3),
    paused_until timestamptz(3),
    next_look_at timestamptz(3),
    CONSTRAINT endpoint_health_pkey PRIMARY KEY (clinic_id),
    CONSTRAINT endpoint_health_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- For counting the attempts that are under way.
CREATE INDEX deliveries_leased ON deliveries (clinic_id, leased_until) WHERE leased_until IS NOT NULL;

-- As before, but a claim lasts only as long as its holder renews it, and its token is the id that was given with it.
DROP FUNCTION claim_tool_call(text, text, text, text, text, text, jsonb, text, text[], interval, interval);
CREATE FUNCTION claim_tool_call(
  new_id text, of_clinic text, of_call text, under_id text, of_family text, of_tool text, given jsonb, means text,
  rivals text[], claim_lasts interval, same_within interval
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
  IF own.claimed_until > now() THEN
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
  IF twin.reply IS NULL AND twin.claimed_until > now() THEN
    RETURN QUERY SELECT 'running', twin.id, NULL::timestamptz, NULL::text;
    RETURN;
  END IF;

  -- With a twin's reply the second id gets a row of its own, so that its own repetition always gets that reply.
  RETURN QUERY
  INSERT INTO tool_calls AS t (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success,
    completed_at, claim_token, claimed_until)
  VALUES (new_id, of_clinic, of_call, under_id, of_family, of_tool, given, means, twin.reply,
    CASE WHEN twin.reply IS NOT NULL THEN true END, CASE WHEN twin.reply IS NOT NULL THEN now() END,
    new_id, now() + claim_lasts)
  ON CONFLICT (call_id, tool_call_id) DO UPDATE SET started_at = now(), reply = excluded.reply,
    is_success = excluded.is_success, completed_at = excluded.completed_at,
    claim_token = excluded.claim_token, claimed_until = excluded.claimed_until
  RETURNING CASE WHEN t.reply IS NULL THEN 'claimed' ELSE 'answered' END, t.id,
    COALESCE(own.started_at, CASE WHEN twin.reply IS NULL THEN twin.started_at END), t.reply;
END $$;
