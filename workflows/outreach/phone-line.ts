import { condition, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { MadeCall } from '@clinic/activities/runs';
import type { CallingFacts } from '@clinic/shared/domain/outreach/calling-policy';
import type { CallEnding } from '@clinic/shared/domain/outreach/call-ending';
import { classifyEndedReason, endedReasons } from '@clinic/shared/domain/voice/ended-reason';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { CALL_CHECK, dialling, lookingUp, recordsAtOnce } from '../timeouts';

const { reserveCall } = proxyLocalActivities<Activities>(recordsAtOnce);
const { lookUpCall } = proxyActivities<Activities>(lookingUp);
const { placeCall } = proxyActivities<Activities>(dialling);

/** Whom a workflow calls, and for what. */
export interface LineOwner {
  clinicId: string;
  workflowType: WorkflowType;
  patientId: string;
  caseId: string | null;
  /** What is remembered of its calls; the line adds to it. */
  calls: CallLog;
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

/** What a request to ring came to. */
export type Placed =
  | ({ kind: 'ended' } & CallOver)
  /** The platform no longer knows the call: how it went nobody can say, only what was settled in it. */
  | ({ kind: 'lost' } & CallOver)
  /** The workflow got its outcome while the call goes on. */
  | { kind: 'settled' }
  /** No line was free; nobody's phone rang. The workflow is told when it gets one. */
  | { kind: 'queued' }
  /** The patient has had their calls; nobody's phone rang. */
  | { kind: 'limited' }
  /** There was no reason to call any more; nobody's phone rang. */
  | { kind: 'withdrawn' };

/** A call that rang, once nothing more is to be waited for in it. */
export type Held = Extract<Placed, { kind: 'ended' | 'lost' | 'settled' }>;

/** How a call ended, as it was told. */
export type CallEnd =
  | { kind: 'ended'; reason: string; wasAnswered?: boolean; said?: string; endedAt?: string }
  | { kind: 'lost' };

/** What is remembered of the calls that a workflow has made. */
export interface CallLog {
  /** Requests to ring, also those that were no attempt. */
  dials: number;
  /** How calls ended, in the platform's words, oldest first. */
  endedReasons: string[];
}

/** The one way a workflow reaches a patient: an intent first, one request, then the platform's word that it is over. */
export class PhoneLine {
  private readonly ends = new Map<string, CallEnd>();
  private callId: string | null = null;

  constructor(private readonly owner: LineOwner) {}

  /** Rings the patient, once, and stays until the call is over or the workflow is settled. */
  async ring(call: CallToMake): Promise<Placed> {
    const { clinicId, workflowType, caseId, patientId, calls } = this.owner;
    const dial = calls.dials + 1;
    const { workflowId } = workflowInfo();
    const intent = { clinicId, workflowId, workflowType, caseId, patientId, ...call, dial };
    const reservation = await reserveCall(intent);
    if (reservation.kind !== 'reserved') return reservation;

    return this.dial({ callId: reservation.callId, dial, attempt: call.attempt });
  }

  /** A call that was reserved before this run began: it is asked about where it goes on, and else counts as it ended. */
  async resume({ callId, dial, attempt, end }: MadeCall): Promise<Held | { kind: 'withdrawn' }> {
    if (end === null) return this.dial({ callId, dial, attempt });
    const { calls, onReserved } = this.owner;
    calls.dials = dial;
    if (end.reason === 'withdrawn') return { kind: 'withdrawn' };
    onReserved(attempt);
    this.hangUp(callId, { kind: 'ended', ...end });
    return this.conclude(callId);
  }

  private async dial({ callId, dial, attempt }: Omit<MadeCall, 'end'>): Promise<Held | { kind: 'withdrawn' }> {
    const { clinicId, calls, onReserved } = this.owner;
    calls.dials = dial;
    this.callId = callId;
    onReserved(attempt);
    const placed = await placeCall({ clinicId, callId });
    switch (placed.kind) {
      case 'withdrawn':
        this.callId = null;
        return placed;
      case 'over':
        this.hangUp(callId, placed.end);
        break;
      case 'refused':
        this.hangUp(callId, { kind: 'ended', reason: placed.reason, said: placed.said });
        break;
      case 'placed':
        break;
    }
    return this.stay(callId);
  }

  /** Stays in a call that the patient placed until it is over or the workflow is settled. */
  answer(callId: string): Promise<Held> {
    this.callId = callId;
    return this.stay(callId);
  }

  /** The platform reported the end of a call, or nobody can say how it went. */
  hangUp(callId: string, end: CallEnd): void {
    const isLost = end.kind === 'ended' && end.reason === endedReasons.notFound;
    this.ends.set(callId, isLost ? { kind: 'lost' } : end);
  }

  isInCall(): boolean {
    return this.callId !== null;
  }

  /** Waits until no call of this workflow is going on; returns the one that went on when the workflow was settled. */
  async quiet(): Promise<CallOver | null> {
    const { callId } = this;
    if (callId === null) return null;
    await this.hold(callId, () => false);
    return this.conclude(callId);
  }

  private async stay(callId: string): Promise<Held> {
    await this.hold(callId, this.owner.isSettled);
    return this.ends.has(callId) ? this.conclude(callId) : { kind: 'settled' };
  }

  private async hold(callId: string, isReleased: () => boolean): Promise<void> {
    const isDone = () => this.ends.has(callId) || isReleased();
    while (!isDone()) {
      const isKnown = await condition(isDone, CALL_CHECK, { summary: 'ask about the call' });
      if (isKnown) continue;
      const found = await lookUpCall({ clinicId: this.owner.clinicId, callId });
      if (found.kind !== 'going_on') this.hangUp(callId, found);
    }
    if (this.ends.has(callId)) this.callId = null;
  }

  private conclude(callId: string): Exclude<Held, { kind: 'settled' }> {
    const end: CallEnd = this.ends.get(callId) ?? { kind: 'ended', reason: 'unknown' };
    if (end.kind === 'lost') {
      return { kind: 'lost', callId, reason: endedReasons.notFound, ending: 'platform_fault', wasAnswered: false };
    }
    const { reason, wasAnswered = false, said, endedAt } = end;
    const { endedReasons: earlier } = this.owner.calls;
    const ending = classifyEndedReason(reason, earlier);
    earlier.push(reason);
    return { kind: 'ended', callId, reason, ending, wasAnswered, said, endedAt };
  }
}
