-- When a phone may ring: the patient's clock, opt-outs with their source, and pauses.
-- docs/calling.md says it in plain words.

-- How a clinic wants its patients' clocks to be read.
ALTER TABLE calling_policies
    ADD COLUMN unknown_zone TEXT NOT NULL DEFAULT 'country',
    ADD COLUMN simulator_keeps_patient_hours BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE calling_policies ADD CONSTRAINT calling_policies_unknown_zone CHECK (unknown_zone IN ('country', 'clinic'));

-- Who said that a phone is not to be called, and what about.
ALTER TABLE opt_outs
    ADD COLUMN scope TEXT NOT NULL DEFAULT 'all',
    ADD COLUMN source TEXT NOT NULL DEFAULT 'staff',
    ADD COLUMN added_by TEXT NOT NULL DEFAULT 'unknown';
ALTER TABLE opt_outs ADD CONSTRAINT opt_outs_scope CHECK (scope IN ('all', 'recovery_and_reminders'));
ALTER TABLE opt_outs ADD CONSTRAINT opt_outs_source CHECK (source IN ('tool', 'analysis', 'staff', 'import', 'patient'));

-- Outreach that is paused: for everything where it names no clinic, else for a clinic or one workflow type of it.
CREATE TABLE outreach_pauses (
    id TEXT NOT NULL,
    clinic_id TEXT,
    workflow_type TEXT,
    reason TEXT NOT NULL,
    paused_by TEXT NOT NULL,
    paused_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ends_at TIMESTAMPTZ(3),
    resumed_by TEXT,
    resumed_at TIMESTAMPTZ(3),
    CONSTRAINT outreach_pauses_pkey PRIMARY KEY (id)
);
ALTER TABLE outreach_pauses
    ADD CONSTRAINT outreach_pauses_clinic_id_fkey FOREIGN KEY (clinic_id)
        REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE outreach_pauses ADD CONSTRAINT outreach_pauses_type_of_clinic CHECK (workflow_type IS NULL OR clinic_id IS NOT NULL);
CREATE INDEX outreach_pauses_clinic_id_paused_at_id_idx ON outreach_pauses (clinic_id, paused_at, id);
CREATE INDEX outreach_pauses_open ON outreach_pauses (clinic_id) WHERE resumed_at IS NULL;

-- The pause that holds for a workflow type of a clinic: {"until": …}, null in it where nobody has said when it ends. NULL
-- where there is none.
CREATE FUNCTION outreach_pause(of_clinic text, of_type text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_object('until', CASE WHEN bool_and(p.ends_at IS NOT NULL)
      THEN to_char(max(p.ends_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END)
  FROM outreach_pauses p
  WHERE p.resumed_at IS NULL AND (p.ends_at IS NULL OR p.ends_at > now())
    AND (p.clinic_id IS NULL OR p.clinic_id = of_clinic) AND (p.workflow_type IS NULL OR p.workflow_type = of_type)
  HAVING count(*) > 0
$$;

-- A pause waits for the dials that are just beginning, and later ones see it: once it is acknowledged, no dial begins.
CREATE TRIGGER stop_dialling BEFORE INSERT OR UPDATE ON outreach_pauses FOR EACH ROW EXECUTE FUNCTION stop_dialling();

CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON outreach_pauses FOR EACH ROW EXECUTE FUNCTION notify_change();

-- The facts tell the scope of an opt-out, and what says which clocks a patient may live by.
DROP VIEW calling_facts;
CREATE VIEW calling_facts AS
SELECT p.clinic_id, p.id AS patient_id, p.phone, p.address, c.timezone AS clinic_zone, c.voice_provider,
  o.scope AS opt_out_scope,
  json_build_object(
    'firstCallDelaySeconds', rp.first_call_delay_seconds, 'maxAttempts', rp.max_attempts,
    'secondsBetweenAttempts', rp.seconds_between_attempts, 'callingHours', rp.calling_hours,
    'maxConcurrentCalls', rp.max_concurrent_calls, 'callsPerPatientPerDay', rp.calls_per_patient_per_day,
    'callsPerPatientPerWeek', rp.calls_per_patient_per_week, 'unknownZone', rp.unknown_zone,
    'simulatorKeepsPatientHours', rp.simulator_keeps_patient_hours) AS policy,
  COALESCE((
    SELECT json_agg(to_char(k.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM calls k
    WHERE k.clinic_id = p.clinic_id AND k.phone = p.phone AND k.platform_call_id IS NOT NULL AND NOT k.is_test
      AND (k.state <> 'ENDED' OR k.rang_at IS NOT NULL)
      AND k.requested_at > now() - interval '7 days'), '[]'::json) AS previous_calls_at
FROM patients p
JOIN clinics c ON c.id = p.clinic_id
JOIN calling_policies rp ON rp.clinic_id = p.clinic_id
LEFT JOIN opt_outs o ON o.clinic_id = p.clinic_id AND o.phone = p.phone;
