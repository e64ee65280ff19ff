import { type Acting, dashboardModules, type Given, linksIn, type Stage } from './stage/dashboard';
import { doing, spaced, wordsIn } from './stage/doing';
import { answering, refused } from './stage/service';

/** How visits are booked, moved, cancelled and noted, and who waits for one, without a browser. */
type Option = (given?: object) => { queryKey: unknown };
interface Modules {
  options: Record<
    | 'getAppointmentsByAppointmentIdWaitingOptions'
    | 'getAppointmentsOptions'
    | 'getAvailabilityOptions'
    | 'getDayListOptions'
    | 'getIntegrationsClosedDaysOptions'
    | 'getProvidersByNameCalendarOptions'
    | 'getProvidersOptions'
    | 'getWaitlistOptions',
    Option
  >;
  actions: { useActions: (providers: object[], show: (booked: object) => void) => Actions };
  appointment: { FreedTime: unknown };
  attendance: { Attendance: unknown };
  booking: { BookingForm: unknown };
  calendar: { Calendar: unknown };
  cancelling: { CancelForm: unknown };
  changing: { ChangeAppointment: unknown };
  choosing: { Choosing: unknown };
  day: { DayList: unknown };
  dialogs: Record<'AppointmentBlock' | 'MoveBlock', unknown>;
  grid: { CalendarGrid: unknown };
  moving: { MovingForm: unknown };
  override: { OverrideBooking: unknown };
  overriding: { OverrideForm: unknown };
  times: { TimeFields: unknown };
  wait: { WaitForm: unknown };
  waiting: { Remove: unknown };
  waitlist: { Waitlist: unknown };
}
interface Actions {
  moving: object | null;
  keep: () => void;
  pick: (block: object) => void;
  drop: (appointment: object, time: object) => void;
  dialog: unknown;
}

const service = answering({ statusCode: 409, code: 'slot_taken', message: 'is taken' });

let pages: Modules & Stage;
let begin: ReturnType<typeof doing>;

beforeAll(async () => {
  const files = {
    options: require.resolve('../../dashboard/http/api.ts'),
    actions: require.resolve('../../dashboard/pages/calendar/calendar-actions.tsx'),
    appointment: require.resolve('../../dashboard/pages/calendar/appointment.tsx'),
    attendance: require.resolve('../../dashboard/pages/calendar/attendance.tsx'),
    booking: require.resolve('../../dashboard/pages/calendar/booking.tsx'),
    calendar: require.resolve('../../dashboard/pages/calendar/calendar.tsx'),
    cancelling: require.resolve('../../dashboard/pages/calendar/cancelling.tsx'),
    changing: require.resolve('../../dashboard/pages/calendar/changing.tsx'),
    choosing: require.resolve('../../dashboard/pages/calendar/choosing.tsx'),
    day: require.resolve('../../dashboard/pages/calendar/day-list.tsx'),
    dialogs: require.resolve('../../dashboard/pages/calendar/calendar-dialogs.tsx'),
    grid: require.resolve('../../dashboard/pages/calendar/calendar-grid.tsx'),
    moving: require.resolve('../../dashboard/pages/calendar/moving.tsx'),
    override: require.resolve('../../dashboard/pages/calendar/override.tsx'),
    overriding: require.resolve('../../dashboard/pages/calendar/override-form.tsx'),
    times: require.resolve('../../dashboard/pages/calendar/time-choice.tsx'),
    wait: require.resolve('../../dashboard/pages/calendar/wait-form.tsx'),
    waiting: require.resolve('../../dashboard/pages/calendar/waiting.tsx'),
    waitlist: require.resolve('../../dashboard/pages/calendar/waitlist.tsx'),
  };
  pages = await dashboardModules<Modules>(files, service);
  begin = doing(pages, service);
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() =>
  jest.useFakeTimers({
    now: Date.parse('2026-11-25T14:30:00Z'),
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'],
  }),
);
afterEach(() => jest.useRealTimers());

const isThere = (acting: Pick<Acting, 'given'>, is: (given: Given) => unknown): boolean => {
  try {
    return Boolean(acting.given(is));
  } catch {
    return false;
  }
};
const button = (name: string) => (given: Given) => given.children === name || given.label === name;

const wendy = { id: 'patient-1', firstName: 'Wendy', lastName: 'Ivanov' };
const visit = {
  id: 'visit-1',
  startsAt: '2026-11-30T15:00:00Z',
  endsAt: '2026-11-30T15:30:00Z',
  providerName: 'Dr.Chen',
  providerDisplayName: 'Dr. Emily Chen',
  patientId: 'patient-1',
  patientName: 'Wendy Ivanov',
  visitType: 'Control',
  status: 'booked',
};
const provider = (name: string, displayName: string, visitTypes: string[] = []) => ({
  name,
  displayName,
  visitTypes,
  workingHours: Object.fromEntries(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, [{ opens: '09:00', closes: '17:00' }]]),
  ),
});
const chen = provider('Dr.Chen', 'Dr. Emily Chen', ['Follow-up consultation', 'Control']);
const roy = provider('Dr.Roy', 'Dr. Arjun Roy', ['New patient']);
type Answer = [option: { queryKey: unknown }, answer: unknown];
const staff = (given: object = {}): Answer => [
  pages.options.getProvidersOptions(),
  { items: [chen, roy], isEhrLive: false, areFreedTimesOffered: true, ...given },
];
const changed = ['getPatients', 'getProviders', 'getAvailability', 'getAppointments', 'getDayList', 'getOverview'];
const sorted = (names: string[]) => names.toSorted();
const refusals: [code: string, told: string][] = [
  ['slot_taken', 'Somebody else has just booked this time. Choose another one.'],
  ['appointment_cancelled', 'The appointment was cancelled meanwhile.'],
  ['other', 'The service says why.'],
];
const refusedAs = (code: string) => refused({ statusCode: 409, code, message: 'The service says why' });

