import { check, type CheckOptions, type ViolationKind } from './checker';
import type { Evidence, RequestEntry } from './evidence';

const options: CheckOptions = { hangMs: 15_000, expectsTrouble: true };

const request = (entry: Partial<RequestEntry>): RequestEntry => ({
  at: '2026-11-20T10:00:00.000Z',
  operation: 'form-1',
  kind: 'form',
  clinicId: 'clinic-a',
  sessionId: 's-1',
  result: 'ok',
  status: 200,
  error: null,
  hasRetryAfter: false,
  ms: 12,
  workflowId: 'run-1',
  recoveryCaseId: 'case-1',
  appointmentId: null,
  expected: ['RECOVERED'],
  slot: null,
  ...entry,
});

const slot = { providerName: 'Dr.Chen', startsAt: '2026-11-23T16:00:00.000Z' };
const booking = (entry: Partial<RequestEntry>): RequestEntry =>
  request({
    operation: 'booking-1',
    kind: 'booking',
    sessionId: null,
    workflowId: null,
    recoveryCaseId: null,
    appointmentId: 'appointment-1',
    expected: null,
    slot,
    ...entry,
  });

const outcomeText = (recoveryStatus: string, clinicId = 'clinic-a') =>
  JSON.stringify({
    event: 'recovery_case.outcome',
    clinicId,
    sentAt: '2026-11-20T10:00:05.000Z',
    data: { recoveryCaseId: 'case-1', sessionId: 's-1', recoveryStatus },
  });
const createdText = JSON.stringify({
  event: 'recovery_case.created',
  clinicId: 'clinic-a',
  sentAt: '2026-11-20T10:00:00.000Z',
  data: { recoveryCaseId: 'case-1', sessionId: 's-1' },
});

/** One form, its call, its two events, one booking that somebody else lost: all as it should be. */
function aGoodRun(): Evidence {
  const about = { at: '2026-11-20T10:00:05.000Z', clinicId: 'clinic-a', isGenuine: true, status: 200 };
  return {
    requests: [
      request({ result: 'unknown', status: null, error: 'ECONNRESET', workflowId: null, recoveryCaseId: null }),
      request({}),
      booking({}),
      booking({ operation: 'booking-2', result: 'refused', status: 409, appointmentId: null }),
    ],
    bodies: [
      { ...about, eventId: 'event-1', text: createdText },
      { ...about, eventId: 'event-2', text: outcomeText('RECOVERED') },
    ],
    faults: [{ at: '2026-11-20T10:00:01.000Z', fault: 'SIGKILL', target: 'api-1', pid: 7, wasAlive: true }],
    runs: [
      {
        id: 'run-1',
        clinicId: 'clinic-a',
        sessionId: 's-1',
        workflowType: 'abandonment-recovery',
        status: 'completed',
        outcome: 'RECOVERED',
        isDispatched: true,
      },
    ],
    cases: [
      { id: 'case-1', clinicId: 'clinic-a', sessionId: 's-1', workflowId: 'run-1', status: 'RECOVERED', isEnded: true },
    ],
    events: [
      { id: 'event-1', clinicId: 'clinic-a', event: 'recovery_case.created', subject: 'case-1', recoveryStatus: null },
      {
        id: 'event-2',
        clinicId: 'clinic-a',
        event: 'recovery_case.outcome',
        subject: 'case-1',
        recoveryStatus: 'RECOVERED',
      },
    ],
    deliveries: [
      { id: 'event-1', clinicId: 'clinic-a', eventId: 'event-1', state: 'DELIVERED' },
      { id: 'event-2', clinicId: 'clinic-a', eventId: 'event-2', state: 'DELIVERED' },
    ],
    calls: [
      {
        id: 'call-1',
        clinicId: 'clinic-a',
        workflowId: 'run-1',
        attempt: 1,
        state: 'ENDED',
        endedReason: 'customer-ended-call',
      },
    ],
    appointments: [
      {
        id: 'appointment-1',
        clinicId: 'clinic-a',
        providerName: 'Dr.Chen',
        startsAt: slot.startsAt,
        endsAt: '2026-11-23T16:30:00.000Z',
        status: 'booked',
      },
    ],
    executions: [{ workflowId: 'run-1', type: 'abandonmentRecovery', status: 'COMPLETED' }],
    rings: [{ callId: 'call-1', phone: '+14155550001', attempt: 1 }],
    ownEndings: [],
    reversals: [],
    recoveries: [{ what: 'the APIs are ready', seconds: 2.5, withinSeconds: 10 }],
  };
}

