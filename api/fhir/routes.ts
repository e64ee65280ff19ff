import type { Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { appointmentRoutes } from './appointments';
import { auditEventRoutes } from './audit-events';
import { documentRoutes } from './documents';
import { holdRoutes } from './holds';
import { metadataRoutes } from './metadata';
import { patientRoutes } from './patients';
import { asRealEhr } from './real-ehr';
import { findRoutes } from './find';
import { scheduleRoutes } from './schedules';
import { smartRoutes } from './smart';
import { slotExplainRoutes } from './slot-explain';
import { subscriptionRoutes } from './subscriptions';
import { versionedAppointmentRoutes } from './versioned-appointments';

/** The sandbox EMR, shaped like a FHIR R4 API (contract, "FHIR-style operations"; decisions, section 3). */
export function fhirRoutes({
  stores,
  accounts,
  config,
  temporal,
}: Pick<RouteDeps, 'stores' | 'accounts' | 'config' | 'temporal'>): Route[] {
  const deps = { stores, baseUrl: `${config.PUBLIC_URL}/api` };
  const appointments = appointmentRoutes(deps);
  return [
    ...asRealEhr(deps, [
      ...scheduleRoutes(deps),
      ...slotExplainRoutes(deps),
      ...appointments,
      ...holdRoutes(deps),
      ...findRoutes(deps),
      ...versionedAppointmentRoutes(deps, asRealEhr(deps, appointments)),
      ...patientRoutes(deps),
      ...documentRoutes(deps),
      ...auditEventRoutes(deps),
      ...subscriptionRoutes({ ...deps, temporal }),
    ]),
    ...metadataRoutes({ ...deps, accounts }),
    ...smartRoutes(deps),
  ];
}
