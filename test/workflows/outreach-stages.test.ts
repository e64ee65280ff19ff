import { arrows, follow, type Stage } from '@clinic/workflows/outreach/stages';

const stages = Object.keys(arrows) as Stage[];

test.each(stages.flatMap((from) => stages.map((to) => [from, to] as const)))('from %s to %s', (from, to) => {
  const next: readonly Stage[] = arrows[from];
  if (next.includes(to)) expect(follow(from, to)).toBe(to);
  else expect(() => follow(from, to)).toThrow(`an outreach does not go from ${from} to ${to}`);
});

test('every stage leads to the end, which is left by no arrow', () => {
  expect(arrows.ended).toEqual([]);
  for (const stage of stages.filter((each) => each !== 'ended')) expect(arrows[stage]).toContain('ended');
});
