import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '@clinic/prisma/client';
import { createStores, type Stores } from '@clinic/prisma/stores';
import type { RunContext } from '@clinic/shared/contracts/outreach/run-context';
import type { Outcome } from '@clinic/shared/domain/outreach/workflow-types';
import type { NewPatient } from '@clinic/prisma/stores/outreach/run-openers';
import { aPhone, aSession } from '../../../support/builders';
import { freshDatabase } from '../../../support/database';

const clinicId = 'harbor';
const patient = { firstName: 'Ann', lastName: 'Lee', phone: null };

let database: Database;
let stores: Stores;
beforeAll(async () => {
  database = await freshDatabase({ poolSize: 16 });
  stores = createStores(database, [{ id: 'test', key: Buffer.alloc(32, 'a key of tests') }]);
  await database.sql`insert into clinics (id, name, timezone) values (${clinicId}, 'Harbor', 'America/New_York'), ('quay', 'Harbor', 'America/New_York')`;
});
afterAll(() => database.close());

const abandon = (sessionId: string) =>
  stores.runs.openRecovery({ clinicId, sessionId, patient, form: {}, inbound: { payload: {} } });
const complete = (sessionId: string) => stores.inboundEvents.formCompleted({ clinicId, sessionId, payload: {} });
const caseOf = (sessionId: string) =>
  database.prisma.recoveryCase.findUniqueOrThrow({ where: { clinicId_sessionId: { clinicId, sessionId } } });

describe('a form that is completed', () => {
  test('before its case opens is known to the case, and nobody is told', async () => {
    const sessionId = aSession();

    const completed = await complete(sessionId);
    await abandon(sessionId);

    expect(completed).toEqual({ isDuplicate: false, workflowId: null, caseId: null, messageId: null });
    expect((await caseOf(sessionId)).formCompletedAt).toBeInstanceOf(Date);
  });

  test('after its case opened is told to the workflow, once', async () => {
    const sessionId = aSession();
    const { workflowId, caseId } = await abandon(sessionId);
    await stores.runs.markDispatched([workflowId]);

    const [first, again] = [await complete(sessionId), await complete(sessionId)];

    const messageId = `form-completed-${caseId}`;
    expect(first).toEqual({ isDuplicate: false, workflowId, caseId, messageId });
    expect(again).toEqual({ isDuplicate: true, workflowId, caseId, messageId });
    expect(await stores.messages.find(messageId)).toMatchObject({ workflowId, signal: 'formCompleted', payload: {} });
    expect(await database.prisma.workflowMessage.count({ where: { workflowId } })).toBe(1);
  });

  test('at the same moment as its case opens is always known to the case', async () => {
    const sessions = Array.from({ length: 300 }, () => aSession());

    for (let from = 0; from < sessions.length; from += 6) {
      const atOnce = sessions.slice(from, from + 6);
      await Promise.all(atOnce.flatMap((sessionId) => [abandon(sessionId), complete(sessionId)]));
    }

    const missed = await database.prisma.recoveryCase.count({
      where: { clinicId, sessionId: { in: sessions }, formCompletedAt: null },
    });
    expect(missed).toBe(0);
  });
});

test('patients and runs are read a few times for each form at most, before the database has statistics of them', async () => {
  const young = await freshDatabase({ poolSize: 1 });
  const { runs } = createStores(young, [{ id: 'test', key: Buffer.alloc(32, 'a key of tests') }]);
  await young.sql`insert into clinics (id, name, timezone) values (${clinicId}, 'Harbor', 'America/New_York')`;
  const forms = 100;
  for (let index = 0; index < forms; index += 1)
    await runs.openRecovery({ clinicId, sessionId: aSession(), patient, form: {}, inbound: { payload: {} } });
  await young.sql`select pg_stat_force_next_flush()`;
  const read = await young.sql<{ table: string; rows: number }>`
    select relname::text as table, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_user_tables
    where relname in ('patients', 'workflow_runs', 'recovery_cases')`;
  await young.close();

  const rowsOf = (table: string) => read.find((each) => each.table === table)?.rows ?? 0;
  expect(rowsOf('patients')).toBeGreaterThan(0);
  expect(rowsOf('patients')).toBeLessThan(5 * forms * forms);
  // Of those that are there, which a new session has none of.
  expect(rowsOf('workflow_runs') + rowsOf('recovery_cases')).toBeLessThan(1.5 * forms * forms);
});