describe('what became of a visit', () => {
  const noting = (status: string, replies: object[] = [], isFound?: true) =>
    begin(
      pages.attendance.Attendance,
      { visit: { ...visit, startsAt: '2026-11-25T14:00:00Z', status }, name: 'Wendy', isFound },
      { replies },
    );

  test.each<[status: string, note: string, sent: string, followUp: string | null, told: string[], undo: boolean]>([
    ['booked', 'Arrived', 'arrived', null, [], false],
    [
      'booked',
      'Arrived',
      'arrived',
      'made',
      ['green: Noted. The patient has been called about the missed visit already.'],
      false,
    ],
    ['booked', 'No-show', 'noshow', null, ['green: Noted: no-show.'], true],
    [
      'booked',
      'No-show',
      'noshow',
      'due',
      ['green: Noted: no-show. The patient is called about another time, a minute from now at the soonest.'],
      true,
    ],
    ['booked', 'No-show', 'noshow', 'made', ['green: Noted: no-show.'], true],
    ['arrived', 'Left', 'fulfilled', null, [], false],
    ['arrived', 'Take back', 'booked', null, [], false],
    ['noshow', 'Take back', 'booked', 'due', [], false],
  ])('that is %s: “%s” notes %s, and with the call %j tells %j', async (status, note, sent, followUp, told, undo) => {
    const {
      click,
      told: said,
      requests,
      refreshed,
      settled,
    } = noting(status, [
      { ...visit, followUp },
      { ...visit, followUp: null },
    ]);
    click(`${note}: Wendy`);
    const heard = await said();

    expect(heard.map(({ text }) => text)).toEqual(told);
    expect(requests).toEqual([['POST', '/api/appointments/visit-1/attendance', { status: sent }]]);
    expect(sorted(refreshed())).toEqual(sorted(changed));
    expect(heard[0]?.label).toBe(undo ? 'Undo' : undefined);
    heard[0]?.onClick?.();
    await settled();
    if (undo) expect(requests[1]).toEqual(['POST', '/api/appointments/visit-1/attendance', { status: 'booked' }]);
  });

  test.each<[code: string, told: string]>([
    ['conflict', 'red: This visit has not begun yet.'],
    ...refusals.map(([code, told]): [string, string] => [code, `red: ${told}`]),
  ])('that is refused as %s is told so', async (code, told) => {
    const { click, texts } = noting('booked', [refusedAs(code)]);
    click('No-show: Wendy');
    expect(await texts()).toEqual([told]);
  });

  test('is offered by ⌘K on its own page alone, in other words too', () => {
    const words = (isFound?: true) => {
      const { given } = noting('booked', [], isFound);
      return ['Arrived', 'No-show'].map((does) => {
        const { 'data-key': key, 'data-found-by': by } = given(
          ({ 'aria-label': spoken }) => spoken === `${does}: Wendy`,
        );
        return [key, by];
      });
    };
    expect(words(true)).toEqual([
      ['a', 'here, checked in'],
      ['n', 'missed'],
    ]);
    expect(words()).toEqual([
      ['a', undefined],
      ['n', undefined],
    ]);
    const left = noting('arrived', [], true).given;
    expect(
      ['Left: Wendy', 'Take back: Wendy'].map((name) => {
        const { 'data-key': key, 'data-found-by': by } = left(({ 'aria-label': spoken }) => spoken === name);
        return [key, by];
      }),
    ).toEqual([
      ['l', 'seen'],
      ['u', ''],
    ]);
  });

  test.each<[given: object, offers: string[]]>([
    [{}, ['Move', 'Cancel']],
    [{ startsAt: '2026-11-25T15:00:00Z' }, ['Arrived', 'No-show', 'Move', 'Cancel']],
    [{ startsAt: '2026-11-25T14:00:00Z' }, ['Arrived', 'No-show']],
    [{ startsAt: '2026-11-25T14:00:00Z', status: 'arrived' }, ['Left', 'Take back']],
    [{ startsAt: '2026-11-25T14:00:00Z', status: 'fulfilled' }, []],
    [{ startsAt: '2026-11-24T14:00:00Z' }, []],
    [{ status: 'cancelled' }, []],
  ])('%j may be changed by %j', (given, offers) => {
    const markup = pages.show(pages.changing.ChangeAppointment, { appointment: { ...visit, ...given } });
    expect(wordsIn(markup)).toBe(offers.join(' '));
    const about = offers.includes('Arrived') ? '9:00 AM|10:00 AM' : '';
    expect(spaced(markup)).toMatch(new RegExp(about));
  });
});

describe('an appointment', () => {
  const waiting = (given: object | null): Answer[] =>
    given
      ? [[pages.options.getAppointmentsByAppointmentIdWaitingOptions({ path: { appointmentId: 'visit-1' } }), given]]
      : [];

  test.each<[given: object | null, words: string, links: string[]]>([
    [null, '', []],
    [
      { count: 0, isOffered: true },
      'Its time is open to everybody at once: nobody on the waitlist wants such a time.',
      [],
    ],
    [
      { count: 1, isOffered: true },
      'One patient on the waitlist wants the time that becomes free. It is held for the first, who is called about it. Waitlist',
      ['/waitlist'],
    ],
    [
      { count: 2, isOffered: false },
      '2 patients on the waitlist want the time that becomes free. Calls do not act on this calendar: call them yourself. Waitlist',
      ['/waitlist'],
    ],
  ])('whose time becomes free is wanted by %j', (given, words, links) => {
    const markup = begin(pages.appointment.FreedTime, { appointment: visit }, { answers: waiting(given) }).again();
    expect(wordsIn(markup)).toBe(words);
    expect(linksIn(markup).map(([, to]) => to)).toEqual(links);
  });

  const block = (given: object = {}) => {
    const done: string[] = [];
    const props = {
      appointment: { ...visit, ...given },
      onMove: () => done.push('move'),
      onCancel: () => done.push('cancel'),
      onClose: () => done.push('close'),
    };
    return { ...begin(pages.dialogs.AppointmentBlock, props, { answers: [staff()] }), done };
  };

  test('of the calendar says whose it is, and what can be done about it', () => {
    const { again, click, done } = block();
    expect(wordsIn(again())).toBe(
      'Patient Wendy Ivanov Time Mon, Nov 30, 2026, 10:00 AM with Dr. Emily Chen Visit Control Status Booked Close Cancel the appointment Move',
    );
    expect(linksIn(again())).toEqual([['Wendy Ivanov', '/patients/patient-1']]);
    for (const label of ['Close', 'Cancel the appointment', 'Move']) click(label);
    expect(done).toEqual(['close', 'cancel', 'move']);
    expect(wordsIn(block({ status: 'arrived' }).again())).toMatch(/Status Arrived Close$/);
    expect(wordsIn(block({ patientName: '' }).again())).toContain('Patient Name not given');
  });

  test.each(refusals)('that is not moved as of %s is told so in its dialog', async (code, told) => {
    const time = { providerName: 'Dr.Roy', startsAt: '2026-12-01T16:00:00Z' };
    const done: string[] = [];
    const props = { appointment: visit, time, onClose: () => done.push('closed'), onDone: () => done.push('done') };
    const { click, now, given } = begin(pages.dialogs.MoveBlock, props, {
      answers: [staff()],
      replies: [refusedAs(code)],
    });
    click('Move');
    expect(await now()).toContain(told);
    expect(done).toEqual([]);
    expect(given(button('Move'))['loading']).toBe(false);
    click('Close');
    expect(done).toEqual(['closed']);
  });

  test.each<[isEhrLive: boolean]>([[true], [false]])('beside an EHR that calls act on, %s, says so', (isEhrLive) => {
    const props = { appointment: visit, time: visit, onClose: () => undefined, onDone: () => undefined };
    const { again } = begin(pages.dialogs.MoveBlock, props, { answers: [staff({ isEhrLive })] });
    expect(wordsIn(again()).includes('Your EHR does not hear of this')).toBe(isEhrLive);
  });

  test.each(refusals)('that is not cancelled as of %s is told so in its dialog', async (code, told) => {
    const props = { appointment: visit, onDone: () => undefined };
    const { field, again, submit, now, given } = begin(pages.cancelling.CancelForm, props, {
      replies: [refusedAs(code)],
    });
    const cancel = () => given(button('Cancel the appointment'))['disabled'];
    expect(cancel()).toBe(true);
    field('Why').onChange?.('pat');
    expect(wordsIn(again())).not.toContain(told);
    expect([cancel(), field('Why').value, field('More reasons').value]).toEqual([false, 'pat', 'pat']);
    submit();
    expect(await now()).toContain(told);
  });

  test('is cancelled for common reasons, or for others', () => {
    const { given, field } = begin(pages.cancelling.CancelForm, { appointment: visit, onDone: () => undefined });
    const [common, others] = [given(({ options }) => options)['options'], field('More reasons')['data']].map((list) =>
      (list as { value: string }[]).map(({ value }) => value),
    );
    expect(common).toEqual(['pat', 'pat-fb', 'pat-lt', 'pat-mv', 'pat-ucp', 'prov', 'oth-weath', 'oth-err', 'other']);
    expect(others).toHaveLength(23);
    expect(others?.filter((each) => common?.includes(each))).toEqual([]);
  });
});

