import { z } from 'zod';
import { askClinic } from './ask-clinic';
import type { InsuranceVerdict, ToolContext } from './tool';

/** A clinic's API is asked once, and leaves time for the answer to be spoken. */
const TIMEOUT_MS = 6_000;
const VERIFIED = 'VERIFIED';

export interface Policy {
  payerName: string;
  memberId: string;
  groupId?: string;
  subscriberName?: string;
}

const ApiVerdict = z.object({
  status: z.string().trim().min(1).max(60).nullish().catch(null),
  verified: z.boolean().nullish().catch(null),
  copayCents: z.int().min(0).nullish().catch(null),
  errorMessage: z.string().trim().max(500).nullish().catch(null),
});

/**
 * Relays the clinic's own answer where its API may be asked, else what its sandbox makes up where the clinic rehearses. Decides nothing
 * itself: an insurance that nobody could check is checked by staff.
 */
export async function verifyInsurance(policy: Policy, context: ToolContext): Promise<InsuranceVerdict> {
  const { clinicId, patientId, callId } = context.call;
  const answer = await askClinic(context, {
    action: 'insurance.verify',
    params: { patientId, memberId: policy.memberId, payerName: policy.payerName },
    body: { patientId, ...policy },
    patientOf: () => context.stores.callSubjects.patient(clinicId, callId),
    idempotencyKey: `${callId}-${context.toolCallId}`,
    withinMs: TIMEOUT_MS,
  });
  const leaveToStaff = async (source: InsuranceVerdict['source'], why: string): Promise<InsuranceVerdict> => {
    const detail = { payerName: policy.payerName, memberId: policy.memberId, why };
    const cause = `insurance_unchecked:${callId}`;
    await context.stores.tasks.open({ clinicId, reason: 'insurance_unchecked', cause, patientId, callId, detail });
    return { ...notChecked, source };
  };

  switch (answer.kind) {
    case 'not_permitted':
      return (
        context.rehearsedVerdict?.(policy.memberId) ??
        leaveToStaff('nobody', 'The clinic has no API that checks insurance.')
      );
    case 'answered':
      return relayed(answer.body) ?? leaveToStaff('clinic_api', "The clinic's API answered without a verdict.");
    // What a refusal says in its body may be about the request as well as about the patient.
    case 'refused':
      return leaveToStaff('clinic_api', `The clinic's API answered ${answer.fault}.`);
    case 'unusable':
      return leaveToStaff('clinic_api', `The clinic's API could not be asked: ${answer.reason}.`);
    case 'unavailable':
      return leaveToStaff('clinic_api', `The clinic's API did not answer: ${answer.said ?? answer.error}.`);
  }
}

const notChecked = {
  status: 'NOT_CHECKED',
  copayCents: null,
  errorMessage: 'The insurance could not be checked just now. The team will check it and call back.',
};

/** Null where the answer holds no verdict. */
function relayed(body: unknown): InsuranceVerdict | null {
  const { status, verified, copayCents, errorMessage } = ApiVerdict.safeParse(body).data ?? {};
  const hasVerdict = Boolean(status) || typeof verified === 'boolean' || Boolean(errorMessage);
  if (!hasVerdict) return null;
  const isVerified = status ? status.toUpperCase() === VERIFIED : verified === true;
  return {
    source: 'clinic_api',
    status: isVerified ? VERIFIED : (status ?? 'FAILED'),
    copayCents: copayCents ?? null,
    errorMessage: isVerified ? null : errorMessage || 'The insurance could not be verified with these details.',
  };
}
