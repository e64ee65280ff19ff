import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic();
});
afterAll(() => records.close());

const from = (startsAt: string, endsAt: string, actor = 'Practitioner/7') => ({
  actor,
  startsAt: `2035-03-05T${startsAt}:00.000Z`,
  endsAt: `2035-03-05T${endsAt}:00.000Z`,
});
const nine = from('09:00', '09:30');
const take = (holder: string, time = nine, of = clinicId) => records.stores.ehrTimes.take(of, { holder, ...time });
const giveBack = (holder: string, of = clinicId) => records.stores.ehrTimes.giveBack(of, holder);
/** As if so long a time had gone by. */
const pass = (seconds: number) => records.database.sql`
  update ehr_times set expires_at = expires_at - make_interval(secs => ${seconds}) where clinic_id = ${clinicId}`;

test.each([
  ['the same time', nine, false],
  ['one that begins within it', from('09:29', '10:00'), false],
  ['one that ends within it', from('08:00', '09:01'), false],
  ['one around it', from('08:00', '10:00'), false],
  ['one that begins as it ends', from('09:30', '10:00'), true],
  ['one that ends as it begins', from('08:30', '09:00'), true],
  ['the time of another practitioner', from('09:00', '09:30', 'Practitioner/70'), true],
])('while one has a time another gets %s: %j, %s', async (_what, time, isTaken) => {
  expect([await take('one'), await take('other', time)]).toEqual([true, isTaken]);
});

test('who has a time has it for longer by taking it again, or has another in its place', async () => {
  await take('one');
  await pass(110);

  expect(await take('one')).toBe(true);
  await pass(20);
  expect(await take('other')).toBe(false);
  expect(await take('one', from('10:00', '10:30'))).toBe(true);
  expect(await take('other')).toBe(true);
});

test('who is refused a time keeps the one that they had', async () => {
  await take('one');
  await take('other', from('10:00', '10:30'));

  expect(await take('other')).toBe(false);
  expect(await take('third', from('10:00', '10:30'))).toBe(false);
});

test('a visit gets a part of the time of the one in whose place it comes, which has none any more', async () => {
  const inPlaceOf = (visit: string, time: typeof nine) =>
    records.stores.ehrTimes.take(clinicId, { holder: 'new', inPlaceOf: visit, ...time });
  await take('old');
  await take('other', from('10:00', '10:30'));

  expect(await inPlaceOf('other', from('09:15', '09:45'))).toBe(false);
  expect(await inPlaceOf('old', from('09:15', '09:45'))).toBe(true);
  expect([await take('third', from('09:00', '09:15')), await take('fourth', from('09:15', '09:45'))]).toEqual([
    true,
    false,
  ]);
});

test.each([
  [119, false],
  [121, true],
])('after %d seconds another gets the time: %s', async (seconds, isTaken) => {
  await take('one');
  await pass(seconds);

  expect(await take('other')).toBe(isTaken);
});

test('a time that is given back is anybody’s, in the clinic of who had it alone', async () => {
  const elsewhere = await records.aClinic();
  await take('one');
  expect(await take('one', nine, elsewhere)).toBe(true);

  await giveBack('other');
  await giveBack('one', elsewhere);

  expect(await take('other')).toBe(false);
  expect(await take('other', nine, elsewhere)).toBe(true);
  await giveBack('one');
  expect(await take('other')).toBe(true);
});

test('of thirty at once for overlapping times one gets it, and times that lie apart do not hinder one another', async () => {
  const starts = ['09:00', '09:10', '09:20'];
  const wanted = Array.from({ length: 30 }, (_, index) => from(starts[index % 3] ?? '', '09:30'));
  const apart = Array.from({ length: 10 }, (_, index) => from('09:00', '09:30', `Practitioner/of-${index}`));

  const [taken, others] = await Promise.all([
    Promise.all(wanted.map((time, index) => take(`one-${index}`, time))),
    Promise.all(apart.map((time, index) => take(`apart-${index}`, time))),
  ]);

  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(others).toEqual(apart.map(() => true));
});

test('whose it is cannot be read', async () => {
  await take('a-call');

  const rows = await records.database.sql<{
    holder: string;
  }>`select holder from ehr_times where clinic_id = ${clinicId}`;

  expect(rows).toEqual([{ holder: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
});
