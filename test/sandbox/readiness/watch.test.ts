import { EventEmitter } from 'node:events';
import type { Exchange } from '@clinic/api/http/exchange';
import { createWatch, type Observed } from '@clinic/sandbox/readiness/watch';
import { createLog } from '@clinic/shared/log';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import { openRecords, type Records } from '../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const by = { actor: 'account:ann' };

test('runs are looked at when they change and when the first of them is over, and not in between', async () => {
  const { validationRuns } = records.stores;
  const [short, long] = [records.clinicId, records.otherClinicId];
  const now = new Date();
  for (const [clinicId, ms] of [
    [short, 300],
    [long, 3_600_000],
  ] as const)
    await validationRuns.start({ clinicId, label: null, now, endsAt: new Date(now.getTime() + ms), by });
  let looks = 0;
  const ended: [string, boolean][] = [];
  const watch = createWatch({
    stores: {
      validationRuns: {
        ...validationRuns,
        unended: () => {
          looks += 1;
          return validationRuns.unended();
        },
      },
    },
    changes: { subscribe: () => () => undefined },
    digest: (text) => text,
    endOverdue: async ({ clinicId, id: runId, endsAt: endedAt }) => {
      ended.push([clinicId, endedAt.getTime() <= Date.now()]);
      await validationRuns.end({ clinicId, runId, endedAt, findings: {} });
    },
    log: createLog({ process: 'test', level: 'silent' }),
  });

  await watch.changed({ clinicId: short });
  await eventually(async () => ended.length > 0);
  await delay(100);
  await watch.close();

  expect(ended).toEqual([[short, true]]);
  // Of a slow machine the first look finds it over already.
  expect([1, 2]).toContain(looks);
});

const anExchange = (second: number): Observed => ({
  at: new Date(Date.UTC(2035, 2, 5, 9, 0, second)).toISOString(),
  durationMs: 1,
  operation: 'schedule',
  status: 200,
  credential: null,
  key: null,
  request: `request ${second}`,
  retryAfterSeconds: null,
  refusal: null,
  facts: {},
});

/** A watch whose store takes a moment to keep what was watched; `refused` of its first calls fail. Its clinic has a run. */
async function watching({ refused = 0 }: { refused?: number } = {}) {
  const { validationRuns } = records.stores;
  const clinicId = await records.aClinic();
  const now = new Date();
  const started = await validationRuns.start({
    clinicId,
    label: null,
    now,
    endsAt: new Date(now.getTime() + 3_600_000),
    by,
  });
  if (started.kind !== 'started') throw new Error('the clinic has a run already');
  const { id } = started.run;
  const parts: number[] = [];
  const seen: Observed[] = [];
  const watch = createWatch({
    stores: {
      validationRuns: {
        ...validationRuns,
        unended: async () => (await validationRuns.unended()).filter((run) => run.clinicId === clinicId),
        observe: async (of, run, exchanges) => {
          await delay(20);
          parts.push(exchanges.length);
          if (parts.length <= refused) throw new Error('the database is away');
          seen.push(...exchanges);
          await validationRuns.observe(of, run, exchanges);
        },
        runOfCredential: async (credential) => {
          if (credential === 'digest of Bearer earlier') return { clinicId, id: 'an earlier run' };
          return credential === 'digest of Bearer known' ? { clinicId, id } : null;
        },
      },
    },
    changes: { subscribe: () => () => undefined },
    digest: (text) => `digest of ${text}`,
    endOverdue: async () => undefined,
    log: createLog({ process: 'test', level: 'silent' }),
  });
  await watch.changed({ clinicId });
  const kept = async () => (await validationRuns.find(clinicId, id))?.exchanges;
  return { watch, clinicId, parts, kept, seen };
}

test.each([
  [0, []],
  [1, [1]],
  [50, [50]],
  [51, [50, 1]],
])('what was watched is stored when a flush ends, fifty at a time: %i of them', async (count, inParts) => {
  const { watch, clinicId, parts, kept } = await watching();
  for (let second = 0; second < count; second += 1) watch.add(clinicId, anExchange(second));
  watch.add('nobody', anExchange(0));

  await watch.flush(clinicId);
  const found = [await kept(), [...parts]];
  await watch.close();

  expect(found).toEqual([count, inParts]);
  expect(await kept()).toBe(count);
});

test('what is left is stored when the watch ends, and what the store refuses is lost alone', async () => {
  const { watch, clinicId, kept } = await watching({ refused: 1 });
  watch.add(clinicId, anExchange(1));
  await watch.flush(clinicId);
  const refused = await kept();
  watch.add(clinicId, anExchange(2));
  watch.add(clinicId, anExchange(3));

  await watch.close();

  expect([refused, await kept()]).toEqual([0, 2]);
});

