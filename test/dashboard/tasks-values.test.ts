import { type Acting, dashboardModules, linksIn, type Stage } from './stage/dashboard';
import { doing, wordsIn } from './stage/doing';
import { answering } from './stage/service';

/** What is done with tasks: what the service is sent, what is told of it, and what can be taken back, without a browser. */
interface Modules {
  api: Record<'getTasksByTaskIdOptions' | 'getTasksOptions', (given?: object) => { queryKey: unknown }>;
  actions: Record<'AssignTask' | 'TaskPriority' | 'TaskDue', unknown>;
  outcomes: { ResolveTask: unknown };
  confirming: { ConfirmBooking: unknown };
  retrying: { TryAgain: unknown };
  whole: { WholeTask: unknown };
  mine: { MyDay: unknown };
  list: { Tasks: unknown };
  alarm: { AlarmLink: unknown };
}

const service = answering({ statusCode: 409, code: 'conflict', message: 'was changed by somebody else' });

let tasks: Modules & Stage;
let begin: ReturnType<typeof doing>;

beforeAll(async () => {
  const files = {
    api: require.resolve('../../dashboard/http/api.ts'),
    actions: require.resolve('../../dashboard/pages/tasks/task-actions.tsx'),
    outcomes: require.resolve('../../dashboard/pages/tasks/task-outcomes.tsx'),
    confirming: require.resolve('../../dashboard/pages/tasks/confirm-booking.tsx'),
    retrying: require.resolve('../../dashboard/pages/tasks/try-again.tsx'),
    whole: require.resolve('../../dashboard/pages/tasks/whole-task.tsx'),
    mine: require.resolve('../../dashboard/pages/tasks/my-day.tsx'),
    list: require.resolve('../../dashboard/pages/tasks/tasks.tsx'),
    alarm: require.resolve('../../dashboard/pages/tasks/alarm-link.tsx'),
  };
  tasks = await dashboardModules<Modules>(files, service);
  begin = doing(tasks, service);
});

/** It is 9:30 on a Wednesday in New York. */
beforeEach(() =>
  jest.useFakeTimers({
    now: Date.parse('2026-11-25T14:30:00Z'),
    doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout'],
  }),
);
afterEach(() => jest.useRealTimers());

const wendy = {
  id: 'patient-1',
  firstName: 'Wendy',
  lastName: 'Ivanov',
  phone: '+13035550142',
  dateOfBirth: null,
  optOut: null,
  preferredCallHours: null,
  preferredLanguage: null,
};
let last = 0;
/** Each is another one: what was changed of one is remembered. */
const task = (given: object = {}) => ({
  id: `task-${(last += 1)}`,
  version: 3,
  reason: 'bad_number',
  state: 'OPEN',
  patient: null,
  priority: 'NORMAL',
  noteCount: 0,
  notes: [],
  barrier: null,
  detail: {},
  dueOn: null,
  dueTime: null,
  assignee: null,
  outcome: null,
  canConfirm: false,
  canRetry: false,
  callId: null,
  recoveryCaseId: null,
  createdAt: '2026-11-25T14:00:00Z',
  resolvedAt: null,
  ...given,
});
type Task = ReturnType<typeof task>;

