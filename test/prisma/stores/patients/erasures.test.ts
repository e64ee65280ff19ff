import type { ErasureRecord } from '@clinic/prisma/stores/patients/erased-rows';
import { newId } from '@clinic/shared/crypto';
import { eventually } from '../../../support/eventually';
import { waitingForLocks } from '../../../support/locks';
import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const prisma = () => records.database.prisma;
const by = { actor: 'account:admin' };

async function asked(patientId: string, clinicId = records.clinicId): Promise<ErasureRecord> {
  const made = await records.stores.erasures.request({ clinicId, patientId, reason: 'court_order' }, by);
  if (made.kind !== 'requested') throw new Error(made.kind);
  return made.erasure;
}

const ended = (run: OpenedRun) =>
  prisma().workflowRun.update({ where: { id: run.workflowId }, data: { status: 'completed' } });
async function aCall({ clinicId, patientId }: { clinicId: string; patientId: string }, about: object = {}) {
  const call = { clinicId, patientId, direction: 'inbound', state: 'RINGING' };
  return (await prisma().call.create({ data: { id: newId(), ...call, ...about } })).id;
}

describe('what keeps a patient from being erased', () => {
  const nothing = { runs: [], testCalls: [], openCalls: 0, owed: 0 };

  async function anEvent({ clinicId }: OpenedRun, subject: string, state: string) {
    const id = newId();
    const { id: receiverId } = await prisma().receiver.findFirstOrThrow({ where: { clinicId } });
    await prisma().outboundEvent.create({ data: { id, clinicId, event: `unheard ${id}`, subject, data: {} } });
    const ofEvent = { eventId: id, receiverId, eventName: 'x', subject, place: 1, state };
    await prisma().delivery.create({ data: { id, clinicId, ...ofEvent } });
  }
  const notice = ({ clinicId, workflowId }: OpenedRun) =>
    prisma().clinicNotice.create({ data: { clinicId, workflowId, action: 'x', subject: 'x' } });

  test.each<[what: string, arrange: (run: OpenedRun, other: OpenedRun) => Promise<unknown>, standing: object]>([
    ['nothing', async () => null, {}],
    ['a call that goes on', (run) => aCall(run), { openCalls: 1 }],
    ['a call that has ended', (run) => aCall(run, { state: 'ENDED' }), {}],
    ['a call of another', (_run, other) => aCall(other), {}],
    ['an outbound test call', (run) => aCall(run, { isTest: true, direction: 'outbound' }), { openCalls: 1 }],
    ['a test call that has ended', (run) => aCall(run, { isTest: true, state: 'ENDED' }), {}],
    ['a test call of another', (_run, other) => aCall(other, { isTest: true }), {}],
    ['a notice', (run) => notice(run), { owed: 1 }],
    ['a notice of another', (_run, other) => notice(other), {}],
    ['an event of the run', (run) => anEvent(run, run.workflowId, 'PENDING'), { owed: 1 }],
    ['an event of the case', (run) => anEvent(run, run.caseId ?? '', 'PENDING'), { owed: 1 }],
    ['an event that was delivered', (run) => anEvent(run, run.workflowId, 'DELIVERED'), {}],
    ['an event that was given up', (run) => anEvent(run, run.workflowId, 'DEAD'), {}],
    ['an event of another', (run, other) => anEvent(run, other.workflowId, 'PENDING'), {}],
  ])('is %s', async (_what, arrange, standing) => {
    const [run, other] = [await records.aCase(), await records.aCase()];
    await prisma().outboundEvent.deleteMany();
    await ended(run);
    const erasure = await asked(run.patientId);
    await arrange(run, other);

    const found = await records.stores.erasures.standing(erasure);

    expect(found).toEqual({ ...nothing, ...standing, ageMs: expect.any(Number) as number });
    expect(found.ageMs).toBeGreaterThanOrEqual(0);
    expect(found.ageMs).toBeLessThan(60_000);
  });

  test('is an open run, and a test call that only we end', async () => {
    const [run, other] = [await records.aRun(), await records.aRun()];
    const erasure = await asked(run.patientId);
    const callId = await aCall(run, { isTest: true });

    const found = await records.stores.erasures.standing(erasure);

    expect(found).toMatchObject({ runs: [run.workflowId], testCalls: [callId], openCalls: 1 });
    expect((await records.stores.erasures.standing({ ...erasure, clinicId: records.otherClinicId })).runs).toEqual([]);
    expect(await records.stores.runs.isOpen(other.clinicId, other.workflowId)).toBe(true);
  });

  test('is told of as many open runs as its workflow can cancel at once', async () => {
    const patientId = await records.aPatient();
    const erasure = await asked(patientId);
    await records.database.sql`
      insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id)
      select 'one-of-many-' || n, ${records.clinicId}, 'care-gap-follow-up', 'one-of-many-' || n, ${patientId}
      from generate_series(1, 2100) n`;

    const { runs } = await records.stores.erasures.standing(erasure);

    expect([runs.length, new Set(runs).size]).toEqual([500, 500]);
  });
});

