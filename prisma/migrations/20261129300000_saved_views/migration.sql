-- The filters of a list under a name, as one of the clinic's staff has saved them.
CREATE TABLE saved_views (
    id text NOT NULL,
    clinic_id text NOT NULL,
    user_id text NOT NULL,
    list text NOT NULL,
    name text NOT NULL,
    filters jsonb NOT NULL DEFAULT '{}',
    is_shared boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT saved_views_pkey PRIMARY KEY (id),
    CONSTRAINT saved_views_clinic_id_fkey FOREIGN KEY (clinic_id) REFERENCES clinics (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT saved_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX saved_views_user_id_list_name_key ON saved_views (user_id, list, name);
CREATE INDEX saved_views_clinic_id_list_idx ON saved_views (clinic_id, list);