describe('what a task is changed to', () => {
  const title = 'Correct the phone number';
  const people = [{ value: 'account-2', label: 'Ana' }];
  const ana = { id: 'account-2', name: 'Ana' };
  const me = { id: 'account-1', name: 'Clinic admin' };
  const callable = { patient: wendy };
  const known = `${title}, Wendy Ivanov`;

  test.each<
    [
      what: string,
      page: (of: Task) => [component: unknown, props: object],
      given: object,
      does: (acting: Acting) => void,
      changed: object,
      sent: object,
      told: string,
      undone: object | null,
    ]
  >([
    [
      'is assigned',
      (of) => [tasks.actions.AssignTask, { task: of, people }],
      {},
      ({ field }) => field('Assigned to').onChange?.('account-2'),
      { assignee: ana },
      { assigneeId: 'account-2' },
      'Assigned to Ana.',
      null,
    ],
    [
      'is assigned in its row',
      (of) => [tasks.actions.AssignTask, { task: of, people, isInRow: true }],
      {},
      ({ field }) => field(`Assign ${title}`).onChange?.('account-2'),
      { assignee: ana },
      { assigneeId: 'account-2' },
      'Assigned to Ana.',
      null,
    ],
    [
      'is taken',
      (of) => [tasks.actions.AssignTask, { task: of, people }],
      { assignee: ana },
      ({ click }) => click('Assign to me'),
      { assignee: me },
      { assigneeId: 'account-1' },
      'Assigned to Clinic admin.',
      null,
    ],
    [
      'is taken in its row',
      (of) => [tasks.actions.AssignTask, { task: of, people, isInRow: true }],
      {},
      ({ click }) => click('Assign to me'),
      { assignee: me },
      { assigneeId: 'account-1' },
      'Assigned to Clinic admin.',
      null,
    ],
    [
      'is nobody’s again',
      (of) => [tasks.actions.AssignTask, { task: of, people }],
      { assignee: ana },
      ({ field }) => field('Assigned to').onChange?.(null),
      { assignee: null },
      { assigneeId: null },
      'The task is unassigned.',
      null,
    ],
    [
      'is urgent',
      (of) => [tasks.actions.TaskPriority, { task: of }],
      {},
      ({ field }) => field('Priority').onChange?.('HIGH'),
      { priority: 'HIGH' },
      { priority: 'HIGH' },
      'The priority is high.',
      null,
    ],
    [
      'is resolved',
      (of) => [tasks.outcomes.ResolveTask, { task: of }],
      {},
      ({ click }) => click('Resolve'),
      { state: 'RESOLVED' },
      { state: 'RESOLVED' },
      `Resolved: ${title}`,
      { state: 'OPEN' },
    ],
    [
      'is open again',
      (of) => [tasks.outcomes.ResolveTask, { task: of }],
      { state: 'RESOLVED', ...callable },
      ({ click }) => click('Reopen'),
      { state: 'OPEN' },
      { state: 'OPEN' },
      `Open again: ${known}`,
      null,
    ],
    [
      'was about who was spoken with',
      (of) => [tasks.outcomes.ResolveTask, { task: of }],
      callable,
      ({ click }) => click('Spoke with them'),
      { state: 'RESOLVED', outcome: 'spoke' },
      { outcome: 'spoke', state: 'RESOLVED' },
      `Resolved: ${known} (Spoke with them)`,
      { state: 'OPEN' },
    ],
    [
      'needs no call',
      (of) => [tasks.outcomes.ResolveTask, { task: of }],
      callable,
      ({ click }) => click('Done without a call'),
      { state: 'RESOLVED' },
      { state: 'RESOLVED' },
      `Resolved: ${known}`,
      { state: 'OPEN' },
    ],
    [
      'ends with a voicemail',
      (of) => [tasks.outcomes.ResolveTask, { task: of }],
      callable,
      ({ click }) => click('Left a voicemail'),
      { state: 'RESOLVED', outcome: 'voicemail' },
      { outcome: 'voicemail', state: 'RESOLVED' },
      `Resolved: ${known} (Left a voicemail)`,
      { state: 'OPEN' },
    ],
    [
      'ends with no answer',
      (of) => [tasks.outcomes.ResolveTask, { task: of }],
      callable,
      ({ click }) => click('No answer'),
      { state: 'RESOLVED', outcome: 'no_answer' },
      { outcome: 'no_answer', state: 'RESOLVED' },
      `Resolved: ${known} (No answer)`,
      { state: 'OPEN' },
    ],
  ])('that it %s', async (_what, page, given, does, changed, sent, said, undone) => {
    const of = task(given);
    const path = `/api/tasks/${of.id}`;
    const after = { ...of, ...changed, version: 4 };
    const acting = begin(...page(of), { replies: [after, { ...of, version: 5 }] });
    does(acting);
    const [first, ...more] = await acting.told();

    expect([first?.text, more]).toEqual([`green: ${said}`, []]);
    expect(first?.label).toBe(undone ? 'Undo' : undefined);
    expect(service.requests).toEqual([['PATCH', path, { ...sent, version: 3 }]]);
    expect(acting.refreshed()).toEqual(['getOverview', 'getCases', 'getTasks']);
    if (!undone) return;
    first?.onClick?.();
    await acting.settled();
    expect(service.requests[1]).toEqual(['PATCH', path, { ...undone, version: 4 }]);
  });

  test('that somebody else has changed meanwhile is told why, and read again', async () => {
    const { click, texts, refreshed } = begin(tasks.outcomes.ResolveTask, { task: task() });
    click('Resolve');

    expect(await texts()).toEqual(['red: was changed by somebody else.']);
    expect(refreshed()).toEqual(['getOverview', 'getCases', 'getTasks']);
  });

  test('is offered by who has it, and by whether it is open', () => {
    const offered = (given: object, props: object = {}) => {
      const acting = tasks.act(tasks.actions.AssignTask, { task: task(given), people, ...props });
      const isThere = ['Assign to me', 'Assigned to'].map((name) => {
        try {
          const { value, disabled } = acting.given(({ label, 'aria-label': spoken }) => (label ?? spoken) === name);
          return value === undefined ? true : [value, disabled];
        } catch {
          return false;
        }
      });
      return isThere;
    };

    expect(offered({})).toEqual([true, [null, false]]);
    expect(offered({ assignee: ana })).toEqual([true, ['account-2', false]]);
    expect(offered({ assignee: me })).toEqual([false, ['account-1', false]]);
    expect(offered({ state: 'RESOLVED', assignee: ana })).toEqual([false, ['account-2', true]]);
    expect(offered({ state: 'RESOLVED' }, { isInRow: true })).toEqual([false, false]);
    expect(offered({ assignee: me }, { isInRow: true })).toEqual([false, false]);
    expect(offered({}, { isInRow: true })).toEqual([true, false]);
  });

  test.each<[given: object, label: string, status: boolean]>([
    [{}, 'Resolve', false],
    [{ patient: { ...wendy, phone: null } }, 'Resolve', false],
    [callable, 'Resolve', false],
    [{ state: 'RESOLVED' }, 'Reopen', true],
  ])('%j has the button “%s”', (given, label, status) => {
    const markup = tasks.show(tasks.outcomes.ResolveTask, { task: task(given) });

    expect(wordsIn(markup)).toBe(status ? `Resolved ${label}` : label);
    expect(markup.includes('aria-label="Resolve: ')).toBe(given === callable);
  });
});

