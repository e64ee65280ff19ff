import { FoundRecord, Lookup } from '@clinic/shared/contracts/operations/lookup';
import type { RecordKind } from '@clinic/prisma/stores/operations/lookup';
import { type Right, roleHas } from '@clinic/shared/domain/accounts/rights';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Overview', access: 'clinic', right: 'dashboard' });

const rightOf: Record<RecordKind, Right> = {
  case: 'workflows',
  call: 'workflows',
  patient: 'patients.read',
  delivery: 'deliveries',
};

/** From any id that somebody was told to the record that it names. */
export const lookupRoutes = [
  routes.get('/lookup', {
    patientData: { action: 'record.look-up' },
    summary: 'Find the record of this clinic that an id names',
    description:
      'Of a case, call, patient, delivery or workflow, or of a call at the voice platform. An id that nothing has, or only what the role may not see, is `{ "found": null }`, not 404.',
    query: Lookup,
    responses: { 200: { description: 'Its kind and id, or null', schema: FoundRecord } },
    async handle({ caller: { clinicId, role }, query: { id } }, { stores }) {
      const named = await stores.lookup.find(clinicId, id);
      const found = named && roleHas(role, rightOf[named.kind]) ? named : null;
      return { body: { found }, subjects: [found?.id ?? null] };
    },
  }),
];
