-- What a patient agreed to, and how a call begins.

-- Whether calls open with a sentence that says who calls, for which clinic, and that it is an automated assistant.
ALTER TABLE calling_policies ADD COLUMN discloses_automation BOOLEAN NOT NULL DEFAULT true;

-- {isGiven, basis, at, source}: as a form, a tool or the API gave it last.
ALTER TABLE patients ADD COLUMN consent JSONB;

-- Whoever says that they want no calls has the runs that wait to call them decide anew.
CREATE INDEX workflow_runs_open ON workflow_runs (clinic_id, patient_id) WHERE status = 'started';

-- The facts tell how calls begin.
CREATE OR REPLACE VIEW calling_facts AS
SELECT p.clinic_id, p.id AS patient_id, p.phone, p.address, c.timezone AS clinic_zone, c.voice_provider,
  o.scope AS opt_out_scope,
  json_build_object(
    'firstCallDelaySeconds', rp.first_call_delay_seconds, 'maxAttempts', rp.max_attempts,
    'secondsBetweenAttempts', rp.seconds_between_attempts, 'callingHours', rp.calling_hours,
    'maxConcurrentCalls', rp.max_concurrent_calls, 'callsPerPatientPerDay', rp.calls_per_patient_per_day,
    'callsPerPatientPerWeek', rp.calls_per_patient_per_week, 'unknownZone', rp.unknown_zone,
    'simulatorKeepsPatientHours', rp.simulator_keeps_patient_hours,
    'disclosesAutomation', rp.discloses_automation) AS policy,
  COALESCE((
    SELECT json_agg(to_char(k.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM calls k
    WHERE k.clinic_id = p.clinic_id AND k.phone = p.phone AND k.platform_call_id IS NOT NULL AND NOT k.is_test
      AND (k.state <> 'ENDED' OR k.rang_at IS NOT NULL)
      AND k.requested_at > now() - interval '7 days'), '[]'::json) AS previous_calls_at
FROM patients p
JOIN clinics c ON c.id = p.clinic_id
JOIN calling_policies rp ON rp.clinic_id = p.clinic_id
LEFT JOIN opt_outs o ON o.clinic_id = p.clinic_id AND o.phone = p.phone;