describe('what arrives at the same moment', () => {
  const other = 'harbor-beside';
  beforeAll(
    () => database.sql`insert into clinics (id, name, timezone) values (${other}, 'Harbor', 'America/New_York')`,
  );
  /** A clinic's sessions share a thousand locks: those of this one meet nobody else's. */
  const isFirst = (session: string) => {
    const [high = 0, low = 0] = createHash('sha256').update(session).digest();
    return (high & 3) === 0 && low === 0;
  };
  const isNotFirst = (session: string) => !isFirst(session);
  const aSessionThat = (isWanted: (session: string) => boolean) => {
    for (;;) {
      const session = aSession();
      if (isWanted(session)) return session;
    }
  };
  /** The first two occupy the lanes: what comes after them goes together. */
  const together = <T>(arrivals: (() => Promise<T>)[]) =>
    Promise.allSettled([
      ...Array.from({ length: 16 }, () => abandon(aSessionThat(isNotFirst))),
      ...arrivals.map((arrive) => arrive()),
    ]).then((settled) => settled.slice(16) as PromiseSettledResult<T>[]);

  test('is stored in a few commits, each answered with its own run', async () => {
    const sessions = Array.from({ length: 64 }, () => aSession());

    const opened = await Promise.all(sessions.map(abandon));
    const [stored] = await database.sql<{ commits: number }>`
      select count(distinct xmin::text)::int as commits from workflow_runs where session_id = any (${sessions})`;

    for (const [index, { caseId }] of opened.entries()) expect((await caseOf(sessions[index] ?? '')).id).toBe(caseId);
    expect(stored?.commits).toBeLessThan(16);
  });

  test('and has the same session opens one run, of which one is new and the other repeats it', async () => {
    const sessionId = aSession();

    const opened = await together([() => abandon(sessionId), () => abandon(sessionId)]);

    const runs = opened.map((each) => (each.status === 'fulfilled' ? each.value : null));
    expect(runs[0]?.workflowId).toBe(runs[1]?.workflowId);
    expect(runs.map((run) => Number(run?.isNew)).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(runs.map((run) => Number(run?.isDuplicateEvent)).toSorted((a, b) => a - b)).toEqual([0, 1]);
  });

  test('of clinics that use the same session is kept apart', async () => {
    const sessionId = aSession();
    const beside = () =>
      stores.runs.openRecovery({ clinicId: other, sessionId, patient, form: {}, inbound: { payload: {} } });

    const [here, there] = await together([() => abandon(sessionId), beside]);

    if (here?.status !== 'fulfilled' || there?.status !== 'fulfilled') throw new Error('both are stored');
    expect(there.value.workflowId).not.toBe(here.value.workflowId);
    expect([here.value.isNew, there.value.isNew]).toEqual([true, true]);
    const clinics = await database.sql<{ clinicId: string }>`
      select clinic_id as "clinicId" from recovery_cases where session_id = ${sessionId} order by clinic_id`;
    expect(clinics.map(({ clinicId: id }) => id)).toEqual([clinicId, other]);
  });

  /** All in one lane. */
  const sessionsOfALane = (count: number) => {
    const isInFirst = (session: string) => (createHash('sha256').update(session).digest()[1] ?? 0) % 2 === 0;
    return Array.from({ length: count }, () => aSessionThat(isInFirst));
  };
  const ofPhone =
    (phone: string, more: Partial<NewPatient> = {}) =>
    (sessionId: string) =>
    () =>
      stores.runs.openRecovery({ clinicId, sessionId, patient: { ...patient, phone, ...more }, form: {} });

  test('and is of one person, by phone or by id, makes one patient of them', async () => {
    const [phone, patientId] = [aPhone(), `person-${aSession()}`];
    const sessions = sessionsOfALane(12);
    const arrivals = sessions.map((session, index) =>
      ofPhone(index < 6 ? phone : aPhone(), index < 6 ? {} : { patientId })(session),
    );

    const opened = await together(arrivals);

    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 'fulfilled'));
    expect(await database.prisma.patient.count({ where: { clinicId, phone } })).toBe(1);
    expect(await database.prisma.patient.count({ where: { clinicId, externalId: patientId } })).toBe(1);
    expect(await database.prisma.workflowRun.count({ where: { sessionId: { in: sessions } } })).toBe(12);
  });

  test('and is of one patient by two records that were merged, is told to the one who is kept, the last consent for all', async () => {
    const [kept, replaced] = [aPhone(), aPhone()];
    await database.sql`insert into patients (id, clinic_id, first_name, last_name, phone) values (${`kept-${kept}`}, ${clinicId}, 'Ann', 'Lee', ${kept})`;
    await database.sql`
      insert into patients (id, clinic_id, first_name, last_name, phone, replaced_by)
      values (${`old-${kept}`}, ${clinicId}, 'Ann', 'Lee', ${replaced}, ${`kept-${kept}`})`;
    const consentOf = (at: string) => ({ isGiven: true, basis: 'written', at, source: 'form' }) as const;
    const sessions = sessionsOfALane(2);
    const days = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'];

    await together(
      sessions.map((session, index) =>
        ofPhone(index === 0 ? replaced : kept, { consent: consentOf(days[index] ?? '') })(session),
      ),
    );

    const runs = await database.prisma.workflowRun.findMany({ where: { sessionId: { in: sessions } } });
    expect(runs.map(({ patientId }) => patientId)).toEqual([`kept-${kept}`, `kept-${kept}`]);
    const { consent } = await database.prisma.patient.findUniqueOrThrow({ where: { id: `kept-${kept}` } });
    expect(consent).toMatchObject({ at: days[1] });
  });

  test('and cannot be stored fails alone', async () => {
    const sessions = Array.from({ length: 6 }, () => aSession());
    const unknown = () => stores.runs.openRecovery({ clinicId: 'nobody', sessionId: aSession(), patient, form: {} });

    const ends = await together([...sessions.map((each) => () => abandon(each)), unknown, unknown]);

    expect(ends.map(({ status }) => status)).toEqual([...sessions.map(() => 'fulfilled'), 'rejected', 'rejected']);
    expect(await database.prisma.recoveryCase.count({ where: { clinicId, sessionId: { in: sessions } } })).toBe(6);
  });

  test('does not wait for a session that somebody else holds', async () => {
    const held = aSessionThat(isFirst);
    const free = Array.from({ length: 7 }, () => aSessionThat(isNotFirst));
    let endOfHeld: Promise<unknown> = Promise.resolve();
    let isHeldStored = false;
    await database.transaction(async (tx) => {
      await tx`select lock_session(${clinicId}, ${held})::text`;
      endOfHeld = abandon(held).then(() => (isHeldStored = true));
      await together(free.map((each) => () => abandon(each)));
      expect(isHeldStored).toBe(false);
    });

    await endOfHeld;
    expect(await database.prisma.recoveryCase.count({ where: { clinicId, sessionId: { in: free } } })).toBe(7);
  });

  test('and was stored though its answer was lost is no repetition of itself', async () => {
    const own = await freshDatabase({ poolSize: 4 });
    const sql: typeof own.sql = async (strings, ...values) => {
      const rows = await own.sql(strings, ...values);
      const isInLane = strings.join('').includes('take_in') && values[1] === false;
      if (isInLane) throw new Error('the connection broke');
      return rows as never;
    };
    const { runs, inboundEvents } = createStores({ ...own, sql }, [
      { id: 'test', key: Buffer.alloc(32, 'a key of tests') },
    ]);
    await own.sql`insert into clinics (id, name, timezone) values (${clinicId}, 'Harbor', 'America/New_York')`;
    const sessions = Array.from({ length: 20 }, () => aSession());

    const opened = await Promise.all(
      sessions.map((sessionId) =>
        runs.openRecovery({ clinicId, sessionId, patient, form: {}, inbound: { payload: {} } }),
      ),
    );
    const completed = await Promise.all(
      sessions.map((sessionId) => inboundEvents.formCompleted({ clinicId, sessionId, payload: {} })),
    );

    expect(opened.filter(({ isDuplicateEvent }) => isDuplicateEvent)).toEqual([]);
    expect(completed.filter(({ isDuplicate }) => isDuplicate)).toEqual([]);
    expect(await own.prisma.recoveryCase.count()).toBe(20);
    await own.close();
  });
});

