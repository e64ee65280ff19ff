import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const [past, later] = [new Date('2020-01-01T00:00:00Z'), new Date('2100-01-01T00:00:00Z')];

async function aClient(clinicId = records.clinicId): Promise<string> {
  const made = await records.stores.sandboxClients.register({ clinicId, name: 'App', jwks: { keys: [] } });
  if (made.kind !== 'registered') throw new Error(made.kind);
  return made.client.id;
}

test('a new token leaves those that hold, and takes those of its client that have ended', async () => {
  const { clinicId, otherClinicId, stores } = records;
  const { keepToken, ofToken } = stores.sandboxClients;
  const [own, other, elsewhere] = [await aClient(), await aClient(), await aClient(otherClinicId)];
  const keep = (token: string, clientId: string, endsAt: Date, owner = clinicId) =>
    keepToken({ clinicId: owner, clientId, token, scopes: 'system/*.read', endsAt });
  await keep('of another, ended', other, past);
  await keep('elsewhere, ended', elsewhere, past, otherClinicId);
  await keep('ended', own, past);
  await keep('first', own, later);

  await keep('second', own, later);

  const held = { clinicId, clientId: own, scopes: 'system/*.read', endsAt: later };
  const tokens = ['first', 'second', 'ended', 'of another, ended', 'unknown'];
  expect(await Promise.all(tokens.map(ofToken))).toEqual([held, held, null, null, null]);
  const rows = await records.database.prisma.sandboxToken.findMany({ orderBy: { endsAt: 'asc' } });
  expect(rows.map(({ clientId }) => clientId).toSorted()).toEqual([own, own, other, elsewhere].toSorted());
});

test('a client is known by its id alone, and no more once it is removed', async () => {
  const { clinicId, otherClinicId, stores } = records;
  const { identified, remove } = stores.sandboxClients;
  const [own, other, elsewhere] = [await aClient(), await aClient(), await aClient(otherClinicId)];

  const found = [await identified(own), await identified(other), await identified(elsewhere)];

  expect(found).toMatchObject([
    { id: own, clinicId },
    { id: other, clinicId },
    { id: elsewhere, clinicId: otherClinicId },
  ]);
  expect(await identified('unknown')).toBeNull();
  expect([await remove(clinicId, elsewhere), await remove(clinicId, own)]).toEqual([false, true]);
  expect([await identified(own), (await identified(elsewhere))?.id]).toEqual([null, elsewhere]);
});

test('an assertion is used once by a client until it has ended', async () => {
  const { useAssertion } = records.stores.sandboxClients;
  const [own, other] = [await aClient(), await aClient()];
  const use = (clientId: string, jti: string, endsAt = later) => useAssertion({ clientId, jti, endsAt });

  const uses = [await use(own, 'a'), await use(own, 'b'), await use(own, 'a'), await use(other, 'a')];
  const ofPast = [await use(other, 'p', past), await use(own, 'p', past), await use(own, 'c'), await use(own, 'p')];

  expect(uses).toEqual([true, true, false, true]);
  expect(ofPast).toEqual([true, true, true, true]);
  expect(await use(own, 'b')).toBe(false);
  expect(await records.database.prisma.sandboxAssertion.count({ where: { clientId: other } })).toBe(2);
});
