import type { KeyRing } from '@clinic/shared/config';
import type { Database } from './client';
import { createAgendas } from './stores/agendas';
import { createAppointmentStores } from './stores/appointments';
import { createAuditStores } from './stores/audit';
import { createCallDecisionStores } from './stores/call-decisions';
import { createCallEvidenceStores } from './stores/call-evidence';
import { createCallPreviewStores } from './stores/call-preview';
import { createCallingRuleStores } from './stores/calling-rules';
import { createCallRecordStores } from './stores/call-records';
import { createCallSubjectStores } from './stores/call-subjects';
import { createCallStores } from './stores/calls';
import { createCaseRecordStores } from './stores/case-records';
import { createCaseStores } from './stores/cases';
import { createClinicStores } from './stores/clinics';
import { createCursors } from './stores/cursor';
import { createDeliveryStores } from './stores/deliveries';
import { createDocumentStores } from './stores/documents';
import { createDutyStores } from './stores/duties';
import { createIdempotencyStores } from './stores/idempotency';
import { createInboundCallStores } from './stores/inbound-calls';
import { createInboundEventStores } from './stores/inbound-events';
import { createKeyStores } from './stores/keys';
import { createLineStores } from './stores/lines';
import { createMessageStores } from './stores/messages';
import { createOptOutStores } from './stores/opt-outs';
import { createOverviewStores } from './stores/overview';
import { createPatientRecordStores } from './stores/patient-records';
import { createPatientStores } from './stores/patients';
import { createPauseStores } from './stores/pauses';
import { createPhoneNumberStores } from './stores/phone-numbers';
import { createProviderStores } from './stores/providers';
import { createRegistrationStores } from './stores/registration';
import { createRunStores } from './stores/runs';
import { createSandboxStores } from './stores/sandbox';
import { createSettingsStores } from './stores/settings';
import { createStaffStores } from './stores/staff';
import { createTaskStores } from './stores/tasks';
import { createToolCallStores } from './stores/tool-calls';

export type Stores = ReturnType<typeof createStores>;

/** Every store over one database. `secretKeys` encrypts what a clinic entrusts to us; cursors are signed with it too. */
export function createStores(database: Database, secretKeys: KeyRing) {
  const cursors = createCursors(secretKeys[0]?.key.toString('base64') ?? '');
  const agendas = createAgendas(database);
  return {
    agendas,
    appointments: createAppointmentStores(database, cursors, agendas),
    audit: createAuditStores(database, cursors),
    callDecisions: createCallDecisionStores(database),
    callEvidence: createCallEvidenceStores(database),
    callingRules: createCallingRuleStores(database),
    callPreview: createCallPreviewStores(database),
    callRecords: createCallRecordStores(database, cursors),
    calls: createCallStores(database, cursors),
    callSubjects: createCallSubjectStores(database),
    caseRecords: createCaseRecordStores(database, cursors),
    cases: createCaseStores(database),
    clinics: createClinicStores(database),
    cursors,
    deliveries: createDeliveryStores(database, cursors),
    documents: createDocumentStores(database),
    duties: createDutyStores(database),
    idempotency: createIdempotencyStores(database),
    inboundCalls: createInboundCallStores(database),
    inboundEvents: createInboundEventStores(database),
    keys: createKeyStores(database, secretKeys),
    lines: createLineStores(database, cursors),
    messages: createMessageStores(database),
    optOuts: createOptOutStores(database, cursors),
    overview: createOverviewStores(database),
    patientRecords: createPatientRecordStores(database, cursors),
    patients: createPatientStores(database),
    pauses: createPauseStores(database),
    phoneNumbers: createPhoneNumberStores(database),
    providers: createProviderStores(database, agendas),
    registration: createRegistrationStores(database),
    runs: createRunStores(database, cursors),
    sandbox: createSandboxStores(database, agendas),
    settings: createSettingsStores(database, secretKeys),
    staff: createStaffStores(database),
    tasks: createTaskStores(database, cursors),
    toolCalls: createToolCallStores(database),
  };
}
