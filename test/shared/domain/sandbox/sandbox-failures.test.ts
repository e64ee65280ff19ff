import { changesIn, fullLeniency, leniencyOf } from '@clinic/shared/domain/sandbox/leniency';
import { sandboxTime } from '@clinic/shared/domain/sandbox/sandbox-clock';
import {
  failureParameters,
  isForOperation,
  type SandboxFailureCode,
  sandboxFailureCodes,
  sandboxFailures,
  sandboxOperationNames,
} from '@clinic/shared/domain/sandbox/sandbox-failures';
import { isSystemScope, opens, scopeNeeded } from '@clinic/shared/domain/sandbox/smart-scopes';

const now = '2026-11-23T17:00:00.000Z';
const endsAt = '2026-11-23T17:00:00.001Z';
const operationsOf = (failure: SandboxFailureCode) =>
  sandboxOperationNames.filter((asked) => isForOperation({ failure, operation: null, endsAt }, asked, now)).join(' ');

const some: Partial<Record<SandboxFailureCode, string>> = {
  slot_goes: 'book reschedule',
  cancelled_meanwhile: 'reschedule',
  precondition_failed: 'reschedule cancel',
  not_found_yet: 'reschedule cancel document',
  stale_read: 'appointments',
  duplicate_patient: 'match',
  empty_bundle: 'slots appointments match',
  outcome_entry: 'slots appointments match',
  large_bundle: 'slots',
  page_changes: 'slots',
  clock_change: 'slots',
  event_given_up: 'event',
};

test.each(sandboxFailureCodes)('%s is played for the operations that it is for', (failure) => {
  expect(operationsOf(failure)).toBe(
    some[failure] ?? 'schedule slots appointments match book reschedule cancel document',
  );
});

test('a failure is played for the operation that was chosen, until its time is over', () => {
  const chosen = { failure: 'server_error', operation: 'book', endsAt } as const;

  expect(isForOperation(chosen, 'book', now)).toBe(true);
  expect(isForOperation(chosen, 'cancel', now)).toBe(false);
  expect(isForOperation({ ...chosen, endsAt: now }, 'book', now)).toBe(false);
  expect(isForOperation({ ...chosen, failure: 'stale_read' }, 'book', now)).toBe(false);
});

test('the parameters of failures, from the least to the most, and what is usual', () => {
  const shown = Object.entries(sandboxFailures).flatMap(([failure, { parameters }]) =>
    Object.entries(parameters).map(
      ([name, { unit, min, max, usual }]) => `${failure} ${name}: ${min} to ${max} ${unit}, ${usual}`,
    ),
  );

  expect(shown).toEqual([
    'slow_answer delaySeconds: 1 to 20 seconds, 10',
    'too_many_requests retryAfterSeconds: 1 to 120 seconds, 2',
    'unavailable retryAfterSeconds: 1 to 120 seconds, 2',
    'stale_read lagSeconds: 1 to 3600 seconds, 60',
    'large_bundle entries: 500 to 10000 entries, 2000',
  ]);
});

test.each<[Record<string, number>, object]>([
  [{}, { values: { delaySeconds: 10 } }],
  [{ delaySeconds: 1 }, { values: { delaySeconds: 1 } }],
  [{ delaySeconds: 20 }, { values: { delaySeconds: 20 } }],
  [{ delaySeconds: 0 }, { problem: 'delaySeconds must be a whole number of seconds from 1 to 20' }],
  [{ delaySeconds: 21 }, { problem: 'delaySeconds must be a whole number of seconds from 1 to 20' }],
  [{ delaySeconds: 1.5 }, { problem: 'delaySeconds must be a whole number of seconds from 1 to 20' }],
  [{ entries: 500 }, { problem: 'slow_answer has no parameter entries; it has delaySeconds' }],
])('a slow answer with %j', (given, expected) => {
  expect(failureParameters('slow_answer', given)).toEqual(expected);
});

