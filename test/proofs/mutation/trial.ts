import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, escapeIdentifier } from 'pg';
import { makeTemplate, startTestServers, testServers, withServers } from '../../support/servers';
import { reasonAgainst } from './equivalents';
import { asPattern, type Jest, startJest, type TestRun } from './jest';
import { type Entry, readSeconds } from './journal';
import { applied, changeOf, isSql, keyOf, type Mutant, roomOf } from './mutant';
import { PAGES, type Reached, readReached } from './reached';
import { type Chosen, type Reach, readReach, textAround } from './reach';
import { isMutated, listFiles, makeScratch, type Scratch } from './scratch';
import { openTypes, type Types } from './types';

const run = promisify(execFile);

/** Against a mutant tests of so many seconds are played at first, of so many files at least. */
const MAX_NEAR_SECONDS = 60;
const MIN_NEAR = 3;
/** Until the tests of a file begin. */
const LOAD_SECONDS = 1.5;
const MAX_RUN_MS = 150_000;
/** Kept from run to run, beside what became of mutants. */
const notedFolder = join(__dirname, '../../../mutation/reached');
const isNoted = (file: string) => isMutated(file) && !isSql(file);
/** Of the tests of the dashboard's pages so many seconds are played. */
const MAX_SECONDS_OF_PAGES = 60;

/** All look at one document, which is made once, in the first of them. */
const OF_THE_DOCUMENT = 'test/api/openapi.test.ts';

/** Tests that go over every route, every body or every store, by what files are near to them: they say no word of the one at hand. */
const tables: Record<string, string[]> = {
  'api/': [OF_THE_DOCUMENT, 'test/api/accounts/rights.test.ts', 'test/api/accounts/step-up.test.ts'],
  'shared/': [OF_THE_DOCUMENT],
  'prisma/stores/': ['test/prisma/stores/clinic-boundary.test.ts'],
  'workflows/': ['test/workflows/replay.test.ts'],
};

export interface Trial {
  /** The copy of the tree. */
  folder: string;
  /** Of a file without any mutant. */
  textOf(file: string): string;
  /** Plays the tests that are nearest to the mutant. */
  near(mutant: Mutant): Promise<Entry>;
  /** Plays the tests of the mutant's room, and the stories. */
  wide(mutant: Mutant): Promise<Entry>;
  /** What is tried after this, or was meanwhile, comes to nothing. */
  close(): Promise<void>;
  isClosed(): boolean;
}

/** A copy of the tree to break, and the servers on which its tests run. */
export async function openTrial(): Promise<Trial> {
  const scratch = await makeScratch();
  const stopServers = await startTestServers(console.log, { isMeasured: false }).catch(async (error: unknown) => {
    await scratch.remove();
    throw error;
  });
  const { folder } = scratch;
  // Tests of the API serve it.
  if (!existsSync(join(folder, 'dashboard/dist'))) await run(process.execPath, [...vite], { cwd: folder });
  const jest = startJest(folder);
  const isOfService = (file: string) => isMutated(file) && !file.startsWith('dashboard/');
  const isOfDashboard = (file: string) => file.startsWith('dashboard/');
  const seconds = readSeconds();
  let isClosed = false;
  const reach = readReach(folder, listFiles(), (test) => seconds.get(test) ?? 8);
  const closing = new AbortController();
  let reached: Promise<Reached> | undefined;
  const bench: Bench = {
    scratch,
    jest,
    seconds,
    reach,
    types: openTypes(folder, 'tsconfig.json', isOfService),
    typesOfDashboard: openTypes(folder, 'dashboard/tsconfig.json', isOfDashboard),
    reached: () =>
      (reached ??= readReached(notedFolder, scratch, listFiles().filter(isNoted), (environment) =>
        playAll(bench, environment, closing.signal),
      )),
    hasPassed: new Map<string, boolean>(),
  };
  return {
    folder,
    textOf: (file) => textOf(bench, file),
    near: (mutant) => tryOne(bench, mutant, false),
    wide: (mutant) => tryOne(bench, mutant, true),
    isClosed: () => isClosed,
    async close() {
      isClosed = true;
      closing.abort();
      await jest.stop();
      await stopServers();
      await scratch.remove();
    },
  };
}

interface Bench {
  scratch: Scratch;
  jest: Jest;
  seconds: Map<string, number>;
  reach: Reach;
  types: Types;
  typesOfDashboard: Types;
  /** Played once, before the first mutant. */
  reached(): Promise<Reached>;
  /** Tests of the tree as it is, by what is played of them: one that fails anyway would seem to notice everything. */
  hasPassed: Map<string, boolean>;
}

const textOf = ({ scratch: { folder } }: Bench, file: string) => readFileSync(join(folder, file), 'utf8');

type Decision = Pick<Entry, 'outcome' | 'why'>;

