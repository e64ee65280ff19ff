import { basename, join, parse, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compileFunction } from 'node:vm';
import { root } from '@clinic/local/paths';
import { build, type Plugin } from 'esbuild';

/** Who is signed in, as the pages know it. */
export interface Reader {
  role?: 'admin' | 'manager' | 'staff' | 'auditor' | 'operator';
  rights?: string[];
  clinic?: { country?: string; timezone?: string; currency?: string; isMonthFirst?: boolean; voiceProvider?: string };
}

interface Shown {
  as?: Reader;
  /** The page's address, and the pattern of its route where it has parameters. */
  at?: string;
  path?: string;
  /** Of the entry of the history. */
  state?: object;
  /** What the service has answered, by the key of the query. */
  answers?: [key: unknown, answer: unknown][];
  /** What it has refused. */
  refused?: [key: unknown, error: unknown][];
  /** The rows of lists, whatever their filters, by the name of what is read: `getCases`. */
  lists?: Record<string, object[]>;
  /** What else stands on their first page. */
  first?: object;
  /** How wide every element is, in px: nothing, unless a test says so. */
  width?: number;
}

/** A function of the dashboard whose types stand there. */
export type Computed = (...given: unknown[]) => unknown;

export interface Stage {
  /** The markup of a component, as it is before anybody does something. */
  show(component: unknown, props?: object, shown?: Shown): string;
  /** How a list asks the service at an address: the filters of the area's list. */
  filtersOf(component: unknown, list: string, at: string): unknown;
  /** What a hook returns. */
  use<Result>(hook: () => Result, shown?: Shown): Result;
  /** What actions have told since this was asked last. */
  said(): Said[];
  /** The dialog that an action has opened since this was asked last, as one that asks or shows a secret: to be acted on. */
  dialog(): Acting & { texts: string[] };
  /** Which scripts have been asked for that come later: those that a test has named are there at once. */
  later: string[];
  /** Lets somebody act on a component. */
  act(component: unknown, props?: object, shown?: Shown): Acting;
  /** Does what a hook does once it is shown: how that ends, and to what it has changed its states by then. */
  begin(hook: () => unknown, shown?: Shown & { queries?: object }): Begun;
}

export interface Said {
  message: string;
  color: string;
  /** What can be done about it. */
  label?: string;
  onClick?: () => void;
}

export interface Given {
  label?: unknown;
  children?: unknown;
  onChange?: (value: unknown) => void;
  onClick?: () => void;
  onBlur?: (event: object) => void;
  onKeyDown?: (event: object) => void;
  onSubmit?: (event: Event) => void;
  form?: { submit?: (event: Event) => void };
  [name: string]: unknown;
}

/** What somebody does with a component: what it shows stays as it was, until it is shown again. */
export interface Acting {
  /** What an element is given that is such a one, or the innermost that is given something of this name. */
  given(is: string | ((given: Given) => unknown)): Given;
  /** The field of this label. */
  field(label: string): Given;
  /** Types into the box of this label. */
  type(label: string, text: string): void;
  /** Leaves it. */
  blur(label: string): void;
  /** The button of this label, or the line of a menu. */
  button(label: string): Given;
  /** Clicks it. */
  click(label: string): void;
  /** A key while the focus is on one of its buttons: which of them has it then, and was clicked. */
  press(key: string, buttons: number, from: number): { focused: number[]; clicked: number[]; isTaken: boolean };
  /** Of its form, which a dialog may hold: where there are several, of the one whose button says so. */
  submit(action?: string): void;
  /** Shows it again, with the states that it has changed: its markup. */
  again(): string;
  /** How it asks the service for this. */
  option(id: string): object | undefined;
  /** It is shown: what it does then, and how that ends. */
  begin(): () => void;
  /** It is there no more. */
  leave(): void;
  /** Waits until the service has answered all that was asked of it. */
  settled(): Promise<void>;
  /** Where it has led. */
  address(): Promise<string>;
  /** Which answers of the service are to be read again. */
  stale(): string[];
  /** Which of them it has at all. */
  known(): string[];
}

