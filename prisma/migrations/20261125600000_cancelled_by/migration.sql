-- Who cancelled a run, as the audit names them: account:…, api-key:…, operator. Null where nobody did, and for runs of
-- before. A worker of the previous version leaves it null.
ALTER TABLE workflow_runs ADD COLUMN cancelled_by TEXT;
