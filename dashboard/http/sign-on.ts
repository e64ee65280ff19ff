import * as api from '#api';
import { t } from '#texts';

const storageKey = 'clinic-workflows-sign-on';
/** By which another window of this dashboard tells, for a moment, that the identity provider sent it back. */
const returnKey = 'clinic-workflows-sign-on-return';
const MINUTES = 10;

interface Returned {
  clinicId: string;
  /** The query of the address that the identity provider sent the browser to. */
  response: string;
}

/** What the page that began keeps: it never travels in an address. */
interface Begun {
  key: string;
  from: string;
}

/** Leaves this page for the identity provider of the organisation. Rejects with a refusal. */
export async function leaveToSignOn({ email, from }: { email: string; from: string }): Promise<void> {
  const { data } = await api.postAuthSignInSsoBegin({ body: { email }, throwOnError: true });
  const begun: Begun = { key: data.key, from };
  sessionStorage.setItem(storageKey, JSON.stringify(begun));
  window.location.assign(data.url);
}

/** Whether this window left to sign in: one that was opened to prove who somebody is did not. */
export const hasLeftToSignOn = (): boolean => readBegun() !== null;

/** Back from the identity provider: the token, and where the person was before. Rejects with a refusal. */
export async function returnFromSignOn(returned: Returned): Promise<{ token: string; from: string }> {
  const begun = readBegun();
  sessionStorage.removeItem(storageKey);
  if (!begun) throw { message: t`This sign-in was begun in another window: begin again here.` };
  const { data } = await api.postAuthSignInSso({ body: { ...returned, key: begun.key }, throwOnError: true });
  return { token: data.token, from: begun.from };
}

/** Tells the window that opened this one what the identity provider sent. */
export function passOn(returned: Returned): void {
  localStorage.setItem(returnKey, JSON.stringify(returned));
  localStorage.removeItem(returnKey);
}

/** Proves in a window of its own who has the session. Rejects with a refusal, or where nobody comes back. */
export async function stepUpBySignOn(): Promise<void> {
  // Opened at once, with the click: browsers refuse a window that comes later.
  const opened = window.open('about:blank', '_blank', 'popup,width=520,height=720');
  if (!opened) throw { message: t`The browser has not opened the window: allow pop-ups for this page.` };
  try {
    opened.sessionStorage.removeItem(storageKey);
    const { data } = await api.postAuthStepUpSsoBegin({ throwOnError: true });
    const coming = comesBack(new URL(data.url).searchParams.get('state'));
    opened.location.assign(data.url);
    const returned = await coming;
    await api.postAuthStepUpSso({ body: { ...returned, key: data.key }, throwOnError: true });
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** What another window passes on that belongs to this state. */
function comesBack(state: string | null): Promise<Returned> {
  const stop = new AbortController();
  return new Promise<Returned>((resolve, reject) => {
    const late = () => reject({ message: t`Nobody came back from your organisation’s sign-in.` });
    const timer = setTimeout(late, MINUTES * 60_000);
    stop.signal.addEventListener('abort', () => clearTimeout(timer));
    const listen = ({ key, newValue }: StorageEvent) => {
      if (key !== returnKey || newValue === null) return;
      const returned = JSON.parse(newValue) as Returned;
      if (new URLSearchParams(returned.response).get('state') === state) resolve(returned);
    };
    window.addEventListener('storage', listen, { signal: stop.signal });
  }).finally(() => stop.abort());
}

function readBegun(): Begun | null {
  const kept = sessionStorage.getItem(storageKey);
  return kept === null ? null : (JSON.parse(kept) as Begun);
}
