import type { Stores } from '@clinic/prisma/stores';
import type { Route } from '../http/route';
import { appointmentRoutes } from './appointments';
import { documentRoutes } from './documents';
import { metadataRoutes } from './metadata';
import { patientRoutes } from './patients';
import { scheduleRoutes } from './schedules';

/** The sandbox EMR, shaped like a FHIR R4 API (contract, "FHIR-style operations"; decisions, section 3). */
export function fhirRoutes({ stores, publicUrl }: { stores: Stores; publicUrl: string }): Route[] {
  const deps = { stores, baseUrl: `${publicUrl}/api` };
  return [
    ...scheduleRoutes(deps),
    ...appointmentRoutes(deps),
    ...patientRoutes(deps),
    ...documentRoutes(deps),
    ...metadataRoutes(deps),
  ];
}
