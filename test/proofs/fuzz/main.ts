import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase } from '@clinic/prisma/client';
import { createClinic, type DevClinic } from '@clinic/accounts/seed';
import { z } from 'zod';
import type { DevStack } from '@clinic/local/dev-file';
import { localKeys } from '@clinic/local/environment';
import { inLocal } from '@clinic/local/paths';
import { withStack } from '@clinic/local/with-stack';

const version = '4.32.5';
const folder = inLocal('fuzz');
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** Each takes something away that the others need; they come last. The stream never ends. */
const destructive = [
  'deleteIntegrationsApiKeysByApiKeyId',
  'putAbandonmentRecoverySandboxEmrConfig',
  'postAuthSignOut',
  'postIntegrationsInboundByEventRotateSecret',
  'deleteIntegrationsInboundByEventPreviousSecret',
];
const endless = ['getStream'];

const say = (line: string): void => console.log(line);

/** `npm run prove -- fuzz`: schemathesis over the OpenAPI document, against a clinic made for it (docs/fuzzing.md). */
export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { examples: { type: 'string', default: '100' }, seed: { type: 'string' } },
  });
  await withStack(say, async (dev, signal) => {
    const tool = await schemathesis(signal);
    const target = await prepareClinic(dev);
    const run = async (pass: string, config: string, which: string[]) => {
      say(`\nSchemathesis, ${pass}, up to ${values.examples} examples a route`);
      const file = join(folder, 'schemathesis.toml');
      writeFileSync(file, config, { mode: 0o600 });
      const options = ['--phases', 'examples,coverage,fuzzing', '--checks', checks.join(), '-n', values.examples];
      if (values.seed) options.push('--seed', values.seed);
      const document = `${dev.baseUrl}/openapi.json`;
      const quiet = ['--workers', '1', '--suppress-health-check', 'all', '--warnings', 'off', '--continue-on-failure'];
      return spawned(tool, ['--config-file', file, 'run', document, ...options, ...quiet, ...which], signal);
    };
    const without = [...endless, ...destructive].flatMap((id) => ['--exclude-operation-id', id]);
    const only = destructive.flatMap((id) => ['--include-operation-id', id]);
    const isClean = [
      await run('with ids that exist', configOf(target, target.ids), without),
      await run('with any ids', configOf(target, {}), without),
      await run('what takes away', configOf(target, {}), only),
    ].every((code) => code === 0);
    if (!isClean) throw new Error('Schemathesis found something; see above.');
  });
}

