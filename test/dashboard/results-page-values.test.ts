import { dashboardModules, linksIn, type Stage, textsIn } from './stage/dashboard';
import { adminWithout, cellsIn, deskOf, keepingFiles, stopClock } from './stage/desk';
import { answering } from './stage/service';

/** What the page of the results, its chart and what stands of them above the day show, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  api: Record<'getResultsMailOptions' | 'getResultsOptions', Option>;
  chart: { Chart: unknown };
  hero: { Hero: unknown };
  measures: { measuresOf: (period: object) => Record<string, object>; pointsOf: (period: object) => object[] };
  results: { Results: unknown };
  csv: object;
  file: object;
}

let pages: Modules & Stage;
const service = answering({ statusCode: 409, message: 'is refused' });
const { open, done } = deskOf(() => pages, service);
const as = adminWithout();

const { saved, ...browser } = keepingFiles();
const focused: string[] = [];
const getElementById = (id: string) => ({
  focus: () => void focused.push(`focus ${id}`),
  scrollIntoView: () => void focused.push(`scroll ${id}`),
});

beforeAll(async () => {
  pages = await dashboardModules<Modules>(
    {
      api: require.resolve('../../dashboard/http/api.ts'),
      chart: require.resolve('../../dashboard/pages/operations/results-chart.tsx'),
      hero: require.resolve('../../dashboard/pages/operations/results-hero.tsx'),
      measures: require.resolve('../../dashboard/pages/operations/results-measures.ts'),
      results: require.resolve('../../dashboard/pages/operations/results.tsx'),
      csv: require.resolve('../../dashboard/lists/csv-cell.ts'),
      file: require.resolve('../../dashboard/pages/operations/results-file.ts'),
    },
    { fetch: service.fetch, setTimeout: () => 0, URL: browser.URL, document: { ...browser.document, getElementById } },
  );
});

beforeEach(() => void stopClock('2026-11-25T14:30:00Z'));
afterEach(() => jest.useRealTimers());

const spaced = (texts: string[], between = ' ') => texts.join(between).replaceAll(/\s/g, ' ');

describe('the page of the results', () => {
  const counts = {
    opened: 10,
    ended: 8,
    recovered: 4,
    recoveredPatients: 4,
    recoveredWithPrice: 4,
    alreadyCompleted: 0,
    lost: 4,
    called: 9,
    reached: 8,
    calls: 12,
    callSeconds: 600,
    callCost: 6,
    callCostUsd: 6,
    valueRecovered: 480,
    valueLost: 100,
    net: 474,
    netPerRecovered: 118.5,
    costPerRecovered: 1.5,
    recoveryRate: 0.5,
    reachRate: 0.8,
    callsPerRecovery: 3,
    medianSecondsToOutcome: 7_200,
    simulated: 0,
    byStatus: { RECOVERED: 4, CALLING: 1 },
  };
  const byDay = [
    { ...counts, date: '2026-11-01' },
    { ...counts, date: '2026-11-02', recovered: 8, opened: 12 },
  ];
  const results = (given: object = {}) => ({
    current: counts,
    before: { ...counts, recoveredPatients: 2, valueRecovered: 240, net: 237 },
    from: '2026-11-01',
    until: '2026-11-30',
    beforeFrom: '2026-10-02',
    beforeUntil: '2026-10-31',
    days: 30,
    currency: 'USD',
    usdRate: 1,
    timezone: 'America/New_York',
    targets: { recoveries: null, recoveryRate: null },
    byDay,
    byDayBefore: [],
    notes: [],
    byHour: [],
    barriers: [],
    forms: [],
    providers: [],
    visitTypes: [],
    hoursReached: [],
    ...given,
  });
  const days = (given: object = {}) => ({ days: '30', comparedWith: undefined, simulated: undefined, ...given });
  const opened = (given: object = {}, { at = '/results', query = days() } = {}) =>
    open(pages.results.Results, {
      as,
      at,
      answers: [
        [pages.api.getResultsOptions({ query }).queryKey, results(given)],
        [pages.api.getResultsMailOptions().queryKey, { isWanted: false, hasMail: true, email: 'ana@example.com' }],
      ],
    });
  const simulated = { at: '/results?simulated=true', query: days({ simulated: 'true' }) };

  test.each<[given: object, words: string]>([
    [{}, 'November 2026, compared with Oct 2, 2026 to Oct 31, 2026.'],
    [
      { from: '2026-11-05', until: '2026-11-05', beforeFrom: '2026-11-04', beforeUntil: '2026-11-04' },
      'Nov 5, 2026, compared with Nov 4, 2026.',
    ],
  ])('%j is called “%s”', (given, words) => {
    const texts = opened(given).texts();

    expect(texts.find((text) => text.includes('compared with'))).toBe(words);
    expect(texts).toContain('Each month by mail');
  });

  test.each<[count: number, shown: Parameters<typeof opened>[1], told: RegExp | null]>([
    [0, {}, null],
    [0, simulated, null],
    [1, {}, /compared with .*\. .*simulat/],
    [1, simulated, /In 1 of these 10 cases the simulator played the patient/],
  ])('of %i simulated cases at %j is told %s', (count, shown, told) => {
    const texts = spaced(opened({ current: { ...counts, simulated: count } }, shown).texts());

    expect(/simulat/i.test(texts.replace('With simulated cases', ''))).toBe(told !== null);
    if (told) expect(texts).toMatch(told);
  });

  const nothing = { ...counts, opened: 0 };
  test.each<[current: object, before: object, title: string | null]>([
    [nothing, nothing, 'No recovery case in these days'],
    [{ ...nothing, simulated: 1 }, nothing, 'Only simulated cases in these days'],
    [counts, nothing, null],
    [nothing, counts, null],
  ])('of %j after %j', async (current, before, title) => {
    const page = opened({ current, before });
    const texts = page.texts();
    const titles = ['No recovery case in these days', 'Only simulated cases in these days'];

    expect(titles.filter((each) => texts.includes(each))).toEqual(title === null ? [] : [title]);
    expect(texts.includes('From the form to the recovery')).toBe(title === null);
  });

  test('simulated cases can be shown where there are no others', async () => {
    const page = opened({ current: { ...nothing, simulated: 3 }, before: nothing });
    page.click('Show simulated cases');

    expect(await page.address()).toBe('/results?simulated=true');
  });

  test('the steps and the states are bars as long as there are cases, each of which leads to them', () => {
    const markup = opened().again();
    const bars = [...markup.matchAll(/<li><a [^>]*class="[^"]*row[^"]*"[^>]*>.*?<\/a>/g)].map(([bar]) => [
      textsIn(bar).join(' '),
      linksIn(bar)[0]?.[1].replace('/cases?from=2026-11-01&until=2026-11-30&simulated=false', ''),
      /width:([\d.]+)%/.exec(bar)?.[1],
    ]);

    expect(bars).toEqual([
      ['Opened 10', '', '100'],
      ['Called 9', '&called=true', '90'],
      ['Reached 8', '&reached=true', '80'],
      ['Recovered 4', '&status=RECOVERED', '40'],
      ['Calling 1', '&status=CALLING', '10'],
      ['Recovered 4', '&status=RECOVERED', '40'],
    ]);
  });

  test.each<[ended: number, hasHours: boolean]>([
    [0, false],
    [1, true],
  ])('the way to each section stands above them: of %i that ended', (ended, hasHours) => {
    focused.length = 0;
    const page = opened({ current: { ...counts, ended } });
    const links = linksIn(page.again()).filter(([, to]) => to.startsWith('#'));

    expect(links).toEqual([
      ['By day', '#days'],
      ['From the form to the recovery', '#steps'],
      ['How they stand', '#states'],
      ...(hasHours ? [['Not recovered, by weekday and hour', '#hours']] : []),
      ['Why patients stopped', '#barriers'],
      ['By form', '#forms'],
      ['By provider', '#providers'],
      ['By visit type', '#visit-types'],
      ['By the hour of the first conversation', '#hours-reached'],
    ]);
    let isTaken = false;
    const { onClick } = page.given(({ href }) => href === '#states');
    (onClick as (event: object) => void)({
      preventDefault() {
        isTaken = true;
      },
    });
    expect([isTaken, focused]).toEqual([true, ['focus states', 'scroll states']]);
  });

  const group = (given: object) => ({ ...counts, ...given });
  const cells = (given: object, id: string) => {
    const markup = opened(given).again();
    const from = markup.indexOf('>', markup.indexOf(`id="${id}"`)) + 1;
    const part = markup.slice(from, markup.indexOf('</section>', from));
    return {
      text: spaced(textsIn(part), ' | '),
      long: cellsIn(part, 'long'),
      links: linksIn(part).map(([, to]) => to.replace(/^.*simulated=false/, '')),
    };
  };

  test.each<[id: string, given: object, text: string, links: string[]]>([
    [
      'barriers',
      { barriers: [group({ barrier: 'price too high', recovered: 1, lost: 3 })] },
      'Why patients stopped | Barrier | Cases | Recovered | Price too high | 10 | 1 of 4 decided, 25%',
      ['&barrier=price+too+high', '&barrier=price+too+high&status=RECOVERED'],
    ],
    [
      'forms',
      { forms: [group({ formName: 'Intake', recovered: 0, lost: 0 })] },
      'By form | Form | Cases | Recovered | Intake | 10 | none decided',
      ['&form=Intake', '&form=Intake&status=RECOVERED'],
    ],
    [
      'providers',
      {
        providers: [
          group({ name: 'Dr.Chen', displayName: 'Dr. Chen' }),
          group({ name: 'Dr.Roe', displayName: null, opened: 2 }),
          group({ name: 'none', displayName: null, opened: 1 }),
        ],
      },
      'By provider | By the provider of the recovered patient’s first visit in the 30 days after. | Provider | Recovered | Dr. Chen | 10 | Dr.Roe | 2 | No visit booked | 1',
      ['&provider=Dr.Chen', '&provider=Dr.Roe', '&provider=none'],
    ],
    [
      'visit-types',
      { visitTypes: [group({ name: 'Check-up' }), group({ name: 'none', opened: 1 })] },
      'By visit type | The same visits by what they are for. | Visit type | Recovered | Check-up | 10 | No visit booked | 1',
      ['&visitType=Check-up', '&visitType=none'],
    ],
    [
      'hours-reached',
      { hoursReached: [group({ hour: 14, recovered: 2, lost: 2 }), group({ hour: 9, recovered: 3, lost: 1 })] },
      'By the hour of the first conversation | Hour | Cases | Recovered | 9 AM | 10 | 3 of 4 decided, 75% | 2 PM | 10 | 2 of 4 decided, 50%',
      ['&hourReached=9', '&hourReached=9&status=RECOVERED', '&hourReached=14', '&hourReached=14&status=RECOVERED'],
    ],
  ])('%s', (id, given, text, links) => {
    const found = cells(given, id);

    expect(found.text).toBe(text);
    expect(found.long).toHaveLength(Object.values(given).flat().length);
    expect(found.links.filter((link, at) => found.links.indexOf(link) === at)).toEqual(links);
  });

  test.each([
    ['barriers', 'No call has found out yet.'],
    ['forms', 'These cases came without a form.'],
    ['providers', 'Nobody was recovered in these days.'],
    ['visit-types', 'Nobody was recovered in these days.'],
    ['hours-reached', 'Nobody was reached in these days.'],
  ])('nothing is known of %s', (id, told) => {
    expect(cells({}, id).text).toMatch(new RegExp(`${told}$`));
  });

  test('a file of the days is saved', async () => {
    const page = opened();
    saved.length = 0;
    await done(page, () => page.click('Export as CSV'), results());
    const text = await saved[0]?.blob.text();

    expect(service.requests).toEqual([['GET', '/api/results', null]]);
    expect([saved.length, saved[0]?.name, saved[0]?.blob.type]).toEqual([1, 'results.csv', 'text/csv;charset=utf-8']);
    expect(
      text
        ?.split('\r\n')
        .slice(1, 3)
        .map((line) => line.split(',').slice(0, 2)),
    ).toEqual([
      ['2026-11-01', '10'],
      ['2026-11-02', '12'],
    ]);
  });

  describe('above the day', () => {
    const hero = (given: object = {}) => {
      const query = { days: '30' };
      return open(pages.hero.Hero, {
        as,
        answers: [[pages.api.getResultsOptions({ query }).queryKey, results(given)]],
      });
    };
    const figures = (given: object = {}) => {
      const markup = hero(given).again();
      return [...markup.matchAll(/<a [^>]*class="[^"]*figure[^"]*"[^>]*>.*?<\/a>/g)].map(([figure]) => [
        spaced(textsIn(figure), ' | '),
        linksIn(figure)[0]?.[1],
        figure.includes('data-first'),
      ]);
    };
    const recovered = '/cases?from=2026-11-01&until=2026-11-30&simulated=false&status=RECOVERED';

    test('stands what recovery came to, and what it was before', () => {
      expect(figures()).toEqual([
        ['Recovered patients | 4 | was 2', recovered, true],
        ['Value recovered | $480.00 | was $240.00', recovered, false],
        ['Net | $474.00 | was $237.00', '/results', false],
      ]);
      expect(linksIn(hero().again())).toContainEqual(['All results', '/results']);
    });

    test.each<[current: object, before: object, shown: number]>([
      [{ valueRecovered: 0 }, { valueRecovered: 0 }, 1],
      [{ valueRecovered: 0 }, { valueRecovered: 1 }, 3],
      [{ valueRecovered: 1 }, { valueRecovered: 0 }, 3],
      [{ net: null }, {}, 2],
    ])('what %j after %j was worth', (current, before, shown) => {
      expect(figures({ current: { ...counts, ...current }, before: { ...counts, ...before } })).toHaveLength(shown);
    });

    test.each<[current: object, before: object, told: string]>([
      [{ opened: 0 }, { opened: 0 }, ''],
      [
        { opened: 0, simulated: 2 },
        { opened: 0 },
        'The simulator played the patients of all 2 cases of the last 30 days: no real person was reached. Show simulated cases',
      ],
    ])('stands less where there was nothing real: %j', (current, before, told) => {
      const page = hero({ current: { ...counts, ...current }, before: { ...counts, ...before } });

      expect(spaced(page.texts())).toBe(told);
      expect(linksIn(page.again()).map(([, to]) => to)).toEqual(told === '' ? [] : ['/results?simulated=true']);
    });

    test('stands nothing before it is read', () => {
      expect(open(pages.hero.Hero, { as }).again()).toMatch(/aria-busy="true"/);
    });
  });
});

describe('the chart', () => {
  const counts = { opened: 4, ended: 3, recovered: 2, lost: 1, valueRecovered: 30, callCostUsd: 10 };
  const day = (date: string, given: object = {}) => ({ date, ...counts, ...given });
  const shown = (
    name: string,
    {
      byDay = [day('2026-11-01'), day('2026-11-02', { recovered: 4 })],
      byDayBefore = [] as object[],
      recoveries = null as number | null,
      recoveryRate = null as number | null,
      notes = [] as object[],
      width = 268,
    } = {},
  ) => {
    const results = { byDay, byDayBefore, notes, currency: 'USD', usdRate: 1, targets: { recoveries, recoveryRate } };
    return open(
      pages.chart.Chart,
      { as, width },
      {
        label: 'By day',
        measure: pages.measures.measuresOf(results)[name],
        isOfCases: name === 'cases',
        points: pages.measures.pointsOf(results),
        casesOf: ({ from, until }: Record<string, string>) => `/cases?${from}&${until}`,
      },
    );
  };
  const tags = (markup: string, tag: string) =>
    [...markup.matchAll(new RegExp(`<${tag}\\b([^>]*)>`, 'g'))].map(([, attributes = '']) =>
      Object.fromEntries([...attributes.matchAll(/([a-z0-9]+)="([^"]*)"/gi)].map(([, name, value]) => [name, value])),
    );
  const ofClass = (markup: string, tag: string, name: string) =>
    tags(markup, tag).filter((each) => new RegExp(`(^|[ _])${name}`).test(each['class'] ?? ''));

  test('before it is known how wide it is nothing is drawn', () => {
    expect(shown('cases', { width: 0 }).again()).not.toContain('<svg');
  });

  test('each day is a column that leads to its cases, its recovered ones a part of it', () => {
    const markup = shown('cases').again();

    expect(tags(markup, 'svg')[0]).toMatchObject({ width: '268', height: '240', label: 'By day' });
    expect(linksIn(markup).map(([, to]) => to)).toEqual([
      '/cases?2026-11-01&2026-11-01',
      '/cases?2026-11-02&2026-11-02',
    ]);
    // 200 wide and high: two columns with a fifth between them.
    const [first, second] = ofClass(markup, 'rect', 'back');
    const [left = 0, right = 0] = [first, second].map((each) => Number(each?.['x']));
    expect(right - left).toBeCloseTo(Number(first?.['width']));
    expect(Number(first?.['height'])).toBe(200);
    expect(ofClass(markup, 'rect', 'whole').map(({ y, height }) => [y, height])).toEqual([
      ['0', '200'],
      ['0', '200'],
    ]);
    expect(ofClass(markup, 'rect', 'bar').map(({ y, height }) => [y, height])).toEqual([
      ['100', '100'],
      ['0', '200'],
    ]);
    const [bar] = ofClass(markup, 'rect', 'bar');
    expect(Number(bar?.['width']) / Number(first?.['width'])).toBeCloseTo(0.8);
    const [label] = tags(markup, 'text').filter(({ anchor }) => anchor === 'middle');
    expect(Number(label?.['x'])).toBeCloseTo(Number(bar?.['x']) + Number(bar?.['width']) / 2);
    expect(Number(bar?.['x']) - left).toBeCloseTo((Number(first?.['width']) - Number(bar?.['width'])) / 2);
    expect(tags(markup, 'a').map(({ tabindex }) => tabindex)).toEqual(['0', '-1']);
    expect(ofClass(markup, 'line', 'target')).toEqual([]);
  });

  test('what is one figure has no part', () => {
    expect(ofClass(shown('rate').again(), 'rect', 'whole')).toEqual([]);
    expect(ofClass(shown('rate').again(), 'rect', 'bar')).toHaveLength(2);
  });

  test.each<[name: string, given: Parameters<typeof shown>[1], y: number | null]>([
    ['cases', {}, null],
    ['rate', { recoveryRate: 0.5, byDay: [day('2026-11-01', { recovered: 1, lost: 0 })] }, 100],
    ['cases', { recoveries: 365.25 / 12, byDay: [day('2026-11-01')] }, 150],
  ])('the goal of %s with %j is a line', (name, given, y) => {
    const lines = ofClass(shown(name, given).again(), 'line', 'target');

    expect(lines.map(({ y1, y2, x2 }) => [Number(y1), Number(y2), Number(x2)])).toEqual(
      y === null ? [] : [[y, y, 200]],
    );
  });

  test('a day on which something happened has a point above it', () => {
    const notes = [{ date: '2026-11-02', kind: 'closed', text: 'New Year', count: null }];
    const markup = shown('cases', { notes }).again();
    const [point, ...others] = tags(markup, 'circle');
    const bar = ofClass(markup, 'rect', 'bar')[1];

    expect(others).toEqual([]);
    expect(Number(point?.['cx'])).toBeCloseTo(Number(bar?.['x']) + Number(bar?.['width']) / 2);
  });

  test.each<[before: (number | null)[], line: string]>([
    [[2, 4, 0], 'MLL'],
    [[2, null, 4], 'MhMh'],
    [[null, 2, 4], 'ML'],
    [[2, 4, null], 'ML'],
    [[null, 2, null], 'Mh'],
    [[null, null, null], ''],
  ])('the line of the days before %j', (before, line) => {
    const dates = ['2026-11-01', '2026-11-02', '2026-11-03'];
    const byDayBefore = before.map((recovered, at) =>
      day(`2026-10-0${at + 1}`, recovered === null ? { recovered: 0, lost: 0 } : { recovered, lost: 4 - recovered }),
    );
    const markup = shown('rate', { byDay: dates.map((date) => day(date)), byDayBefore }).again();
    const path = ofClass(markup, 'path', 'line')[0]?.['d'] ?? '';

    expect((path.match(/[A-Za-z]/g) ?? []).join('')).toBe(line);
  });

  test('a column says in words what it is, also when it is pointed at', () => {
    const byDayBefore = [day('2026-10-01')];
    const notes = [{ date: '2026-11-01', kind: 'closed', text: 'New Year', count: null }];
    const page = shown('cases', { byDayBefore, notes });
    const words =
      'Sun, Nov 1: 4 opened, 2 recovered; earlier period, Thu, Oct 1: 4 opened, 2 recovered; closed: New Year';
    const labels = () => [...page.again().matchAll(/aria-label="([^"]*)"/g)].map(([, label]) => label);

    expect(labels()).toEqual(['By day', words, 'Mon, Nov 2: 4 opened, 4 recovered']);
    const does = (name: string) => {
      const { [name]: doing } = page.given(({ onMouseEnter }) => onMouseEnter);
      (doing as (event: object) => void)({ currentTarget: {} });
      page.again();
    };
    for (const [on, off] of [
      ['onMouseEnter', 'onMouseLeave'],
      ['onFocus', 'onBlur'],
    ] as const) {
      does(on);
      expect(page.given(({ opened }) => opened).label).toBe(words);
      does(off);
      expect(() => page.given(({ opened }) => opened)).toThrow('nothing there');
    }
  });

  test('another measure is named, and a day without a figure has a dash', () => {
    const byDay = [day('2026-11-01', { recovered: 0, lost: 0 })];
    const label = /aria-label="(Sun[^"]*)"/.exec(shown('rate', { byDay }).again())?.[1];

    expect(label).toBe('Sun, Nov 1: Recovery rate –');
  });

  test.each<[count: number, width: number, named: number]>([
    [3, 268, 3],
    [4, 268, 2],
    [30, 268, 3],
    [3, 100, 1],
  ])('of %i days in %i px %i are named', (count, width, named) => {
    const byDay = Array.from({ length: count }, (_, at) => day(`2026-11-${String(at + 1).padStart(2, '0')}`));
    const markup = shown('cases', { byDay, width }).again();
    const texts = textsIn(markup).filter((text) => text.startsWith('Nov'));
    const ticks = textsIn(markup).filter((text) => /^\d+$/.test(text));

    expect([texts.length, texts[0]]).toEqual([named, 'Nov 1']);
    expect(ticks).toEqual(['0', '1', '2', '3', '4']);
  });

  test('half a case is no line', () => {
    const byDay = [day('2026-11-01', { opened: 1, recovered: 1 })];

    expect(textsIn(shown('cases', { byDay }).again()).filter((text) => /^[\d.]+$/.test(text))).toEqual(['0', '1']);
  });
});
