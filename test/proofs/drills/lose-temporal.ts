import { setTimeout as delay } from 'node:timers/promises';
import type { Execution } from '../faults/evidence';
import type { FormOperation } from '../faults/load';
import { measureRecovery, note, scenario, type Stage } from '../faults/stage';
import { type Admin, adminOf } from './clinics';
import { castOf, createGates, type Gates, type Group, inLanes, shuffled } from './cast';

interface Size {
  runs: number;
}

/** All are running again so soon on two idle cores. */
const RUNNING_WITHIN_SECONDS = 300;
/** Until a first call, and between two: longer than the runs are lost, and short enough for them to come to their end. */
const WAIT_SECONDS = 360;
/** Forms sent at once. */
const LANES = 16;
/** Of the clinic that has few; who has one is not in line. */
const LINES = 3;
/** A phase that fewer runs are in when the fault comes proves little of it. */
const ENOUGH = 0.5;

/** Temporal's whole store is lost while runs are in every phase; an empty server takes its place. */
export const loseTemporal = scenario<Size>({
  id: 'lose-temporal',
  title: 'Temporal’s store is lost, and an empty one is started',
  numbers: { pr: null, nightly: { runs: 1_000 }, release: { runs: 1_000 } },
  drainsWithinSeconds: 600,
  async play(stage, { runs }) {
    const { house, load, prefix, say } = stage;
    const gates = createGates();
    const [waiting, between, pausing, lines] = admins(stage);
    await Promise.all([
      waiting.setPolicy({ firstCallDelaySeconds: WAIT_SECONDS }),
      between.setPolicy({ secondsBetweenAttempts: WAIT_SECONDS }),
      lines.setPolicy({ maxConcurrentCalls: LINES }),
      pausing.pause(),
    ]);
    const groups = groupsOf(stage, runs, gates);
    await bringAbout(stage, groups);

    load.begin({ perSecond: 3, atLeast: 20, bookings: 0, scenes: 0 });
    house.phones?.answerAfter(2_500);
    await sendAll(stage, groups.dialling.forms);
    await delay(500);
    const before = await house.executions(new Date(0));
    // Some agents resolve their cases just then.
    gates.atFault.open();
    await delay(25);
    const inTool = house.phones?.live().inTool ?? 0;
    note(stage, 'SIGKILL, and its store deleted', house.temporal);
    const lostAt = Date.now();
    await house.temporal.kill();
    const phases = await house.records.phases(prefix);
    say(`     when the store was lost: ${lineOf(phases)}; ${inTool} tool requests under way`);
    const open = new Set((await house.records.openRuns(prefix)).map(({ id }) => id));
    const ended = await house.records.endedRuns(prefix);
    stage.lostExecutions.push(...closedOnes(before, open), ...unlisted(before, ended));
    house.phones?.answerAfter(0);
    await house.eraseTemporal();
    await delay(stage.random.between(1_000, 4_000));
    await house.temporal.start();
    const serverIsBack = new Date().toISOString();
    say(`     an empty server is up after ${secondsSince(lostAt)} s`);
    for (const { clinicId } of house.clinics) house.sink.manners(clinicId, { kind: 'answers', status: 200 });
    const finished = completeSome(stage, groups.completed.forms);

    const ranAgain = allRunAgain(stage, serverIsBack);
    await measureRecovery(stage, 'every open run is running again', {
      isSo: ranAgain,
      withinSeconds: RUNNING_WITHIN_SECONDS,
      since: lostAt,
    });
    const runningSeconds = secondsSince(lostAt);
    say(`     every open run is running again after ${runningSeconds} s`);
    // What an agent resolved meanwhile ended in the records, and needs no workflow any more.
    const resolved = (await house.records.endedRuns(prefix)).filter((workflowId) => open.has(workflowId));
    stage.lostExecutions.push(...unlisted(await house.executions(new Date(0)), resolved));
    await Promise.all([finished, load.finish()]);
    gates.atEnd.open();
    await Promise.all([lines.setPolicy({}), pausing.resume()]);
    requirePhases(phases, groups);
    return { openWhenLost: open.size, runningAgainSeconds: runningSeconds, inTool };
  },
});

