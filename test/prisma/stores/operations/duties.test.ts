import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

test('a duty is held, prolonged, noted and released by its holder alone, and no other duty with it', async () => {
  const { duties } = records.stores;
  const [relay, mail] = [await duties.take('relay', 'one', 60_000), await duties.take('mail', 'two', 60_000)];
  if (!relay || !mail) throw new Error('nobody holds them');
  const taken = [await duties.take('relay', 'three', 60_000), await duties.take('mail', 'three', 60_000)];
  const until = new Date('2030-01-01T00:00:00Z');
  const noted = await duties.noteDone(relay, until);
  const done = [await duties.doneUntil('relay'), await duties.doneUntil('mail')];

  await duties.release(relay);
  const afterRelease = (await duties.list()).filter(({ isHeld }) => isHeld).map(({ name }) => name);
  const follower = await duties.take('relay', 'three', 60_000);
  if (!follower) throw new Error('it was released');
  const late = [await duties.prolong(relay, 60_000, 0), await duties.noteDone(relay, new Date(0))];
  await duties.release(relay);
  const held = (await duties.list()).filter(({ isHeld }) => isHeld).map(({ name }) => name);
  const own = [await duties.prolong(follower, 60_000, 0), await duties.prolong(mail, 60_000)];

  expect([taken, noted, done]).toEqual([[null, null], true, [until, null]]);
  expect(afterRelease).toEqual(['mail']);
  expect([late, held, own]).toEqual([
    [false, false],
    ['mail', 'relay'],
    [true, true],
  ]);
  expect(follower.token).toBeGreaterThan(relay.token);
  expect(await duties.doneUntil('relay')).toEqual(until);
  const passed = (await duties.list()).filter(({ passedAt }) => passedAt !== null).map(({ name }) => name);
  expect(passed).toEqual(['relay']);
});
