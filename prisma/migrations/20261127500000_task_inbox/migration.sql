-- What people decide about a task: how urgent it is and until when, beside whose it is. What a worker of the previous version writes
-- stays as it is: normal, and due on no day.
ALTER TABLE staff_tasks
    ADD COLUMN priority TEXT NOT NULL DEFAULT 'NORMAL',
    -- A day of the clinic's calendar.
    ADD COLUMN due_on DATE,
    -- Counts the changes, so that a change to what somebody else has changed meanwhile is refused.
    ADD COLUMN version INTEGER NOT NULL DEFAULT 1,
    ADD CONSTRAINT staff_tasks_priority CHECK (priority IN ('HIGH', 'NORMAL', 'LOW'));

CREATE INDEX IF NOT EXISTS staff_tasks_clinic_id_priority_created_at_id_idx ON staff_tasks (clinic_id, priority, created_at, id);
CREATE INDEX IF NOT EXISTS staff_tasks_due ON staff_tasks (clinic_id, created_at, id) WHERE due_on IS NOT NULL;

-- Whoever writes, a workflow or a person, of this version or the one before.
CREATE FUNCTION count_task_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
CREATE TRIGGER count_task_change BEFORE UPDATE ON staff_tasks FOR EACH ROW EXECUTE FUNCTION count_task_change();

-- What people write to each other about a task. Notes are only added: two people at once lose nothing.
CREATE TABLE task_notes (
    id TEXT NOT NULL,
    clinic_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    -- As the audit names them: account:…
    written_by TEXT NOT NULL,
    note TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT task_notes_pkey PRIMARY KEY (id),
    CONSTRAINT task_notes_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT task_notes_clinic_id_task_id_fkey FOREIGN KEY (clinic_id, task_id) REFERENCES staff_tasks (clinic_id, id)
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX task_notes_clinic_id_task_id_created_at_idx ON task_notes (clinic_id, task_id, created_at);
CREATE TRIGGER notify_change AFTER INSERT ON task_notes FOR EACH ROW EXECUTE FUNCTION notify_change();
