import { ClosedDaysChange, closedDaysIn, ClosedDaysView } from '@clinic/shared/contracts/calendar/hours';
import type { ClosedDays } from '@clinic/shared/domain/calendar/weekly-hours';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Integrations: providers',
  access: 'api-key-or-clinic',
  right: 'settings',
  patientData: 'none',
});

/** The days on which the whole clinic is closed. */
export const closedDayRoutes = [
  routes.get('/integrations/closed-days', {
    right: 'settings.read',
    summary: 'The days on which the whole clinic is closed',
    description: 'Read them before a `PUT`, which replaces the whole list.',
    responses: { 200: { description: 'The days, in order', schema: ClosedDaysView } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({
      body: listed(await stores.clinics.closedDays(clinicId)),
    }),
  }),
  routes.put('/integrations/closed-days', {
    summary: 'Make these the days on which nobody can be booked',
    description:
      'No time is offered on them and none can be booked, also where a provider has special hours. What is booked stays. ' +
      'When patients are called is for the calling policy alone.',
    body: ClosedDaysChange,
    responses: { 200: { description: 'The days as they are now', schema: ClosedDaysView } },
    async handle({ caller: { clinicId }, body, by }, { stores, changes }) {
      await stores.clinics.setClosedDays(clinicId, closedDaysIn(body), by);
      changes.announce({ table: 'clinics', clinicId: null, id: clinicId });
      return { body: listed(await stores.clinics.closedDays(clinicId)) };
    },
  }),
];

/** The same as a list, as it is written. */
const listed = (days: ClosedDays) => ({ items: Object.entries(days).map(([date, name]) => ({ date, name })) });
