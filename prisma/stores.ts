import type { KeyRing } from '@clinic/shared/config';
import type { Database } from './client';
import { createAccountLinkStores } from './stores/account-links';
import { createAccountSessionStores } from './stores/account-sessions';
import { createErasedKeys } from './erased-keys';
import { createAgendas } from './stores/agendas';
import { createAppointmentStores } from './stores/appointments';
import { createAuditStores } from './stores/audit';
import { createAuditChainStores } from './stores/audit-chain';
import { createBacklogStores } from './stores/backlog';
import { createBulkJobStores } from './stores/bulk-jobs';
import { createCallDecisionStores } from './stores/call-decisions';
import { createCallPreviewStores } from './stores/call-preview';
import { createCallingRuleStores } from './stores/calling-rules';
import { createCallRecordStores } from './stores/call-records';
import { createCallSubjectStores } from './stores/call-subjects';
import { createCallStores } from './stores/calls';
import { createCaseRecordStores } from './stores/case-records';
import { createCaseStores } from './stores/cases';
import { createClinicNoticeStores } from './stores/clinic-notices';
import { createClientKeyStores } from './stores/client-keys';
import { createClinicStores } from './stores/clinics';
import { createCursors } from './stores/cursor';
import { createDeliveryStores } from './stores/deliveries';
import { createDocumentStores } from './stores/documents';
import { createDutyStores } from './stores/duties';
import { createEhrAppointmentStores } from './stores/ehr-appointments';
import { createEndpointStores } from './stores/endpoints';
import { createErasureStores } from './stores/erasures';
import { createFhirSubscriptionStores } from './stores/fhir-subscriptions';
import { createHoldStores } from './stores/holds';
import { createIdempotencyStores } from './stores/idempotency';
import { createInboundCallStores } from './stores/inbound-calls';
import { createInboundEventStores } from './stores/inbound-events';
import { createKeyStores } from './stores/keys';
import { createLegalHoldStores } from './stores/legal-holds';
import { createLineStores } from './stores/lines';
import { createLookupStores } from './stores/lookup';
import { createMessageStores } from './stores/messages';
import { createOptOutStores } from './stores/opt-outs';
import { createOverviewStores } from './stores/overview';
import { createOverrideStores } from './stores/overrides';
import { createPatientExportStores } from './stores/patient-exports';
import { createPatientMatchStores } from './stores/patient-matches';
import { createPatientRecordStores } from './stores/patient-records';
import { createPatientStores } from './stores/patients';
import { createPauseStores } from './stores/pauses';
import { createPhoneNumberStores } from './stores/phone-numbers';
import { createProposalStores } from './stores/proposals';
import { createProviderStores } from './stores/providers';
import { createRegistrationStores } from './stores/registration';
import { createResultStores } from './stores/results';
import { createRetentionStores } from './stores/retention';
import { createRunRecordStores } from './stores/run-records';
import { createRunStores } from './stores/runs';
import { createSandboxStores } from './stores/sandbox';
import { createSandboxClockStores } from './stores/sandbox-clocks';
import { createNamedSandboxStores } from './stores/named-sandboxes';
import { createSandboxClientStores } from './stores/sandbox-clients';
import { createSandboxDataStores } from './stores/sandbox-data';
import { createSandboxFailureStores } from './stores/sandbox-failures';
import { createSandboxKindnessStores } from './stores/sandbox-kindnesses';
import { createSavedViewStores } from './stores/saved-views';
import { createSettingsStores } from './stores/settings';
import { createSignInCountStores } from './stores/sign-in-counts';
import { createStaffStores } from './stores/staff';
import { createTaskMailStores } from './stores/task-mails';
import { createTaskStores } from './stores/tasks';
import { createToolCallStores } from './stores/tool-calls';
import { createValidationRunStores } from './stores/validation-runs';
import { createVerificationStores } from './stores/verifications';
import { createWaitlistStores } from './stores/waitlist';
import { createWaitlistOfferStores } from './stores/waitlist-offers';

export type Stores = ReturnType<typeof createStores>;

/** Every store over one database. `secretKeys` encrypts what a clinic entrusts to us; cursors are signed with it too. */
export function createStores(database: Database, secretKeys: KeyRing) {
  const cursors = createCursors(secretKeys[0]?.key.toString('base64') ?? '');
  const agendas = createAgendas(database);
  const erasedKeys = createErasedKeys(secretKeys);
  return {
    accountLinks: createAccountLinkStores(database),
    accountSessions: createAccountSessionStores(database),
    agendas,
    appointments: createAppointmentStores(database, cursors.of('appointments'), agendas),
    audit: createAuditStores(database, cursors.of('audit')),
    auditChain: createAuditChainStores(database, secretKeys),
    backlog: createBacklogStores(database),
    bulkJobs: createBulkJobStores(database, cursors.of('bulkJobs')),
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
    documents: createDocumentStores(database),
    duties: createDutyStores(database),
    ehrAppointments: createEhrAppointmentStores(database, cursors.of('ehrAppointments')),
    endpoints: createEndpointStores(database, secretKeys),
    erasures: createErasureStores(database, cursors.of('erasures'), erasedKeys),
    fhirSubscriptions: createFhirSubscriptionStores(database, secretKeys),
    holds: createHoldStores(database, agendas),
    idempotency: createIdempotencyStores(database),
    inboundCalls: createInboundCallStores(database),
    inboundEvents: createInboundEventStores(database, erasedKeys),
    keys: createKeyStores(database, secretKeys),
    legalHolds: createLegalHoldStores(database),
    lines: createLineStores(database, cursors.of('lines')),
    lookup: createLookupStores(database),
    messages: createMessageStores(database),
    optOuts: createOptOutStores(database, cursors.of('optOuts')),
    overrides: createOverrideStores(database, agendas),
    overview: createOverviewStores(database),
    patientExports: createPatientExportStores(database),
    patientMatches: createPatientMatchStores(database),
    patientRecords: createPatientRecordStores(database, cursors.of('patientRecords')),
    patients: createPatientStores(database),
    pauses: createPauseStores(database),
    phoneNumbers: createPhoneNumberStores(database),
    proposals: createProposalStores(database),
    providers: createProviderStores(database, agendas),
    registration: createRegistrationStores(database),
    retention: createRetentionStores(database),
    runRecords: createRunRecordStores(database, cursors.of('runRecords')),
    runs: createRunStores(database, cursors.of('runs'), erasedKeys),
    results: createResultStores(database),
    sandbox: createSandboxStores(database, agendas),
    sandboxClocks: createSandboxClockStores(database, agendas),
    sandboxClients: createSandboxClientStores(database),
    namedSandboxes: createNamedSandboxStores(database, agendas),
    sandboxData: createSandboxDataStores(database, agendas),
    sandboxFailures: createSandboxFailureStores(database, agendas),
    sandboxKindnesses: createSandboxKindnessStores(database, agendas),
    savedViews: createSavedViewStores(database),
    settings: createSettingsStores(database, secretKeys),
    signInCounts: createSignInCountStores(database),
    staff: createStaffStores(database),
    taskMails: createTaskMailStores(database),
    tasks: createTaskStores(database, cursors.of('tasks')),
    toolCalls: createToolCallStores(database),
    validationRuns: createValidationRunStores(database, cursors),
    verifications: createVerificationStores(database),
    waitlist: createWaitlistStores(database, cursors.of('waitlist'), agendas),
    waitlistOffers: createWaitlistOfferStores(database, agendas),
  };
}
