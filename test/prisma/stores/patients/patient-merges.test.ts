import { patientBundle } from '@clinic/shared/domain/patients/patient-bundle';
import { movedTables, patientData, tablesAboutPatients } from '@clinic/prisma/stores/patients/patient-data';
import { newId } from '@clinic/shared/crypto';
import { aLife } from '../../../support/a-life';
import { aPhone, aSession } from '../../../support/builders';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { assertR4 } from '../../../support/r4';
import { takeableFields } from '@clinic/shared/domain/patients/patient-merge';
import { openRecords, type Records } from '../../../support/records';

let records: Records;

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const by = { actor: 'account:ana' };
const merges = () => records.stores.patientMerges;

const merging = (
  keptId: string,
  replacedId: string,
  take: Parameters<Records['stores']['patientMerges']['merge']>[0]['take'] = [],
) => merges().merge({ clinicId: records.clinicId, keptId, replacedId, take }, by);
const undoing = (id: string) => merges().undo(records.clinicId, id, by);
const patientOf = (id: string) => records.database.prisma.patient.findUniqueOrThrow({ where: { id } });

/** A whole life that no hold keeps as it is. */
async function aFreeLife() {
  const life = await aLife(records);
  await records.stores.legalHolds.lift(life.clinicId, life.patientId, by);
  return life;
}

/** Ids by table. */
async function idsOf(patientId: string): Promise<Record<string, string[]>> {
  const ids: Record<string, string[]> = {};
  for (const table of Object.keys(movedTables)) {
    const rows = await records.database.prisma.$queryRawUnsafe<{ id: string }[]>(
      `select id from ${table} where patient_id = $1 order by id`,
      patientId,
    );
    ids[table] = rows.map(({ id }) => id);
  }
  return ids;
}

test('every table with a patient is moved by a merge, or excused with a reason', async () => {
  const tables = await records.database.sql<{ name: string | null }>`
    select c.table_name::text as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = 'patient_id'`;
  const triggers = await records.database.sql<{ name: string }>`
    select tgrelid::regclass::text as name from pg_trigger where tgname = 'follow_merge'`;

  const decided = Object.keys(patientData).filter((table) => patientData[table]?.merge !== undefined);

  expect(decided.toSorted()).toEqual(tables.map(({ name }) => name ?? '').toSorted());
  expect(triggers.map(({ name }) => name).toSorted()).toEqual(Object.keys(movedTables).toSorted());
});

test('everything of the one moves to the other and comes back; what came since stays with the one who was kept', async () => {
  const { stores, clinicId } = records;
  const [kept, replaced] = [await aFreeLife(), await aFreeLife()];
  const before = [await idsOf(kept.patientId), await idsOf(replaced.patientId)];
  const counts = Object.fromEntries(Object.entries(before[1]!).map(([table, ids]) => [table, ids.length]));

  const previewed = await merges().preview({ clinicId, keptId: kept.patientId, replacedId: replaced.patientId });
  const merge = await merging(kept.patientId, replaced.patientId);
  const again = await merging(kept.patientId, replaced.patientId);
  const [ofKept, ofReplaced] = [await idsOf(kept.patientId), await idsOf(replaced.patientId)];
  const note = { id: newId(), clinicId, patientId: replaced.patientId, content: [] };
  await stores.documents.write(note);
  const since = (await idsOf(kept.patientId)).documents;
  const undone = await undoing(merge.id);

  expect(Object.values(counts).every((count) => count > 0)).toBe(true);
  expect(previewed).toEqual({ moves: counts, openRuns: 0 });
  expect(merge.moved).toEqual(before[1]);
  expect(again).toEqual(merge);
  expect(Object.values(ofReplaced).flat()).toEqual([]);
  expect(Object.values(ofKept).flat()).toHaveLength(
    Object.values(before).flatMap((each) => Object.values(each).flat()).length,
  );
  expect(since).toContain(note.id);
  expect(undone).toMatchObject({ id: merge.id, undoneBy: by.actor, undoneAt: expect.any(Date) as Date });
  expect(await undoing(merge.id)).toEqual(undone);
  expect(await idsOf(replaced.patientId)).toEqual(before[1]);
  expect(await idsOf(kept.patientId)).toEqual({
    ...before[0],
    documents: [...(before[0]?.documents ?? []), note.id].toSorted(),
  });
  expect((await patientOf(replaced.patientId)).replacedBy).toBeNull();
  const { items } = await stores.audit.list(clinicId, { subject: kept.patientId, limit: 50 });
  expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(['patient.merge', 'patient.merge.undo']));
  expect(JSON.stringify(items)).not.toContain('Zwolle');
});

