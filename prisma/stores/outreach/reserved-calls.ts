import { checkedForLine, type Decision } from '@clinic/shared/domain/outreach/call-decisions';
import type { CallState } from '@clinic/shared/domain/outreach/call-state';
import type { CallingFacts } from '@clinic/shared/domain/outreach/calling-policy';
import { type LineFacts, whyNoLine } from '@clinic/shared/domain/outreach/dialling';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { newId } from '@clinic/shared/crypto';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import { createTurns } from '../../turns';
import { recordDecision } from './call-decisions';
import { dropTicket, grantLines, lineState, lockLines, takeTicket } from './lines';

export type Reservation =
  | { kind: 'reserved'; callId: string }
  /**
   * No line is free, others are due before, this phone is in another call, or outreach is paused: the run is told when it
   * gets a line, or when outreach goes on.
   */
  | { kind: 'queued' }
  /** The patient has had their calls of the day or week. */
  | { kind: 'limited' }
  /** The case has ended: nobody is called. */
  | { kind: 'withdrawn' };

export interface CallIntent {
  clinicId: string;
  workflowId: string;
  workflowType: WorkflowType;
  caseId: string | null;
  patientId: string;
  /** E.164 */
  phone: string;
  attempt: number;
  /** Counts requests to ring, also those that were no attempt. */
  dial: number;
  /** Since when it has been due, as an instant. */
  dueAt: string;
  /** Among those who wait for a line, 1 goes before 2, which is usual. */
  priority: number;
  maxConcurrentCalls: number;
  callsPerPatientPerDay: number | null;
  callsPerPatientPerWeek: number | null;
  /** The end of what it was decided for, as an instant: from then on it does not ring. */
  notAfter: string | null;
  /** When the appointment it is about begins, as known when it was decided. */
  appointmentStartsAt: string | null;
  /** What it was decided by. */
  inputs: CallingFacts;
}

/** A burst of one clinic waits for the lock on its lines without holding connections that other clinics need. */
export function turnsOf({ transaction }: Pick<Database, 'transaction'>): InTurn {
  const turns = createTurns();
  return (clinicId, work) => turns(clinicId, () => transaction(work));
}

type InTurn = <T>(clinicId: string, work: (tx: Sql) => Promise<T>) => Promise<T>;

/**
 * Writes the intent to call before anything rings, and moves the case to CALLING. One call per workflow and dial,
 * anyone who asks again; never two at once to one phone; never more at once, or to one patient, than the clinic allows; and
 * none once a pause was acknowledged.
 */
