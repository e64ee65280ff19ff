import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { check, troubles, type Violation } from './checker';
import type { Evidence, Execution, FaultEntry, Recovery, RequestEntry, Reversal, Ring, RunRow } from './evidence';
import { type House, type HouseOptions, startHouse } from './house';
import { openLedger } from './ledger';
import { CLIENT_PATIENCE_MS, createLoad } from './load';
import { createRandom, type Random } from '@clinic/local/random';
import { scenarios } from './scenarios/index';
import type { Figures, Scenario, Stage, Tier } from './stage';

/** A scenario with what it is played with. */
export interface Play {
  scenario: Scenario;
  /** What its line in the table is called. */
  label: string;
  numbers: object;
  seed: number;
}

export interface ScenarioResult {
  label: string;
  title: string;
  violations: Violation[];
  figures: Figures;
}

/** The scenarios of a tier, or those that are named; a named one that the tier leaves out is played at nightly size. */
export function playsOf({ tier, seed, only }: { tier: Tier; seed: number; only: string[] }): Play[] {
  const unknown = only.filter((id) => !scenarios.some((one) => one.id === id));
  if (unknown.length > 0) throw new Error(`There is no scenario ${unknown.join(', ')}.`);
  return scenarios
    .filter((one) => (only.length > 0 ? only.includes(one.id) : one.numbers[tier] !== null))
    .map((one) => ({
      scenario: one,
      label: one.id,
      numbers: one.numbers[tier] ?? one.numbers.nightly ?? {},
      seed,
    }));
}

/** Plays one after the other and checks each. After a failure the next begins in a new house. */
export async function playAll({
  plays,
  house: options = {},
  say,
}: {
  plays: Play[];
  house?: HouseOptions;
  say: (line: string) => void;
}): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  let house: House | null = null;
  let patience = 1;
  try {
    for (const play of plays) {
      const began = Date.now();
      const random = createRandom(play.seed);
      if (!house) {
        house = await startHouse({ ...options, random: randomOf(random.fork('network')), say });
        patience = await measurePatience(house, random);
        say(`Deadlines are multiplied by ${patience.toFixed(1)}, the slowness of this machine now.`);
      }
      const result = await playOne({ ...play, house, random: random.fork(play.scenario.id), patience, say });
      results.push(result);
      const seconds = (Date.now() - began) / 1_000;
      say(lineOf(result, seconds));
      for (const line of violationLines(result)) say(line);
      if (result.violations.length > 0) {
        for (const line of await failedRequests(house.folder)) say(`     ${line}`);
        say(`     ledgers, logs and databases are kept: ${house.folder}`);
        await house.stop({ keepFolder: true });
        house = null;
      }
    }
  } finally {
    await house?.stop({ keepFolder: false });
  }
  return results;
}

/** The last requests that failed on the service's side, as its processes logged them: a machine elsewhere keeps no folder. */
async function failedRequests(folder: string): Promise<string[]> {
  const logs = join(folder, 'logs');
  const texts = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line.includes('request failed'))).slice(-5);
}

