import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopes, usualScopes } from '@clinic/shared/domain/accounts/rights';
import { auditUrlOf, serviceUrlOf } from '@clinic/local/postgres';
import { newId } from '@clinic/shared/crypto';
import { erasureReasons } from '@clinic/shared/domain/patients/erasure';
import { recordsEnvironment, typed } from '../support/command';
import { openRecords, type Records } from '../support/records';

let records: Records;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  records = await openRecords();
  env = recordsEnvironment(records.database.url, [{ id: 's1', key: records.secretKey }]);
});
afterAll(() => records.close());

const run = (...args: string[]) => typed(args, env);
const shownBy = async (...args: string[]) => (await run(...args)).shown;
/** The first line of why a command did nothing. */
const refusal = (...args: string[]): Promise<string> =>
  run(...args).then(
    () => 'done',
    (error: Error) => error.message.split('\n')[0] ?? '',
  );
const hoursUntil = (instant: string) => (Date.parse(instant) - Date.now()) / 3_600_000;

describe('key', () => {
  const ofClinic = () => ['--clinic', records.clinicId];
  const add = (...more: string[]) => shownBy('clinic', 'key', 'add', ...ofClinic(), '--name', ' kiosk ', ...more);

  test('a key is made for its scopes and days, listed, replaced and ended', async () => {
    const made = await add('--scopes', 'patients.read, workflows', '--days', '2');
    const endless = await add('--scopes', 'workflows');
    const { keys } = await shownBy('clinic', 'key', 'list', ...ofClinic());
    const byDefault = await shownBy('clinic', 'key', 'rotate', ...ofClinic(), '--key', made.id, '--days', '3');
    const atOnce = await shownBy('clinic', 'key', 'rotate', ...ofClinic(), '--key', endless.id, '--old-key-hours', '0');
    const ended = await shownBy('clinic', 'key', 'revoke', ...ofClinic(), '--key', byDefault.id);

    expect(keys).toMatchObject([
      { id: endless.id, name: 'kiosk', scopes: ['workflows'], expiresAt: null },
      { id: made.id, name: 'kiosk', scopes: scopes.filter((scope) => ['workflows', 'patients.read'].includes(scope)) },
    ]);
    expect(Math.round(hoursUntil(made.expiresAt))).toBe(48);
    expect(Math.round(hoursUntil(byDefault.expiresAt))).toBe(72);
    expect(Math.round(hoursUntil(byDefault.oldExpiresAt))).toBe(24);
    expect(hoursUntil(atOnce.oldExpiresAt)).toBeLessThanOrEqual(0);
    expect(ended).toEqual({ clinicId: records.clinicId, key: byDefault.id, done: 'revoke' });
    expect(await records.stores.keys.apiKey(byDefault.key)).toBeNull();
    expect(await records.stores.keys.apiKey(atOnce.key)).toMatchObject({ clinicId: records.clinicId });
  });

  test.each<[string, string[], string]>([
    ['of nobody', ['list', '--clinic', 'gone'], 'There is no clinic gone.'],
    ['for nobody', ['add', '--clinic', 'gone', '--name', 'x', '--scopes', 'workflows'], 'There is no clinic gone.'],
    [
      'without a name',
      ['add', '--clinic', 'ours', '--name', ' ', '--scopes', 'workflows'],
      '--name must not be empty.',
    ],
    ['without a scope', ['add', '--clinic', 'ours', '--name', 'x', '--scopes', ''], 'Scopes are'],
    [
      'with a scope that there is not',
      ['add', '--clinic', 'ours', '--name', 'x', '--scopes', 'workflows,all'],
      'Scopes are',
    ],
    [
      'for no day',
      ['add', '--clinic', 'ours', '--name', 'x', '--scopes', 'workflows', '--days', '0'],
      'from 1 to 3650',
    ],
    [
      'for ten years and a day',
      ['add', '--clinic', 'ours', '--name', 'x', '--scopes', 'workflows', '--days', '3651'],
      'from 1 to 3650',
    ],
    [
      'with an old one for too long',
      ['rotate', '--clinic', 'ours', '--key', 'k', '--old-key-hours', '721'],
      'from 0 to 720',
    ],
    ['in place of none', ['rotate', '--clinic', 'ours', '--key', 'gone'], 'has no live key gone.'],
    ['in place of none for no day', ['rotate', '--clinic', 'ours', '--key', 'gone', '--days', '0'], 'from 1 to 3650'],
    ['that is not there', ['revoke', '--clinic', 'ours', '--key', 'gone'], 'has no key gone.'],
  ])('one %s is refused', async (_what, [name = '', ...args], words) => {
    const before = await records.stores.keys.listApiKeys(records.clinicId);

    const said = await refusal(
      'clinic',
      'key',
      name,
      ...args.map((each) => (each === 'ours' ? records.clinicId : each)),
    );

    expect(said).toContain(words);
    expect(await records.stores.keys.listApiKeys(records.clinicId)).toEqual(before);
  });
});

