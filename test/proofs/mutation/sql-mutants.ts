import { parsePlPgSQLSync, parseSync, scanSync } from 'libpg-query';
import type { Mutant, Operator } from './mutant';

interface Change {
  operator: Operator;
  start: number;
  end: number;
  replacement: string;
}

interface Range {
  start: number;
  end: number;
}

/** Faults of the SQL of a migration, each statement by itself, the bodies of functions too. `loadModule` of libpg-query has run. */
export function migrationMutants(file: string, text: string): Mutant[] {
  const plain = inAscii(text);
  const lines = text.split('\n');
  const changes = statementsOf(plain).flatMap(({ start, end }) => {
    const statement = plain.slice(start, end);
    const body = bodyOf(statement);
    const isSound = body && /\blanguage\s+plpgsql\b/i.test(statement) ? isSoundFunction : isSoundSql;
    const ofBody = body ? changesOf(statement.slice(body.start, body.end)).map((each) => moved(each, body.start)) : [];
    return [...changesOf(statement), ...ofBody]
      .filter((change) => isSound(put(change, statement)))
      .map((change) => moved(change, start));
  });
  return changes.map((change) => {
    const line = text.slice(0, change.start).split('\n').length;
    return { file, line, at: (lines[line - 1] ?? '').trim(), ...change };
  });
}

/** Faults of the SQL of a template; `holes` are where its values stand. None where it is no SQL by itself. */
export function sqlMutants(text: string, holes: Range[]): Change[] {
  const filled = withNames(inAscii(text), holes);
  const wrap = wrappers.find((each) => isSoundSql(each(filled)));
  if (!wrap) return [];
  return changesOf(filled).filter((change) => isSoundSql(wrap(put(change, filled))));
}

/** A statement, or the part of one. */
const wrappers = [
  (part: string) => part,
  (part: string) => `select 1 where ${part}`,
  (part: string) => `select 1 from t where true ${part}`,
  (part: string) => `select ${part}`,
];

/** A name of the same length stands for each value, and for a condition that is put in. */
const withNames = (text: string, holes: Range[]): string =>
  holes.reduce(
    (sum, { start, end }) => `${sum.slice(0, start)}"${'x'.repeat(end - start - 2)}"${sum.slice(end)}`,
    text,
  );

/** The parser counts bytes. */
const inAscii = (text: string) => text.replaceAll(/[\u0080-\uffff]/g, '?');

const put = ({ start, end, replacement }: Change, text: string) => text.slice(0, start) + replacement + text.slice(end);

const moved = (change: Change, by: number): Change => ({ ...change, start: change.start + by, end: change.end + by });

const isSoundSql = (text: string) => succeeds(() => parseSync(text));
const isSoundFunction = (text: string) => succeeds(() => parsePlPgSQLSync(text));

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function statementsOf(text: string): Range[] {
  return (parseSync(text).stmts ?? []).map(({ stmt_location: start = 0, stmt_len: length }) => ({
    start,
    end: length === undefined ? text.length : start + length,
  }));
}

function bodyOf(statement: string): Range | null {
  if (!/^\s*(--.*\n\s*)*create\s+(or\s+replace\s+)?function/i.test(statement)) return null;
  const start = statement.indexOf('$$');
  const end = statement.lastIndexOf('$$');
  return start >= 0 && end > start ? { start: start + 2, end } : null;
}

interface Token extends Range {
  word: string;
  /** How many brackets and CASEs are open around it. */
  depth: number;
}

function tokensOf(text: string): Token[] {
  const open: string[] = [];
  return scanSync(text)
    .tokens.filter(({ tokenName }) => !tokenName.endsWith('_COMMENT'))
    .map(({ start, end, text: raw }) => {
      const word = raw.toUpperCase();
      const closesCase = word === 'END' && open.at(-1) === 'CASE';
      if (word === ')' || word === ']' || closesCase) open.pop();
      const token = { start, end, word, depth: open.length };
      if (word === '(' || word === '[' || word === 'CASE') open.push(word);
      return token;
    });
}

const comparisons: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '=': '<>', '<>': '=' };

function changesOf(text: string): Change[] {
  const tokens = tokensOf(text);
  const changes = tokens.flatMap((token, index): Change[] => {
    const { word } = token;
    if (word === 'AND' || word === 'OR') return ofOperands(tokens, index);
    if (word === 'FOR') return ofLock(tokens, index);
    if (word === 'SKIP') return [dropped('drop a lock', token, tokens[index + 1])];
    if (word === 'WHERE' && isOfIndex(tokens, index)) return [dropped('drop a filter', token, tokens.at(-1))];
    if (word === 'WHEN' && isOfTrigger(tokens)) return [dropped('drop a filter', token, closing(tokens, index + 1))];
    const replacement = comparisons[word];
    return replacement && isCompared(tokens, index)
      ? [{ operator: 'flip a comparison', start: token.start, end: token.end, replacement }]
      : [];
  });
  return changes.filter(
    (change, index) => changes.findIndex((other) => put(other, text) === put(change, text)) === index,
  );
}

