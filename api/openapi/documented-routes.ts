import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import type { Route } from '../http/route';
import { apiRoutes } from '../routes';

/** Every route with what it says of itself, of a service that does not run: none is called. */
export function documentedRoutes(): Route[] {
  // Each voice platform says at which path it speaks.
  return apiRoutes(createVoicePlatforms({ config: anything(), http: anything() }));
}

/** Has whatever it is asked for: a platform uses its settings only when it is called. */
function anything<T>(): T {
  return new Proxy(() => {}, {
    get: (_, name) => (name === Symbol.toPrimitive ? () => 'anything' : anything()),
    apply: () => anything(),
  }) as T;
}
