import { applySync, describePlan, planSync } from '@clinic/gateways/voice/assistants/sync';
import type { FoundAssistant, PlatformAssistants } from '@clinic/gateways/voice/port';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';

const [one, ...others] = workflowTypeNames;
const rest = others.map((workflowType) => ({ id: `ours-${workflowType}`, madeFor: workflowType, name: 'ours' }));
const ofOne = (id: string, given: object = {}) => ({ id, madeFor: one, name: 'ours', ...given });
const foreign = { id: 'foreign', name: 'theirs' };

/** What an account has, and what was asked of it. */
function account(found: FoundAssistant[]) {
  const asked: unknown[] = [];
  const assistants: PlatformAssistants = {
    list: async () => found,
    isMadeFor: ({ madeFor }, clinicId, workflowType) => clinicId === 'clinic-1' && madeFor === workflowType,
    compose: ({ workflowType }) => ({ madeFor: workflowType, name: 'ours' }),
    revise: (_found, wanted) => wanted,
    async create(body) {
      asked.push(['create', body]);
      return 'created';
    },
    update: async (id, body) => void asked.push(['update', id, body]),
  };
  return { assistants, asked };
}

const expected = {
  clinicId: 'clinic-1',
  assistantOf: (workflowType: WorkflowType) => ({ workflowType }) as never,
} as unknown as Parameters<typeof planSync>[0]['expected'];

test.each<[what: string, found: FoundAssistant[], named: string | undefined, takesOver: boolean, lines: string[]]>([
  ['none is there', [], undefined, false, [`+ ${one}: a new assistant`]],
  ['one is there as it should be', [ofOne('a')], 'a', false, [`= ${one} (a)`]],
  ['one is there that nobody has named', [ofOne('a')], undefined, false, [`= ${one} (a)`]],
  [
    'the second of two is named',
    [ofOne('a'), ofOne('b')],
    'b',
    false,
    [`= ${one} (b)`, `? ${one} (a): made here and not used; delete it at the platform`],
  ],
  [
    'neither of two is named',
    [ofOne('a'), ofOne('b')],
    undefined,
    false,
    [`= ${one} (a)`, `? ${one} (b): made here and not used; delete it at the platform`],
  ],
  [
    'one is named that somebody else made',
    [foreign],
    'foreign',
    false,
    [`! ${one} (foreign): not made here, and left alone; --take-over has ours talk instead`],
  ],
  [
    'one of ours is there beside it',
    [ofOne('a'), foreign],
    'foreign',
    false,
    [`! ${one} (foreign): not made here, and left alone; --take-over has ours talk instead`],
  ],
  ['ours takes its place', [ofOne('a'), foreign], 'foreign', true, [`= ${one} (a)`]],
  ['a new one takes its place', [foreign], 'foreign', true, [`+ ${one}: a new assistant`]],
  ['one is named that is gone', [], 'gone', false, [`+ ${one}: a new assistant`]],
])('where %s', async (_what, found, named, takesOver, lines) => {
  const { assistants } = account([...found, ...rest]);
  const naming = named === undefined ? {} : { [one]: named };

  const plan = await planSync({ expected, credentialId: 'credential', named: naming, takesOver }, assistants);

  expect(describePlan(plan)).toEqual([
    lines[0],
    ...others.map((workflowType) => `= ${workflowType} (ours-${workflowType})`),
    ...lines.slice(1),
  ]);
});

test('what differs is told and sent, and nothing else; who talks for which type is returned', async () => {
  const { assistants, asked } = account([ofOne('a', { name: 'another' }), ...rest.slice(1)]);
  const [second = ''] = others;

  const plan = await planSync({ expected, credentialId: 'credential', named: {}, takesOver: false }, assistants);
  const talking = await applySync(plan, assistants);

  expect(describePlan(plan).slice(0, 3)).toEqual([
    `~ ${one} (a)`,
    expect.stringContaining('another'),
    `+ ${second}: a new assistant`,
  ]);
  expect(asked).toEqual([
    ['update', 'a', { name: 'ours' }],
    ['create', { madeFor: second, name: 'ours' }],
  ]);
  expect(talking).toEqual({
    ...Object.fromEntries(rest.map(({ id, madeFor }) => [madeFor, id])),
    [one]: 'a',
    [second]: 'created',
  });
});
