import type { ValidationRun } from '@clinic/shared/contracts/sandbox/validation-runs';

/** One test case. `message` says what was wrong, or why it was not tried; `detail` shows it. */
export interface JunitCase {
  area: string;
  id: string;
  title: string;
  verdict: 'passed' | 'failed' | 'skipped';
  message: string;
  detail: string;
}

/** A run with a test suite for each area and a test case for each behaviour. */
export function junitOf({ label, startedAt, behaviours }: ValidationRun): string {
  return junitReport({
    name: label ? `EMR integration: ${label}` : 'EMR integration',
    startedAt,
    cases: behaviours.map(({ area, id, title, verdict, why, shownBy, howToCause }) => ({
      area,
      id,
      title,
      verdict: verdict === 'not_seen' ? 'skipped' : verdict,
      message: verdict === 'not_seen' ? `Not seen. ${howToCause}` : (why ?? ''),
      detail: shownBy
        ? `Exchange ${shownBy.number} at ${shownBy.at}: ${shownBy.request} ${shownBy.status ?? 'no reply'}`
        : '',
    })),
  });
}

/** Test cases as CI servers read them, in a suite for each area. */
export function junitReport({
  name,
  startedAt,
  cases,
}: {
  name: string;
  startedAt: string;
  cases: JunitCase[];
}): string {
  const countOf = (among: JunitCase[], verdict: JunitCase['verdict']) =>
    among.filter((each) => each.verdict === verdict).length;
  const counts = (among: JunitCase[]) =>
    `tests="${among.length}" failures="${countOf(among, 'failed')}" errors="0" skipped="${countOf(among, 'skipped')}"`;
  const suites = [...new Set(cases.map(({ area }) => area))].map((area) => {
    const own = cases.filter((each) => each.area === area);
    return [
      `  <testsuite name="${escaped(area)}" ${counts(own)} timestamp="${startedAt.slice(0, 19)}">`,
      ...own.map((each) => testCase(each)),
      '  </testsuite>',
    ].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(name)}" ${counts(cases)}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ id, area, title, verdict, message, detail }: JunitCase): string {
  const open = `    <testcase classname="readiness.${escaped(area.toLowerCase().replaceAll(/[^a-z]+/g, '-'))}" name="${escaped(`${id}: ${title}`)}"`;
  switch (verdict) {
    case 'passed':
      return `${open}/>`;
    case 'failed':
      return `${open}><failure message="${escaped(message)}">${escaped(detail)}</failure></testcase>`;
    case 'skipped':
      return `${open}><skipped message="${escaped(message)}"/></testcase>`;
  }
}

/** XML 1.0 takes no control characters either. */
const escaped = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- exactly these are not allowed
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\n\t]/g, ' ');
