import { newId, sha256Hex } from '@clinic/shared/crypto';
import { MAX_VIEWS } from '@clinic/shared/domain/accounts/saved-view';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic('Harbor');
});
afterAll(() => records.close());

const by = { actor: 'account:admin' };
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
const later = inHours(1);
const before = inHours(-1);

async function anAccount(about: object = {}): Promise<string> {
  const id = newId();
  const person = { name: 'Ann Lee', email: `${id}@harbor.example`, role: 'staff' };
  await records.database.prisma.user.create({ data: { id, clinicId, ...person, ...about } });
  return id;
}
const anOperator = () => anAccount({ clinicId: null, role: 'operator' });

async function aSession(userId: string, about: object = {}): Promise<string> {
  const id = newId();
  await records.database.prisma.session.create({ data: { id, userId, token: newId(), expiresAt: later, ...about } });
  return id;
}
const sessionsOf = async (userId: string) =>
  (await records.database.prisma.session.findMany({ where: { userId } })).map(({ id }) => id);

const aPasskey = (userId: string) =>
  records.database.prisma.passkey.create({
    data: { id: newId(), userId, name: 'Phone', credentialId: newId(), publicKey: 'key', counter: 0, isSynced: false },
  });
const codes = (userId: string, confirmedAt: Date | null) =>
  records.database.prisma.secondFactor.create({ data: { userId, secret: 'sealed', confirmedAt } });

const audited = async (clinic = clinicId) =>
  (await records.database.prisma.auditEntry.findMany({ where: { clinicId: clinic }, orderBy: { at: 'asc' } })).map(
    ({ action, subject }) => [action, subject],
  );

describe('who works for a clinic', () => {
  test.each<[string, object, boolean]>([
    ['open', {}, true],
    ['disabled', { disabledAt: before }, false],
    ['for a while, which goes on', { endsAt: later }, true],
    ['for a while, which is over', { endsAt: before }, false],
    ['for a while, and disabled', { endsAt: later, disabledAt: before }, false],
  ])('%s: %#', async (_how, about, isOpen) => {
    const id = await anAccount(about);
    await anAccount({ clinicId: records.otherClinicId });

    expect((await records.stores.staff.list(clinicId)).map((each) => [each.id, each.isOpen])).toEqual([[id, isOpen]]);
    expect((await records.stores.staff.find(clinicId, id))?.isOpen).toBe(isOpen);
    expect(await records.stores.staff.find(clinicId, newId())).toBeNull();
  });

  test('is shown to administrators with factors and open sessions, by name; operators apart', async () => {
    const none = await anAccount({ name: 'Dan' });
    const begun = await anAccount({ name: 'Ben' });
    const confirmed = await anAccount({ name: 'Cem' });
    const passkey = await anAccount({ name: 'Ann' });
    const operator = await anOperator();
    await codes(begun, null);
    await codes(confirmed, before);
    await aPasskey(passkey);
    await aSession(none);
    await aSession(none);
    await aSession(none, { expiresAt: before });

    const shown = await records.stores.staff.accounts(clinicId);
    const operators = await records.stores.staff.accounts(null);

    expect(shown.map(({ id, hasSecondFactor, sessions }) => [id, hasSecondFactor, sessions])).toEqual([
      [passkey, true, 0],
      [begun, false, 0],
      [confirmed, true, 0],
      [none, false, 2],
    ]);
    expect(operators.map(({ id }) => id)).toContain(operator);
    expect(operators.every(({ role }) => role === 'operator')).toBe(true);
  });
});

