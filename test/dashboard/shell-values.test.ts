import {
  type Computed,
  dashboardModules,
  linksIn,
  type Reader,
  RequestFromPage,
  requireForUse,
  type Stage,
  textsIn,
} from './stage/dashboard';
import { type Element, emptyPage } from './stage/page';
import type { Part } from './walk/document';

/** What stands around every page: its keys, the finder, who is signed in, pauses, areas of settings, new tasks, without a browser. */
interface Option {
  (given?: object): { queryKey: unknown };
}
interface Hit {
  key: string;
  title: string;
  note: string;
  opens: object;
}
interface Modules {
  api: Record<
    | 'getAuthSessionOptions'
    | 'getOverviewOptions'
    | 'getPausesOptions'
    | 'getCallingPolicyPreviewOptions'
    | 'getIntegrationsAreasOptions'
    | 'getTasksOptions'
    | 'getTasksAssignedOptions'
    | 'getAuthStepUpOptions'
    | 'getPatientsOptions',
    Option
  >;
  allowed: Record<'For' | 'ForOperators', unknown>;
  areas: { Areas: unknown };
  brand: { Front: unknown };
  colors: { ColorScheme: unknown };
  finder: { Finder: unknown };
  languages: { LanguageChoice: unknown };
  layout: { Layout: unknown };
  navigation: { connectionAreas: object[]; clinicAreas: object[] };
  notFound: { NotFound: unknown };
  notices: { TaskNotices: unknown; useTaskNotices: () => { isOn: boolean; turn: (isOn: boolean) => Promise<void> } };
  pageKeys: { pageKeys: Record<string, string> };
  pauses: { Pauses: unknown };
  resuming: { Resuming: unknown };
  search: { Search: unknown };
  session: { session: { open: (token: string) => void; close: Computed; current: () => object } };
  shortcuts: { Shortcuts: unknown };
  stepUp: { StepUpDialog: unknown };
  asking: { stepUp: { ask: () => Promise<boolean>; settle: (isProved: boolean) => void } };
}

const { window, page, browser, localStorage, at, press } = emptyPage();
/** What was brought into sight. */
let seen: string[] = [];
Object.assign(browser.HTMLElement.prototype, {
  scrollIntoView(this: Part) {
    seen.push(this.id);
  },
});

let shell: Modules & Stage;
/** What was asked of the service, with whose token, and how it answers. */
let requests: unknown[] = [];
let status = 200;
/** What the window opened. */
let opened: unknown[] = [];
/** What the browser told by itself, and what it asked. */
class Notification {
  static permission = 'granted';
  static answer = 'granted';
  static told: Notification[] = [];
  static requestPermission = async () => Notification.answer;
  clicked = () => {};
  isClosed = false;
  constructor(
    readonly title: string,
    readonly options: object,
  ) {
    Notification.told.push(this);
  }
  addEventListener(_type: 'click', clicked: () => void) {
    this.clicked = clicked;
  }
  close() {
    this.isClosed = true;
  }
}
let isNarrow = false;
let focusedWindows = 0;
const network = { onLine: true };
const browserWindow = Object.assign(window, {
  matchMedia: (query: string) => ({ matches: isNarrow && query.includes('max-width') }),
  open: (...given: unknown[]) => void opened.push(given),
  focus: () => void (focusedWindows += 1),
  isSecureContext: true,
});

beforeAll(async () => {
  shell = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      allowed: require.resolve('../../dashboard/shell/allowed.tsx'),
      areas: require.resolve('../../dashboard/shell/settings-layout.tsx'),
      asking: require.resolve('../../dashboard/http/step-up.ts'),
      brand: require.resolve('../../dashboard/shell/brand.tsx'),
      colors: require.resolve('../../dashboard/shell/color-scheme.tsx'),
      finder: require.resolve('../../dashboard/shell/finder.tsx'),
      languages: require.resolve('../../dashboard/shell/language-choice.tsx'),
      layout: require.resolve('../../dashboard/shell/layout.tsx'),
      navigation: require.resolve('../../dashboard/shell/navigation.ts'),
      notFound: require.resolve('../../dashboard/shell/not-found.tsx'),
      notices: require.resolve('../../dashboard/shell/task-notices.tsx'),
      pageKeys: require.resolve('../../dashboard/shell/page-keys.ts'),
      pauses: require.resolve('../../dashboard/shell/pauses.tsx'),
      resuming: require.resolve('../../dashboard/shell/resuming.tsx'),
      search: require.resolve('../../dashboard/shell/finder-search.tsx'),
      session: require.resolve('../../dashboard/http/session.ts'),
      shortcuts: require.resolve('../../dashboard/shell/shortcuts.tsx'),
      stepUp: require.resolve('../../dashboard/shell/step-up-dialog.tsx'),
    },
    {
      ...browser,
      window: browserWindow,
      Notification,
      isSecureContext: true,
      navigator: Object.assign(network, { language: 'en-US', languages: ['en-US'], userAgent: 'Windows' }),
      Request: RequestFromPage,
      async fetch(request: Request) {
        const body = JSON.parse((await request.text()) || 'null') as unknown;
        const { pathname } = new URL(request.url);
        requests.push([request.method, pathname, body, request.headers.get('authorization')]);
        return Response.json(status === 200 ? {} : { statusCode: status, message: 'Busy' }, { status });
      },
    },
  );
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() => {
  jest.useFakeTimers({
    now: Date.parse('2026-11-25T14:30:00Z'),
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'],
  });
  page.body.innerHTML = '';
  [requests, opened, seen, status] = [[], [], [], 200];
  network.onLine = true;
  isNarrow = false;
  localStorage.clear();
  shell.session.session.close('none');
});
afterEach(() => jest.useRealTimers());

