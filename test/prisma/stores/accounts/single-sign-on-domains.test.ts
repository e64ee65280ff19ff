import { newId } from '@clinic/shared/crypto';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const domain = 'harbor.example';

const owners = async () =>
  (
    await records.database.sql<{ clinicId: string }>`
      select clinic_id as "clinicId" from single_sign_on_domains where domain = ${domain}`
  ).map(({ clinicId }) => clinicId);

test('a domain that its clinic takes out while the operator confirms it is taken from nobody', async () => {
  const { database, stores, clinicId, otherClinicId } = records;
  for (const clinic of [clinicId, otherClinicId]) {
    await database.sql`
      insert into single_sign_on (clinic_id, issuer, client_id, role_rules) values (${clinic}, 'https://sso.example', 'clinic', '[]')`;
    await database.sql`insert into single_sign_on_domains (clinic_id, domain) values (${clinic}, ${domain})`;
  }
  const confirm = () => stores.singleSignOn.confirm({ clinicId, domain }, { actor: 'operator' });

  const confirming = await database.transaction(async (tx) => {
    await tx`delete from single_sign_on_domains where clinic_id = ${clinicId} and domain = ${domain}`;
    const isConfirmed = confirm();
    await eventually(async () => (await waitingForLocks(database)) > 0);
    return { isConfirmed };
  });

  expect(await confirming.isConfirmed).toBe(false);
  expect(await owners()).toEqual([otherClinicId]);
});

test('a domain that the operator confirms is taken from every other clinic that had entered it, and nothing else from anybody', async () => {
  const { database, stores } = records;
  const { singleSignOn } = stores;
  const [ours, theirs, elsewhere] = [
    await records.aClinic(),
    await records.aClinic(),
    await records.aClinic(),
  ] as const;
  const day = (date: number) => new Date(Date.UTC(2020, 0, date));
  const of = (host: string) => `${host}.${ours}.example`;
  const entered = [
    { clinicId: theirs, domain: of('both'), createdAt: day(3) },
    { clinicId: ours, domain: of('both'), createdAt: day(2) },
    { clinicId: ours, domain: of('ours'), createdAt: day(1) },
    { clinicId: theirs, domain: of('theirs'), createdAt: day(4) },
    { clinicId: elsewhere, domain: of('elsewhere'), createdAt: day(5) },
  ];
  for (const clinicId of [ours, theirs, elsewhere]) {
    const settings = { issuer: 'https://sso.example', clientId: 'clinic', roleRules: [] };
    await database.prisma.singleSignOn.create({ data: { clinicId, ...settings } });
  }
  await database.prisma.singleSignOnDomain.createMany({ data: entered });
  const operator = { actor: 'operator' };
  const confirm = (host: string) => singleSignOn.confirm({ clinicId: ours, domain: of(host) }, operator);
  const waiting = async () => {
    const all = await singleSignOn.unconfirmed();
    return all.filter((each) => each.domain.endsWith(of(''))).map((each) => [each.clinicId, each.domain]);
  };
  const actionsIn = async (clinicId: string) =>
    (await stores.audit.list(clinicId, { limit: 5 })).items.map(({ action }) => action);

  expect(await waiting()).toEqual([
    [ours, of('ours')],
    [ours, of('both')],
    [theirs, of('both')],
    [theirs, of('theirs')],
    [elsewhere, of('elsewhere')],
  ]);
  expect([await singleSignOn.clinicOfDomain(of('both')), await confirm('theirs'), await confirm('both')]).toEqual([
    null,
    false,
    true,
  ]);
  const confirmed = { where: { clinicId: ours, domain: of('both') }, data: { confirmedAt: day(9) } };
  await database.prisma.singleSignOnDomain.updateMany(confirmed);
  expect(await confirm('both')).toBe(true);

  expect(await waiting()).toEqual([
    [ours, of('ours')],
    [theirs, of('theirs')],
    [elsewhere, of('elsewhere')],
  ]);
  expect(await database.prisma.singleSignOnDomain.findMany({ where: { domain: of('both') } })).toMatchObject([
    { clinicId: ours, confirmedAt: day(9) },
  ]);
  expect(await singleSignOn.clinicOfDomain(of('both'))).toBe(ours);
  expect(await actionsIn(ours)).toEqual(['single-sign-on.confirm-domain', 'single-sign-on.confirm-domain']);
  expect(await actionsIn(theirs)).toEqual(['single-sign-on.take-domain-away']);
  expect(await actionsIn(elsewhere)).toEqual([]);
});

test('what single sign-on has opened ends with it, in its clinic; it is taken away once, and never where it is the only way in', async () => {
  const { database, stores } = records;
  const [clinicId, elsewhere] = [await records.aClinic(), await records.aClinic()];
  const by = { actor: 'account:ann' };
  const issuer = 'https://sso.example';
  for (const id of [clinicId, elsewhere]) {
    await database.prisma.singleSignOn.create({ data: { clinicId: id, issuer, clientId: 'clinic', roleRules: [] } });
    for (const person of ['ann', 'ben']) {
      const userId = `${person} of ${id}`;
      const email = `${newId()}@clinic.example`;
      await database.prisma.user.create({ data: { id: userId, name: person, email, clinicId: id } });
      for (const [how, of] of [
        ['password', null],
        ['sso', issuer],
      ] as const) {
        await database.prisma.session.create({
          data: { id: `${how} of ${userId}`, token: newId(), userId, issuer: of, expiresAt: new Date('2100-01-01') },
        });
      }
    }
  }
  const sessionsOf = async (id: string) => {
    const sessions = await database.prisma.session.findMany({
      where: { user: { clinicId: id } },
      orderBy: { id: 'asc' },
    });
    return sessions.map((each) => each.id.replace(` of ${id}`, ''));
  };
  const remove = () => stores.singleSignOn.remove(clinicId, by);
  const ofPasswords = ['password of ann', 'password of ben'];
  const all = [...ofPasswords, 'sso of ann', 'sso of ben'];

  await database.prisma.singleSignOn.update({ where: { clinicId }, data: { isOnlyWay: true } });
  await expect(remove()).rejects.toMatchObject({ code: 'conflict' });
  const refused = await sessionsOf(clinicId);
  await database.prisma.singleSignOn.update({ where: { clinicId }, data: { isOnlyWay: false } });
  const removed = [await remove(), await remove()];

  expect([refused, removed]).toEqual([all, [true, false]]);
  expect([await sessionsOf(clinicId), await sessionsOf(elsewhere)]).toEqual([ofPasswords, all]);
  expect(await database.prisma.singleSignOn.count({ where: { clinicId: { in: [clinicId, elsewhere] } } })).toBe(1);
  const { items } = await stores.audit.list(clinicId, { limit: 5 });
  expect(items.map(({ action }) => action)).toEqual(['single-sign-on.remove']);
});
