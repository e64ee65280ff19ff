import { lockAccount } from '@clinic/accounts/account-factors';
import { createAccounts, type Accounts } from '@clinic/accounts/accounts';
import type { Account } from '@clinic/accounts/context';
import { createTokens } from '@clinic/accounts/library';
import { oneTimeCode } from '@clinic/accounts/second-factors';
import type { Database } from '@clinic/prisma/client';
import type { Sql } from '@clinic/prisma/sql';
import { newId, sha256Hex } from '@clinic/shared/crypto';
import type { AppError } from '@clinic/shared/errors';
import { awaitedDatabase } from '../support/awaited';
import { anAuthenticator } from '../support/outside/authenticator';
import { fromBase32 } from '../support/base32';
import { eventually } from '../support/eventually';
import { waitingForLocks, whileChanging } from '../support/locks';
import { openRecords, type Records } from '../support/records';
import { secretKeys } from '../support/stores';

const secret = 'a-secret-for-tests-of-32-characters-or-more';
const publicUrl = 'https://clinic.example';
const by = { actor: 'account:ann' };
const STEP_MS = 30_000;

type LettingIn = Parameters<Accounts['signInBySignOn']>[0];

let records: Records;
let awaited: Database;
let accounts: Accounts;
let now: number;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
  awaited = awaitedDatabase(records.database);
});
beforeEach(async () => {
  now = Date.parse('2026-03-02T15:00:10Z');
  accounts = createAccounts({ database: awaited, secret, secretKeys, publicUrl, clock: () => now });
  clinicId = await records.aClinic();
});
afterAll(() => records.close());

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

async function anAccount(about: object = {}) {
  const accountId = newId();
  const person = { name: 'Ann', email: `${accountId}@harbor.example`, role: 'staff', clinicId, ...about };
  await records.database.prisma.user.create({ data: { id: accountId, ...person } });
  return { accountId, clinicId: person.clinicId as string | null, email: person.email, name: person.name };
}
type Somebody = Awaited<ReturnType<typeof anAccount>>;

/** Its id, and the token by which it is asked for. */
async function aSession(userId: string, about: object = {}) {
  const [id, token] = [newId(), newId()];
  await records.database.prisma.session.create({
    data: { id, userId, token, expiresAt: inMinutes(60), ...about },
  });
  return { sessionId: id, token: createTokens(secret).seal(token) };
}
const open = async (userId: string) =>
  (await records.database.prisma.session.findMany({ where: { userId } })).map(({ id }) => id);
const audited = async () =>
  (await records.database.prisma.auditEntry.findMany({ where: { clinicId }, orderBy: { at: 'asc' } })).map(
    ({ action, subject }) => [action, subject],
  );

/** Codes that are confirmed, with what makes them. */
async function withCodes(account: Somebody) {
  const begun = await accounts.secondFactors.begin(account);
  const typed = fromBase32(begun.secret);
  const codeAt = (steps = 0) => oneTimeCode(typed, Math.floor(now / STEP_MS) + steps);
  const { sessionId } = await aSession(account.accountId);
  const backupCodes = await accounts.secondFactors.confirm({ ...account, sessionId, code: await codeAt() }, by);
  return { codeAt, backupCodes, sessionId };
}
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'right',
    (error: { code?: string }) => error.code,
  );

/** What somebody is answered while another process is in the midst of a change: `right`, or why not. */
const toldWhile = (change: (tx: Sql) => Promise<unknown>, ask: () => Promise<unknown>): Promise<unknown> =>
  whileChanging(records.database, change, () =>
    ask().then(
      () => 'right',
      (error: { code?: string; reason?: string }) => error.reason ?? error.code,
    ),
  );

