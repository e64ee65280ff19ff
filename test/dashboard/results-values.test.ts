import { setImmediate as soon } from 'node:timers/promises';
import { type Computed, dashboardModules, emptyDocument, linksIn, type Stage, textsIn } from './stage/dashboard';
import { allClinics, allOf, clinicState as clinic } from './stage/all-clinics';

/** What the pages of the results, of the audit and of all clinics are computed from, without a browser. */
interface Modules {
  measures: Record<
    | 'axisOf'
    | 'casesIn'
    | 'isByWeek'
    | 'isMonth'
    | 'measuresOf'
    | 'netIn'
    | 'orDash'
    | 'percent'
    | 'pointsBy'
    | 'pointsOf'
    | 'rateOf'
    | 'recoveriesDue',
    Computed
  >;
  file: Record<'columnsIn' | 'daysOf', Computed>;
  figures: { Figures: unknown; changeOf: Computed };
  goals: { Goals: unknown };
  hours: { ByHour: unknown };
  chart: { ByDay: unknown };
  api: Record<'getOperationsClinicsOptions' | 'getResultsMailOptions', () => { queryKey: unknown }>;
  mail: { ResultsByMail: unknown };
  operator: { Operator: unknown };
  period: { PeriodChoice: unknown; usePeriod: () => { query: object } };
  fold: { foldEntries: Computed };
  audit: Record<'actionOptions' | 'sentenceOfEntry', Computed>;
  links: { moveAmongLinks: (event: object) => void };
  overview: { Overview: unknown };
}

let results: Modules & Stage;
const page = emptyDocument();

beforeAll(async () => {
  const files = {
    measures: require.resolve('../../dashboard/pages/operations/results-measures.ts'),
    file: require.resolve('../../dashboard/pages/operations/results-file.ts'),
    figures: require.resolve('../../dashboard/pages/operations/results-figures.tsx'),
    goals: require.resolve('../../dashboard/pages/operations/results-goals.tsx'),
    hours: require.resolve('../../dashboard/pages/operations/results-hours.tsx'),
    chart: require.resolve('../../dashboard/pages/operations/results-chart.tsx'),
    api: require.resolve('../../dashboard/http/api.ts'),
    mail: require.resolve('../../dashboard/pages/operations/results-mail.tsx'),
    operator: require.resolve('../../dashboard/pages/operations/operator.tsx'),
    period: require.resolve('../../dashboard/pages/operations/results-period.tsx'),
    fold: require.resolve('../../dashboard/pages/operations/audit-fold.ts'),
    audit: require.resolve('../../dashboard/pages/operations/audit-words.ts'),
    links: require.resolve('../../dashboard/pages/operations/among-links.ts'),
    overview: require.resolve('../../dashboard/pages/operations/overview.tsx'),
  };
  // Nothing is fetched before it is asked for.
  results = await dashboardModules<Modules>(files, { document: page, setTimeout: () => 0 });
});

afterEach(() => jest.useRealTimers());

const counts = {
  opened: 1,
  ended: 2,
  recovered: 3,
  alreadyCompleted: 4,
  lost: 5,
  called: 6,
  reached: 7,
  calls: 8,
  valueRecovered: 9,
  valueLost: 10,
  callCostUsd: 11,
  callSeconds: 12,
};
const twice = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, 2 * count]));
const day = (date: string, given: object = {}) => ({ date, ...counts, ...given });
const dayOf = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
const days = (count: number) => Array.from({ length: count }, (_, index) => day(dayOf(index)));
const none = { recoveries: null, recoveryRate: null };
const period = (given: object = {}) => ({
  byDay: [],
  byDayBefore: [],
  notes: [],
  currency: 'USD',
  usdRate: 1,
  targets: none,
  from: '2026-01-01',
  until: '2026-01-31',
  days: 31,
  ...given,
});

describe('days and weeks of a period', () => {
  test.each([
    [62, false, 62],
    [63, true, 9],
    [64, true, 10],
  ])('%i days are shown by week: %s', (count, isByWeek, points) => {
    const shown = period({ byDay: days(count) });

    expect(results.measures.isByWeek(shown)).toBe(isByWeek);
    expect(results.measures.pointsOf(shown)).toHaveLength(points);
  });

  test('a point has the sums of its days, those of the days that it is compared with, and what happened on it', () => {
    const note = (date: string, kind: string, given: object) => ({ date, kind, text: null, count: null, ...given });
    const notes = [
      note('2026-01-01', 'closed', { text: 'New Year' }),
      note('2026-01-02', 'closed', { text: 'New Year' }),
      note('2026-01-02', 'paused', { text: 'a flood' }),
      note('2026-01-03', 'faults', { count: 3 }),
      note('2026-01-03', 'queue', { count: 4 }),
      note('2026-01-05', 'closed', { text: 'Another week' }),
    ];
    const byDayBefore = [day('2025-12-29'), day('2025-12-30')];

    expect(results.measures.pointsBy(2, period({ byDay: days(3), byDayBefore, notes }))).toEqual([
      {
        from: '2026-01-01',
        until: '2026-01-02',
        now: twice,
        before: twice,
        beforeDays: { from: '2025-12-29', until: '2025-12-30' },
        notes: ['closed: New Year', 'calls were paused: a flood'],
      },
      {
        from: '2026-01-03',
        until: '2026-01-03',
        now: counts,
        before: null,
        beforeDays: null,
        notes: ['3 calls failed at the voice platform', '4 calls waited in line for more than 15 minutes'],
      },
    ]);
  });

  test.each([
    ['2026-02-01', '2026-02-28', true],
    ['2026-02-01', '2026-02-27', false],
    ['2026-02-02', '2026-02-28', false],
    ['2026-01-01', '2026-02-28', false],
  ])('%s to %s is a month: %s', (from, until, isMonth) => {
    expect(results.measures.isMonth(from, until)).toBe(isMonth);
  });

  test.each<[recoveries: number | null, given: object, due: number | null]>([
    [null, {}, null],
    [40, {}, 40],
    [40, { from: '2026-01-02', days: 30 }, 39],
    [40, { from: '2026-01-02', until: '2026-01-08', days: 7 }, 9],
  ])('of %j recoveries a month are due in %j: %j', (recoveries, given, due) => {
    expect(results.measures.recoveriesDue(period({ targets: { recoveries }, ...given }))).toBe(due);
  });

  test('a number leads to its cases, without the simulated ones unless they count', () => {
    const [real, all] = [{}, { simulated: 'true' }].map(
      (given) => results.measures.casesIn(period(), given) as (filters?: object) => string,
    );

    expect(real?.({ lost: 'true' })).toBe('/cases?from=2026-01-01&until=2026-01-31&simulated=false&lost=true');
    expect(all?.()).toBe('/cases?from=2026-01-01&until=2026-01-31');
  });
});