test('who was merged is in no search, list or match; their phone, name and ids lead to the one who is kept', async () => {
  const { stores, clinicId } = records;
  const [phone, other] = [aPhone(), aPhone()];
  const person = { firstName: 'Robin', lastName: 'Valemerge', birthDate: '1971-07-07' };
  const keptId = await records.aPatient({ ...person, phone });
  const replacedId = await records.aPatient({ ...person, phone: other });
  await records.database.prisma.patient.update({
    where: { id: replacedId },
    data: { externalId: 'EHR-9', identifier: 'MRN-9' },
  });
  await merging(keptId, replacedId);

  const now = new Date();
  const searched = await stores.patientRecords.list(clinicId, { search: 'Valemerge', limit: 10, now });
  const similar = await stores.patientRecords.list(clinicId, { search: 'Valemerje', limit: 10, now });
  const listed = await stores.patientRecords.list(clinicId, { limit: 200, now });
  const known = await stores.patientMatches.known(clinicId, {
    identifier: 'MRN-9',
    phone: other,
    birthDates: [person.birthDate],
    fullNames: ['robin valemerge'],
  });
  const identified = await stores.patientMatches.identified(clinicId, 'MRN-9');
  const matched = await stores.sandbox.match(clinicId, 'MRN-9');
  const caller = await stores.patients.findOrCreateByPhone(clinicId, other);
  const opened = await Promise.all(
    [{ patientId: replacedId }, { patientId: 'EHR-9' }, { phone: other }].map((named) =>
      stores.runs.openRun({
        clinicId,
        sessionId: aSession(),
        workflowType: 'care-gap-follow-up',
        patient: { firstName: 'Robin', lastName: 'Valemerge', phone: null, ...named },
      }),
    ),
  );

  const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
  expect([ids(searched), ids(similar)]).toEqual([[keptId], [keptId]]);
  expect(ids(listed)).toContain(keptId);
  expect(ids(listed)).not.toContain(replacedId);
  expect(known.map(({ id }) => id)).toEqual([keptId]);
  expect([identified?.id, matched.patient.id, caller]).toEqual([keptId, keptId, keptId]);
  expect([identified?.replaces, matched.patient.replaces]).toEqual([[replacedId], [replacedId]]);
  expect(opened.map(({ patientId }) => patientId)).toEqual([keptId, keptId, keptId]);
});

test.each(takeableFields)('of %s alone the kept one takes what the other has, and nothing else', async (field) => {
  const columns = {
    name: { firstName: 'Robin', lastName: 'Oak' },
    dateOfBirth: { birthDate: '1980-03-05' },
    phone: { phone: aPhone() },
    email: { email: 'robin@mail.example' },
    address: { address: '1 Elm St' },
    reasonForVisit: { reasonForVisit: 'A check' },
    preferredLocation: { preferredLocation: 'North' },
    medicareStatus: { medicareStatus: 'none' },
    healthPlanName: { healthPlanName: 'Plan' },
    referralSource: { referralSource: 'A friend' },
    insurance: { insurance: { memberId: 'M-1' } },
    selfPay: { selfPay: { agreed: true } },
  };
  const [keptId, replacedId] = [await records.aPatient(), await records.aPatient()];
  const data = Object.assign({}, ...Object.values(columns)) as object;
  await records.database.prisma.patient.update({ where: { id: replacedId }, data });
  // What is searched by follows from the rest.
  const stored = async () => ({ ...(await patientOf(keptId)), searchText: null, updatedAt: null });
  const before = await stored();

  const { taken } = await merging(keptId, replacedId, [field]);

  expect(taken).toEqual([field]);
  expect(await stored()).toEqual({ ...before, ...columns[field] });
});

test('what the kept one takes comes and goes with the merge; what was changed since stays', async () => {
  const { stores, clinicId, database } = records;
  const keptId = await records.aPatient({ firstName: 'Rob', lastName: 'Vale' });
  const replacedId = await records.aPatient({ firstName: 'Robin', lastName: 'Vale', birthDate: '1980-03-05' });
  await database.prisma.patient.update({ where: { id: keptId }, data: { isPlaceholder: true, commsConsent: true } });
  const refusal = { isGiven: false, basis: 'said so', at: '2026-01-01T00:00:00.000Z', source: 'call' };
  await database.prisma.patient.update({
    where: { id: replacedId },
    data: {
      email: 'robin@mail.example',
      consent: refusal,
      commsConsent: false,
      insurance: { memberId: 'M-1' },
      preferredCallHours: { from: '17:00', until: null },
      preferredLanguage: 'es',
    },
  });
  const before = await patientOf(keptId);

  const merge = await merging(keptId, replacedId, ['name', 'dateOfBirth', 'email', 'insurance', 'address']);
  const merged = await patientOf(keptId);
  await stores.patientRecords.change(clinicId, keptId, { email: 'new@mail.example' });
  await undoing(merge.id);

  expect(merge.taken).toEqual(['name', 'dateOfBirth', 'email', 'insurance']);
  expect(merged).toMatchObject({
    firstName: 'Robin',
    birthDate: '1980-03-05',
    email: 'robin@mail.example',
    insurance: { memberId: 'M-1' },
    phone: before.phone,
    consent: refusal,
    commsConsent: false,
    isPlaceholder: false,
    preferredCallHours: { from: '17:00', until: null },
    preferredLanguage: 'es',
  });
  const { updatedAt: _at, ...rest } = before;
  expect(await patientOf(keptId)).toMatchObject({
    ...rest,
    email: 'new@mail.example',
    searchText: expect.any(String) as string,
  });
  const [left] = await database.sql<{
    before: object;
  }>`select fields_before as before from patient_merges where id = ${merge.id}`;
  expect(left?.before).toEqual({});
});

