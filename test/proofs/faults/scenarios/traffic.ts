import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isOk } from '../http';
import { aForm } from '../load';
import { measureRecovery, note, scenario, type Stage } from '../stage';
import type { FloodResult } from '../flood';

interface Repeats {
  sessions: number;
}

export const lateAndTwice = scenario<Repeats>({
  id: 'F12',
  title: 'events come twice, out of order, and days late',
  numbers: { pr: { sessions: 20 }, nightly: { sessions: 400 }, release: { sessions: 5_000 } },
  drainsWithinSeconds: 30,
  async play(stage, { sessions }) {
    const { load, house, prefix } = stage;
    // Completions first, or in the middle; then everything again after the cases have ended.
    load.begin({ perSecond: 15, atLeast: sessions, bookings: 0, completions: 0.5, copies: 4 });
    await load.finish();
    for (const from = Date.now(); Date.now() - from < 60_000 * stage.patience; await delay(100)) {
      const { runs, calls } = await house.records.backlog(prefix);
      if (runs + calls === 0) break;
    }
    const known = [...load.forms];
    for (const form of known) {
      await load.form({
        ...form,
        operation: form.operation,
        copies: 2,
        spreadMs: 20,
        completedAfterMs: form.completedAfterMs === null ? null : 10,
      });
    }
    return { repeated: known.length };
  },
});

interface Flood {
  seconds: number;
}

export const overload = scenario<Flood>({
  id: 'F19',
  title: 'five times what the service can take',
  numbers: { pr: { seconds: 5 }, nightly: { seconds: 60 }, release: { seconds: 60 } },
  drainsWithinSeconds: 60,
  expectsTrouble: false,
  async play(stage, { seconds }) {
    const { load, house, patience, recoveries } = stage;
    load.begin({ perSecond: 10, atLeast: 10, bookings: 0, phones: 0, copies: 1, completions: 0 });
    await load.finish();
    const [target] = house.apis;
    note(stage, 'overload', target!);
    const flood = await floodWith(stage, seconds);
    await measureRecovery(stage, 'an answer in a second after the flood', {
      isSo: async () =>
        (await Promise.all(house.origins.map((origin) => isOk(`${origin}/readyz`, 1_000)))).every(Boolean),
      withinSeconds: 10,
    });
    recoveries.push({
      what: 'p99 of what was accepted',
      seconds: flood.acceptedP99Ms / 1_000,
      withinSeconds: patience,
    });
    if (flood.unanswered + flood.wrong > 0)
      recoveries.push({
        what: `${flood.unanswered} requests unanswered, ${flood.wrong} answered with neither 200, 429 nor 503`,
        seconds: Infinity,
        withinSeconds: 0,
      });
    return { ...flood };
  },
});

/** In a process of its own, so that the proxies in this one keep their pace. The same forms again and again: all are known. */
async function floodWith({ house, load }: Stage, seconds: number): Promise<FloodResult> {
  const requests = load.forms.map(({ clinic, sessionId, phone }) => ({
    path: `/api/automation/webhook/${clinic.clinicId}/forms-abandoned`,
    secret: clinic.inboundSecrets['forms-abandoned'],
    body: JSON.stringify(aForm({ sessionId, phone })),
  }));
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, '../flood.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ origins: house.origins, seconds, requests }));
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as FloodResult;
  throw new Error('the flood said nothing');
}

interface Blocks {
  blocks: number;
  seconds: number;
  operations: number;
}

export const poolExhausted = scenario<Blocks>({
  id: 'F16',
  title: 'a locked table takes every connection of the pools',
  numbers: {
    pr: null,
    nightly: { blocks: 3, seconds: 20, operations: 150 },
    release: { blocks: 10, seconds: 30, operations: 1_000 },
  },
  drainsWithinSeconds: 60,
  async play(stage, { blocks, seconds, operations }) {
    const { load, house } = stage;
    load.begin({ perSecond: 10, atLeast: operations });
    for (let block = 0; block < blocks; block += 1) {
      await delay(2_000);
      note(stage, 'table locked', house.postgres);
      await house.records.blockInbox(seconds);
      await measureRecovery(stage, 'APIs ready after the lock', { isSo: house.areApisReady, withinSeconds: 10 });
    }
    await load.finish();
    return { blocks };
  },
});

interface Soak {
  minutes: number;
}

export const soak = scenario<Soak>({
  id: 'F20',
  title: 'hours of steady load',
  numbers: { pr: null, nightly: { minutes: 10 }, release: { minutes: 240 } },
  drainsWithinSeconds: 60,
  async play(stage, { minutes }) {
    const { load, house, patience } = stage;
    const processes = [...house.apis, ...house.workers];
    const perSecond = 4;
    load.begin({ perSecond, atLeast: (minutes * 60 * perSecond) / patience });
    // Caches fill at first.
    await delay(minutes * 60_000 * 0.3);
    const before = processes.map((target) => target.residentMb());
    await delay(minutes * 60_000 * 0.65);
    const grown = processes.map((target, index) => target.residentMb() - before[index]!);
    await load.finish();
    return { grownMb: grown.map((mb) => mb.toFixed(0)).join('/') };
  },
});