describe('patient', () => {
  const of = (patient: string) => ['--clinic', records.clinicId, '--patient', patient];

  test('a patient is exported, held, released, and erased for a reason that is repeated', async () => {
    const patient = await records.aPatient({ firstName: 'Ida' });
    const erase = ['clinic', 'patient', 'erase', ...of(patient), '--reason', 'court_order', '--confirm', patient];

    const json = await shownBy('clinic', 'patient', 'export', ...of(patient));
    const fhir = await shownBy('clinic', 'patient', 'export', ...of(patient), '--format', 'fhir');
    const held = await shownBy('clinic', 'patient', 'hold', ...of(patient), '--reason', ' a lawsuit ');
    const kept = await refusal(...erase);
    const released = await shownBy('clinic', 'patient', 'release', ...of(patient));
    const again = await refusal('clinic', 'patient', 'release', ...of(patient));
    const { erasure } = await shownBy(...erase);
    const { erasures } = await shownBy('clinic', 'patient', 'erasures', ...of(patient));

    expect(JSON.stringify(json)).toContain('Ida');
    expect([json.resourceType, fhir.resourceType]).toEqual([undefined, 'Bundle']);
    expect([held, released].map(({ patientId, isHeld }) => [patientId, isHeld])).toEqual([
      [patient, true],
      [patient, false],
    ]);
    expect(kept).toBe(`Patient ${patient} is under a legal hold: release it first.`);
    expect(again).toBe(`No legal hold is on patient ${patient}.`);
    expect(erasure).toMatchObject({ reason: 'court_order' });
    expect(erasures).toMatchObject([{ id: erasure.id }]);
    expect((await shownBy('clinic', 'patient', 'erasures', ...of('another'))).erasures).toEqual([]);
    expect((await shownBy('clinic', 'patient', 'erasures', '--clinic', records.clinicId)).erasures).toHaveLength(1);
    expect((await shownBy('clinic', 'patient', 'erasures', '--clinic', records.otherClinicId)).erasures).toEqual([]);
  });

  test.each<[string, string[], string]>([
    ['export', [], 'The clinic has no patient gone.'],
    ['hold', ['--reason', 'a lawsuit'], 'The clinic has no patient gone.'],
    ['hold', ['--reason', ' '], '--reason is needed: why the records must stay.'],
    ['erase', ['--reason', 'court_order', '--confirm', 'gone'], 'The clinic has no patient gone.'],
    ['erase', ['--confirm', 'gone'], `--reason is one of ${erasureReasons.join(', ')}.`],
    ['erase', ['--reason', 'court_order'], '--confirm must repeat the id of the patient: what is erased stays so.'],
    ['erase', ['--reason', 'court_order', '--confirm', 'other'], '--confirm must repeat the id of the patient'],
    ['erase', ['--reason', 'boredom', '--confirm', 'gone'], "argument 'boredom' is invalid"],
  ])('%s of nobody with %j is refused', async (name, more, words) => {
    expect(await refusal('clinic', 'patient', name, ...of('gone'), ...more)).toContain(words);
  });
});

