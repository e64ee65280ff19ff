import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ToolFact } from '@clinic/shared/domain/outreach/conversation';
import { workflowTypeNames, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';
import { callAnalysed, callEnded, cancelRun, runEnd } from '@clinic/workflows/messages';
import { eventually } from '../support/eventually';
import {
  hungUp,
  meanwhile,
  openPatientRun,
  type RunSetting,
  type RunType,
  type Talked,
  unanswered,
} from '../support/run-story';
import { activityTime, type Fakes, openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

const HOUR = 3_600_000;
const LATER = '2100-01-01T00:00:00.000Z';
const types = workflowTypeNames.filter((type): type is RunType => type !== 'abandonment-recovery');

let bench: WorkflowBench;

beforeAll(async () => {
  // Without a cache every task replays its workflow from the start.
  bench = await openBench();
}, 240_000);

afterAll(() => bench.close());

/** A machine heard the agent through to its goodbye. */
const voicemail = { said: 'voicemail' } as const;

const inHours = async (hours: number) => new Date(Date.parse(await bench.now()) + hours * HOUR).toISOString();

type Case = [situation: string, setting: Omit<RunSetting, 'workflowType'>, outcome: string, task?: string];

const whatever: Case[] = [
  ['never answers', { calls: [unanswered, unanswered, unanswered], record: 'never-answers' }, 'PATIENT_NOT_REACHED'],
  ['hangs up', { calls: [hungUp] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
  ['wants a callback', { calls: [{ said: 'callback' }] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
  ['has no phone', { facts: { phone: null } }, 'PATIENT_NOT_REACHED'],
  ['gave a number that cannot be', { calls: [{ refused: 'customer-misdialed' }] }, 'PATIENT_NOT_REACHED', 'bad_number'],
  [
    'is called by somebody who cancels it',
    { calls: [{ reason: 'manually-canceled' }] },
    'FOLLOW_UP_REQUIRED',
    'follow_up_required',
  ],
];

const rebooking: Case[] = [
  ['books', { calls: [{ facts: ['booked'] }] }, 'REBOOKED'],
  ['takes another time', { calls: [{ facts: ['rescheduled'], said: 'rebooked' }] }, 'REBOOKED'],
  [
    'takes another time and is cut off',
    { calls: [{ facts: ['rescheduled'], reason: 'pipeline-error-x' }] },
    'REBOOKED',
  ],
  ['has found a time at the desk', { calls: [{ said: 'rebooked' }] }, 'REBOOKED', 'booking_to_check'],
  [
    'was promised a time that no tool booked',
    { calls: [{ said: 'rebooked' }], isRefusedBooking: true },
    'FOLLOW_UP_REQUIRED',
    'booking_to_check',
  ],
  ['has booked meanwhile', { facts: { hasBookedSince: true } }, 'REBOOKED'],
  ['books, cancels', { calls: [{ facts: ['booked', 'cancelled'] }] }, 'DECLINED'],
  ['books and has a question', { calls: [{ facts: ['booked', 'escalated'] }] }, 'ESCALATED'],
  ['has a question no tool took', { calls: [{ said: 'escalated' }] }, 'ESCALATED', 'clinical_escalation'],
  ['declines', { calls: [{ said: 'declined' }] }, 'DECLINED'],
  ['is never to be called', { facts: { isOptedOut: true } }, 'DECLINED'],
  ['only listens', { calls: [{}] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
];

const attendance: Case[] = [
  ['will come', { calls: [{ said: 'confirmed' }] }, 'CONFIRMED'],
  ['only listens', { calls: [{}] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
  [
    'talks, and no analysis follows',
    { calls: [{ isNeverAnalysed: true }] },
    'FOLLOW_UP_REQUIRED',
    'follow_up_required',
  ],
  ['is a machine, then will come', { calls: [voicemail, { said: 'confirmed' }] }, 'CONFIRMED'],
  ['is always a machine', { calls: [voicemail, voicemail, voicemail] }, 'PATIENT_NOT_REACHED'],
  ['will come and hangs up', { calls: [{ said: 'confirmed', reason: 'customer-ended-call' }] }, 'CONFIRMED'],
  ['moves it', { calls: [{ facts: ['rescheduled'], said: 'confirmed' }] }, 'RESCHEDULED'],
  ['cancels it', { calls: [{ facts: ['rescheduled', 'cancelled'] }] }, 'CANCELLED'],
  [
    'has a question',
    { calls: [{ facts: ['escalated'], said: 'confirmed' }] },
    'FOLLOW_UP_REQUIRED',
    'follow_up_required',
  ],
  ['declines', { calls: [{ said: 'declined' }] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
  ['is never to be called', { facts: { isOptedOut: true } }, 'PATIENT_NOT_REACHED'],
  [
    'has cancelled meanwhile',
    { facts: { appointment: { status: 'cancelled', startsAt: '2030-01-01T10:00:00.000Z' } } },
    'CANCELLED',
  ],
  [
    'has been there already',
    { facts: { appointment: { status: 'fulfilled', startsAt: null } } },
    'PATIENT_NOT_REACHED',
  ],
  ['has a newer run', { facts: { isSuperseded: true } }, 'PATIENT_NOT_REACHED'],
  [
    'has a newer run, and has cancelled',
    { facts: { isSuperseded: true, appointment: { status: 'cancelled', startsAt: null } } },
    'CANCELLED',
  ],
];

function of(type: RunType, cases: Case[]) {
  return cases.map((story): [RunType, ...Case] => [type, ...story]);
}

/** One way to each outcome. */
const waysTo = (cases: Case[]) => [...new Map(cases.toReversed().map((story) => [story[2], story])).values()];

const stories: [RunType, ...Case][] = [
  ...types.flatMap((type) => of(type, whatever.slice(0, 2))),
  ...of('payment-recovery', whatever.slice(2)),
  ...of('care-gap-follow-up', rebooking),
  ...of('cancellation-follow-up', waysTo(rebooking)),
  ...of('reschedule-follow-up', [
    ...waysTo(rebooking),
    ['did not miss the visit after all', { facts: { isTakenBack: true } }, 'PATIENT_NOT_REACHED'],
  ]),
  ...of('appointment-confirmation', attendance),
  ...of('appointment-reminder', waysTo(attendance)),
  ['payment-recovery', 'has a newer run', { facts: { isSuperseded: true } }, 'PATIENT_NOT_REACHED'],
  ['prescription-follow-up', 'has a newer run', { facts: { isSuperseded: true } }, 'PATIENT_NOT_REACHED'],
  ['payment-recovery', 'pays', { calls: [{ facts: ['self_pay'] }] }, 'SELF_PAY'],
  ['payment-recovery', 'brings insurance', { calls: [{ facts: ['insurance_updated'] }] }, 'INSURANCE_UPDATED'],
  ['payment-recovery', 'wants billing', { calls: [{ facts: ['billing_escalated'] }] }, 'BILLING_ESCALATION'],
  ['payment-recovery', 'says so', { calls: [{ said: 'escalated' }] }, 'BILLING_ESCALATION', 'billing_escalation'],
  ['payment-recovery', 'tries insurance, pays', { calls: [{ facts: ['insurance_updated', 'self_pay'] }] }, 'SELF_PAY'],
  ['payment-recovery', 'declines', { calls: [{ said: 'declined' }] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
  ['prescription-follow-up', 'has understood', { calls: [{ said: 'confirmed' }] }, 'INFORMED'],
  ['prescription-follow-up', 'only listens', { calls: [{}] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
  [
    'prescription-follow-up',
    'is always a machine',
    { calls: [voicemail, voicemail, voicemail] },
    'PATIENT_NOT_REACHED',
  ],
  ['prescription-follow-up', 'has it noted', { calls: [{ ...hungUp, facts: ['documented'] }] }, 'INFORMED'],
  ['prescription-follow-up', 'has a question', { calls: [{ facts: ['escalated'] }] }, 'ESCALATED'],
  ['prescription-follow-up', 'says so', { calls: [{ said: 'escalated' }] }, 'ESCALATED', 'clinical_escalation'],
  ['waitlist-offer', 'takes the time', { calls: [{ facts: ['booked'] }] }, 'REBOOKED'],
  ['waitlist-offer', 'found one at the desk', { calls: [{ said: 'rebooked' }] }, 'REBOOKED', 'booking_to_check'],
  [
    'waitlist-offer',
    'is told that they have it, though both tools refused',
    { calls: [{ said: 'rebooked' }], isRefusedBooking: true },
    'FOLLOW_UP_REQUIRED',
    'booking_to_check',
  ],
  ['waitlist-offer', 'gives it to others', { calls: [{ ...hungUp, facts: ['declined'] }] }, 'DECLINED'],
  ['waitlist-offer', 'has a question', { calls: [{ facts: ['booked', 'escalated'] }] }, 'ESCALATED'],
  ['waitlist-offer', 'took it before', { facts: { offer: { status: 'accepted', endsAt: LATER } } }, 'REBOOKED'],
  ['waitlist-offer', 'is too late', { facts: { offer: { status: 'lapsed', endsAt: LATER } } }, 'PATIENT_NOT_REACHED'],
  ['new-patient-journey', 'registers', { calls: [{ facts: ['registered', 'booked'] }] }, 'REGISTERED'],
  ['new-patient-journey', 'registers, hangs up', { calls: [{ ...hungUp, facts: ['registered'] }] }, 'REGISTERED'],
  ['new-patient-journey', 'leaves it half done', { calls: [{}] }, 'ACTION_REQUIRED', 'registration_incomplete'],
  ['new-patient-journey', 'is always a machine', { calls: [voicemail, voicemail, voicemail] }, 'PATIENT_NOT_REACHED'],
  ['new-patient-journey', 'declines', { calls: [{ said: 'declined' }] }, 'FOLLOW_UP_REQUIRED', 'follow_up_required'],
];

/** The first way to the happy outcome of each type: its history is kept. */
const settled = types.map((type) => {
  const [happiest] = workflowTypes[type].outcomes;
  return stories.find(([its, , { calls }, outcome]) => its === type && calls && outcome === happiest);
});

test('every outcome of every type is told below', () => {
  const told = new Set(stories.map(([type, , , outcome]) => `${type} ${outcome}`));
  const possible = types.flatMap((type) => workflowTypes[type].outcomes.map((outcome) => `${type} ${outcome}`));

  expect([...told].toSorted()).toEqual(possible.toSorted());
});

test.each(stories.map((told) => [`${told[0]}: the patient ${told[1]}`, told] as const))('%s', async (_name, told) => {
  const [workflowType, , setting, outcome, task] = told;
  const record = settled.includes(told) ? 'settled' : setting.record;
  const story = await openPatientRun(bench, { ...setting, workflowType, record });

  expect(await story.outcome()).toBe(outcome);

  const tasks = [...story.tasks, ...story.endings.flatMap(({ taskReason }) => taskReason ?? [])];
  expect(story.endings).toMatchObject([{ outcome, status: 'completed', workflowId: story.workflowId }]);
  expect(tasks).toEqual(task ? [task] : []);
  expect(story.told).toEqual([]);
});

test('a run that ends because a newer one has come says so', async () => {
  const decided: unknown[] = [];
  const fakes: Fakes = { recordDecision: async ({ decision }) => decided.push(decision) };
  const facts = { isSuperseded: true };
  const story = await openPatientRun(bench, { workflowType: 'prescription-follow-up', facts, fakes });

  expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');

  const inputs = expect.objectContaining({ isSuperseded: true });
  expect(decided).toEqual([{ stage: 'plan', inputs, decided: { kind: 'no_call', reason: 'superseded' } }]);
});

describe.each(types)('%s', (workflowType) => {
  test('leaves a patient alone who asks in a call for no more calls', async () => {
    const story = await openPatientRun(bench, {
      workflowType,
      calls: [meanwhile(async () => void (story.facts.isOptedOut = true), 'customer-ended-call')],
      record: 'stopped-by-the-patient',
    });

    const outcome = await story.outcome();
    // Whom it was to find another time has declined one; with the others it was never settled.
    const isAboutAnotherTime = [
      'care-gap-follow-up',
      'cancellation-follow-up',
      'reschedule-follow-up',
      'waitlist-offer',
    ].includes(workflowType);
    expect(outcome).toBe(isAboutAnotherTime ? 'DECLINED' : 'PATIENT_NOT_REACHED');
    expect(story.endings).toMatchObject([{ outcome, status: 'completed', taskReason: null }]);
    expect(story.voice.dialled).toHaveLength(1);
  });

  test('ends when staff cancel it', async () => {
    const story = await openPatientRun(bench, {
      workflowType,
      calls: [unanswered],
      policy: { secondsBetweenAttempts: 7_200 },
      record: 'cancelled-by-staff',
    });
    await eventually(() => story.voice.dialled.length > 0, { every: 5 });
    await untilWaiting(story.workflow);
    await story.workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.endings).toMatchObject([{ status: 'cancelled', cancelledBy: 'account:a' }]);
  });
});

test.each([hungUp, { said: 'declined' }, { said: 'callback' }] satisfies Talked[])(
  'a patient who books online during a call is rebooked, however it went on: %j',
  async (talked) => {
    const story = await openPatientRun(bench, {
      workflowType: 'care-gap-follow-up',
      calls: [
        async (call) => {
          story.facts.hasBookedSince = true;
          await story.talk(call.callId, talked);
          await call.hangUp(talked.reason ?? 'assistant-ended-call');
        },
      ],
    });

    expect(await story.outcome()).toBe('REBOOKED');
    expect(story.endings).toMatchObject([{ outcome: 'REBOOKED', status: 'completed', taskReason: null }]);
    expect(await story.workflow.query(runEnd)).toMatchObject({ outcome: 'REBOOKED', taskReason: null });
  },
);

test('a run that has ended in the records ends itself, calls nobody and writes nothing', async () => {
  const story = await openPatientRun(bench, {
    workflowType: 'payment-recovery',
    facts: { outcome: 'FOLLOW_UP_REQUIRED' },
  });

  expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
  expect(story.voice.dialled).toEqual([]);
  expect(story.endings).toEqual([]);
  const { events } = await story.workflow.fetchHistory();
  expect(events?.length).toBeLessThan(30);
});

test('a patient on the waitlist who may be called only after the offer has ended is passed over until then', async () => {
  const postponed: string[] = [];
  const story = await openPatientRun(bench, {
    workflowType: 'waitlist-offer',
    facts: { offer: { status: 'open', endsAt: await inHours(0.25) }, previousCallsAt: [await bench.now()] },
    policy: { callsPerPatientPerDay: 1 },
    fakes: {
      async postponeOffer({ until }) {
        postponed.push(until);
      },
    },
    record: 'postponed',
  });

  expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
  expect(story.voice.dialled).toEqual([]);
  const [until = ''] = postponed;
  expect(Math.round((Date.parse(until) - Date.parse(story.facts.openedAt)) / HOUR)).toBe(24);
});

test.each([
  ['has not been called yet is passed over, for no longer than the pause', [], []],
  ['was called already stands in line until the offer ends', [unanswered], [1]],
])('a patient on the waitlist who %s, while outreach is paused', async (_what, calls, priorities) => {
  const postponed: string[] = [];
  const story = await openPatientRun(bench, {
    workflowType: 'waitlist-offer',
    calls: calls.map(() =>
      meanwhile(async () => void (story.facts.pause = { until: null }), 'customer-did-not-answer'),
    ),
    facts: {
      offer: { status: 'open', endsAt: await inHours(8) },
      pause: calls.length > 0 ? null : { until: null },
    },
    policy: { secondsBetweenAttempts: 3_600 },
    fakes: {
      async postponeOffer({ until }) {
        postponed.push(until);
      },
    },
  });

  expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
  expect(story.voice.dialled).toHaveLength(calls.length);
  expect(story.voice.places.map(({ priority }) => priority)).toEqual(priorities);
  const waitedMs = postponed.map((until) => Date.parse(until) - Date.parse(story.facts.openedAt));
  expect(waitedMs.map((ms) => Math.round(ms / HOUR))).toEqual(calls.length > 0 ? [] : [0]);
});

test('a patient on the waitlist is not called again once the offer has ended', async () => {
  const story = await openPatientRun(bench, {
    workflowType: 'waitlist-offer',
    calls: [unanswered],
    facts: { offer: { status: 'open', endsAt: await inHours(0.25) } },
    policy: { secondsBetweenAttempts: 20 * 3_600 },
    fakes: { postponeOffer: () => Promise.reject(new Error('was called already')) },
  });

  expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
  expect(story.voice.dialled).toHaveLength(1);
});

describe('an appointment', () => {
  const at = (startsAt: string) => ({ appointment: { status: 'booked' as const, startsAt } });

  test('is reminded of at once, and confirmed after the delay that the clinic gives a patient', async () => {
    const policy = { firstCallDelaySeconds: 3_600 };
    const dialledAfter = async (workflowType: RunType) => {
      const { outcome, facts, voice } = await openPatientRun(bench, {
        workflowType,
        policy,
        calls: [{ said: 'confirmed' }],
      });
      expect(await outcome()).toBe('CONFIRMED');
      return Math.round((Date.parse(voice.dialled[0]!.at) - Date.parse(facts.openedAt)) / HOUR);
    };

    expect(await dialledAfter('appointment-reminder')).toBe(0);
    expect(await dialledAfter('appointment-confirmation')).toBe(1);
  });

  test('ends the wait for a line when it begins', async () => {
    const startsAt = await inHours(2);
    const story = await openPatientRun(bench, {
      workflowType: 'appointment-reminder',
      facts: at(startsAt),
      fakes: { reserveCall: async () => ({ kind: 'queued' }) },
    });

    expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
    expect(Math.abs(Date.parse(story.endings[0]?.endedAt ?? '') - Date.parse(startsAt))).toBeLessThan(60_000);
  });

  test('is not called about when the next attempt would come after it has begun', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'appointment-reminder',
      calls: [unanswered],
      facts: at(await inHours(2)),
      policy: { secondsBetweenAttempts: 20 * 3_600 },
      record: 'too-late-for-another',
    });

    expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
    expect(story.voice.dialled).toHaveLength(1);
    // It ends at once, not when the next attempt would be due.
    const { startTime, closeTime } = await story.workflow.describe();
    expect((closeTime?.getTime() ?? Infinity) - startTime.getTime()).toBeLessThan(HOUR);
  });

  test('is not called about when no calling hour comes before it', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'appointment-reminder',
      facts: at(await inHours(2)),
      policy: { callingHours: {} },
    });

    expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
    expect(story.voice.dialled).toEqual([]);
  });

  test.each(['appointment-confirmation', 'appointment-reminder'] as const)(
    'that has begun: %s calls nobody',
    async (workflowType) => {
      const story = await openPatientRun(bench, {
        workflowType,
        facts: at(await inHours(-0.01)),
      });

      expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
      expect(story.voice.dialled).toEqual([]);
    },
  );

  test('that was moved between two calls is called about until its new time', async () => {
    const later = await inHours(100);
    const story = await openPatientRun(bench, {
      workflowType: 'appointment-reminder',
      facts: at(await inHours(5)),
      policy: { secondsBetweenAttempts: 4 * 3_600 },
      calls: [
        meanwhile(async () => void (story.facts.appointment = { status: 'booked', startsAt: later }), 'voicemail'),
        unanswered,
        { said: 'confirmed' },
      ],
      record: 'moved',
    });

    expect(await story.outcome()).toBe('CONFIRMED');
    expect(story.voice.dialled).toHaveLength(3);
  });

  test.each(['appointment-confirmation', 'appointment-reminder'] as const)(
    'that was cancelled between two calls: %s calls nobody again',
    async (workflowType) => {
      const story = await openPatientRun(bench, {
        workflowType,
        facts: at(await inHours(100)),
        calls: [
          meanwhile(async () => void (story.facts.appointment = { status: 'cancelled', startsAt: null }), 'voicemail'),
        ],
      });

      expect(await story.outcome()).toBe('CANCELLED');
      expect(story.voice.dialled).toHaveLength(1);
    },
  );
});

describe('what else rings the same patient', () => {
  test('counts against the calls of a day', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'payment-recovery',
      calls: [{ facts: ['self_pay'] }],
      policy: { callsPerPatientPerDay: 1 },
      facts: { previousCallsAt: [await inHours(-1)] },
    });

    expect(await story.outcome()).toBe('SELF_PAY');
    const waited = Date.parse(story.voice.dialled[0]!.at) - Date.parse(story.facts.openedAt);
    expect(waited / HOUR).toBeGreaterThanOrEqual(22.9);
  });

  test('is waited for', async () => {
    const story = await openPatientRun(bench, { workflowType: 'payment-recovery', calls: [{ facts: ['self_pay'] }] });
    story.voice.busy = 3;

    expect(await story.outcome()).toBe('SELF_PAY');
    expect(story.voice.dialled).toHaveLength(1);
  });
});

describe('the platform', () => {
  test('may send its analysis some time after the end of the call', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'care-gap-follow-up',
      calls: [
        async ({ callId, workflow, hangUp }) => {
          await story.talk(callId, { said: 'declined', isNeverAnalysed: true });
          await hangUp('customer-ended-call');
          await untilWaiting(workflow);
          await workflow.signal(callAnalysed, { callId, said: 'declined' });
        },
      ],
      record: 'analysed-late',
    });

    expect(await story.outcome()).toBe('DECLINED');
  });

  test('may be heard twice, and of other calls', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'payment-recovery',
      calls: [
        unanswered,
        async ({ callId, workflow, hangUp }) => {
          await workflow.signal(callEnded, {
            callId: `${story.workflowId}-call-1`,
            reason: 'voicemail',
            wasAnswered: false,
            isTest: false,
          });
          await story.talk(callId, { facts: ['self_pay'] });
          await hangUp('customer-ended-call');
          await hangUp('customer-ended-call');
        },
      ],
    });

    expect(await story.outcome()).toBe('SELF_PAY');
    expect(story.voice.dialled).toHaveLength(2);
  });

  test('may fail: the same attempt is made again', async () => {
    const refused = { refused: 'call.start.error-vapifault' };
    const story = await openPatientRun(bench, {
      workflowType: 'prescription-follow-up',
      calls: [refused, { reason: 'pipeline-error-x' }, { said: 'confirmed' }],
    });

    expect(await story.outcome()).toBe('INFORMED');
    expect(story.voice.dialled.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });
});

describe('staff', () => {
  const policy = { firstCallDelaySeconds: 3_600 };

  test('end a run that waits', async () => {
    const story = await openPatientRun(bench, { workflowType: 'payment-recovery', policy });
    await untilWaiting(story.workflow);

    await story.workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    const by = { cancelledBy: 'account:a' };
    expect(story.endings).toMatchObject([{ status: 'cancelled', taskReason: 'follow_up_required', ...by }]);
    expect(story.voice.dialled).toEqual([]);
  });

  test('end a run whose patient is on the line: what is said after that changes nothing', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'payment-recovery',
      calls: [
        async ({ callId, workflow, hangUp }) => {
          await workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });
          await expect(workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] })).rejects.toMatchObject({
            cause: { type: 'already_ended' },
          });
          await story.talk(callId, { facts: ['self_pay'] });
          await hangUp('assistant-ended-call');
        },
      ],
    });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.endings).toHaveLength(1);
  });

  test('follow up when an operator cancels the workflow', async () => {
    const story = await openPatientRun(bench, { workflowType: 'prescription-follow-up', policy });
    await untilWaiting(story.workflow);

    await story.workflow.cancel();

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.endings).toMatchObject([{ status: 'cancelled', cancelledBy: 'operator' }]);
  });

  test('follow up when something breaks that no retry mends', async () => {
    const broken = () => Promise.reject(ApplicationFailure.nonRetryable('the run is unknown', 'not_found'));
    const story = await openPatientRun(bench, { workflowType: 'payment-recovery', fakes: { loadRun: broken } });

    await expect(story.outcome()).rejects.toBeInstanceOf(WorkflowFailedError);
    expect(story.endings).toMatchObject([{ status: 'failed', outcome: 'FOLLOW_UP_REQUIRED' }]);
  });
});

