import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testServers } from '../../support/servers';

const root = join(__dirname, '../../..');

/** Some scenarios only, for the sake of time; docs/reliability.md names the rest, which `npm run prove -- faults` plays. */
const survived = ['F1', 'F2', 'F12'];

test('the quick tier of the fault suite finds no promise broken', async () => {
  const args = ['--import', 'tsx', 'test/proofs/main.ts', 'faults', '--tier', 'pr', '--only', survived.join(',')];
  const env = { ...process.env, WORKFLOW_BUNDLE: testServers().workflowBundle };

  const { code, output } = await promisify(execFile)(process.execPath, args, { cwd: root, env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code: exitCode, stdout, stderr }) => ({ code: exitCode, output: `${stdout}${stderr}` }),
  );

  expect(`${code}\n${output}`).toMatch(/^0\n/);
  expect(output).toContain(`${survived.length} passed, 0 failed`);
}, 600_000);