describe('codes', () => {
  test('that are just removed are not confirmed', async () => {
    const me = await anAccount();
    const { sessionId } = await aSession(me.accountId);
    const begun = await accounts.secondFactors.begin(me);
    const code = await oneTimeCode(fromBase32(begun.secret), Math.floor(now / STEP_MS));

    const answer = await toldWhile(
      (tx) => tx`delete from second_factors where user_id = ${me.accountId}`,
      () => accounts.secondFactors.confirm({ ...me, sessionId, code }, by),
    );

    expect(answer).toBe('conflict');
  });

  test('one that somebody else is just using is used', async () => {
    const me = await anAccount();
    const { codeAt } = await withCodes(me);
    const step = Math.floor(now / STEP_MS) + 1;

    const answer = await toldWhile(
      (tx) => tx`update second_factors set last_step = ${step} where user_id = ${me.accountId}`,
      async () => accounts.secondFactors.use(me.accountId, await codeAt(1)),
    );

    expect(answer).toBe('unauthorized');
  });

  test('count once they are confirmed by a right one; as the first factor they end other sessions', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const mine = await aSession(me.accountId);
    await aSession(me.accountId);
    const theirs = await aSession(other.accountId);
    const whose = { ...me, sessionId: mine.sessionId };
    const first = await accounts.secondFactors.begin(me);
    const second = await accounts.secondFactors.begin(me);
    const codeOf = (typed: string) => oneTimeCode(fromBase32(typed), Math.floor(now / STEP_MS));
    const left = () => accounts.secondFactors.backupCodesLeft(me.accountId);

    expect(first.secret).not.toBe(second.secret);
    expect(second.url).toMatch(/^otpauth:\/\/totp\/Clinic(%20| |\+)workflows/);
    const confirm = async (code: string) => accounts.secondFactors.confirm({ ...whose, code }, by);
    expect(await outcome(confirm(await codeOf(first.secret)))).toBe('bad_request');
    expect([await left(), (await open(me.accountId)).length]).toEqual([null, 2]);
    const backup = await confirm(await codeOf(second.secret));

    expect([await left(), new Set(backup).size]).toEqual([10, 10]);
    expect(backup.every((code) => /^[a-km-np-z2-9]{4}(-[a-km-np-z2-9]{4}){3}$/.test(code))).toBe(true);
    expect([await open(me.accountId), await open(other.accountId)]).toEqual([[mine.sessionId], [theirs.sessionId]]);
    expect(await outcome(confirm(await codeOf(second.secret)))).toBe('conflict');
    expect(await outcome(accounts.secondFactors.begin(me))).toBe('conflict');
    expect(await audited()).toEqual([['second-factor.enable', me.accountId]]);
  });

  test('beside a passkey end no session', async () => {
    const me = await anAccount();
    await records.database.prisma.passkey.create({
      data: {
        id: newId(),
        userId: me.accountId,
        name: 'Key',
        credentialId: newId(),
        publicKey: 'k',
        counter: 0,
        isSynced: false,
      },
    });
    const other = await aSession(me.accountId);
    await withCodes(me);

    expect(await open(me.accountId)).toContain(other.sessionId);
  });

  test.each([
    ['this half minute, which was used', 0, 'unauthorized'],
    ['the half minute before', -1, 'unauthorized'],
    ['the next half minute', 1, 'right'],
    ['the one after', 2, 'unauthorized'],
  ])('of %s: %#', async (_when, steps, expected) => {
    const me = await anAccount();
    const { codeAt } = await withCodes(me);

    expect(await outcome(accounts.secondFactors.use(me.accountId, await codeAt(steps)))).toBe(expected);
  });

  test.each([
    [0, 'right'],
    [-1, 'right'],
    [-2, 'unauthorized'],
    [1, 'right'],
    [2, 'unauthorized'],
  ])('of %i half minutes on are %s later, once, with spaces or without', async (steps, expected) => {
    const me = await anAccount();
    const { codeAt } = await withCodes(me);
    now += 10 * STEP_MS;
    const code = await codeAt(steps);

    expect(await outcome(accounts.secondFactors.use(me.accountId, `${code.slice(0, 3)} ${code.slice(3)}`))).toBe(
      expected,
    );
    expect(await outcome(accounts.secondFactors.use(me.accountId, code))).toBe('unauthorized');
  });

  test('for who has lost the authenticator are taken once each, however they are typed, by their account alone', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { backupCodes } = await withCodes(me);
    const { backupCodes: others } = await withCodes(other);
    const [code = '', second = ''] = backupCodes;
    const use = (typed: string) => outcome(accounts.secondFactors.use(me.accountId, typed));

    expect([await use(code.toUpperCase().replaceAll('-', ' ')), await use(code)]).toEqual(['right', 'unauthorized']);
    expect([await use(others[0] ?? ''), await use(second)]).toEqual(['unauthorized', 'right']);
    expect(await accounts.secondFactors.backupCodesLeft(me.accountId)).toBe(8);
    expect(await accounts.secondFactors.backupCodesLeft(other.accountId)).toBe(10);
  });

  test('that are wrong five times lock for a quarter of an hour, right ones too; a right one forgets the wrong ones', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { backupCodes } = await withCodes(me);
    const { backupCodes: others } = await withCodes(other);
    const use = (typed: string, who = me) => outcome(accounts.secondFactors.use(who.accountId, typed));
    const wrong = async (times: number) => {
      const results = [];
      for (let time = 0; time < times; time += 1) results.push(await use('000000x'));
      return results;
    };
    const failedAgo = (minutes: number) =>
      records.database.prisma.secondFactor.update({
        where: { userId: me.accountId },
        data: { failedAt: inMinutes(-minutes) },
      });

    expect(await wrong(4)).toEqual(Array(4).fill('unauthorized'));
    expect(await use(backupCodes[0] ?? '')).toBe('right');
    expect(await wrong(5)).toEqual(Array(5).fill('unauthorized'));
    expect([await use(backupCodes[1] ?? ''), await use(others[0] ?? '', other)]).toEqual([
      'too_many_requests',
      'right',
    ]);
    await failedAgo(14);
    expect(await use(backupCodes[1] ?? '')).toBe('too_many_requests');
    await failedAgo(16);
    expect(await wrong(1)).toEqual(['unauthorized']);
    expect(await use(backupCodes[1] ?? '')).toBe('right');
  });

  test('are removed by their account or with all passkeys, once; of who has none nothing is', async () => {
    const [me, other, none] = [await anAccount(), await anAccount(), await anAccount()];
    for (const each of [me, other]) await withCodes(each);
    await accounts.secondFactors.begin(none);
    const { secondFactors } = accounts;
    const elsewhere = { ...me, clinicId: records.otherClinicId };
    await anAccount({ clinicId: records.otherClinicId });

    expect(await secondFactors.remove(elsewhere, by)).toBe(false);
    expect(await secondFactors.removeAll(elsewhere, by)).toBe(false);
    expect([await secondFactors.remove(me, by), await secondFactors.remove(me, by)]).toEqual([true, false]);
    expect([await secondFactors.remove(none, by), await secondFactors.removeAll(none, by)]).toEqual([false, false]);
    expect([await secondFactors.removeAll(other, by), await secondFactors.removeAll(other, by)]).toEqual([true, false]);
    expect(await outcome(secondFactors.use(me.accountId, 'anything'))).toBe('right');
    expect((await audited()).slice(2)).toEqual([me, other].map(({ accountId }) => ['second-factor.remove', accountId]));
  });

  test('stay where the audit cannot be told that they are removed', async () => {
    const me = await anAccount();
    await withCodes(me);
    const { remove, removeAll } = accounts.secondFactors;
    const untellable = { actor: 'account:\u0000' };

    await expect(remove(me, untellable)).rejects.toThrow('invalid byte sequence');
    await expect(removeAll(me, untellable)).rejects.toThrow('invalid byte sequence');
    expect(await outcome(accounts.secondFactors.use(me.accountId, 'anything'))).toBe('unauthorized');
  });
});

