import { FoundRecord, Lookup } from '@clinic/shared/contracts/lookup';
import { route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

/** From any id that somebody was told to the record that it names. */
export function lookupRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/lookup',
      access: 'clinic',
      patientData: { action: 'record.look-up' },
      tag: 'Overview',
      summary: 'Find the record of this clinic that an id names',
      query: Lookup,
      responses: { 200: { description: 'Its kind and id, or null', schema: FoundRecord } },
      async handle({ caller: { clinicId }, query: { id } }) {
        const found = await stores.lookup.find(clinicId, id);
        return { body: { found }, subjects: [found?.id ?? null] };
      },
    }),
  ];
}
