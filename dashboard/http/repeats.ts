import { session } from './session';

/** Who asks for the same later than this means another one. */
const REPEAT_MS = 5 * 60_000;

/** What was asked of the service and may have been done, though no answer came: by all that was asked, the key under which it was. */
const unanswered = new Map<string, Asked & { key: string; until: number }>();

/** What a change is about, as `pauses` or `appointments/one`, and what is done with it. */
interface Asked {
  thing: string;
  way: string;
}

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
  const about = aboutOf(request, asked);
  return (status) => {
    if (turnedAway.includes(status)) return;
    if (status < 500) return unanswered.clear();
    for (const [other, its] of unanswered) if (mayUndo(about, its)) unanswered.delete(other);
    unanswered.set(asked, { ...about, key, until: Date.now() + REPEAT_MS });
  };
}

function aboutOf({ method, url }: Request, asked: string): Asked {
  const { pathname } = new URL(url);
  const thing = pathname.split('/').slice(2, 4).join('/');
  // A visit is moved there and back at one address; what is added at one address stands beside what was added before.
  return { thing, way: pathname.endsWith('/reschedule') ? asked : `${method} ${pathname}` };
}

/** As to resume what was paused: it may have been done too, whatever its answer was. */
const mayUndo = (one: Asked, other: Asked): boolean =>
  one.way !== other.way && (one.thing.startsWith(other.thing) || other.thing.startsWith(one.thing));

/** Also where a page is not secure, which `crypto.randomUUID` asks for. */
export const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
