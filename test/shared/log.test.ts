import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '@clinic/local/paths';
import { describeError } from '@clinic/shared/log';

const run = promisify(execFile);

/** Ids, codes, counts and times, by the names under which they are logged. A further one is added here on purpose. */
const mayBeLogged =
  `requestId method route status durationMs clinicId workflowId workflowType recoveryCaseId callId tool outcome
  event eventId deliveryId subject code name stack count runs works messages deliveries attempt port address accountId signal url host
  system action activity taskQueue process sentence settings reason duty closed faultId page kind frames chosenFailure`.split(
    /\s+/,
  );
const mayNot = ['phone', 'firstName', 'email', 'birthDate', 'note', 'body', 'err', 'message', 'data'];

/** What a process writes to each of its streams. */
async function written(output: 'stdout' | 'stderr') {
  const fields = Object.fromEntries([...mayBeLogged, ...mayNot].map((name) => [name, `its ${name}`]));
  const script = `const { createLog } = require('@clinic/shared/log');
    const log = createLog({ process: 'api', level: 'info', output: '${output}' });
    log.info(${JSON.stringify(fields)}, 'opened');
    log.debug('unheard');`;
  return run(process.execPath, ['--require', 'tsx/cjs', '--eval', script], { cwd: root });
}

test('a line of the log holds what may stand in it, and nothing else', async () => {
  const { stdout, stderr } = await written('stdout');

  expect(stderr).toBe('');
  const { level, time, msg, ...fields } = JSON.parse(stdout);
  expect({ level, msg }).toEqual({ level: 'info', msg: 'opened' });
  expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T.*Z$/);
  expect(Object.keys(fields).toSorted()).toEqual(mayBeLogged.toSorted());
});

test('a command writes it beside what it prints', async () => {
  const { stdout, stderr } = await written('stderr');

  expect([stdout, JSON.parse(stderr).msg]).toEqual(['', 'opened']);
});

test('of an error its class, code and place are logged, and not what it says', () => {
  const error = Object.assign(new TypeError('Ann Lee, +15005550006'), { code: '23505' });

  const { name, code, stack } = describeError(error);

  expect([name, code]).toEqual(['TypeError', '23505']);
  expect(stack?.split('\n').length).toBeLessThanOrEqual(12);
  expect(stack).toMatch(/^\s+at .*log\.test/);
  expect(stack).not.toContain('Ann');
  expect(describeError('Ann Lee')).toEqual({ name: 'string' });
  expect(describeError(Object.assign(new Error('x'), { code: 7 })).code).toBeUndefined();
});