/** What was asked of the service has an answer by then. */
const answered = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const textOf = (markup: string) => textsIn(markup).join(' ').replaceAll(/\s/g, ' ');
describe('the keys', () => {
  let asked = 0;
  let end = () => {};
  const begin = () => {
    asked = 0;
    const disclosure = [false, { open: () => (asked += 1), close: () => {} }];
    const acted = shell.act(shell.shortcuts.Shortcuts, { disclosure }, { at: '/audit' });
    end = acted.begin();
    return acted;
  };
  afterEach(() => end());

  test.each(
    Object.entries({
      m: '/my-day',
      o: '/',
      r: '/cases',
      c: '/calls',
      q: '/queue',
      t: '/tasks',
      e: '/results',
      p: '/patients',
      k: '/calendar',
      y: '/day-list',
      w: '/waitlist',
      d: '/deliveries',
      u: '/runs',
    }),
  )('“g” and then “%s” lead to %s', async (key, to) => {
    const { address } = begin();
    press('g');
    press(key);

    expect(await address()).toBe(to);
    expect(shell.pageKeys.pageKeys[key]).toBe(to);
  });

  const typing = '<input id="here">';
  test.each<[what: string, does: () => void, leads: boolean, html?: string]>([
    ['soon after it', () => jest.advanceTimersByTime(1_499), true],
    ['late after it', () => jest.advanceTimersByTime(1_500), false],
    ['after another one', () => press('x'), false],
    ['after it once more', () => press('g'), true],
    ['in a field', () => at('#here').focus(), false, typing],
    ['in a text', () => at('#here').focus(), false, '<textarea id="here"></textarea>'],
    ['in a choice', () => at('#here').focus(), false, '<select id="here"></select>'],
    ['on a button', () => at('#here').focus(), true, '<button id="here"></button>'],
    ['under a dialog', () => {}, false, '<div role="dialog"></div>'],
    ['under a menu', () => {}, false, '<div role="menu"></div>'],
  ])('that of a page %s: %s leads there: %s', async (_what, does, leads, html = '') => {
    page.body.innerHTML = html;
    const { address } = begin();
    press('g', {}, page.body);
    does();
    press('p');

    expect(await address()).toBe(leads ? '/patients' : '/audit');
  });

  test.each(['ctrlKey', 'metaKey', 'altKey'])('with %s are the browser’s', async (modifier) => {
    const { address } = begin();
    press('g');
    press('p', { [modifier]: true });
    press('?', { [modifier]: true });

    expect([await address(), asked]).toEqual(['/audit', 0]);
  });

  test('“?” shows them, and that alone where single keys are off', async () => {
    const on = begin();
    press('?');
    expect(asked).toBe(1);
    end();
    expect(on.given('fallback')['fallback']).toMatchObject({ props: { rows: 12 } });

    localStorage.setItem('single-key-shortcuts', 'false');
    page.body.innerHTML = '<div data-undo><button id="undo"></button></div>';
    const { address } = begin();
    press('?');
    press('g');
    press('p');
    at('#undo').addEventListener('click', () => (asked += 100));
    press('z');
    expect([await address(), asked]).toEqual(['/audit', 1]);
  });

  test('are the page’s no more once it is left', () => {
    begin();
    end();
    press('?');

    expect(asked).toBe(0);
  });

  test('“z” does what the last notice offers, once', () => {
    page.body.innerHTML =
      '<div data-undo><button id="first"></button></div><div data-undo><button id="last"></button></div><button id="other"></button>';
    const clicked: string[] = [];
    for (const id of ['first', 'last', 'other']) at(`#${id}`).addEventListener('click', () => clicked.push(id));
    begin();
    press('z', { repeat: true });
    expect(clicked).toEqual([]);
    press('z');
    expect(clicked).toEqual(['last']);
  });

  test('“/” goes to the search field of the page, with what is in it chosen', () => {
    page.body.innerHTML =
      '<input type="search" value="outside"><main><input type="search" id="search" value="wendy"></main>';
    begin();
    expect(press('x')).toBe(false);
    expect(page.activeElement).toBe(page.body);
    expect(press('/')).toBe(true);
    const { id, selectionStart, selectionEnd } = page.activeElement as Element;
    expect([id, selectionStart, selectionEnd]).toEqual(['search', 0, 5]);

    page.body.innerHTML = '<main></main>';
    expect(press('/')).toBe(false);
  });

  describe('in a list:', () => {
    const rows = (...attributes: string[]) => {
      const row = (attribute: string, index: number) =>
        `<li data-row ${attribute}><span>x</span><a href="/${index}" id="row-${index}">x</a><button>x</button></li>`;
      page.body.innerHTML = `<a href="/" id="outside">x</a><main><ul>${attributes.map(row).join('')}</ul></main>`;
    };
    const here = () => page.activeElement?.id ?? '';

    test.each<[keys: string[], ids: string[]]>([
      [
        ['j', 'j', 'k'],
        ['row-0', 'row-1', 'row-0'],
      ],
      [
        ['j', 'k'],
        ['row-0', 'row-0'],
      ],
      [
        ['j', 'j', 'j', 'j'],
        ['row-0', 'row-1', 'row-2', 'row-2'],
      ],
      [['k'], ['row-0']],
      [['ArrowDown'], ['']],
      [
        ['j', 'ArrowDown', 'ArrowUp'],
        ['row-0', 'row-1', 'row-0'],
      ],
      [['x'], ['']],
    ])('%j leads to the rows %j', (keys, ids) => {
      rows('', '', '');
      begin();
      const led = keys.map((key) => {
        press(key);
        return here();
      });

      expect(led).toEqual(ids);
      expect(seen).toEqual(ids.filter((id) => id !== ''));
    });

    test('the one that is next has the focus first', () => {
      rows('', 'data-now', '');
      begin();
      press('j');
      expect(here()).toBe('row-1');
    });

    test('the arrows are the browser’s while no row has the focus', () => {
      rows('', '');
      begin();
      expect([press('ArrowDown'), press('j'), press('ArrowDown'), press('ArrowUp'), press('x')]).toEqual([
        false,
        false,
        true,
        true,
        false,
      ]);
    });

    test('a row that is done leaves its place to the next, on this page', () => {
      rows('', '', '');
      const acted = begin();
      for (const key of ['j', 'j', 'e']) press(key);
      rows('', '');
      press('j');
      expect(here()).toBe('row-1');
      end();
      end = acted.begin();
      rows('', '');
      press('j');
      expect(here()).toBe('row-0');
    });

    test('the key of a button of the row presses it once the key is over, and not that of another row', () => {
      page.body.innerHTML = `<main>${['one', 'two'].map((id) => `<div data-row><a href="/" id="${id}">x</a><button data-key="e" id="${id}-e"></button></div>`).join('')}</main>`;
      const clicked: string[] = [];
      for (const id of ['one-e', 'two-e']) at(`#${id}`).addEventListener('click', () => clicked.push(id));
      begin();
      press('e');
      jest.advanceTimersByTime(1);
      expect(clicked).toEqual([]);
      at('#two').focus();
      press('x');
      press('e');
      expect(clicked).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(clicked).toEqual(['two-e']);
    });
  });

  describe('that send a form:', () => {
    const forms = {
      form: '<form><input id="here"><button type="button" id="other"></button><button type="submit" id="send"></button></form>',
      dialog:
        '<div role="dialog"><input id="here"><button id="no"></button><button id="send"></button><button role="switch" id="other"></button></div>',
      nothing: '<input id="here"><button id="send"></button>',
    };
    const clicks = (html: string) => {
      const clicked: string[] = [];
      page.body.innerHTML = html;
      for (const id of ['send', 'other', 'no'])
        page.querySelector(`#${id}`)?.addEventListener('click', (event) => {
          event.preventDefault();
          clicked.push(id);
        });
      at('#here').focus();
      begin();
      return clicked;
    };

    test.each<[what: keyof typeof forms, besides: object, key: string, isSent: boolean, isTaken: boolean]>([
      ['form', { ctrlKey: true }, 'Enter', true, true],
      ['form', { metaKey: true }, 'Enter', true, true],
      ['form', {}, 'Enter', false, false],
      ['form', { ctrlKey: true }, 'a', false, false],
      ['form', { ctrlKey: true, repeat: true }, 'Enter', false, true],
      ['dialog', { ctrlKey: true }, 'Enter', true, true],
      ['nothing', { ctrlKey: true }, 'Enter', false, false],
    ])('in a %s with %j %s sends: %s', (what, besides, key, isSent, isTaken) => {
      const clicked = clicks(forms[what]);

      expect(press(key, besides)).toBe(isTaken);
      expect(clicked).toEqual(isSent ? ['send'] : []);
    });
  });
});

