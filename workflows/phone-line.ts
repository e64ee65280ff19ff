import { condition, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { CallingFacts } from '@clinic/shared/domain/calling-policy';
import type { CallEnding } from '@clinic/shared/domain/call-ending';
import { classifyEndedReason } from '@clinic/shared/voice/ended-reason';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { CALL_CHECK, dialling, ownRecords, records } from './timeouts';

const { lookUpCall } = proxyActivities<Activities>(records);
const { placeCall } = proxyActivities<Activities>(dialling);

/** Whom a workflow calls, and for what. */
export interface LineOwner {
  clinicId: string;
  workflowType: WorkflowType;
  patientId: string;
  caseId: string | null;
  /** True once the workflow has its outcome: it then no longer waits for the call to end. */
  isSettled(): boolean;
  /** The intent is stored; the phone is about to ring. */
  onReserved(attempt: number): void;
}

/** Everything a call is placed with. */
export interface CallToMake {
  phone: string;
  attempt: number;
  dueAt: string;
  priority: number;
  maxConcurrentCalls: number;
  callsPerPatientPerDay: number | null;
  callsPerPatientPerWeek: number | null;
  notAfter: string | null;
  appointmentStartsAt: string | null;
  /** What it was decided by. */
  inputs: CallingFacts;
}

/** A call that has ended, in the platform's word, and what that means. */
export interface CallOver {
  callId: string;
  reason: string;
  ending: CallEnding;
  /** Somebody or something had picked up. */
  wasAnswered: boolean;
  /** The platform's own sentence about a refusal. */
  said?: string;
  /** When it ended (ISO instant, UTC), where it was over before the workflow asked; else it has just ended. */
  endedAt?: string;
}

export type Rung =
  | ({ kind: 'ended' } & CallOver)
  /** The platform no longer knows the call, and how it went nobody can say. */
  | { kind: 'lost'; callId: string }
  /** The workflow got its outcome while the call goes on. */
  | { kind: 'settled' }
  /** No line was free; nobody's phone rang. The workflow is told when it gets one. */
  | { kind: 'queued' }
  /** The patient has had their calls; nobody's phone rang. */
  | { kind: 'limited' }
  /** There was no reason to call any more; nobody's phone rang. */
  | { kind: 'withdrawn' };

/** How a call ended, as it was told. */
export type CallEnd =
  | { kind: 'ended'; reason: string; wasAnswered?: boolean; said?: string; endedAt?: string }
  | { kind: 'lost' };

/** What has to be carried over to the next run of a long-lived workflow. */
export interface LineLog {
  dials: number;
  endedReasons: string[];
}

export interface PhoneLine {
  /** Rings the patient, once, and stays until the call is over or the workflow is settled. */
  ring(call: CallToMake): Promise<Rung>;
  /** Stays in a call that the patient placed until it is over or the workflow is settled. */
  answer(callId: string): Promise<Rung>;
  /** The platform reported the end of a call. */
  hangUp(callId: string, end: CallEnd): void;
  isInCall(): boolean;
  /** Waits until no call of this workflow is going on. */
  quiet(): Promise<void>;
  log(): LineLog;
}

/** The one way a workflow reaches a patient: an intent first, one request, then the platform's word that it is over. */
export function openLine(owner: LineOwner, log: LineLog = { dials: 0, endedReasons: [] }): PhoneLine {
  const { clinicId, workflowType, patientId, caseId, isSettled } = owner;
  const { workflowId } = workflowInfo();
  const { reserveCall } = ownRecords();
  const ended = new Map<string, CallEnd>();
  let { dials } = log;
  const endedReasons = [...log.endedReasons];
  let callId: string | null = null;

  const isOver = (id: string) => ended.has(id);

  const hold = async (id: string, isReleased: () => boolean) => {
    while (!isOver(id) && !isReleased()) {
      const isKnown = await condition(() => isOver(id) || isReleased(), CALL_CHECK, { summary: 'ask about the call' });
      if (isKnown) continue;
      const found = await lookUpCall({ clinicId, callId: id });
      if (found.kind !== 'going_on') ended.set(id, found);
    }
    if (isOver(id)) callId = null;
  };

  const conclude = (id: string): Rung => {
    const end: CallEnd = ended.get(id) ?? { kind: 'ended', reason: 'unknown' };
    if (end.kind === 'lost') return { kind: 'lost', callId: id };
    const { reason, wasAnswered = false, said, endedAt } = end;
    const ending = classifyEndedReason(reason, endedReasons);
    endedReasons.push(reason);
    return { kind: 'ended', callId: id, reason, ending, wasAnswered, said, endedAt };
  };

  const stay = async (id: string): Promise<Rung> => {
    await hold(id, isSettled);
    return isOver(id) ? conclude(id) : { kind: 'settled' };
  };

  return {
    async ring(call) {
      const reservation = await reserveCall({
        clinicId,
        workflowId,
        workflowType,
        caseId,
        patientId,
        ...call,
        dial: dials + 1,
      });
      if (reservation.kind !== 'reserved') return reservation;

      dials += 1;
      callId = reservation.callId;
      owner.onReserved(call.attempt);
      const id = reservation.callId;
      const placed = await placeCall({ clinicId, callId: id });
      if (placed.kind === 'withdrawn') {
        callId = null;
        return placed;
      }
      if (placed.kind === 'over') {
        const { end, endedAt } = placed;
        ended.set(id, end.kind === 'lost' ? end : { ...end, endedAt: endedAt ?? undefined });
      }
      if (placed.kind === 'refused') ended.set(id, { kind: 'ended', reason: placed.reason, said: placed.said });
      return stay(id);
    },

    answer(id) {
      callId = id;
      return stay(id);
    },

    hangUp: (id, end) => void ended.set(id, end),
    isInCall: () => callId !== null,
    quiet: async () => {
      if (callId !== null) await hold(callId, () => false);
    },
    log: () => ({ dials, endedReasons }),
  };
}