describe('the last administrator', () => {
  test.each<[string, object, boolean]>([
    ['another one', {}, true],
    ['one of another clinic', { clinicId: 'other' }, false],
    ['a manager', { role: 'manager' }, false],
    ['one who is disabled', { disabledAt: before }, false],
    ['emergency access', { endsAt: later }, false],
  ])('may go where there is %s: %#', async (_who, about, mayGo) => {
    const { staff } = records.stores;
    const id = await anAccount({ role: 'admin' });
    await anAccount({ role: 'admin', ...about, ...('clinicId' in about && { clinicId: records.otherClinicId }) });
    const refused = (work: Promise<boolean>) => work.catch((error: { code?: string }) => error.code);

    expect(await refused(staff.changeRole({ clinicId, id, role: 'admin' }, by))).toBe(true);
    expect(await refused(staff.changeRole({ clinicId, id, role: 'staff' }, by))).toBe(mayGo || 'conflict');
    if (mayGo) await staff.changeRole({ clinicId, id, role: 'admin' }, by);
    expect(await refused(staff.disable({ clinicId, id }, by))).toBe(mayGo || 'conflict');
  });

  test('is kept where two disable each other at once', async () => {
    const { staff } = records.stores;
    const ids = [await anAccount({ role: 'admin' }), await anAccount({ role: 'admin' })];
    const disable = (id: string) =>
      staff.disable({ clinicId, id }, by).catch((error: { code?: string }) => error.code ?? 'failed');

    const disabling = await records.database.transaction(async (tx) => {
      await tx`select id from users where clinic_id = ${clinicId} for update`;
      const results = Promise.all(ids.map(disable));
      await eventually(async () => (await waitingForLocks(records.database)) > 1);
      return { results };
    });

    expect(new Set(await disabling.results)).toEqual(new Set([true, 'conflict']));
  });

  test('keeps nobody else from going', async () => {
    await anAccount({ role: 'admin' });
    const id = await anAccount({ role: 'manager' });

    expect(await records.stores.staff.changeRole({ clinicId, id, role: 'staff' }, by)).toBe(true);
    expect(await records.stores.staff.disable({ clinicId, id }, by)).toBe(true);
  });
});

test('a role is changed once, for one account, and is in the audit', async () => {
  const [id, other] = [await anAccount(), await anAccount()];
  const change = (of: string) => records.stores.staff.changeRole({ clinicId, id: of, role: 'manager' }, by);

  expect([await change(id), await change(id), await change(newId())]).toEqual([true, true, false]);

  expect((await records.stores.staff.find(clinicId, id))?.role).toBe('manager');
  expect((await records.stores.staff.find(clinicId, other))?.role).toBe('staff');
  expect(await audited()).toEqual([['account.change-role', id]]);
});

test('an account that is disabled loses its sessions and links, once, and is opened again; others keep theirs', async () => {
  const { staff, accountLinks } = records.stores;
  const [id, other] = [await anAccount(), await anAccount()];
  await aSession(id);
  const kept = await aSession(other);
  const mine = await accountLinks.reset({ clinicId, id }, by);
  const others = await accountLinks.reset({ clinicId, id: other }, by);

  const third = await anAccount({ disabledAt: before });
  const disabled = [await staff.disable({ clinicId, id }, by), await staff.disable({ clinicId, id }, by)];
  const at = await records.database.prisma.user.findUniqueOrThrow({ where: { id } });
  const left = [await sessionsOf(id), await sessionsOf(other)];
  const links = [await accountLinks.find(mine?.token ?? ''), await accountLinks.find(others?.token ?? '')];
  const refused = await accountLinks.reset({ clinicId, id }, by).catch((error: { code?: string }) => error.code);
  const enabled = [await staff.enable({ clinicId, id }, by), await staff.enable({ clinicId, id }, by)];

  expect([disabled, enabled]).toEqual([
    [true, true],
    [true, true],
  ]);
  expect([
    await staff.disable({ clinicId, id: newId() }, by),
    await staff.enable({ clinicId, id: newId() }, by),
  ]).toEqual([false, false]);
  expect([at.disabledAt !== null, (await staff.find(clinicId, id))?.isOpen]).toEqual([true, true]);
  expect((await staff.find(clinicId, other))?.isOpen).toBe(true);
  expect((await staff.find(clinicId, third))?.isOpen).toBe(false);
  expect(left).toEqual([[], [kept]]);
  expect(links.map((link) => link?.kind ?? null)).toEqual([null, 'reset']);
  expect(refused).toBe('conflict');
  expect((await audited()).slice(2)).toEqual([
    ['account.disable', id],
    ['account.enable', id],
  ]);
});

test("an operator's account is disabled and opened among operators alone, and is in no clinic's audit", async () => {
  const { staff } = records.stores;
  const id = await anOperator();
  await aSession(id);

  expect(await staff.disable({ clinicId, id }, by)).toBe(false);
  expect(await staff.disable({ clinicId: null, id }, by)).toBe(true);
  expect(await sessionsOf(id)).toEqual([]);
  expect(await staff.enable({ clinicId: null, id }, by)).toBe(true);
  expect((await staff.accounts(null)).find((each) => each.id === id)?.disabledAt).toBeNull();
  expect(await audited()).toEqual([]);
});