async function tryOne(bench: Bench, given: Mutant, isWide: boolean): Promise<Entry> {
  const startedAt = Date.now();
  const { file, line, operator, at } = given;
  const text = textOf(bench, file);
  const mutant = withWord(bench, given);
  const played: Entry['played'] = [];
  const { outcome, why } = mutant
    ? await decisionOn(bench, mutant, text, { isWide, played })
    : { outcome: 'broken' as const, why: 'its type names no other word' };
  const seconds = (Date.now() - startedAt) / 1_000;
  const change = changeOf(mutant ?? given, text);
  return {
    key: keyOf(given, text),
    room: roomOf(file),
    file,
    line,
    operator,
    at,
    change,
    outcome,
    why,
    isWide,
    seconds,
    played,
  };
}

function withWord(bench: Bench, mutant: Mutant): Mutant | null {
  if (mutant.replacement !== null) return mutant;
  const replacement = typesOf(bench, mutant.file).neighbourOf(mutant.file, mutant.start);
  return replacement === null ? null : { ...mutant, replacement };
}

const typesOf = ({ types, typesOfDashboard }: Bench, file: string) =>
  file.startsWith('dashboard/') ? typesOfDashboard : types;

async function decisionOn(
  bench: Bench,
  mutant: Mutant,
  text: string,
  { isWide, played }: { isWide: boolean; played: Entry['played'] },
): Promise<Decision> {
  const reason = reasonAgainst(mutant, text);
  if (reason !== null) return { outcome: 'equivalent', why: reason };
  const { file } = mutant;
  const changed = applied(mutant, text);
  const reached = await bench.reached();
  const faults = isSql(file) ? [] : typesOf(bench, file).faultsOf(file, changed);
  if (faults.length > 0) return { outcome: 'broken', why: `types: ${faults[0]}` };
  const { scratch } = bench;
  await scratch.write(file, changed);
  try {
    const settled = await settle(bench, mutant);
    const place = { file, text, at: mutant.start };
    const waiting = testsOf({ ...bench, reached }, mutant, text, isWide).flatMap((chosen) => {
      if (chosen.test !== PAGES) return chosen;
      const names = reached.testsOfPages(place, MAX_SECONDS_OF_PAGES);
      return names.length > 0 ? { test: PAGES, names } : [];
    });
    for (const chosen of waiting) {
      const startedAt = Date.now();
      const result = await play(bench, chosen, await settled.environmentOf(chosen.test));
      const seconds = (Date.now() - startedAt) / 1_000;
      played.push({ test: chosen.test, seconds, hasPassed: result.kind === 'passed' });
      if (result.kind === 'passed') {
        if (!chosen.names) bench.seconds.set(chosen.test, seconds);
        bench.hasPassed.set(nameOf(chosen), true);
        continue;
      }
      if (!(await passesUnchanged(bench, mutant, text, chosen, result))) {
        await scratch.write(file, changed);
        await settled.again();
        const others = otherNames(chosen, result);
        if (others) waiting.push(others);
        continue;
      }
      return result.kind === 'failed'
        ? { outcome: 'killed', why: `${chosen.test}: ${result.test ?? result.message}` }
        : { outcome: 'broken', why: firstLine(result.message) };
    }
    return { outcome: 'survived', why: `${played.length} test files` };
  } catch (error) {
    return { outcome: 'broken', why: firstLine(error instanceof Error ? error.message : String(error)) };
  } finally {
    await scratch.write(file, text);
    await dropDatabases();
  }
}

const firstLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 300);

const nameOf = ({ test, names }: Chosen) => [test, ...(names ?? [])].join(' | ');

