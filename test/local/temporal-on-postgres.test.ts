import { delimiter } from 'node:path';
import { temporalServer } from '@clinic/local/binaries';
import { deployedTemporal } from '@clinic/local/deployed-temporal';
import { runScript, temporalDatabaseUrl } from '@clinic/local/temporal-on-postgres';
import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { searchAttributes } from '@clinic/workflows/ids';
import { Connection } from '@temporalio/client';
import { Client } from 'pg';
import { eventually } from '../support/eventually';
import { startReceiver } from '../support/outside/receiver';
import { testServers } from '../support/servers';
import { type Service, startService } from '../support/service';
import { temporalAddress } from '../support/temporal';

/**
 * What docker-compose.yml deploys of Temporal, on the real server: `TEMPORAL=postgres npm test -- temporal-on-postgres`. It needs
 * Go, which builds the server once for this user, in some minutes; without TEMPORAL=postgres Jest does not look at this file.
 */
const deployed = deployedTemporal();
const namespace = deployed.namespace.env.TEMPORAL_NAMESPACE ?? '';

let connection: Connection;
let service: Service;

beforeAll(async () => {
  connection = await Connection.connect({ address: temporalAddress() });
  service = await startService({ temporal: temporalAddress(), env: { TEMPORAL_NAMESPACE: namespace } });
}, 120_000);

afterAll(async () => {
  await service.stop();
  await connection.close();
});

test('the server is of the version, on the store and with the shards that the file names', async () => {
  const info = await connection.workflowService.getClusterInfo({});

  expect(info).toMatchObject({
    serverVersion: deployed.version,
    persistenceStore: deployed.serverEnv.DB,
    visibilityStore: deployed.serverEnv.DB,
    historyShardCount: Number(deployed.serverEnv.NUM_HISTORY_SHARDS),
  });
});

test('an abandoned form becomes a call, and the call an outcome that the clinic receives signed, in order', async () => {
  const { clinic, stores } = service;
  const receiver = await startReceiver(() => [clinic.outboundSigningSecret]);
  try {
    const endpoint = { url: receiver.url, isEnabled: true, events: defaultOutboundEvents };
    await stores.clinics.setOutboundEndpoint(clinic.clinicId, endpoint);

    const { status, body } = await service.abandon();
    const workflow = await service.ended(body.workflowId);
    const events = await receiver.heard(body.recoveryCaseId, 2);

    expect([status, workflow.outcome]).toEqual([200, 'RECOVERED']);
    expect(events.map(({ event }) => event)).toEqual(['recovery_case.created', 'recovery_case.outcome']);
    expect(receiver.forged).toEqual([]);
  } finally {
    await receiver.close();
  }
});

test('the namespace keeps what has ended for as long as the file says, and knows every search attribute of the service', async () => {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });

  const [, days] = /--retention (\d+)d/.exec(deployed.namespace.text) ?? [];
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(Number(days) * 86_400);
  expect(Object.keys(customAttributes)).toEqual(
    expect.arrayContaining(Object.values(searchAttributes).map(({ name }) => name)),
  );
});

test('a clinic with few tasks is served among those of a clinic with many that came first', async () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ clinic: 'many', workflowId: `fairness-many-${index}` }));
  const few = Array.from({ length: 4 }, (_, index) => ({ clinic: 'few', workflowId: `fairness-few-${index}` }));
  const taskQueue = { name: 'fairness' };
  for (const { clinic, workflowId } of [...many, ...few]) {
    await connection.workflowService.startWorkflowExecution({
      namespace,
      workflowId,
      requestId: workflowId,
      workflowType: { name: 'never-run' },
      taskQueue,
      priority: { priorityKey: 3, fairnessKey: clinic },
    });
  }
  // Of queues that are fair alone; a task gets there a moment after its workflow was started.
  const backlog = `select count(*)::int as tasks from tasks_v2 where position('fairness-'::bytea in data) > 0`;
  await eventually(async () => {
    const [row] = await ask<{ tasks: number }>('temporal', backlog);
    return row?.tasks === many.length + few.length;
  });

  const served: string[] = [];
  while (served.length < many.length + few.length) {
    const { workflowExecution } = await connection.withDeadline(Date.now() + 70_000, () =>
      connection.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue }),
    );
    if (workflowExecution?.workflowId) served.push(workflowExecution.workflowId);
  }

  const places = few.map(({ workflowId }) => served.indexOf(workflowId));
  // First come, first served, has them behind nearly all of the others.
  expect(Math.max(...places)).toBeLessThan(many.length / 2);
});

test('its pools hold no more connections than the file allows, and its role reads nothing of the clinic', async () => {
  const { SQL_MAX_CONNS, SQL_VIS_MAX_CONNS } = deployed.serverEnv;
  const rows = await ask<{ database: string; connections: number }>(
    'temporal',
    `select datname as database, count(*)::int as connections from pg_stat_activity where usename = 'temporal' group by 1`,
  );

  const byDatabase = Object.fromEntries(rows.map(({ database, connections }) => [database, connections]));
  expect(Object.keys(byDatabase).toSorted()).toEqual(['temporal', 'temporal_visibility']);
  expect(byDatabase.temporal).toBeLessThanOrEqual(4 * Number(SQL_MAX_CONNS));
  expect(byDatabase.temporal_visibility).toBeLessThanOrEqual(4 * Number(SQL_VIS_MAX_CONNS));
  await expect(ask('clinic', 'select 1')).rejects.toThrow('permission denied for database "clinic"');
});

test('the job that makes the tables changes nothing when it runs again', async () => {
  const { hostname, port, password } = new URL(temporalDatabaseUrl(testServers().postgresUrl, 'temporal'));
  const versions = () =>
    Promise.all(
      ['temporal', 'temporal_visibility'].map((name) =>
        ask(name, 'select curr_version, creation_time from schema_version'),
      ),
    );
  const before = await versions();

  const PATH = [await temporalServer(deployed.version, () => undefined), process.env.PATH].join(delimiter);
  await runScript(deployed.schema, { PATH, SQL_HOST: hostname, SQL_PORT: port, SQL_PASSWORD: password });

  expect(await versions()).toEqual(before);
  expect(before.flat()).toHaveLength(2);
});

/** One query as Temporal's role makes it. */
async function ask<Row extends object>(database: string, query: string): Promise<Row[]> {
  const client = new Client({ connectionString: temporalDatabaseUrl(testServers().postgresUrl, database) });
  try {
    await client.connect();
    const { rows } = await client.query<Row>(query);
    return rows;
  } finally {
    await client.end();
  }
}
