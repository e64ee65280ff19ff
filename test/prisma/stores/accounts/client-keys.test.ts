import type { Scope } from '@clinic/shared/domain/accounts/rights';
import { newId } from '@clinic/shared/crypto';
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

const by = { actor: 'account:ann' };
const MINUTE_MS = 60_000;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);
const minutesTo = (at: Date | null | undefined) =>
  at ? Math.round((at.getTime() - Date.now()) / MINUTE_MS) + 0 : null;
const conflict = { code: 'conflict' };
const audited = async (clinic = clinicId) =>
  (await records.database.prisma.auditEntry.findMany({ where: { clinicId: clinic }, orderBy: { at: 'asc' } })).map(
    ({ action, subject }) => [action, subject],
  );

describe('a key pair', () => {
  const keys = () => records.stores.clientKeys;
  const shown = async () =>
    (await keys().list(clinicId)).map(({ state, signsFrom, retiresAt }) => [
      state,
      minutesTo(signsFrom),
      minutesTo(retiresAt),
    ]);
  const kids = async () => (await keys().list(clinicId)).map(({ kid }) => kid);
  const make = async () => {
    await keys().create(clinicId, { kid: newId(), algorithm: 'ES384' }, by);
    return (await kids())[0] ?? '';
  };
  const set = (kid: string, data: object) =>
    records.database.prisma.clientKey.update({ where: { clinicId_kid: { clinicId, kid } }, data });

  test('signs at once where it is the first; the next signs a quarter of an hour later, and the first retires after that', async () => {
    await keys().create(records.otherClinicId, { kid: newId(), algorithm: 'ES384' }, by);
    const theirs = await keys().list(records.otherClinicId);
    const first = await make();
    const alone = [await shown(), (await keys().signing(clinicId))?.kid];
    const second = await make();
    const both = [await shown(), (await keys().signing(clinicId))?.kid];

    expect(alone).toEqual([[['signing', 0, null]], first]);
    expect(both).toEqual([
      [
        ['next', 15, null],
        ['signing', 0, 30],
      ],
      first,
    ]);
    expect((await keys().published(clinicId)).map(({ kid }) => kid)).toEqual([second, first]);
    await expect(keys().create(clinicId, { kid: newId(), algorithm: 'RS384' }, by)).rejects.toMatchObject(conflict);
    expect(await keys().list(records.otherClinicId)).toEqual(theirs);
    expect(await audited()).toEqual([first, second].map((kid) => ['client-key.create', kid]));
    await keys().remove(records.otherClinicId, theirs[0]?.kid ?? '', by);
  });

  test('that has retired is published and listed no more, and makes room', async () => {
    const first = await make();
    const second = await make();
    await set(second, { signsFrom: inMinutes(-1) });
    const taken = [await shown(), (await keys().signing(clinicId))?.kid];
    await set(first, { retiresAt: inMinutes(-0.1) });

    expect(taken).toEqual([
      [
        ['signing', -1, null],
        ['previous', 0, 30],
      ],
      second,
    ]);
    expect(await kids()).toEqual([second]);
    expect((await keys().published(clinicId)).map(({ kid }) => kid)).toEqual([second]);
    const third = await make();
    const rows = await records.database.prisma.clientKey.findMany({ where: { clinicId } });
    expect(rows.map(({ kid }) => kid).toSorted()).toEqual([second, third].toSorted());
  });

  test('that is removed signs no more; the other signs from then on and does not retire', async () => {
    const [first, second] = [await make(), await make()];

    expect(await keys().remove(clinicId, first, by)).toBe(true);
    expect(await keys().remove(clinicId, first, by)).toBe(false);

    expect([await shown(), (await keys().signing(clinicId))?.kid]).toEqual([[['signing', 0, null]], second]);
    const third = await make();
    await keys().remove(clinicId, third, by);
    expect([await shown(), (await keys().signing(clinicId))?.kid]).toEqual([[['signing', 0, null]], second]);
    await keys().remove(clinicId, second, by);
    expect([await keys().signing(clinicId), await kids(), await keys().published(clinicId)]).toEqual([null, [], []]);
    expect((await audited()).filter(([action]) => action === 'client-key.remove')).toEqual(
      [first, third, second].map((kid) => ['client-key.remove', kid]),
    );
  });
});

