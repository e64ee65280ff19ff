import { eventually } from '../support/eventually';
import { type Computed, dashboardModules, type Given, type Stage, textsIn } from './stage/dashboard';
import { type Doing, doing, wordsIn } from './stage/doing';
import { answering, refused } from './stage/service';

interface Choice {
  wish: object;
  times: object[];
  chosen: object | null;
  taken: object | null;
}

/** What the calendar and the clinic's own API are computed from, without a browser. */
interface Modules {
  service: Record<
    | 'getAvailabilityOptions'
    | 'getProvidersOptions'
    | 'getIntegrationsProvidersOptions'
    | 'getIntegrationsVisitTypesOptions',
    (given?: object) => { queryKey: unknown }
  >;
  grid: { CalendarGrid: unknown };
  times: { TimeFields: unknown; useTimeChoice: (given: object) => Choice };
  blocks: Record<'blocksOf' | 'firstOf' | 'hoursOf' | 'hueOf' | 'keyOf' | 'neighbour' | 'rangeOf', Computed>;
  api: Record<'fieldOf' | 'labelsOf' | 'toChange' | 'toValues', Computed> & {
    actions: { name: string }[];
    fhirActions: { name: string }[];
    methods: { value: string }[];
  };
  bookable: Record<'refusalOf' | 'displayNameOf', Computed> & { useWhen: () => (at: string) => string };
  dialogs: { MoveBlock: unknown };
  cancelling: { CancelForm: unknown };
  override: { OverrideForm: unknown };
  providers: { Providers: unknown };
  offered: { OfferedVisitTypes: unknown };
  trying: { TryAction: unknown };
}

const service = answering({ statusCode: 409, code: 'slot_taken', message: 'is taken' });

let calendar: Modules & Stage;

beforeAll(async () => {
  const files = {
    service: require.resolve('../../dashboard/http/api.ts'),
    grid: require.resolve('../../dashboard/pages/calendar/calendar-grid.tsx'),
    times: require.resolve('../../dashboard/pages/calendar/time-choice.tsx'),
    blocks: require.resolve('../../dashboard/pages/calendar/calendar-blocks.ts'),
    api: require.resolve('../../dashboard/pages/calendar/approved-api-values.ts'),
    bookable: require.resolve('../../dashboard/pages/calendar/bookable.ts'),
    dialogs: require.resolve('../../dashboard/pages/calendar/calendar-dialogs.tsx'),
    cancelling: require.resolve('../../dashboard/pages/calendar/cancelling.tsx'),
    override: require.resolve('../../dashboard/pages/calendar/override-form.tsx'),
    providers: require.resolve('../../dashboard/pages/calendar/providers.tsx'),
    offered: require.resolve('../../dashboard/pages/calendar/offered-visit-types.tsx'),
    trying: require.resolve('../../dashboard/pages/calendar/try-action.tsx'),
  };
  calendar = await dashboardModules<Modules>(files, service);
});

afterEach(() => jest.useRealTimers());

const zone = 'America/New_York';
const appointment = (id: string, startsAt: string) => ({ id, startsAt, providerName: 'Dr.Chen' });
const open = (startsAt: string) => ({ startsAt, providerName: 'Dr.Chen' });
const column = (given: object = {}) => ({
  date: '2026-11-23',
  provider: { name: 'Dr.Chen', workingHours: { monday: [{ opens: '08:30', closes: '12:00' }] } },
  appointments: [],
  slots: [],
  held: [],
  ...given,
});

describe('blocks of a day', () => {
  test('free and booked times are one list in order of time, by the clinic’s clock', () => {
    const booked = appointment('appointment-1', '2026-11-23T15:00:00.000Z');
    const slots = [open('2026-11-23T15:30:00Z'), open('2026-11-23T14:00:00Z')];

    expect(calendar.blocks.blocksOf(column({ appointments: [booked], slots }), zone)).toEqual([
      { key: 'Dr.Chen 2026-11-23T14:00:00.000Z', ...open('2026-11-23T14:00:00Z'), minute: 540, appointment: null },
      { key: 'Dr.Chen 2026-11-23T15:00:00.000Z', ...open(booked.startsAt), minute: 600, appointment: booked },
      { key: 'Dr.Chen 2026-11-23T15:30:00.000Z', ...open('2026-11-23T15:30:00Z'), minute: 630, appointment: null },
    ]);
  });

  test.each([
    ['2026-11-23T10:29:59.999Z', 'second'],
    ['2026-11-23T10:30:00.000Z', 'second'],
    ['2026-11-23T10:30:00.001Z', 'third'],
    ['2026-11-24T10:00:00.000Z', 'first'],
  ])('at %s Tab leads to the %s', (now, key) => {
    jest.useFakeTimers({ now: Date.parse(now) });
    const blocks = [
      { key: 'first', startsAt: '2026-11-23T10:00:00Z' },
      { key: 'second', startsAt: '2026-11-23T10:30:00Z' },
      { key: 'third', startsAt: '2026-11-23T11:00:00Z' },
    ];

    expect(calendar.blocks.firstOf(blocks)).toBe(key);
    expect(calendar.blocks.firstOf([])).toBeNull();
  });

  const block = (key: string, minute: number) => ({ key, minute });
  const week = [
    [],
    [block('mon 9', 540), block('mon 10', 600), block('mon 16', 960)],
    [],
    [block('wed 8', 480), block('wed 9:30', 570), block('wed 17', 1020)],
    [block('thu 9', 540)],
  ];

  test.each([
    ['mon 10', 'ArrowDown', 'mon 16'],
    ['mon 10', 'ArrowUp', 'mon 9'],
    ['mon 16', 'Home', 'mon 9'],
    ['mon 9', 'End', 'mon 16'],
    ['mon 16', 'ArrowDown', null],
    ['mon 9', 'ArrowUp', null],
    ['mon 9', 'ArrowRight', 'wed 9:30'],
    ['mon 16', 'ArrowRight', 'wed 17'],
    ['thu 9', 'ArrowLeft', 'wed 9:30'],
    ['wed 8', 'ArrowLeft', 'mon 9'],
    ['wed 17', 'ArrowRight', 'thu 9'],
    ['mon 9', 'ArrowLeft', null],
    ['thu 9', 'ArrowRight', null],
    ['wed 8', 'Enter', null],
    ['sun 9', 'ArrowDown', null],
    [null, 'ArrowRight', null],
  ])('from %s the key %s leads to %s', (from, key, to) => {
    expect(calendar.blocks.neighbour(week, from, key)).toBe(to);
  });

  test('a day has the hours of its provider, and none while the clinic is closed', () => {
    expect(calendar.blocks.hoursOf(column())).toEqual([{ opens: '08:30', closes: '12:00' }]);
    expect(calendar.blocks.hoursOf(column({ date: '2026-11-24' }))).toEqual([]);
    expect(calendar.blocks.hoursOf(column({ closed: '' }))).toEqual([]);
  });

  const works = (opens: string, closes: string) =>
    column({ provider: { name: 'Dr.Chen', workingHours: { friday: [{ opens, closes }] } } });

  test.each<[what: string, columns: object[], from: number, until: number]>([
    ['of nobody', [], 9, 17],
    ['of hours that begin early', [works('07:30', '12:00')], 7, 17],
    ['of hours that end late', [works('10:00', '18:01')], 9, 19],
    ['of hours that fill it', [works('09:00', '17:00')], 9, 17],
    ['with an early appointment', [column({ appointments: [appointment('a', '2026-11-23T11:30:00Z')] })], 6, 17],
    ['with a late appointment', [column({ appointments: [appointment('a', '2026-11-23T23:00:00Z')] })], 8, 19],
    [
      'with an appointment until a full hour',
      [column({ appointments: [appointment('a', '2026-11-23T22:30:00Z')] })],
      8,
      18,
    ],
    ['of two', [works('06:00', '12:00'), works('12:00', '20:00')], 6, 20],
  ])('a calendar %s goes over whole hours', (_what, columns, from, until) => {
    expect(calendar.blocks.rangeOf(columns, zone)).toEqual({ from: from * 60, until: until * 60 });
  });

  test('each of six has a hue of its own, and the seventh that of the first', () => {
    const hues = Array.from({ length: 7 }, (_, index) => calendar.blocks.hueOf(index, 6));

    expect(hues.map((hue) => /color-(\w+)-6\)$/.exec(String(hue))?.[1])).toEqual([
      'yellow',
      'blue',
      'pink',
      'orange',
      'lime',
      'grape',
      'yellow',
    ]);
  });
});