describe('of a request', () => {
  /** A request and its response, as far as a watch looks at them; `close` ends the response. */
  function anExchangeOf(
    clinicId: string,
    {
      name = 'GET /Schedule',
      headers = {},
      body,
      replyHeaders = {},
      status = 200,
      isFinished = true,
    }: {
      name?: string;
      headers?: Record<string, string>;
      body?: unknown;
      replyHeaders?: Record<string, string>;
      status?: number;
      isFinished?: boolean;
    },
  ) {
    const [method] = name.split(' ');
    const request = { method, originalUrl: '/x', headers, body, query: {}, params: {} };
    const response = Object.assign(new EventEmitter(), {
      closed: false,
      statusCode: status,
      writableFinished: isFinished,
      getHeader: (header: string) => replyHeaders[header],
    });
    const close = () => {
      response.closed = true;
      response.emit('close');
    };
    const caller = { kind: 'session', clinicId };
    const exchange = { caller, name, request, response, startedAt: Date.now() - 5 } as unknown as Exchange;
    return { exchange, close };
  }

  async function watched(about: Parameters<typeof anExchangeOf>[1] = {}): Promise<Observed | undefined> {
    const { watch, clinicId, seen } = await watching();
    const { exchange, close } = anExchangeOf(clinicId, about);
    watch.observe(exchange)?.done();
    close();
    await watch.close();
    expect(seen.length).toBeLessThan(2);
    return seen[0];
  }

  test('is kept what it was and what it was answered, and of credentials, keys and bodies their digests alone', async () => {
    const headers = { authorization: 'Bearer a', 'idempotency-key': 'key-1', accept: 'application/fhir+json' };
    const about = { headers, replyHeaders: { 'retry-after': '1', 'x-refusal-reason': 'slot_taken' }, status: 409 };

    const found = await watched({ ...about, name: 'POST /Appointment', body: { status: 'booked' } });

    expect(found).toMatchObject({
      operation: 'create',
      status: 409,
      credential: 'digest of Bearer a',
      key: 'digest of key-1',
      request: 'digest of POST /x {"status":"booked"}',
      retryAfterSeconds: 1,
      refusal: 'slot_taken',
      facts: { takesFhir: true },
    });
    expect(found?.durationMs).toBeGreaterThanOrEqual(5);
  });

  test.each<[string, Parameters<typeof anExchangeOf>[1], Partial<Observed>]>([
    ['without anything', {}, { credential: null, key: null, retryAfterSeconds: null, refusal: null }],
    ['whose client went away', { isFinished: false }, { status: null }],
    ['that says when to ask again by a date', { replyHeaders: { 'retry-after': 'Mon' } }, { retryAfterSeconds: null }],
    ['that is refused for what nobody knows', { replyHeaders: { 'x-refusal-reason': 'mood' } }, { refusal: null }],
    [
      'that makes an appointment on a condition',
      { name: 'POST /Appointment', headers: { 'if-none-exist': 'identifier=1' } },
      { key: 'digest of identifier=1' },
    ],
    [
      'that books on a condition, which is none there',
      { name: 'POST /Appointment/$book', headers: { 'if-none-exist': 'identifier=1' } },
      { key: null },
    ],
    [
      'of a body of 64 KB',
      { body: 'text', headers: { 'content-length': String(64 * 1024) } },
      { request: 'digest of GET /x text' },
    ],
    [
      'of a body of more',
      { body: 'text', headers: { 'content-length': String(64 * 1024 + 1) } },
      { request: `digest of GET /x of ${64 * 1024 + 1} bytes` },
    ],
  ])('%s: what is kept of it', async (_what, about, expected) => {
    expect(await watched(about)).toMatchObject(expected);
  });

  test('that is none of those which are watched, or of another clinic, nothing is kept', async () => {
    const { watch, clinicId } = await watching();

    expect(watch.observe(anExchangeOf(clinicId, { name: 'GET /metadata' }).exchange)).toBeNull();
    expect(watch.observe(anExchangeOf('nobody', {}).exchange)).toBeNull();
    await watch.close();
  });

  test('it is kept once, when it is done and its response is closed, whichever comes first', async () => {
    const { watch, clinicId, seen } = await watching();
    const [first, second] = [anExchangeOf(clinicId, {}), anExchangeOf(clinicId, {})];
    const kept: number[] = [];
    const look = async () => {
      await watch.flush(clinicId);
      kept.push(seen.length);
    };

    const observer = watch.observe(first.exchange);
    observer?.done();
    await look();
    first.close();
    await look();
    const other = watch.observe(second.exchange);
    second.close();
    await look();
    other?.done();
    await look();
    await watch.close();

    expect(kept).toEqual([0, 1, 1, 2]);
  });

  test('whose credential is refused it is kept for the run in which that has worked, four at once', async () => {
    const { watch, clinicId, seen } = await watching();
    const ask = (authorization: string | undefined, name = 'GET /Schedule') => {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const { exchange, close } = anExchangeOf(clinicId, { name, headers, status: 401 });
      watch.refused(exchange);
      return close;
    };
    for (const close of [
      ask('Bearer known'),
      ask('Bearer earlier'),
      ask('Bearer other'),
      ask(undefined),
      ask('Bearer known', 'GET /x'),
    ])
      close();
    await eventually(() => seen.length > 0);
    await delay(50);
    const atFirst = seen.length;
    for (const close of Array.from({ length: 6 }, () => ask('Bearer known'))) close();
    await eventually(() => seen.length > 4);
    await delay(50);
    await watch.close();

    expect(seen.map(({ operation, status, credential }) => [operation, status, credential])).toEqual(
      Array.from({ length: 5 }, () => ['schedule', 401, 'digest of Bearer known']),
    );
    expect(atFirst).toBe(1);
  });
});
