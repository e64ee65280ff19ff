import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Activities } from '@clinic/activities/index';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { createWorker, type ServiceWorker } from '@clinic/worker/create-worker';
import { deliveriesChanged } from '@clinic/workflows/messages';
import { DEPLOYMENT, TASK_QUEUE } from '@clinic/workflows/ids';
import { eventually } from '../support/eventually';
import { testPayloadKeys } from '../support/histories';
import { testServers } from '../support/servers';
import { freshNamespace, temporalAddress } from '../support/temporal';
import { quietenTemporal } from '../support/workflow-bench';

const attempts: string[] = [];
const workers: { worker: ServiceWorker; running: Promise<void> }[] = [];

let namespace: string;
let connection: NativeConnection;
let client: Client;

beforeAll(async () => {
  quietenTemporal();
  namespace = await freshNamespace();
  connection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection, namespace, dataConverter: createDataConverter(testPayloadKeys) });
});

afterAll(async () => {
  for (const { worker } of workers) worker.shutdown();
  await Promise.all(workers.map(({ running }) => running));
  await connection.close();
});

/** A worker whose deliveries wait a day, once each, and say which version has made the attempt. Without a bundle it makes its own. */
async function startVersion(buildId: string, workflowBundle?: string): Promise<void> {
  const attemptDelivery = async ({ subject }: { subject: string }) => {
    const isSecond = attempts.some((attempt) => attempt.startsWith(`${subject} `));
    attempts.push(`${subject} ${buildId}`);
    const at = new Date(Date.now() + 86_400_000).toISOString();
    return isSecond ? { kind: 'none' } : { kind: 'later', at, waitMs: Date.parse(at) - Date.now() };
  };
  const worker = await createWorker({
    connection,
    namespace,
    buildId,
    workflowBundle,
    payloadKeys: testPayloadKeys,
    activities: { attemptDelivery } as unknown as Activities,
  });
  workers.push({ worker, running: worker.run() });
  // The server knows a version as soon as its worker has asked for work.
  await eventually(async () => {
    try {
      await connection.workflowService.setWorkerDeploymentCurrentVersion({
        namespace,
        deploymentName: DEPLOYMENT,
        buildId,
        identity: 'test',
      });
      return true;
    } catch {
      return false;
    }
  });
}

const deliver = (subject: string) =>
  client.workflow.start('deliverEvents', {
    taskQueue: TASK_QUEUE,
    workflowId: `deliver-${subject}`,
    args: [{ clinicId: 'clinic-1', subject }],
  });

const attempted = (subject: string, count: number) =>
  eventually(() => {
    const made = attempts.filter((attempt) => attempt.startsWith(`${subject} `));
    return made.length >= count && made;
  });

test('a run stays on the version it began on; new ones begin on the current version', async () => {
  await startVersion('one');
  const old = await deliver('old');
  await attempted('old', 1);

  await startVersion('two', testServers().workflowBundle);
  const young = await deliver('young');
  await attempted('young', 1);
  await old.signal(deliveriesChanged);
  await young.signal(deliveriesChanged);

  expect(await attempted('old', 2)).toEqual(['old one', 'old one']);
  expect(await attempted('young', 2)).toEqual(['young two', 'young two']);
  await Promise.all([old.result(), young.result()]);
}, 240_000);
