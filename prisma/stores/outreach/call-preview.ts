import type { CallingFacts, CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import type { PreferredCallHours } from '@clinic/shared/domain/outreach/preferred-hours';
import { isOptedOut, type OptOutScope } from '@clinic/shared/domain/outreach/opt-out';
import { type WorkflowType, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type ErasedKeys, erasedOptOuts } from '../patients/erased-keys';
import { calledSince, openedAt, patientZonesOf } from './calling-rules';

/** An open run, and what its next step would be decided by. */
export interface PreviewedRun {
  workflowId: string;
  patientId: string;
  facts: Omit<CallingFacts, 'now'>;
}

export interface PreviewFilter {
  workflowType?: WorkflowType;
  patientId?: string;
  /** What a patient is found by, or a part of a session id. */
  search?: string;
  /** Of the appointment that a run is about. */
  providerName?: string;
  visitType?: string;
  /** Instants between which runs were started, the second left out. */
  from?: string;
  until?: string;
  /** A pause that is taken for ended. */
  withoutPause?: string;
  limit: number;
}

interface Context {
  database: Database;
  erasedKeys: ErasedKeys;
}

export const createCallPreviewStores = (database: Database, erasedKeys: ErasedKeys) =>
  bound({ database, erasedKeys }, { openRuns });

/** Open runs that are in no call, oldest first. `changes` is what the policy is to be taken for. */
async function openRuns(
  { database: { sql }, erasedKeys }: Context,
  clinicId: string,
  filter: PreviewFilter,
  changes: Partial<CallingPolicy> = {},
): Promise<PreviewedRun[]> {
  const {
    workflowType = null,
    patientId = null,
    providerName = null,
    visitType = null,
    withoutPause = null,
    limit,
  } = filter;
  const { search, from = null, until = null } = filter;
  const part = search === undefined ? null : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  // First the runs, then what is told of them: their patients' facts are looked up for each.
  const rows = await sql<Row>`
    with open as materialized (
      select r.id, r.clinic_id, r.patient_id, r.workflow_type, r.attempts, r.started_at, r.session_id, r.context, last.ended_at, a.starts_at,
        coalesce(is_superseded(r), false) as is_superseded
      from workflow_runs r
      cross join lateral (
        select search_text from patients where clinic_id = r.clinic_id and id = r.patient_id offset 0
      ) p
      left join lateral (
        select max(k.ended_at) as ended_at, coalesce(bool_or(k.state <> 'ENDED'), false) as is_in_call
        from calls k where k.clinic_id = r.clinic_id and k.workflow_id = r.id and not k.is_test
      ) last on true
      left join lateral (
        select b.starts_at, b.visit_type, v.name as provider_name
        from appointments b join providers v on v.clinic_id = b.clinic_id and v.id = b.provider_id
        where r.context ? 'appointment' and b.clinic_id = r.clinic_id
          and (b.id = r.context #>> '{appointment,appointmentId}' or b.external_id = r.context #>> '{appointment,appointmentId}')
        limit 1
      ) a on true
      where r.clinic_id = ${clinicId} and r.status = 'started' and not last.is_in_call
        and (r.workflow_type = ${workflowType} or ${workflowType}::text is null)
        and (r.patient_id = ${patientId} or ${patientId}::text is null)
        and (r.session_id ilike ${part} or ${part}::text is null
          or (p.search_text like all (search_patterns(${search ?? ''})) and search_patterns(${search ?? ''}) <> '{}'))
        and (coalesce(a.provider_name, r.context #>> '{appointment,providerName}') = ${providerName}
          or ${providerName}::text is null)
        and (coalesce(a.visit_type, r.context #>> '{appointment,visitType}') = ${visitType} or ${visitType}::text is null)
        and (r.started_at >= ${from}::timestamptz or ${from}::timestamptz is null)
        and (r.started_at < ${until}::timestamptz or ${until}::timestamptz is null)
      order by r.started_at, r.id limit ${limit}
    )
    select r.id as "workflowId", f.patient_id as "patientId", r.workflow_type as "workflowType", r.attempts,
      r.session_id as "sessionId", r.started_at as "startedAt", f.phone, f.address, f.clinic_zone as "clinicZone", f.voice_provider as "voiceProvider",
      f.opt_out_scope as "optOutScope", f.preferred_hours as "preferredHours", f.policy, f.previous_calls_at as "previousCallsAt",
      f.own_call_at as "ownCallAt", outreach_pause(r.clinic_id, r.workflow_type, ${withoutPause}) as pause, r.ended_at as "lastAttemptEndedAt",
      r.is_superseded as "isSuperseded",
      r.context #>> '{appointment,startsAt}' as "toldStartsAt", r.starts_at as "startsAt"
    from open r cross join lateral (
      select * from calling_facts where clinic_id = r.clinic_id and patient_id = r.patient_id offset 0
    ) f
    order by r.started_at, r.id`;
  const phones = [...new Set(rows.flatMap(({ phone }) => phone ?? []))];
  const erased = await erasedOptOuts(sql, erasedKeys, { clinicId, phones });
  return rows.map((row) => {
    const optOutScope = row.optOutScope ?? erased.get(row.phone ?? '') ?? null;
    return toPreviewed({ ...row, optOutScope, policy: { ...row.policy, ...changes } });
  });
}

interface Row {
  isSuperseded: boolean;
  workflowId: string;
  patientId: string;
  workflowType: WorkflowType;
  attempts: number;
  sessionId: string;
  startedAt: Date;
  phone: string | null;
  address: string | null;
  clinicZone: string;
  voiceProvider: string;
  optOutScope: OptOutScope | null;
  preferredHours: PreferredCallHours | null;
  policy: CallingPolicy;
  previousCallsAt: string[];
  ownCallAt: Date | null;
  pause: { until: string | null } | null;
  lastAttemptEndedAt: Date | null;
  toldStartsAt: string | null;
  startsAt: Date | null;
}

function toPreviewed({ workflowId, patientId, workflowType, ...row }: Row): PreviewedRun {
  return {
    workflowId,
    patientId,
    facts: {
      isSuperseded: row.isSuperseded,
      hasPhone: row.phone !== null,
      isOptedOut: isOptedOut(row.optOutScope, workflowType),
      attemptsMade: row.attempts,
      isUrgent: workflowTypes[workflowType].isUrgent,
      policy: row.policy,
      clinicZone: row.clinicZone,
      patientZones: patientZonesOf(row),
      preferredHours: row.preferredHours,
      pause: row.pause,
      openedAt: openedAt(row),
      lastAttemptEndedAt: row.lastAttemptEndedAt?.toISOString() ?? null,
      patientCalledAt: calledSince(row),
      previousCallsAt: row.previousCallsAt,
      clinicLimitUntil: null,
      uselessFrom: row.startsAt?.toISOString() ?? row.toldStartsAt,
    },
  };
}
