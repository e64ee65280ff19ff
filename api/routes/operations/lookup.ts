import { FoundRecord, Lookup } from '@clinic/shared/contracts/operations/lookup';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Overview', access: 'clinic' });

/** From any id that somebody was told to the record that it names. */
export const lookupRoutes = [
  routes.get('/lookup', {
    patientData: { action: 'record.look-up' },
    summary: 'Find the record of this clinic that an id names',
    description:
      'Of a case, call, patient, delivery or workflow, or of a call at the voice platform. An id that nothing has is `{ "found": null }`, not 404.',
    query: Lookup,
    responses: { 200: { description: 'Its kind and id, or null', schema: FoundRecord } },
    async handle({ caller: { clinicId }, query: { id } }, { stores }) {
      const found = await stores.lookup.find(clinicId, id);
      return { body: { found }, subjects: [found?.id ?? null] };
    },
  }),
];
