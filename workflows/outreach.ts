import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  ContinueAsNew,
  continueAsNew,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { ClinicNotice } from '@clinic/activities/clinic-systems';
import type { Activities } from '@clinic/activities/index';
import type { RunFacts } from '@clinic/activities/runs';
import type { Resolution } from '@clinic/shared/contracts/recovery';
import { faultWaitSeconds } from '@clinic/shared/domain/call-faults';
import { callableUntil } from '@clinic/shared/domain/calling-windows';
import { withdrawalWaitSeconds } from '@clinic/shared/domain/dialling';
import { type CallingFacts, nextStep, type NextStep, type NoCallReason } from '@clinic/shared/domain/calling-policy';
import type { Conversation, ToolFact } from '@clinic/shared/domain/conversation';
import { spreadOpening } from '@clinic/shared/domain/opening-spread';
import { isEndedByAssistant, isSetupFault } from '@clinic/shared/voice/ended-reason';
import type { FinalRunStatus } from '@clinic/shared/domain/run-status';
import type { TaskReason } from '@clinic/shared/domain/task';
import { type OutcomeOf, taskFor, type WorkflowType, workflowTypes } from '@clinic/shared/domain/workflow-types';
import { createClinicSystems, sendEvents } from './clinic-systems';
import { searchAttributes } from './ids';
import * as messages from './messages';
import { type CallOver, type LineLog, openLine } from './phone-line';
import { ANALYSIS_WAIT, isAtOnce, MAX_LINE_WAIT_MS, ownRecords, records, recordsInUpdate } from './timeouts';

const { openTask, standInLine, reportSetupFault, wakeDeliveries } = proxyActivities<Activities>(records);
const inUpdate = proxyLocalActivities<Activities>(recordsInUpdate);

/** What every workflow that reaches a patient is given. */
export interface RunInput {
  clinicId: string;
  patientId: string;
  /** Of a recovery. Events and tasks are then told under its id, else under the workflow's. */
  caseId?: string;
  carried?: Carried;
}

/** All that an earlier run of a long-lived workflow knew, when it went on in a new one because its history grew long. */
export interface Carried {
  attempts: number;
  lastAttemptEndedAt: string | null;
  faultsInARow: number;
  /** Since when the call that waits for a line has been due. */
  dueAt: string | null;
  withdrawnInARow: number;
  line: LineLog;
  /** Calls of the patient's own that were held. */
  answered: string[];
  /** Internal test calls that are open. */
  testCalls: string[];
  /** What the calls' tools changed. */
  changes: ToolFact[];
  /** What the clinic's own systems are still to be told. */
  untold: ClinicNotice[];
  /** What the story itself knows. */
  own?: unknown;
}

/** What a step was decided by. */
interface Decided {
  inputs: CallingFacts;
}

/** A call that is due now, and what it was decided by: from `notAfter` on, or once the appointment is another, it does not ring. */
export interface CallNow extends Decided {
  kind: 'call';
  attempt: number;
  notAfter: string | null;
  appointmentStartsAt: string | null;
}

type WaitStep = Extract<NextCall, { kind: 'wait' }>;

export type NextCall = (Exclude<NextStep, { kind: 'call' }> & Decided) | CallNow;

export type Step<Outcome extends string> = { kind: 'end'; outcome: Outcome } | NextCall;

/** What one type of workflow adds to the way that all of them go. */
export interface Story<Outcome extends string> {
  /** Once, before anything else. */
  begin?(): Promise<void>;
  /** Asked before every call: end, or what the calling policy says. */
  decide(facts: RunFacts): Step<Outcome> | Promise<Step<Outcome>>;
  /** How it ends when the calling policy permits no more calls. */
  uncalled(reason: NoCallReason): Outcome;
  /** What a call that is over came to; null when it settled nothing. */
  conclude(call: CallOver): Promise<Outcome | null>;
  /** What it knows that its next run must know too. */
  carry?(): unknown;
}

/** Two outcomes that every type has, whatever it is about. */
type CommonOutcome = 'FOLLOW_UP_REQUIRED' | 'PATIENT_NOT_REACHED';