describe('a passkey', () => {
  const register = async (
    account: Somebody,
    about: { name?: string; how?: object; key?: ReturnType<typeof anAuthenticator> } = {},
  ) => {
    const key = about.key ?? anAuthenticator(publicUrl);
    const { sessionId } = await aSession(account.accountId);
    const options = await accounts.passkeys.begin(account);
    const response = key.create(options, about.how) as unknown as Parameters<
      Accounts['passkeys']['register']
    >[0]['response'];
    const whose = { ...account, sessionId, name: about.name ?? 'Phone' };
    const made = await accounts.passkeys.register({ ...whose, response }, by);
    return { key, made, sessionId, response, whose };
  };
  type Response = Parameters<Accounts['signInByPasskey']>[0]['response'];
  const shown = async (key: ReturnType<typeof anAuthenticator>, how: object = {}) =>
    key.get(await accounts.passkeys.challenge(), how) as unknown as Response;
  const signIn = async (key: ReturnType<typeof anAuthenticator>, how: object = {}) =>
    outcome(accounts.signInByPasskey({ response: await shown(key, how) }));

  test('opens a session of its account, which says from where; a challenge is used once', async () => {
    const me = await anAccount();
    const { key } = await register(me);
    const response = await shown(key);

    const { token, account } = await accounts.signInByPasskey({
      response,
      ipAddress: '192.0.2.1',
      userAgent: 'Firefox',
    });

    const expected: Account = { id: me.accountId, email: me.email, name: 'Ann', role: 'staff', clinicId };
    expect(account).toEqual(expected);
    const session = await accounts.session(token);
    expect(session).toMatchObject({ accountId: me.accountId, needsSecondFactor: false, isEmergency: false });
    const row = await records.database.prisma.session.findUniqueOrThrow({ where: { id: session?.sessionId ?? '' } });
    expect(row).toMatchObject({ ipAddress: '192.0.2.1', userAgent: 'Firefox', issuer: null, hasIssuerFactor: false });
    expect(Math.abs(row.expiresAt.getTime() - inMinutes(720).getTime())).toBeLessThan(60_000);
    expect(await outcome(accounts.signInByPasskey({ response }))).toBe('unauthorized');
    expect(await signIn(anAuthenticator(publicUrl)).catch(() => 'unauthorized')).toBe('unauthorized');
    expect((await accounts.passkeys.list(me.accountId))[0]?.usedAt).not.toBeNull();
  });

  test.each<[string, object, object]>([
    ['is disabled', { disabledAt: new Date() }, {}],
    ['has ended', { endsAt: inMinutes(-1) }, {}],
    ['is open, and the person was not asked', {}, { isUserVerified: false }],
    ['is open, and the page is another', {}, { origin: 'https://other.example' }],
  ])('opens nothing where its account %s: %#', async (_how, about, how) => {
    const me = await anAccount();
    const { key } = await register(me);
    await records.database.prisma.user.update({ where: { id: me.accountId }, data: about });

    expect(await signIn(key, how)).toBe('unauthorized');
  });

  test('opens nothing of an account that it was not made for', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { key, made } = await register(me);
    await records.database.prisma.passkey.update({ where: { id: made.id }, data: { userId: other.accountId } });

    expect(await signIn(key)).toBe('unauthorized');
    expect(await open(other.accountId)).toEqual([]);
  });

  test('that says a number it has said before may be a copy, and is refused', async () => {
    const me = await anAccount();
    const { key } = await register(me);
    expect([
      await signIn(key, { counter: 5 }),
      await signIn(key, { counter: 5 }),
      await signIn(key, { counter: 6 }),
    ]).toEqual(['right', 'unauthorized', 'right']);
  });

  test('that does not count opens its account as often as it is used', async () => {
    const { key } = await register(await anAccount());
    const used = [await signIn(key, { counter: 0 }), await signIn(key, { counter: 0 })];

    expect(used).toEqual(['right', 'right']);
  });

  test('too old a challenge makes none and opens nothing, and is forgotten', async () => {
    const me = await anAccount();
    const { key } = await register(me);
    const { prisma } = records.database;
    const age = () => prisma.passkeyChallenge.updateMany({ data: { expiresAt: inMinutes(-1) } });
    const response = await shown(key);
    await age();

    expect(await outcome(accounts.signInByPasskey({ response }))).toBe('unauthorized');
    await accounts.passkeys.challenge();
    expect(await prisma.passkeyChallenge.count({ where: { expiresAt: { lt: new Date() } } })).toBe(0);
    expect(await outcome(register(me, { how: { origin: 'https://other.example' } }))).toBe('bad_request');
    expect(await outcome(register(me, { how: { isUserVerified: false } }))).toBe('bad_request');
  });

  test('is known once; of another account’s challenge none is made', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { key } = await register(me);
    expect(await outcome(register(other, { key }))).toBe('conflict');
    const { sessionId } = await aSession(me.accountId);
    const options = await accounts.passkeys.begin(other);
    const response = anAuthenticator(publicUrl).create(options) as unknown as Parameters<
      Accounts['passkeys']['register']
    >[0]['response'];

    expect(await outcome(accounts.passkeys.register({ ...me, sessionId, name: 'Key', response }, by))).toBe(
      'bad_request',
    );
    expect(await accounts.passkeys.list(other.accountId)).toEqual([]);
  });

  test('ends other sessions where it is the first factor, and none beside another', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const before = await aSession(me.accountId);
    const theirs = await aSession(other.accountId);
    const first = await register(me);
    const ofFirst = await open(me.accountId);
    const later = await aSession(me.accountId);
    await register(me);

    expect(ofFirst).toEqual([first.sessionId]);
    expect(ofFirst).not.toContain(before.sessionId);
    expect(await open(me.accountId)).toContain(later.sessionId);
    expect(await open(other.accountId)).toEqual([theirs.sessionId]);
  });

  test.each<[string, (me: Somebody, passkeyId: string) => Promise<boolean>, left: number]>([
    ['removed', (me, passkeyId) => accounts.passkeys.remove({ ...me, passkeyId }, by), 0],
    ['there when codes are removed', (me) => accounts.secondFactors.remove(me, by), 1],
    ['removed with the codes', (me) => accounts.secondFactors.removeAll(me, by), 0],
  ])('that is %s while a session is opened: the factor goes once that is open', async (_what, remove, left) => {
    const me = await anAccount();
    await withCodes(me);
    const { made } = await register(me);
    const { database } = records;

    const held = await database.transaction(async (tx) => {
      await lockAccount(tx, me.accountId);
      const removing = remove(me, made.id);
      await eventually(async () => (await waitingForLocks(database)) === 1);
      // As the sign-in writes down that one was used: it must not find it taken by who waits for the sign-in.
      const passkeys = await tx`select id from passkeys where user_id = ${me.accountId} for update skip locked`;
      const codes = await tx`select 1 from second_factors where user_id = ${me.accountId} for update skip locked`;
      return { removing, free: [passkeys.length, codes.length] };
    });

    expect([held.free, await held.removing]).toEqual([[1, 1], true]);
    expect(await accounts.passkeys.list(me.accountId)).toHaveLength(left);
  });

  test('is renamed and removed alone, by its account; all go with the codes', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const [one, two] = [(await register(me, { name: 'One' })).made, (await register(me, { name: 'Two' })).made];
    const theirs = (await register(other)).made;
    const { passkeys, secondFactors } = accounts;
    const names = async () => (await passkeys.list(me.accountId)).map(({ name }) => name);
    const rename = (passkeyId: string) => passkeys.rename({ ...me, passkeyId, name: 'Mine' }, by);
    const remove = (passkeyId: string) => passkeys.remove({ ...me, passkeyId }, by);

    expect([await rename(one.id), await rename(theirs.id), await names()]).toEqual([true, false, ['Mine', 'Two']]);
    expect([await remove(one.id), await remove(one.id), await remove(theirs.id)]).toEqual([true, false, false]);
    expect(await names()).toEqual(['Two']);
    // Every process hears of it, and asks again what the account may do.
    const toldAt = async () =>
      (await records.database.prisma.user.findUniqueOrThrow({ where: { id: me.accountId } })).updatedAt;
    const before = await toldAt();
    await anAccount({ clinicId: records.otherClinicId });
    expect(await secondFactors.removeAll({ ...me, clinicId: records.otherClinicId }, by)).toBe(false);
    expect(await toldAt()).toEqual(before);
    expect([await secondFactors.removeAll(me, by), await names()]).toEqual([true, []]);
    expect((await toldAt()).getTime()).toBeGreaterThan(before.getTime());
    expect(await passkeys.list(other.accountId)).toHaveLength(1);
    expect((await audited()).slice(3)).toEqual([
      ['passkey.rename', me.accountId],
      ['passkey.remove', me.accountId],
      ['passkey.remove', me.accountId],
    ]);
    expect(two.name).toBe('Two');
  });

  test('every process hears when it comes or goes, as codes do, and when they prove who somebody is', async () => {
    const me = await anAccount();
    const { user } = records.database.prisma;
    /** It asks again what the account may do. */
    const isHeard = async (): Promise<boolean> => {
      const { updatedAt } = await user.findUniqueOrThrow({ where: { id: me.accountId } });
      await user.update({ where: { id: me.accountId }, data: { updatedAt: new Date(0) } });
      return updatedAt.getTime() > 0;
    };
    const heard: boolean[] = [await isHeard(), await isHeard()];

    const { backupCodes, sessionId } = await withCodes(me);
    heard.push(await isHeard());
    await accounts.stepUp({ ...me, sessionId, proof: { code: backupCodes[0] ?? '' } }, by);
    heard.push(await isHeard());
    const { made } = await register(me);
    heard.push(await isHeard());
    await accounts.passkeys.remove({ ...me, passkeyId: made.id }, by);
    heard.push(await isHeard());
    await accounts.secondFactors.remove(me, by);
    heard.push(await isHeard());

    expect(heard).toEqual([true, false, true, true, true, true, true]);
  });

  test('proves who the person of a session is, once a challenge, and nobody else', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const [{ key }, { key: theirs }] = [await register(me), await register(other)];
    const { sessionId } = await aSession(me.accountId, { provedAt: new Date(0) });
    const provedAt = async () =>
      (await records.database.prisma.session.findUniqueOrThrow({ where: { id: sessionId } })).provedAt.getTime();
    const prove = (passkey: Response) =>
      accounts.stepUp({ ...me, sessionId, proof: { passkey } }, by).then(
        () => 'right',
        ({ code, details }: { code: string; details: { path: string }[] }) => [code, details[0]?.path],
      );
    const wrong = ['bad_request', 'passkey'];

    expect(await prove(await shown(theirs))).toEqual(wrong);
    expect(await prove(await shown(key, { isUserVerified: false }))).toEqual(wrong);
    expect(await provedAt()).toBe(0);
    const response = await shown(key);
    expect([await prove(response), await prove(response)]).toEqual(['right', wrong]);
    expect(await provedAt()).toBeGreaterThan(0);
    expect((await audited()).filter(([action]) => action === 'session.step-up')).toEqual([
      ['session.step-up', me.accountId],
    ]);
  });

  test('opens nothing where the clinic signs in by single sign-on alone, but for emergency access', async () => {
    const [me, emergency] = [await anAccount(), await anAccount({ endsAt: inMinutes(30) })];
    const [{ key }, { key: its }] = [await register(me), await register(emergency)];
    await records.database.prisma.singleSignOn.create({
      data: { clinicId, issuer: 'https://login.example', clientId: 'x', roleRules: [], isOnlyWay: true },
    });

    const refused = accounts.signInByPasskey({ response: await shown(key) });

    await expect(refused).rejects.toMatchObject({ code: 'unauthorized', accountId: me.accountId });
    expect(await signIn(its)).toBe('right');
  });

  test('that cannot be told to the audit is not kept', async () => {
    const me = await anAccount();
    const { sessionId } = await aSession(me.accountId);
    const response = anAuthenticator(publicUrl).create(await accounts.passkeys.begin(me)) as unknown as Parameters<
      Accounts['passkeys']['register']
    >[0]['response'];
    const registering = accounts.passkeys.register(
      { ...me, sessionId, name: 'Key', response },
      { actor: 'account:\u0000' },
    );

    await expect(registering).rejects.toThrow('invalid byte sequence');
    expect(await accounts.passkeys.list(me.accountId)).toEqual([]);
  });

  test('opens nothing for an account that is just disabled', async () => {
    const me = await anAccount();
    const { key } = await register(me);
    const response = await shown(key);

    const answer = await toldWhile(
      (tx) => tx`update users set disabled_at = now() where id = ${me.accountId}`,
      () => accounts.signInByPasskey({ response }),
    );

    expect(answer).toBe('unauthorized');
  });

  const aRow = (userId: string) => ({
    id: newId(),
    userId,
    name: 'Key',
    credentialId: newId(),
    publicKey: 'key',
    counter: 0,
    isSynced: false,
  });
  const begunOf = async (me: Somebody) => {
    const begun = await accounts.passkeys.begin(me);
    const response = anAuthenticator(publicUrl).create(begun) as unknown as Parameters<
      Accounts['passkeys']['register']
    >[0]['response'];
    return { begun, response };
  };

  test('one that another process is just adding is counted', async () => {
    const me = await anAccount();
    await records.database.prisma.passkey.createMany({ data: Array.from({ length: 19 }, () => aRow(me.accountId)) });
    const { sessionId } = await aSession(me.accountId);
    const { response } = await begunOf(me);

    const answer = await toldWhile(
      async (tx) => {
        await lockAccount(tx, me.accountId);
        await tx`
          insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, is_synced)
          values ('twentieth', ${me.accountId}, 'Key', 'twentieth', 'key', 0, '{}', false)`;
      },
      () => accounts.passkeys.register({ ...me, sessionId, name: 'Late', response }, by),
    );

    expect(answer).toBe('conflict');
    expect(await accounts.passkeys.list(me.accountId)).toHaveLength(20);
  });

  test('there are twenty of at most, also of those begun at once, and none for a service without a name', async () => {
    const me = await anAccount();
    await records.database.prisma.passkey.createMany({ data: Array.from({ length: 19 }, () => aRow(me.accountId)) });
    const { begun, response } = await begunOf(me);
    const { sessionId } = await register(me);
    const late = accounts.passkeys.register({ ...me, sessionId, name: 'Late', response }, by);

    expect(await outcome(late)).toBe('conflict');
    expect(await accounts.passkeys.list(me.accountId)).toHaveLength(20);
    expect(begun.excludeCredentials).toHaveLength(19);
    expect(begun).toMatchObject({
      rp: { id: 'clinic.example' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      timeout: 300_000,
      attestation: 'none',
    });
    expect(begun.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-8, -7, -257]);
    expect(await outcome(accounts.passkeys.begin(me))).toBe('conflict');
    const byNumber = createAccounts({
      database: records.database,
      secret,
      secretKeys,
      publicUrl: 'http://127.0.0.1:3000',
    });
    expect(await outcome(byNumber.passkeys.challenge())).toBe('conflict');
  });
});

