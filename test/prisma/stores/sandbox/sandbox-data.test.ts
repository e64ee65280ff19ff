import { newId } from '@clinic/shared/crypto';
import { aLife } from '../../../support/a-life';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

/** A patient whom the sandbox made, and nobody else knows. */
async function aSandboxPatient(clinicId: string): Promise<string> {
  const id = newId();
  await records.database.sql`
    insert into patients (id, clinic_id, identifier, first_name, last_name, patient_type)
    values (${id}, ${clinicId}, ${`MRN-${id}`}, 'Pat', 'Sandboxed', 'EXISTING')`;
  await records.database.sql`update patients set in_sandbox = true where id = ${id}`;
  return id;
}

/** The same row of the table, about somebody else. */
async function copyRow(table: string, ofPatient: string, patientId: string): Promise<void> {
  const { prisma, sql } = records.database;
  const unique = await sql<{ name: string }>`
    select distinct a.attname::text as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where (i.indisunique or i.indisexclusion) and i.indrelid = ${table}::regclass and a.atttypid = 'text'::regtype
      and a.attname not in ('clinic_id', 'patient_id')`;
  const changed = { ...Object.fromEntries(unique.map(({ name }) => [name, newId()])), patient_id: patientId };
  await prisma.$transaction([
    // What the row refers to beside the patient is not there.
    prisma.$executeRawUnsafe(`set local session_replication_role = replica`),
    prisma.$executeRawUnsafe(
      `insert into ${table} select (jsonb_populate_record(t, '${JSON.stringify(changed)}'::jsonb)).* from ${table} t
       where patient_id = '${ofPatient}' limit 1`,
    ),
  ]);
}

test('a reset takes patients of the sandbox, and leaves whoever is in any other table', async () => {
  const { stores, database, clinicId } = records;
  const { patientId: known } = await aLife(records);
  const referring = await database.sql<{ table: string }>`
    select distinct c.conrelid::regclass::text as "table" from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey) and a.attname = 'patient_id'
    where c.contype = 'f' and c.confrelid = 'patients'::regclass order by 1`;
  const nobody = await aSandboxPatient(clinicId);
  const own = await aSandboxPatient(clinicId);
  await database.sql`update patients set in_sandbox = false where id = ${own}`;
  const left = new Map<string, string>();
  for (const { table } of referring) {
    const patientId = await aSandboxPatient(clinicId);
    await copyRow(table, known, patientId);
    left.set(table, patientId);
  }

  await stores.sandboxData.reset({ clinicId, realNow: new Date() });

  const there = new Set((await database.sql<{ id: string }>`select id from patients`).map(({ id }) => id));
  expect([there.has(nobody), there.has(own)]).toEqual([false, true]);
  // A place on the waitlist that nothing was offered for, and a count of tries, say nothing about anybody else.
  const gone = [...left].filter(([, patientId]) => !there.has(patientId)).map(([table]) => table);
  expect(gone).toEqual(['caller_tries', 'waitlist_entries']);
  expect([...left.keys()]).toEqual(expect.arrayContaining(['appointments', 'calls', 'documents', 'workflow_runs']));
});

const by = { actor: 'account:admin' };
const realNow = new Date('2030-01-07T12:00:00.000Z');

