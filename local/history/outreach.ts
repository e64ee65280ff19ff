import { type CallRule, checked, type Decision, ruleOf } from '@clinic/shared/domain/outreach/call-decisions';
import { type CallingFacts, defaultCallingPolicy, nextStep } from '@clinic/shared/domain/outreach/calling-policy';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { endedReasons } from '@clinic/shared/domain/voice/ended-reason';
import { toInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { minuteMs } from '@clinic/shared/domain/calendar/zone-offsets';
import { type ClinicToFill, pauseOf } from './clinic';

/** One dial: a fault of the platform repeats its attempt. */
export interface Dial {
  attempt: number;
  at: number;
  endedAt: number;
  answeredAt: number | null;
  endedReason: string;
}

export interface Decided {
  at: number;
  rule: CallRule;
  decision: Decision;
  /** Which dial it led to; null where the patient waits or is called no more. */
  dial: number | null;
}

export interface Outreach {
  decisions: Decided[];
  dials: Dial[];
  endedAt: number;
  isReached: boolean;
}

/**
 * How a patient was called by the rules of today, until they answered at the attempt `answersAt` or were given up. What the rules had not
 * yet come to by now is not there: `isReached` is false then, and so is what comes of it.
 */
export function outreachOf(
  clinic: ClinicToFill,
  { openedAt, workflowType, answersAt }: { openedAt: number; workflowType: WorkflowType; answersAt: number },
): Outreach {
  const { random, zone } = clinic;
  const decisions: Decided[] = [];
  const dials: Dial[] = [];
  let now = openedAt;
  let attemptsMade = 0;
  let lastAttemptEndedAt: number | null = null;
  for (;;) {
    const facts = factsOf(clinic, { openedAt, now, attemptsMade, lastAttemptEndedAt });
    const decided = nextStep(facts);
    const plan: Decision = { stage: 'plan', inputs: facts, decided };
    if (decided.kind === 'call')
      decisions.push(...callDecisions(plan, { zone, now, workflowType, dial: dials.length }));
    else decisions.push({ at: now, rule: ruleOf(plan), decision: plan, dial: null });
    if (decided.kind === 'no_call') return { decisions, dials, endedAt: now, isReached: false };
    if (decided.kind === 'wait') {
      now = Date.parse(decided.until) + random.whole(1, 40) * 1_000;
      if (now > clinic.now - 5 * minuteMs) return { decisions, dials, endedAt: clinic.now, isReached: false };
      continue;
    }
    const dial = dialOf(clinic, { at: now, attempt: decided.attempt, isAnswered: decided.attempt >= answersAt });
    dials.push(dial);
    now = dial.endedAt + 2_000;
    if (dial.answeredAt !== null) return { decisions, dials, endedAt: now, isReached: true };
    if (dial.endedReason === PLATFORM_FAULT) {
      now += 5 * minuteMs;
      continue;
    }
    attemptsMade = decided.attempt;
    lastAttemptEndedAt = dial.endedAt;
  }
}

function factsOf(
  clinic: ClinicToFill,
  at: { openedAt: number; now: number; attemptsMade: number; lastAttemptEndedAt: number | null },
): CallingFacts {
  const { openedAt, now, attemptsMade, lastAttemptEndedAt } = at;
  const pause = pauseOf(clinic);
  return {
    hasPhone: true,
    isOptedOut: false,
    attemptsMade,
    policy: defaultCallingPolicy,
    clinicZone: clinic.zone,
    patientZones: [],
    pause: now >= pause.from && now < pause.until ? { until: toInstant(pause.until) } : null,
    now: toInstant(now),
    openedAt: toInstant(openedAt),
    lastAttemptEndedAt: lastAttemptEndedAt === null ? null : toInstant(lastAttemptEndedAt),
    clinicLimitUntil: null,
  };
}

/** That the call is due, and that nothing forbids it in the moment before the phone rings. */
function callDecisions(
  plan: Decision,
  { zone, now, workflowType, dial }: { zone: string; now: number; workflowType: WorkflowType; dial: number },
): Decided[] {
  const windows = { hours: defaultCallingPolicy.callingHours, clinicZone: zone, patientZones: [], at: toInstant(now) };
  const check = checked({
    state: 'QUEUED',
    runStatus: 'started',
    caseStatus: workflowType === 'abandonment-recovery' ? 'CALLING' : null,
    workflowType,
    optOutScope: null,
    isFormCompleted: false,
    isNumberChanged: false,
    isPaused: false,
    isWindowOver: false,
    isAppointmentChanged: false,
    isSuperseded: false,
    hadItsCalls: false,
    isClinicAtLimit: false,
    hasCalledMeanwhile: false,
    isTalking: false,
    windows,
  });
  return [
    { at: now, rule: ruleOf(plan), decision: plan, dial },
    { at: now + 300, rule: ruleOf(check), decision: check, dial },
  ];
}

const PLATFORM_FAULT = 'pipeline-error-openai-llm-failed';

function dialOf(
  { random }: ClinicToFill,
  { at, attempt, isAnswered }: { at: number; attempt: number; isAnswered: boolean },
): Dial {
  const ringsMs = random.whole(4, 28) * 1_000;
  const over = (afterMs: number, endedReason: string, answeredAt: number | null = null): Dial => ({
    attempt,
    at,
    endedAt: at + afterMs,
    answeredAt,
    endedReason,
  });
  if (random.chance(0.015)) return over(2_000, PLATFORM_FAULT);
  if (!isAnswered) {
    return random.chance(0.45)
      ? over(ringsMs + 18_000, 'voicemail')
      : over(30_000, random.pick([endedReasons.noAnswer, endedReasons.noAnswer, 'customer-busy']));
  }
  const talkMs = random.whole(50, 330) * 1_000;
  const reason = random.chance(0.85) ? endedReasons.agentSaidGoodbye : endedReasons.patientHungUp;
  return over(ringsMs + talkMs, reason, at + ringsMs);
}
