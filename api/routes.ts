import { fhirRoutes } from './fhir/routes';
import type { Route } from './http/route';
import type { RouteDeps } from './route-deps';
import { accountRoutes } from './routes/accounts';
import { appointmentRecordRoutes } from './routes/appointments';
import { waitlistRoutes } from './routes/waitlist';
import { auditRoutes } from './routes/audit';
import { authRoutes } from './routes/auth';
import { bulkJobRoutes } from './routes/bulk-jobs';
import { callingPreviewRoutes } from './routes/calling-preview';
import { callingQueueRoutes } from './routes/calling-queue';
import { callRoutes } from './routes/calls';
import { caseRoutes } from './routes/cases';
import { deliveryRoutes } from './routes/deliveries';
import { docsRoutes } from './routes/docs';
import { integrationRoutes } from './routes/integrations';
import { lookupRoutes } from './routes/lookup';
import { ownAccountRoutes } from './routes/own-account';
import { overviewRoutes } from './routes/overview';
import { patientDataRoutes } from './routes/patient-data';
import { patientRecordRoutes } from './routes/patients';
import { pauseRoutes } from './routes/pauses';
import { retentionRoutes } from './routes/retention';
import { proposalRoutes } from './routes/proposals';
import { providerRoutes } from './routes/providers';
import { resultRoutes } from './routes/results';
import { runRoutes } from './routes/runs';
import { namedSandboxRoutes } from './routes/named-sandboxes';
import { sandboxRoutes } from './routes/sandbox';
import { sandboxConfigRoutes } from './routes/sandbox-config';
import { savedViewRoutes } from './routes/saved-views';
import { streamRoutes } from './routes/stream';
import { taskRoutes } from './routes/tasks';
import { testCallRoutes } from './routes/test-calls';
import { toolRoutes } from './routes/tools';
import { tryItRoutes } from './routes/try-it';
import { validationRunRoutes } from './routes/validation-runs';
import { voiceEventRoutes } from './routes/voice-events';
import { voiceToolRoutes } from './routes/voice-tools';
import { webhookRoutes } from './routes/webhooks';
import { workflowRoutes } from './routes/workflows';
import { createToolAnswers } from './tools/answer';
import { createToolRunner } from './tools/run-tool';

/** Every route below `/api`. What a voice agent or a platform waits for comes first: Express matches in order. */
export function apiRoutes(deps: RouteDeps): Route[] {
  const runner = createToolRunner(deps);
  const answerToolCalls = createToolAnswers({ ...deps, runner, hasDefaultTestCall: deps.config.LOCAL_STACK });
  const routes = [
    ...toolRoutes({ answerToolCalls }),
    ...webhookRoutes(deps),
    ...voiceEventRoutes({ ...deps, answerToolCalls }),
    ...voiceToolRoutes(deps),
    ...workflowRoutes(deps),
    ...fhirRoutes(deps),
    ...authRoutes(deps),
    ...ownAccountRoutes(deps),
    ...accountRoutes(deps),
    ...testCallRoutes(deps),
    ...sandboxConfigRoutes(deps),
    ...sandboxRoutes(deps),
    ...namedSandboxRoutes(deps),
    ...patientRecordRoutes(deps),
    ...patientDataRoutes(deps),
    ...proposalRoutes(deps),
    ...appointmentRecordRoutes(deps),
    ...waitlistRoutes(deps),
    ...providerRoutes(deps),
    ...deliveryRoutes(deps),
    ...runRoutes(deps),
    ...bulkJobRoutes(deps),
    ...overviewRoutes(deps),
    ...lookupRoutes(deps),
    ...resultRoutes(deps),
    ...caseRoutes(deps),
    ...callRoutes(deps),
    ...callingPreviewRoutes(deps),
    ...callingQueueRoutes(deps),
    ...taskRoutes(deps),
    ...savedViewRoutes(deps),
    ...integrationRoutes(deps),
    ...pauseRoutes(deps),
    ...retentionRoutes(deps),
    ...auditRoutes(deps),
    ...tryItRoutes(deps),
    ...validationRunRoutes(deps),
    ...streamRoutes(deps),
  ];
  return [...routes, ...docsRoutes(routes)];
}