describe('the finder', () => {
  const open = (onShortcuts = () => {}) =>
    shell.act(shell.finder.Finder, { onShortcuts }, { as: { rights: ['patients.read'] } });
  const isOpen = ({ given }: ReturnType<typeof open>) => given('yOffset')['opened'];

  test('is opened by its field and by a key', () => {
    const acted = open();
    expect(textOf(acted.again())).toContain('Find or do something Ctrl K');
    expect(isOpen(acted)).toBe(false);
    const end = acted.begin();
    press('k', { ctrlKey: true, code: 'KeyK' });
    acted.again();
    expect(isOpen(acted)).toBe(true);
    end();

    const other = open();
    const { onClick } = other.given('aria-keyshortcuts');
    onClick?.();
    other.again();
    expect(isOpen(other)).toBe(true);
    other.given('onOpen');
  });

  const leads = (opens: object, onShortcuts?: () => void) => {
    const acted = open(onShortcuts);
    acted.given('aria-keyshortcuts').onClick?.();
    acted.again();
    const { onOpen } = acted.given('onOpen') as unknown as { onOpen: (hit: object) => void };
    onOpen({ opens });
    return acted;
  };

  test('goes to where a hit is, with what is searched for there', async () => {
    const acted = leads({ to: '/patients?order=name', state: { searchText: 'ivan' } });
    expect(await acted.address()).toBe('/patients?order=name');
    acted.again();
    expect(isOpen(acted)).toBe(false);
  });

  test('does what a hit says', async () => {
    let shown = 0;
    leads({ shortcuts: true }, () => (shown += 1));
    expect(shown).toBe(1);

    leads({ tab: '/api/docs' });
    expect(opened).toEqual([['/api/docs', '_blank', 'noreferrer']]);

    leads({ speaks: 'en' });
    expect(JSON.stringify(localStorage)).toContain('en');

    page.body.innerHTML = '<button id="does"></button>';
    const done: (string | undefined)[] = [];
    at('#does').addEventListener('click', () => done.push(page.activeElement?.id));
    leads({ presses: at('#does') });
    jest.advanceTimersByTime(49);
    expect(done).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(done).toEqual(['does']);

    const registering = leads({ registers: 'ivan' });
    registering.again();
    expect(registering.given('onExisting')).toMatchObject({ typed: 'ivan', opened: true });
    const { onRegistered } = registering.given('onRegistered') as unknown as {
      onRegistered: (patient: object) => void;
    };
    onRegistered({ id: 'patient-1' });
    expect(await registering.address()).toBe('/patients/patient-1');
  });

  const typing = () => {
    const acted = open();
    acted.given('aria-keyshortcuts').onClick?.();
    acted.again();
    const { props } = acted.given('yOffset')['children'] as { props: { children: { type: unknown } } };
    return shell.act(props.children.type, { onOpen: () => {} });
  };

  test.each<[keys: string[], typed: string, isDue: boolean]>([
    [['Enter'], 'wen', true],
    [['Enter'], '  ', false],
    [['Enter'], '', false],
    [['Enter', 'a'], 'wen', false],
    [['a'], 'wen', false],
  ])('before the search is there %j after “%s” opens the first hit later: %s', (keys, typed, isDue) => {
    const acted = typing();
    (acted.given('onType') as unknown as { onType: (text: string) => void }).onType(typed);
    for (const key of keys) {
      acted.again();
      const { fallback } = acted.given('fallback') as unknown as {
        fallback: { props: { onKeyDown: (event: object) => void; typed: string } };
      };
      expect(fallback.props.typed).toBe(typed);
      fallback.props.onKeyDown({ key });
    }
    acted.again();
    expect(acted.given('isDue')).toMatchObject({ isDue, typed });

    const { onDue } = acted.given('onDue') as unknown as { onDue: () => void };
    onDue();
    acted.again();
    expect(acted.given('isDue')).toMatchObject({ isDue: true });
    (acted.given('onType') as unknown as { onType: (text: string) => void }).onType('wendy');
    acted.again();
    expect(acted.given('isDue')).toMatchObject({ isDue: false, typed: 'wendy' });
  });
});