test('an event of a session that a REST start has opened leads to that run', async () => {
  const sessionId = aSession();
  const started = await stores.runs.openRecovery({ clinicId, sessionId, patient, form: {} });

  const abandoned = await abandon(sessionId);
  const again = await abandon(sessionId);

  const { workflowId, caseId } = started;
  expect(abandoned).toMatchObject({ workflowId, caseId, isNew: false, isDuplicateEvent: false });
  expect(again).toMatchObject({ workflowId, caseId, isNew: false, isDuplicateEvent: true });
});

describe('an event of a case that a REST start has opened', () => {
  const consent = { isGiven: false, basis: 'withdrawn', at: '2026-03-01T00:00:00.000Z', source: 'forms.abandoned' };
  const told = {
    formId: 'intake',
    formName: 'New patient intake',
    lastPageReached: 3,
    totalPages: 7,
    completionPercentage: 42.5,
    abandonedAt: '2026-03-01T10:00:00.000Z',
    abandonedAtCheckout: true,
    resumeUrl: 'https://forms.example/told',
    selectedProducts: [{ productName: 'Physical', unitPrice: 120 }],
  };
  const send = (sessionId: string, form: typeof told, phone = aPhone()) =>
    stores.runs.openRecovery({
      clinicId,
      sessionId,
      form,
      patient: { ...patient, phone, consent },
      inbound: { payload: {} },
    });

  test('fills in what is not known of the form, and of its patient, and leaves what is', async () => {
    const sessionId = aSession();
    const form = { resumeUrl: 'https://forms.example/started' };
    const phone = aPhone();
    const { caseId } = await stores.runs.openRecovery({ clinicId, sessionId, patient: { ...patient, phone }, form });

    await send(sessionId, told);
    const filled = await caseOf(sessionId);
    await send(sessionId, { ...told, formName: 'Another' });

    expect(filled).toMatchObject({ ...told, ...form, id: caseId, abandonedAt: new Date(told.abandonedAt) });
    expect(await caseOf(sessionId)).toEqual(filled);
    const { phone: kept, consent: said } = await database.prisma.patient.findUniqueOrThrow({
      where: { id: filled.patientId },
    });
    expect([kept, said]).toEqual([phone, consent]);
  });

  test('and of no other: that of another session, and one whose event has come', async () => {
    const [session, beside] = [aSession(), aSession()];
    await stores.runs.openRecovery({ clinicId, sessionId: beside, patient, form: {} });
    await abandon(session);

    await send(session, told);

    expect([(await caseOf(session)).formName, (await caseOf(beside)).formName]).toEqual([null, null]);
  });

  test('and not with the form of somebody else, whom the clinic knows', async () => {
    const [sessionId, phone] = [aSession(), aPhone()];
    await stores.runs.openRecovery({ clinicId, sessionId: aSession(), patient: { ...patient, phone }, form: {} });
    await stores.runs.openRecovery({ clinicId, sessionId, patient: { ...patient, phone: aPhone() }, form: {} });
    const before = await caseOf(sessionId);

    await send(sessionId, told, phone);

    expect(await caseOf(sessionId)).toEqual(before);
  });
});

