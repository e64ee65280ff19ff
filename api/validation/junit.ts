import type { JudgedBehaviour, ValidationRun } from '@clinic/shared/contracts/validation-runs';

/** A test suite for each area and a test case for each behaviour, as CI servers read them. */
export function junitOf({ label, startedAt, score, behaviours }: ValidationRun): string {
  const areas = [...new Set(behaviours.map(({ area }) => area))];
  const suites = areas.map((area) => {
    const cases = behaviours.filter((each) => each.area === area);
    const count = (verdict: JudgedBehaviour['verdict']) => cases.filter((each) => each.verdict === verdict).length;
    return [
      `  <testsuite name="${escaped(area)}" tests="${cases.length}" failures="${count('failed')}" errors="0" skipped="${count('not_seen')}" timestamp="${startedAt.slice(0, 19)}">`,
      ...cases.map((each) => testCase(each)),
      '  </testsuite>',
    ].join('\n');
  });
  const name = escaped(label ? `EMR integration: ${label}` : 'EMR integration');
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${name}" tests="${score.of}" failures="${score.failed}" errors="0" skipped="${score.notSeen}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ id, area, title, verdict, why, shownBy, howToCause }: JudgedBehaviour): string {
  const open = `    <testcase classname="readiness.${escaped(area.toLowerCase().replaceAll(/[^a-z]+/g, '-'))}" name="${escaped(`${id}: ${title}`)}"`;
  switch (verdict) {
    case 'passed':
      return `${open}/>`;
    case 'failed': {
      const exchange = shownBy
        ? `Exchange ${shownBy.number} at ${shownBy.at}: ${shownBy.request} ${shownBy.status ?? 'no reply'}`
        : '';
      return `${open}><failure message="${escaped(why ?? '')}">${escaped(exchange)}</failure></testcase>`;
    }
    case 'not_seen':
      return `${open}><skipped message="${escaped(`Not seen. ${howToCause}`)}"/></testcase>`;
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