/** The tool in a virtual environment of its own, kept beside the local stack's data. */
async function schemathesis(signal: AbortSignal): Promise<string> {
  const tool = join(folder, `venv-${version}`, 'bin', 'st');
  if (existsSync(tool)) return tool;
  mkdirSync(folder, { recursive: true });
  const venv = join(folder, `venv-${version}`);
  const isMade =
    (await spawned('python3', ['-m', 'venv', venv], signal)) === 0 &&
    (await spawned(join(venv, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${version}`], signal)) === 0;
  if (!isMade) throw new Error('Schemathesis could not be installed: it needs python3 with venv and pip.');
  return tool;
}

interface Target {
  clinic: DevClinic;
  session: string;
  /** For the route that ends its session. */
  spareSession: string;
  /** Of another account, for the route that ends every session of its own. */
  staffSession: string;
  voiceSecret: string;
  testCallId: string;
  /** By the name of the path's parameter. */
  ids: Record<string, string>;
}

/** A clinic with records of every kind, so that routes have something to answer with. */
async function prepareClinic(dev: DevStack): Promise<Target> {
  const clinic = await newClinic(dev);
  const send = caller(dev.baseUrl);
  const signIn = async (login: { email: string; password: string }) =>
    (await send('POST', '/auth/sign-in/email', { body: login })).token;
  const [session, spareSession] = [await signIn(loginOf(clinic)), await signIn(loginOf(clinic))];
  const staffSession = await signIn(clinic.staff);
  const asAdmin = (method: string, path: string, body?: unknown) => send(method, path, { bearer: session, body });
  const withKey = (method: string, path: string, body?: unknown) => send(method, path, { bearer: clinic.apiKey, body });

  await asAdmin('PUT', '/abandonment-recovery/sandbox-emr/config', { enabled: true });
  await asAdmin('PUT', '/integrations/outbound', { url: 'http://127.0.0.1:9/nobody-listens' });
  const { workflowId } = await withKey('POST', '/workflows/start', {
    workflowType: 'abandonment-recovery',
    clinicId: clinic.clinicId,
    patient: { firstName: 'Fuzz', lastName: 'Target', phone: '+15005550003' },
    context: { sessionId: `fuzz-${Date.now()}` },
  });
  const workflow = await withKey('GET', `/workflows/${workflowId}?wait=30`);
  // The call ends a moment after its case.
  await sleep(2_000);
  const { callId } = await asAdmin('POST', '/voice/test-calls', {});
  const { slots } = await withKey('GET', '/availability');
  const listed = async (path: string) => firstOf((await asAdmin('GET', path)).items, path).id;
  const patientId = await listed('/patients');
  const { providerName, startsAt } = firstOf(slots, 'slots');
  const appointment = await withKey('POST', '/appointments', { patientId, providerName, startsAt });
  const optOut = await asAdmin('POST', '/integrations/opt-outs', { phone: '+15005550199' });
  const ids = {
    workflowId,
    recoveryCaseId: workflow.recoveryCaseId,
    patientId,
    name: providerName,
    asset: 'show.js',
    appointmentId: appointment.id,
    id: appointment.id,
    optOutId: optOut.id,
    callId: await listed(`/calls?workflowId=${workflowId}`),
    taskId: await listed('/tasks'),
    deliveryId: await listed('/deliveries'),
    endpointId: (
      await asAdmin('POST', '/integrations/outbound/endpoints', { name: 'Fuzzed', url: 'https://fuzz.example' })
    ).id,
  };
  return { clinic, session, spareSession, staffSession, voiceSecret: dev.voiceSecret, testCallId: callId, ids };
}

async function newClinic(dev: DevStack): Promise<DevClinic> {
  const database = openDatabase(dev.databaseUrl, { poolSize: 2 });
  try {
    const about = { name: `Fuzzed ${Date.now()}`, timezone: 'America/New_York', demo: true };
    return await createClinic({ database, ...localKeys(dev) }, about);
  } finally {
    await database.close();
  }
}

const loginOf = ({ email, password }: DevClinic) => ({ email, password });

/** Credentials by security scheme, and what single routes need besides. */
function configOf({ clinic, ...target }: Target, ids: Record<string, string>): string {
  const schemes = [
    // A slow answer that is asked for takes up to 20 s.
    'request-timeout = 30',
    `[auth.openapi.session]\nbearer = ${quote(target.session)}`,
    `[auth.openapi.apiKey]\nbearer = ${quote(clinic.apiKey)}`,
    `[auth.openapi.voiceSecret]\napi_key = ${quote(target.voiceSecret)}`,
    operation('include-operation-id = "postAuthSignOut"', {
      headers: { Authorization: `Bearer ${target.spareSession}` },
    }),
    operation('include-operation-id = "deleteAuthSessions"', {
      headers: { Authorization: `Bearer ${target.staffSession}` },
    }),
    operation('include-path-regex = "toolName"', { headers: { 'x-call-id': target.testCallId } }),
    // They ask an identity provider, which here nobody runs.
    operation(
      'include-path-regex = "/sso"\nchecks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]',
      {},
    ),
  ];
  const inbound = Object.entries(clinic.inboundSecrets).map(([event, secret]) =>
    operation(`include-path = "/automation/webhook/{clinicId}/${event}"`, {
      headers: { 'x-automation-secret': secret },
      parameters: { clinicId: clinic.clinicId },
    }),
  );
  const known = Object.entries(ids).map(([name, id]) =>
    operation(`include-path-regex = ${quote(`\\{${name}\\}`)}`, { parameters: { [`path.${name}`]: id } }),
  );
  return [...schemes, ...inbound, ...known].join('\n\n');
}

function operation(which: string, given: Partial<Record<'headers' | 'parameters', Record<string, string>>>): string {
  const tables = Object.entries(given).map(([kind, values]) => {
    const pairs = Object.entries(values).map(([name, value]) => `${quote(name)} = ${quote(value)}`);
    return `${kind} = { ${pairs.join(', ')} }`;
  });
  return ['[[operations]]', which, ...tables].join('\n');
}

/** TOML's basic strings are JSON's. */
const quote = (text: string) => JSON.stringify(text);

const Text = z.string().default('');

/** What is read of the responses, each of which has some of it. */
const Answer = z.object({
  id: Text,
  token: Text,
  workflowId: Text,
  recoveryCaseId: Text,
  callId: Text,
  items: z.array(z.object({ id: z.string() })).default([]),
  slots: z.array(z.object({ providerName: z.string(), startsAt: z.string() })).default([]),
});
type Answer = z.infer<typeof Answer>;

const caller =
  (baseUrl: string) =>
  async (method: string, path: string, { bearer, body }: { bearer?: string; body?: unknown }): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(bearer && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return Answer.parse(await response.json());
  };

const firstOf = <Item>([first]: Item[], what: string): Item => {
  if (first === undefined) throw new Error(`there are no ${what}`);
  return first;
};

function spawned(command: string, args: string[], signal: AbortSignal): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: 'inherit', signal });
    child.on('error', reject);
    child.on('exit', resolve);
  });
}
