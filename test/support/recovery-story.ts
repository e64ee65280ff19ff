import type { WorkflowHandle } from '@temporalio/client';
import type { Activities } from '@clinic/activities/index';
import type { Resolution } from '@clinic/shared/contracts/outreach/recovery';
import { defaultCallingPolicy, type CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import type { RecoveryStatus } from '@clinic/shared/domain/outreach/case-state';
import { formCompleted, outcomeResolved } from '@clinic/workflows/messages';
import { createFakeVoice, type FakeVoice, type PlacedCall, type Script } from './fake-voice';
import { recordHistory } from './histories';
import type { Fakes, WorkflowBench } from './workflow-bench';

type Facts = Awaited<ReturnType<Activities['loadRun']>>;
type RecoveryFacts = NonNullable<Facts['recovery']>;
type Ending = Parameters<Activities['endRun']>[0];

/** Calls whenever something is due, at once, three times. */
export const alwaysOpen: CallingPolicy = {
  ...defaultCallingPolicy,
  firstCallDelaySeconds: 0,
  secondsBetweenAttempts: 3_600,
  callsPerPatientPerDay: null,
  callsPerPatientPerWeek: null,
  callingHours: Object.fromEntries(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
      day,
      [{ opens: '00:00', closes: '24:00' }],
    ]),
  ),
};

export interface Setting {
  /** One for each call, in order. */
  calls?: Script[];
  policy?: Partial<CallingPolicy>;
  facts?: Partial<Facts>;
  recovery?: Partial<RecoveryFacts>;
  /** Happens when an activity begins, the first time. */
  when?: Partial<Record<keyof Activities, (story: RecoveryStory) => Promise<void>>>;
  /** Replaces activities. */
  fakes?: Fakes;
  /** Keeps the history of its run as `test/histories/abandonment-recovery/<name>.json` when histories are recorded. */
  record?: string;
}

export interface RecoveryStory {
  workflow: WorkflowHandle;
  voice: FakeVoice;
  facts: Facts;
  caseId: string;
  recovery: RecoveryFacts;
  /** The records hold a test call that is open. */
  isInTestCall: boolean;
  /** What was done to the records, in order. */
  log: string[];
  endings: Ending[];
  tasks: string[];
  /** The form is completed: the event is stored, then its workflow hears of it. */
  complete(): Promise<void>;
  /** Awaits the end, skipping time, and answers the outcome. */
  outcome(): Promise<RecoveryStatus>;
}

let stories = 0;

/** Starts a recovery case over records and a voice platform that behave as the real ones, as far as its workflow can see. */
export async function openCase(bench: WorkflowBench, setting: Setting = {}): Promise<RecoveryStory> {
  const workflowId = `recovery-${(stories += 1)}`;
  const caseId = `case-${stories}`;
  const patientId = `patient-${stories}`;
  const recovery: RecoveryFacts = {
    caseId,
    sessionId: `session-${stories}`,
    isFormCompleted: false,
    isCompletedInCall: false,
    hasProgressApi: false,
    resolution: null,
    ...setting.recovery,
  };
  const facts: Facts = {
    outcome: null,
    phone: '+15005550001',
    clinicZone: 'America/Denver',
    patientZones: [],
    isOptedOut: false,
    pause: null,
    clinicLimitUntil: null,
    openedAt: await bench.now(),
    previousCallsAt: [],
    appointment: null,
    hasBookedSince: false,
    isTakenBack: false,
    inboundCallId: null,
    calls: [],
    dueAt: null,
    offer: null,
    ...setting.facts,
    recovery,
    policy: { ...alwaysOpen, ...setting.policy },
  };
  const happened = new Set<string>();

  const story = {
    facts,
    caseId,
    recovery,
    isInTestCall: false,
    log: [],
    endings: [],
    tasks: [],
  } as unknown as RecoveryStory;
  story.complete = async () => {
    recovery.isCompletedInCall ||= !recovery.isFormCompleted && (story.isInTestCall || story.voice.isInCall());
    recovery.isFormCompleted = true;
    await story.workflow.signal(formCompleted, {});
  };
  story.voice = createFakeVoice({
    bench,
    workflow: () => story.workflow,
    scripts: setting.calls ?? [],
    isWithdrawn: () => recovery.isFormCompleted || story.endings.length > 0,
    completeForm: () => story.complete(),
  });

  const done = (what: string) => void story.log.push(what);
  const activities: Fakes = {
    async sendAtOnce() {
      done('told the clinic');
    },
    loadRun: async () => ({ ...facts, previousCallsAt: [...facts.previousCallsAt, ...placedAt(story.voice)] }),
    async setCaseStatus({ status }) {
      done(status);
    },
    async endRun(ending) {
      const [before] = story.endings;
      if (before) return { ...before, endedAt: before.endedAt ?? '', cancelledBy: before.cancelledBy ?? undefined };
      const { resolution: resolved } = recovery;
      const stands: Ending = resolved ? { ...ending, outcome: resolved.recoveryStatus, resolution: resolved } : ending;
      story.endings.push(stands);
      done(`${stands.outcome}, ${stands.status}`);
      return stands.outcome;
    },
    recordDecision: async () => 0,
    async openTask({ reason }) {
      story.tasks.push(reason);
      done(`task: ${reason}`);
    },
    ...story.voice.activities,
    async reserveCall(intent) {
      const reservation = await story.voice.activities.reserveCall(intent);
      done(
        reservation.kind === 'reserved' ? `reserved call ${intent.dial}, attempt ${intent.attempt}` : reservation.kind,
      );
      return reservation;
    },
    async placeCall(call) {
      const placed = await story.voice.activities.placeCall(call);
      done(placed.kind);
      return placed;
    },
    ...setting.fakes,
  };

  const withHooks = Object.fromEntries(
    Object.entries(activities).map(([name, fake]) => [
      name,
      async (input: never) => {
        const hook = setting.when?.[name as keyof Activities];
        if (hook && !happened.has(name)) {
          happened.add(name);
          await hook(story);
        }
        return (fake as (input: never) => unknown)(input);
      },
    ]),
  ) as Fakes;

  story.workflow = await bench.start(
    {
      workflowId,
      clinicId: 'clinic-1',
      workflowType: 'abandonment-recovery',
      patientId,
      sessionId: recovery.sessionId,
      caseId,
    },
    withHooks,
  );
  story.outcome = async () => {
    try {
      return await bench.result<RecoveryStatus>(story.workflow);
    } finally {
      await story.voice.check();
      if (setting.record) await recordHistory(story.workflow, `abandonment-recovery/${setting.record}`);
    }
  };
  return story;
}

const placedAt = ({ dialled }: FakeVoice) => dialled.filter(({ wasPlaced }) => wasPlaced).map(({ at }) => at);

export const resolution = (recoveryStatus: RecoveryStatus): Resolution => ({ recoveryStatus, resumeLinkSent: true });

/** The agent resolves the case with its tool, and the workflow hears of it. */
export const resolve = ({ callId, workflow }: Pick<PlacedCall, 'callId' | 'workflow'>, status: RecoveryStatus) =>
  workflow.signal(outcomeResolved, { callId, resolution: resolution(status), endedAt: new Date().toISOString() });

/** The agent resolves the case and hangs up. */
export const resolves = (status: RecoveryStatus) => async (call: PlacedCall) => {
  await resolve(call, status);
  await call.hangUp('assistant-ended-call');
};
export const agrees = resolves('RECOVERED');
export const endsWith =
  (reason: string) =>
  ({ hangUp }: PlacedCall): Promise<void> =>
    hangUp(reason);
export const doesNotAnswer = endsWith('customer-did-not-answer');