test('who is not to be called at one number is not called at the other, and an undo does not change that', async () => {
  const { stores, clinicId } = records;
  const [run, other] = [await records.aRun(), await records.aRun()];
  await stores.optOuts.add(clinicId, other.phone, by);

  const merge = await merging(run.patientId, other.patientId);
  const facts = await Promise.all([run, other].map(({ workflowId }) => stores.runs.facts(clinicId, workflowId)));
  await undoing(merge.id);

  expect(facts).toMatchObject([{ isOptedOut: true }, { isOptedOut: true }]);
  expect(await stores.runs.facts(clinicId, run.workflowId)).toMatchObject({ isOptedOut: true });
  expect(await stores.callingRules.mayRing(clinicId, other.phone)).toBe(false);
});

test('an undo gives back who was merged by it, and nobody whom another merge has replaced', async () => {
  const [kept, alsoKept, first, second, third] = [
    await records.aPatient(),
    await records.aPatient(),
    await records.aPatient(),
    await records.aPatient(),
    await records.aPatient(),
  ];
  const merge = await merging(kept, first);
  await merging(kept, second);
  await merging(alsoKept, third);
  const untouched = await patientOf(third);

  await undoing(merge.id);

  const replacedBy = async (id: string) => (await patientOf(id)).replacedBy;
  expect([await replacedBy(first), await replacedBy(second)]).toEqual([null, kept]);
  expect(await patientOf(third)).toEqual(untouched);
  expect(untouched.replacedBy).toBe(alsoKept);
});

test.each<[column: string, ofKept: unknown, ofReplaced: unknown, merged: unknown]>([
  ['preferredLanguage', null, 'es', 'es'],
  ['preferredLanguage', 'en', 'es', 'en'],
  ['preferredLanguage', 'en', null, 'en'],
  ['preferredCallHours', undefined, { from: '17:00', until: null }, { from: '17:00', until: null }],
  [
    'preferredCallHours',
    { from: '09:00', until: null },
    { from: '17:00', until: null },
    { from: '09:00', until: null },
  ],
  ['patientType', 'NEW', 'EXISTING', 'EXISTING'],
  ['patientType', 'EXISTING', 'NEW', 'EXISTING'],
  ['patientType', 'NEW', 'NEW', 'NEW'],
  ['isPlaceholder', true, false, false],
  ['isPlaceholder', true, true, true],
  ['isPlaceholder', false, true, false],
])('of %s that is %j and %j the kept one has %j, and has its own again after an undo', async (column, ...values) => {
  const [ofKept, ofReplaced, expected] = values;
  const [keptId, replacedId] = [await records.aPatient(), await records.aPatient()];
  const { patient } = records.database.prisma;
  await patient.update({ where: { id: keptId }, data: { [column]: ofKept } });
  await patient.update({ where: { id: replacedId }, data: { [column]: ofReplaced } });
  const valueOf = async (id: string) => (await patientOf(id))[column as 'preferredLanguage'];

  const merge = await merging(keptId, replacedId);
  const merged = await valueOf(keptId);
  await undoing(merge.id);

  expect(merged).toEqual(expected);
  expect([await valueOf(keptId), await valueOf(replacedId)]).toEqual([ofKept ?? null, ofReplaced]);
});

