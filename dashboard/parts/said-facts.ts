import { sentence } from './status';

/** The status stands beside these facts already; a document is reached through its patient. */
const leftOut = ['recoveryStatus', 'documentId'];

/** What was said to a tool, field by field. */
export const saidFacts = (said: Record<string, unknown> | null | undefined): [string, string][] =>
  Object.entries(said ?? {})
    .filter(([name, value]) => !leftOut.includes(name) && value !== null && value !== '')
    .map(([name, value]) =>
      name.endsWith('Cents') && typeof value === 'number'
        ? [nameInWords(name.replace(/Cents$/, '')), (value / 100).toFixed(2)]
        : [nameInWords(name), inWords(value)],
    );

const nameInWords = (name: string) => sentence(name.replaceAll(/([A-Z])/g, ' $1'));

/** Codes such as `resume_link` become words; what a person said stays as it is. */
function inWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const text = String(value);
  return /^[a-z]+(?:_[a-z]+)+$/.test(text) ? sentence(text) : text;
}
