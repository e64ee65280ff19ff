import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { createAgendas, providerSpokenOf } from '@clinic/prisma/stores/calendar/agendas';
import { aClinic, freshStores } from '../../../support/stores';

const chen = { name: 'Dr.Chen', displayName: 'Doctor Chen', workingHours: {}, visitTypes: ['Annual physical'] };
const diaz = { name: 'Dr.Diaz', displayName: 'Dr. Ana Díaz', workingHours: {}, visitTypes: [] };

let database: Database;
let stores: Stores;
let clinicId: string;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
});

beforeEach(async () => {
  clinicId = await aClinic(stores, 'Harbor');
  await stores.providers.replace(clinicId, [chen, diaz]);
});

afterAll(() => database.close());

const rename = () => database.sql`update providers set display_name = 'Renamed' where clinic_id = ${clinicId}`;

test('an agenda has the zone and the active providers by name', async () => {
  await database.sql`update providers set is_active = false where clinic_id = ${clinicId} and name = 'Dr.Diaz'`;

  const agenda = await createAgendas(database).of(clinicId);

  expect(agenda).toMatchObject({ zone: 'America/New_York', isSandboxEnabled: false, providers: [chen] });
});

test('what the sandbox makes harder is in force while the sandbox is on', async () => {
  await database.sql`update clinics set sandbox_leniency = '{"minimumNoticeMinutes": 45}' where id = ${clinicId}`;
  const notices = async () => (await createAgendas(database).of(clinicId))?.providers.map((each) => each.noticeInForce);

  const before = await notices();
  await database.sql`update clinics set sandbox_enabled = true where id = ${clinicId}`;

  expect([before, await notices()]).toEqual([
    [0, 0],
    [45, 45],
  ]);
});

test('a clinic that does not exist has none', async () => {
  expect(await createAgendas(database).of('nobody')).toBeNull();
});

test('an agenda is remembered, so that a search reads it once', async () => {
  const agendas = createAgendas(database);
  const before = await agendas.of(clinicId);
  await rename();

  expect(await agendas.of(clinicId)).toEqual(before);
});

test.each([
  ['its clinic has changed', () => ({ table: 'clinics', clinicId: null, id: clinicId }), true],
  ['one of its providers has changed', () => ({ table: 'providers', clinicId, id: 'any' }), true],
  ['anything may have changed', () => ({ table: '*', clinicId: null, id: '*' }), true],
  ['another clinic has changed', () => ({ table: 'clinics', clinicId: null, id: 'another' }), false],
  ['a provider of another clinic has changed', () => ({ table: 'providers', clinicId: 'another', id: 'any' }), false],
  ['something else of its clinic has changed', () => ({ table: 'calls', clinicId, id: 'any' }), false],
])('when %s, an agenda is forgotten only if it is concerned', async (_, change, isForgotten) => {
  const agendas = createAgendas(database);
  await agendas.of(clinicId);
  await rename();

  agendas.forget(change());

  const names = (await agendas.of(clinicId))?.providers.map(({ displayName }) => displayName);
  expect(names?.includes('Renamed')).toBe(isForgotten);
});

test('an agenda is read again after ten seconds, for a process that hears of no changes', async () => {
  const agendas = createAgendas(database);
  await agendas.of(clinicId);
  await rename();
  const now = performance.now();

  jest.spyOn(performance, 'now').mockReturnValue(now + 10_001);
  const agenda = await agendas.of(clinicId);
  jest.restoreAllMocks();

  expect(agenda?.providers[0]?.displayName).toBe('Renamed');
});

test('a failed read is not remembered', async () => {
  let isBroken = true;
  const sql: Database['sql'] = (text, ...values) =>
    isBroken ? Promise.reject(new Error('no connection')) : database.sql(text, ...values);
  const agendas = createAgendas({ sql });

  await expect(agendas.of(clinicId)).rejects.toThrow('no connection');
  isBroken = false;

  expect(await agendas.of(clinicId)).not.toBeNull();
});

test.each([
  ['Dr.Chen', 'Dr.Chen'],
  ['dr chen', 'Dr.Chen'],
  ['doctor chen', 'Dr.Chen'],
  ['DR. ANA DÍAZ', 'Dr.Diaz'],
  ['dr diaz', 'Dr.Diaz'],
  ['Díaz', null],
  ['Chen', null],
  ['', null],
  // In one letter, in two, and without what makes it another letter; and as wide as Japanese is written.
  ['dr pe\u00F1a', 'Dr.Pe\u00F1a'],
  ['dr pen\u0303a', 'Dr.Pe\u00F1a'],
  ['dr pena', 'Dr.Pena'],
  ['\uFF24\uFF32 \uFF23hen', 'Dr.Chen'],
  ['dr ana diaz', null],
])('who is spoken of as "%s" is %s', async (spoken, name) => {
  const named = (last: string) => ({ ...diaz, name: `Dr.${last}`, displayName: `Dr. ${last}` });
  await stores.providers.replace(clinicId, [chen, diaz, named('Pe\u00F1a'), named('Pena')]);
  const agenda = await createAgendas(database).of(clinicId);

  expect(agenda && (providerSpokenOf(agenda, spoken)?.name ?? null)).toBe(name);
});