test.each<[ofKept: string | null, ofReplaced: string | null, carried: (string | null)[], audited: number]>([
  [null, null, [null, null], 0],
  ['all', null, ['all', 'all'], 1],
  [null, 'all', ['all', 'all'], 1],
  [null, 'recovery_and_reminders', ['recovery_and_reminders', 'recovery_and_reminders'], 1],
  ['recovery_and_reminders', 'recovery_and_reminders', ['recovery_and_reminders', 'recovery_and_reminders'], 0],
  ['recovery_and_reminders', 'all', ['all', 'all'], 1],
  ['all', 'recovery_and_reminders', ['all', 'all'], 1],
  ['all', 'all', ['all', 'all'], 0],
])('numbers that are not to be called for %s and for %s are so after a merge for %j', async (...about) => {
  const [ofKept, ofReplaced, carried, audited] = about;
  const { clinicId, database } = records;
  const phones = [aPhone(), aPhone()];
  const [keptId, replacedId] = [
    await records.aPatient({ phone: phones[0] }),
    await records.aPatient({ phone: phones[1] }),
  ];
  for (const [index, scope] of [ofKept, ofReplaced].entries()) {
    if (scope === null) continue;
    const optOut = { id: newId(), clinicId, phone: phones[index] ?? '', scope, source: 'staff', addedBy: by.actor };
    await database.prisma.optOut.create({ data: optOut });
  }

  await merging(keptId, replacedId);

  const scopes = await Promise.all(
    phones.map(
      async (phone) => (await database.prisma.optOut.findFirst({ where: { clinicId, phone } }))?.scope ?? null,
    ),
  );
  expect(scopes).toEqual(carried);
  const { items } = await records.stores.audit.list(clinicId, { action: 'opt-out.add', subject: keptId, limit: 5 });
  expect(items).toHaveLength(audited);
});

test('the merges by which one is kept are told of, the newest first, without what was undone or is of others', async () => {
  const [keptId, other] = [await records.aPatient(), await records.aPatient()];
  const merged = [];
  for (const into of [keptId, keptId, keptId, keptId, other])
    merged.push((await merging(into, await records.aPatient())).id);
  const [first = '', second = '', third = '', undone = '', ofOther = ''] = merged;
  const times = { [first]: '10:00', [second]: '12:00', [third]: '11:00' };
  for (const [id, time] of Object.entries(times)) {
    const mergedAt = new Date(`2026-03-03T${time}:00.000Z`);
    await records.database.prisma.patientMerge.update({ where: { id }, data: { mergedAt } });
  }
  await undoing(undone);

  const inForce = async (clinicId: string, id: string) => (await merges().inForce(clinicId, id)).map((each) => each.id);
  expect(await inForce(records.clinicId, keptId)).toEqual([second, third, first]);
  expect(await inForce(records.clinicId, other)).toEqual([ofOther]);
  expect(await inForce(records.otherClinicId, keptId)).toEqual([]);
});

test.each<[what: string, call: object, of: 'kept' | 'replaced' | 'nobody', isRefused: boolean]>([
  ['one that rings', {}, 'replaced', true],
  ['one that rings with the one who is kept', {}, 'kept', true],
  ['one with somebody else', {}, 'nobody', false],
  ['one that has ended', { state: 'ENDED' }, 'replaced', false],
  ['one without a number', { phone: null }, 'replaced', true],
  ['a test that rings a phone', { isTest: true }, 'replaced', true],
  ['a test that rings none', { isTest: true, phone: null }, 'replaced', false],
])('while a call goes on, a merge and its undo wait for %s, or do not', async (_what, about, of, isRefused) => {
  const { clinicId, database } = records;
  const people = {
    kept: await records.aPatient(),
    replaced: await records.aPatient(),
    nobody: await records.aPatient(),
  };
  const [keptId, replacedId] = [people.kept, people.replaced];
  const usual = { direction: 'outbound', state: 'RINGING', phone: aPhone() };
  const id = newId();
  const aCall = () =>
    database.prisma.call.create({ data: { id, clinicId, patientId: people[of], ...usual, ...about } });
  const wait = (doing: Promise<unknown>) =>
    doing.then(
      () => false,
      (error: Error) => /is going on/.test(error.message),
    );

  await aCall();
  const before = await wait(merges().preview({ clinicId, keptId, replacedId }));
  await database.prisma.call.delete({ where: { id } });
  const merge = await merging(keptId, replacedId);
  await aCall();

  expect([before, await wait(undoing(merge.id))]).toEqual([isRefused, isRefused]);
});

test('an open run goes on about the one who is kept, whatever id it remembers, and decides again', async () => {
  const { stores, clinicId, database } = records;
  const [keptId, run] = [await records.aPatient(), await records.aCase()];

  const merge = await merging(keptId, run.patientId);
  const callId = await records.aReservedCall(run);
  await stores.tasks.open({ clinicId, reason: 'bad_number', cause: newId(), patientId: run.patientId });

  expect(await database.prisma.call.findUniqueOrThrow({ where: { id: callId } })).toMatchObject({ patientId: keptId });
  expect((await stores.tasks.list(clinicId, { patientId: keptId, limit: 5 })).items).toHaveLength(1);
  const told = await database.prisma.workflowMessage.findMany({ where: { workflowId: run.workflowId } });
  expect(told).toMatchObject([{ signal: 'rulesChanged' }]);
  await expect(undoing(merge.id)).rejects.toThrow(/is going on/);
});

