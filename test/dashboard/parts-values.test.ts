import {
  type Computed,
  dashboardModules,
  linksIn,
  RequestFromPage,
  type Stage,
  requireForUse,
  textsIn,
} from './stage/dashboard';
import { emptyPage } from './stage/page';

/** What all pages are made of: fields, lists, filters, what is said, without a browser. */
interface Option {
  (given?: object): { queryKey: unknown };
}
interface Fault {
  tell(error: unknown): Promise<void>;
  render(): unknown;
  componentDidUpdate(before: { at?: string }): void;
  componentDidMount(): void;
  componentWillUnmount(): void;
  setState(state: object): void;
  state: object;
}
interface Modules {
  api: Record<'getViewsOptions' | 'getIntegrationsOutboundEndpointsOptions', Option> & Record<'postPauses', Computed>;
  boundary: { Boundary: new (props: { at?: string; children: unknown }) => Fault };
  bulk: { BulkDialog: unknown };
  check: { CheckedSettings: unknown; Findings: unknown };
  dialogs: { Dialog: unknown; useUnsaved: Computed };
  duration: { DurationInput: unknown };
  end: { FormEnd: unknown; Changes: unknown; changedIn: Computed };
  exporting: { ListExport: unknown };
  filters: { Filters: unknown };
  focus: { keepFocus: () => void };
  forms: { DialogForm: unknown; LineForm: unknown };
  hours: { HoursEditor: unknown };
  menu: { ChangeMenu: unknown };
  phone: { usePhone: () => unknown; useExamplePhone: () => unknown };
  records: { Records: unknown };
  recordList: { RecordList: unknown };
  refusal: { showRefusal: Computed };
  say: Record<'sayFailedOr' | 'sayDoneOrUndo' | 'forgetUndo' | 'sayDoneOr' | 'failuresTold' | 'sayFailed', Computed>;
  section: { Section: unknown };
  service: {
    createQueries: () => {
      getQueryCache(): { config: { onError: (error: unknown) => void } };
      getDefaultOptions(): { queries: { retry: (failures: number, error: unknown) => boolean } };
      invalidateQueries: unknown;
    };
  };
  session: { session: { open: (token: string) => void; close: (ending: string) => void; current: () => object } };
  sorting: { Head: unknown; SortChoice: unknown };
  states: { Loaded: unknown };
  text: { OutsideLink: unknown };
  timeline: { Happening: unknown };
  useList: { useList: (list: object) => object };
  views: { SavedViews: unknown };
  viewDialogs: Record<'SaveView' | 'RenameView', unknown>;
  viewers: Record<'Watched' | 'Viewers', unknown> & { useStopWatching: () => () => void };
  week: Record<'isLocalDate' | 'sortableTime' | 'weekdayName' | 'mondayOf', Computed>;
}

const { Table } = requireForUse('@mantine/core') as { Table: unknown };
const { createElement } = requireForUse('react') as { createElement: Computed };

const { window, page, browser, at } = emptyPage();
let parts: Modules & Stage;
/** What was asked of the service, and what it answers, once for each. */
let requests: unknown[] = [];
let replies: (Response | Error)[] = [];
let [isNarrow, reloads, selection] = [false, 0, ''];
const network = { onLine: true };
const browserWindow = {
  ...browser,
  addEventListener: window.addEventListener.bind(window),
  removeEventListener: window.removeEventListener.bind(window),
  dispatchEvent: window.dispatchEvent.bind(window),
  matchMedia: (query: string) => ({ matches: isNarrow && query.includes('max-width') }),
  setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
  clearTimeout: (timer: NodeJS.Timeout) => clearTimeout(timer),
  location: { pathname: '/patients/1', reload: () => (reloads += 1) },
};

beforeAll(async () => {
  parts = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      boundary: require.resolve('../../dashboard/parts/boundary.tsx'),
      bulk: require.resolve('../../dashboard/lists/bulk-dialog.tsx'),
      check: require.resolve('../../dashboard/forms/settings-check.tsx'),
      dialogs: require.resolve('../../dashboard/forms/dialog.tsx'),
      duration: require.resolve('../../dashboard/forms/duration-input.tsx'),
      end: require.resolve('../../dashboard/forms/form-end.tsx'),
      exporting: require.resolve('../../dashboard/lists/list-export.tsx'),
      focus: require.resolve('../../dashboard/parts/focus.ts'),
      filters: require.resolve('../../dashboard/lists/filters.tsx'),
      forms: require.resolve('../../dashboard/forms/action-form.tsx'),
      hours: require.resolve('../../dashboard/forms/hours-editor.tsx'),
      menu: require.resolve('../../dashboard/parts/change-menu.tsx'),
      phone: require.resolve('../../dashboard/words/phone.ts'),
      records: require.resolve('../../dashboard/lists/records.tsx'),
      recordList: require.resolve('../../dashboard/lists/record-list.tsx'),
      refusal: require.resolve('../../dashboard/forms/refusal.ts'),
      say: require.resolve('../../dashboard/parts/say.tsx'),
      section: require.resolve('../../dashboard/parts/section.tsx'),
      service: require.resolve('../../dashboard/http/service.ts'),
      session: require.resolve('../../dashboard/http/session.ts'),
      sorting: require.resolve('../../dashboard/lists/sorting.tsx'),
      states: require.resolve('../../dashboard/parts/states.tsx'),
      text: require.resolve('../../dashboard/words/text.tsx'),
      timeline: require.resolve('../../dashboard/parts/timeline.tsx'),
      useList: require.resolve('../../dashboard/lists/use-list.ts'),
      views: require.resolve('../../dashboard/lists/saved-views.tsx'),
      viewDialogs: require.resolve('../../dashboard/lists/view-dialogs.tsx'),
      viewers: require.resolve('../../dashboard/parts/viewers.tsx'),
      week: require.resolve('../../dashboard/words/week.ts'),
    },
    {
      ...browser,
      window: browserWindow,
      MutationObserver: window.MutationObserver,
      Element: (window as unknown as { Element: unknown }).Element,
      getSelection: () => ({ toString: () => selection }),
      navigator: Object.assign(network, { language: 'en-US', languages: ['en-US'], userAgent: 'Windows' }),
      Request: RequestFromPage,
      async fetch(request: Request | string) {
        const reply = replies.shift() ?? Response.json({});
        if (typeof request === 'string') requests.push(request);
        else {
          const { pathname, search } = new URL(request.url);
          const text = await request.text();
          requests.push([request.method, pathname + search, ...(text === '' ? [] : [JSON.parse(text)])]);
        }
        if (reply instanceof Error) throw reply;
        return reply;
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
  [requests, replies, isNarrow, selection] = [[], [], false, ''];
  network.onLine = true;
  parts.session.session.close('none');
  parts.said();
});
afterEach(() => jest.useRealTimers());

const textOf = (markup: string) => textsIn(markup).join(' ').replaceAll(/\s/g, ' ');
/** What was asked of the service has an answer by then. */
const answered = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};
const refusal = (details: object[] = [], statusCode = 400) =>
  Response.json({ statusCode, message: 'Refused', details }, { status: statusCode });

describe('a length of time', () => {
  const asked = (value: number, more: object = {}) => {
    const given: number[] = [];
    const props = {
      label: 'Wait',
      limits: 'from 1 to 9',
      value,
      onChange: (seconds: number) => given.push(seconds),
      ...more,
    };
    const acted = parts.act(parts.duration.DurationInput, props);
    const shows = () => {
      const { value: shown } = acted.given('allowDecimal');
      return [shown, acted.field('Wait: unit')['value']];
    };
    return { acted, given, shows };
  };

  test.each<[seconds: number, shown: number, unit: string]>([
    [0, 0, '60'],
    [1, 1, '1'],
    [59, 59, '1'],
    [60, 1, '60'],
    [90, 90, '1'],
    [3_600, 1, '3600'],
    [5_400, 90, '60'],
    [86_400, 1, '86400'],
    [90_000, 25, '3600'],
  ])('%d s are %d of the unit of %s s', (seconds, shown, unit) => {
    expect(asked(seconds).shows()).toEqual([shown, unit]);
  });

  test.each<[typed: number | string, given: number[], shown: unknown]>([
    [5, [300], 2],
    [2, [120], 2],
    ['', [0], 2],
    ['-', [], '-'],
    [0.5, [30], 2],
  ])('in minutes %j gives %j', (typed, seconds, shown) => {
    const { acted, given, shows } = asked(120);
    acted.given('allowDecimal').onChange?.(typed);
    expect(given).toEqual(seconds);
    acted.again();
    expect(shows()).toEqual([shown, '60']);
  });

  test('another unit keeps the number', () => {
    const { acted, given, shows } = asked(120);
    acted.field('Wait: unit').onChange?.('3600');
    expect(given).toEqual([7_200]);
    acted.again();
    expect(shows()[1]).toBe('3600');
  });

  test('says its limits, and what is refused by them', () => {
    const told = (more: object) => textOf(asked(60, more).acted.again()).replace(' seconds minutes hours days', '');
    expect(told({})).toBe('Wait From 1 to 9');
    expect(told({ description: 'Of a call' })).toBe('Wait From 1 to 9. Of a call');
    expect(told({ error: 'Refused' })).toBe('Wait From 1 to 9 This must be from 1 to 9');
  });
});

