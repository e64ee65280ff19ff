import type { Connection } from '@temporalio/client';
import { setUpTemporal } from '@clinic/temporal/setup';
import { searchAttributes } from '@clinic/workflows/ids';

const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;
/** Temporal's type of a search attribute whose values are compared as a whole. */
const KEYWORD = 2;

/** What a Temporal answers: the code of its refusal, null where it does what it is asked for. */
interface Answers {
  make?: number | null;
  describe?: number | null;
  /** One for each time; the last one from then on. */
  attributes?: (number | null)[];
  /** Search attributes that are there. */
  known?: string[];
}

/** Sets up the namespace `clinics` of a Temporal that answers so: what came of it, and what it was asked for. */
async function setUp({ make = null, describe: described = null, attributes = [null], known = [] }: Answers) {
  const asked: unknown[] = [];
  const answer = async (code: number | null, what: unknown, value: object = {}) => {
    asked.push(what);
    if (code !== null) throw Object.assign(new Error(`refused with ${code}`), { code, details: '', metadata: {} });
    return value;
  };
  const left = [...attributes];
  const connection = {
    workflowService: {
      registerNamespace: (made: object) => answer(make, ['make', made]),
      describeNamespace: ({ namespace }: { namespace: string }) => answer(described, ['describe', namespace]),
    },
    operatorService: {
      listSearchAttributes: ({ namespace }: { namespace: string }) =>
        answer((left.length > 1 ? left.shift() : left[0]) ?? null, ['list', namespace], {
          customAttributes: Object.fromEntries(known.map((name) => [name, KEYWORD])),
        }),
      addSearchAttributes: ({ searchAttributes: added }: { searchAttributes: object }) => answer(null, ['add', added]),
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else is asked of Temporal
  } as unknown as Connection;
  const result = await setUpTemporal(connection, { namespace: 'clinics', retentionDays: 3 }).catch(
    ({ message }: Error) => message,
  );
  return { result, asked };
}

const made = ['make', { namespace: 'clinics', workflowExecutionRetentionPeriod: expect.anything() as unknown }];
const list = ['list', 'clinics'];
const names = Object.values(searchAttributes).map(({ name }) => name);
const added = (some: string[]) => ['add', Object.fromEntries(some.map((name) => [name, KEYWORD]))];
const add = added(names);

test.each<[string, Answers, boolean | string, unknown[]]>([
  ['that is new is made', {}, true, [list, add]],
  ['that is there stays', { make: ALREADY_EXISTS }, false, [list, add]],
  [
    'that is there stays where who may use it may not read about it',
    { make: ALREADY_EXISTS, describe: PERMISSION_DENIED },
    false,
    [list, add],
  ],
  [
    'that is there is used by who may make none',
    { make: PERMISSION_DENIED },
    false,
    [['describe', 'clinics'], list, add],
  ],
  [
    'that is not there is not made by who may not',
    { make: PERMISSION_DENIED, describe: NOT_FOUND },
    `refused with ${PERMISSION_DENIED}`,
    [['describe', 'clinics']],
  ],
  [
    'that has one of its search attributes gets the others',
    { make: ALREADY_EXISTS, known: names.slice(0, 1) },
    false,
    [list, added(names.slice(1))],
  ],
  ['that has all of its search attributes gets none', { make: ALREADY_EXISTS, known: names }, false, [list]],
  ['that is new is asked for again until it is known', { attributes: [NOT_FOUND, null] }, true, [list, list, add]],
  [
    'that is there and not known is told at once',
    { make: ALREADY_EXISTS, attributes: [NOT_FOUND] },
    `refused with ${NOT_FOUND}`,
    [list],
  ],
  [
    'whose attributes may not be read is told at once',
    { attributes: [PERMISSION_DENIED] },
    `refused with ${PERMISSION_DENIED}`,
    [list],
  ],
])('a namespace %s', async (_what, answers, result, after) => {
  expect(await setUp(answers)).toEqual({ result, asked: [made, ...after] });
});

test('what has ended is kept in it for the days that are given', async () => {
  const { asked } = await setUp({});

  const [, { workflowExecutionRetentionPeriod: kept }] = asked[0] as [
    string,
    { workflowExecutionRetentionPeriod: { seconds: { toNumber(): number } } },
  ];
  expect(kept.seconds.toNumber()).toBe(3 * 24 * 3_600);
});