describe('booking', () => {
  test.each([
    ['slot_taken', 'Somebody else has just booked this time. Choose another one.'],
    ['slot_held', 'Another caller is considering this time. Choose another one, or try again in a few minutes.'],
    ['slot_unavailable', 'This time is not offered any more. Choose another one.'],
    ['in_the_past', 'This time has passed. Choose another one.'],
    ['appointment_cancelled', 'The appointment was cancelled meanwhile.'],
    ['appointment_fulfilled', 'The appointment has taken place already.'],
    ['other', 'The service says why.'],
    [undefined, 'The service says why.'],
  ])('what is refused as %s is told so', (code, told) => {
    expect(calendar.bookable.refusalOf({ statusCode: 409, code, message: 'The service says why' })).toBe(told);
  });

  test('a provider is called by the name that is shown, where there is one of that name', () => {
    const providers = [
      { name: 'Dr.Roy', displayName: 'Dr. Arjun Roy' },
      { name: 'Dr.Chen', displayName: 'Dr. Emily Chen' },
    ];

    const names = ['Dr.Chen', 'Dr.Who'].map((name) => calendar.bookable.displayNameOf(providers, name));

    expect(names).toEqual(['Dr. Emily Chen', 'Dr.Who']);
  });

  test('a time is told by the clinic’s clock', () => {
    const told = calendar.use(() => calendar.bookable.useWhen()('2026-11-24T02:30:00Z'));

    expect(told.replaceAll(/\s/g, ' ')).toBe('Mon, Nov 23, 2026, 9:30 PM');
  });
});

describe('the calendar as it is drawn', () => {
  const now = '2026-11-23T15:10:00Z';
  const booked = {
    ...appointment('a', '2026-11-23T16:00:00Z'),
    patientName: 'Wendy',
    visitType: 'Control',
    status: 'booked',
  };
  const over = { ...booked, id: 'b', startsAt: '2026-11-23T14:00:00Z', patientName: '', status: 'fulfilled' };
  const drawn = (given: object = {}, props: object = {}) => {
    jest.useFakeTimers({ now: Date.parse(now) });
    const day = column({
      key: 'monday',
      name: 'Monday, Dr. Chen',
      head: 'Mon',
      isToday: true,
      appointments: [booked, over],
      slots: [open('2026-11-23T15:30:00Z')],
      ...given,
    });
    return calendar.show(calendar.grid.CalendarGrid, {
      label: 'Week',
      columns: [day],
      moving: null,
      colorOf: () => 'red',
      ...props,
    });
  };
  const buttons = (markup: string) =>
    [...markup.matchAll(/<button [^>]*>/g)].map(([tag]) =>
      ['title', 'tabindex', 'draggable', 'data-moving'].map(
        (name) => new RegExp(` ${name}="([^"]*)"`, 'i').exec(tag)?.[1],
      ),
    );

  test('each time says what it is, the next one is in the order of Tab, and what can be moved can be dragged', () => {
    expect(buttons(drawn()).map((each) => each.map((value) => value?.replaceAll(/\s/g, ' ')))).toEqual([
      ['9:00 AM , Control, Over', '-1', 'false', undefined],
      ['10:30 AM, open', '0', 'false', undefined],
      ['11:00 AM Wendy, Control', '-1', 'true', undefined],
    ]);
    expect(buttons(drawn({}, { moving: booked })).map(([, , , moving]) => moving)).toEqual([
      undefined,
      undefined,
      'true',
    ]);
    expect(textsIn(drawn()).join(' ')).toContain('9:00 AM Name not given Control 10:30 AM open 11:00 AM Wendy Control');
  });

  test('times stand where they belong on the clock', () => {
    const tops = [...drawn().matchAll(/<li[^>]*style="top:(\d+)px;height:26px"/g)].map(([, top]) => Number(top));

    // From 8:00, 28 px for each half of an hour.
    expect(tops).toEqual([56, 140, 168]);
    expect(textsIn(drawn()).slice(0, 9)).toEqual(
      Array.from({ length: 9 }, (_, hour) => expect.stringMatching(new RegExp(`^${((hour + 7) % 12) + 1} `))),
    );
  });

  test('what is held, closed or empty is told', () => {
    const held = { id: 'h', startsAt: '2026-11-23T17:00:00Z', patientName: 'Vera' };
    const markup = drawn({
      held: [held, { ...held, id: 'i', patientName: '' }],
      closed: 'Holiday',
      appointments: [],
      slots: [],
    });

    expect(textsIn(markup)).toEqual(expect.arrayContaining(['held for Vera', 'held for a patient', 'Closed: Holiday']));
    expect(markup).toContain('aria-label="Monday, Dr. Chen: nothing"');
    expect(drawn()).toContain('aria-label="Monday, Dr. Chen"');
    expect(textsIn(drawn()).join()).not.toContain('Closed');
  });
});

