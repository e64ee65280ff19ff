import type { VerifyingTool } from '@clinic/prisma/stores/voice/verifications';
import { demandsVerification } from '@clinic/shared/domain/patients/real-patients';
import { STAFF_CALL_BACK } from './appointment-answers';
import type { Tool, ToolAnswer, ToolContext } from './tool';

/** What became of a date of birth that a caller stated, where it was compared. */
export type Verified = Awaited<ReturnType<ToolContext['stores']['verifications']['check']>> | 'could_not_be_compared';

/** Compares a stated date of birth with the one that the calendar has of the patient, else with ours. */
export async function verifyCaller(
  { tool, stated }: { tool: VerifyingTool; stated: string | null },
  { call, calendar, recordId, stores }: ToolContext,
): Promise<Verified> {
  const there = await calendar.birthDate();
  if (there.kind === 'left_to_staff') return 'could_not_be_compared';
  return stores.verifications.check({ ...call, id: recordId, tool, stated, birthDateThere: there.birthDate });
}

/** A caller who may not see or change appointments as they stand now; null where this one may. */
export async function refusedCaller(tool: Tool, context: ToolContext): Promise<ToolAnswer | null> {
  const { ifCallerFailed } = tool;
  if (!ifCallerFailed) return null;
  const { call, standing } = context;
  // The patient of a follow-up is nobody new.
  const isForNewPatients = tool.isForNewPatients && !isFollowUp(tool, call);
  if (standing === 'verified') return null;
  if (!demandsVerification(call)) {
    return standing === 'failed' ? { result: { ...ifCallerFailed, success: false, error: NOT_VERIFIED } } : null;
  }
  if (isForNewPatients && standing === 'unasked') {
    const known = await isOnFile(context);
    if (known === 'no') return null;
    if (known === 'not_known') return { result: { ...ifCallerFailed, success: false, error: STAFF_CALL_BACK } };
  }
  const error = isForNewPatients ? STATE_BIRTH_DATE : NOT_VERIFIED;
  return { result: { ...ifCallerFailed, success: false, reason: 'not_verified', error } };
}

const isFollowUp = ({ followUpTypes = [] }: Tool, { workflowType }: ToolContext['call']): boolean =>
  workflowType !== null && followUpTypes.includes(workflowType);

const NOT_VERIFIED =
  'The caller is not verified. Use verify_patient with the date of birth before anything of their appointments.';

const STATE_BIRTH_DATE =
  'The caller is not verified, and the clinic may know them. Ask for the date of birth and call resolve_patient_identity with it, then try again. If it is refused again, say that the clinic will call back.';

/** Whether the patient of a call has a date of birth on file anywhere: somebody new has nothing that could be told or changed. */
async function isOnFile({ call, calendar, stores }: ToolContext): Promise<'yes' | 'no' | 'not_known'> {
  if (await stores.verifications.isOnFile(call)) return 'yes';
  const there = await calendar.birthDate();
  if (there.kind === 'left_to_staff') return 'not_known';
  return there.birthDate === null ? 'no' : 'yes';
}
