import { DashboardFault } from '@clinic/shared/contracts/operations/dashboard-faults';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Dashboard',
  access: 'session',
  right: null,
  isOpenWithoutSecondFactor: true,
  patientData: 'none',
});

/** What the dashboard could not show goes into the service's log, where its operator finds it by the id that the page shows. */
export const dashboardFaultRoutes = [
  routes.post('/dashboard/faults', {
    isBackground: true,
    summary: 'Report a page that the dashboard could not show',
    description: 'It is written to the service’s log and kept nowhere else.',
    limit: '4kb',
    body: DashboardFault,
    responses: { 204: { description: 'Written to the log' } },
    handle({ body: { id, page, kind, frames }, log }) {
      log.error({ faultId: id, page, kind, frames }, 'the dashboard could not show a page');
      return { status: 204 };
    },
  }),
];
