import {
  allowedCallTime,
  defaultCallingPolicy,
  nextStep,
  type CallingFacts,
} from '@clinic/shared/domain/outreach/calling-policy';
import { preferredHoursProblem } from '@clinic/shared/domain/outreach/preferred-hours';
import { weeklyHoursProblem } from '@clinic/shared/domain/calendar/weekly-hours';
import { everyDay } from '../calendar/agendas';

/** A case that opened on a Tuesday at ten in Denver and may be called ten minutes later. */
function facts(given: Partial<CallingFacts> = {}): CallingFacts {
  return {
    hasPhone: true,
    isOptedOut: false,
    attemptsMade: 0,
    policy: defaultCallingPolicy,
    clinicZone: 'America/Denver',
    patientZones: [],
    pause: null,
    now: '2026-01-20T17:10:00.000Z',
    openedAt: '2026-01-20T17:00:00.000Z',
    lastAttemptEndedAt: null,
    clinicLimitUntil: null,
    ...given,
  };
}

describe('no call is made', () => {
  test('when there is no phone', () => {
    expect(nextStep(facts({ hasPhone: false, isOptedOut: true }))).toEqual({
      kind: 'no_call',
      reason: 'no_phone',
    });
  });

  test('when a later event has come, whatever else would permit or forbid it', () => {
    expect(nextStep(facts({ isSuperseded: true, hasPhone: false }))).toEqual({ kind: 'no_call', reason: 'superseded' });
  });

  test('when the patient opted out', () => {
    expect(nextStep(facts({ isOptedOut: true, attemptsMade: 3 }))).toEqual({
      kind: 'no_call',
      reason: 'opted_out',
    });
  });

  test('when every attempt has been made', () => {
    expect(nextStep(facts({ attemptsMade: 3, lastAttemptEndedAt: '2026-01-20T17:09:00.000Z' }))).toEqual({
      kind: 'no_call',
      reason: 'attempts_exhausted',
    });
  });

  test('when no hour of the week permits calls', () => {
    const policy = { ...defaultCallingPolicy, callingHours: {} };

    expect(nextStep(facts({ policy }))).toEqual({
      kind: 'no_call',
      reason: 'no_calling_hours',
    });
  });
});

describe('a call that would come too late', () => {
  const night = { openedAt: '2026-01-20T05:00:00.000Z', now: '2026-01-20T06:00:00.000Z' };

  test('is not waited for', () => {
    const uselessFrom = '2026-01-20T09:00:00.000-07:00';

    expect(nextStep(facts({ ...night, uselessFrom }))).toEqual({ kind: 'no_call', reason: 'too_late' });
  });

  test('is not confused with one that is made just in time', () => {
    const uselessFrom = '2026-01-20T16:00:00.001Z';

    expect(nextStep(facts({ ...night, uselessFrom }))).toMatchObject({ kind: 'wait' });
    expect(nextStep(facts({ uselessFrom: '2026-01-20T17:10:00.001Z' }))).toMatchObject({ kind: 'call' });
  });
});

test('a clinic that has set no policy says that its calls are automated, and lets nothing that it would have to choose', () => {
  const isOn = Object.entries(defaultCallingPolicy).flatMap(([name, value]) => (value === true ? name : []));

  expect(isOn).toEqual(['disclosesAutomation']);
});

