import { setTimeout as delay } from 'node:timers/promises';
import { patientData, tablesAboutPatients } from '@clinic/prisma/stores/patients/patient-data';
import { createRetentionActivities } from '@clinic/activities/retention';
import { createStores } from '@clinic/prisma/stores';
import { createRetentionStores, type PurgePlace } from '@clinic/prisma/stores/operations/retention';
import { newId } from '@clinic/shared/crypto';
import { retentionDefaults, retentionKinds } from '@clinic/shared/domain/operations/retention';
import { patientBundle } from '@clinic/shared/domain/patients/patient-bundle';
import { aLife as aLifeOf, endAll } from '../../../support/a-life';
import { aPhone, aSession } from '../../../support/builders';
import { eventually } from '../../../support/eventually';
import { assertR4 } from '../../../support/r4';
import { aGate } from '../../../support/gate';
import { waitingForLocks } from '../../../support/locks';
import { exchangesOf } from '../../../support/planted-exchanges';
import { openRecords, type Records } from '../../../support/records';

let records: Records;

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const by = { actor: 'account:admin' };
const aLife = (about: Parameters<typeof aLifeOf>[1] = {}) => aLifeOf(records, about);
const end = (clinicId: string, patientId: string) => endAll(records, clinicId, patientId);
const erasing = (clinicId: string, patientId: string) => ({ clinicId, patientId, reason: 'patient_request' as const });

test('every column of every table is classified: what an export shows of it, and what an erasure does with it', async () => {
  const columns = await records.database.sql<{ name: string | null }>`
    select c.table_name || '.' || c.column_name as name
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name not like '\\_prisma%'`;

  const classified = Object.entries(patientData).flatMap(([table, about]) =>
    [...about.columns, ...(about.internal ?? [])].map((column) => `${table}.${column}`),
  );

  expect(classified.toSorted()).toEqual(columns.map(({ name }) => name ?? '').toSorted());
});

test('tables are deleted from before those that they refer to', async () => {
  const relations = await records.database.sql<{ from: string; to: string }>`
    select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace and conrelid <> confrelid`;

  const order = Object.keys(patientData).filter((table) => patientData[table]?.erasure === 'deleted');
  const wrong = relations.filter(
    ({ from, to }) => order.includes(from) && order.includes(to) && order.indexOf(from) > order.indexOf(to),
  );
  expect(relations.length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

test('an export holds rows of every table about the patient and of nobody else, and is audited', async () => {
  const { patientId, clinicId } = await aLife({ isOver: false });
  await aLife();

  const exported = await records.stores.patientExports.of(clinicId, patientId, by);

  const filled = tablesAboutPatients
    .map(({ table }) => table)
    .filter((table) => table !== 'erasures' && table !== 'patient_merges');
  expect(Object.keys(exported?.records ?? {}).toSorted()).toEqual(filled.toSorted());
  const text = JSON.stringify(exported);
  expect(text).toContain('Zwolle');
  expect(exported?.records.patients).toHaveLength(1);
  expect(exported?.records.calls).toHaveLength(2);
  const others = await records.database.prisma.patient.findMany({ where: { clinicId, id: { not: patientId } } });
  expect(others.filter(({ id }) => text.includes(id))).toEqual([]);
  expect(await auditOf(clinicId, patientId)).toContain('patient.export');
  expect(await records.stores.patientExports.of(records.otherClinicId, patientId, by)).toBeNull();
});

test('the Bundle of an export is valid FHIR R4', async () => {
  const { patientId, clinicId } = await aLife();
  await records.stores.patientRecords.change(clinicId, patientId, { preferredLanguage: 'es' });

  const exported = await records.stores.patientExports.of(clinicId, patientId, by);
  const bundle = patientBundle(exported!, 'https://clinic.example/api');

  assertR4(bundle);
  const types = new Set(bundle.entry.map(({ resource }) => resource.resourceType));
  expect([...types].toSorted()).toEqual(['Appointment', 'Communication', 'DocumentReference', 'Patient', 'Task']);
  expect(bundle.entry.find(({ resource }) => resource.resourceType === 'Patient')?.resource).toMatchObject({
    communication: [{ language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'es' }] }, preferred: true }],
  });
});

