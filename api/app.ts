import { join } from 'node:path';
import express, { type Express } from 'express';
import type { ApiConfig } from '@clinic/shared/config';
import { Remembered } from '@clinic/shared/remembered';
import { mayReadMetrics } from '@clinic/shared/metrics-token';
import type { Logger } from '@clinic/shared/log';
import { createCodecRouter } from './codec';
import { sandboxTokens } from '@clinic/sandbox/tokens';
import { apiKeys, inboundSecrets, sessionOf, sessions, voiceSecrets } from './http/credentials';
import { createDashboard } from './http/dashboard';
import { handleErrors, sendError } from './http/errors';
import { createIdempotentReplies } from './http/idempotency';
import { createLimits, type Limits } from './http/limits';
import { mountRoutes, refuseMethod } from './http/mount';
import { createPatientAudit } from './http/patient-audit';
import { requestLog } from './http/request-log';
import { securityHeaders } from './http/security-headers';
import type { RouteDeps } from './route-deps';
import { apiRoutes } from './routes';
import { createGuessCounter } from './routes/accounts/guess-counter';
import { createToolAnswers } from './tools/answer';
import { createToolRunner } from './tools/run-tool';
import { storedCountry } from './clinic-country';

export interface AppDeps extends Omit<
  RouteDeps,
  'config' | 'baseUrl' | 'limits' | 'guesses' | 'answerToolCalls' | 'countryOf'
> {
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
  const operatorSecrets = [VOICE_WEBHOOK_SECRET, VOICE_WEBHOOK_SECRET_PREVIOUS].filter((each) => each !== undefined);
  const authenticators = [
    voiceSecrets(stores, operatorSecrets),
    inboundSecrets(stores),
    apiKeys(stores),
    sandboxTokens(stores, (door, request) => sessionOf(accounts, door, request)),
    sessions(accounts),
  ];
  const countries = new Remembered<string>(60_000);
  changes.subscribe((change) => {
    for (const each of authenticators) each.forget?.(change);
    accounts.forget(change);
    stores.agendas.forget(change);
    if (change.table === 'clinics') countries.forget(change.id);
  });

  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('case sensitive routing', true);
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(requestLog(log, metrics.requests));
  app.use(securityHeaders());

  mountRoutes(app, '/api', apiRoutes(deps.voice), {
    routeDeps: routeDepsOf(deps, limits, countries),
    authenticators,
    limits,
    observers: deps.watch,
    idempotency: createIdempotentReplies({ stores }),
    bodyTimeoutMs: config.BODY_TIMEOUT_MS,
    notePatientData: createPatientAudit({ stores }),
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
      return sendError(response, 'unauthorized', 'The metrics token is missing or wrong');
    }
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  app.all(['/healthz', '/readyz', '/metrics'], refuseMethod('GET, HEAD'));
  if (config.LOCAL_STACK)
    app.use(
      '/codec',
      createCodecRouter({ keys: config.PAYLOAD_KEYS, credentials: null, uiOrigin: config.TEMPORAL_UI_URL, log }),
    );

  app.use(createDashboard(deps.dashboardFolder ?? builtDashboard));
  app.use((request, response) => sendError(response, 'not_found', `${request.path.slice(0, 200)} is not a route`));
  app.use(handleErrors);
  return app;
}

/** What the routes work with, the parts that are the app's own included. */
function routeDepsOf(deps: AppDeps, limits: Limits, countries: Remembered<string>): RouteDeps {
  const { config, stores } = deps;
  return {
    ...deps,
    limits,
    baseUrl: `${config.PUBLIC_URL}/api`,
    guesses: createGuessCounter({ ...deps, limits }),
    answerToolCalls: createToolAnswers({
      stores,
      runner: createToolRunner(deps),
      hasDefaultTestCall: config.LOCAL_STACK,
    }),
    countryOf: (clinicId) => countries.get(clinicId, () => storedCountry(stores, clinicId)),
  };
}
