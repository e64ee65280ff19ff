/** A fault in one place of one file. */
export interface Mutant {
  file: string;
  operator: Operator;
  /** 1 for the first line. */
  line: number;
  /** The line as it stands, without its margin. */
  at: string;
  /** Offsets of what is replaced. */
  start: number;
  end: number;
  /** null for a word of a closed set: which others there are, the types say (`Types.neighbourOf`). */
  replacement: string | null;
}

export const operators = [
  'negate a condition',
  'drop an operand',
  'drop a statement',
  'drop an element',
  'drop an await',
  'swap a constant',
  'swap a word',
  'flip a comparison',
  'drop a lock',
  'drop a filter',
] as const;

export type Operator = (typeof operators)[number];

/** Where the code of the service stands. The migration is counted apart from the room whose it is. */
export const rooms = [
  'shared',
  'prisma',
  'migration',
  'api',
  'workflows',
  'activities',
  'worker',
  'gateways',
  'temporal',
  'accounts',
  'sandbox',
  'commands',
  'dashboard',
] as const;

export type Room = (typeof rooms)[number];

export function roomOf(file: string): Room {
  const room = file.startsWith('prisma/migrations/') ? 'migration' : file.slice(0, file.indexOf('/'));
  const known = rooms.find((each) => each === room);
  if (known === undefined) throw new Error(`${file} is in no room of the service`);
  return known;
}

export const isSql = (file: string): boolean => file.endsWith('.sql');

/** What is replaced by what, on one line. */
export function changeOf({ start, end, replacement }: Mutant, text: string): string {
  const after = replacement?.trim() ? replacement : 'nothing';
  return `${onOneLine(text.slice(start, end))} → ${onOneLine(after)}`;
}

/** Finds a mutant again while the lines around it change. */
export const keyOf = (mutant: Mutant, text: string): string =>
  [mutant.file, mutant.operator, mutant.at, changeOf(mutant, text)].join(' | ');

export const applied = ({ start, end, replacement }: Mutant, text: string): string =>
  text.slice(0, start) + (replacement ?? '') + text.slice(end);

const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