describe('what is found', () => {
  let done: (string | object)[] = [];
  const search = (
    typed: string,
    given: { isDue?: boolean; answers?: [unknown, unknown][]; refused?: [unknown, unknown][]; rights?: string[] } = {},
  ) => {
    done = [];
    const {
      isDue = false,
      answers,
      refused,
      rights = ['dashboard', 'appointments', 'patients', 'operations', 'patients.read'],
    } = given;
    const props = {
      typed,
      isDue,
      onType: (text: string) => done.push(`typed ${text}`),
      onDue: () => done.push('due'),
      onOpen: ({ title }: Hit) => done.push(`opened ${title}`),
    };
    return shell.act(shell.search.Search, props, { as: { rights }, answers, refused });
  };
  const key = (acted: ReturnType<typeof search>, pressed: string) => {
    let isTaken = false;
    acted.given('aria-autocomplete').onKeyDown?.({ key: pressed, preventDefault: () => (isTaken = true) });
    return isTaken;
  };
  const chosen = (acted: ReturnType<typeof search>) =>
    [...acted.again().matchAll(/role="option"[^>]*aria-selected="(true|false)"[^>]*>(.*?)<\/span>/g)].flatMap(
      ([, is, text = '']) => (is === 'true' ? textsIn(text) : []),
    );
  const told = (acted: ReturnType<typeof search>) => /role="status"[^>]*>([^<]*)</.exec(acted.again())?.[1] ?? null;
  const actions = ['Book an appointment', 'Register a patient', 'Stop calling a number', 'Pause or resume calls'];

  test('the keys go round, and Enter opens what is chosen', () => {
    const acted = search('');
    expect(chosen(acted)).toEqual([actions[0]]);
    const led = ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp'].map((each) => [
      key(acted, each),
      ...chosen(acted),
    ]);
    expect(led).toEqual([actions[1], actions[2], actions[1], actions[0], actions[3]].map((title) => [true, title]));
    expect([key(acted, 'Enter'), key(acted, 'a')]).toEqual([true, false]);
    expect(done).toEqual([`opened ${actions[3]}`]);
    key(acted, 'ArrowDown');
    expect(chosen(acted)).toEqual([actions[0]]);
  });

  test('a pointer chooses and opens as well, and the field names what is chosen', () => {
    const acted = search('');
    acted.again();
    const options = [...acted.again().matchAll(/id="([^"]*)" role="option"/g)].map(([, id]) => id);
    expect(options).toHaveLength(4);
    const { 'aria-activedescendant': active, 'aria-expanded': isExpanded } = acted.given('aria-autocomplete');
    expect([active, isExpanded]).toEqual([options[0], true]);
    const last = acted.given('onMouseMove') as unknown as { onMouseMove: () => void; onClick: () => void };
    last.onMouseMove();
    expect(chosen(acted)).toEqual([actions[3]]);
    last.onClick();
    expect(done).toEqual([`opened ${actions[3]}`]);
  });

  test('what is chosen is gone back from to the first where something else is searched for', () => {
    const acted = search('');
    key(acted, 'ArrowDown');
    expect(chosen(acted)).toEqual([actions[1]]);
    acted.begin()();
    expect(chosen(acted)).toEqual([actions[0]]);
  });

  test('Enter waits for what is not known yet, and not for nothing', () => {
    key(search('zzz'), 'Enter');
    expect(done).toEqual(['due']);
    key(search('   ', { rights: [] }), 'Enter');
    expect(done).toEqual([]);
    key(search('', { rights: [] }), 'ArrowDown');
    expect(done).toEqual([]);
    // Whoever has gone down to one means that one.
    const acted = search('regi');
    key(acted, 'Enter');
    key(acted, 'ArrowDown');
    acted.again();
    key(acted, 'Enter');
    expect(done).toEqual(['opened Register a patient', 'opened Register a patient']);
  });

  const nobody = (text: string): [unknown, unknown][] => [
    [
      shell.api.getPatientsOptions({ query: { search: text, limit: 5, total: 'true' } }).queryKey,
      { items: [], nextCursor: null, searchedFor: text },
    ],
  ];

  test.each<[typed: string, isDue: boolean, isKnown: boolean, done: string[]]>([
    ['regi', true, true, ['opened Register a patient']],
    ['regi', false, true, []],
    ['regi', true, false, []],
    ['1980-02-29', true, true, []],
  ])('what was waited for is opened once it is found: %s, %s, %s', (typed, isDue, isKnown, comes) => {
    const acted = search(typed, { isDue, answers: isKnown ? nobody(typed) : [] });
    acted.begin();
    expect(done).toEqual(comes);
  });

  test.each<[typed: string, given: Parameters<typeof search>[1], isOnline: boolean, words: string]>([
    ['', {}, true, 'Type a name, a phone as it is written, a birth date, or an id.'],
    ['wen', {}, true, 'Searching …'],
    ['wen', {}, false, 'There is no connection: patients and records are not searched.'],
    [
      'wait',
      { rights: [] },
      true,
      'Nothing found. Type a name, a phone, a birth date, a provider, a page, an action or an id.',
    ],
    ['book', { rights: ['appointments'] }, true, '1 found'],
    ['', { rights: [] }, true, 'Type a name, a phone as it is written, a birth date, or an id.'],
  ])('of “%s” %j online: %s it says “%s”', (typed, given, isOnline, words) => {
    network.onLine = isOnline;
    const acted = search(typed, given);
    acted.begin()();
    expect(told(acted)).toBe(words);
  });

  test('what could not be searched is said with why', () => {
    const [[patients] = []] = nobody('book');
    const acted = search('book', { refused: [[patients, { message: 'Busy' }]] });

    expect(told(acted)).toBe('1 found; not searched: Patients');
    expect(textOf(acted.again())).toContain('Patients: not searched. Busy.');
  });

  test('on this page its buttons are found, by their names and other words, what is disabled is not', () => {
    const does = (name: string, more = '') => `<button data-does="${name}" data-about="Wendy" ${more}></button>`;
    page.body.innerHTML =
      ['Edit', 'Merge', 'Erase'].map((name) => does(name)).join('') +
      does('Export', 'disabled') +
      does('Print', 'data-found-by="paper"') +
      does('Move') +
      does('Cancel');
    const found = (text: string) =>
      textOf(search(text, { rights: ['appointments'] }).again()).replace(/^.*?On this page/, 'On this page');

    expect(found('')).toContain('On this page Edit Wendy Merge Wendy Erase Wendy Print Wendy Move Wendy Actions');
    expect(found('paper')).toContain('On this page Print Wendy 1 found');
    expect(found('export')).toContain('Nothing found');
    const acted = search('edit');
    key(acted, 'Enter');
    expect(done).toEqual(['opened Edit']);
    // By its own name what can be done here comes first; by another word after what is called so.
    page.body.innerHTML = does('Book again') + does('Move', 'data-found-by="book"');
    expect(found('book')).toContain('On this page Book again Wendy Move Wendy Actions Book an appointment');
    page.body.innerHTML = does('Move', 'data-found-by="book"');
    expect(textOf(search('book').again())).toContain(
      'Actions Book an appointment In the calendar On this page Move Wendy',
    );
  });

  test('the field is typed in, and has the focus after what was typed before the search was there', () => {
    const acted = search('wen');
    acted.type('Find', 'wend');
    expect(done).toEqual(['typed wend']);
    expect(acted.field('Find')).toMatchObject({ value: 'wen', maxLength: 100 });
    const selected: unknown[] = [];
    const { ref } = acted.given('maxLength') as unknown as { ref: { current: object } };
    ref.current = {
      focus: () => selected.push('focus'),
      setSelectionRange: (...range: number[]) => selected.push(range),
    };
    acted.begin();
    expect(selected).toEqual(['focus', [3, 3]]);
  });
});

const clinic = {
  id: 'clinic-1',
  name: 'North Clinic',
  timezone: 'America/New_York',
  country: 'US',
  currency: 'USD',
  isMonthFirst: true,
  voiceProvider: 'simulator',
  language: 'en',
};
const person = {
  accountId: 'account-1',
  name: 'Ana Ruiz',
  email: 'ana@example.com',
  role: 'admin',
  needsSecondFactor: false,
};
const everyRight = ['dashboard', 'tasks', 'workflows', 'patients.read', 'results'];

