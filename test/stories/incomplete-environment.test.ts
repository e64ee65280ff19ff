import { execFile } from 'node:child_process';
import { root } from '@clinic/local/paths';

const ends = (args: string[]) =>
  new Promise<{ code: unknown; stderr: string }>((resolve) => {
    const env = { PATH: process.env.PATH };
    execFile(process.execPath, ['--import', 'tsx', ...args], { cwd: root, env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code, stderr }),
    );
  });

test('a process whose environment is not complete says what is missing, and ends', async () => {
  const [api, worker, codec, command] = await Promise.all(
    [['api/main.ts'], ['worker/main.ts'], ['api/codec-main.ts'], ['commands/main.ts', 'clinic', 'lines']].map(ends),
  );

  // Not 1, by which a check says that something does not hold.
  expect([api, worker, codec, command].map((each) => each?.code)).toEqual([1, 1, 1, 2]);
  const sentence =
    /^The environment is not complete:\n( {2}[A-Z_]+: .+\n)+See docs\/operate\.md for every variable\.\n$/;
  for (const process of [api, worker, codec, command]) expect(process?.stderr).toMatch(sentence);
});