export interface Begun {
  end(): void;
  states: unknown[];
}

/** Node's own `require` (environment.cjs): libraries are loaded once for all files of tests. */
declare const requireOnce: NodeJS.Require;

interface Browser {
  /** Its languages, the preferred one first. */
  languages?: string[];
  /** What is in its storages. */
  stored?: Record<string, string>;
  [global: string]: unknown;
}

/**
 * Modules of the dashboard, without a browser: bundled with what they import, their texts in English. `files` gives the path of each
 * by the name under which it is wanted.
 */
export async function dashboardModules<Modules extends object>(
  files: { [Name in keyof Modules]: string },
  browser: Browser = {},
): Promise<Modules & Stage> {
  const entries = Object.entries<string>(files).map(
    ([name, file]) => `export * as ${name} from './${relative(root, file)}';`,
  );
  const contents = [...entries, `export * as stage from './test/dashboard/stage/stage.mjs';`].join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    write: false,
    outdir: root,
    format: 'cjs',
    platform: 'node',
    packages: 'external',
    jsx: 'automatic',
    supported: { 'dynamic-import': false },
    loader: { '.css': 'empty', '.svg': 'empty' },
    plugins: [forNode],
    logLevel: 'error',
  });
  const made = {
    exports: {} as Modules & {
      stage: {
        show(...given: unknown[]): string;
        asks(...given: unknown[]): [{ _id?: string }, unknown][];
        begin(...given: unknown[]): Begun;
        act(
          ...given: unknown[]
        ): { elements: () => Given[]; isBusy: () => boolean } & Pick<
          Acting,
          'stale' | 'known' | 'again' | 'address' | 'option' | 'begin' | 'leave'
        >;
        said(): Said[];
        asked(): unknown;
      };
    },
  };
  const later: string[] = [];
  const required = (name: string): unknown => {
    if (!name.startsWith('.')) return requireForUse(name);
    later.push(name);
    const isIt = ([, file]: [string, string]) => parse(file).name === basename(name);
    const found = Object.entries<string>(files).find(isIt);
    if (!found) throw new Error('comes later');
    return (made.exports as Record<string, unknown>)[found[0]];
  };
  const globals: Record<string, unknown> = { ...emptyBrowser(browser), require: required, module: made };
  const run = compileFunction(outputFiles[0]?.text ?? '', Object.keys(globals)) as (...given: unknown[]) => void;
  run(...Object.values(globals));
  const { stage } = made.exports;
  const show: Stage['show'] = (component, props = {}, { as = {}, ...rest } = {}) =>
    stage.show(component, props, { account: accountOf(as), ...rest });
  return {
    ...made.exports,
    show,
    said: stage.said,
    dialog(this: Stage) {
      const shown = this.act(stage.asked());
      return { ...shown, texts: textsIn(shown.again()) };
    },
    later,
    filtersOf(component, list, at) {
      const keys = stage.asks(component, {}, { account: accountOf({}), at });
      return keys.find(([{ _id: name }]) => name === `${list}List`)?.[1];
    },
    use<Result>(hook: () => Result, shown?: Shown) {
      const found: Result[] = [];
      const Asking = () => {
        found.push(hook());
        return null;
      };
      show(Asking, {}, shown);
      return found[0] as Result;
    },
    act(component, props = {}, { as = {}, ...rest } = {}) {
      const { elements, isBusy, ...acted } = stage.act(component, props, { account: accountOf(as), ...rest });
      const found = (is: (given: Given) => unknown, from = elements()) => {
        const element = from.find(is);
        if (!element) throw new Error('nothing there is such an element');
        return element;
      };
      const isField =
        (name: string) =>
        ({ label, 'aria-label': spoken, onChange }: Given) =>
          (label ?? spoken) === name && onChange;
      const button = (name: string) =>
        found(
          ({ label, 'aria-label': spoken, children, onClick }) => [label, spoken, children].includes(name) && onClick,
        );
      // It reads the events of the browser.
      const innermost = (name: string) => found(isField(name), elements().toReversed());
      return {
        ...acted,
        async settled() {
          let left = 2_000;
          do await delay(1);
          while (isBusy() && (left -= 1) > 0);
          if (left === 0) throw new Error('the service has not answered');
        },
        field: (name) => found(isField(name)),
        given: (is) =>
          typeof is === 'string' ? found((each) => each[is] !== undefined, elements().toReversed()) : found(is),
        type(name, value) {
          innermost(name).onChange?.({ currentTarget: { value } });
        },
        blur: (name) => innermost(name).onBlur?.({}),
        button,
        click: (name) => button(name).onClick?.(),
        press(key, count, from) {
          const done = { focused: [] as number[], clicked: [] as number[], isTaken: false };
          const buttons = Array.from({ length: count }, (_, at) => ({
            focus: () => void done.focused.push(at),
            click: () => void done.clicked.push(at),
          }));
          found(({ onKeyDown }) => onKeyDown).onKeyDown?.({
            key,
            target: buttons[from],
            currentTarget: { querySelectorAll: () => buttons },
            preventDefault() {
              done.isTaken = true;
            },
          });
          return done;
        },
        submit(action) {
          const isIt = (does: unknown) => action === undefined || does === action;
          // A dialog hears of its form, and sends nothing.
          const isForm = ({ form: held, onSubmit: on, opened }: Given) => held?.submit ?? (opened === undefined && on);
          const { form, onSubmit } = found((each) => isForm(each) && isIt(each['action']));
          const event = new Event('submit', { cancelable: true });
          (form?.submit ?? onSubmit)?.(event);
          if (!event.defaultPrevented) throw new Error('the browser would send the form, and leave the page');
        },
      };
    },
    begin(hook, { as = {}, ...rest } = {}) {
      const Asking = () => {
        hook();
        return null;
      };
      return stage.begin(Asking, {}, { account: accountOf(as), ...rest });
    },
  };
}