describe('a run whose session is told of again', () => {
  const workflowType = 'prescription-follow-up';
  const amoxicillin = { prescriptionId: 'rx-7', medicationName: 'Amoxicillin', status: 'ready' };
  const open = (about: { sessionId: string; context?: RunContext; isEvent?: boolean; phone?: string; of?: string }) =>
    stores.runs.openRun({
      clinicId: about.of ?? clinicId,
      sessionId: about.sessionId,
      workflowType,
      context: about.context,
      patient: { ...patient, phone: about.phone ?? null },
      inbound: about.isEvent ? { event: 'an.event', payload: {} } : undefined,
    });
  const contextOf = async ({ workflowId }: { workflowId: string }) =>
    (await database.prisma.workflowRun.findUniqueOrThrow({ where: { id: workflowId } })).context;
  const woken = ({ workflowId }: { workflowId: string }) =>
    database.prisma.workflowMessage.count({ where: { workflowId, signal: 'rulesChanged' } });

  test.each<[what: string, first: RunContext | undefined, told: RunContext, known: RunContext]>([
    ['that knew nothing', undefined, { prescription: amoxicillin }, { prescription: amoxicillin }],
    [
      'that knew a part, which stays',
      { prescription: { prescriptionId: 'rx-7', status: 'delayed' } },
      { prescription: amoxicillin },
      { prescription: { ...amoxicillin, status: 'delayed' } },
    ],
    [
      'of something beside it',
      { prescription: amoxicillin },
      { followUp: { note: 'after lunch' } },
      { prescription: amoxicillin, followUp: { note: 'after lunch' } },
    ],
    [
      'of another prescription stays as it is',
      { prescription: { prescriptionId: 'rx-8' } },
      { prescription: amoxicillin, followUp: { note: 'after lunch' } },
      { prescription: { prescriptionId: 'rx-8' } },
    ],
  ])('%s, learns it from an event after a REST start, or the other way round', async (_what, context, told, known) => {
    for (const isEvent of [true, false]) {
      const sessionId = aSession();
      const run = await open({ sessionId, context, isEvent: !isEvent });
      await stores.runs.markDispatched([run.workflowId]);
      await open({ sessionId, context: told, isEvent });

      expect(await contextOf(run)).toEqual(known);
      expect(await woken(run)).toBe(isDeepStrictEqual(known, context) ? 0 : 1);
    }
  });

  test('learns nothing of somebody else, of another clinic, from what repeats an event, and once it is over', async () => {
    const [phone, other] = [aPhone(), aPhone()];
    const context = { prescription: amoxicillin };
    const sessions = [aSession(), aSession(), aSession(), aSession()] as const;
    await open({ sessionId: aSession(), phone: other });
    const runs = [
      await open({ sessionId: sessions[0], phone }),
      await open({ sessionId: sessions[1], phone }),
      await open({ sessionId: sessions[2], phone, isEvent: true }),
      await open({ sessionId: sessions[3], phone }),
    ];
    const ending = { status: 'completed', outcome: 'INFORMED', taskReason: null, resolution: null } as const;
    await stores.runs.end({ clinicId, workflowId: runs[3]?.workflowId ?? '', ...ending });

    await open({ sessionId: sessions[0], context, isEvent: true, phone: other });
    await open({ sessionId: sessions[1], context, isEvent: true, phone, of: 'quay' });
    await open({ sessionId: sessions[2], context, isEvent: true, phone });
    await open({ sessionId: sessions[3], context, isEvent: true, phone });

    expect(await Promise.all(runs.map(contextOf))).toEqual([{}, {}, {}, {}]);
  });

  test('decides again each time that it learns something', async () => {
    const sessionId = aSession();
    const run = await open({ sessionId });
    await open({ sessionId, context: { prescription: { prescriptionId: 'rx-7' } } });
    expect(await woken(run)).toBe(1);

    await open({ sessionId, context: { prescription: amoxicillin }, isEvent: true });

    expect(await woken(run)).toBe(2);
  });

  test('supersedes, once it has learned its matter, what was told of that before', async () => {
    const [phone, sessionId] = [aPhone(), aSession()];
    const earlier = await open({ sessionId: aSession(), phone, context: { prescription: amoxicillin }, isEvent: true });
    await open({ sessionId, phone });
    expect(await woken(earlier)).toBe(0);

    await open({ sessionId, phone, context: { prescription: amoxicillin }, isEvent: true });

    expect(await woken(earlier)).toBe(1);
  });
});