function admins({ house }: Stage): [Admin, Admin, Admin, Admin] {
  const [, , waiting, between, pausing, lines] = house.clinics.map((clinic) => adminOf(house, clinic));
  if (!waiting || !between || !pausing || !lines) throw new Error('the drill has its own clinics');
  return [waiting, between, pausing, lines];
}

/** Runs that are to be in a phase when the store is lost, by the name that the records have for it. */
type Cast = Group & { phase: string; forms: FormOperation[] };
type Groups = Record<
  | 'waiting'
  | 'completed'
  | 'between'
  | 'paused'
  | 'inLine'
  | 'ringing'
  | 'talking'
  | 'inTool'
  | 'ended'
  | 'untold'
  | 'dialling',
  Cast
>;

/** A thousand runs are about so many of each. */
function groupsOf(stage: Stage, runs: number, gates: Gates): Groups {
  const { house, prefix, random } = stage;
  const { phones } = house;
  const [calling, otherCalling, waiting, between, pausing, lines, deaf] = house.clinics;
  if (!phones || !calling || !otherCalling || !waiting || !between || !pausing || !lines || !deaf)
    throw new Error('the drill has its own clinics and phones');
  const part = (share: number) => Math.max(4, Math.round(runs * share));
  const cast = (group: Omit<Cast, 'forms'>): Cast => {
    const gateFor = () => gates.draw(random, 90);
    return { ...group, forms: castOf(group, { prefix, phones, gateFor }) };
  };
  const talks = { isAnswered: true, resolves: 'RECOVERED' };
  const declines = { isAnswered: true, resolves: 'PATIENT_NOT_INTERESTED' };
  const ringsOut = { isAnswered: false, resolves: null };
  return {
    waiting: cast({
      name: 'waiting',
      phase: 'before the first call',
      clinic: waiting,
      count: part(0.15),
      expected: ['RECOVERED'],
      scenes: () => [talks],
    }),
    completed: cast({
      name: 'completed',
      phase: 'before the first call',
      clinic: waiting,
      count: part(0.07),
      expected: ['ALREADY_COMPLETED'],
      scenes: () => [talks],
    }),
    between: cast({
      name: 'between',
      phase: 'between calls',
      clinic: between,
      count: part(0.15),
      expected: ['PATIENT_NOT_INTERESTED'],
      scenes: () => [ringsOut, declines],
    }),
    paused: cast({
      name: 'paused',
      phase: 'paused',
      clinic: pausing,
      count: part(0.1),
      expected: ['RECOVERED'],
      scenes: () => [talks],
    }),
    inLine: cast({
      name: 'inLine',
      phase: 'in line',
      clinic: lines,
      count: part(0.08),
      expected: ['RECOVERED'],
      scenes: () => [{ ...talks, lasts: () => gates.atEnd.opened }],
    }),
    ringing: cast({
      name: 'ringing',
      phase: 'ringing',
      clinic: calling,
      count: part(0.08),
      expected: ['RECOVERED'],
      scenes: (gate) => [{ ...ringsOut, lasts: () => gate.opened }, talks],
    }),
    talking: cast({
      name: 'talking',
      phase: 'talking',
      clinic: calling,
      count: part(0.12),
      expected: ['CLINICAL_ESCALATION'],
      scenes: (gate) => [{ isAnswered: true, resolves: 'CLINICAL_ESCALATION', lasts: () => gate.opened }],
    }),
    inTool: cast({
      name: 'inTool',
      phase: 'in a tool',
      clinic: otherCalling,
      count: part(0.08),
      expected: ['PATIENT_NOT_INTERESTED'],
      scenes: (gate) => [{ ...declines, usesTools: true, lasts: () => gate.opened }],
    }),
    ended: cast({
      name: 'ended',
      phase: 'ended',
      clinic: otherCalling,
      count: part(0.06),
      expected: ['RECOVERED'],
      scenes: () => [talks],
    }),
    untold: cast({
      name: 'untold',
      phase: 'ended, not told',
      clinic: deaf,
      count: part(0.08),
      expected: ['PATIENT_NOT_REACHED'],
      scenes: null,
    }),
    dialling: cast({
      name: 'dialling',
      phase: 'dialling',
      clinic: calling,
      count: part(0.03),
      expected: ['RECOVERED'],
      scenes: () => [talks],
    }),
  };
}

