import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, assertNever, errorCodes, InsufficientScope, invalid } from '@clinic/shared/errors';

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

test('the codes that clients decide by, of which none may go', () => {
  expect(errorCodes.join(' ')).toBe(
    'bad_request unauthorized forbidden insufficient_scope not_found unknown_patient unknown_practitioner unknown_appointment unknown_subscription method_not_allowed not_acceptable conflict slot_taken slot_held waitlist_full slot_unavailable in_the_past appointment_cancelled appointment_fulfilled idempotency_key_reused payload_too_large unsupported_media_type body_too_slow too_many_requests unavailable internal_error',
  );
});

test('an error has a code for machines and a sentence for people', () => {
  expect(new AppError('conflict', 'It is taken')).toMatchObject({
    name: 'AppError',
    code: 'conflict',
    message: 'It is taken',
  });
  expect(invalid('start', 'is not a date')).toMatchObject({
    code: 'bad_request',
    message: 'start is not a date',
    details: [{ path: 'start', message: 'is not a date' }],
  });
  expect(new InsufficientScope('system/Patient.rs')).toMatchObject({
    code: 'insufficient_scope',
    scope: 'system/Patient.rs',
    message: 'The token was not granted system/Patient.rs',
  });
  expect(() => assertNever('odd' as never)).toThrow('unexpected value "odd"');
});