describe('a time to choose', () => {
  const slots = [
    { startsAt: '2026-11-23T16:00:00Z', providerName: 'Dr.Chen' },
    { startsAt: '2026-11-23T16:00:00Z', providerName: 'Dr.Roy' },
    { startsAt: '2026-11-24T15:00:00Z', providerName: 'Dr.Roy' },
  ];
  const chosenFrom = (start: object, query: object, items: object[] = slots) => {
    jest.useFakeTimers({ now: Date.parse('2026-11-23T15:10:00Z') });
    const key = calendar.service.getAvailabilityOptions({ query }).queryKey;
    return calendar.use(() => calendar.times.useTimeChoice(start), { answers: [[key, { slots: items }]] });
  };

  test.each<[what: string, start: object, query: object, times: number[]]>([
    ['of anybody', {}, { limit: 200 }, [0, 2]],
    ['of one provider', { providerName: 'Dr.Roy' }, { providerName: 'Dr.Roy', limit: 200 }, [1, 2]],
    ['of those who fit', { fitting: ['Dr.Roy'] }, { limit: 200 }, [1, 2]],
    ['in the morning', { part: 'morning' }, { untilTime: '12:00', limit: 200 }, [0, 2]],
    ['in the afternoon', { part: 'afternoon' }, { fromTime: '12:00', limit: 200 }, [0, 2]],
    ['today', { day: '2026-11-23' }, { until: '2026-11-24', limit: 500 }, [0, 2]],
    ['on another day', { day: '2026-11-24' }, { from: '2026-11-24', until: '2026-11-25', limit: 500 }, [0, 2]],
  ])('%s', (_what, start, query, times) => {
    const choice = chosenFrom(start, query);

    expect(choice.times).toEqual(times.map((index) => slots[index]));
    expect([choice.chosen, choice.taken]).toEqual([null, null]);
  });

  test('of any day the first sixteen are offered, of a day all', () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      startsAt: new Date(Date.UTC(2026, 10, 24, 10, 30 * index)).toISOString(),
      providerName: 'Dr.Chen',
    }));

    expect(chosenFrom({}, { limit: 200 }, many).times).toHaveLength(16);
    expect(
      chosenFrom({ day: '2026-11-24' }, { from: '2026-11-24', until: '2026-11-25', limit: 500 }, many).times,
    ).toHaveLength(20);
  });

  const given = (wish: object, others: object = {}) => {
    jest.useFakeTimers({ now: Date.parse('2026-11-23T15:10:00Z') });
    const choice = {
      wish: { providerName: null, day: null, part: 'any', ...wish },
      query: { data: { slots }, error: null },
      times: [slots[0], slots[2]],
      chosen: null,
      ...others,
    };
    const provider = (name: string, weekday: string) => ({
      name,
      displayName: name.replace('.', '. '),
      workingHours: { [weekday]: [{ opens: '09:00', closes: '17:00' }], sunday: [] },
    });
    const providers = [provider('Dr.Chen', 'monday'), provider('Dr.Roy', 'tuesday')];
    return { choice, providers };
  };
  const fields = (wish: object, others: object = {}) => {
    const markup = calendar.show(calendar.times.TimeFields, given(wish, others));
    return { markup, text: textsIn(markup).join(' ').replaceAll(/\s/g, ' ') };
  };

  test('the days of two weeks on which somebody works, and the open times by day', () => {
    expect(fields({}).text).toBe(
      'Provider Any provider Dr. Chen Dr. Roy Day Next available Today Tomorrow Mon, Nov 30 Tue, Dec 1 Another day Any time Morning Afternoon Monday, November 23, 2026 11:00 AM Tuesday, November 24, 2026 10:00 AM',
    );
    expect(fields({ providerName: 'Dr.Roy' }).text).toContain('Day Next available Tomorrow Tue, Dec 1 Another day');
  });

  test('one time is in the order of Tab: the chosen one, or the first', () => {
    const stops = (chosen: object | null) =>
      [...fields({}, { chosen }).markup.matchAll(/tabindex="(-?\d)"[^>]*aria-pressed="(\w+)"/gi)].map(
        ([, tab, isPressed]) => [tab, isPressed],
      );

    expect(stops(null)).toEqual([
      ['0', 'false'],
      ['-1', 'false'],
    ]);
    expect(stops(slots[2] ?? null)).toEqual([
      ['-1', 'false'],
      ['0', 'true'],
    ]);
  });

  test('who wants another provider has chosen none of their times', () => {
    const chosen = { startsAt: '2026-11-23T16:00:00Z', providerName: 'Dr.Chen' };
    const times = [
      { startsAt: '2026-11-23T15:30:00Z', providerName: 'Dr.Roy' },
      { startsAt: chosen.startsAt, providerName: 'Dr.Roy' },
    ];
    const stops = (own: object) =>
      [
        ...fields({ providerName: 'Dr.Roy' }, { chosen: own, times }).markup.matchAll(/tabindex="(-?\d)"[^>]*aria-/gi),
      ].map(([, tab]) => tab);

    expect([stops(chosen), stops({ ...chosen, providerName: 'Dr.Roy' })]).toEqual([
      ['0', '-1'],
      ['-1', '0'],
    ]);
  });

  test.each<[key: string, from: number, to: number | null]>([
    ['ArrowRight', 0, 1],
    ['ArrowDown', 1, 2],
    ['ArrowLeft', 2, 1],
    ['ArrowUp', 1, 0],
    ['ArrowRight', 2, null],
    ['ArrowLeft', 0, null],
    ['Enter', 1, null],
    ['ArrowRight', -1, null],
  ])('the key %s on the time %i of three chooses that of %j', (key, from, to) => {
    const pressed = calendar.act(calendar.times.TimeFields, given({})).press(key, 3, from);
    const chosen = to === null ? [] : [to];

    expect(pressed).toEqual({ focused: chosen, clicked: chosen, isTaken: to !== null });
  });

  test('where nothing is open another day is offered', () => {
    expect(fields({}, { times: [] }).text).toMatch(/No open time in the next two weeks\.$/);
    expect(fields({ day: '2026-11-25' }, { times: [] }).text).toMatch(/No open time then\. Show the next open times$/);
    expect(
      [fields({ day: '2026-11-25' }), fields({ day: '2026-11-24' })].map(({ markup }) =>
        markup.includes('type="date"'),
      ),
    ).toEqual([true, false]);
  });
});