const sendAll = ({ load }: Stage, forms: FormOperation[]) => inLanes(forms, LANES, (form) => load.form(form));

/** Sends the forms, and waits until most runs are in the phase that they are to be in. */
async function bringAbout(stage: Stage, { dialling: _later, untold, ...groups }: Groups): Promise<void> {
  const { house, prefix, patience, random, say } = stage;
  const early = Object.values(groups).flatMap(({ forms }) => forms);
  const startedAt = Date.now();
  await sendAll(stage, shuffled(early, random.fork('order')));
  say(`     ${early.length} forms accepted in ${secondsSince(startedAt)} s`);
  house.sink.manners(untold.clinic.clinicId, { kind: 'answers', status: 500 });
  await sendAll(stage, untold.forms);
  const wanted = countsOf([...Object.values(groups), untold]);
  for (const deadline = Date.now() + 120_000 * patience; Date.now() < deadline; await delay(1_000)) {
    const phases = await house.records.phases(prefix);
    if ([...wanted].every(([phase, count]) => (phases.get(phase) ?? 0) >= count * 0.9 - LINES)) break;
  }
  say(`     in their phases after ${secondsSince(startedAt)} s`);
}

/** A drill in which a phase was missing when the fault came proves nothing of it. */
function requirePhases(phases: Map<string, number>, groups: Groups): void {
  for (const [phase, count] of countsOf(Object.values(groups))) {
    const found = phases.get(phase) ?? 0;
    if (found < count * ENOUGH) throw new Error(`only ${found} of ${count} runs were ${phase} when the store was lost`);
  }
}

function countsOf(groups: Cast[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { phase, count } of groups) counts.set(phase, (counts.get(phase) ?? 0) + count);
  return counts;
}

/** What had closed in the store that was lost; a run whose end is in the records was about to. */
function closedOnes(before: Execution[], open: ReadonlySet<string>): Execution[] {
  return before
    .filter(({ workflowId, status }) => status !== 'RUNNING' || !open.has(workflowId))
    .map((one) => ({ ...one, status: one.status === 'RUNNING' ? 'COMPLETED' : one.status }));
}

/** What came to its end in the records, and of which Temporal lists nothing: it had begun just before the loss, or was resolved after it. */
function unlisted(before: Execution[], ended: string[]): Execution[] {
  const listed = new Set(before.map(({ workflowId }) => workflowId));
  return ended
    .filter((workflowId) => !listed.has(workflowId))
    .map((workflowId) => ({ workflowId, type: 'abandonmentRecovery', status: 'COMPLETED' }));
}

/** Some patients finish their forms meanwhile. */
async function completeSome({ load, random }: Stage, forms: FormOperation[]): Promise<void> {
  await Promise.all(
    forms.map(async (form) => {
      await delay(random.between(0, 90_000));
      await load.complete(form);
    }),
  );
}

/** Whether every run that was accepted before the new server came has ended, or has its workflow there. */
function allRunAgain({ house, prefix }: Stage, acceptedBefore: string): () => Promise<boolean> {
  return async () => {
    await delay(1_500);
    const open = (await house.records.openRuns(prefix)).filter(({ startedAt }) => startedAt < acceptedBefore);
    const known = new Set((await house.executions(new Date(0))).map(({ workflowId }) => workflowId));
    return open.every(({ id }) => known.has(id));
  };
}

const secondsSince = (at: number): string => ((Date.now() - at) / 1_000).toFixed(1);

const lineOf = (phases: Map<string, number>): string =>
  [...phases].map(([phase, count]) => `${count} ${phase}`).join(', ');
