-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "clinics" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "default_country" TEXT NOT NULL DEFAULT 'US',
    "voice_provider" TEXT NOT NULL DEFAULT 'simulator',
    "sandbox_enabled" BOOLEAN NOT NULL DEFAULT false,
    "sandbox_seeded_at" TIMESTAMPTZ(3),
    "is_demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "clinics_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_policies" (
    "clinic_id" TEXT NOT NULL,
    "first_call_delay_seconds" INTEGER NOT NULL,
    "max_attempts" INTEGER NOT NULL,
    "seconds_between_attempts" INTEGER NOT NULL,
    "calling_hours" JSONB NOT NULL,
    "max_concurrent_calls" INTEGER NOT NULL,
    "calls_per_patient_per_day" INTEGER,
    "calls_per_patient_per_week" INTEGER,

    CONSTRAINT "recovery_policies_pkey" PRIMARY KEY ("clinic_id")
);

-- CreateTable
CREATE TABLE "providers" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "working_hours" JSONB NOT NULL,
    "visit_types" TEXT[],
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "patients" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "identifier" TEXT,
    "first_name" TEXT NOT NULL DEFAULT '',
    "last_name" TEXT NOT NULL DEFAULT '',
    "phone" TEXT,
    "email" TEXT,
    "birth_date" TEXT,
    "address" TEXT,
    "reason_for_visit" TEXT,
    "preferred_location" TEXT,
    "medicare_status" TEXT,
    "health_plan_name" TEXT,
    "referral_source" TEXT,
    "comms_consent" BOOLEAN,
    "is_placeholder" BOOLEAN NOT NULL DEFAULT false,
    "patient_type" TEXT NOT NULL DEFAULT 'NEW',
    "insurance" JSONB,
    "self_pay" JSONB,
    "billing_notes" JSONB,
    "external_id" TEXT,
    "crm_synced_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patients_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "appointments" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "patient_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'booked',
    "visit_type" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "external_id" TEXT,
    "cancelled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "appointments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "documents" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "patient_id" TEXT NOT NULL,
    "call_id" TEXT,
    "content" JSONB NOT NULL,
    "escalate_to_clinical_team" BOOLEAN,
    "request_external_records" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "documents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_runs" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "workflow_type" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "context" JSONB NOT NULL DEFAULT '{}',
    "patient_id" TEXT,
    "status" TEXT NOT NULL DEFAULT 'started',
    "outcome" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "dispatched_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflow_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_messages" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "workflow_id" TEXT NOT NULL,
    "signal" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "workflow_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_cases" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "workflow_id" TEXT NOT NULL,
    "patient_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING',
    "form_id" TEXT,
    "form_name" TEXT,
    "last_page_reached" INTEGER,
    "total_pages" INTEGER,
    "completion_percentage" DOUBLE PRECISION,
    "abandoned_at_checkout" BOOLEAN,
    "abandoned_at" TIMESTAMPTZ(3),
    "resume_url" TEXT,
    "selected_products" JSONB,
    "barrier" JSONB,
    "resolution" JSONB,
    "form_completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_cases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "calls" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "patient_id" TEXT NOT NULL,
    "workflow_type" TEXT,
    "workflow_id" TEXT,
    "case_id" TEXT,
    "direction" TEXT NOT NULL,
    "is_test" BOOLEAN NOT NULL DEFAULT false,
    "state" TEXT NOT NULL DEFAULT 'QUEUED',
    "phone" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "dial" INTEGER NOT NULL DEFAULT 0,
    "platform_call_id" TEXT,
    "requested_at" TIMESTAMPTZ(3),
    "ended_reason" TEXT,
    "summary" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tool_calls" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "call_id" TEXT NOT NULL,
    "tool_call_id" TEXT NOT NULL,
    "family" TEXT NOT NULL,
    "tool" TEXT NOT NULL,
    "arguments" JSONB NOT NULL,
    "meaning" TEXT NOT NULL,
    "reply" TEXT,
    "is_success" BOOLEAN,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "tool_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbound_events" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "dedupe_key" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "workflow_id" TEXT,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "inbound_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbound_events" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbound_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'PENDING',
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" INTEGER,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "response" TEXT,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbound_endpoints" (
    "clinic_id" TEXT NOT NULL,
    "url" TEXT,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT,
    "events" TEXT[],
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbound_endpoints_pkey" PRIMARY KEY ("clinic_id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "secrets" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL DEFAULT '',
    "hash" TEXT,
    "ciphertext" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "opt_outs" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "phone" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "opt_outs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "phone_numbers" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "number" TEXT NOT NULL,
    "platform_id" TEXT,
    "assistant_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "phone_numbers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approved_apis" (
    "clinic_id" TEXT NOT NULL,
    "base_url" TEXT NOT NULL,
    "auth" TEXT NOT NULL,
    "credentials" TEXT,
    "actions" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approved_apis_pkey" PRIMARY KEY ("clinic_id")
);

