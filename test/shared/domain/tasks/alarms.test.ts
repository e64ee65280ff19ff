import { isAlarm, isBulkRead, usualReads } from '@clinic/shared/domain/tasks/alarms';
import { taskReasons } from '@clinic/shared/domain/tasks/task';

const days = (count: number, patients: number) => Array.from({ length: count }, () => patients);

test.each([
  ['few patients, by somebody who reads next to none', 199, days(20, 1), false],
  ['as many as the floor, by somebody who reads few', 200, days(20, 30), true],
  ['as many as the floor, by somebody who is new', 200, [], true],
  ['four times the usual', 400, days(20, 100), false],
  ['five times the usual', 500, days(20, 100), true],
  ['as many as usual, of a key that reads very many', 50_000, days(20, 49_000), false],
  ['a second day like one single day of many', 600, [...days(19, 20), 600], true],
  ['what began to be usual over half of the days', 600, [...days(10, 20), ...days(11, 600)], false],
])('%s: whether it is an alarm', (_, patients, before, expected) => {
  expect(isBulkRead({ patients, before })).toBe(expected);
});

test('usual is the middle of the days, whatever their order', () => {
  expect([[], [7], [9, 1], [100, 1, 3], [4, 1, 2, 1_000]].map(usualReads)).toEqual([0, 7, 5, 3, 3]);
});

test('an alarm is told from other tasks by its reason', () => {
  expect(taskReasons.filter(isAlarm)).toEqual([
    'bulk_reads',
    'emergency_access',
    'records_exported',
    'refused_sign_ins',
  ]);
});
