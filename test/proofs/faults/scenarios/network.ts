import { setTimeout as delay } from 'node:timers/promises';
import type { Edge } from '../house';
import { isOk } from '../http';
import type { Random } from '@clinic/local/random';
import { measureRecovery, noteEdge, scenario, type Stage } from '../stage';
import type { ReplyCut, Weather } from '../tcp-proxy';

interface Cuts {
  operations: number;
  /** Replies lost on each edge. */
  each: number;
}

const said = (words: RegExp) => (chunk: Buffer) => words.test(chunk.toString('latin1'));

/** What a program sends when something is about to be done for good. */
const edgesToCut: { edge: Edge; cut: ReplyCut }[] = [
  { edge: 'clients>apis', cut: { matches: said(/^POST /), afterMs: 400 } },
  { edge: 'workers>receivers', cut: { matches: said(/^POST /), afterMs: 150 } },
  { edge: 'api-1>postgres', cut: { matches: said(/commit|insert into/i), afterMs: 60 } },
  { edge: 'api-2>postgres', cut: { matches: said(/commit|insert into/i), afterMs: 60 } },
  { edge: 'worker-1>postgres', cut: { matches: said(/commit|insert into/i), afterMs: 60 } },
  { edge: 'worker-2>postgres', cut: { matches: said(/commit|insert into/i), afterMs: 60 } },
  { edge: 'api-1>temporal', cut: { matches: said(/abandonmentRecovery/), afterMs: 100 } },
  { edge: 'api-2>temporal', cut: { matches: said(/abandonmentRecovery/), afterMs: 100 } },
  { edge: 'worker-1>temporal', cut: { matches: said(/simulatedCall|deliverEvents/), afterMs: 100 } },
  { edge: 'worker-2>temporal', cut: { matches: said(/simulatedCall|deliverEvents/), afterMs: 100 } },
];

export const repliesLost = scenario<Cuts>({
  id: 'F8',
  title: 'it is done, and the reply is lost',
  numbers: {
    pr: { operations: 30, each: 1 },
    nightly: { operations: 300, each: 20 },
    release: { operations: 5_000, each: 300 },
  },
  drainsWithinSeconds: 90,
  async play(stage, { operations, each }) {
    const { load, house, random } = stage;
    load.begin({ perSecond: 8, atLeast: operations, phones: 0.6 });
    await delay(500);
    let lost = 0;
    for (let round = 0; round < each; round += 1) {
      for (const { edge, cut } of edgesToCut) {
        const proxy = house.proxies.get(edge)!;
        const before = proxy.counts.broken;
        let isDone = false;
        proxy.cutReplies({
          afterMs: cut.afterMs,
          matches: (chunk) => {
            if (isDone || !cut.matches(chunk)) return false;
            isDone = true;
            return true;
          },
        });
        for (let waited = 0; !isDone && waited < 3_000 * stage.patience; waited += 20) await delay(20);
        proxy.cutReplies(null);
        if (proxy.counts.broken === before) continue;
        noteEdge(stage, 'reply lost', edge, 1);
        lost += 1;
        await delay(random.between(0, 300));
      }
    }
    await load.finish();
    return { repliesLost: lost };
  },
});

interface Storms {
  storms: { edge: Edge; weather: Weather | { kind: 'cut' } }[] | number;
  seconds: number;
  operations: number;
}

export const badNetwork = scenario<Storms>({
  id: 'F9',
  title: 'connections are slow, narrow, cut or silent',
  numbers: {
    pr: {
      storms: [
        { edge: 'api-1>postgres', weather: { kind: 'black-hole' } },
        { edge: 'worker-1>postgres', weather: { kind: 'black-hole' } },
        { edge: 'worker-2>temporal', weather: { kind: 'cut' } },
        { edge: 'workers>receivers', weather: { kind: 'delay', minMs: 200, maxMs: 1_500 } },
      ],
      seconds: 3,
      operations: 30,
    },
    nightly: { storms: 20, seconds: 8, operations: 200 },
    release: { storms: 100, seconds: 12, operations: 2_000 },
  },
  drainsWithinSeconds: 60,
  async play(stage, { storms, seconds, operations }) {
    const { load, random } = stage;
    load.begin({ perSecond: 6, atLeast: operations });
    await delay(1_000);
    if (typeof storms !== 'number') {
      await Promise.all(storms.map((storm) => endure(stage, storm, seconds)));
      await load.finish();
      return { storms: storms.length };
    }
    for (let count = 0; count < storms; count += 1) {
      await endure(stage, aStorm(random), seconds);
      await delay(random.between(500, 2_000));
    }
    await load.finish();
    return { storms };
  },
});

function aStorm(random: Random): { edge: Edge; weather: Weather | { kind: 'cut' } } {
  const process = random.pick(['api-1', 'api-2', 'worker-1', 'worker-2'] as const);
  return {
    edge: random.pick<Edge>([`${process}>postgres`, `${process}>temporal`, 'workers>receivers']),
    weather: random.pick<Weather | { kind: 'cut' }>([
      { kind: 'delay', minMs: 200, maxMs: 5_000 },
      { kind: 'throttle', bytesPerSecond: 125_000 },
      { kind: 'cut' },
      { kind: 'black-hole' },
    ]),
  };
}

async function endure(
  stage: Stage,
  { edge, weather }: { edge: Edge; weather: Weather | { kind: 'cut' } },
  seconds: number,
): Promise<void> {
  const { house } = stage;
  const proxy = house.proxies.get(edge)!;
  noteEdge(stage, weather.kind, edge, proxy.counts.opened);
  if (weather.kind === 'cut') {
    for (let second = 0; second < seconds; second += 1) {
      proxy.cut();
      await delay(1_000);
    }
  } else {
    proxy.weather(weather);
    await delay(seconds * 1_000);
    proxy.weather({ kind: 'clear' });
  }
  if (!edge.startsWith('api')) return;
  const origin = house.origins[edge.startsWith('api-1') ? 0 : 1]!;
  await measureRecovery(stage, `${edge} after ${weather.kind}`, {
    isSo: () => isOk(`${origin}/readyz`),
    withinSeconds: 30,
  });
}