function testsOf(
  { reach, reached, seconds }: Pick<Bench, 'reach' | 'seconds'> & { reached: Reached },
  mutant: Mutant,
  text: string,
  isWide: boolean,
): Chosen[] {
  const ofDashboard = mutant.file.startsWith('dashboard/');
  // What runs within Temporal's sandbox says nothing of itself.
  const isInSandbox = mutant.file.startsWith('workflows/');
  const around = textAround(mutant.file, text, mutant.start);
  const place = { file: mutant.file, text, at: mutant.start };
  const places = isSql(mutant.file) ? reach.callsOf(around) : [place, ...reach.usesOf(mutant.file, text, mutant.start)];
  const known = isInSandbox ? null : reached.filesOf(places);
  const mayRun = (test: string) =>
    !known ||
    known.has(test) ||
    test === ownTestOf(mutant.file) ||
    !isPlayedAtOnce(reach, test) ||
    !reached.isKnown(test);
  // A function of the database is called by others there too.
  const isKept = (test: string) => isSql(mutant.file) || mayRun(test);
  const turn = (test: string) => {
    if (isInSandbox) return Number(!test.startsWith('test/workflows/'));
    return isSql(mutant.file) ? (reach.says(test, around) ? 0 : known?.has(test) ? 1 : 2) : 0;
  };
  const ranked = reach
    .testsOf(mutant.file, around)
    // What a browser shows of the service takes minutes to say little.
    .filter(({ test }) => (ofDashboard || !test.startsWith('test/dashboard/')) && isKept(test))
    .toSorted((one, other) => turn(one.test) - turn(other.test));
  const partIn = reached.partsOf(places);
  // Which of the pages are opened is chosen apart.
  const partOf: PartOf = (test) => (test === PAGES ? null : partIn(test));
  const near = ofDashboard
    ? nearInDashboard(reach, ranked).map((each) => chosenOf(each, partOf(each.test)))
    : nearInService({ reach, seconds }, mutant, ranked, partOf);
  if (!isWide) return near;
  const room = roomOf(mutant.file);
  const folders = [`test/${room === 'migration' ? 'prisma' : room}/`, 'test/stories/'];
  const isNear = new Set(near.map(({ test }) => test));
  return ranked
    .filter(({ test }) => !isNear.has(test) && folders.some((folder) => test.startsWith(folder)))
    .map((each) => chosenOf(each, partOf(each.test)));
}

type PartOf = ReturnType<Reached['partsOf']>;

/** A file of tests, or that part of it. */
const chosenOf = (chosen: Chosen, part: Pick<NonNullable<ReturnType<PartOf>>, 'names'> | null): Chosen =>
  part?.names ? { ...chosen, names: part.names } : chosen;

/** Those without a browser; the pages last. */
const nearInDashboard = (reach: Reach, ranked: Chosen[]): Chosen[] =>
  ranked
    .filter(({ test }) => !isInBrowser(reach, test))
    .toSorted((one, other) => Number(one.test === PAGES) - Number(other.test === PAGES));

/** Of what is known to run the place first: only those of a file's tests that do. */
function nearInService(
  { reach, seconds }: Pick<Bench, 'reach' | 'seconds'>,
  { file }: Mutant,
  ranked: Chosen[],
  partOf: PartOf,
): Chosen[] {
  const inTables = Object.entries(tables).flatMap(([start, tests]) => (file.startsWith(start) ? tests : []));
  const isInTables = (test: string) => inTables.includes(test);
  const parts = ranked
    .map(({ test }) => ({
      test,
      ...((test === OF_THE_DOCUMENT ? null : partOf(test)) ?? { names: null, seconds: seconds.get(test) ?? 8 }),
    }))
    .toSorted((one, other) => turnOf(reach, file, one) - turnOf(reach, file, other));
  let left = MAX_NEAR_SECONDS;
  // What starts processes comes last, and takes minutes: of that one, where there is nothing else.
  return parts
    .filter((part, index) => {
      if (isBuilt(reach, part.test)) return index === 0;
      const isPlayed = left > 0 || index < MIN_NEAR || isInTables(part.test);
      left -= part.seconds + LOAD_SECONDS;
      return isPlayed;
    })
    .map((part) => chosenOf({ test: part.test }, part));
}

const ownTestOf = (file: string) => `test/${file.replace(/\.tsx?$/, '')}.test.ts`;

/** A file's own tests come first; last what starts the service as processes of its own. */
function turnOf(reach: Reach, file: string, { test }: { test: string }): number {
  if (test === ownTestOf(file)) return 0;
  return isBuilt(reach, test) ? 2 : 1;
}

/** Plays what notes can be taken of: no browsers, and no processes of their own. Some of it reads the sources, and fails. */
async function playAll(
  { scratch: { folder }, reach }: Bench,
  given: { REACHED: string },
  signal: AbortSignal,
): Promise<void> {
  const tests = listFiles().filter((file) => file.endsWith('.test.ts') && isPlayedAtOnce(reach, file));
  console.log(`Which tests run what: ${tests.length} files are played once`);
  const environment = 'test/proofs/mutation/note-reached.cjs';
  const options = [
    '--silent',
    '--testEnvironment',
    join(folder, environment),
    '--testTimeout=60000',
    '--runTestsByPath',
  ];
  const cli = join(folder, 'node_modules/jest/bin/jest.js');
  const played = run(process.execPath, [cli, ...options, ...tests], {
    cwd: folder,
    env: { ...withServers({}), ...given },
    maxBuffer: Infinity,
    signal,
  });
  const failed = await played.then(
    () => null,
    ({ stderr }: { stderr: string }) => [...stderr.matchAll(/^FAIL (\S+)/gm)].map(([, test]) => test),
  );
  signal.throwIfAborted();
  if (failed) console.log(`  failed with notes taken, and may be incomplete: ${failed.join(', ')}`);
}

