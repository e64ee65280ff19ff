import { setTimeout as delay } from 'node:timers/promises';
import { createLimits, TooManyRequests } from '@clinic/api/http/limits';
import { createUnderWay, type UnderWay } from '@clinic/api/http/under-way';
import { AppError } from '@clinic/shared/errors';
import { createGrowingDelays } from '@clinic/shared/growing-delays';
import type { Caller } from '@clinic/api/http/route';
import { createQueue } from '@clinic/accounts/password-hashing';

/** The first of its minute. */
const countSignIn = async () => ({ signIns: 1, waitMs: 60_000 });
const aRead = { access: 'clinic' } as const;
const anEvent = { access: 'inbound', countsOnce: true } as const;
const usual = { perSecond: 100, burst: 200, signInsPerMinute: 10, heldPerCaller: 3, maxUnderWay: 5, countSignIn };

const aKey = (keyId: string): Caller => ({
  kind: 'api-key',
  keyId,
  clinicId: 'clinic',
  scopes: [],
  address: '192.0.2.1',
});

/** Whether each of so many requests at once is admitted; for a refused one, the seconds it is asked to wait. */
async function flood(limits: ReturnType<typeof createLimits>, caller: Caller, count: number) {
  const results = await Promise.allSettled(Array.from({ length: count }, () => limits.count(caller)));
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  return { admitted: count - refused.length, refused };
}

test('a hundred requests a second and a burst of two hundred are admitted, for each caller by itself', async () => {
  const limits = createLimits(usual);

  const first = await flood(limits, aKey('one'), 400);
  const other = await flood(limits, aKey('other'), 300);

  expect([first.admitted, other.admitted]).toEqual([300, 300]);
  expect(first.refused.every((reason) => reason instanceof TooManyRequests)).toBe(true);
});

test('anyone who waits as long as Retry-After says is admitted again: first a hundred, with the burst after its time', async () => {
  const limits = createLimits(usual);
  const { refused } = await flood(limits, aKey('one'), 301);
  const { retryAfterSeconds } = refused[0] as TooManyRequests;

  await delay(retryAfterSeconds * 1_000);
  const afterRetry = await flood(limits, aKey('one'), 300);
  await delay(1_100);
  const afterBurst = await flood(limits, aKey('one'), 400);

  expect(retryAfterSeconds).toBe(1);
  expect(afterRetry.admitted).toBe(100);
  expect(afterBurst.admitted).toBe(300);
});

test('tools have no limit with the secret of the operator, and one with that of a clinic', async () => {
  const limits = createLimits({ ...usual, perSecond: 1, burst: 1 });

  expect((await flood(limits, { kind: 'voice', clinicId: null }, 500)).admitted).toBe(500);
  expect((await flood(limits, { kind: 'voice', clinicId: 'one' }, 500)).admitted).toBe(2);
  expect((await flood(limits, { kind: 'voice', clinicId: 'other' }, 500)).admitted).toBe(2);
});

test('a caller holds only so many requests open, whatever others hold, and one that ends makes room', () => {
  const limits = createLimits(usual);
  const [release] = Array.from({ length: 3 }, () => limits.hold(aKey('one')));

  expect(() => limits.hold(aKey('one'))).toThrow(TooManyRequests);
  limits.hold(aKey('other'));
  release?.();
  limits.hold(aKey('one'));
  expect(() => limits.hold(aKey('one'))).toThrow(TooManyRequests);
});

test('beyond so many requests under way more are refused, until one of them is done', () => {
  const limits = createLimits(usual);
  const [leave] = Array.from({ length: 5 }, () => limits.enter(aRead));

  expect(() => limits.enter(aRead)).toThrow(expect.objectContaining({ code: 'unavailable' }));
  leave?.();
  limits.enter(aRead);
  expect(() => limits.enter(aRead)).toThrow(AppError);
});

test('live tools, what counts once and what strangers ask have places of their own, whatever else is under way', () => {
  const limits = createLimits(usual);
  Array.from({ length: 5 }, () => limits.enter({ access: 'public' }));
  expect(() => limits.enter({ access: 'public' })).toThrow(AppError);
  Array.from({ length: 5 }, () => limits.enter(aRead));
  Array.from({ length: 5 }, () => limits.enter(anEvent));

  expect(() => limits.enter(aRead)).toThrow(AppError);
  expect(() => limits.enter(anEvent)).toThrow(AppError);
  limits.enter({ access: 'voice' });
});