describe('around every page', () => {
  interface Around {
    session?: object | null;
    overview?: object;
    pauses?: object[];
    assigned?: object[];
    at?: string;
  }
  const given = ({ session = {}, overview, pauses = [], at: address = '/' }: Around) => {
    const signedIn = { ...person, rights: everyRight, clinic, ...session };
    const answers: [unknown, unknown][] = [
      [shell.api.getPausesOptions().queryKey, { items: pauses }],
      [shell.api.getOverviewOptions().queryKey, overview],
      ...(session ? [[shell.api.getAuthSessionOptions().queryKey, signedIn] as [unknown, unknown]] : []),
    ];
    return { at: address, answers };
  };
  const around = (what: Around = {}) => shell.show(shell.layout.Layout, {}, given(what));
  const acting = (what: Around = {}) => shell.act(shell.layout.Layout, {}, given(what));

  test('stand the clinic, who is signed in, and whether what is shown is live', () => {
    const markup = around();
    const told = textOf(markup);

    expect(told).toContain('API reference North Clinic ');
    expect(told).toContain('Ana Ruiz');
    expect(told).toMatch(/North Clinic .*Eastern|North Clinic .*New York/);
    expect(markup).toContain('aria-label="Ana Ruiz: account menu"');
    expect(markup).toContain('aria-label="Connecting: Connecting to live updates"');
    expect(markup).toContain('aria-label="Open the navigation"');
    expect(linksIn(markup)).toEqual(expect.arrayContaining([['Skip to the content', '#content']]));
  });

  test.each<[right: string, shown: string]>([
    ['dashboard', 'Connecting: Connecting to live updates'],
    ['patients.read', 'Find or do something'],
    ['workflows', 'A storm'],
  ])('who lacks the right %s sees no “%s”', (right, shown) => {
    const pauses = [
      {
        id: '1',
        reason: 'A storm',
        pausedByName: 'Ana',
        pausedAt: '2026-11-25T14:00:00Z',
        until: null,
        workflowType: null,
        isForEveryClinic: false,
      },
    ];
    const isShown = (rights: string[]) => around({ session: { rights }, pauses }).includes(shown);

    expect([isShown(everyRight), isShown(everyRight.filter((each) => each !== right))]).toEqual([true, false]);
  });

  test.each<[open: number | undefined, badge: string | null]>([
    [undefined, null],
    [0, null],
    [1, '1 open'],
    [12, '12 open'],
  ])('%j open tasks are told at the page of tasks alone: %j', (open, badge) => {
    const markup = around({ overview: open === undefined ? undefined : { tasks: { open } } });

    expect(markup.match(/aria-label="\d+ open"/g) ?? []).toEqual(badge === null ? [] : [`aria-label="${badge}"`]);
    expect(linksIn(markup)).toContainEqual([badge === null ? 'Tasks' : `Tasks ${open}`, '/tasks']);
  });

  test.each<[at: string, label: string]>([
    ['/', 'Overview'],
    ['/tasks', 'Tasks'],
    ['/patients/patient-1', 'Patients'],
  ])('at %s the page “%s” is the current one', (address, label) => {
    const [, current = ''] = /aria-current="page"[^>]*>(.*?)<\/a>/.exec(around({ at: address })) ?? [];
    expect(textsIn(current)).toEqual([label]);
  });

  test.each<[at: string, isOpen: boolean]>([
    ['/calls', true],
    ['/calls/call-1', true],
    ['/callsign', false],
    ['/tasks', false],
  ])('at %s what is needed now and then is unfolded: %s', (address, isOpen) => {
    expect(textOf(around())).not.toContain('More pages');
    const staff = acting({ session: { role: 'staff' }, at: address });
    const more = () => staff.given('childrenOffset');
    expect([more()['opened'], more()['aria-expanded']]).toEqual([isOpen, isOpen]);
    (more() as unknown as { onChange: (isOpen: boolean) => void }).onChange(!isOpen);
    expect(textOf(staff.again())).toContain('More pages');
    expect(more()['opened']).toBe(!isOpen);
  });

  test('on a phone the navigation is opened by its button, and closed with the page that is gone to', () => {
    const acted = acting({ session: { rights: [] } });
    const isOpen = () => / data-open="true"/.test(acted.again());
    expect(isOpen()).toBe(false);
    acted.click('Open the navigation');
    expect(isOpen()).toBe(true);
    acted.click('Close the navigation');
    expect(isOpen()).toBe(false);
    acted.click('Open the navigation');
    expect(isOpen()).toBe(true);
    acted.begin()();
    expect(isOpen()).toBe(false);
  });

  test('an operator has the page of all clinics, and times as on their own clock', () => {
    const told = textOf(around({ session: { role: 'operator', rights: [], clinic: null } }));
    expect(told).toContain('All clinics API reference All clinics');
    expect(told).not.toContain('No clinic');
  });

  test('whose account has no clinic is told so, and can sign out', async () => {
    const acted = acting({ session: { clinic: null } });
    const told = textOf(acted.again());
    expect(told).toContain('No clinic is linked to this account You are signed in as ana@example.com.');
    expect(told).not.toContain('API reference');
    acted.begin();
    expect(page.title).toBe('No clinic · Clinic workflows');

    const { session } = shell.session;
    session.open('token-1');
    acted.click('Sign out');
    expect(session.current()).toEqual({ kind: 'signed-out', ending: 'signed-out' });
    await answered();
    expect(requests).toEqual([['POST', '/api/auth/sign-out', null, 'Bearer token-1']]);
  });

  test('where the service cannot be reached that is said, and it can be tried again', () => {
    const key = shell.api.getAuthSessionOptions().queryKey;
    const refused: [unknown, unknown][] = [[key, { statusCode: 503, message: 'Busy' }]];

    expect(textOf(shell.show(shell.layout.Layout, {}, { refused }))).toContain(
      'This could not be loaded Busy. Try again Sign out',
    );
    expect(textOf(around({ session: null }))).toBe('Loading');
  });

  test('who lacks the second factor that the clinic wants sets it up first', () => {
    const acted = acting({ session: { needsSecondFactor: true } });
    expect(acted.given('onSet')).toMatchObject({ clinic: 'North Clinic' });
    expect(textOf(acted.again())).not.toContain('API reference');

    const { session } = shell.session;
    session.open('token-1');
    (acted.given('signOut') as unknown as { signOut: () => void }).signOut();
    expect(session.current()).toEqual({ kind: 'signed-out', ending: 'signed-out' });
  });

  test('the menu of the account leads to it, and out', () => {
    const acted = acting({ session: { role: 'manager' } });
    const { session } = shell.session;
    session.open('token-1');
    acted.click('Sign out');
    expect(session.current()).toEqual({ kind: 'signed-out', ending: 'signed-out' });
  });
});

test('dark colours are chosen by a button that says so', () => {
  const acted = shell.act(shell.colors.ColorScheme, {});
  expect(acted.given('color')).toMatchObject({ 'aria-label': 'Use dark colours' });
});

const { Menu } = requireForUse('@mantine/core') as { Menu: unknown };
const { createElement } = requireForUse('react') as { createElement: Computed };
const withinMenu = (component: unknown) => () => createElement(Menu, { opened: true }, createElement(component));

describe('the language of somebody', () => {
  test.each<[own: string | null, chosen: string, kept: string | null]>([
    [null, '', null],
    [null, 'en', 'en'],
    ['en', '', null],
    [null, 'fr', null],
  ])('that is %j is %j once they have chosen it: kept is %j', (own, choice, kept) => {
    if (own !== null) localStorage.setItem('language', own);
    const acted = shell.act(withinMenu(shell.languages.LanguageChoice));
    const group = () => acted.given('onChange') as unknown as { value: string; onChange: (value: string) => void };
    expect(group().value).toBe(own ?? '');
    group().onChange(choice);
    acted.again();
    expect([group().value, localStorage.getItem('language')]).toEqual([kept ?? '', kept]);
    expect(textOf(acted.again())).toContain('Language As the clinic English Español');
  });
});