describe('pause', () => {
  test.each<[string, string[], string]>([
    ['of a type of nobody', ['on', '--reason', 'x', '--type', 'care-gap-follow-up'], '--type needs --clinic.'],
    [
      'until an instant that is over',
      ['on', '--reason', 'x', '--until', '2020-01-01T00:00:00Z'],
      '--until must be in the future.',
    ],
    ['of a clinic that there is not', ['on', '--reason', 'x', '--clinic', 'gone'], 'There is no clinic gone.'],
    ['without a reason', ['on'], "required option '--reason <text>' not specified"],
    ['that ends of a type of nobody', ['off', '--type', 'care-gap-follow-up'], '--type needs --clinic.'],
    ['that ends of all of nobody', ['off', '--all'], '--all needs --clinic.'],
    ['that ends of a clinic that there is not', ['off', '--clinic', 'gone'], 'There is no clinic gone.'],
    ['that ends by id and clinic', ['off', '--id', 'x', '--clinic', 'y'], "option '--id <pause>' cannot be used with"],
    [
      'that ends by id and type',
      ['off', '--id', 'x', '--type', 'care-gap-follow-up'],
      "option '--id <pause>' cannot be used with",
    ],
    ['that ends by id and all', ['off', '--id', 'x', '--all'], "option '--id <pause>' cannot be used with"],
    ['that ends by type and all', ['off', '--all', '--type', 'care-gap-follow-up'], 'cannot be used with'],
  ])('one %s is refused', async (_what, args, words) => {
    expect(await refusal('pause', ...args)).toContain(words);
    expect(await shownBy('pause', 'list')).toEqual([]);
  });

  test('each is in force where it is meant, with its clinic and its end', async () => {
    const [clinic, other] = [records.clinicId, records.otherClinicId];
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const on = (reason: string, ...more: string[]) => shownBy('pause', 'on', '--reason', reason, ...more);
    const reasons = (shown: { reason: string }[]) => shown.map(({ reason }) => reason).toSorted();
    await on('all');
    await on('ours', '--clinic', clinic, '--until', until);
    await on('type', '--clinic', clinic, '--type', 'care-gap-follow-up');
    const ofOther = await on('other', '--clinic', other);

    const listed = await shownBy('pause', 'list', '--clinic', clinic);
    const type = await shownBy('pause', 'off', '--clinic', clinic, '--type', 'care-gap-follow-up');
    const none = await shownBy('pause', 'off', '--clinic', clinic, '--type', 'care-gap-follow-up');
    await on('type', '--clinic', clinic, '--type', 'care-gap-follow-up');
    const all = await shownBy('pause', 'off', '--clinic', clinic, '--all');
    const noneAtAll = await shownBy('pause', 'off', '--clinic', clinic, '--all');
    const plain = await shownBy('pause', 'off', '--clinic', clinic);
    const ofAll = await shownBy('pause', 'off');
    const byId = await shownBy(
      'pause',
      'off',
      '--id',
      ofOther.find(({ reason }: { reason: string }) => reason === 'other').id,
    );

    expect(reasons(ofOther)).toEqual(['all', 'other']);
    expect(reasons(listed)).toEqual(['all', 'ours', 'type']);
    expect(listed).toContainEqual(
      expect.objectContaining({ reason: 'ours', clinicName: 'Clinic', endsAt: until, workflowType: null }),
    );
    expect(listed).toContainEqual(expect.objectContaining({ reason: 'all', clinicName: null, endsAt: null }));
    expect([reasons(type.ended), reasons(type.inForce)]).toEqual([['type'], ['all', 'ours']]);
    expect(none.note).toBe(`There is no pause of ${clinic} for care-gap-follow-up.`);
    expect(reasons(none.inForce)).toEqual(['all', 'other', 'ours']);
    expect(reasons(all.ended)).toEqual(['ours', 'type']);
    expect(noneAtAll.note).toBe(`There is no pause of ${clinic}.`);
    expect(plain.note).toBe(`There is no pause of ${clinic} for all its types.`);
    expect([reasons(ofAll.ended), reasons(byId.ended)]).toEqual([['all'], ['other']]);
  });
});

