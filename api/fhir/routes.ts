import type { Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { appointmentRoutes } from './appointments';
import { auditEventRoutes } from './audit-events';
import { documentRoutes } from './documents';
import { metadataRoutes } from './metadata';
import { patientRoutes } from './patients';
import { scheduleRoutes } from './schedules';

/** The sandbox EMR, shaped like a FHIR R4 API (contract, "FHIR-style operations"; decisions, section 3). */
export function fhirRoutes({ stores, config }: Pick<RouteDeps, 'stores' | 'config'>): Route[] {
  const deps = { stores, baseUrl: `${config.PUBLIC_URL}/api` };
  return [
    ...scheduleRoutes(deps),
    ...appointmentRoutes(deps),
    ...patientRoutes(deps),
    ...documentRoutes(deps),
    ...auditEventRoutes(deps),
    ...metadataRoutes(deps),
  ];
}
