import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '../processes';
import { killAndRestart, measureRecovery, note, scenario, type Stage, untilAlive } from '../stage';

interface Kills {
  kills: number;
  operations: number;
}

/** Kills one of several again and again while load runs. */
async function underKills(
  stage: Stage,
  { kills, operations }: Kills,
  { targets, afterEach }: { targets: Target[]; afterEach?: () => Promise<void> },
): Promise<{ kills: number }> {
  const { load, random } = stage;
  load.begin({ perSecond: 8, atLeast: operations });
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(random.between(300, 1_500));
    await killAndRestart(stage, random.pick(targets));
    await afterEach?.();
  }
  await load.finish();
  return { kills };
}

export const apiKilled = scenario<Kills>({
  id: 'F1',
  title: 'an API is killed',
  numbers: {
    pr: { kills: 3, operations: 50 },
    nightly: { kills: 50, operations: 600 },
    release: { kills: 200, operations: 20_000 },
  },
  drainsWithinSeconds: 30,
  play: (stage, numbers) => underKills(stage, numbers, { targets: stage.house.apis }),
});

export const workerKilled = scenario<Kills>({
  id: 'F2',
  title: 'a worker is killed',
  numbers: {
    pr: { kills: 2, operations: 40 },
    nightly: { kills: 50, operations: 600 },
    release: { kills: 200, operations: 20_000 },
  },
  drainsWithinSeconds: 60,
  play: (stage, numbers) => underKills(stage, numbers, { targets: stage.house.workers }),
});

export const temporalKilled = scenario<Kills>({
  id: 'F3',
  title: 'Temporal is killed',
  numbers: {
    pr: { kills: 1, operations: 30 },
    nightly: { kills: 20, operations: 300 },
    release: { kills: 50, operations: 5_000 },
  },
  drainsWithinSeconds: 60,
  play: (stage, numbers) => {
    const { house } = stage;
    return underKills(stage, numbers, {
      targets: [house.temporal],
      afterEach: () =>
        measureRecovery(stage, 'APIs ready after Temporal', { isSo: house.areApisReady, withinSeconds: 10 }),
    });
  },
});

export const postgresKilled = scenario<Kills>({
  id: 'F4',
  title: 'PostgreSQL is killed, all of its processes',
  numbers: {
    pr: { kills: 2, operations: 40 },
    nightly: { kills: 20, operations: 300 },
    release: { kills: 50, operations: 5_000 },
  },
  drainsWithinSeconds: 60,
  play: (stage, numbers) => {
    const { house } = stage;
    return underKills(stage, numbers, {
      targets: [house.postgres],
      afterEach: () =>
        measureRecovery(stage, 'APIs ready after PostgreSQL', { isSo: house.areApisReady, withinSeconds: 10 }),
    });
  },
});

export const twoAtATime = scenario<Kills>({
  id: 'F5',
  title: 'any two at a time are killed or frozen',
  numbers: {
    pr: null,
    nightly: { kills: 100, operations: 800 },
    release: { kills: 400, operations: 20_000 },
  },
  drainsWithinSeconds: 120,
  async play(stage, { kills, operations }) {
    const { load, random, house } = stage;
    const all = [...house.apis, ...house.workers, house.postgres, house.temporal];
    load.begin({ perSecond: 8, atLeast: operations });
    for (let round = 0; round < kills / 2; round += 1) {
      await delay(random.between(500, 2_500));
      const first = random.pick(all);
      const second = random.pick(all.filter((target) => target !== first));
      await Promise.all([first, second].map((target) => disturb(stage, target)));
    }
    await load.finish();
    await measureRecovery(stage, 'APIs ready after everything', { isSo: house.areApisReady, withinSeconds: 10 });
    return { kills };
  },
});

async function disturb(stage: Stage, target: Target): Promise<void> {
  if (stage.random.chance(0.7)) {
    await killAndRestart(stage, target);
    return;
  }
  await untilAlive(stage, target);
  note(stage, 'SIGSTOP', target);
  target.freeze();
  await delay(stage.random.between(1_000, 12_000));
  target.thaw();
}

interface Freezes {
  freezes: number;
  frozenMs: number;
  operations: number;
}

export const workerFrozen = scenario<Freezes>({
  id: 'F6',
  title: 'a worker is frozen past its heartbeats, and wakes',
  numbers: {
    pr: { freezes: 1, frozenMs: 13_000, operations: 30 },
    // Longer than a lease on a delivery, so that another worker has delivered when this one wakes.
    nightly: { freezes: 10, frozenMs: 45_000, operations: 200 },
    release: { freezes: 30, frozenMs: 45_000, operations: 2_000 },
  },
  drainsWithinSeconds: 60,
  async play(stage, { freezes, frozenMs, operations }) {
    const { load, random, house } = stage;
    // Slow receivers, so that attempts are under way when the worker freezes.
    for (const { clinicId } of house.clinics)
      house.sink.manners(clinicId, { kind: 'answers', status: 200, afterMs: 2_000 });
    load.begin({ perSecond: 6, atLeast: operations });
    for (let freeze = 0; freeze < freezes; freeze += 1) {
      await delay(random.between(1_500, 2_500));
      const worker = random.pick(house.workers);
      await untilAlive(stage, worker);
      await attemptsUnderWay(stage, `freeze-${freeze}`);
      note(stage, 'SIGSTOP', worker);
      worker.freeze();
      await delay(frozenMs);
      worker.thaw();
    }
    await load.finish();
    return { freezes, frozenSeconds: frozenMs / 1_000 };
  },
});

/** A burst of cases whose first events both workers are just sending: their receivers have them and have not answered. */
async function attemptsUnderWay({ house, load, prefix, patience }: Stage, name: string): Promise<void> {
  const before = house.sink.entries.length;
  const forms = Array.from({ length: 10 }, (_unused, index) =>
    load.form({
      operation: `${prefix}${name}-${index}`,
      clinic: house.clinics[index % 2]!,
      sessionId: `${prefix}${name}-${index}`,
      phone: null,
      expected: ['PATIENT_NOT_REACHED'],
      copies: 1,
      spreadMs: 0,
      completedAfterMs: null,
      asStart: false,
    }),
  );
  await Promise.all(forms);
  for (let waited = 0; house.sink.entries.length < before + 8 && waited < 2_000 * patience; waited += 20)
    await delay(20);
}
