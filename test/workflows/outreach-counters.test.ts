import { Context } from '@temporalio/activity';
import {
  callAnalysed,
  callEnded,
  cancelRun,
  caseState,
  lineFreed,
  rulesChanged,
  runEnd,
  testCallOpened,
  toolUsed,
} from '@clinic/workflows/messages';
import { withdrawalWaitSeconds } from '@clinic/shared/domain/outreach/dialling';
import { keyUnreadable } from '@clinic/shared/domain/voice/ended-reason';
import { deliveryWorkflowId } from '@clinic/workflows/ids';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import type { DialledCall } from '../support/fake-voice';
import { eventually } from '../support/eventually';
import { agrees, doesNotAnswer, endsWith, openCase, type RecoveryStory } from '../support/recovery-story';
import { openPatientRun, unanswered } from '../support/run-story';
import {
  activityTime,
  currentDetails,
  type Fakes,
  openBench,
  untilWaiting,
  type WorkflowBench,
} from '../support/workflow-bench';
import { testPayloadKeys } from '../support/histories';

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const refused = { refused: 'call.start.error-vapifault' };

const secondsBetween = (earlier: DialledCall | undefined, later: DialledCall | undefined) =>
  (Date.parse(later?.at ?? '') - Date.parse(earlier?.at ?? '')) / 1_000;

describe('faults of the platform', () => {
  test('are waited out longer and longer, and count as no attempt', async () => {
    const story = await openCase(bench, { calls: [refused, refused, refused, refused, refused, agrees] });

    expect(await story.outcome()).toBe('RECOVERED');
    const { dialled } = story.voice;
    expect(dialled.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(secondsBetween(dialled[3], dialled[4])).toBeGreaterThanOrEqual(8);
    expect(secondsBetween(dialled[4], dialled[5])).toBeGreaterThanOrEqual(16);
  });

  test('before an attempt that reached the phone do not count after it', async () => {
    const calls = [refused, refused, refused, refused, doesNotAnswer, refused, agrees];
    const story = await openCase(bench, { calls });

    expect(await story.outcome()).toBe('RECOVERED');
    const { dialled } = story.voice;
    expect(dialled.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 2, 2]);
    expect(secondsBetween(dialled[5], dialled[6])).toBeLessThan(8);
  });

  test('in a call that had begun leave the platform time to tell that somebody was in it', async () => {
    const story = await openCase(bench, { calls: [endsWith('pipeline-error-x'), refused, agrees] });

    expect(await story.outcome()).toBe('RECOVERED');
    const [dropped, first, second] = story.voice.dialled;
    expect(secondsBetween(dropped, first)).toBeGreaterThanOrEqual(15);
    expect(secondsBetween(first, second)).toBeLessThan(15);
  });

  test('without end are left to staff, who hear of it', async () => {
    const story = await openCase(bench, { calls: Array.from({ length: 61 }, () => refused) });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.tasks).toEqual(['platform_fault']);
    expect(story.voice.dialled).toHaveLength(61);
  });
});

describe('a fault of configuration', () => {
  test.each([
    ['a platform that refuses the key', 'call.start.error-http-401', 'Invalid Key'],
    ['an account without credit', 'call.start.error-http-402', 'Wallet Balance is 0'],
    ['an unknown assistant', 'call.start.error-http-400', "Couldn't find assistant"],
    ['settings that nobody has entered', 'call.start.error-platform-not-configured', 'VAPI_API_KEY not set'],
  ])('ends the run at once, for staff: %s', async (_what, reason, said) => {
    const story = await openCase(bench, { calls: [{ refused: reason, said }] });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.voice.dialled).toHaveLength(1);
    expect(story.voice.setupFaults).toEqual([said]);
    expect(story.endings).toMatchObject([{ status: 'completed', taskReason: 'voice_setup_fault' }]);
  });

  test('is not that a key cannot be decrypted: the call is made once it can', async () => {
    const unreadable = { refused: keyUnreadable, said: 'enter it again' };
    const story = await openCase(bench, { calls: [unreadable, unreadable, agrees] });

    expect(await story.outcome()).toBe('RECOVERED');
    expect(story.voice.setupFaults).toEqual([]);
  });

  test('is the same when the platform finds it after it has taken the call', async () => {
    const calls = [endsWith('call.start.error-subscription-insufficient-credits')];
    const story = await openCase(bench, { calls });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.voice.dialled).toHaveLength(1);
    expect(story.endings).toMatchObject([{ taskReason: 'voice_setup_fault' }]);
  });
});

