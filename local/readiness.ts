import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readDevStack } from './dev-file';
import { readinessOf } from './ehr-checks/against';

const usage = `Usage:
  npm run readiness -- [options] -- <command> [arguments]   starts a run, runs the client, ends the run, reports
  npm run readiness -- [options]                            ends the run that is under way, or takes the newest, and reports
  npm run readiness -- --against BASE [options]             tries a FHIR server from our side (npm run readiness -- --against --help)

  --junit FILE  --test-report FILE  --badge FILE  --json FILE   what is written
  --url URL --key KEY     the service, as https://clinic.example/api, and an API key; the local stack unless given
  --label TEXT            what is tried
  --min N                 fails unless so many behaviours are passed

It fails where a behaviour failed, where the client did, or with --min. The client finds READINESS_URL, READINESS_KEY and READINESS_RUN in
its environment.`;

const options = {
  junit: { type: 'string' },
  'test-report': { type: 'string' },
  badge: { type: 'string' },
  json: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  label: { type: 'string' },
  min: { type: 'string' },
} as const;

const files = [
  ['junit', 'junit'],
  ['test-report', 'test-report'],
  ['badge', 'badge'],
  ['json', ''],
] as const;

const Run = z.object({
  id: z.string(),
  state: z.enum(['running', 'ended']),
  score: z.object({ passed: z.number(), failed: z.number(), notSeen: z.number(), of: z.number() }),
  behaviours: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      verdict: z.enum(['passed', 'failed', 'not_seen']),
      why: z.string().nullable(),
      shownBy: z.object({ number: z.number(), request: z.string(), status: z.number().nullable() }).nullable(),
      howToCause: z.string(),
    }),
  ),
});
type Run = z.infer<typeof Run>;

/** `npm run readiness`: a validation run of a client, for people and for a CI. */
export async function main(args: string[]): Promise<void> {
  if (args.includes('--against')) return readinessOf(args);
  const end = args.indexOf('--');
  const [own, command] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const { values } = readOptions(own);
  const { url, key } = serviceOf(values);
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<string> => {
    const sent: RequestInit = {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    };
    if (body !== undefined) sent.body = JSON.stringify(body);
    const response = await fetch(`${url}${path}`, sent);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${sentenceOf(text)}`);
    return text;
  };
  const readRun = (text: string): Run => Run.parse(JSON.parse(text));

  let id: string;
  let hasClientFailed = false;
  if (command.length > 0) {
    id = readRun(await ask('POST', '/validation-runs', values.label ? { label: values.label } : {})).id;
    hasClientFailed = !(await succeeds(command, { READINESS_URL: url, READINESS_KEY: key, READINESS_RUN: id }));
  } else {
    const { items } = NewestRun.parse(JSON.parse(await ask('GET', '/validation-runs?limit=1')));
    if (!items[0]) throw new Error(`There is no validation run yet.\n\n${usage}`);
    id = items[0].id;
  }
  const run = readRun(await ask('POST', `/validation-runs/${id}/end`));
  for (const [option, report] of files) {
    const file = values[option];
    if (file) writeFileSync(file, await ask('GET', `/validation-runs/${id}${report && `/${report}`}`));
  }
  print(run);

  const { passed, failed } = run.score;
  const isEnough = values.min === undefined || passed >= Number(values.min);
  if (hasClientFailed) console.log('The client itself failed.');
  if (!isEnough) console.log(`Fewer than ${values.min} were passed.`);
  if (failed > 0 || hasClientFailed || !isEnough) process.exitCode = 1;
}

const Refusal = z.object({ message: z.string() });
const NewestRun = z.object({ items: z.array(z.object({ id: z.string() })) });

function readOptions(args: string[]) {
  try {
    const read = parseArgs({ args, options });
    if (read.values.min !== undefined && !/^\d+$/.test(read.values.min)) throw new Error('--min is a whole number');
    return read;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, { cause: error });
  }
}

function serviceOf({ url, key }: { url?: string; key?: string }): { url: string; key: string } {
  if (url && key) return { url: url.replace(/\/+$/, ''), key };
  const dev = readDevStack();
  const [clinic] = dev?.clinics ?? [];
  if (!dev || !clinic || url || key)
    throw new Error(`The local stack is not there: give --url and --key, both.\n\n${usage}`);
  return { url: dev.baseUrl, key: clinic.apiKey };
}

function print({ score, behaviours }: Run): void {
  const of = (verdict: Run['behaviours'][number]['verdict']) => behaviours.filter((each) => each.verdict === verdict);
  for (const { id, title, why, shownBy } of of('failed')) {
    console.log(`✕ ${id}: ${title}`);
    console.log(
      `    ${why}${shownBy ? ` (request ${shownBy.number}, ${shownBy.request}, ${shownBy.status ?? 'no reply'})` : ''}`,
    );
  }
  for (const { id, title, howToCause } of of('not_seen')) {
    console.log(`– ${id}: ${title}`);
    console.log(`    Not seen. ${howToCause}`);
  }
  console.log(`\n${score.passed} of ${score.of} passed, ${score.failed} failed, ${score.notSeen} not seen`);
}

function sentenceOf(text: string): string {
  try {
    return Refusal.parse(JSON.parse(text)).message;
  } catch {
    return text.slice(0, 200);
  }
}

/** Runs the client with our own input and output. */
function succeeds([command = '', ...args]: string[], added: Record<string, string>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...added } });
    child.once('error', (error) => reject(new Error(`${command} cannot be run: ${error.message}`)));
    child.once('exit', (code) => resolve(code === 0));
  });
}