/** What stands in the menu of outcomes for the time at which it is opened. */
interface Soon {
  type: (props: object) => unknown;
  props: { onChosen: (due: object) => void };
}

describe('a call that reached nobody', () => {
  const known = 'Correct the phone number, Wendy Ivanov';
  const opened = (given: object = {}, reply: object = {}) => {
    const of = task({ patient: wendy, ...given });
    const acting = begin(tasks.outcomes.ResolveTask, { task: of }, { replies: [{ ...of, ...reply, version: 4 }, of] });
    return { ...acting, path: `/api/tasks/${of.id}` };
  };

  test.each<[now: string, times: [words: string, on: string, time: string][]]>([
    [
      '2026-11-25T14:30:00Z',
      [
        ['Today, 10:30 AM', '2026-11-25', '10:30'],
        ['Today, 12:30 PM', '2026-11-25', '12:30'],
        ['Tomorrow, 9:00 AM', '2026-11-26', '09:00'],
      ],
    ],
    ['2026-11-26T00:30:00Z', [['Tomorrow, 9:00 AM', '2026-11-26', '09:00']]],
  ])('at %s is tried again soon', async (now, times) => {
    jest.setSystemTime(Date.parse(now));
    const { given, requests, settled, path } = opened();
    const menu = given(({ 'aria-label': spoken }) => spoken === 'Outcome').children as Soon[];
    const soon = menu.find(({ props }) => props.onChosen);
    // Its items stand in a menu alone.
    const items = tasks.act(() => {
      soon?.type(soon.props);
      return null;
    });
    for (const [words] of times) items.click(words);
    await settled();

    expect(() => items.click('Today, 8:30 PM')).toThrow('nothing there');
    expect(requests.map((each) => (each as unknown[])[2])).toEqual(
      times.map(([, dueOn, dueTime]) => expect.objectContaining({ outcome: 'try_later', dueOn, dueTime })),
    );
    expect(requests[0]).toEqual([
      'PATCH',
      path,
      { outcome: 'try_later', dueOn: times[0]?.[1], dueTime: times[0]?.[2], version: 3 },
    ]);
  });

  test.each<[given: object, day: string, time: string]>([
    [{}, '2026-11-26', '09:00'],
    [{ dueOn: '2026-11-25', dueTime: '10:30' }, '2026-11-26', '10:30'],
    [{ dueOn: '2026-11-26', dueTime: null }, '2026-11-26', '09:00'],
    [{ dueOn: '2026-12-01', dueTime: '15:00' }, '2026-12-01', '15:00'],
  ])('%j is tried again at another time: at first on %s at %s', async (given, day, time) => {
    const changed = { dueOn: '2026-12-02', dueTime: null };
    const { click, again, field, type, submit, requests, told, settled, path, given: find } = opened(given, changed);
    expect(() => field('Day')).toThrow('nothing there');
    click('Another time …');
    expect(wordsIn(again())).toContain(known);
    expect([field('Day').value, field('Day')['min'], field('Time').value]).toEqual([day, '2026-11-25', time]);
    const isDirty = () => (find(({ isDirty: of }) => of)['isDirty'] as () => boolean)();
    expect(isDirty()).toBe(false);
    type('Time', '');
    again();
    expect(isDirty()).toBe(true);
    type('Time', time);
    type('Day', '2026-12-02');
    again();
    expect(isDirty()).toBe(true);
    type('Time', '');
    again();
    submit();
    again();
    expect(() => field('Day')).toThrow('nothing there');
    const [first] = await told();
    expect([first?.text, first?.label]).toEqual([`green: To be tried again Wed, Dec 2: ${known}`, 'Undo']);
    first?.onClick?.();
    await settled();

    const { dueOn = null, dueTime = null } = given as { dueOn?: string; dueTime?: string };
    expect(requests).toEqual([
      ['PATCH', path, { outcome: 'try_later', dueOn: '2026-12-02', dueTime: null, version: 3 }],
      ['PATCH', path, { dueOn, dueTime, version: 4 }],
    ]);
  });

  test('is not tried again where that is given up', () => {
    const { click, again, field, requests } = opened();
    click('Another time …');
    again();
    click('Not now');
    again();

    expect(() => field('Day')).toThrow('nothing there');
    expect(requests).toEqual([]);
  });
});