test('an open run decides again when it goes to the one who is kept and when it comes back, and no other run does', async () => {
  const [ofKept, run, later, over] = [
    await records.aCase(),
    await records.aCase(),
    await records.aRun(),
    await records.aRun(),
  ];
  await records.database.prisma.workflowRun.update({
    where: { id: over.workflowId },
    data: { patientId: run.patientId, status: 'completed', outcome: 'INFORMED', completedAt: new Date() },
  });
  const merge = await merging(ofKept.patientId, run.patientId);
  await records.database.prisma.workflowRun.update({
    where: { id: later.workflowId },
    data: { patientId: ofKept.patientId },
  });
  const told = async () => {
    const of = ({ workflowId }: { workflowId: string }) =>
      records.database.prisma.workflowMessage.findMany({ where: { workflowId } });
    const messages = await Promise.all([ofKept, run, later, over].map(of));
    return messages.map((each) => each.map(({ signal }) => signal));
  };

  const merged = await told();
  await undoing(merge.id);

  expect(merged).toEqual([[], ['rulesChanged'], [], []]);
  expect(await told()).toEqual([[], ['rulesChanged', 'rulesChanged'], [], []]);
});

test('an open run of the one who is kept decides again when their number is not to be called any more', async () => {
  const { stores, clinicId, database } = records;
  const [ofKept, replaced] = [await records.aCase(), await records.aRun()];
  await stores.optOuts.add(clinicId, replaced.phone, by);

  await merging(ofKept.patientId, replaced.patientId);

  const told = await database.prisma.workflowMessage.findMany({ where: { workflowId: ofKept.workflowId } });
  expect(told).toMatchObject([{ signal: 'rulesChanged' }]);
});

test.each([
  ['a patient of another clinic', async () => [await records.aPatient(), await aPatientElsewhere()], /not found/],
  [
    'one who was merged already',
    async () => {
      const [one, two] = [await records.aPatient(), await records.aPatient()];
      await merging(one, two);
      return [await records.aPatient(), two];
    },
    /was merged into/,
  ],
  [
    'into one who was merged already',
    async () => {
      const [one, two] = [await records.aPatient(), await records.aPatient()];
      await merging(one, two);
      return [two, await records.aPatient()];
    },
    /was merged into/,
  ],
  [
    'one who replaces another',
    async () => {
      const [one, two] = [await records.aPatient(), await records.aPatient()];
      await merging(one, two);
      return [await records.aPatient(), one];
    },
    /keep that one/,
  ],
  [
    'one under a legal hold',
    async () => {
      const [one, two] = [await records.aPatient(), await records.aPatient()];
      await records.stores.legalHolds.place({ clinicId: records.clinicId, patientId: two, reason: 'A case' }, by);
      return [one, two];
    },
    /legal hold/,
  ],
  [
    'one who is being erased',
    async () => {
      const [one, two] = [await records.aPatient(), await records.aPatient()];
      await records.stores.erasures.request(
        { clinicId: records.clinicId, patientId: one, reason: 'patient_request' },
        by,
      );
      return [one, two];
    },
    /being erased/,
  ],
  [
    'one who is on the phone',
    async () => {
      const run = await records.aRun();
      await records.aPlacedCall(run);
      return [await records.aPatient(), run.patientId];
    },
    /is going on/,
  ],
  [
    'who waits for the same visit',
    async () => {
      const pair = [await records.aPatient(), await records.aPatient()];
      const wish = { provider: null, visitType: 'Check', earliestOn: '2035-01-01', latestOn: '2035-02-01' };
      for (const patientId of pair) {
        await records.stores.waitlist.add(
          { clinicId: records.clinicId, patientId, ...wish, fromTime: null, untilTime: null },
          by.actor,
        );
      }
      return pair;
    },
    /waitlist/,
  ],
])('a merge of %s is refused, by its preview too, and changes nothing', async (_name, aPair, words) => {
  const [keptId = '', replacedId = ''] = await aPair();
  const before = [await patientOf(keptId), await patientOf(replacedId)];

  await expect(merging(keptId, replacedId)).rejects.toThrow(words);
  await expect(merges().preview({ clinicId: records.clinicId, keptId, replacedId })).rejects.toThrow(words);

  expect([await patientOf(keptId), await patientOf(replacedId)]).toEqual(before);
});

