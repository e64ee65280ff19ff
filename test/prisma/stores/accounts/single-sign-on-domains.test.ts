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
