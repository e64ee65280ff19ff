/** @realPasswords */
import crypto from 'node:crypto';
import { createAccounts, type Accounts } from '@clinic/accounts/accounts';
import { type Change, listenToChanges } from '@clinic/prisma/changes';
import { createSignInCountStores } from '@clinic/prisma/stores/accounts/sign-in-counts';
import { openDatabase, type Database } from '@clinic/prisma/client';
import { AppError } from '@clinic/shared/errors';
import { freshDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { secretKeys } from '../support/stores';

const secret = 'a-secret-for-tests-of-32-characters-or-more';
const publicUrl = 'https://clinic.example';
const email = 'ada@harbor.example';
const password = 'correct horse battery';

let database: Database;
let accounts: Accounts;
let accountId: string;
let now: number;

beforeAll(async () => {
  database = await freshDatabase();
  await database.sql`insert into clinics (id, name, timezone) values ('harbor', 'Harbor', 'America/New_York')`;
  accountId = (await anAccounts().createAccount({ name: 'Ada', email, password, clinicId: 'harbor', role: 'admin' }))
    .id;
});

beforeEach(() => {
  now = Date.parse('2026-03-02T15:00:00Z');
  accounts = anAccounts();
});

afterAll(() => database.close());

describe('sign-ins', () => {
  const counting = () => createSignInCountStores(database);

  test('are counted over all processes, for an account and an address by themselves, whatever the case of the e-mail', async () => {
    const [one, other] = [counting(), counting()];

    const counts = [
      await one.count('Guess@harbor.example', '203.0.113.7'),
      await other.count('guess@harbor.example', '203.0.113.7'),
      await other.count('guess@harbor.example', '203.0.113.8'),
    ];

    expect(counts.map(({ signIns }) => signIns)).toEqual([1, 2, 1]);
    expect(counts.every(({ waitMs }) => waitMs > 0 && waitMs <= 60_000)).toBe(true);
  });

  test('of a minute that is over count no more, and are forgotten', async () => {
    const { count, deleteOld } = counting();
    await count(email, '203.0.113.9');
    await database.sql`update sign_in_counts set began_at = began_at - interval '61 seconds'`;
    const { signIns } = await count(email, '203.0.113.9');
    await database.sql`update sign_in_counts set began_at = began_at - interval '5 minutes'`;

    await deleteOld();

    expect(signIns).toBe(1);
    expect(await database.prisma.signInCount.count()).toBe(0);
  });
});

describe('signing in', () => {
  test('the right password opens a session whose token works as it is', async () => {
    const { token, account } = await accounts.signIn({
      email,
      password,
      ipAddress: '203.0.113.7',
      userAgent: 'Firefox',
    });

    expect(account).toEqual({ id: accountId, email, name: 'Ada', role: 'admin', clinicId: 'harbor' });
    expect(token).toMatch(/^[\w.~+/-]+=*$/);
    expect(await accounts.session(token)).toMatchObject({
      accountId,
      clinicId: 'harbor',
      role: 'admin',
      email,
      name: 'Ada',
    });
  });

  test('the e-mail is read without regard to case', async () => {
    const { account } = await accounts.signIn({ email: 'Ada@Harbor.Example', password });

    expect(account.id).toBe(accountId);
  });

  test.each([
    ['a wrong password', { email, password: 'wrong horse' }],
    ['an empty password', { email, password: '' }],
    ['an unknown e-mail', { email: 'nobody@harbor.example', password }],
    ['what is no e-mail', { email: "' or 1=1 --", password }],
  ])('%s gets the one refusal', async (_, credentials) => {
    await expect(accounts.signIn(credentials)).rejects.toEqual(
      new AppError('unauthorized', 'The e-mail or the password is wrong'),
    );
  });

  test('an unknown e-mail costs the same hash of a password as a wrong password', async () => {
    const wrong = await hashesOf(() => accounts.signIn({ email, password: 'wrong horse' }));
    const unknown = await hashesOf(() => accounts.signIn({ email: 'nobody@harbor.example', password: 'wrong horse' }));

    expect(wrong).toEqual([{ length: 64, options: expect.objectContaining({ N: 16_384, r: 16 }) }]);
    expect(unknown).toEqual(wrong);
  });

  test('where the caller was is kept, and a browser name with odd characters is no obstacle', async () => {
    const { token } = await accounts.signIn({
      email,
      password,
      ipAddress: '203.0.113.7',
      userAgent: 'Räuber ☂\u0000 1',
    });
    const { sessionId } = (await accounts.session(token))!;

    const [row] = await database.sql`select ip_address, user_agent from sessions where id = ${sessionId}`;

    expect(row).toEqual({ ip_address: '203.0.113.7', user_agent: 'Ruber  1' });
  });

  test('clears away sessions of the account that ran out', async () => {
    const { token } = await accounts.signIn({ email, password });
    const { sessionId } = (await accounts.session(token))!;
    await expireIn(sessionId, '-1 second');

    await accounts.signIn({ email, password });

    expect(await database.sql`select id from sessions where id = ${sessionId}`).toEqual([]);
  });

  test('the stored key alone is no token, nor is one signed with another secret', async () => {
    const { token } = await accounts.signIn({ email, password });
    const [key] = token.split('.');
    const foreign = anAccounts({ secret: 'another-secret-of-32-characters-or-more' });

    expect(await accounts.session(key!)).toBeNull();
    expect(await accounts.session(`${key}.`)).toBeNull();
    expect(await accounts.session(`${token}x`)).toBeNull();
    expect(await accounts.session(`${token}.x`)).toBeNull();
    expect(await accounts.session('')).toBeNull();
    expect(await foreign.session(token)).toBeNull();
  });
});

describe('a session', () => {
  let token: string;
  let sessionId: string;

  beforeEach(async () => {
    token = (await accounts.signIn({ email, password })).token;
    sessionId = (await accounts.session(token))!.sessionId;
    accounts.invalidate('*');
  });

  test('starts with 12 hours', async () => {
    expect(await hoursLeft(sessionId)).toBeCloseTo(12, 1);
  });

  test('gets 12 hours again once a quarter of an hour is used up', async () => {
    await expireIn(sessionId, '11 hours 44 minutes 55 seconds');

    await accounts.session(token);

    expect(await hoursLeft(sessionId)).toBeCloseTo(12, 1);
  });

  test('is not written at every request', async () => {
    await expireIn(sessionId, '11 hours 45 minutes 30 seconds');

    await accounts.session(token);

    expect(await hoursLeft(sessionId)).toBeCloseTo(11.76, 1);
  });

  test.each([
    ['a tenth', '53 minutes 55 seconds', 1],
    ['less than a tenth', '54 minutes 30 seconds', 0.91],
  ])('of an hour gets it again, or not, once %s of it is used up', async (_what, left, hours) => {
    await expireIn(sessionId, left);

    await anAccounts({ idleMinutes: 60 }).session(token);

    expect(await hoursLeft(sessionId)).toBeCloseTo(hours, 1);
  });

  test('that ran out is none, and does not come back', async () => {
    await expireIn(sessionId, '-1 second');

    expect(await accounts.session(token)).toBeNull();
    expect(await accounts.session(token)).toBeNull();
  });

  test('ends a week after the sign-in, however much it is used', async () => {
    const begunAgo = (interval: string) =>
      database.sql`update sessions set created_at = now() - ${interval}::interval where id = ${sessionId}`;

    await begunAgo('6 days 23 hours');
    const before = await accounts.session(token);
    await begunAgo('7 days 1 minute');
    accounts.invalidate('*');

    expect(before).toMatchObject({ sessionId });
    expect(await accounts.session(token)).toBeNull();
  });

  test('is revoked by signing out, also for what is remembered, and twice is no error', async () => {
    await accounts.session(token);

    await accounts.signOut(token);

    expect(await accounts.session(token)).toBeNull();
    await expect(accounts.signOut(token)).resolves.toBeUndefined();
    await expect(accounts.signOut('not-a-token')).resolves.toBeUndefined();
  });

  test('signing out leaves the other sessions of the account alone', async () => {
    const other = await accounts.signIn({ email, password });

    await accounts.signOut(token);

    expect(await accounts.session(other.token)).toMatchObject({ accountId });
  });

  test('is remembered for 10 s, so that most requests cost no query', async () => {
    await accounts.session(token);
    await database.sql`delete from sessions where id = ${sessionId}`;

    now += 9_999;
    expect(await accounts.session(token)).toMatchObject({ sessionId });
    now += 1;
    expect(await accounts.session(token)).toBeNull();
  });

  test.each([
    ['its own id', () => sessionId],
    ['its account', () => accountId],
    ['everything', () => '*'],
  ])('is forgotten by %s', async (_, id) => {
    await accounts.session(token);
    await database.sql`delete from sessions where id = ${sessionId}`;

    accounts.invalidate(id());

    expect(await accounts.session(token)).toBeNull();
  });

  test('read while it is being revoked is not remembered', async () => {
    const reading = accounts.session(token);
    accounts.invalidate(sessionId);
    await reading;
    await database.sql`delete from sessions where id = ${sessionId}`;

    expect(await accounts.session(token)).toBeNull();
  });

  test('revoked by one process ends in the others, as soon as the change is heard', async () => {
    const changes = listenToChanges(database.url);
    const heard: Change[] = [];
    const unsubscribe = changes.subscribe((change) => {
      heard.push(change);
      accounts.forget(change);
    });
    await eventually(() => heard.length > 0);
    await accounts.session(token);

    await anAccounts().signOut(token);
    await eventually(() => heard.some(({ table, id }) => table === 'sessions' && id === sessionId));

    expect(await accounts.session(token)).toBeNull();
    unsubscribe();
    changes.close();
  });

  test('follows its account: a changed role is seen after its change is heard', async () => {
    await accounts.session(token);
    await database.sql`update users set role = 'staff' where id = ${accountId}`;

    accounts.forget({ table: 'providers', clinicId: 'harbor', id: accountId });
    expect(await accounts.session(token)).toMatchObject({ role: 'admin' });
    accounts.forget({ table: 'users', clinicId: 'harbor', id: accountId });
    expect(await accounts.session(token)).toMatchObject({ role: 'staff' });

    await database.sql`update users set role = 'admin' where id = ${accountId}`;
  });
});

describe('an account', () => {
  test('may belong to no clinic', async () => {
    const unlinked = { name: 'Lin', email: 'lin@nowhere.example', password, clinicId: null, role: 'staff' as const };

    await accounts.createAccount(unlinked);
    const { token, account } = await accounts.signIn({ email: unlinked.email, password });

    expect(account).toMatchObject({ clinicId: null, role: 'staff' });
    expect(await accounts.session(token)).toMatchObject({ clinicId: null, role: 'staff' });
  });

  test('is found by its e-mail in any case', async () => {
    expect(await accounts.findByEmail('ADA@harbor.example')).toMatchObject({ id: accountId, role: 'admin' });
    expect(await accounts.findByEmail('nobody@harbor.example')).toBeNull();
  });

  test('a second one with the same e-mail is refused, also when both come at once', async () => {
    const twin = { name: 'Bo', email: 'Bo@harbor.example', password, clinicId: 'harbor', role: 'staff' as const };

    const results = await Promise.allSettled([accounts.createAccount(twin), accounts.createAccount(twin)]);

    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(accounts.createAccount({ ...twin, email: 'bo@harbor.example' })).rejects.toMatchObject({
      name: 'AppError',
      code: 'conflict',
    });
  });

  test.each([
    ['a short password', { email: 'cy@harbor.example', password: 'short' }],
    ['a password without end', { email: 'cy@harbor.example', password: 'x'.repeat(129) }],
    ['what is no e-mail', { email: 'cy', password }],
  ])('%s is refused', async (_, given) => {
    const made = accounts.createAccount({ name: 'Cy', clinicId: 'harbor', role: 'staff', ...given });

    await expect(made).rejects.toMatchObject({ name: 'AppError', code: 'bad_request' });
  });

  test('is made whole or not at all', async () => {
    const lost = {
      name: 'Di',
      email: 'di@harbor.example',
      password,
      clinicId: 'no-such-clinic',
      role: 'staff' as const,
    };

    await expect(accounts.createAccount(lost)).rejects.toMatchObject({ code: '23503' });

    expect(await accounts.findByEmail(lost.email)).toBeNull();
  });

  test('its password is stored as a hash', async () => {
    const [row] = await database.sql<{
      password: string | null;
    }>`select password from accounts where user_id = ${accountId}`;

    expect(row?.password).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  });
});

test('without the database nothing succeeds silently, and the sign-in says that it is not the password', async () => {
  const { token } = await accounts.signIn({ email, password });
  const unreachable = openDatabase('postgres://clinic@127.0.0.1:1/none');
  const lost = createAccounts({ database: unreachable, secret, secretKeys, publicUrl });

  await expect(lost.signIn({ email, password })).rejects.toMatchObject({ name: 'AppError', code: 'unavailable' });
  await expect(lost.session(token)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await expect(lost.signOut(token)).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  await unreachable.close();
});

function anAccounts(options: { secret?: string; idleMinutes?: number } = {}): Accounts {
  return createAccounts({ database, secret, secretKeys, publicUrl, clock: () => now, ...options });
}

async function hoursLeft(sessionId: string): Promise<number> {
  const [row] = await database.sql<{ hours: number }>`
    select extract(epoch from expires_at - now())::float8 / 3600 as hours from sessions where id = ${sessionId}`;
  return row!.hours;
}

const expireIn = (sessionId: string, interval: string) =>
  database.sql`update sessions set expires_at = now() + ${interval}::interval where id = ${sessionId}`;

/** What is asked of scrypt meanwhile: its cost is what tells one refusal from another by time. */
async function hashesOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const asked: unknown[] = [];
  const { scrypt } = crypto;
  setScrypt((secretText, salt, length, options, callback) => {
    asked.push({ length, options });
    scrypt(secretText, salt, length, options, callback);
  });
  try {
    await work().catch(() => undefined);
  } finally {
    setScrypt(scrypt);
  }
  return asked;
}

/** For those too that imported it by name; Jest's own `node:module` would not tell them. */
function setScrypt(
  scrypt: (
    secretText: crypto.BinaryLike,
    salt: crypto.BinaryLike,
    length: number,
    options: crypto.ScryptOptions,
    callback: (error: Error | null, key: Buffer) => void,
  ) => void,
): void {
  Object.assign(crypto, { scrypt });
  const { requireOnce } = globalThis as unknown as {
    requireOnce: (id: 'node:module') => { syncBuiltinESMExports(): void };
  };
  requireOnce('node:module').syncBuiltinESMExports();
}