describe('account', () => {
  test.each<[string, string[], string]>([
    ['of nobody', ['list'], '--clinic or --operator must be given.'],
    ['of a clinic that there is not', ['list', '--clinic', 'gone'], 'There is no clinic gone.'],
    ['of a clinic and an operator', ['add', '--operator', '--clinic', 'x', '--email', 'a@b.c'], 'cannot be used with'],
    ['of an operator with a role', ['add', '--operator', '--role', 'admin', '--email', 'a@b.c'], 'cannot be used with'],
    ['that is no address', ['disable', '--email', 'a@b'], 'a@b is not an email address.'],
    ...['disable', 'enable', 'reset', 'remove-second-factor'].map((name): [string, string[], string] => [
      `to ${name} that there is not`,
      [name, '--email', 'a@b.c'],
      'There is no account with the e-mail a@b.c.',
    ]),
    [
      'whose clinic there is not',
      ['second-factor', '--clinic', 'gone', '--required', 'yes'],
      'There is no clinic gone.',
    ],
    ['with an answer that is none', ['second-factor', '--clinic', 'gone', '--required', 'maybe'], "'maybe' is invalid"],
  ])('one %s is refused', async (_what, args, words) => {
    expect(await refusal('clinic', 'account', ...args)).toContain(words);
  });

  test('a link is for the role that is named, staff otherwise', async () => {
    const add = (...args: string[]) => shownBy('clinic', 'account', 'add', '--clinic', records.clinicId, ...args);

    const staff = await add('--email', 'staff@clinic.example');
    await add('--email', 'admin@clinic.example', '--role', 'admin');

    expect(staff).toMatchObject({ email: 'staff@clinic.example', link: expect.stringContaining('/set-password#') });
    expect(Math.round(hoursUntil(staff.expiresAt))).toBe(72);
    const links = await records.database.prisma.accountLink.findMany({ where: { clinicId: records.clinicId } });
    expect(links.map(({ email, role }) => `${email} ${role}`).toSorted()).toEqual([
      'admin@clinic.example admin',
      'staff@clinic.example staff',
    ]);
  });

  test('one is disabled and enabled by its address alone, whoever it is but the last administrator', async () => {
    const clinicId = records.otherClinicId;
    const add = async (name: string, role: string) => {
      const id = newId();
      const person = { id, name, email: `${name}@harbor.example`, role, clinicId };
      await records.database.prisma.user.create({ data: person });
      return id;
    };
    const [head, desk] = [await add('head', 'admin'), await add('desk', 'staff')];
    const set = (done: string, name: string) =>
      shownBy('clinic', 'account', done, '--email', `${name}@harbor.example`).catch(({ message }: Error) => message);
    const disabled = async () =>
      (await shownBy('clinic', 'account', 'list', '--clinic', clinicId)).accounts.flatMap(
        ({ name, disabledAt }: { name: string; disabledAt: string | null }) => (disabledAt === null ? [] : [name]),
      );
    const seen: unknown[] = [];
    for (const [done, name] of [
      ['disable', 'desk'],
      ['disable', 'head'],
      ['enable', 'desk'],
      ['enable', 'head'],
    ] as const)
      seen.push([await set(done, name), await disabled()]);

    expect(seen).toEqual([
      [{ accountId: desk, done: 'disable' }, ['desk']],
      ['This is the last administrator of the clinic; make somebody else one first', ['desk']],
      [{ accountId: desk, done: 'enable' }, []],
      [{ accountId: head, done: 'enable' }, []],
    ]);
  });

  test('who has lost the second factor is freed of its codes and passkeys, and nobody else is', async () => {
    const { prisma } = records.database;
    const aPerson = async (email: string, clinicId: string | null) => {
      const userId = newId();
      await prisma.user.create({ data: { id: userId, name: 'Ann', email, role: 'staff', clinicId } });
      await prisma.secondFactor.create({ data: { userId, secret: 'sealed', confirmedAt: new Date() } });
      const key = { name: 'Key', credentialId: newId(), publicKey: 'k', counter: 0, isSynced: false };
      await prisma.passkey.create({ data: { id: newId(), userId, ...key } });
      return userId;
    };
    const mine = await aPerson('lost@clinic.example', records.clinicId);
    const others = [
      await aPerson('colleague@clinic.example', records.clinicId),
      await aPerson('other@clinic.example', records.otherClinicId),
      await aPerson('operator@clinic.example', null),
    ];

    const shown = await shownBy('clinic', 'account', 'remove-second-factor', '--email', 'lost@clinic.example');

    expect(shown).toEqual({ accountId: mine, done: 'remove-second-factor' });
    const owners = (rows: { userId: string }[]) => rows.map(({ userId }) => userId).toSorted();
    expect(owners(await prisma.secondFactor.findMany())).toEqual(others.toSorted());
    expect(owners(await prisma.passkey.findMany())).toEqual(others.toSorted());
  });

  test('a second factor is required or not', async () => {
    const requires = (answer: string) =>
      shownBy('clinic', 'account', 'second-factor', '--clinic', records.clinicId, '--required', answer);

    expect((await requires('yes')).isSecondFactorRequired).toBe(true);
    expect((await requires('no')).isSecondFactorRequired).toBe(false);
  });

  test.each([
    ['in no words', 'too short', '30', '--reason must say in some words why access is needed.'],
    ['in spaces', `a${' '.repeat(20)}`, '30', '--reason must say in some words why access is needed.'],
    ['for no time', 'records are locked', '0', 'from 1 to 240'],
    ['for too long', 'records are locked', '241', 'from 1 to 240'],
  ])('emergency access %s is refused', async (_what, reason, minutes, words) => {
    const args = ['--clinic', records.clinicId, '--reason', reason, '--minutes', minutes];

    expect(await refusal('clinic', 'emergency', ...args)).toContain(words);
    expect(await refusal('clinic', 'emergency', '--clinic', 'gone', '--reason', 'ten chars.')).toBe(
      'There is no clinic gone.',
    );
  });
});

