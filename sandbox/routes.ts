import type { Route } from '@clinic/api/http/route';
import { clientRoutes } from './routes/clients';
import { clockRoutes } from './routes/clock';
import { failureRoutes } from './routes/failures';
import { namedSandboxRoutes } from './routes/named-sandboxes';
import { ownSandboxRoutes } from './routes/sandbox';
import { sandboxConfigRoutes } from './routes/sandbox-config';
import { snapshotRoutes } from './routes/snapshots';
import { validationRunRoutes } from './routes/validation-runs';

/** What a clinic's team does with its sandbox while it tests: reset, snapshots, the clock, chosen failures, validation runs. */
export const sandboxRoutes: Route[] = [
  ...sandboxConfigRoutes,
  ...ownSandboxRoutes,
  ...clientRoutes,
  ...clockRoutes,
  ...snapshotRoutes,
  ...failureRoutes,
  ...namedSandboxRoutes,
  ...validationRunRoutes,
];
