import type { OpenCaseState } from '@clinic/shared/domain/outreach/case-state';
import type { Stores } from '@clinic/prisma/stores';

/** What a recovery has done to its case while it is open. Each is safe to run twice. */
export function createRecoveryActivities({ stores }: { stores: Stores }) {
  return {
    setCaseStatus: (move: { clinicId: string; caseId: string; status: OpenCaseState }): Promise<void> =>
      stores.cases.setOpenStatus(move),
  };
}