describe('sso', () => {
  test.each<[string, string[], string]>([
    ['shown of nobody', ['show', '--clinic', 'gone'], 'There is no clinic gone.'],
    [
      'confirmed for nobody',
      ['confirm-domain', '--clinic', 'gone', '--domain', 'a.example'],
      'There is no clinic gone.',
    ],
    [
      'confirmed though it was not entered',
      ['confirm-domain', '--clinic', 'ours', '--domain', 'A.Example'],
      'The clinic has not entered a.example in its settings of single sign-on.',
    ],
    ['opened beside it for nobody', ['allow-passwords', '--clinic', 'gone'], 'There is no clinic gone.'],
    [
      'taken from nobody',
      ['unlink', '--email', 'nobody@a.example'],
      'There is no account of a clinic with the e-mail nobody@a.example.',
    ],
  ])('one that is %s is refused', async (_what, args, words) => {
    const said = await refusal('clinic', 'sso', ...args.map((each) => (each === 'ours' ? records.clinicId : each)));

    expect(said).toContain(words);
    expect(said).not.toBe('done');
  });

  test('the domains that wait are named with their clinics, and one that is confirmed waits no more', async () => {
    const { prisma } = records.database;
    const [mine, other] = [records.clinicId, records.otherClinicId];
    const settings = { issuer: 'https://login.example', clientId: 'clinic', roleRules: [] };
    for (const clinicId of [mine, other]) await prisma.singleSignOn.create({ data: { clinicId, ...settings } });
    await prisma.singleSignOnDomain.createMany({
      data: [
        { clinicId: mine, domain: 'harbor.example', createdAt: new Date(1_000) },
        { clinicId: other, domain: 'harbor.example', createdAt: new Date(2_000) },
        { clinicId: other, domain: 'quay.example', createdAt: new Date(3_000) },
      ],
    });
    const waiting = async () => (await shownBy('clinic', 'sso', 'domains')).unconfirmed;
    const before = await waiting();

    const shown = await shownBy('clinic', 'sso', 'confirm-domain', '--clinic', mine, '--domain', 'Harbor.Example');

    const [harbor, quay] = [
      { clinicId: mine, clinicName: 'Clinic', domain: 'harbor.example' },
      { clinicId: other, clinicName: 'Other clinic', domain: 'quay.example' },
    ];
    expect(before).toEqual([harbor, { ...quay, domain: 'harbor.example' }, quay]);
    expect(shown).toEqual({ clinicId: mine, domain: 'harbor.example', isConfirmed: true });
    expect(await waiting()).toEqual([quay]);
    expect((await shownBy('clinic', 'sso', 'show', '--clinic', mine)).singleSignOn).toMatchObject({
      issuer: 'https://login.example',
    });
  });
});

test('an account is taken from who signs in elsewhere for it, and once', async () => {
  const { prisma } = records.database;
  const [clinicId, id, email] = [records.clinicId, newId(), 'linked@harbor.example'];
  await prisma.user.create({ data: { id, name: 'linked', email, role: 'staff', clinicId } });
  const issuer = 'https://login.example';
  await prisma.singleSignOnPerson.create({ data: { clinicId, issuer, subject: 'them', userId: id } });
  const unlink = () => shownBy('clinic', 'sso', 'unlink', '--email', email);

  const shown = [await unlink(), await unlink()];

  expect(shown).toEqual([
    { accountId: id, wasLinked: true },
    { accountId: id, wasLinked: false },
  ]);
  expect(await prisma.singleSignOnPerson.count({ where: { userId: id } })).toBe(0);
});

