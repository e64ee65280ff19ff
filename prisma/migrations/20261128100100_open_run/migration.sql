-- Opens a run of any type in one statement, because a platform waits for the answer. It is a function so that it is planned
-- once for a connection: what it reads it finds by keys, whatever is asked, and planning it took longer than running it.
-- Each part takes its rows from `run`, which is empty for a run that exists. `run` refers to a patient, and `opened` to a run
-- and a patient, that are inserted by other parts, in no certain order: foreign keys are checked at the end of the statement.
--   event: { id, name, payload }, null where nobody sent one
--   patient: { id, firstName, lastName, phone, email, patientId, consent }
--   form: of a recovery, which has a case and tells the clinic of it: { caseId, eventId, event, data, formId, … }; else null
--   unreadable: { id, reason, cause } of the task for staff where a phone was given that could not be read, else null
CREATE FUNCTION open_run(
  of_clinic text, of_type text, of_session text, new_run text, run_context jsonb, patient jsonb, event jsonb, form jsonb,
  unreadable jsonb, session_keys text[], event_keys text[]
) RETURNS TABLE (is_new_event boolean, patient_id text) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  event_name CONSTANT text := COALESCE(event ->> 'name', '');
  new_patient CONSTANT text := patient ->> 'id';
  given_first_name CONSTANT text := patient ->> 'firstName';
  given_last_name CONSTANT text := patient ->> 'lastName';
  given_phone CONSTANT text := patient ->> 'phone';
  given_id CONSTANT text := patient ->> 'patientId';
  -- Of JSON, null is no consent.
  given_consent CONSTANT jsonb := NULLIF(patient -> 'consent', 'null');
  has_event CONSTANT boolean := event IS NOT NULL;
  is_recovery CONSTANT boolean := form IS NOT NULL;
  is_unreadable CONSTANT boolean := unreadable IS NOT NULL;
BEGIN
  RETURN QUERY
  WITH erased AS (
    SELECT key FROM tombstones
    WHERE clinic_id = of_clinic AND (
      (kind = 'session' AND key = ANY (session_keys)) OR (kind = 'event' AND key = ANY (event_keys)))
  ), stored AS (
    INSERT INTO inbound_events (id, clinic_id, event, dedupe_key, payload, workflow_id)
    SELECT open_run.event ->> 'id', of_clinic, event_name, of_session, open_run.event -> 'payload',
      COALESCE((SELECT id FROM workflow_runs WHERE clinic_id = of_clinic AND workflow_type = of_type
        AND session_id = of_session), new_run)
    WHERE has_event AND NOT EXISTS (SELECT 1 FROM erased)
    ON CONFLICT (clinic_id, event, dedupe_key) DO NOTHING
    RETURNING id
  ), known AS (
    SELECT id, phone FROM (
      SELECT id, phone, 1 AS rank, is_placeholder, created_at FROM patients WHERE clinic_id = of_clinic AND id = given_id
      UNION ALL
      SELECT id, phone, 2, is_placeholder, created_at FROM patients WHERE clinic_id = of_clinic AND external_id = given_id
      UNION ALL
      SELECT id, phone, 3, is_placeholder, created_at FROM patients
      WHERE clinic_id = of_clinic AND phone = given_phone
        AND lower(first_name) = lower(given_first_name) AND lower(last_name) = lower(given_last_name)
    ) candidates
    ORDER BY rank, is_placeholder, created_at LIMIT 1
  ), run AS (
    INSERT INTO workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, context, is_simulated)
    SELECT new_run, of_clinic, of_type, of_session, COALESCE((SELECT id FROM known), new_patient), run_context,
      EXISTS (SELECT 1 FROM clinics WHERE id = of_clinic AND voice_provider = 'simulator')
    WHERE (NOT has_event OR EXISTS (SELECT 1 FROM stored)) AND NOT EXISTS (SELECT 1 FROM erased)
    -- Of any kind: the id is derived from the session, and of two at the same moment one may meet the other's id first.
    ON CONFLICT DO NOTHING
    RETURNING id, patient_id
  ), added AS (
    INSERT INTO patients (id, clinic_id, first_name, last_name, phone, email, external_id, consent, is_placeholder)
    SELECT new_patient, of_clinic, given_first_name, given_last_name, given_phone, patient ->> 'email', given_id, given_consent, true
    FROM run WHERE NOT EXISTS (SELECT 1 FROM known)
  ), told_anew AS (
    UPDATE patients p SET phone = COALESCE(p.phone, given_phone), consent = COALESCE(given_consent, p.consent)
    FROM run, known
    WHERE p.clinic_id = of_clinic AND p.id = known.id
      AND ((known.phone IS NULL AND given_phone IS NOT NULL) OR given_consent IS NOT NULL)
  ), opened AS (
    INSERT INTO recovery_cases (id, clinic_id, session_id, workflow_id, patient_id, form_id, form_name, last_page_reached,
      total_pages, completion_percentage, abandoned_at, abandoned_at_checkout, resume_url, selected_products, form_completed_at)
    SELECT form ->> 'caseId', of_clinic, of_session, run.id, run.patient_id, form ->> 'formId', form ->> 'formName',
      (form ->> 'lastPageReached')::integer, (form ->> 'totalPages')::integer,
      (form ->> 'completionPercentage')::double precision, (form ->> 'abandonedAt')::timestamptz,
      (form ->> 'abandonedAtCheckout')::boolean, form ->> 'resumeUrl', NULLIF(form -> 'selectedProducts', 'null'),
      form_completed_at(of_clinic, of_session)
    FROM run WHERE is_recovery
  ), told AS (
    INSERT INTO outbound_events (id, clinic_id, event, subject, data)
    SELECT form ->> 'eventId', of_clinic, form ->> 'event', form ->> 'caseId', form -> 'data'
    FROM run WHERE is_recovery
  ), task AS (
    INSERT INTO staff_tasks (id, clinic_id, reason, cause, patient_id, case_id, workflow_id)
    SELECT unreadable ->> 'id', of_clinic, unreadable ->> 'reason', unreadable ->> 'cause', run.patient_id, form ->> 'caseId', run.id
    FROM run WHERE is_unreadable
  )
  SELECT EXISTS (SELECT 1 FROM stored), (SELECT run.patient_id FROM run);
END $$;
