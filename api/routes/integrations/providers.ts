import { named, type ProviderSettings, ProvidersChange, ProvidersSettings } from '@clinic/shared/contracts/providers';
import type { ProviderRecord } from '@clinic/prisma/stores/providers';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const tag = 'Integrations: providers';

/** Who can be booked, and when. */
export function providerRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/providers',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: "The clinic's providers and their weekly hours",
      responses: { 200: { description: 'The providers', schema: ProvidersSettings } },
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
      responses: { 200: { description: 'The providers as they are now', schema: ProvidersSettings } },
      async handle({ caller, body: { items }, requestId }) {
        const providers = await stores.providers.replace(caller.clinicId, items.map(named), actorOf(caller, requestId));
        return { body: { items: providers.map(toProvider) } };
      },
    }),
  ];
}

const toProvider = ({
  id: _id,
  daysInForce: _days,
  noticeInForce: _notice,
  ...settings
}: ProviderRecord): ProviderSettings => settings;