describe('audit', () => {
  test('a head that the chains do not hold is missing, whoever kept it', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'heads-')), 'heads.jsonl');
    const head = (position: number) => JSON.stringify({ clinicId: records.clinicId, position, hash: 'x' });
    await writeFile(file, `Nov 27 host: ${head(0)}\nno json here\n${head(8)}\n`);

    const sound = await run('audit', 'verify');
    const gone = await run(
      'audit',
      'verify',
      '--head',
      `${records.clinicId}:5:x`,
      '--head',
      'gone:6:y',
      '--heads-file',
      file,
    );

    expect([sound.exitCode, sound.shown.findings]).toEqual([0, []]);
    expect(gone.exitCode).toBe(1);
    expect(
      gone.shown.findings
        .map(({ position, fault }: { position: number; fault: string }) => [position, fault])
        .toSorted(),
    ).toEqual([0, 5, 6, 8].map((position) => [position, 'head_missing']));
    const one = await run('audit', 'verify', '--head', `${records.clinicId}:5:x`);
    expect([one.exitCode, one.shown.findings.length]).toEqual([1, 1]);
  });

  test('heads that are none are refused', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'heads-'));
    const verify = async (text: string) => {
      const file = join(folder, 'heads.jsonl');
      await writeFile(file, text);
      return refusal('audit', 'verify', '--heads-file', file);
    };

    expect(await verify('{"clinicId":"a","position":-1,"hash":"x"}')).toContain(
      'It has a line that is no head: {"clinicId":"a"',
    );
    expect(await verify('{"clinicId":')).toContain('It has a line that is no head: {"clinicId":');
    expect(await verify(`{${'x'.repeat(90)}`)).toMatch(/no head: \{x{79}$/);
    expect(await refusal('audit', 'verify', '--heads-file', join(folder, 'gone'))).toContain('that can be read.');
    for (const head of ['a:1', ':1:x', 'a:x:y', 'a:1:', 'a:1234567890123456:x'])
      expect(await refusal('audit', 'verify', '--head', head)).toContain('It must be a head as verify prints it');
  });

  test('entries are listed for a clinic, a day and as many as are wanted, the newest first', async () => {
    const list = async (...args: string[]) =>
      (await run('audit', 'list', ...args)).lines.map((line): { clinicId: string; at: string; action: string } =>
        JSON.parse(line),
      );
    await records.stores.audit.write({ clinicId: records.clinicId, actor: 'a', action: 'first' });
    await records.stores.audit.write({ clinicId: records.otherClinicId, actor: 'b', action: 'second' });

    const all = await list();
    const ofOther = await list('--clinic', records.otherClinicId);

    const times = all.map(({ at }) => at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(all.map(({ clinicId }) => clinicId))).toEqual(new Set([records.clinicId, records.otherClinicId]));
    expect(new Set(ofOther.map(({ clinicId }) => clinicId))).toEqual(new Set([records.otherClinicId]));
    expect((await list('--limit', '1')).map(({ action }) => action)).toEqual(['second']);
    expect((await list('--actor', 'a')).map(({ action }) => action)).toEqual(['first']);
    expect((await list('--action', 'second')).map(({ action }) => action)).toEqual(['second']);
    expect(await list('--day', '2020-01-01')).toEqual([]);
    await records.database.sql`
      insert into audit_entries (id, clinic_id, actor, action, at)
      select 'of-' || at, ${records.clinicId}, 'a', to_char(at, 'DD HH24:MI:SS'), at from (values
        (timestamptz '2026-03-08 23:59:59Z'), ('2026-03-09 00:00:00Z'), ('2026-03-09 23:59:59Z'), ('2026-03-10 00:00:00Z')
      ) as entries(at)`;
    expect((await list('--day', '2026-03-09')).map(({ action }) => action)).toEqual(['09 23:59:59', '09 00:00:00']);
    for (const day of ['today', '2026-02-30', '2026-2']) {
      expect(await refusal('audit', 'list', '--day', day)).toContain('It must be a date, as 2026-11-22.');
    }
    expect(await refusal('audit', 'list', '--limit', '0')).toContain('from 1 to 100000');
  });
});