describe('the hours of a week', () => {
  const nine = { opens: '09:00', closes: '17:00' };
  const edit = (hours: object, problems?: object[]) => {
    const given: unknown[] = [];
    const acted = parts.act(parts.hours.HoursEditor, {
      label: 'Hours',
      hours,
      problems,
      onChange: (next: unknown) => given.push(next),
    });
    acted.again();
    return { acted, given };
  };

  test('each stretch is changed, added and taken away, and a day without any is none', () => {
    const two = { monday: [nine, { opens: '18:00', closes: '20:00' }], friday: [nine] };
    const { acted, given } = edit(two);
    acted.click('Remove 09:00 to 17:00 on Monday');
    acted.click('Remove 09:00 to 17:00 on Friday');
    acted.click('Add hours on Tuesday');
    acted.click('Add hours on Friday');
    expect(given).toEqual([
      { ...two, monday: [two.monday[1]] },
      { monday: two.monday },
      { ...two, tuesday: [nine] },
      { ...two, friday: [nine, nine] },
    ]);
  });

  test.each<[label: string, value: string, key: string, given: object[]]>([
    ['Monday opens', '9', 'Enter', [{ opens: '09:00', closes: '17:00' }]],
    ['Monday opens', '9', 'a', []],
    ['Monday opens', '09:00', 'Enter', []],
    ['Monday opens', 'soon', 'Enter', []],
    ['Monday closes', '6pm', 'Enter', [{ opens: '08:00', closes: '18:00' }]],
  ])('%s “%s” is read with %s: %j', (label, value, key, days) => {
    const hours = { monday: [{ opens: '08:00', closes: '17:00' }] };
    const { acted, given } = edit(hours);
    const { onKeyDown, onBlur } = acted.field(label);
    onKeyDown?.({ key, currentTarget: { value } });
    expect(given).toEqual(days.map((day) => ({ monday: [day] })));
    if (key !== 'Enter') return;
    onBlur?.({ currentTarget: { value } });
    expect(given).toHaveLength(2 * days.length);
  });

  test('what is typed stays as it is until then', () => {
    const { acted, given } = edit({ monday: [nine, nine] });
    acted.field('Monday opens').onChange?.({ currentTarget: { value: '8' } });
    expect(given).toEqual([{ monday: [{ opens: '8', closes: '17:00' }, nine] }]);
  });

  test('those of Monday are those of all days until Friday', () => {
    const { acted, given } = edit({ monday: [nine], tuesday: [], saturday: [nine] });
    acted.click('Use Monday’s hours until Friday');
    const week = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
    expect(given).toEqual([Object.fromEntries(week.map((day) => [day, [nine]]))]);
    expect(
      edit({})
        .acted.again()
        .match(/>Closed</g),
    ).toHaveLength(7);
  });

  test.each<[stretches: object[], words: string | null, wrong: string[]]>([
    [[{ opens: 'x', closes: '17:00' }], 'Monday: write the hours as 9:00 to 17:00', ['Monday opens']],
    [[{ opens: '9', closes: 'x' }], 'Monday: write the hours as 9:00 to 17:00', ['Monday closes']],
    [[{ opens: '17:00', closes: '09:00' }], 'Monday closes before it opens', ['Monday closes']],
    [
      [nine, { opens: '16:00', closes: '18:00' }],
      'Monday: one stretch begins before the one above it ends',
      ['Monday opens'],
    ],
    [[nine], null, []],
  ])('%j that were refused are told as %j', (monday, words, wrong) => {
    const markup = edit({ monday }, [{ path: 'sunday', message: 'must be shorter' }]).acted.again();
    const told = [...markup.matchAll(/role="alert"[^>]*>([^<]*)</g)].map(([, each]) => each);
    const marked = [
      ...markup.matchAll(
        /<input[^>]*aria-label="([^"]*)"[^>]*aria-invalid="true"|<input[^>]*aria-invalid="true"[^>]*aria-label="([^"]*)"/g,
      ),
    ].map(([, one, other]) => one ?? other);

    expect(told).toEqual([...(words === null ? [] : [words]), 'Sunday: this must be shorter']);
    expect(marked).toEqual(wrong);
    expect(edit({ monday }).acted.again()).not.toContain('role="alert"');
  });
});

describe('the end of a form', () => {
  test('says what it is the end of, and what is changed', () => {
    expect(parts.show(parts.end.FormEnd, { children: 'x' })).toContain('data-place="panel"');
    expect(parts.show(parts.end.FormEnd, { place: 'list', children: 'x' })).toContain('data-place="list"');
    const told = (props: object) => textOf(parts.show(parts.end.Changes, props));
    expect([
      told({ isDirty: true }),
      told({ isDirty: true, changed: ['Name', 'Phone'] }),
      told({ isDirty: false, changed: ['Name'] }),
    ]).toEqual(['Not saved yet', 'Changed: Name, Phone', '']);
  });

  test('of a list names what was added, changed or removed, once', () => {
    const named = (items: object[], stored: object[]) =>
      parts.end.changedIn(items, stored, ({ name }: { name: string }) => name);
    const [one, other, changed] = [{ name: 'one' }, { name: 'other' }, { name: 'one', is: 'new' }];
    expect([
      named([one, other], [one]),
      named([one], [one, other]),
      named([changed], [one]),
      named([one], [one]),
    ]).toEqual([['other'], ['other'], ['one'], []]);
  });

  test.each<[isEdit: boolean, isDirty: boolean, isDisabled: boolean, can: boolean]>([
    [false, false, false, true],
    [true, false, false, false],
    [true, true, false, true],
    [false, true, true, false],
  ])(
    'of what is stored (%s) that is changed (%s), disabled %s, can be sent: %s',
    (isEdit, isDirty, isDisabled, can) => {
      const form = { submit: () => {}, isSaving: false, isDirty: () => isDirty, changed: ['Name'] };
      const markup = parts.show(parts.forms.DialogForm, {
        form,
        action: 'Save it',
        isEdit,
        isDisabled,
        onClose: () => {},
        children: 'Fields',
      });
      const [, button = ''] = /<button([^>]*type="submit"[^>]*)>/.exec(markup) ?? [];
      expect(button.includes('disabled=""')).toBe(!can);
      expect(textOf(markup)).toBe(`Fields ${isEdit && isDirty ? 'Changed: Name ' : ''}Not now Save it`);
      expect(textOf(parts.show(parts.forms.LineForm, { form, action: 'Send', children: 'Field' }))).toBe('Field Send');
    },
  );
});

describe('a dialog', () => {
  const closes = (isDirty: boolean | undefined) => {
    let closed = 0;
    const props = {
      opened: true,
      title: 'Edit',
      isDirty: isDirty === undefined ? undefined : () => isDirty,
      onClose: () => (closed += 1),
      children: 'x',
    };
    return { acted: parts.act(parts.dialogs.Dialog, props), closed: () => closed };
  };

  test.each([[undefined], [false]])('in which nothing is typed (%s) is closed at once', (isDirty) => {
    const { acted, closed } = closes(isDirty);
    (acted.given('stackId') as unknown as { onClose: () => void }).onClose();
    expect(closed()).toBe(1);
  });

  test.each<[isDirty: boolean, asks: boolean]>([
    [true, true],
    [false, false],
  ])('in which something is typed (%s) has the browser ask before its tab is closed: %s', (isDirty, asks) => {
    const end = closes(isDirty).acted.begin();
    const leaves = () => {
      const event = new window.Event('beforeunload', { cancelable: true });
      window.dispatchEvent(event);
      return (event as Event).defaultPrevented;
    };
    expect(leaves()).toBe(asks);
    end();
    expect(leaves()).toBe(false);
  });

  test('asks for what a form in it holds, while that is there', () => {
    let closed = 0;
    const Form = () => {
      parts.dialogs.useUnsaved(() => true);
      return null;
    };
    const props = {
      opened: true,
      withinPortal: false,
      title: 'Edit',
      onClose: () => (closed += 1),
      children: createElement(Form),
    };
    const acted = parts.act(parts.dialogs.Dialog, props);
    const end = acted.begin();
    const close = () => (acted.given('stackId') as unknown as { onClose: () => void }).onClose();
    close();
    const question = parts.dialog();
    expect([closed, question.texts]).toEqual([
      0,
      ['Close without saving?', 'What you have typed here is lost then.', 'Close without saving', 'Go on typing'],
    ]);
    question.click('Close without saving');
    expect(closed).toBe(1);
    end();
    close();
    expect(closed).toBe(2);
  });

  test('keeps what a form in it does from the form that it was opened from', () => {
    let isStopped = false;
    const { onSubmit } = closes(false).acted.given('stackId');
    onSubmit?.({ stopPropagation: () => (isStopped = true) } as unknown as Event);
    expect(isStopped).toBe(true);
  });
});

