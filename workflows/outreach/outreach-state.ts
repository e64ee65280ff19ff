import {
  ApplicationFailure,
  condition,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { RecordedEnd, RunFacts } from '@clinic/activities/runs';
import type { Resolution } from '@clinic/shared/contracts/outreach/recovery';
import type { Conversation } from '@clinic/shared/domain/outreach/conversation';
import { taskOfRefused } from '@clinic/shared/domain/outreach/evidence';
import type { FinalRunStatus } from '@clinic/shared/domain/outreach/run-status';
import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import { type Outcome, taskFor, type WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { isEndedByAssistant } from '@clinic/shared/domain/voice/ended-reason';
import { searchAttributes } from '../ids';
import type { RunEnd } from '../messages';
import { ANALYSIS_WAIT_MS, records, recordsAtOnce, recordsInUpdate } from '../timeouts';
import { noteChanges } from './clinic-notices';
import { type Known, nothingYet } from './known';
import { nextCall } from './next-call';
import { type CallOver, PhoneLine } from './phone-line';
import { follow, type Stage } from './stages';
import type { CommonOutcome, NextCall } from './story';

const { endRun, reviewCall, sendAtOnce, setCaseStatus } = proxyLocalActivities<Activities>(recordsAtOnce);
const inUpdate = proxyLocalActivities<Activities>(recordsInUpdate);
const { openTask } = proxyActivities<Activities>(records);

/** What every workflow that reaches a patient is given. */
export interface RunInput {
  clinicId: string;
  patientId: string;
  /** Of a recovery. Events and tasks are then told under its id, else under the workflow's. */
  caseId?: string;
  /** What its earlier run knew, where it goes on in a new one because its history grew long. */
  carried?: Known;
}

interface Ending {
  status?: FinalRunStatus;
  /** What the agent said of it, where it is the agent's word. */
  resolution?: Resolution | null;
  /** Why staff get a task, where the outcome alone does not say it. */
  taskReason?: TaskReason;
  /** When it ended in the records, where it did so before its workflow heard of it; now unless given. */
  endedAt?: string;
  /** Who cancelled it. */
  cancelledBy?: string | undefined;
  /** Written inside an update that somebody waits for. */
  isInUpdate?: boolean;
}

/** One patient to be reached by phone: where that stands (stages.ts), what is known of it (known.ts), and how it ends. */
export class OutreachState<Ends extends Outcome> {
  readonly clinicId: string;
  readonly patientId: string;
  readonly caseId: string | null;
  readonly workflowId = workflowInfo().workflowId;
  /** What its events and tasks are told under. */
  readonly subject: string;
  readonly known: Known;
  readonly line: PhoneLine;
  /** The next step is to be decided again: a wait that is under way is over. */
  isWoken = false;
  isLineFree = false;
  /** How it ended, once it has. */
  ended: RunEnd | null = null;
  /** Settles once the end is in the records. */
  written: Promise<void> = Promise.resolve();
  /** Calls whose analysis has come. */
  readonly analysed = new Set<string>();
  /** Calls that a machine took. */
  readonly voicemails = new Set<string>();

  private stage: Stage = 'deciding';
  private outcome: Outcome | null = null;
  constructor(
    private readonly workflowType: WorkflowType,
    readonly input: RunInput,
  ) {
    const { clinicId, patientId, caseId = null, carried } = input;
    this.clinicId = clinicId;
    this.patientId = patientId;
    this.caseId = caseId;
    this.subject = caseId ?? this.workflowId;
    this.known = carried ?? nothingYet();
    this.line = new PhoneLine({
      clinicId,
      workflowType,
      patientId,
      caseId,
      calls: this.known.calls,
      isSettled: () => !this.isOpen(),
      onReserved: (attempt) => void (this.isOpen() && this.moveTo('calling', `Attempt ${attempt}`)),
    });
  }

  // Where it stands

  isOpen(): boolean {
    return this.stage !== 'ended';
  }

  /** What everybody else sees: PENDING, CALLING or its outcome. */
  state(): 'PENDING' | 'CALLING' | Ends {
    if (this.outcome !== null) return this.outcome as Ends;
    const isCalling = this.stage === 'calling' || this.stage === 'concluding' || this.known.testCalls.length > 0;
    return isCalling ? 'CALLING' : 'PENDING';
  }

  attempts(): number {
    return this.known.attempts;
  }

  moveTo(stage: Stage, details?: string): void {
    const from = this.stage;
    this.stage = follow(from, stage);
    log.debug('outreach goes on', { from, to: stage });
    this.show(details);
  }

  /** Waits in a stage of its own until something happens, or for some time; then the next step is decided. */
  async rest(
    stage: 'waiting' | 'in_line',
    { ms, details, summary }: { ms: number; details?: string; summary: string },
  ): Promise<void> {
    if (!this.isOpen()) return;
    this.moveTo(stage, details);
    const isOver = () => !this.isOpen() || this.isWoken || (stage === 'in_line' && this.isLineFree);
    await condition(isOver, Math.max(ms, 1), { summary });
    if (this.isOpen()) this.moveTo('deciding');
  }

  /** Nothing came of a call, or of the request for one: the case waits for the next decision. */
  async backToDeciding(): Promise<void> {
    if (!this.isOpen()) return;
    if (this.stage !== 'deciding') this.moveTo('deciding');
    await this.backToPending();
  }

  /** The records say so too, unless another call goes on. */
  async backToPending(): Promise<void> {
    if (this.state() !== 'PENDING') return;
    this.show(`Between calls, ${this.known.attempts} made`);
    const { clinicId, caseId } = this;
    if (caseId !== null) await setCaseStatus({ clinicId, caseId, status: 'PENDING' });
  }

  /** The records say that a call goes on which an earlier run of the workflow made. */
  async writeCalling(): Promise<void> {
    const { clinicId, caseId } = this;
    if (caseId !== null) await setCaseStatus({ clinicId, caseId, status: 'CALLING' });
  }

  /** The next step is decided again: a wait that is under way is over. */
  readonly wake = (): void => {
    this.isWoken = true;
  };

  readonly refuseIfEnded = (..._told: unknown[]): void => {
    if (!this.isOpen()) throw ApplicationFailure.nonRetryable('the workflow has ended', 'already_ended');
  };

  // What a story asks for

  /** What the calling policy says. */
  nextCall(facts: RunFacts, { uselessFrom = null }: { uselessFrom?: string | null } = {}): NextCall {
    return nextCall({ facts, known: this.known, workflowType: this.workflowType, uselessFrom });
  }

  /**
   * All that is known of a call that is over. The platform's analysis of a conversation comes some seconds later; what
   * the tools did is read from the records, where it stands before any signal of it is sent.
   */
  async review({ callId, reason, ending, endedAt }: CallOver): Promise<Conversation> {
    const { clinicId, workflowId, known } = this;
    const isConversation = ending === 'conversation';
    const waitMs = ANALYSIS_WAIT_MS - (endedAt === undefined ? 0 : Date.now() - Date.parse(endedAt));
    if (isConversation && waitMs > 0) {
      setCurrentDetails('Waiting for the analysis of the call');
      const isOver = () => this.analysed.has(callId) || !this.isOpen();
      await condition(isOver, waitMs, { summary: 'wait for the analysis' });
    }
    const review = await reviewCall({ clinicId, callId });
    const facts = review.changes.map(({ fact }) => fact);
    known.changes.push(...facts);
    noteChanges(known.untold, { clinicId, workflowId, callId }, review);
    const said = isConversation ? review.said : null;
    if (said === 'voicemail') {
      this.voicemails.add(callId);
      return { isFinished: false, facts, said: null };
    }
    return { isFinished: isEndedByAssistant(reason), facts, said };
  }

  /** Opens a task for staff, once for each reason. */
  askStaff(reason: TaskReason): Promise<void> {
    const { clinicId, patientId, caseId, workflowId, subject } = this;
    return openTask({ clinicId, reason, cause: `${reason}:${subject}`, patientId, caseId, workflowId });
  }

  /** The clinic is told of the case before its patient is called; a receiver that is down only delays it by a second. */
  readonly announce = async (): Promise<void> => {
    setCurrentDetails('Telling the clinic');
    await this.sendEvents();
  };

  /** Those of its events that its receiver takes at once; the others are left to senders. */
  async sendEvents(): Promise<void> {
    const { clinicId, subject } = this;
    await sendAtOnce({ clinicId, subject });
  }

  /** An internal test call stands in for one of our own. */
  async openTestCall(callId: string): Promise<void> {
    const { clinicId, caseId } = this;
    this.known.testCalls.push(callId);
    this.show('In a test call');
    if (caseId !== null) await inUpdate.setCaseStatus({ clinicId, caseId, status: 'CALLING' });
  }

  // How it ends

  /** Terminal at once, so that nothing else can end it while the records are written. */
  async end(
    outcome: Ends | CommonOutcome,
    {
      status = 'completed',
      resolution = null,
      endedAt = new Date().toISOString(),
      isInUpdate = false,
      taskReason,
      cancelledBy,
    }: Ending = {},
  ): Promise<void> {
    if (!this.isOpen()) return;
    this.endWith(outcome, `Ended: ${outcome}`);
    const { clinicId, workflowId, known } = this;
    const task = taskReason ?? taskFor(outcome, known.changes);
    const ended = { status, taskReason: task, resolution, endedAt, cancelledBy };
    this.ended = { outcome, ...ended };
    const write = isInUpdate ? inUpdate.endRun : endRun;
    this.written = write({ clinicId, workflowId, outcome, ...ended, notices: known.untold }).then((stands) =>
      this.adopt(stands, outcome),
    );
    await this.written;
  }

  /** A workflow that was set back to an earlier point has an outcome in the records already. */
  endAsRecorded(outcome: string, end: RecordedEnd | null = null): void {
    this.ended = end && { ...end, taskReason: taskFor(end.outcome, []) };
    this.endWith(outcome as Ends, `Ended before: ${outcome}`);
  }

  private endWith(outcome: Outcome, details: string): void {
    this.outcome = outcome;
    this.moveTo('ended', details);
  }

  /**
   * What the agent has resolved stands, also where the workflow ended before it had heard of it; what the records contradict does
   * not. What was on record before stands whole, its time too: the clinic has been told of it.
   */
  private adopt(stands: Awaited<ReturnType<Activities['endRun']>> | null | undefined, meant: Outcome): void {
    if (!stands || stands === meant || !this.ended) return;
    const { endedAt, taskReason } = this.ended;
    const end: RecordedEnd =
      typeof stands === 'string' ? { outcome: stands, status: 'completed', resolution: null, endedAt } : stands;
    this.ended = { ...end, taskReason: end.outcome === meant ? taskReason : taskInPlaceOf(meant, end.outcome) };
    if (end.outcome === meant) return;
    this.outcome = end.outcome;
    this.show(`Ended: ${end.outcome}`);
  }

  private show(details?: string): void {
    if (details !== undefined) setCurrentDetails(details);
    if (this.outcome !== null) upsertSearchAttributes([{ key: searchAttributes.status, value: this.outcome }]);
  }
}

const taskInPlaceOf = (meant: Outcome, outcome: Outcome): TaskReason | null =>
  outcome === 'FOLLOW_UP_REQUIRED' ? taskOfRefused(meant) : taskFor(outcome, []);