describe('a time that is not offered', () => {
  const overriding = (props: object, replies: object[] = [], visits: object[] = []) => {
    const done: string[] = [];
    const acting = begin(
      pages.overriding.OverrideForm,
      { patientId: 'patient-1', onDone: () => done.push('done'), ...props },
      {
        answers: [
          staff(),
          [pages.options.getAppointmentsOptions({ query: { patientId: 'patient-1', limit: 20 } }), { items: visits }],
        ],
        replies,
      },
    );
    return { ...acting, done };
  };
  const time = { providerName: 'Dr.Roy', startsAt: '2026-12-01T16:00:00Z' };

  test.each<[props: object, typed: Record<string, string>, sent: object]>([
    [{ time }, { Why: 'urgent' }, { ...time, reason: 'urgent', visitType: 'New patient' }],
    [
      {},
      { Provider: 'Dr.Chen', 'Date and time': '2026-12-01T11:00', Why: 'correction' },
      {
        providerName: 'Dr.Chen',
        startsAt: '2026-12-01T16:00:00.000Z',
        reason: 'correction',
        visitType: 'Follow-up consultation',
      },
    ],
    [{ time }, { Visit: ' Other ', Why: 'patient_came' }, { ...time, reason: 'patient_came', visitType: 'Other' }],
  ])('%j with %j is sent as %j', async (props, typed, sent) => {
    const { field, given, again, submit, texts, requests, refreshed, done } = overriding(props, [
      { ...visit, ...time },
    ]);
    for (const [label, text] of Object.entries(typed)) {
      const of = label === 'Date and time' ? given(({ type }) => type === 'datetime-local') : field(label);
      of.onChange?.(text);
      again();
    }
    submit();
    expect(await texts()).toEqual(['green: Booked: Tue, Dec 1, 2026, 11:00 AM.']);
    expect(requests).toEqual([['POST', '/api/appointments/override', { patientId: 'patient-1', ...sent }]]);
    expect(sorted(refreshed())).toEqual(sorted(changed));
    expect(done).toEqual(['done']);
  });

  test('is not booked before all is chosen', async () => {
    const { submit, settled, again, field, given, requests } = overriding({});
    submit();
    await settled();
    again();
    const errors = [field('Provider'), given(({ type }) => type === 'datetime-local'), field('Why')].map(
      ({ error }) => error,
    );
    expect(errors).toEqual(['Choose one', 'Choose one', 'Choose one']);
    expect(requests).toEqual([]);
    expect(isThere(overriding({ time }), ({ type }) => type === 'datetime-local')).toBe(false);
  });

  test.each(refusals)('that is refused as %s is told so in its dialog', async (code, told) => {
    const { field, submit, now } = overriding({ time }, [refusedAs(code)]);
    field('Why').onChange?.('urgent');
    submit();
    expect(await now()).toContain(told);
  });

  test.each<[label: string, text: string]>([
    ['Visit', 'Other'],
    ['Why', 'urgent'],
  ])('asks about “%s” before its form is closed', (label, text) => {
    const acting = overriding({ time });
    const isDirty = () =>
      (acting.given(({ action }) => action === 'Book it anyway')['form'] as { isDirty: () => boolean }).isDirty();
    expect(isDirty()).toBe(false);
    acting.field(label).onChange?.(text);
    acting.again();
    expect(isDirty()).toBe(true);
  });

  test('needs a visit', () => {
    const acting = overriding({ time });
    const isDisabled = () => acting.given(({ action }) => action === 'Book it anyway')['isDisabled'];
    expect(isDisabled()).toBe(false);
    acting.field('Visit').onChange?.('');
    acting.again();
    expect(isDisabled()).toBe(true);
  });

  test('what is refused of a field stands there alone', async () => {
    const details = [{ path: 'reason', message: 'is needed' }];
    const { field, submit, now } = overriding({ time }, [
      refused({ statusCode: 400, message: 'It is wrong', details }),
    ]);
    field('Why').onChange?.('urgent');
    submit();
    expect(await now()).not.toContain('It is wrong');
    expect(field('Why')['error']).toBe('This is needed');
  });

  test.each<[rights: string[], time: object | undefined, label: string | null]>([
    [['operations'], undefined, 'Book a time that is not offered'],
    [['operations'], time, 'Book it anyway'],
    [['appointments'], time, null],
  ])('is offered to who has %j at %j as %j', (rights, at, label) => {
    const markup = pages.show(pages.override.OverrideBooking, { patientId: 'patient-1', time: at }, { as: { rights } });
    expect(wordsIn(markup)).toBe(label ?? '');
  });
});