describe('clinic', () => {
  const made = async (clinicId: string) => {
    const { prisma } = records.database;
    const { voiceProvider, defaultCountry, numbersPerDay } = await prisma.clinic.findUniqueOrThrow({
      where: { id: clinicId },
    });
    const { url, isEnabled, events } = await records.stores.clinics.outboundEndpoint(clinicId);
    return { voiceProvider, defaultCountry, numbersPerDay, url, isEnabled, events };
  };

  test.each<[string, string[], object, object]>([
    [
      'set-outbound',
      ['--url', 'https://new.example/x'],
      { outboundUrl: 'https://new.example/x' },
      { url: 'https://new.example/x', isEnabled: true },
    ],
    ['set-voice', ['--voice', 'vapi'], { voiceProvider: 'vapi' }, { voiceProvider: 'vapi' }],
    ['set-country', ['--country', 'GB'], { country: 'GB' }, { defaultCountry: 'GB' }],
    ['set-limit', ['--numbers-per-day', '0'], { numbersPerDay: 0 }, { numbersPerDay: 0 }],
    ['set-limit', ['--numbers-per-day', '999999'], { numbersPerDay: 999_999 }, { numbersPerDay: 999_999 }],
  ])('%s %j sets that of its clinic alone, and nothing else', async (name, args, shown, changed) => {
    const clinicId = await records.aClinic();
    const [before, other] = [await made(clinicId), await made(records.otherClinicId)];

    expect(await shownBy('clinic', name, '--clinic', clinicId, ...args)).toEqual({ clinicId, ...shown });

    expect(await made(clinicId)).toEqual({ ...before, ...changed });
    expect(await made(records.otherClinicId)).toEqual(other);
    expect((await records.stores.audit.list(clinicId, { limit: 10 })).items.map(({ actor }) => actor)).toEqual([
      'operator',
    ]);
  });

  test('one is made with what a rehearsal needs, which is told of, or with nothing that is invented', async () => {
    const create = (...more: string[]) => run('clinic', 'create', '--name', ' Quay ', '--timezone', 'UTC', ...more);
    const rehearsal = await create('--country', 'GB', '--key-scopes', 'patients.read');
    const bare = await create('--no-fixtures', '--email', 'head@quay.example', '--outbound-url', 'https://q.example/x');

    expect(rehearsal.created).toEqual([rehearsal.shown]);
    expect(rehearsal.shown).toMatchObject({ name: 'Quay', timezone: 'UTC', country: 'GB' });
    expect(bare.created).toEqual([]);
    expect(bare.shown).toMatchObject({ name: 'Quay', timezone: 'UTC', email: 'head@quay.example' });
    const of = async ({ shown: { clinicId, apiKey } }: typeof bare) => ({
      ...(await made(clinicId)),
      scopes: (await records.stores.keys.apiKey(apiKey))?.scopes,
      providers: await records.database.prisma.provider.count({ where: { clinicId } }),
      people: (await records.database.prisma.user.findMany({ where: { clinicId }, orderBy: { role: 'asc' } })).map(
        ({ role }) => role,
      ),
    });
    const { providers, ...rehearsed } = await of(rehearsal);
    expect(providers).toBe(rehearsal.shown.providers.length);
    expect(rehearsed).toMatchObject({ url: null, scopes: ['patients.read'], people: ['admin', 'staff'] });
    expect(await of(bare)).toMatchObject({
      url: 'https://q.example/x',
      scopes: usualScopes,
      providers: 0,
      people: ['admin'],
    });
  });

  test('what its retention would purge is counted by its own days, else by those of the deployment, and stays', async () => {
    const clinicId = await records.aClinic();
    const { prisma } = records.database;
    const old = new Date(Date.now() - 20 * 24 * 3_600_000);
    await prisma.inboundEvent.create({
      data: { id: newId(), clinicId, event: 'a', dedupeKey: 'a', payload: { a: 1 }, receivedAt: old },
    });
    const purged = async () =>
      (await shownBy('clinic', 'retention', '--clinic', clinicId)).wouldBePurged as Record<string, number>;
    const byDefault = await purged();
    await records.stores.retention.choose(clinicId, { inbound_payloads: 10 }, { actor: 'account:1' });

    expect([byDefault.inbound_payloads, await purged()]).toEqual([0, { ...byDefault, inbound_payloads: 1 }]);
    expect(await prisma.inboundEvent.findFirst({ where: { clinicId } })).toMatchObject({ payload: { a: 1 } });
  });

  test('what cannot be is refused in words, and nothing is changed', async () => {
    const refused: [string[], string][] = [
      [['set-outbound', '--clinic', 'gone', '--url', 'https://new.example'], 'There is no clinic gone.'],
      [
        ['set-outbound', '--clinic', 'ours', '--url', 'ftp://new.example'],
        'ftp://new.example is not an http or https URL.',
      ],
      [['set-voice', '--clinic', 'gone', '--voice', 'vapi'], 'There is no clinic gone.'],
      [['set-voice', '--clinic', 'ours', '--voice', 'pigeon'], "argument 'pigeon' is invalid"],
      [['set-country', '--clinic', 'gone', '--country', 'GB'], 'There is no clinic gone.'],
      [['set-country', '--clinic', 'ours', '--country', 'XX'], 'XX is not a country of ISO 3166, as GB is.'],
      [['set-limit', '--clinic', 'gone', '--numbers-per-day', '1'], 'There is no clinic gone.'],
      [['set-limit', '--clinic', 'ours', '--numbers-per-day', '1000000'], 'from 0 to 999999'],
      [['retention', '--clinic', 'gone'], 'There is no clinic gone.'],
      [['assign-line', '--clinic', 'gone', '--number', '+13035550199'], 'There is no clinic gone.'],
      [['assign-line', '--clinic', 'ours', '--number', '0199'], '0199 is not a phone number as +13035550100.'],
      [['create', '--name', ' ', '--timezone', 'UTC'], '--name must not be empty.'],
      [
        ['create', '--name', 'x', '--timezone', 'Mars/Base'],
        'Mars/Base is not an IANA time zone, as America/Denver is.',
      ],
      [['create', '--name', 'x', '--timezone', 'BST'], 'BST is not an IANA time zone, as America/Denver is.'],
      [['create', '--name', 'x', '--timezone', 'UTC', '--country', 'XX'], 'XX is not a country of ISO 3166, as GB is.'],
      [['create', '--name', 'x', '--timezone', 'UTC', '--no-fixtures'], '--no-fixtures needs --email'],
      [['create', '--name', 'x', '--timezone', 'UTC', '--key-scopes', 'all'], 'Scopes are'],
    ];
    const state = async () => [await made(records.clinicId), await records.database.prisma.clinic.count()];
    const before = await state();

    const said = await Promise.all(
      refused.map(([args]) => refusal('clinic', ...args.map((each) => (each === 'ours' ? records.clinicId : each)))),
    );

    expect(said).toEqual(refused.map(([, words]) => expect.stringContaining(words)));
    expect(await state()).toEqual(before);
  });

  test('the lines that wait are named, and one that is confirmed is its clinic’s alone', async () => {
    const { phoneNumbers } = records.stores;
    const [mine, other] = [records.clinicId, records.otherClinicId];
    const [number, second] = ['+13035550171', '+13035550172'];
    const line = (each: string) => ({ number: each, platformId: null, assistantId: null });
    await phoneNumbers.replace(mine, [line(number)]);
    await phoneNumbers.replace(other, [line(number), line(second)]);
    const waiting = async () =>
      (await shownBy('clinic', 'lines')).unconfirmed.map(
        ({ clinicId, number: each }: { clinicId: string; number: string }) => `${clinicId} ${each}`,
      );
    const before = await waiting();

    const assign = (...args: string[]) => shownBy('clinic', 'assign-line', '--clinic', mine, '--number', ...args);
    const shown = await assign(number, '--platform-id', 'line-1');
    const after = await waiting();
    const withoutId = await assign(second);

    expect(new Set(before)).toEqual(new Set([`${mine} ${number}`, `${other} ${number}`, `${other} ${second}`]));
    expect(shown).toEqual({ clinicId: mine, number, platformId: 'line-1' });
    expect(after).toEqual([`${other} ${second}`]);
    expect(withoutId).toEqual({ clinicId: mine, number: second, platformId: null });
    expect(await waiting()).toEqual([]);
    expect(await phoneNumbers.list(mine)).toMatchObject([
      { number, platformId: 'line-1', isConfirmed: true },
      { number: second, platformId: null, isConfirmed: true },
    ]);
    expect(await phoneNumbers.list(other)).toEqual([]);
  });
});

