import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readReach, textAround } from './reach';
import { listFiles } from './scratch';

const reach = readReach(resolve(__dirname, '../../..'), listFiles(), () => 5);

test.each([
  ['worker/workflow-bundle.ts', 'workflows/outreach/outreach.ts', true],
  ['worker/workflow-bundle.ts', 'shared/domain/voice/ended-reason.ts', true],
  ['worker/workflow-bundle.ts', 'prisma/stores/outreach/calls.ts', false],
  ['test/stories/deliveries.test.ts', 'workflows/deliver-events.ts', true],
  ['test/local/stack.test.ts', 'api/main.ts', false],
  ['test/api/errors.test.ts', 'api/http/limits.ts', true],
  ['test/dashboard/viewers.test.ts', 'dashboard/words/week.ts', true],
])('%s reaches %s: %s', (from, file, isReached) => {
  expect(reach.reaches(from, file)).toBe(isReached);
});

test('the test of a file itself comes first, and one that does not reach it not at all', () => {
  const tests = reach.testsOf('shared/domain/storable.ts', 'unstorablePart').map(({ test }) => test);

  expect(tests[0]).toBe('test/shared/domain/storable.test.ts');
  expect(tests).not.toContain('test/shared/domain/base64.test.ts');
});

test('of files with many tests in a browser those are chosen that say the same words', () => {
  const tests = reach.testsOf('dashboard/shell/finder.tsx', 'passkey passkeys authenticator');
  const { names } = tests.find(({ test: file }) => file === 'test/dashboard/dashboard.test.ts') ?? {};

  expect(names?.some((name) => name.includes('passkeys'))).toBe(true);
});

test('what a file exports is found where others say it, a function of the migration where stores call it', () => {
  const file = 'prisma/stores/outreach/lines.ts';
  const text = readFileSync(resolve(__dirname, '../../..', file), 'utf8');
  const uses = reach.usesOf(file, text, text.indexOf('= 2;'));
  const calls = reach.callsOf('CREATE FUNCTION claim_tool_call(new_id text) RETURNS text');

  expect([...new Set(uses.map((use) => use.file))]).toEqual(['api/routes/outreach/calling-queue.ts']);
  expect(reach.usesOf(file, text, text.indexOf('workflowTypeNames'))).toEqual([]);
  expect(calls.map((call) => call.file)).toEqual(['prisma/stores/voice/tool-calls.ts']);
  expect(reach.callsOf('CREATE FUNCTION claim_tool_call() RETURNS trigger')).toEqual([]);
  const says = (name: string) =>
    reach.says('test/prisma/stores/outreach/opened-runs.test.ts', `CREATE FUNCTION ${name}()`);
  expect([says('is_superseded'), says('claim_tool_call')]).toEqual([true, false]);
});

test('around a place is the declaration that holds it', () => {
  const text = 'const a = 1;\nfunction b() {\n  return 2;\n}\n';

  expect(textAround('api/any.ts', text, text.indexOf('2'))).toBe('function b() {\n  return 2;\n}');
});
