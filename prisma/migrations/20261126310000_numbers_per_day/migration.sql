-- How many different numbers a clinic may call on a day of its calendar: the operator's limit, against lists that were imported by
-- mistake and keys that were stolen.
ALTER TABLE clinics
    ADD COLUMN numbers_per_day INTEGER NOT NULL DEFAULT 2000,
    ADD CONSTRAINT clinics_numbers_per_day_check CHECK (numbers_per_day >= 0);

-- The numbers of a day, from the index alone.
CREATE INDEX IF NOT EXISTS calls_dialled ON calls (clinic_id, requested_at, phone)
    WHERE direction = 'outbound' AND NOT is_test AND requested_at IS NOT NULL;

-- From when on another number may be called; null where this one may be called today. One that was called today may be again.
-- A request that the platform refused called nobody.
CREATE FUNCTION numbers_used_until(of_clinic text, of_phone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  WITH today AS (
    SELECT c.numbers_per_day, c.timezone, date_trunc('day', now() AT TIME ZONE c.timezone) AS began
    FROM clinics c WHERE c.id = of_clinic
  ), called AS (
    SELECT DISTINCT k.phone FROM calls k, today t
    WHERE k.clinic_id = of_clinic AND k.direction = 'outbound' AND NOT k.is_test
      AND k.requested_at >= t.began AT TIME ZONE t.timezone AND (k.state <> 'ENDED' OR k.rang_at IS NOT NULL)
  )
  SELECT (t.began + interval '1 day') AT TIME ZONE t.timezone FROM today t
  WHERE t.numbers_per_day <= (SELECT count(*) FROM called)
    AND NOT EXISTS (SELECT FROM called WHERE called.phone = of_phone)
$$;