/** A session that is being opened, of an account that is locked for it, while something else begins that waits for the lock. */
async function whileOpeningFor(accountId: string, begin: () => Promise<unknown>): Promise<string> {
  const sessionId = newId();
  const { database } = records;
  const held = await database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const beginning = begin();
    await eventually(async () => (await waitingForLocks(database)) === 1);
    await tx`
      insert into sessions (id, user_id, token, expires_at, updated_at)
      values (${sessionId}, ${accountId}, ${newId()}, now() + interval '1 hour', now())`;
    return { beginning };
  });
  await held.beginning;
  return sessionId;
}

test.each([['codes'], ['a passkey']])(
  'who sets up %s as the first factor while a session is opened waits for that, and ends it',
  async (factor) => {
    const me = await anAccount();
    const mine = await aSession(me.accountId);
    const begun = factor === 'codes' ? await accounts.secondFactors.begin(me) : null;
    const code = begun && (await oneTimeCode(fromBase32(begun.secret), Math.floor(now / STEP_MS)));
    const whose = { ...me, sessionId: mine.sessionId };
    const options = begun ? null : await accounts.passkeys.begin(me);
    type Response = Parameters<Accounts['passkeys']['register']>[0]['response'];
    const response = options && (anAuthenticator(publicUrl).create(options) as unknown as Response);

    const sessionId = await whileOpeningFor(me.accountId, () =>
      response
        ? accounts.passkeys.register({ ...whose, name: 'Phone', response }, by)
        : accounts.secondFactors.confirm({ ...whose, code: code ?? '' }, by),
    );

    const left = await open(me.accountId);
    expect(left).toEqual([mine.sessionId]);
    expect(left).not.toContain(sessionId);
  },
);

