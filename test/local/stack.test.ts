import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { freePort } from '@clinic/local/ports';
import type { DevStack } from '@clinic/local/dev-file';
import { seededRandom } from '@clinic/local/seeded-random';
import { untilKey } from '@clinic/local/until-key';
import { openDatabase } from '@clinic/prisma/client';
import { newId, randomToken } from '@clinic/shared/crypto';
import { aPhone, anAbandonedForm } from '../support/builders';
import { eventually } from '../support/eventually';
import { testServers } from '../support/servers';

const root = join(__dirname, '../..');
const entry = join(root, 'local/run.mjs');

let folder: string;
let ports: Record<string, string>;
let stack: Command;
let firstStart: DevStack;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clinic-stack-'));
  ports = {
    PORT: String(await freePort()),
    DATABASE_PORT: String(await freePort()),
    TEMPORAL_PORT: String(await freePort()),
    TEMPORAL_UI_PORT: String(await freePort()),
  };
  stack = run('start');
  await stack.says('Clinic workflows is up');
  firstStart = readDev();
}, 240_000);

afterAll(async () => {
  await stack.stop('SIGTERM');
  await run('reset').ended;
  rmSync(folder, { recursive: true, force: true });
}, 240_000);

test('dev.json tells how to reach everything, to its owner only', async () => {
  const { baseUrl, temporalUiUrl, clinics, unlinkedAccount, voiceSecret } = firstStart;

  expect(statSync(join(folder, 'dev.json')).mode & 0o777).toBe(0o600);
  expect(baseUrl).toBe(`http://localhost:${ports.PORT}/api`);
  expect(temporalUiUrl).toBe(`http://localhost:${ports.TEMPORAL_UI_PORT}`);
  expect(clinics).toHaveLength(2);
  expect(voiceSecret).not.toBe('');
  expect(unlinkedAccount.email).toContain('@');
  const answer = await fetch(`${baseUrl}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: clinics[0]!.email, password: clinics[0]!.password }),
  });
  expect(answer.status).toBe(200);
});

test('a second start is refused with what to do', async () => {
  const second = run('start');

  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/already running \(process \d+\)\. Stop it with Ctrl-C/);
});

test('the demo goes from the form to both signed events; two at once beside forms of others come to their end, each with its own', async () => {
  const demos = [run('demo'), run('demo', ['--scene', 'finds-it-expensive'])];
  await Promise.all(demos.map((demo) => demo.says('accepted: workflow')));
  await Promise.all(Array.from({ length: 5 }, abandonForm));
  await Promise.all(demos.map(({ ended }) => ended));

  expect(demos.map((demo) => demo.output())).toEqual([
    expect.stringMatching(/recovery_case\.created.*resolve_recovery_outcome.*Done: RECOVERED\./s),
    expect.stringMatching(/recovery_case\.created.*Done: PRICING_ESCALATION\./s),
  ]);
  expect(await Promise.all(demos.map(({ ended }) => ended))).toEqual([0, 0]);
  for (const demo of demos) expect(demo.output().match(/receives recovery_case\.created/g)).toHaveLength(1);
  expect(demos[0]?.output()).toContain(`${firstStart.temporalUiUrl}/namespaces/default/workflows/`);
}, 240_000);

test('verify-dials ends with 0 while every decision comes out the same, and with 1 where one does not', async () => {
  const before = run('verify-dials');
  expect(await before.ended).toBe(0);
  const database = openDatabase(firstStart.databaseUrl, { poolSize: 1 });
  const [changed] = await database.sql<{ id: string }>`
    update call_decisions set decided = '{"kind": "call", "attempt": 7}'::jsonb
    where id = (select id from call_decisions where rule = 'due' limit 1) returning id`;
  await database.close();

  const after = run('verify-dials');

  expect(await after.ended).toBe(1);
  expect(JSON.parse(before.stdout())).toMatchObject({ checked: expect.any(Number), differences: [] });
  expect(JSON.parse(after.stdout())).toMatchObject({
    differences: [{ id: changed?.id, stored: { attempt: 7 }, now: { attempt: 1 } }],
  });
}, 240_000);

test('a demo leaves a URL that is in use alone, and takes back one that a killed demo left behind', async () => {
  const [first, second] = firstStart.clinics;
  const inUse = `http://127.0.0.1:${ports.PORT}/healthz`;
  const leftBehind = `http://127.0.0.1:${await freePort()}/npm-run-demo/1`;
  await setOutbound(first!, inUse);
  await setOutbound(second!, leftBehind);

  const demo = run('demo');

  expect(await demo.ended).toBe(0);
  expect(demo.output()).toContain(`${second!.name}, ${second!.timezone}`);
  expect([await outboundOf(first!), await outboundOf(second!)]).toEqual([inUse, null]);
  await setOutbound(first!, null);
}, 240_000);

test('what was started for a command stays up until a key is pressed, or Ctrl-C', async () => {
  const terminal = () => Object.assign(new PassThrough(), { setRawMode: jest.fn().mockReturnThis() });
  const [pressed, interrupted] = [terminal(), terminal()];
  const [said, ctrlC] = [jest.fn(), new AbortController()];
  const about = { say: said, dev: { dashboardUrl: 'http://localhost:3000' } };
  const untilPressed = untilKey({ ...about, signal: new AbortController().signal, input: pressed as never });
  const untilInterrupted = untilKey({ ...about, signal: ctrlC.signal, input: interrupted as never });
  expect(said).toHaveBeenCalledWith(expect.stringMatching(/stays up .*localhost:3000\. Press any key/));

  pressed.write('q');
  ctrlC.abort();

  await Promise.all([untilPressed, untilInterrupted]);
  for (const { setRawMode } of [pressed, interrupted]) expect(setRawMode.mock.calls).toEqual([[true], [false]]);
});

test('what is random comes again from the same seed, whatever else asks for some in between', async () => {
  const drawn = (seed: string, between: () => void) =>
    seededRandom(seed).during(async () => {
      const first = randomToken();
      between();
      return [first, randomToken(12), newId()];
    });

  const [one, again, other] = [
    await drawn('7', () => undefined),
    await drawn('7', () => void randomBytes(18)),
    await drawn('8', () => undefined),
  ];

  expect(again).toEqual(one);
  expect(one.filter((each) => other.includes(each))).toEqual([]);
  expect(newId()).not.toBe(newId());
});

test('an unknown scene is refused with the names there are', async () => {
  const demo = run('demo', ['--scene', 'sings']);

  expect(await demo.ended).toBe(1);
  expect(demo.output()).toMatch(/--scene agrees \| wants-callback \| .* \| care-gap/);
});

test('a command without options refuses one, and says what there is; reset then removes nothing', async () => {
  const [start, reset, verify, ephemeral] = [
    run('start', ['--port=4000']),
    run('reset', ['--dry-run']),
    run('verify-dials', ['all']),
    run('start', ['--ephemeral', '--clock', 'tomorrow'], { TMPDIR: folder }),
  ];

  expect(await Promise.all([start.ended, reset.ended, verify.ended, ephemeral.ended])).toEqual([1, 1, 1, 1]);
  expect(ephemeral.output()).toMatch(/--clock is not an instant .*: tomorrow.*--seed N/s);
  expect(readdirSync(folder).filter((name) => name.startsWith('clinic-ephemeral-'))).toEqual([]);
  expect(start.output()).toMatch(/Unknown option '--port'.*PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, DATABASE_PORT/s);
  expect(reset.output()).toMatch(/Unknown option '--dry-run'.*npm run reset, without options/s);
  expect(verify.output()).toMatch(/too many arguments for 'verify-dials'.*Usage: npm run verify-dials/s);
}, 240_000);

test('what the first hour shows works as pasted: each of the seven events comes to its outcome, and the FHIR walk to its end', async () => {
  const guide = readFileSync(join(root, 'docs', 'first-hour.md'), 'utf8').replaceAll(
    './.local/dev.json',
    join(folder, 'dev.json'),
  );
  const walks = [...guide.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, text]) => (text?.includes('BASE') ? [text] : []));
  const { baseUrl, clinics } = firstStart;

  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', walks.join('\n')], { cwd: root });

  expect(stdout).not.toContain('statusCode');
  expect(stdout.match(/"accepted":true/g)).toHaveLength(7);
  expect(stdout).toMatch(/\d+ of \d+ passed, 0 failed, \d+ not seen/);
  expect(stdout).toMatch(
    /"outcome":"PRICING_ESCALATION".*"results":.*"Schedule".*"booked".*"cancelled".*"DocumentReference"/s,
  );
  const runs = await eventually(
    async () => {
      const answer = await fetch(`${baseUrl}/workflows`, {
        headers: { authorization: `Bearer ${clinics[0]!.apiKey}` },
      });
      const { items } = (await answer.json()) as { items: { workflowType: string; status: string; outcome: string }[] };
      return items.every(({ status }) => status === 'completed') && items;
    },
    { within: 45_000 },
  );
  expect(runs.map(({ workflowType, outcome }) => `${workflowType}: ${outcome}`)).toEqual(
    expect.arrayContaining([
      'appointment-confirmation: CONFIRMED',
      'appointment-reminder: CONFIRMED',
      'payment-recovery: SELF_PAY',
      'prescription-follow-up: INFORMED',
      'cancellation-follow-up: REBOOKED',
    ]),
  );
  const answer = await fetch(`${baseUrl}/cases?search=session-1`, {
    headers: { authorization: `Bearer ${await signIn(clinics[0]!)}` },
  });
  const { items } = (await answer.json()) as { items: { sessionId: string; recoveryStatus: string }[] };
  // Whichever came first: the completed form, or the call.
  expect(items.find(({ sessionId }) => sessionId === 'session-1')?.recoveryStatus).toMatch(
    /^(ALREADY_COMPLETED|RECOVERED)$/,
  );
}, 240_000);

