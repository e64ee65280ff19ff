import { withChosenFailures } from '@clinic/sandbox/chosen-failures';
import type { Route } from '../http/route';
import { appointmentRoutes } from './appointments';
import { auditEventRoutes } from './audit-events';
import { documentRoutes } from './documents';
import { holdRoutes } from './holds';
import { metadataRoutes } from './metadata';
import { patientRoutes } from './patients';
import { lenient } from './lenient';
import { findRoutes } from './find';
import { scheduleRoutes } from './schedules';
import { smartRoutes } from '@clinic/sandbox/routes/smart';
import { slotExplainRoutes } from './slot-explain';
import { subscriptionRoutes } from './subscriptions';
import { versionedAppointmentRoutes } from './versioned-appointments';

/** The sandbox EMR, shaped like a FHIR R4 API (docs/contract.md, 3). */
export const fhirRoutes: Route[] = [
  ...withChosenFailures(
    lenient([
      ...scheduleRoutes,
      ...slotExplainRoutes,
      ...appointmentRoutes,
      ...holdRoutes,
      ...findRoutes,
      ...versionedAppointmentRoutes,
      ...patientRoutes,
      ...documentRoutes,
      ...auditEventRoutes,
      ...subscriptionRoutes,
    ]),
  ),
  ...metadataRoutes,
  ...smartRoutes,
];
