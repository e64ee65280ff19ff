import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import {
  anyCaller,
  emr,
  firstOffer,
  goodbye,
  journey,
  type Lines,
  type Reply,
  type Talk,
  use,
} from '@clinic/gateways/voice/simulator/talk';

/** A call that is played with every tool that belongs to it, from the first to the last. */
export interface ScriptedCall {
  story: string;
  workflowType: WorkflowType;
  /** Whether the patient is known and has an appointment when the call begins. */
  hasAppointment: boolean;
  talk: Talk;
}

export const DATE_OF_BIRTH = anyCaller.dateOfBirth;

const intake = (tool: string, args: Record<string, unknown>) => use('patient-intake', tool, args);

/** The calls that `npm run demo -- --scene NAME` plays, and the tests follow. */
export const scriptedCalls = {
  'new-patient': {
    story: 'somebody who becomes a patient: registration, intake, insurance, billing, a first appointment',
    workflowType: 'new-patient-journey',
    hasAppointment: false,
    *talk(): Lines {
      yield journey('resolve_patient_identity', { statedName: 'Robin Vale', statedPhone: '+15005550001' });
      yield journey('update_registration_field', { firstName: 'Robin', lastName: 'Vale' });
      yield intake('validate_intake_field', { fieldName: 'email', value: 'robin at example' });
      yield intake('validate_intake_field', { fieldName: 'email', value: 'robin@example.com' });
      yield journey('update_registration_field', {
        phone: '+15005550001',
        email: 'robin@example.com',
        preferredLocation: 'Main Street',
        medicareStatus: 'none',
        healthPlanName: 'Blue Example',
        referralSource: 'a friend',
        commsConsent: true,
      });
      yield intake('submit_intake', {
        firstName: 'Robin',
        lastName: 'Vale',
        dateOfBirth: 'March 5, 1980',
        phone: '+15005550001',
        email: 'robin@example.com',
        address: '1 Main Street',
        reasonForVisit: 'A cough that stays',
      });
      yield journey('submit_insurance_info', { payerName: 'Blue Example', memberId: 'FAIL-1' });
      yield journey('submit_insurance_info', { payerName: 'Blue Example', memberId: 'BX-1' });
      yield journey('record_self_pay_decision', { decision: 'self_pay_continue', selfPayPriceCents: 2_500 });
      yield journey('escalate_billing', { reason: 'Would like to pay in two parts' });
      const { providerName, startsAt } = offered(yield emr('check_availability'));
      yield emr('book_appointment', { providerName, visitType: 'New patient visit', scheduledAt: startsAt });
      yield goodbye('The patient is registered and has a first appointment.');
    },
  },

  cancellation: {
    story: 'a patient who cannot come, and does not want another time yet',
    workflowType: 'cancellation-follow-up',
    hasAppointment: true,
    *talk(): Lines {
      yield emr('verify_patient', { dateOfBirth: DATE_OF_BIRTH });
      const { providerName } = yield emr('get_upcoming_appointment');
      yield emr('check_availability', { providerName });
      yield emr('cancel_appointment');
      yield emr('reschedule_appointment', { newDateTime: '2031-01-06T10:00' });
      yield emr('document_and_escalate', {
        escalationReason: 'Wants to be called back in a month',
        escalateToClinicalTeam: true,
      });
      yield goodbye('The patient cancelled and will be called back.');
    },
  },

  reschedule: {
    story: 'a patient who needs another time',
    workflowType: 'reschedule-follow-up',
    hasAppointment: true,
    *talk(): Lines {
      yield emr('verify_patient', { dateOfBirth: DATE_OF_BIRTH });
      const { providerName } = yield emr('get_upcoming_appointment');
      const { startsAt } = offered(yield emr('check_availability', { providerName }));
      yield emr('reschedule_appointment', { newDateTime: startsAt });
      yield emr('get_upcoming_appointment');
      yield goodbye('The patient has another time.');
    },
  },

  'care-gap': {
    story: 'a patient whose check-up is overdue, and who has questions for the care team',
    workflowType: 'care-gap-follow-up',
    hasAppointment: true,
    *talk(): Lines {
      yield emr('verify_patient', { dateOfBirth: DATE_OF_BIRTH });
      const { providerName } = yield emr('get_upcoming_appointment');
      const { startsAt } = offered(yield emr('check_availability', { providerName, aroundDate: 'next week' }));
      yield emr('reschedule_appointment', { newDateTime: startsAt });
      yield emr('document_and_escalate', {
        labOrderNote: 'A lipid panel is due',
        medicationNote: 'Stopped the tablets in May',
        escalationReason: 'Asks whether to start them again',
        requestExternalRecords: true,
      });
      yield goodbye('The patient has an appointment, and a question for the care team.');
    },
  },
} satisfies Record<string, ScriptedCall>;

export type ScriptedCallName = keyof typeof scriptedCalls;

export const isScriptedCall = (name: string): name is ScriptedCallName => Object.hasOwn(scriptedCalls, name);

function offered(reply: Reply): { providerName: string; startsAt: string } {
  const offer = firstOffer(reply);
  if (!offer) throw new Error('No open time was offered.');
  return offer;
}