describe('settings that another system is asked about', () => {
  const words = { passed: 'All is well', problems: 'It would fail', notes: 'Good to know' };
  const finding = (isProblem: boolean) => ({ path: 'key', message: isProblem ? 'is wrong' : 'is old', isProblem });
  const asked = (props: object) => {
    const sent: unknown[] = [];
    const action = { mutate: (request: unknown) => sent.push(request), isPending: false, data: undefined };
    const acted = parts.act(parts.check.CheckedSettings, { isSaved: true, action, words, ...props });
    return { told: textOf(acted.again()), acted, sent };
  };
  const action = (data: object) => ({ action: { mutate: () => {}, isPending: false, data } });

  test.each<[props: object, told: string]>([
    [{}, 'Check'],
    [{ isSaved: false }, 'Check Save to check.'],
    [action({ passed: true, findings: [] }), 'Check All is well'],
    [action({ passed: false, findings: [finding(true)] }), 'Check It would fail is wrong'],
    [action({ passed: true, findings: [finding(false)] }), 'Check All is well Good to know is old'],
    [
      {
        ...action({ passed: false, findings: [finding(true), finding(false)] }),
        say: ({ path }: { path: string }) => `Of ${path}`,
      },
      'Check It would fail Of key Good to know Of key',
    ],
    [
      { isSaved: false, ...action({ passed: true, findings: [finding(true), finding(false)] }) },
      'Check Save to check.',
    ],
  ])('%j: %s', (props, told) => {
    expect(asked(props).told).toBe(told);
  });

  test('are asked about as they are saved', () => {
    const { acted, sent } = asked({});
    acted.click('Check');
    expect(sent).toEqual([{}]);
  });
});

test('what is refused of no field that is shown is told', () => {
  const details = [
    { path: 'name', message: 'is taken' },
    { path: 'clock', message: 'must be later' },
    { path: 'zone', message: 'Unknown' },
  ];
  const errors: object[] = [];
  parts.refusal.showRefusal({ setErrors: (given: object) => errors.push(given) }, { details }, { name: 'Name' });
  expect(errors).toEqual([{ name: 'This is taken' }]);
  expect(parts.said().map(({ message }) => message)).toEqual(['clock must be later. zone is not valid: Unknown.']);
  parts.refusal.showRefusal({ setErrors: () => {} }, { message: 'Busy' }, { name: 'Name' });
  expect(parts.said().map(({ message }) => message)).toEqual(['Busy.']);
});

describe('saved views', () => {
  const view = (given: object = {}) => ({
    id: 'view-1',
    name: 'Lost',
    filters: { lost: 'true' },
    savedBy: 'Ben',
    isOwn: true,
    isShared: false,
    ...given,
  });
  const acting = (address: string, items: object[], role: 'admin' | 'staff' = 'staff') => {
    const acted = parts.act(
      parts.views.SavedViews,
      { list: 'cases' },
      {
        at: address,
        as: { role },
        answers: [[parts.api.getViewsOptions({ query: { list: 'cases' } }).queryKey, { items }]],
      },
    );
    acted.again();
    return acted;
  };

  test.each<[address: string, leads: string]>([
    ['/cases', '/cases?lost=true'],
    ['/cases?form=Intake', '/cases?lost=true'],
    ['/cases?lost=true', '/cases'],
    ['/cases?lost=true&task=task-1', '/cases'],
  ])('at %s a click leads to %s', async (address, leads) => {
    const acted = acting(address, [view()]);
    acted.click('Lost');
    expect(await acted.address()).toBe(leads);
  });

  test.each<[address: string, items: object[], canSave: boolean]>([
    ['/cases', [], false],
    ['/cases?task=task-1', [], false],
    ['/cases?lost=true', [], true],
    ['/cases?lost=true', [view()], false],
    ['/cases?lost=false', [view()], true],
    ['/cases?lost=true&form=Intake', [view()], true],
  ])('at %s those filters can be saved: %s', (address, items, canSave) => {
    const acted = acting(address, items);
    const told = textOf(acted.again());
    expect(told.includes('Save this view')).toBe(canSave);
    if (!canSave) return;
    acted.click('Save this view');
    acted.again();
    const { filters, onDone } = acted.given('filters') as unknown as { filters: object; onDone: () => void };
    expect(filters).toEqual(Object.fromEntries(new URLSearchParams(address.split('?')[1])));
    onDone();
    acted.again();
    expect(() => acted.given('filters')).toThrow('nothing there');
  });

  test.each<[given: object, role: 'admin' | 'staff', items: string[] | null]>([
    [{}, 'staff', ['Rename', 'Share it with the clinic', 'Remove']],
    [{ isShared: true }, 'staff', ['Rename', 'Make it private', 'Remove']],
    [{ isOwn: false, isShared: true }, 'staff', null],
    [{ isOwn: false, isShared: true }, 'admin', ['Remove']],
  ])('of one that is %j a %s can change %j', (given, role, items) => {
    const acted = acting('/cases?lost=true', [view(given)], role);
    expect(acted.again().includes('title="Lost, shared by Ben"')).toBe('isOwn' in given);
    if (!items) return expect(() => acted.given('items')).toThrow('nothing there');
    expect((acted.given('items')['items'] as { label: string }[]).filter(Boolean).map(({ label }) => label)).toEqual(
      items,
    );
  });

  test.each<[isShared: boolean, label: string, told: string]>([
    [false, 'Share it with the clinic', 'Everyone at the clinic sees it.'],
    [true, 'Make it private', 'Only you see it.'],
  ])('one that is shared (%s) becomes the other, and is removed', async (isShared, label, told) => {
    const acted = acting('/cases?lost=true', [view({ isShared })]);
    replies = [Response.json(view({ isShared: !isShared }))];
    acted.click(label);
    await answered();
    expect(requests).toEqual([['PATCH', '/api/views/view-1', { isShared: !isShared }]]);
    expect([parts.said().map(({ message }) => message), acted.stale()]).toEqual([[told], ['getViews']]);
    acted.click('Remove');
    await answered();
    expect(requests.slice(1)).toEqual([['DELETE', '/api/views/view-1']]);
  });

  test('one is renamed', () => {
    const acted = acting('/cases?lost=true', [view()]);
    acted.click('Rename');
    acted.again();
    const { onDone, ...given } = acted.given('viewId') as unknown as { onDone: () => void };
    expect(given).toMatchObject({ viewId: 'view-1', name: 'Lost' });
    onDone();
    acted.again();
    expect(() => acted.given('viewId')).toThrow('nothing there');
  });

  test.each<['SaveView' | 'RenameView', props: object, typed: string, asked: unknown]>([
    [
      'SaveView',
      { list: 'cases', filters: { lost: 'true' } },
      'Lost',
      ['POST', '/api/views', { name: 'Lost', isShared: false, list: 'cases', filters: { lost: 'true' } }],
    ],
    ['RenameView', { viewId: 'view-1', name: 'Old' }, 'Lost', ['PATCH', '/api/views/view-1', { name: 'Lost' }]],
  ])('%s sends the name, and needs one', async (name, props, typed, asked) => {
    let done = 0;
    const acting2 = (text: string) => {
      const answers: [unknown, unknown][] = ['getViews', 'putRecordsByRecordIdViewers'].map((_id) => [[{ _id }], {}]);
      const acted = parts.act(parts.viewDialogs[name], { ...props, onDone: () => (done += 1) }, { answers });
      acted.field('Name').onChange?.(text);
      acted.submit();
      return acted;
    };
    acting2('');
    await answered();
    expect([requests, done]).toEqual([[], 0]);
    const sent = acting2(typed);
    await answered();
    expect([requests, done, sent.stale()]).toEqual([[asked], 1, ['getViews']]);
    replies = [refusal([{ path: 'name', message: 'is taken' }])];
    const refused = acting2(typed);
    await answered();
    expect([done, parts.said()]).toEqual([1, []]);
    refused.again();
    expect(refused.given('stackId')).toMatchObject({
      title: name === 'SaveView' ? 'Save this view' : 'Rename the view',
    });
  });
});

