import {
  named,
  type ProviderSettings,
  ProvidersChange,
  ProvidersSettings,
} from '@clinic/shared/contracts/calendar/providers';
import type { ProviderRecord } from '@clinic/prisma/stores/calendar/providers';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Integrations: providers',
  access: 'api-key-or-clinic',
  right: 'settings',
  patientData: 'none',
});

/** Who can be booked, and when. */
export const providerSettingRoutes = [
  routes.get('/integrations/providers', {
    right: 'settings.read',
    summary: "The clinic's providers and their weekly hours",
    description: 'As they were saved, in the form that `PUT` takes.',
    responses: { 200: { description: 'The providers', schema: ProvidersSettings } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({
      body: { items: (await stores.providers.list(clinicId)).map(toProvider) },
    }),
  }),
  routes.put('/integrations/providers', {
    summary: "Make these the clinic's providers; one that is left out takes no more bookings",
    description: 'Replaces the whole list: read it first, and send it back changed.',
    body: ProvidersChange,
    responses: { 200: { description: 'The providers as they are now', schema: ProvidersSettings } },
    async handle({ caller: { clinicId }, body: { items }, by }, { stores }) {
      const providers = await stores.providers.replace(clinicId, items.map(named), by);
      return { body: { items: providers.map(toProvider) } };
    },
  }),
];

const toProvider = ({
  id: _id,
  daysInForce: _days,
  noticeInForce: _notice,
  ...settings
}: ProviderRecord): ProviderSettings => settings;