const isPlayedAtOnce = (reach: Reach, test: string) =>
  !/^test\/(proofs|local)\//.test(test) && !isInBrowser(reach, test) && !isBuilt(reach, test);

/** What is left of the chosen tests of a file without the one that needs those before it. */
function otherNames({ test, names }: Chosen, result: TestRun): Chosen | null {
  if (!names || result.kind !== 'failed' || result.test === null) return null;
  const failed = result.test;
  const left = names.filter((name) => !new RegExp(asPattern(name)).test(failed));
  return left.length > 0 && left.length < names.length ? { test, names: left } : null;
}

const play = ({ jest }: Bench, { test, names }: Chosen, environment: NodeJS.ProcessEnv): Promise<TestRun> =>
  jest.run({
    path: test,
    names,
    environment,
    timeoutMs: test.startsWith('test/dashboard/') ? 3 * MAX_RUN_MS : MAX_RUN_MS,
  });

/** Whether what has failed passes without the mutant: the one test by itself, or where it needs those before it, all that were played. */
async function passesUnchanged(
  bench: Bench,
  { file }: Mutant,
  text: string,
  chosen: Chosen,
  result: TestRun,
): Promise<boolean> {
  if (chosen.test === PAGES) return true;
  const { test } = chosen;
  const alone = result.kind === 'failed' && result.test !== null ? [{ test, names: [result.test] }] : [];
  await bench.scratch.write(file, text);
  if (isBuilt(bench.reach, test)) await buildService(bench.scratch.folder);
  for (const each of [...alone, chosen]) {
    // A test may fail once by chance.
    const hasPassed =
      bench.hasPassed.get(nameOf(each)) ??
      ((await passes(bench, each)) || (each === chosen && (await passes(bench, each))));
    bench.hasPassed.set(nameOf(each), hasPassed);
    if (hasPassed) return true;
  }
  console.log(`  left out: ${nameOf(chosen).slice(0, 200)} fails without any mutant`);
  return false;
}

const passes = async (bench: Bench, chosen: Chosen) => (await play(bench, chosen, withServers({}))).kind === 'passed';

interface Settled {
  /** The environment of a test, with what it needs made of the changed tree. */
  environmentOf(test: string): Promise<NodeJS.ProcessEnv>;
  /** After the tree was another for a time. */
  again(): Promise<void>;
}

/** Makes what tests do not read from the sources themselves. Throws where it cannot be made of them. */
async function settle({ scratch: { folder }, reach }: Bench, { file, operator }: Mutant): Promise<Settled> {
  if (operator === 'drop an await') await run(process.execPath, [...lint, file], { cwd: folder });
  let isShown = false;
  const buildDashboard = async () => {
    if (isShown) await run(process.execPath, [...vite], { cwd: folder });
  };
  const own = isSql(file) ? { templateDatabase: await migrated(folder) } : {};
  let workflowBundle: string | undefined;
  return {
    again: buildDashboard,
    async environmentOf(test) {
      if (!isShown && file.startsWith('dashboard/') && isInBrowser(reach, test)) {
        isShown = true;
        await buildDashboard();
      }
      if (isBuilt(reach, test)) await buildService(folder);
      if (reach.reaches('worker/workflow-bundle.ts', file) && reach.reaches(test, 'worker/create-worker.ts'))
        workflowBundle ??= await bundleWorkflows(folder);
      return withServers({ ...own, ...(workflowBundle && { workflowBundle }) });
    },
  };
}

const isInBrowser = (reach: Reach, test: string) => reach.reaches(test, 'dashboard/main.ts');

/** What is started as a process of its own. */
const isBuilt = (reach: Reach, test: string) =>
  ['test/support/service.ts', 'test/support/go-live.ts'].some((file) => reach.reaches(test, file));

const lint = ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings'];
const vite = ['node_modules/vite/bin/vite.js', 'build', 'dashboard', '--logLevel', 'error'];

async function buildService(folder: string): Promise<void> {
  await run(process.execPath, ['--import', 'tsx', 'local/build-main.ts'], { cwd: folder });
}

async function bundleWorkflows(folder: string): Promise<string> {
  const file = join(folder, 'workflows.js');
  await run(process.execPath, ['--import', 'tsx', 'worker/bundle-main.ts', file], { cwd: folder });
  return file;
}

let templates = 0;

async function migrated(folder: string): Promise<string> {
  templates += 1;
  const name = `test_template_${templates}`;
  await makeTemplate(testServers().postgresUrl, name, { folder: join(folder, 'prisma/migrations') });
  return name;
}

/** A test leaves its databases behind. */
async function dropDatabases(): Promise<void> {
  const client = new Client({ connectionString: testServers().postgresUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      `select datname from pg_database where datname like 'test\\_%'`,
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE ${escapeIdentifier(datname)} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
