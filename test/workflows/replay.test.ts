import { type ReplayResult, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { workflowTypeNames } from '@clinic/shared/domain/workflow-types';
import { createDataConverter, createPayloadCodec } from '@clinic/temporal/payload-codec';
import { type HistoryEvent, type RecordedHistory, recordedHistories, testPayloadKeys } from '../support/histories';
import { testServers } from '../support/servers';
import { quietenTemporal } from '../support/workflow-bench';

const recorded = recordedHistories();

beforeAll(quietenTemporal);

async function replay(histories: RecordedHistory[]): Promise<ReplayResult[]> {
  const results: ReplayResult[] = [];
  const setup = {
    workflowBundle: { codePath: testServers().workflowBundle },
    dataConverter: createDataConverter(testPayloadKeys),
  };
  for await (const result of Worker.runReplayHistories(setup, histories)) results.push(result);
  return results;
}

test('every recorded run goes the same way with the workflows of today', async () => {
  const results = await replay(recorded.map(({ name, history }) => ({ name, history, workflowId: name })));

  expect(results).toHaveLength(recorded.length);
  expect(
    results.filter(({ error }) => error).map(({ workflowId, error }) => `${workflowId}: ${error?.message}`),
  ).toEqual([]);
});

test('every workflow has recorded runs', () => {
  const kinds = new Set(recorded.map(({ name }) => name.split('/')[0]));

  expect([...kinds]).toEqual(expect.arrayContaining([...workflowTypeNames, 'deliver-events', 'simulated-call']));
});

test('a workflow that went another way is found out', async () => {
  const { history, ...told } = recorded.find(({ name }) => name === 'abandonment-recovery/agrees')!;
  const other = JSON.parse(
    JSON.stringify(history).replaceAll('"name":"loadRun"', '"name":"openTask"'),
  ) as typeof history;

  const [result] = await replay([{ ...told, history: other }]);

  expect(result?.error).toBeInstanceOf(DeterminismViolationError);
});

test('no recorded run tells where it was recorded, not even in what is encrypted', async () => {
  for (const { name, history } of recorded) {
    const text = `${name} ${JSON.stringify(history)} ${await decoded(history.events)}`;
    const identities = [...text.matchAll(/"identity":"([^"]*)"/g)].map(([, identity]) => identity);

    expect(text).not.toMatch(/node_modules|\.ts\b|\/(home|root|Users|tmp|work)\//);
    expect(new Set(identities)).toEqual(new Set(['recorder']));
  }
});

async function decoded(events: HistoryEvent[]): Promise<string> {
  const payloads = [...JSON.stringify(events).matchAll(/\{"metadata":\{[^}]*\},"data":"[^"]*"\}/g)].map(([json]) => {
    const { metadata, data } = JSON.parse(json) as { metadata: Record<string, string>; data: string };
    const bytes = Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value, 'base64')]);
    return { metadata: Object.fromEntries(bytes) as Record<string, Buffer>, data: Buffer.from(data, 'base64') };
  });
  expect(payloads.length).toBeGreaterThan(0);
  const plain = await createPayloadCodec(testPayloadKeys).decode(payloads);
  return plain.map(({ data }) => Buffer.from(data ?? []).toString()).join('\n');
}
