import { closeSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Notes that only grow, outside the system that is tested: a line of JSON each, and the same in memory. */
export interface Ledger<T> {
  entries: T[];
  add(entry: T): void;
  close(): void;
}

export function openLedger<T>(folder: string, name: string): Ledger<T> {
  const file = openSync(join(folder, `${name}.jsonl`), 'a');
  const entries: T[] = [];
  return {
    entries,
    add(entry) {
      entries.push(entry);
      writeSync(file, `${JSON.stringify(entry)}\n`);
    },
    close: () => closeSync(file),
  };
}

/** A file whose lines are on disk once `append` resolves; lines that come together are flushed together. */
export async function openDurableFile(
  path: string,
): Promise<{ append(line: string): Promise<void>; close(): Promise<void> }> {
  const file = await open(path, 'a');
  let waiting: string[] = [];
  let next: Promise<void> | null = null;
  let current: Promise<void> = Promise.resolve();
  const flush = async () => {
    await current.catch(() => undefined);
    const lines = waiting;
    waiting = [];
    next = null;
    current = (async () => {
      await file.appendFile(lines.join(''));
      await file.sync();
    })();
    await current;
  };
  return {
    append(line) {
      waiting.push(`${line}\n`);
      next ??= flush();
      return next;
    },
    async close() {
      await (next ?? current);
      await file.close();
    },
  };
}
