-- The simulator plays the patients of a clinic that is no demo only where an operator asked for it by name, and what it
-- played is marked as simulated for ever.

ALTER TABLE clinics ADD COLUMN simulator_asked_at TIMESTAMPTZ(3);
ALTER TABLE clinics ALTER COLUMN voice_provider SET DEFAULT 'vapi';

-- Nobody has asked by name so far. Such a clinic calls real phones from here on, or, without settings for that, nobody.
UPDATE clinics SET voice_provider = 'vapi' WHERE voice_provider = 'simulator' AND NOT is_demo;

ALTER TABLE clinics ADD CONSTRAINT clinics_voice_provider CHECK (voice_provider IN ('simulator', 'vapi'));
ALTER TABLE clinics ADD CONSTRAINT clinics_simulator_by_name
    CHECK (voice_provider <> 'simulator' OR is_demo OR simulator_asked_at IS NOT NULL);

ALTER TABLE workflow_runs ADD COLUMN is_simulated BOOLEAN NOT NULL DEFAULT false;
UPDATE workflow_runs r SET is_simulated = true
FROM calls k WHERE k.clinic_id = r.clinic_id AND k.workflow_id = r.id AND k.platform_call_id LIKE 'sim-%';
