import { Context } from '@temporalio/activity';
import { Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils';
import { ApplicationFailure } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { type Activities, type ActivityDeps, createActivities } from '@clinic/activities/index';
import { temporalCli } from '@clinic/local/binaries';
import { createDataConverter } from '@clinic/temporal/payload-codec';
import { createWorker } from '@clinic/worker/create-worker';
import { searchAttributes } from '@clinic/workflows/ids';
import { type RunToStart, startOptions } from '@clinic/temporal/start-options';
import { eventually } from './eventually';
import { testPayloadKeys } from './histories';
import { testServers } from './servers';
import { timeSkipping } from './temporal';

export type Fakes = Partial<Activities>;

/** Workflows on a server that skips time, each with its own fakes of the activities. Nobody waits unless told to. */
export interface WorkflowBench {
  client: Client;
  /** Starts a stored run as the service does. */
  start(run: RunToStart, fakes: Fakes): Promise<WorkflowHandle>;
  /** Whose activities these are; for workflows that are started in another way. */
  fake(workflowId: string, fakes: Fakes): void;
  /** The server's clock, as an ISO instant. */
  now(): Promise<string>;
  skip(ms: number): Promise<void>;
  /** A workflow's result, with all its waiting skipped; throws when it fails. */
  result<T>(workflow: WorkflowHandle): Promise<T>;
  /** Moves the clock forward to an instant; never back, so the tests of a file go from earlier to later. */
  skipTo(instant: string): Promise<void>;
  /** No waiting is skipped between the two. */
  holdTime(): Promise<void>;
  releaseTime(): Promise<void>;
  /** Does something while no worker runs, or one of another release in its place, whose bundle is given. */
  whileWorkerIsAway(act: () => Promise<void>, inItsPlace?: string): Promise<void>;
  /** First replays every run from its start; throws where one went another way than before. */
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const SKIP_MS = 6 * HOUR_MS;
const MAX_SKIPPED_MS = 60 * 24 * HOUR_MS;
/** A skip that takes longer by the clock on the wall does not end: a machine may stand still for a minute. */
const STANDS_STILL_MS = 120_000;

/**
 * Once per test file. With `longHistory`, a number of events, it is a full server, whose time is real, and which calls a
 * history of more events a long one.
 */
export async function openBench({ longHistory }: { longHistory?: number } = {}): Promise<WorkflowBench> {
  quietenTemporal();
  const env = longHistory ? await fullServer(longHistory) : await timeSkipping();
  const { connection, nativeConnection } = env;
  // Not the environment's own client: that one lets time run when a workflow has ended, to its timeout in ten years.
  const client = new Client({ connection, dataConverter: createDataConverter(testPayloadKeys), identity: 'test' });
  await registerSearchAttributes(env);
  const fakesOf = new Map<string, Fakes>();
  const startWorker = async (workflowBundle = testServers().workflowBundle) => {
    const worker = await createWorker({
      connection: nativeConnection,
      namespace: 'default',
      activities: dispatchTo((workflowId) => fakesOf.get(workflowId)),
      payloadKeys: testPayloadKeys,
      workflowBundle,
    });
    const running = worker.run();
    return async () => {
      worker.shutdown();
      await running;
    };
  };
  let stopWorker = await startWorker();
  const { testService } = env.supportsTimeSkipping ? connection : {};
  const pass = clockOf(env);
  const now = async () => new Date(await env.currentTimeMs()).toISOString();
  return {
    client,
    now,
    async start(run, fakes) {
      fakesOf.set(run.workflowId, fakes);
      const { type, options } = startOptions(run, testPayloadKeys);
      return client.workflow.start(type, { ...options, args: [...options.args] });
    },
    fake: (workflowId, fakes) => void fakesOf.set(workflowId, fakes),
    skip: pass,
    async skipTo(instant) {
      const ms = Date.parse(instant) - Date.parse(await now());
      if (ms < 0) throw new Error(`it is ${await now()} already; time does not go back to ${instant}`);
      await pass(ms);
    },
    async result<T>(workflow: WorkflowHandle) {
      if (!testService) return workflow.result() as Promise<T>;
      for (let skipped = 0; await isRunning(workflow); skipped += SKIP_MS) {
        await settle(workflow);
        if (skipped > MAX_SKIPPED_MS) throw new Error(`${workflow.workflowId} is still running at ${await now()}`);
        await pass(SKIP_MS);
      }
      return workflow.result() as Promise<T>;
    },
    holdTime: async () => void (await testService?.lockTimeSkipping({})),
    releaseTime: async () => void (await testService?.unlockTimeSkipping({})),
    async whileWorkerIsAway(act, inItsPlace) {
      await stopWorker();
      const stopOther = inItsPlace === undefined ? null : await startWorker(inItsPlace);
      try {
        await act();
      } finally {
        await stopOther?.();
        stopWorker = await startWorker();
      }
    },
    async close() {
      try {
        await expectSameReplayed(client, [...fakesOf.keys()]);
      } finally {
        await stopWorker();
        await env.teardown();
      }
    },
  };
}

/** Resolves once the workflow has nothing to do but wait. */
export async function untilWaiting(workflow: WorkflowHandle): Promise<void> {
  await eventually(() => isWaiting(workflow), { within: 15_000, every: 5 });
}

/** Resolves once no activity is under way. */
export async function untilActivitiesAreDone(workflow: WorkflowHandle): Promise<void> {
  await eventually(
    async () => {
      const { raw } = await workflow.describe();
      return (raw.pendingActivities ?? []).length === 0;
    },
    { within: 15_000, every: 5 },
  );
}

/** What the Temporal UI shows as a running workflow's current details. */
export async function currentDetails(workflow: WorkflowHandle): Promise<string> {
  const metadata = await workflow.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

/** The time at which the activity that runs was scheduled, on the server's clock. */
export const activityTime = (): string => new Date(Context.current().info.scheduledTimestampMs).toISOString();

async function isWaiting(workflow: WorkflowHandle): Promise<boolean> {
  const { events } = await workflow.fetchHistory();
  return Boolean(events?.at(-1)?.timerStartedEventAttributes);
}

/**
 * Lets time pass. A server that has kept a lock on it would wait for hours, and so would every test after this one: that it
 * stands still is said once, and then at once.
 */
function clockOf(env: TestWorkflowEnvironment): (ms: number) => Promise<void> {
  let stopped: Error | undefined;
  return async (ms) => {
    if (stopped) throw stopped;
    await env.connection
      .withDeadline(Date.now() + STANDS_STILL_MS, () => env.sleep(ms))
      .catch((cause: unknown) => {
        stopped = new Error('the server lets no time pass', { cause });
        throw stopped;
      });
  };
}

/** Lets the workflow come as far as it can without time passing. An activity that waits to be tried again takes time. */
async function settle(workflow: WorkflowHandle): Promise<void> {
  const isSettled = async () => (await isWaiting(workflow)) || !(await isRunning(workflow));
  await eventually(isSettled, { within: 300, every: 5 }).catch(() => undefined);
}

async function isRunning(workflow: WorkflowHandle): Promise<boolean> {
  const { status } = await workflow.describe();
  return status.name === 'RUNNING';
}

/** A worker without the run in its cache replays it from the start, at any workflow task: it must go the same way. */
async function expectSameReplayed(client: Client, workflowIds: string[]): Promise<void> {
  const setup = {
    workflowBundle: { codePath: testServers().workflowBundle },
    dataConverter: createDataConverter(testPayloadKeys),
  };
  const runs = (await Promise.all(workflowIds.map((workflowId) => runsOf(client, workflowId)))).flat();
  for await (const { workflowId, error } of Worker.runReplayHistories(setup, runs))
    if (error) throw new Error(`${workflowId} goes another way when it is replayed`, { cause: error });
}

/** The histories of a workflow's latest run and of those that it continues; none where it was never started. */
async function runsOf(client: Client, workflowId: string): Promise<{ workflowId: string; history: History }[]> {
  const runs: { workflowId: string; history: History }[] = [];
  let runId: string | undefined;
  do {
    const history = await client.workflow
      .getHandle(workflowId, runId)
      .fetchHistory()
      .catch((error: unknown) => {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      });
    if (!history) return runs;
    runs.push({ workflowId, history });
    runId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  } while (runId);
  return runs;
}

const fullServer = async (longHistory: number): Promise<TestWorkflowEnvironment> =>
  TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path: await temporalCli(() => undefined) },
      extraArgs: ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${longHistory}`],
    },
  });

function dispatchTo(fakesOf: (workflowId: string) => Fakes | undefined): Activities {
  const names = Object.keys(createActivities({} as ActivityDeps));
  const run = (name: string) => (input: never) => {
    const workflowId = Context.current().info.workflowExecution?.workflowId ?? '';
    const fake = fakesOf(workflowId)?.[name as keyof Fakes] as ((input: never) => unknown) | undefined;
    if (!fake) throw ApplicationFailure.nonRetryable(`${name} is not faked for ${workflowId}`, 'not_faked');
    return fake(input);
  };
  return Object.fromEntries(names.map((name) => [name, run(name)])) as unknown as Activities;
}

/** The server that skips time knows only one of the two operator calls that the worker's own registration makes. */
async function registerSearchAttributes({ nativeConnection }: TestWorkflowEnvironment): Promise<void> {
  const keyword = 2;
  await nativeConnection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: Object.fromEntries(Object.values(searchAttributes).map(({ name }) => [name, keyword])),
  });
}

/** The SDK's own chatter has no place in a test report. */
export function quietenTemporal(): void {
  try {
    const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
    Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions: { logging: { forward: {}, filter } } });
  } catch {
    // Installed by an earlier bench of this file.
  }
}
