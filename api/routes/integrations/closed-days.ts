import { ClosedDaysChange, ClosedDaysView } from '@clinic/shared/contracts/hours';
import type { ClosedDays } from '@clinic/shared/domain/weekly-hours';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const tag = 'Integrations: providers';

/** The days on which the whole clinic is closed. */
export function closedDayRoutes({ stores, changes }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/closed-days',
      access: 'clinic',
      tag,
      summary: 'The days on which the whole clinic is closed',
      patientData: 'none',
      responses: { 200: { description: 'The days, in order', schema: ClosedDaysView } },
      handle: async ({ caller }) => ({ body: listed(await stores.clinics.closedDays(caller.clinicId)) }),
    }),
    route({
      method: 'put',
      path: '/integrations/closed-days',
      access: 'admin',
      tag,
      summary: 'Make these the days on which nobody can be booked',
      description:
        'No time is offered on them and none can be booked, also where a provider has special hours. What is booked stays. ' +
        'When patients are called is for the calling policy alone.',
      body: ClosedDaysChange,
      responses: { 200: { description: 'The days as they are now', schema: ClosedDaysView } },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        await stores.clinics.setClosedDays(clinicId, closedDaysIn(body), actorOf(caller, requestId));
        changes.announce({ table: 'clinics', clinicId: null, id: clinicId });
        return { body: listed(await stores.clinics.closedDays(clinicId)) };
      },
    }),
  ];
}

/** Days by date, as they are kept. */
export const closedDaysIn = ({ items }: { items: { date: string; name: string }[] }): ClosedDays =>
  Object.fromEntries(items.map(({ date, name }) => [date, name]));

/** The same as a list, as it is written. */
const listed = (days: ClosedDays) => ({ items: Object.entries(days).map(([date, name]) => ({ date, name })) });