/** Rows of a clinic that has nothing else, by names. */
async function aSandbox() {
  const { prisma } = records.database;
  const clinicId = await records.aClinic();
  const { id: providerId } = await prisma.provider.findFirstOrThrow({ where: { clinicId } });
  const ids = new Map<string, string>();
  const named = (name: string) => {
    const id = newId();
    ids.set(name, id);
    return id;
  };
  let halfHours = 0;
  const names = (found: { id: string }[]) =>
    [...ids].flatMap(([name, id]) => (found.some((row) => row.id === id) ? [name] : []));
  return {
    clinicId,
    providerId,
    ids,
    names,
    async patient(name: string, { inSandbox = true, identifier = `MRN-${name}`, ...about }: PatientAbout = {}) {
      const id = named(name);
      await prisma.patient.create({ data: { id, clinicId, firstName: name, identifier, ...about } });
      await prisma.patient.update({ where: { id }, data: { inSandbox } });
      return id;
    },
    async appointment(name: string, patientId: string, { inSandbox = true, ...about }: AppointmentAbout = {}) {
      halfHours += 1;
      const startsAt = new Date(realNow.getTime() + halfHours * 1_800_000);
      const endsAt = new Date(startsAt.getTime() + 1_800_000);
      const id = named(name);
      await prisma.appointment.create({
        data: { id, clinicId, patientId, providerId, visitType: 'New Patient', startsAt, endsAt, ...about },
      });
      await prisma.appointment.update({ where: { id }, data: { inSandbox } });
      return id;
    },
    async note(
      name: string,
      patientId: string,
      { inSandbox = true, callId }: { inSandbox?: boolean; callId?: string } = {},
    ) {
      const id = named(name);
      await prisma.document.create({ data: { id, clinicId, patientId, callId, content: { text: name } } });
      await prisma.document.update({ where: { id }, data: { inSandbox } });
      return id;
    },
    async wait(
      name: string,
      patientId: string,
      { status = 'waiting', offer }: { status?: string; offer?: string } = {},
    ) {
      const id = named(name);
      const days = { earliestOn: '2030-02-01', latestOn: '2030-02-28' };
      await prisma.waitlistEntry.create({
        data: { id, clinicId, patientId, visitType: name, status, addedBy: 'operator', ...days },
      });
      if (!offer) return;
      const workflowId = newId();
      await prisma.workflowRun.create({
        data: { id: workflowId, clinicId, workflowType: 'waitlist-offer', sessionId: workflowId, status: 'completed' },
      });
      halfHours += 1;
      const startsAt = new Date(realNow.getTime() + halfHours * 1_800_000);
      const about = { workflowId, providerId, startsAt, endsAt: startsAt, appointmentId: newId(), status: offer };
      await prisma.waitlistOffer.create({ data: { id: named(`offer of ${name}`), clinicId, entryId: id, ...about } });
    },
    hold: (patientId: string) =>
      prisma.legalHold.create({ data: { clinicId, patientId, reason: 'A case at court', placedBy: 'operator' } }),
    call: async (patientId: string) => {
      const { id } = await prisma.call.create({
        data: { id: newId(), clinicId, patientId, direction: 'outbound', isTest: true, state: 'ENDED' },
      });
      return id;
    },
    fail: () =>
      prisma.sandboxFailure.create({
        data: { id: named('failure'), clinicId, failure: 'slow_answer', times: 1, endsAt: realNow },
      }),
    async left() {
      const of = { where: { clinicId } };
      const [patients, appointments, documents, failures] = [
        await prisma.patient.findMany(of),
        await prisma.appointment.findMany(of),
        await prisma.document.findMany(of),
        await prisma.sandboxFailure.findMany(of),
      ];
      return names([...patients, ...appointments, ...documents, ...failures]);
    },
    async waiting() {
      const of = { where: { clinicId } };
      const entries = await prisma.waitlistEntry.findMany(of);
      const offers = await prisma.waitlistOffer.findMany(of);
      const shown = [
        ...entries.map(({ id, status, endedAt }) => [names([{ id }])[0] ?? '', [status, endedAt !== null]] as const),
        ...offers.map(({ id, status, closedAt }) => [names([{ id }])[0] ?? '', [status, closedAt !== null]] as const),
      ];
      return Object.fromEntries(shown);
    },
  };
}

interface PatientAbout {
  inSandbox?: boolean;
  identifier?: string | null;
  consent?: object;
}

interface AppointmentAbout {
  inSandbox?: boolean;
  status?: string;
  heldUntil?: Date;
  cancelledAt?: Date;
}

