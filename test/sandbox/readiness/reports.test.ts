import type { JudgedBehaviour, ValidationRun } from '@clinic/shared/contracts/sandbox/validation-runs';
import { badgeOf } from '@clinic/sandbox/readiness/badge';
import { junitOf } from '@clinic/sandbox/readiness/junit';
import { testReportOf } from '@clinic/sandbox/readiness/test-report';

const behaviour = (id: string, changed: Partial<JudgedBehaviour> = {}): JudgedBehaviour => ({
  id,
  area: 'Booking',
  title: `does "${id}" & <more>`,
  verdict: 'passed',
  why: null,
  shownBy: {
    number: 3,
    at: '2035-03-05T10:00:00.000Z',
    operation: 'book',
    request: 'POST /Appointment/$book',
    status: 201,
  },
  howToCause: 'Book twice.',
  ...changed,
});
const run = (behaviours: JudgedBehaviour[], changed: Partial<ValidationRun> = {}): ValidationRun => ({
  id: 'run-1',
  label: null,
  state: 'ended',
  startedAt: '2035-03-05T09:00:00.000Z',
  endsAt: '2035-03-05T11:00:00.000Z',
  endedAt: '2035-03-05T10:30:00.000Z',
  exchanges: 7,
  score: { passed: 2, failed: 1, notSeen: 1, of: 3 },
  isFull: false,
  foreign: { appointmentReference: 'Appointment/x', patientReference: 'Patient/x' },
  clockChanges: { forward: null, back: null },
  behaviours,
  ...changed,
});
const all = [
  behaviour('one'),
  behaviour('two', { verdict: 'failed', why: 'it was\tlate' }),
  behaviour('three', { area: 'Moving and cancelling', verdict: 'not_seen', shownBy: null }),
];

test.each([
  [{ passed: 3, failed: 0, notSeen: 0, of: 3 }, '#1a7f37'],
  [{ passed: 2, failed: 0, notSeen: 1, of: 3 }, '#8a6100'],
  [{ passed: 2, failed: 1, notSeen: 0, of: 3 }, '#b42318'],
])('the badge of %j has its colour', (score, colour) => {
  const svg = badgeOf(score);

  expect(svg).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" width="142" height="20" role="img" aria-label="EMR integration: ' +
      `${score.passed}/3"><title>EMR integration: ${score.passed} of 3 passed, ${score.failed} failed</title>` +
      '<rect width="142" height="20" rx="3" fill="#444"/>' +
      `<path d="M110 0h29a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-29z" fill="${colour}"/>` +
      '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">' +
      `<text x="55" y="14">EMR integration</text><text x="126" y="14">${score.passed}/3</text></g></svg>`,
  );
});

test('the report for CI servers has a suite for each area and a case for each behaviour', () => {
  expect(junitOf(run(all)).split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="EMR integration" tests="3" failures="1" errors="0" skipped="1">',
    '  <testsuite name="Booking" tests="2" failures="1" errors="0" skipped="0" timestamp="2035-03-05T09:00:00">',
    '    <testcase classname="readiness.booking" name="one: does &quot;one&quot; &amp; &lt;more&gt;"/>',
    '    <testcase classname="readiness.booking" name="two: does &quot;two&quot; &amp; &lt;more&gt;"><failure message="it was late">Exchange 3 at 2035-03-05T10:00:00.000Z: POST /Appointment/$book 201</failure></testcase>',
    '  </testsuite>',
    '  <testsuite name="Moving and cancelling" tests="1" failures="0" errors="0" skipped="1" timestamp="2035-03-05T09:00:00">',
    '    <testcase classname="readiness.moving-and-cancelling" name="three: does &quot;three&quot; &amp; &lt;more&gt;"><skipped message="Not seen. Book twice."/></testcase>',
    '  </testsuite>',
    '</testsuites>',
    '',
  ]);
});

test('it names the run, and is XML whatever that is called', () => {
  expect(junitOf(run([], { label: 'v2 "x"\u0001 <b>' }))).toContain(
    '<testsuites name="EMR integration: v2 &quot;x&quot; &lt;b&gt;" tests="0" ',
  );
});

test('an exchange without a reply is told as that', () => {
  const [shown] = all;
  const lost = behaviour('two', {
    verdict: 'failed',
    why: 'lost',
    shownBy: shown?.shownBy ? { ...shown.shownBy, status: null } : null,
  });

  expect(junitOf(run([lost]))).toContain('POST /Appointment/$book no reply</failure>');
  expect(testReportOf(run([lost]), 'https://s').test[0]?.action[0]?.assert.message).toBe(
    'lost: exchange 3, POST /Appointment/$book, no reply',
  );
});

test('the TestReport has a test for each behaviour', () => {
  expect(testReportOf(run(all), 'https://s/fhir')).toEqual({
    resourceType: 'TestReport',
    id: 'run-1',
    name: 'Validation run of 2035-03-05T09:00:00.000Z',
    status: 'completed',
    testScript: { display: 'Behaviours of a client of the sandbox EMR (3)' },
    result: 'fail',
    score: 66.67,
    tester: 'Clinic workflows',
    issued: '2035-03-05T10:30:00.000Z',
    participant: [{ type: 'server', uri: 'https://s/fhir', display: 'Sandbox EMR' }],
    test: [
      ['one', 'pass', 'Shown by exchange 3, POST /Appointment/$book, 201'],
      ['two', 'fail', 'it was\tlate: exchange 3, POST /Appointment/$book, 201'],
      ['three', 'skip', 'Not seen. Book twice.'],
    ].map(([name = '', result, message]) => ({
      name,
      description: `does "${name}" & <more>`,
      action: [{ assert: { result, message } }],
    })),
  });
});

test.each<[Partial<ValidationRun>, object]>([
  [{ score: { passed: 3, failed: 0, notSeen: 0, of: 3 } }, { result: 'pass', score: 100 }],
  [{ score: { passed: 2, failed: 0, notSeen: 1, of: 3 } }, { result: 'pending' }],
  [{ score: { passed: 0, failed: 0, notSeen: 0, of: 0 } }, { result: 'pass', score: 0 }],
  [{ label: 'v2' }, { name: 'v2' }],
  [
    { state: 'running', endedAt: null },
    { status: 'in-progress', issued: '2035-03-05T09:00:00.000Z' },
  ],
])('of a run with %j it says %j', (changed, expected) => {
  expect(testReportOf(run([], changed), 'https://s')).toMatchObject(expected);
});
