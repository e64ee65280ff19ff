import { createErasedKeys, erasedOptOuts } from '@clinic/prisma/stores/patients/erased-keys';
import { aPhone } from '../../../support/builders';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const by = { actor: 'account:staff' };
const narrow = { scope: 'recovery_and_reminders' } as const;
const wokenOf = async ({ workflowId }: OpenedRun) =>
  (await records.database.prisma.workflowMessage.findMany({ where: { workflowId, signal: 'rulesChanged' } })).length;

test('an opt-out wakes the runs that it is about, and wakes them again when it is widened to all calls', async () => {
  const { stores, clinicId } = records;
  const [ofStaff, ofCall] = [await records.aRun(), await records.aRun()];
  const { callId } = await records.aPlacedCall(ofCall);
  const said = { clinicId, callId, source: 'tool' } as const;

  await stores.optOuts.add(clinicId, ofStaff.phone, by, narrow);
  await stores.optOuts.addFromCall({ ...said, ...narrow });
  expect([await wokenOf(ofStaff), await wokenOf(ofCall)]).toEqual([1, 1]);
  await stores.optOuts.add(clinicId, ofStaff.phone, by);
  await stores.optOuts.addFromCall({ ...said, scope: 'all' });

  expect([await wokenOf(ofStaff), await wokenOf(ofCall)]).toEqual([2, 2]);
});

test.each<[known: string | null, added: 'all' | 'recovery_and_reminders', scope: string, isNews: boolean]>([
  [null, 'all', 'all', true],
  [null, 'recovery_and_reminders', 'recovery_and_reminders', true],
  ['recovery_and_reminders', 'all', 'all', true],
  ['recovery_and_reminders', 'recovery_and_reminders', 'recovery_and_reminders', false],
  ['all', 'all', 'all', false],
  ['all', 'recovery_and_reminders', 'all', false],
])('a number that is on the list for %s and is added for %s is on it for %s; news: %s', async (...about) => {
  const [known, scope, kept, isNews] = about;
  const { stores, clinicId, otherClinicId, database } = records;
  const run = await records.aRun();
  const { phone } = run;
  const row = { phone, source: 'tool', addedBy: 'call:x' };
  await database.prisma.optOut.create({
    data: { id: `${phone} there`, clinicId: otherClinicId, scope: 'all', ...row },
  });
  if (known) await database.prisma.optOut.create({ data: { id: phone, clinicId, scope: known, ...row } });

  const added = await stores.optOuts.add(clinicId, phone, by, { scope });

  expect(added).toMatchObject({ clinicId, phone, scope: kept, addedBy: known ? 'call:x' : by.actor });
  expect(await wokenOf(run)).toBe(isNews ? 1 : 0);
  const { items } = await stores.audit.list(clinicId, { subject: run.patientId, action: 'opt-out.add', limit: 5 });
  expect(items).toHaveLength(isNews ? 1 : 0);
});

test('beside a number on the list ten people stand who have it, each once, and who was merged as who was kept', async () => {
  const { stores, clinicId, database } = records;
  const phone = aPhone();
  const people = [];
  for (let count = 0; count < 11; count += 1) people.push(await records.aPatient({ phone }));
  const [kept = '', merged = ''] = people.toSorted();
  await database.prisma.patient.update({ where: { id: merged }, data: { replacedBy: kept } });
  await stores.optOuts.add(clinicId, phone, by);

  const { items } = await stores.optOuts.list(clinicId, { phone, limit: 5 });

  const remaining = people.filter((id) => id !== merged).toSorted();
  expect(items.map(({ patients }) => patients.map(({ id }) => id))).toEqual([remaining]);
  await records.aPatient({ phone });
  const again = (await stores.optOuts.list(clinicId, { phone, limit: 5 })).items[0]?.patients.map(({ id }) => id);
  expect(again).toHaveLength(10);
  expect(again).toEqual(again?.toSorted());
});