/** A library as people get it: React looks into every element that it makes for those who build with it, which takes longer than the pages do. */
export function requireForUse(name: string): unknown {
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    return requireOnce(name);
  } finally {
    process.env['NODE_ENV'] = NODE_ENV;
  }
}

const decoded = (text: string) =>
  text
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The texts of a markup, one for each element that has some. */
export const textsIn = (markup: string): string[] =>
  markup
    .replaceAll(/<style[\s\S]*?<\/style>/g, '')
    .split(/<[^>]*>/)
    .map(decoded)
    .filter((text) => text !== '');

/** Where its links lead to, by their texts. */
export const linksIn = (markup: string): [text: string, to: string][] =>
  [...markup.matchAll(/<a\b[^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].map(([, to = '', inside = '']) => [
    textsIn(inside).join(' '),
    decoded(to),
  ]);

/** Its radio buttons: what each stands for, and whether it is chosen. */
export const radiosIn = (markup: string): [value: string, isChosen: boolean][] =>
  [...markup.matchAll(/<input[^>]*type="radio"[^>]*value="([^"]*)"[^>]*>/g)].map(([tag, value = '']) => [
    value,
    tag.includes(' checked=""'),
  ]);

const forNode: Plugin = {
  name: 'for-node',
  setup({ onResolve }) {
    // What is shown later, by a script of its own.
    onResolve({ filter: /^\./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : null));
    onResolve({ filter: /^react-router$/ }, ({ importer }) =>
      importer.startsWith(join(root, 'dashboard/')) ? { path: join(__dirname, 'router.mjs') } : null,
    );
    onResolve({ filter: /^react$/ }, ({ importer }) =>
      importer.startsWith(join(root, 'dashboard/')) || importer.includes('/@mantine/')
        ? { path: join(__dirname, 'react.mjs') }
        : null,
    );
    onResolve({ filter: /^@tanstack\/react-query$/ }, ({ importer }) =>
      importer.startsWith(join(root, 'dashboard/')) ? { path: join(__dirname, 'query.mjs') } : null,
    );
    onResolve({ filter: /^@mantine\/form$/ }, ({ path }) => ({
      path: require.resolve(path).replace('/cjs/index.cjs', '/esm/index.mjs'),
    }));
    // What they keep is kept as what a component does itself, and they ask the same browser.
    onResolve({ filter: /^@mantine\/hooks$/ }, ({ importer }) => {
      if (importer.startsWith(join(root, 'dashboard/'))) return { path: join(__dirname, 'hooks.mjs') };
      return importer.startsWith(__dirname) ? { path: join(root, 'node_modules/@mantine/hooks/esm/index.mjs') } : null;
    });
    onResolve({ filter: /^@mantine\/modals$/ }, ({ importer }) =>
      importer.startsWith(join(root, 'dashboard/')) ? { path: join(__dirname, 'modals.mjs') } : null,
    );
    onResolve({ filter: /^react\/jsx-runtime$/ }, ({ importer }) =>
      importer.startsWith(join(root, 'dashboard/')) ? { path: join(__dirname, 'jsx-runtime.mjs') } : null,
    );
    // It asks the browser as the dashboard does.
    onResolve({ filter: /^@simplewebauthn\/browser$/ }, ({ path }) => ({ path: require.resolve(path) }));
    onResolve({ filter: /^#texts$/ }, () => ({ path: join(__dirname, 'texts.mjs') }));
  },
};

/** Whose pages are shown, where a test gives no other. */
export const clinicShown = {
  id: 'clinic-1',
  name: 'North Clinic',
  timezone: 'America/New_York',
  country: 'US',
  currency: 'USD',
  isMonthFirst: true,
  voiceProvider: 'simulator',
  language: 'en',
};

function accountOf({ role = 'admin', rights = [], clinic }: Reader) {
  return {
    accountId: 'account-1',
    name: 'Clinic admin',
    email: 'admin@example.com',
    role,
    rights,
    clinic: { ...clinicShown, ...clinic },
    baseUrl: 'https://clinic.example/api',
    temporalWorkflowsUrl: 'https://temporal.example/namespaces/default/workflows',
  };
}

/** Its addresses begin where the page is. */
export class RequestFromPage extends Request {
  constructor(input: string | Request, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, 'https://clinic.example') : input, init);
  }
}

/** Where the page is. */
export const placeShown = { pathname: '/', search: '', hostname: 'clinic.example', origin: 'https://clinic.example' };

/** A document with nothing on it. */
export function emptyDocument() {
  const events = new EventTarget();
  return {
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
    documentElement: { lang: 'en' },
    visibilityState: 'visible',
    activeElement: null as unknown,
    querySelectorAll: () => [],
  };
}

/** What modules ask of a browser as they are loaded. */
function emptyBrowser({ languages = ['en-US'], stored = {}, ...others }: Browser): Record<string, unknown> {
  const storage = () => {
    const kept = new Map(Object.entries(stored));
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    };
  };
  const events = new EventTarget();
  const location = { ...placeShown };
  const [localStorage, sessionStorage] = [storage(), storage()];
  const listening = {
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
  };
  return {
    navigator: { language: languages[0], languages, onLine: true, userAgent: '' },
    localStorage,
    sessionStorage,
    location,
    window: { ...listening, location, localStorage, sessionStorage },
    document: emptyDocument(),
    setTimeout: (run: () => void, ms?: number) => setTimeout(run, ms).unref(),
    Request: RequestFromPage,
    // Nothing is ever drawn.
    requestAnimationFrame: () => 0,
    ...others,
  };
}
