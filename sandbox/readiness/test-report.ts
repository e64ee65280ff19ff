import type { JudgedBehaviour, ValidationRun } from '@clinic/shared/contracts/sandbox/validation-runs';

/** The run as a TestReport of R4: a test for each behaviour. What was not seen is `skip`, and the whole then `pending`. */
export function testReportOf(run: ValidationRun, baseUrl: string) {
  const { id, label, state, startedAt, endedAt, score, behaviours } = run;
  return {
    resourceType: 'TestReport',
    id,
    name: label ?? `Validation run of ${startedAt}`,
    status: state === 'running' ? 'in-progress' : 'completed',
    testScript: { display: `Behaviours of a client of the sandbox EMR (${score.of})` },
    result: score.failed > 0 ? 'fail' : score.notSeen > 0 ? 'pending' : 'pass',
    score: score.of === 0 ? 0 : Math.round((score.passed / score.of) * 10_000) / 100,
    tester: 'Clinic workflows',
    issued: endedAt ?? startedAt,
    participant: [{ type: 'server', uri: baseUrl, display: 'Sandbox EMR' }],
    test: behaviours.map((each) => ({
      name: each.id,
      description: each.title,
      action: [{ assert: { result: results[each.verdict], message: messageOf(each) } }],
    })),
  };
}

const results = { passed: 'pass', failed: 'fail', not_seen: 'skip' } as const;

function messageOf({ verdict, why, shownBy, howToCause }: JudgedBehaviour): string {
  if (verdict === 'not_seen') return `Not seen. ${howToCause}`;
  const exchange = shownBy ? `exchange ${shownBy.number}, ${shownBy.request}, ${shownBy.status ?? 'no reply'}` : '';
  return why === null ? `Shown by ${exchange}` : `${why}: ${exchange}`;
}
