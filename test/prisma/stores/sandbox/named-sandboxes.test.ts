import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const by = { actor: 'account:admin' };
const now = new Date('2030-01-07T12:00:00Z');

async function open(name: string, parent = records.clinicId) {
  const opened = await records.stores.namedSandboxes.open({ clinicId: parent, name, now }, by);
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  return { id: opened.sandbox.id, token: opened.token };
}

/** A row in every table that requests with its token can have written to. */
async function fill(clinicId: string): Promise<void> {
  const { prisma } = records.database;
  const id = newId();
  const { id: patientId } = await prisma.patient.findFirstOrThrow({ where: { clinicId } });
  await prisma.validationRun.create({
    data: { id, clinicId, startedBy: 'x', startedAt: now, endsAt: new Date(now.getTime() + 60_000) },
  });
  await prisma.sandboxSnapshot.create({
    data: { clinicId, name: 'x', contents: {}, patientIds: [], appointments: 0, documents: 0 },
  });
  await prisma.sandboxFailure.create({ data: { id, clinicId, failure: 'x', times: 1, endsAt: now } });
  await prisma.sandboxClock.create({ data: { clinicId, shows: now } });
  await prisma.sandboxClient.create({ data: { id, clinicId, name: 'x', jwks: {} } });
  await prisma.outboundEvent.create({ data: { id, clinicId, event: 'unheard', subject: 'x', data: {} } });
  await prisma.receiver.create({ data: { id, clinicId, kind: 'subscription', name: 'x', url: 'x' } });
  await prisma.secret.create({ data: { id, clinicId, kind: 'signing' } });
  await prisma.idempotencyRecord.create({ data: { clinicId, route: 'x', key: id, requestHash: 'x' } });
  await prisma.staffTask.create({ data: { id, clinicId, reason: 'follow_up_required', cause: id } });
  await prisma.document.create({ data: { id, clinicId, patientId, content: {} } });
}

async function rowsOf(clinicId: string): Promise<number[]> {
  const { prisma } = records.database;
  const of = { where: { clinicId } };
  return [
    await prisma.validationRun.count(of),
    await prisma.sandboxSnapshot.count(of),
    await prisma.sandboxFailure.count(of),
    await prisma.sandboxClock.count(of),
    await prisma.sandboxClient.count(of),
    await prisma.outboundEvent.count(of),
    await prisma.receiver.count(of),
    await prisma.secret.count(of),
    await prisma.idempotencyRecord.count(of),
    await prisma.staffTask.count(of),
    await prisma.document.count(of),
    await prisma.appointment.count(of),
    await prisma.patient.count(of),
    await prisma.provider.count(of),
    await prisma.namedSandbox.count(of),
  ];
}

test('one that is removed leaves nothing but a row without a name, and nothing of others goes', async () => {
  const { namedSandboxes } = records.stores;
  const [gone, other] = [await open('gone'), await open('other')];
  const { prisma } = records.database;
  await prisma.clinic.updateMany({
    where: { id: { in: [gone.id, other.id] } },
    data: { sandboxLeniency: { createsUnknownPatients: false }, closedDays: { '2030-12-25': 'Christmas' } },
  });
  for (const { id } of [gone, other]) await fill(id);
  const before = await rowsOf(other.id);
  const [full, ofParent] = [await rowsOf(gone.id), await rowsOf(records.clinicId)];

  const refused = await namedSandboxes.remove(records.otherClinicId, gone.id, by);
  const removed = await namedSandboxes.remove(records.clinicId, gone.id, by);

  expect(full.every((count) => count > 0)).toBe(true);
  expect([refused, removed, await namedSandboxes.remove(records.clinicId, gone.id, by)]).toEqual([false, true, false]);
  expect(await rowsOf(gone.id)).toEqual(full.map(() => 0));
  expect(await rowsOf(other.id)).toEqual(before);
  expect(await rowsOf(records.clinicId)).toEqual(ofParent);
  const empty = { name: 'Removed sandbox', sandboxEnabled: false, sandboxLeniency: {}, closedDays: {} };
  const clinics = await prisma.clinic.findMany({ where: { id: { in: [gone.id, other.id] } } });
  expect(clinics.find(({ id }) => id === gone.id)).toMatchObject(empty);
  expect(clinics.find(({ id }) => id === other.id)).toMatchObject({ name: 'other', sandboxEnabled: true });
  const { items } = await records.stores.audit.list(records.clinicId, { action: 'sandbox.named.remove', limit: 5 });
  expect(items.map(({ subject }) => subject)).toEqual([gone.id]);
});