interface Ending {
  status?: FinalRunStatus;
  /** What the agent said of it, where it is the agent's word. */
  resolution?: Resolution | null;
  /** Why staff get a task, where the outcome alone does not say it. */
  taskReason?: TaskReason;
  /** Who cancelled it. */
  cancelledBy?: string | undefined;
  /** Written inside an update that somebody waits for. */
  isInUpdate?: boolean;
}

/**
 * One patient to be reached by phone: where that stands, the steps that every workflow takes towards an outcome, and
 * `reach`, which takes them. Sets the handlers that all types share; a story sets its own before it calls `reach`.
 */
export function openOutreach<Type extends WorkflowType>(workflowType: Type, input: RunInput) {
  type Outcome = OutcomeOf<Type> | CommonOutcome;
  const { clinicId, patientId, caseId = null, carried } = input;
  const { workflowId } = workflowInfo();
  const subject = caseId ?? workflowId;
  const owner = { clinicId, subject };
  const { loadRun, endRun, reviewCall, setCaseStatus, recordDecision } = ownRecords();
  const isNew = isAtOnce();
  const testCalls = new Set(carried?.testCalls);
  const answered = new Set(carried?.answered);
  const changes = [...(carried?.changes ?? [])];
  const analysed = new Set<string>();
  /** Calls that a machine took. */
  const voicemails = new Set<string>();
  const systems = createClinicSystems({ clinicId, workflowId }, carried?.untold);
  let state: 'PENDING' | 'CALLING' | Outcome = testCalls.size > 0 ? 'CALLING' : 'PENDING';
  let attempts = carried?.attempts ?? 0;
  let lastAttemptEndedAt = carried?.lastAttemptEndedAt ?? null;
  let faultsInARow = carried?.faultsInARow ?? 0;
  let dueAt = carried?.dueAt ?? null;
  let isLineFree = false;
  let withdrawnInARow = carried?.withdrawnInARow ?? 0;
  let isWoken = false;
  let failure: unknown = null;
  let ended: messages.RunEnd | null = null;
  let written: Promise<void> = Promise.resolve();

  const isOpen = () => state === 'PENDING' || state === 'CALLING';
  const isInCall = () => line.isInCall() || testCalls.size > 0;
  const line = openLine(
    {
      clinicId,
      workflowType,
      patientId,
      caseId,
      isSettled: () => !isOpen(),
      onReserved: (attempt) => void (isOpen() && show('CALLING', `Attempt ${attempt}`)),
    },
    carried?.line,
  );

  function show(next: typeof state, details: string) {
    state = next;
    upsertSearchAttributes([{ key: searchAttributes.status, value: next }]);
    setCurrentDetails(details);
  }

  /** The next step is decided anew: a wait that is under way is over. */
  const wake = () => {
    isWoken = true;
  };

  const isTurn = () => !isOpen() || isWoken || isLineFree;

  const pause = (ms: number, summary: string) => condition(() => !isOpen() || isWoken, Math.max(ms, 1), { summary });

  /** Terminal at once, so that nothing else can end it while the records are written. */
  const end = async (
    outcome: Outcome,
    { status = 'completed', resolution = null, isInUpdate = false, taskReason, cancelledBy }: Ending = {},
  ) => {
    if (!isOpen()) return;
    show(outcome, `Ended: ${outcome}`);
    const write = isInUpdate ? inUpdate.endRun : endRun;
    const task = taskReason ?? taskFor(outcome, changes);
    ended = { outcome, status, taskReason: task, resolution, endedAt: new Date().toISOString(), cancelledBy };
    const notices = systems.untold();
    written = write({ clinicId, workflowId, ...ended, outcome, notices }).then((stands) =>
      adopt(stands as Outcome, outcome),
    );
    await written;
  };

  /** What the agent has resolved stands, also where the workflow ended before it had heard of it. */
  const adopt = (stands: Outcome | null | undefined, meant: Outcome) => {
    if (!stands || stands === meant) return;
    show(stands, `Ended: ${stands}`);
    if (ended)
      ended = {
        ...ended,
        outcome: stands,
        status: 'completed',
        taskReason: taskFor(stands, []),
        resolution: null,
        cancelledBy: undefined,
      };
  };

  const leaveToStaff = () => end('FOLLOW_UP_REQUIRED');

  const backToPending = async () => {
    if (!isOpen() || isInCall()) return;
    show('PENDING', `Between calls, ${attempts} made`);
    if (caseId !== null) await setCaseStatus({ clinicId, caseId, status: 'PENDING' });
  };

  /** Opens a task for staff, once for each reason. */
  const askStaff = (reason: TaskReason) =>
    openTask({ clinicId, reason, cause: `${reason}:${subject}`, patientId, caseId, workflowId });

  /** A task that says what the clinic's own system was not told, and what it takes to try again. */
  const leaveNotice = ({ action, callId, appointmentId }: ClinicNotice, why: string) => {
    const reason = 'clinic_system_not_told';
    const cause = `${reason}:${subject}:${action}:${appointmentId ?? callId}`;
    const detail = { action, why, ...(appointmentId && { appointmentId }) };
    return openTask({ clinicId, reason, cause, patientId, callId, caseId, workflowId, detail });
  };

  const refuseIfEnded = (..._told: unknown[]) => {
    if (!isOpen()) throw ApplicationFailure.nonRetryable('the workflow has ended', 'already_ended');
  };

  setHandler(messages.lineFreed, () => {
    isLineFree = true;
  });
  setHandler(messages.callAnalysed, ({ callId }) => void analysed.add(callId));
  setHandler(messages.toolUsed, ({ fact }) => {
    if (isOpen()) setCurrentDetails(`In a call: ${fact.replaceAll('_', ' ')}`);
  });
  const cancel = shielded((told?: { by: string }) =>
    end('FOLLOW_UP_REQUIRED', { status: 'cancelled', isInUpdate: true, cancelledBy: told?.by }),
  );
  setHandler(messages.rulesChanged, wake);
  setHandler(messages.runEnd, () => ended);
  setHandler(messages.cancelRun, cancel, { validator: refuseIfEnded });
  // Whoever waits for the end is told of a write that failed.
  CancellationScope.current()
    .cancelRequested.catch(() => cancel({ by: operator }))
    .catch(() => undefined);

  /** The loop: decide; wait, or ring and hold the line while the agent talks; conclude; until there is one outcome. */
  const reach = async (story: Story<Outcome>): Promise<Outcome> => {
    setHandler(
      messages.callEnded,
      shielded(async ({ callId, reason, wasAnswered, isTest }) => {
        if (!isTest) return line.hangUp(callId, { kind: 'ended', reason, wasAnswered });
        return testCalls.delete(callId) ? closeTestCall(story, callId, reason) : undefined;
      }),
    );
    // A cancel in Temporal is a message like others: it ends the outreach, and cuts nothing off half-way.
    return CancellationScope.nonCancellable(async () => {
      try {
        if (!carried) await story.begin?.();
        while (isOpen()) {
          isWoken = false;
          await takeStep(story);
          if (workflowInfo().continueAsNewSuggested) await goOnInNewRun(story);
        }
      } catch (error) {
        await endAfter(error);
      }
      const outcome = await close();
      await systems.tell(leaveNotice);
      return outcome;
    });
  };

  const takeStep = async (story: Story<Outcome>): Promise<void> => {
    const facts = await loadRun({ clinicId, workflowId });
    // A workflow that was set back to an earlier point has an outcome in the records already.
    if (facts.outcome) return show(facts.outcome as Outcome, `Ended before: ${facts.outcome}`);
    const { inboundCallId } = facts;
    if (inboundCallId !== null && !answered.has(inboundCallId)) {
      answered.add(inboundCallId);
      return answerPatient(story, inboundCallId);
    }
    const step = await story.decide(facts);
    if (!isOpen()) return undefined;
    switch (step.kind) {
      case 'end':
        return end(step.outcome);
      case 'no_call':
        await explain(step);
        return end(story.uncalled(step.reason));
      case 'wait':
        return waitForTurn(facts, step, await explain(step));
      case 'call':
        return callPatient(story, facts, step);
    }
  };

  /** Returns how many others wait for the same instant. */
  const explain = async ({ inputs, ...decided }: Exclude<NextCall, CallNow>): Promise<number> => {
    if (!isNew && !patched('explain-decisions')) return 0;
    const decision = { stage: 'plan', inputs, decided } as const;
    return (await recordDecision({ id: uuid4(), clinicId, workflowId, decision })) ?? 0;
  };

  /**
   * Where an opening of calling hours brings more calls than lines, a first one comes a little later, and is due since the
   * opening. A call that a pause holds back is due all the same. One that comes later by itself gets a new place in line.
   */
  const waitForTurn = async (facts: RunFacts, step: WaitStep, othersWaiting: number): Promise<void> => {
    const { until, reason, inputs } = step;
    const turn = spreadOpening({ workflowId, until, othersWaiting, inputs });
    if (turn !== until) dueAt ??= until;
    if (reason === 'paused') dueAt ??= inputs.now;
    if (reason === 'paused' && isNew) return waitOutPause(facts, step);
    if (reason === 'patient_limits' || reason === 'between_attempts') dueAt = null;
    return waitUntil(turn, reason.replaceAll('_', ' '));
  };

  /** In line meanwhile: when outreach goes on, those are woken who get a line, and not a thousand others with them. */
  const waitOutPause = async ({ phone }: RunFacts, { until, inputs }: WaitStep): Promise<void> => {
    const { now, uselessFrom = null } = inputs;
    const notAfter = windowEnd(inputs);
    isLineFree = false;
    const place = { dueAt: dueAt ?? now, priority: priorityOf(uselessFrom), notAfter };
    await standInLine({ clinicId, workflowId, phone: phone ?? '', ...place });
    const lookAgainAt = Math.min(Date.parse(until), notAfter === null ? Infinity : Date.parse(notAfter));
    setCurrentDetails('In line: outreach is paused');
    await condition(isTurn, Math.max(lookAgainAt - Date.now(), 1), { summary: 'paused' });
  };

  const waitUntil = async (until: string, reason: string): Promise<void> => {
    setCurrentDetails(`Waiting until ${until}: ${reason}`);
    await pause(Date.parse(until) - Date.now(), reason);
  };

  /** One attempt. A call that settled something ends the outreach, however it ended itself. */
  const callPatient = async (story: Story<Outcome>, { phone, policy }: RunFacts, step: CallNow): Promise<void> => {
    const { attempt, notAfter, appointmentStartsAt, inputs } = step;
    const { maxConcurrentCalls, callsPerPatientPerDay, callsPerPatientPerWeek } = policy;
    const limits = { maxConcurrentCalls, callsPerPatientPerDay, callsPerPatientPerWeek };
    dueAt ??= new Date().toISOString();
    isLineFree = false;
    const priority = priorityOf(appointmentStartsAt);
    const rung = await line.ring({
      phone: phone ?? '',
      dueAt,
      priority,
      attempt,
      notAfter,
      appointmentStartsAt,
      inputs,
      ...limits,
    });
    if (rung.kind === 'queued') return waitForLine(notAfter);
    // One that was withdrawn was not made: it is due since then.
    if (rung.kind === 'withdrawn') return decideAnew();
    dueAt = null;
    if (rung.kind === 'limited') return decideAnew();
    withdrawnInARow = 0;
    if (rung.kind === 'settled' || !isOpen()) return undefined;
    if (rung.kind === 'lost') return end('FOLLOW_UP_REQUIRED', { taskReason: 'call_lost' });

    const outcome = await story.conclude(rung);
    if (outcome) return end(outcome);
    switch (voicemails.has(rung.callId) ? 'not_reached' : rung.ending) {
      case 'platform_fault':
        if (rung.wasAnswered) return recordAttempt(rung);
        return isSetupFault(rung.reason) ? leaveSetupToStaff(rung) : recordFault();
      case 'bad_number':
        await askStaff('bad_number');
        return end('PATIENT_NOT_REACHED');
      case 'cancelled':
        return leaveToStaff();
      case 'conversation':
        return leaveConversation(story);
      case 'not_reached':
        return recordAttempt(rung);
    }
  };

  /** The patient's own call. A patient who has talked to us, or tried to, is not rung for the same matter. */
  const answerPatient = async (story: Story<Outcome>, callId: string): Promise<void> => {
    show('CALLING', 'The patient called');
    const held = await line.answer(callId);
    if (held.kind === 'lost') return end('FOLLOW_UP_REQUIRED', { taskReason: 'call_lost' });
    if (held.kind !== 'ended' || !isOpen()) return;
    await end((await story.conclude(held)) ?? 'FOLLOW_UP_REQUIRED');
  };

  /** A call of ours that settled nothing. Who asked in it for no more calls is not called back by staff either. */
  const leaveConversation = async (story: Story<Outcome>): Promise<void> => {
    const isOptedOut =
      (isNew || patched('ask-for-no-more-calls')) && (await loadRun({ clinicId, workflowId })).isOptedOut;
    return isOptedOut ? end(story.uncalled('opted_out')) : leaveToStaff();
  };

  const closeTestCall = async (story: Story<Outcome>, callId: string, reason: string): Promise<void> => {
    const outcome = isInCall()
      ? null
      : await story.conclude({ callId, reason, ending: 'conversation', wasAnswered: true });
    await (outcome ? end(outcome) : backToPending());
  };

  const decideAnew = async (): Promise<void> => {
    withdrawnInARow += 1;
    await backToPending();
    const seconds = withdrawalWaitSeconds(withdrawnInARow);
    if (seconds > 0) await pause(seconds * 1_000, 'the call was withdrawn');
  };

  /** Sleeps until it is this run's turn, or calling hours end. Whoever ends a call wakes the next in line. */
  const waitForLine = async (notAfter: string | null): Promise<void> => {
    setCurrentDetails('Waiting for a free line');
    const waitMs = notAfter === null ? MAX_LINE_WAIT_MS : Date.parse(notAfter) - Date.now();
    await condition(isTurn, Math.min(Math.max(waitMs, 1), MAX_LINE_WAIT_MS), { summary: 'wait for a free line' });
  };

  /** The platform's own failure is not an attempt: the same attempt is made again, later and later. */
  const recordFault = async (): Promise<void> => {
    faultsInARow += 1;
    const seconds = faultWaitSeconds(faultsInARow);
    if (seconds === null) {
      await askStaff('platform_fault');
      return leaveToStaff();
    }
    await backToPending();
    setCurrentDetails(`The voice platform failed ${faultsInARow} times; trying again`);
    await pause(seconds * 1_000, 'the voice platform failed');
    return undefined;
  };

  /** A fault of configuration does not pass: staff hear at once what the platform says. */
  const leaveSetupToStaff = async ({ callId, reason, said }: CallOver): Promise<void> => {
    const fault = { clinicId, workflowId, callId, reason, said: said ?? null };
    await reportSetupFault({ ...fault, patientId, caseId });
    return end('FOLLOW_UP_REQUIRED', { taskReason: 'voice_setup_fault' });
  };

  const recordAttempt = async ({ endedAt = new Date().toISOString() }: CallOver): Promise<void> => {
    attempts += 1;
    faultsInARow = 0;
    lastAttemptEndedAt = endedAt;
    await backToPending();
  };

  const goOnInNewRun = async ({ carry }: Story<Outcome>): Promise<void> => {
    await condition(allHandlersFinished);
    if (!isOpen()) return;
    const next: Carried = {
      attempts,
      lastAttemptEndedAt,
      faultsInARow,
      dueAt,
      withdrawnInARow,
      line: line.log(),
      answered: [...answered],
      testCalls: [...testCalls],
      changes,
      untold: systems.untold(),
      own: carry?.(),
    };
    await continueAsNew<(input: RunInput) => Promise<unknown>>({ ...input, carried: next });
  };

  /** Something broke that no retry mends: staff follow up. */
  const endAfter = async (error: unknown): Promise<void> => {
    if (error instanceof ContinueAsNew) throw error;
    failure = error;
    await end('FOLLOW_UP_REQUIRED', { status: 'failed' });
  };

  /** Sends the outcome, then stays until the line is quiet: the record of a call is its own workflow's to finish. */
  const close = async (): Promise<Outcome> => {
    await condition(allHandlersFinished);
    await written;
    await (isNew ? sendEvents(owner) : wakeDeliveries(owner));
    await line.quiet();
    await condition(allHandlersFinished);
    if (failure) throw failure;
    if (state === 'PENDING' || state === 'CALLING') {
      throw ApplicationFailure.nonRetryable('an outreach closed without an outcome');
    }
    return state;
  };

  return {
    workflowId,
    reach,
    end,
    wake,
    askStaff,
    refuseIfEnded,
    state: () => state,
    attempts: () => attempts,

    /** What the calling policy says. */
    nextCall(facts: RunFacts, { uselessFrom = null }: { uselessFrom?: string | null } = {}): NextCall {
      const isUrgent = workflowTypes[workflowType].isUrgent;
      const policy = isUrgent ? { ...facts.policy, firstCallDelaySeconds: 0 } : facts.policy;
      const now = new Date().toISOString();
      const { clinicZone, isOptedOut, openedAt, previousCallsAt, patientZones = [], pause: paused = null } = facts;
      const inputs: CallingFacts = {
        hasPhone: facts.phone !== null,
        isOptedOut,
        attemptsMade: attempts,
        policy,
        clinicZone,
        patientZones,
        pause: paused,
        now,
        openedAt,
        lastAttemptEndedAt,
        previousCallsAt,
        clinicLimitUntil: facts.clinicLimitUntil ?? null,
        uselessFrom,
      };
      const step = nextStep(inputs);
      if (step.kind !== 'call') return { ...step, inputs };
      return { ...step, notAfter: windowEnd(inputs), appointmentStartsAt: uselessFrom, inputs };
    },

    /**
     * All that is known of a call that is over. The platform's analysis of a conversation comes some seconds later; what
     * the tools did is read from the records, where it stands before any signal of it is sent.
     */
    async review({ callId, reason, ending }: CallOver): Promise<Conversation> {
      const isConversation = ending === 'conversation';
      if (isConversation) {
        setCurrentDetails('Waiting for the analysis of the call');
        await condition(() => analysed.has(callId) || !isOpen(), ANALYSIS_WAIT, { summary: 'wait for the analysis' });
      }
      const review = await reviewCall({ clinicId, callId });
      const facts = review.changes.map(({ fact }) => fact);
      changes.push(...facts);
      systems.note(callId, review);
      const said = isConversation ? review.said : null;
      if (said === 'voicemail') {
        voicemails.add(callId);
        return { ending: 'not_reached', isFinished: false, facts, said: null };
      }
      return { ending, isFinished: isEndedByAssistant(reason), facts, said };
    },

    /** The clinic is told of the case before its patient is called; a receiver that is down only delays it by one attempt. */
    async announce() {
      setCurrentDetails('Telling the clinic');
      await sendEvents(owner);
    },

    /** An internal test call stands in for one of our own. */
    async openTestCall(callId: string) {
      testCalls.add(callId);
      show('CALLING', 'In a test call');
      if (caseId !== null) await inUpdate.setCaseStatus({ clinicId, caseId, status: 'CALLING' });
    },
  };
}

/** Who cancels a workflow in Temporal itself. */
const operator = 'operator';

/** When the window ends in which a call is decided; null where there is none. */
const windowEnd = ({ clinicZone, patientZones, policy, now }: CallingFacts): string | null =>
  callableUntil({ clinicZone, patientZones, hours: policy.callingHours, at: now });

/** A call about an appointment loses its use with time, and goes first. */
const priorityOf = (appointmentStartsAt: string | null): number => (appointmentStartsAt === null ? 2 : 1);

/** Runs a message's handler to its end, whatever is cancelled meanwhile. */
export function shielded<Args extends unknown[], Result>(handle: (...args: Args) => Promise<Result>) {
  return (...args: Args): Promise<Result> => CancellationScope.nonCancellable(() => handle(...args));
}