describe('until when a task is to be done', () => {
  type Typed = [label: 'Due' | 'Time', text: string];
  const dueOf = (given: object, replies: object[] = []) => {
    const of = task({ dueOn: '2026-11-30', dueTime: '10:00', ...given });
    return begin(tasks.actions.TaskDue, { task: of }, { replies: replies.map((each) => ({ ...of, ...each })) });
  };

  test.each<[given: object, typed: Typed[], sent: object | null, told: string[]]>([
    [{}, [], null, []],
    [{}, [['Due', '2026-11-30']], null, []],
    [{}, [['Due', '2026-12-01']], { dueOn: '2026-12-01', dueTime: '10:00' }, ['green: The due date is set.']],
    [{}, [['Time', '11:00']], { dueOn: '2026-11-30', dueTime: '11:00' }, ['green: The due date is set.']],
    [{}, [['Time', '']], { dueOn: '2026-11-30', dueTime: null }, ['green: The due date is set.']],
    [{}, [['Due', '']], { dueOn: null, dueTime: null }, ['green: The task has no due date.']],
    [
      { dueOn: null, dueTime: null },
      [['Due', '2026-12-01']],
      { dueOn: '2026-12-01', dueTime: null },
      ['green: The due date is set.'],
    ],
  ])('of %j, typed %j, is sent %j', async (given, typed, sent, words) => {
    for (const leave of ['blur', 'Enter']) {
      const { type, again, field, blur, texts, requests, refreshed } = dueOf(given, [{ ...sent, version: 4 }]);
      for (const [label, text] of typed) {
        type(label, text);
        again();
      }
      field('Due').onKeyDown?.({ key: 'Tab' });
      if (leave === 'blur') blur('Due');
      else field('Time').onKeyDown?.({ key: 'Enter' });

      expect(await texts()).toEqual(words);
      expect(requests.map((each) => (each as unknown[])[2])).toEqual(sent ? [{ ...sent, version: 3 }] : []);
      expect(refreshed()).toEqual(sent ? ['getOverview', 'getCases', 'getTasks'] : []);
    }
  });

  test('a time stands for a day alone', () => {
    expect(dueOf({}).field('Time')['disabled']).toBe(false);
    expect(dueOf({ dueOn: null, dueTime: null }).field('Time')['disabled']).toBe(true);
    expect([dueOf({}).field('Due').value, dueOf({}).field('Time').value]).toEqual(['2026-11-30', '10:00']);
    expect([null, undefined].map((dueOn) => dueOf({ dueOn, dueTime: null }).field('Due').value)).toEqual(['', '']);
  });

  test('is again what it was where that is refused, and can be asked for once more', async () => {
    const { type, again, blur, texts, field, requests } = dueOf({});
    type('Due', '2026-12-01');
    again();
    blur('Due');
    expect(await texts()).toEqual(['red: was changed by somebody else.']);
    again();
    expect([field('Due').value, field('Time').value]).toEqual(['2026-11-30', '10:00']);
    blur('Due');
    type('Due', '2026-12-01');
    again();
    blur('Due');
    await texts();
    expect(requests).toHaveLength(2);
  });
});