describe('a run about an appointment, a prescription or a payment is superseded', () => {
  type Type = 'prescription-follow-up' | 'payment-recovery' | 'appointment-confirmation' | 'appointment-reminder';
  interface Told {
    workflowType?: Type;
    id?: string;
    /** Of an appointment, its time. */
    status?: string;
    /** Left out: as of when it comes. Null: a REST start. */
    sentAt?: string | null;
    phone?: string;
    of?: string;
  }
  const [t1, t2, t3] = ['2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z', '2026-03-01T12:00:00.000Z'];
  const contextOf = (workflowType: Type, id: string, status: string): RunContext => {
    if (workflowType === 'payment-recovery') return { payment: { paymentId: id } };
    if (workflowType === 'prescription-follow-up') return { prescription: { prescriptionId: id, status } };
    return { appointment: { appointmentId: id, startsAt: status } };
  };
  const open = ({ workflowType = 'prescription-follow-up', id = 'rx-1', status = 'ready', ...about }: Told) =>
    stores.runs.openRun({
      clinicId: about.of ?? clinicId,
      sessionId: aSession(),
      workflowType,
      patient: { ...patient, phone: about.phone ?? null },
      context: contextOf(workflowType, id, status),
      inbound:
        about.sentAt === null
          ? undefined
          : { event: 'an.event', payload: about.sentAt === undefined ? {} : { sent_at: about.sentAt } },
    });
  const isSuperseded = async ({ workflowId }: { workflowId: string }) => {
    const [run] = await database.sql<{ isSuperseded: boolean }>`
      select coalesce(is_superseded(r), false) as "isSuperseded" from workflow_runs r where id = ${workflowId}`;
    return run?.isSuperseded;
  };
  const woken = ({ workflowId }: { workflowId: string }) =>
    database.prisma.workflowMessage.count({ where: { workflowId, signal: 'rulesChanged' } });

  test.each<[what: string, first: Told, then: Told, superseded: [boolean, boolean]]>([
    ['by one that was sent later', { sentAt: t1 }, { sentAt: t2 }, [true, false]],
    ['by one that was sent later and came first', { sentAt: t2 }, { sentAt: t1 }, [false, true]],
    ['by one that comes later, of two of a moment', { sentAt: t1 }, { sentAt: t1 }, [true, false]],
    ['by one that comes later, where neither says when', {}, {}, [true, false]],
    ['by one that says no time, which was sent when it came', { sentAt: t2 }, {}, [true, false]],
    ['by a start over REST', { sentAt: t2 }, { sentAt: null }, [true, false]],
    ['and by none of the future, which no event is', { sentAt: '2099-01-01T00:00:00.000Z' }, {}, [true, false]],
    ['not by another one', { sentAt: t1 }, { sentAt: t2, id: 'rx-2' }, [false, false]],
    ['not by that of somebody else', { sentAt: t1 }, { sentAt: t2, phone: '+15005559001' }, [false, false]],
    ['not by that of another clinic', { sentAt: t1 }, { sentAt: t2, of: 'quay' }, [false, false]],
    [
      'by one of the same reminder',
      { sentAt: t1, workflowType: 'appointment-reminder' },
      { sentAt: t2, workflowType: 'appointment-reminder' },
      [true, false],
    ],
    [
      'by one of the same confirmation that tells another time and came first',
      { sentAt: t2, workflowType: 'appointment-confirmation', status: t3 },
      { sentAt: t1, workflowType: 'appointment-confirmation', status: t2 },
      [false, true],
    ],
    ['not by one of another kind', { sentAt: t1 }, { sentAt: t2, workflowType: 'payment-recovery' }, [false, false]],
    [
      'not by the reminder of a confirmation',
      { sentAt: t1, workflowType: 'appointment-confirmation' },
      { sentAt: t2, workflowType: 'appointment-reminder' },
      [false, false],
    ],
  ])('%s', async (_what, first, then, superseded) => {
    const phone = aPhone();
    const one = await open({ phone, ...first });
    const other = await open({ phone, ...then });

    expect([await isSuperseded(one), await isSuperseded(other)]).toEqual(superseded);
    const isOfAnother = 'id' in then || 'of' in then || 'phone' in then || first.workflowType !== then.workflowType;
    expect((await woken(one)) > 0).toBe(!isOfAnother);
    expect(await woken(other)).toBe(0);
  });

  test.each<[what: string, first: 'ours' | 'theirs', visitOf: string, workflowType: Type, isSame: boolean]>([
    ['by one that names the same appointment by its other id', 'ours', clinicId, 'appointment-reminder', true],
    ['by one that names it by ours', 'theirs', clinicId, 'appointment-confirmation', true],
    ['not by what is one appointment in another clinic alone', 'ours', 'quay', 'appointment-reminder', false],
    ['not by a payment of such an id', 'ours', clinicId, 'payment-recovery', false],
  ])('%s', async (_what, first, visitOf, workflowType, isSame) => {
    const about = { phone: aPhone(), workflowType };
    const id = aSession();
    const ids = first === 'ours' ? [id, `ehr-${id}`] : [`ehr-${id}`, id];
    const one = await open({ ...about, id: ids[0], sentAt: t1 });
    const whose = visitOf === clinicId ? one : await open({ ...about, of: visitOf, id: 'another' });
    await database.sql`
      with provider as (
        insert into providers (id, clinic_id, name, display_name, working_hours)
        values (${id}, ${visitOf}, ${id}, ${id}, '{}') returning id)
      insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at, external_id)
      select ${id}, ${visitOf}, r.patient_id, provider.id, 'v', ${t3}::timestamptz, ${t3}::timestamptz + interval '30 minutes', ${`ehr-${id}`}
      from provider, workflow_runs r where r.id = ${whose.workflowId}`;

    const other = await open({ ...about, id: ids[1], sentAt: t2 });

    expect([await isSuperseded(one), await isSuperseded(other)]).toEqual([isSame, false]);
    expect([await woken(one), await woken(other)]).toEqual([isSame ? 1 : 0, 0]);
  });

  test.each<[workflowType: Type, outcome: Outcome, endedAt: string, status: string, isOver: boolean]>([
    ['payment-recovery', 'SELF_PAY', t3, 'ready', true],
    ['payment-recovery', 'BILLING_ESCALATION', t3, 'ready', true],
    ['payment-recovery', 'PATIENT_NOT_REACHED', t3, 'ready', false],
    ['payment-recovery', 'FOLLOW_UP_REQUIRED', t3, 'ready', false],
    // It failed again after it was settled.
    ['payment-recovery', 'SELF_PAY', t1, 'ready', false],
    ['prescription-follow-up', 'INFORMED', t3, 'ready', true],
    // Of the status that was told before.
    ['prescription-follow-up', 'INFORMED', t3, 'delayed', false],
    ['prescription-follow-up', 'INFORMED', t1, 'ready', false],
    ['appointment-confirmation', 'CONFIRMED', t3, 'ready', true],
    ['appointment-confirmation', 'PATIENT_NOT_REACHED', t3, 'ready', false],
    // Of the time that it had before.
    ['appointment-confirmation', 'CONFIRMED', t3, 'another time', false],
    ['appointment-reminder', 'CONFIRMED', t1, 'ready', false],
  ])(
    'by the end of another, of a %s with %s at %s that told of %s: %s',
    async (workflowType, outcome, endedAt, status, isOver) => {
      const phone = aPhone();
      const earlier = await open({ phone, workflowType, sentAt: t1, status });
      const ending = { clinicId, workflowId: earlier.workflowId, status: 'completed', outcome, endedAt } as const;
      await stores.runs.end({ ...ending, taskReason: null, resolution: null });
      await database.sql`
        update workflow_runs set outcome = ${outcome}, completed_at = ${endedAt}::timestamptz where id = ${earlier.workflowId}`;

      const again = await open({ phone, workflowType, sentAt: t2 });

      expect(await isSuperseded(again)).toBe(isOver);
      expect(await woken(earlier)).toBe(0);
    },
  );
});

