import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { outcomeOf, scenes } from '@clinic/shared/domain/voice/scenes';
import type { Violation } from '../faults/checker';
import { adminOf } from '../drills/clinics';
import type { Evidence } from '../faults/evidence';
import type { Clinic, Release } from '../faults/house';
import { aPhone } from '../faults/load';
import { columnsOf } from '../faults/suite';
import { note, scenario, type Stage } from '../faults/stage';

interface Size {
  /** Runs of each type in each group. */
  runs: number;
}

/** Which process is of which release: null is the present one. */
interface Pairing {
  name: string;
  workers: (Release | null)[];
  apis: (Release | null)[];
}

const ENDED_WITHIN_SECONDS = 120;

/** A release is rolled out and back while runs of all types begin, go on and end; each pairing finishes what the one before has begun. */
export const rollout = (earlier: Release) =>
  scenario<Size>({
    id: 'releases',
    title: `${earlier.name} and the present release side by side, open runs moved between them`,
    numbers: { pr: { runs: 2 }, nightly: { runs: 2 }, release: { runs: 20 } },
    drainsWithinSeconds: 60,
    expectsTrouble: false,
    async play(stage, { runs }) {
      const { house, load, say } = stage;
      const [calling, pausing] = house.clinics;
      if (!calling || !pausing) throw new Error('the house has two clinics');
      const admin = adminOf(house, pausing);
      load.begin({ perSecond: 3, atLeast: 60, copies: 1, completions: 0 });
      const pairings = pairingsOf(earlier);
      for (const [index, pairing] of pairings.entries()) {
        await roll(stage, pairing);
        await admin.resume();
        await begin(stage, { group: `${index}-played`, clinic: calling, runs });
        await untilEnded(stage, pairing);
        say(`     ${pairing.name}: all types played, and what was begun before has ended`);
        if (index === pairings.length - 1) break;
        await admin.pause();
        await begin(stage, { group: `${index}-paused`, clinic: pausing, runs });
        await begin(stage, { group: `${index}-ringing`, clinic: calling, runs: 1, scene: 'never-answers' });
      }
      await load.finish();
    },
    async judge({ house, say }, evidence) {
      say(tableOf(evidence, pairingsOf(earlier)));
      return { evidence, violations: await failedTasks(house.folder) };
    },
  });

/** What works side by side, one after the other. */
const pairingsOf = (earlier: Release): Pairing[] => [
  { name: 'one of each', workers: [earlier, null], apis: [earlier, null] },
  { name: 'earlier worker, present API', workers: [earlier, earlier], apis: [null, null] },
  { name: 'present worker, earlier API', workers: [null, null], apis: [earlier, earlier] },
  { name: 'and back', workers: [earlier, earlier], apis: [null, null] },
];

async function roll(stage: Stage, { workers, apis }: Pairing): Promise<void> {
  const { house } = stage;
  const wanted = [...house.workers, ...house.apis].map((target, index) => ({
    target,
    release: [...workers, ...apis][index] ?? null,
  }));
  for (const { target, release } of wanted) {
    if (!house.setRelease(target, release)) continue;
    note(stage, 'SIGTERM, and started from another release', target);
    await target.stop();
    await target.start();
    while (!(await house.areApisReady())) await delay(100);
    // The balancer looks every tenth of a second.
    await delay(500);
  }
}

interface Group {
  group: string;
  clinic: Clinic;
  runs: number;
  scene?: keyof typeof scenes;
}

const sessionOf = (group: string, type: WorkflowType) => `typed-${group}-${type}-`;

/** So many runs of each type. */
async function begin({ load, prefix }: Stage, { group, clinic, runs, scene = 'agrees' }: Group): Promise<void> {
  const forms = workflowTypeNames.flatMap((type) =>
    Array.from({ length: runs }, (_unused, index) => {
      const sessionId = `${prefix}${sessionOf(group, type)}${index}`;
      const expected = [expectedOf(type, scene)];
      // Those who answer have a phone each.
      const phone = scene === 'agrees' ? aPhone() : scenes[scene].phone;
      return {
        operation: sessionId,
        clinic,
        sessionId,
        phone,
        expected,
        copies: 1,
        spreadMs: 0,
        completedAfterMs: null,
        asStart: true,
        type,
      };
    }),
  );
  await Promise.all(forms.map((form) => load.form(form)));
}

/** Started by itself, an offer of the waitlist has no time to offer: staff follow up on who agrees. */
const expectedOf = (type: WorkflowType, scene: keyof typeof scenes): string =>
  type === 'waitlist-offer' && scene === 'agrees' ? 'FOLLOW_UP_REQUIRED' : outcomeOf(scenes[scene], type);

async function untilEnded({ house, prefix, patience }: Stage, { name }: Pairing): Promise<void> {
  for (const deadline = Date.now() + ENDED_WITHIN_SECONDS * patience * 1_000; ; await delay(500)) {
    const open = await house.records.openRuns(`${prefix}typed-`);
    if (open.length === 0) return;
    if (Date.now() > deadline) throw new Error(`${name}: ${open.length} runs do not end, as ${open[0]?.id}`);
  }
}

/** How the runs of each type have ended, in each pairing, and how many of the ends were delivered. */
function tableOf({ runs, cases, events, deliveries }: Evidence, pairings: Pairing[]): string {
  const delivered = new Set(deliveries.filter(({ state }) => state === 'DELIVERED').map(({ eventId }) => eventId));
  const told = new Set(
    events
      .filter(({ id, event }) => delivered.has(id) && ['workflow.completed', 'recovery_case.outcome'].includes(event))
      .map(({ subject }) => cases.find(({ id }) => id === subject)?.workflowId ?? subject),
  );
  const cell = (groups: string[], type: WorkflowType) => {
    const own = runs.filter(({ sessionId }) => groups.some((group) => sessionId.includes(sessionOf(group, type))));
    const outcomes = [...new Set(own.map(({ outcome, status }) => outcome ?? status))];
    return `${outcomes.join(', ')} ${own.filter(({ id }) => told.has(id)).length}/${own.length}`;
  };
  const columns = pairings.flatMap(({ name }, index) => [
    ...(index === 0 ? [] : [{ head: 'moved on to it', groups: [`${index - 1}-paused`, `${index - 1}-ringing`] }]),
    { head: name, groups: [`${index}-played`] },
  ]);
  return columnsOf(
    ['', ...columns.map(({ head }) => head)],
    workflowTypeNames.map((type) => [type, ...columns.map(({ groups }) => cell(groups, type))]),
  );
}

/** A task that a worker could not do, as one whose history it could not replay, is a broken promise, also where it was done again. */
async function failedTasks(folder: string): Promise<Violation[]> {
  const logs = join(folder, 'logs');
  const names = (await readdir(logs)).filter((name) => name.startsWith('worker-'));
  const texts = await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')));
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => /failing workflow task|began anew/i.test(line));
  return lines.slice(0, 5).map((line) => ({ kind: 'contradictory', subject: 'a task', detail: line.slice(0, 300) }));
}
