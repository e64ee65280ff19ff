import { defaultCallingPolicy, type CallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { agrees, doesNotAnswer, openCase, type RecoveryStory, type Setting } from '../support/recovery-story';
import { rulesChanged } from '@clinic/workflows/messages';
import { openPatientRun } from '../support/run-story';
import { type Fakes, openBench, untilWaiting, type WorkflowBench } from '../support/workflow-bench';

/**
 * A clinic in Denver, seven hours behind UTC in winter and six in summer. Its clocks go forward on Sunday
 * 11 March 2040 and 10 March 2041, back on Sunday 4 November 2040 and 3 November 2041. The tests are in the order of their dates: time does not go back.
 */
let bench: WorkflowBench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const noLimits = { callsPerPatientPerDay: null, callsPerPatientPerWeek: null };
const onSundays = (opens: string, closes: string) => ({ callingHours: { sunday: [{ opens, closes }] } });

async function openAt(instant: string, policy: Partial<CallingPolicy> = {}, setting: Setting = {}) {
  await bench.skipTo(instant);
  return openCase(bench, { calls: [agrees], ...setting, policy: { ...defaultCallingPolicy, ...policy } });
}

/** When phones rang, to the minute, in UTC. */
const rang = ({ voice }: Pick<RecoveryStory, 'voice'>) =>
  voice.dialled.map(({ at }) => at.slice(0, 'yyyy-mm-ddThh:mm'.length));

test('the first call comes after the delay', async () => {
  const story = await openAt('2040-01-02T17:00:00.000Z');

  await story.outcome();
  expect(rang(story)).toEqual(['2040-01-02T17:05']);
});

test('three attempts take three days, then the patient counts as not reached', async () => {
  const story = await openAt('2040-01-10T17:00:00.000Z', {}, { calls: [doesNotAnswer, doesNotAnswer, doesNotAnswer] });

  expect(await story.outcome()).toBe('PATIENT_NOT_REACHED');
  expect(rang(story)).toEqual(['2040-01-10T17:05', '2040-01-11T17:05', '2040-01-12T17:05']);
});

test('a case of the night is called in the morning, one of Saturday evening on Monday', async () => {
  const night = await openAt('2040-01-17T06:00:00.000Z');
  await night.outcome();
  const weekend = await openAt('2040-01-22T00:58:00.000Z');
  await weekend.outcome();

  expect(rang(night)).toEqual(['2040-01-17T16:00']);
  expect(rang(weekend)).toEqual(['2040-01-23T16:00']);
});

test('a patient who was called today about anything is called tomorrow', async () => {
  const previousCallsAt = ['2040-02-01T20:00:00.000Z'];
  const story = await openAt('2040-02-01T21:00:00.000Z', {}, { facts: { previousCallsAt } });

  await story.outcome();
  expect(rang(story)).toEqual(['2040-02-02T20:00']);
});

test('a patient who was called three times this week is called when a week is over', async () => {
  const previousCallsAt = ['2040-02-10T17:00:00.000Z', '2040-02-13T17:00:00.000Z', '2040-02-14T17:00:00.000Z'];
  const story = await openAt('2040-02-15T18:00:00.000Z', {}, { facts: { previousCallsAt } });

  await story.outcome();
  expect(rang(story)).toEqual(['2040-02-17T17:00']);
});

test('hours that a clinic changes while a case waits count from the next look', async () => {
  const story = await openAt('2040-02-21T06:00:00.000Z');
  await untilWaiting(story.workflow);
  story.facts.policy = { ...story.facts.policy, callingHours: { wednesday: [{ opens: '11:00', closes: '12:00' }] } };

  await story.outcome();
  expect(rang(story)).toEqual(['2040-02-22T18:00']);
});

test('when clocks have gone forward, nine in the morning comes an hour earlier', async () => {
  const story = await openAt('2040-03-11T03:00:00.000Z', onSundays('09:00', '18:00'));

  await story.outcome();
  expect(rang(story)).toEqual(['2040-03-11T15:00']);
});

test('when clocks have gone back, nine in the morning comes an hour later', async () => {
  const story = await openAt('2040-11-04T02:00:00.000Z', onSundays('09:00', '18:00'), { record: 'clocks-go-back' });

  await story.outcome();
  expect(rang(story)).toEqual(['2040-11-04T16:00']);
});

test('hours that the change skips do not come until next week', async () => {
  const story = await openAt('2041-03-09T20:00:00.000Z', onSundays('02:00', '03:00'));

  await story.outcome();
  expect(rang(story)).toEqual(['2041-03-17T08:00']);
});

test('hours inside the hour that is repeated come twice', async () => {
  const policy = { ...noLimits, ...onSundays('01:30', '02:00'), firstCallDelaySeconds: 0, secondsBetweenAttempts: 900 };
  const calls = [doesNotAnswer, doesNotAnswer, doesNotAnswer];
  const story = await openAt('2041-11-03T07:40:00.000Z', policy, { calls });

  await story.outcome();
  expect(rang(story)).toEqual(['2041-11-03T07:40', '2041-11-03T07:55', '2041-11-03T08:30']);
});

test('a pause is waited out in line until the clinic closes, and there anew from the next opening on', async () => {
  const limits: (string | null)[] = [];
  const standInLine: Fakes['standInLine'] = async ({ notAfter }) => {
    limits.push(notAfter);
    if (limits.length < 2) return 'in_line';
    story.facts.pause = null;
    return 'not_paused';
  };
  const story = await openAt(
    '2041-11-20T17:00:00.000Z',
    {},
    { facts: { pause: { until: null } }, fakes: { standInLine } },
  );

  await story.outcome();
  expect(limits).toEqual(['2041-11-21T01:00:00.000Z', '2041-11-22T01:00:00.000Z']);
  expect(rang(story)).toEqual(['2041-11-21T16:00']);
});

describe('an opening for which many wait', () => {
  const crowded: Setting['fakes'] = { recordDecision: async () => 400 };

  test('brings the first call within five minutes, in the line of those who are due since the opening', async () => {
    const story = await openAt('2042-01-15T06:00:00.000Z', {}, { fakes: crowded });

    await story.outcome();
    const [rangAt = ''] = story.voice.dialled.map(({ at }) => at);
    const seconds = (Date.parse(rangAt) - Date.parse('2042-01-15T16:00:00.000Z')) / 1_000;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(301);
    expect(story.voice.dueTimes).toEqual(['2042-01-15T16:00:00.000Z']);
  });

  test('brings a later attempt at once', async () => {
    const policy = { ...noLimits, secondsBetweenAttempts: 12 * 3_600 };
    const setting = { calls: [doesNotAnswer, agrees], fakes: crowded };
    const story = await openAt('2042-01-20T20:00:00.000Z', policy, setting);

    await story.outcome();
    expect(rang(story)).toEqual(['2042-01-20T20:05', '2042-01-21T16:00']);
  });
});

describe('a patient who asked to be called from five', () => {
  const fromFive = { facts: { preferredHours: { from: '17:00', until: null } } };

  test('is called then, whatever the call is about', async () => {
    const form = await openAt('2043-01-14T17:00:00.000Z', {}, fromFive);
    await form.outcome();
    await bench.skipTo('2043-01-21T17:00:00.000Z');
    const visit = await openPatientRun(bench, {
      workflowType: 'care-gap-follow-up',
      calls: [{ facts: ['booked'] }],
      policy: defaultCallingPolicy,
      ...fromFive,
    });
    await visit.outcome();

    expect(rang(form)).toEqual(['2043-01-15T00:00']);
    expect(rang(visit)).toEqual(['2043-01-22T00:00']);
  });

  test('and takes that back is called as soon as the run hears of it', async () => {
    const story = await openAt('2043-01-28T17:00:00.000Z', {}, fromFive);
    await untilWaiting(story.workflow);
    story.facts.preferredHours = null;
    await story.workflow.signal(rulesChanged, {});

    await story.outcome();
    expect(rang(story)).toEqual(['2043-01-28T17:05']);
  });

  test('where the clinic calls nobody then, is left to staff at once', async () => {
    const facts = { preferredHours: { from: '18:00', until: null } };
    const story = await openAt('2043-02-04T17:00:00.000Z', {}, { calls: [], facts });

    expect(await story.outcome()).toBe('FOLLOW_UP_REQUIRED');
    expect(story.endings).toMatchObject([{ status: 'completed', taskReason: 'unmet_call_hours' }]);
    expect(rang(story)).toEqual([]);
  });
});
