-- What an intent to call was decided for, what became of its requests to the platform, and how sure it is that it is over.
ALTER TABLE calls
    ADD COLUMN not_after TIMESTAMPTZ(3),
    ADD COLUMN appointment_starts_at TIMESTAMPTZ(3),
    ADD COLUMN requests INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN withdrawn_because TEXT,
    ADD COLUMN rang_at TIMESTAMPTZ(3),
    ADD COLUMN not_found_count INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN not_found_at TIMESTAMPTZ(3);

UPDATE calls SET requests = 1 WHERE requested_at IS NOT NULL;
UPDATE calls SET rang_at = COALESCE(started_at, requested_at) WHERE platform_call_id IS NOT NULL;

-- Held until the transaction ends by whoever begins a request to the platform. Many may hold it at once.
CREATE FUNCTION share_dialling(of_clinic text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock_shared(hashtextextended('', 7)), pg_advisory_xact_lock_shared(hashtextextended(of_clinic, 7))
$$;

-- Held until the transaction ends by whoever stops calls of a clinic, or of all with null. It waits for the requests that
-- are being begun, and those that come later see what it has written: none begins once a stop has been acknowledged.
CREATE FUNCTION stop_dialling(of_clinic text) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(COALESCE(of_clinic, ''), 7))
$$;

CREATE FUNCTION stop_dialling() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM stop_dialling(NEW.clinic_id);
  RETURN NEW;
END $$;
CREATE TRIGGER stop_dialling BEFORE INSERT OR UPDATE ON opt_outs FOR EACH ROW EXECUTE FUNCTION stop_dialling();

-- A fault of the platform before anything rang counts against no limit of the patient.
CREATE OR REPLACE VIEW calling_facts AS
SELECT p.clinic_id, p.id AS patient_id, p.phone, c.timezone AS clinic_zone,
  EXISTS (SELECT 1 FROM opt_outs o WHERE o.clinic_id = p.clinic_id AND o.phone = p.phone) AS is_opted_out,
  json_build_object(
    'firstCallDelaySeconds', rp.first_call_delay_seconds, 'maxAttempts', rp.max_attempts,
    'secondsBetweenAttempts', rp.seconds_between_attempts, 'callingHours', rp.calling_hours,
    'maxConcurrentCalls', rp.max_concurrent_calls, 'callsPerPatientPerDay', rp.calls_per_patient_per_day,
    'callsPerPatientPerWeek', rp.calls_per_patient_per_week) AS policy,
  COALESCE((
    SELECT json_agg(to_char(k.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM calls k
    WHERE k.clinic_id = p.clinic_id AND k.phone = p.phone AND k.platform_call_id IS NOT NULL AND NOT k.is_test
      AND (k.state <> 'ENDED' OR k.rang_at IS NOT NULL)
      AND k.requested_at > now() - interval '7 days'), '[]'::json) AS previous_calls_at
FROM patients p
JOIN clinics c ON c.id = p.clinic_id
JOIN calling_policies rp ON rp.clinic_id = p.clinic_id;