describe('an appointment that is changed', () => {
  const booked = {
    ...appointment('visit-1', '2026-11-30T15:00:00Z'),
    patientId: 'patient-1',
    patientName: 'Wendy Ivanov',
    providerDisplayName: 'Dr. Emily Chen',
    visitType: 'Control',
    status: 'booked',
  };
  const named = {
    items: [
      { name: 'Dr.Chen', displayName: 'Dr. Emily Chen', visitTypes: [] },
      { name: 'Dr.Roy', displayName: 'Dr. Arjun Roy', visitTypes: [] },
    ],
  };
  const other = { providerName: 'Dr.Roy', startsAt: '2026-12-01T16:00:00Z' };
  const answers = (): [unknown, unknown][] => [
    [calendar.service.getProvidersOptions().queryKey, named],
    ...['getPatients', 'getAppointments', 'getDayList', 'getOverview', 'getAvailability', 'getTasks'].map(
      (_id): [unknown, unknown] => [[{ _id }], {}],
    ),
  ];
  const waiting = 'getAppointmentsByAppointmentIdWaiting';
  const read = [
    'getPatients',
    'getAppointments',
    waiting,
    'getDayList',
    'getProviders',
    'getOverview',
    'getAvailability',
  ];
  const begin = (component: unknown, props: object) => {
    service.requests = [];
    service.replies = [];
    calendar.said();
    const done: string[] = [];
    const given = { ...props, onDone: () => done.push('done'), onClose: () => done.push('closed') };
    const acting = calendar.act(component, { appointment: booked, ...given }, { answers: answers() });
    /** Once it is answered, and what it changes is read again. */
    const answered = async () => {
      await eventually(() => acting.stale().length > 0, { every: 2, within: 5_000 });
      return [done, calendar.said().map(({ message, label }) => [spaced(message), label])];
    };
    return { ...acting, done, answered };
  };
  const spaced = (text: string) => text.replaceAll(/\s/g, ' ');

  test.each<[time: object, words: string]>([
    [
      { providerName: 'Dr.Chen', startsAt: other.startsAt },
      'From Mon, Nov 30, 2026, 10:00 AM To Tue, Dec 1, 2026, 11:00 AM With Dr. Emily Chen',
    ],
    [other, 'From Mon, Nov 30, 2026, 10:00 AM with Dr. Emily Chen To Tue, Dec 1, 2026, 11:00 AM With Dr. Arjun Roy'],
  ])('is told from when to when, and from whom to whom where it is another: %j', (time, words) => {
    const markup = calendar.show(calendar.dialogs.MoveBlock, { appointment: booked, time }, { answers: answers() });

    expect(spaced(textsIn(markup).join(' '))).toContain(`Patient Wendy Ivanov ${words}`);
    const nobody = { ...booked, patientName: '' };
    const unnamed = calendar.show(calendar.dialogs.MoveBlock, { appointment: nobody, time }, { answers: answers() });
    expect(textsIn(unnamed).join(' ')).toContain('Patient Name not given From');
  });

  test('is moved, and moved back', async () => {
    const { click, answered, stale } = begin(calendar.dialogs.MoveBlock, { time: other });
    service.replies = [{ ...booked, ...other }, booked];
    click('Move');
    await eventually(() => stale().length > 0, { every: 2, within: 5_000 });
    const [moved] = calendar.said();

    expect(spaced(moved?.message ?? '')).toBe('Moved to Tue, Dec 1, 2026, 11:00 AM.');
    expect(moved?.label).toBe('Undo');
    moved?.onClick?.();
    await eventually(() => service.replies.length === 0, { every: 2, within: 5_000 });
    await eventually(async () => (await answered()).length > 0, { every: 2, within: 5_000 });
    const path = '/api/appointments/visit-1/reschedule';
    expect(service.requests).toEqual([
      ['POST', path, other],
      ['POST', path, { providerName: 'Dr.Chen', startsAt: booked.startsAt }],
    ]);
    expect(stale().toSorted()).toEqual(read.toSorted());
  });

  test('is cancelled for a reason, which ends its form, and booked again', async () => {
    const { field, submit, again, done, stale } = begin(calendar.cancelling.CancelForm, { about: 'Wendy, Monday' });
    submit();
    expect(service.requests).toEqual([]);

    service.replies = [booked, booked];
    field('Why').onChange?.('pat');
    expect(textsIn(again())).toContain('Wendy, Monday');
    submit();
    await eventually(() => stale().length > 0, { every: 2, within: 5_000 });
    const [cancelled] = calendar.said();
    expect([done, cancelled?.message, cancelled?.label]).toEqual([['done'], 'The appointment is cancelled.', 'Undo']);
    cancelled?.onClick?.();
    await eventually(() => calendar.said().some(({ message }) => message === 'The appointment is booked again.'), {
      every: 2,
      within: 5_000,
    });
    expect(service.requests).toEqual([
      ['POST', '/api/appointments/visit-1/cancel', { reason: 'pat' }],
      ['POST', '/api/appointments/visit-1/restore', null],
    ]);
    expect(stale().toSorted()).toEqual(read.toSorted());
  });

  test.each<[what: 'moved' | 'cancelled', path: string]>([
    ['moved', '/api/appointments/visit-1/reschedule'],
    ['cancelled', '/api/appointments/visit-1/cancel'],
  ])('that is not %s stays in its dialog, and tells nothing', async (what, path) => {
    const isMoved = what === 'moved';
    const { click, field, submit, again, answered } = isMoved
      ? begin(calendar.dialogs.MoveBlock, { time: other })
      : begin(calendar.cancelling.CancelForm, {});
    if (isMoved) click('Move');
    else {
      field('More reasons').onChange?.('pat');
      again();
      submit();
    }

    expect(await answered()).toEqual([[], []]);
    expect(service.requests.map((each) => (each as unknown[])[1])).toEqual([path]);
  });

  test('that is not offered and not booked either stays in its form, and tells nothing elsewhere', async () => {
    const given = { patientId: 'patient-1', time: other };
    const { field, submit, answered } = begin(calendar.override.OverrideForm, given);
    field('Why').onChange?.('urgent');
    submit();

    expect(await answered()).toEqual([[], []]);
    const body = { patientId: 'patient-1', ...other, reason: 'urgent', visitType: 'Follow-up consultation' };
    expect(service.requests).toEqual([['POST', '/api/appointments/override', body]]);
  });
});

