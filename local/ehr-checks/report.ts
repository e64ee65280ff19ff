import type { Checked, CheckResult } from './run-checks';

const marks = { passed: '✓', failed: '✕', not_applicable: '–' } as const;

/** Both servers' results, a line for each check and what was wrong below it. */
export function sideBySide(there: Checked, here: Checked | null): string[] {
  const ours = new Map(here?.results.map((each) => [each.id, each]));
  const lines = [
    `there  ${there.base}${there.software ? ` (${there.software})` : ''}`,
    ...(here ? [`here   ${here.base} (our sandbox)`] : []),
    '',
    here ? 'there here' : 'there',
  ];
  for (const result of there.results) {
    const own = ours.get(result.id);
    lines.push(`  ${marks[result.verdict]}   ${own ? ` ${marks[own.verdict]}  ` : ''}${result.id}: ${result.title}`);
    lines.push(...whyOf('there', result), ...(own ? whyOf('here', own) : []));
  }
  lines.push('', `there: ${countsOf(there)}`, ...(here ? [`here: ${countsOf(here)}`] : []));
  for (const [where, { leftBehind }] of [['there', there], ...(here ? [['here', here] as const] : [])] as const) {
    for (const each of leftBehind) lines.push(`${each} may be left behind ${where}: look, and cancel it by hand.`);
  }
  return lines;
}

function whyOf(where: string, { verdict, why, shownBy }: CheckResult): string[] {
  if (verdict === 'passed') return [];
  const exchange = shownBy
    ? ` (exchange ${shownBy.number}, ${shownBy.request}, ${shownBy.status ?? 'no reply'}: ${shownBy.said})`
    : '';
  return [`             ${where}: ${verdict === 'failed' ? '' : 'not applicable, '}${why}${exchange}`];
}

export const countOf = ({ results }: Pick<Checked, 'results'>, wanted: CheckResult['verdict']): number =>
  results.filter(({ verdict }) => verdict === wanted).length;

const countsOf = (checked: Checked): string =>
  `${countOf(checked, 'passed')} of ${checked.results.length} passed, ${countOf(checked, 'failed')} failed, ${countOf(checked, 'not_applicable')} not applicable`;