describe('an API key', () => {
  const scopes: Scope[] = ['results', 'events'];
  const make = (about: object = {}) =>
    records.stores.keys.createApiKey({ clinicId, name: 'reports', scopes, by, ...about });
  const rotate = (id: string, about: object = {}) =>
    records.stores.keys.rotateApiKey({ clinicId, id, oldUntil: inMinutes(60), expiresAt: null, ...about }, by);

  test('is replaced by another of the same name and scopes, and is taken for a while longer', async () => {
    const { id, key } = await make();
    const other = await make();
    const expiresAt = inMinutes(600);

    const made = await rotate(id, { expiresAt });

    expect(made).toMatchObject({ name: 'reports', scopes, expiresAt });
    expect(minutesTo(made?.oldExpiresAt)).toBe(60);
    expect(minutesTo((await records.stores.keys.apiKey(key))?.expiresAt)).toBe(60);
    expect((await records.stores.keys.apiKey(made?.key ?? ''))?.id).toBe(made?.id);
    expect((await records.stores.keys.apiKey(other.key))?.expiresAt).toBeNull();
    expect(await audited()).toEqual([
      ['api-key.create', id],
      ['api-key.create', other.id],
      ['api-key.rotate', id],
    ]);
  });

  test('is never taken for longer than it was, and not replaced once it has expired, was revoked or is not there', async () => {
    const soon = await make({ expiresAt: inMinutes(10) });
    const expired = await make({ expiresAt: inMinutes(-1) });
    const revoked = await make();
    await records.stores.keys.revokeApiKey(clinicId, revoked.id, by);

    const made = await rotate(soon.id);

    expect([minutesTo(made?.oldExpiresAt), made?.expiresAt]).toEqual([10, null]);
    expect([await rotate(expired.id), await rotate(revoked.id), await rotate(newId())]).toEqual([null, null, null]);
    expect(await records.stores.keys.listApiKeys(clinicId)).toHaveLength(3);
  });

  test('was used alone when it was', async () => {
    const [one, other] = [await make(), await make()];
    await records.stores.keys.touchApiKey(one.id);

    const used = (await records.stores.keys.listApiKeys(clinicId)).filter(({ lastUsedAt }) => lastUsedAt !== null);
    expect(used.map(({ id }) => id)).toEqual([one.id]);
    expect(used.map(({ id }) => id)).not.toContain(other.id);
  });
});

describe('the secret of the voice platform', () => {
  const expire = () =>
    records.database.prisma.secret.updateMany({
      where: { clinicId, kind: 'voice', expiresAt: { not: null } },
      data: { expiresAt: inMinutes(-1) },
    });

  test('names its clinic while it lives; calls are sent with the newest', async () => {
    const { keys } = records.stores;
    expect(await keys.voiceSecret(clinicId)).toBeNull();
    const theirs = await keys.rotateVoice(records.otherClinicId, by);
    await keys.rotateInbound(clinicId, 'forms-abandoned', by);
    const first = await keys.rotateVoice(clinicId, by);
    const second = await keys.rotateVoice(clinicId, by);
    const clinics = async () =>
      (await Promise.all([first, second, theirs, newId()].map((secret) => keys.clinicOfVoiceSecret(secret)))).map(
        (found) => found?.clinicId ?? null,
      );

    expect([await keys.voiceSecret(clinicId), await keys.voiceSecret(records.otherClinicId)]).toEqual([second, theirs]);
    expect(await clinics()).toEqual([clinicId, clinicId, records.otherClinicId, null]);
    expect((await keys.listVoice(clinicId)).map(({ expiresAt }) => expiresAt === null)).toEqual([true, false]);
    await expire();
    expect(await clinics()).toEqual([null, clinicId, records.otherClinicId, null]);
    expect(await keys.listVoice(clinicId)).toHaveLength(1);
    expect((await audited()).map(([action]) => action)).toEqual([
      'inbound.rotate-secret',
      'voice.rotate-secret',
      'voice.rotate-secret',
    ]);
  });

  test('is none that opens an inbound URL', async () => {
    const { keys } = records.stores;
    const secret = await keys.rotateInbound(clinicId, 'forms-abandoned', by);
    await keys.rotateVoice(clinicId, by);

    expect(await keys.clinicOfVoiceSecret(secret)).toBeNull();
    expect((await keys.listInbound(clinicId)).map(({ name }) => name)).toEqual(['forms-abandoned']);
    expect(await keys.listVoice(clinicId)).toHaveLength(1);
  });
});