describe('the days off and special hours of a provider', () => {
  const nine = { opens: '09:00', closes: '12:00' };
  const stored = {
    name: 'Dr.Chen',
    displayName: 'Dr. Emily Chen',
    visitTypes: [],
    workingHours: { monday: [nine] },
    specialDays: { '2026-12-24': [], '2026-12-25': [nine] },
    noticeMinutes: 0,
  };
  const key = () => calendar.service.getIntegrationsProvidersOptions().queryKey;
  /** What stands at the field of a new provider, and what is sent of both. */
  const typed = async (days: string, isMonthFirst: boolean) => {
    service.requests = [];
    calendar.said();
    const { click, field, type, again, submit } = calendar.act(
      calendar.providers.Providers,
      {},
      { as: { rights: ['settings'], clinic: { isMonthFirst } }, answers: [[key(), { items: [stored] }]] },
    );
    click('Add a provider');
    again();
    type('Days off and special hours', days);
    again();
    const { error: problem } = field('Days off and special hours');
    submit();
    const [failure] = calendar.said();
    if (!failure) await eventually(() => service.requests.length > 0, { every: 2, within: 5_000 });
    const [[, , body] = []] = service.requests as [string, string, { items: { specialDays: object }[] }][];
    return { problem, failure: failure?.message, sent: body?.items.map(({ specialDays }) => specialDays) };
  };

  test.each<[days: string, isMonthFirst: boolean, read: object]>([
    ['24/12/2026 off', false, { '2026-12-24': [] }],
    [
      '12/24/2026 OFF\n\n12/23/2026 9-12  1 pm - 15\n',
      true,
      { '2026-12-24': [], '2026-12-23': [nine, { opens: '13:00', closes: '15:00' }] },
    ],
  ])('%j, the month first: %s, are %j', async (days, isMonthFirst, read) => {
    expect(await typed(days, isMonthFirst)).toEqual({ problem: null, sent: [stored.specialDays, read] });
  });

  const form = 'must be a date, then off or hours as 09:00-12:00';

  test.each<[days: string, problem: string]>([
    ['2026-12-24 off\n12/24/2026 9-12', 'Line 2 names 2026-12-24 again: write one line for a day'],
    ['12/24/2026 off\n12/25/2026 of', `Line 2 ${form}`],
    ['soon off', `Line 1 ${form}`],
    ['12/24/2026 off 9-12', `Line 1 ${form}`],
    ['2/30/2026 off', 'Line 1: there is no day 2/30/2026'],
  ])('%j: nothing is saved, as %j', async (days, problem) => {
    const failure = 'Nothing is saved: Days off and special hours, new provider.';

    expect(await typed(days, true)).toEqual({ problem, failure });
    expect(service.requests).toEqual([]);
  });
});