interface Measure {
  valueOf: Computed;
  wholeOf: Computed;
  format: (value: number) => string;
  madeOf: Computed;
  columns: { head: string; cell: Computed }[];
  least: number;
  targetOf?: (days: number) => number | null;
}
const measuresOf = (given: object = {}) => results.measures.measuresOf(period(given)) as Record<string, Measure>;

describe('what a chart shows', () => {
  const paid = { ...counts, valueRecovered: 1_200, callCostUsd: 20 };

  test.each<[measure: string, value: number, whole: number, madeOf: string, columns: [string, unknown][]]>([
    [
      'cases',
      3,
      1,
      '1 opened, 3 recovered',
      [
        ['Opened', 1],
        ['Recovered', 3],
        ['Not recovered', 5],
      ],
    ],
    [
      'rate',
      0.375,
      0.375,
      '38% (3 of 8)',
      [
        ['Recovery rate', '38%'],
        ['Recovered', 3],
        ['Not recovered', 5],
      ],
    ],
    [
      'value',
      1_200,
      1_200,
      '$1,200 (3 recovered)',
      [
        ['Value recovered', '$1,200'],
        ['Recovered', 3],
      ],
    ],
    [
      'net',
      1_190,
      1_190,
      '$1,190 ($1,200 recovered, calls $10.00)',
      [
        ['Net', '$1,190'],
        ['Value recovered', '$1,200'],
        ['Cost of calls', '$10.00'],
      ],
    ],
  ])('%s', (name, value, whole, madeOf, columns) => {
    const measure = measuresOf({ usdRate: 0.5 })[name];

    expect([measure?.valueOf(paid), measure?.wholeOf(paid), measure?.madeOf(paid)]).toEqual([value, whole, madeOf]);
    expect(measure?.columns.map(({ head, cell }) => [head, cell(paid)])).toEqual(columns);
  });

  test('what a dollar costs is not known: no net, and calls in dollars', () => {
    const { net } = measuresOf({ usdRate: null, currency: 'EUR' });

    expect(net?.valueOf(paid)).toBeNull();
    expect(net?.madeOf(paid)).toBe('– (€1,200 recovered, calls $20.00)');
    expect(net?.columns.map(({ cell }) => cell(paid))).toEqual(['–', '€1,200', '$20.00']);
  });

  test('nothing ended: no rate', () => {
    const ended = { ...counts, recovered: 0, lost: 0 };

    expect(results.measures.rateOf(ended)).toBeNull();
    expect(measuresOf().rate?.madeOf(ended)).toBe('– (0 of 0)');
    expect(results.measures.percent(0.025)).toBe('2.5%');
  });

  test('goals and axes', () => {
    const { cases, rate, value, net } = measuresOf({ targets: { recoveries: 487, recoveryRate: 0.4 } });

    expect([cases, rate, value, net].map((each) => each?.least)).toEqual([1, 0.1, 1, 1]);
    expect(cases?.targetOf?.(1)).toBeCloseTo(16);
    expect(cases?.targetOf?.(7)).toBeCloseTo(112);
    expect(rate?.targetOf?.(7)).toBe(0.4);
    expect([measuresOf().cases, measuresOf().rate].map((each) => each?.targetOf?.(7))).toEqual([null, null]);
    expect([cases?.format(1_200), cases?.format(1.5), rate?.format(0.4)]).toEqual(['1,200', '', '40%']);
    expect([1_500, 0.5].map((amount) => value?.format(amount))).toEqual(['$1,500', '$0.50']);
  });

  test.each<[measure: string, points: [now: object, before?: object][], target: number | null, axis: number[]]>([
    ['cases', [], null, [0, 1]],
    ['cases', [[{ opened: 4 }], [{ opened: 2 }]], null, [0, 4]],
    ['cases', [[{ opened: 4 }, { recovered: 6 }]], 5, [0, 6]],
    ['cases', [[{ opened: 4 }]], 5, [0, 5]],
    ['net', [[{ valueRecovered: 40, callCostUsd: 10 }], [{ valueRecovered: 0, callCostUsd: 3 }]], null, [-3, 30]],
    [
      'net',
      [
        [
          { valueRecovered: 40, callCostUsd: 10 },
          { valueRecovered: 0, callCostUsd: 5 },
        ],
      ],
      null,
      [-5, 30],
    ],
    [
      'rate',
      [
        [
          { recovered: 0, lost: 0 },
          { recovered: 0, lost: 0 },
        ],
      ],
      null,
      [0, 0.1],
    ],
  ])('an axis of %s for %j and a goal of %j', (name, points, target, axis) => {
    const drawn = points.map(([now, before]) => ({
      now: { ...counts, ...now },
      before: before ? { ...counts, ...before } : null,
    }));

    expect(results.measures.axisOf(drawn, measuresOf()[name], target)).toEqual(axis);
  });

  test('large amounts have no cents', () => {
    const { value } = measuresOf();
    const written = [999.5, 1_000, -1_000.4, 5].map((valueRecovered) =>
      value?.columns[0]?.cell({ ...counts, valueRecovered }),
    );

    expect(written).toEqual(['$999.50', '$1,000', '-$1,000', '$5.00']);
  });
});

