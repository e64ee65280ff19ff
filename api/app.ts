import { join } from 'node:path';
import express, { type Express } from 'express';
import type { ApiConfig } from '@clinic/shared/config';
import { mayReadMetrics } from '@clinic/shared/metrics-token';
import type { Logger } from '@clinic/shared/log';
import { createCodecRouter } from './codec';
import { createChosenFailures } from './fhir/chosen-failures';
import { createAuthenticator } from './http/authenticate';
import { createDashboard } from './http/dashboard';
import { handleErrors, sendError } from './http/errors';
import { createIdempotentReplies } from './http/idempotency';
import { createLimits } from './http/limits';
import { mountRoutes } from './http/mount';
import { createPatientAudit } from './http/patient-audit';
import { requestLog } from './http/request-log';
import { securityHeaders } from './http/security-headers';
import type { RouteDeps } from './route-deps';
import { apiRoutes } from './routes';

export interface AppDeps extends Omit<RouteDeps, 'limits' | 'config'> {
  config: ApiConfig;
  log: Logger;
  isDatabaseReachable: () => Promise<boolean>;
  /** Whether this process is about to stop: it still serves, but wants no more traffic. */
  isDraining: () => boolean;
  /** Where the built dashboard is; beside this room unless told otherwise. */
  dashboardFolder?: string;
}

const builtDashboard = join(__dirname, '..', 'dashboard', 'dist');

/** The whole HTTP surface as one Express app: no port, no globals. */
export function createApp(deps: AppDeps): Express {
  const { config, stores, accounts, changes, temporal, metrics, log } = deps;
  const limits = createLimits({
    perSecond: config.RATE_LIMIT_PER_SECOND,
    burst: config.RATE_LIMIT_BURST,
    signInsPerMinute: config.SIGN_INS_PER_MINUTE,
    heldPerCaller: config.HELD_REQUESTS_PER_CALLER,
    maxUnderWay: config.MAX_REQUESTS_UNDER_WAY,
    countSignIn: stores.signInCounts.count,
  });
  const { VOICE_WEBHOOK_SECRET, VOICE_WEBHOOK_SECRET_PREVIOUS } = config;
  const voiceSecrets = [VOICE_WEBHOOK_SECRET, VOICE_WEBHOOK_SECRET_PREVIOUS].filter((each) => each !== undefined);
  const authenticator = createAuthenticator({ stores, accounts, voiceSecrets });
  changes.subscribe((change) => {
    authenticator.forget(change);
    accounts.forget(change);
    stores.agendas.forget(change);
  });

  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('case sensitive routing', true);
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(requestLog(log, metrics.requests));
  app.use(securityHeaders());

  const idempotency = createIdempotentReplies({ stores });
  const notePatientData = createPatientAudit({ stores });
  const chosenFailures = createChosenFailures({ stores });
  mountRoutes(app, '/api', apiRoutes({ ...deps, limits }), {
    authenticator,
    limits,
    idempotency,
    notePatientData,
    watch: deps.watch,
    chosenFailures,
  });

  app.get('/healthz', (_request, response) => void response.json({ status: 'ok' }));
  app.get('/readyz', async (_request, response) => {
    const [database, temporalIsUp] = await Promise.all([deps.isDatabaseReachable(), temporal.isReachable()]);
    const isReady = database && temporalIsUp && !deps.isDraining();
    const word = (isUp: boolean) => (isUp ? 'ok' : 'unreachable');
    if (!isReady) response.set('retry-after', '5');
    response
      .status(isReady ? 200 : 503)
      .json({ status: isReady ? 'ok' : 'unavailable', database: word(database), temporal: word(temporalIsUp) });
  });
  app.get('/metrics', async (request, response) => {
    if (!mayReadMetrics(request.headers.authorization, config)) {
      return sendError(response, { status: 401, message: 'The metrics token is missing or wrong' });
    }
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  if (config.LOCAL_STACK)
    app.use(
      '/codec',
      createCodecRouter({ keys: config.PAYLOAD_KEYS, credentials: null, uiOrigin: config.TEMPORAL_UI_URL, log }),
    );

  app.use(createDashboard(deps.dashboardFolder ?? builtDashboard));
  app.use((request, response) =>
    sendError(response, { status: 404, message: `${request.path.slice(0, 200)} is not a route` }),
  );
  app.use(handleErrors);
  return app;
}