async function playOne({
  scenario,
  label,
  numbers,
  house,
  seed,
  random,
  patience,
  say,
}: Play & {
  house: House;
  random: Random;
  patience: number;
  say: (line: string) => void;
}): Promise<ScenarioResult> {
  const { id, title, drainsWithinSeconds, expectsTrouble = true, mayRedeliver = false } = scenario;
  const prefix = `${id.toLowerCase()}-${seed}-${Date.now().toString(36)}-`;
  const requests = openLedger<RequestEntry>(house.folder, `${prefix}requests`);
  const faults = openLedger<FaultEntry>(house.folder, `${prefix}faults`);
  const recoveries: Recovery[] = [];
  const reversals: Reversal[] = [];
  const load = createLoad({ house, prefix, random: random.fork('load'), requests, patience });
  const stage: Stage = {
    house,
    load,
    random: random.fork('faults'),
    prefix,
    requests,
    faults,
    recoveries,
    reversals,
    lostExecutions: [],
    restored: null,
    patience,
    say,
  };
  const since = new Date(Date.now() - 1_000);
  const [bodiesBefore, endingsBefore] = [house.sink.entries.length, house.ownEndings.length];
  const broken: Violation[] = [];
  let drainedBy = 0;
  const watch = watchReversals(stage);
  const figures: Figures = {};
  try {
    Object.assign(figures, (await scenario.play(stage, numbers)) ?? {});
    const drainedFrom = Date.now();
    drainedBy = drainedFrom + drainsWithinSeconds * patience * 1_000;
    await drain(stage, drainsWithinSeconds * patience, drainedFrom);
    recoveries.push({
      what: 'nothing is behind',
      seconds: (Date.now() - drainedFrom) / 1_000,
      withinSeconds: drainsWithinSeconds * patience,
    });
  } catch (error) {
    load.giveUp();
    broken.push({
      kind: 'nothing_proven',
      subject: id,
      detail: error instanceof Error ? error.message : String(error),
    });
  }
  await watch.stop();
  for (const { clinicId } of house.clinics) house.sink.manners(clinicId, { kind: 'answers', status: 200 });

  // The records first: what they hold must be in the ledgers, not the other way round.
  const records = await house.records.read(prefix, load.slots);
  const executions = await settledExecutions(stage, since, records.runs, drainedBy);
  const evidence: Evidence = {
    requests: requests.entries,
    faults: faults.entries,
    bodies: house.sink.entries.slice(bodiesBefore).filter(({ text }) => text.includes(`"${prefix}`)),
    ownEndings: house.ownEndings.slice(endingsBefore),
    reversals: mayRedeliver ? reversals.filter(({ record }) => record !== 'delivery') : reversals,
    recoveries,
    ...records,
    executions,
    rings: house.phones?.rings() ?? simulatedRings(executions),
  };
  requests.close();
  faults.close();
  const judged = scenario.judge ? await scenario.judge(stage, evidence) : { evidence, violations: [] };
  broken.push(...judged.violations);
  const found = check(judged.evidence, { hangMs: CLIENT_PATIENCE_MS, expectsTrouble });
  return { label, title, violations: [...broken, ...found], figures: { ...usual(evidence), ...figures } };
}

/** Until nothing is behind, or for so long; what is still open then is found by the checker. */
async function drain({ house, prefix }: Stage, withinSeconds: number, from: number): Promise<void> {
  while ((Date.now() - from) / 1_000 < withinSeconds) {
    const backlog = await house.records.backlog(prefix).catch(() => null);
    if (backlog && backlog.runs + backlog.cases + backlog.calls + backlog.deliveries === 0) {
      // The workflows end a moment after their last record.
      await delay(500);
      return;
    }
    await delay(200);
  }
}

/** Until the workflows of the runs are over too. Temporal's list is a moment behind them; a Temporal that was lost knew of others. */
async function settledExecutions(stage: Stage, since: Date, runs: RunRow[], drainedBy: number): Promise<Execution[]> {
  const { house, patience, lostExecutions } = stage;
  for (const deadline = Math.max(drainedBy, Date.now() + 5_000 * patience); ; await delay(500)) {
    const executions = [...lostExecutions, ...(await house.executions(since))];
    const closed = new Set(executions.filter(({ status }) => status !== 'RUNNING').map(({ workflowId }) => workflowId));
    if (runs.every(({ id }) => closed.has(id)) || Date.now() > deadline) return executions;
  }
}

/** The simulator's calls are workflows of their own. */
const simulatedRings = (executions: Execution[]): Ring[] =>
  executions
    .filter(({ type }) => type === 'simulatedCall')
    .map(({ workflowId }) => workflowId.replace(/^simulated-call-/, ''))
    .map((callId) => ({ callId, phone: null, attempt: null }));

function watchReversals({ house, prefix, reversals }: Stage) {
  let isStopped = false;
  const look = async () => {
    try {
      reversals.push(...(await house.records.reversals(prefix)));
    } catch {
      // PostgreSQL may be down.
    }
  };
  const watch = async () => {
    while (!isStopped) {
      await look();
      await delay(700);
    }
    await look();
  };
  const watching = watch();
  return {
    stop() {
      isStopped = true;
      return watching;
    },
  };
}

const IDLE_SECONDS = 1.5;

