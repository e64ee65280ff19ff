import { session } from './session';

/** Who asks for the same later than this means another one. */
const REPEAT_MS = 5 * 60_000;

/** What was asked of the service and may have been done, though no answer came: by all that was asked, the key under which it was. */
const unanswered = new Map<string, { key: string; until: number }>();

/** What pages send by themselves says nothing of what somebody does; and what proves who somebody is, is not kept. */
const notNoted = /\/api\/(?:auth\/|dashboard\/faults$|records\/[^/]+\/viewers$)/;

/** Who asks is turned away before the service looks at what is asked: it says nothing of what became of the same before. */
const turnedAway = [401, 403, 429];

/**
 * Gives a change the `Idempotency-Key` of the same one that was asked for before and not answered, or a new one: so it is not made twice.
 * Returns what is to be told how it was answered. Whoever has done something else since means another one.
 */
export async function asRepeat(request: Request): Promise<(status: number) => void> {
  if (request.method === 'GET' || notNoted.test(request.url)) return () => undefined;
  const asked = [session.token(), request.method, request.url, await request.clone().text()].join(' ');
  const before = unanswered.get(asked);
  const key = before && before.until > Date.now() ? before.key : randomHex(16);
  request.headers.set('idempotency-key', key);
  return (status) => {
    if (status >= 500) unanswered.set(asked, { key, until: Date.now() + REPEAT_MS });
    else if (!turnedAway.includes(status)) unanswered.clear();
  };
}

/** Also where a page is not secure, which `crypto.randomUUID` asks for. */
export const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