test('what is said in a call concerns whoever is in it, at the number that was called and at their own, and nobody else', async () => {
  const { stores, clinicId } = records;
  const [run, other] = [await records.aRun(), await records.aRun()];
  const { callId } = await records.aPlacedCall(run);
  await records.aPlacedCall(other);
  const own = aPhone();
  await stores.patientRecords.change(clinicId, run.patientId, { phone: own });

  await stores.optOuts.addFromCall({ clinicId, callId, source: 'tool', scope: 'all' });

  const where = { clinicId, phone: { in: [run.phone, other.phone, own] } };
  const listed = await records.database.prisma.optOut.findMany({ where });
  expect(listed.map(({ phone }) => phone).toSorted()).toEqual([run.phone, own].toSorted());
});

test('the audit of a patient has what was said of their number, wherever it was said', async () => {
  const { stores, clinicId } = records;
  const run = await records.aRun();
  const { callId } = await records.aPlacedCall(run);
  const { id } = await stores.optOuts.add(clinicId, run.phone, by, narrow);
  await stores.optOuts.addFromCall({ clinicId, callId, source: 'tool', scope: 'all' });
  await stores.optOuts.remove(clinicId, { id }, by);
  await stores.optOuts.add(clinicId, run.phone, by);
  const phone = aPhone();
  await stores.patientRecords.change(clinicId, run.patientId, { phone });
  await stores.optOuts.lift({ clinicId, patientId: run.patientId, reason: 'other_person' }, by);

  const { items } = await stores.audit.list(clinicId, { subject: run.patientId, limit: 10 });

  expect(items.map(({ action, actor }) => `${action} by ${actor}`).toSorted()).toEqual([
    'opt-out.add by account:staff',
    'opt-out.add by account:staff',
    `opt-out.add by call:${callId}`,
    'opt-out.add by system',
    'opt-out.remove by account:staff',
    'opt-out.remove by account:staff',
  ]);
});

test('a patient may be called again by the clinic that was told so, and by no other; everybody else stays on its list', async () => {
  const { stores, clinicId, otherClinicId } = records;
  const [phone, otherPhone] = [aPhone(), aPhone()];
  const [patientId, other] = [await records.aPatient({ phone }), await records.aPatient({ phone: otherPhone })];
  await stores.optOuts.add(clinicId, phone, by);
  await stores.optOuts.add(clinicId, otherPhone, by);
  await stores.optOuts.add(otherClinicId, phone, by);
  const lift = (clinic: string, id: string) =>
    stores.optOuts.lift({ clinicId: clinic, patientId: id, reason: 'patient_asked' }, by);
  const listed = async () => {
    const where = { phone: { in: [phone, otherPhone] } };
    const rows = await records.database.prisma.optOut.findMany({ where });
    return new Set(rows.map((row) => `${row.clinicId} ${row.phone}`));
  };

  expect([await lift(otherClinicId, patientId), (await listed()).size]).toEqual([false, 3]);
  expect([await lift(clinicId, patientId), await lift(clinicId, patientId)]).toEqual([true, false]);
  expect(await listed()).toEqual(new Set([`${clinicId} ${otherPhone}`, `${otherClinicId} ${phone}`]));
  expect(await lift(clinicId, other)).toBe(true);
});