test('a reset takes what the sandbox of the clinic made, but nothing of who is held, consented or was there before', async () => {
  const { stores, database } = records;
  const here = await aSandbox();
  const elsewhere = await aSandbox();
  await here.patient('of the sandbox');
  const known = await here.patient('of before', { inSandbox: false });
  await here.patient('without an identifier', { identifier: null });
  await here.patient('who consented', { consent: { isGiven: true } });
  const held = await here.patient('who is held');
  await here.hold(held);
  const [kept, replaced] = [await here.patient('who is kept'), await here.patient('who is replaced')];
  const replacedByHeld = await here.patient('who is replaced by somebody who is held');
  await database.prisma.patient.update({ where: { id: replaced }, data: { replacedBy: kept } });
  await database.prisma.patient.update({ where: { id: replacedByHeld }, data: { replacedBy: held } });
  await here.appointment('appointment of the sandbox', known);
  await here.appointment('appointment of before', known, { inSandbox: false });
  await here.appointment('appointment of who is held', held);
  await here.note('note of the sandbox', known);
  await here.note('note of before', known, { inSandbox: false });
  await here.note('note of who is held', held);
  await here.note('note of a call', known, { callId: await here.call(known) });
  await here.fail();
  const there = await elsewhere.patient('there');
  await elsewhere.appointment('appointment there', there);
  await elsewhere.note('note there', there);
  await elsewhere.fail();

  await stores.sandboxData.reset({ clinicId: here.clinicId, realNow }, by);

  expect(await here.left()).toEqual([
    'of before',
    'without an identifier',
    'who consented',
    'who is held',
    'who is replaced by somebody who is held',
    'appointment of before',
    'appointment of who is held',
    'note of before',
    'note of who is held',
    'note of a call',
  ]);
  expect(await elsewhere.left()).toEqual(['there', 'appointment there', 'note there', 'failure']);
  const { items } = await stores.audit.list(here.clinicId, { action: 'sandbox.reset', limit: 5 });
  const { ids } = here;
  expect(items).toMatchObject([
    {
      detail: {
        patients: 3,
        appointments: 1,
        documents: 1,
        appointmentIds: [ids.get('appointment of the sandbox')],
        documentIds: [ids.get('note of the sandbox')],
      },
    },
  ]);
});

test('a reset gives everybody the id that they had, save who was erased, here and not elsewhere', async () => {
  const { stores, database } = records;
  const clinicId = await records.aClinic();
  await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: realNow });
  const idsOfAll = async () => {
    const rows = await database.prisma.patient.findMany({ where: { clinicId, inSandbox: true } });
    return new Map(rows.map(({ identifier, id }) => [identifier, id]));
  };
  const before = await idsOfAll();
  const [erased, ...others] = [...before];
  const key = erased?.[1] ?? '';
  const aStone = async (owner: string, kind: string, of: string) => {
    const about = { patientId: of, reason: 'patient_request', requestedBy: 'test', state: 'DONE' };
    const { id: erasureId } = await database.prisma.erasure.create({
      data: { id: newId(), clinicId: owner, ...about },
    });
    await database.prisma.tombstone.create({ data: { clinicId: owner, kind, key: of, erasureId } });
  };
  await aStone(clinicId, 'patient', key);
  await aStone(clinicId, 'run', others[0]?.[1] ?? '');
  await aStone(records.otherClinicId, 'patient', others[1]?.[1] ?? '');
  await database.sql`update clinics set id_salt = gen_random_uuid()::text where id <> ${clinicId}`;

  await stores.sandboxData.reset({ clinicId, realNow });

  const after = await idsOfAll();
  expect(before.size).toBeGreaterThan(3);
  expect(new Set(after.keys())).toEqual(new Set(before.keys()));
  expect([...after.values()]).not.toContain(key);
  expect(others.filter(([identifier, id]) => after.get(identifier) !== id)).toEqual([]);
});

