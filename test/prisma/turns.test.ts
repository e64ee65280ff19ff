import { createTurns } from '@clinic/prisma/turns';

/** Work that goes on until it is told to end. */
function held(name: string, log: string[]) {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = async () => {
    log.push(`${name} begins`);
    await until;
    log.push(`${name} ends`);
    return name;
  };
  return { work, release };
}

test('work of one key goes one after the other as it came, and that of another key beside it', async () => {
  const turns = createTurns();
  const log: string[] = [];
  const [first, second, other] = ['first', 'second', 'other'].map((name) => held(name, log));
  if (!first || !second || !other) throw new Error('three were made');
  const [one, two] = [turns('a', first.work), turns('a', second.work)];
  const beside = turns('b', other.work);

  other.release();
  second.release();
  expect(await beside).toBe('other');
  expect(log).toEqual(['first begins', 'other begins', 'other ends']);
  first.release();

  expect(await Promise.all([one, two])).toEqual(['first', 'second']);
  expect(log.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
});

test('what fails fails for itself alone', async () => {
  const turns = createTurns();
  const failing = turns('a', () => Promise.reject(new Error('broken')));
  const next = turns('a', () => Promise.resolve('done'));

  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});

test('what comes while the second goes on waits for it, and a key is free again after its last', async () => {
  const turns = createTurns();
  const log: string[] = [];
  const [second, third] = [held('second', log), held('third', log)];
  const [one, two] = [turns('a', () => Promise.resolve('first')), turns('a', second.work)];
  await one;
  await new Promise((resolve) => {
    setImmediate(resolve);
  });

  const three = turns('a', third.work);
  third.release();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(log).toEqual(['second begins']);
  second.release();

  expect(await Promise.all([two, three])).toEqual(['second', 'third']);
  expect(log).toEqual(['second begins', 'second ends', 'third begins', 'third ends']);
  expect(await turns('a', () => Promise.resolve('later'))).toBe('later');
});
