import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { parseJson } from '@clinic/shared/domain/json';
import type { z } from 'zod';

/** Writes a JSON file that only its owner may read, all of it or nothing. */
export function writePrivateJson(file: string, value: unknown): void {
  const unfinished = `${file}.${randomUUID()}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}

/** Undefined where the file does not exist. */
export function readJson<T extends z.ZodType>(file: string, schema: T): z.infer<T> | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is damaged. Remove it, or start afresh with \`npm run reset\`.`);
}
