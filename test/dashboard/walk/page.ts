import { join } from 'node:path';
import { Script } from 'node:vm';
import { documentedRoutes } from '@clinic/api/openapi/documented-routes';
import { openApiDocument } from '@clinic/api/openapi/document';
import { root } from '@clinic/local/paths';
import { rightsOfRole } from '@clinic/shared/domain/accounts/rights';
import { build } from 'esbuild';
import { clinicShown, RequestFromPage } from '../stage/dashboard';
import { type Answer, documentedAnswers, type Fullness, now, type Refused } from './answers';
import { elementsIn, type Jsdom, type Part, type Window } from './document';
import { nameOf, outlineOf } from './outline';

/** Node's own `require` (environment.cjs): libraries are loaded once for all files of tests. */
declare const requireOnce: NodeJS.Require;

export interface Opened {
  at: string;
  fullness: Fullness;
  /** Of answers that are mixed: the first of them is as the row of this number. */
  turn?: number;
  /** As wide as a phone. */
  isNarrow?: boolean;
  /** What the service answers besides what its document says, by the operation: of an object, the members given; or by the path. */
  own?: Record<string, unknown>;
  /** What it refuses with these words, by the operation. */
  refused?: Record<string, Refused>;
  /** What the tab kept from before: a session, unless it is said. */
  kept?: Record<string, string>;
  /** What is to be changed is not answered before. */
  held?: Promise<void>;
  /** Whether it is what somebody has before them. */
  isSeen?: boolean;
  /** The moment that it is, where it is to be another one later. */
  clock?: Clock;
}

interface Clock {
  at: number;
}

interface Asked {
  method: string;
  path: string;
  body: unknown;
}

/** What was saved as a file. */
interface Saved {
  name: string;
  type: string;
  text: string;
  /** Whether the browser still keeps it for the page. */
  isHeld: boolean;
}

interface Place {
  address: string;
  state: unknown;
}

export interface Page {
  /** What is said and offered, but for the frame of all pages. */
  outline(): string[];
  address(): string;
  /** What was asked of the service since this was asked last. */
  asked(): Asked[];
  saved(): Promise<Saved[]>;
  /** What the page has thrown, or written to its console as an error. */
  problems: string[];
  /** What can be clicked or typed into, in the order of the page. */
  doable(): Part[];
  /** What is shown and cannot be done yet. */
  disabled(): Part[];
  click(element: Part): Promise<void>;
  /** Then leaves it, or presses a key at once, or stays. */
  type(element: Part, text: string, then?: { key?: string; stays?: boolean }): Promise<void>;
  press(key: string, besides?: object): Promise<void>;
  /** Chooses a file of this text, where one is to be chosen. */
  choose(name: string, text: string): Promise<void>;
  /** Lets so much time pass, as until a notice goes away by itself. */
  wait(ms: number): Promise<void>;
  place(): Place;
  /** The browser's Back. */
  back(): Promise<void>;
  /** Goes back in the history to where it was. */
  returnTo(place: Place): Promise<void>;
  leave(): void;
}

export interface Dashboard {
  open(opened: Opened): Promise<Page>;
}

/** What the tab of somebody who is signed in keeps. */
const signedIn = { 'clinic-workflows-session': 'the-token' };

/** Who is signed in, where nobody else is given. */
const session = {
  accountId: 'account-1',
  name: 'Ana Ruiz',
  email: 'ana@example.com',
  role: 'admin',
  rights: rightsOfRole.admin,
  needsSecondFactor: false,
  clinic: clinicShown,
};

/**
 * The whole dashboard without a browser: bundled once, and run anew for each page in a document that has no layout (jsdom). The network
 * is what the service's document says; timers run (they are Jest's), and it is always the same moment.
 */
export async function buildDashboard(): Promise<Dashboard> {
  // Of the reader, wherever the tests run.
  process.env.TZ = session.clinic.timezone;
  const { outputFiles } = await build({
    entryPoints: [require.resolve('../../../dashboard/start.tsx')],
    absWorkingDir: root,
    outdir: root,
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.css': 'empty', '.module.css': 'local-css' },
    alias: { '#texts': join(__dirname, '../stage/texts.mjs') },
    logLevel: 'error',
  });
  const text = outputFiles.find(({ path }) => path.endsWith('.js'))?.text ?? '';
  const script = new Script(text, { filename: 'dashboard.js' });
  const answerOf = documentedAnswers(openApiDocument(documentedRoutes()));
  return { open: (opened) => openPage(script, answerOf, opened) };
}

const site = 'https://clinic.example';
const isDisabled = (element: Part): boolean =>
  element.hasAttribute('disabled') || element.hasAttribute('data-disabled');
const roles = new Set<string | null>(['menuitem', 'tab', 'option']);
const isDoable = (element: Part): boolean =>
  ['BUTTON', 'TEXTAREA'].includes(element.tagName) ||
  (element.tagName === 'INPUT' && element.getAttribute('type') !== 'hidden') ||
  roles.has(element.getAttribute('role'));