describe('the filters of a list', () => {
  const fields = [
    { kind: 'search', name: 'search', label: 'Search', placeholder: 'Name' },
    { kind: 'search', name: 'form', label: 'Form', placeholder: 'Any' },
    {
      kind: 'select',
      name: 'status',
      label: 'Status',
      options: [
        { value: 'OPEN', label: 'Open' },
        { value: 'DONE', label: 'Done' },
      ],
    },
    {
      kind: 'select',
      name: 'show',
      label: 'Shown',
      options: [{ value: 'all', label: 'All' }],
      usual: { label: 'Current', liftedBy: 'all' },
    },
    { kind: 'day', name: 'from', label: 'From' },
    { kind: 'own', name: 'who', label: 'Who', field: 'Own field' },
  ];
  const acting = (given: Record<string, string> = {}, elsewhere: object[] = [], address = '/cases') => {
    const set: unknown[] = [];
    const filters = { given, set: (...change: unknown[]) => set.push(change), isAny: true };
    const acted = parts.act(parts.filters.Filters, { fields, filters, elsewhere }, { at: address });
    acted.again();
    return { acted, set, told: () => textOf(acted.again()) };
  };

  test.each<[given: Record<string, string>, told: string]>([
    [{}, 'Own field Shown: Current Filter'],
    [{ status: 'OPEN', from: '2026-11-25' }, 'Own field Status: Open Shown: Current From: Nov 25, 2026 Filter'],
    [{ status: 'other', from: 'soon', show: 'all' }, 'Own field Shown: All Filter'],
  ])('%j are shown as “%s”', (given, told) => {
    expect(acting(given).told()).toBe(told);
  });

  test('one is added from those that are not set, opened at once, and dropped again', () => {
    const { acted, set, told } = acting();
    acted.click('Status');
    expect(told()).toBe('Own field Status Shown: Current Filter');
    expect(acted.given('isAsked')).toMatchObject({ isAsked: false });
    acted.click('Without: Status');
    expect([told(), set]).toEqual(['Own field Shown: Current Filter', []]);
    acted.click('Without: Shown: Current');
    expect(set).toEqual([['show', 'all']]);
    const other = acting({ status: 'OPEN' });
    other.acted.click('Without: Status: Open');
    expect(other.set).toEqual([['status', null]]);
  });

  test('one that was asked for is open at once, one that was there is opened by a click', () => {
    const isOpen = ({ acted }: ReturnType<typeof acting>) =>
      acted.given(({ opened }) => opened !== undefined)['opened'];
    const asked = acting({ show: 'all' });
    asked.acted.click('Status');
    asked.acted.again();
    expect(isOpen(asked)).toBe(false);
    asked.acted.begin();
    asked.acted.again();
    expect(isOpen(asked)).toBe(true);
    const there = acting({ status: 'OPEN', show: 'all' });
    there.acted.begin();
    there.acted.again();
    expect(isOpen(there)).toBe(false);
    there.acted.click('Status: Open');
    there.acted.again();
    expect(isOpen(there)).toBe(true);
  });

  test('what is chosen in it is set, and the usual sets nothing', () => {
    const { acted, set } = acting({ status: 'OPEN', show: 'all' });
    acted.click('Done');
    acted.click('Current');
    acted.click('All');
    expect(set).toEqual([
      ['status', 'DONE'],
      ['show', null],
      ['show', 'all'],
    ]);
  });

  test('a day is typed, or one that is near', () => {
    const { acted, set } = acting({ from: '2026-11-20' });
    const { onChange } = acted.given('trapFocus') as unknown as { onChange: (isOpen: boolean) => void };
    onChange(true);
    acted.again();
    expect(acted.given('trapFocus')['opened']).toBe(true);
    const day = acted.given('onChoose') as unknown as { onChoose: (day: string) => void };
    day.onChoose('2026-11-25');
    acted.again();
    expect([set, acted.given('trapFocus')['opened']]).toEqual([[['from', '2026-11-25']], false]);
  });

  test('what a link has set is dropped with all its names', async () => {
    const elsewhere = [
      { names: ['weekday', 'hour'], text: 'Opened on Mondays' },
      { names: ['lost'], text: undefined },
    ];
    const { acted, told } = acting({}, elsewhere, '/cases?weekday=1&hour=9&lost=true');
    expect(told()).toContain('Opened on Mondays Filter');
    acted.click('Without: Opened on Mondays');
    expect(await acted.address()).toBe('/cases?lost=true');
  });

  test('what a link searches for stands in the field', () => {
    const given = { search: 'wendy' };
    const { acted } = acting(given);
    given.search = 'ivan';
    acted.again();
    acted.begin();
    expect(acted.again()).toContain('value="ivan"');
  });

  test('what is searched for is set when typing pauses, without its spaces', () => {
    const { acted, set } = acting({ search: 'wendy' });
    expect([
      acted.field('Search')['value'],
      acted.field('Search')['placeholder'],
      acted.field('Form')['placeholder'],
    ]).toEqual(['wendy', 'Name', 'Form: Any']);
    acted.type('Search', ' ivan ');
    jest.advanceTimersByTime(249);
    expect(set).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(set).toEqual([['search', 'ivan']]);
    expect(acted.again()).toContain('value=" ivan "');
    acted.type('Search', '  ');
    jest.advanceTimersByTime(250);
    expect(set[1]).toEqual(['search', null]);
  });

  test.each<[keys: [key: string, atMs: number, besides?: object][], focused: string]>([
    [[['o', 0]], 'one'],
    [[['t', 0]], 'two'],
    [
      [
        ['t', 0],
        ['h', 999],
      ],
      'three',
    ],
    [
      [
        ['t', 0],
        ['h', 1_000],
      ],
      '',
    ],
    [
      [
        ['t', 0],
        ['H', 100],
      ],
      'three',
    ],
    [[['n', 0]], 'one'],
    [[['t', 0, { ctrlKey: true }]], ''],
    [[['t', 0, { metaKey: true }]], ''],
    [[['t', 0, { altKey: true }]], ''],
    [[['Tab', 0]], ''],
    [
      [
        ['t', 0],
        [' ', 10],
        ['h', 20],
      ],
      'three',
    ],
  ])('in a menu %j lead to “%s”', (keys, focused) => {
    page.body.innerHTML =
      '<div id="menu"><a role="menuitem" tabindex="0" id="one">One (new)</a><a role="menuitem" tabindex="0" id="two">Two</a><a role="menuitem" tabindex="0" id="three">three</a></div>';
    // The parenthesis is no letter: “new” begins with it.
    at('#one').innerHTML = 'One new';
    const { acted } = acting({ status: 'OPEN' });
    acted.again();
    const { onKeyDown } = acted.given('mah');
    let last = '';
    for (const [key, timeStamp, besides = {}] of keys) {
      (page.activeElement as unknown as { blur: () => void }).blur();
      onKeyDown?.({ key, timeStamp: timeStamp + 5_000, currentTarget: at('#menu'), ...besides });
      last = page.activeElement?.id ?? '';
    }
    expect(last).toBe(focused);
  });
});

describe('the order of a list', () => {
  const name = { head: 'Name', sorted: { ascending: 'name', descending: '-name' } };
  const opened = { head: 'Opened', sorted: { ascending: 'oldest', descending: 'newest' } };

  test.each<[column: object, order: string, next: string | null, direction: string]>([
    [name, '', '?order=name', 'none'],
    [name, 'name', '?order=-name', 'ascending'],
    [name, '-name', '?order=name', 'descending'],
    [opened, '', '?order=oldest', 'descending'],
    [opened, 'newest', '?order=oldest', 'descending'],
    [opened, 'oldest', '', 'ascending'],
    [opened, 'name', '', 'none'],
  ])('%j at “%s” leads to “%s”, and is %s', async (column, order, next, direction) => {
    const inTable = () => createElement(Table, {}, createElement(parts.sorting.Head, { column }));
    const acted = parts.act(inTable, {}, { at: order === '' ? '/cases' : `/cases?order=${order}` });
    expect(acted.given('aria-sort')['aria-sort']).toBe(direction);
    acted.click((column as { head: string }).head);
    expect(await acted.address()).toBe(`/cases${next}`);
  });

  test('on a phone it is chosen from all, where one of them is the current one', async () => {
    const choice = (columns: object[], address: string) =>
      parts.act(parts.sorting.SortChoice, { columns }, { at: address });
    const acted = choice([name, { head: 'Phone' }, opened], '/cases?order=name');
    expect(textOf(acted.again())).toBe('Name, ascending');
    acted.click('Opened, ascending');
    expect(await acted.address()).toBe('/cases?order=oldest');
    acted.again();
    acted.click('Opened, descending');
    expect(await acted.address()).toBe('/cases');
    expect(textOf(choice([name], '/cases').again())).toBe('');
  });
});