test('one command fills the demo clinics, once', async () => {
  const filled = run('demo', ['--fill', '20']);

  expect(await filled.ended).toBe(0);
  expect(filled.output()).toContain('are really started');
  expect(await run('demo', ['--fill', '20']).ended).toBe(1);
}, 240_000);

test('a clinic can be made while the stack runs; its entry is printed and remembered', async () => {
  const clinic = run('clinic', ['create', '--name', 'Third Clinic', '--timezone', 'Europe/Paris']);

  expect(await clinic.ended).toBe(0);
  const made = JSON.parse(clinic.stdout()) as DevStack['clinics'][number];
  expect(made).toMatchObject({ name: 'Third Clinic', timezone: 'Europe/Paris' });
  expect(readDev().clinics.at(-1)).toEqual(made);
});

test('a taken port is named together with its variable and a port that is free', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'clinic-stack-'));
  const other = run('start', [], { LOCAL_FOLDER: elsewhere, DATABASE_PORT: String(await freePort()) });

  expect(await other.ended).toBe(1);
  expect(other.output()).toContain(`Port ${ports.PORT} for the API is taken`);
  const proposed = /Choose another: PORT=(\d+) npm start/.exec(other.output())?.[1];
  expect(await isOpen(Number(proposed))).toBe(false);
  rmSync(elsewhere, { recursive: true });
});