describe('pauses', () => {
  const pause = (given: object = {}) => ({
    id: 'pause-1',
    reason: 'A storm',
    pausedByName: 'Ana',
    pausedAt: '2026-11-25T14:00:00Z',
    until: null,
    workflowType: null,
    isForEveryClinic: false,
    ...given,
  });
  const acting = (items: object[], rights = ['operations']) =>
    shell.act(
      shell.pauses.Pauses,
      {},
      { as: { rights }, answers: [[shell.api.getPausesOptions().queryKey, { items }]] },
    );
  const told = (items: object[], rights?: string[]) => textOf(acting(items, rights).again());

  test.each<[given: object, words: string]>([
    [{}, 'Outreach is paused: nobody is called A storm'],
    [{ isForEveryClinic: true, pausedByName: null }, 'Outreach is paused for every clinic: nobody is called A storm'],
    [{ workflowType: 'waitlist-offer' }, 'Waitlist offer is paused: these patients are not called A storm'],
  ])('%j is told above every page as “%s”', (given, words) => {
    const markup = told([pause(given)]);
    expect(markup).toContain(words);
    expect(markup).toContain('pausedByName' in given ? 'the operator of this service' : 'Ana');
  });

  test('none are told of nothing, several of each', () => {
    expect([told([]), told([pause(), pause({ id: 'pause-2', reason: 'A flood' })])]).toEqual([
      '',
      expect.stringMatching(/A storm.*A flood/),
    ]);
  });

  test.each<[isForEveryClinic: boolean, rights: string[], isOffered: boolean]>([
    [false, ['operations'], true],
    [false, ['workflows'], false],
    [true, ['operations'], false],
  ])('one of every clinic (%s) is resumed by who has the rights %j: %s', (isForEveryClinic, rights, isOffered) => {
    expect(told([pause({ isForEveryClinic })], rights).includes('Resume')).toBe(isOffered);
  });

  test.each<[workflowType: string | null, question: string, name: string]>([
    [null, 'Resume outreach?', 'Resume: Outreach is paused: nobody is called'],
    ['waitlist-offer', 'Resume “Waitlist offer”?', 'Resume: Waitlist offer is paused: these patients are not called'],
  ])('before one of %j is over it is asked “%s”', (workflowType, title, name) => {
    const [first, second] = [pause({ workflowType }), pause({ id: 'pause-2' })];
    const acted = acting([second, first]);
    expect(acted.given('foundBy')).toMatchObject({ title, name, label: 'Resume', foundBy: 'pause' });
    const body = (acted.given('foundBy')['children'] as (close: () => void) => { props: object })(() => {});
    expect(body.props).toMatchObject({ pause: first, others: [second] });
  });

  test('on a phone why and since when is folded', () => {
    expect(told([pause()])).not.toContain('Why and since when');
    isNarrow = true;
    expect(told([pause()])).toContain('Why and since when A storm');
  });

  test.each<[untilMs: (number | null)[], ms: number]>([
    [[], 60_000],
    [[null], 60_000],
    [[90_000], 60_000],
    [[30_000], 30_500],
    [[30_000, 10_000], 10_500],
    [[0], 1_000],
    [[-5_000], 1_000],
  ])('where they end after %j ms they are looked at again after %d ms', (untilMs, ms) => {
    const items = untilMs.map((each, index) =>
      pause({ id: String(index), until: each === null ? null : new Date(Date.now() + each).toISOString() }),
    );
    const { refetchInterval } = acting(items).option('getPauses') as { refetchInterval: (query: object) => number };
    expect(refetchInterval({ state: { data: { items } } })).toBe(ms);
  });

  describe('that end', () => {
    const preview = (paused: number) => ({
      called: { patients: 2 },
      waiting: paused === 0 ? [] : [{ reason: 'paused', from: null, patients: paused }],
      skipped: [],
      runs: 3,
      isComplete: true,
    });
    const resuming = (ended: object, others: object[], onDone = () => {}) => {
      const { workflowType } = ended as { workflowType: string | null };
      const query = { withoutPause: 'pause-1', workflowType: workflowType ?? undefined };
      const key = shell.api.getCallingPolicyPreviewOptions({ query }).queryKey;
      return shell.act(
        shell.resuming.Resuming,
        { pause: ended, others, onDone },
        { answers: [[key, preview(others.length)]] },
      );
    };
    const another = 'Another pause holds as well. What it is about stays paused.';

    test.each<[ended: object, others: object[], words: string[]]>([
      [{}, [], ['2 patients would be called now']],
      [{}, [{ workflowType: 'waitlist-offer' }], ['Still paused: Waitlist offer.', another]],
      [{}, [{ isForEveryClinic: true }], ['Still paused: all outreach, for every clinic.', another]],
      [{ workflowType: 'waitlist-offer' }, [{}], ['Still paused: all outreach of the clinic.', another]],
      [
        { workflowType: 'waitlist-offer' },
        [{ workflowType: 'waitlist-offer' }, {}, {}],
        ['Still paused: Waitlist offer, all outreach of the clinic.', another],
      ],
      [{ workflowType: 'waitlist-offer' }, [{ workflowType: 'payment-recovery' }], ['Outreach was paused.', another]],
    ])('%j beside %j: %j', (ended, others, words) => {
      const markup = textOf(
        resuming(
          pause(ended),
          others.map((each, index) => pause({ id: `other-${index}`, ...each })),
        ).again(),
      );
      for (const each of words) expect(markup).toContain(each);
      expect(markup.includes(another)).toBe(others.length > 0);
    });

    test.each<[workflowType: string | null, label: string]>([
      [null, 'Resume outreach'],
      ['waitlist-offer', 'Resume “Waitlist offer”'],
    ])('one of %j ends by “%s”', async (workflowType, label) => {
      let isDone = false;
      shell.said();
      const acted = resuming(pause({ workflowType }), [], () => (isDone = true));
      acted.click(label);
      await answered();

      expect(requests).toEqual([['DELETE', '/api/pauses/pause-1', null, null]]);
      expect(shell.said().map(({ message }) => message)).toEqual([
        'Resumed. What waited goes on within the usual limits.',
      ]);
      expect([isDone, acted.stale()]).toEqual([true, ['getCallingPolicyPreview']]);
      isDone = false;
      acted.click('Leave it paused');
      expect(isDone).toBe(true);
    });

    test('or are refused, and stay', async () => {
      status = 503;
      shell.said();
      let isDone = false;
      resuming(pause(), [], () => (isDone = true)).click('Resume outreach');
      await answered();

      expect([shell.said().map(({ message }) => message), isDone]).toEqual([['Busy.'], false]);
    });
  });
});

