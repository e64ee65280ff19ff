import * as api from '#api';
import { randomHex } from './repeats';

/** Why a page could not be shown. Its code is fetched when it is first gone to, and is gone where a new version was deployed. */
export interface Fault {
  kind: 'offline' | 'new-version' | 'fault';
  id: string;
}

/** Errors that mean that a page's code could not be fetched: Vite tells of them before they are thrown. */
const notFetched = new WeakSet<object>();
window.addEventListener('vite:preloadError', ({ payload }) => notFetched.add(payload));

export async function faultOf(error: unknown): Promise<Fault> {
  const id = randomHex(6);
  const isNotFetched = error instanceof Error && notFetched.has(error);
  return { kind: isNotFetched ? await whyNotFetched() : 'fault', id };
}

/** A service that answers has other code by now. */
async function whyNotFetched(): Promise<Fault['kind']> {
  const isReached = await fetch('/favicon.svg', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
  return isReached ? 'new-version' : 'offline';
}

/** Tells the service's log what failed and where, without the error's message or the whole address: both may name a patient. */
export function reportFault(id: string, error: unknown): void {
  const { name = 'unknown', stack = '' } = error instanceof Error ? error : {};
  const frames = stack.split('\n').flatMap((line) => {
    const [, place] = /\/assets\/([\w.-]+\.js:\d+:\d+)/.exec(line) ?? [];
    const [, caller = 'anonymous'] = /^\s*(?:at )?([\w$.]+)/.exec(line) ?? [];
    return place ? [`${caller} ${place}`] : [];
  });
  const [, page = ''] = /^\/([a-z-]*)/.exec(window.location.pathname) ?? [];
  void api.postDashboardFaults({ body: { id, page, kind: name.replaceAll(/\W/g, ''), frames: frames.slice(0, 12) } });
}
