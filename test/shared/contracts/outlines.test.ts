import * as accountsAccounts from '@clinic/shared/contracts/accounts/accounts';
import * as accountsApiKeys from '@clinic/shared/contracts/accounts/api-keys';
import * as accountsRights from '@clinic/shared/contracts/accounts/rights';
import * as accountsSavedViews from '@clinic/shared/contracts/accounts/saved-views';
import * as accountsSingleSignOn from '@clinic/shared/contracts/accounts/single-sign-on';
import * as calendarAppointments from '@clinic/shared/contracts/calendar/appointments';
import * as calendarFhir from '@clinic/shared/contracts/calendar/fhir';
import * as calendarHours from '@clinic/shared/contracts/calendar/hours';
import * as calendarProviders from '@clinic/shared/contracts/calendar/providers';
import * as calendarWaitlist from '@clinic/shared/contracts/calendar/waitlist';
import * as eventsApprovedApi from '@clinic/shared/contracts/events/approved-api';
import * as eventsApprovedApiCheck from '@clinic/shared/contracts/events/approved-api-check';
import * as eventsClinicNotice from '@clinic/shared/contracts/events/clinic-notice';
import * as eventsCrm from '@clinic/shared/contracts/events/crm';
import * as eventsDeliveries from '@clinic/shared/contracts/events/deliveries';
import * as eventsInboundEvents from '@clinic/shared/contracts/events/inbound-events';
import * as eventsOutboundEndpoints from '@clinic/shared/contracts/events/outbound-endpoints';
import * as eventsOutboundEvents from '@clinic/shared/contracts/events/outbound-events';
import * as operationsAudit from '@clinic/shared/contracts/operations/audit';
import * as operationsBulkJobs from '@clinic/shared/contracts/operations/bulk-jobs';
import * as operationsDashboardFaults from '@clinic/shared/contracts/operations/dashboard-faults';
import * as operationsLookup from '@clinic/shared/contracts/operations/lookup';
import * as operationsOperatedClinics from '@clinic/shared/contracts/operations/operated-clinics';
import * as operationsOverview from '@clinic/shared/contracts/operations/overview';
import * as operationsResults from '@clinic/shared/contracts/operations/results';
import * as operationsRetention from '@clinic/shared/contracts/operations/retention';
import * as operationsViewers from '@clinic/shared/contracts/operations/viewers';
import * as outreachCallDecisions from '@clinic/shared/contracts/outreach/call-decisions';
import * as outreachCallingPolicy from '@clinic/shared/contracts/outreach/calling-policy';
import * as outreachCallingQueue from '@clinic/shared/contracts/outreach/calling-queue';
import * as outreachCalls from '@clinic/shared/contracts/outreach/calls';
import * as outreachCases from '@clinic/shared/contracts/outreach/cases';
import * as outreachPauses from '@clinic/shared/contracts/outreach/pauses';
import * as outreachRecovery from '@clinic/shared/contracts/outreach/recovery';
import * as outreachRunContext from '@clinic/shared/contracts/outreach/run-context';
import * as outreachRuns from '@clinic/shared/contracts/outreach/runs';
import * as outreachSignals from '@clinic/shared/contracts/outreach/signals';
import * as outreachWorkflows from '@clinic/shared/contracts/outreach/workflows';
import * as patientsConsent from '@clinic/shared/contracts/patients/consent';
import * as patientsDuplicates from '@clinic/shared/contracts/patients/duplicates';
import * as patientsMerges from '@clinic/shared/contracts/patients/merges';
import * as patientsPatientData from '@clinic/shared/contracts/patients/patient-data';
import * as patientsPatients from '@clinic/shared/contracts/patients/patients';
import * as patientsProposals from '@clinic/shared/contracts/patients/proposals';
import * as primitives from '@clinic/shared/contracts/primitives';
import * as sandboxSandbox from '@clinic/shared/contracts/sandbox/sandbox';
import * as sandboxSandboxConfig from '@clinic/shared/contracts/sandbox/sandbox-config';
import * as sandboxTryIt from '@clinic/shared/contracts/sandbox/try-it';
import * as sandboxValidationRuns from '@clinic/shared/contracts/sandbox/validation-runs';
import * as tasksTasks from '@clinic/shared/contracts/tasks/tasks';
import * as voiceMessage from '@clinic/shared/contracts/voice/message';
import * as voicePhoneNumbers from '@clinic/shared/contracts/voice/phone-numbers';
import * as voiceToolDefinition from '@clinic/shared/contracts/voice/tool-definition';
import * as voiceVoice from '@clinic/shared/contracts/voice/voice';
import { z } from 'zod';
import { type Schema, typeOf } from '../../support/outline';

const modules = {
  accountsAccounts,
  accountsApiKeys,
  accountsRights,
  accountsSavedViews,
  accountsSingleSignOn,
  calendarAppointments,
  calendarFhir,
  calendarHours,
  calendarProviders,
  calendarWaitlist,
  eventsApprovedApi,
  eventsApprovedApiCheck,
  eventsClinicNotice,
  eventsCrm,
  eventsDeliveries,
  eventsInboundEvents,
  eventsOutboundEndpoints,
  eventsOutboundEvents,
  operationsAudit,
  operationsBulkJobs,
  operationsDashboardFaults,
  operationsLookup,
  operationsOperatedClinics,
  operationsOverview,
  operationsResults,
  operationsRetention,
  operationsViewers,
  outreachCallDecisions,
  outreachCallingPolicy,
  outreachCallingQueue,
  outreachCalls,
  outreachCases,
  outreachPauses,
  outreachRecovery,
  outreachRunContext,
  outreachRuns,
  outreachSignals,
  outreachWorkflows,
  patientsConsent,
  patientsDuplicates,
  patientsMerges,
  patientsPatientData,
  patientsPatients,
  patientsProposals,
  primitives,
  sandboxSandbox,
  sandboxSandboxConfig,
  sandboxTryIt,
  sandboxValidationRuns,
  tasksTasks,
  voiceMessage,
  voicePhoneNumbers,
  voiceToolDefinition,
  voiceVoice,
};

/** A schema as it stands in the document of the API, and those that it names. */
function shown(schema: z.ZodType): { type: string; named: Record<string, Schema> } {
  const { $defs = {}, ...own } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema & {
    $defs?: Record<string, Schema>;
  };
  return { type: typeOf(own), named: $defs };
}

test('what the contracts take and show changes only where a review sees it: `npm test -- shared/contracts -u` writes it down anew', () => {
  const named: Record<string, Schema> = {};
  const lines = Object.entries(modules).flatMap(([area, exported]) =>
    Object.entries<unknown>(exported).flatMap(([name, value]) => {
      if (!(value instanceof z.ZodType)) return [];
      const { type, named: more } = shown(value);
      Object.assign(named, more);
      return [`${area} ${name}: ${type}`];
    }),
  );

  const others = Object.entries(named).map(([name, schema]) => `${name}: ${typeOf(schema)}`);
  expect([...lines, ...others].join('\n\n')).toMatchSnapshot();
});