describe('the providers of a clinic', () => {
  const nine = { opens: '09:00', closes: '12:00' };
  const chen = {
    name: 'Dr.Chen',
    displayName: 'Dr. Emily Chen',
    visitTypes: ['Control'],
    workingHours: { monday: [nine] },
    specialDays: {},
    noticeMinutes: 30,
  };
  const roy = {
    ...chen,
    name: 'Dr.Roy',
    displayName: 'Dr. Arjun Roy',
    specialDays: { '2026-12-25': [], '2026-12-24': [nine] },
  };
  const editing = (stored: object[] = [chen, roy], replies: object[] = [], as: object = { rights: ['settings'] }) =>
    doing(calendar, service)(
      calendar.providers.Providers,
      {},
      { answers: [[calendar.service.getIntegrationsProvidersOptions(), { items: stored }]], as, replies },
    );
  const isThere = (acting: Doing, is: (given: Given) => unknown): boolean => {
    try {
      return Boolean(acting.given(is));
    } catch {
      return false;
    }
  };
  const accordion = ({ given }: Doing) => given(({ chevronPosition }) => chevronPosition);
  /** With the part of one open. */
  const withOpen = (acting: Doing, key = '0') => {
    accordion(acting).onChange?.(key);
    acting.again();
    return acting;
  };
  const sentOf = ({ requests }: { requests: unknown[] }) =>
    ((requests.at(-1) as unknown[])[2] as { items: object[] }).items;

  test.each<[label: string, value: unknown, sent: object]>([
    ['Name', { currentTarget: { value: 'Dr.X' } }, { name: 'Dr.X' }],
    ['Display name', { currentTarget: { value: 'Dr. X' } }, { displayName: 'Dr. X' }],
    ['Visit types', ['Control', 'Other'], { visitTypes: ['Control', 'Other'] }],
    ['Notice, in minutes', 60, { noticeMinutes: 60 }],
    ['Notice, in minutes', '', { noticeMinutes: 0 }],
    ['Working hours', { friday: [nine] }, { workingHours: { friday: [nine] } }],
    [
      'Days off and special hours',
      { currentTarget: { value: '12/26/2026 off' } },
      { specialDays: { '2026-12-26': [] } },
    ],
  ])('%s is changed to %j', async (label, value, sent) => {
    const acting = withOpen(editing(undefined, [{ items: [] }]));
    acting
      .given(({ label: of, onChange }) => onChange && typeof of === 'string' && of.startsWith(label))
      .onChange?.(value);
    expect(wordsIn(acting.again())).toMatch(/Changed: Dr\. (?:Emily Chen|X)/);
    acting.submit();

    expect(await acting.texts()).toEqual(['green: Saved. Search and booking follow the new hours at once.']);
    expect(sentOf(acting)).toEqual([{ ...chen, ...sent }, roy]);
    expect(acting.requests.map((each) => (each as unknown[]).slice(0, 2))).toEqual([
      ['PUT', '/api/integrations/providers'],
    ]);
  });

  test('one is added, without a name, and opened', async () => {
    const acting = editing([chen], [{ items: [] }]);
    expect(accordion(acting).value).toBeNull();
    acting.click('Add a provider');
    expect(wordsIn(acting.again())).toContain('New provider');
    expect(accordion(acting).value).toBe('1');
    acting.submit();
    await acting.settled();
    const { name: _name, ...unnamed } = {
      ...chen,
      displayName: '',
      visitTypes: [],
      workingHours: {},
      noticeMinutes: 0,
    };
    expect(sentOf(acting)).toEqual([chen, unnamed]);
  });

  test('one is removed', async () => {
    const acting = withOpen(editing(undefined, [{ items: [] }]));
    acting.click('Remove from the list');
    expect(wordsIn(acting.again())).toContain('Changed: Dr. Emily Chen');
    acting.submit();
    await acting.settled();
    expect(sentOf(acting)).toEqual([roy]);
  });

  test('special days are written in order, and what was typed once it is left', () => {
    const acting = withOpen(editing([roy]));
    const days = () => acting.field('Days off and special hours');
    expect(days().value).toBe('2026-12-24 09:00-12:00\n2026-12-25 off');
    acting.type('Days off and special hours', '12/26/2026 9-12, 13-14');
    acting.again();
    acting.blur('Days off and special hours');
    acting.again();
    expect(days().value).toBe('2026-12-26 09:00-12:00 13:00-14:00');
    acting.type('Days off and special hours', 'soon');
    acting.again();
    acting.blur('Days off and special hours');
    acting.again();
    expect(days().value).toBe('soon');
  });

  test.each<[path: string, label: string, error: string, told: string]>([
    ['items.1.name', 'Name', 'This is taken', 'red: Name, line 2, is taken.'],
    ['items.1.displayName', 'Display name', 'This is taken', 'red: Display name, line 2, is taken.'],
    ['items.1.visitTypes.0', 'Visit types', 'This is taken', 'red: Visit types, line 2, is taken.'],
    ['items.1.noticeMinutes', 'Notice, in minutes', 'This is taken', 'red: Notice, in minutes, line 2, is taken.'],
    [
      'items.1.specialDays.2026-12-24.0',
      'Days off and special hours',
      '2026-12-24 is taken',
      'red: Days off and special hours, line 2, is taken.',
    ],
    [
      'items.1.specialDays',
      'Days off and special hours',
      'is taken',
      'red: Days off and special hours, line 2, is taken.',
    ],
  ])('what is refused at %s stands at its field, and its part is opened', async (path, label, error, told) => {
    const details = [{ path, message: 'is taken' }];
    const acting = withOpen(editing(undefined, [refused({ statusCode: 400, message: 'It is wrong', details })]));
    acting.type('Display name', 'Dr. X');
    acting.again();
    expect(accordion(acting).value).toBe('0');
    acting.submit();
    expect(await acting.texts()).toEqual([told]);
    acting.again();
    expect(accordion(acting).value).toBe('1');
    const labels = ['Name', 'Display name', 'Visit types', 'Notice, in minutes', 'Days off and special hours'];
    const errors: [unknown, unknown][] = [];
    isThere(acting, ({ label: of, error: is }) => {
      if (labels.includes(String(of)) && is) errors.push([of, is]);
      return false;
    });
    // A field hands it on to its box.
    expect(new Map(errors)).toEqual(new Map([[label, error]]));
  });

  test('nobody is told what follows, and special days are explained in the order of the country', () => {
    expect(wordsIn(editing([]).again())).toContain('No provider Without providers nothing can be booked.');
    const hint = (isMonthFirst: boolean) =>
      withOpen(editing([chen], [], { rights: ['settings'], clinic: { isMonthFirst } })).field(
        'Days off and special hours',
      )['description'];
    expect([hint(true), hint(false)]).toEqual([
      'A day each line: 12/24/2026 off, or 12/23/2026 9-12 13:00-15:30',
      'A day each line: 24/12/2026 off, or 23/12/2026 9-12 13:00-15:30',
    ]);
  });

  test('what is typed and no visit type yet is a change', () => {
    const acting = withOpen(editing([chen]));
    (acting.field('Visit types')['onSearchChange'] as (text: string) => void)('Oth');
    expect(wordsIn(acting.again())).toContain('Changed: Dr. Emily Chen');
    expect(acting.field('Visit types')['searchValue']).toBe('Oth');
  });
});

test.each<[body: string, sent: object | null]>([
  ['{}', {}],
  ['{"a": [1]}', { a: [1] }],
  ['null', null],
  ['[]', null],
  ['"a"', null],
  ['1', null],
  ['', null],
])('an action of the clinic’s API is tried with %j where that is an object: %j', async (body, sent) => {
  service.requests = [];
  const props = { action: 'createPatient', permitted: { method: 'POST', path: '/patients/{id}' } };
  const { type, again, click, field } = calendar.act(calendar.trying.TryAction, props, {
    as: { rights: ['settings'] },
  });
  type('id', '7');
  again();
  type('Body, as JSON', body);
  again();
  click('Send the request');
  again();

  expect(field('Body, as JSON')['error']).toBe(sent === null ? 'This is not a JSON object' : null);
  if (sent) await eventually(() => service.requests.length > 0, { every: 2, within: 5_000 });
  const request = { action: 'createPatient', params: { id: '7' }, body: sent };
  expect(service.requests).toEqual(sent ? [['POST', '/api/integrations/approved-api/try', request]] : []);
});

