-- What must never be broken, whatever the code does.

CREATE EXTENSION IF NOT EXISTS btree_gist;

-- Two bookers can never both win. Not deferrable, so that the loser learns it at once.
ALTER TABLE appointments
  ADD CONSTRAINT appointments_never_overlap
  EXCLUDE USING gist (provider_id WITH =, tstzrange(starts_at, ends_at) WITH &&) WHERE (status = 'booked');
ALTER TABLE appointments ADD CONSTRAINT appointments_status CHECK (status IN ('booked', 'cancelled', 'fulfilled'));
ALTER TABLE appointments ADD CONSTRAINT appointments_length CHECK (ends_at = starts_at + interval '30 minutes');

ALTER TABLE workflow_runs ADD CONSTRAINT workflow_runs_status CHECK (status IN ('started', 'completed', 'failed', 'cancelled'));
ALTER TABLE recovery_cases ADD CONSTRAINT recovery_cases_status CHECK (status IN (
  'PENDING', 'CALLING', 'RECOVERED', 'FOLLOW_UP_REQUIRED', 'PRICING_ESCALATION', 'CLINICAL_ESCALATION',
  'PATIENT_NOT_INTERESTED', 'PATIENT_NOT_REACHED', 'ALREADY_COMPLETED'));
ALTER TABLE calls ADD CONSTRAINT calls_state CHECK (state IN ('QUEUED', 'RINGING', 'IN_PROGRESS', 'ENDED'));
ALTER TABLE deliveries ADD CONSTRAINT deliveries_state CHECK (state IN ('PENDING', 'DELIVERED', 'DEAD'));
ALTER TABLE staff_tasks ADD CONSTRAINT staff_tasks_state CHECK (state IN ('OPEN', 'RESOLVED'));

-- A terminal recovery status never changes.
CREATE FUNCTION recovery_case_stays_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status NOT IN ('PENDING', 'CALLING') AND NEW.status IS DISTINCT FROM OLD.status THEN
    RAISE EXCEPTION 'recovery case % has ended as %', OLD.id, OLD.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER recovery_case_stays_ended BEFORE UPDATE OF status ON recovery_cases
  FOR EACH ROW EXECUTE FUNCTION recovery_case_stays_ended();

-- One outcome per case, one created event per case, for ever.
CREATE UNIQUE INDEX outbound_events_once_per_case ON outbound_events (clinic_id, subject, event)
  WHERE event IN ('recovery_case.created', 'recovery_case.outcome', 'workflow.completed');

-- A workflow dials each number of its own once; a phone never rings twice at the same time.
CREATE UNIQUE INDEX calls_one_per_dial ON calls (workflow_id, dial) WHERE workflow_id IS NOT NULL AND NOT is_test;
CREATE UNIQUE INDEX calls_one_ringing_per_phone ON calls (clinic_id, phone)
  WHERE direction = 'outbound' AND NOT is_test AND state <> 'ENDED';
CREATE INDEX calls_live ON calls (clinic_id) WHERE state <> 'ENDED' AND NOT is_test;

-- What the relay looks for.
CREATE INDEX workflow_runs_undispatched ON workflow_runs (started_at) WHERE dispatched_at IS NULL;
CREATE INDEX workflow_messages_unsent ON workflow_messages (created_at) WHERE sent_at IS NULL;
CREATE INDEX deliveries_pending ON deliveries (next_attempt_at) WHERE state = 'PENDING';
CREATE INDEX appointments_booked ON appointments (ends_at) WHERE status = 'booked';
CREATE INDEX appointments_upcoming ON appointments (clinic_id, patient_id, starts_at) WHERE status = 'booked';
CREATE INDEX recovery_cases_by_status ON recovery_cases (clinic_id, status, created_at DESC, id DESC);

-- What changed, ids only: feeds waiting requests, the dashboard's stream and the caches of keys and sessions.
CREATE FUNCTION notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb := to_jsonb(COALESCE(NEW, OLD));
BEGIN
  PERFORM pg_notify('changes', json_build_object(
    'table', TG_TABLE_NAME, 'clinicId', changed ->> 'clinic_id', 'id', changed ->> 'id')::text);
  RETURN NULL;
END $$;
CREATE TRIGGER notify_change AFTER UPDATE ON workflow_runs FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON recovery_cases FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON tool_calls FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON staff_tasks FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE OR DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON secrets FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON clinics FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON providers FOR EACH ROW EXECUTE FUNCTION notify_change();

-- Every outgoing event is owed to the clinic's registered URL, if it has one that wants it. The delivery shares the event's id.
CREATE FUNCTION owe_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (id, clinic_id, event_id, next_attempt_at)
  SELECT NEW.id, NEW.clinic_id, NEW.id, now()
  FROM outbound_endpoints
  WHERE clinic_id = NEW.clinic_id AND is_enabled AND url IS NOT NULL AND (NEW.event = ANY (events) OR NEW.event = 'test');
  RETURN NULL;
END $$;
CREATE TRIGGER owe_delivery AFTER INSERT ON outbound_events FOR EACH ROW EXECUTE FUNCTION owe_delivery();