describe('what a call has left to staff', () => {
  const done = { isDone: true, reason: null, alternatives: [], said: null };

  test.each<[reply: object | null, told: string]>([
    [done, 'green: The time is booked. Tell the patient.'],
    [null, 'red: was changed by somebody else.'],
    ...Object.entries({
      slot_taken: 'Not booked: somebody else has that time',
      slot_unavailable: 'Not booked: that time is not on offer any more',
      in_the_past: 'Not booked: that time is over',
      unknown_provider: 'Not booked: there is no such provider any more',
      unknown_patient: 'Not booked: the patient is no longer on file',
      patient_not_identified: 'Not booked: your own system cannot tell who the patient is',
      booked_before: 'Not booked: another time of that call is booked already',
      left_to_staff: 'Nobody knows whether it is booked: look at your own system',
      call_unknown: 'Not booked: the call is not on record any more',
    }).map(([reason, words]): [object, string] => [{ ...done, isDone: false, reason }, `red: ${words}.`]),
    [{ ...done, isDone: false }, 'red: Nobody knows whether it is booked: look at your own system.'],
    [
      {
        ...done,
        isDone: false,
        reason: 'slot_taken',
        alternatives: [{ startsAt: '2026-11-30T15:00:00Z' }, { startsAt: '2026-12-01T16:30:00Z' }],
      },
      'red: Not booked: somebody else has that time. Open: Mon, Nov 30, 10:00 AM; Tue, Dec 1, 11:30 AM.',
    ],
  ])('its time is booked: the answer %j is told as “%s”', async (reply, words) => {
    const of = task();
    const { click, texts, requests, refreshed } = begin(
      tasks.confirming.ConfirmBooking,
      { task: of },
      { replies: reply ? [reply] : [] },
    );
    click('Book this time');

    expect(await texts()).toEqual([words]);
    expect(requests).toEqual([['POST', `/api/tasks/${of.id}/confirm`, null]]);
    expect(refreshed()).toEqual(['getOverview', 'getTasks', 'getProviders', 'getAvailability']);
  });

  test.each<[reply: object | null, told: string]>([
    [done, 'green: It was taken.'],
    [null, 'red: was changed by somebody else.'],
    ...Object.entries({
      not_connected: 'nothing is connected any more',
      call_unknown: 'the call is not on record any more',
      too_slow: 'it took too long',
      refused: 'it was not taken',
    }).map(([reason, words]): [object, string] => [
      { ...done, isDone: false, reason },
      `red: It failed again: ${words}.`,
    ]),
    [{ ...done, isDone: false, said: 'No such code' }, 'red: It failed again: No such code.'],
    [{ ...done, isDone: false, reason: 'too_slow', said: 'No such code' }, 'red: It failed again: it took too long.'],
  ])('the other system is told again: the answer %j is told as “%s”', async (reply, words) => {
    const of = task();
    const { click, texts, requests, refreshed } = begin(
      tasks.retrying.TryAgain,
      { task: of },
      { replies: reply ? [reply] : [] },
    );
    click('Try again');

    expect(await texts()).toEqual([words]);
    expect(requests).toEqual([['POST', `/api/tasks/${of.id}/retry`, null]]);
    expect(refreshed()).toEqual(['getOverview', 'getTasks']);
  });

  test('is asked for once, until it is answered', async () => {
    const { click, again, given, settled } = begin(tasks.retrying.TryAgain, { task: task() });
    const isDisabled = () => given(({ children }) => children === 'Try again')['disabled'];
    expect(isDisabled()).toBe(false);
    click('Try again');
    again();
    expect(isDisabled()).toBe(true);
    await settled();
  });
});

