import { MAX_EXCHANGES } from '@clinic/prisma/stores/sandbox/validation-runs';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';
import { exchangesOf } from '../../../support/planted-exchanges';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

test('runs are listed page by page, each once, the newest first, also those of one instant', async () => {
  const clinicId = await records.aClinic();
  const first = Date.parse('2026-03-02T15:00:00.000Z');
  const runs = Array.from({ length: 10 }, (_, index) => {
    const startedAt = new Date(first + Math.floor(index / 4) * 1_000);
    const endsAt = new Date(startedAt.getTime() + 60_000);
    return {
      id: `${(index * 7) % 10}-${clinicId}`,
      clinicId,
      startedBy: 'account:ada',
      startedAt,
      endsAt,
      endedAt: endsAt,
    };
  });
  await records.database.prisma.validationRun.createMany({ data: runs });

  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null && seen.length < 20;) {
    const page = await records.stores.validationRuns.list(clinicId, { limit: 3, ...(cursor && { cursor }) });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }

  const newestFirst = runs.toSorted(
    (one, other) => other.startedAt.getTime() - one.startedAt.getTime() || (one.id < other.id ? 1 : -1),
  );
  expect(seen).toEqual(newestFirst.map(({ id }) => id));
  expect((await records.stores.validationRuns.list(records.otherClinicId, { limit: 20 })).items).toEqual([]);
});

test('an exchange is of the patient whom it asked for, where the clinic itself has them', async () => {
  const { clinicId, otherClinicId, stores, database } = records;
  const own = await records.aPatient();
  const { patientId: elsewhere } = await records.aRun({ clinicId: otherClinicId });
  const now = new Date();
  const endsAt = new Date(now.getTime() + 60_000);
  const started = await stores.validationRuns.start({
    clinicId,
    label: null,
    now,
    endsAt,
    by: { actor: 'account:ada' },
  });
  const runId = started.kind === 'started' ? started.run.id : started.runId;

  const told = exchangesOf(
    [own, elsewhere, 'nobody', undefined].map((patient) => ['match', patient ? { patient } : {}]),
  );
  await stores.validationRuns.observe(clinicId, runId, told);

  const kept = await database.prisma.observedExchange.findMany({ where: { runId }, orderBy: { position: 'asc' } });
  expect(kept.map(({ patientId }) => patientId)).toEqual([own, null, null, null]);
  expect(await stores.validationRuns.find(clinicId, runId)).toMatchObject({ exchanges: 4 });
});

test('a credential is of the run under way that has seen it, not of one that is over or has seen others', async () => {
  const { database, stores } = records;
  const [clinicId, otherClinicId] = [await records.aClinic(), await records.aClinic()];
  const startedAt = new Date('2026-03-02T15:00:00.000Z');
  const span = { startedAt, endsAt: new Date(startedAt.getTime() + 60_000) };
  const aRun = async (of: string, credentials: (string | null)[], endedAt: Date | null = null) => {
    const id = newId();
    await database.prisma.validationRun.create({
      data: { id, clinicId: of, startedBy: 'account:ada', ...span, endedAt },
    });
    await database.prisma.observedExchange.createMany({
      data: credentials.map((credential) => ({
        clinicId: of,
        runId: id,
        at: startedAt,
        operation: 'match',
        durationMs: 1,
        credential,
        detail: {},
      })),
    });
    return { id, clinicId: of };
  };
  await aRun(clinicId, ['before', 'both'], span.endsAt);
  const now = await aRun(clinicId, ['now', 'both', null]);
  await aRun(otherClinicId, []);
  await aRun(otherClinicId, ['over elsewhere'], span.endsAt);
  const elsewhere = await aRun(await records.aClinic(), ['elsewhere']);

  const runOf = (credential: string) => stores.validationRuns.runOfCredential(credential);
  expect([await runOf('now'), await runOf('both'), await runOf('elsewhere')]).toEqual([now, now, elsewhere]);
  expect([await runOf('before'), await runOf('over elsewhere'), await runOf('none')]).toEqual([null, null, null]);
});

test('of a run so many exchanges are kept and no more, in their order, and none once it has ended', async () => {
  const { database, stores } = records;
  const clinicId = await records.aClinic();
  const [now, by] = [new Date('2026-03-02T15:00:00.000Z'), { actor: 'account:ada' }];
  const endsAt = new Date(now.getTime() + 60_000);
  const started = await stores.validationRuns.start({ clinicId, label: null, now, endsAt, by });
  const runId = started.kind === 'started' ? started.run.id : '';
  const observed = exchangesOf([['match'], ['slots'], ['book'], ['cancel'], ['read_workflow']]);
  // Two of one instant, and one that came to be known of after a later one.
  const [first, second, third] = observed.map((each) => each.at);
  const times = [second, first, third, third, third].map((at) => at ?? '');
  const told = observed.map((each, index) => ({ ...each, at: times[index] ?? '' }));
  await database.prisma.validationRun.update({ where: { id: runId }, data: { exchanges: MAX_EXCHANGES - 4 } });

  await stores.validationRuns.observe(records.otherClinicId, runId, told);
  await stores.validationRuns.observe(clinicId, runId, told);
  await stores.validationRuns.observe(clinicId, runId, told);

  const kept = await stores.validationRuns.exchangesOf(clinicId, runId);
  expect(kept.map(({ operation, number }) => [operation, number])).toEqual([
    ['slots', 1],
    ['match', 2],
    ['book', 3],
    ['cancel', 4],
  ]);
  expect(await stores.validationRuns.find(clinicId, runId)).toMatchObject({ exchanges: MAX_EXCHANGES });
  expect(await stores.validationRuns.exchangesOf(records.otherClinicId, runId)).toEqual([]);

  await database.prisma.validationRun.update({ where: { id: runId }, data: { exchanges: 4 } });
  const end = (of: string) => stores.validationRuns.end({ clinicId: of, runId, endedAt: endsAt, findings: {} }, by);
  const ended = [await end(records.otherClinicId), await end(clinicId), await end(clinicId)];
  await stores.validationRuns.observe(clinicId, runId, told);

  expect(ended).toEqual([false, true, false]);
  expect(await stores.validationRuns.find(clinicId, runId)).toMatchObject({ exchanges: 4, endedAt: endsAt });
  const { items } = await stores.audit.list(clinicId, { action: 'validation-run.end', limit: 5 });
  expect(items.map(({ subject }) => subject)).toEqual([runId]);
});