describe('single sign-on', () => {
  const settings = {
    issuer: 'https://sso.example/harbor',
    clientId: 'clinic',
    roleClaim: 'groups',
    roleRules: [{ value: 'desk', role: 'staff' as const }],
    defaultRole: 'manager' as const,
    factorAcrs: ['mfa'],
    domains: ['a.example'],
  };
  const sso = () => records.stores.singleSignOn;
  const domain = () => `${newId()}.example`;
  const set = (about: object = {}, clinic = clinicId) => sso().set(clinic, { ...settings, domains: [], ...about }, by);
  const since = async () => {
    await records.database.prisma.singleSignOn.updateMany({ where: { clinicId }, data: { changedAt: new Date(0) } });
    return async () => ((await sso().find(clinicId))?.changedAt.getTime() ?? 0) > 0;
  };
  const anAccount = async (about: object = {}) => {
    const id = newId();
    const person = { name: 'Ann', email: `${id}@harbor.example`, role: 'staff' };
    await records.database.prisma.user.create({ data: { id, clinicId, ...person, ...about } });
    return id;
  };
  const aSession = async (userId: string, about: object = {}) => {
    const id = newId();
    await records.database.prisma.session.create({
      data: { id, userId, token: newId(), expiresAt: inMinutes(60), ...about },
    });
    return id;
  };
  const open = async (ids: string[]) => {
    const rows = await records.database.prisma.session.findMany({ where: { id: { in: ids } } });
    return ids.map((id) => rows.some((row) => row.id === id));
  };

  test('is kept as it was entered, with its secret sealed', async () => {
    const name = domain();
    await set({ clientSecret: 'hush', domains: [name, name] });

    const { domains: _domains, ...kept } = settings;
    expect(await sso().find(clinicId)).toMatchObject({
      ...kept,
      hasClientSecret: true,
      isOnlyWay: false,
      domains: [{ domain: name, isConfirmed: false }],
    });
    expect(await sso().usable(clinicId)).toEqual({ ...kept, clinicId, clientSecret: 'hush', isOnlyWay: false });
    expect([await sso().find(records.otherClinicId), await sso().usable(records.otherClinicId)]).toEqual([null, null]);
    expect((await audited()).map(([action]) => action)).toEqual(['single-sign-on.change']);
  });

  test.each<[string, object, boolean, string | null]>([
    ['nothing', {}, false, 'hush'],
    ['another secret', { clientSecret: 'other' }, false, 'other'],
    ['no secret', { clientSecret: null }, false, null],
    ['the client', { clientId: 'other' }, true, 'hush'],
    ['the path of the issuer', { issuer: 'https://sso.example/meadow' }, true, 'hush'],
    ['the host of the issuer', { issuer: 'https://other.example/harbor' }, true, null],
    ['the claim', { roleClaim: 'roles' }, true, 'hush'],
    ['the rules', { roleRules: [] }, true, 'hush'],
    ['the role of others', { defaultRole: null }, true, 'hush'],
    ['what says a factor', { factorAcrs: [] }, true, 'hush'],
    ['the domains', { domains: ['another.example'] }, true, 'hush'],
  ])('set anew with %s changes who gets in: %#', async (_what, about, isChanged, secret) => {
    await set({ clientSecret: 'hush' });
    const hasChanged = await since();
    await set(about);

    expect([await hasChanged(), (await sso().usable(clinicId))?.clientSecret]).toEqual([isChanged, secret]);
    await records.database.prisma.singleSignOn.updateMany({ where: { clinicId }, data: { isOnlyWay: true } });
    const change = set({ ...about, clientId: 'a third' }).catch((error: { code?: string }) => error.code);
    expect(await change).toBe('conflict');
    await expect(set({ ...about, clientSecret: 'new' })).resolves.toBeUndefined();
  });

  test('has domains that the operator confirms, which are one clinic’s alone', async () => {
    const [name, second] = [domain(), domain()];
    const other = records.otherClinicId;
    await set({ domains: [name, second] });
    await set({ domains: [name] }, other);
    const confirm = (clinic: string, which = name) => sso().confirm({ clinicId: clinic, domain: which }, by);
    const waiting = async () =>
      (await sso().unconfirmed()).filter((each) => [name, second].includes(each.domain)).map((each) => each.clinicId);

    expect([await sso().clinicOfDomain(name), await sso().domains(clinicId)]).toEqual([null, []]);
    expect((await waiting()).toSorted()).toEqual([clinicId, clinicId, other].toSorted());
    expect([await confirm(clinicId, domain()), await confirm(clinicId), await confirm(clinicId)]).toEqual([
      false,
      true,
      true,
    ]);
    expect([await sso().clinicOfDomain(name), await sso().domains(clinicId)]).toEqual([clinicId, [name]]);
    expect(await sso().clinicOfDomain(second)).toBeNull();
    expect([(await sso().find(other))?.domains, await waiting()]).toEqual([[], [clinicId]]);
    await expect(set({ domains: [name] }, other)).rejects.toMatchObject(conflict);
    await expect(set({ domains: [second] }, other)).resolves.toBeUndefined();
    expect((await audited(other)).filter(([action]) => action === 'single-sign-on.take-domain-away')).toHaveLength(1);
    await set({ domains: [name] });
    expect((await sso().find(clinicId))?.domains).toEqual([{ domain: name, isConfirmed: true }]);
    await set({ domains: [] });
    expect(await sso().clinicOfDomain(name)).toBeNull();
    expect((await sso().find(other))?.domains.map((each) => each.domain)).toEqual([second]);
  });

  test('that is taken away ends the sessions that it opened, and is taken away once', async () => {
    const [id, stranger] = [await anAccount(), await anAccount({ clinicId: records.otherClinicId })];
    const issuer = settings.issuer;
    const sessions = [await aSession(id, { issuer }), await aSession(id), await aSession(stranger, { issuer })];
    const remove = () => sso().remove(clinicId, by);

    const before = await remove();
    await set();
    expect([before, await remove(), await remove()]).toEqual([false, true, false]);
    expect(await open(sessions)).toEqual([false, true, true]);
    expect((await audited()).map(([action]) => action)).toEqual(['single-sign-on.change', 'single-sign-on.remove']);
    await set();
    await records.database.prisma.singleSignOn.update({ where: { clinicId }, data: { isOnlyWay: true } });
    await expect(remove()).rejects.toMatchObject(conflict);
    expect(await sso().find(clinicId)).not.toBeNull();
  });

  test.each<[string, { about?: object; isStranger?: true; isMissing?: true }, boolean]>([
    ['that it has opened as it is set now', {}, true],
    ['of another issuer', { about: { issuer: 'https://other.example' } }, false],
    ['of a password', { about: { issuer: null } }, false],
    ['that it opened before it was changed', { about: { createdAt: new Date(0) } }, false],
    ['of another clinic', { isStranger: true }, false],
    ['that is not there', { isMissing: true }, false],
  ])('is made the only way in from a session %s: %#', async (_which, { about, isStranger, isMissing }, isMade) => {
    await set();
    const id = await anAccount(isStranger && { clinicId: records.otherClinicId });
    const session = await aSession(id, { issuer: settings.issuer, createdAt: inMinutes(1), ...about });
    const make = sso()
      .setOnlyWay({ clinicId, isOnlyWay: true, sessionId: isMissing ? newId() : session }, by)
      .catch((error: { code?: string }) => error.code);

    expect(await make).toBe(isMade ? undefined : 'conflict');
    expect((await sso().find(clinicId))?.isOnlyWay).toBe(isMade);
  });

  test('is not changed by who began to before it was made the only way in', async () => {
    const { database } = records;
    await set();
    const { changing } = await database.transaction(async (tx) => {
      await tx`update single_sign_on set is_only_way = true where clinic_id = ${clinicId}`;
      const change = set({ clientId: 'other' }).catch((error: { code?: string }) => error.code);
      await eventually(async () => (await waitingForLocks(database)) > 0);
      return { changing: change };
    });

    expect(await changing).toBe('conflict');
    expect((await sso().find(clinicId))?.clientId).toBe(settings.clientId);
  });

  test('as the only way in ends other sessions save emergency access; it is allowed to be another again from anywhere', async () => {
    await set();
    const [id, emergency, stranger] = [
      await anAccount(),
      await anAccount({ endsAt: inMinutes(60) }),
      await anAccount({ clinicId: records.otherClinicId }),
    ];
    const mine = await aSession(id, { issuer: settings.issuer, createdAt: inMinutes(1) });
    const ofFormerIssuer = await aSession(id, { issuer: 'https://former.example' });
    const sessions = [mine, await aSession(id), ofFormerIssuer, await aSession(emergency), await aSession(stranger)];
    const only = (isOnlyWay: boolean, sessionId: string | null) =>
      sso().setOnlyWay({ clinicId, isOnlyWay, sessionId }, by);

    await only(false, null);
    await only(true, mine);
    await only(true, null);

    expect(await open(sessions)).toEqual([true, false, false, true, true]);
    const password = await aSession(id);
    await only(false, null);
    expect([await open([password]), (await sso().find(clinicId))?.isOnlyWay]).toEqual([[true], false]);
    expect((await audited()).map(([action]) => action)).toEqual([
      'single-sign-on.change',
      'single-sign-on.only-way',
      'single-sign-on.not-only-way',
    ]);
    await expect(
      sso().setOnlyWay({ clinicId: await records.aClinic(), isOnlyWay: false, sessionId: null }, by),
    ).rejects.toMatchObject(conflict);
  });

  test('of a person who is unlinked ends the sessions that it opened for them', async () => {
    const [id, other] = [await anAccount(), await anAccount()];
    for (const userId of [id, other])
      await records.database.prisma.singleSignOnPerson.create({
        data: { clinicId, issuer: settings.issuer, subject: newId(), userId },
      });
    const { issuer } = settings;
    const sessions = [await aSession(id, { issuer }), await aSession(id), await aSession(other, { issuer })];
    const unlink = () => sso().unlink({ clinicId, id }, by);

    expect([await unlink(), await unlink()]).toEqual([true, false]);
    expect(await open(sessions)).toEqual([false, true, true]);
    const left = await records.database.prisma.singleSignOnPerson.findMany({ where: { clinicId } });
    expect(left.map(({ userId }) => userId)).toEqual([other]);
    expect(await audited()).toEqual([['single-sign-on.unlink', id]]);
  });
});