describe('what is done to many records', () => {
  const counted = { total: 3, parts: [], oldest: null, newest: null, until: '2026-11-25T14:30:00Z' };
  const chosenOf = (given: object = {}) => ({
    part: null,
    endpointId: 'first',
    isReplay: false,
    from: null,
    until: null,
    ...given,
  });
  const acting = (
    kind: string,
    {
      chosen = {},
      more = {},
      endpoints = [],
      props = {},
    }: { chosen?: object; more?: object; endpoints?: object[]; props?: object } = {},
  ) => {
    let closed = 0;
    const answers: [unknown, unknown][] = [
      [['dry run', kind, chosenOf(chosen)], { ...counted, ...more }],
      [parts.api.getIntegrationsOutboundEndpointsOptions().queryKey, { items: endpoints }],
    ];
    const given = { kind, from: null, until: null, onClose: () => (closed += 1), ...props };
    const acted = parts.act(parts.bulk.BulkDialog, given, { answers, as: { rights: ['settings.read'] } });
    /** The dialog itself is drawn only in a browser: what is in it. */
    const within = () => {
      const { title, children } = acted.given('opened');
      return { title, body: parts.act(() => children, {}, { answers, as: { rights: ['settings.read'] } }) };
    };
    return { acted, within, closed: () => closed };
  };

  test.each<[kind: string, more: object, title: string, told: string[]]>([
    [
      'cancel_runs',
      {},
      'Cancel many runs',
      ['3 open runs', 'None of them makes another call.', 'Keep them running Cancel 3 runs'],
    ],
    ['cancel_runs', { total: 1 }, 'Cancel many runs', ['1 open run', 'Cancel 1 run']],
    [
      'resend_deliveries',
      {},
      'Send events again',
      ['3 failed events', 'They are sent in their order', 'Not now Send 3 events again'],
    ],
    ['resend_deliveries', { total: 1 }, 'Send events again', ['1 failed event', 'Send 1 event again']],
    [
      'cancel_runs',
      {
        parts: [
          { name: 'waitlist-offer', count: 2 },
          { name: 'payment-recovery', count: 1_000 },
        ],
      },
      'Cancel many runs',
      ['Waitlist offer: 2 Payment recovery: 1,000'],
    ],
    [
      'resend_deliveries',
      {
        parts: [
          { name: 'recovery_case.outcome', count: 2 },
          { name: 'new.event', count: 1 },
        ],
      },
      'Send events again',
      ['Case outcome: 2 new.event: 1'],
    ],
    [
      'cancel_runs',
      { oldest: '2026-11-24T14:30:00Z', newest: '2026-11-25T14:30:00Z' },
      'Cancel many runs',
      ['From Tue, Nov 24, 2026, 9:30 AM to Wed, Nov 25, 2026, 9:30 AM .'],
    ],
  ])('%s of %j is told before it is begun', (kind, more, title, told) => {
    const { title: heading, body } = acting(kind, { more }).within();
    const markup = textOf(body.again());
    expect(heading).toBe(title);
    for (const each of told) expect(markup).toContain(each);
    const one = textOf(
      acting(kind, { more: { parts: [{ name: 'waitlist-offer', count: 2 }] } })
        .within()
        .body.again(),
    );
    expect(one).not.toContain('Waitlist offer: 2');
  });

  test.each<[kind: string, chosen: object, props: object, counts: unknown, begins: unknown]>([
    [
      'cancel_runs',
      {},
      {},
      ['/api/runs/cancel', { dryRun: true }],
      ['/api/runs/cancel', { until: counted.until, dryRun: false }],
    ],
    [
      'cancel_runs',
      { part: 'waitlist-offer', from: '2026-11-01', until: '2026-11-30' },
      { workflowType: 'waitlist-offer', from: '2026-11-01', until: '2026-11-30' },
      ['/api/runs/cancel', { workflowType: 'waitlist-offer', from: '2026-11-01', until: '2026-12-01', dryRun: true }],
      ['/api/runs/cancel', { workflowType: 'waitlist-offer', from: '2026-11-01', until: counted.until, dryRun: false }],
    ],
    [
      'cancel_runs',
      { from: 'soon', until: 'late' },
      { from: 'soon', until: 'late' },
      ['/api/runs/cancel', { dryRun: true }],
      ['/api/runs/cancel', { until: counted.until, dryRun: false }],
    ],
    [
      'resend_deliveries',
      { endpointId: 'endpoint-2' },
      { endpointId: 'endpoint-2' },
      ['/api/deliveries/resend', { endpointId: 'endpoint-2', dryRun: true }],
      ['/api/deliveries/resend', { endpointId: 'endpoint-2', until: counted.until, dryRun: false }],
    ],
  ])('%s of %j counts what it begins', async (kind, chosen, props, counts, begins) => {
    const { acted, within, closed } = acting(kind, { chosen, props });
    const { queryFn } = acted.option('dry run') as { queryFn: () => Promise<unknown> };
    await queryFn();
    const { body } = within();
    body.click(kind === 'cancel_runs' ? 'Cancel 3 runs' : 'Send 3 events again');
    await answered();
    const post = (asked: unknown) => ['POST', ...(asked as unknown[])];
    expect(requests).toEqual([post(counts), post(begins)]);
    expect(parts.said().map(({ message }) => message)).toEqual(['Started. This page shows the progress.']);
    expect(closed()).toBe(1);
  });

  test('where there are none it cannot be begun', () => {
    const button = (total: number) => acting('cancel_runs', { more: { total } }).within().body.again();
    expect(
      [button(0), button(3)].map((markup) => /<button[^>]*disabled=""[^>]*>.{0,200}Cancel \d runs/.test(markup)),
    ).toEqual([true, false]);
  });

  test('what was refused of the time that was counted is said there', async () => {
    const { within, closed } = acting('cancel_runs');
    replies = [refusal([{ path: 'until', message: 'must not be to come' }])];
    within().body.click('Cancel 3 runs');
    await answered();
    expect([closed(), requests.length]).toEqual([0, 1]);
  });

  test('all of them, delivered ones too, are sent since a day that is to be chosen', async () => {
    const chosen = { isReplay: true, from: '2026-11-20', part: 'recovery_case.outcome', until: '2026-11-22' };
    const { acted, within } = acting('resend_deliveries', { chosen });
    const change = (label: string, value: unknown) => {
      within().body.field(label).onChange?.(value);
      acted.again();
      return textOf(within().body.again());
    };
    expect(change('Which', 'all')).toContain('Choose the day to start from.');
    change('Since', '2026-11-20');
    change('Until', '2026-11-22');
    const told = change('Event', 'recovery_case.outcome');
    expect(told).toContain('3 events Your endpoint gets them under the same webhook-id as before');
    expect(told).not.toContain('Choose the day');
    within().body.click('Send 3 events again');
    await answered();
    const body = {
      event: 'recovery_case.outcome',
      endpointId: 'first',
      from: '2026-11-20',
      until: counted.until,
      dryRun: false,
    };
    expect(requests).toEqual([['POST', '/api/deliveries/replay', body]]);
    expect(change('Event', '')).not.toContain('3 events');
    expect(change('Which', 'failed')).not.toContain('Choose the day');
  });

  test.each([
    [[], false],
    [
      [
        { id: 'endpoint-1', name: 'First' },
        { id: 'endpoint-2', name: 'CRM' },
      ],
      true,
    ],
  ])('among the endpoints %j one is chosen: %s', (endpoints, isOffered) => {
    const { body } = acting('resend_deliveries', { endpoints }).within();
    expect(textOf(body.again()).includes('Endpoint')).toBe(isOffered);
    expect(textOf(acting('cancel_runs', { endpoints }).within().body.again())).not.toContain('Endpoint');
  });
});