describe('bodies that are sent slowly', () => {
  const nobody = { kind: 'nobody' } as const;
  const tries = (of: number) => Array.from({ length: of }, (_, index) => index);

  test('are a hundred of one credential at most, from whichever addresses; another has its own', () => {
    const limits = createLimits(usual);
    const [end] = tries(100).map((index) => limits.awaitBody(aKey('one'), `192.0.2.${index}`));

    expect(() => limits.awaitBody(aKey('one'), '198.51.100.1')).toThrow(TooManyRequests);
    limits.awaitBody(aKey('other'), '192.0.2.1');
    end?.();
    limits.awaitBody(aKey('one'), '198.51.100.1');
  });

  test('are a hundred of one address at most, with whichever credentials; a refused one counts nowhere', () => {
    const limits = createLimits(usual);
    const ends = tries(100).map((index) => limits.awaitBody(aKey(`${index}`), '192.0.2.1'));

    for (const caller of [nobody, aKey('one')])
      expect(() => limits.awaitBody(caller, '192.0.2.1')).toThrow(TooManyRequests);
    limits.awaitBody(nobody, '192.0.2.2');
    for (const end of ends) end();
    for (const _ of tries(100)) limits.awaitBody(aKey('one'), '192.0.2.1');
  });

  test('of platforms, which send for many clinics from few addresses, are counted by their secrets alone', () => {
    const limits = createLimits(usual);
    for (const _ of tries(100)) limits.awaitBody(nobody, '192.0.2.1');

    for (const _ of tries(100)) limits.awaitBody({ kind: 'voice', clinicId: 'one' }, '192.0.2.1');
    limits.awaitBody({ kind: 'inbound', clinicId: 'one', event: 'forms-abandoned' }, '192.0.2.1');
    expect(() => limits.awaitBody({ kind: 'voice', clinicId: 'one' }, '192.0.2.1')).toThrow(TooManyRequests);
  });
});

describe('sign-ins', () => {
  const fail = async (limits: ReturnType<typeof createLimits>, email: string, address: string) => {
    await limits.countSignIn(email, address);
    limits.signInEnded({ email, address, isRefused: true });
  };
  const tries = (of: number) => Array.from({ length: of }, (_, index) => index);

  test('of one account are refused after ten failures from anywhere, but for who has signed in from there before', async () => {
    const limits = createLimits(usual);
    limits.signInEnded({ email: 'ann@example.com', address: '192.0.2.200', isRefused: false });

    for (const index of tries(10)) await fail(limits, 'Ann@example.com', `192.0.2.${index}`);

    await expect(limits.countSignIn('ann@example.com', '192.0.2.99')).rejects.toThrow(TooManyRequests);
    await limits.countSignIn('ann@example.com', '192.0.2.200');
    await limits.countSignIn('ben@example.com', '192.0.2.99');
  });

  test('from one network are refused after twenty failures over all accounts: a spray', async () => {
    const limits = createLimits(usual);

    for (const index of tries(20)) await fail(limits, `person-${index}@example.com`, `2001:db8::${index + 1}`);

    await expect(limits.countSignIn('other@example.com', '2001:db8::ffff')).rejects.toThrow(TooManyRequests);
    await limits.countSignIn('other@example.com', '2001:db8:0:1::1');
  });

  test('of one account from one network are counted together over all processes', async () => {
    const counted: string[] = [];
    const limits = createLimits({
      ...usual,
      countSignIn: async (_email, network) => ({ signIns: counted.push(network), waitMs: 1 }),
    });

    for (const address of ['2001:db8::1', '2001:db8::2', '192.0.2.1']) {
      await limits.countSignIn('ann@example.com', address);
    }

    expect(counted).toEqual(['2001:db8::', '2001:db8::', '192.0.2.1']);
  });

  test('of who has signed in from there before wait for no failures of others behind the address, and for their own', async () => {
    const limits = createLimits(usual);
    const known = { email: 'ann@example.com', address: '192.0.2.1' };
    limits.signInEnded({ ...known, isRefused: false });
    for (const index of tries(20)) await fail(limits, `person-${index}@example.com`, known.address);

    expect(await limits.countSignIn(known.email, known.address)).toEqual({ isKnown: true });
    limits.signInEnded({ ...known, isRefused: true });
    const others = createLimits(usual);
    others.signInEnded({ ...known, isRefused: false });
    for (const _ of tries(10)) others.signInEnded({ ...known, isRefused: true });

    await expect(others.countSignIn(known.email, known.address)).rejects.toThrow(TooManyRequests);
    expect(await others.countSignIn('ben@example.com', known.address)).toEqual({ isKnown: false });
  });

  test('of who is known begin anew once one has succeeded', async () => {
    const limits = createLimits({ ...usual, signInsPerMinute: 2 });
    const known = { email: 'ann@example.com', address: '192.0.2.1' };
    limits.signInEnded({ ...known, isRefused: false });
    limits.signInEnded({ ...known, isRefused: true });
    limits.signInEnded({ ...known, isRefused: false });
    limits.signInEnded({ ...known, isRefused: true });

    expect(await limits.countSignIn(known.email, known.address)).toEqual({ isKnown: true });
  });

  test('are held back by no guesses at links, and these by no failed sign-ins', async () => {
    const counted: string[] = [];
    const limits = createLimits({ ...usual, countSignIn: async (email) => (counted.push(email), countSignIn()) });
    const address = '192.0.2.1';
    for (const _ of tries(20)) {
      limits.countLink(address);
      limits.linkEnded({ address, isRefused: true });
    }

    expect(() => limits.countLink(address)).toThrow(TooManyRequests);
    limits.countLink('198.51.100.1');
    expect(counted).toEqual([]);
    expect(await limits.countSignIn('ann@example.com', address)).toEqual({ isKnown: false });
  });

  test('one that succeeds frees its account, and not its network', async () => {
    const limits = createLimits(usual);
    for (const index of tries(20)) await fail(limits, `person-${index % 3}@example.com`, '192.0.2.1');

    limits.signInEnded({ email: 'person-0@example.com', address: '192.0.2.2', isRefused: false });

    await limits.countSignIn('person-0@example.com', '192.0.2.3');
    await expect(limits.countSignIn('person-9@example.com', '192.0.2.1')).rejects.toThrow(TooManyRequests);
  });
});

