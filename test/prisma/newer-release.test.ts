import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../support/records';

/** Two releases share the records for a while: the newer one has migrated them, and writes what this one has no word for. */

/** The database keeps the time of a row in whole milliseconds: one of just now may be of the next. */
const ROUNDED_MS = 1;

let records: Records;
beforeAll(async () => {
  records = await openRecords();
  await records.database.sql`alter table receivers drop constraint receivers_kind`;
  await records.database.sql`alter table bulk_jobs drop constraint bulk_jobs_kind`;
});
afterAll(() => records.close());

test('a run of a type that only a newer release knows is not started by this one, and holds up no other', async () => {
  const { stores, database } = records;
  const [unknown, known] = [await records.aRun(), await records.aRun()];
  await database.sql`update workflow_runs set workflow_type = 'of-tomorrow' where id = ${unknown.workflowId}`;

  const waiting = await stores.runs.undispatched(-ROUNDED_MS, 1);

  expect(waiting.map(({ workflowId }) => workflowId)).toEqual([known.workflowId]);
});

test('a message that only a newer release knows is not sent by this one, and holds up no other', async () => {
  const { stores, database, clinicId } = records;
  const { workflowId } = await records.aRun();
  await stores.runs.markDispatched([workflowId]);
  const [unknown, known] = [newId(), newId()];
  for (const [id, signal] of [
    [unknown, 'saidTomorrow'],
    [known, 'rulesChanged'],
  ] as const) {
    await database.prisma.workflowMessage.create({ data: { id, clinicId, workflowId, signal, payload: {} } });
  }

  const found = [await stores.messages.find(unknown), await stores.messages.find(known)];
  const unsent = await stores.messages.unsent(-ROUNDED_MS, 1);

  expect(found.map((message) => message?.id)).toEqual([undefined, known]);
  expect(unsent.map(({ id }) => id)).toEqual([known]);
});

test('long work of a kind that only a newer release knows is neither started nor looked for by this one', async () => {
  const { stores, database, clinicId } = records;
  const kinds = { unknown: 'tidy_up', known: 'resend_deliveries' };
  for (const [id, kind] of Object.entries(kinds)) {
    await database.sql`
      insert into bulk_jobs (id, clinic_id, kind, filter, total, requested_by)
      values (${id}, ${clinicId}, ${kind}, '{}'::jsonb, 1, 'test')`;
  }

  const undispatched = await stores.longWork.undispatched(-ROUNDED_MS, 1);
  for (const id of Object.keys(kinds))
    await stores.longWork.markDispatched({ kind: 'resend_deliveries', clinicId, id });
  const underWay = await stores.longWork.underWay(new Date(Date.now() + 60_000), 10, '');

  expect(undispatched.map(({ id }) => id)).toEqual(['known']);
  expect(underWay.map(({ id }) => id)).toEqual(['known']);
});

test('a delivery to a kind of receiver that only a newer release knows is left to its workers, and waits', async () => {
  const { stores, database } = records;
  const clinicId = await records.aClinic();
  await database.sql`update receivers set kind = 'queue' where clinic_id = ${clinicId}`;
  const subject = newId();
  const deliveryId = await stores.deliveries.emit({ clinicId, event: 'test', subject, data: { message: 'hello' } });

  const lease = await stores.deliveryLeases.lease({ clinicId, subject });

  expect(lease).toMatchObject({ kind: 'later' });
  expect(await database.prisma.delivery.findUnique({ where: { id: deliveryId } })).toMatchObject({
    state: 'PENDING',
    tries: 0,
    leaseToken: null,
  });
});
