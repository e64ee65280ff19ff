import { randomUUID } from 'node:crypto';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { spreadOpening, type WaitForOpening } from '@clinic/shared/domain/outreach/opening-spread';

/** Nine in the morning in Denver. */
const opens = '2040-01-17T16:00:00.000Z';
const aWait = (about: Partial<WaitForOpening['inputs']> = {}, others = 999): WaitForOpening => ({
  workflowId: `recovery-${randomUUID()}`,
  until: opens,
  othersWaiting: others,
  inputs: {
    hasPhone: true,
    isOptedOut: false,
    attemptsMade: 0,
    policy: { ...defaultCallingPolicy, maxConcurrentCalls: 10 },
    clinicZone: 'America/Denver',
    patientZones: [],
    pause: null,
    now: '2040-01-17T06:00:00.000Z',
    openedAt: '2040-01-17T05:00:00.000Z',
    lastAttemptEndedAt: null,
    clinicLimitUntil: null,
    ...about,
  },
});
const secondsAfter = (wait: WaitForOpening) => (Date.parse(spreadOpening(wait)) - Date.parse(wait.until)) / 1_000;

test('where more is due than lines are free, the first calls are spread over five minutes', () => {
  const seconds = Array.from({ length: 1_000 }, () => secondsAfter(aWait()));

  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...seconds)).toBeLessThan(300);
  const perMinute = [0, 1, 2, 3, 4].map((minute) => seconds.filter((at) => Math.floor(at / 60) === minute).length);
  for (const count of perMinute) expect(count).toBeGreaterThan(120);
});

test('a workflow has the same place whenever it is asked for', () => {
  const wait = aWait();

  expect(spreadOpening(wait)).toBe(spreadOpening({ ...wait }));
  expect(spreadOpening(wait)).not.toBe(opens);
});

test('where the lines are enough, all calls come at the opening; a few too many come within seconds', () => {
  expect(secondsAfter(aWait({}, 9))).toBe(0);
  expect(Math.max(...Array.from({ length: 100 }, () => secondsAfter(aWait({}, 14))))).toBeLessThan(5);
});

test('a later attempt comes at the opening', () => {
  expect(secondsAfter(aWait({ attemptsMade: 1 }))).toBe(0);
});

test('a wait that ends within calling hours, as a delay or a limit does, ends when it was to', () => {
  expect(secondsAfter({ ...aWait(), until: '2040-01-17T16:00:01.000Z' })).toBe(0);
});

test('no call is put off past the end of the hours, or until it is of no use', () => {
  const short = { ...defaultCallingPolicy, callingHours: { tuesday: [{ opens: '09:00', closes: '09:02' }] } };
  for (let n = 0; n < 200; n += 1) {
    expect(secondsAfter(aWait({ policy: short }))).toBeLessThan(60);
    expect(secondsAfter(aWait({ uselessFrom: '2040-01-17T16:01:00.000Z' }))).toBeLessThan(30);
  }
  expect(secondsAfter(aWait({ uselessFrom: opens }))).toBe(0);
});

test('the opening is that of the patient where it is the later one', () => {
  const inHonolulu = aWait({ patientZones: ['Pacific/Honolulu'] });

  expect(secondsAfter(inHonolulu)).toBe(0);
  expect(secondsAfter({ ...inHonolulu, until: '2040-01-17T18:00:00.000Z' })).toBeGreaterThan(0);
});