describe('a time that is chosen', () => {
  const slots = [
    { startsAt: '2026-11-30T15:00:00Z', providerName: 'Dr.Chen' },
    { startsAt: '2026-11-30T16:00:00Z', providerName: 'Dr.Roy' },
  ];
  const available = (query: object, items: object[] = slots): Answer => [
    pages.options.getAvailabilityOptions({ query }),
    { slots: items },
  ];
  const visitsOf = (items: object[]): Answer => [
    pages.options.getAppointmentsOptions({ query: { patientId: 'patient-1', limit: 20 } }),
    { items },
  ];
  const waitsFor = (items: object[]): Answer => [
    pages.options.getWaitlistOptions({ query: { patientId: 'patient-1', open: 'true', limit: 20 } }),
    { items },
  ];
  const booking = (props: object, answers: Answer[] = [], replies: object[] = []) => {
    const done: unknown[] = [];
    const acting = begin(
      pages.booking.BookingForm,
      { onDone: (booked?: { id: string }) => done.push(booked?.id ?? null), ...props },
      { answers: [staff(), ...answers], as: { rights: ['operations'] }, replies },
    );
    return { ...acting, done };
  };
  const [time] = slots;
  const booked = { ...visit, ...time };

  test('is booked for a patient, says so, and can be undone', async () => {
    const { submit, told, requests, refreshed, done, settled } = booking(
      { patient: wendy, time },
      [visitsOf([])],
      [booked, booked],
    );
    submit();
    const [first, ...more] = await told();
    expect([first?.text, first?.label, more]).toEqual([
      'green: Booked: Mon, Nov 30, 2026, 10:00 AM with Dr. Emily Chen, for Wendy Ivanov.',
      'Undo',
      [],
    ]);
    expect(requests).toEqual([
      ['POST', '/api/appointments', { patientId: 'patient-1', ...time, visitType: 'Follow-up consultation' }],
    ]);
    expect(sorted(refreshed())).toEqual(sorted(changed));
    expect(done).toEqual(['visit-1']);
    first?.onClick?.();
    await settled();
    expect(requests[1]).toEqual(['POST', '/api/appointments/visit-1/cancel', { reason: 'oth-err' }]);
    expect(pages.said().map(({ message }) => message)).toEqual(['The appointment is cancelled.']);
  });

  test('what cannot be undone is told why', async () => {
    const { submit, told, texts } = booking(
      { patient: wendy, time },
      [visitsOf([])],
      [booked, refusedAs('appointment_fulfilled')],
    );
    submit();
    (await told())[0]?.onClick?.();
    expect(await texts()).toEqual(['red: The appointment has taken place already.']);
  });

  test.each<[entries: object[], told: boolean]>([
    [[], false],
    [[{ id: 'entry-1' }, { id: 'entry-2' }], true],
  ])('for who waits for %j is said so, and taken off the waitlist: %s', async (entries, told) => {
    const acting = booking({ patient: wendy, time }, [visitsOf([]), waitsFor(entries)], [booked, {}, {}]);
    acting.submit();
    const heard = await acting.told();
    const waits = heard.find(
      ({ text }) => text === 'green: Wendy Ivanov is still on the waitlist, for an earlier time.',
    );
    expect(waits?.label).toBe(told ? 'Take off' : undefined);
    waits?.onClick?.();
    await acting.settled();
    expect(acting.requests.slice(1)).toEqual(
      told ? ['entry-1', 'entry-2'].map((id) => ['DELETE', `/api/waitlist/${id}`, null]) : [],
    );
  });

  test.each<[code: string, told: string, anyway: boolean]>([
    ['slot_taken', 'Somebody else has just booked this time. Choose another one.', false],
    ['slot_unavailable', 'This time is not offered any more. Choose another one.', true],
  ])('that is refused as %s is told so, and another is chosen; booked anyway: %s', async (code, told, anyway) => {
    const acting = booking({ patient: wendy, time }, [visitsOf([])], [refusedAs(code)]);
    expect(isThere(acting, button('Choose another time'))).toBe(true);
    acting.submit();
    const now = await acting.now();
    expect(now).toContain(told);
    expect(now.includes('Book it anyway')).toBe(anyway);
    expect(isThere(acting, button('Choose another time'))).toBe(false);
    expect(acting.done).toEqual([]);
  });

  test('that stands can be another, and a form is given up without a word', () => {
    const acting = booking({ patient: wendy, time }, [visitsOf([])]);
    expect(wordsIn(acting.again())).toContain(
      'Mon, Nov 30, 2026, 10:00 AM with Dr. Emily Chen · Follow-up consultation Close Book',
    );
    acting.click('Choose another time');
    expect(wordsIn(acting.again())).toContain('Any provider Dr. Emily Chen Dr. Arjun Roy');
    acting.click('Close');
    expect(acting.done).toEqual([null]);
  });

  test.each<[props: object, label: string | undefined, focus: unknown]>([
    [{}, 'Patient', undefined],
    [{ patient: wendy }, undefined, true],
  ])('for %j a patient is looked for: %j', (props, label, focus) => {
    const acting = booking(props, [available({ limit: 200 }), visitsOf([])]);
    expect(isThere(acting, ({ label: of, value }) => of === 'Patient' && value === null)).toBe(label !== undefined);
    expect(acting.given(({ choice, providers }) => choice && providers)['autoFocus']).toBe(focus ?? false);
    expect(acting.given(button('Book'))['disabled']).toBe(label !== undefined);
  });

  test('the first of anybody is chosen until another is, and of who sees new patients for who is new', () => {
    const of = (visits: object[], props: object = {}) =>
      wordsIn(booking({ patient: wendy, ...props }, [available({ limit: 200 }), visitsOf(visits)]).again());
    expect(of([visit])).toContain('10:00 AM with Dr. Emily Chen · Follow-up consultation');
    expect(of([])).toContain('11:00 AM with Dr. Arjun Roy · New patient');
    expect(of([{ ...visit, status: 'noshow' }])).toContain('11:00 AM with Dr. Arjun Roy');
    expect(of([{ ...visit, status: 'cancelled' }])).toContain('11:00 AM with Dr. Arjun Roy');
  });

  test('of a provider who has no visits for new patients is said so', () => {
    const of = (name: string, visits: object[]) =>
      booking({ patient: wendy, providerName: name }, [
        available({ providerName: name, limit: 200 }),
        visitsOf(visits),
      ]).field('Visit')['description'];
    expect(of('Dr.Chen', [])).toBe('Dr. Emily Chen has no visits for new patients.');
    expect([of('Dr.Chen', [visit]), of('Dr.Roy', [])]).toEqual([undefined, undefined]);
  });

  test.each<[visitType: string, isReady: boolean, sent: string | null]>([
    ['  ', false, null],
    [' Other ', true, 'Other'],
  ])('with the visit “%s” is ready: %s', async (visitType, isReady, sent) => {
    const acting = booking({ patient: wendy, time }, [visitsOf([])], [booked]);
    acting.field('Visit').onChange?.(visitType);
    acting.again();
    expect(acting.given(button('Book'))['disabled']).toBe(!isReady);
    acting.submit();
    await acting.settled();
    expect(acting.requests.map((each) => ((each as unknown[])[2] as { visitType: string }).visitType)).toEqual(
      sent === null ? [] : [sent],
    );
  });

  test('for who is found here says what is booked already', () => {
    const acting = booking({}, [
      available({ limit: 200 }),
      visitsOf([
        { ...visit, startsAt: '2026-12-07T15:00:00Z' },
        visit,
        { ...visit, startsAt: '2026-11-25T14:29:00Z' },
        { ...visit, status: 'cancelled', startsAt: '2026-11-26T15:00:00Z' },
      ]),
    ]);
    const already = 'Booked already: Mon, Nov 30, 2026, 10:00 AM with Dr. Emily Chen.';
    expect(wordsIn(acting.again())).not.toContain('Booked already');
    acting.given(({ label, value }) => label === 'Patient' && value === null).onChange?.(wendy);
    expect(wordsIn(acting.again())).toContain(already);
  });

  test.each<[what: string, does: (acting: ReturnType<typeof booking>) => void, isDirty: boolean]>([
    ['nothing', () => undefined, false],
    ['nobody', (acting) => finding(acting).onChange?.(null), false],
    ['a patient', (acting) => finding(acting).onChange?.(wendy), true],
    ['a visit', (acting) => acting.field('Visit').onChange?.('Other'), true],
  ])('with %s chosen is asked about before it is closed', (_what, does, isDirty) => {
    // No time is read yet.
    const acting = booking({}, [visitsOf([])]);
    does(acting);
    acting.again();
    expect(acting.given(({ verb }) => verb)['isDirty']).toBe(isDirty);
  });
  const finding = ({ given }: Pick<Acting, 'given'>) =>
    given(({ label, value }) => label === 'Patient' && value === null);

  const moving = (answers: Answer[], replies: object[] = []) => {
    const done: string[] = [];
    const props = { appointment: visit, onDone: () => done.push('done') };
    const query = { providerName: 'Dr.Chen', from: '2026-11-30', until: '2026-12-01', limit: 500 };
    const times = [slots[0] ?? {}, { startsAt: '2026-11-30T17:00:00Z', providerName: 'Dr.Chen' }];
    const acting = begin(pages.moving.MovingForm, props, {
      answers: [staff(), available(query, times), ...answers],
      replies,
    });
    const noon = () =>
      acting.given(({ 'aria-pressed': is, children }) => is !== undefined && spaced(String(children)) === '12:00 PM');
    return { ...acting, done, noon };
  };

  test('is what an appointment is moved to, on its day and with its provider at first', async () => {
    const { noon, again, submit, texts, requests, refreshed, done, given } = moving(
      [],
      [{ ...visit, startsAt: '2026-11-30T17:00:00Z' }],
    );
    expect(wordsIn(again())).toContain('No time is chosen yet.');
    expect(given(button('Move'))['disabled']).toBe(true);
    noon().onClick?.();
    expect(wordsIn(again())).toContain('Mon, Nov 30, 2026, 12:00 PM with Dr. Emily Chen Close Move');
    expect([given(button('Move'))['disabled'], given(({ verb }) => verb)['isDirty']]).toEqual([false, true]);
    submit();
    expect(await texts()).toEqual(['green: Moved to Mon, Nov 30, 2026, 12:00 PM.']);
    expect(requests).toEqual([
      ['POST', '/api/appointments/visit-1/reschedule', { startsAt: '2026-11-30T17:00:00Z', providerName: 'Dr.Chen' }],
    ]);
    expect(sorted(refreshed())).toEqual(sorted(changed));
    expect(done).toEqual(['done']);
  });

  test.each(refusals)('to which it is not moved as of %s is told so, and chosen no more', async (code, told) => {
    const { noon, again, submit, now, done, click } = moving([], [refusedAs(code)]);
    noon().onClick?.();
    again();
    submit();
    const words = await now();
    expect(words).toContain(told);
    expect(words).toContain('No time is chosen yet.');
    click('Close');
    expect(done).toEqual(['done']);
  });

  test('of another day, half of it or provider is asked for', () => {
    const wishes: object[] = [];
    const choice = {
      wish: { providerName: null, day: '2026-11-29', part: 'any' },
      setWish: (wish: object) => wishes.push(wish),
      query: { data: { slots }, error: null },
      times: [],
      chosen: null,
      choose: () => undefined,
    };
    const { given, field, click, again } = begin(pages.times.TimeFields, {
      choice,
      providers: [chen, roy],
      autoFocus: true,
    });
    const chips = (label: string) => given(({ options, label: of }) => options && of === label);
    chips('Provider').onChange?.('Dr.Roy');
    chips('Provider').onChange?.('');
    chips('Day').onChange?.('2026-11-30');
    chips('Day').onChange?.('');
    field('Time of day').onChange?.('morning');
    click('Show the next open times');
    field('Date').onChange?.({ currentTarget: { value: '2026-12-20' } });
    field('Date').onChange?.({ currentTarget: { value: '2026-12' } });
    chips('Day').onChange?.('other');
    again();
    expect(wishes).toEqual([
      { providerName: 'Dr.Roy' },
      { providerName: null },
      { day: '2026-11-30' },
      { day: null },
      { part: 'morning' },
      { day: null },
      { day: '2026-12-20' },
    ]);
    expect([chips('Day').value, field('Date').value, field('Date')['min']]).toEqual([
      'other',
      '2026-11-29',
      '2026-11-25',
    ]);
  });

  test('another day is asked for by its date once that is wanted', () => {
    const choice = {
      wish: { providerName: null, day: null, part: 'any' },
      setWish: () => undefined,
      query: { data: { slots }, error: null },
      times: [],
      chosen: null,
      choose: () => undefined,
    };
    const acting = begin(pages.times.TimeFields, { choice, providers: [chen] });
    const chips = () => acting.given(({ options, label }) => options && label === 'Day');
    expect([chips().value, isThere(acting, ({ type }) => type === 'date')]).toEqual(['', false]);
    chips().onChange?.('other');
    acting.again();
    expect([chips().value, acting.field('Date').value]).toEqual(['other', '']);
    chips().onChange?.('');
    acting.again();
    expect(chips().value).toBe('');
  });

  test.each<[count: number, isList: boolean]>([
    [11, false],
    [12, true],
  ])('of %i providers one is chosen from a list: %s', (count, isList) => {
    const providers = Array.from({ length: count }, (_, index) => provider(`p${index}`, `Dr. ${index}`));
    const wishes: object[] = [];
    const choice = {
      wish: { providerName: 'p1', day: null, part: 'any' },
      setWish: (wish: object) => wishes.push(wish),
      query: { data: { slots: [] }, error: null },
      times: [],
      chosen: null,
      choose: () => undefined,
    };
    const acting = begin(pages.times.TimeFields, { choice, providers, autoFocus: true });
    expect(isThere(acting, ({ searchable }) => searchable)).toBe(isList);
    acting.field('Provider').onChange?.('p2');
    acting.field('Provider').onChange?.('');
    expect(wishes).toEqual([{ providerName: 'p2' }, { providerName: null }]);
    expect(acting.field('Provider').value).toBe('p1');
  });

  test('that was taken meanwhile is told, and not booked', () => {
    const onConfirm: unknown[] = [];
    const given = (props: object) =>
      begin(
        pages.choosing.Choosing,
        {
          chosen: null,
          providers: [chen],
          refusal: null,
          isDirty: false,
          isSaving: false,
          verb: 'Book',
          onConfirm: (slot: object) => onConfirm.push(slot),
          onCancel: () => undefined,
          children: null,
          ...props,
        },
        { answers: [staff()] },
      );
    expect(wordsIn(given({ taken: time }).again())).toBe(
      'Mon, Nov 30, 2026, 10:00 AM has just been taken: choose another time. Close Book',
    );
    expect(wordsIn(given({}).again())).toBe('No time is chosen yet. Close Book');
    expect(wordsIn(given({ chosen: time, visitType: '' }).again())).toBe(
      'Mon, Nov 30, 2026, 10:00 AM with Dr. Emily Chen Close Book',
    );
    expect(wordsIn(given({ refusal: 'It is taken' }).again())).toContain('It is taken');
    given({ chosen: time, isReady: false }).submit();
    given({}).submit();
    expect(onConfirm).toEqual([]);
    given({ chosen: time }).submit();
    expect(onConfirm).toEqual([time]);
  });
});

