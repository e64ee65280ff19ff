import { setTimeout as sleep } from 'node:timers/promises';
import { readDevStack, type DevStack } from './dev-file';
import { isStackRunning } from './running';
import { respondsOk } from './service';
import { startStack } from './stack';
import { stopRequest } from './stop-request';
import { untilKey } from './until-key';

/**
 * Works with the local stack that runs, or with one that is started for the occasion and stopped afterwards: at once, or
 * with `staysUp` when a key is pressed.
 */
export async function withStack(
  say: (line: string) => void,
  work: (dev: DevStack, signal: AbortSignal) => Promise<unknown>,
  { staysUp = false }: { staysUp?: boolean } = {},
): Promise<void> {
  const request = stopRequest(say);
  try {
    const { signal } = request;
    if (isStackRunning()) {
      await work(await untilUp(say, signal), signal);
      return;
    }
    say('The local stack is not running; starting it for this …');
    const stack = await startStack({ say, signal });
    try {
      await work(stack.dev, signal);
      if (staysUp) await untilKey({ say, dev: stack.dev, signal, input: process.stdin });
    } finally {
      say('Stopping the local stack …');
      await stack.stop();
    }
  } finally {
    request.close();
  }
}

async function untilUp(say: (line: string) => void, signal: AbortSignal): Promise<DevStack> {
  for (let waitedMs = 0; waitedMs < 120_000; waitedMs += 500) {
    const dev = readDevStack();
    if (dev && (await respondsOk(dev.baseUrl.replace(/\/api$/, '/readyz')))) return dev;
    if (waitedMs === 0) say('Waiting for the local stack to be up …');
    signal.throwIfAborted();
    await sleep(500);
  }
  throw new Error('The local stack is running but not ready. The terminal where it was started says why.');
}