describe('areas of settings', () => {
  const found = (items: object[]): [unknown, unknown][] => [
    [shell.api.getIntegrationsAreasOptions().queryKey, { items }],
  ];
  const acting = (
    what: 'clinicAreas' | 'connectionAreas',
    {
      items = [],
      rights = ['settings.read', 'people', 'patients.read', 'sandbox'],
      address,
    }: { items?: object[]; rights?: string[]; address: string },
  ) =>
    shell.act(
      shell.areas.Areas,
      {
        at: what === 'clinicAreas' ? '/clinic' : '/connections',
        title: 'Settings',
        lead: 'How it works',
        areas: shell.navigation[what],
      },
      { at: address, as: { rights }, answers: found(items) },
    );

  test.each<[area: string, counts: [count: number, words: string][]]>([
    [
      'hours',
      [
        [0, 'no closed days'],
        [1, '1 closed day'],
        [2, '2 closed days'],
      ],
    ],
    [
      'providers',
      [
        [0, '0 providers'],
        [1, '1 provider'],
        [2, '2 providers'],
      ],
    ],
    [
      'opt-outs',
      [
        [0, 'nobody'],
        [1, '1 number'],
        [2, '2 numbers'],
      ],
    ],
    [
      'people',
      [
        [1, '1 account'],
        [2, '2 accounts'],
      ],
    ],
    [
      'api-keys',
      [
        [0, '0 keys'],
        [1, '1 key'],
        [2, '2 keys'],
      ],
    ],
    [
      'inbound',
      [
        [1, '1 secret'],
        [2, '2 secrets'],
      ],
    ],
    [
      'phone-numbers',
      [
        [0, '0 numbers'],
        [1, '1 number'],
        [2, '2 numbers'],
      ],
    ],
    ['retention', [[2, 'on']]],
  ])('%s are counted: %j', (area, counts) => {
    const what = ['api-keys', 'inbound', 'phone-numbers'].includes(area) ? 'connectionAreas' : 'clinicAreas';
    for (const [count, words] of counts) {
      const markup = acting(what, { items: [{ area, state: 'on', count }], address: '/' }).again();
      const [, link = ''] = new RegExp(`href="[^"]*/${area}"[^>]*>(.*?)</a>`).exec(markup) ?? [];
      expect(textsIn(link)[1]).toBe(words);
    }
  });

  test.each<[state: string, words: string]>([
    ['on', 'on'],
    ['off', 'off'],
    ['not_set_up', 'not set up'],
    ['needs_a_look', 'needs a look'],
    ['paused', 'paused'],
    ['simulated', 'simulated'],
  ])('an area that is %s is told as “%s”, on a phone too', (state, words) => {
    const items = [{ area: 'providers', state, count: state === 'on' ? null : 3 }];
    expect(textOf(acting('clinicAreas', { items, address: '/clinic/hours' }).again())).toContain(`Providers ${words}`);
    isNarrow = true;
    expect(textOf(acting('clinicAreas', { items, address: '/clinic/hours' }).again())).toContain(`Providers: ${words}`);
  });

  test('the one that is shown is the current one, and only those that a right opens are there', () => {
    const areasOf = (rights: string[]) => {
      const markup = acting('clinicAreas', { rights, address: '/clinic/opt-outs' }).again();
      return [
        linksIn(markup).map(([, to]) => to),
        / aria-current="page"/.test(markup),
        textOf(markup).includes('Your role does not open this page'),
      ];
    };

    expect(areasOf(['patients.read', 'people'])).toEqual([
      ['/clinic/opt-outs', '/clinic/people', '/clinic/single-sign-on'],
      true,
      false,
    ]);
    expect(areasOf(['people'])).toEqual([['/clinic/people', '/clinic/single-sign-on'], false, true]);
    expect(areasOf([])).toEqual([[], false, true]);
    acting('clinicAreas', { address: '/clinic/opt-outs' }).begin();
    expect(page.title).toBe('Opt-outs · Settings · Clinic workflows');
    acting('clinicAreas', { address: '/clinic' }).begin();
    expect(page.title).toBe('Settings · Clinic workflows');
  });

  test.each<[rights: string[], isAsked: boolean]>([
    [['settings.read'], true],
    [['people', 'settings'], false],
  ])('what they are set to is asked for with the rights %j: %s', (rights, isAsked) => {
    expect(acting('clinicAreas', { rights, address: '/clinic' }).option('getIntegrationsAreas')).toMatchObject({
      enabled: isAsked,
    });
  });

  test.each<[address: string, value: string, options: string[]]>([
    ['/clinic/people', '/clinic/people', ['/clinic/people', '/clinic/single-sign-on']],
    ['/clinic/hours', '', ['', '/clinic/people', '/clinic/single-sign-on']],
  ])('on a phone at %s they are chosen from a list, of which “%s” is chosen', async (address, value, options) => {
    isNarrow = true;
    const acted = acting('clinicAreas', { rights: ['people'], address });
    acted.again();
    const select = acted.field('Area');
    expect([select['value'], (select['data'] as { value: string }[]).map((each) => each.value)]).toEqual([
      value,
      options,
    ]);
    acted.type('Area', '/clinic/single-sign-on');
    expect(await acted.address()).toBe('/clinic/single-sign-on');
  });

  test('where no area is meant it is the first', () => {
    const acted = acting('clinicAreas', { rights: ['people'], address: '/clinic' });
    expect(acted.given('replace')).toMatchObject({ to: '/clinic/people', replace: true });
  });
});

