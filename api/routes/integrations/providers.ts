import { Hours, ProvidersChange } from '@clinic/shared/contracts/settings';
import type { Stores } from '@clinic/prisma/stores';
import type { ProviderRecord } from '@clinic/prisma/stores/providers';
import { z } from 'zod';
import { actorOf, route, type Route } from '../../http/route';

const tag = 'Integrations: providers';

const Provider = z
  .object({
    name: z.string().describe('A FHIR id, as Dr.Chen'),
    displayName: z.string(),
    workingHours: Hours,
    visitTypes: z.array(z.string()),
  })
  .meta({ id: 'ProviderSettings' });
const Providers = z.object({ items: z.array(Provider) });

/** Who can be booked, and when. */
export function providerRoutes({ stores }: { stores: Stores }): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/providers',
      access: 'clinic',
      tag,
      summary: "The clinic's providers and their weekly hours",
      responses: { 200: { description: 'The providers', schema: Providers } },
      handle: async ({ caller }) => ({
        body: { items: (await stores.providers.list(caller.clinicId)).map(toProvider) },
      }),
    }),
    route({
      method: 'put',
      path: '/integrations/providers',
      access: 'admin',
      tag,
      summary: "Make these the clinic's providers; one that is left out takes no more bookings",
      body: ProvidersChange,
      responses: { 200: { description: 'The providers as they are now', schema: Providers } },
      async handle({ caller, body: { items }, requestId }) {
        const providers = await stores.providers.replace(caller.clinicId, items, actorOf(caller, requestId));
        return { body: { items: providers.map(toProvider) } };
      },
    }),
  ];
}

const toProvider = ({ name, displayName, workingHours, visitTypes }: ProviderRecord): z.input<typeof Provider> => ({
  name,
  displayName,
  workingHours,
  visitTypes,
});