describe('visit types that the EHR has', () => {
  const there = [
    { system: 'urn:types', code: 'F', shown: 'FOLLOW-UP' },
    { system: 'urn:types', code: 'N', shown: 'New patient' },
    { code: 'N', shown: 'New patient' },
  ];
  const known = { here: ['Follow-up', 'Telehealth'], there, findings: [] };
  const offered = (rows: object[], found: object | null = known, isSaved = true) => {
    const added: unknown[] = [];
    const form = {
      values: { fhir: { visitTypes: rows } },
      insertListItem: (list: string, row: object) => added.push([list, row]),
    };
    const key = calendar.service.getIntegrationsVisitTypesOptions().queryKey;
    const { field, again } = calendar.act(
      calendar.offered.OfferedVisitTypes,
      { form, isSaved },
      { as: { rights: ['settings'] }, answers: found ? [[key, found]] : [] },
    );
    return { added, select: field('Add one that your EHR has'), text: textsIn(again()).join(' ') };
  };
  const labels = ['FOLLOW-UP (F)', 'New patient (N)', 'New patient (N)'];

  test.each<[rows: object[], left: string[]]>([
    [[], labels],
    [[{ name: 'Follow-up', system: 'urn:types', code: 'F' }], labels.slice(1)],
    [[{ name: 'Other', system: 'urn:other', code: 'F' }], labels],
    [[{ name: 'Other', system: 'urn:types', code: 'G' }], labels],
    [[{ name: 'New patient', system: '', code: 'N' }], labels.slice(0, 2)],
    [there.map(({ system = '', code }) => ({ name: 'Any', system, code })), []],
  ])('beside the rows %j those left are %j', (rows, left) => {
    const { select } = offered(rows);

    expect((select.data as { label: string }[]).map(({ label }) => label)).toEqual(left);
    expect([select.disabled, select.placeholder]).toEqual([
      left.length === 0,
      left.length === 0 ? 'Each that it has is in the list' : 'Choose',
    ]);
  });

  test.each<[chosen: string | null, added: object[]]>([
    // As it is called here already, in whatever case.
    ['0', [{ name: 'Follow-up', system: 'urn:types', code: 'F' }]],
    ['1', [{ name: 'New patient', system: 'urn:types', code: 'N' }]],
    ['2', [{ name: 'New patient', system: '', code: 'N' }]],
    [null, []],
  ])('that of place %j is added as a row', (chosen, rows) => {
    const { select, added } = offered([]);
    select.onChange?.(chosen);

    expect(added).toEqual(rows.map((row) => ['fhir.visitTypes', row]));
  });

  test.each<[found: object | null, isSaved: boolean, placeholder: string, text: RegExp]>([
    [null, true, 'Reading your EHR…', /^(?!.*Save to choose)/],
    [null, false, 'Not read yet', /Save to choose from your EHR/],
    [{ ...known, findings: [{ message: 'One part is late' }] }, true, 'Choose', /One part is late$/],
    [
      { ...known, there: [], findings: [{ message: 'One' }, { message: 'Two' }] },
      true,
      'Each that it has is in the list',
      /Nothing could be read from your EHR: check it, above\.$/,
    ],
    [{ ...known, there: [], findings: [{ message: 'One' }] }, true, 'Each that it has is in the list', /One$/],
  ])('where %j was found, saved: %s, it is told as “%s”', (found, isSaved, placeholder, text) => {
    const told = offered([], found, isSaved);

    expect(told.select.placeholder).toBe(placeholder);
    expect(told.text).toMatch(text);
  });
});