describe('a session', () => {
  test.each<[string, { person?: object; session?: object; isRequired?: true; hasPasskey?: true }, object | null]>([
    ['of an account', {}, { isEmergency: false, needsSecondFactor: false }],
    ['of who is disabled', { person: { disabledAt: new Date() } }, null],
    ['of emergency access', { person: { endsAt: inMinutes(5) } }, { isEmergency: true, needsSecondFactor: false }],
    ['of emergency access that is over', { person: { endsAt: inMinutes(-1) } }, null],
    ['that ran out', { session: { expiresAt: inMinutes(-1) } }, null],
    ['of a week ago', { session: { createdAt: inMinutes(-7 * 24 * 60 - 1) } }, null],
    ['of almost a week', { session: { createdAt: inMinutes(-7 * 24 * 60 + 1) } }, { needsSecondFactor: false }],
    ['where a factor is required', { isRequired: true }, { needsSecondFactor: true }],
    [
      'of emergency access where one is required',
      { isRequired: true, person: { endsAt: inMinutes(5) } },
      { needsSecondFactor: false },
    ],
    [
      'whose provider vouches for one',
      { isRequired: true, session: { issuer: 'x', hasIssuerFactor: true } },
      { needsSecondFactor: false },
    ],
    ['whose provider vouches for none', { isRequired: true, session: { issuer: 'x' } }, { needsSecondFactor: true }],
    [
      'of who has a passkey, where one is required',
      { isRequired: true, hasPasskey: true },
      { needsSecondFactor: false },
    ],
  ])('%s: %#', async (_what, { person, session, isRequired, hasPasskey }, expected) => {
    if (isRequired)
      await records.database.prisma.clinic.update({ where: { id: clinicId }, data: { requiresSecondFactor: true } });
    const { accountId } = await anAccount(person);
    if (hasPasskey)
      await records.database.prisma.passkey.create({
        data: {
          id: newId(),
          userId: accountId,
          name: 'Key',
          credentialId: newId(),
          publicKey: 'k',
          counter: 0,
          isSynced: false,
        },
      });
    const { token } = await aSession(accountId, session);

    const found = await accounts.session(token);

    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  });

  test('that is asked for in the background goes on for no longer, until its person is here', async () => {
    const { accountId } = await anAccount();
    const [mine, other] = [await aSession(accountId), await aSession(accountId)];
    const endsIn = async ({ sessionId }: typeof mine) =>
      Math.round(
        ((await records.database.prisma.session.findUniqueOrThrow({ where: { id: sessionId } })).expiresAt.getTime() -
          Date.now()) /
          60_000,
      );

    await accounts.session(mine.token, { isBackground: true });
    await accounts.session(mine.token, { isBackground: true });
    const inBackground = await endsIn(mine);
    await accounts.session(mine.token);

    expect([inBackground, await endsIn(mine), await endsIn(other)]).toEqual([60, 720, 60]);
  });

  test('is proved by what its account has, the strongest first', async () => {
    const me = await anAccount();
    const [plain, vouched] = [await aSession(me.accountId), await aSession(me.accountId, { issuer: 'x' })];
    const factor = await aSession(me.accountId, { issuer: 'x', hasIssuerFactor: true });
    const ways = async ({ sessionId }: typeof plain) => [
      await accounts.stepUpBy({ accountId: me.accountId, sessionId }),
      await accounts.hasSecondFactor({ accountId: me.accountId, sessionId }),
    ];

    expect([await ways(plain), await ways(vouched), await ways(factor)]).toEqual([
      [['password'], false],
      [['sso'], false],
      [['sso'], true],
    ]);
    const { backupCodes, sessionId } = await withCodes(me);
    expect(await ways({ ...plain, sessionId })).toEqual([['code'], true]);
    await records.database.prisma.session.update({ where: { id: sessionId }, data: { provedAt: new Date(0) } });
    const other = await aSession(me.accountId, { provedAt: new Date(0) });
    const proof = (code: string) => accounts.stepUp({ ...me, sessionId, proof: { code } }, by);
    expect(await outcome(proof('000000x'))).toBe('bad_request');
    expect(await outcome(accounts.stepUp({ ...me, sessionId, proof: { password: 'x' } }, by))).toBe('bad_request');
    await proof(backupCodes[0] ?? '');
    const proved = async (id: string) =>
      (await records.database.prisma.session.findUniqueOrThrow({ where: { id } })).provedAt.getTime() > 0;
    expect([await proved(sessionId), await proved(other.sessionId)]).toEqual([true, false]);
    expect((await audited()).at(-1)).toEqual(['session.step-up', me.accountId]);
    await records.database.prisma.passkey.create({
      data: {
        id: newId(),
        userId: me.accountId,
        name: 'Key',
        credentialId: newId(),
        publicKey: 'k',
        counter: 0,
        isSynced: false,
      },
    });
    expect(await ways({ ...plain, sessionId })).toEqual([['passkey', 'code'], true]);
  });
});

