-- Who of a clinic's staff is mailed about new tasks, and up to when they were told.
CREATE TABLE task_mails (
    user_id text NOT NULL,
    clinic_id text NOT NULL,
    told_until timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT task_mails_pkey PRIMARY KEY (user_id),
    CONSTRAINT task_mails_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT task_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);

INSERT INTO duties (name) VALUES ('mail');