describe('the time that a failing platform is given', () => {
  /** After the tenth fault it is nine minutes. */
  const failsTenTimes = async () => {
    const story = await openCase(bench, { calls: [...Array.from({ length: 10 }, () => refused), agrees] });
    await bench.skip(600_000);
    await untilWaiting(story.workflow);
    expect(story.voice.dialled).toHaveLength(10);
    return story;
  };

  test('is no shorter by a change of rules', async () => {
    const story = await failsTenTimes();
    for (let times = 0; times < 3; times += 1) await story.workflow.signal(rulesChanged, {});

    expect(await story.outcome()).toBe('RECOVERED');
    const { dialled } = story.voice;
    expect(dialled).toHaveLength(11);
    expect(secondsBetween(dialled[9], dialled[10])).toBeGreaterThanOrEqual(512);
  });

  test('is waited for no longer where the patient is not to be called any more', async () => {
    const story = await failsTenTimes();
    story.facts.isOptedOut = true;
    await story.workflow.signal(rulesChanged, {});

    expect(await story.workflow.result()).toBe('PATIENT_NOT_INTERESTED');
    await story.outcome();
  });
});

test('the wait between attempts counts from the end of the last one', async () => {
  const policy = { secondsBetweenAttempts: 7_200, firstCallDelaySeconds: 3_600 };
  const story = await openCase(bench, { calls: [doesNotAnswer, doesNotAnswer, agrees], policy });

  expect(await story.outcome()).toBe('RECOVERED');
  const { dialled } = story.voice;
  expect(secondsBetween(dialled[0], dialled[1])).toBeGreaterThanOrEqual(7_200);
  expect(secondsBetween(dialled[1], dialled[2])).toBeGreaterThanOrEqual(7_200);
});

test('a patient who rings back after a voicemail is called again as late as after an attempt, from that call on', async () => {
  const policy = { secondsBetweenAttempts: 7_200 };
  const story = await openCase(bench, { calls: [endsWith('voicemail'), agrees], policy });
  await eventually(() => story.voice.dialled.length === 1 && !story.voice.isInCall());
  await untilWaiting(story.workflow);
  await bench.skip(3_600_000);
  story.facts.patientCalledAt = await bench.now();
  await story.workflow.signal(rulesChanged, {});

  expect(await story.outcome()).toBe('RECOVERED');
  const [first, second] = story.voice.dialled;
  expect(secondsBetween(first, second)).toBeGreaterThanOrEqual(3 * 3_600);
  expect(second?.attempt).toBe(2);
});

test('a line that gets free is asked for at once, every time', async () => {
  const story = await openCase(bench, {
    calls: [
      async (call) => {
        story.voice.busy = 1;
        await doesNotAnswer(call);
      },
      agrees,
    ],
  });
  story.voice.busy = 4;

  expect(await story.outcome()).toBe('RECOVERED');
  const { dialled } = story.voice;
  expect(secondsBetween(dialled[0], dialled[1]) - 3_600).toBeLessThan(10);
});