describe('a call that the patient placed', () => {
  const inbound = { workflowType: 'new-patient-journey', facts: { inboundCallId: 'inbound-1' } } as const;

  test.each([
    ['registers', { facts: ['registered'] }, 'assistant-ended-call', 'REGISTERED'],
    ['leaves it half done', {}, 'assistant-ended-call', 'ACTION_REQUIRED'],
    ['hangs up', {}, 'customer-ended-call', 'FOLLOW_UP_REQUIRED'],
    ['is cut off', {}, 'pipeline-error-x', 'FOLLOW_UP_REQUIRED'],
    ['registers and is cut off', { facts: ['registered'] }, 'pipeline-error-x', 'REGISTERED'],
  ] as const)('is held: the patient %s', async (_situation, talked, reason, outcome) => {
    const story = await openPatientRun(bench, {
      ...inbound,
      record: reason === 'customer-ended-call' ? 'inbound' : undefined,
    });
    await untilWaiting(story.workflow);
    await story.talk('inbound-1', { ...talked, facts: [...('facts' in talked ? talked.facts : [])] });
    await story.workflow.signal(callEnded, { callId: 'inbound-1', reason, wasAnswered: false, isTest: false });

    expect(await story.outcome()).toBe(outcome);
    expect(story.voice.dialled).toEqual([]);
  });

  test('whose end is never reported is asked about', async () => {
    const lookUpCall = async () => ({ kind: 'ended', reason: 'customer-ended-call' }) as const;

    const story = await openPatientRun(bench, { ...inbound, fakes: { lookUpCall } });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
  });

  test('which the platform knows no more is looked after by staff', async () => {
    const lookUpCall = async () => ({ kind: 'lost' }) as const;

    const story = await openPatientRun(bench, { ...inbound, fakes: { lookUpCall } });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.endings).toMatchObject([{ taskReason: 'call_lost' }]);
  });

  test('in which the patient registered counts as that, and is told to the clinic, though the platform knows it no more', async () => {
    const lookUpCall = async () => ({ kind: 'lost' }) as const;

    const story = await openPatientRun(bench, { ...inbound, permitted: ['patient.upsert'], fakes: { lookUpCall } });
    await story.talk('inbound-1', { facts: ['registered'], isNeverAnalysed: true });

    expect(await story.outcome()).toBe('REGISTERED');
    expect(story.told).toMatchObject([{ action: 'patient.upsert', callId: 'inbound-1' }]);
  });
});

