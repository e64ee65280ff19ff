import { proxyActivities, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type { Activities } from '@clinic/activities/index';
import type { RunFacts } from '@clinic/activities/runs';
import type { NoCallReason } from '@clinic/shared/domain/outreach/calling-policy';
import type { RecoveryStatus } from '@clinic/shared/domain/outreach/case-state';
import * as messages from './messages';
import { openOutreach } from './outreach/outreach';
import type { RunInput } from './outreach/outreach-state';
import { shielded } from './outreach/shielded';
import type { Step } from './outreach/story';
import { asking, recordsAtOnce } from './timeouts';

const { checkFormProgress } = proxyActivities<Activities>({ ...asking, summary: 'form.progress' });
const { loadRun } = proxyLocalActivities<Activities>(recordsAtOnce);

interface RecoveryInput extends RunInput {
  caseId: string;
}

/**
 * A patient left a form or checkout unfinished. Tell the clinic, then call the patient within its policy until the
 * form is finished, the call brings an outcome, or the attempts are used up. Every case ends in exactly one outcome.
 */
export async function abandonmentRecovery(input: RecoveryInput): Promise<RecoveryStatus> {
  const { clinicId } = input;
  const outreach = openOutreach('abandonment-recovery', input);
  const { workflowId } = outreach;

  setHandler(messages.formCompleted, () => {
    // It cuts short what is waited for, not a call that is going on: the agent may resolve the case in it. A test call stands for one.
    if (outreach.known.testCalls.length === 0) outreach.wake();
  });

  // What the agent has said has ended the run in the records, and counts when the workflow hears of it late too.
  setHandler(
    messages.outcomeResolved,
    shielded(async ({ resolution, endedAt }) => {
      await outreach.end(resolution.recoveryStatus, { resolution, endedAt });
    }),
  );
  setHandler(
    messages.testCallOpened,
    shielded(({ callId }) => outreach.openTestCall(callId)),
    { validator: outreach.refuseIfEnded },
  );
  setHandler(messages.caseState, () => ({ status: outreach.state(), attempts: outreach.attempts() }));

  return outreach.reach({
    begin: outreach.announce,

    async decide(facts): Promise<Step<RecoveryStatus>> {
      const resolved = facts.recovery?.resolution;
      if (resolved) {
        await outreach.end(resolved.recoveryStatus, { resolution: resolved });
        return { kind: 'end', outcome: resolved.recoveryStatus };
      }
      if (facts.recovery?.isFormCompleted) return alreadyCompleted;
      const step = outreach.nextCall(facts);
      if (step.kind === 'call' && (await isCompletedAtClinic(clinicId, facts))) return alreadyCompleted;
      return step;
    },

    uncalled: (reason) => outcomeWithoutCall(reason),

    // What the agent resolved with its tool has ended the case already.
    async conclude() {
      const { recovery } = await loadRun({ clinicId, workflowId });
      return recovery?.isCompletedInCall ? 'RECOVERED' : null;
    },
  });
}

const alreadyCompleted = { kind: 'end', outcome: 'ALREADY_COMPLETED' } as const;

/** The clinic's own word on the form, where it has approved that we ask. No answer does not hold the call back. */
async function isCompletedAtClinic(clinicId: string, { recovery }: RunFacts): Promise<boolean> {
  if (!recovery?.hasProgressApi) return false;
  try {
    return (await checkFormProgress({ clinicId, caseId: recovery.caseId })).isCompleted;
  } catch {
    return false;
  }
}

function outcomeWithoutCall(reason: NoCallReason): RecoveryStatus {
  return reason === 'opted_out' ? 'PATIENT_NOT_INTERESTED' : 'PATIENT_NOT_REACHED';
}
