// Writes the Prisma client when schema.prisma or Prisma itself has changed since the last time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const room = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const stamp = join(room, 'generated', 'generated-from');

/** Answers whether the client had to be written. */
export function generate() {
  const manifest = require.resolve('prisma/package.json');
  const { version, bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const schema = readFileSync(join(room, 'schema.prisma'));
  const source = createHash('sha256').update(version).update(schema).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === source) return false;

  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(dirname(manifest), bin.prisma), 'generate', '--no-hints'],
    {
      cwd: dirname(room),
      encoding: 'utf8',
      env: {
        ...process.env,
        // Generating needs no schema engine, yet looks for one to download unless it is pointed at an existing file.
        PRISMA_SCHEMA_ENGINE_BINARY: process.env.PRISMA_SCHEMA_ENGINE_BINARY ?? process.execPath,
        CHECKPOINT_DISABLE: '1',
      },
    },
  );
  if (status !== 0) throw new Error(`prisma generate failed:\n${stdout}${stderr}`);
  writeFileSync(stamp, source);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(generate() ? 'The Prisma client is written.' : 'The Prisma client is up to date.');
}
