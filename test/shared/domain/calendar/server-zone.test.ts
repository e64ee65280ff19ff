import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

test('the server’s own zone changes nothing', async () => {
  const zones = ['UTC', 'America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Kiritimati'];
  const script = join(__dirname, 'print-agenda.ts');

  const outputs = await Promise.all(
    zones.map((TZ) => run(process.execPath, ['--import', 'tsx', script], { env: { ...process.env, TZ } })),
  );

  expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1);
  expect(JSON.parse(outputs[0]!.stdout)).toMatchObject({
    spoken: 'Sunday, March 8 at 4:30 AM',
    date: '2026-03-07',
    wall: '2026-03-08T09:30:00.000Z',
    call: '2026-03-09T00:00:00.000Z',
  });
});
