import { Prose } from '@clinic/shared/contracts/primitives';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { demandsVerification } from '@clinic/shared/domain/patients/real-patients';
import { readBirthDate, validateIntakeField } from '@clinic/shared/domain/patients/intake';
import type { Intake } from '@clinic/prisma/stores/patients/registration';
import { CrmError } from '@clinic/gateways/crm/port';
import { z } from 'zod';
import { keptPhone } from './kept-phone';
import { refusal, Success, tool, type ToolContext } from './tool';
import { verifyCaller } from './verify-caller';

const family = 'patient-intake';
const workflowTypes = ['new-patient-journey'] as const;

/** A CRM that is slow must not keep a caller waiting past what an agent can bridge. */
const SYNC_MS = 6_000;

const Answer = Prose.min(1, 'must not be empty');

/** Tools of the intake form as it is filled in by voice (contract, "patient-intake tools"). */
export const patientIntakeTools = [
  tool({
    family,
    name: 'validate_intake_field',
    description: 'Check the form of an e-mail address, phone number or date of birth before it is submitted.',
    arguments: z.object({
      fieldName: z.string().describe('email, phone or dateOfBirth; any other name always passes'),
      value: z.string().max(4_000),
    }),
    result: z.object({ valid: z.boolean(), error: z.string().optional() }),
    example: { arguments: { fieldName: 'email', value: 'ann.lee@example.com' }, result: { valid: true } },
    workflowTypes,
    isWrite: false,
    handle: ({ fieldName, value }, context) =>
      Promise.resolve({ result: { ...validateIntakeField(fieldName, value, clinicOf(context)) } }),
  }),

  tool({
    family,
    name: 'submit_intake',
    description: 'Submit the whole intake form once every field has been asked for.',
    arguments: z.object({
      firstName: Answer,
      lastName: Answer,
      dateOfBirth: Answer,
      phone: Answer,
      email: Answer,
      address: Answer,
      reasonForVisit: Answer,
    }),
    result: Success,
    example: {
      arguments: {
        firstName: 'Ann',
        lastName: 'Lee',
        dateOfBirth: '1980-03-05',
        phone: '(303) 555-0101',
        email: 'ann.lee@example.com',
        address: '12 Elm Street, Denver',
        reasonForVisit: 'Annual physical',
      },
      result: { success: true },
    },
    workflowTypes,
    isWrite: true,
    async handle(form, context) {
      const { call, stores } = context;
      const clinic = clinicOf(context);
      for (const name of ['email', 'phone', 'dateOfBirth'] as const) {
        const check = validateIntakeField(name, form[name], clinic);
        if (!check.valid) return refusal(`${name}: ${check.error}`);
      }
      const { dateOfBirth, ...given } = form;
      const intake = {
        ...given,
        birthDate: readBirthDate(dateOfBirth, call.clinicCountry) ?? dateOfBirth,
        phone: await keptPhone(form.phone, context),
      };
      const saved = await saveVerified(intake, context);
      // What staff have not accepted yet is no news for the CRM.
      if (saved === 'proposed') return { result: { success: true } };
      const why = await syncFailure(intake, context);
      if (why === null) return { result: { success: true } };
      await stores.tasks.open({
        clinicId: call.clinicId,
        patientId: call.patientId,
        callId: call.callId,
        workflowId: call.workflowId,
        reason: 'crm_sync_failed',
        cause: `crm_sync_failed:${call.callId}`,
        detail: { why },
      });
      return refusal('crm sync failed');
    },
  }),
];

const clinicOf = ({ call, now }: Pick<ToolContext, 'call' | 'now'>) => ({
  today: localDate(now.toISOString(), call.clinicZone),
  country: call.clinicCountry,
});

/** Saves an intake whose date of birth also says whether the caller is who the clinic knows, where it knows anybody. */
async function saveVerified(intake: Intake, context: ToolContext): Promise<'saved' | 'proposed'> {
  const { call, stores } = context;
  const isDemanded = demandsVerification(call);
  const verify = () => verifyCaller({ tool: 'submit_intake', stated: intake.birthDate }, context);
  const outcome = call.isMatchedByNumber || isDemanded ? await verify() : 'nothing_on_file';
  // A date of birth that is not the clinic's own would make somebody else of the patient there.
  const isContradicted = isDemanded && (outcome === 'mismatched' || outcome === 'locked');
  const birthDate = isContradicted ? null : intake.birthDate;
  const saved = await stores.registration.saveIntake(call, { ...intake, birthDate });
  // Now that there is a name, the clinic may know the caller after all; somebody new has stated what is on file from now on.
  if (isDemanded && outcome === 'nothing_on_file') await verify();
  return saved;
}

/** Why the clinic's CRM did not take the patient; null where it did, or where there is none. */
async function syncFailure(intake: Intake, { call, stores, systems }: ToolContext): Promise<string | null> {
  const { firstName, lastName, email, phone, address, reasonForVisit } = intake;
  const contact = { firstName, lastName, email, phone, address, reasonForVisit };
  try {
    const crm = await systems.crm(call.clinicId);
    await crm?.upsertContact({ externalKey: call.patientId, ...contact }, AbortSignal.timeout(SYNC_MS));
    if (crm) await stores.registration.markSynced(call);
    return null;
  } catch (error) {
    // Whatever it was, an audit row says how the request ended; the record is saved and staff are told.
    return error instanceof CrmError ? error.message : 'the CRM did not answer in time';
  }
}
