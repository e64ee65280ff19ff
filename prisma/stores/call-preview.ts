import type { CallingFacts, CallingPolicy } from '@clinic/shared/domain/calling-policy';
import { isOptedOut, type OptOutScope } from '@clinic/shared/domain/opt-out';
import { type WorkflowType, workflowTypes } from '@clinic/shared/domain/workflow-types';
import type { Database } from '../client';
import { patientZonesOf } from './calling-rules';

/** An open run, and what its next step would be decided by. */
export interface PreviewedRun {
  workflowId: string;
  patientId: string;
  facts: Omit<CallingFacts, 'now'>;
}

export interface CallPreviewStores {
  /** Open runs that are in no call, oldest first. */
  openRuns(clinicId: string, filter: { workflowType?: WorkflowType; limit: number }): Promise<PreviewedRun[]>;
}

export function createCallPreviewStores({ sql }: Database): CallPreviewStores {
  return {
    async openRuns(clinicId, { workflowType = null, limit }) {
      const rows = await sql<Row>`
        select r.id as "workflowId", f.patient_id as "patientId", r.workflow_type as "workflowType", r.attempts,
          r.started_at as "openedAt", f.phone, f.address, f.clinic_zone as "clinicZone", f.voice_provider as "voiceProvider",
          f.opt_out_scope as "optOutScope", f.policy, f.previous_calls_at as "previousCallsAt",
          outreach_pause(r.clinic_id, r.workflow_type) as pause, last.ended_at as "lastAttemptEndedAt",
          r.context #>> '{appointment,startsAt}' as "startsAt"
        from workflow_runs r
        join calling_facts f on f.clinic_id = r.clinic_id and f.patient_id = r.patient_id
        left join lateral (
          select max(k.ended_at) as ended_at, coalesce(bool_or(k.state <> 'ENDED'), false) as is_in_call
          from calls k where k.clinic_id = r.clinic_id and k.workflow_id = r.id and not k.is_test
        ) last on true
        where r.clinic_id = ${clinicId} and r.status = 'started' and not last.is_in_call
          and (r.workflow_type = ${workflowType} or ${workflowType}::text is null)
        order by r.started_at, r.id limit ${limit}`;
      return rows.map(toPreviewed);
    },
  };
}

interface Row {
  workflowId: string;
  patientId: string;
  workflowType: WorkflowType;
  attempts: number;
  openedAt: Date;
  phone: string | null;
  address: string | null;
  clinicZone: string;
  voiceProvider: string;
  optOutScope: OptOutScope | null;
  policy: CallingPolicy;
  previousCallsAt: string[];
  pause: { until: string | null } | null;
  lastAttemptEndedAt: Date | null;
  startsAt: string | null;
}

function toPreviewed({ workflowId, patientId, workflowType, ...row }: Row): PreviewedRun {
  const policy = workflowTypes[workflowType].isUrgent ? { ...row.policy, firstCallDelaySeconds: 0 } : row.policy;
  return {
    workflowId,
    patientId,
    facts: {
      hasPhone: row.phone !== null,
      isOptedOut: isOptedOut(row.optOutScope, workflowType),
      attemptsMade: row.attempts,
      policy,
      clinicZone: row.clinicZone,
      patientZones: patientZonesOf(row),
      pause: row.pause,
      openedAt: row.openedAt.toISOString(),
      lastAttemptEndedAt: row.lastAttemptEndedAt?.toISOString() ?? null,
      previousCallsAt: row.previousCallsAt,
      uselessFrom: row.startsAt,
    },
  };
}