/** A run of another type, which has no case, beside the form. */
function withPayment(run: Evidence, { outcome = 'SELF_PAY', told = 1 } = {}): void {
  const about = { clinicId: 'clinic-a', sessionId: 's-2' };
  const asked = { operation: 'start-1', kind: 'start', workflowId: 'run-2', recoveryCaseId: null } as const;
  run.requests.push(request({ ...asked, sessionId: about.sessionId, expected: ['SELF_PAY'] }));
  run.runs.push({ ...run.runs[0]!, ...about, id: 'run-2', workflowType: 'payment-recovery', outcome });
  run.executions.push({ workflowId: 'run-2', type: 'paymentRecovery', status: 'COMPLETED' });
  const event = { clinicId: about.clinicId, event: 'workflow.completed', subject: 'run-2', recoveryStatus: null };
  for (let count = 0; count < told; count += 1) run.events.push({ ...event, id: `event-of-payment-${count}` });
}

test('a run in which everything is as promised has no violation', () => {
  const run = aGoodRun();
  withPayment(run);

  expect(check(run, options)).toEqual([]);
});

/** Each spoils a good run in one way, and must be found by that name. */
const planted: [string, ViolationKind, (run: Evidence) => void][] = [
  ['an accepted form without a run', 'accepted_without_row', (run) => (run.runs = [])],
  ['an accepted form without a case', 'accepted_without_row', (run) => (run.cases = [])],
  ['an accepted booking without an appointment', 'accepted_without_row', (run) => (run.appointments = [])],
  ['an event that receivers have and the records have not', 'accepted_without_row', (run) => run.events.pop()],
  ['a session with two cases', 'doubled', (run) => run.cases.push({ ...run.cases[0]!, id: 'case-2' })],
  ['a session with two runs', 'doubled', (run) => run.runs.push({ ...run.runs[0]!, id: 'run-2' })],
  ['a run with two workflows', 'doubled', (run) => run.executions.push({ ...run.executions[0]! })],
  ['an outcome written twice', 'doubled', (run) => run.events.push({ ...run.events[1]!, id: 'event-3' })],
  [
    'an outcome told twice under two ids',
    'doubled',
    (run) => run.bodies.push({ ...run.bodies[1]!, eventId: 'event-3' }),
  ],
  ['one appointment won by two bookers', 'doubled', (run) => run.requests.push(booking({ operation: 'booking-3' }))],
  ['a run that Temporal does not know', 'lost', (run) => run.executions.shift()],
  ['a run that failed', 'lost', (run) => (run.runs[0]!.status = 'failed')],
  ['a workflow that was terminated', 'lost', (run) => (run.executions[0]!.status = 'TERMINATED')],
  ['a case whose outcome was never written', 'lost', (run) => run.events.pop()],
  ['a delivery that no receiver has', 'lost', (run) => run.bodies.pop()],
  ['a delivery that the receiver refused', 'lost', (run) => (run.bodies[1]!.status = 500)],
  ['a dead letter', 'lost', (run) => (run.deliveries[1]!.state = 'DEAD')],
  [
    'a slot that everybody was refused and nobody has',
    'lost',
    (run) => {
      run.appointments = [];
      run.requests = run.requests.filter(({ operation }) => operation !== 'booking-1');
    },
  ],
  [
    'an outcome told differently the second time',
    'contradictory',
    (run) => run.bodies.push({ ...run.bodies[1]!, eventId: 'event-3', text: outcomeText('FOLLOW_UP_REQUIRED') }),
  ],
  [
    'another body under the same id',
    'contradictory',
    (run) => run.bodies.push({ ...run.bodies[0]!, text: `${createdText} ` }),
  ],
  [
    'an outcome that is not the case’s',
    'contradictory',
    (run) => (run.events[1]!.recoveryStatus = 'ALREADY_COMPLETED'),
  ],
  ['a run that says another outcome than its case', 'contradictory', (run) => (run.runs[0]!.outcome = 'DECLINED')],
  ['two answers to one form', 'contradictory', (run) => run.requests.push(request({ recoveryCaseId: 'case-2' }))],
  [
    'a booker who was refused what he has',
    'contradictory',
    (run) => (run.requests = run.requests.filter(({ operation }) => operation !== 'booking-1')),
  ],
  ['a case of another clinic', 'cross_clinic', (run) => (run.cases[0]!.clinicId = 'clinic-b')],
  ['a run of another clinic', 'cross_clinic', (run) => (run.runs[0]!.clinicId = 'clinic-b')],
  ['an event sent to another clinic', 'cross_clinic', (run) => (run.bodies[1]!.clinicId = 'clinic-b')],
  ['an appointment of another clinic', 'cross_clinic', (run) => (run.appointments[0]!.clinicId = 'clinic-b')],
  ['a case that never ended', 'stuck', (run) => (run.cases[0]!.isEnded = false)],
  ['a run that never ended', 'stuck', (run) => (run.runs[0]!.status = 'started')],
  ['a workflow that still runs', 'stuck', (run) => (run.executions[0]!.status = 'RUNNING')],
  ['a delivery that still waits', 'stuck', (run) => (run.deliveries[0]!.state = 'PENDING')],
  ['a call that stays open', 'stuck', (run) => (run.calls[0]!.state = 'IN_PROGRESS')],
  [
    'two calls for one attempt',
    'call_doubled',
    (run) => {
      run.calls.push({ ...run.calls[0]!, id: 'call-2' });
      run.rings.push({ callId: 'call-2', phone: null, attempt: null });
    },
  ],
  ['one call that rang twice', 'call_doubled', (run) => run.rings.push({ ...run.rings[0]! })],
  [
    'a phone that rings again for an attempt which the records have lost',
    'call_doubled',
    (run) => run.rings.push({ ...run.rings[0]!, callId: 'call-0' }),
  ],
  [
    'two appointments in one slot',
    'overlap',
    (run) => run.appointments.push({ ...run.appointments[0]!, id: 'appointment-2' }),
  ],
  [
    'a settled case that ends as a follow-up',
    'decision_lost',
    (run) => {
      run.cases[0]!.status = 'FOLLOW_UP_REQUIRED';
      run.runs[0]!.outcome = 'FOLLOW_UP_REQUIRED';
      run.events[1]!.recoveryStatus = 'FOLLOW_UP_REQUIRED';
      run.bodies[1]!.text = outcomeText('FOLLOW_UP_REQUIRED');
    },
  ],
  ['an end of another type that was never written', 'lost', (run) => withPayment(run, { told: 0 })],
  ['an end of another type that is written twice', 'doubled', (run) => withPayment(run, { told: 2 })],
  [
    'a settled run of another type that ends as a follow-up',
    'decision_lost',
    (run) => withPayment(run, { outcome: 'FOLLOW_UP_REQUIRED' }),
  ],
  ['a forged signature', 'forged', (run) => (run.bodies[0]!.isGenuine = false)],
  [
    'a delivered event that is pending again',
    'went_backwards',
    (run) => run.reversals.push({ record: 'delivery', id: 'event-1', from: 'DELIVERED', to: 'PENDING' }),
  ],
  ['a 500', 'wrong_status', (run) => run.requests.push(request({ result: 'unknown', status: 500 }))],
  [
    'a 503 without Retry-After',
    'wrong_status',
    (run) => run.requests.push(request({ result: 'unknown', status: 503 })),
  ],
  ['a refused form', 'wrong_status', (run) => run.requests.push(request({ result: 'refused', status: 401 }))],
  [
    'a request that hangs',
    'hang',
    (run) => run.requests.push(request({ result: 'unknown', status: null, ms: 15_001 })),
  ],
  [
    'a process that ended by itself',
    'ended_by_itself',
    (run) => run.ownEndings.push({ at: '', process: 'api-1', how: 'exit code 1', lastLine: 'Error' }),
  ],
  ['a recovery that took too long', 'slow_recovery', (run) => (run.recoveries[0]!.seconds = 11)],
  ['a fault that hit a dead target', 'nothing_proven', (run) => (run.faults[0]!.wasAlive = false)],
  ['a run without any trouble', 'nothing_proven', (run) => run.requests.shift()],
  [
    'a run in which most operations never came to their end',
    'nothing_proven',
    (run) => run.requests.push(request({ operation: 'form-2', sessionId: 's-2', result: 'unknown', status: null })),
  ],
  ['a run without operations', 'nothing_proven', (run) => (run.requests = [])],
];

test.each(planted)('planted: %s is found as %s', (_what, kind, spoil) => {
  const run = aGoodRun();
  spoil(run);

  expect(check(run, options).map((violation) => violation.kind)).toContain(kind);
});

test('a call that the platform never placed may be dialled again for the same attempt', () => {
  const run = aGoodRun();
  run.calls.push({ ...run.calls[0]!, id: 'call-0', endedReason: 'call.start.error-vapifault' });

  expect(check(run, options)).toEqual([]);
});
