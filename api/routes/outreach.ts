import type { Route } from '../http/route';
import { workflowRoutes } from './outreach/workflows';
import { runRoutes } from './outreach/runs';
import { caseRoutes } from './outreach/cases';
import { callRoutes } from './outreach/calls';
import { callsUnderWayRoutes } from './outreach/calls-under-way';
import { pauseRoutes } from './outreach/pauses';
import { callingPolicyRoutes } from './outreach/calling-policy';
import { callingPreviewRoutes } from './outreach/calling-preview';
import { callingQueueRoutes } from './outreach/calling-queue';

/** Workflows, cases, calls, and the rules by which people are called. */
export const outreachRoutes: Route[] = [
  ...workflowRoutes,
  ...runRoutes,
  ...caseRoutes,
  ...callsUnderWayRoutes,
  ...callRoutes,
  ...pauseRoutes,
  ...callingPolicyRoutes,
  ...callingPreviewRoutes,
  ...callingQueueRoutes,
];