describe('the file of a period', () => {
  const row = (given: object) => {
    const shown = period({ byDay: [day('2026-01-01', { reached: 3, callSeconds: 90 })], ...given });
    const columns = results.file.columnsIn(shown) as Record<string, Computed>;
    const [point] = results.file.daysOf(shown) as object[];
    return Object.fromEntries(Object.entries(columns).map(([head, cell]) => [head, cell(point)]));
  };
  const ofDay = {
    Day: '2026-01-01',
    Opened: 1,
    Called: 6,
    Reached: 3,
    'Reach rate': '50.0%',
    Recovered: 3,
    'Not recovered': 5,
    'Finished before a call': 4,
    'Recovery rate': '37.5%',
    Calls: 8,
    'Minutes of calls': '1.5',
  };

  test('a day beside the one that it is compared with', () => {
    const byDayBefore = [day('2025-12-31', { opened: 21, recovered: 1, lost: 3, valueRecovered: 100 })];
    const notes = [
      { date: '2026-01-01', kind: 'closed', text: 'New Year', count: null },
      { date: '2026-01-01', kind: 'paused', text: 'a flood', count: null },
    ];

    expect(row({ byDayBefore, notes, currency: 'EUR', usdRate: 0.5 })).toEqual({
      ...ofDay,
      'Value recovered (EUR)': '9.00',
      'Value not recovered (EUR)': '10.00',
      'Cost of calls (EUR)': '5.50',
      'Net (EUR)': '3.50',
      'Compared with': '2025-12-31',
      'Opened before': 21,
      'Recovered before': 1,
      'Recovery rate before': '25.0%',
      'Value recovered before (EUR)': '100.00',
      'Net before (EUR)': '94.50',
      Notes: 'closed: New Year; calls were paused: a flood',
    });
  });

  test('a day that is compared with none, where it is not known what a dollar costs', () => {
    expect(row({ usdRate: null, currency: 'EUR' })).toEqual({
      ...ofDay,
      'Value recovered (EUR)': '9.00',
      'Value not recovered (EUR)': '10.00',
      'Cost of calls (USD)': '11.00',
      'Net (EUR)': null,
      'Compared with': null,
      'Opened before': null,
      'Recovered before': null,
      'Recovery rate before': null,
      'Value recovered before (EUR)': null,
      'Net before (EUR)': null,
      Notes: '',
    });
    expect(row({ byDay: [day('2026-01-01', { called: 0 })] })).toMatchObject({ 'Reach rate': null });
  });
});

describe('figures', () => {
  const current = {
    opened: 20,
    ended: 10,
    recovered: 4,
    recoveredWithPrice: 3,
    lost: 6,
    called: 9,
    reached: 8,
    calls: 12,
    callSeconds: 600,
    recoveryRate: 0.4,
    reachRate: 0.8,
    callsPerRecovery: 3,
    medianSecondsToOutcome: 7_200,
    valueRecovered: 480,
    callCost: 6,
    callCostUsd: 12,
    net: 474,
    netPerRecovered: 118.5,
    costPerRecovered: 1.5,
  };
  const before = {
    recoveryRate: 0.4,
    reachRate: 0.7,
    callsPerRecovery: null,
    medianSecondsToOutcome: 3_600,
    valueRecovered: 480,
    callCost: 5,
    callCostUsd: 10,
    net: 475,
    netPerRecovered: null,
  };
  const casesOf = (filters: object) => `/cases?${Object.keys(filters).join()}`;
  const shown = (given: object, rights: string[] = []) =>
    results.show(
      results.figures.Figures,
      { results: { current, before, currency: 'EUR', usdRate: 0.5, ...given }, casesOf },
      { as: { rights } },
    );

  test('each is told with what it is made of, and what it was', () => {
    const markup = shown({}, ['settings']);

    expect(
      textsIn(markup)
        .join(' ')
        .split(/ (?=Recovery rate|Reach rate|Calls per|Time to|Value|Cost of|Net)/),
    ).toEqual([
      'Recovery rate 40% 4 recovered · 6 not recovered as before',
      'Reach rate 80% 8 reached · 9 called was 70%',
      'Calls per recovery 3.0 12 calls in 9 cases nothing to compare with',
      'Time to outcome 2 h half of 10 took less was 1 h',
      'Value recovered €480.00 4 recovered · 3 of 4 had a price · the prices in their forms, whether or not a visit was booked as before',
      'Cost of calls €6.00 10 min in 9 cases · €0.50 a call was €5.00',
      'Net €474.00 value recovered less the cost of calls was €475.00',
      'Net per recovered patient €118.50 calls cost €1.50 for each of them · 3 of 4 had a price nothing to compare with',
    ]);
    expect(linksIn(markup).map(([text, to]) => `${text}: ${to}`)).toEqual([
      'Recovery rate 40%: /cases?status',
      '4 recovered: /cases?status',
      '6 not recovered: /cases?lost',
      'Reach rate 80%: /cases?reached',
      '8 reached: /cases?reached',
      '9 called: /cases?called',
      'Calls per recovery 3.0: /cases?called',
      '12 calls in 9 cases: /cases?called',
      'Time to outcome 2 h: /cases?show',
      'half of 10 took less: /cases?show',
      'Value recovered €480.00: /cases?status',
      '4 recovered: /cases?status',
      'the prices in their forms, whether or not a visit was booked: /clinic/results',
      'Cost of calls €6.00: /cases?called',
      '10 min in 9 cases: /cases?called',
      'Net €474.00: /cases?status',
      'value recovered less the cost of calls: /cases?status',
      'Net per recovered patient €118.50: /cases?status',
      'calls cost €1.50 for each of them: /cases?status',
    ]);
  });

  test('nothing was called or recovered, and it is not known what a dollar costs', () => {
    const nothing = {
      ...current,
      recovered: 0,
      calls: 0,
      callCost: null,
      net: null,
      netPerRecovered: null,
      costPerRecovered: null,
      callsPerRecovery: null,
      medianSecondsToOutcome: null,
    };
    const texts = textsIn(shown({ current: nothing, usdRate: null })).join(' ');

    expect(texts).toMatch(/Calls per recovery – .* Time to outcome – /);
    expect(texts).toMatch(/Value recovered €480\.00 0 recovered · the prices in their forms/);
    expect(texts).toMatch(/Cost of calls \$12\.00 10 min in 9 cases was \$10\.00/);
    expect(texts).toMatch(
      /Net – value recovered less the cost of calls What a dollar costs is set at Clinic, Results\./,
    );
    expect(texts).toMatch(/Net per recovered patient – 0 recovered nothing to compare with/);
    expect(linksIn(shown({})).some(([, to]) => to === '/clinic/results')).toBe(false);
  });

  test('calls for a recovery have one decimal', () => {
    const given = { current: { ...current, callsPerRecovery: 4.26 }, before: { ...before, callsPerRecovery: 3 } };

    expect(textsIn(shown(given)).join(' ')).toContain('Calls per recovery 4.3 12 calls in 9 cases was 3.0');
  });

  test.each<[now: number | null, was: number | null, told: string | null]>([
    [1, null, null],
    [null, 1, 'was 1'],
    [1, 1, 'as before'],
    [2, 1, 'was 1'],
  ])('%j beside %j is told as %j', (now, was, told) => {
    expect(results.figures.changeOf(now, was, String)).toBe(told);
  });

  test.each<[targets: object, rights: string[], told: string[]]>([
    [none, [], []],
    [none, ['settings'], ['Set a goal']],
    [{ ...none, recoveryRate: 0.5 }, ['settings'], ['Recovery rate: 40%, goal 50%', 'Change the goal']],
    [{ ...none, recoveries: 10 }, ['settings'], ['Recovered: 4 of 10', 'Change the goal']],
  ])('goals %j for the rights %j: %j', (targets, rights, told) => {
    const props = { results: period({ current, targets }) };

    expect(textsIn(results.show(results.goals.Goals, props, { as: { rights } }))).toEqual(told);
  });

  test('a goal for a month is told for the days that are shown', () => {
    const props = { results: period({ current, targets: { ...none, recoveries: 31 }, until: '2026-01-15', days: 15 }) };

    expect(textsIn(results.show(results.goals.Goals, props))).toEqual(['Recovered: 4 of 15 (31 a month)']);
  });
});

