import { notesOf } from '@clinic/shared/domain/operations/result-notes';

const period = { from: '2026-10-11', until: '2026-10-13' };
const zone = 'America/Denver';
const nothing = { closedDays: {}, pauses: [], endings: [] };

test('a closed day, a pause, calls that failed and calls that waited are told of on their days', () => {
  const notes = notesOf(period, zone, {
    closedDays: { '2026-10-12': 'Columbus Day', '2026-12-25': 'Christmas Day' },
    // From the evening of the 11th on the clinic's clock, to the 12th.
    pauses: [
      { reason: 'A list was imported twice', from: '2026-10-12T02:00:00.000Z', until: '2026-10-12T20:00:00.000Z' },
    ],
    endings: [
      { date: '2026-10-13', reason: 'call.start.error-http-500', calls: 4, waited: 0 },
      { date: '2026-10-13', reason: 'customer-ended-call', calls: 16, waited: 3 },
    ],
  });

  expect(notes).toEqual([
    { date: '2026-10-11', kind: 'paused', text: 'A list was imported twice', count: null },
    { date: '2026-10-12', kind: 'closed', text: 'Columbus Day', count: null },
    { date: '2026-10-12', kind: 'paused', text: 'A list was imported twice', count: null },
    { date: '2026-10-13', kind: 'faults', text: null, count: 4 },
    { date: '2026-10-13', kind: 'queue', text: null, count: 3 },
  ]);
});

test.each([
  ['two', 2, 4],
  ['few among many', 4, 60],
])('calls that failed or waited are not told of where they were %s', (_, failed, others) => {
  const endings = [
    { date: '2026-10-13', reason: 'call.start.error-http-500', calls: failed, waited: failed },
    { date: '2026-10-13', reason: 'customer-ended-call', calls: others, waited: 0 },
  ];

  expect(notesOf(period, zone, { ...nothing, endings })).toEqual([]);
});

test('a pause that nobody has ended goes on to the last day', () => {
  const pauses = [{ reason: 'Holiday', from: '2026-10-12T15:00:00.000Z', until: null }];

  expect(notesOf(period, zone, { ...nothing, pauses }).map(({ date }) => date)).toEqual(['2026-10-12', '2026-10-13']);
});