describe('a password', () => {
  const password = 'quiet orange lighthouse';
  const aPerson = async (name = 'Zora Quillon') => {
    const person = { name, email: `${newId()}@lantern.example`, password, clinicId, role: 'staff' } as const;
    const { id: accountId } = await accounts.createAccount(person);
    return { accountId, clinicId, email: person.email, name, password };
  };
  const hashOf = async (userId: string) =>
    (await records.database.prisma.account.findFirstOrThrow({ where: { userId } })).password;

  test('is changed with the old one: other sessions and the links of its account end, and nobody else’s', async () => {
    const [me, other] = [await aPerson(), await aPerson()];
    const [{ sessionId }, elsewhere] = [await aSession(me.accountId), await aSession(me.accountId)];
    const theirs = await aSession(other.accountId);
    const aLink = (userId: string, email: string) =>
      records.database.prisma.accountLink.create({
        data: { id: newId(), clinicId, kind: 'reset', email, hash: newId(), userId, expiresAt: inMinutes(60) },
      });
    for (const { accountId, email } of [me, other]) await aLink(accountId, email);
    const before = await hashOf(other.accountId);

    await accounts.changePassword({ ...me, sessionId, newPassword: 'green velvet submarine' }, by);

    const links = await records.database.prisma.accountLink.findMany({ where: { clinicId } });
    expect(links.map(({ userId }) => userId)).toEqual([other.accountId]);
    expect([await open(me.accountId), await open(other.accountId)]).toEqual([[sessionId], [theirs.sessionId]]);
    expect(elsewhere.sessionId).not.toBe(sessionId);
    expect(await outcome(accounts.checkPassword(me.accountId, password))).toBe('bad_request');
    expect(await outcome(accounts.checkPassword(me.accountId, 'green velvet submarine'))).toBe('right');
    expect(await hashOf(other.accountId)).toBe(before);
    expect(await audited()).toEqual([['account.change-password', me.accountId]]);
  });

  test.each<[string, string, { newPassword?: string; password?: string }, string]>([
    ['of the words of one’s own name', 'Zora Quillon', { newPassword: 'zora-quillon' }, 'bad_request'],
    ['of the words of one’s own address', 'Zora Quillon', { newPassword: 'lantern-example' }, 'bad_request'],
    ['of the words of one’s own clinic', 'Zora Quillon', { newPassword: 'another-clinic-1' }, 'bad_request'],
    ['of the words of somebody else’s name', 'Maribel Oduya', { newPassword: 'zora-quillon' }, 'right'],
    ['that is too short', 'Zora Quillon', { newPassword: 'short' }, 'bad_request'],
    ['with an old one that is wrong', 'Zora Quillon', { password: 'wrong' }, 'bad_request'],
  ])('%s is taken or not', async (_what, name, given, expected) => {
    await aPerson(name === 'Zora Quillon' ? 'Maribel Oduya' : 'Zora Quillon');
    const me = await aPerson(name);
    const { sessionId } = await aSession(me.accountId);
    const before = await hashOf(me.accountId);

    const wanted = { ...me, sessionId, newPassword: 'green velvet submarine', ...given };
    const told = await accounts.changePassword(wanted, by).then(
      () => ({ code: 'right' }),
      ({ code, details }: { code: string; details: { path: string }[] }) => ({ code, at: details[0]?.path }),
    );

    expect(told).toEqual(
      expected === 'right'
        ? { code: 'right' }
        : { code: expected, at: given.password === undefined ? 'newPassword' : 'password' },
    );
    expect((await hashOf(me.accountId)) === before).toBe(expected !== 'right');
  });

  test('that is changed while somebody else changes it stays as they made it', async () => {
    const me = await aPerson();
    const [{ sessionId }, other] = [await aSession(me.accountId), await aSession(me.accountId)];

    const held = await records.database.transaction(async (tx) => {
      await lockAccount(tx, me.accountId);
      const changing = outcome(
        accounts.changePassword({ ...me, sessionId, newPassword: 'green velvet submarine' }, by),
      );
      await eventually(async () => (await waitingForLocks(records.database)) === 1);
      await tx`update accounts set password = 'made meanwhile' where user_id = ${me.accountId}`;
      return { changing };
    });

    expect(await held.changing).toBe('conflict');
    expect(await hashOf(me.accountId)).toBe('made meanwhile');
    expect((await open(me.accountId)).toSorted()).toEqual([sessionId, other.sessionId].toSorted());
    expect(await audited()).toEqual([]);
  });

  test.each<[string, (tx: Sql, accountId: string) => Promise<unknown>]>([
    [
      'of an account that is just disabled',
      (tx: Sql, id: string) => tx`update users set disabled_at = now() where id = ${id}`,
    ],
    [
      'that is just changed',
      (tx: Sql, id: string) => tx`update accounts set password = 'made meanwhile' where user_id = ${id}`,
    ],
    [
      'at a clinic that just comes to sign in by single sign-on alone',
      (tx: Sql) => tx`update single_sign_on set is_only_way = true where clinic_id = ${clinicId}`,
    ],
  ])('%s opens no session', async (_what, change) => {
    const me = await aPerson();
    const ofClinic = { clinicId, issuer: 'https://login.example', clientId: 'x', roleRules: [], isOnlyWay: false };
    await records.database.prisma.singleSignOn.create({ data: ofClinic });

    const answer = await toldWhile(
      (tx) => change(tx, me.accountId),
      () => accounts.signIn(me),
    );

    expect([answer, await open(me.accountId)]).toEqual(['unauthorized', []]);
  });

  test('is set by a link once, of two who use it at once too', async () => {
    const email = `${newId()}@lantern.example`;
    await records.database.prisma.accountLink.create({
      data: {
        id: newId(),
        clinicId,
        kind: 'invitation',
        email,
        role: 'staff',
        hash: sha256Hex(email),
        expiresAt: inMinutes(60),
      },
    });
    const use = (name?: string) => accounts.useLink({ token: email, name, password }, {});
    const told = (work: Promise<unknown>) =>
      work.then(
        () => 'right',
        ({ code, message, details }: AppError) => [code, message, details],
      );
    const unnamed = ['bad_request', 'name must not be empty', [{ path: 'name', message: 'must not be empty' }]];

    expect([await told(use()), await told(use(' '))]).toEqual([unnamed, unnamed]);
    const both = await Promise.all([told(use('Ann')), told(use('Ben'))]);

    expect(both).toHaveLength(2);
    expect(both).toEqual(expect.arrayContaining(['right', ['not_found', expect.stringContaining('link'), undefined]]));
    expect(await records.database.prisma.user.count({ where: { email } })).toBe(1);
  });

  test('beside a code of its account proves nothing', async () => {
    const me = await aPerson();
    const { backupCodes, sessionId } = await withCodes(me);
    const [code = ''] = backupCodes;

    expect(await outcome(accounts.stepUp({ ...me, sessionId, proof: { password, code } }, by))).toBe('bad_request');
    expect(await accounts.secondFactors.backupCodesLeft(me.accountId)).toBe(10);
    expect(await outcome(accounts.stepUp({ ...me, sessionId, proof: { code } }, by))).toBe('right');
  });
});

