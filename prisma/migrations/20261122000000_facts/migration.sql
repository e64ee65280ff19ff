-- What a tool changed, and what the platform's analysis heard, are facts of the tool call and of the call. The messages
-- that tell workflows of them are only an outbox.
ALTER TABLE tool_calls ADD COLUMN fact TEXT, ADD COLUMN detail JSONB;
ALTER TABLE calls ADD COLUMN said TEXT, ADD COLUMN analysed_at TIMESTAMPTZ(3);

-- When the form of a session was completed, for a case that is being opened. A form may be completed at the same moment:
-- the lock makes the two take turns, and a function sees what was committed while it waited, where the statement that
-- calls it would not. So either the case opens with the event, or the event finds the case.
CREATE FUNCTION form_completed_at(of_clinic text, of_session text) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM lock_form(of_clinic, of_session);
  RETURN (
    SELECT received_at FROM inbound_events
    WHERE clinic_id = of_clinic AND event = 'forms.completed' AND dedupe_key = of_session);
END $$;

-- Held until the transaction ends by whoever opens the case of a session or stores that its form was completed.
CREATE FUNCTION lock_form(of_clinic text, of_session text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(of_clinic || ' ' || of_session, 3))
$$;