test('a reset withdraws what is offered, and takes who waits in the sandbox off the list', async () => {
  const { stores, database } = records;
  const here = await aSandbox();
  const elsewhere = await aSandbox();
  const [ours, known, held] = [
    await here.patient('ours'),
    await here.patient('known', { inSandbox: false }),
    await here.patient('held'),
  ];
  await here.hold(held);
  await here.wait('waits', ours);
  await here.wait('was offered something', ours, { offer: 'declined' });
  await here.wait('is offered something', ours, { status: 'offered', offer: 'open' });
  await here.wait('has booked', ours, { status: 'booked', offer: 'accepted' });
  await here.wait('is held', held);
  await here.wait('is known', known);
  await here.wait('is known and offered something', known, { status: 'offered', offer: 'open' });
  const there = await elsewhere.patient('there');
  await elsewhere.wait('waits there', there, { offer: 'open' });
  const freed = async ({ clinicId, providerId }: typeof here) => {
    await database.sql`insert into freed_times (clinic_id, provider_id, starts_at) values (${clinicId}, ${providerId}, ${realNow})`;
    return () => database.prisma.freedTime.count({ where: { clinicId, startsAt: realNow } });
  };
  const [freedHere, freedThere] = [await freed(here), await freed(elsewhere)];

  await stores.sandboxData.reset({ clinicId: here.clinicId, realNow });

  expect(await here.waiting()).toEqual({
    'was offered something': ['removed', true],
    'offer of was offered something': ['declined', false],
    'is offered something': ['removed', true],
    'offer of is offered something': ['withdrawn', true],
    'has booked': ['booked', false],
    'offer of has booked': ['accepted', false],
    'is held': ['removed', true],
    'is known': ['waiting', false],
    'is known and offered something': ['waiting', false],
    'offer of is known and offered something': ['withdrawn', true],
  });
  expect(await elsewhere.waiting()).toEqual({
    'waits there': ['waiting', false],
    'offer of waits there': ['open', false],
  });
  expect([await freedHere(), await freedThere()]).toEqual([0, 1]);
});

test('of a sandbox is counted what it made and holds, patients by their identifiers and visits that are booked', async () => {
  const [here, elsewhere] = [await aSandbox(), await aSandbox()];
  const patientId = await here.patient('of the sandbox');
  await here.patient('without an identifier', { identifier: null });
  const known = await here.patient('of before', { inSandbox: false });
  await here.appointment('booked', patientId);
  await here.appointment('cancelled', patientId, { status: 'cancelled' });
  await here.appointment('of before, booked', known, { inSandbox: false });
  await here.note('note', patientId);
  await here.note('note of before', known, { inSandbox: false });
  const there = await elsewhere.patient('there');
  await elsewhere.appointment('there, booked', there);
  await elsewhere.note('note there', there);

  expect(await records.stores.sandboxData.counts(here.clinicId)).toEqual({ patients: 1, booked: 1, documents: 1 });
});