describe('new tasks', () => {
  const task = (index: number, given: object = {}) => ({
    id: `task-${index}`,
    reason: 'bad_number',
    createdAt: `2026-11-25T14:0${index}:00Z`,
    assignedAt: `2026-11-25T14:0${index}:00Z`,
    assignedBy: 'Ben',
    isByOneself: false,
    assignee: null,
    ...given,
  });
  /** What is told once these have come, of which the first were there already. */
  const follow = (first: object[], isOn = false) => {
    if (isOn) localStorage.setItem('task-notices-account-1', 'true');
    Notification.told = [];
    shell.said();
    const answers: [unknown, unknown][] = [];
    const comes = (items: object[]) => {
      answers.splice(
        0,
        2,
        [shell.api.getTasksAssignedOptions().queryKey, { items }],
        [shell.api.getTasksOptions({ query: { state: 'OPEN', limit: 20 } }).queryKey, { items }],
      );
    };
    comes(first);
    const acted = shell.act(shell.notices.TaskNotices, {}, { answers });
    acted.begin();
    const told = (items: object[]) => {
      comes(items);
      acted.again();
      acted.begin();
      return shell.said();
    };
    return { acted, told };
  };
  const title = 'Correct the phone number';

  test('that are given to somebody are told, with who gave them, and led to', async () => {
    const { acted, told } = follow([task(1)]);
    const [said, ...others] = told([task(2), task(1)]);
    expect([said?.message, said?.label, others]).toEqual([`Assigned by Ben: ${title}`, 'Open', []]);
    said?.onClick?.();
    expect(await acted.address()).toBe('/tasks?task=task-2');
    expect(told([task(2), task(1)])).toEqual([]);
    // One that was done and is there again is not new.
    expect(told([task(1)])).toEqual([]);
    expect(told([task(2), task(1)])).toEqual([]);
    expect(told([task(4, { isByOneself: true }), task(3), task(2)]).map(({ message }) => message)).toEqual([
      `Assigned by Ben: ${title}`,
    ]);
    expect(told([])).toEqual([]);
  });

  test('to whom had none the first is new', () => {
    expect(follow([]).told([task(1)])).toHaveLength(1);
  });

  test('three are told one by one, four as one', async () => {
    const three = [3, 2, 1].map((index) => task(index));
    expect(follow([]).told(three)).toHaveLength(3);
    const { acted, told } = follow([]);
    const [said, ...others] = told([task(4), ...three]);
    expect([said?.message, others]).toEqual(['4 tasks were assigned to you.', []]);
    said?.onClick?.();
    expect(await acted.address()).toBe('/tasks?who=me');
  });

  test('are told by the browser where somebody wants it: those of nobody, or their own', async () => {
    const { acted, told } = follow([task(1)], true);
    told([task(4, { assignee: { id: 'account-2' } }), task(3, { assignee: { id: 'account-1' } }), task(2), task(1)]);
    const notices = Notification.told.splice(0);
    expect(notices.map(({ title: heading, options }) => [heading, options])).toEqual([
      [`New task: ${title}`, { tag: 'task-3', body: 'Clinic workflows' }],
      [`New task: ${title}`, { tag: 'task-2', body: 'Clinic workflows' }],
    ]);
    focusedWindows = 0;
    notices[0]?.clicked();
    expect([focusedWindows, notices[0]?.isClosed, await acted.address()]).toEqual([1, true, '/tasks?task=task-3']);
    told([task(4), task(3)]);
    expect(Notification.told).toEqual([]);
  });

  test('of which more are told as one', async () => {
    const { acted, told } = follow([], true);
    told([4, 3, 2, 1].map((index) => task(index)));
    const [notice, ...others] = Notification.told;
    expect([notice?.title, notice?.options, others]).toEqual([
      '4 new tasks',
      { tag: 'tasks-task-4', body: 'Clinic workflows' },
      [],
    ]);
    notice?.clicked();
    expect(await acted.address()).toBe('/tasks');
  });

  test.each<[isOn: boolean, permission: string, answer: string, then: object]>([
    [true, 'default', 'granted', { isOn: false, isRefused: false, kept: 'true' }],
    [true, 'granted', 'granted', { isOn: true, isRefused: false, kept: 'true' }],
    [true, 'denied', 'denied', { isOn: false, isRefused: true, kept: 'false' }],
    [false, 'denied', 'denied', { isOn: false, isRefused: false, kept: 'false' }],
  ])('are turned %s where the browser says %s and answers %s: %j', async (isOn, permission, answer, then) => {
    Object.assign(Notification, { permission, answer });
    const found: { turn: (isOn: boolean) => Promise<void>; isOn: boolean; isRefused: boolean }[] = [];
    const acted = shell.act(() => {
      found.push(shell.notices.useTaskNotices() as unknown as (typeof found)[0]);
      return null;
    });
    await found.at(-1)?.turn(isOn);
    acted.again();
    const { isOn: isOnNow, isRefused } = found.at(-1) ?? {};
    expect({ isOn: isOnNow, isRefused, kept: localStorage.getItem('task-notices-account-1') }).toEqual(then);
    Object.assign(Notification, { permission: 'granted', answer: 'granted' });
  });
});

describe('who is to prove that it is them', () => {
  const asked = (by: string[]) =>
    shell.act(shell.stepUp.StepUpDialog, {}, { answers: [[shell.api.getAuthStepUpOptions().queryKey, { by }]] });
  const proof = () => {
    const proved: unknown[] = [];
    void shell.asking.stepUp.ask().then((is) => proved.push(is));
    return proved;
  };

  test.each<[by: string[], label: string, body: object]>([
    [['code', 'passkey'], 'Code', { code: '123456' }],
    [['password', 'sso'], 'Password', { password: '123456' }],
    [['code', 'password'], 'Code', { code: '123456' }],
  ])('by %j types a %s', async (by, label, body) => {
    const proved = proof();
    const acted = asked(by);
    acted.field(label).onChange?.('123456');
    acted.submit();
    await answered();

    expect(requests).toEqual([['POST', '/api/auth/step-up', body, null]]);
    expect(proved).toEqual([true]);
  });

  test.each<[by: string[], offered: string[]]>([
    [['passkey'], ['Use a passkey']],
    [['sso'], ['Confirm at your organisation']],
    [
      ['passkey', 'sso'],
      ['Use a passkey', 'Confirm at your organisation'],
    ],
    [[], []],
  ])('by %j has the buttons %j', async (by, offered) => {
    const proved = proof();
    const acted = asked(by);
    const { children, ...dialog } = acted.given('opened');
    expect(dialog).toMatchObject({ opened: true, title: 'Confirm that it is you' });
    const within = shell.act(() => children);
    expect(textOf(within.again())).toBe(
      ['This needs you to have confirmed within the last five minutes that it is you. Not now', ...offered].join(' '),
    );
    within.click('Not now');
    await answered();
    expect(proved).toEqual([false]);
  });

  test('is told where it is not known how, and can leave it', async () => {
    const proved = proof();
    const refused: [unknown, unknown][] = [[shell.api.getAuthStepUpOptions().queryKey, { message: 'Busy' }]];
    const { children } = shell.act(shell.stepUp.StepUpDialog, {}, { refused }).given('opened');
    const within = shell.act(() => children);
    expect(textOf(within.again())).toBe('This could not be loaded Busy. Try again Not now');
    within.click('Not now');
    await answered();
    expect(proved).toEqual([false]);
  });
});

describe('a page', () => {
  test('that a role does not open says so', () => {
    const told = (component: unknown, props: object, as: Reader) => textOf(shell.show(component, props, { as }));
    const words =
      'Not for your role Your role does not open this page You are signed in as: Front desk. An administrator of your clinic can give you another role.';

    expect(told(shell.allowed.For, { right: 'audit' }, { role: 'staff', rights: [] })).toBe(words);
    expect(told(shell.allowed.For, { right: 'audit' }, { role: 'staff', rights: ['audit'] })).toBe('');
    expect(told(shell.allowed.ForOperators, {}, { role: 'staff', rights: ['audit'] })).toBe(words);
    expect(told(shell.allowed.ForOperators, {}, { role: 'operator' })).toBe('');
  });

  test('that is none leads to the overview', () => {
    const markup = shell.show(shell.notFound.NotFound);
    expect(textOf(markup)).toBe('Page not found There is nothing at this address To the overview');
    expect(linksIn(markup)).toEqual([['To the overview', '/']]);
  });

  test('for who is not signed in has its title and the brand', () => {
    const acted = shell.act(shell.brand.Front, { title: 'Sign in', children: 'Below' });
    acted.begin();
    expect([page.title, textOf(acted.again())]).toEqual(['Sign in · Clinic workflows', 'Clinic workflows Below']);
  });
});