export const reserve = (
  { inTurn }: { inTurn: InTurn },
  { clinicId, workflowId, workflowType, caseId, patientId, phone, attempt, dial, inputs, ...limits }: CallIntent,
): Promise<Reservation> =>
  inTurn(clinicId, async (tx) => {
    // Before any other lock: it waits for a pause that is being written, and so is seen by it or sees it.
    await tx`select share_dialling(${clinicId})::text`;
    // One reservation at a time per clinic, so that counting and inserting are one step.
    await lockLines(tx, clinicId);
    const [existing] = await tx<{ callId: string; state: CallState }>`
      select id as "callId", state from calls where workflow_id = ${workflowId} and dial = ${dial} and not is_test`;
    if (existing) return { kind: 'reserved', callId: existing.callId };
    const [{ day, week, isTalking, isPaused, isClinicAtLimit } = noCalls] = await tx<PatientCalls>`
      select count(*) filter (where platform_call_id is not null and rang_at is not null
          and requested_at > now() - interval '1 day')::int as day,
        count(*) filter (where platform_call_id is not null and rang_at is not null
          and requested_at > now() - interval '7 days')::int as week,
        exists (select from phones_in_call t where t.clinic_id = ${clinicId} and t.phone = ${phone}) as "isTalking",
        outreach_pause(${clinicId}, ${workflowType}) is not null as "isPaused",
        numbers_used_until(${clinicId}, ${phone}) is not null as "isClinicAtLimit"
      from calls where clinic_id = ${clinicId} and phone = ${phone} and not is_test
        and requested_at > now() - interval '7 days'`;
    const facts: LineFacts = {
      callsInDay: day,
      callsInWeek: week,
      callsPerPatientPerDay: limits.callsPerPatientPerDay,
      callsPerPatientPerWeek: limits.callsPerPatientPerWeek,
      isClinicAtLimit,
      isCaseOver: false,
    };
    const refusal = { clinicId, workflowId, id: `line-${workflowId}-${dial}-${inputs.now}` };
    if (whyNoLine(facts) !== null) {
      await recordDecision(tx, { ...refusal, callId: null, decision: checkedForLine(facts) });
      await dropTicket(tx, workflowId);
      await grantLines(tx, { clinicId });
      return { kind: 'limited' };
    }
    const lines = limits.maxConcurrentCalls;
    const { used, waiting, hasTicket, isGranted } = await lineState(tx, { clinicId, workflowId });
    const isFree = used < lines && !isTalking;
    if (isPaused || !isFree || (waiting > 0 && !isGranted)) {
      const { dueAt, priority, notAfter } = limits;
      await takeTicket(tx, { clinicId, workflowId, phone, priority, dueAt, notAfter });
      // It keeps its place for when outreach goes on, and the line that it was given goes to the next.
      if (isPaused) {
        if (isGranted) await grantLines(tx, { clinicId, lines });
        return { kind: 'queued' };
      }
      const granted = used < lines ? await grantLines(tx, { clinicId, lines }) : [];
      if (!granted.some((message) => message.workflowId === workflowId)) return { kind: 'queued' };
    }
    const queuedAt = hasTicket || waiting > 0 ? await dropTicket(tx, workflowId) : null;
    const [call] = await tx<{ id: string }>`
      insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, case_id, direction, phone, attempt, dial,
        queued_at, not_after, appointment_starts_at)
      values (${newId()}, ${clinicId}, ${patientId}, ${workflowType}, ${workflowId}, ${caseId}, 'outbound', ${phone}, ${attempt}, ${dial},
        ${queuedAt}, ${limits.notAfter}, ${limits.appointmentStartsAt})
      on conflict (clinic_id, phone) where direction = 'outbound' and not is_test and state <> 'ENDED' do nothing
      returning id`;
    if (!call) return { kind: 'queued' };
    const decision: Decision = { stage: 'plan', inputs, decided: { kind: 'call', attempt } };
    await recordDecision(tx, { id: `plan-${call.id}`, clinicId, workflowId, callId: call.id, decision });
    if (caseId && !(await markCalling(tx, clinicId, caseId))) {
      const isOver = checkedForLine({ ...facts, isCaseOver: true });
      await recordDecision(tx, { ...refusal, callId: call.id, decision: isOver });
      await tx`update calls set state = 'ENDED', ended_at = now(), ended_reason = 'withdrawn', withdrawn_because = 'case_over'
        where id = ${call.id}`;
      await grantLines(tx, { clinicId });
      return { kind: 'withdrawn' };
    }
    return { kind: 'reserved', callId: call.id };
  });

/** Moves an open case to CALLING. Returns false for one that has ended. */
async function markCalling(tx: Sql, clinicId: string, caseId: string): Promise<boolean> {
  const [open] = await tx`
    update recovery_cases set status = 'CALLING'
    where clinic_id = ${clinicId} and id = ${caseId} and status in ('PENDING', 'CALLING') returning id`;
  return open !== undefined;
}

interface PatientCalls {
  day: number;
  week: number;
  isTalking: boolean;
  isPaused: boolean;
  isClinicAtLimit: boolean;
}

const noCalls: PatientCalls = { day: 0, week: 0, isTalking: false, isPaused: false, isClinicAtLimit: false };