async function aPatientElsewhere(): Promise<string> {
  const id = newId();
  await records.database.prisma.patient.create({ data: { id, clinicId: records.otherClinicId } });
  return id;
}

describe('two who wait', () => {
  const [waits, over] = [{ status: 'waiting' }, { status: 'removed', endedAt: new Date() }];
  const wish = { visitType: 'Check', earliestOn: '2035-01-01', latestOn: '2035-02-01', ...waits };
  const times = { fromTime: '09:00', untilTime: '12:00' };

  /** For the same visit but for what is said of the one who would be kept and of the other. */
  test.each<[what: string, ofKept: object, ofReplaced: object, isRefused: boolean]>([
    ['for the same visit', {}, {}, true],
    ['for the same one at the same times', times, times, true],
    ['for the same one, which the one is offered', { status: 'offered' }, {}, true],
    ['for the same one, which the other is offered', {}, { status: 'offered' }, true],
    ['the one no longer', over, {}, false],
    ['the other no longer', {}, over, false],
    ['the other no longer, who has booked', {}, { status: 'booked', endedAt: new Date() }, false],
    ['the other no longer, whose days are over', {}, { status: 'expired', endedAt: new Date() }, false],
    ['for other visits', {}, { visitType: 'Telehealth' }, false],
    ['from different days on', {}, { earliestOn: '2035-01-02' }, false],
    ['until different days', {}, { latestOn: '2035-02-02' }, false],
    ['from different times on', times, { ...times, fromTime: '09:30' }, false],
    ['until different times', times, { ...times, untilTime: '12:30' }, false],
    ['the other at any time', times, {}, false],
  ])('%s are merged, or are not', async (_what, ofKept, ofReplaced, isRefused) => {
    const { clinicId, database } = records;
    const [keptId, replacedId] = [await records.aPatient(), await records.aPatient()];
    for (const [patientId, about] of [
      [keptId, ofKept],
      [replacedId, ofReplaced],
    ] as const) {
      await database.prisma.waitlistEntry.create({
        data: { id: newId(), clinicId, patientId, addedBy: by.actor, ...wish, ...about },
      });
    }

    const refusal = merges()
      .preview({ clinicId, keptId, replacedId })
      .then(
        () => null,
        (error: Error) => error.message,
      );

    expect(await refusal).toBe(
      isRefused ? 'Both wait for the same visit: take one of them off the waitlist first' : null,
    );
  });
});

test('an undo is refused after a day, under a hold, while an erasure is under way, and to another clinic', async () => {
  const { stores, clinicId, database } = records;
  const [keptId, replacedId] = [await records.aPatient(), await records.aPatient()];
  const { id } = await merging(keptId, replacedId);

  const elsewhere = await merges().undo(records.otherClinicId, id, by);
  await stores.legalHolds.place({ clinicId, patientId: keptId, reason: 'A case' }, by);
  const held = undoing(id).catch((error: Error) => error.message);
  await held;
  await stores.legalHolds.lift(clinicId, keptId, by);
  await database.sql`update patient_merges set merged_at = now() - interval '24 hours 1 second' where id = ${id}`;
  const late = undoing(id).catch((error: Error) => error.message);
  await late;
  await database.sql`update patient_merges set merged_at = now() where id = ${id}`;
  await stores.erasures.request({ clinicId, patientId: keptId, reason: 'patient_request' }, by);
  const erasing = undoing(id).catch((error: Error) => error.message);

  expect(elsewhere).toBeNull();
  expect(await held).toMatch(/legal hold/);
  expect(await late).toMatch(/24 hours/);
  expect(await erasing).toMatch(/being erased/);
  expect((await patientOf(replacedId)).replacedBy).toBe(keptId);
});