describe('a snapshot', () => {
  const take = (clinicId: string, name = 'kept') => records.stores.sandboxData.take({ clinicId, name, realNow }, by);
  const restore = (clinicId: string) =>
    records.stores.sandboxData.restore({ clinicId, name: 'kept', realNow: new Date(realNow.getTime() + 60_000) }, by);

  test('holds who has an identifier, a visit or a note, with visits that are no holds and notes of no call', async () => {
    const [here, elsewhere] = [await aSandbox(), await aSandbox()];
    const identified = await here.patient('identified');
    const withVisit = await here.patient('with a visit', { identifier: null });
    const withNote = await here.patient('with a note', { identifier: null });
    const ofCall = await here.patient('with a note of a call', { identifier: null });
    await here.patient('with nothing', { identifier: null });
    const replaced = await here.patient('replaced');
    await records.database.prisma.patient.update({ where: { id: replaced }, data: { replacedBy: identified } });
    await here.appointment('visit', withVisit);
    await here.appointment('time held in a call', identified, { status: 'cancelled', heldUntil: realNow });
    await here.note('note', withNote);
    await here.note('note of a call', ofCall, { callId: await here.call(ofCall) });
    const there = await elsewhere.patient('there');
    await elsewhere.appointment('visit there', there);
    await elsewhere.note('note there', there);

    const taken = await take(here.clinicId);

    const counts = { name: 'kept', patients: 3, appointments: 1, documents: 1, takenAt: realNow };
    expect(taken).toEqual({ kind: 'taken', snapshot: counts });
    await here.note('another note', withNote);
    expect(await take(here.clinicId)).toMatchObject({ snapshot: { documents: 2 } });
    expect(await records.stores.sandboxData.snapshots(here.clinicId)).toMatchObject([{ documents: 2 }]);
    expect(await records.stores.sandboxData.snapshots(elsewhere.clinicId)).toEqual([]);
  });

  test('is of the moment when it was taken last; they are listed by name', async () => {
    const { clinicId } = await aSandbox();
    const { sandboxData } = records.stores;
    const later = new Date(realNow.getTime() + 60_000);
    await take(clinicId);
    await take(clinicId, 'earlier');
    const again = await sandboxData.take({ clinicId, name: 'kept', realNow: later }, by);

    expect(again).toMatchObject({ kind: 'taken', snapshot: { name: 'kept', takenAt: later } });
    expect((await sandboxData.snapshots(clinicId)).map(({ name, takenAt }) => [name, takenAt])).toEqual([
      ['earlier', realNow],
      ['kept', later],
    ]);
  });

  test('brings back what was cleared, and nothing of who is held or has no identifier', async () => {
    const here = await aSandbox();
    const [ours, held] = [await here.patient('ours'), await here.patient('held')];
    const unnamed = await here.patient('without an identifier', { identifier: null });
    await here.appointment('visit', ours);
    const ofHeld = await here.appointment('visit of who is held', held);
    await here.appointment('visit of who has no identifier', unnamed);
    await here.note('note', ours);
    await here.note('note of who has no identifier', unnamed);
    await take(here.clinicId);
    await here.hold(held);
    const { prisma } = records.database;
    await prisma.appointment.delete({ where: { id: ofHeld } });
    await prisma.appointment.deleteMany({ where: { patientId: unnamed } });
    await prisma.document.deleteMany({ where: { patientId: unnamed } });
    await prisma.patient.delete({ where: { id: unnamed } });
    await here.patient('later');

    const counts = await restore(here.clinicId);

    expect(await here.left()).toEqual(['ours', 'held', 'visit', 'note']);
    // What is put back while the sandbox is off is not the sandbox's.
    expect(counts).toEqual({ patients: 1, booked: 0, documents: 0 });
    expect(await restore(await records.aClinic())).toBeNull();
  });

  test.each([
    ['runs', realNow.toISOString(), new Date(realNow.getTime() + 60_000).toISOString()],
    ['stands still', null, null],
  ])('keeps a clock that %s', async (_what, runsSince, runsAfter) => {
    const { database } = records;
    const here = await aSandbox();
    const shows = '2031-05-05T10:00:00.000Z';
    await database.prisma.sandboxClock.create({ data: { clinicId: here.clinicId, shows, runsSince } });
    await take(here.clinicId);
    await database.prisma.sandboxClock.deleteMany({ where: { clinicId: here.clinicId } });

    await restore(here.clinicId);

    const clock = await database.prisma.sandboxClock.findUnique({ where: { clinicId: here.clinicId } });
    expect([clock?.shows.toISOString(), clock?.runsSince?.toISOString() ?? null]).toEqual([shows, runsAfter]);
  });

  test('is put back where others book its times in between, four times over and no more', async () => {
    const { sql, prisma } = records.database;
    const here = await aSandbox();
    const { clinicId, providerId } = here;
    const [ours, other] = [await here.patient('ours'), await here.patient('other', { inSandbox: false })];
    const visitId = await here.appointment('visit', ours);
    await prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: true } });
    await take(clinicId);
    // Whenever an appointment goes, its time is booked at once.
    await sql`create table between_tries as select ${clinicId}::text as clinic_id, ${other}::text as patient_id, 0 as bookings`;
    await sql`
      create function book_between() returns trigger language plpgsql as $$
      begin
        update between_tries set bookings = bookings - 1 where bookings > 0;
        if found then
          insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
          select gen_random_uuid()::text, clinic_id, patient_id, old.provider_id, 'In between', old.starts_at, old.ends_at
          from between_tries;
        end if;
        return null;
      end $$`;
    await sql`create trigger book_between after delete on appointments for each row execute function book_between()`;

    const found: unknown[] = [];
    for (const bookings of [0, 1, 4, 5]) {
      await prisma.$executeRawUnsafe('update between_tries set bookings = $1', bookings);
      await restore(clinicId);
      const booked = await prisma.appointment.findMany({ where: { clinicId, providerId } });
      found.push(booked.map(({ id, patientId }) => (id === visitId ? 'visit' : patientId === other && 'other')));
    }
    await sql`drop trigger book_between on appointments`;

    expect(found).toEqual([['visit'], ['visit'], ['visit'], ['other']]);
  });

  test('of the real time takes the clock away', async () => {
    const here = await aSandbox();
    await take(here.clinicId);
    await records.database.prisma.sandboxClock.create({
      data: { clinicId: here.clinicId, shows: realNow, runsSince: null },
    });

    await restore(here.clinicId);

    expect(await records.database.prisma.sandboxClock.count({ where: { clinicId: here.clinicId } })).toBe(0);
  });

  test('is refused beyond twenty of a clinic, unless one is taken again, and is deleted in its clinic alone', async () => {
    const { stores, database } = records;
    const [here, elsewhere] = [await aSandbox(), await aSandbox()];
    const aRow = (clinicId: string, name: string) => ({
      clinicId,
      name,
      contents: {},
      patientIds: [],
      appointments: 0,
      documents: 0,
    });
    const fill = (clinicId: string, count: number) =>
      database.prisma.sandboxSnapshot.createMany({
        data: Array.from({ length: count }, (_, index) => aRow(clinicId, `number ${index}`)),
      });
    await fill(here.clinicId, 19);
    await fill(elsewhere.clinicId, 19);

    const kinds = [(await take(here.clinicId)).kind, (await take(here.clinicId, 'another')).kind];
    const again = await take(here.clinicId);

    expect([...kinds, again.kind]).toEqual(['taken', 'too_many', 'taken']);
    expect(await stores.sandboxData.drop(elsewhere.clinicId, 'kept', by)).toBe(false);
    expect(await stores.sandboxData.drop(here.clinicId, 'number 1', by)).toBe(true);
    const names = (await stores.sandboxData.snapshots(here.clinicId)).map(({ name }) => name);
    expect(names).toHaveLength(19);
    expect(names).toContain('kept');
    expect(await stores.sandboxData.snapshots(elsewhere.clinicId)).toHaveLength(19);
    const deletions = async (clinicId: string) =>
      (await stores.audit.list(clinicId, { action: 'sandbox.snapshot.delete', limit: 5 })).items.length;
    expect([await deletions(here.clinicId), await deletions(elsewhere.clinicId)]).toEqual([1, 0]);
  });

  test('is refused of many rows or long notes, but not for those of calls or of other clinics', async () => {
    const { prisma } = records.database;
    const [many, long, other] = [await aSandbox(), await aSandbox(), await aSandbox()];
    const fill = (
      { clinicId }: typeof many,
      patientId: string,
      about: { rows: number; letters: number; callId?: string },
    ) =>
      prisma.$transaction([
        // Without triggers, which take seconds for so many.
        prisma.$executeRawUnsafe(`set local session_replication_role = replica`),
        prisma.$executeRawUnsafe(
          `insert into documents (id, clinic_id, patient_id, call_id, content)
           select $1 || n, $1, $2, $3, to_jsonb(repeat('x', $4::int)) from generate_series(1, $5::int) n`,
          clinicId,
          patientId,
          about.callId ?? null,
          about.letters,
          about.rows,
        ),
      ]);
    const MANY = 21 * 1024 * 1024;
    await fill(many, await many.patient('many'), { rows: 50_001, letters: 1 });
    await fill(long, await long.patient('long'), { rows: 1, letters: MANY });
    const patientId = await other.patient('of calls');
    await fill(other, patientId, { rows: 1, letters: MANY, callId: await other.call(patientId) });

    // As many rows and as many bytes as there may be, of whom no row tells.
    const [rows, bytes] = [await aSandbox(), await aSandbox()];
    await fill(rows, 'nobody', { rows: 50_000, letters: 1 });
    await fill(bytes, 'nobody', { rows: 1, letters: 20 * 1024 * 1024 - '""'.length });

    const kinds = [];
    for (const { clinicId } of [many, long, other, rows, bytes]) kinds.push((await take(clinicId)).kind);

    expect(kinds).toEqual(['too_large', 'too_large', 'taken', 'taken', 'taken']);
  });
});