describe('a second factor', () => {
  test.each<[string, { person?: object; confirmedAt?: Date | null; hasPasskey?: true; isOnlyWay?: boolean }, number]>([
    ['is missing', {}, 1],
    ['is not confirmed', { confirmedAt: null }, 1],
    ['is confirmed', { confirmedAt: before }, 0],
    ['is a passkey', { hasPasskey: true }, 0],
    ['is not asked of a disabled account', { person: { disabledAt: before } }, 0],
    ['is not asked of emergency access', { person: { endsAt: later } }, 0],
    ['is not asked of another clinic', { person: { clinicId: null } }, 0],
    ['is up to the identity provider, where that is the only way in', { isOnlyWay: true }, 0],
    ['is missing beside an identity provider', { isOnlyWay: false }, 1],
  ])('%s: %#', async (_how, { person, confirmedAt, hasPasskey, isOnlyWay }, withoutOne) => {
    const id = await anAccount(person);
    if (confirmedAt !== undefined) await codes(id, confirmedAt);
    if (hasPasskey) await aPasskey(id);
    const sso = { issuer: 'https://sso.example', clientId: 'clinic', roleRules: [] };
    if (isOnlyWay !== undefined)
      await records.database.prisma.singleSignOn.create({ data: { clinicId, ...sso, isOnlyWay } });

    expect(await records.stores.staff.secondFactorRule(clinicId)).toEqual({ isRequired: false, withoutOne });
  });

  test('that is required ends sessions of single sign-on without one, and no others; once', async () => {
    const { staff } = records.stores;
    const [id, stranger] = [await anAccount(), await anAccount({ clinicId: records.otherClinicId })];
    const issuer = 'https://sso.example';
    await aSession(id, { issuer });
    const kept = [await aSession(id), await aSession(id, { issuer, hasIssuerFactor: true })];
    const theirs = await aSession(stranger, { issuer });
    const require = (isRequired: boolean) => staff.requireSecondFactor({ clinicId, isRequired }, by);

    await require(false);
    await require(true);
    await require(true);

    expect((await sessionsOf(id)).toSorted()).toEqual(kept.toSorted());
    expect(await sessionsOf(stranger)).toEqual([theirs]);
    expect((await staff.secondFactorRule(clinicId)).isRequired).toBe(true);
    expect((await staff.secondFactorRule(records.otherClinicId)).isRequired).toBe(false);
    const again = await aSession(id, { issuer });
    await require(false);
    expect(await sessionsOf(id)).toContain(again);
    expect(await audited()).toEqual([
      ['second-factor.require', clinicId],
      ['second-factor.stop-requiring', clinicId],
    ]);
  });
});

test('a second factor that two require at once is required once', async () => {
  const { staff } = records.stores;

  const requiring = await records.database.transaction(async (tx) => {
    await tx`select id from clinics where id = ${clinicId} for update`;
    const both = Promise.all([1, 2].map(() => staff.requireSecondFactor({ clinicId, isRequired: true }, by)));
    await eventually(async () => (await waitingForLocks(records.database)) > 1);
    return { both };
  });
  await requiring.both;

  expect(await audited()).toEqual([['second-factor.require', clinicId]]);
});

describe('sessions of an account', () => {
  test('are listed while they are open, the one that was used last first, and end one by one or all', async () => {
    const { accountSessions } = records.stores;
    const [accountId, other] = [await anAccount(), await anAccount()];
    const whose = { clinicId, accountId };
    const old = await aSession(accountId, { updatedAt: before });
    const recent = await aSession(accountId, { updatedAt: later, ipAddress: '192.0.2.1', userAgent: 'Firefox' });
    await aSession(accountId, { expiresAt: before });
    const theirs = await aSession(other);

    const listed = await accountSessions.list(whose);
    const ended = [
      await accountSessions.end({ ...whose, sessionId: theirs }, by),
      await accountSessions.end({ ...whose, sessionId: old }, by),
      await accountSessions.end({ ...whose, sessionId: old }, by),
    ];
    const left = await sessionsOf(accountId);
    const count = [await accountSessions.endAll(whose, by), await accountSessions.endAll(whose, by)];

    expect(listed.map(({ id }) => id)).toEqual([recent, old]);
    expect(listed[0]).toMatchObject({ address: '192.0.2.1', userAgent: 'Firefox' });
    expect(ended).toEqual([false, true, false]);
    expect([left.includes(recent), left.includes(old)]).toEqual([true, false]);
    expect(count).toEqual([2, 0]);
    expect(await sessionsOf(other)).toEqual([theirs]);
    expect(await audited()).toEqual([
      ['session.end', accountId],
      ['session.end-all', accountId],
    ]);
  });

  test("of an operator end too, and are in nobody's audit", async () => {
    const { accountSessions } = records.stores;
    const accountId = await anOperator();
    const whose = { clinicId: null, accountId };
    const sessionId = await aSession(accountId);
    await aSession(accountId);

    expect(await accountSessions.list({ clinicId, accountId })).toEqual([]);
    expect(await accountSessions.list(whose)).toHaveLength(2);
    expect(await accountSessions.end({ ...whose, sessionId }, by)).toBe(true);
    expect(await accountSessions.endAll(whose, by)).toBe(1);
  });
});

