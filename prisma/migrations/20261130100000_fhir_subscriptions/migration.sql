-- Who is told of each change of an appointment of a sandbox, as a FHIR Subscription (Subscriptions R5 Backport, R4). What it is sent
-- goes in order of its own numbers: what follows is sent once the receiver has taken what came before.
CREATE TABLE fhir_subscriptions (
    clinic_id text NOT NULL,
    id text NOT NULL,
    -- Where the sandbox was asked for it, as https://clinic.example/api: what it is sent refers to resources there.
    base_url text NOT NULL,
    url text NOT NULL,
    -- Media type of what it is sent.
    payload text NOT NULL,
    content text NOT NULL,
    reason text NOT NULL,
    -- Whose appointments; null for everybody's.
    patient_id text,
    provider_name text,
    heartbeat_seconds integer,
    ends_at timestamptz(3),
    version integer NOT NULL DEFAULT 1,
    -- Switched off by its client, or by the service when the receiver is gone.
    is_on boolean NOT NULL DEFAULT true,
    -- The receiver is to take a handshake before anything else is sent.
    needs_handshake boolean NOT NULL DEFAULT true,
    -- When it took the first one: since then changes are heard of.
    active_since timestamptz(3),
    -- Of how many events, and how many of them the receiver has taken.
    last_number integer NOT NULL DEFAULT 0,
    sent_number integer NOT NULL DEFAULT 0,
    sent_at timestamptz(3),
    tries integer NOT NULL DEFAULT 0,
    last_error text,
    next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
    leased_until timestamptz(3),
    lease_token text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT fhir_subscriptions_pkey PRIMARY KEY (clinic_id, id),
    CONSTRAINT fhir_subscriptions_content CHECK (content IN ('empty', 'id-only', 'full-resource')),
    CONSTRAINT fhir_subscriptions_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- Changes that a subscription hears of and that have no number yet: written with the change, and only added, so that who books waits for
-- nobody. Without a key to the subscription, whose end would otherwise be felt by a booking.
CREATE TABLE subscription_changes (
    id bigint GENERATED ALWAYS AS IDENTITY,
    clinic_id text NOT NULL,
    subscription_id text NOT NULL,
    appointment_id text NOT NULL,
    patient_id text NOT NULL,
    is_new boolean NOT NULL,
    -- The appointment as the change left it: { version, status, startsAt, endsAt, visitType, providerName, identifier, cancellationReason }.
    shown jsonb NOT NULL,
    changed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT subscription_changes_pkey PRIMARY KEY (id),
    CONSTRAINT subscription_changes_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX subscription_changes_clinic_id_subscription_id_id_idx ON subscription_changes (clinic_id, subscription_id, id);

-- The events of a subscription, numbered from 1 on in the order in which they were committed. A number whose row is gone was about
-- somebody who has been erased since.
CREATE TABLE subscription_events (
    clinic_id text NOT NULL,
    subscription_id text NOT NULL,
    number integer NOT NULL,
    appointment_id text NOT NULL,
    patient_id text NOT NULL,
    is_new boolean NOT NULL,
    shown jsonb NOT NULL,
    changed_at timestamptz(3) NOT NULL,
    CONSTRAINT subscription_events_pkey PRIMARY KEY (clinic_id, subscription_id, number),
    CONSTRAINT subscription_events_clinic_id_subscription_id_fkey FOREIGN KEY (clinic_id, subscription_id)
        REFERENCES fhir_subscriptions (clinic_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX subscription_events_clinic_id_patient_id_idx ON subscription_events (clinic_id, patient_id);

-- Whoever changes an appointment, by whatever statement. A time that is only held is none; what is deleted was made undone by a reset, a
-- restore or an erasure.
CREATE FUNCTION note_for_subscriptions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.held_until IS NULL
        AND (NEW.status, NEW.visit_type, NEW.starts_at, NEW.ends_at, NEW.provider_id, NEW.patient_id)
            IS NOT DISTINCT FROM (OLD.status, OLD.visit_type, OLD.starts_at, OLD.ends_at, OLD.provider_id, OLD.patient_id)
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO subscription_changes (clinic_id, subscription_id, appointment_id, patient_id, is_new, shown)
    SELECT s.clinic_id, s.id, NEW.id, NEW.patient_id, TG_OP = 'INSERT' OR OLD.held_until IS NOT NULL,
        jsonb_build_object('version', NEW.version, 'status', NEW.status, 'startsAt', NEW.starts_at, 'endsAt', NEW.ends_at,
            'visitType', NEW.visit_type, 'providerName', p.name, 'identifier', NEW.identifier,
            'cancellationReason', NEW.cancellation_reason)
    FROM fhir_subscriptions s
    JOIN clinics c ON c.id = s.clinic_id AND c.sandbox_enabled
    JOIN providers p ON p.clinic_id = s.clinic_id AND p.id = NEW.provider_id
    WHERE s.clinic_id = NEW.clinic_id AND s.is_on AND s.active_since IS NOT NULL
        AND (s.ends_at IS NULL OR s.ends_at > now())
        AND (s.patient_id IS NULL OR s.patient_id = NEW.patient_id)
        AND (s.provider_name IS NULL OR s.provider_name = p.name);
    RETURN NULL;
END
$$;
CREATE TRIGGER note_for_subscriptions
    AFTER INSERT OR UPDATE OF status, visit_type, starts_at, ends_at, provider_id, patient_id, held_until ON appointments
    FOR EACH ROW WHEN (NEW.held_until IS NULL) EXECUTE FUNCTION note_for_subscriptions();

-- A named sandbox has no secret but those that its subscriptions are signed with.
DROP TRIGGER refuse_for_named_sandbox ON secrets;
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON secrets FOR EACH ROW
    WHEN (NEW.kind <> 'endpoint-signing') EXECUTE FUNCTION refuse_for_named_sandbox();
