import type { KeyRing } from '@clinic/shared/config';
import type { Database } from './client';
import { createAccountLinkStores } from './stores/accounts/account-links';
import { createAccountSessionStores } from './stores/accounts/account-sessions';
import { createErasedKeys } from './stores/patients/erased-keys';
import { createAgendas } from './stores/calendar/agendas';
import { createAppointmentStores } from './stores/calendar/appointments';
import { createAuditStores } from './stores/operations/audit';
import { createAuditChainStores } from './stores/operations/audit-chain';
import { createBacklogStores } from './stores/operations/backlog';
import { createBulkJobStores } from './stores/operations/bulk-jobs';
import { createBulkStepStores } from './stores/operations/bulk-steps';
import { createLongWorkStores } from './stores/operations/long-work';
import { createCallDecisionStores } from './stores/outreach/call-decisions';
import { createCallPreviewStores } from './stores/outreach/call-preview';
import { createCallingRuleStores } from './stores/outreach/calling-rules';
import { createCallRecordStores } from './stores/outreach/call-records';
import { createCallSubjectStores } from './stores/outreach/call-subjects';
import { createCallStores } from './stores/outreach/calls';
import { createCaseRecordStores } from './stores/outreach/case-records';
import { createCaseStores } from './stores/outreach/cases';
import { createClinicNoticeStores } from './stores/events/clinic-notices';
import { createClientKeyStores } from './stores/accounts/client-keys';
import { createClinicStores } from './stores/operations/clinics';
import { createCursors } from './stores/cursor';
import { createDeliveryStores } from './stores/events/deliveries';
import { createDeliveryLeases } from './stores/events/delivery-leases';
import { createDocumentStores } from './stores/patients/documents';
import { createClinicStateStores } from './stores/operations/clinic-states';
import { createDutyStores } from './stores/operations/duties';
import { createEhrAppointmentStores } from './stores/calendar/ehr-appointments';
import { createEhrTimeStores } from './stores/calendar/ehr-times';
import { createEndpointStores } from './stores/events/endpoints';
import { createErasureStores } from './stores/patients/erasures';
import { createFhirSubscriptionStores } from './stores/events/fhir-subscriptions';
import { createHoldStores } from './stores/calendar/holds';
import { createIdempotencyStores } from './stores/operations/idempotency';
import { createInboundCallStores } from './stores/voice/inbound-calls';
import { createInboundEventStores } from './stores/events/inbound-events';
import { createIntake } from './stores/events/intake';
import { createKeyStores } from './stores/accounts/keys';
import { createLegalHoldStores } from './stores/patients/legal-holds';
import { createLineStores } from './stores/outreach/lines';
import { createLookupStores } from './stores/operations/lookup';
import { createViewerStores } from './stores/operations/viewers';
import { createMessageStores } from './stores/outreach/messages';
import { createOptOutStores } from './stores/outreach/opt-outs';
import { createOverviewStores } from './stores/operations/overview';
import { createOverrideStores } from './stores/calendar/overrides';
import { createVisitStores } from './stores/calendar/visits';
import { createMonthMailStores } from './stores/operations/month-mails';
import { createPatientExportStores } from './stores/patients/patient-exports';
import { createPatientMatchStores } from './stores/patients/patient-matches';
import { createPatientMergeStores } from './stores/patients/patient-merges';
import { createPatientRecordStores } from './stores/patients/patient-records';
import { createPatientStores } from './stores/patients/patients';
import { createPauseStores } from './stores/outreach/pauses';
import { createPhoneNumberStores } from './stores/voice/phone-numbers';
import { createProposalStores } from './stores/patients/proposals';
import { createProviderStores } from './stores/calendar/providers';
import { createRegistrationStores } from './stores/patients/registration';
import { createResultStores } from './stores/operations/results';
import { createRetentionStores } from './stores/operations/retention';
import { createRunRecordStores } from './stores/outreach/run-records';
import { createRunStores } from './stores/outreach/runs';
import { createSandboxStores } from './stores/sandbox/sandbox';
import { createSandboxClockStores } from './stores/sandbox/sandbox-clocks';
import { createNamedSandboxStores } from './stores/sandbox/named-sandboxes';
import { createSandboxClientStores } from './stores/sandbox/sandbox-clients';
import { createSandboxDataStores } from './stores/sandbox/sandbox-data';
import { createSandboxFailureStores } from './stores/sandbox/sandbox-failures';
import { createSandboxLeniencyStores } from './stores/sandbox/sandbox-leniency';
import { createSavedViewStores } from './stores/accounts/saved-views';
import { createSettingsStores } from './stores/events/settings';
import { createSignInCountStores } from './stores/accounts/sign-in-counts';
import { createSingleSignOnStores } from './stores/accounts/single-sign-on';
import { createStaffStores } from './stores/accounts/staff';
import { createAlarmStores } from './stores/tasks/alarms';
import { createTaskMailStores } from './stores/tasks/task-mails';
import { createTaskStores } from './stores/tasks/tasks';
import { createToolCallStores } from './stores/voice/tool-calls';
import { createValidationRunStores } from './stores/sandbox/validation-runs';
import { createCallerTryStores } from './stores/voice/caller-tries';
import { createVerificationStores } from './stores/voice/verifications';
import { createWaitlistStores } from './stores/calendar/waitlist';
import { createWaitlistOfferStores } from './stores/calendar/waitlist-offers';