/** How much longer a few forms take to end than on an idle machine of this size. */
async function measurePatience(house: House, random: Random): Promise<number> {
  const prefix = `warm-up-${Date.now().toString(36)}-`;
  const requests = openLedger<RequestEntry>(house.folder, 'warm-up');
  const load = createLoad({ house, prefix, random: random.fork('warm-up'), requests });
  const startedAt = Date.now();
  load.begin({ perSecond: 20, atLeast: 10, phones: 1, scenes: 0, copies: 1, completions: 0, bookings: 0 });
  await load.finish();
  while (Object.values(await house.records.backlog(prefix)).some((open) => open > 0)) {
    if (Date.now() - startedAt > 300_000) throw new Error('ten forms do not end, without any fault');
    await delay(50);
  }
  requests.close();
  return Math.min(6, Math.max(1, (Date.now() - startedAt) / 1_000 / IDLE_SECONDS / 2));
}

const randomOf = (random: Random) => () => random.between(0, 1);

function usual({ requests, cases, bodies, faults, recoveries, ownEndings, calls }: Evidence): Figures {
  const slowest = Math.max(0, ...recoveries.map(({ seconds }) => seconds));
  return {
    operations: new Set(requests.map(({ operation }) => operation)).size,
    requests: requests.length,
    cases: cases.length,
    calls: calls.length,
    bodies: bodies.length,
    faults: faults.length,
    retries: troubles({ requests, bodies }),
    recoverySeconds: slowest.toFixed(1),
    endedByThemselves: ownEndings.length,
  };
}

const countOf = ({ violations }: ScenarioResult, ...kinds: Violation['kind'][]): number =>
  violations.filter(({ kind }) => kinds.includes(kind)).length;

function lineOf(result: ScenarioResult, seconds: number): string {
  const { label, title, figures, violations } = result;
  const verdict = violations.length === 0 ? 'PASS' : 'FAIL';
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  return `${verdict} ${label.padEnd(4)} ${title}: ${shown.join(', ')}, ${seconds.toFixed(0)} s`;
}

const SHOWN_OF_A_KIND = 4;

function violationLines({ violations }: ScenarioResult): string[] {
  const kinds = [...new Set(violations.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const same = violations.filter((violation) => violation.kind === kind);
    const lines = same.slice(0, SHOWN_OF_A_KIND).map(({ subject, detail }) => `     ${kind} ${subject}: ${detail}`);
    return same.length > SHOWN_OF_A_KIND ? [...lines, `     ${kind}: ${same.length} in all`] : lines;
  });
}

/** Every scenario in a line. */
export function tableOf(results: ScenarioResult[]): string {
  const head = [
    '',
    'operations',
    'faults',
    'retries',
    'lost',
    'doubled',
    'changed',
    'stuck',
    'recovery',
    'own ends',
    '',
  ];
  const rows = results.map((result) => [
    result.label,
    String(result.figures.operations),
    String(result.figures.faults),
    String(result.figures.retries),
    String(countOf(result, 'lost', 'accepted_without_row', 'decision_lost')),
    String(countOf(result, 'doubled', 'call_doubled', 'overlap')),
    String(countOf(result, 'contradictory', 'went_backwards', 'cross_clinic')),
    String(countOf(result, 'stuck')),
    `${result.figures.recoverySeconds} s`,
    String(result.figures.endedByThemselves),
    result.violations.length === 0 ? 'PASS' : 'FAIL',
  ]);
  return columnsOf(head, rows);
}

export function columnsOf(head: string[], rows: string[][]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: string[]) => cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
  return [line(head), ...rows.map(line)].join('\n');
}

/** Where the rest of the list is tested. */
export const elsewhere = [
  'Tested elsewhere:',
  '  F11 one slot, many bookers      test/api/calendar/booking-races.test.ts',
  '  F13 bad input                   npm run prove -- fuzz, test/api/calendar/emr-bad-input.test.ts',
  '  F14 other clinics               test/api/accounts/clinic-isolation.test.ts',
  '  F15 old histories, new workers  test/workflows/replay.test.ts, test/worker/versions.test.ts',
  '  F17 clocks                      test/workflows/calling-hours.test.ts, test/shared/domain, test/shared/signing.test.ts',
];
