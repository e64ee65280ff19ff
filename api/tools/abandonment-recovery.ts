import { Barrier, Resolution } from '@clinic/shared/contracts/outreach/recovery';
import { z } from 'zod';
import { progressAtClinic } from './form-progress';
import { refusal, Success, tool, type ToolContext } from './tool';

const family = 'abandonment-recovery-tools';
const workflowTypes = ['abandonment-recovery'] as const;
const NO_CASE = refusal('no active recovery case found for this call');

/** Tools of an abandonment-recovery call (contract, "abandonment-recovery-tools"). */
export const abandonmentRecoveryTools = [
  tool({
    family,
    name: 'record_abandonment_barrier',
    description: 'Record why the patient stopped, once the reason is understood.',
    arguments: Barrier,
    result: Success,
    example: {
      arguments: { primaryBarrier: 'price', specificQuestion: 'Do you take HSA cards?' },
      result: { success: true },
    },
    workflowTypes,
    isWrite: true,
    async handle(barrier, { call, stores }) {
      const target = await caseOf(call, stores);
      const { clinicId } = call;
      const isSaved = target && (await stores.cases.saveBarrier({ clinicId, caseId: target.caseId, barrier }));
      return isSaved ? { result: { success: true } } : NO_CASE;
    },
  }),

  tool({
    family,
    name: 'resolve_recovery_outcome',
    description: 'Record how the call ended, once, near its end. Stops any further call to the patient.',
    arguments: Resolution,
    result: Success,
    example: { arguments: { recoveryStatus: 'RECOVERED', resumeLinkSent: true }, result: { success: true } },
    workflowTypes,
    isWrite: true,
    // It counts as soon as it is stored, whenever the case's workflow hears of it.
    async handle(resolution, { call, stores, temporal, recordId }) {
      const target = await caseOf(call, stores);
      if (!target) return NO_CASE;
      const { clinicId, callId } = call;
      const messageId = await stores.cases.storeDecision({ id: recordId, clinicId, callId, ...target, resolution });
      if (messageId === null) return NO_CASE;
      temporal.tell({ clinicId, messageId });
      return { result: { success: true } };
    },
  }),

  tool({
    family,
    name: 'check_recovery_session_status',
    description: 'See how far the patient has come with the form or checkout by now.',
    arguments: z.object({}),
    result: z.object({
      success: z.boolean(),
      completionPercentage: z.number(),
      formCompleted: z.boolean(),
      checkoutCompleted: z.boolean(),
      error: z.string().optional(),
    }),
    example: {
      arguments: {},
      result: { success: true, completionPercentage: 42.5, formCompleted: false, checkoutCompleted: false },
    },
    workflowTypes,
    isWrite: false,
    async handle(_none, context) {
      const { call, stores } = context;
      const caseId = (await caseOf(call, stores))?.caseId ?? (await latestCaseOf(call, stores));
      const reported = caseId && (await stores.cases.progress(call.clinicId, caseId));
      if (!reported) return NO_CASE;
      const live = await progressAtClinic(context, reported);
      return {
        result: {
          success: true,
          completionPercentage: live?.completionPercentage ?? reported.completionPercentage,
          formCompleted: live?.formCompleted ?? reported.isFormCompleted,
          checkoutCompleted: live?.checkoutCompleted ?? reported.isCheckoutCompleted,
        },
      };
    },
  }),

  tool({
    family,
    name: 'send_resume_link',
    description:
      "Promise the patient the link to finish, by text message or e-mail. The clinic's own system sends it after the call.",
    arguments: z.object({ method: z.enum(['sms', 'email'], { error: 'must be sms or email' }) }),
    result: z.object({ success: z.boolean(), method: z.string() }),
    example: { arguments: { method: 'sms' }, result: { success: true, method: 'sms' } },
    workflowTypes,
    isWrite: false,
    // The contract: not wired to a delivery channel, always success, nothing is sent.
    handle: ({ method }) => Promise.resolve({ result: { success: true, method } }),
  }),
];

/** The case a call is about: its own, or the one that is CALLING for its patient. */
async function caseOf(call: ToolContext['call'], stores: ToolContext['stores']) {
  if (call.caseId && call.workflowId) return { caseId: call.caseId, workflowId: call.workflowId };
  return stores.cases.calling(call.clinicId, call.patientId);
}

/** The newest case of a call's patient, for a call that is about none: what is only read may come from a case that has ended. */
async function latestCaseOf({ clinicId, patientId }: ToolContext['call'], { caseRecords }: ToolContext['stores']) {
  const { items } = await caseRecords.list(clinicId, { patientId, limit: 1 });
  return items[0]?.id ?? null;
}