describe('migrate', () => {
  const upToDate = 'The database is up to date.';
  const granted = 'The role of DATABASE_URL may read and write the records, and owns none of them.';

  test.each<[string, (ownerUrl: string) => NodeJS.ProcessEnv, string[]]>([
    ['the owner signs in alone', (ownerUrl) => ({ DATABASE_URL: ownerUrl }), [upToDate]],
    [
      'the owner is named twice',
      (ownerUrl) => ({
        DATABASE_URL: ownerUrl,
        DATABASE_OWNER_URL: ownerUrl,
        AUDIT_DATABASE_URL: auditUrlOf(ownerUrl),
      }),
      [upToDate],
    ],
    ['nobody but the owner is named', (ownerUrl) => ({ DATABASE_OWNER_URL: ownerUrl }), [upToDate]],
    [
      'the service seals the audit',
      (ownerUrl) => ({ DATABASE_URL: serviceUrlOf(ownerUrl), DATABASE_OWNER_URL: ownerUrl }),
      [upToDate, granted, 'It seals the audit too: in production AUDIT_DATABASE_URL names another role for that.'],
    ],
    [
      'another role seals the audit',
      (ownerUrl) => ({
        DATABASE_URL: serviceUrlOf(ownerUrl),
        DATABASE_OWNER_URL: ownerUrl,
        AUDIT_DATABASE_URL: auditUrlOf(ownerUrl),
      }),
      [upToDate, granted, 'The role of AUDIT_DATABASE_URL seals the audit, and nobody else does.'],
    ],
  ])('where %s it says who may do what', async (_who, urls, lines) => {
    expect((await typed(['migrate'], urls(records.database.url))).lines).toEqual(lines);
  });

  test('without a database is refused', async () => {
    await expect(typed(['migrate'], {})).rejects.toThrow('Neither DATABASE_OWNER_URL nor DATABASE_URL is set');
  });
});
