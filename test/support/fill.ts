import type { Database } from '@clinic/prisma/client';
import type { Sql } from '@clinic/prisma/sql';
import { recoveryStatuses } from '@clinic/shared/domain/outreach/case-state';
import { inBackground } from './fill-indexes';

export interface Filling {
  /** The first has nine tenths of everything, the others share the rest. They have no records yet. */
  clinicIds: string[];
  /** Recovery cases in all; everything else grows with them. */
  cases: number;
  /** None is open: where a worker runs, the reconciler would begin the runs of those that are, which no workflow has, and end them. */
  isOver?: boolean;
}

/**
 * Fills clinics with two years of records, made in SQL: cases with their patients, calls, tools, events, deliveries, tasks,
 * appointments and audit entries. Nearly all of it is over; one case in a hundred is open, as on a clinic's usual day.
 * The same numbers give the same names, so that a search can be asked what it must find. Returns the number of rows.
 */
export async function fill(database: Database, { clinicIds, cases, isOver = false }: Filling): Promise<number> {
  await inBackground(database, cases >= 100_000, async (tx) => {
    await fillPatients(tx, clinicIds, Math.ceil(cases * 0.8));
    await fillRuns(tx, { clinicIds, cases, isOver });
    await fillCalls(tx, clinicIds);
    await fillEvents(tx, clinicIds);
    await fillStaff(tx, clinicIds);
  });
  await database.sql`analyze`;
  const [counted] = await database.sql<{ rows: number }>`
    select coalesce(sum(reltuples), 0)::float8 as rows from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;
  return Math.round(counted?.rows ?? 0);
}

/** Names by how many have them: the first of each are common, the last are rare. */
const filledNames = {
  first:
    `Maria James Ana John Sofía Robert José Michael Emma David Olivia William Li Noah Zoë Liam Chloé Lucas Amélie Omar
    Fatima Yusuf Ingrid Søren Björn Małgorzata Dmitri Aisha Kenji Priya Thandiwe Björk Anaïs Gwendolyn Thaddeus Xiomara`.split(
      /\s+/,
    ),
  last: `Garcia Smith Nguyen Johnson Martínez Brown O'Brien Lee Müller Kim Patel Silva Haddad Kowalski Rossi D'Angelo Schröder
    Ivanov Tanaka Okafor Jones Davis López Wilson Anderson Thomas Moore Jackson Thompson White Harris Clark Lewis Robinson
    Walker Young Allen King Wright Scott Torres Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter
    Roberts Gómez Phillips Evans Turner Díaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers
    Gutiérrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Cox Ward Richardson Watson Brooks Chávez Wood
    Bennett Gray Mendoza Ruiz Hughes Price Álvarez Castillo Sanders Myers Long Ross Foster Jiménez Featherstonehaugh
    Ødegård Łukasiewicz Vandersloot Quillfeather Abernathy Zimmermann`.split(/\s+/),
};

const OPEN = 'PENDING';
const ENDED = [...recoveryStatuses];

async function fillPatients(tx: Sql, clinicIds: string[], patients: number): Promise<void> {
  await tx`
    insert into patients (id, clinic_id, first_name, last_name, phone, email, birth_date, external_id, is_placeholder,
      patient_type, created_at, updated_at, search_text)
    select id, clinic_id, first, last, phone, email, birth, external, is_new, case when is_new then 'NEW' else 'EXISTING' end,
      at, at, patient_search_text(first, last, email, null, phone, birth)
    from (
      select n, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '-7' || substr(md5(n::text), 1, 22) as id,
        (${clinicIds}::text[])[case when n % 10 > 0 then 1 else 1 + (n / 10) % cardinality(${clinicIds}::text[]) end] as clinic_id,
        (${filledNames.first}::text[])[1 + floor(cardinality(${filledNames.first}::text[]) * power(one, 2))::int] as first,
        (${filledNames.last}::text[])[1 + floor(cardinality(${filledNames.last}::text[]) * power(other, 2))::int] as last,
        '+1303' || lpad(n::text, 7, '0') as phone, 'person' || n || '@mail.example' as email,
        (date '1940-01-01' + (one * 29000)::int)::text as birth, 'crm-' || n as external, n % 3 > 0 as is_new, at
      from (
        select n, (hashint4(n) & 1048575) / 1048576.0 as one, (hashint4(-n) & 1048575) / 1048576.0 as other,
          now() - interval '730 days' * (1 - n::float8 / ${patients}::int) as at
        from generate_series(1, ${patients}::int) n
      ) numbered
    ) people`;
}

async function fillRuns(tx: Sql, { clinicIds, cases, isOver = false }: Filling): Promise<void> {
  // The newest tenth has an open case in ten.
  await tx`
    insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, status, outcome, attempts, is_simulated,
      started_at, dispatched_at, completed_at)
    select 'run-' || substr(p.id, 1, 13) || '-7' || substr(md5('run' || n), 1, 22), p.clinic_id,
      case when n % 6 = 0 then (array['appointment-reminder', 'care-gap-follow-up', 'payment-recovery'])[1 + n / 6 % 3]
        else 'abandonment-recovery' end,
      'session-' || md5('session' || n), p.id, case when is_open then 'started' when n % 500 = 0 then 'failed'
        when n % 100 = 0 then 'cancelled' else 'completed' end,
      case when is_open then null when n % 6 = 0 then 'FOLLOW_UP_REQUIRED'
        else (${ENDED}::text[])[1 + n % cardinality(${ENDED}::text[])] end,
      1 + n % 3, false, at, at, case when not is_open then at + interval '2 hours' end
    from (
      select n, n > ${cases} * 1.08 and n % 10 = 3 and not ${isOver}::boolean as is_open,
        1 + (n - 1) * (select count(*) - 1 from patients where clinic_id = any(${clinicIds})) / (${cases} * 1.2) as place,
        now() - interval '730 days' * (1 - n / (${cases} * 1.2)) as at
      from generate_series(1, (${cases}::int * 1.2)::int) n
    ) made
    join (
      select id, clinic_id, row_number() over (order by created_at, id) as number from patients where clinic_id = any(${clinicIds})
    ) p on p.number = floor(made.place)`;
  await tx`
    insert into recovery_cases (id, clinic_id, session_id, workflow_id, patient_id, status, form_id, form_name,
      completion_percentage, abandoned_at, resume_url, created_at, ended_at)
    select substr(id, 5, 14) || '7' || substr(md5('case' || id), 1, 22), clinic_id, session_id, id, patient_id,
      coalesce(case when status = 'cancelled' then 'FOLLOW_UP_REQUIRED' else outcome end, ${OPEN}), 'intake',
      'New patient intake', 40, started_at, 'https://forms.example/resume/' || session_id, started_at, completed_at
    from workflow_runs where workflow_type = 'abandonment-recovery' and clinic_id = any(${clinicIds})`;
  await tx`
    insert into workflow_messages (id, clinic_id, workflow_id, signal, payload, created_at, sent_at)
    select 'call-ended-' || id, clinic_id, id, 'callEnded', '{}', started_at, started_at
    from workflow_runs where clinic_id = any(${clinicIds})`;
}

async function fillCalls(tx: Sql, clinicIds: string[]): Promise<void> {
  await tx`
    insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, case_id, direction, state, phone, attempt, dial,
      platform_call_id, requested_at, requests, rang_at, ended_reason, summary, created_at, started_at, ended_at)
    select substr(r.id, 5, 14) || '7' || substr(md5('call' || dial || r.id), 1, 22), r.clinic_id, r.patient_id, r.workflow_type, r.id, c.id,
      'outbound', 'ENDED', p.phone, dial, dial, md5('platform' || dial || r.id), at, 1, at, 'assistant-ended-call',
      'The patient said why they stopped.', at, at, at + interval '3 minutes'
    from workflow_runs r
    join patients p on p.clinic_id = r.clinic_id and p.id = r.patient_id
    left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
    cross join lateral (
      select dial, r.started_at + dial * interval '20 minutes' as at from generate_series(1, case when r.attempts = 3 then 2 else 1 end) dial
    ) dialled
    where r.clinic_id = any(${clinicIds}) and r.status <> 'started'`;
  await tx`
    insert into call_decisions (id, clinic_id, workflow_id, call_id, stage, rule, decided, inputs, decided_at)
    select 'decision-' || id, clinic_id, workflow_id, id, 'plan', 'due', '{"kind":"call"}', '{}', created_at
    from calls where clinic_id = any(${clinicIds}) and workflow_id is not null`;
  await tx`
    insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning, reply, is_success, started_at, completed_at)
    select 'tool-' || id, clinic_id, id, 'tool-1', 'abandonment-recovery', 'record_abandonment_barrier', '{"primary_barrier":"price"}',
      md5(id), '{"success":true}', true, started_at, started_at
    from calls where clinic_id = any(${clinicIds}) and workflow_id is not null`;
}

async function fillEvents(tx: Sql, clinicIds: string[]): Promise<void> {
  await tx`
    insert into inbound_events (id, clinic_id, event, dedupe_key, payload, workflow_id, received_at)
    select 'inbound-' || id, clinic_id, 'forms.abandoned', session_id, jsonb_build_object('session_id', session_id, 'form_id', 'intake',
      'partial_form_data', jsonb_build_object('phi_first_name', 'Ann', 'phi_last_name', 'Lee')), workflow_id, created_at
    from recovery_cases where clinic_id = any(${clinicIds})`;
  await tx`
    insert into outbound_events (id, clinic_id, event, subject, data, created_at)
    select event || '-' || c.id, c.clinic_id, event, c.id, jsonb_build_object('recoveryCaseId', c.id, 'sessionId', c.session_id,
      'recoveryStatus', c.status), at
    from recovery_cases c
    cross join lateral (values ('recovery_case.created', c.created_at), ('recovery_case.outcome', c.ended_at)) told(event, at)
    where c.clinic_id = any(${clinicIds}) and at is not null
    order by at`;
  // One in a thousand is dead; of the last day's, some are still tried.
  await tx`
    insert into deliveries (id, clinic_id, event_id, receiver_id, event, subject, place, state, tries, next_attempt_at, created_at, delivered_at)
    select id, clinic_id, id, receiver_id, event, subject, sequence, state, tries, case when state = 'PENDING' then now() + interval '1 hour' end, created_at,
      case when state = 'DELIVERED' then created_at end
    from (
      select e.id, e.clinic_id, r.id as receiver_id, event, subject, sequence, e.created_at, 1 + (sequence % 50 = 0)::int as tries,
        case when sequence % 1000 = 0 then 'DEAD'
          when e.created_at > now() - interval '1 day' and sequence % 20 = 1 then 'PENDING' else 'DELIVERED' end as state
      from outbound_events e join receivers r on r.clinic_id = e.clinic_id and r.is_first where e.clinic_id = any(${clinicIds})
    ) owed`;
  await tx`
    insert into delivery_attempts (id, clinic_id, delivery_id, receiver_id, url, at, status, duration_ms, response)
    select 'attempt-' || id, clinic_id, id, receiver_id, 'https://clinic.example/events', created_at, case when state = 'DELIVERED' then 200 else 503 end, 40, 'ok'
    from deliveries where clinic_id = any(${clinicIds})`;
}

async function fillStaff(tx: Sql, clinicIds: string[]): Promise<void> {
  await tx`
    insert into staff_tasks (id, clinic_id, reason, state, patient_id, case_id, workflow_id, cause, created_at, resolved_at)
    select 'task-' || id, clinic_id, (array['billing_escalation', 'clinical_escalation', 'unreadable_phone'])[1 + abs(hashtext(id)) % 3],
      case when is_open then 'OPEN' else 'RESOLVED' end, patient_id, id, workflow_id, 'filled-' || id, created_at,
      case when not is_open then created_at + interval '1 day' end
    from (select *, created_at > now() - interval '7 days' as is_open from recovery_cases) c
    where clinic_id = any(${clinicIds}) and abs(hashtext(id)) % 4 = 0`;
  await tx`
    insert into audit_entries (id, clinic_id, actor, action, subject, detail, at)
    select 'audit-' || id, clinic_id, 'account:' || abs(hashtext(id)) % 12, (array['task.change', 'patient.change', 'delivery.resend'])[1 + abs(hashtext(id)) % 3],
      id, '{}', created_at
    from recovery_cases where clinic_id = any(${clinicIds}) and abs(hashtext(id)) % 2 = 0`;
  await tx`
    insert into audit_entries (id, clinic_id, actor, action, is_read, route, subjects, at)
    select 'read-' || id, clinic_id, 'account:' || abs(hashtext(id)) % 12, (array['patient.read', 'case.list'])[1 + abs(hashtext(id)) % 2],
      true, 'GET /patients/:patientId', array[patient_id], created_at
    from recovery_cases where clinic_id = any(${clinicIds})`;
  await tx`
    insert into providers (id, clinic_id, name, display_name, working_hours, visit_types)
    select 'provider-' || c || n, c, 'Dr.Filled' || n, 'Dr. Filled ' || n, '{}', '{}'
    from unnest(${clinicIds}::text[]) c, generate_series(1, 8) n`;
  await tx`
    insert into appointments (id, clinic_id, patient_id, provider_id, status, visit_type, starts_at, ends_at, external_id, created_at, updated_at)
    select 'appointment-' || id, clinic_id, patient_id, 'provider-' || clinic_id || 1 + place % 8,
      case when place < 1000 then 'booked' when place % 9 = 0 then 'cancelled' else 'fulfilled' end, 'Follow-up consultation', starts_at,
      starts_at + interval '30 minutes', 'visit-' || id, created_at, created_at
    from (
      select *, date_trunc('day', now()) + interval '30 days' - interval '30 minutes' * (place / 8) as starts_at
      from (select *, row_number() over (partition by clinic_id order by created_at desc, id) as place from recovery_cases) placed
    ) c
    where clinic_id = any(${clinicIds}) and place % 8 in (1, 3)`;
  await tx`
    insert into documents (id, clinic_id, patient_id, content, created_at)
    select 'document-' || id, clinic_id, patient_id, '[]', created_at
    from recovery_cases where clinic_id = any(${clinicIds}) and abs(hashtext(id)) % 5 = 0`;
  await tx`
    insert into opt_outs (id, clinic_id, phone, created_at)
    select 'opt-out-' || id, clinic_id, phone, created_at
    from patients where clinic_id = any(${clinicIds}) and phone is not null and abs(hashtext(id)) % 5 = 0
    on conflict do nothing`;
  await tx`
    insert into idempotency_records (clinic_id, route, key, request_hash, status, body, created_at)
    select clinic_id, 'POST /workflows/start', id, md5(id), 200, '{}', started_at
    from workflow_runs where clinic_id = any(${clinicIds}) and abs(hashtext(id)) % 8 = 0`;
  await tx`
    insert into line_tickets (workflow_id, clinic_id, phone, priority, due_at, created_at)
    select r.id, r.clinic_id, p.phone, 2, r.started_at, r.started_at
    from workflow_runs r join patients p on p.clinic_id = r.clinic_id and p.id = r.patient_id
    where r.clinic_id = any(${clinicIds}) and r.status = 'started' and abs(hashtext(r.id)) % 4 = 0
    on conflict do nothing`;
}
