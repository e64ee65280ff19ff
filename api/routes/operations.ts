import type { Route } from '../http/route';
import { operatedClinicRoutes } from './operations/operated-clinics';
import { runbookRoutes } from './operations/runbook';
import { overviewRoutes } from './operations/overview';
import { resultSettingRoutes } from './operations/result-settings';
import { resultRoutes } from './operations/results';
import { lookupRoutes } from './operations/lookup';
import { bulkJobRoutes } from './operations/bulk-jobs';
import { auditRoutes } from './operations/audit';
import { retentionRoutes } from './operations/retention';
import { dashboardFaultRoutes } from './operations/dashboard-faults';
import { streamRoutes } from './operations/stream';
import { viewerRoutes } from './operations/viewers';

/** How the service does: overview, results, long work, audit, retention. */
export const operationsRoutes: Route[] = [
  ...overviewRoutes,
  ...resultRoutes,
  ...resultSettingRoutes,
  ...lookupRoutes,
  ...bulkJobRoutes,
  ...auditRoutes,
  ...retentionRoutes,
  ...dashboardFaultRoutes,
  ...streamRoutes,
  ...viewerRoutes,
  ...operatedClinicRoutes,
  ...runbookRoutes,
];
