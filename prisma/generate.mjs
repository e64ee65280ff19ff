// Writes the Prisma client when schema.prisma or Prisma itself has changed since the last time.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const room = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const schemaFile = join(room, 'schema.prisma');
const stamp = join(room, 'generated', 'generated-from');

/** Returns whether the client had to be written. */
export async function generate() {
  const { devDependencies } = JSON.parse(readFileSync(join(dirname(room), 'package.json'), 'utf8'));
  const version = devDependencies['@prisma/client-generator-ts'];
  const source = createHash('sha256').update(version).update(readFileSync(schemaFile)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === source) return false;

  await writeClient();
  writeFileSync(stamp, source);
  return true;
}

/** As `prisma generate` does. Prisma's command line brings a database, a studio and their 116 MB with it. */
async function writeClient() {
  const { getGenerators, loadSchemaContext } = require('@prisma/internals');
  const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
  const schemaContext = await loadSchemaContext({
    schemaPath: { cliProvidedPath: schemaFile },
    cwd: dirname(room),
    printLoadMessage: false,
  });
  const registry = { 'prisma-client': { type: 'in-process', generator: new PrismaClientTsGenerator() } };
  for (const generator of await getGenerators({ schemaContext, registry, noHints: true })) {
    await generator.generate();
    generator.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log((await generate()) ? 'The Prisma client is written.' : 'The Prisma client is up to date.');
}
