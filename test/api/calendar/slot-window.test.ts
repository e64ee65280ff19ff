import { boundsOf, earliest, latest, slotWindow } from '@clinic/api/fhir/slot-window';

const zone = 'America/Denver';
const now = '2026-11-24T15:00:00.000Z';
const invalid = expect.objectContaining({ code: 'bad_request', details: [expect.objectContaining({ path: 'date' })] });

/** A day, and an instant, in Denver. */
const [day, next] = ['2026-11-24T07:00:00.000Z', '2026-11-25T07:00:00.000Z'];
const [instant, after] = ['2026-11-24T16:30:00.000Z', '2026-11-24T16:30:00.001Z'];

test.each([
  ['', { from: day, until: next }, { from: instant, until: after }],
  ['eq', { from: day, until: next }, { from: instant, until: after }],
  ['ge', { from: day }, { from: instant }],
  ['gt', { from: next }, { from: after }],
  ['sa', { from: next }, { from: after }],
  ['lt', { until: day }, { until: instant }],
  ['eb', { until: day }, { until: instant }],
  ['le', { until: next }, { until: after }],
])('the prefix "%s" of a day, and of an instant', (prefix, ofDay, ofInstant) => {
  expect(boundsOf('date', `${prefix}2026-11-24`, zone)).toEqual(ofDay);
  expect(boundsOf('date', `${prefix}2026-11-24T16:30:00Z`, zone)).toEqual(ofInstant);
});

test('a day on which the clocks change is as long as it is', () => {
  expect(boundsOf('date', '2026-11-01', zone)).toEqual({
    from: '2026-11-01T06:00:00.000Z',
    until: '2026-11-02T07:00:00.000Z',
  });
});

test.each(['', 'ge', 'soon', 'gesoon', '2026-13-01', 'ap2026-11-24', 'ne2026-11-24'])('"%s" is refused', (value) => {
  expect(() => boundsOf('date', value, zone)).toThrow(invalid);
});

test.each([
  ['nothing asked', [], now, '2026-12-08T15:00:00.000Z'],
  ['a day to begin with', ['ge2026-11-24'], day, '2026-12-08T07:00:00.000Z'],
  ['one day', ['2026-11-24'], day, next],
  ['an end alone', ['lt2026-11-26'], now, '2026-11-26T07:00:00.000Z'],
  ['two days to begin with', ['ge2026-11-24', 'gt2026-11-24'], next, '2026-12-09T07:00:00.000Z'],
  ['two ends', ['ge2026-11-24', 'lt2026-11-28', 'lt2026-11-25'], day, next],
  ['an end beyond two weeks', ['ge2026-11-24', 'lt2026-12-24'], day, '2026-12-08T07:00:00.000Z'],
])('a search with %s', (_name, starts, from, until) => {
  expect(slotWindow({ starts, zone, now })).toEqual({ from, until });
});

test('the latest and the earliest of none is none', () => {
  expect([latest([]), earliest([]), latest([day, next]), earliest([next, day])]).toEqual([
    undefined,
    undefined,
    next,
    day,
  ]);
});
