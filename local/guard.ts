import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Supervision } from './child';

export interface Guard extends Required<Pick<Supervision, 'onStart' | 'onExit'>> {
  /** This folder is to be removed when this process is gone. */
  folder: (path: string) => void;
  /** Nothing is left to guard. */
  release: () => void;
}

/**
 * Starts a small process that notices when this one is gone, killed included, and then stops the children that it
 * was told about.
 */
export function startGuard(): Guard {
  const guard = spawn(process.execPath, [join(__dirname, '..', 'local', 'guard.mjs')], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  // it can only be gone because somebody killed it; then there is nobody to tell
  guard.stdin.on('error', () => {});
  const tell = (change: object) => guard.stdin.write(`${JSON.stringify(change)}\n`);
  return {
    onStart: ({ pid, stopSignal }) => tell({ add: pid, signal: stopSignal }),
    onExit: ({ pid }) => tell({ remove: pid }),
    folder: (path) => tell({ folder: path }),
    release: () => guard.stdin.end(),
  };
}
