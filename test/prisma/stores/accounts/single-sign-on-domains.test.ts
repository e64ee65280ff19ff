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
