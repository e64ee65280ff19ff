import { holdMinutes } from '@clinic/shared/domain/calendar/holds';
import { FAILING_TASK_AFTER_MS, GONE_AFTER_MS, MAX_UNDER_WAY } from '@clinic/shared/domain/events/receiver-health';
import { MAX_ENDPOINTS } from '@clinic/shared/domain/events/delivery-owner';
import { accountLinkKinds, accountRoles } from '@clinic/shared/domain/accounts/accounts';
import { languages } from '@clinic/shared/domain/accounts/languages';
import { MAX_VIEWS, savedLists } from '@clinic/shared/domain/accounts/saved-view';
import { appointmentStatuses, visitNotes } from '@clinic/shared/domain/calendar/appointment-status';
import { overrideReasons } from '@clinic/shared/domain/calendar/overrides';
import { offerMinutes, offerStatuses, undoSeconds, waitlistStatuses } from '@clinic/shared/domain/calendar/waitlist';
import { deliveryStates } from '@clinic/shared/domain/events/delivery-state';
import { patientOrders, taskOrders } from '@clinic/shared/domain/list-order';
import { bulkJobKinds, bulkJobStates, bulkJobWaits } from '@clinic/shared/domain/operations/bulk-job';
import { datedFigures } from '@clinic/shared/domain/operations/clinic-faults';
import { longWorkKinds } from '@clinic/shared/domain/operations/long-work';
import { comparisons } from '@clinic/shared/domain/operations/periods';
import { noteKinds } from '@clinic/shared/domain/operations/result-notes';
import { decisionStages } from '@clinic/shared/domain/outreach/call-decisions';
import { callEndings } from '@clinic/shared/domain/outreach/call-ending';
import { callStates } from '@clinic/shared/domain/outreach/call-state';
import { noCallReasons, waitReasons } from '@clinic/shared/domain/outreach/calling-policy';
import { caseStates } from '@clinic/shared/domain/outreach/case-state';
import { toolFacts } from '@clinic/shared/domain/outreach/conversation';
import { withdrawalReasons } from '@clinic/shared/domain/outreach/dialling';
import { bookingTools, recordedFacts } from '@clinic/shared/domain/outreach/evidence';
import { allowReasons, optOutScopes, optOutSources } from '@clinic/shared/domain/outreach/opt-out';
import { runStatuses } from '@clinic/shared/domain/outreach/run-status';
import { erasureReasons, erasureStates } from '@clinic/shared/domain/patients/erasure';
import { callLanguages } from '@clinic/shared/domain/patients/languages';
import { likenesses } from '@clinic/shared/domain/patients/patient-matching';
import { takeableFields } from '@clinic/shared/domain/patients/patient-merge';
import { registrationFields } from '@clinic/shared/domain/patients/registration';
import { eventProbes } from '@clinic/shared/domain/sandbox/exchange';
import { failureUnits } from '@clinic/shared/domain/sandbox/sandbox-failures';
import { alarmKinds, exportActions, MANY_REFUSALS, USUAL_DAYS } from '@clinic/shared/domain/tasks/alarms';
import { taskOutcomes, taskPriorities, taskReasons, taskStates } from '@clinic/shared/domain/tasks/task';
import { callerStandings, verificationOutcomes } from '@clinic/shared/domain/voice/caller-trust';
import { DEFAULT_PLATFORM, SIMULATOR, voicePlatforms } from '@clinic/shared/domain/voice/platforms';
import { parts } from '@clinic/shared/domain/voice/scenes';

