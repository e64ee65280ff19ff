import { appendFileSync } from 'node:fs';

/** Names the file into which tests write what they have measured; `npm run calling-proofs` sets it. */
export const FIGURES_FILE = 'FIGURES_FILE';

/** Tells what a test has measured, where somebody wants to know. */
export function noteFigure(text: string): void {
  const file = process.env[FIGURES_FILE];
  if (file) appendFileSync(file, `${text}\n`);
}
