import { type WorkflowType, workflowTypes } from './workflow-types';

/** What a patient does not want to be called about. */
export const optOutScopes = ['all', 'recovery_and_reminders'] as const;
export type OptOutScope = (typeof optOutScopes)[number];

/** Who told us; `corrected_number`: it was told of an earlier number of the patient. */
export const optOutSources = ['tool', 'analysis', 'staff', 'import', 'patient', 'corrected_number'] as const;
export type OptOutSource = (typeof optOutSources)[number];

/** Why staff allow calls again: words of a closed set, so that the audit keeps nothing of a patient. */
export const allowReasons = ['patient_asked', 'entered_by_mistake', 'other_person'] as const;
export type AllowReason = (typeof allowReasons)[number];

/** The scopes of opt-outs that forbid calls of a type. */
function scopesAgainst(workflowType: WorkflowType): OptOutScope[] {
  return workflowTypes[workflowType].isRecoveryOrReminder ? ['all', 'recovery_and_reminders'] : ['all'];
}

/** Whether an opt-out, if there is one, forbids calls of a type. */
export function isOptedOut(scope: OptOutScope | null, workflowType: WorkflowType): boolean {
  return scope !== null && scopesAgainst(workflowType).includes(scope);
}