test.each<[string, readonly string[], string]>([
  ['accountRoles', accountRoles, 'admin manager staff auditor operator'],
  ['accountLinkKinds', accountLinkKinds, 'invitation reset'],
  ['languages', languages, 'en es'],
  ['savedLists', savedLists, 'cases calls queue tasks patients runs deliveries audit'],
  ['waitlistStatuses', waitlistStatuses, 'waiting offered booked removed expired'],
  ['offerStatuses', offerStatuses, 'open accepted declined lapsed postponed withdrawn'],
  ['overrideReasons', overrideReasons, 'urgent provider_agreed patient_came correction'],
  ['appointmentStatuses', appointmentStatuses, 'booked arrived fulfilled noshow cancelled'],
  ['visitNotes', visitNotes, 'arrived noshow fulfilled booked'],
  ['deliveryStates', deliveryStates, 'PENDING DELIVERED DEAD'],
  ['bulkJobKinds', bulkJobKinds, 'cancel_runs resend_deliveries'],
  ['bulkJobStates', bulkJobStates, 'RUNNING DONE STOPPED'],
  ['bulkJobWaits', bulkJobWaits, 'receiver endpoint workflows'],
  [
    'datedFigures',
    datedFigures,
    'unstartedRuns runFaults voiceFaults systemFaults setupFaults alarms failingEndpoints deadDeliveries waitingDeliveries waitingErasures',
  ],
  ['longWorkKinds', longWorkKinds, 'cancel_runs resend_deliveries erase_patient'],
  ['comparisons', comparisons, 'before year_before'],
  ['noteKinds', noteKinds, 'closed paused faults queue'],
  ['callStates', callStates, 'QUEUED RINGING IN_PROGRESS ENDED'],
  ['callEndings', callEndings, 'conversation not_reached bad_number platform_fault cancelled'],
  ['runStatuses', runStatuses, 'started completed failed cancelled'],
  [
    'caseStates',
    caseStates,
    'PENDING CALLING RECOVERED FOLLOW_UP_REQUIRED PRICING_ESCALATION CLINICAL_ESCALATION PATIENT_NOT_INTERESTED PATIENT_NOT_REACHED ALREADY_COMPLETED',
  ],
  ['decisionStages', decisionStages, 'plan line dial'],
  [
    'toolFacts',
    toolFacts,
    'booked rescheduled cancelled documented escalated billing_escalated self_pay insurance_updated registered declined',
  ],
  [
    'withdrawalReasons',
    withdrawalReasons,
    'call_over never_dialled run_over case_over form_completed window_over outside_hours paused opted_out number_changed appointment_changed superseded patient_limits clinic_limit patient_called phone_in_call',
  ],
  [
    'waitReasons',
    waitReasons,
    'first_call_delay between_attempts patient_called patient_limits clinic_limit calling_hours patient_hours preferred_hours paused',
  ],
  [
    'noCallReasons',
    noCallReasons,
    'superseded no_phone opted_out attempts_exhausted no_calling_hours no_preferred_hours too_late',
  ],
  [
    'recordedFacts',
    recordedFacts,
    'booked rescheduled cancelled registered self_pay insurance_updated appointment_booked appointment_cancelled appointment_moved appointment_arrived offer_accepted form_completed escalated booking_refused not_verified',
  ],
  ['bookingTools', bookingTools, 'book_appointment reschedule_appointment accept_waitlist_offer'],
  ['optOutScopes', optOutScopes, 'all recovery_and_reminders'],
  ['optOutSources', optOutSources, 'tool analysis staff import patient corrected_number'],
  ['allowReasons', allowReasons, 'patient_asked entered_by_mistake other_person'],
  [
    'takeableFields',
    takeableFields,
    'name dateOfBirth phone email address reasonForVisit preferredLocation medicareStatus healthPlanName referralSource insurance selfPay',
  ],
  ['likenesses', likenesses, 'name birthDate phone email'],
  ['erasureReasons', erasureReasons, 'patient_request retention_over entered_by_mistake court_order'],
  ['erasureStates', erasureStates, 'REQUESTED ERASED DONE'],
  ['callLanguages', callLanguages, 'en es'],
  [
    'registrationFields',
    registrationFields,
    'firstName lastName phone email preferredLocation medicareStatus healthPlanName referralSource commsConsent',
  ],
  ['eventProbes', eventProbes, 'genuine duplicate forged stale rotated unknown_event outcome'],
  ['failureUnits', failureUnits, 'seconds entries'],
  ['alarmKinds', alarmKinds, 'bulk_reads emergency_access records_exported refused_sign_ins'],
  ['exportActions', exportActions, 'audit.export opt-out.export patient.export'],
  [
    'taskReasons',
    taskReasons,
    'bad_number billing_escalation booking_to_check bulk_reads call_lost clinic_system_not_told clinical_escalation crm_sync_failed emergency_access endpoint_failing external_records_request follow_up_required identity_match insurance_unchecked nothing_on_file platform_fault records_exported records_incomplete refused_sign_ins registration_incomplete signing_secret_unreadable unmet_call_hours unreadable_phone unverified_caller unverified_change verification_locked voice_key_unreadable voice_setup_fault workflow_failed',
  ],
  ['taskOutcomes', taskOutcomes, 'spoke voicemail no_answer try_later'],
  ['taskStates', taskStates, 'OPEN RESOLVED'],
  ['taskPriorities', taskPriorities, 'HIGH NORMAL LOW'],
  ['verificationOutcomes', verificationOutcomes, 'matched mismatched unreadable locked'],
  ['callerStandings', callerStandings, 'unasked failed verified'],
  ['voicePlatforms', voicePlatforms, 'vapi simulator'],
  ['parts', parts, 'agrees wants-callback finds-it-expensive asks-clinical-question declines never-answers hangs-up'],
  ['taskOrders', taskOrders, 'newest oldest due -due'],
  ['patientOrders', patientOrders, 'newest oldest name -name'],
])('%s: words that rows and clients have, so that none may go', (_set, words, expected) => {
  expect(words.join(' ')).toBe(expected);
});

test('limits that people and clients are told', () => {
  expect({
    MAX_VIEWS,
    MAX_ENDPOINTS,
    MAX_UNDER_WAY,
    holdMinutes,
    offerMinutes,
    undoSeconds,
    USUAL_DAYS,
    MANY_REFUSALS,
  }).toEqual({
    MAX_VIEWS: 50,
    MAX_ENDPOINTS: 5,
    MAX_UNDER_WAY: 20,
    holdMinutes: { min: 1, max: 15, usual: 5 },
    offerMinutes: 15,
    undoSeconds: 15,
    USUAL_DAYS: 28,
    MANY_REFUSALS: { ofAccount: 10, ofClinic: 30 },
  });
  expect([FAILING_TASK_AFTER_MS, GONE_AFTER_MS].map((ms) => ms / 3_600_000)).toEqual([24, 6]);
  expect([DEFAULT_PLATFORM, SIMULATOR]).toEqual(['vapi', 'simulator']);
});