describe('all of a task', () => {
  const shown = (given: object, rights: string[] = ['tasks', 'patients']) => {
    const of = task({ id: 'task-0', ...given });
    const option = tasks.api.getTasksByTaskIdOptions({ path: { taskId: of.id } });
    const acting = begin(
      tasks.whole.WholeTask,
      { taskId: of.id, people: [] },
      { answers: [[option, of]], as: { rights }, replies: [{ id: 'note-1' }] },
    );
    return { ...acting, words: wordsIn(acting.again()) };
  };

  test.each<[given: object, words: string]>([
    [{}, 'Correct the phone number The number cannot be reached.'],
    [{ patient: wendy }, 'Patient Wendy Ivanov Phone (303) 555-0142 Opened'],
    [{ patient: { ...wendy, phone: null } }, 'Patient Wendy Ivanov Opened'],
    [{ patient: { ...wendy, phone: null, dateOfBirth: '1980-02-29' } }, 'Wendy Ivanov Born Feb 29, 1980 Opened'],
    [{ patient: { ...wendy, optOut: 'all' } }, '(303) 555-0142 Do not call Opened'],
    [{ patient: { ...wendy, preferredLanguage: 'es' } }, '(303) 555-0142 Spanish Opened'],
    [{}, 'Opened 30 min ago Priority'],
    [{ resolvedAt: '2026-11-25T14:15:00Z' }, 'Opened 30 min ago Resolved 15 min ago'],
    [{ outcome: 'no_answer' }, 'Last call No answer'],
    [{ detail: { why: 'No answer' } }, 'Why No answer'],
    [{ recoveryCaseId: 'case-1' }, 'Show the case'],
    [{ canConfirm: true }, 'Book this time'],
    [{ canRetry: true }, 'Try again'],
    [{ patient: wendy }, 'Stop calling'],
    [{ patient: { ...wendy, optOut: 'recovery_and_reminders' } }, 'Stop calling'],
    [{ detail: { proposalId: 'proposal-1' } }, 'Write it to the record Leave the record'],
    [{}, 'Notes New note Add the note No note yet.'],
    [
      { notes: [{ id: 'note-1', note: 'Rang twice', writtenBy: 'Ana', createdAt: '2026-11-25T14:00:00Z' }] },
      'Rang twice Ana, 30 min ago',
    ],
  ])('%j says “%s”', (given, words) => {
    expect(shown(given).words.replaceAll(' , ', ', ')).toContain(words);
  });

  test.each<[given: object, words: RegExp]>([
    [{}, /Patient|Born|Phone |Last call|Resolved|Show the case|Book this|Try again|Stop calling|Write it/],
    [{ patient: { ...wendy, optOut: 'all' } }, /Stop calling|Born/],
    [{ patient: wendy, state: 'RESOLVED' }, /Stop calling/],
    [{ detail: { proposalId: 'proposal-1' }, state: 'RESOLVED' }, /Write it/],
    [{ detail: { proposalId: 7 } }, /Write it/],
    [
      { notes: [{ id: 'note-1', note: 'Rang twice', writtenBy: 'Ana', createdAt: '2026-11-25T14:00:00Z' }] },
      /No note yet/,
    ],
  ])('%j does not say %s', (given, words) => {
    expect(shown(given).words).not.toMatch(words);
  });

  test('is noted upon', async () => {
    const { again, submit, texts, requests, refreshed, given, field } = shown({});
    const add = () => Boolean(given(({ children }) => children === 'Add the note')['disabled']);
    expect(add()).toBe(true);
    field('New note').onChange?.('  ');
    again();
    expect(add()).toBe(true);
    field('New note').onChange?.('Rang twice');
    again();
    expect(add()).toBe(false);
    submit();

    expect(await texts()).toEqual(['green: The note is added.']);
    expect(requests).toEqual([['POST', '/api/tasks/task-0/notes', { note: 'Rang twice' }]]);
    expect(refreshed()).toEqual(['getTasks']);
    again();
    expect(field('New note').value).toBe('');
  });

  test.each<[reason: string, detail: object, to: string | null]>([
    ['bulk_reads', { actor: 'account:1', day: '2026-11-24' }, '?from=2026-11-24&until=2026-11-24&person=account%3A1'],
    ['emergency_access', { day: '2026-11-24' }, '?from=2026-11-24&until=2026-11-24'],
    ['records_exported', { actor: 'key:1' }, '?person=key%3A1'],
    ['refused_sign_ins', {}, '?action=sign-in.refused'],
    ['refused_sign_ins', { day: '2026-11-24' }, '?from=2026-11-24&until=2026-11-24&action=sign-in.refused'],
    ['bulk_reads', { actor: 7, day: 8 }, null],
    ['bad_number', { actor: 'account:1', day: '2026-11-24' }, null],
  ])('an alarm of %s with %j leads to %j of the audit', (reason, detail, to) => {
    const markup = tasks.show(tasks.alarm.AlarmLink, { task: { reason, detail } });

    expect(linksIn(markup)).toEqual(to === null ? [] : [['Show in the audit', `/audit${to}`]]);
  });
});