describe('a preview', () => {
  test('says what is open and what goes, of the patient and of who was merged into them', async () => {
    const run = await records.aRun();
    const { clinicId, patientId } = run;
    const merged = await records.aPatient();
    await prisma().patient.update({ where: { id: merged }, data: { replacedBy: patientId } });
    await aCall(run);
    await aCall(run, { state: 'ENDED' });
    const other = await records.aRun();
    await aCall(other);
    const { erasures, legalHolds } = records.stores;

    const before = await erasures.preview(clinicId, patientId);
    await legalHolds.place({ clinicId, patientId: other.patientId, reason: 'A case at court' }, by);
    const unheld = await erasures.preview(clinicId, patientId);
    await legalHolds.place({ clinicId, patientId, reason: 'A case at court' }, by);
    await ended(run);
    const after = await erasures.preview(clinicId, patientId);

    expect(before).toMatchObject({ openRuns: 1, openCalls: 1, isHeld: false });
    expect(before?.goes).toMatchObject({ patients: 2, workflow_runs: 1, calls: 2 });
    expect(Object.values(before?.goes ?? {}).every((count) => count > 0)).toBe(true);
    expect([unheld?.isHeld, after?.isHeld, after?.openRuns]).toEqual([false, true, 0]);
    expect(await erasures.preview(records.otherClinicId, patientId)).toBeNull();
  });
});

