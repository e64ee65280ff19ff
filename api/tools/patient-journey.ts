import { Prose } from '@clinic/shared/contracts/primitives';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { demandsVerification } from '@clinic/shared/domain/patients/real-patients';
import { readBirthDate, validateIntakeField } from '@clinic/shared/domain/patients/intake';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import { missingFields, registrationStatus } from '@clinic/shared/domain/patients/registration';
import { z } from 'zod';
import { verifyInsurance } from './insurance';
import { keptPhone } from './kept-phone';
import { refusal, Success, tool } from './tool';
import { tell } from './unverified-booking';
import { verifyCaller } from './verify-caller';

const family = 'patient-journey';
const registering = ['new-patient-journey'] as const;
const paying = ['new-patient-journey', 'payment-recovery'] as const;

const LEFT_TO_STAFF =
  'No more can be looked up for this caller. Leave it to the staff, who will compare the records, and go on with the call.';

const Said = Prose.min(1, 'must not be empty');

/** Tools of a new patient's call, and of a call about a payment (contract, "patient-journey tools"). */
export const patientJourneyTools = [
  tool({
    family,
    name: 'resolve_patient_identity',
    description: 'Find out whether the caller is new here, by the name and phone number they state. Merges nothing.',
    arguments: z
      .object({
        statedName: Prose.optional().describe('First and last name'),
        statedPhone: Prose.optional(),
        statedDateOfBirth: Prose.optional(),
      })
      .refine(({ statedName, statedPhone }) => statedName || statedPhone, 'Give statedName or statedPhone'),
    result: Success.extend({ patientType: z.enum(['NEW', 'EXISTING']).optional() }),
    example: {
      arguments: { statedName: 'Ann Lee', statedPhone: '(303) 555-0101' },
      result: { success: true, patientType: 'EXISTING' },
    },
    workflowTypes: registering,
    isWrite: true,
    async handle({ statedName, statedPhone: stated, statedDateOfBirth }, context) {
      const { call, recordId: id, stores } = context;
      // Anyone who reads names out learns who is a patient here.
      if (!call.isTest && !(await stores.callerTries.take({ ...call, id, kind: 'identity' }))) {
        await tell('too_many_tries', {}, context);
        return refusal(LEFT_TO_STAFF);
      }
      const phone = stated ? readPhone(stated, call.clinicCountry) : null;
      if (stated && !phone && !statedName) return refusal('statedPhone is not a phone number. Ask for it again.');
      const birthDate = statedDateOfBirth ? readBirthDate(statedDateOfBirth, call.clinicCountry) : null;
      // It takes no part in the matching; anyone who may be a patient already can be verified by it.
      if (birthDate && (call.isMatchedByNumber || demandsVerification(call))) {
        await verifyCaller({ tool: 'resolve_patient_identity', stated: birthDate }, context);
      }
      const name = statedName?.normalize('NFKC').replaceAll(/\s+/g, ' ') || null;
      return {
        result: { success: true, patientType: await stores.registration.resolveIdentity(call, { name, phone }) },
      };
    },
  }),

  tool({
    family,
    name: 'update_registration_field',
    description:
      'Save what the caller has said of themselves so far; any of the fields, as often as needed. Says what is still missing.',
    arguments: z.object({
      firstName: Prose.optional(),
      lastName: Prose.optional(),
      phone: Prose.optional(),
      email: Prose.optional(),
      preferredLocation: Prose.optional(),
      medicareStatus: Prose.optional(),
      healthPlanName: Prose.optional(),
      referralSource: Prose.optional().describe('How the caller heard of the clinic'),
      commsConsent: z.boolean().optional().describe('Whether the clinic may send messages'),
    }),
    result: Success.extend({
      registrationStatus: z.enum(['ACTION_REQUIRED', 'COMPLETE']).optional(),
      missingFields: z.array(z.string()).optional(),
    }),
    example: {
      arguments: { preferredLocation: 'Denver', commsConsent: true },
      result: { success: true, registrationStatus: 'ACTION_REQUIRED', missingFields: ['email', 'healthPlanName'] },
    },
    workflowTypes: registering,
    isWrite: true,
    async handle({ commsConsent, ...texts }, context) {
      const { call, stores, now } = context;
      const clinic = { today: localDate(now.toISOString(), call.clinicZone), country: call.clinicCountry };
      for (const name of ['phone', 'email'] as const) {
        const check = texts[name] ? validateIntakeField(name, texts[name], clinic) : { valid: true as const };
        if (!check.valid) return refusal(`${name}: ${check.error}`);
      }
      const known = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text || null]));
      const phone = texts.phone ? await keptPhone(texts.phone, context) : null;
      const record = await stores.registration.update(call, { ...known, phone, commsConsent });
      const status = registrationStatus(record);
      return {
        result: { success: true, registrationStatus: status, missingFields: missingFields(record) },
        ...(status === 'COMPLETE' && { fact: 'registered' }),
      };
    },
  }),

  tool({
    family,
    name: 'submit_insurance_info',
    description: 'Have the clinic check the insurance that the caller states, and hear the answer and the copay.',
    arguments: z.object({
      payerName: Said.describe('The insurance company'),
      memberId: Said,
      groupId: Prose.optional(),
      subscriberName: Prose.optional().describe("Whose policy it is, when it is not the caller's own"),
    }),
    result: Success.extend({
      status: z.string().optional(),
      copayCents: z.int().optional(),
      errorMessage: z.string().optional(),
    }),
    example: {
      arguments: { payerName: 'Aetna', memberId: 'W123456789' },
      result: { success: true, status: 'VERIFIED', copayCents: 2_500 },
    },
    workflowTypes: paying,
    isWrite: true,
    async handle(policy, context) {
      const { call, stores } = context;
      const verdict = await verifyInsurance(policy, context);
      const { payerName, memberId, groupId, subscriberName } = policy;
      const { source, status, copayCents, errorMessage } = verdict;
      await stores.registration.saveInsurance(call, {
        payerName,
        memberId,
        groupId: groupId || null,
        subscriberName: subscriberName || null,
        source,
        status,
        copayCents,
        errorMessage,
      });
      const isVerified = errorMessage === null;
      return {
        result: {
          success: isVerified,
          status,
          ...(copayCents !== null && { copayCents }),
          ...(errorMessage !== null && { errorMessage }),
        },
        ...(isVerified && { fact: 'insurance_updated' }),
      };
    },
  }),

  tool({
    family,
    name: 'record_self_pay_decision',
    description: 'Record whether the caller pays themselves or wants to talk to billing.',
    arguments: z.object({
      decision: z.enum(['self_pay_continue', 'billing_escalation'], {
        error: 'must be self_pay_continue or billing_escalation',
      }),
      selfPayPriceCents: z.number().min(0).max(1_000_000_000).optional().describe('The price that was named'),
    }),
    result: Success,
    example: { arguments: { decision: 'self_pay_continue', selfPayPriceCents: 12_000 }, result: { success: true } },
    workflowTypes: paying,
    isWrite: true,
    async handle({ decision, selfPayPriceCents }, { call, stores }) {
      await stores.registration.saveSelfPay(call, { decision, priceCents: selfPayPriceCents ?? null });
      if (decision === 'self_pay_continue') return { result: { success: true }, fact: 'self_pay' };
      await stores.registration.escalateBilling(call, null);
      return { result: { success: true }, fact: 'billing_escalated' };
    },
  }),

  tool({
    family,
    name: 'escalate_billing',
    description:
      "Hand a billing question to the clinic's staff, with all that is known of this call. Transfers nothing.",
    arguments: z.object({ reason: Prose.optional() }),
    result: Success,
    example: { arguments: { reason: 'The caller wants to pay in parts.' }, result: { success: true } },
    workflowTypes: paying,
    isWrite: true,
    async handle({ reason }, { call, stores }) {
      await stores.registration.escalateBilling(call, reason || null);
      return { result: { success: true }, fact: 'billing_escalated' };
    },
  }),
];