describe('a pause', () => {
  const goOn = async (story: RecoveryStory) => {
    await untilWaiting(story.workflow);
    await bench.skip(1_800_000);
    story.facts.pause = null;
    await story.workflow.signal(rulesChanged, {});
  };

  test('that withdraws a call at the dial leaves it its place in line', async () => {
    let isWithdrawn = false;
    const placeCall: Fakes['placeCall'] = async (call) => {
      if (isWithdrawn) return story.voice.activities.placeCall(call);
      isWithdrawn = true;
      story.facts.pause = { until: null };
      return { kind: 'withdrawn' };
    };
    const story = await openCase(bench, { calls: [agrees], fakes: { placeCall } });
    await goOn(story);

    expect(await story.outcome()).toBe('RECOVERED');
    const [first, second] = story.voice.dialled;
    expect(secondsBetween(first, second)).toBeGreaterThanOrEqual(1_800);
    expect(story.voice.dueTimes[0]).toBe(story.voice.dueTimes[1]);
    expect([first?.attempt, second?.attempt]).toEqual([1, 1]);
  });

  test('that ends before the run stands in line holds nobody up: the run decides again, and is told by nobody', async () => {
    const standInLine: Fakes['standInLine'] = async () => {
      story.facts.pause = null;
      return 'not_paused';
    };
    const story = await openCase(bench, {
      calls: [agrees],
      facts: { pause: { until: null } },
      fakes: { standInLine },
    });

    expect(await story.outcome()).toBe('RECOVERED');
    const waitedMs = Date.parse(story.voice.dialled[0]?.at ?? '') - Date.parse(story.voice.dueTimes[0] ?? '');
    expect(waitedMs).toBeLessThan(60_000);
  });

  test('in which a call becomes due leaves it the place that it has by then', async () => {
    const story = await openCase(bench, { calls: [agrees], facts: { pause: { until: null } } });
    await goOn(story);

    expect(await story.outcome()).toBe('RECOVERED');
    const waitedMs = Date.parse(story.voice.dialled[0]?.at ?? '') - Date.parse(story.voice.dueTimes[0] ?? '');
    expect(waitedMs).toBeGreaterThanOrEqual(1_800_000);
  });

  test('is waited out in line, until the line that it then gets or the end of calling hours', async () => {
    const story = await openCase(bench, { calls: [agrees], facts: { pause: { until: null } } });
    await untilWaiting(story.workflow);
    await bench.skip(1_800_000);
    story.facts.pause = null;
    await story.workflow.signal(lineFreed, {});

    expect(await story.outcome()).toBe('RECOVERED');
    expect(story.voice.places).toMatchObject([
      { dueAt: story.voice.dueTimes[0], priority: 2, notAfter: expect.any(String) },
    ]);
  });
});

test('a call that is withdrawn because the patient was called meanwhile stands in line anew', async () => {
  let isWithdrawn = false;
  const placeCall: Fakes['placeCall'] = async (call) => {
    if (isWithdrawn) return story.voice.activities.placeCall(call);
    isWithdrawn = true;
    story.facts.previousCallsAt = [story.voice.dialled[0]?.at ?? ''];
    return { kind: 'withdrawn' };
  };
  const story = await openCase(bench, { calls: [agrees], policy: { callsPerPatientPerDay: 1 }, fakes: { placeCall } });

  expect(await story.outcome()).toBe('RECOVERED');
  const [first = '', second = ''] = story.voice.dueTimes;
  expect(Date.parse(second) - Date.parse(first)).toBeGreaterThan(23 * 3_600_000);
});

test('after calls that are withdrawn is waited longer and longer, and anew after one that was made', async () => {
  const dialledAt: number[] = [];
  const placeCall: Fakes['placeCall'] = async (call) => {
    dialledAt.push(Date.parse(activityTime()));
    return dialledAt.length % 7 === 0 ? story.voice.activities.placeCall(call) : { kind: 'withdrawn' };
  };
  const story = await openCase(bench, { calls: [doesNotAnswer, agrees], fakes: { placeCall } });

  expect(await story.outcome()).toBe('RECOVERED');
  const secondsAfter = (dial: number) => ((dialledAt[dial] ?? 0) - (dialledAt[dial - 1] ?? 0)) / 1_000;
  // The sixth in a row: half of what the seventh is waited after.
  for (const dial of [6, 13]) {
    expect(secondsAfter(dial)).toBeGreaterThanOrEqual(withdrawalWaitSeconds(6));
    expect(secondsAfter(dial)).toBeLessThan(withdrawalWaitSeconds(7));
  }
});

