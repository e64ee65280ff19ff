import { foldEntries } from '../../dashboard/pages/operations/audit-fold';

const entry = (id: string, action: string, second: number, actor = 'ana') => ({
  id,
  action,
  actor,
  at: new Date(Date.UTC(2026, 10, 25, 9, 0, second)).toISOString(),
  route: null,
  subjects: [],
});

test('what one typing searched is one line, that of the patients; another person, a pause and all else stay by themselves', () => {
  const newestFirst = [
    entry('much later', 'patient.search', 58),
    entry('letter 3, calls', 'call.search', 12),
    entry('letter 3', 'patient.search', 12),
    entry('of somebody else', 'patient.search', 11, 'ben'),
    entry('letter 2', 'case.search', 4),
    entry('a page', 'task.list', 3),
    entry('letter 1', 'patient.search', 2),
  ];

  const told = foldEntries(newestFirst).map(({ id, searchedBeside }) => [id, searchedBeside]);

  expect(told).toEqual([
    ['much later', undefined],
    ['letter 3', 3],
    ['of somebody else', undefined],
    ['a page', undefined],
  ]);
});