test('beyond the free failures one try at a time is admitted, however many come at once, until it has ended well', async () => {
  const limits = createLimits(usual);
  const email = (index: number) => `person-${index}@example.com`;
  const address = '192.0.2.1';
  const refused = { email: email(0), address, isRefused: true };
  for (let failures = 0; failures < 20; failures += 1) {
    await limits.countSignIn(email(failures), address);
    limits.signInEnded({ ...refused, email: email(failures) });
  }
  await delay(1_050);

  const atOnce = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => limits.countSignIn(email(100 + index), address)),
  );
  limits.signInEnded({ email: email(100), address, isRefused: false });
  await limits.countSignIn(email(200), address);

  expect(atOnce.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(limits.countSignIn(email(201), address)).rejects.toThrow(TooManyRequests);
});

test('each failure beyond the free ones doubles the wait, to a quarter of an hour; an hour without one ends it', () => {
  let now = 0;
  const delays = createGrowingDelays({ free: 2, clock: () => now });
  const waits: number[] = [];

  for (let failures = 1; failures <= 14; failures += 1) {
    delays.failed('one');
    waits.push(delays.waitMs('one') / 1_000);
  }
  now += 3_600_000;

  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  expect([delays.waitMs('one'), delays.waitMs('other')]).toEqual([0, 0]);
});

test('two hashes run at once, some wait their turn, and the rest are refused at once', async () => {
  const queue = createQueue({ maxAtOnce: 2, maxWaiting: 3 });
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
  };

  const results = await Promise.allSettled(Array.from({ length: 60 }, () => queue(work)));
  await queue(work);

  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
  expect([refused.length, ...new Set(refused)]).toEqual([55, 'too_many_requests']);
  expect(most).toBe(2);
});

test('hashes of people who are known go before those of strangers, who do not take their places either', async () => {
  const queue = createQueue({ maxAtOnce: 1, maxWaiting: 2 });
  const order: string[] = [];
  const work = (name: string) => async () => {
    await new Promise(setImmediate);
    order.push(name);
  };

  const results = await Promise.allSettled([
    ...['running', 'stranger', 'other stranger', 'third stranger'].map((name) => queue(work(name))),
    queue(work('known'), { isFirst: true }),
  ]);

  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, false, true]);
  expect(order).toEqual(['running', 'known', 'stranger', 'other stranger']);
});

