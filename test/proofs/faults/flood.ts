import { Agent, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

interface FloodInput {
  origins: string[];
  seconds: number;
  requests: { path: string; secret: string; body: string }[];
}

export interface FloodResult {
  capacityPerSecond: number;
  sent: number;
  accepted: number;
  /** Told to come back later, with 429 or 503. */
  shed: number;
  wrong: number;
  unanswered: number;
  acceptedP99Ms: number;
}

const GENTLE_CLIENTS = 8;
const MEASURED_MS = 1_500;
const FACTOR = 5;
const MAX_OPEN = 2_000;
/** To each API, open before the flood, as a load balancer keeps them: Node accepts one new connection in each turn of its loop. */
const CONNECTIONS = 300;

/** Measures what the service can take, then sends five times as much whatever it answers, and prints what came of it. */
async function main(): Promise<void> {
  const { origins, seconds, requests } = JSON.parse(await text(process.stdin)) as FloodInput;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let turn = 0;
  const once = (): Promise<{ status: number | null; ms: number }> => {
    turn += 1;
    const { path, secret, body } = requests[turn % requests.length]!;
    let startedAt = performance.now();
    return new Promise((resolve) => {
      const done = (status: number | null) => resolve({ status, ms: performance.now() - startedAt });
      const request = send(`${origins[turn % origins.length]}${path}`, {
        method: 'POST',
        agent,
        timeout: 20_000,
        headers: { 'content-type': 'application/json', 'x-automation-secret': secret },
      });
      // What waits in this process for a connection has not been asked yet.
      request.once('socket', () => (startedAt = performance.now()));
      request.on('timeout', () => request.destroy());
      request.on('error', () => done(null));
      request.on('response', (response) => {
        response.resume();
        response.on('end', () => done(response.statusCode ?? null));
        response.on('error', () => done(null));
      });
      request.end(body);
    });
  };

  const ping = (origin: string) =>
    new Promise<void>((resolve) => {
      const request = send(`${origin}/healthz`, { agent, timeout: 20_000 }, (response) => {
        response.resume();
        response.on('close', resolve);
      });
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve());
      request.end();
    });
  /** Each round takes the connections that are there, and opens more. */
  const connect = async () => {
    for (let count = 25; count <= CONNECTIONS; count += 25) {
      await Promise.all(origins.flatMap((origin) => Array.from({ length: count }, () => ping(origin))));
    }
  };

  let measured = 0;
  const measureUntil = Date.now() + MEASURED_MS;
  const gentle = async () => {
    while (Date.now() < measureUntil) {
      await once();
      measured += 1;
    }
  };
  await Promise.all(Array.from({ length: GENTLE_CLIENTS }, gentle));
  const capacityPerSecond = Math.round(measured / (MEASURED_MS / 1_000));
  await connect();

  const answers: { status: number | null; ms: number }[] = [];
  const open = new Set<Promise<void>>();
  const answerOf = async (ask: typeof once): Promise<void> => {
    answers.push(await ask());
  };
  const floodFrom = Date.now();
  for (let sent = 0; Date.now() - floodFrom < seconds * 1_000;) {
    const due = ((Date.now() - floodFrom) / 1_000) * capacityPerSecond * FACTOR;
    for (; sent < due && open.size < MAX_OPEN; sent += 1) {
      const one = answerOf(once);
      open.add(one);
      void one.finally(() => open.delete(one));
    }
    await delay(5);
  }
  await Promise.all(open);
  agent.destroy();

  const count = (test: (status: number | null) => boolean) => answers.filter(({ status }) => test(status)).length;
  const accepted = answers.filter(({ status }) => status === 200).map(({ ms }) => ms);
  const sorted = accepted.toSorted((a, b) => a - b);
  const result: FloodResult = {
    capacityPerSecond,
    sent: answers.length,
    accepted: accepted.length,
    shed: count((status) => status === 429 || status === 503),
    wrong: count((status) => status !== null && ![200, 429, 503].includes(status)),
    unanswered: count((status) => status === null),
    acceptedP99Ms: Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0),
  };
  console.log(JSON.stringify(result));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
