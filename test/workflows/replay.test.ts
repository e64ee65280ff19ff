import { type InjectedSinks, type ReplayResult, Worker } from '@temporalio/worker';
import { DeterminismViolationError, type Sinks } from '@temporalio/workflow';
import * as workflows from '@clinic/workflows/index';
import { arrows } from '@clinic/workflows/outreach/stages';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { createDataConverter, createPayloadCodec } from '@clinic/temporal/payload-codec';
import { type HistoryEvent, type RecordedHistory, recordedHistories, testPayloadKeys } from '../support/histories';
import { testServers } from '../support/servers';
import { quietenTemporal } from '../support/workflow-bench';

const recorded = recordedHistories();

beforeAll(quietenTemporal);

/** `careGapFollowUp` is told in care-gap-follow-up.ts. */
const fileOf = (workflow: string) => workflow.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

async function replay(histories: RecordedHistory[], logger?: InjectedSinks<Sinks>[string]): Promise<ReplayResult[]> {
  const results: ReplayResult[] = [];
  const setup = {
    ...(logger && { sinks: { defaultWorkerLogger: logger } }),
    workflowBundle: { codePath: testServers().workflowBundle },
    dataConverter: createDataConverter(testPayloadKeys),
  };
  const named = histories.map(({ name, history }) => ({ workflowId: name, history }));
  for await (const result of Worker.runReplayHistories(setup, named)) results.push(result);
  return results;
}

test('every recorded run goes the same way with the workflows of today', async () => {
  const results = await replay(recorded);

  expect(results).toHaveLength(recorded.length);
  expect(
    results.filter(({ error }) => error).map(({ workflowId, error }) => `${workflowId}: ${error?.message}`),
  ).toEqual([]);
});

test('every workflow has a recorded run', () => {
  const kinds = new Set(recorded.map(({ name }) => name.slice(0, name.indexOf('/'))));

  expect([...kinds].toSorted()).toEqual(Object.keys(workflows).map(fileOf).toSorted());
});

test('every phone type has its most different endings', () => {
  const endings = ['settled', 'never-answers', 'stopped-by-the-patient', 'cancelled-by-staff', 'worker-away'];
  const names = recorded.map(({ name }) => name);

  expect(names).toEqual(
    expect.arrayContaining(workflowTypeNames.flatMap((type) => endings.map((ending) => `${type}/${ending}`))),
  );
});

test('the recorded runs walk every arrow between the stages of an outreach', async () => {
  const walked = new Set<string>();
  const debug = {
    fn: (_info: unknown, message: string, about: Record<string, unknown>) => {
      if (message === 'outreach goes on') walked.add(`${String(about.from)} -> ${String(about.to)}`);
    },
    callDuringReplay: true,
  };
  const silent = { fn: () => undefined };
  await replay(recorded, { trace: silent, debug, info: silent, warn: silent, error: silent });

  const drawn = Object.entries(arrows).flatMap(([from, next]) => next.map((to) => `${from} -> ${to}`));
  expect([...walked].toSorted()).toEqual(drawn.toSorted());
});

test('a workflow that went another way is found out', async () => {
  const { history, ...told } = recorded.find(({ name }) => name === 'abandonment-recovery/settled')!;
  const other = JSON.parse(
    JSON.stringify(history).replaceAll('"name":"placeCall"', '"name":"openTask"'),
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