describe('records that are all there', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: String(index), name: `Name ${index}` }));
  const name = { head: 'Name', cell: ({ name: called }: { name: string }) => called };
  const place = { head: 'Place', cell: (_row: object, index: number) => `#${index}` };
  const acting = (
    count: number,
    columns: object[] = [name, place],
    to: unknown = ({ id }: { id: string }) => `/cases/${id}`,
  ) =>
    parts.act(parts.records.Records, {
      label: 'Cases',
      rows: rows(count),
      columns,
      keyOf: ({ id }: { id: string }) => id,
      to,
    });
  const drawn = (acted: ReturnType<typeof acting>) => acted.again().match(/data-row/g)?.length ?? 0;
  const actions = { head: 'Actions', cell: () => 'Cancel it', isActions: true };

  test.each<[count: number, columns: object[], isPhone: boolean, at: number]>([
    [20, [name], false, 20],
    [20, [name, actions], false, 20],
    [20, [name], true, 20],
    [3, [name], true, 3],
  ])('on the way back all %d are drawn at once: %j, on a phone %s', (count, columns, isPhone, first) => {
    isNarrow = isPhone;
    expect(drawn(acting(count, columns))).toBe(first);
  });

  test('a click beside its link opens a row, one on a control or a selection does not', async () => {
    page.body.innerHTML =
      ['a', 'button', 'input', 'span'].map((tag) => `<${tag} id="${tag}"></${tag}>`).join('') +
      '<p role="button"><i id="within"></i></p>';
    const opens = async (selector: string) => {
      const acted = acting(1);
      (acted.given('data-row') as unknown as { onClick: (event: object) => void }).onClick({ target: at(selector) });
      return acted.address();
    };
    const led = [];
    for (const selector of ['#span', '#a', '#button', '#input', '#within']) led.push(await opens(selector));
    expect(led).toEqual(['/cases/0', '/', '/', '/', '/']);
    selection = 'Name';
    expect(await opens('#span')).toBe('/');
    expect(acting(1, [name], null).again()).not.toContain('<a ');
  });

  test('the first cell is the link, and long text is shown when it is pointed at', () => {
    const long = { head: 'Long', cell: () => 'x'.repeat(21) };
    const short = { head: 'Short', cell: () => 'x'.repeat(20) };
    const markup = acting(1, [name, long, short]).again();
    expect(linksIn(markup)).toEqual([['Name 0', '/cases/0']]);
    expect([...markup.matchAll(/title="(x+)"/g)].map(([, title]) => title?.length)).toEqual([21]);
    expect(textOf(acting(2, [place]).again())).toBe('Place #0 #1');
  });

  test('cards have what is known, and their buttons at the foot', () => {
    isNarrow = true;
    const known = [
      name,
      { head: 'Phone', cell: () => '–' },
      { head: 'Form', cell: () => 'Intake' },
      { head: 'Wide', cell: () => 'x', isWideOnly: true },
      actions,
    ];
    const markup = acting(1, known).again();
    expect(textOf(markup)).toBe('Name 0 Form Intake Cancel it');
    expect(linksIn(markup)).toEqual([['Name 0', '/cases/0']]);
    expect(linksIn(acting(1, known, null).again())).toEqual([]);
  });

  test.each<[listed: object, told: string]>([
    [{ rows: [] }, 'No case'],
    [{ rows: undefined, error: { message: 'Busy' } }, 'This could not be loaded Busy. Try again'],
    [{ rows: undefined, error: null }, 'Loading'],
    [{ rows: rows(1) }, 'Name Name 0'],
    [{ rows: rows(1), total: { count: 12, isMore: false } }, '12 in all Name Name 0'],
    [{ rows: rows(1), total: { count: 0, isMore: false } }, 'Name Name 0'],
    [{ rows: rows(1), hasMore: true }, 'Name Name 0 1 shown Show more'],
    [{ rows: rows(1), hasMore: true, error: { message: 'Busy' } }, 'Name Name 0 Busy. Show more'],
  ])('a list of %j is told as “%s”', (listed, told) => {
    let read = 0;
    const props = {
      label: 'Cases',
      listed: { hasMore: false, error: null, readMore: () => (read += 1), readAgain: () => (read += 10), ...listed },
      columns: [name],
      keyOf: ({ id }: { id: string }) => id,
      empty: { title: 'No case' },
    };
    const acted = parts.act(parts.recordList.RecordList, props);
    expect(textOf(acted.again())).toBe(told);
    if (told.endsWith('Show more')) acted.click('Show more');
    if (told.endsWith('Try again')) acted.click('Try again');
    expect(read).toBe(told.endsWith('Show more') ? 1 : told.endsWith('Try again') ? 10 : 0);
  });
});

describe('a list that is read', () => {
  interface Read {
    queryFn: (page: object) => Promise<unknown>;
    getNextPageParam: (page: object) => unknown;
  }
  const reading = (more: object = {}, rows: object[] = [], first: object = {}) => {
    const asked: object[] = [];
    const read = async (request: object) => {
      asked.push(request);
      return { data: { items: [], nextCursor: null } };
    };
    const found: Record<string, unknown>[] = [];
    const acted = parts.act(
      () => {
        found.push(
          parts.useList.useList({ area: 'cases', read, query: { open: 'true' }, ...more }) as Record<string, unknown>,
        );
        return null;
      },
      {},
      { lists: { getCases: rows }, first },
    );
    return { asked, acted, found: found.at(-1) ?? {} };
  };

  test('asks for fifty at a time, and once for how many there are', async () => {
    const signal = new AbortController().signal;
    const { asked, acted } = reading();
    const { queryFn, getNextPageParam } = acted.option('getCasesList') as unknown as Read;
    await queryFn({ pageParam: undefined, signal });
    await queryFn({ pageParam: 'cursor-2', signal });
    expect(asked).toEqual([
      { query: { open: 'true', limit: 50, cursor: undefined, total: 'true' }, signal, throwOnError: true },
      { query: { open: 'true', limit: 50, cursor: 'cursor-2', total: undefined }, signal, throwOnError: true },
    ]);
    expect([getNextPageParam({ nextCursor: 'cursor-2' }), getNextPageParam({ nextCursor: null })]).toEqual([
      'cursor-2',
      undefined,
    ]);

    const uncounted = reading({ isCounted: false });
    await (uncounted.acted.option('getCasesList') as unknown as Read).queryFn({ pageParam: undefined, signal });
    expect(uncounted.asked).toMatchObject([{ query: { total: undefined } }]);
  });

  test('keeps what its filter keeps, of which nobody knows how many there are', () => {
    const rows = [{ id: 1 }, { id: 2 }];
    const first = { total: { count: 2, isMore: false } };
    expect(reading({}, rows, first).found).toMatchObject({
      rows,
      total: first.total,
      hasMore: false,
      isReadingMore: false,
    });
    const keep = ({ id }: { id: number }) => id > 1;
    expect(reading({ keep }, rows, first).found).toMatchObject({ rows: [{ id: 2 }], total: null });
    expect(reading({ fold: (all: object[]) => all.slice(1) }, rows).found).toMatchObject({ rows: [{ id: 2 }] });
    const none = { keep: () => false };
    expect(reading(none, rows).found['rows']).toEqual([]);
    expect(reading(none, rows, { nextCursor: 'cursor-2' }).found['rows']).toBeUndefined();
    expect(reading({}, [], { nextCursor: 'cursor-2' }).found['rows']).toEqual([]);
  });

  test('reads on where a filter keeps none of a page', async () => {
    const none = reading({ keep: () => false }, [{ id: 1 }], { nextCursor: 'cursor-2' });
    none.acted.begin();
    await answered();
    expect(none.asked).toMatchObject([{ query: { cursor: 'cursor-2' } }]);
    const some = reading({ keep: () => true }, [{ id: 1 }], { nextCursor: 'cursor-2' });
    some.acted.begin();
    await answered();
    expect(some.asked).toEqual([]);
  });

  test('its file has all pages, up to ten thousand rows, which is said', async () => {
    const asked: unknown[] = [];
    let rows = 2;
    const pages = (count: number) => {
      let page2 = 0;
      return async (given: object) => {
        asked.push(given);
        page2 += 1;
        return {
          data: {
            items: Array.from({ length: rows }, (_, index) => ({ index })),
            nextCursor: page2 < count ? `cursor-${page2}` : null,
          },
        };
      };
    };
    const save = async (read: unknown) => {
      parts.act(parts.exporting.ListExport, { name: 'cases', read, columns: {} }).click('Export as CSV');
      await answered();
      return parts
        .said()
        .map(({ message }) => message)
        .filter((each) => each.startsWith('The file holds'));
    };
    expect(await save(pages(3))).toEqual([]);
    expect(asked).toEqual([
      { limit: 200, cursor: undefined },
      { limit: 200, cursor: 'cursor-1' },
      { limit: 200, cursor: 'cursor-2' },
    ]);
    rows = 5_000;
    asked.length = 0;
    expect(await save(pages(3))).toEqual(['The file holds the first 10,000 rows. Filter the list to get others.']);
    expect(asked).toHaveLength(2);
    expect(await save(pages(2))).toEqual([]);
  });
});

