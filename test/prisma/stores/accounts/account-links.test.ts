import { randomBytes } from 'node:crypto';
import { newId } from '@clinic/shared/crypto';
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
const aRequest = () => {
  const asked = { id: newId(), bytes: randomBytes(32) };
  return { first: { ...asked, wasMade: false }, again: { ...asked, wasMade: true } };
};
const goneSince = { code: 'idempotency_key_reused' };

test('an invitation that is asked for again is the same, beside others, until it is withdrawn', async () => {
  const { accountLinks } = records.stores;
  const request = aRequest();
  const invite = (email: string, made = aRequest().first) =>
    accountLinks.invite({ clinicId, email, role: 'staff' }, by, made);

  await invite('bea@harbor.example');
  const link = await invite('cal@harbor.example', request.first);
  await invite('dan@harbor.example');

  expect(await invite('cal@harbor.example', request.again)).toEqual(link);
  expect(await accountLinks.find(link.token)).toMatchObject({ id: link.id, email: 'cal@harbor.example' });
  await accountLinks.withdraw(clinicId, link.id, by);
  await expect(invite('cal@harbor.example', request.again)).rejects.toMatchObject(goneSince);
  expect((await accountLinks.invitations(clinicId)).map(({ email }) => email).toSorted()).toEqual([
    'bea@harbor.example',
    'dan@harbor.example',
  ]);
});

test('a link to a new password that is asked for again is the same, beside another person’s', async () => {
  const { accountLinks } = records.stores;
  const [bea, cal] = await Promise.all(
    ['bea', 'cal'].map(async (name) => {
      const id = newId();
      const email = `${name}@harbor.example`;
      await records.database.prisma.user.create({
        data: { id, clinicId, email, name, role: 'staff' },
      });
      return id;
    }),
  );
  const request = aRequest();
  const reset = (id = '', made = aRequest().first) => accountLinks.reset({ clinicId, id }, by, made);

  await reset(bea);
  const link = await reset(cal, request.first);

  expect(await reset(cal, request.again)).toEqual(link);
  expect(await accountLinks.find(link?.token ?? '')).toMatchObject({ email: 'cal@harbor.example', kind: 'reset' });
});