test('of the calls that were made those since the last attempt are looked at', async () => {
  const asked: (number | undefined)[] = [];
  const story = await openCase(bench, {
    calls: [doesNotAnswer, agrees],
    fakes: {
      async loadRun({ callsAfter }) {
        if (callsAfter !== undefined && asked.at(-1) !== callsAfter) asked.push(callsAfter);
        return story.facts;
      },
    },
  });

  expect(await story.outcome()).toBe('RECOVERED');
  expect(asked).toEqual([0, 1]);
});

test('a case that ends while its next step is decided asks for no line', async () => {
  const story = await openCase(bench, {
    when: {
      loadRun: async ({ workflow }) => {
        await workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });
      },
    },
  });

  expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
  expect(story.log).toEqual(['told the clinic', 'FOLLOW_UP_REQUIRED, cancelled', 'told the clinic']);
});

test('a cancel in Temporal while the outcome is being written is not written too', async () => {
  let isCancelled = false;
  const written: string[] = [];
  const story = await openCase(bench, {
    facts: { isOptedOut: true },
    when: {
      async endRun({ workflow }) {
        await workflow.cancel();
        // A query is answered after what came before it.
        await workflow.query(caseState);
        isCancelled = true;
      },
    },
    fakes: {
      async endRun({ outcome }) {
        written.push(outcome);
        return outcome;
      },
    },
  });

  expect(await story.outcome()).toBe('PATIENT_NOT_INTERESTED');
  expect(isCancelled).toBe(true);
  expect(written).toEqual(['PATIENT_NOT_INTERESTED']);
});

test.each([
  ['PATIENT_NOT_INTERESTED', null, { isOptedOut: true }],
  ['FOLLOW_UP_REQUIRED', 'unmet_call_hours', { preferredHours: { from: '23:58', until: '23:59' } }],
] as const)(
  'a message that comes while %s is being written changes neither when the run ended nor its task: %s',
  async (outcome, taskReason, facts) => {
    const story = await openCase(bench, {
      facts,
      policy: { callingHours: { monday: [{ opens: '09:00', closes: '17:00' }] } },
      when: {
        // Its task is then played again, the writing of the outcome too.
        endRun: ({ workflow }) => workflow.signal(rulesChanged, {}),
      },
    });

    expect(await story.outcome()).toBe(outcome);
    const [written] = story.endings;
    expect(written).toMatchObject({ outcome, taskReason });
    expect(await story.workflow.query(runEnd)).toMatchObject({ outcome, taskReason, endedAt: written?.endedAt });
  },
);

test('a run that is over in the records before its workflow began anew says what they say', async () => {
  const end = {
    outcome: 'FOLLOW_UP_REQUIRED',
    status: 'cancelled',
    resolution: null,
    endedAt: '2026-03-02T10:00:00.123Z',
    cancelledBy: 'account:a',
  } as const;
  const story = await openCase(bench, { facts: { outcome: end.outcome, end } });

  expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
  expect(story.endings).toEqual([]);
  expect(await story.workflow.query(runEnd)).toEqual({ ...end, taskReason: 'follow_up_required' });
});

test('of two test calls the last one to end decides, also when the form was completed in the first', async () => {
  const story = await openCase(bench, { policy: { firstCallDelaySeconds: 3_600 } });
  await untilWaiting(story.workflow);
  for (const callId of ['test-1', 'test-2']) await story.workflow.executeUpdate(testCallOpened, { args: [{ callId }] });
  story.isInTestCall = true;
  await story.complete();

  await story.workflow.signal(callEnded, { callId: 'test-1', reason: 'closed', wasAnswered: true, isTest: true });
  const between = await story.workflow.query(caseState);
  await story.workflow.signal(callEnded, { callId: 'test-2', reason: 'closed', wasAnswered: true, isTest: true });

  expect(between).toMatchObject({ status: 'CALLING' });
  expect(await story.outcome()).toBe('RECOVERED');
});