test('a start and its event at the same moment open one run, though one meets the id of the other before its session', async () => {
  const own = await freshDatabase({ poolSize: 8 });
  const { runs } = createStores(own, [{ id: 'test', key: Buffer.alloc(32, 'a key of tests') }]);
  await own.sql`insert into clinics (id, name, timezone) values (${clinicId}, 'Harbor', 'America/New_York')`;
  // PostgreSQL writes the indexes of a row in the order of their making: between id and session this one takes 50 ms.
  await own.sql`create function slowly(text) returns float8 immutable language sql as 'select extract(epoch from clock_timestamp()) from pg_sleep(0.05)'`;
  await own.sql`drop index workflow_runs_clinic_id_workflow_type_session_id_key`;
  await own.sql`create index slow on workflow_runs (slowly(id))`;
  await own.sql`create unique index by_session on workflow_runs (clinic_id, workflow_type, session_id)`;
  const opening = { clinicId, sessionId: aSession(), patient, form: {} };
  const inbound = { payload: {} };

  const first = runs.openRecovery({ ...opening, inbound });
  await delay(20);
  const opened = await Promise.all([first, runs.openRecovery(opening), runs.openRecovery({ ...opening, inbound })]);

  expect(new Set(opened.map(({ workflowId }) => workflowId)).size).toBe(1);
  expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
  await own.close();
});

