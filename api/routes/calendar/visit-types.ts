import { KnownVisitTypes } from '@clinic/shared/contracts/events/approved-api-check';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: providers', access: 'clinic', right: 'settings', patientData: 'none' });

/** What visits are called: to choose from where a provider or a mapping is set up. */
export const visitTypeRoutes = [
  routes.get('/integrations/visit-types', {
    summary: 'What visits are called on record here, and at the EHR',
    description:
      'Reads HealthcareService, Schedule and the types of past appointments of a FHIR server that is set. It changes ' +
      'nothing there, and takes no data of patients. What cannot be read is a finding, and the rest is shown.',
    responses: { 200: { description: 'The names', schema: KnownVisitTypes } },
    async handle({ caller: { clinicId }, signal }, { stores, systems }) {
      const [here, ehr] = await Promise.all([
        stores.providers.knownVisitTypes(clinicId),
        systems.approvedApi(clinicId),
      ]);
      const { visitTypes: there, gaps: findings } = (await ehr?.visitTypes({ signal })) ?? { visitTypes: [], gaps: [] };
      return { body: { here, there, findings } };
    },
  }),
];