test('Ctrl-C, twice as npm passes it on, stops everything; the next start has the same data and secrets', async () => {
  const before = readDev();
  stack.process.kill('SIGINT');

  expect(await stack.stop('SIGINT')).toBe(0);
  for (const port of Object.values(ports)) expect(await isOpen(Number(port))).toBe(false);

  stack = run('start');
  await stack.says('Clinic workflows is up');
  expect(readDev()).toEqual(before);
}, 240_000);

test('when the supervisor is killed nothing stays behind, and the next start works', async () => {
  stack.process.kill('SIGKILL');
  await stack.ended;

  stack = run('start');
  await stack.says('Clinic workflows is up');

  expect(readDev().clinics).toHaveLength(3);
}, 240_000);

test('a taken port is said before anything is built', async () => {
  const script = `require(${JSON.stringify(join(root, 'local/stack.ts'))})
    .startStack({ say: () => {}, build: async () => console.log('built') })
    .catch((error) => console.log(error.message));`;
  const env = { ...process.env, ...ports, LOCAL_FOLDER: join(folder, 'other') };

  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '-e', script], { cwd: root, env });

  expect(stdout).toContain(`Port ${ports.PORT} for the API is taken`);
  expect(stdout).not.toContain('built');
});

const readDev = (): DevStack => JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8')) as DevStack;