describe('a page that cannot be shown', () => {
  const boundary = (given: { at?: string } = { at: '/patients' }) => {
    const made = new parts.boundary.Boundary({ children: 'All is well', ...given });
    made.setState = (state) => void (made.state = { ...made.state, ...state });
    const shown = () => textOf(parts.show(() => made.render() as never));
    return { made, shown };
  };
  const failed = Object.assign(new TypeError('Wendy'), {
    stack:
      'TypeError: Wendy\n    at render (https://clinic.example/assets/page-1a.js:1:234)\n    at https://clinic.example/assets/main.js:5:6\n    at elsewhere (native)',
  });
  const told = async (error: unknown, given?: { at?: string }) => {
    const { made, shown } = boundary(given);
    made.setState({ hasFailed: true });
    expect(shown()).toBe('Loading');
    await made.tell(error);
    await answered();
    return { made, shown };
  };

  test('says so, and tells the service where, without any name', async () => {
    expect(boundary().shown()).toBe('All is well');
    const { made, shown } = await told(failed);
    const [, id = ''] = /log of the service as (\w+)\./.exec(shown()) ?? [];
    expect(shown()).toMatch(
      /^This page could not be shown The fault is in the dashboard\. .* Other pages may work\. Try again$/,
    );
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect(requests).toEqual([
      [
        'POST',
        '/api/dashboard/faults',
        {
          id,
          page: 'patients',
          kind: 'TypeError',
          frames: ['render page-1a.js:1:234', expect.stringContaining('main.js:5:6')],
        },
      ],
    ]);
    made.componentDidUpdate({ at: '/patients' });
    expect(shown()).toContain('This page could not be shown');
    made.componentDidUpdate({ at: '/tasks' });
    expect(shown()).toBe('All is well');
  });

  test('of what is no error it tells no more than that', async () => {
    await told('thrown');
    expect(requests).toMatchObject([['POST', '/api/dashboard/faults', { kind: 'unknown', frames: [] }]]);
  });

  test.each<[reply: Response | Error, words: string, isOffline: boolean]>([
    [new Response(''), 'There is a new version of the dashboard Try again to load it. Try again', false],
    [
      new Response('', { status: 502 }),
      'The service cannot be reached This could not be loaded. Check your connection and try again. Try again',
      true,
    ],
    [
      new Error('network'),
      'The service cannot be reached This could not be loaded. Check your connection and try again. Try again',
      true,
    ],
  ])('because its script is not there: %j', async (reply, words, isOffline) => {
    const error = new Error('not fetched');
    window.dispatchEvent(Object.assign(new window.Event('vite:preloadError'), { payload: error }));
    replies = [reply];
    const { made, shown } = await told(error);
    expect([shown(), requests]).toEqual([words, ['/favicon.svg']]);

    const before = reloads;
    made.componentDidMount();
    window.dispatchEvent(new window.Event('online'));
    made.componentWillUnmount();
    window.dispatchEvent(new window.Event('online'));
    expect(reloads - before).toBe(isOffline ? 1 : 0);
    // A part of a page has what was typed beside it.
    const part = await told(error, {});
    part.made.setState({ fault: { kind: 'offline', id: '1' } });
    part.made.componentDidMount();
    window.dispatchEvent(new window.Event('online'));
    part.made.componentWillUnmount();
    expect(reloads - before).toBe(isOffline ? 1 : 0);
  });
});

describe('what the service answers', () => {
  const ask = async () =>
    (await parts.api.postPauses({ body: { reason: 'A storm' } })) as {
      error?: { message: string; statusCode: number };
    };

  test('in no language of its own is told by its status', async () => {
    replies = [new Response('<html>', { status: 502 })];
    expect((await ask()).error).toEqual({ statusCode: 502, message: 'The service answered with status 502.' });
    replies = [new Error('network')];
    expect((await ask()).error?.message).toBe('The service cannot be reached. Check your connection and try again.');
    network.onLine = false;
    replies = [new Error('network')];
    expect((await ask()).error?.message).toBe(
      'You are offline: nothing was changed. Do it again once you are connected.',
    );
  });

  test.each<[status: number, isEnded: boolean]>([
    [401, true],
    [403, false],
    [404, false],
  ])('%d ends the session that was refused: %s', async (status, isEnded) => {
    const { session } = parts.session;
    session.open('token-1');
    replies = [refusal([{ path: 'name', message: 'is wrong' }], status)];
    await ask();
    expect(session.current()).toEqual(
      isEnded ? { kind: 'signed-out', ending: 'expired' } : { kind: 'signed-in', token: 'token-1' },
    );
  });

  test.each<[failures: number, statusCode: number, again: boolean]>([
    [0, 503, true],
    [1, 500, true],
    [2, 503, false],
    [0, 429, true],
    [0, 499, false],
    [0, 400, false],
  ])('after %d failures of %d a page asks again: %s', (failures, statusCode, again) => {
    expect(parts.service.createQueries().getDefaultOptions().queries.retry(failures, { statusCode })).toBe(again);
  });

  test.each<[error: object, isRead: boolean]>([
    [{ statusCode: 403, details: [{ path: 'secondFactor' }] }, true],
    [{ statusCode: 403, details: [{ path: 'stepUp' }] }, false],
    [{ statusCode: 403 }, false],
    [{ statusCode: 400, details: [{ path: 'secondFactor' }] }, false],
  ])('%j has the account read again: %s', (error, isRead) => {
    const queries = parts.service.createQueries();
    let read = 0;
    queries.invalidateQueries = async () => (read += 1);
    queries.getQueryCache().config.onError(error);
    expect(read > 0).toBe(isRead);
  });
});

describe('what is told of actions', () => {
  const told = () => parts.said().map(({ message, color, label }) => `${color}: ${message} ${label ?? ''}`.trim());

  test('has what can be done about it', () => {
    let done = 0;
    parts.say.sayFailedOr({ message: 'is taken' }, { label: 'Show it', onClick: () => (done += 1) });
    const [failed] = parts.said();
    expect(failed).toMatchObject({ message: 'is taken.', color: 'red', label: 'Show it' });
    failed?.onClick?.();
    expect(done).toBe(1);
  });

  test('of a record only the last is undone, and nothing once it is forgotten', () => {
    const undo = (message: string, id: string) => parts.say.sayDoneOrUndo(message, id, () => {});
    undo('Moved.', 'one');
    undo('Cancelled.', 'one');
    undo('Booked.', 'two');
    expect(told()).toEqual(['green: Cancelled. Undo', 'green: Booked. Undo']);
    undo('Moved.', 'one');
    parts.say.forgetUndo('one');
    parts.say.forgetUndo('three');
    expect(told()).toEqual([]);
  });

  test('failures go away with what succeeds after them, and nothing else', () => {
    parts.say.sayFailed({ message: 'before' });
    parts.say.sayDoneOr('Done.', { label: 'Open', onClick: () => {} });
    const takeAway = parts.say.failuresTold() as () => void;
    parts.say.sayFailed({ message: 'meanwhile' });
    takeAway();
    expect(told()).toEqual(['green: Done. Open', 'red: meanwhile.']);
  });
});