describe('an erasure', () => {
  test('waits for open runs and calls, then leaves nothing but ids and hashes, and keeps everybody else', async () => {
    const { patientId, clinicId, sessionId, phone } = await aLife({ isOver: false });
    const other = await aLife();
    await records.stores.legalHolds.lift(clinicId, patientId, by);
    const before = await rowsAbout(clinicId, other.patientId);

    const { erasure } = await requested(clinicId, patientId);
    const early = await records.stores.erasures.erase(erasure);
    const waiting = await records.stores.erasures.standing(erasure);
    await end(clinicId, patientId);
    const late = await records.stores.erasures.erase(erasure);
    const again = await records.stores.erasures.erase(erasure);
    await records.stores.erasures.forgetReplies(erasure, null);

    expect([early.kind, late.kind, again.kind]).toEqual(['busy', 'erased', 'erased']);
    expect(waiting).toMatchObject({ openCalls: 2, owed: 2 });
    expect(waiting.runs).toHaveLength(2);
    const dump = await everything();
    const markers = ['Zwolle', 'zwolle', phone, phone.slice(2), sessionId, '1980-03-05'];
    expect(markers.filter((marker) => dump.includes(marker))).toEqual([]);
    expect(await rowsAbout(clinicId, other.patientId)).toEqual(before);
    const done = await records.stores.erasures.find(clinicId, erasure.id);
    expect(done).toMatchObject({
      state: 'ERASED',
      counts: { patients: 1, calls: 2, tool_calls: 1, documents: 1, task_notes: 1 },
    });
    expect(await auditOf(clinicId, patientId)).toContain('patient.erase');
  });

  test('of all who share a phone, at the same time, takes its opt-out along and leaves the hash of it', async () => {
    const { stores, database, clinicId } = records;
    const phone = aPhone();
    const family = await Promise.all(
      Array.from({ length: 8 }, () => database.prisma.patient.create({ data: { id: newId(), clinicId, phone } })),
    );
    await stores.optOuts.add(clinicId, phone, by);
    const asked = await Promise.all(family.map(({ id }) => requested(clinicId, id)));

    const inTurn = ({ erasure }: (typeof asked)[number]) =>
      eventually(async () => (await stores.erasures.erase(erasure)).kind === 'erased');
    await Promise.all(asked.map(inTurn));

    expect(await database.prisma.optOut.count({ where: { clinicId, phone } })).toBe(0);
    const [left] = await database.sql<{ count: number }>`
      select count(*)::int as count from tombstones
      where kind = 'opt-out' and erasure_id = any(${asked.map(({ erasure }) => erasure.id)})`;
    expect(left?.count).toBe(1);
  });

  test('takes along what a client was told where the patient was one of several', async () => {
    const { validationRuns } = records.stores;
    const { patientId, clinicId } = await aLife();
    const now = new Date();
    const started = await validationRuns.start({
      clinicId,
      label: null,
      now,
      endsAt: new Date(now.getTime() + 60_000),
      by,
    });
    const runId = started.kind === 'started' ? started.run.id : started.runId;
    const told = exchangesOf([['match', { patient: 'somebody-else', others: [patientId] }]]);
    await validationRuns.observe(clinicId, runId, told);
    await erase(clinicId, patientId);

    expect(JSON.stringify(await validationRuns.exchangesOf(clinicId, runId))).not.toContain(patientId);
  });

  test('is remembered: the session opens nothing again, and who opted out is not called again', async () => {
    const { stores } = records;
    const { patientId, clinicId, sessionId, phone, workflowId } = await aLife();
    await erase(clinicId, patientId);

    const person = { firstName: 'Ann', lastName: 'Back', phone };
    const again = await stores.runs.openRecovery({
      clinicId,
      sessionId,
      patient: person,
      form: {},
      inbound: { payload: { again: 'Zwolle' } },
    });
    const overRest = await stores.runs.openRecovery({ clinicId, sessionId, patient: person, form: {} });
    const completed = await stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: { again: 'Zwolle' } });
    const anew = await stores.runs.openRecovery({ clinicId, sessionId: aSession(), patient: person, form: {} });

    expect(again).toMatchObject({ workflowId, isErased: true, isDuplicateEvent: true, isNew: false });
    expect(overRest).toMatchObject({ workflowId, isErased: true });
    expect(completed).toMatchObject({ isDuplicate: true, caseId: null });
    expect(await everything()).not.toContain('Zwolle');
    expect(anew.isNew).toBe(true);
    expect(anew.patientId).not.toBe(patientId);
    expect(await stores.runs.facts(clinicId, anew.workflowId)).toMatchObject({ isOptedOut: true });
    expect(await stores.callingRules.mayRing(clinicId, phone)).toBe(false);
    const [previewed] = await stores.callPreview.openRuns(clinicId, { patientId: anew.patientId!, limit: 1 });
    expect(previewed?.facts.isOptedOut).toBe(true);
    await erase(clinicId, anew.patientId!);
  });

  test('stops a call that is about to ring at once, and the next one by the hash of the phone', async () => {
    const { stores } = records;
    const run = await records.aCase();
    const waiting = await records.aReservedCall(run);
    await stores.optOuts.add(run.clinicId, aPhone(), by);
    await requested(run.clinicId, run.patientId);

    const begun = await stores.calls.beginRequest({ clinicId: run.clinicId, callId: waiting, requests: 0 });

    expect(begun).toMatchObject({ kind: 'withdrawn' });
    await erase(run.clinicId, run.patientId);
    await stores.optOuts.add(run.clinicId, run.phone, by);
    const back = await records.aRun({ phone: run.phone });
    await erase(run.clinicId, back.patientId);
    const third = await records.aRun({ phone: run.phone });
    const callId = await records.aReservedCall(third);
    const placed = await stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
    expect(placed).toMatchObject({ kind: 'withdrawn' });
  });

  test('is refused by a legal hold, by the database too, and once it was requested a hold comes too late', async () => {
    const { stores, database } = records;
    const { clinicId } = records;
    const patientId = await records.aPatient();
    await stores.legalHolds.place({ clinicId, patientId, reason: 'A case at court' }, by);

    const refused = await stores.erasures.request(erasing(clinicId, patientId), by);
    const elsewhere = await stores.erasures.request(erasing(records.otherClinicId, patientId), by);
    const byHand = database.sql`delete from patients where id = ${patientId}`.catch((error: Error) => error.message);

    expect([refused.kind, elsewhere.kind]).toEqual(['held', 'unknown']);
    expect(await byHand).toMatch(/legal_holds_patient_fkey/);
    await stores.legalHolds.lift(clinicId, patientId, by);
    await requested(clinicId, patientId);
    await expect(stores.legalHolds.place({ clinicId, patientId, reason: 'Late' }, by)).rejects.toThrow(
      'comes too late',
    );
    expect(await auditOf(clinicId, patientId)).toEqual(
      expect.arrayContaining(['legal-hold.place', 'legal-hold.lift', 'patient.erase']),
    );
  });

  test.each([
    ['an event that is sent again', { inbound: { payload: { again: 'Zwolle' } } }],
    ['a start that is asked for again', {}],
  ])('under way: %s opens nothing, and a form that is completed leaves nothing', async (_name, about) => {
    const { stores, database } = records;
    const { patientId, clinicId, sessionId, workflowId } = await aLife();
    await stores.legalHolds.lift(clinicId, patientId, by);
    // Staff have corrected the name: by what the platform says, nobody is known.
    await database.sql`update patients set first_name = 'Corrected', last_name = 'Zwolle' where id = ${patientId}`;
    const { erasure } = await requested(clinicId, patientId);
    const { slow, deleted, committing } = slowToCommit();

    const isErased = slow.erasures.erase(erasure);
    await deleted.opened;
    const patient = { firstName: 'Xan', lastName: 'Zwolle', phone: aPhone() };
    const opening = stores.runs.openRecovery({ clinicId, sessionId, patient, form: {}, ...about });
    const completing = stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: { again: 'Zwolle' } });
    await eventually(async () => (await waitingForLocks(records.database)) > 0);
    await delay(100);
    committing.open();

    expect(await isErased).toEqual({ kind: 'erased' });
    expect(await opening).toMatchObject({ workflowId, isErased: true, isNew: false });
    expect(await completing).toMatchObject({ isDuplicate: true, caseId: null });
    await stores.erasures.forgetReplies(erasure, null);
    expect(await everything()).not.toContain('Zwolle');
  });

  test('of somebody with thousands of runs leaves a tombstone of each, and holds no more locks than the server has room for', async () => {
    const { clinicId, database } = records;
    const patientId = await records.aPatient();
    await database.sql`
      insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, status)
      select 'of-many-' || n, ${clinicId}, 'care-gap-follow-up', 'of-many-' || n, ${patientId}, 'completed'
      from generate_series(1, 4000) n`;
    const { erasure } = await requested(clinicId, patientId);
    const { slow, deleted, committing } = slowToCommit();

    const isErased = slow.erasures.erase(erasure);
    await deleted.opened;
    const [locks] = await database.sql<{ count: number }>`
      select count(*)::int as count from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
    committing.open();

    expect(await isErased).toEqual({ kind: 'erased' });
    expect(locks?.count).toBeLessThan(1_100);
    expect(await database.prisma.tombstone.count({ where: { erasureId: erasure.id } })).toBe(8_001);
  });

  test('lets an event that comes in the same moment make a patient of its own', async () => {
    const { stores, database } = records;
    const first = await records.aCase();
    const { clinicId, patientId, phone } = first;
    await end(clinicId, patientId);
    const { erasure } = await requested(clinicId, patientId);

    // The opener has found the patient, and waits for the erasure that holds the patient's row.
    let opening: Promise<unknown> = Promise.resolve();
    await database.transaction(async (tx) => {
      await tx`select id from patients where id = ${patientId} for update`;
      opening = stores.runs.openRecovery({
        clinicId,
        sessionId: aSession(),
        patient: { firstName: 'Ann', lastName: 'Lee', phone },
        form: {},
      });
      await eventually(async () => (await waitingForLocks(records.database)) > 0);
      await tx`delete from outbound_events where subject = ${first.caseId}`;
      await tx`delete from recovery_cases where patient_id = ${patientId}`;
      await tx`delete from workflow_runs where patient_id = ${patientId}`;
      await tx`delete from patients where id = ${patientId}`;
    });

    expect(await opening).toMatchObject({ isNew: true, isDuplicateEvent: false });
    expect(await opening).not.toMatchObject({ patientId });
    expect(await stores.erasures.erase(erasure)).toEqual({ kind: 'erased' });
  });

  test('lets who calls in the same moment be somebody new', async () => {
    const { stores, database } = records;
    const { clinicId } = records;
    const phone = aPhone();
    const patientId = await records.aPatient({ phone });
    const platformCallId = newId();
    const ringing = {
      owner: { clinicId, country: 'US' },
      platformCallId,
      callerNumber: phone,
      state: 'RINGING',
    } as const;

    const { opening } = await database.transaction(async (tx) => {
      await tx`select id from patients where id = ${patientId} for update`;
      const asked = stores.inboundCalls.open(ringing);
      await eventually(async () => (await waitingForLocks(database)) > 0);
      await tx`delete from patients where id = ${patientId}`;
      return { opening: asked };
    });

    const { callId } = await opening;
    const call = await database.prisma.call.findUniqueOrThrow({ where: { id: callId } });
    expect(call).toMatchObject({ platformCallId, phone, isMatchedByNumber: false });
    expect(call.patientId).not.toBe(patientId);
  });
});

/** As the clinic's own would be years later: everything is old, sent and answered. */
async function growOld(clinicId: string): Promise<void> {
  await records.database.transaction(async (tx) => {
    await tx`update clinics set created_at = created_at - interval '9 years' where id = ${clinicId}`;
    await tx`update workflow_runs set started_at = started_at - interval '8 years' where clinic_id = ${clinicId}`;
    await tx`update inbound_events set received_at = received_at - interval '8 years' where clinic_id = ${clinicId}`;
    await tx`
      update tool_calls set started_at = started_at - interval '8 years', reply = coalesce(reply, 'Zwolle it is'), detail = '{"of": "Zwolle"}'
      where clinic_id = ${clinicId}`;
    await tx`update calls set state = 'ENDED' where clinic_id = ${clinicId}`;
    await tx`update outbound_events set created_at = created_at - interval '8 years' where clinic_id = ${clinicId}`;
    await tx`
      update workflow_messages set created_at = created_at - interval '8 years', sent_at = now() where clinic_id = ${clinicId}`;
    await tx`update idempotency_records set created_at = created_at - interval '8 years' where clinic_id = ${clinicId}`;
    await tx`update call_evidence set created_at = created_at - interval '8 years' where clinic_id = ${clinicId}`;
    await tx`update call_decisions set decided_at = decided_at - interval '8 years' where clinic_id = ${clinicId}`;
    await tx`update observed_exchanges set at = at - interval '8 years' where clinic_id = ${clinicId}`;
    await tx`update retention set purged_until = null, held_back_at = null where clinic_id = ${clinicId}`;
  });
}

describe('contents that are old', () => {
  const purge = async () => {
    const { stores } = records;
    const { purgeSomeContents } = createRetentionActivities({ stores, retentionDays: retentionDefaults });
    const counts: Record<string, number> = {};
    for (let isDone = false; !isDone;) {
      const turn = await purgeSomeContents();
      Object.assign(counts, turn.counts);
      isDone = turn.isDone;
    }
    return counts;
  };
  const callsOf = async ({ patientId }: { patientId: string }) =>
    (await records.database.prisma.call.findMany({ where: { patientId } })).map(({ id }) => id);
  const rowsOf = async (table: string, clinicId: string) =>
    JSON.stringify(
      await records.database.prisma.$queryRawUnsafe(
        `select to_jsonb(t) as row from ${table} t where clinic_id = $1`,
        clinicId,
      ),
    );
  const tables = [
    'inbound_events',
    'tool_calls',
    'outbound_events',
    'delivery_attempts',
    'workflow_messages',
    'idempotency_records',
  ];

  test('go, and what recognises them stays; what is under a hold, or still to be sent, goes once it is neither', async () => {
    const { stores, database, clinicId } = records;
    const life = await aLife();
    const held = await aLife({ isOver: false });
    const { patientId } = held;
    await database.sql`delete from legal_holds where clinic_id = ${clinicId} and patient_id <> ${patientId}`;
    await database.sql`update workflow_runs set status = 'completed' where clinic_id = ${clinicId}`;
    await database.sql`
      update deliveries set state = case when event_id in (select id from outbound_events where subject = ${life.caseId})
        then 'PENDING' else 'DELIVERED' end where clinic_id = ${clinicId}`;
    await growOld(clinicId);
    const due = async () => Promise.all(retentionKinds.map((kind) => stores.retention.countDue(clinicId, kind, 90)));
    expect((await due()).every((count) => count > 0)).toBe(true);

    await purge();

    const text = (await Promise.all(tables.map((table) => rowsOf(table, clinicId)))).join();
    expect(text).toContain(held.workflowId);
    const ofHeld = await database.prisma.inboundEvent.findFirst({ where: { clinicId, workflowId: held.workflowId } });
    expect(ofHeld?.payload).not.toEqual({});
    const pending = await database.prisma.outboundEvent.findMany({ where: { clinicId, subject: life.caseId ?? '' } });
    expect(pending.every(({ data }) => JSON.stringify(data) !== '{}')).toBe(true);
    expect(await database.prisma.callEvidence.count({ where: { clinicId, callId: { in: await callsOf(life) } } })).toBe(
      0,
    );

    await stores.legalHolds.lift(clinicId, held.patientId, by);
    await database.sql`update deliveries set state = 'DELIVERED' where clinic_id = ${clinicId}`;
    await database.sql`update retention set purged_until = purged_until - interval '1 day' where clinic_id = ${clinicId}`;
    await purge();

    const left = await Promise.all(
      tables.map(async (table) => [table, (await rowsOf(table, clinicId)).includes('Zwolle')]),
    );
    expect(left).toEqual(tables.map((table) => [table, false]));
    expect(await due()).toEqual(retentionKinds.map(() => 0));
    const patient = { firstName: 'Xan', lastName: 'Zwolle', phone: life.phone };
    const again = await stores.runs.openRecovery({
      clinicId,
      sessionId: life.sessionId,
      patient,
      form: {},
      inbound: { payload: {} },
    });
    expect(again).toMatchObject({ workflowId: life.workflowId });
    const [reply] = await database.prisma.idempotencyRecord.findMany({ where: { clinicId, body: null }, take: 1 });
    expect(await stores.idempotency.claim({ ...reply!, requestHash: 'x' })).toEqual({ kind: 'forgotten' });
    expect(reply!.besides).toBeNull();
    const [event] = await database.prisma.delivery.findMany({ where: { clinicId }, take: 1 });
    await expect(stores.deliveries.resend(clinicId, event!.id)).rejects.toThrow(/no longer kept/);
  });

  test('of a run that is open stay, all of them, and go once it has ended', async () => {
    const { database } = records;
    const clinicId = await records.aClinic();
    const life = await aLife({ isOver: false, clinicId });
    await database.sql`delete from legal_holds where clinic_id = ${clinicId}`;
    await database.sql`update deliveries set state = 'DELIVERED' where clinic_id = ${clinicId}`;
    // Of an appointment, not of the run.
    await database.sql`delete from outbound_events where clinic_id = ${clinicId} and event = 'subscription.event'`;
    await growOld(clinicId);
    const ofRun = [...tables.filter((table) => table !== 'idempotency_records'), 'call_evidence', 'call_decisions'];
    const contents = async () => {
      const rows = await Promise.all(ofRun.map((table) => rowsOf(table, clinicId)));
      return Object.fromEntries(ofRun.map((table, index) => [table, rows[index]]));
    };
    const before = await contents();

    await purge();
    expect(await contents()).toEqual(before);
    await database.sql`update workflow_runs set status = 'completed' where id = ${life.workflowId}`;
    await purge();
    expect(await contents()).toMatchObject({ inbound_events: before.inbound_events });
    await database.sql`update retention set held_back_at = held_back_at - interval '13 hours' where clinic_id = ${clinicId}`;
    await purge();

    const after = await contents();
    expect(ofRun.filter((table) => after[table]?.includes('Zwolle'))).toEqual([]);
    expect([after.call_evidence, after.call_decisions]).toEqual(['[]', '[]']);
  });

  test('of others go, however long a run has been open, also turn by turn', async () => {
    const { stores, database } = records;
    const clinicId = await records.aClinic();
    const DAY_MS = 24 * 3_600_000;
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
    await database.prisma.clinic.update({ where: { id: clinicId }, data: { createdAt: ago(900) } });
    const { workflowId } = await records.aRun({ clinicId });
    await database.prisma.workflowRun.update({ where: { id: workflowId }, data: { startedAt: ago(800) } });
    const plant = (id: string, days: number, about: object = {}) =>
      database.prisma.inboundEvent.create({
        data: {
          id,
          clinicId,
          event: 'payment.failed',
          dedupeKey: id,
          payload: { is: 'full' },
          receivedAt: ago(days),
          ...about,
        },
      });
    await plant(`${clinicId} of the open run`, 799, { workflowId });
    for (const days of [899, 750, 500, 91, 89]) await plant(`${clinicId} ${days}`, days);
    const left = async () => {
      const events = await database.prisma.inboundEvent.findMany({ where: { clinicId, payload: { not: {} } } });
      return events.map(({ id }) => id.slice(clinicId.length + 1)).toSorted();
    };
    const { purgeSomeContents } = createRetentionActivities({ stores, retentionDays: retentionDefaults });

    // A turn has time for a single look at the contents.
    const clock = jest.spyOn(Date, 'now');
    let place: PurgePlace | null | undefined;
    for (let isDone = false; !isDone;) {
      const start = performance.now();
      let looks = 0;
      clock.mockImplementation(() => performance.timeOrigin + start + 4_000 * looks++);
      ({ isDone, place } = await purgeSomeContents(place));
    }
    clock.mockRestore();

    expect(await left()).toEqual(['89', 'of the open run']);
    const [kept] = (await stores.retention.chosen(clinicId)).filter(({ kind }) => kind === 'inbound_payloads');
    expect(kept?.purgedUntil?.toISOString().slice(0, 10)).toBe(ago(799).toISOString().slice(0, 10));
  });

  test('of a patient under a legal hold stay, of every kind, and go once it is lifted', async () => {
    const { stores, database } = records;
    const clinicId = await records.aClinic();
    const { patientId } = await aLife({ clinicId });
    await database.sql`update workflow_runs set status = 'completed' where clinic_id = ${clinicId}`;
    await database.sql`update deliveries set state = 'DELIVERED' where clinic_id = ${clinicId}`;
    await growOld(clinicId);
    const deleted = ['call_evidence', 'call_decisions', 'observed_exchanges'];
    const ofPatient = [...tables.filter((table) => table !== 'idempotency_records'), ...deleted];
    const contents = async () =>
      Object.fromEntries(
        await Promise.all(ofPatient.map(async (table) => [table, await rowsOf(table, clinicId)] as const)),
      );
    const before = await contents();

    await purge();
    expect(await contents()).toEqual(before);
    await stores.legalHolds.lift(clinicId, patientId, by);
    await database.sql`update retention set purged_until = purged_until - interval '1 day' where clinic_id = ${clinicId}`;
    await purge();

    const after = await contents();
    expect(ofPatient.filter((table) => after[table] === before[table])).toEqual([]);
    expect(ofPatient.filter((table) => after[table]?.includes('Zwolle'))).toEqual([]);
    expect(deleted.map((table) => after[table])).toEqual(deleted.map(() => '[]'));
  });

  test('of a dead letter are sent again whole or not at all, also while they are being purged', async () => {
    const { stores, database } = records;
    const clinicId = await records.aClinic();
    const eventId = await stores.deliveries.emit({ clinicId, event: 'test', data: { message: 'hello' } });
    await database.sql`update deliveries set state = 'DEAD', next_attempt_at = null where event_id = ${eventId}`;
    let again: Promise<string> | undefined;
    const resent = () =>
      stores.deliveries.resend(clinicId, eventId).then(
        () => 'sent again',
        () => 'refused',
      );
    // Someone sends it again between any two statements of the purge.
    const interrupted = createRetentionStores({
      ...database,
      transaction: (work) =>
        database.transaction((tx) =>
          work(async (...statement) => {
            const rows = await tx(...statement);
            again ??= resent();
            await Promise.race([again, delay(300)]);
            return rows as never;
          }),
        ),
    });
    const until = new Date(Date.now() + 60_000);

    await interrupted.purge({ clinicId, kind: 'event_bodies', from: null, until }, 10);

    const outcome = await again;
    const event = await database.prisma.outboundEvent.findUniqueOrThrow({ where: { id: eventId } });
    expect({ outcome, isWhole: JSON.stringify(event.data) !== '{}' }).toEqual({ outcome: 'refused', isWhole: false });
  });

  test('are kept for as long as the clinic chose; another clinic keeps its own', async () => {
    const { stores, database, clinicId, otherClinicId } = records;
    const { patientId } = await aLife();
    await stores.legalHolds.lift(clinicId, patientId, by);
    await growOld(clinicId);
    const before = await stores.retention.countDue(clinicId, 'stored_answers', 3_000);

    await stores.retention.choose(clinicId, { stored_answers: 3_650 }, by);
    await purge();
    expect([before, await stores.retention.countDue(clinicId, 'stored_answers', 3_000)]).toEqual([0, 0]);
    expect(await database.prisma.idempotencyRecord.count({ where: { clinicId, body: 'Zwolle' } })).toBeGreaterThan(0);

    await stores.retention.choose(clinicId, { stored_answers: null }, by);
    expect(await stores.retention.chosen(otherClinicId)).toEqual([]);
    expect(await purge()).toMatchObject({ stored_answers: expect.any(Number) as number });
    expect(await database.prisma.idempotencyRecord.count({ where: { clinicId, body: 'Zwolle' } })).toBe(0);
    expect(await auditOf(clinicId)).toContain('retention.change');
  });

  test('are counted by their kind as they go, one as well as many', async () => {
    const { stores, database } = records;
    await purge();
    const clinicId = await records.aClinic();
    const { patientId } = await aLife({ clinicId });
    await stores.legalHolds.lift(clinicId, patientId, by);
    await growOld(clinicId);
    const replies = await database.prisma.idempotencyRecord.findMany({ where: { clinicId }, orderBy: { body: 'asc' } });
    await database.prisma.idempotencyRecord.deleteMany({
      where: { clinicId, key: { in: replies.slice(1).map(({ key }) => key) } },
    });

    const [first, second] = [await purge(), await purge()];

    expect(first.stored_answers).toBe(1);
    expect(second).toEqual({});
  });
});

async function requested(clinicId: string, patientId: string) {
  const made = await records.stores.erasures.request(erasing(clinicId, patientId), by);
  if (made.kind !== 'requested') throw new Error(made.kind);
  return made;
}

async function erase(clinicId: string, patientId: string): Promise<void> {
  await end(clinicId, patientId);
  await records.stores.legalHolds.lift(clinicId, patientId, by);
  const { erasure } = await requested(clinicId, patientId);
  expect(await records.stores.erasures.erase(erasure)).toEqual({ kind: 'erased' });
  await records.stores.erasures.forgetReplies(erasure, null);
}

async function auditOf(clinicId: string, subject?: string): Promise<string[]> {
  const { items } = await records.stores.audit.list(clinicId, { subject, limit: 50 });
  return items.map(({ action }) => action);
}

async function rowsAbout(clinicId: string, patientId: string): Promise<Record<string, number>> {
  const exported = await records.stores.patientExports.of(clinicId, patientId, by);
  const { audit_entries: _audit, ...rest } = exported?.records ?? {};
  return Object.fromEntries(Object.entries(rest).map(([table, rows]) => [table, rows.length]));
}

/** Every row of the erased patient's clinic that does not belong to another patient of these tests. */
async function everything(): Promise<string> {
  const { database } = records;
  const others = await database.prisma.patient.findMany({ select: { id: true, clinicId: true } });
  const isOfOthers = (line: string) =>
    line.startsWith('idempotency_records') && others.some(({ id }) => line.includes(id));
  const parts: string[] = [];
  const kept = new Set<string>();
  for (const { id, clinicId } of others) {
    for (const { table, isAbout } of tablesAboutPatients) {
      const rows = await database.prisma.$queryRawUnsafe<{ row: string }[]>(
        `select to_jsonb(t)::text as row from ${table} t where ${isAbout}`,
        clinicId,
        id,
      );
      for (const { row } of rows) kept.add(`${table} ${row}`);
    }
  }
  for (const table of Object.keys(patientData)) {
    const rows = await database.prisma.$queryRawUnsafe<{ row: string }[]>(
      `select to_jsonb(t)::text as row from ${table} t`,
    );
    parts.push(...rows.map(({ row }) => `${table} ${row}`).filter((line) => !kept.has(line) && !isOfOthers(line)));
  }
  return parts.join('\n');
}

/** Stores whose erasures wait, when all is deleted, until they may commit. */
function slowToCommit() {
  const { database, secretKey } = records;
  const [deleted, committing] = [aGate(), aGate()];
  const prisma = Object.create(database.prisma, {
    $transaction: {
      value: (work: (tx: unknown) => Promise<unknown>, options: object) =>
        database.prisma.$transaction(async (tx) => {
          const result = await work(tx);
          deleted.open();
          await committing.opened;
          return result;
        }, options),
    },
  }) as typeof database.prisma;
  return { slow: createStores({ ...database, prisma }, [{ id: 's1', key: secretKey }]), deleted, committing };
}