test('the record of who was merged does not change any more, and is held and erased with the one who is kept', async () => {
  const { stores, clinicId, database } = records;
  const [kept, replaced] = [await aFreeLife(), await aFreeLife()];
  await database.prisma.patient.updateMany({
    where: { id: { in: [kept.patientId, replaced.patientId] } },
    data: { phone: kept.phone },
  });
  await merging(kept.patientId, replaced.patientId, ['email']);
  const refusals = await Promise.all(
    [
      stores.patientRecords.change(clinicId, replaced.patientId, { address: 'Elsewhere' }),
      stores.legalHolds.place({ clinicId, patientId: replaced.patientId, reason: 'A case' }, by),
      stores.erasures.request({ clinicId, patientId: replaced.patientId, reason: 'patient_request' }, by),
      database.sql`update patients set address = 'Elsewhere' where id = ${replaced.patientId}`,
    ].map((refused) =>
      Promise.resolve(refused).then(
        () => 'done',
        (error: Error) => error.message,
      ),
    ),
  );

  const exported = await stores.patientExports.of(clinicId, kept.patientId, by);
  const bundle = patientBundle(exported!, 'https://clinic.example/api');
  const asked = await stores.erasures.request({ clinicId, patientId: kept.patientId, reason: 'patient_request' }, by);
  if (asked.kind !== 'requested') throw new Error(asked.kind);
  const erased = await stores.erasures.erase(asked.erasure);

  expect(refusals.filter((message) => !/merged into/.test(message))).toEqual([]);
  expect(exported?.records.patients).toHaveLength(2);
  expect(exported?.records.patient_merges).toHaveLength(1);
  expect(exported?.records.opt_outs?.filter(({ phone }) => phone === kept.phone)).toHaveLength(1);
  assertR4(bundle);
  const people = bundle.entry.map(({ resource }) => resource).filter(({ resourceType }) => resourceType === 'Patient');
  const linkTo = (id: string, type: string) => [{ other: { reference: `Patient/${id}` }, type }];
  expect(people).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: kept.patientId, link: linkTo(replaced.patientId, 'replaces') }),
      expect.objectContaining({ id: replaced.patientId, active: false, link: linkTo(kept.patientId, 'replaced-by') }),
    ]),
  );
  expect(erased).toEqual({ kind: 'erased' });
  const left: string[] = [];
  for (const person of [kept.patientId, replaced.patientId]) {
    for (const { table, isAbout, erasure } of tablesAboutPatients) {
      if (erasure === 'kept') continue;
      const rows = await database.prisma.$queryRawUnsafe<object[]>(
        `select 1 from ${table} t where ${isAbout}`,
        clinicId,
        person,
      );
      if (rows.length > 0) left.push(table);
    }
  }
  expect(left).toEqual([]);
  const stones = await database.prisma.tombstone.findMany({
    where: { clinicId, kind: 'patient', erasureId: asked.erasure.id },
  });
  expect(stones.map(({ key }) => key).toSorted()).toEqual([kept.patientId, replaced.patientId].toSorted());
});

test('merges, undos, bookings and erasures at the same moment lose no row, and leave no row with who is replaced', async () => {
  const { stores, clinicId, database } = records;
  const visit = (patientId: string, day: number) =>
    stores.appointments.book({
      clinicId,
      patientId,
      provider: 'Dr.Vega',
      visitType: 'Check',
      startsAt: new Date(Date.UTC(2036, 0, 1 + day, 10)).toISOString(),
      now: new Date(),
    });
  for (let round = 0; round < 6; round += 1) {
    const [one, two] = [await records.aPatient(), await records.aPatient()];
    const attempts = await Promise.allSettled([
      merging(one, two),
      visit(two, round * 4),
      merging(two, one),
      visit(one, round * 4 + 1),
      stores.documents.write({ id: newId(), clinicId, patientId: two, content: [] }),
      visit(two, round * 4 + 2),
      merging(one, two).then(({ id }) => undoing(id)),
      visit(two, round * 4 + 3),
      ...(round > 3
        ? [stores.erasures.request({ clinicId, patientId: one, reason: 'patient_request' as const }, by)]
        : []),
    ]);

    const faults = attempts.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect(faults.filter((fault) => !/merged into|being erased/.test(fault))).toEqual([]);
    const people = await database.prisma.patient.findMany({ where: { id: { in: [one, two] } } });
    const rows = [...Object.values(await idsOf(one)).flat(), ...Object.values(await idsOf(two)).flat()];
    expect(rows).toHaveLength(5);
    for (const { id, replacedBy } of people) {
      if (replacedBy !== null) expect(Object.values(await idsOf(id)).flat()).toEqual([]);
    }
    expect(people.filter(({ replacedBy }) => replacedBy !== null).length).toBeLessThan(2);
  }
});

test('a booking that waits for a merge is of the one who is kept', async () => {
  const { stores, clinicId, database } = records;
  const [keptId, replacedId] = [await records.aPatient(), await records.aPatient()];
  const booking = {
    clinicId,
    provider: 'Dr.Vega',
    visitType: 'Check',
    startsAt: '2037-03-04T10:00:00.000Z',
    now: new Date(),
  };
  let booked: Promise<unknown> = Promise.resolve();

  await database.transaction(async (tx) => {
    await tx`select id from patients where id in (${keptId}, ${replacedId}) order by id for update`;
    booked = stores.appointments.book({ ...booking, patientId: replacedId });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await tx`update patients set replaced_by = ${keptId} where id = ${replacedId}`;
  });

  expect(await booked).toMatchObject({ kind: 'booked' });
  expect((await idsOf(keptId)).appointments).toHaveLength(1);
  expect((await stores.appointments.nextUpcoming(clinicId, replacedId, new Date()))?.patientId).toBe(keptId);
});