describe('hours', () => {
  const casesOf = (filters: object) => `/cases?${new URLSearchParams(filters as Record<string, string>).toString()}`;
  const shown = (byHour: object[]) =>
    results.show(results.hours.ByHour, { results: { byHour, timezone: 'America/New_York' }, casesOf, id: 'hours' });

  test('nothing ended: nothing is shown', () => {
    expect(textsIn(shown([{ weekday: 1, hour: 9, ended: 0, lost: 0 }]))).toEqual([]);
  });

  test('from the hour before the first to the hour after the last, each with its cases', () => {
    const markup = shown([
      { weekday: 1, hour: 9, ended: 4, lost: 4 },
      { weekday: 2, hour: 9, ended: 5, lost: 0 },
      { weekday: 2, hour: 10, ended: 5, lost: 1 },
      { weekday: 3, hour: 10, ended: 0, lost: 0 },
      { weekday: 7, hour: 11, ended: 1, lost: 1 },
    ]);

    expect([...markup.matchAll(/data-hour="(\d+)"/g)].map(([, hour]) => hour)).toEqual(['8', '9', '10', '11', '12']);
    expect(linksIn(markup)).toEqual([
      ['4/4', '/cases?weekday=1&hour=9&lost=true'],
      ['1/5', '/cases?weekday=2&hour=10&lost=true'],
      ['1/1', '/cases?weekday=7&hour=11&lost=true'],
    ]);
    expect(
      [...markup.matchAll(/tabindex="(-?\d)"[^>]*data-level="(\d)"/gi)].map(([, tab, level]) => [tab, level]),
    ).toEqual([
      ['0', '4'],
      ['-1', '1'],
      ['-1', '1'],
    ]);
    expect(textsIn(markup)).toContain('0/5');
    expect(textsIn(markup)).not.toContain('0/0');
    expect(textsIn(markup).filter((text) => /[AP]M$/.test(text))).toEqual(['8 AM', '9 AM', '10 AM', '11 AM', '12 PM']);
    expect(textsIn(markup).filter((text) => /^[MTWFS][a-z]{2}$/.test(text))).toEqual([
      'Mon',
      'Tue',
      'Wed',
      'Thu',
      'Fri',
      'Sat',
      'Sun',
    ]);
    const [lost, kept] = [
      '4/4 on Monday, 9 AM: 4 not recovered of 4 that ended',
      '0/5 on Tuesday, 9 AM: 0 not recovered of 5 that ended',
    ];
    expect(markup).toContain(` aria-label="${lost}" title="${lost}"`);
    expect(markup).toContain(` title="${kept}"`);
    expect(markup.match(/<td[^>]*class/g)).toHaveLength(7 * 5 - 4);
  });

  test('a day has 24 hours', () => {
    const markup = shown([
      { weekday: 1, hour: 0, ended: 1, lost: 1 },
      { weekday: 1, hour: 23, ended: 1, lost: 1 },
    ]);

    expect(markup.match(/data-hour/g)).toHaveLength(24);
  });
});

describe('the chart as a table', () => {
  const shown = (given: object, at = '/results') =>
    results.show(
      results.chart.ByDay,
      {
        results: period(given),
        casesOf: ({ from, until }: Record<string, string>) => `/cases?${from}&${until}`,
        id: 'days',
      },
      { at },
    );

  test('each day, what it is compared with and what happened on it', () => {
    const notes = [{ date: '2026-01-02', kind: 'closed', text: 'New Year', count: null }];
    const markup = shown({ byDay: days(2), byDayBefore: [day('2025-12-31')], notes });
    const texts = textsIn(markup).join(' | ');

    expect(texts).toContain(
      'opened | of these recovered | recovered in the earlier period | something happened: see below',
    );
    expect(texts).toContain('Fri, Jan 2: closed: New Year');
    expect(markup.match(/<circle/g)).toHaveLength(1);
    expect(texts).toContain('Day | Opened | Recovered | Not recovered | Earlier period');
    expect(texts).toContain('Thu, Jan 1 | 1 | 3 | 5 | Wed, Dec 31: 1 opened, 3 recovered');
    expect(texts).toContain('Fri, Jan 2 | 1 | 3 | 5 | –');
    expect(markup).toContain('href="/cases?2026-01-01&amp;2026-01-01"');
    expect(texts).not.toContain('your goal');
  });

  test('weeks, and another measure with its goal', () => {
    const at = '/results?measure=rate';
    const texts = textsIn(shown({ byDay: days(63), targets: { ...none, recoveryRate: 0.5 } }, at)).join(' | ');

    expect(texts).toContain('By week | recovery rate | in the earlier period | your goal |');
    expect(texts).not.toContain('something happened');
    expect(texts).toContain('Week | Recovery rate | Recovered | Not recovered | Earlier period');
    expect(texts).toContain('Jan 1 to Jan 7 | 38% | 21 | 35 | –');
  });
});