describe("the clinic's own systems", () => {
  const permitted = ['appointment.book', 'appointment.cancel', 'document.write'] as const;
  const calls = [{ facts: ['documented', 'booked', 'rescheduled', 'escalated', 'registered'] as ToolFact[] }];

  test('hear once of each thing that a call changed, as far as the clinic permits it', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'reschedule-follow-up',
      calls,
      permitted: [...permitted],
      record: 'told-the-clinic',
    });

    expect(await story.outcome()).toBe('ESCALATED');
    const about = { clinicId: 'clinic-1', workflowId: story.workflowId, callId: `${story.workflowId}-call-1` };
    expect(story.told).toEqual([
      { ...about, action: 'document.write' },
      { ...about, action: 'appointment.book', appointmentId: 'appointment-1' },
    ]);
    // In the records too, so that staff hear of it where Temporal is lost before.
    expect(story.endings[0]?.notices).toEqual(story.told);
  });

  test('hear of what a call changed in the middle of which a person ended the workflow', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'reschedule-follow-up',
      calls: [
        async ({ callId, workflow, hangUp }) => {
          await workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });
          await story.talk(callId, { facts: ['rescheduled'] });
          await hangUp('customer-ended-call');
        },
      ],
      permitted: [...permitted],
    });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.endings).toMatchObject([{ status: 'cancelled' }]);
    expect(story.told).toMatchObject([{ action: 'appointment.book', appointmentId: 'appointment-1' }]);
  });

  test('that will not hear of it leave a task, and the outcome as it is', async () => {
    const refuses = () => Promise.reject(ApplicationFailure.nonRetryable('the API answered 422', 'refused'));
    const story = await openPatientRun(bench, {
      workflowType: 'reschedule-follow-up',
      calls: [{ facts: ['booked'] }],
      permitted: [...permitted],
      fakes: { tellClinicSystem: refuses },
    });

    expect(await story.outcome()).toBe('REBOOKED');
    expect(story.tasks).toEqual(['clinic_system_not_told']);
  });

  test('that do not take one thing are told of the others at once, and of that one again, in its order', async () => {
    const asked: [action: string, atMs: number][] = [];
    const startedAt = Date.parse(await bench.now());
    const tellClinicSystem: Fakes['tellClinicSystem'] = async ({ action }) => {
      asked.push([action, Date.parse(activityTime()) - startedAt]);
      if (action === 'document.write' && asked.length < 6)
        throw ApplicationFailure.retryable('no answer', 'unavailable');
      return { told: 1 };
    };
    const story = await openPatientRun(bench, {
      workflowType: 'reschedule-follow-up',
      calls: [{ facts: ['documented', 'booked'] }],
      permitted: [...permitted],
      fakes: { tellClinicSystem },
    });

    expect(await story.outcome()).toBe('REBOOKED');
    const [, booked] = asked;
    expect(asked.map(([action]) => action)).toEqual([
      'document.write',
      'appointment.book',
      'document.write',
      'document.write',
      'document.write',
      'document.write',
    ]);
    expect(booked?.[1]).toBeLessThan(60_000);
    expect(story.tasks).toEqual([]);
  });

  test('that are down have one day for all that a call changed, then each thing is a task', async () => {
    const isDown = () => Promise.reject(ApplicationFailure.retryable('no answer', 'unavailable'));
    const story = await openPatientRun(bench, {
      workflowType: 'reschedule-follow-up',
      calls: [{ facts: ['documented', 'booked'] }],
      permitted: [...permitted],
      fakes: { tellClinicSystem: isDown },
    });
    const startedAt = Date.parse(await bench.now());

    expect(await story.outcome()).toBe('REBOOKED');
    expect(story.tasks).toEqual(['clinic_system_not_told', 'clinic_system_not_told']);
    const hours = (Date.parse(await bench.now()) - startedAt) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
  });
});