describe('the waitlist', () => {
  const adding = (props: object, replies: object[] = [{}]) => {
    const done: string[] = [];
    const acting = begin(
      pages.wait.WaitForm,
      { onDone: () => done.push('done'), ...props },
      { answers: [staff()], replies },
    );
    return { ...acting, done };
  };

  test.each<[typed: Record<string, string>, sent: object]>([
    [{}, {}],
    [{ Provider: 'Dr.Roy' }, { providerName: 'Dr.Roy', visitType: 'New patient' }],
    [
      { 'First day': '2026-11-26', 'Last day': '2026-11-27' },
      { earliestOn: '2026-11-26', latestOn: '2026-11-27' },
    ],
    [{ 'Begins at or after': '09:00' }, { fromTime: '09:00' }],
    [{ 'Begins before': '12:00' }, { untilTime: '12:00' }],
    [{ Visit: ' Other ' }, { visitType: 'Other' }],
  ])('takes a patient with %j as %j', async (typed, sent) => {
    const { field, again, submit, texts, requests, refreshed, done } = adding({ patientId: 'patient-1' });
    for (const [label, text] of Object.entries(typed)) {
      field(label).onChange?.(text);
      again();
    }
    submit();
    expect(await texts()).toEqual(['green: On the waitlist.']);
    expect(requests).toEqual([
      [
        'POST',
        '/api/waitlist',
        {
          patientId: 'patient-1',
          visitType: 'Follow-up consultation',
          earliestOn: '2026-11-25',
          latestOn: '2026-12-23',
          ...sent,
        },
      ],
    ]);
    expect([refreshed(), done]).toEqual([['getWaitlist'], ['done']]);
  });

  test('takes who is found, and nobody while nobody is', () => {
    const acting = adding({});
    const add = () => acting.given(({ action }) => action === 'Add to the waitlist');
    const isDirty = () => (add()['form'] as { isDirty: () => boolean }).isDirty();
    const select = () => acting.given(({ label, onChange }) => label === 'Patient' && onChange);
    expect([add()['isDisabled'], isDirty(), select()['autoFocus']]).toEqual([true, false, true]);
    select().onChange?.(wendy);
    acting.again();
    expect([add()['isDisabled'], isDirty()]).toEqual([false, true]);
    acting.field('Visit').onChange?.('');
    acting.again();
    expect(add()['isDisabled']).toBe(true);
    expect(isThere(adding({ patientId: 'patient-1' }), ({ label }) => label === 'Patient')).toBe(false);
  });

  test.each<[label: string, text: string]>([
    ['Visit', 'Other'],
    ['Last day', '2026-12-24'],
  ])('asks about “%s” before its form is closed', (label, text) => {
    const acting = adding({ patientId: 'patient-1' });
    const isDirty = () =>
      (acting.given(({ action }) => action === 'Add to the waitlist')['form'] as { isDirty: () => boolean }).isDirty();
    expect(isDirty()).toBe(false);
    acting.field(label).onChange?.(text);
    acting.again();
    expect(isDirty()).toBe(true);
  });

  test.each<[areFreedTimesOffered: boolean, words: string]>([
    [true, 'A time that becomes free is held for 15 minutes for whoever has waited longest, and they are called.'],
    [
      false,
      'Nobody is called by itself: your clinic’s calls do not book in this calendar. Call them when a time becomes free.',
    ],
  ])('says what comes of it, where times are offered: %s', (areFreedTimesOffered, words) => {
    const { again } = begin(
      pages.wait.WaitForm,
      { patientId: 'patient-1', onDone: () => undefined },
      { answers: [staff({ areFreedTimesOffered })] },
    );
    expect(wordsIn(again())).toContain(words);
  });

  test.each<[status: string, isOffered: boolean]>([
    ['waiting', true],
    ['offered', true],
    ['booked', false],
    ['removed', false],
    ['expired', false],
  ])('who is %s is taken off: %s', async (status, isOffered) => {
    const entry = { id: 'entry-1', visitType: 'Control', status };
    const { again, given, texts, requests, refreshed } = begin(pages.waiting.Remove, { entry }, { replies: [{}] });
    expect(wordsIn(again())).toBe(isOffered ? 'Remove' : '');
    if (!isOffered) return;
    given(({ name, onClick }) => name === 'Remove Control from the waitlist' && onClick).onClick?.();
    expect(await texts()).toEqual(['green: Removed from the waitlist.']);
    expect(requests).toEqual([['DELETE', '/api/waitlist/entry-1', null]]);
    expect(sorted(refreshed())).toEqual(sorted(['getWaitlist', 'getAvailability', 'getProviders']));
  });
});

