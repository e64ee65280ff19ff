-- CreateIndex
CREATE INDEX "workflow_messages_clinic_id_workflow_id_idx" ON "workflow_messages"("clinic_id", "workflow_id");

-- CreateIndex
CREATE INDEX "patients_clinic_id_external_id_idx" ON "patients"("clinic_id", "external_id");

-- CreateIndex
CREATE INDEX "calls_clinic_id_phone_requested_at_idx" ON "calls"("clinic_id", "phone", "requested_at");

-- What decides whether and when a patient may be called, whatever it is about.
CREATE VIEW calling_facts AS
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
      AND k.requested_at > now() - interval '7 days'), '[]'::json) AS previous_calls_at
FROM patients p
JOIN clinics c ON c.id = p.clinic_id
JOIN recovery_policies rp ON rp.clinic_id = p.clinic_id;
