import type { WorkflowHandle } from '@temporalio/client';
import type { Activities } from '@clinic/activities/index';
import type { ClinicNotice } from '@clinic/activities/clinic-systems';
import type { ClinicAction } from '@clinic/shared/contracts/events/approved-api';
import type { Said, ToolFact } from '@clinic/shared/domain/outreach/conversation';
import { judged, type RecordedFact, recordedFacts } from '@clinic/shared/domain/outreach/evidence';
import type { CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { callAnalysed, toolUsed } from '@clinic/workflows/messages';
import { createFakeVoice, type FakeVoice, type PlacedCall, type Script } from './fake-voice';
import { recordHistory } from './histories';
import { alwaysOpen } from './recovery-story';
import type { Fakes, WorkflowBench } from './workflow-bench';

export type RunType = Exclude<WorkflowType, 'abandonment-recovery'>;
type Facts = Awaited<ReturnType<Activities['loadRun']>>;
type Review = Awaited<ReturnType<Activities['reviewCall']>>;

/** How a call goes: what its tools change, what the platform's analysis makes of it, and how it ends. */
export interface Talked {
  facts?: ToolFact[];
  said?: Said;
  /** The agent says goodbye unless told otherwise. */
  reason?: string;
  /** The analysis never comes. */
  isNeverAnalysed?: boolean;
}

export interface RunSetting {
  workflowType: RunType;
  /** One for each call, in order. */
  calls?: (Talked | Script)[];
  policy?: Partial<CallingPolicy>;
  facts?: Partial<Facts>;
  /** A tool that was to book was refused. */
  isRefusedBooking?: boolean;
  /** What the clinic permits at its own API. */
  permitted?: ClinicAction[];
  fakes?: Fakes;
  /** Keeps the history of its run as `test/histories/<type>/<name>.json` when histories are recorded. */
  record?: string;
}

export interface RunStory {
  workflow: WorkflowHandle;
  workflowId: string;
  voice: FakeVoice;
  /** As the records say it; a test may change them while time goes on. */
  facts: Facts;
  endings: Parameters<Activities['endRun']>[0][];
  tasks: string[];
  /** What the clinic's own system heard. */
  told: ClinicNotice[];
  /** Awaits the end, skipping time, and answers the outcome. */
  outcome(): Promise<string>;
  /** What a call in the records came to. */
  talk(callId: string, talked: Talked): Promise<void>;
}

let stories = 0;

/** Starts a run over records and a voice platform that behave as the real ones, as far as its workflow can see. */
export async function openPatientRun(bench: WorkflowBench, setting: RunSetting): Promise<RunStory> {
  const { workflowType, permitted = [] } = setting;
  const workflowId = `${workflowType}-${(stories += 1)}`;
  const patientId = `patient-${stories}`;
  const reviews = new Map<string, Pick<Review, 'changes' | 'said'>>();
  const facts: Facts = {
    outcome: null,
    phone: '+15005550001',
    clinicZone: 'America/Denver',
    patientZones: [],
    isOptedOut: false,
    pause: null,
    clinicLimitUntil: null,
    previousCallsAt: [],
    openedAt: await bench.now(),
    appointment: null,
    hasBookedSince: false,
    isTakenBack: false,
    inboundCallId: null,
    calls: [],
    dueAt: null,
    offer: null,
    recovery: null,
    ...setting.facts,
    policy: { ...alwaysOpen, ...setting.policy },
  };

  const story = { workflowId, facts, endings: [], tasks: [], told: [] } as unknown as RunStory;
  story.talk = async (callId, { facts: changes = [], said, isNeverAnalysed = false }) => {
    const known = changes.map((fact) => ({ fact, detail: detailOf(fact) }));
    reviews.set(callId, { changes: known, said: said ?? null });
    for (const fact of changes) await story.workflow.signal(toolUsed, { callId, tool: 'a_tool', fact });
    if (!isNeverAnalysed) await story.workflow.signal(callAnalysed, { callId, said: said ?? null });
  };
  /** What the records would hold of what was done. */
  const held = (): RecordedFact[] => {
    const changes = [...reviews.values()].flatMap((review) => review.changes.map(({ fact }) => fact));
    const done = recordedFacts.filter((fact) => changes.some((change) => change === fact));
    return [
      ...done,
      ...(facts.hasBookedSince ? (['appointment_booked'] as const) : []),
      ...(facts.offer?.status === 'accepted' ? (['offer_accepted'] as const) : []),
      ...(facts.appointment?.status === 'cancelled' ? (['appointment_cancelled'] as const) : []),
      ...(facts.appointment?.status === 'arrived' ? (['appointment_arrived'] as const) : []),
      ...(setting.isRefusedBooking ? (['booking_refused'] as const) : []),
    ];
  };
  const toScript = (call: Talked | Script): Script =>
    typeof call === 'function' || 'refused' in call
      ? call
      : async ({ callId, hangUp }) => {
          await story.talk(callId, call);
          await hangUp(call.reason ?? 'assistant-ended-call');
        };
  story.voice = createFakeVoice({
    bench,
    workflow: () => story.workflow,
    scripts: (setting.calls ?? []).map(toScript),
    isWithdrawn: () => story.endings.length > 0,
  });

  story.workflow = await bench.start(
    {
      workflowId,
      workflowType,
      patientId,
      clinicId: 'clinic-1',
      sessionId: `event-${stories}`,
      caseId: null,
    },
    {
      loadRun: async () => ({ ...facts }),
      async endRun(ending) {
        const { outcome, taskReason } = judged({ workflowType, outcome: ending.outcome }, held());
        const isAsMeant = outcome === ending.outcome || ending.status !== 'completed';
        const stands = isAsMeant
          ? { ...ending, taskReason: taskReason ?? ending.taskReason }
          : { ...ending, outcome, taskReason };
        if (story.endings.length === 0) story.endings.push(stands);
        return story.endings[0]?.outcome ?? ending.outcome;
      },
      reviewCall: async ({ callId }) => ({ ...(reviews.get(callId) ?? { changes: [], said: null }), permitted }),
      recordDecision: async () => 0,
      async openTask({ reason }) {
        story.tasks.push(reason);
      },
      async tellClinicSystem(notice) {
        story.told.push(notice);
        return { told: 1 };
      },
      sendAtOnce: async () => undefined,
      ...story.voice.activities,
      ...setting.fakes,
    },
  );
  story.outcome = async () => {
    try {
      return await bench.result<string>(story.workflow);
    } finally {
      await story.voice.check();
      if (setting.record) await recordHistory(story.workflow, `${workflowType}/${setting.record}`);
    }
  };
  return story;
}

const detailOf = (fact: ToolFact): Record<string, string> =>
  ['booked', 'rescheduled', 'cancelled'].includes(fact) ? { appointmentId: 'appointment-1' } : {};

export const unanswered: Talked = { reason: 'customer-did-not-answer' };
export const hungUp: Talked = { reason: 'customer-ended-call' };

/** An action of somebody else while the patient is on the line; then the call ends as given. */
export const meanwhile =
  (act: (call: PlacedCall) => Promise<void>, reason = 'assistant-ended-call') =>
  async (call: PlacedCall): Promise<void> => {
    await act(call);
    await call.hangUp(reason);
  };
