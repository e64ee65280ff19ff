import type { Route } from '../http/route';
import { appointmentRecordRoutes } from './calendar/appointments';
import { waitlistRoutes } from './calendar/waitlist';
import { providerRoutes } from './calendar/providers';
import { providerSettingRoutes } from './calendar/provider-settings';
import { visitTypeRoutes } from './calendar/visit-types';
import { closedDayRoutes } from './calendar/closed-days';
import { holidayRoutes } from './calendar/holidays';

/** Appointments, the waitlist, providers and closed days. */
export const calendarRoutes: Route[] = [
  ...appointmentRecordRoutes,
  ...waitlistRoutes,
  ...providerRoutes,
  ...providerSettingRoutes,
  ...visitTypeRoutes,
  ...closedDayRoutes,
  ...holidayRoutes,
];