test('the end of a case that is cancelled in a call is told at once', async () => {
  const seen: string[] = [];
  const story = await openCase(bench, {
    calls: [
      async (call) => {
        await call.workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });
        await eventually(() => story.log.at(-1) === 'told the clinic', { within: 10_000 });
        seen.push(...story.log);
        await call.hangUp('customer-ended-call');
      },
    ],
  });

  expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
  expect(seen.slice(-2)).toEqual(['FOLLOW_UP_REQUIRED, cancelled', 'told the clinic']);
});

describe('the page of Temporal says', () => {
  test.each<[string, Parameters<typeof openCase>[1], { busy?: number; ms?: number }, RegExp]>([
    ['a pause', { facts: { pause: { until: null } } }, {}, /^In line: outreach is paused$/],
    [
      'a free line',
      { policy: { firstCallDelaySeconds: 60 } },
      { busy: Infinity, ms: 120_000 },
      /^Waiting for a free line$/,
    ],
    [
      'a platform that failed',
      { calls: Array.from({ length: 10 }, () => refused) },
      { ms: 600_000 },
      /^The voice platform failed 10 times; trying again$/,
    ],
    ['the first call', { policy: { firstCallDelaySeconds: 3_600 } }, {}, /^Waiting until \S+Z: first call delay$/],
    [
      'the time after calls that were withdrawn',
      { fakes: { placeCall: async () => ({ kind: 'withdrawn' }) } },
      { ms: 600_000 },
      /^Between calls, 0 made$/,
    ],
  ])('that %s is waited for', async (_what, setting, { busy = 0, ms = 0 }, said) => {
    const story = await openCase(bench, setting);
    story.voice.busy = busy;
    await untilWaiting(story.workflow);
    await bench.skip(ms);
    await untilWaiting(story.workflow);

    expect(await currentDetails(story.workflow)).toMatch(said);
    await story.workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });
    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(await currentDetails(story.workflow)).toBe('Ended: FOLLOW_UP_REQUIRED');
  });

  test('that the patient called', async () => {
    const story = await openCase(bench, { facts: { inboundCallId: 'inbound-1' } });
    await untilWaiting(story.workflow);

    expect(await currentDetails(story.workflow)).toBe('The patient called');
    const over = { callId: 'inbound-1', reason: 'customer-ended-call', wasAnswered: true, isTest: false };
    await story.workflow.signal(callEnded, over);
    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
  });

  test('that a test call goes on, and what a tool did in one; nothing more once the case has ended', async () => {
    const story = await openCase(bench, { policy: { firstCallDelaySeconds: 3_600 } });
    await untilWaiting(story.workflow);
    const seen: string[] = [];
    const look = async () => void seen.push(await currentDetails(story.workflow));
    const used = { callId: 'test-1', tool: 'book_appointment', fact: 'booked' } as const;

    await story.workflow.executeUpdate(testCallOpened, { args: [{ callId: 'test-1' }] });
    await look();
    await story.workflow.signal(toolUsed, used);
    await look();
    const endings = await Promise.all([
      story.workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] }),
      story.workflow.signal(toolUsed, used),
    ]);
    await look();

    expect(endings).toHaveLength(2);
    expect(seen).toEqual(['In a test call', 'In a call: booked', 'Ended: FOLLOW_UP_REQUIRED']);
    await story.outcome();
  });

  test('that the analysis of a call is waited for', async () => {
    const seen: string[] = [];
    const story = await openPatientRun(bench, {
      workflowType: 'care-gap-follow-up',
      calls: [
        async ({ callId, workflow, hangUp }) => {
          await story.talk(callId, { said: 'declined', isNeverAnalysed: true });
          await hangUp('customer-ended-call');
          await untilWaiting(workflow);
          seen.push(await currentDetails(workflow));
        },
      ],
    });

    expect(await story.outcome()).toBe('DECLINED');
    expect(seen).toEqual(['Waiting for the analysis of the call']);
  });

  test('how a run ended in the records before its workflow began anew', async () => {
    const story = await openCase(bench, { facts: { outcome: 'PATIENT_NOT_REACHED' } });

    expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
    expect(await currentDetails(story.workflow)).toBe('Ended before: PATIENT_NOT_REACHED');
  });
});