test('a failure without parameters takes none', () => {
  expect(failureParameters('server_error', {})).toEqual({ values: {} });
  expect(failureParameters('server_error', { toString: 1 })).toEqual({
    problem: 'server_error has no parameter toString',
  });
});

test('a clock that was set stands still or goes on, and one that was not shows the time', () => {
  const realNow = new Date(now);
  const shows = '2027-01-01T00:00:00.000Z';

  expect(sandboxTime(null, realNow)).toEqual(realNow);
  expect(sandboxTime({ shows, runsSince: null }, realNow)).toEqual(new Date(shows));
  expect(sandboxTime({ shows, runsSince: '2026-11-23T16:00:00.000Z' }, realNow)).toEqual(
    new Date('2027-01-01T01:00:00.000Z'),
  );
});

test('only what differs from the beginning is a change of leniency', () => {
  const unknown = { ...fullLeniency, isForgotten: true };

  expect(changesIn({ ...unknown, reschedules: false })).toEqual({ reschedules: false });
  expect(leniencyOf({ reschedules: true })).toBe(fullLeniency);
  expect(leniencyOf({ reschedules: false })).toEqual({ ...fullLeniency, reschedules: false });
});

test.each([
  ['system/Patient.read', true],
  ['system/*.write', true],
  ['system/Patient.*', true],
  ['system/Patient.cruds', true],
  ['system/Patient.rs', true],
  ['system/Patient.sr', false],
  ['system/Patient.', false],
  ['system/patient.rs', false],
  ['user/Patient.rs', false],
  ['system/Patient.rs?status=active', false],
  ['a system/Patient.rs', false],
])('%s is a scope of a system: %s', (scope, expected) => {
  expect(isSystemScope(scope)).toBe(expected);
});

test.each([
  ['system/Patient.read', 'Patient', 'r', true],
  ['system/Patient.read', 'Patient', 's', true],
  ['system/Patient.read', 'Patient', 'u', false],
  ['system/Patient.write', 'Patient', 'c', true],
  ['system/Patient.write', 'Patient', 'rs', false],
  ['system/Patient.*', 'Patient', 'd', true],
  ['system/*.rs', 'Slot', 's', true],
  ['system/Slot.s', 'Slot', 'r', false],
  ['system/Slot.s', 'Slot', 'rs', true],
  ['system/Slot.s', 'Patient', 's', false],
  ['system/Slot.s system/Patient.r', 'Patient', 'r', true],
  ['launch openid', 'Patient', 'r', false],
  ['', '', 'r', false],
])('%s opens %s for %s: %s', (scopes, resource, anyOf, expected) => {
  expect(opens(scopes, { resource, anyOf })).toBe(expected);
});

test.each([
  ['get', '/Slot', 'Slot s'],
  ['get', '/Appointment/a1', 'Appointment r'],
  ['get', '/Appointment/a1/_history', 'Appointment r'],
  ['post', '/Appointment', 'Appointment c'],
  ['put', '/Appointment/a1', 'Appointment u'],
  ['delete', '/Subscription/s1', 'Subscription d'],
  ['post', '/Appointment/$book', 'Appointment c'],
  ['post', '/Appointment/$hold', 'Appointment c'],
  ['post', '/Appointment/$find', 'Slot s'],
  ['post', '/Appointment/a1/$reschedule', 'Appointment u'],
  ['post', '/Patient/$match', 'Patient rs'],
  ['post', '/Slot/$explain', 'Slot s'],
  ['get', '/Subscription/s1/$status', 'Subscription rs'],
  ['get', '/Subscription/s1/$events', 'Subscription rs'],
  ['get', '/Basic/topic', undefined],
])('%s %s needs %s', (method, path, needed) => {
  const need = scopeNeeded(method, path);

  expect(need ? `${need.resource} ${need.anyOf}` : undefined).toBe(needed);
});
