import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fetch, WebSocket } from 'undici';
import { z } from 'zod';

const built = join(__dirname, '../../../dist');
const INTERVAL_MICROSECONDS = 200;

/** What a request or a case costs a process, by who does it: the first that a sample's stack, read from its innermost call, matches. */
const steps: [name: string, source: RegExp][] = [
  ['PostgreSQL: client', /node_modules\/(pg|pg-[\w-]+|postgres-[\w-]+)\/|prisma\/(client|sql|bound|turns)\.ts/],
  ['PostgreSQL: Prisma', /node_modules\/@prisma|prisma\/generated/],
  ['schemas (zod)', /node_modules\/zod\//],
  ['log', /node_modules\/(pino|sonic-boom|quick-format|thread-stream|@pinojs)|api\/http\/request-log|shared\/log\.ts/],
  ['metrics', /node_modules\/(prom-client|tdigest)|api\/metrics\.ts/],
  ['limits', /node_modules\/rate-limiter-flexible|api\/http\/(limits|under-way)\.ts/],
  ['security headers', /node_modules\/helmet|api\/http\/security-headers/],
  ['who asks', /api\/http\/(admit|authenticate|bearer|credentials|facts)\.ts|accounts\//],
  [
    'reading the body',
    /node_modules\/(body-parser|raw-body|iconv-lite|bytes|content-type|type-is)\/|api\/http\/(read-request|json-bounds|deadline)/,
  ],
  ['writing the answer', /api\/http\/(send-reply|answer|exchange)\.ts/],
  ['audit', /api\/http\/patient-audit|stores\/operations\/audit/],
  ['Temporal', /node_modules\/(@temporalio|@grpc|rxjs|protobufjs|long|heap-js)\/|^temporal\//],
  ['voice platform: client', /node_modules\/@vapi-ai\//],
  [
    'Express',
    /node_modules\/(express|router|finalhandler|on-finished|path-to-regexp|parseurl|depd|etag|fresh|vary|accepts|negotiator|mime-[\w]+|qs)\//,
  ],
  ['stores', /^prisma\//],
  ['tools', /^api\/tools\//],
  ['FHIR', /^(api\/fhir|gateways\/calendar)/],
  ['activities', /^(activities|gateways)\//],
  ['duties', /^worker\//],
  ['HTTP: client', /node_modules\/undici\//],
  ['route', /^(api|sandbox|shared|workflows)\//],
];
const http = /^node:(_http|net|internal\/(stream_base|streams|http|timers)|http)/;

const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int(), columnNumber: z.int() }),
      children: z.array(z.int()).default([]),
    }),
  ),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.int()),
});

/**
 * Profiles the main thread of a process that was started with `--inspect=PORT`; what it prints is microseconds of processor per request,
 * or per case. Of the worker, that leaves out the threads in which workflows run, and Temporal's core.
 */
export function createSteps(program: 'api' | 'worker', inspectPort: number, statements: () => Promise<number>) {
  const maps = new SourceMap(JSON.parse(readFileSync(join(built, `${program}.js.map`), 'utf8')));
  const sourceOf = ({
    url,
    lineNumber,
    columnNumber,
  }: z.infer<typeof Profile>['nodes'][number]['callFrame']): string => {
    if (!url.endsWith(`/dist/${program}.js`)) return url.replace(/^.*\/(node_modules\/)/, '$1');
    const entry = maps.findEntry(lineNumber, columnNumber);
    return 'originalSource' in entry ? entry.originalSource.replace(/^(\.\.\/)+/, '') : `dist/${program}.js`;
  };

  return async (title: string, times: number, work: () => Promise<unknown>): Promise<void> => {
    const session = await openSession(inspectPort);
    await session.send('Profiler.enable');
    await session.send('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS });
    await session.send('Profiler.start');
    const sentBefore = await statements();
    await work();
    const sent = (await statements()) - sentBefore;
    const { profile } = z.object({ profile: Profile }).parse(await session.send('Profiler.stop'));
    session.close();

    const byId = new Map(profile.nodes.map((node) => [node.id, node]));
    const parents = new Map(profile.nodes.flatMap(({ id, children }) => children.map((child) => [child, id] as const)));
    const names = new Map<number, string>();
    const nameOf = (id: number): string => {
      const known = names.get(id);
      if (known !== undefined) return known;
      const name = stepOf(id);
      names.set(id, name);
      return name;
    };
    const stepOf = (leaf: number): string => {
      const { functionName } = byId.get(leaf)?.callFrame ?? { functionName: '' };
      if (/^\((idle|program|garbage collector)\)$/.test(functionName)) return functionName;
      let isHttp = false;
      for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
        const node = byId.get(id);
        if (!node) break;
        const source = sourceOf(node.callFrame);
        if (http.test(source)) isHttp = true;
        // What Node does for somebody is theirs, but for the sockets and the head of a request or an answer.
        if (source === '' || source.startsWith('node:')) continue;
        const step = steps.find(([, pattern]) => pattern.test(source))?.[0] ?? `other: ${source}`;
        if (isHttp) return step.startsWith('PostgreSQL') ? 'PostgreSQL: socket' : 'HTTP: head and socket';
        return step;
      }
      return isHttp ? 'Node: sockets, read' : 'Node: other';
    };

    const spent = new Map<string, number>();
    profile.samples.forEach((id, index) => {
      const name = nameOf(id);
      spent.set(name, (spent.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0));
    });
    spent.delete('(idle)');
    const all = [...spent.values()].reduce((sum, each) => sum + each, 0);
    const lines = [...spent]
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, time]) => `  ${(time / times).toFixed(0).padStart(5)} µs  ${name}`);
    console.log(
      `${title}: ${(all / times).toFixed(0)} µs of the main thread of the ${program} for each, with ${(sent / times).toFixed(1)} statements\n${lines.join('\n')}\n`,
    );
  };
}

/** Chrome's protocol, as Node's inspector speaks it. */
async function openSession(port: number) {
  const [target] = z
    .array(z.object({ webSocketDebuggerUrl: z.string() }))
    .parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  const waiting = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = z.object({ id: z.int().optional(), result: z.unknown() }).parse(JSON.parse(String(data)));
    if (id !== undefined) waiting.get(id)?.(result);
  });
  while (socket.readyState !== WebSocket.OPEN) await delay(10);
  let last = 0;
  return {
    send: (method: string, params: Record<string, unknown> = {}): Promise<unknown> =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}