describe('the key of the chart', () => {
  const drawn = (given: object, at: string) => {
    const markup = results.show(
      results.chart.ByDay,
      { results: period(given), casesOf: () => '/cases', id: 'days' },
      { at },
    );
    const keys = markup.matchAll(/<svg width="14" height="12"[^>]*><(circle|path|rect)[^>]*>.*?<\/svg>([^<]*)/g);
    return [...keys].map(([, shape, text]) => `${text}: ${shape}`);
  };

  test('shows columns as fields, what they are measured by as lines, and a note as a point', () => {
    const notes = [{ date: '2026-01-02', kind: 'closed', text: 'New Year', count: null }];
    const byDay = days(2);

    expect(drawn({ byDay, notes, targets: { ...none, recoveries: 10 } }, '/results')).toEqual([
      'opened: rect',
      'of these recovered: rect',
      'recovered in the earlier period: path',
      'your goal: path',
      'something happened: see below: circle',
    ]);
    expect(drawn({ byDay, targets: { ...none, recoveryRate: 0.5 } }, '/results?measure=rate')).toEqual([
      'recovery rate: rect',
      'in the earlier period: path',
      'your goal: path',
    ]);
  });
});

describe('the page of all clinics', () => {
  const told = (clinics: object[], given: object = {}) => {
    jest.useFakeTimers({ now: Date.parse('2026-11-25T14:30:00Z') });
    const state = allClinics(clinics, given);
    const answers: [unknown, unknown][] = [[results.api.getOperationsClinicsOptions().queryKey, state]];
    return textsIn(results.show(results.operator.Operator, {}, { answers })).join(' ');
  };

  test('a clinic without any figure has nothing to do, and who cannot be asked about is told so', () => {
    const quiet = told([clinic()]);

    expect(quiet).toContain('1 clinic North clinic-1 · 1 open run Temporal Nothing to do. The service');
    expect(quiet).toContain('Nothing needs a look.');
    expect(told([clinic({ stuckRuns: null, openRuns: 2 })])).toContain(
      '2 open runs · Temporal could not be asked Temporal Nothing to do.',
    );
    expect(told([])).toContain('There is no clinic yet');
  });

  test.each<[figure: string, one: string, many: string]>([
    ['stuckRuns', 'run whose workflow keeps failing', 'runs whose workflow keeps failing'],
    ['unstartedRuns', 'run that Temporal has not taken', 'runs that Temporal has not taken'],
    ['runFaults', 'run that failed or has gaps', 'runs that failed or have gaps'],
    ['voiceFaults', 'fault of the voice platform', 'faults of the voice platform'],
    ['systemFaults', 'fault of the EHR, API or CRM', 'faults of the EHR, API or CRM'],
    ['setupFaults', 'setting that must be changed', 'settings that must be changed'],
    ['alarms', 'open alarm', 'open alarms'],
    ['failingEndpoints', 'endpoint fails', 'endpoints fail'],
    ['deadDeliveries', 'delivery given up in the last 7 days', 'deliveries given up in the last 7 days'],
    ['waitingErasures', 'erasure that waits', 'erasures that wait'],
    ['pauses', 'pause in force', 'pauses in force'],
    ['waitingDeliveries', 'delivery that waits', 'deliveries that wait'],
  ])('of %s alone is told: “1 %s”', (figure, one, many) => {
    const isToBeTold = ['systemFaults', 'setupFaults', 'alarms', 'failingEndpoints', 'deadDeliveries'].includes(figure);
    const isBad = !['waitingErasures', 'pauses', 'waitingDeliveries'].includes(figure);
    const of = (count: number) =>
      clinic({ clinicId: `clinic-${count}`, name: `No. ${count}`, [figure]: count, needsALook: isBad });
    const text = told([of(1), of(2)], { needALook: isBad ? 2 : 0 });

    expect(text).toContain(`clinic-1 · 1 open run Temporal 1 ${one} `);
    expect(text).toContain(`clinic-2 · 1 open run Temporal 2 ${many} `);
    expect(text.includes(`No. 1 : 1 ${one} No. 2 : 2 ${many} Read at`)).toBe(isBad);
    expect(text.includes('needs a look clinic-1')).toBe(isBad);
    expect(text.includes('account list --clinic clinic-1')).toBe(isToBeTold);
    expect(text).not.toMatch(/Nothing to do|\b0 [a-z]/);
  });

  const since = { ...allOf(null), runFaults: '2026-11-25T14:00:00Z', deadDeliveries: '2026-11-25T14:00:00Z' };

  test.each<[given: object, words: string]>([
    [{ runFaults: 1 }, '1 run that failed or has gaps, 30 min ago'],
    [{ runFaults: 2 }, '2 runs that failed or have gaps, the oldest 30 min ago'],
    [{ deadDeliveries: 2 }, '2 deliveries given up in the last 7 days, the last 30 min ago'],
    [
      { failingEndpoints: 1, since: { ...since, failingEndpoints: since.runFaults } },
      '1 endpoint fails, since Nov 25, 9:00 AM',
    ],
  ])('%j is told with its time', (given, words) => {
    expect(told([clinic({ since, ...given })])).toContain(words);
  });

  const oldest = { startSeconds: 0, messageSeconds: 0, callSeconds: 0, deliverySeconds: 0 };

  test.each<[given: object, words: string]>([
    [{}, 'Nothing needs a look.'],
    [{ isTemporalReachable: false }, 'The service itself needs a look: Temporal.'],
    [
      { oldest: { startSeconds: 60, messageSeconds: 60, callSeconds: 3_600, deliverySeconds: 120 } },
      'Nothing needs a look.',
    ],
    [{ oldest: { ...oldest, startSeconds: 61 } }, 'needs a look: Oldest run that Temporal has not taken.'],
    [{ oldest: { ...oldest, messageSeconds: 61 } }, 'needs a look: Oldest message that its workflow has not taken.'],
    [{ oldest: { ...oldest, callSeconds: 3_601 } }, 'needs a look: Call that has waited longest for a line'],
    [{ oldest: { ...oldest, deliverySeconds: 121 } }, 'needs a look: Delivery that has been due longest.'],
    [{ duties: [{ name: 'relay', isHeld: true, isLate: false, passedAt: null }] }, 'Nothing needs a look.'],
    [
      { duties: [{ name: 'relay', isHeld: true, isLate: true, passedAt: null }] },
      'needs a look: Relay: starts and tells what was stored.',
    ],
    [{ needALook: 1 }, 'The only clinic needs a look.'],
    [{ needALook: 1, clinics: 3 }, '1 of 3 clinics needs a look.'],
    [{ needALook: 2, clinics: 3 }, '2 of 3 clinics need a look.'],
    [{ isEveryClinicPaused: true }, 'The calls of all clinics are paused.'],
  ])('%j is told above all: “%s”', (given, words) => {
    const text = told([clinic()], given);

    expect(text).toContain(words);
    expect(text.includes('Nothing needs a look.')).toBe(words === 'Nothing needs a look.');
  });
});