describe('a call waits', () => {
  test('for the delay before the first call', () => {
    expect(nextStep(facts({ now: '2026-01-20T17:00:01.000Z' }))).toEqual({
      kind: 'wait',
      until: '2026-01-20T17:05:00.000Z',
      reason: 'first_call_delay',
    });
  });

  test('between attempts, from the end of the last one', () => {
    const given = { attemptsMade: 1, lastAttemptEndedAt: '2026-01-20T19:30:00.000Z', now: '2026-01-20T19:31:00.000Z' };

    // Twenty hours later it is half past eight in Denver, before calling hours.
    expect(nextStep(facts(given))).toEqual({
      kind: 'wait',
      until: '2026-01-21T16:00:00.000Z',
      reason: 'between_attempts',
    });
  });

  const called = '2026-01-20T19:30:00.000Z';
  const nextDay = { kind: 'wait', until: '2026-01-21T16:00:00.000Z', reason: 'patient_called' };
  const soon = { ...defaultCallingPolicy, firstCallDelaySeconds: 0, secondsBetweenAttempts: 60 };
  test.each<[string, Partial<CallingFacts>, object]>([
    ['after an attempt', { attemptsMade: 1, lastAttemptEndedAt: '2026-01-20T17:09:00.000Z' }, nextDay],
    ['before the first one', {}, nextDay],
    [
      'after an attempt to somebody who waits',
      { attemptsMade: 1, lastAttemptEndedAt: called, isUrgent: true },
      { kind: 'wait' },
    ],
    ['before the first one to somebody who waits', { isUrgent: true }, { kind: 'call', attempt: 1 }],
    [
      'before an attempt that was made since',
      { attemptsMade: 1, lastAttemptEndedAt: '2026-01-20T19:30:01.000Z' },
      { reason: 'between_attempts' },
    ],
    ['and not for longer than that', { policy: soon }, { kind: 'call', attempt: 1 }],
  ])('as after an attempt, where the patient has called %s', (_when, given, expected) => {
    const now = '2026-01-20T19:31:00.000Z';

    expect(nextStep(facts({ patientCalledAt: called, now, ...given }))).toMatchObject(expected);
  });

  test('for no delay where the patient waits for the first call', () => {
    expect(nextStep(facts({ isUrgent: true, now: '2026-01-20T17:00:00.000Z' }))).toEqual({ kind: 'call', attempt: 1 });
  });

  test('for calling hours', () => {
    const night = { openedAt: '2026-01-20T05:00:00.000Z', now: '2026-01-20T06:00:00.000Z' };

    expect(nextStep(facts(night))).toEqual({
      kind: 'wait',
      until: '2026-01-20T16:00:00.000Z',
      reason: 'calling_hours',
    });
  });

  test('over Sunday, when a delay ends on Saturday evening', () => {
    const evening = { openedAt: '2026-01-25T00:58:00.000Z', now: '2026-01-25T00:58:00.000Z' };

    expect(nextStep(facts(evening))).toEqual({
      kind: 'wait',
      until: '2026-01-26T16:00:00.000Z',
      reason: 'first_call_delay',
    });
  });

  test('for the limits per patient, where earlier calls are given', () => {
    const given = { previousCallsAt: ['2026-01-19T18:00:00.000Z'] };

    expect(nextStep(facts(given))).toEqual({
      kind: 'wait',
      until: '2026-01-20T18:00:00.000Z',
      reason: 'patient_limits',
    });
  });

  test("for the day on which the clinic may call another number, where today's are used up", () => {
    const midnight = '2026-01-21T07:00:00.000Z';
    const step = nextStep(facts({ clinicLimitUntil: midnight }));

    expect(step).toMatchObject({ kind: 'wait', reason: 'clinic_limit' });
    expect(step.kind === 'wait' && step.until >= midnight).toBe(true);
    expect(nextStep(facts({ clinicLimitUntil: midnight, uselessFrom: midnight }))).toEqual({
      kind: 'no_call',
      reason: 'too_late',
    });
    expect(nextStep(facts({ clinicLimitUntil: null }))).toEqual(nextStep(facts()));
  });
});

describe('a call is made', () => {
  test('when the delay is over', () => {
    expect(nextStep(facts({ now: '2026-01-20T17:05:00.000Z' }))).toEqual({ kind: 'call', attempt: 1 });
    expect(nextStep(facts())).toEqual({ kind: 'call', attempt: 1 });
  });

  test('again when the time between attempts is over', () => {
    const given = { attemptsMade: 2, lastAttemptEndedAt: '2026-01-19T17:00:00.000Z' };

    expect(nextStep(facts(given))).toEqual({ kind: 'call', attempt: 3 });
  });

  test('at once with a policy that never waits', () => {
    const policy = {
      ...defaultCallingPolicy,
      firstCallDelaySeconds: 0,
      callingHours: everyDay('00:00-24:00'),
      callsPerPatientPerDay: null,
      callsPerPatientPerWeek: null,
    };
    const sunday = '2026-01-25T08:00:00.000Z';

    expect(nextStep(facts({ policy, now: sunday, openedAt: sunday, previousCallsAt: [sunday] }))).toEqual({
      kind: 'call',
      attempt: 1,
    });
  });

  test('when the time it waited for has come', () => {
    const opened = { openedAt: '2026-01-25T00:58:00.000Z' };
    const first = nextStep(facts({ ...opened, now: opened.openedAt }));

    const second = first.kind === 'wait' && nextStep(facts({ ...opened, now: first.until }));

    expect(second).toEqual({ kind: 'call', attempt: 1 });
  });
});