describe('parts of pages', () => {
  test.each([
    ['https://clinic.example/', true],
    ['http://clinic.example/', true],
    ['HTTPS://clinic.example/', true],
    ['/api/docs', true],
    ['mailto:ana@example.com', false],
    ['slack://open', false],
    ['clinic.example', false],
  ])('what came from outside, %s, is a link: %s', (href, isLink) => {
    const markup = parts.show(parts.text.OutsideLink, { href, children: 'There' });
    expect([textOf(markup), linksIn(markup)]).toEqual(['There', isLink ? [['There', href]] : []]);
  });

  test('a panel is named by its title, and those that only an administrator may use are seen by others', () => {
    const shown = (props: object, role: 'admin' | 'staff') =>
      parts.show(parts.section.Section, { title: 'Hours', children: 'Nine', ...props }, { as: { role } });
    expect(
      [shown({}, 'staff'), shown({ isForAdmins: true }, 'admin'), shown({ isForAdmins: true }, 'staff')].map((markup) =>
        markup.includes('disabled=""'),
      ),
    ).toEqual([false, false, true]);
    expect(shown({ id: 'hours' }, 'staff')).toMatch(
      /aria-labelledby="hours".*<h2[^>]*id="hours"[^>]*tabindex="-1"|aria-labelledby="hours".*<h2[^>]*tabindex="-1"[^>]*id="hours"/,
    );
    expect(shown({}, 'staff')).not.toContain('tabindex="-1"');
    expect(textOf(shown({ lead: 'When it is open' }, 'staff'))).toBe('Hours When it is open Nine');
  });

  test('what happened has its time, with the day where it may be long ago', () => {
    const shown = (props: object) =>
      parts.show(parts.timeline.Happening, { at: '2026-11-25T14:29:05Z', title: 'Booked', icon: () => null, ...props });
    expect(textOf(shown({}))).toBe('Booked 9:29:05 AM');
    expect(textOf(shown({ isDated: true, aside: 'Simulated', children: 'By Ana' }))).toBe(
      'Booked Simulated Nov 25, 9:29 AM By Ana',
    );
    expect([shown({}), shown({ tone: 'bad' })].map((markup) => /data-tone="(\w+)"/.exec(markup)?.[1])).toEqual([
      'quiet',
      'bad',
    ]);
  });

  test('what can be changed of something is in a menu, with what stands apart below a line', () => {
    const done: string[] = [];
    const item = (label: string, more: object = {}) => ({ label, onClick: () => done.push(label), ...more });
    const acted = parts.act(parts.menu.ChangeMenu, {
      name: 'Change Ana',
      items: [item('Rename'), false, item('Remove', { isApart: true })],
    });
    expect(acted.again()).toContain('aria-label="Change Ana"');
    acted.click('Remove');
    expect(done).toEqual(['Remove']);
  });

  test('what could not be read can be read again', () => {
    let read = 0;
    const query = { data: undefined, error: { message: 'Busy' }, refetch: async () => (read += 1) };
    parts.act(parts.states.Loaded, { query, children: () => null }).again();
    const acted = parts.act(parts.states.Loaded, { query, children: () => null });
    acted.click('Try again');
    expect(read).toBe(1);
  });
});

describe('who else looks at a record', () => {
  const viewer = (given: object = {}) => ({
    accountId: 'account-2',
    name: 'Ben',
    isEditing: false,
    isEmergency: false,
    ...given,
  });
  const acting = (viewers: object[], props: object = {}) => {
    const key = [{ _id: 'putRecordsByRecordIdViewers' }, 'patient-1', false];
    return parts.act(
      parts.viewers.Watched,
      { recordId: 'patient-1', children: createElement(parts.viewers.Viewers), ...props },
      { answers: [[key, viewers]] },
    );
  };

  test.each<[given: object, told: string]>([
    [{}, 'Ben is looking at this'],
    [{ isEditing: true }, 'Ben is editing this'],
    [{ isEmergency: true }, 'Ben (emergency access) is looking at this'],
  ])('%j is told as “%s”', (given, told) => {
    Object.defineProperty(page, 'visibilityState', { value: 'visible', configurable: true });
    window.dispatchEvent(new window.Event('keydown'));
    expect(textOf(acting([viewer(given)]).again())).toBe(told);
    expect(acting([]).again()).toBe(parts.show(() => null));
    expect(textOf(acting([viewer(given)], { recordId: undefined }).again())).toBe('');
  });
});

describe('the focus of what is taken away', () => {
  beforeAll(() => {
    Object.assign(browser.HTMLElement.prototype, { checkVisibility: () => true });
    parts.focus.keepFocus();
  });
  const gone = async (html: string, from: string, takes = from) => {
    page.body.innerHTML = `<main><h1 tabindex="-1" id="title">Title</h1>${html}</main>`;
    at(`#${from}`).focus();
    (at(`#${takes}`) as unknown as { remove: () => void }).remove();
    await answered();
    jest.advanceTimersByTime(49);
    const before = page.activeElement?.id;
    jest.advanceTimersByTime(1);
    return [before, page.activeElement?.id];
  };
  const list =
    '<ul><li><button id="one"></button></li><li><button id="two"></button></li><li><button id="three"></button></li></ul><button id="other"></button>';

  test.each<[html: string, from: string, takes: string, to: string]>([
    [list, 'one', 'one', 'two'],
    [list, 'two', 'two', 'three'],
    [list, 'three', 'three', 'two'],
    ['<section id="all"><button id="one"></button></section><button id="other"></button>', 'one', 'all', 'title'],
    [
      '<ul><li><button id="one"></button></li><li><button disabled></button></li><li><a href="/" id="link"></a></li></ul>',
      'one',
      'one',
      'link',
    ],
    ['<div role="dialog" id="dialog" tabindex="-1"><button id="one"></button></div>', 'one', 'one', 'dialog'],
  ])('in %s is, from %s that goes with %s, at %s', async (html, from, takes, to) => {
    expect(await gone(html, from, takes)).toEqual(['', to]);
  });

  test('goes back from a dialog to what it was opened from', async () => {
    page.body.innerHTML =
      '<main><ul><li><button id="opens"></button></li></ul></main><div role="dialog" id="dialog"><button id="in"></button></div>';
    at('#opens').focus();
    at('#in').focus();
    (at('#dialog') as unknown as { remove: () => void }).remove();
    await answered();
    jest.advanceTimersByTime(50);
    expect(page.activeElement?.id).toBe('opens');
  });

  test('stays with who has left something for nothing', async () => {
    page.body.innerHTML =
      '<main><h1 tabindex="-1" id="title">Title</h1><button id="one"></button><p id="text"></p></main>';
    at('#one').focus();
    (page.activeElement as unknown as { blur: () => void }).blur();
    jest.advanceTimersByTime(0);
    (at('#text') as unknown as { remove: () => void }).remove();
    await answered();
    jest.advanceTimersByTime(50);
    expect(page.activeElement).toBe(page.body);
  });
});

describe('who looks at a record', () => {
  test('tells it while they do, and that they have left', async () => {
    Object.defineProperty(page, 'visibilityState', { value: 'visible', configurable: true });
    window.dispatchEvent(new window.Event('keydown'));
    parts.session.session.open('token-1');
    const acted = parts.act(parts.viewers.Watched, { recordId: 'patient-1', children: null });
    const end = acted.begin();
    end();
    await answered();
    expect(requests).toEqual([]);

    const { queryFn, enabled, refetchInterval } = acted.option('putRecordsByRecordIdViewers') as {
      queryFn: () => Promise<unknown>;
      enabled: boolean;
      refetchInterval: (query: object) => unknown;
    };
    expect([
      enabled,
      refetchInterval({ state: { error: null } }),
      refetchInterval({ state: { error: { statusCode: 404 } } }),
    ]).toEqual([true, 20_000, false]);
    replies = [Response.json({ items: [{ name: 'Ben' }] })];
    await expect(queryFn()).resolves.toEqual([{ name: 'Ben' }]);
    const left = acted.begin();
    left();
    await answered();
    const path = '/api/records/patient-1/viewers';
    expect(requests).toEqual([
      ['PUT', path, { isEditing: false }],
      ['DELETE', path],
    ]);

    replies = [refusal([], 404)];
    await expect(queryFn()).rejects.toMatchObject({ statusCode: 404 });
    acted.begin()();
    await answered();
    expect(requests).toHaveLength(3);
  });
});

test('how another country writes its phones is asked for once', () => {
  const asking = () => {
    parts.phone.usePhone();
    parts.phone.useExamplePhone();
    return null;
  };
  const asked = (country: string) => parts.act(asking, {}, { as: { clinic: { country } } }).option('phones');
  expect(asked('GB')).toMatchObject({ staleTime: Infinity, enabled: true });
  expect(asked('US')).toMatchObject({ enabled: false });
});

test.each<[text: string | undefined, is: boolean]>([
  ['2026-11-25', true],
  ['2028-02-29', true],
  ['2026-02-29', false],
  ['2026-02-30', false],
  ['2026-13-01', false],
  ['2026-11-25T10:00', false],
  ['26-11-25', false],
  ['', false],
  [undefined, false],
])('%s is a day: %s', (text, is) => {
  expect(parts.week.isLocalDate(text)).toBe(is);
});

test.each([
  ['2026-11-23', '2026-11-23'],
  ['2026-11-25', '2026-11-23'],
  ['2026-11-29', '2026-11-23'],
  ['2026-12-01', '2026-11-30'],
])('the week of %s begins on %s', (date, monday) => {
  expect(parts.week.mondayOf(date)).toBe(monday);
});