describe('a process in which requests take long', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
  });
  const aProcess = (slowMs?: number) => createUnderWay({ max: 500, slowMs, now: () => now });
  /** How many more are let in at this moment. */
  const room = (underWay: UnderWay, about = { isLive: false }): number => {
    for (let count = 0; ; count += 1) {
      if (tryToEnter(underWay, about) === null) return count;
    }
  };
  /** As many as are let in, which take so long. */
  const load = (underWay: UnderWay, ms: number, times: number) => {
    for (let time = 0; time < times; time += 1) {
      const leaves = Array.from({ length: 450 }, () => tryToEnter(underWay)).filter((leave) => leave !== null);
      now += ms;
      for (const leave of leaves) leave();
    }
  };
  const tryToEnter = ({ enter }: UnderWay, about = { isLive: false }) => {
    try {
      return enter(about);
    } catch {
      return null;
    }
  };

  test('lets fewer in, down to what it always works on', () => {
    const underWay = aProcess();

    load(underWay, 1_000, 10);

    expect(room(underWay)).toBe(64);
  });

  test('lets in what may wait for a second as long as half of it waits no longer', () => {
    const [waits, waitsTooLong] = [aProcess(1_000), aProcess(1_000)];

    load(waits, 900, 10);
    load(waitsTooLong, 1_100, 10);

    expect([room(waits), room(waitsTooLong)]).toEqual([500, 64]);
  });

  test('still lets in what somebody on the phone waits for', () => {
    const underWay = aProcess();

    load(underWay, 1_000, 10);

    expect(room(underWay, { isLive: true })).toBe(500);
  });

  test('lets more in when many are quick, and a burst when it was slow long ago and has little to do', () => {
    const [quick, idle] = [aProcess(), aProcess()];
    load(quick, 250, 12);
    load(idle, 1_000, 10);
    now += 6_000;
    for (let time = 0; time < 1_000; time += 1) {
      const leave = idle.enter();
      now += 50;
      leave();
    }

    expect(room(quick)).toBe(500);
    expect(room(idle)).toBe(200);
  });

  test('is not taken to be busy for a few slow ones among many quick ones', () => {
    const underWay = aProcess();
    const slow = Array.from({ length: 20 }, () => underWay.enter());
    load(underWay, 50, 100);

    for (const leave of slow) {
      leave();
      load(underWay, 50, 1);
    }

    expect(room(underWay)).toBe(500);
  });
});

describe('how many requests are let in', () => {
  /** A process whose clock the test moves. */
  const aProcess = (about: { max?: number; slowMs?: number } = {}) => {
    const clock = { now: 10_000 };
    return { clock, ...createUnderWay({ max: 500, ...about, now: () => clock.now }) };
  };
  const some = (underWay: UnderWay, count: number, about?: { isLive: boolean }) =>
    Array.from({ length: count }, () => underWay.enter(about));
  /** How many more are let in; they leave at once, and say nothing. */
  const room = (underWay: UnderWay): number => {
    const leaves = [];
    try {
      for (;;) leaves.push(underWay.enter());
    } catch {
      for (const leave of leaves) leave({ isDone: false });
    }
    return leaves.length;
  };
  /** What is let in after so many at once took so long. */
  const roomAfter = (count: number, ms: number, about?: { max?: number; slowMs?: number }) => {
    const underWay = aProcess(about);
    const leaves = some(underWay, count);
    underWay.clock.now += ms;
    for (const leave of leaves) leave();
    return room(underWay);
  };

  test.each([
    ['a burst before anything is known', 0, 0, {}, 200],
    ['a third more than half a burst that was quick', 100, 250, {}, 260],
    ['no more than fewer than half a burst', 99, 250, {}, 200],
    ['seven tenths of so many as were slow', 100, 251, {}, 70],
    ['no fewer than sixty-four', 64, 251, {}, 64],
    ['a burst where a few were slow', 63, 251, {}, 200],
    ['no more than there may be', 100, 250, { max: 210 }, 210],
    ['all of a few', 100, 0, { max: 100 }, 100],
    ['what a window of a fifth of a second says', 100, 200, { slowMs: 100 }, 70],
    ['nothing of a shorter one', 100, 199, { slowMs: 100 }, 200],
  ])('%s', (_name, count, ms, about, expected) => {
    expect(roomAfter(count, ms, about)).toBe(expected);
  });

  test('five that ended say something, four do not', () => {
    const rooms = [4, 5].map((ended) => {
      const underWay = aProcess();
      const leaves = some(underWay, 100);
      underWay.clock.now += 300;
      leaves.forEach((leave, index) => leave({ isDone: index < ended }));
      return room(underWay);
    });

    expect(rooms).toEqual([200, 70]);
  });

  test.each([
    ['half of them', [1, 1, 300, 300, 300], 70],
    ['fewer than half', [1, 1, 1, 300, 300], 260],
  ])('of those that ended %s were slow', (_name, durations, expected) => {
    const underWay = aProcess();
    const rest = some(underWay, 95);
    const leaves = durations.toSorted((one, other) => other - one).map((ms) => ({ ms, leave: () => {} }));
    const startedAt = underWay.clock.now;
    for (const each of leaves) {
      underWay.clock.now = startedAt + 300 - each.ms;
      each.leave = underWay.enter();
    }
    underWay.clock.now = startedAt + 300;
    for (const { leave } of leaves) leave();
    for (const leave of rest) leave({ isDone: false });

    expect(room(underWay)).toBe(expected);
  });

  test('what comes again, or waits for others, says nothing of how quick the process is', () => {
    const underWay = aProcess();
    const [again, live] = [some(underWay, 100), some(underWay, 100, { isLive: true })];
    underWay.clock.now += 1_000;

    for (const leave of again) leave({ isDone: false });
    for (const leave of live) leave();

    expect(room(underWay)).toBe(200);
  });

  test('a burst is let in again more than five seconds after it was slow', () => {
    const rooms = [5_000, 5_001].map((ms) => {
      const underWay = aProcess();
      const leaves = some(underWay, 100);
      underWay.clock.now += 251;
      for (const leave of leaves) leave();
      underWay.clock.now += ms;
      return room(underWay);
    });

    expect(rooms).toEqual([70, 200]);
  });
});