test.each<[isWanted: boolean, hasMail: boolean]>([
  [false, false],
  [false, true],
  [true, false],
  [true, true],
])('that results come by mail is chosen (%s) where the service sends any: %s', (isWanted, hasMail) => {
  const found = { isWanted, hasMail, email: 'ana@example.com' };
  const markup = results.show(
    results.mail.ResultsByMail,
    {},
    { answers: [[results.api.getResultsMailOptions().queryKey, found]] },
  );
  const [box = ''] = /<input[^>]*type="checkbox"[^>]*>/.exec(markup) ?? [];

  expect(textsIn(markup).join(' ')).toContain('By mail to ana@example.com On the first day of the next month');
  expect(markup.includes('This service sends no mail')).toBe(!hasMail);
  expect([/ checked=""/.test(box), / disabled=""/.test(box)]).toEqual([isWanted, !hasMail]);
});

describe('the days of the results', () => {
  const asked = (at: string) => results.use(() => results.period.usePeriod(), { at }).query;

  test.each([
    ['/results', { days: '30', comparedWith: undefined, simulated: undefined }],
    ['/results?days=7', { days: '7', comparedWith: undefined, simulated: undefined }],
    [
      '/results?days=90&compared=year_before&simulated=true',
      { days: '90', comparedWith: 'year_before', simulated: 'true' },
    ],
    ['/results?days=8&compared=never&simulated=false', { days: '30', comparedWith: undefined, simulated: undefined }],
    ['/results?from=2026-01-01', { days: '30', comparedWith: undefined, simulated: undefined }],
    ['/results?until=2026-01-01', { days: '30', comparedWith: undefined, simulated: undefined }],
    [
      '/results?from=2026-01-01&until=2026-01-31&days=7&compared=before',
      { from: '2026-01-01', until: '2026-01-31', days: undefined, comparedWith: 'before', simulated: undefined },
    ],
  ])('%s asks for %j', (at, query) => {
    expect(asked(at)).toEqual(query);
  });

  const choice = (at: string, shown?: object) => results.show(results.period.PeriodChoice, { shown }, { at });
  const chosen = (markup: string) =>
    [...markup.matchAll(/<option value="([^"]*)" selected=""/g)].map(([, value]) => value);

  test('the last days, this month up to today, the twelve before it, or other days', () => {
    jest.useFakeTimers({ now: Date.parse('2026-03-16T02:00:00Z') });
    const markup = choice('/results');

    expect([...markup.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value)).toEqual([
      '7',
      '30',
      '90',
      '2026-03',
      '2026-02',
      '2026-01',
      '2025-12',
      '2025-11',
      '2025-10',
      '2025-09',
      '2025-08',
      '2025-07',
      '2025-06',
      '2025-05',
      '2025-04',
      '2025-03',
      'before',
      'year_before',
    ]);
    expect(textsIn(markup)).toEqual(expect.arrayContaining(['March 2026', 'February 2026', 'Last 90 days']));
    expect(chosen(markup)).toEqual(['30', 'before']);
    expect(chosen(choice('/results?from=2026-02-01&until=2026-02-28'))).toEqual(['2026-02', 'before']);
    expect(chosen(choice('/results?from=2026-03-01&until=2026-03-15&compared=year_before'))).toEqual([
      '2026-03',
      'year_before',
    ]);
    expect(chosen(choice('/results?from=2026-03-01&until=2026-03-14'))).toEqual(['other', 'before']);
    expect(chosen(choice('/results?from=2026-02-02&until=2026-02-28'))).toEqual(['other', 'before']);
    expect(choice('/results?simulated=true')).toMatch(/checked=""/);
    expect(markup).not.toMatch(/checked=""/);
  });

  test.each<[shown: object | undefined, disabled: string[]]>([
    [undefined, ['Earlier', 'Later']],
    [{ from: '2026-03-01', until: '2026-03-15' }, ['Later']],
    [{ from: '2026-03-01', until: '2026-03-14' }, []],
  ])('from %j nothing leads to %j', (shown, disabled) => {
    jest.useFakeTimers({ now: Date.parse('2026-03-16T02:00:00Z') });
    const buttons = [...choice('/results', shown).matchAll(/<button[^>]*aria-label="(Earlier|Later)"[^>]*>/g)];

    expect(buttons.filter(([tag]) => / disabled=/.test(tag)).map(([, label]) => label)).toEqual(disabled);
  });
});