describe('a number of a patient that is corrected', () => {
  const listed = async (phone: string) =>
    (await records.stores.optOuts.list(records.clinicId, { phone, limit: 10 })).items;
  const correct = (patientId: string, phone: string, clinicId = records.clinicId) =>
    records.stores.patientRecords.change(clinicId, patientId, { phone });

  test('carries the opt-out over, with its scope, who said so and when; who waits for the phone decides again', async () => {
    const { stores, clinicId, database } = records;
    const run = await records.aRun();
    const { callId } = await records.aPlacedCall(run);
    await stores.optOuts.addFromCall({ clinicId, callId, scope: 'recovery_and_reminders', source: 'tool' });
    await database.sql`update opt_outs set created_at = created_at - interval '1 day' where phone = ${run.phone}`;
    const [said] = await listed(run.phone);
    const phone = aPhone();

    await correct(run.patientId, phone);

    expect(await listed(phone)).toEqual([
      { ...said, id: expect.any(String) as string, phone, source: 'corrected_number' },
    ]);
    expect(await listed(run.phone)).toEqual([{ ...said, patients: [] }]);
    expect(await stores.runs.facts(clinicId, run.workflowId)).toMatchObject({ phone, isOptedOut: true });
    expect(await wokenOf(run)).toBe(2);
    const { items } = await stores.audit.list(clinicId, { subject: (await listed(phone))[0]?.id, limit: 10 });
    expect(items).toMatchObject([{ action: 'opt-out.add', actor: 'system', detail: { source: 'corrected_number' } }]);
  });

  test('carries it over however it is written, and widens what is said of the new one', async () => {
    const { stores, clinicId } = records;
    const [wide, narrowed] = [await records.aRun(), aPhone()];
    await stores.optOuts.add(clinicId, wide.phone, by);
    await stores.optOuts.add(clinicId, narrowed, by, narrow);
    const { callId } = await records.aPlacedCall(wide);
    const said = { clinicId, callId, patientId: wide.patientId, isMatchedByNumber: true };

    await stores.registration.update(said, { phone: narrowed });
    await records.database.sql`update patients set phone = ${narrowed} where id = ${wide.patientId}`;

    expect(await listed(narrowed)).toMatchObject([{ scope: 'all', source: 'staff' }]);
  });

  test('carries nothing where nobody has opted out, where only another clinic was told, and once it was allowed again', async () => {
    const { stores, clinicId, otherClinicId } = records;
    const [first, second, third] = [aPhone(), aPhone(), aPhone()];
    const patientId = await records.aPatient({ phone: first });
    await stores.optOuts.add(otherClinicId, first, by);
    await correct(patientId, second);
    const ofNobody = await listed(second);
    await stores.optOuts.add(clinicId, second, by);
    const [own] = await listed(second);
    await stores.optOuts.remove(clinicId, { id: own?.id ?? '' }, by);

    await correct(patientId, third);

    expect([ofNobody, await listed(third)]).toEqual([[], []]);
  });
});

test('of what erased people had said of a phone the widest holds, whatever key it was hashed by', async () => {
  const { database, stores, clinicId } = records;
  const person = { clinicId, patientId: await records.aPatient(), reason: 'patient_request' as const };
  await stores.erasures.request(person, by);
  const [newer, older] = [9, 8].map((byte) => ({ id: `k${byte}`, key: Buffer.alloc(32, byte) }));
  const erasedKeys = createErasedKeys([newer!, older!]);
  const said = {
    narrow: ['recovery_and_reminders'],
    wide: ['all', 'recovery_and_reminders'],
    later: ['recovery_and_reminders', 'all'],
    old: [null],
  };
  const phones = Object.fromEntries(Object.keys(said).map((name) => [name, aPhone()]));
  for (const [name, scopes] of Object.entries(said)) {
    const keys = erasedKeys.ofOptOut(clinicId, phones[name]!);
    for (const [index, scope] of scopes.entries())
      await database.sql`insert into tombstones (clinic_id, erasure_id, kind, key, scope)
        select clinic_id, id, 'opt-out', ${keys[index]!}, ${scope} from erasures where patient_id = ${person.patientId}`;
  }

  const found = await erasedOptOuts(database.sql, erasedKeys, {
    clinicId,
    phones: [...Object.values(phones), aPhone()],
  });

  expect(Object.fromEntries(Object.entries(phones).map(([name, phone]) => [name, found.get(phone)]))).toEqual({
    narrow: 'recovery_and_reminders',
    wide: 'all',
    later: 'all',
    old: 'all',
  });
  expect(found.size).toBe(4);
});
