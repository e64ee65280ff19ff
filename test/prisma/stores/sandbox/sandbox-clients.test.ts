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

test('a clinic has twenty clients at most, listed by name; the audit says whom it got and who went', async () => {
  const { stores } = records;
  const [clinicId, elsewhere] = [await records.aClinic(), await records.aClinic()];
  const by = { actor: 'account:admin' };
  const register = (name: string, owner = clinicId) =>
    stores.sandboxClients.register({ clinicId: owner, name, jwks: { keys: [{ kid: name }] } }, by);
  const names = Array.from({ length: 20 }, (_, index) => `client ${String(19 - index).padStart(2, '0')}`);
  const made: string[] = [];
  for (const name of names) {
    const registered = await register(name);
    made.push(registered.kind === 'registered' ? registered.client.id : registered.kind);
  }

  expect([(await register('one more')).kind, (await register('one more', elsewhere)).kind]).toEqual([
    'too_many',
    'registered',
  ]);
  expect(await stores.sandboxClients.list(clinicId)).toMatchObject(
    names.toReversed().map((name) => ({ clinicId, name, jwks: { keys: [{ kid: name }] } })),
  );
  const [first = '', second = ''] = made;
  expect(await stores.sandboxClients.remove(elsewhere, first, by)).toBe(false);
  expect(await stores.sandboxClients.remove(clinicId, first, by)).toBe(true);
  expect(await stores.sandboxClients.remove(clinicId, first, by)).toBe(false);
  expect([(await register(names[0] ?? '')).kind, (await register('one more')).kind]).toEqual([
    'registered',
    'too_many',
  ]);
  const subjects = async (action: string, owner = clinicId) =>
    (await stores.audit.list(owner, { action, limit: 50 })).items.map(({ subject }) => subject);
  expect(await subjects('sandbox.client.remove')).toEqual([first]);
  expect(await subjects('sandbox.client.remove', elsewhere)).toEqual([]);
  const registered = await subjects('sandbox.client.register');
  expect([registered.length, registered.includes(first), registered.includes(second)]).toEqual([21, true, true]);
});

test('a client is registered once under an id, also where there are twenty', async () => {
  const { sandboxClients } = records.stores;
  const clinicId = await records.aClinic();
  const register = (id?: string) => sandboxClients.register({ id, clinicId, name: 'App', jwks: { keys: [] } });

  const first = await register('of-a-request');
  for (let index = 1; index < 20; index += 1) await register();

  expect(await register('of-a-request')).toEqual(first);
  expect(await sandboxClients.list(clinicId)).toHaveLength(20);
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
