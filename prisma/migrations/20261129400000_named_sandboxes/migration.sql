-- More sandboxes of a clinic, so that a team and its CI do not meet: each is a row of clinics without people, keys, secrets or a
-- number, which holds its own patients, appointments, clock, failures and kindnesses, and is opened by its own token alone.
CREATE TABLE named_sandboxes (
    -- The sandbox itself.
    clinic_id text NOT NULL,
    -- Whose it is.
    parent_id text NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT named_sandboxes_pkey PRIMARY KEY (clinic_id),
    CONSTRAINT named_sandboxes_not_its_own CHECK (clinic_id <> parent_id),
    CONSTRAINT named_sandboxes_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT named_sandboxes_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX named_sandboxes_parent_id_name_key ON named_sandboxes (parent_id, name);
CREATE UNIQUE INDEX named_sandboxes_token_hash_key ON named_sandboxes (token_hash);

-- Their tokens are remembered for some seconds by every process.
CREATE TRIGGER note_change AFTER UPDATE OR DELETE ON named_sandboxes FOR EACH ROW EXECUTE FUNCTION note_change('no id');

-- What would let a named sandbox ring a phone, take a form or be signed in to.
CREATE FUNCTION refuse_for_named_sandbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM named_sandboxes WHERE clinic_id = NEW.clinic_id) THEN
        RAISE EXCEPTION 'a named sandbox has no %', TG_TABLE_NAME USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON api_keys FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON secrets FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON phone_numbers FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON account_links FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
CREATE TRIGGER refuse_for_named_sandbox BEFORE INSERT OR UPDATE OF clinic_id ON voice_settings FOR EACH ROW EXECUTE FUNCTION refuse_for_named_sandbox();