test('visits of a sandbox that begins are with providers who are there', async () => {
  const { prisma } = records.database;
  const clinicId = await records.aClinic();
  const [provider] = await prisma.provider.findMany({ where: { clinicId } });
  const { id: _id, specialDays: _days, workingHours, visitTypes, ...vega } = provider!;
  const gone = { ...vega, id: newId(), name: 'Dr.Gone', isActive: false, workingHours: workingHours ?? {} };
  await prisma.provider.create({ data: { ...gone, visitTypes: visitTypes ?? [] } });

  await records.stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });

  const visits = await prisma.appointment.findMany({ where: { clinicId } });
  expect(new Set(visits.map(({ providerId }) => providerId))).toEqual(new Set([provider?.id]));
});

test('one has the active providers and the closed days of its clinic, and a name once in it', async () => {
  const { prisma } = records.database;
  const parent = await records.aClinic();
  const clinic = { closedDays: { '2030-12-25': 'Christmas' }, timezone: 'Europe/Berlin', defaultCountry: 'DE' };
  await prisma.clinic.update({ where: { id: parent }, data: clinic });
  const here = {
    name: 'Dr.Here',
    displayName: 'Dr. Here',
    workingHours: { monday: [{ opens: '09:00', closes: '12:00' }] },
    visitTypes: ['Check-up'],
    specialDays: { '2030-12-24': [] },
    noticeMinutes: 30,
  };
  await prisma.provider.create({ data: { ...here, clinicId: parent, id: newId(), name: 'Dr.Gone', isActive: false } });
  await prisma.provider.create({ data: { ...here, clinicId: parent, id: newId() } });

  const { id } = await open('CI', parent);

  const providers = await prisma.provider.findMany({ where: { clinicId: id }, orderBy: { name: 'asc' } });
  expect(providers.map(({ name, noticeMinutes }) => [name, noticeMinutes])).toEqual([
    ['Dr.Here', 30],
    ['Dr.Vega', 0],
  ]);
  expect(providers[0]).toMatchObject({ ...here, isActive: true });
  expect(await prisma.clinic.findUniqueOrThrow({ where: { id } })).toMatchObject({
    ...clinic,
    sandboxEnabled: true,
    voiceProvider: 'simulator',
  });
  const again = { clinicId: parent, name: 'CI', now };
  expect(await records.stores.namedSandboxes.open(again, by)).toEqual({ kind: 'name_taken' });
  expect((await open('CI', records.otherClinicId)).id).not.toBe(id);
  expect(await records.stores.namedSandboxes.list(parent)).toMatchObject([{ id, name: 'CI' }]);
  await open('B', parent);
  await open('A', parent);
  expect((await records.stores.namedSandboxes.list(parent)).map(({ name }) => name)).toEqual(['A', 'B', 'CI']);
});

test('the eleventh is refused, and one of another clinic is not counted', async () => {
  const parent = await records.aClinic();
  for (let count = 1; count <= 10; count += 1) await open(`number ${count}`, parent);

  const eleventh = await records.stores.namedSandboxes.open({ clinicId: parent, name: 'eleventh', now }, by);

  expect(eleventh).toEqual({ kind: 'too_many' });
});

test('a token opens its own sandbox until it is renewed by its own clinic', async () => {
  const { namedSandboxes } = records.stores;
  const [one, two] = [await open('one'), await open('two')];

  const refused = await namedSandboxes.renewToken(records.otherClinicId, one.id, by);
  const before = [await namedSandboxes.ofToken(one.token), await namedSandboxes.ofToken(two.token)];
  const renewed = await namedSandboxes.renewToken(records.clinicId, one.id, by);

  expect(refused).toBeNull();
  expect(before).toEqual([{ sandboxId: one.id }, { sandboxId: two.id }]);
  expect(await namedSandboxes.ofToken(renewed ?? '')).toEqual({ sandboxId: one.id });
  expect([await namedSandboxes.ofToken(one.token), await namedSandboxes.ofToken(two.token)]).toEqual([
    null,
    { sandboxId: two.id },
  ]);
});
