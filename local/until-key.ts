import type { ReadStream } from 'node:tty';
import type { DevStack } from './dev-file';

/** Keeps what was started for a command up until somebody has looked at it: until a key is pressed, or Ctrl-C. */
export async function untilKey({
  say,
  dev,
  signal,
  input,
}: {
  say: (line: string) => void;
  dev: Pick<DevStack, 'dashboardUrl'>;
  signal: AbortSignal;
  input: Pick<ReadStream, 'setRawMode' | 'once' | 'off' | 'resume' | 'pause'>;
}): Promise<void> {
  say(`The local stack stays up for a look: ${dev.dashboardUrl}. Press any key to stop it.`);
  input.setRawMode(true);
  input.resume();
  await new Promise<void>((done) => {
    const end = () => {
      input.off('data', end);
      signal.removeEventListener('abort', end);
      done();
    };
    input.once('data', end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
  input.setRawMode(false);
  input.pause();
}