describe('the calendar', () => {
  const calendarOf = (given: object = {}) => ({ appointments: [], slots: [], held: [], ...given });
  const read = (name: string, from: string, until: string, given: object = {}): Answer => [
    pages.options.getProvidersByNameCalendarOptions({ path: { name }, query: { from, until } }),
    calendarOf(given),
  ];
  const week = (given: object = {}): Answer => read('Dr.Chen', '2026-11-23', '2026-11-30', given);
  const opened = (at: string, answers: Answer[] = [week()], rights: string[] = ['settings.read']) =>
    begin(pages.calendar.Calendar, {}, { at, answers: [staff(), ...answers], as: { rights } });

  test.each<[at: string, label: string, value: unknown, to: string]>([
    ['/calendar', 'Provider', { currentTarget: { value: 'Dr.Roy' } }, '/calendar?provider=Dr.Roy'],
    ['/calendar', 'Show', 'day', '/calendar?view=day'],
  ])('%s is led by “%s” on to %s', async (at, label, value, to) => {
    const { field, address } = opened(at);
    field(label).onChange?.(value);
    expect(await address()).toContain(to);
  });

  const ofWeek = 'week';
  const ofDay = 'day';
  const ofAll = 'day of all';
  const readFor = (what: string): Answer[] => {
    if (what === ofWeek) return [week()];
    return (what === ofDay ? ['Dr.Chen'] : ['Dr.Chen', 'Dr.Roy']).map((name) => read(name, '2026-11-25', '2026-11-26'));
  };

  test.each<[at: string, what: string, button: string, week: string | null]>([
    ['/calendar', ofWeek, 'Previous week', '2026-11-16'],
    ['/calendar', ofWeek, 'Next week', '2026-11-30'],
    ['/calendar?week=2026-11-26', ofWeek, 'Next week', '2026-11-30'],
    ['/calendar?week=2026-11-26', ofWeek, 'Today', null],
    ['/calendar?view=day', ofDay, 'Previous day', '2026-11-24'],
    ['/calendar?view=day', ofDay, 'Next day', '2026-11-26'],
  ])('%s, a %s, leads by “%s” to the week of %s', async (at, what, name, to) => {
    const { click, address } = opened(at, readFor(what));
    click(name);
    expect(new URLSearchParams((await address()).split('?')[1]).get('week')).toBe(to);
  });

  test.each<[at: string, what: string, words: string, days: string[]]>([
    [
      '/calendar',
      ofWeek,
      'Week of November 23, 2026',
      ['Mon 23', 'Tue 24', 'Wed 25', 'Thu 26', 'Fri 27', 'Sat 28', 'Sun 29'],
    ],
    ['/calendar?view=day', ofDay, 'Wednesday, November 25, 2026', ['Wed 25']],
    ['/calendar?provider=*', ofAll, 'Wednesday, November 25, 2026', ['Dr. Emily Chen', 'Dr. Arjun Roy']],
  ])('%s, a %s, shows “%s” with the columns %j', (at, what, words, days) => {
    const { again, given } = opened(at, readFor(what));
    expect(wordsIn(again())).toContain(words);
    const columns = given(({ columns: of, onDrop }) => of && onDrop)['columns'] as {
      head: unknown;
      isToday: boolean;
      color?: string;
    }[];
    const heads = columns.map(({ head }) => wordsIn(pages.show(() => head as never)));
    expect(heads).toEqual(days);
    expect(columns.map(({ isToday }) => isToday)).toEqual(days.map((day) => day === 'Wed 25'));
    expect(columns.map(({ color }) => color)).toEqual(
      at.includes('*') ? ['var(--mantine-color-yellow-5)', 'var(--mantine-color-blue-5)'] : days.map(() => undefined),
    );
  });

  test('of a day is counted, with what is held, who is away and what the clinic is closed for', () => {
    const held = {
      id: 'hold-1',
      startsAt: '2026-11-25T18:00:00Z',
      patientId: 'patient-1',
      patientName: 'Wendy Ivanov',
      isOffered: false,
    };
    const off = { ...provider('Dr.Sun', 'Dr. Sun'), workingHours: {} };
    const answers: Answer[] = [
      [pages.options.getProvidersOptions(), { items: [chen, off] }],
      read('Dr.Chen', '2026-11-25', '2026-11-26', {
        appointments: [
          { ...visit, startsAt: '2026-11-25T15:00:00Z' },
          { ...visit, id: 'b', startsAt: '2026-11-26T15:00:00Z' },
        ],
        slots: [
          { startsAt: '2026-11-25T16:00:00Z', providerName: 'Dr.Chen' },
          { startsAt: '2026-11-25T17:00:00Z', providerName: 'Dr.Chen' },
        ],
        held: [
          held,
          { ...held, id: 'hold-2', patientName: '', isOffered: true },
          { ...held, id: 'hold-3', startsAt: '2026-11-26T18:00:00Z' },
        ],
      }),
      read('Dr.Sun', '2026-11-25', '2026-11-26'),
    ];
    const { again } = begin(pages.calendar.Calendar, {}, { at: '/calendar?provider=*', answers });
    const words = wordsIn(again());
    expect(words).toContain('1 appointment 2 open slots Control Arrow keys go from time to time.');
    expect(words).toContain(
      'Held: Wed, Nov 25, 2026, 1:00 PM for Wendy Ivanov ; Wed, Nov 25, 2026, 1:00 PM for a patient , who is on the waitlist and being called .',
    );
    expect(words).toContain('1 provider without hours on this day Dr. Sun');
    const closed: Answer = [
      pages.options.getIntegrationsClosedDaysOptions(),
      { items: [{ date: '2026-11-25', name: 'Holiday' }] },
    ];
    expect(wordsIn(opened('/calendar', [week(), closed]).again())).toContain('Closed: Holiday');
  });

  test('of a week of all counts what is booked and open, and leads to each day', () => {
    const given = {
      appointments: [{ ...visit, startsAt: '2026-11-25T15:00:00Z' }],
      slots: [{ startsAt: '2026-11-26T16:00:00Z', providerName: 'Dr.Chen' }],
    };
    const { again } = opened('/calendar?provider=*&view=week', [
      week(given),
      read('Dr.Roy', '2026-11-23', '2026-11-30'),
    ]);
    const links = linksIn(again()).filter(([, to]) => to.startsWith('/calendar?provider='));
    expect(links).toHaveLength(14);
    expect(links.slice(2, 4)).toEqual([
      ['1 booked 0 open', '/calendar?provider=Dr.Chen&view=day&week=2026-11-25'],
      ['0 booked 1 open', '/calendar?provider=Dr.Chen&view=day&week=2026-11-26'],
    ]);
  });

  test.each<[rights: string[], words: string]>([
    [['settings'], 'Providers and their hours are set on the Clinic page .'],
    [[], 'An administrator of your clinic sets providers and their hours.'],
  ])('without a provider says to who has %j who sets them', (rights, words) => {
    const answers: Answer[] = [[pages.options.getProvidersOptions(), { items: [] }]];
    const acting = begin(pages.calendar.Calendar, {}, { at: '/calendar', answers, as: { rights } });
    expect(wordsIn(acting.again())).toContain(`No provider yet ${words}`);
    expect(isThere(acting, button('Book an appointment'))).toBe(false);
  });

  test.each<[at: string, to: string]>([
    ['/calendar?book=new', '/calendar?week=2026-11-30&provider=Dr.Chen'],
    ['/calendar?book=new&provider=*', '/calendar?provider=*&week=2026-11-30'],
  ])('%s shows what was booked: %s', async (at, to) => {
    const answers = at.includes('*')
      ? ['Dr.Chen', 'Dr.Roy'].map((name) => read(name, '2026-11-25', '2026-11-26'))
      : [week()];
    const acting = opened(at, answers);
    const form = () =>
      acting.given(({ onDone, providerName, time }) => onDone && time === undefined && providerName === undefined);
    (form()['onDone'] as (booked: object) => void)({ startsAt: visit.startsAt, providerName: 'Dr.Chen' });
    expect(await acting.address()).toBe(to);
  });

  test('opens the booking by its button, and gives it up', async () => {
    const acting = opened('/calendar');
    const dialog = () => acting.given(({ opened: is, title }) => is !== undefined && title === 'Book an appointment');
    expect(dialog()['opened']).toBe(false);
    acting.click('Book an appointment');
    expect(await acting.address()).toBe('/calendar?book=new');
    const asked = opened('/calendar?book=new');
    expect(asked.given(({ opened: is, title }) => is !== undefined && title === 'Book an appointment')['opened']).toBe(
      true,
    );
    (asked.given(({ onDone, time }) => onDone && time === undefined)['onDone'] as () => void)();
    expect(await asked.address()).toBe('/calendar');
  });
});

