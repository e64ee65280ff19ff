import {
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { RunFacts } from '@clinic/activities/runs';
import type { Conversation } from '@clinic/shared/domain/conversation';
import { isEndedByAssistant } from '@clinic/shared/domain/ended-reason';
import { nextStep } from '@clinic/shared/domain/calling-policy';
import { type OutcomeOf, taskForRun, type WorkflowType } from '@clinic/shared/domain/workflow-types';
import { createClinicSystems } from './clinic-systems';
import * as messages from './messages';
import { type Carried, type Ending, everyType, openOutreach } from './outreach';
import { type CallOver, toCall } from './phone-line';
import type { Step } from './reach-patient';
import { ANALYSIS_WAIT, records, recordsInUpdate } from './timeouts';

const { loadRun, endRun, reviewCall } = proxyActivities<Activities>(records);
const inUpdate = proxyLocalActivities<Activities>(recordsInUpdate);

export interface RunInput {
  clinicId: string;
  patientId: string;
  carried?: Carried;
}

/** What one type knows beside the clinic's policy. */
export interface Rules<Outcome extends string> {
  /** Calls at once, within calling hours: the clinic's delay before a first call is for patients who may yet finish by themselves. */
  isUrgent?: boolean;
  /** What has become of the matter without a call; null when it still wants one. */
  settledBy?(facts: RunFacts, now: string): Outcome | null;
  /** From here on a call is of no use. */
  uselessFrom?(facts: RunFacts): string | null;
  /** How it ends for a patient who is never to be called. */
  optedOut?: Outcome;
}

/** An outreach without a recovery case: its outcome is decided from what the call's tools changed and how it ended. */
export function openRun<Type extends Exclude<WorkflowType, 'abandonment-recovery'>>(
  workflowType: Type,
  input: RunInput,
) {
  type Outcome = OutcomeOf<Type>;
  const notReached = everyType<Outcome>('PATIENT_NOT_REACHED');
  const { clinicId } = input;
  const { workflowId } = workflowInfo();
  const changes: string[] = [];
  const analysed = new Set<string>();
  const answered = new Set<string>();
  const systems = createClinicSystems({ clinicId, workflowId });

  const lastWrite = ({ outcome, runStatus }: Ending<Outcome>) => ({
    clinicId,
    workflowId,
    outcome,
    status: runStatus,
    taskReason: taskForRun(outcome, changes),
  });
  const outreach = openOutreach<Outcome>({
    workflowType,
    input,
    caseId: null,
    write: (ending) => endRun(lastWrite(ending)),
    writeInUpdate: (ending) => inUpdate.endRun(lastWrite(ending)),
  });
  const { isOpen, hangUp, progress } = outreach;

  setHandler(messages.callEnded, ({ callId, reason }) => hangUp(callId, reason));
  setHandler(messages.callAnalysed, ({ callId }) => void analysed.add(callId));
  setHandler(messages.toolUsed, ({ fact }) => {
    if (isOpen()) setCurrentDetails(`In a call: ${fact.replaceAll('_', ' ')}`);
  });

  return {
    ...outreach,

    async decide(rules: Rules<Outcome> = {}): Promise<Step<Outcome>> {
      const facts = await loadRun({ clinicId, workflowId });
      const now = new Date().toISOString();
      const { inboundCallId, policy } = facts;
      if (inboundCallId && !answered.has(inboundCallId)) {
        answered.add(inboundCallId);
        return { kind: 'answer', callId: inboundCallId };
      }
      const settled = rules.settledBy?.(facts, now);
      if (settled) return { kind: 'end', outcome: settled };

      const step = nextStep({
        ...facts,
        ...progress(),
        policy: rules.isUrgent ? { ...policy, firstCallDelaySeconds: 0 } : policy,
        phone: facts.phone !== null,
        isFormCompleted: false,
        now,
        caseOpenedAt: facts.openedAt,
      });
      if (step.kind === 'end') {
        const isOptedOut = step.reason === 'opted_out';
        return { kind: 'end', outcome: (isOptedOut && rules.optedOut) || notReached };
      }
      const uselessFrom = rules.uselessFrom?.(facts) ?? null;
      if (step.kind === 'wait' && uselessFrom !== null && step.until >= uselessFrom) {
        return { kind: 'end', outcome: notReached };
      }
      return step.kind === 'wait' ? step : { kind: 'call', call: toCall(facts, step.attempt) };
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
      const { facts, said, permitted } = await reviewCall({ clinicId, callId });
      changes.push(...facts.map(({ fact }) => fact));
      systems.owe(callId, facts, permitted);
      return {
        ending,
        isFinished: isEndedByAssistant(reason),
        facts: facts.map(({ fact }) => fact),
        said: isConversation ? said : null,
      };
    },

    /** The clinic's own systems hear what the calls changed, where the clinic has approved that. */
    tellClinicSystems: () => systems.tell(outreach.askStaff),
  };
}
