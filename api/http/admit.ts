import { AppError } from '@clinic/shared/errors';
import { authenticate, type Authenticator } from './authenticate';
import type { Exchange, Observers } from './exchange';
import type { Limits } from './limits';
import type { Caller } from './route';

export interface AdmitDeps {
  /** In the order in which they are asked. */
  authenticators: readonly Authenticator[];
  limits: Limits;
  observers: Observers;
}

/** Who is calling, counted: the credential, the role, the rate. */
export async function admit(exchange: Exchange, { authenticators, limits, observers }: AdmitDeps): Promise<Caller> {
  const { route, request, response } = exchange;
  try {
    const caller = await authenticate(authenticators, route, request);
    // Before it is counted: one request too many is one too.
    exchange.admitted(caller, observers);
    if (route.sendsOutcomes?.(caller)) response.locals.sendsOutcomes = true;
    await limits.count(caller);
    return caller;
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'unauthorized';
    if (isRefused && route.access !== 'inbound' && route.access !== 'voice') {
      response.set('www-authenticate', 'Bearer');
      observers.refused(exchange);
    }
    throw error;
  }
}