describe('how long who is refused has to wait', () => {
  const secondsOf = async (work: () => unknown): Promise<number | null> => {
    try {
      await work();
      return null;
    } catch (error) {
      return error instanceof TooManyRequests ? error.retryAfterSeconds : NaN;
    }
  };
  const address = '192.0.2.1';
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('five seconds for a request held open, and for a body', async () => {
    const limits = createLimits({ ...usual, heldPerCaller: 1 });
    limits.hold(aKey('one'));
    for (let count = 0; count < 100; count += 1) limits.awaitBody(aKey('one'), address);

    expect(await secondsOf(() => limits.hold(aKey('one')))).toBe(5);
    expect(await secondsOf(() => limits.awaitBody(aKey('one'), '198.51.100.1'))).toBe(5);
  });

  test('a minute for the eleventh sign-in of one account from one network, and for the sixty-first challenge', async () => {
    const limits = createLimits(usual);
    for (let count = 0; count < 10; count += 1) await limits.countSignIn('Ann@example.com', address);
    for (let count = 0; count < 60; count += 1) await limits.countChallenge(address);

    expect(await secondsOf(() => limits.countSignIn('ann@example.com', address))).toBe(60);
    expect(await secondsOf(() => limits.countChallenge(address))).toBe(60);
    expect(await secondsOf(() => limits.countSignIn('ann@example.com', '198.51.100.1'))).toBeNull();
    expect(await secondsOf(() => limits.countChallenge('198.51.100.1'))).toBeNull();
  });

  test('a minute for a logout token after sixty that were refused, of that clinic and network; none for a thousand that were valid', async () => {
    const limits = createLimits(usual);
    const from = { clinicId: 'clinic', address };
    const sent = (code: 'bad_request' | 'unavailable' | null, who = from) =>
      limits.withLogoutToken(who, async () => {
        if (code !== null) throw new AppError(code, 'refused');
        return 'valid';
      });
    for (let count = 0; count < 1_000; count += 1) expect(await sent(null)).toBe('valid');
    for (let count = 0; count < 100; count += 1) await expect(sent('unavailable')).rejects.toThrow('refused');
    for (let count = 0; count < 60; count += 1) await expect(sent('bad_request')).rejects.toThrow('refused');

    expect(await secondsOf(() => sent(null))).toBe(60);
    expect(await secondsOf(() => sent(null, { ...from, clinicId: 'other' }))).toBeNull();
    expect(await secondsOf(() => sent(null, { ...from, address: '198.51.100.1' }))).toBeNull();
    expect(await secondsOf(() => limits.countChallenge(address))).toBeNull();
    jest.advanceTimersByTime(60_000);
    expect(await secondsOf(() => sent(null))).toBeNull();
  });

  test('what is left of the minute for the eleventh sign-in over all processes', async () => {
    const counts = [10, 11];
    const limits = createLimits({
      ...usual,
      countSignIn: async () => ({ signIns: counts.shift() ?? 0, waitMs: 30_400 }),
    });

    expect(await secondsOf(() => limits.countSignIn('ann@example.com', address))).toBeNull();
    expect(await secondsOf(() => limits.countSignIn('ann@example.com', address))).toBe(31);
  });

  test('a second, and then two, beyond twenty guesses at links; one at a time is looked at', async () => {
    const limits = createLimits(usual);
    const guess = (isRefused = true) => {
      limits.countLink(address);
      limits.linkEnded({ address, isRefused });
    };
    for (let count = 0; count < 20; count += 1) guess();

    const first = await secondsOf(() => guess());
    jest.advanceTimersByTime(1_000);
    limits.countLink(address);
    const besides = await secondsOf(() => guess());
    limits.linkEnded({ address, isRefused: false });
    guess();
    const second = await secondsOf(() => guess());

    expect([first, besides, second]).toEqual([1, 5, 2]);
  });

  test('nobody beyond ten failures for a sign-in that was left: it was no guess', async () => {
    const limits = createLimits(usual);
    const signIn = { email: 'ann@example.com', address };
    for (let count = 0; count < 10; count += 1) limits.signInEnded({ ...signIn, isRefused: true });
    jest.advanceTimersByTime(1_000);

    await limits.countSignIn(signIn.email, address);
    const besides = await secondsOf(() => limits.countSignIn(signIn.email, '198.51.100.1'));
    limits.signInLeft(signIn);

    expect(besides).toBe(5);
    expect(await secondsOf(() => limits.countSignIn(signIn.email, '198.51.100.1'))).toBeNull();
  });
});