describe('an event that is sent again after its session was lost to a restore of the records', () => {
  const forget = async (sessionId: string) => {
    const { workflowId, id, patientId } = await caseOf(sessionId);
    await database.sql`delete from outbound_events where subject = ${id}`;
    await database.sql`delete from recovery_cases where id = ${id}`;
    await database.sql`delete from workflow_runs where id = ${workflowId}`;
    await database.sql`delete from inbound_events where workflow_id = ${workflowId}`;
    await database.sql`delete from patients where id = ${patientId}`;
  };

  test('leads to the same run, case and patient, and tells of the case under the same id', async () => {
    const sessionId = aSession();
    const told = () =>
      database.prisma.outboundEvent.findMany({ where: { data: { path: ['sessionId'], equals: sessionId } } });
    const [first, event] = [await abandon(sessionId), await told()];
    await forget(sessionId);

    const again = await abandon(sessionId);

    expect(again).toEqual(first);
    expect((await told()).map(({ id, data }) => ({ id, data }))).toEqual(event.map(({ id, data }) => ({ id, data })));
  });

  test('has ids that nobody can tell from the session alone', async () => {
    const [sessionId, other] = [aSession(), 'bay'];
    await database.sql`insert into clinics (id, name, timezone) values (${other}, 'Harbor', 'America/New_York')`;

    const here = await abandon(sessionId);
    const there = await stores.runs.openRecovery({ clinicId: other, sessionId, patient, form: {} });

    expect(there.workflowId).not.toBe(here.workflowId);
    expect(there.caseId).not.toBe(here.caseId);
    const salts = await database.sql<{ salt: string }>`select id_salt as salt from clinics`;
    expect(new Set(salts.map(({ salt }) => salt)).size).toBe(salts.length);
  });
});

