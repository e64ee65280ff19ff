import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { createWorkflowStarter } from '@clinic/temporal/starter';
import { workflowsBefore } from '@clinic/commands/workflows-before';
import { unrecordedRuns } from '@clinic/commands/unrecorded-runs';
import { newId } from '@clinic/shared/crypto';
import { recordsEnvironment, typed } from '../support/command';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { openRecords, type Records } from '../support/records';
import { freshNamespace, temporalAddress } from '../support/temporal';

let records: Records;
let connection: NativeConnection;
let client: Client;

beforeAll(async () => {
  records = await openRecords();
  connection = await NativeConnection.connect({ address: temporalAddress() });
  const namespace = await freshNamespace();
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
});
afterAll(async () => {
  await connection.close();
  await records.close();
});

test('after a restore, the runs that Temporal knows and the records do not are named, with the ids that they were accepted under', async () => {
  const since = new Date(Date.now() - 60_000);
  const starter = createWorkflowStarter(client, testPayloadKeys);
  const kept = [await records.aCase(), await records.aCase()];
  const [lost, lostLater] = [await records.aCase(), await records.aCase()];
  for (const run of [kept[0], lost, lostLater, kept[1]]) await starter.startRun(run!);
  for (const { workflowId } of [lost, lostLater]) {
    await records.database.sql`delete from recovery_cases where workflow_id = ${workflowId}`;
    await records.database.sql`delete from workflow_runs where id = ${workflowId}`;
  }
  const { stores } = records;

  // Temporal's list is a moment behind.
  const [found, ...more] = await eventually(async () => {
    const runs = await unrecordedRuns({ client, stores, since });
    return runs.length > 1 && runs;
  });

  // The oldest first.
  expect(more.map(({ workflowId }) => workflowId)).toEqual([lostLater.workflowId]);
  expect(found).toMatchObject({
    workflowId: lost.workflowId,
    workflowType: 'abandonmentRecovery',
    clinicId: lost.clinicId,
    caseId: lost.caseId,
    sessionId: lost.sessionId,
    caseStatus: 'PENDING',
    status: 'RUNNING',
  });
  expect(await unrecordedRuns({ client, stores, since: new Date(Date.now() + 60_000) })).toEqual([]);
});

test('before a payload key is dropped, the workflows that may need it are counted: those that go on, and those that are kept', async () => {
  const of = new Client({ connection, namespace: await freshNamespace() });
  const starter = createWorkflowStarter(of, testPayloadKeys);
  const [open, over] = [await records.aCase(), await records.aCase()];
  const before = new Date(Date.now() - 60_000);
  for (const run of [open, over]) await starter.startRun(run);
  await of.workflow.getHandle(over.workflowId).terminate();

  const counted = await eventually(async () => {
    const found = await workflowsBefore(of, new Date(Date.now() + 60_000));
    return found.open === 1 && found.kept === 1 && found;
  });

  expect(counted).toEqual({ open: 1, kept: 1 });
  expect(await workflowsBefore(of, before)).toEqual({ open: 0, kept: 0 });
});

test('operators ask for both by command, which fails while a key is needed, and for the workflows of a session', async () => {
  const namespace = await freshNamespace();
  const payloadKeys = testPayloadKeys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
  // What the API alone is given is not there.
  const { AUTH_SECRET: _ofTheApi, ...given } = recordsEnvironment(records.database.url);
  const env = {
    ...given,
    TEMPORAL_NAMESPACE: namespace,
    PAYLOAD_KEYS: payloadKeys,
  };
  const of = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
  const lost = { ...(await records.aRun()), workflowId: newId('care-gap-follow-up') };
  const [before, after] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)].map((at) => at.toISOString());
  const run = (...args: string[]) => typed(args, env);

  const none = await run('open-workflows', after!);
  await createWorkflowStarter(of, testPayloadKeys).startRun(lost);
  const found = await eventually(async () => {
    const printed = await run('unrecorded', before!);
    return printed.lines.length > 0 && printed;
  });
  const [open, earlier] = [await run('open-workflows', after!), await run('open-workflows', before!)];
  const later = await run('unrecorded', after!);
  const { lines } = await run('workflows-of-session', lost.clinicId, lost.sessionId);
  const setUp = await run('temporal');

  expect([none.exitCode, none.shown]).toEqual([0, { open: 0, kept: 0, isKeyNeeded: false }]);
  expect([open.exitCode, open.shown]).toEqual([1, { open: 1, kept: 0, isKeyNeeded: true }]);
  expect([earlier.exitCode, earlier.shown]).toEqual([0, { open: 0, kept: 0, isKeyNeeded: false }]);
  expect(found.shown).toMatchObject({ workflowId: lost.workflowId, clinicId: lost.clinicId, status: 'RUNNING' });
  expect(later.lines).toEqual([]);
  const ids: string[] = [];
  for await (const { workflowId } of of.workflow.list({ query: lines.join('') })) ids.push(workflowId);
  expect(ids).toEqual([lost.workflowId]);
  expect(setUp.lines).toEqual([
    `The namespace ${namespace} at ${temporalAddress()} was there; it has the search attributes.`,
  ]);
});