/** It is shown when as many rounds have changed nothing, at most so many are waited for. */
const [QUIET_ROUNDS, MOST_ROUNDS, ROUND_MS] = [6, 60, 100];

async function openPage(
  script: Script,
  answerOf: ReturnType<typeof documentedAnswers>,
  {
    at,
    fullness,
    turn,
    isNarrow = false,
    own = {},
    refused = {},
    kept = signedIn,
    held,
    isSeen = false,
    clock = { at: now },
  }: Opened,
): Promise<Page> {
  // While a page is open alone: Jest waits for its own.
  jest.useFakeTimers({ now, doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const { JSDOM, VirtualConsole } = requireOnce(require.resolve('jsdom')) as Jsdom;
  const problems: string[] = [];
  const virtualConsole = new VirtualConsole();
  const note = (said: unknown) => problems.push(String(said).split('\n')[0] ?? '');
  virtualConsole.on(
    'jsdomError',
    ({ message }: Error) => void (message.startsWith('Not implemented: navigation') || note(message)),
  );
  virtualConsole.on('error', note);
  const dom = new JSDOM('<!doctype html><html lang="en"><body><div id="root"></div></body></html>', {
    url: `${site}${at}`,
    runScripts: 'outside-only',
    virtualConsole,
  });
  const { window } = dom;
  const { document } = window;
  const service = answering((method, path) => {
    const given = { getAuthSession: session, getPauses: { items: [] }, ...own };
    return answerOf(method, path, { fullness, turn, refused, own: given });
  }, held);
  const close = window.close.bind(window);
  furnish(window, service.fetch, { isNarrow, clock });
  let changes = 0;
  new window.MutationObserver((seen) => (changes += seen.length)).observe(document, { childList: true, subtree: true });
  if (isSeen) Object.defineProperty(document, 'visibilityState', { value: 'visible' });
  for (const [key, value] of Object.entries(kept)) window.sessionStorage.setItem(key, value);
  const files = filesOf(window);
  script.runInContext(dom.getInternalVMContext());

  const settle = async () => {
    let [quiet, last] = [0, -1];
    for (let round = 0; round < MOST_ROUNDS && quiet < QUIET_ROUNDS; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      jest.advanceTimersByTime(ROUND_MS);
      await new Promise((resolve) => setImmediate(resolve));
      const count = service.counted() + changes;
      quiet = service.isIdle() && count === last ? quiet + 1 : 0;
      last = count;
    }
  };
  const shown = (): Part[] => {
    const main = document.querySelector('main');
    const apart = [...document.body.children].filter(({ id }) => id !== 'root');
    return main ? [main, ...apart] : [document.body];
  };
  const named = () =>
    shown()
      .flatMap((part) => elementsIn(part, isDoable))
      .filter((each) => nameOf(each) !== '');
  const address = () => `${window.location.pathname}${window.location.search}`;
  const pressed = (key: string, besides: object = {}) => {
    const target = document.activeElement ?? document.body;
    const event = { key, code: key, bubbles: true, cancelable: true, ...besides };
    for (const type of ['keydown', 'keyup']) target.dispatchEvent(new window.KeyboardEvent(type, event));
  };
  await settle();
  return {
    outline: () => shown().flatMap(outlineOf),
    address,
    asked: service.asked,
    saved: files,
    problems,
    doable: () => named().filter((each) => !isDisabled(each)),
    disabled: () => named().filter(isDisabled),
    async click(element) {
      element.focus();
      element.click();
      await settle();
    },
    async type(element, text, { key, stays = key !== undefined } = {}) {
      const { prototype } = element.tagName === 'TEXTAREA' ? window.HTMLTextAreaElement : window.HTMLInputElement;
      element.focus();
      // As a browser does it for somebody who types, which React listens to.
      Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(element, text);
      element.dispatchEvent(new window.Event('input', { bubbles: true }));
      if (key) pressed(key);
      await settle();
      if (stays) return;
      element.blur();
      await settle();
    },
    async press(key, besides) {
      pressed(key, besides);
      await settle();
    },
    async choose(name, text) {
      const input = document.querySelector('input[type=file]');
      if (input)
        Object.defineProperty(input, 'files', { value: [{ name, text: async () => text }], configurable: true });
      input?.dispatchEvent(new window.Event('change', { bubbles: true }));
      await settle();
    },
    async wait(ms) {
      jest.advanceTimersByTime(ms);
      await settle();
    },
    async back() {
      window.history.back();
      await settle();
    },
    place: () => ({ address: address(), state: window.history.state }),
    async returnTo({ address: wanted, state }) {
      if (wanted === address()) return;
      // As a step back: jsdom's own takes place at a time of its choice.
      window.history.pushState(state, '', wanted);
      window.dispatchEvent(new window.PopStateEvent('popstate', { state }));
      await settle();
    },
    leave() {
      jest.clearAllTimers();
      close();
      jest.useRealTimers();
    },
  };
}

/** What the dashboard finds in a browser and not in jsdom. */
function furnish(
  window: Window,
  fetch: (request: Request) => Promise<Response>,
  { isNarrow, clock }: { isNarrow: boolean; clock: Clock },
): void {
  const none = () => {};
  const media = { addEventListener: none, removeEventListener: none };
  Object.assign(window, {
    fetch: async (input: string | Request, init?: RequestInit) =>
      fetch(input instanceof Request ? input : new LastingRequest(input, init)),
    Request: LastingRequest,
    Response,
    Headers,
    TextDecoderStream,
    TextEncoder,
    structuredClone,
    setImmediate,
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    requestAnimationFrame: (draw: (at: number) => void) => setTimeout(() => draw(0), 16),
    cancelAnimationFrame: clearTimeout,
    Date: dateOn(clock),
    matchMedia: (query: string) => ({ ...media, matches: isNarrow && query.includes('max-width') }),
    ResizeObserver: NeverObserves,
    IntersectionObserver: NeverObserves,
    // Without a layout nothing else is asked of it.
    getComputedStyle: ({ style }: Part) => style,
    visualViewport: new EventTarget(),
    CSS: { escape: (text: string) => text, supports: () => false },
    scrollTo: none,
    print: none,
    close: none,
    // Of dashboards that say what of them is run (note-reached.cjs).
    noteReached: Reflect.get(globalThis, 'noteReached'),
  });
  const performance = { now: () => Date.now() - now, mark: none, measure: none, getEntriesByName: () => [] };
  Object.defineProperty(window, 'performance', { value: performance });
  Object.defineProperty(window.document, 'fonts', { value: new EventTarget() });
  Object.assign(window.Element.prototype, { scrollIntoView: none, scrollTo: none, checkVisibility: () => true });
}

/** What a page has the browser save: jsdom has no files. */
function filesOf(window: Window): () => Promise<Saved[]> {
  const made: Blob[] = [];
  const held = new Set<string>();
  const saved: { name: string; address: string }[] = [];
  Object.assign(window, { Blob });
  Object.assign(window.URL, {
    createObjectURL(blob: Blob) {
      const address = `blob:${made.push(blob)}`;
      held.add(address);
      return address;
    },
    revokeObjectURL: (address: string) => void held.delete(address),
  });
  const { click } = window.HTMLElement.prototype;
  Object.assign(window.HTMLAnchorElement.prototype, {
    click(this: { download: string; href: string }) {
      if (held.has(this.href)) saved.push({ name: this.download, address: this.href });
      else Reflect.apply(click, this, []);
    },
  });
  return () =>
    Promise.all(
      saved.map(async ({ name, address }) => {
        const blob = made[Number(address.slice('blob:'.length)) - 1];
        return { name, type: blob?.type ?? '', text: (await blob?.text()) ?? '', isHeld: held.has(address) };
      }),
    );
}

/** Nobody gives it up: jsdom's signals are none of Node's. */
class LastingRequest extends RequestFromPage {
  constructor(input: string | Request, init?: RequestInit) {
    super(input, { ...init, signal: null });
  }
}

/** What is shown does not change by itself. */
const dateOn = (clock: Clock) =>
  class StandingStill extends Date {
    constructor(...given: [] | [number | string]) {
      super(given.length === 0 ? clock.at : given[0]);
    }
    static override now = () => clock.at;
  };

class NeverObserves {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** A service that answers so, and keeps what it is asked. */
function answering(answerOf: (method: string, path: string) => Answer | null, held?: Promise<void>) {
  let asked: Asked[] = [];
  let counted = 0;
  let underWay = 0;
  const reply = async (request: Request): Promise<Response> => {
    const { pathname, search, searchParams } = new URL(request.url);
    const text = await request.text();
    const named = request.headers.get('x-query');
    const path = `${pathname}${search}${named ? ` (${named})` : ''}`;
    const isJson = request.headers.get('content-type')?.includes('json') ?? false;
    asked.push({ method: request.method, path, body: isJson && text !== '' ? JSON.parse(text) : text || undefined });
    counted += 1;
    if (held && request.method !== 'GET') await held;
    const answer = answerOf(request.method, pathname);
    if (!answer) return Response.json({ statusCode: 404, message: 'Not found', code: 'not_found' }, { status: 404 });
    const { status, body, type } = answer;
    // The second page of a list is its last.
    if (searchParams.has('cursor')) Object.assign(body ?? {}, { nextCursor: null });
    if (type.includes('event-stream')) return new Response(new ReadableStream(), { headers: { 'content-type': type } });
    if (body === undefined) return new Response(null, { status });
    return typeof body === 'string'
      ? new Response(body, { status, headers: { 'content-type': type } })
      : Response.json(body, { status });
  };
  return {
    async fetch(request: Request): Promise<Response> {
      underWay += 1;
      return reply(request).finally(() => (underWay -= 1));
    },
    asked() {
      const taken = asked;
      asked = [];
      return taken;
    },
    counted: () => counted,
    isIdle: () => underWay === 0,
  };
}