describe('other days of the results', () => {
  const march = { from: '2026-03-01', until: '2026-03-15' };
  const chosen = (at: string, shown?: object) => {
    // It is the evening of 15 March in New York.
    jest.useFakeTimers({ now: Date.parse('2026-03-16T02:00:00Z') });
    return results.act(results.period.PeriodChoice, { shown }, { at });
  };

  test('days that were typed stay in their fields while their results are on the way', () => {
    const fields = (at: string, shown?: object) => {
      const { field } = chosen(at, shown);
      return [field('From')['value'], field('Until')['value']];
    };

    expect(fields('/results?from=2026-02-01&until=2026-02-15')).toEqual(['2026-02-01', '2026-02-15']);
    expect(fields('/results?days=7')).toEqual([undefined, undefined]);
    expect(fields('/results?days=7', march)).toEqual(['2026-03-01', '2026-03-15']);
  });

  test.each<[at: string, label: string, value: string, to: string]>([
    ['/results?days=7', 'Period', '2026-02', '/results?from=2026-02-01&until=2026-02-28'],
    ['/results', 'Period', '2026-03', '/results?from=2026-03-01&until=2026-03-15'],
    ['/results?from=2026-02-01&until=2026-02-28', 'Period', '7', '/results?days=7'],
    ['/results?from=2026-02-01&until=2026-02-27', 'Period', 'other', '/results?from=2026-02-01&until=2026-02-27'],
    ['/results?days=7', 'Compared with', 'year_before', '/results?days=7&compared=year_before'],
    ['/results?days=7&compared=year_before', 'Compared with', 'before', '/results?days=7'],
    ['/results', 'From', '2026-03-10', '/results?from=2026-03-10&until=2026-03-15'],
    ['/results?days=7', 'From', '2026-03-15', '/results?from=2026-03-15&until=2026-03-15'],
    ['/results', 'From', '2026-03-16', '/results?from=2026-03-16&until=2026-03-16'],
    ['/results', 'Until', '2026-03-10', '/results?from=2026-03-01&until=2026-03-10'],
    ['/results', 'Until', '2026-02-28', '/results?from=2026-02-28&until=2026-02-28'],
    ['/results', 'From', '', '/results'],
    // While its first digits are typed.
    ['/results', 'Until', '0202-03-10', '/results'],
  ])('at %s the field %s with %s leads to %s', async (at, label, value, to) => {
    const { type, address } = chosen(at, march);
    type(label, value);

    expect(await address()).toBe(to);
  });

  test.each<[isChecked: boolean, to: string]>([
    [true, '/results?days=7&simulated=true'],
    [false, '/results?days=7'],
  ])('with simulated cases: %s', async (checked, to) => {
    const { field, address } = chosen('/results?days=7', march);
    field('With simulated cases').onChange?.({ currentTarget: { checked } });

    expect(await address()).toBe(to);
  });

  test.each<[step: string, from: string, until: string, to: string]>([
    ['Earlier', '2026-03-01', '2026-03-15', 'from=2026-02-01&until=2026-02-28'],
    ['Earlier', '2026-01-01', '2026-01-31', 'from=2025-12-01&until=2025-12-31'],
    ['Earlier', '2026-03-02', '2026-03-15', 'from=2026-02-16&until=2026-03-01'],
    ['Earlier', '2026-02-01', '2026-03-15', 'from=2025-12-20&until=2026-01-31'],
    ['Later', '2026-02-01', '2026-02-28', 'from=2026-03-01&until=2026-03-15'],
    ['Later', '2025-12-01', '2025-12-31', 'from=2026-01-01&until=2026-01-31'],
    ['Later', '2026-02-10', '2026-02-16', 'from=2026-02-17&until=2026-02-23'],
    ['Later', '2026-03-03', '2026-03-09', 'from=2026-03-10&until=2026-03-15'],
  ])('%s of %s to %s are %s', async (step, from, until, to) => {
    const { click, address } = chosen('/results?days=30', { from, until });
    click(step);

    expect(await address()).toBe(`/results?${to}`);
  });
});

describe('links that are one stop of the tab key', () => {
  const places = ['A1', 'A2', 'A3', 'B2', 'C1', 'C3'];
  /** Which of them has the focus then, and which the tab key leads to. */
  const moved = (from: string | null, key: string) => {
    const links = places.map((place) => ({
      place,
      tabIndex: place === 'A1' ? 0 : -1,
      closest: (tag: string) => (tag === 'tr' ? place[0] : { cellIndex: Number(place[1]) }),
      focus() {
        page.activeElement = this;
      },
    }));
    page.activeElement = links.find(({ place }) => place === from) ?? null;
    let isTaken = false;
    results.links.moveAmongLinks({
      key,
      currentTarget: { querySelectorAll: () => links },
      preventDefault() {
        isTaken = true;
      },
    });
    const focused = (page.activeElement as { place: string } | null)?.place ?? null;
    return { focused, stops: links.filter(({ tabIndex }) => tabIndex === 0).map(({ place }) => place), isTaken };
  };

  test.each<[from: string | null, key: string, to: string | null]>([
    ['A1', 'ArrowRight', 'A2'],
    ['A3', 'ArrowRight', 'B2'],
    ['C3', 'ArrowRight', null],
    ['B2', 'ArrowLeft', 'A3'],
    ['A1', 'ArrowLeft', null],
    ['A3', 'ArrowDown', 'B2'],
    ['B2', 'ArrowDown', 'C1'],
    ['C1', 'ArrowDown', null],
    ['C3', 'ArrowUp', 'B2'],
    ['B2', 'ArrowUp', 'A2'],
    ['A3', 'ArrowUp', null],
    ['B2', 'Home', 'A1'],
    ['B2', 'End', 'C3'],
    ['B2', 'Enter', null],
    [null, 'End', null],
  ])('from %j the key %s leads to %j', (from, key, to) => {
    expect(moved(from, key)).toEqual({ focused: to ?? from, stops: [to ?? 'A1'], isTaken: to !== null });
  });
});