const dropped = (operator: Operator, first: Token, last: Token = first): Change => ({
  operator,
  start: first.start,
  end: last.end,
  replacement: '',
});

/** What ends an operand of AND and OR, besides a bracket that closes. */
const boundaries = new Set(
  `WHERE ON GROUP ORDER LIMIT OFFSET FOR RETURNING UNION EXCEPT INTERSECT HAVING WHEN THEN ELSE END JOIN LEFT RIGHT INNER CROSS
  FULL USING SET FROM SELECT WINDOW DO VALUES AS LOOP IF ELSIF RETURN BEGIN DECLARE PERFORM INTO EXECUTE WHILE CHECK
  , ; := ( [`.split(/\s+/),
);

/** Both operands of the AND or OR at this place, each without the other. */
function ofOperands(tokens: Token[], index: number): Change[] {
  const at = tokens[index];
  if (!at || isOfBetween(tokens, index)) return [];
  const ends = (token: Token, place: number) =>
    token.depth < at.depth ||
    (token.depth === at.depth &&
      ((boundaries.has(token.word) && !isDistinctFrom(tokens, place) && token.word !== '(' && token.word !== '[') ||
        token.word === 'OR' ||
        (token.word === 'AND' && at.word === 'AND' && !isOfBetween(tokens, place))));
  let first = index;
  while (first > 0 && !ends(tokens[first - 1] ?? at, first - 1)) {
    // A bracket that opens stands one level further out than what is in it.
    if (opensAround(tokens[first - 1], at)) break;
    first -= 1;
  }
  let last = index;
  while (last + 1 < tokens.length && !ends(tokens[last + 1] ?? at, last + 1)) last += 1;
  const [begin, next, end] = [tokens[first], tokens[index + 1], tokens[last]];
  if (!begin || !next || !end || first === index || last === index) return [];
  return [
    { operator: 'drop an operand', start: begin.start, end: next.start, replacement: '' },
    { operator: 'drop an operand', start: at.start, end: end.end, replacement: '' },
  ];
}

const opensAround = (token: Token | undefined, at: Token) =>
  token !== undefined && token.depth < at.depth && ['(', '[', 'CASE'].includes(token.word);

function isOfBetween(tokens: Token[], index: number): boolean {
  const at = tokens[index];
  if (at?.word !== 'AND') return false;
  for (let before = index - 1; before >= 0; before -= 1) {
    const token = tokens[before];
    if (!token || token.depth < at.depth) return false;
    if (token.depth > at.depth) continue;
    if (token.word === 'BETWEEN') return true;
    if (token.word === 'AND' || token.word === 'OR' || boundaries.has(token.word)) return false;
  }
  return false;
}

const isDistinctFrom = (tokens: Token[], index: number) =>
  tokens[index]?.word === 'FROM' && tokens[index - 1]?.word === 'DISTINCT';

/** `for update of t skip locked`, without what follows. */
function ofLock(tokens: Token[], index: number): Change[] {
  const rest = tokens.slice(index + 1, index + 4).map(({ word }) => word);
  const isLock = /^(UPDATE|SHARE|NO KEY UPDATE|KEY SHARE)\b/.test(rest.join(' '));
  if (!isLock) return [];
  let last = index + (rest[0] === 'NO' ? 3 : rest[0] === 'KEY' ? 2 : 1);
  if (tokens[last + 1]?.word === 'OF') last += 2;
  if (tokens[last + 1]?.word === 'SKIP') last += 2;
  const first = tokens[index];
  return first ? [dropped('drop a lock', first, tokens[last])] : [];
}

const isOfIndex = (tokens: Token[], index: number) =>
  tokens[0]?.word === 'CREATE' && ['INDEX', 'UNIQUE'].includes(tokens[1]?.word ?? '') && tokens[index]?.depth === 0;

const isOfTrigger = (tokens: Token[]) =>
  tokens[0]?.word === 'CREATE' && tokens.slice(1, 4).some(({ word }) => word === 'TRIGGER');

function closing(tokens: Token[], index: number): Token | undefined {
  const depth = tokens[index]?.depth ?? 0;
  return tokens.slice(index + 1).find((token) => token.depth === depth && token.word === ')');
}

/** `=` is an assignment in SET, in `for each` of PL/pgSQL, and a name in `OPERATOR(…)`. */
function isCompared(tokens: Token[], index: number): boolean {
  const at = tokens[index];
  if (at?.word !== '=') return true;
  for (let before = index - 1; before >= 0; before -= 1) {
    const token = tokens[before];
    if (!token || token.depth < at.depth) return token?.word !== 'WITH';
    if (token.depth > at.depth) continue;
    if (token.word === 'SET' || token.word === 'WITH') return false;
    if (
      [
        'WHERE',
        'ON',
        'AND',
        'OR',
        'WHEN',
        'IF',
        'ELSIF',
        'THEN',
        'HAVING',
        'SELECT',
        'CHECK',
        'RETURN',
        'CASE',
      ].includes(token.word)
    )
      return true;
    if (token.word === ';') return false;
  }
  // The part of a statement that a template holds.
  return true;
}