describe('a link', () => {
  const invite = (email: string) => records.stores.accountLinks.invite({ clinicId, email, role: 'manager' }, by);

  test('invites, for 72 hours, in place of the one before for the same address', async () => {
    const { accountLinks } = records.stores;
    const first = await invite('Bo@Harbor.example');
    const other = await invite('cy@harbor.example');
    const second = await invite('bo@harbor.example');

    const opened = await Promise.all([first, other, second].map(({ token }) => accountLinks.find(token)));
    const listed = await accountLinks.invitations(clinicId);

    expect(opened.map((link) => link && [link.kind, link.clinicName, link.email, link.name])).toEqual([
      null,
      ['invitation', 'Harbor', 'cy@harbor.example', null],
      ['invitation', 'Harbor', 'bo@harbor.example', null],
    ]);
    expect(Math.abs(second.expiresAt.getTime() - inHours(72).getTime())).toBeLessThan(60_000);
    expect(new Set(listed.map(({ id, email, role }) => `${id} ${email} ${role}`))).toEqual(
      new Set([`${second.id} bo@harbor.example manager`, `${other.id} cy@harbor.example manager`]),
    );
    expect(await audited()).toEqual([first, other, second].map(({ id }) => ['account.invite', id]));
  });

  test('is withdrawn once; that of a reset is no invitation', async () => {
    const { accountLinks } = records.stores;
    const account = await anAccount();
    const [made, kept] = [await invite('bo@harbor.example'), await invite('cy@harbor.example')];
    const reset = await accountLinks.reset({ clinicId, id: account }, by);
    const withdraw = (id: string) => accountLinks.withdraw(clinicId, id, by);

    expect([await withdraw(made.id), await withdraw(made.id), await withdraw(reset?.id ?? '')]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await accountLinks.invitations(clinicId)).map(({ id }) => id)).toEqual([kept.id]);
    expect((await accountLinks.find(reset?.token ?? ''))?.kind).toBe('reset');
    expect((await audited()).slice(3)).toEqual([['account.withdraw-invitation', made.id]]);
  });

  test('that has expired opens nothing, is not listed, and makes room for others', async () => {
    const { prisma } = records.database;
    const { accountLinks } = records.stores;
    const expired = await invite('bo@harbor.example');
    await prisma.accountLink.update({ where: { id: expired.id }, data: { expiresAt: before } });
    const rows = Array.from({ length: 199 }, (_, index) => ({
      id: newId(),
      clinicId,
      kind: 'invitation',
      email: `n${index}@harbor.example`,
      role: 'staff',
      hash: sha256Hex(newId()),
      expiresAt: later,
    }));
    await prisma.accountLink.createMany({ data: rows });
    const seen = [await accountLinks.find(expired.token), (await accountLinks.invitations(clinicId)).length];

    await accountLinks.reset({ clinicId, id: await anAccount() }, by);
    await invite('cy@harbor.example');

    expect(seen).toEqual([null, 199]);
    expect(await prisma.accountLink.findUnique({ where: { id: expired.id } })).toBeNull();
    await expect(invite('dy@harbor.example')).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      accountLinks.invite({ clinicId: records.otherClinicId, email: 'dy@harbor.example', role: 'staff' }, by),
    ).resolves.toMatchObject({ email: 'dy@harbor.example' });
  });

  test('is not made for who has an account of the clinic', async () => {
    const id = await anAccount();

    await expect(invite(`${id}@harbor.example`)).rejects.toMatchObject({ code: 'conflict' });
    const elsewhere = { clinicId: records.otherClinicId, email: `${id}@harbor.example`, role: 'staff' as const };
    expect((await records.stores.accountLinks.invite(elsewhere, by)).email).toBe(`${id}@harbor.example`);
  });

  test('sets a password anew, for 72 hours, in place of the one before; nobody is asked whose access ends by itself', async () => {
    const { accountLinks } = records.stores;
    const [id, other, emergency] = [await anAccount(), await anAccount(), await anAccount({ endsAt: later })];
    const first = await accountLinks.reset({ clinicId, id }, by);
    const theirs = await accountLinks.reset({ clinicId, id: other }, by);
    const second = await accountLinks.reset({ clinicId, id }, by);

    const opened = await Promise.all([first, theirs, second].map((link) => accountLinks.find(link?.token ?? '')));

    expect(opened.map((link) => link && [link.kind, link.clinicName, link.email, link.name])).toEqual([
      null,
      ['reset', 'Harbor', `${other}@harbor.example`, 'Ann Lee'],
      ['reset', 'Harbor', `${id}@harbor.example`, 'Ann Lee'],
    ]);
    expect(Math.abs((second?.expiresAt.getTime() ?? 0) - inHours(72).getTime())).toBeLessThan(60_000);
    expect(await accountLinks.reset({ clinicId, id: newId() }, by)).toBeNull();
    await expect(accountLinks.reset({ clinicId, id: emergency }, by)).rejects.toMatchObject({ code: 'conflict' });
    expect(await audited()).toEqual([id, other, id].map((subject) => ['account.reset', subject]));
  });

  test("of an operator is in nobody's audit", async () => {
    const { accountLinks } = records.stores;
    const id = await anOperator();
    const email = `${newId()}@operator.example`;

    const made = await accountLinks.invite({ clinicId: null, role: 'operator', email }, by);
    const reset = await accountLinks.reset({ clinicId: null, id }, by);

    expect(await accountLinks.find(made.token)).toMatchObject({ kind: 'invitation', clinicName: null, email });
    expect(await accountLinks.find(reset?.token ?? '')).toMatchObject({ kind: 'reset', clinicName: null });
  });
});