test('who may see the results has what recovery came to above the day', async () => {
  const asked = async (rights: string[]) => {
    results.later.length = 0;
    results.show(results.overview.Overview, {}, { as: { rights } });
    await soon();
    return results.later;
  };

  expect(await asked(['dashboard', 'workflows', 'tasks', 'settings', 'keys', 'people', 'audit'])).toEqual([]);
  expect(await asked(['dashboard', 'results'])).toEqual(['./results-hero']);
});

describe('the audit', () => {
  const entry = (id: string, second: number, given: object = {}) => ({
    id,
    at: new Date(Date.UTC(2026, 10, 25, 9) + Math.round(1_000 * second)).toISOString(),
    actor: 'account:ana',
    action: 'task.list',
    route: '/patients/:patientId/tasks',
    subjects: ['patient-1'],
    ...given,
  });
  const opening = entry('opening', 60, { action: 'patient.read', route: '/patients/:patientId' });
  const folded = (entries: object[]) =>
    (results.fold.foldEntries(entries) as { id: string; readBeside?: number; searchedBeside?: number }[]).map(
      ({ id, readBeside, searchedBeside }) => [id, readBeside, searchedBeside],
    );

  test.each([
    'legal-hold.read',
    'patient.decisions',
    'patient.proposals',
    'patient.match',
    'case.list',
    'call.list',
    'task.list',
    'delivery.list',
    'waitlist.list',
    'opt-out.list',
  ])('%s beside an opened record is told with it', (action) => {
    expect(folded([entry('beside', 61, { action }), opening])).toEqual([['opening', 1, undefined]]);
  });

  test.each<[what: string, at: number, given: object]>([
    ['another action', 61, { action: 'patient.list' }],
    ['another person', 61, { actor: 'account:ben' }],
    ['another patient', 61, { subjects: ['patient-1', 'patient-2'] }],
    ['more than two seconds before', 57.999, {}],
    ['more than five minutes after', 360.001, {}],
  ])('%s is told by itself', (_what, at, given) => {
    expect(folded([opening, entry('other', at, given)])).toEqual([
      ['opening', undefined, undefined],
      ['other', undefined, undefined],
    ]);
  });

  test('two seconds before and five minutes after are told with the opening', () => {
    expect(folded([entry('after', 360), opening, entry('before', 58)])).toEqual([['opening', 2, undefined]]);
  });

  test('a record that another page reads opens nothing', () => {
    const other = { ...opening, route: '/patients/:patientId/export' };

    expect(folded([entry('beside', 61), other]).map(([id]) => id)).toEqual(['beside', 'opening']);
    expect(folded([entry('beside', 61), { ...opening, route: null }])).toHaveLength(2);
  });

  const search = (id: string, second: number) => entry(id, second, { action: 'call.search' });

  test.each([
    [10, [['later', undefined, 1]]],
    [
      10.001,
      [
        ['later', undefined, undefined],
        ['first', undefined, undefined],
      ],
    ],
  ])('searches %d seconds apart', (apart, told) => {
    expect(folded([search('later', apart), search('first', 0)])).toEqual(told);
  });

  const told = (given: object) =>
    results.audit.sentenceOfEntry({
      actor: 'account:ana',
      actorName: 'Ana Ruiz',
      patient: { firstName: 'Wendy', lastName: 'Ivanov' },
      subjects: [],
      detail: {},
      ...given,
    });

  test.each([
    [{ action: 'patient.read' }, 'Ana Ruiz opened Wendy Ivanov’s record'],
    [{ action: 'patient.read', patient: null }, 'Ana Ruiz opened a patient’s record'],
    [{ action: 'sign-in' }, 'Ana Ruiz signed in'],
    [{ action: 'tool.send_resume_link' }, 'Ana Ruiz used the tool “Send resume link” in a call with Wendy Ivanov'],
    [{ action: 'outbound.crm' }, 'Ana Ruiz sent a request to a system of the clinic'],
    [{ action: 'new.action' }, 'Ana Ruiz new.action'],
    [{ action: 'opt-out.add' }, 'Ana Ruiz added the number of Wendy Ivanov to the opt-outs'],
    [{ action: 'opt-out.add', patient: null }, 'Ana Ruiz added a number to the opt-outs'],
    [
      { action: 'opt-out.add', patient: null, subjects: ['patient-1'] },
      'Ana Ruiz added the number of a patient to the opt-outs',
    ],
    [{ action: 'opt-out.remove', patient: null }, 'Ana Ruiz removed a number from the opt-outs'],
    [{ action: 'opt-out.remove' }, 'Ana Ruiz removed the number of Wendy Ivanov from the opt-outs'],
    [
      { action: 'opt-out.remove', detail: { reason: 'other_person' } },
      'Ana Ruiz removed the number of Wendy Ivanov from the opt-outs: “The number belongs to somebody else now”',
    ],
    [{ action: 'sign-in', actorName: null }, 'A former account signed in'],
    [{ action: 'sign-in', actorName: null, actor: 'call:1' }, 'A voice agent signed in'],
    [{ action: 'sign-in', actorName: null, actor: 'unknown' }, 'unknown signed in'],
  ])('%j is told as “%s”', (given, sentence) => {
    expect(told(given)).toBe(sentence);
  });

  test('actions are offered in the order of their words, and one that is asked for in any case', () => {
    const [plain, known, other] = [undefined, 'sign-in', 'new.action'].map(
      (asked) => results.audit.actionOptions(asked) as { value: string; label: string }[],
    );

    expect(plain).toContainEqual({ value: 'patient.read', label: 'Opened a patient’s record' });
    expect(plain).toContainEqual({ value: 'opt-out.add', label: 'Added the number of a patient to the opt-outs' });
    expect(plain?.map(({ label }) => label)).toEqual(
      plain?.map(({ label }) => label).toSorted((one, another) => one.localeCompare(another, 'en')),
    );
    expect(known).toEqual(plain);
    expect(other).toEqual([...(plain ?? []), { value: 'new.action', label: 'new.action' }]);
  });
});