describe('the end of a run', () => {
  const ending = { clinicId, status: 'completed', resolution: null } as const;
  const told = (workflowId: string) =>
    database.sql<{ event: string; data: unknown }>`
      select event, data from outbound_events where data ->> 'workflowId' = ${workflowId}`;

  test('of a recovery ends its case, tells the clinic of the case and opens one task, however often it is written', async () => {
    const sessionId = aSession();
    const { workflowId, caseId } = await abandon(sessionId);
    const resolution = { recoveryStatus: 'PRICING_ESCALATION', resumeLinkSent: true } as const;
    const first = { ...ending, workflowId, outcome: 'PRICING_ESCALATION', taskReason: 'billing_escalation' } as const;

    await stores.runs.end({ ...first, resolution });
    await stores.runs.end({ ...first, outcome: 'RECOVERED', status: 'failed', taskReason: 'workflow_failed' });

    expect(await caseOf(sessionId)).toMatchObject({ status: 'PRICING_ESCALATION', resolution });
    expect(await stores.runs.find(clinicId, workflowId)).toMatchObject({
      status: 'completed',
      outcome: 'PRICING_ESCALATION',
    });
    const events = await database.prisma.outboundEvent.findMany({ where: { subject: caseId! } });
    expect(events.map(({ event, data }) => [event, data])).toEqual([
      ['recovery_case.created', { recoveryCaseId: caseId, sessionId, patientFirstName: 'Ann', patientLastName: 'Lee' }],
      ['recovery_case.outcome', { recoveryCaseId: caseId, sessionId, recoveryStatus: 'PRICING_ESCALATION' }],
    ]);
    expect(await told(workflowId)).toEqual([]);
    const tasks = await database.prisma.staffTask.findMany({ where: { workflowId } });
    expect(tasks).toMatchObject([{ reason: 'billing_escalation', cause: `billing_escalation:${caseId}`, caseId }]);
  });

  test('of any other type tells the clinic of the workflow', async () => {
    const sessionId = aSession();
    const { workflowId } = await stores.runs.openRun({
      clinicId,
      sessionId,
      patient,
      workflowType: 'care-gap-follow-up',
    });

    await stores.runs.end({ ...ending, workflowId, outcome: 'DECLINED', taskReason: null });
    await stores.runs.end({ ...ending, workflowId, outcome: 'ESCALATED', taskReason: 'follow_up_required' });

    expect(await told(workflowId)).toEqual([
      {
        event: 'workflow.completed',
        data: { workflowId, workflowType: 'care-gap-follow-up', sessionId, outcome: 'DECLINED' },
      },
    ]);
    expect(await database.prisma.staffTask.count({ where: { workflowId } })).toBe(0);
  });
});

test('the ids of what a session opens come from the salt of its own clinic, which a restore brings back', async () => {
  const about = { clinicId, sessionId: aSession(), workflowType: 'care-gap-follow-up', patient } as const;
  /** As a process that has just begun, in records that do not have the session. */
  const opened = async () => {
    const begun = createStores(database, [{ id: 'test', key: Buffer.alloc(32, 'a key of tests') }]);
    const { workflowId, patientId } = await begun.runs.openRun(about);
    await database.sql`delete from workflow_runs where id = ${workflowId}`;
    await database.sql`delete from patients where id = ${patientId}`;
    return [workflowId, patientId];
  };
  const [clinic] = await database.sql<{ salt: string }>`select id_salt as salt from clinics where id = ${clinicId}`;

  const first = await opened();
  await database.sql`update clinics set id_salt = 'another' where id <> ${clinicId}`;
  const restored = await opened();
  await database.sql`update clinics set id_salt = 'another' where id = ${clinicId}`;
  const salted = await opened();
  await database.sql`update clinics set id_salt = ${clinic?.salt} where id = ${clinicId}`;

  expect(restored).toEqual(first);
  expect(salted.filter((id) => first.includes(id))).toEqual([]);
});