describe('the clinic’s own API', () => {
  const auth = {
    method: 'none',
    token: '',
    username: '',
    password: '',
    header: '',
    value: '',
    tokenUrl: '',
    clientId: '',
    clientSecret: '',
    clientAuthentication: 'client_secret_basic',
    scope: '',
    audience: '',
  };
  const empty = {
    kind: 'json',
    baseUrl: '',
    auth,
    headers: [],
    clientCertificate: { isUsed: false, certificate: '', privateKey: '' },
    fhir: {
      isOn: false,
      isLive: false,
      permitted: [false, false, false, false, false],
      rescheduling: 'update',
      providers: [],
      visitTypes: [],
      locations: [],
      testPatient: '',
    },
    actions: Array.from({ length: 6 }, () => ({ isPermitted: false, method: 'POST', path: '' })),
  };
  const unset = {
    kind: 'json',
    baseUrl: null,
    auth: { method: 'none' },
    headers: [],
    fhir: null,
    certificateEndsAt: null,
    actions: {},
  };
  const visitTypes = [
    { name: 'Follow-up', system: 'urn:types', code: 'F' },
    { name: 'New patient', code: 'N' },
  ];

  test('what is not set is empty in the form', () => {
    expect(calendar.api.toValues(unset)).toEqual(empty);
  });

  test('what is set stands in the form, but for secrets', () => {
    const fhir = {
      isOn: true,
      isLive: true,
      permitted: ['patient.upsert', 'document.write'],
      rescheduling: 'cancel-and-book',
      providers: [{ name: 'Dr.Chen', reference: 'Practitioner/1' }],
      visitTypes,
      locations: [{ name: 'North', reference: 'Location/1' }],
      testPatient: 'Patient/1',
    };
    const given = {
      username: 'clinic',
      header: 'x-key',
      tokenUrl: 'https://ehr.example/token',
      clientId: 'client-1',
      clientAuthentication: 'client_secret_post',
      scope: 'system/*.rs',
      audience: 'https://ehr.example',
    };
    const set = {
      kind: 'fhir-r4',
      baseUrl: 'https://ehr.example',
      auth: { method: 'smart-backend', ...given },
      headers: [{ name: 'x-tenant' }],
      fhir,
      certificateEndsAt: '2027-01-01T00:00:00Z',
      actions: { 'insurance.verify': { method: 'PUT', path: '/insurances' } },
    };

    expect(calendar.api.toValues(set)).toEqual({
      ...empty,
      kind: 'fhir-r4',
      baseUrl: 'https://ehr.example',
      auth: { ...auth, method: 'smart-backend', ...given },
      headers: [{ name: 'x-tenant', value: '' }],
      clientCertificate: { isUsed: true, certificate: '', privateKey: '' },
      fhir: {
        ...fhir,
        permitted: [true, false, false, false, true],
        visitTypes: [visitTypes[0], { ...visitTypes[1], system: '' }],
      },
      actions: empty.actions.map((each, index) =>
        index === 2 ? { isPermitted: true, method: 'PUT', path: '/insurances' } : each,
      ),
    });
  });

  const filled = {
    ...auth,
    token: 'secret token',
    username: 'clinic',
    password: 'secret word',
    header: 'x-key',
    value: 'secret value',
    tokenUrl: ' https://ehr.example/token ',
    clientId: 'client-1',
    clientSecret: 'client secret',
    scope: 'all',
    audience: 'ehr',
  };

  test.each([
    ['none', {}, {}],
    ['bearer', { token: 'secret token' }, { token: undefined }],
    ['basic', { username: 'clinic', password: 'secret word' }, { username: '', password: undefined }],
    ['api-key-header', { header: 'x-key', value: 'secret value' }, { header: '', value: undefined }],
    [
      'oauth2-client-credentials',
      {
        tokenUrl: 'https://ehr.example/token',
        clientId: 'client-1',
        clientSecret: 'client secret',
        clientAuthentication: 'client_secret_basic',
        scope: 'all',
        audience: 'ehr',
      },
      {
        tokenUrl: '',
        clientId: '',
        clientSecret: undefined,
        clientAuthentication: 'client_secret_basic',
        scope: undefined,
        audience: undefined,
      },
    ],
    [
      'smart-backend',
      { clientId: 'client-1', tokenUrl: 'https://ehr.example/token', scope: 'all', audience: 'ehr' },
      { clientId: '', tokenUrl: undefined, scope: undefined, audience: undefined },
    ],
  ])('of the method %s its own fields are sent, and no secret that is empty', (method, sent, sentEmpty) => {
    expect(calendar.api.toChange({ ...empty, auth: { ...filled, method } })).toMatchObject({
      auth: { method, ...sent },
    });
    const changes = [filled, auth].map(
      (each) => (calendar.api.toChange({ ...empty, auth: { ...each, method } }) as { auth: object }).auth,
    );
    expect(changes).toEqual([
      { method, ...sent },
      { method, ...sentEmpty },
    ]);
  });

  test.each([
    [{ isUsed: false, certificate: 'CERT', privateKey: 'KEY' }, null],
    [{ isUsed: true, certificate: '', privateKey: '' }, undefined],
    [
      { isUsed: true, certificate: 'CERT', privateKey: '' },
      { certificate: 'CERT', privateKey: '' },
    ],
    [
      { isUsed: true, certificate: '', privateKey: 'KEY' },
      { certificate: '', privateKey: 'KEY' },
    ],
  ])('of the certificate %j is sent %j', (clientCertificate, sent) => {
    for (const kind of ['json', 'fhir-r4'])
      expect(calendar.api.toChange({ ...empty, kind, clientCertificate })).toHaveProperty('clientCertificate', sent);
  });

  test('of a plain API only what is permitted is sent', () => {
    const actions = empty.actions.map((_, index) => ({
      isPermitted: index === 0 || index === 5,
      method: 'PATCH',
      path: `/${index}`,
    }));
    const headers = [
      { name: 'x-tenant', value: '' },
      { name: 'x-more', value: 'more' },
    ];

    expect(calendar.api.toChange({ ...empty, baseUrl: ' https://clinic.example ', actions, headers })).toEqual({
      kind: 'json',
      baseUrl: 'https://clinic.example',
      auth: { method: 'none' },
      headers: [
        { name: 'x-tenant', value: undefined },
        { name: 'x-more', value: 'more' },
      ],
      clientCertificate: null,
      actions: {
        'form.progress': { method: 'PATCH', path: '/0' },
        'document.write': { method: 'PATCH', path: '/5' },
      },
    });
  });

  test('of a FHIR server its own fields are sent', () => {
    const fhir = { ...empty.fhir, permitted: [false, true, false, true, false], visitTypes, testPatient: '' };
    const sent = { ...fhir, permitted: ['insurance.verify', 'appointment.cancel'], testPatient: undefined };

    expect(calendar.api.toChange({ ...empty, kind: 'fhir-r4', fhir })).toEqual({
      kind: 'fhir-r4',
      baseUrl: '',
      auth: { method: 'none' },
      headers: [],
      clientCertificate: null,
      fhir: { ...sent, visitTypes: [visitTypes[0], { ...visitTypes[1], system: undefined }] },
    });
    const tested = { ...fhir, testPatient: 'Patient/1' };
    expect(calendar.api.toChange({ ...empty, kind: 'fhir-r4', fhir: tested })).toMatchObject({
      fhir: { testPatient: 'Patient/1' },
    });
  });

  const lists = {
    headers: [{ name: 'x-tenant', value: '' }],
    fhir: { ...empty.fhir, providers: [{}, {}], visitTypes: [{}], locations: [{}] },
  };
  const always = {
    baseUrl: 'Base URL',
    'clientCertificate.certificate': 'Certificate',
    'clientCertificate.privateKey': 'Private key',
    'headers.0.name': 'Header',
    'headers.0.value': 'Value',
  };

  test('a form for a plain API shows its permitted actions, and nothing of FHIR', () => {
    const actions = empty.actions.map((each, index) => ({ ...each, isPermitted: index === 3 }));

    expect(calendar.api.labelsOf({ ...empty, ...lists, actions })).toEqual({
      ...always,
      'actions.3.method': 'Method of appointment.book',
      'actions.3.path': 'Path of appointment.book',
    });
  });

  test('a form for a FHIR server shows what it is mapped by', () => {
    const actions = empty.actions.map((each) => ({ ...each, isPermitted: true }));

    expect(calendar.api.labelsOf({ ...empty, ...lists, kind: 'fhir-r4', actions })).toEqual({
      ...always,
      'fhir.isLive': 'Calls act on its appointments',
      'fhir.testPatient': 'Test patient',
      'fhir.providers.0.name': 'Provider',
      'fhir.providers.0.reference': 'Reference in the EHR',
      'fhir.providers.1.name': 'Provider',
      'fhir.providers.1.reference': 'Reference in the EHR',
      'fhir.visitTypes.0.name': 'Visit type',
      'fhir.visitTypes.0.system': 'Code system',
      'fhir.visitTypes.0.code': 'Code in the EHR',
      'fhir.locations.0.name': 'Location',
      'fhir.locations.0.reference': 'Reference in the EHR',
    });
  });

  test.each([
    ['none', []],
    ['bearer', ['token']],
    ['basic', ['username', 'password']],
    ['api-key-header', ['header', 'value']],
    ['oauth2-client-credentials', ['tokenUrl', 'clientId', 'clientSecret', 'scope', 'audience']],
    ['smart-backend', ['clientId', 'scope', 'tokenUrl', 'audience']],
  ])('the method %s has the fields %j', (method, fields) => {
    const labels = calendar.api.labelsOf({ ...empty, auth: { ...auth, method } }) as object;

    expect(Object.keys(labels).filter((name) => name.startsWith('auth.'))).toEqual(
      fields.map((name) => `auth.${name}`),
    );
  });

  test.each([
    ['actions.form.progress', 'actions.0.path'],
    ['actions.form.progress.method', 'actions.0.method'],
    ['actions.document.write.path', 'actions.5.path'],
    ['actions.form.progressed', 'actions.form.progressed'],
    ['baseUrl', 'baseUrl'],
  ])('what is refused at %s stands at %s', (path, field) => {
    expect(calendar.api.fieldOf(path)).toBe(field);
  });

  test('every method is offered, that without any first', () => {
    expect(calendar.api.methods.map(({ value }) => value)).toEqual([
      'none',
      'bearer',
      'basic',
      'api-key-header',
      'oauth2-client-credentials',
      'smart-backend',
    ]);
  });

  test('a FHIR server is permitted what a plain API is, but for how far a form has come', () => {
    const names = ['patient.upsert', 'insurance.verify', 'appointment.book', 'appointment.cancel', 'document.write'];

    expect(calendar.api.fhirActions.map(({ name }) => name)).toEqual(names);
    expect(calendar.api.actions.map(({ name }) => name)).toEqual(['form.progress', ...names]);
  });
});
