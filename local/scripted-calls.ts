import type { WorkflowType } from '@clinic/shared/domain/workflow-types';

/** A tool's decoded result. */
export type Reply = Record<string, unknown>;

/** Uses a tool by its route, as `emr-tools/verify_patient`, in the call that is going on. */
export type UseTool = (path: string, args?: Record<string, unknown>) => Promise<Reply>;

/** What an agent does in a call that goes well, from its first tool to its last. */
export interface ScriptedCall {
  story: string;
  workflowType: WorkflowType;
  /** Whether the patient is known and has an appointment when the call begins. */
  hasAppointment: boolean;
  talk(use: UseTool): Promise<void>;
}

export const DATE_OF_BIRTH = '1980-03-05';

/** The calls that `npm run demo -- --scene NAME` plays and the tests follow, over plain HTTP. */
export const scriptedCalls = {
  'new-patient': {
    story: 'somebody who becomes a patient: registration, intake, insurance, billing, a first appointment',
    workflowType: 'new-patient-journey',
    hasAppointment: false,
    async talk(use) {
      await use('patient-journey/resolve_patient_identity', { statedName: 'Robin Vale', statedPhone: '+15005550001' });
      await use('patient-journey/update_registration_field', { firstName: 'Robin', lastName: 'Vale' });
      await use('patient-intake/validate_intake_field', { fieldName: 'email', value: 'robin at example' });
      await use('patient-intake/validate_intake_field', { fieldName: 'email', value: 'robin@example.com' });
      await use('patient-journey/update_registration_field', {
        phone: '+15005550001',
        email: 'robin@example.com',
        preferredLocation: 'Main Street',
        medicareStatus: 'none',
        healthPlanName: 'Blue Example',
        referralSource: 'a friend',
        commsConsent: true,
      });
      await use('patient-intake/submit_intake', {
        firstName: 'Robin',
        lastName: 'Vale',
        dateOfBirth: 'March 5, 1980',
        phone: '+15005550001',
        email: 'robin@example.com',
        address: '1 Main Street',
        reasonForVisit: 'A cough that stays',
      });
      await use('patient-journey/submit_insurance_info', { payerName: 'Blue Example', memberId: 'FAIL-1' });
      await use('patient-journey/submit_insurance_info', { payerName: 'Blue Example', memberId: 'BX-1' });
      await use('patient-journey/record_self_pay_decision', {
        decision: 'self_pay_continue',
        selfPayPriceCents: 2_500,
      });
      await use('patient-journey/escalate_billing', { reason: 'Would like to pay in two parts' });
      const offer = firstOffer(await use('emr-tools/check_availability'));
      await use('emr-tools/book_appointment', {
        providerName: offer.providerName,
        visitType: 'New patient visit',
        scheduledAt: offer.startsAt,
      });
    },
  },

  cancellation: {
    story: 'a patient who cannot come, and does not want another time yet',
    workflowType: 'cancellation-follow-up',
    hasAppointment: true,
    async talk(use) {
      await use('emr-tools/verify_patient', { dateOfBirth: DATE_OF_BIRTH });
      const { providerName } = await use('emr-tools/get_upcoming_appointment');
      await use('emr-tools/check_availability', { providerName });
      await use('emr-tools/cancel_appointment');
      await use('emr-tools/reschedule_appointment', { newDateTime: '2031-01-06T10:00' });
      await use('emr-tools/document_and_escalate', {
        escalationReason: 'Wants to be called back in a month',
        escalateToClinicalTeam: true,
      });
    },
  },

  reschedule: {
    story: 'a patient who needs another time',
    workflowType: 'reschedule-follow-up',
    hasAppointment: true,
    async talk(use) {
      await use('emr-tools/verify_patient', { dateOfBirth: DATE_OF_BIRTH });
      const { providerName } = await use('emr-tools/get_upcoming_appointment');
      const offer = firstOffer(await use('emr-tools/check_availability', { providerName }));
      await use('emr-tools/reschedule_appointment', { newDateTime: offer.startsAt });
      await use('emr-tools/get_upcoming_appointment');
    },
  },

  'care-gap': {
    story: 'a patient whose check-up is overdue, and who has questions for the care team',
    workflowType: 'care-gap-follow-up',
    hasAppointment: true,
    async talk(use) {
      await use('emr-tools/verify_patient', { dateOfBirth: DATE_OF_BIRTH });
      const { providerName } = await use('emr-tools/get_upcoming_appointment');
      const offer = firstOffer(await use('emr-tools/check_availability', { providerName, aroundDate: 'next week' }));
      await use('emr-tools/reschedule_appointment', { newDateTime: offer.startsAt });
      await use('emr-tools/document_and_escalate', {
        labOrderNote: 'A lipid panel is due',
        medicationNote: 'Stopped the tablets in May',
        escalationReason: 'Asks whether to start them again',
        requestExternalRecords: true,
      });
    },
  },
} satisfies Record<string, ScriptedCall>;

export type ScriptedCallName = keyof typeof scriptedCalls;

export const isScriptedCall = (name: string): name is ScriptedCallName => Object.hasOwn(scriptedCalls, name);

function firstOffer({ slots }: Reply): { providerName: string; startsAt: string } {
  const [first] = Array.isArray(slots) ? (slots as { providerName: string; startsAt: string }[]) : [];
  if (!first) throw new Error('No open time was offered.');
  return first;
}
