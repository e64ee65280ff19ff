import type { Route } from '../http/route';
import { duplicateRoutes } from './patients/duplicates';
import { mergeRoutes } from './patients/merges';
import { patientRecordRoutes } from './patients/patients';
import { patientDataRoutes } from './patients/patient-data';
import { proposalRoutes } from './patients/proposals';

/** Records of patients, their data, and what is proposed to change in them. */
export const patientsRoutes: Route[] = [
  ...duplicateRoutes,
  ...patientRecordRoutes,
  ...mergeRoutes,
  ...patientDataRoutes,
  ...proposalRoutes,
];
