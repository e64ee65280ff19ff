-- A call that was decided and gets no line is a decision too.
ALTER TABLE call_decisions DROP CONSTRAINT call_decisions_stage;
ALTER TABLE call_decisions ADD CONSTRAINT call_decisions_stage CHECK (stage IN ('plan', 'line', 'dial'));

-- How many runs of a clinic wait for the same opening of calling hours.
CREATE INDEX call_decisions_waiting ON call_decisions (clinic_id, (decided ->> 'until'), workflow_id)
    WHERE decided ->> 'kind' = 'wait';

-- Decisions are kept for some years, and then deleted.
CREATE INDEX call_decisions_decided_at_idx ON call_decisions (decided_at);

-- The relay takes clinics in turn: of each it wants the oldest rows, however many the others have.
DROP INDEX workflow_runs_undispatched;
CREATE INDEX workflow_runs_undispatched ON workflow_runs (clinic_id, started_at)
    WHERE dispatched_at IS NULL AND status = 'started';
DROP INDEX workflow_messages_unsent;
CREATE INDEX workflow_messages_unsent ON workflow_messages (clinic_id, created_at) WHERE sent_at IS NULL;