test('what somebody waits for is written within half the time that other writing has', async () => {
  const given: [what: string, ms: number][] = [];
  const note = (what: string) => given.push([what, Context.current().info.startToCloseTimeoutMs]);
  const fakes: Fakes = {
    async endRun({ outcome }) {
      note('end');
      return outcome;
    },
    setCaseStatus: async ({ status }) => void note(status),
  };
  const policy = { firstCallDelaySeconds: 3_600 };
  const cancelled = await openCase(bench, { policy, fakes });
  await untilWaiting(cancelled.workflow);
  await cancelled.workflow.executeUpdate(testCallOpened, { args: [{ callId: 'test-1' }] });
  await cancelled.workflow.executeUpdate(cancelRun, { args: [{ by: 'account:a' }] });
  await cancelled.outcome();
  const optedOut = await openCase(bench, { facts: { isOptedOut: true }, fakes });
  await optedOut.outcome();

  expect(given).toEqual([
    ['CALLING', 5_000],
    ['end', 5_000],
    ['end', 10_000],
  ]);
});

describe('the analysis of a call', () => {
  test('that has come ends the wait for it', async () => {
    const story = await openPatientRun(bench, {
      workflowType: 'care-gap-follow-up',
      calls: [
        async ({ callId, workflow, hangUp }) => {
          await story.talk(callId, { said: 'declined', isNeverAnalysed: true });
          await hangUp('customer-ended-call');
          await untilWaiting(workflow);
          await workflow.signal(callAnalysed, { callId, said: 'declined' });
          // Time stands still while this script runs: only the analysis can end the wait.
          await eventually(() => story.endings.length > 0, { within: 10_000 });
        },
      ],
    });

    expect(await story.outcome()).toBe('DECLINED');
  });

  test('of a voicemail is not the word of the patient', async () => {
    const declines = { reason: 'voicemail', said: 'declined' } as const;
    const story = await openPatientRun(bench, {
      workflowType: 'care-gap-follow-up',
      calls: [declines, declines, declines],
    });

    expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
    expect(story.voice.dialled).toHaveLength(3);
  });
});

test("the clinic's system hears once of an appointment that two calls changed", async () => {
  const story = await openPatientRun(bench, {
    workflowType: 'payment-recovery',
    calls: [{ ...unanswered, facts: ['booked'] }, { facts: ['rescheduled', 'self_pay'] }],
    permitted: ['appointment.book'],
  });

  expect(await story.outcome()).toBe('SELF_PAY');
  expect(story.told.map(({ action, appointmentId }) => [action, appointmentId])).toEqual([
    ['appointment.book', 'appointment-1'],
  ]);
});

test('an event that is written while its sender finds nothing to send wakes it once more', async () => {
  const owner = { clinicId: 'clinic-1', subject: 'written-at-the-end', receiverId: 'endpoint-1' };
  const workflowId = deliveryWorkflowId(owner.subject, owner.receiverId);
  const starter = createWorkflowStarter(bench.client, testPayloadKeys);
  let looks = 0;
  bench.fake(workflowId, {
    async attemptDelivery() {
      looks += 1;
      if (looks === 1) await starter.wakeDeliveries(owner);
      return { kind: 'none' };
    },
  });

  await starter.wakeDeliveries(owner);
  await bench.result(bench.client.workflow.getHandle(workflowId));

  expect(looks).toBe(2);
});
