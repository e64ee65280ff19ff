import { loadModule } from 'libpg-query';
import { applied, changeOf, type Mutant, type Operator } from './mutant';
import { draw } from './sample';
import { migrationMutants } from './sql-mutants';
import { typescriptMutants } from './typescript-mutants';

beforeAll(() => loadModule());

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** What an operator makes of a source, each on one line. */
const madeOf = (mutants: Mutant[], operator: Operator, source: string) =>
  mutants.filter((each) => each.operator === operator).map((each) => oneLine(applied(each, source)));

test.each<[operator: Operator, source: string, made: string[]]>([
  ['negate a condition', 'if (isOpen) go();', ['if (!isOpen) go();']],
  ['negate a condition', 'while (a < b) go();', ['while (!(a < b)) go();']],
  ['negate a condition', 'const x = a ?? b ? 1 : 2;', ['const x = !(a ?? b) ? 1 : 2;']],
  ['drop an operand', 'const x = a && b;', ['const x = b;', 'const x = a;']],
  [
    'drop an operand',
    'const x = a || b || c;',
    ['const x = c;', 'const x = a || b;', 'const x = b || c;', 'const x = a || c;'],
  ],
  ['drop a statement', 'go(); await stop();', ['await stop();', 'go();']],
  ['drop a statement', 'x = 1; y += 2; delete a.b;', ['y += 2; delete a.b;', 'x = 1; delete a.b;', 'x = 1; y += 2;']],
  [
    'drop a statement',
    'function f() { if (a) return 1; throw b; }',
    ['function f() { if (a) {} throw b; }', 'function f() { if (a) return 1; }'],
  ],
  ['drop a statement', 'log.info("opened"); logger.warn({}, "x");', []],
  ['drop an element', "const roles = ['owner', 'staff'];", ["const roles = ['staff'];", "const roles = ['owner'];"]],
  ['drop an element', '[a, b] = pair;', []],
  ['drop an await', 'const x = await f();', ['const x = f();']],
  ['swap a constant', 'const x = 3; const late = 86_400;', ['const x = 4; const late = 86_400;']],
  ['swap a constant', 'const WAIT_MS = 20; const gatherMs = 120;', []],
  ['swap a constant', 'const x = a && true;', ['const x = a || true;', 'const x = a && false;']],
  ['swap a constant', "const schema = { 404: { description: 'none' } };", []],
  [
    'flip a comparison',
    'const x = a < b; const y = a === b;',
    ['const x = a <= b; const y = a === b;', 'const x = a < b; const y = a !== b;'],
  ],
  [
    'flip a comparison',
    'const rows = await sql`select id from t where a = ${one} and b >= 2`;',
    [
      'const rows = await sql`select id from t where a <> ${one} and b >= 2`;',
      'const rows = await sql`select id from t where a = ${one} and b > 2`;',
    ],
  ],
  [
    'drop an operand',
    'const part = condition`c.is_test and (${text}::text is null or c.name = ${text})`;',
    [
      'const part = condition`(${text}::text is null or c.name = ${text})`;',
      'const part = condition`c.is_test `;',
      'const part = condition`c.is_test and (c.name = ${text})`;',
      'const part = condition`c.is_test and (${text}::text is null )`;',
    ],
  ],
])('%s: %s', (operator, source, made) => {
  expect(madeOf(typescriptMutants('api/any.ts', source), operator, source)).toEqual(made);
});

test.each<[operator: Operator, source: string, made: string[]]>([
  [
    'drop an operand',
    'select 1 from t where a between 1 and 2 and b',
    ['select 1 from t where b', 'select 1 from t where a between 1 and 2'],
  ],
  [
    'drop an operand',
    'select 1 from t join u on t.a is not distinct from u.a and u.b order by 1',
    ['select 1 from t join u on u.b order by 1', 'select 1 from t join u on t.a is not distinct from u.a order by 1'],
  ],
  ['flip a comparison', 'update t set a = 1 where b = 2', ['update t set a = 1 where b <> 2']],
  [
    'drop a lock',
    'select 1 from t where a for update of t skip locked',
    ['select 1 from t where a', 'select 1 from t where a for update of t'],
  ],
  ['drop a filter', 'CREATE INDEX i ON t (a) WHERE b IS NULL', ['CREATE INDEX i ON t (a)']],
  [
    'drop a filter',
    'CREATE TRIGGER x BEFORE UPDATE ON t FOR EACH ROW WHEN (OLD.a > 1) EXECUTE FUNCTION f()',
    ['CREATE TRIGGER x BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f()'],
  ],
  [
    'drop an operand',
    'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF a AND b THEN RETURN 1; END IF; END $$;',
    [
      'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF b THEN RETURN 1; END IF; END $$;',
      'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF a THEN RETURN 1; END IF; END $$;',
    ],
  ],
])('in SQL, %s: %s', (operator, source, made) => {
  expect(madeOf(migrationMutants('prisma/migrations/first/migration.sql', source), operator, source)).toEqual(made);
});

test('how an element looks is left alone, by the width of the screen too', () => {
  const source =
    'const box = <Box w={{ base: 1, xs: 220 }} h={3} ml={-8} style={{ top: 5 }} className={a && b} onClick={() => go(4)} />;';

  expect(madeOf(typescriptMutants('dashboard/any.tsx', source), 'swap a constant', source)).toEqual([
    source.replace('go(4)', 'go(5)'),
  ]);
});

test('a change is told on one line', () => {
  const source = 'go(\n  1,\n);';

  expect(typescriptMutants('api/any.ts', source).map((each) => changeOf(each, source))).toEqual([
    'go( 1, ); → nothing',
    '1 → 2',
  ]);
});

const linesOf = (file: string, count: number): Mutant[] =>
  Array.from({ length: count }, (_, line) => ({
    file,
    operator: 'drop a statement',
    line: line + 1,
    at: `call${line}();`,
    start: 0,
    end: 1,
    replacement: '',
  }));

test('a seed draws the same sample again, another seed another one', () => {
  const all = linesOf('api/a.ts', 100);

  expect(draw(all, 1)).toEqual(draw(all, 1));
  expect(draw(all, 2)).not.toEqual(draw(all, 1));
});

test('a line keeps its place in the order while others come and go', () => {
  const all = linesOf('api/a.ts', 100);

  expect(draw(all.slice(50), 1)).toEqual(draw(all, 1).filter(({ line }) => line > 50));
});

test('a file has its share of the sample by its size', () => {
  const all = [...linesOf('api/a.ts', 1_000), ...linesOf('worker/b.ts', 3_000)];

  const share =
    draw(all, 1)
      .slice(0, 400)
      .filter(({ file }) => file === 'worker/b.ts').length / 400;

  expect(share).toBeCloseTo(0.75, 1);
});