describe('what is done in the calendar', () => {
  const doingIt = () => {
    const shown: object[] = [];
    const held: { now?: Actions } = {};
    const Page = () => {
      held.now = pages.actions.useActions([chen, roy], (booked) => shown.push(booked));
      return held.now.dialog as null;
    };
    const acting = begin(Page, {}, { answers: [staff()] });
    const actions = () => held.now as Actions;
    const dialog = () => {
      acting.again();
      const { opened, title, size } = acting.given(({ opened: is }) => is !== undefined);
      return { opened, title: typeof title === 'string' ? spaced(title) : undefined, size };
    };
    return { ...acting, shown, actions, dialog };
  };
  const at = { providerName: 'Dr.Roy', startsAt: '2026-12-01T16:00:00Z' };

  test('a free time is booked, and shown', () => {
    const { actions, dialog, given, shown } = doingIt();
    expect(dialog()).toEqual({ opened: false, title: undefined, size: undefined });
    actions().pick({ ...at, appointment: null });
    expect(dialog()).toEqual({ opened: true, title: 'Book Tue, Dec 1, 2026, 11:00 AM with Dr. Arjun Roy', size: 'lg' });
    const form = () => given(({ time, onDone }) => time && onDone);
    expect(form()['time']).toEqual(at);
    (form()['onDone'] as (booked?: object) => void)();
    expect([dialog().opened, shown]).toEqual([false, []]);
    (form()['onDone'] as (booked?: object) => void)(visit);
    expect(shown).toEqual([visit]);
  });

  test('an appointment is opened, cancelled or moved from there', () => {
    const { actions, dialog, given, again } = doingIt();
    const block = () => given(({ appointment, onCancel }) => appointment && onCancel);
    actions().pick({ ...visit, appointment: visit });
    expect(dialog()).toEqual({ opened: true, title: 'Appointment', size: undefined });
    (block()['onCancel'] as () => void)();
    expect(dialog()).toEqual({ opened: true, title: 'Cancel this appointment?', size: undefined });
    const cancel = given(({ about }) => about);
    expect(spaced(String(cancel['about']))).toBe('Wendy Ivanov, Mon, Nov 30, 2026, 10:00 AM');
    (cancel['onDone'] as () => void)();
    expect(dialog().opened).toBe(false);

    actions().pick({ ...visit, appointment: visit });
    again();
    expect(actions().moving).toBeNull();
    (block()['onMove'] as () => void)();
    expect(dialog().opened).toBe(false);
    expect(actions().moving).toEqual(visit);
    actions().pick({ ...visit, appointment: visit });
    expect(dialog().opened).toBe(false);
    actions().pick({ ...at, appointment: null });
    expect(dialog()).toEqual({ opened: true, title: 'Move this appointment?', size: undefined });
    const move = given(({ appointment, time }) => appointment && time);
    expect([move['appointment'], move['time']]).toEqual([visit, at]);
    (move['onDone'] as () => void)();
    expect([dialog().opened, actions().moving]).toEqual([false, null]);
  });

  test.each<[time: object, opened: boolean]>([
    [at, true],
    [{ ...at, startsAt: visit.startsAt }, true],
    [{ ...at, providerName: 'Dr.Chen' }, true],
    [{ providerName: 'Dr.Chen', startsAt: '2026-11-30T15:00:00.000Z' }, false],
  ])('an appointment that is dropped at %j is asked about: %s', (time, opened) => {
    const { actions, dialog } = doingIt();
    actions().drop(visit, time);
    expect(dialog().opened).toBe(opened);
  });

  test('an appointment keeps its time, and one without a name is told so', () => {
    const { actions, given, again } = doingIt();
    const nobody = { ...visit, patientName: '' };
    actions().pick({ ...visit, appointment: nobody });
    again();
    (given(({ onMove }) => onMove)['onMove'] as () => void)();
    again();
    expect(actions().moving).toEqual(nobody);
    actions().keep();
    again();
    expect(actions().moving).toBeNull();
    actions().pick({ ...visit, appointment: nobody });
    again();
    (given(({ onCancel }) => onCancel)['onCancel'] as () => void)();
    again();
    expect(spaced(String(given(({ about }) => about)['about']))).toBe('Name not given, Mon, Nov 30, 2026, 10:00 AM');
  });
});

