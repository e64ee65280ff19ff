import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes } from '@clinic/shared/errors';

const root = join(__dirname, '..', '..');
const guide = readFileSync(join(root, 'docs', 'integrate.md'), 'utf8');

/** What decides by the text of a message, which is written for people and may change with any release. */
const reads = [
  /\bmessage\??\.(?:startsWith|endsWith|includes|indexOf|match|matchAll|search)\(/,
  /\.(?:test|exec)\([^()]*\bmessage\)/i,
  /(?<!typeof )\bmessage\s*[!=]==\s*['"`]/,
];

/** Where nothing but the text says it, or only its punctuation matters; each with how many lines. */
const unavoidable: Record<string, number> = {
  // The driver's own errors have no code.
  'prisma/failures.ts': 1,
  // The engine names the migration that failed in its sentence alone.
  'prisma/schema-engine.ts': 1,
  // A sentence is completed: nothing is decided.
  'shared/contracts/parse.ts': 1,
  'dashboard/forms/refusal.ts': 1,
  'dashboard/http/service.ts': 1,
};

const linesReading = (text: string): string[] =>
  text.split('\n').filter((line) => reads.some((pattern) => pattern.test(line)));

test('nothing decides by the text of an error', () => {
  const sources = execFileSync('git', ['ls-files', '*.ts', '*.tsx', ':!test'], { cwd: root, encoding: 'utf8' });
  const found = sources
    .trim()
    .split('\n')
    .map((path) => [path, linesReading(readFileSync(join(root, path), 'utf8')).length] as const)
    .filter(([, count]) => count > 0);

  expect(Object.fromEntries(found)).toEqual(unavoidable);
});

test.each([
  "if (error.message.startsWith('Patient ')) return 'unknown_patient';",
  "const isLate = message.endsWith('lies in the past');",
  'if (/taken|held/.test(error.message)) return null;',
  "if (error.message === 'slot_taken') return 409;",
])('%s is found', (line) => {
  expect(linesReading(line)).toEqual([line]);
});

test.each(errorCodes)('docs/integrate.md says what %s means', (code) => {
  expect(guide).toContain(`\`${code}\``);
});