describe('who waits for another change of the two', () => {
  /** Begins while somebody changes one of the two, and ends when that is done. */
  const during = async <Done>(ids: string[], work: () => Promise<Done>, change: () => Record<string, unknown>) => {
    const { database } = records;
    let ended: Promise<unknown> = Promise.resolve();
    await database.transaction(async (tx) => {
      await tx`select id from patients where id = any (${ids}) order by replaced_by is null, id for update`;
      ended = work().catch((error: unknown) => error);
      await eventually(async () => (await waitingForLocks(database)) > 0);
      const { id, phone = null, replacedBy = null } = change();
      await tx`
        update patients set phone = coalesce(${phone}, phone), replaced_by = coalesce(${replacedBy}, replaced_by)
        where id = ${id}`;
    });
    return ended;
  };

  test('takes what the other has by then', async () => {
    const [keptId, replacedId] = [await records.aPatient(), await records.aPatient()];
    const [before, phone] = [(await patientOf(keptId)).phone, aPhone()];

    const merge = await during(
      [keptId, replacedId],
      () => merging(keptId, replacedId, ['phone']),
      () => ({ id: replacedId, phone }),
    );

    expect((await patientOf(keptId)).phone).toBe(phone);
    await undoing((merge as { id: string }).id);
    expect((await patientOf(keptId)).phone).toBe(before);
  });

  test('does not merge who was merged into a third one', async () => {
    const [keptId, replacedId, thirdId] = [
      await records.aPatient(),
      await records.aPatient(),
      await records.aPatient(),
    ];

    const refusal = await during(
      [keptId, replacedId],
      () => merging(keptId, replacedId),
      () => ({ id: replacedId, replacedBy: thirdId }),
    );

    expect(refusal).toMatchObject({ code: 'conflict', message: expect.stringContaining(thirdId) });
    expect((await patientOf(replacedId)).replacedBy).toBe(thirdId);
  });

  test('does not take back what was changed', async () => {
    const [keptId, replacedId] = [await records.aPatient(), await records.aPatient()];
    const { id } = await merging(keptId, replacedId, ['phone']);
    const phone = aPhone();

    await during(
      [keptId, replacedId],
      () => undoing(id),
      () => ({ id: keptId, phone }),
    );

    expect((await patientOf(keptId)).phone).toBe(phone);
    expect((await patientOf(replacedId)).replacedBy).toBeNull();
  });
});

test('who undoes a merge takes who is replaced first: whoever writes about them takes them so, and neither waits for ever', async () => {
  const { clinicId, database } = records;
  const [keptId = '', replacedId = ''] = [await records.aPatient(), await records.aPatient()].toSorted();
  const { id } = await merging(keptId, replacedId);
  let undone: Promise<unknown> = Promise.resolve();

  await database.transaction(async (tx) => {
    await tx`select id from patients where clinic_id = ${clinicId} and id = ${replacedId} for key share`;
    undone = undoing(id);
    await eventually(async () => (await waitingForLocks(database)) > 0);
    await tx`select id from patients where clinic_id = ${clinicId} and id = ${keptId} for key share nowait`;
  });

  expect(await undone).toMatchObject({ id, undoneBy: by.actor });
});

test('a reset of the sandbox takes merged records along, and a restore of what was before brings both back', async () => {
  const { stores, database } = records;
  const clinicId = await records.aClinic();
  await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });
  const [kept, replaced] = [
    await stores.sandbox.match(clinicId, 'TWICE-1'),
    await stores.sandbox.match(clinicId, 'TWICE-2'),
  ];
  const pair = { clinicId, keptId: kept.patient.id, replacedId: replaced.patient.id };
  const people = () =>
    database.prisma.patient.findMany({
      where: { clinicId, identifier: { in: ['TWICE-1', 'TWICE-2'] } },
      orderBy: { identifier: 'asc' },
      select: { id: true, replacedBy: true },
    });
  await stores.sandboxData.take({ clinicId, name: 'before', realNow: new Date() });
  await merges().merge({ ...pair, take: [] }, by);

  await stores.sandboxData.take({ clinicId, name: 'after', realNow: new Date() });
  await stores.sandboxData.restore({ clinicId, name: 'after', realNow: new Date() });
  const after = await people();
  await stores.sandboxData.restore({ clinicId, name: 'before', realNow: new Date() });

  expect(after).toEqual([{ id: pair.keptId, replacedBy: null }]);
  expect(await people()).toEqual([
    { id: pair.keptId, replacedBy: null },
    { id: pair.replacedId, replacedBy: null },
  ]);
});
