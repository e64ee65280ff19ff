import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { LongWorkKind } from '@clinic/shared/domain/operations/long-work';
import type * as workflows from '@clinic/workflows/index';

/** `care-gap-follow-up` is carried by the function `careGapFollowUp`. The compiler sees to it that index.ts has one for each type. */
type NameOf<Type extends string> = Type extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<NameOf<Rest>>}`
  : Type;
type Carrier = Extract<keyof typeof workflows, NameOf<WorkflowType>>;

/** The workflow function of a type. */
export function workflowOf(type: WorkflowType): Carrier {
  const name: NameOf<WorkflowType> = type.replaceAll(/-([a-z])/g, (_dash, letter: string) =>
    letter.toUpperCase(),
  ) as NameOf<WorkflowType>;
  return name;
}

const longWorkflows = {
  cancel_runs: 'cancelRuns',
  resend_deliveries: 'resendDeliveries',
  erase_patient: 'erasePatient',
} as const satisfies Record<LongWorkKind, keyof typeof workflows>;

/** The workflow function of a kind of long work. */
export const longWorkflowOf = (kind: LongWorkKind) => longWorkflows[kind];

/** A stored run, as far as its workflow's input goes. */
export interface RunToCarry {
  clinicId: string;
  workflowType: WorkflowType;
  patientId: string | null;
  /** Of a recovery; null for every other type. */
  caseId: string | null;
}

/** What the workflow of a run is given: ids. All else it reads from the records when it needs it. */
export function inputOf({ clinicId, patientId, caseId }: RunToCarry) {
  return caseId === null ? { clinicId, patientId } : { clinicId, patientId, caseId };
}