describe('a patient who asked to be called from five', () => {
  const preferredHours = { from: '17:00', until: null };
  const open = { ...defaultCallingPolicy, callingHours: everyDay('09:00-21:00') };
  const asked = (given: Partial<CallingFacts> = {}) => nextStep(facts({ preferredHours, ...given }));
  const waitsUntil = (until: string) => ({ kind: 'wait', until, reason: 'preferred_hours' });

  test('is called from then on, by the clock of the clinic where nobody knows theirs, and never after it closes', () => {
    expect(asked()).toEqual(waitsUntil('2026-01-21T00:00:00.000Z'));
    expect(asked({ now: '2026-01-20T23:59:59.999Z' })).toEqual(waitsUntil('2026-01-21T00:00:00.000Z'));
    expect(asked({ now: '2026-01-21T00:00:00.000Z' })).toEqual({ kind: 'call', attempt: 1 });
    expect(asked({ now: '2026-01-21T01:00:00.000Z' })).toEqual(waitsUntil('2026-01-22T00:00:00.000Z'));
  });

  test('is called by their own clock, or by that of the clinic where their number may be in several zones', () => {
    const everywhere = ['America/New_York', 'Pacific/Honolulu'];

    expect(asked({ patientZones: ['America/New_York'] })).toEqual(waitsUntil('2026-01-20T22:00:00.000Z'));
    expect(asked({ patientZones: everywhere })).toEqual(waitsUntil('2026-01-21T00:00:00.000Z'));
  });

  test('is called at five on a day on which clocks change', () => {
    const onTheEve = (instant: string) => asked({ policy: open, now: instant, openedAt: '2026-01-01T00:00:00.000Z' });
    const inTheHourThatIsSkipped = { from: '02:00', until: '03:00' };
    const policy = { ...open, callingHours: everyDay('00:00-24:00') };

    expect(onTheEve('2026-03-08T05:00:00.000Z')).toEqual(waitsUntil('2026-03-08T23:00:00.000Z'));
    expect(onTheEve('2026-11-01T05:00:00.000Z')).toEqual(waitsUntil('2026-11-02T00:00:00.000Z'));
    expect(asked({ policy, preferredHours: inTheHourThatIsSkipped, now: '2026-03-08T08:00:00.000Z' })).toEqual(
      waitsUntil('2026-03-09T08:00:00.000Z'),
    );
  });

  test('hears of other reasons where the wish makes no wait longer', () => {
    const night = { openedAt: '2026-01-20T05:00:00.000Z', now: '2026-01-20T06:00:00.000Z' };

    expect(asked({ ...night, preferredHours: { from: '08:00', until: '20:00' } })).toMatchObject({
      reason: 'calling_hours',
    });
    expect(asked({ uselessFrom: '2026-01-20T23:00:00.000Z' })).toEqual({ kind: 'no_call', reason: 'too_late' });
  });

  test('is left to staff where the clinic is never open then, and waits for no such hour', () => {
    expect(asked({ preferredHours: { from: '18:00', until: null } })).toEqual({
      kind: 'no_call',
      reason: 'no_preferred_hours',
    });
    expect(asked({ policy: { ...defaultCallingPolicy, callingHours: {} } })).toMatchObject({
      reason: 'no_calling_hours',
    });
  });

  test('may not mean hours over midnight, or none at all', () => {
    expect(preferredHoursProblem({ from: '22:00', until: '06:00' })).toContain('midnight');
    expect(preferredHoursProblem({ from: '17:00', until: '17:00' })).toContain('midnight');
    expect(preferredHoursProblem({ from: null, until: null })).toContain('from when');
    expect([preferredHours, { from: null, until: '12:00' }].map(preferredHoursProblem)).toEqual([null, null]);
  });
});

describe('the limits per patient', () => {
  const now = '2026-01-20T17:00:00.000Z';
  const allowed = (
    previousCallsAt: string[],
    callsPerPatientPerDay: number | null,
    callsPerPatientPerWeek: number | null,
  ) => allowedCallTime({ previousCallsAt, policy: { callsPerPatientPerDay, callsPerPatientPerWeek }, now });

  test('permit a first call at once', () => {
    expect(allowed([], 1, 3)).toBe(now);
  });

  test('roll over 24 hours rather than end at midnight', () => {
    expect(allowed(['2026-01-20T01:00:00.000Z'], 1, null)).toBe('2026-01-21T01:00:00.000Z');
    expect(allowed(['2026-01-19T17:00:00.000Z'], 1, null)).toBe(now);
    expect(allowed(['2026-01-19T17:00:00.001Z'], 1, null)).toBe('2026-01-20T17:00:00.001Z');
  });

  test('roll over seven days', () => {
    const calls = ['2026-01-16T17:00:00.000Z', '2026-01-14T17:00:00.000Z', '2026-01-18T17:00:00.000Z'];

    expect(allowed(calls, 1, 3)).toBe('2026-01-21T17:00:00.000Z');
    expect(allowed(calls, 1, 4)).toBe(now);
    expect(allowed([...calls, '2026-01-20T16:00:00.000Z'], 1, 4)).toBe('2026-01-21T17:00:00.000Z');
  });

  test('count only as many calls as they allow', () => {
    expect(allowed(['2026-01-20T16:00:00.000Z', '2026-01-20T10:00:00.000Z'], 2, null)).toBe('2026-01-21T10:00:00.000Z');
    expect(allowed(['2026-01-20T16:00:00.000Z'], 2, null)).toBe(now);
  });

  test('can be switched off', () => {
    expect(
      allowed(
        Array.from({ length: 50 }, () => now),
        null,
        null,
      ),
    ).toBe(now);
  });
});

test('the default policy has hours that are right', () => {
  expect(weeklyHoursProblem(defaultCallingPolicy.callingHours)).toBeNull();
});