describe('an appointment that is dragged', () => {
  const column = (name: string) => ({
    key: name,
    date: '2026-11-30',
    provider: provider(name, name),
    head: name,
    name,
    isToday: false,
    appointments:
      name === 'Dr.Chen' ? [visit, { ...visit, id: 'b', status: 'cancelled', startsAt: '2026-11-30T14:00:00Z' }] : [],
    slots: name === 'Dr.Roy' ? [{ providerName: 'Dr.Roy', startsAt: '2026-11-30T16:15:00Z' }] : [],
    held: [],
  });
  /** A column has 28 pixels for each half of an hour from 9:00 on. */
  const dragging = () => {
    const told: unknown[] = [];
    const acting = begin(pages.grid.CalendarGrid, {
      label: 'Week',
      columns: [column('Dr.Chen'), column('Dr.Roy')],
      moving: null,
      colorOf: () => 'red',
      onPick: ({ startsAt }: { startsAt: string }) => told.push(['pick', startsAt]),
      onDrop: (appointment: { id: string }, to: object) => told.push(['drop', appointment.id, to]),
    });
    const block = (isMovable: boolean) =>
      acting.given(({ draggable, 'data-block': key }) => key !== undefined && draggable === isMovable);
    const start = () => {
      const data: string[][] = [];
      const dataTransfer = { effectAllowed: '', setData: (...each: string[]) => data.push(each) };
      (block(true)['onDragStart'] as (event: object) => void)({ dataTransfer });
      acting.again();
      return [dataTransfer.effectAllowed, data];
    };
    const columnOf = (name: string) => {
      const columns: Given[] = [];
      isThere(acting, (given) => {
        if (given['onDragLeave']) columns.push(given);
        return false;
      });
      return columns[name === 'Dr.Chen' ? 0 : 1];
    };
    const over = (does: 'onDragOver' | 'onDrop' | 'onDragLeave', name: string, pixels: number) => {
      const taken: string[] = [];
      const { [does]: on } = columnOf(name) ?? {};
      (on as (event: object) => void)({
        clientY: 100 + pixels,
        currentTarget: { getBoundingClientRect: () => ({ top: 100 }) },
        preventDefault: () => taken.push('taken'),
      });
      return taken.length > 0;
    };
    const marks = () =>
      [...acting.again().matchAll(/<span[^>]*style="top:(\d+)px;height:28px"/g)].map(([, top]) => Number(top));
    return { ...acting, told, block, start, over, marks };
  };

  test('tells the browser that it is moved, and nothing else of it', () => {
    expect(dragging().start()).toEqual(['move', [['text/plain', '']]]);
  });

  test('is shown where it would be, while it is above a column', () => {
    const { start, over, marks, block, again } = dragging();
    expect(over('onDragOver', 'Dr.Roy', 60)).toBe(false);
    expect(marks()).toEqual([]);
    start();
    expect(over('onDragOver', 'Dr.Roy', 60)).toBe(true);
    expect(marks()).toEqual([56]);
    over('onDragLeave', 'Dr.Roy', 60);
    expect(marks()).toEqual([]);
    over('onDragOver', 'Dr.Roy', 28);
    expect(marks()).toEqual([28]);
    (block(true)['onDragEnd'] as () => void)();
    again();
    expect(marks()).toEqual([]);
    expect(over('onDragOver', 'Dr.Roy', 60)).toBe(false);
  });

  test.each<[pixels: number, name: string, startsAt: string]>([
    [0, 'Dr.Roy', '2026-11-30T14:00:00.000Z'],
    [27, 'Dr.Roy', '2026-11-30T14:00:00.000Z'],
    [28, 'Dr.Roy', '2026-11-30T14:30:00.000Z'],
    [168, 'Dr.Roy', '2026-11-30T17:00:00.000Z'],
    // The time that is open there.
    [145, 'Dr.Roy', '2026-11-30T16:15:00Z'],
    [60, 'Dr.Chen', visit.startsAt],
  ])('is dropped at the pixel %i of %s, which is %s', (pixels, name, startsAt) => {
    const { start, over, told, marks } = dragging();
    start();
    over('onDragOver', name, pixels);
    expect(over('onDrop', name, pixels)).toBe(true);
    expect(told).toEqual([['drop', 'visit-1', { providerName: name, startsAt }]]);
    expect(marks()).toEqual([]);
    over('onDrop', name, pixels);
    expect(told).toHaveLength(1);
  });

  test('is opened by a click, and has the focus then', () => {
    const { block, told, again } = dragging();
    const isInOrder = () => [true, false].map((isMovable) => block(isMovable)['tabIndex']);
    expect(isInOrder()).toEqual([-1, 0]);
    block(true).onClick?.();
    (block(true)['onFocus'] as () => void)();
    again();
    expect(isInOrder()).toEqual([0, -1]);
    expect(told).toEqual([['pick', visit.startsAt]]);
  });
});

describe('the list of a day', () => {
  const opened = (at: string, date: string) =>
    begin(
      pages.day.DayList,
      {},
      { at, answers: [staff(), [pages.options.getDayListOptions({ query: { date } }), { items: [] }]] },
    );

  test.each<[name: string, to: string]>([
    ['Previous day', '/day-list?day=2026-11-29'],
    ['Next day', '/day-list?day=2026-12-01'],
    ['Today', '/day-list'],
  ])('“%s” leads to %s', async (name, to) => {
    const { click, address } = opened('/day-list?day=2026-11-30', '2026-11-30');
    click(name);
    expect(await address()).toBe(to);
  });

  test.each<[typed: string, to: string]>([
    ['2026-12-24', '/day-list?day=2026-12-24'],
    ['2026-12', '/day-list?day=2026-11-30'],
    ['', '/day-list?day=2026-11-30'],
  ])('the date %j leads to %s', async (typed, to) => {
    const { type, address, field } = opened('/day-list?day=2026-11-30', '2026-11-30');
    expect(field('Another day').value).toBe('2026-11-30');
    type('Another day', typed);
    expect(await address()).toBe(to);
  });
});