-- CreateTable
CREATE TABLE "crm_settings" (
    "clinic_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "url" TEXT,
    "credentials" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "crm_settings_pkey" PRIMARY KEY ("clinic_id")
);

-- CreateTable
CREATE TABLE "staff_tasks" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'OPEN',
    "assignee_id" TEXT,
    "patient_id" TEXT,
    "call_id" TEXT,
    "case_id" TEXT,
    "workflow_id" TEXT,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "cause" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "identity_matches" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "patient_id" TEXT NOT NULL,
    "call_id" TEXT NOT NULL,
    "matched_on" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identity_matches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "clinic_id" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "request_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_records" (
    "clinic_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "status" INTEGER,
    "body" TEXT,
    "content_type" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_records_pkey" PRIMARY KEY ("clinic_id","route","key")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "clinic_id" TEXT,
    "role" TEXT NOT NULL DEFAULT 'staff',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "password" TEXT,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verifications" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "verifications_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "providers_clinic_id_id_key" ON "providers"("clinic_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "providers_clinic_id_name_key" ON "providers"("clinic_id", "name");

-- CreateIndex
CREATE INDEX "patients_clinic_id_phone_idx" ON "patients"("clinic_id", "phone");

-- CreateIndex
CREATE INDEX "patients_clinic_id_created_at_id_idx" ON "patients"("clinic_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "patients_clinic_id_id_key" ON "patients"("clinic_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "patients_clinic_id_identifier_key" ON "patients"("clinic_id", "identifier");

-- CreateIndex
CREATE INDEX "appointments_clinic_id_patient_id_starts_at_idx" ON "appointments"("clinic_id", "patient_id", "starts_at");

-- CreateIndex
CREATE INDEX "appointments_clinic_id_starts_at_id_idx" ON "appointments"("clinic_id", "starts_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "appointments_clinic_id_id_key" ON "appointments"("clinic_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "appointments_clinic_id_external_id_key" ON "appointments"("clinic_id", "external_id");

-- CreateIndex
CREATE INDEX "documents_clinic_id_patient_id_created_at_idx" ON "documents"("clinic_id", "patient_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "documents_clinic_id_id_key" ON "documents"("clinic_id", "id");

-- CreateIndex
CREATE INDEX "workflow_runs_clinic_id_started_at_id_idx" ON "workflow_runs"("clinic_id", "started_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_runs_clinic_id_id_key" ON "workflow_runs"("clinic_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "workflow_runs_clinic_id_workflow_type_session_id_key" ON "workflow_runs"("clinic_id", "workflow_type", "session_id");

-- CreateIndex
CREATE INDEX "recovery_cases_clinic_id_created_at_id_idx" ON "recovery_cases"("clinic_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_cases_clinic_id_id_key" ON "recovery_cases"("clinic_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_cases_clinic_id_session_id_key" ON "recovery_cases"("clinic_id", "session_id");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_cases_clinic_id_workflow_id_key" ON "recovery_cases"("clinic_id", "workflow_id");

-- CreateIndex
CREATE UNIQUE INDEX "calls_platform_call_id_key" ON "calls"("platform_call_id");

-- CreateIndex
CREATE INDEX "calls_clinic_id_created_at_id_idx" ON "calls"("clinic_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "calls_clinic_id_patient_id_created_at_idx" ON "calls"("clinic_id", "patient_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "calls_clinic_id_id_key" ON "calls"("clinic_id", "id");

-- CreateIndex
CREATE INDEX "tool_calls_call_id_meaning_started_at_idx" ON "tool_calls"("call_id", "meaning", "started_at");

-- CreateIndex
CREATE UNIQUE INDEX "tool_calls_call_id_tool_call_id_key" ON "tool_calls"("call_id", "tool_call_id");

-- CreateIndex
CREATE INDEX "inbound_events_clinic_id_received_at_id_idx" ON "inbound_events"("clinic_id", "received_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "inbound_events_clinic_id_event_dedupe_key_key" ON "inbound_events"("clinic_id", "event", "dedupe_key");

-- CreateIndex
CREATE INDEX "outbound_events_clinic_id_subject_sequence_idx" ON "outbound_events"("clinic_id", "subject", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "outbound_events_clinic_id_id_key" ON "outbound_events"("clinic_id", "id");

-- CreateIndex
CREATE INDEX "deliveries_clinic_id_created_at_id_idx" ON "deliveries"("clinic_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_clinic_id_id_key" ON "deliveries"("clinic_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_clinic_id_event_id_key" ON "deliveries"("clinic_id", "event_id");

-- CreateIndex
CREATE INDEX "delivery_attempts_clinic_id_delivery_id_at_idx" ON "delivery_attempts"("clinic_id", "delivery_id", "at");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_clinic_id_id_key" ON "api_keys"("clinic_id", "id");

-- CreateIndex
CREATE INDEX "secrets_clinic_id_kind_name_idx" ON "secrets"("clinic_id", "kind", "name");

-- CreateIndex
CREATE UNIQUE INDEX "opt_outs_clinic_id_phone_key" ON "opt_outs"("clinic_id", "phone");

-- CreateIndex
CREATE UNIQUE INDEX "phone_numbers_number_key" ON "phone_numbers"("number");

-- CreateIndex
CREATE UNIQUE INDEX "phone_numbers_platform_id_key" ON "phone_numbers"("platform_id");

-- CreateIndex
CREATE INDEX "staff_tasks_clinic_id_state_created_at_id_idx" ON "staff_tasks"("clinic_id", "state", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "staff_tasks_clinic_id_id_key" ON "staff_tasks"("clinic_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "staff_tasks_clinic_id_cause_key" ON "staff_tasks"("clinic_id", "cause");

-- CreateIndex
CREATE UNIQUE INDEX "identity_matches_call_id_patient_id_key" ON "identity_matches"("call_id", "patient_id");

-- CreateIndex
CREATE INDEX "audit_entries_clinic_id_at_id_idx" ON "audit_entries"("clinic_id", "at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_key" ON "sessions"("token");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");

-- AddForeignKey
ALTER TABLE "recovery_policies" ADD CONSTRAINT "recovery_policies_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "providers" ADD CONSTRAINT "providers_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patients" ADD CONSTRAINT "patients_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_clinic_id_patient_id_fkey" FOREIGN KEY ("clinic_id", "patient_id") REFERENCES "patients"("clinic_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appointments" ADD CONSTRAINT "appointments_clinic_id_provider_id_fkey" FOREIGN KEY ("clinic_id", "provider_id") REFERENCES "providers"("clinic_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "documents" ADD CONSTRAINT "documents_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "documents" ADD CONSTRAINT "documents_clinic_id_patient_id_fkey" FOREIGN KEY ("clinic_id", "patient_id") REFERENCES "patients"("clinic_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_runs" ADD CONSTRAINT "workflow_runs_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_runs" ADD CONSTRAINT "workflow_runs_clinic_id_patient_id_fkey" FOREIGN KEY ("clinic_id", "patient_id") REFERENCES "patients"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_messages" ADD CONSTRAINT "workflow_messages_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_messages" ADD CONSTRAINT "workflow_messages_clinic_id_workflow_id_fkey" FOREIGN KEY ("clinic_id", "workflow_id") REFERENCES "workflow_runs"("clinic_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_cases" ADD CONSTRAINT "recovery_cases_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_cases" ADD CONSTRAINT "recovery_cases_clinic_id_patient_id_fkey" FOREIGN KEY ("clinic_id", "patient_id") REFERENCES "patients"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_cases" ADD CONSTRAINT "recovery_cases_clinic_id_workflow_id_fkey" FOREIGN KEY ("clinic_id", "workflow_id") REFERENCES "workflow_runs"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_clinic_id_patient_id_fkey" FOREIGN KEY ("clinic_id", "patient_id") REFERENCES "patients"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_clinic_id_workflow_id_fkey" FOREIGN KEY ("clinic_id", "workflow_id") REFERENCES "workflow_runs"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "calls" ADD CONSTRAINT "calls_clinic_id_case_id_fkey" FOREIGN KEY ("clinic_id", "case_id") REFERENCES "recovery_cases"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_clinic_id_call_id_fkey" FOREIGN KEY ("clinic_id", "call_id") REFERENCES "calls"("clinic_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "inbound_events" ADD CONSTRAINT "inbound_events_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbound_events" ADD CONSTRAINT "outbound_events_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_clinic_id_event_id_fkey" FOREIGN KEY ("clinic_id", "event_id") REFERENCES "outbound_events"("clinic_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_clinic_id_delivery_id_fkey" FOREIGN KEY ("clinic_id", "delivery_id") REFERENCES "deliveries"("clinic_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbound_endpoints" ADD CONSTRAINT "outbound_endpoints_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "secrets" ADD CONSTRAINT "secrets_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opt_outs" ADD CONSTRAINT "opt_outs_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "phone_numbers" ADD CONSTRAINT "phone_numbers_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approved_apis" ADD CONSTRAINT "approved_apis_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "crm_settings" ADD CONSTRAINT "crm_settings_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_tasks" ADD CONSTRAINT "staff_tasks_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_tasks" ADD CONSTRAINT "staff_tasks_clinic_id_patient_id_fkey" FOREIGN KEY ("clinic_id", "patient_id") REFERENCES "patients"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identity_matches" ADD CONSTRAINT "identity_matches_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identity_matches" ADD CONSTRAINT "identity_matches_clinic_id_patient_id_fkey" FOREIGN KEY ("clinic_id", "patient_id") REFERENCES "patients"("clinic_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_records" ADD CONSTRAINT "idempotency_records_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_clinic_id_fkey" FOREIGN KEY ("clinic_id") REFERENCES "clinics"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