describe('a saved view', () => {
  const fields = { list: 'calls' as const, filters: { show: 'past' }, isShared: false };

  test('is seen by its owner, and by others where it is shared, by name; by list or all', async () => {
    const { savedViews } = records.stores;
    const [mine, theirs] = [await anAccount({ name: 'Ann' }), await anAccount({ name: 'Bo' })];
    const [me, them] = [
      { clinicId, accountId: mine },
      { clinicId, accountId: theirs },
    ];
    await savedViews.save(me, { ...fields, name: 'beta' }, by);
    await savedViews.save(me, { ...fields, name: 'Alpha', list: 'tasks' }, by);
    await savedViews.save(them, { ...fields, name: 'Gamma', isShared: true }, by);
    await savedViews.save(them, { ...fields, name: 'Delta' }, by);
    const names = async (viewer: typeof me, of: { list?: 'calls' | 'tasks' } = {}) =>
      (await savedViews.list(viewer, of)).map(({ name, savedBy }) => `${name} of ${savedBy}`);

    expect(await names(me)).toEqual(['Alpha of Ann', 'beta of Ann', 'Gamma of Bo']);
    expect(await names(me, { list: 'tasks' })).toEqual(['Alpha of Ann']);
    expect(await names(them)).toEqual(['Delta of Bo', 'Gamma of Bo']);
  });

  test('is one of fifty at most that an account has; of an account that is not there none is kept', async () => {
    const { savedViews } = records.stores;
    const [me, them] = [
      { clinicId, accountId: await anAccount() },
      { clinicId, accountId: await anAccount() },
    ];
    const data = Array.from({ length: MAX_VIEWS - 1 }, (_, index) => ({
      id: newId(),
      clinicId,
      userId: me.accountId,
      list: 'calls',
      name: `View ${index}`,
    }));
    await records.database.prisma.savedView.createMany({ data });
    const save = async (viewer: typeof me, name: string) =>
      (await savedViews.save(viewer, { ...fields, name }, by)).kind;

    expect([await save(me, 'Last'), await save(me, 'More'), await save(them, 'First')]).toEqual([
      'saved',
      'too_many',
      'saved',
    ]);
    expect(await save({ clinicId, accountId: newId() }, 'Lost')).toBe('too_many');
  });

  test.each<[what: string, of: 'me' | 'them', about: { list?: 'tasks'; isShared?: boolean }, isFree: boolean]>([
    ['of the same list', 'me', {}, false],
    ['of the same list that is shared', 'me', { isShared: true }, false],
    ['of another list', 'me', { list: 'tasks' }, true],
    ['of somebody else', 'them', {}, true],
    ['of somebody else who shares it', 'them', { isShared: true }, true],
  ])('beside one %s may have its name: %#', async (_what, of, about, isFree) => {
    const { savedViews } = records.stores;
    const viewers = {
      me: { clinicId, accountId: await anAccount() },
      them: { clinicId, accountId: await anAccount() },
    };
    const saved = await savedViews.save(viewers.me, { ...fields, name: 'Mine' }, by);
    await savedViews.save(viewers[of], { ...fields, name: 'Named', ...about }, by);
    const id = saved.kind === 'saved' ? saved.view.id : '';
    const kind = isFree ? 'saved' : 'name_taken';

    expect(await savedViews.change(viewers.me, id, { name: 'Named' }, by)).toMatchObject({ kind });
    const names = (await savedViews.list(viewers.me, { list: 'calls' })).filter((view) => view.id === id);
    expect(names.map(({ name }) => name)).toEqual([isFree ? 'Named' : 'Mine']);
  });

  test('is changed in part by its owner alone, under a name that is free; removed by an administrator too', async () => {
    const { savedViews } = records.stores;
    const [me, them] = [
      { clinicId, accountId: await anAccount() },
      { clinicId, accountId: await anAccount() },
    ];
    const save = async (viewer: typeof me, about: object) => {
      const saved = await savedViews.save(viewer, { ...fields, name: 'One', ...about }, by);
      return saved.kind === 'saved' ? saved.view.id : saved.kind;
    };
    const one = await save(me, { isShared: true });
    const two = await save(me, { name: 'Two' });
    const others = await save(them, { name: 'Two' });
    const tasks = await save(me, { name: 'Two', list: 'tasks' });
    const taken = await save(me, {});
    const change = async (viewer: typeof me, id: string, about: object) => {
      const changed = await savedViews.change(viewer, id, about, by);
      return changed?.kind === 'saved' ? [changed.view.name, changed.view.filters, changed.view.isShared] : changed;
    };

    expect([taken, typeof others, typeof tasks]).toEqual(['name_taken', 'string', 'string']);
    expect(await change(me, one, { name: 'Two' })).toEqual({ kind: 'name_taken' });
    expect(await change(me, one, { name: 'Three' })).toEqual(['Three', { show: 'past' }, true]);
    expect(await change(me, one, { name: 'Three', filters: {} })).toEqual(['Three', {}, true]);
    expect(await change(them, one, { name: 'Four' })).toEqual({ kind: 'not_own' });
    expect(await change(me, one, { isShared: false })).toEqual(['Three', {}, false]);
    expect(await change(them, one, { name: 'Four' })).toBeNull();
    expect((await savedViews.list(me, {})).map(({ name }) => name)).toEqual(['Three', 'Two', 'Two']);
    await change(me, one, { isShared: true });
    const remove = (viewer: typeof me, id: string, isAdmin = false) =>
      savedViews.remove(viewer, id, { ...by, isAdmin });
    expect(await remove(them, two)).toBeNull();
    expect([await remove(them, one), await remove(them, one, true), await remove(me, two)]).toEqual([
      'not_own',
      'removed',
      'removed',
    ]);
    expect((await savedViews.list(me, {})).map(({ id }) => id)).toEqual([tasks]);
    expect((await audited()).filter(([action]) => action === 'view.change')).toHaveLength(4);
    const removals = (await audited()).filter(([action]) => action === 'view.remove');
    expect(removals).toEqual([
      ['view.remove', one],
      ['view.remove', two],
    ]);
  });

  test('has one name of two that are given it at once; the other is told that it is taken', async () => {
    const { savedViews } = records.stores;
    const me = { clinicId, accountId: await anAccount() };
    const save = async (name: string) => {
      const saved = await savedViews.save(me, { ...fields, name }, by);
      return saved.kind === 'saved' ? saved.view.id : saved.kind;
    };
    const ids = [await save('One'), await save('Two')];
    const rename = async (id: string) => (await savedViews.change(me, id, { name: 'Three' }, by))?.kind;

    const changing = await records.database.transaction(async (tx) => {
      await tx`select id from users where id = ${me.accountId} for update`;
      const both = Promise.all(ids.map(rename));
      await eventually(async () => (await waitingForLocks(records.database)) > 1);
      return { both };
    });

    expect(new Set(await changing.both)).toEqual(new Set(['name_taken', 'saved']));
    expect((await savedViews.list(me, {})).filter(({ name }) => name === 'Three')).toHaveLength(1);
  });
});