const aSession = (sessionId: string) => ({ kind: 'session', sessionId }) as Caller;
const anInbound = (event: string): Caller => ({ kind: 'inbound', clinicId: 'clinic', event });
const aVoice = (clinicId: string): Caller => ({ kind: 'voice', clinicId });

test.each([
  ['a session', aSession('one'), aSession('other')],
  ['an inbound URL', anInbound('forms-abandoned'), anInbound('forms-completed')],
  ['a secret of a clinic', aVoice('one'), aVoice('other')],
])('%s is counted by itself, in each of the limits', async (_name, one, other) => {
  const limits = createLimits({ ...usual, perSecond: 1, burst: 1, heldPerCaller: 1 });

  const counted = [await flood(limits, one, 3), await flood(limits, other, 3)];
  limits.hold(one);
  limits.hold(other);
  for (let count = 0; count < 100; count += 1) limits.awaitBody(one, `192.0.2.${count}`);
  limits.awaitBody(other, '192.0.2.1');

  expect(counted.map(({ admitted }) => admitted)).toEqual([2, 2]);
  expect(() => limits.hold(one)).toThrow(TooManyRequests);
  expect(() => limits.awaitBody(one, '192.0.2.200')).toThrow(TooManyRequests);
});

test('who signed in before is known, of fifty thousand at most: then all are forgotten', async () => {
  const limits = createLimits(usual);
  const signedIn = (index: number) =>
    limits.signInEnded({ email: `person-${index}@example.com`, address: '192.0.2.1', isRefused: false });
  const isKnown = async (index: number) =>
    (await limits.countSignIn(`person-${index}@example.com`, '192.0.2.1')).isKnown;
  for (let index = 1; index <= 50_000; index += 1) signedIn(index);

  const before = [await isKnown(1), await isKnown(50_000), await isKnown(50_001)];
  signedIn(50_001);
  const after = [await isKnown(1), await isKnown(50_000), await isKnown(50_001)];

  expect([before, after]).toEqual([
    [true, true, false],
    [false, false, true],
  ]);
});

test('a refused body has counted nowhere: its address is free for others', () => {
  const limits = createLimits(usual);
  for (let count = 0; count < 100; count += 1) limits.awaitBody(aKey('one'), `198.51.100.${count}`);

  for (let count = 0; count < 100; count += 1)
    expect(() => limits.awaitBody(aKey('one'), '192.0.2.1')).toThrow(TooManyRequests);
  for (let count = 0; count < 100; count += 1) limits.awaitBody({ kind: 'nobody' }, '192.0.2.1');

  expect(() => limits.awaitBody({ kind: 'nobody' }, '192.0.2.1')).toThrow(TooManyRequests);
});
