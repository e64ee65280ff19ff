import type { VoicePlatforms } from '@clinic/gateways/voice/registry';
import { sandboxRoutes } from '@clinic/sandbox/routes';
import { fhirRoutes } from './fhir/routes';
import type { Route } from './http/route';
import { accountsRoutes } from './routes/accounts';
import { rightsRoutes } from './routes/accounts/rights';
import { calendarRoutes } from './routes/calendar';
import { eventsRoutes } from './routes/events';
import { docsRoutes } from './routes/operations/docs';
import { operationsRoutes } from './routes/operations';
import { outreachRoutes } from './routes/outreach';
import { patientsRoutes } from './routes/patients';
import { tryItRoutes } from './routes/sandbox/try-it';
import { taskRoutes } from './routes/tasks/tasks';
import { voiceRoutes } from './routes/voice';

/** Every route below `/api`. What a voice agent or a platform waits for comes first: Express matches in order. */
export function apiRoutes(platforms: VoicePlatforms): Route[] {
  const routes = [
    ...voiceRoutes(platforms),
    ...eventsRoutes,
    ...fhirRoutes,
    ...outreachRoutes,
    ...accountsRoutes,
    ...sandboxRoutes,
    ...tryItRoutes,
    ...patientsRoutes,
    ...calendarRoutes,
    ...taskRoutes,
    ...operationsRoutes,
  ];
  const all = [...routes, ...rightsRoutes(routes)];
  return [...all, ...docsRoutes(all)];
}
