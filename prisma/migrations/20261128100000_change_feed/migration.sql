-- What has changed, as rows that every API reads after they are committed, in place of a notification in each writer's
-- commit: notifying transactions commit one after the other, all over the server.

-- Kept for a minute. Unlogged: after a crash it is empty, and whoever reads it notices by `xid` 0.
CREATE UNLOGGED TABLE changes (
    -- The transaction that wrote the row. 0: the row whose record_id names this filling of the table.
    xid xid8 NOT NULL,
    table_name text NOT NULL,
    clinic_id text,
    record_id text
) WITH (
    -- As many rows go as come.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX changes_xid_idx ON changes (xid);

-- Notes table and ids of a changed row. One writer at a time also rings: those who commit meanwhile are found by whoever
-- the bell has woken, or looks some moments later. An argument says that the table has no clinic_id, or no id.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb;
BEGIN
  IF TG_NARGS = 0 THEN
    INSERT INTO changes (xid, table_name, clinic_id, record_id)
    VALUES (pg_current_xact_id(), TG_TABLE_NAME, COALESCE(NEW.clinic_id, OLD.clinic_id), COALESCE(NEW.id, OLD.id));
  ELSE
    changed := to_jsonb(COALESCE(NEW, OLD));
    INSERT INTO changes (xid, table_name, clinic_id, record_id)
    VALUES (pg_current_xact_id(), TG_TABLE_NAME, changed ->> 'clinic_id', changed ->> 'id');
  END IF;
  IF pg_try_advisory_xact_lock(hashtextextended('changes', 0)) THEN
    PERFORM pg_notify('changes', '');
  END IF;
  RETURN NULL;
END $$;

-- What was committed since `seen`, a snapshot that an earlier call returned: rows of transactions that had not begun then, and
-- of those that were under way. Transactions do not commit in the order of their ids. At most 2,001 rows.
CREATE FUNCTION changes_since(seen pg_snapshot) RETURNS TABLE (snapshot text, at timestamptz, filling text, changed json)
  LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT pg_current_snapshot()::text, statement_timestamp(),
    (SELECT min(record_id) FROM changes WHERE xid = '0'),
    (
      SELECT COALESCE(json_agg(json_build_object('table', table_name, 'clinicId', clinic_id, 'id', record_id)), '[]')
      FROM (
        SELECT table_name, clinic_id, record_id FROM changes WHERE xid >= pg_snapshot_xmax(seen)
        UNION ALL
        SELECT table_name, clinic_id, record_id FROM changes WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip(seen)))
        LIMIT 2001
      ) noted
    );
END $$;

-- For requests that wait for an outcome, and for the dashboard's stream. Settings are heard of by their audit entries.
DROP TRIGGER notify_change ON workflow_runs;
DROP TRIGGER notify_change ON recovery_cases;
DROP TRIGGER notify_change ON calls;
DROP TRIGGER notify_change ON tool_calls;
DROP TRIGGER notify_change ON deliveries;
DROP TRIGGER notify_change ON staff_tasks;
DROP TRIGGER notify_change ON task_notes;
DROP TRIGGER notify_change ON appointments;
DROP TRIGGER notify_change ON patients;
DROP TRIGGER notify_change ON audit_entries;
DROP TRIGGER notify_change ON outreach_pauses;
DROP TRIGGER notify_change ON validation_runs;
CREATE TRIGGER note_change AFTER UPDATE ON workflow_runs FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE ON recovery_cases FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE ON tool_calls FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON staff_tasks FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT ON task_notes FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON appointments FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE ON patients FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT ON audit_entries
  FOR EACH ROW WHEN (NEW.route IS NULL) EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON outreach_pauses FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE ON validation_runs FOR EACH ROW EXECUTE FUNCTION note_change();

-- For what processes remember of keys, secrets, sessions, accounts, clinics, providers, and of sandboxes.
DROP TRIGGER notify_change ON api_keys;
DROP TRIGGER notify_change ON secrets;
DROP TRIGGER notify_change ON sessions;
DROP TRIGGER notify_change ON users;
DROP TRIGGER notify_change ON clinics;
DROP TRIGGER notify_change ON providers;
DROP TRIGGER notify_change ON sandbox_clocks;
DROP TRIGGER notify_change ON sandbox_failures;
CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON secrets FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION note_change('no clinic_id');
CREATE TRIGGER note_change AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER UPDATE ON clinics FOR EACH ROW EXECUTE FUNCTION note_change('no clinic_id');
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON providers FOR EACH ROW EXECUTE FUNCTION note_change();
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON sandbox_clocks FOR EACH ROW EXECUTE FUNCTION note_change('no id');
CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON sandbox_failures FOR EACH ROW EXECUTE FUNCTION note_change();

DROP FUNCTION notify_change();