test('emergency access is an administrator’s account that ends, in the audit and a task of its clinic', async () => {
  const made = await accounts.beginEmergency({ clinicId, reason: 'a lock-out', minutes: 30 });

  const endsAt = new Date(now + 30 * 60_000).toISOString();
  expect(made).toMatchObject({ clinicId, endsAt });
  expect(await accounts.findByEmail(made.email)).toMatchObject({ id: made.accountId, role: 'admin', clinicId });
  expect([await accounts.clinicOf(made.accountId), await accounts.clinicOf(newId())]).toEqual([clinicId, null]);
  expect(await audited()).toEqual([['emergency.begin', made.accountId]]);
  expect((await records.stores.tasks.list(clinicId, { limit: 5 })).items).toMatchObject([
    {
      reason: 'emergency_access',
      detail: { reason: 'a lock-out', minutes: 30, endsAt, actor: `account:${made.accountId}` },
    },
  ]);
});

describe('single sign-on', () => {
  const person = (about: object = {}) => ({
    issuer: 'https://login.example',
    subject: 'ann',
    email: null,
    isEmailVerified: false,
    name: null,
    session: null,
    authenticatedAt: 1_770_000_000,
    hasFactor: false,
    ...about,
  });
  const { issuer } = person();
  const another = 'https://other.example';
  const link = (userId: string, about: object = {}) =>
    records.database.prisma.singleSignOnPerson.create({ data: { clinicId, issuer, subject: 'ann', userId, ...about } });
  const beganAt = new Date(person().authenticatedAt * 1_000);
  const later = (ms: number) => new Date(beganAt.getTime() + ms);

  test.each<[string, { person?: object; session?: object; asked?: object }, string]>([
    ['the same person, asked anew', {}, 'proved'],
    ['the same, by a clock a minute behind', { asked: { beganAt: later(60_000) } }, 'proved'],
    ['who was asked before', { asked: { beganAt: later(60_001) } }, 'not_fresh'],
    ['of whom is not said when', { person: { authenticatedAt: null } }, 'not_fresh'],
    ['another person', { person: { subject: 'bob' } }, 'not_the_same'],
    ['the same name of another provider', { person: { issuer: another } }, 'not_the_same'],
    [
      'one of another provider, whose session it is',
      { person: { issuer: another }, session: { issuer: another } },
      'not_the_same',
    ],
    ['the same in a session of another provider', { session: { issuer: another } }, 'not_the_same'],
    ['the same in a session by password', { session: { issuer: null } }, 'not_the_same'],
    ['the same in another clinic', { asked: { clinicId: 'another' } }, 'not_the_same'],
    ['somebody else, in this session', { asked: { accountId: 'another' } }, 'not_the_same'],
    ['the same, in a session of nobody', { asked: { sessionId: 'another' } }, 'not_the_same'],
  ])('%s', async (_what, given, expected) => {
    const { accountId } = await anAccount();
    await link(accountId);
    const { sessionId } = await aSession(accountId, { issuer, provedAt: new Date(0), ...given.session });
    const other = await aSession(accountId, { issuer, provedAt: new Date(0) });
    const proved = async (id: string) =>
      (await records.database.prisma.session.findUniqueOrThrow({ where: { id } })).provedAt.getTime() > 0;

    const told = await accounts
      .proveBySignOn({ clinicId, accountId, sessionId, person: person(given.person), beganAt, ...given.asked }, by)
      .then(
        () => 'proved',
        (error: { reason?: string }) => error.reason,
      );

    expect(told).toBe(expected);
    expect([await proved(sessionId), await proved(other.sessionId)]).toEqual([expected === 'proved', false]);
    expect(await audited()).toEqual(expected === 'proved' ? [['session.step-up', accountId]] : []);
  });

  test.each<[string, { notice?: object; asked?: object }, string[]]>([
    ['somebody', { notice: { subject: 'ann' } }, ['first', 'second']],
    ['one session', { notice: { session: 'one' } }, ['first', 'bobs']],
    ['one session of somebody', { notice: { subject: 'ann', session: 'one' } }, ['first']],
    ['another session of somebody', { notice: { subject: 'bob', session: 'two' } }, []],
    ['nobody whom we know', { notice: { subject: 'carl' } }, []],
    ['somebody of another provider', { notice: { subject: 'ann' }, asked: { issuer: another } }, ['elsewhere']],
    ['somebody of another clinic', { notice: { subject: 'ann' }, asked: { clinicId: 'other' } }, []],
  ])(
    'a notice that %s signed out ends their sessions of that provider, once',
    async (_what, { notice, asked }, ended) => {
      const [ann, bob] = [await anAccount(), await anAccount()];
      await link(ann.accountId);
      await link(ann.accountId, { issuer: another });
      await link(bob.accountId, { subject: 'bob' });
      const sessions = {
        first: await aSession(ann.accountId, { issuer, issuerSession: 'one' }),
        second: await aSession(ann.accountId, { issuer, issuerSession: 'two' }),
        elsewhere: await aSession(ann.accountId, { issuer: another, issuerSession: 'three' }),
        byPassword: await aSession(ann.accountId),
        bobs: await aSession(bob.accountId, { issuer, issuerSession: 'one' }),
      };
      const named = Object.fromEntries(Object.entries(sessions).map(([name, { sessionId }]) => [sessionId, name]));
      const given = {
        clinicId,
        issuer,
        notice: { jti: newId(), endsAt: inMinutes(10), subject: null, session: null, ...notice },
        ...asked,
        ...(asked && 'clinicId' in asked && { clinicId: records.otherClinicId }),
      };

      const first = await accounts.endSignOn(given, {});
      const again = await accounts.endSignOn(given, {});

      expect(first?.map((id) => named[id]).toSorted()).toEqual(ended.toSorted());
      expect(again).toBeNull();
      const left = [...(await open(ann.accountId)), ...(await open(bob.accountId))].map((id) => named[id]);
      expect(new Set(left)).toEqual(new Set(Object.keys(sessions).filter((name) => !ended.includes(name))));
      const whose = new Set(ended.map((name) => (name === 'bobs' ? bob.accountId : ann.accountId)));
      expect((await audited()).map(([action]) => action)).toEqual([...whose].map(() => 'session.end-all'));
      expect(new Set((await audited()).map(([, subject]) => subject))).toEqual(whose);
    },
  );

  test.each<[string, { role: string; others?: object[]; asked: LettingIn['role'] }, string, boolean]>([
    ['the last administrator stays one', { role: 'admin', asked: { asked: 'staff' } }, 'admin', false],
    [
      'one of two administrators is one no more',
      { role: 'admin', others: [{ role: 'admin' }], asked: { asked: 'staff' } },
      'staff',
      true,
    ],
    [
      'the last administrator beside one who is disabled stays one',
      { role: 'admin', others: [{ role: 'admin', disabledAt: new Date() }], asked: { asked: 'staff' } },
      'admin',
      false,
    ],
    [
      'the last administrator beside one of no clinic stays one',
      { role: 'admin', others: [{ role: 'admin', clinicId: null }], asked: { asked: 'staff' } },
      'admin',
      false,
    ],
    ['one of the staff becomes an administrator', { role: 'staff', asked: { asked: 'admin' } }, 'admin', true],
    ['one of the staff stays that', { role: 'staff', asked: { asked: 'staff' } }, 'staff', false],
    ['whom the dashboard made a manager stays one', { role: 'manager', asked: { unasked: 'staff' } }, 'manager', false],
  ])('%s by what the identity provider says now', async (_what, { role, others = [], asked }, expected, isChanged) => {
    for (const about of others) await anAccount(about);
    const me = await anAccount({ role });
    await link(me.accountId);
    const given = person({ email: me.email, isEmailVerified: true, session: 'one', hasFactor: true });

    const { account } = await accounts.signInBySignOn(
      { clinicId, domains: ['harbor.example'], person: given, role: asked },
      {},
    );

    expect(account).toMatchObject({ id: me.accountId, role: expected, clinicId });
    expect(await audited()).toEqual(isChanged ? [['account.change-role', me.accountId]] : []);
    expect(await records.database.prisma.session.findMany({ where: { userId: me.accountId } })).toMatchObject([
      { issuer, issuerSession: 'one', hasIssuerFactor: true },
    ]);
  });

  test('makes an account that is called by its address where the provider says no name', async () => {
    const given = person({ email: 'grace.hopper@harbor.example', isEmailVerified: true });

    const { account } = await accounts.signInBySignOn(
      { clinicId, domains: ['harbor.example'], person: given, role: { unasked: 'staff' } },
      {},
    );

    expect(account).toMatchObject({ name: 'grace.hopper', email: given.email, role: 'staff', clinicId });
  });

  test('opens no account that is disabled and has the address, and links it to nobody', async () => {
    const me = await anAccount({ disabledAt: new Date() });
    const given = person({ email: me.email, isEmailVerified: true });

    const refused = accounts.signInBySignOn(
      { clinicId, domains: ['harbor.example'], person: given, role: { unasked: 'staff' } },
      {},
    );

    await expect(refused).rejects.toMatchObject({ reason: 'disabled', accountId: me.accountId });
    expect(await records.database.prisma.singleSignOnPerson.count({ where: { clinicId } })).toBe(0);
    expect([await open(me.accountId), await audited()]).toEqual([[], []]);
  });

  test.each<[string, boolean, (tx: Sql, accountId: string) => Promise<unknown>, string]>([
    [
      'who is just disabled',
      true,
      (tx: Sql, id: string) => tx`update users set disabled_at = now() where id = ${id}`,
      'disabled',
    ],
    [
      'whose account by the address is just disabled',
      false,
      (tx: Sql, id: string) => tx`update users set disabled_at = now() where id = ${id}`,
      'disabled',
    ],
    [
      'whose clinic just comes to require a second factor',
      true,
      (tx: Sql) => tx`update clinics set requires_second_factor = true where id = ${clinicId}`,
      'no_factor',
    ],
  ])('opens nothing for somebody %s', async (_who, isLinked, change, expected) => {
    const me = await anAccount();
    if (isLinked) await link(me.accountId);
    const given = person({ email: me.email, isEmailVerified: true });
    const wanted = { clinicId, domains: ['harbor.example'], person: given, role: { unasked: 'staff' } } as const;

    const answer = await toldWhile(
      (tx) => change(tx, me.accountId),
      () => accounts.signInBySignOn(wanted, {}),
    );

    expect([answer, await open(me.accountId)]).toEqual([expected, []]);
  });

  test('of two first sign-ins of one person at once one makes the account, and both are let in', async () => {
    const { database } = records;
    const given = person({ email: `${newId()}@harbor.example`, isEmailVerified: true, subject: newId() });
    const wanted = { clinicId, domains: ['harbor.example'], person: given, role: { unasked: 'staff' } } as const;
    const come = async (count: number) => {
      const asked = accounts.signInBySignOn(wanted, {}).then(({ account }) => account.email);
      await eventually(async () => (await waitingForLocks(database)) === count, { within: 10_000 });
      return { asked };
    };

    const [first, second] = await database.transaction(async (tx) => {
      await tx`lock table audit_entries in share mode`;
      return [await come(1), await come(2)] as const;
    });

    expect(await Promise.all([first.asked, second.asked])).toEqual([given.email, given.email]);
  });

  test('with a notice those of its clinic that are over are forgotten, and no others', async () => {
    const other = await records.aClinic();
    const kept = { over: inMinutes(-1), ahead: inMinutes(1) };
    for (const whose of [clinicId, other])
      for (const [jtiHash, endsAt] of Object.entries(kept))
        await records.database.prisma.singleSignOnLogout.create({ data: { clinicId: whose, jtiHash, endsAt } });
    const notice = { jti: newId(), endsAt: inMinutes(10), subject: 'ann', session: null };

    await accounts.endSignOn({ clinicId, issuer, notice }, {});

    const left = async (whose: string) =>
      (await records.database.prisma.singleSignOnLogout.findMany({ where: { clinicId: whose } })).map(({ jtiHash }) =>
        Object.hasOwn(kept, jtiHash) ? jtiHash : 'now',
      );
    expect((await left(clinicId)).toSorted()).toEqual(['ahead', 'now']);
    expect((await left(other)).toSorted()).toEqual(['ahead', 'over']);
  });
});
