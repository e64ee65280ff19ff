import { ApplicationFailure } from '@temporalio/activity';
import type { Barrier } from '@clinic/shared/contracts/recovery';
import type { CaseEnding, CaseFacts } from '@clinic/prisma/stores/cases';
import type { Stores } from '@clinic/prisma/stores';

/** What the recovery workflow has done to its case. Each is safe to run twice. */
export function createRecoveryActivities({ stores }: { stores: Stores }) {
  return {
    async loadCase({ clinicId, caseId }: { clinicId: string; caseId: string }): Promise<CaseFacts> {
      const facts = await stores.cases.facts(clinicId, caseId);
      if (!facts) throw ApplicationFailure.nonRetryable(`recovery case ${caseId} is unknown`, 'not_found');
      return facts;
    },

    setCaseStatus: (move: { clinicId: string; caseId: string; status: 'PENDING' | 'CALLING' }): Promise<void> =>
      stores.cases.setOpenStatus(move),

    saveBarrier: (told: { clinicId: string; caseId: string; barrier: Barrier }): Promise<void> =>
      stores.cases.saveBarrier(told),

    endCase: (ending: CaseEnding): Promise<void> => stores.cases.end(ending),

    openTask: (task: {
      clinicId: string;
      reason: string;
      cause: string;
      patientId: string;
      caseId: string | null;
      workflowId: string;
    }): Promise<void> => stores.tasks.open(task),
  };
}