export type Stores = ReturnType<typeof createStores>;

/** Every store over one database. `secretKeys` encrypts what a clinic entrusts to us; cursors are signed with it too. */
export function createStores(database: Database, secretKeys: KeyRing) {
  const cursors = createCursors(secretKeys[0]?.key.toString('base64') ?? '');
  const agendas = createAgendas(database);
  const erasedKeys = createErasedKeys(secretKeys);
  const intake = createIntake(database);
  return {
    accountLinks: createAccountLinkStores(database),
    accountSessions: createAccountSessionStores(database),
    agendas,
    alarms: createAlarmStores(database),
    appointments: createAppointmentStores(database, cursors.of('appointments'), agendas),
    audit: createAuditStores(database, cursors.of('audit')),
    auditChain: createAuditChainStores(database, secretKeys),
    backlog: createBacklogStores(database),
    clinicStates: createClinicStateStores(database),
    bulkJobs: createBulkJobStores(database, cursors.of('bulkJobs')),
    bulkSteps: createBulkStepStores(database),
    callDecisions: createCallDecisionStores(database),
    callingRules: createCallingRuleStores(database, erasedKeys),
    callPreview: createCallPreviewStores(database, erasedKeys),
    callRecords: createCallRecordStores(database, cursors.of('callRecords')),
    calls: createCallStores(database, cursors.of('calls'), erasedKeys),
    callSubjects: createCallSubjectStores(database),
    caseRecords: createCaseRecordStores(database, cursors.of('caseRecords')),
    cases: createCaseStores(database),
    clinicNotices: createClinicNoticeStores(database),
    clientKeys: createClientKeyStores(database, secretKeys),
    clinics: createClinicStores(database),
    cursors,
    deliveries: createDeliveryStores(database, cursors.of('deliveries')),
    deliveryLeases: createDeliveryLeases(database),
    documents: createDocumentStores(database),
    duties: createDutyStores(database),
    longWork: createLongWorkStores(database),
    ehrAppointments: createEhrAppointmentStores(database, cursors.of('ehrAppointments')),
    ehrTimes: createEhrTimeStores(database),
    endpoints: createEndpointStores(database, secretKeys),
    erasures: createErasureStores(database, cursors.of('erasures'), erasedKeys),
    fhirSubscriptions: createFhirSubscriptionStores(database, secretKeys),
    holds: createHoldStores(database, agendas),
    idempotency: createIdempotencyStores(database, secretKeys),
    inboundCalls: createInboundCallStores(database),
    inboundEvents: createInboundEventStores(intake, erasedKeys),
    keys: createKeyStores(database, secretKeys),
    legalHolds: createLegalHoldStores(database),
    lines: createLineStores(database, cursors.of('lines')),
    lookup: createLookupStores(database),
    messages: createMessageStores(database),
    optOuts: createOptOutStores(database, cursors.of('optOuts')),
    overrides: createOverrideStores(database, agendas),
    visits: createVisitStores(database, agendas),
    overview: createOverviewStores(database),
    monthMails: createMonthMailStores(database),
    patientExports: createPatientExportStores(database),
    patientMatches: createPatientMatchStores(database),
    patientMerges: createPatientMergeStores(database),
    patientRecords: createPatientRecordStores(database, cursors.of('patientRecords')),
    patients: createPatientStores(database),
    pauses: createPauseStores(database),
    phoneNumbers: createPhoneNumberStores(database),
    proposals: createProposalStores(database),
    providers: createProviderStores(database, agendas),
    registration: createRegistrationStores(database),
    retention: createRetentionStores(database),
    runRecords: createRunRecordStores(database, cursors.of('runRecords')),
    runs: createRunStores(database, { cursors: cursors.of('runs'), erasedKeys, intake }),
    results: createResultStores(database),
    sandbox: createSandboxStores(database, agendas),
    sandboxClocks: createSandboxClockStores(database, agendas),
    sandboxClients: createSandboxClientStores(database),
    namedSandboxes: createNamedSandboxStores(database, agendas),
    sandboxData: createSandboxDataStores(database, agendas),
    sandboxFailures: createSandboxFailureStores(database, agendas),
    sandboxLeniency: createSandboxLeniencyStores(database, agendas),
    savedViews: createSavedViewStores(database),
    settings: createSettingsStores(database, secretKeys),
    signInCounts: createSignInCountStores(database),
    singleSignOn: createSingleSignOnStores(database, secretKeys),
    staff: createStaffStores(database),
    taskMails: createTaskMailStores(database),
    tasks: createTaskStores(database, cursors.of('tasks')),
    toolCalls: createToolCallStores(database),
    validationRuns: createValidationRunStores(database, cursors),
    callerTries: createCallerTryStores(database),
    verifications: createVerificationStores(database),
    viewers: createViewerStores(database),
    waitlist: createWaitlistStores(database, cursors.of('waitlist'), agendas),
    waitlistOffers: createWaitlistOfferStores(database, agendas),
  };
}