type Clinic = DevStack['clinics'][number];

/** Somebody else leaves a form of the first clinic. */
async function abandonForm(): Promise<void> {
  const [clinic] = firstStart.clinics;
  const response = await fetch(`${firstStart.baseUrl}/automation/webhook/${clinic!.clinicId}/forms-abandoned`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-automation-secret': clinic!.inboundSecrets['forms-abandoned']!,
    },
    body: JSON.stringify(anAbandonedForm({ phone: aPhone() })),
  });
  expect(response.status).toBe(200);
}

async function setOutbound(clinic: Clinic, url: string | null): Promise<void> {
  const { events } = await outbound(clinic, 'GET');
  await outbound(clinic, 'PUT', { url, enabled: true, events });
}

const outboundOf = async (clinic: Clinic) => (await outbound(clinic, 'GET')).url;

const asJson = { 'content-type': 'application/json' };

/** The token of a session. */
async function signIn({ email, password }: Clinic): Promise<string> {
  const answer = await fetch(`${firstStart.baseUrl}/auth/sign-in/email`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify({ email, password }),
  });
  return ((await answer.json()) as { token: string }).token;
}

async function outbound(clinic: Clinic, method: string, change?: unknown) {
  const token = await signIn(clinic);
  const response = await fetch(`${firstStart.baseUrl}/integrations/outbound`, {
    method,
    headers: { ...asJson, authorization: `Bearer ${token}` },
    body: change === undefined ? undefined : JSON.stringify(change),
  });
  if (!response.ok) throw new Error(`${method} outbound: ${response.status} ${await response.text()}`);
  return (await response.json()) as { url: string | null; events: string[] };
}

interface Command {
  process: ChildProcess;
  stdout: () => string;
  output: () => string;
  says: (text: string) => Promise<void>;
  ended: Promise<number | null>;
  stop: (signal: NodeJS.Signals) => Promise<number | null>;
}

function run(command: string, args: string[] = [], env: Record<string, string> = {}): Command {
  const { DATABASE_URL: _database, TEMPORAL_ADDRESS: _temporal, NODE_ENV: _test, ...inherited } = process.env;
  const child = spawn(process.execPath, [entry, command, ...args], {
    cwd: root,
    // The workflows are bundled already: what a worker does with them when it starts is proven elsewhere.
    env: { ...inherited, ...ports, LOCAL_FOLDER: folder, WORKFLOW_BUNDLE: testServers().workflowBundle, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, output] = ['', ''];
  const listeners = new Set<() => void>();
  child.stdout.on('data', (data: Buffer) => {
    stdout += String(data);
    output += String(data);
    for (const listener of listeners) listener();
  });
  child.stderr.on('data', (data: Buffer) => (output += String(data)));
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return {
    process: child,
    stdout: () => stdout,
    output: () => output,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => stdout.includes(text) && resolve();
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`\`${command}\` ended without saying "${text}":\n${output}`)));
      }),
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
