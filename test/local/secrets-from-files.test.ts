import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { auditUrlOf, serviceUrlOf } from '@clinic/local/postgres';
import { serviceEnvironment } from '../support/app';
import { emptyDatabase } from '../support/database';
import { startService } from '../support/service';

const run = promisify(execFile);
const root = resolve(__dirname, '../..');
const secrets = ['AUTH_SECRET', 'VOICE_WEBHOOK_SECRET', 'DATABASE_URL', 'AUDIT_DATABASE_URL'];
const rings = ['PAYLOAD_KEYS', 'SECRET_KEYS'];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The environment with its secrets in files and its key rings behind a command: none stands in it. */
function hidden(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = { ...env };
  for (const name of [...secrets, ...rings]) {
    writeFileSync(join(folder, name), `${env[name]}\n`, { mode: 0o600 });
    kept[name] = '';
    if (secrets.includes(name)) kept[`${name}_FILE`] = join(folder, name);
  }
  const command = join(folder, 'decrypt-ring');
  writeFileSync(command, `#!/bin/sh\nset -eu\nexec cat "$1/$2"\n`);
  chmodSync(command, 0o700);
  return { ...kept, KEYRING_COMMAND: `${command} ${folder}` };
}

const node = (program: string, args: string[], env: NodeJS.ProcessEnv) =>
  run(process.execPath, [`dist/${program}.js`, ...args], { cwd: root, env: { PATH: process.env.PATH, ...env } });

test('API, worker and commands work with secrets in files and key rings of a command', async () => {
  const service = await startService({ hide: hidden });
  try {
    const { body } = await service.abandon();
    const workflow = await service.ended(body.workflowId);
    const { stdout } = await node('command', ['audit', 'verify'], service.env);

    expect(workflow.outcome).toBe('RECOVERED');
    expect(JSON.parse(stdout)).toMatchObject({ findings: [] });
    for (const name of [...secrets, ...rings]) expect(service.env[name]).toBe('');
  } finally {
    await service.stop();
  }
}, 240_000);

test('the migration makes its roles from files', async () => {
  const owner = await emptyDatabase();
  const urls = {
    DATABASE_OWNER_URL: owner,
    DATABASE_URL: serviceUrlOf(owner),
    AUDIT_DATABASE_URL: auditUrlOf(owner),
  };
  const env: NodeJS.ProcessEnv = {};
  for (const [name, url] of Object.entries(urls)) {
    writeFileSync(join(folder, name), url);
    env[`${name}_FILE`] = join(folder, name);
  }

  const { stdout } = await node('command', ['migrate'], env);

  expect(stdout).toContain('seals the audit, and nobody else does');
}, 60_000);

test.each(['api', 'worker'])(
  'the %s does not start without a file that is named, and says which variable',
  async (name) => {
    const env = serviceEnvironment({ port: 1, databaseUrl: 'postgresql://c:p@localhost/c', namespace: 'unused' });
    const given = { ...env, VOICE_WEBHOOK_SECRET: '', VOICE_WEBHOOK_SECRET_FILE: '/MARKER', KEYRING_COMMAND: 'false' };

    const failed = (await node(name, [], { ...given, SECRET_KEYS: '' }).catch((error: unknown) => error)) as {
      code: number;
      stderr: string;
    };

    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('VOICE_WEBHOOK_SECRET: VOICE_WEBHOOK_SECRET_FILE names a file that cannot be read');
    expect(failed.stderr).toContain('SECRET_KEYS: KEYRING_COMMAND did not print it: it ended with 1');
    expect(failed.stderr).not.toContain('MARKER');
  },
);
