import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboard } from '@clinic/api/http/dashboard';
import express from 'express';

test('a file comes compressed to those who take Brotli where the build has compressed it, and else as it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets', 'both.js'), 'both');
  await writeFile(join(folder, 'assets', 'both.js.br'), 'compressed');
  await writeFile(join(folder, 'assets', 'small.js'), 'small');
  const server = express().use(createDashboard(folder)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const read = async (name: string, encoding: string) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/assets/${name}`, {
      method: 'HEAD',
      headers: { 'accept-encoding': encoding },
    });
    const isScript = headers.get('content-type')?.includes('javascript');
    return [status, isScript, headers.get('content-encoding'), headers.get('content-length')];
  };

  const answers = [
    await read('both.js', 'br'),
    await read('both.js', 'identity'),
    await read('small.js', 'br'),
    await read('small.js', 'identity'),
  ];

  expect(answers).toEqual([
    [200, true, 'br', '10'],
    [200, true, null, '4'],
    [200, true, null, '5'],
    [200, true, null, '5'],
  ]);
  server.close();
  await rm(folder, { recursive: true });
});
