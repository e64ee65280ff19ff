import type { RunFacts } from '@clinic/activities/runs';
import { type CallingFacts, nextStep, windowsOf } from '@clinic/shared/domain/outreach/calling-policy';
import { callableUntil } from '@clinic/shared/domain/outreach/calling-windows';
import { type WorkflowType, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';
import type { Known } from './known';
import type { NextCall } from './story';

/** What the calling policy says now: call, wait, or call no more. From `uselessFrom` on a call is of no use. */
export function nextCall({
  facts,
  known,
  workflowType,
  uselessFrom,
}: {
  facts: RunFacts;
  known: Known;
  workflowType: WorkflowType;
  uselessFrom: string | null;
}): NextCall {
  const { policy, clinicZone, patientZones, preferredHours, isOptedOut, pause, openedAt, previousCallsAt } = facts;
  const inputs: CallingFacts = {
    isSuperseded: facts.isSuperseded,
    hasPhone: facts.phone !== null,
    isOptedOut,
    attemptsMade: known.attempts,
    isUrgent: workflowTypes[workflowType].isUrgent,
    policy,
    clinicZone,
    patientZones,
    preferredHours,
    pause,
    now: new Date().toISOString(),
    openedAt,
    lastAttemptEndedAt: known.lastAttemptEndedAt,
    patientCalledAt: facts.patientCalledAt,
    previousCallsAt,
    clinicLimitUntil: facts.clinicLimitUntil,
    uselessFrom,
  };
  const step = nextStep(inputs);
  if (step.kind !== 'call') return { ...step, inputs };
  // A run that waits for a line waits no longer than a call is of use.
  return { ...step, notAfter: sooner(windowEnd(inputs), uselessFrom), appointmentStartsAt: uselessFrom, inputs };
}

const sooner = (one: string | null, other: string | null): string | null =>
  one !== null && other !== null && Date.parse(other) < Date.parse(one) ? other : (one ?? other);

/** When the window ends in which a call is decided; null where there is none. */
export const windowEnd = (inputs: CallingFacts): string | null =>
  callableUntil({ ...windowsOf(inputs), at: inputs.now });

/** A call about an appointment loses its use with time, and goes first. */
export const priorityOf = (appointmentStartsAt: string | null): number => (appointmentStartsAt === null ? 2 : 1);