describe('where tasks are listed', () => {
  test('my day leads to a task and back, and to everybody’s', async () => {
    const of = task({ id: 'task-0', patient: wendy });
    const query = { order: 'due', state: 'OPEN', assigneeId: 'account-1,none', limit: 25, dueUntil: '2026-11-25' };
    const { click, field, given, address, again } = begin(
      tasks.mine.MyDay,
      {},
      { at: '/my-day', answers: [[tasks.api.getTasksOptions({ query }), { items: [of], nextCursor: null }]] },
    );
    const panel = () => given(({ taskId }) => taskId !== undefined);

    expect(panel()['taskId']).toBeNull();
    click('Open: Correct the phone number, Wendy Ivanov');
    expect(await address()).toBe('/my-day?task=task-0');
    field('Whose tasks').onChange?.('all');
    expect(await address()).toBe('/my-day?task=task-0&who=all');
    field('Whose tasks').onChange?.('');
    expect(await address()).toBe('/my-day?task=task-0');
    (panel()['onClose'] as () => void)();
    expect(await address()).toBe('/my-day');
    again();
  });

  test('the list opens a task beside it, and closes it', async () => {
    const { given, address } = begin(tasks.list.Tasks, {}, { at: '/tasks?task=task-0&due=today' });
    const panel = given(({ taskId }) => taskId !== undefined);

    expect(panel['taskId']).toBe('task-0');
    (panel['onClose'] as () => void)();
    expect(await address()).toBe('/tasks?due=today');
  });
});