describe('an erasure', () => {
  test('is asked for once, and again when it is done', async () => {
    const { erasures } = records.stores;
    const { clinicId } = records;
    const patientId = await records.aPatient();
    const first = await asked(patientId);
    const again = await asked(patientId);
    await erasures.erase(first);

    await erasures.markDone({ ...first, clinicId: records.otherClinicId });
    const elsewhere = await erasures.find(clinicId, first.id);
    await erasures.markDone(first);
    await erasures.markDone(first);
    const done = await erasures.find(clinicId, first.id);

    expect(again).toEqual(first);
    expect([elsewhere?.state, done?.state, done?.doneAt !== null]).toEqual(['ERASED', 'DONE', true]);
    const entries = async (action: string) =>
      (await records.stores.audit.list(clinicId, { action, subject: patientId, limit: 5 })).items.length;
    expect([await entries('patient.erase'), await entries('patient.erased')]).toEqual([1, 1]);
    expect(await erasures.find(records.otherClinicId, first.id)).toBeNull();
  });

  test.each([
    ['of the patient', (of: { own: string }) => of.own],
    ['of who was merged into them, and so of them', (of: { merged: string }) => of.merged],
  ])('waits for a call that just begins, %s, and finds that it goes on', async (_whose, whose) => {
    const { erasures } = records.stores;
    const { database, clinicId } = records;
    const [own, merged] = [await records.aPatient(), await records.aPatient()];
    await prisma().patient.update({ where: { id: merged }, data: { replacedBy: own } });
    const erasure = await asked(own);
    let erased: Promise<unknown> = Promise.resolve();

    await database.transaction(async (tx) => {
      await tx`
        insert into calls (id, clinic_id, patient_id, direction, phone, state)
        values (${newId()}, ${clinicId}, ${whose({ own, merged })}, 'inbound', '+14155550188', 'RINGING')`;
      erased = erasures.erase(erasure).catch((error: unknown) => error);
      await eventually(async () => (await waitingForLocks(database)) > 0);
    });

    expect(await erased).toEqual({ kind: 'busy' });
    expect((await prisma().patient.findUniqueOrThrow({ where: { id: own } })).firstName).toBe('Ann');
    await prisma().call.updateMany({ where: { patientId: own }, data: { state: 'ENDED' } });
    expect(await erasures.erase(erasure)).toEqual({ kind: 'erased' });
  });

  test('that is not erased yet is not done', async () => {
    const erasure = await asked(await records.aPatient());

    await records.stores.erasures.markDone(erasure);

    expect((await records.stores.erasures.find(erasure.clinicId, erasure.id))?.state).toBe('REQUESTED');
  });

  test('is listed in its clinic, of a patient alone where one is asked for', async () => {
    const clinicId = await records.aClinic();
    const runs = [await records.aRun({ clinicId }), await records.aRun({ clinicId }), await records.aRun({ clinicId })];
    const made: ErasureRecord[] = [];
    for (const { patientId } of runs) made.push(await asked(patientId, clinicId));
    for (const [index, { id }] of made.entries())
      await prisma().erasure.update({
        where: { id },
        data: { requestedAt: new Date(1_900_000_000_000 + index * 1_000) },
      });
    const { erasures } = records.stores;

    const page = await erasures.list(clinicId, { limit: 2 });
    const rest = await erasures.list(clinicId, { limit: 2, cursor: page.nextCursor ?? '' });
    const ofOne = await erasures.list(clinicId, { patientId: runs[1]?.patientId, limit: 5 });

    const [one, two, three] = made.map(({ id }) => id);
    expect(page.items.map(({ id }) => id)).toEqual([three, two]);
    expect([rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([[one], null]);
    expect(ofOne.items.map(({ id }) => id)).toEqual([two]);
  });

  test('leaves ids by which its calls are known, and of its histories', async () => {
    const run = await records.aCase();
    const { clinicId, patientId, workflowId, caseId } = run;
    const callId = await aCall(run, { state: 'ENDED', platformCallId: `platform-${workflowId}` });
    await ended(run);
    const removed = newId();
    await prisma().receiver.createMany({
      data: [
        { id: removed, clinicId, name: 'Removed', url: 'https://x.example', removedAt: new Date() },
        { id: newId(), clinicId, kind: 'subscription', name: 'Subscription', url: 'https://x.example' },
      ],
    });
    const { id: first } = await prisma().receiver.findFirstOrThrow({ where: { clinicId, isFirst: true } });
    const erasure = await asked(patientId);
    const { erasures } = records.stores;

    expect(await erasures.erase(erasure)).toEqual({ kind: 'erased' });

    expect(await erasures.erasedIds(erasure)).toEqual({
      runs: [workflowId],
      cases: [caseId],
      calls: [callId],
      receivers: [first, removed].toSorted((one, other) => (one < other ? -1 : 1)),
    });
    const known = [`platform-${workflowId}`, workflowId, callId, 'unknown'];
    expect(await Promise.all(known.map((id) => erasures.isErasedCall(id)))).toEqual([true, false, false, false]);
  });

  test('takes stored replies that name what was erased along, and no others, a page at a time', async () => {
    const clinicId = await records.aClinic();
    const run = await records.aRun({ clinicId });
    const { patientId, workflowId } = run;
    const callId = await aCall(run, { state: 'ENDED' });
    await ended(run);
    const reply = (key: string, about: { route?: string; body?: string | null; besides?: object; owner?: string }) => {
      const { route = 'POST /x', body = null, owner: ofClinic = clinicId, besides } = about;
      const data = { clinicId: ofClinic, route, key, requestHash: 'x', body, besides };
      return prisma().idempotencyRecord.create({ data });
    };
    await reply('by route', { route: `POST /patients/${patientId}/notes` });
    await reply('by patient', { body: `{"patient":"${patientId}"}` });
    await reply('by run', { body: `{"run":"${workflowId}"}` });
    await reply('by whom the audit names', { body: '{}', besides: { subjects: [patientId] } });
    await reply('by call', { body: `{"call":"${callId}"}` });
    await reply('of another', { body: '{"patient":"another"}' });
    await reply('of another clinic', { body: `{"patient":"${patientId}"}`, owner: records.otherClinicId });
    const fill = Array.from({ length: 1_000 }, (_, index) => ({
      clinicId,
      route: 'POST /w',
      key: `fill ${String(index).padStart(4, '0')}`,
      requestHash: 'x',
    }));
    await prisma().idempotencyRecord.createMany({ data: fill });
    const erasure = await asked(patientId, clinicId);
    const { erasures } = records.stores;
    await erasures.erase(erasure);

    const after = await erasures.forgetReplies(erasure, null);
    const end = await erasures.forgetReplies(erasure, after);

    expect([after?.route, end]).toEqual(['POST /w', null]);
    const left = await prisma().idempotencyRecord.findMany({ where: { key: { not: { startsWith: 'fill' } } } });
    expect(left.map(({ key }) => key).toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
      'of another',
      'of another clinic',
    ]);
    expect(await prisma().idempotencyRecord.count({ where: { clinicId } })).toBe(1_001);
  });

  test('looks through fewer replies at once for somebody with thousands of runs', async () => {
    const clinicId = await records.aClinic();
    const { stores, database } = records;
    const { patientId } = await records.aRun({ clinicId });
    const { id: erasureId, ...erasure } = await asked(patientId, clinicId);
    await database.sql`
      insert into tombstones (clinic_id, erasure_id, kind, key)
      select ${clinicId}, ${erasureId}, 'run', 'one-of-many-' || n from generate_series(1, 4000) n`;
    await database.sql`
      insert into idempotency_records (clinic_id, route, key, request_hash, body)
      select ${clinicId}, 'POST /x', 'reply ' || to_char(n, 'FM0000'), 'x', case when n = 260 then '{"run":"one-of-many-4000"}' else '{}' end
      from generate_series(1, 300) n`;
    const forget = (after: { route: string; key: string } | null) =>
      stores.erasures.forgetReplies({ id: erasureId, ...erasure }, after);

    const after = await forget(null);
    const end = await forget(after);

    expect([after, end]).toEqual([{ route: 'POST /x', key: 'reply 0250' }, null]);
    expect(await prisma().idempotencyRecord.count({ where: { clinicId } })).toBe(299);
  });
});

describe('a legal hold', () => {
  test('is of one patient of one clinic, gets the newest reason, and is lifted once', async () => {
    const { legalHolds } = records.stores;
    const { clinicId, otherClinicId } = records;
    const [patientId, other] = [await records.aPatient(), await records.aPatient()];
    const place = (owner: string, reason: string) => legalHolds.place({ clinicId: owner, patientId, reason }, by);

    const placed = [
      await place(otherClinicId, 'Elsewhere'),
      await place(clinicId, 'First'),
      await place(clinicId, 'Second'),
    ];
    const found = [await legalHolds.find(clinicId, patientId), await legalHolds.find(otherClinicId, patientId)];
    const ofOther = await legalHolds.find(clinicId, other);
    const kept = { kind: 'stored_answers', purgedUntil: new Date(), heldBackAt: new Date() };
    await prisma().retention.createMany({
      data: [clinicId, otherClinicId].map((owner) => ({ clinicId: owner, ...kept })),
    });
    const lifted = [
      await legalHolds.lift(otherClinicId, patientId, by),
      await legalHolds.lift(clinicId, other, by),
      await legalHolds.lift(clinicId, patientId, by),
      await legalHolds.lift(clinicId, patientId, by),
    ];

    expect(placed).toEqual([false, true, true]);
    expect(found).toMatchObject([{ patientId, reason: 'Second', placedBy: by.actor }, null]);
    expect([ofOther, lifted]).toEqual([null, [false, false, true, false]]);
    const rows = await prisma().retention.findMany({ where: { kind: 'stored_answers' } });
    const of = (owner: string) => rows.find((row) => row.clinicId === owner);
    expect([of(clinicId)?.purgedUntil, of(clinicId)?.heldBackAt]).toEqual([kept.purgedUntil, null]);
    expect([of(otherClinicId)?.purgedUntil, of(otherClinicId)?.heldBackAt]).toEqual([
      kept.purgedUntil,
      kept.heldBackAt,
    ]);
  });

  test('on a patient who was merged into another, or is being erased, is refused', async () => {
    const { clinicId } = records;
    const [kept, replaced, gone, done] = [
      await records.aPatient(),
      await records.aPatient(),
      await records.aPatient(),
      await records.aPatient(),
    ];
    await prisma().patient.update({ where: { id: replaced }, data: { replacedBy: kept } });
    await asked(gone);
    const past = { id: newId(), clinicId, patientId: done, reason: 'court_order', requestedBy: 'x', state: 'DONE' };
    await prisma().erasure.create({ data: past });
    const place = (patientId: string) => records.stores.legalHolds.place({ clinicId, patientId, reason: 'A case' }, by);

    await expect(place(replaced)).rejects.toThrow('was merged into');
    await expect(place(gone)).rejects.toThrow('comes too late');
    expect([await place(kept), await place(done)]).toEqual([true, true]);
  });
});
