import type { Resolution } from '@clinic/shared/contracts/outreach/recovery';
import type { AppointmentStatus } from '@clinic/shared/domain/calendar/appointment-status';
import type { ExpectedAppointment } from '@clinic/shared/domain/calendar/attendance';
import type { OfferedTime, OfferStatus } from '@clinic/shared/domain/calendar/waitlist';
import type { CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import type { PreferredCallHours } from '@clinic/shared/domain/outreach/preferred-hours';
import type { FinalRunStatus, RunStatus } from '@clinic/shared/domain/outreach/run-status';
import { isOptedOut, type OptOutScope } from '@clinic/shared/domain/outreach/opt-out';
import type { Outcome, WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { Database } from '../../client';
import { type ErasedKeys, erasedOptOut } from '../patients/erased-keys';
import { calledSince, openedAt, patientZonesOf } from './calling-rules';

/** What the records say that a run ended with. */
export interface RecordedEnd {
  outcome: Outcome;
  status: FinalRunStatus;
  /** What the agent said of a recovery, where the outcome is the agent's word. */
  resolution: Resolution | null;
  /** ISO instant, UTC. */
  endedAt: string;
  /** Left out where nobody cancelled it. */
  cancelledBy?: string;
}

/** How a run stands, as its row and that of its case say it. */
export interface EndRow {
  outcome: string | null;
  status: RunStatus;
  completedAt: Date | null;
  cancelledBy: string | null;
  resolution: Resolution | null;
}

/** Null while it is open. */
export function recordedEnd({ outcome, status, completedAt, cancelledBy, resolution }: EndRow): RecordedEnd | null {
  if (status === 'started' || completedAt === null) return null;
  const end = { outcome: outcome as Outcome, status, resolution, endedAt: completedAt.toISOString() };
  return cancelledBy === null ? end : { ...end, cancelledBy };
}

/** What is known of a run and its patient when its next step is decided. */
export interface RunFacts {
  /** What the records say it ended with; null while it is open. */
  outcome: string | null;
  /** The rest of that; left out of facts of an earlier version. */
  end?: RecordedEnd | null;
  phone: string | null;
  clinicZone: string;
  /** Every time zone that the patient may live in; none where nobody's phone rings. */
  patientZones: string[];
  /** When the patient asked to be called; null where they asked for nothing, left out of facts of an earlier version. */
  preferredHours?: PreferredCallHours | null;
  isOptedOut: boolean;
  /** Outreach is paused; `until` is null where nobody has said how long. */
  pause: { until: string | null } | null;
  /** The clinic has called as many different numbers today as it may, and not this one: until then. */
  clinicLimitUntil: string | null;
  policy: CallingPolicy;
  openedAt: string;
  /** When the patient's own last call ended that was answered since the run was opened; left out of facts of an earlier version. */
  patientCalledAt?: string | null;
  /** Every call placed to this phone by this clinic within seven days, whatever it was about. */
  previousCallsAt: string[];
  /** The appointment the run is about: as it stands in our records, else as its event told. */
  appointment: ExpectedAppointment | null;
  /** The patient has booked or moved an upcoming appointment since the run was opened. */
  hasBookedSince: boolean;
  /** It was opened because a visit was missed, and the clinic has taken that back. */
  isTakenBack: boolean;
  /** Of an appointment, prescription or payment of which a later event has come, or which is settled since; left out of facts of an earlier version. */
  isSuperseded?: boolean;
  /** The patient's own call, when it is what the run came from. */
  inboundCallId: string | null;
  /** The calls of the run since its last attempt, oldest first: faults, and those that its workflow does not know as it began anew since. */
  calls: MadeCall[];
  /** Since when the call has been due that stands in line; null where none does. */
  dueAt: string | null;
  /** What a recovery has in addition; null for every other type. */
  recovery: RecoveryFacts | null;
  /** The time that the run offers to somebody on the waitlist; null for every other type. */
  offer: OfferedTime | null;
}

/** A call that a run has made. */
export interface MadeCall {
  callId: string;
  dial: number;
  attempt: number;
  /** How and when it ended; null while it goes on. */
  end: { reason: string; wasAnswered: boolean; endedAt: string } | null;
}

export interface RecoveryFacts {
  caseId: string;
  sessionId: string;
  isFormCompleted: boolean;
  /** While the patient was in a call, or their phone rang. */
  isCompletedInCall: boolean;
  /** The clinic permits its own API to be asked how far the form has come. */
  hasProgressApi: boolean;
  /** What the agent has resolved in a call, which the case is still to end with. */
  resolution: Resolution | null;
}

/** Null for an unknown run. `callsAfter` is the last dial that its workflow need not hear of; left out where nobody asks for its calls. */
export async function factsOfRun(
  { sql }: Database,
  erasedKeys: ErasedKeys,
  {
    clinicId,
    workflowId,
    callsAfter = Infinity,
  }: { clinicId: string; workflowId: string; callsAfter?: number | undefined },
): Promise<RunFacts | null> {
  const [row] = await sql<Row>`
    select r.outcome, r.status, r.completed_at as "completedAt", r.cancelled_by as "cancelledBy", c.resolution as "endedWith", f.phone, f.clinic_zone as "clinicZone", f.address, f.preferred_hours as "preferredHours", f.voice_provider as "voiceProvider",
      f.opt_out_scope as "optOutScope", f.policy, outreach_pause(r.clinic_id, r.workflow_type) as pause,
      r.workflow_type as "workflowType", numbers_used_until(r.clinic_id, f.phone) as "clinicLimitUntil",
      f.previous_calls_at as "previousCallsAt", f.own_call_at as "ownCallAt", r.started_at as "startedAt", r.context -> 'appointment' as told,
      coalesce(r.session_id like 'missed-%' and a.status <> 'noshow', false) as "isTakenBack",
      coalesce(is_superseded(r), false) as "isSuperseded",
      a.status as "appointmentStatus", a.starts_at as "appointmentStartsAt",
      exists (select 1 from appointments b where b.clinic_id = r.clinic_id and b.patient_id = r.patient_id
        and b.status = 'booked' and b.starts_at > now() and b.updated_at > r.started_at) as "hasBookedSince",
      (select k.id from calls k where k.clinic_id = r.clinic_id and k.workflow_id = r.id
        and k.direction = 'inbound' and not k.is_test limit 1) as "inboundCallId",
      coalesce((select json_agg(json_build_object('callId', k.id, 'dial', k.dial, 'attempt', k.attempt,
          'end', case when k.state = 'ENDED' then json_build_object('reason', coalesce(k.ended_reason, 'unknown'),
            'wasAnswered', k.started_at is not null, 'endedAt', to_char(k.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end) order by k.dial)
        from calls k where k.clinic_id = r.clinic_id and k.workflow_id = r.id and k.direction = 'outbound' and not k.is_test
          and k.dial > ${callsAfter}::float8), '[]'::json) as calls,
      (select t.due_at from line_tickets t where t.workflow_id = r.id) as "dueAt",
      c.id as "caseId", r.session_id as "sessionId", c.form_completed_at is not null as "isFormCompleted",
      exists (select 1 from calls k where k.clinic_id = r.clinic_id and k.workflow_id = r.id
        and coalesce(k.requested_at, k.started_at) <= c.form_completed_at
        and (k.ended_at is null or k.ended_at >= c.form_completed_at)
        and (k.is_test or k.platform_call_id is not null or k.state <> 'ENDED')) as "isCompletedInCall",
      exists (select 1 from approved_apis p where p.clinic_id = r.clinic_id
        and p.actions ? 'form.progress') as "hasProgressApi",
      c.decision -> 'resolution' as resolution, o.status as "offerStatus", o.ends_at as "offerEndsAt"
    from workflow_runs r
    join calling_facts f on f.clinic_id = r.clinic_id and f.patient_id = r.patient_id
    left join recovery_cases c on c.clinic_id = r.clinic_id and c.workflow_id = r.id
    left join waitlist_offers o on r.workflow_type = 'waitlist-offer' and o.clinic_id = r.clinic_id and o.workflow_id = r.id
    left join lateral (
      select status, starts_at from appointments
      where r.context ? 'appointment' and clinic_id = r.clinic_id
        and (id = r.context #>> '{appointment,appointmentId}' or external_id = r.context #>> '{appointment,appointmentId}')
      limit 1
    ) a on true
    where r.clinic_id = ${clinicId} and r.id = ${workflowId}`;
  if (!row) return null;
  const optOutScope = row.optOutScope ?? (await erasedOptOut(sql, erasedKeys, { clinicId, phone: row.phone }));
  return toFacts({ ...row, optOutScope });
}

interface Row
  extends
    Omit<
      RunFacts,
      | 'end'
      | 'openedAt'
      | 'patientCalledAt'
      | 'dueAt'
      | 'appointment'
      | 'offer'
      | 'recovery'
      | 'patientZones'
      | 'isOptedOut'
      | 'clinicLimitUntil'
    >,
    Omit<EndRow, 'resolution'>,
    Omit<RecoveryFacts, 'caseId'> {
  endedWith: Resolution | null;
  workflowType: WorkflowType;
  address: string | null;
  voiceProvider: string;
  optOutScope: OptOutScope | null;
  startedAt: Date;
  ownCallAt: Date | null;
  dueAt: Date | null;
  clinicLimitUntil: Date | null;
  told: { startsAt?: string } | null;
  appointmentStatus: AppointmentStatus | null;
  appointmentStartsAt: Date | null;
  caseId: string | null;
  offerStatus: OfferStatus | null;
  offerEndsAt: Date | null;
}

function toFacts({ caseId, ...row }: Row): RunFacts {
  const {
    outcome,
    status,
    completedAt,
    cancelledBy,
    endedWith,
    told,
    appointmentStatus,
    appointmentStartsAt,
    startedAt,
    ownCallAt,
    dueAt,
    sessionId,
    isFormCompleted,
    isCompletedInCall,
    hasProgressApi,
    resolution,
    clinicLimitUntil,
    offerStatus,
    offerEndsAt,
    ...about
  } = row;
  const { workflowType, address, voiceProvider, optOutScope, ...facts } = about;
  const known = appointmentStatus && {
    status: appointmentStatus,
    startsAt: appointmentStartsAt?.toISOString() ?? null,
  };
  return {
    ...facts,
    outcome,
    end: recordedEnd({ outcome, status, completedAt, cancelledBy, resolution: endedWith }),
    patientZones: patientZonesOf({ ...facts, address, voiceProvider }),
    isOptedOut: isOptedOut(optOutScope, workflowType),
    openedAt: openedAt({ sessionId, startedAt }),
    patientCalledAt: calledSince({ startedAt, ownCallAt }),
    dueAt: dueAt?.toISOString() ?? null,
    clinicLimitUntil: clinicLimitUntil?.toISOString() ?? null,
    appointment: known ?? (told && { status: 'booked', startsAt: told.startsAt ?? null }),
    recovery:
      caseId === null ? null : { caseId, sessionId, isFormCompleted, isCompletedInCall, hasProgressApi, resolution },
    offer: offerStatus && offerEndsAt ? { status: offerStatus, endsAt: offerEndsAt.toISOString() } : null,
  };
}
