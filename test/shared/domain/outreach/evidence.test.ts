import {
  claims,
  judged,
  type RecordedFact,
  recordedFacts,
  taskOfRefused,
} from '@clinic/shared/domain/outreach/evidence';
import { type Outcome, taskFor, type WorkflowType, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';

const verdictOf = (outcome: Outcome, ...held: RecordedFact[]): string => {
  // Payments are settled in calls alone.
  const { outcome: stands, taskReason } = judged({ workflowType: 'payment-recovery', outcome }, held);
  return taskReason === null ? stands : `${stands} with ${taskReason}`;
};
const refused = 'FOLLOW_UP_REQUIRED with follow_up_required';
const unchecked = 'FOLLOW_UP_REQUIRED with booking_to_check';
const booked: RecordedFact[] = ['booked', 'rescheduled', 'appointment_booked', 'offer_accepted'];

test.each<[Outcome, string, Partial<Record<string, readonly RecordedFact[]>>]>([
  [
    'REBOOKED',
    'REBOOKED with booking_to_check',
    { REBOOKED: booked, [unchecked]: ['booking_refused', 'not_verified'] },
  ],
  ['RESCHEDULED', unchecked, { RESCHEDULED: ['booked', 'rescheduled', 'appointment_moved'] }],
  ['CANCELLED', refused, { CANCELLED: ['cancelled', 'appointment_cancelled'] }],
  [
    'CONFIRMED',
    'CONFIRMED',
    { CONFIRMED: ['appointment_arrived'], [refused]: ['appointment_cancelled', 'not_verified'] },
  ],
  ['INFORMED', 'INFORMED', { [refused]: ['not_verified'] }],
  ['REGISTERED', refused, { REGISTERED: ['registered'] }],
  ['SELF_PAY', refused, { SELF_PAY: ['self_pay'] }],
  ['INSURANCE_UPDATED', refused, { INSURANCE_UPDATED: ['insurance_updated'] }],
  ...(Object.keys(claims) as Outcome[])
    .filter((outcome) => claims[outcome] === null)
    .map((outcome): [Outcome, string, object] => [outcome, outcome, {}]),
])('%s is what the records say of it', (outcome, unsaid, told) => {
  const expected = recordedFacts.map((fact) => {
    const [verdict = unsaid] = Object.entries(told).find(([, facts]) => facts?.includes(fact)) ?? [];
    return [fact, verdict];
  });

  expect(verdictOf(outcome)).toBe(unsaid);
  expect(recordedFacts.map((fact) => [fact, verdictOf(outcome, fact)])).toEqual(expected);
});

test('what a tool has done stands, whatever else was refused', () => {
  expect(verdictOf('REBOOKED', 'booking_refused', 'booked')).toBe('REBOOKED');
});

const leftOpen = ['FOLLOW_UP_REQUIRED', 'ACTION_REQUIRED', 'DECLINED'] as const;
const rebooked = ['appointment_booked REBOOKED'];
const kept = ['appointment_cancelled CANCELLED', 'appointment_moved RESCHEDULED', 'appointment_arrived CONFIRMED'];

test.each<[WorkflowType, string[]]>([
  ['abandonment-recovery', ['form_completed ALREADY_COMPLETED']],
  ['new-patient-journey', ['registered REGISTERED']],
  ['cancellation-follow-up', rebooked],
  ['reschedule-follow-up', rebooked],
  ['care-gap-follow-up', rebooked],
  ['appointment-confirmation', kept],
  ['appointment-reminder', kept],
  ['payment-recovery', []],
  ['prescription-follow-up', []],
  ['waitlist-offer', ['offer_accepted REBOOKED']],
])('what a call of %s left open is settled by the records alone, and nobody follows up', (workflowType, settled) => {
  for (const outcome of leftOpen) {
    const verdicts = recordedFacts.map((fact) => ({ fact, ...judged({ workflowType, outcome }, [fact]) }));
    const others = verdicts.filter((verdict) => verdict.outcome !== outcome);

    expect(others.map(({ fact, outcome: instead }) => `${fact} ${instead}`)).toEqual(settled);
    expect(verdicts.map(({ taskReason }) => taskReason)).toEqual(recordedFacts.map(() => null));
  }
});

test('a question for the care team stays open, whatever the records have settled', () => {
  const left = { workflowType: 'appointment-reminder', outcome: 'FOLLOW_UP_REQUIRED' } as const;

  expect(judged(left, ['appointment_moved', 'escalated']).outcome).toBe('FOLLOW_UP_REQUIRED');
});

test('these outcomes promise nothing that records could make true', () => {
  expect(Object.entries(claims).flatMap(([outcome, claim]) => (claim === null ? [outcome] : []))).toEqual([
    'RECOVERED',
    'ALREADY_COMPLETED',
    'FOLLOW_UP_REQUIRED',
    'ACTION_REQUIRED',
    'ESCALATED',
    'BILLING_ESCALATION',
    'PRICING_ESCALATION',
    'CLINICAL_ESCALATION',
    'DECLINED',
    'PATIENT_NOT_INTERESTED',
    'PATIENT_NOT_REACHED',
  ]);
});

test('a refused outcome leaves its own task, else that somebody follows up', () => {
  expect((['REBOOKED', 'RESCHEDULED', 'CANCELLED', 'CONFIRMED', 'DECLINED'] as const).map(taskOfRefused)).toEqual([
    'booking_to_check',
    'booking_to_check',
    'follow_up_required',
    'follow_up_required',
    'follow_up_required',
  ]);
});

const left: Partial<Record<Outcome, string>> = {
  FOLLOW_UP_REQUIRED: 'follow_up_required',
  PRICING_ESCALATION: 'billing_escalation',
  CLINICAL_ESCALATION: 'clinical_escalation',
  ACTION_REQUIRED: 'registration_incomplete',
  ESCALATED: 'clinical_escalation',
  BILLING_ESCALATION: 'billing_escalation',
};

test.each(Object.keys(claims) as Outcome[])('the task that %s leaves to staff', (outcome) => {
  const task = left[outcome] ?? null;

  expect(taskFor(outcome, [])).toBe(task);
  expect(taskFor(outcome, ['escalated'])).toBe(outcome === 'ESCALATED' ? null : task);
  expect(taskFor(outcome, ['billing_escalated'])).toBe(outcome === 'BILLING_ESCALATION' ? null : task);
});

test('what each type of workflow is, and how it can end', () => {
  const toBook = ['REBOOKED', 'ESCALATED', 'DECLINED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'];
  const toKeep = ['CONFIRMED', 'RESCHEDULED', 'CANCELLED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'];
  const said = Object.entries(workflowTypes).map(([type, { outcomes, isRecoveryOrReminder, isUrgent }]) => [
    type,
    `${isUrgent ? 'urgent' : 'in time'}, ${isRecoveryOrReminder ? 'a recovery or reminder' : 'neither'}`,
    outcomes,
  ]);

  expect(said).toEqual([
    [
      'abandonment-recovery',
      'in time, a recovery or reminder',
      [
        'RECOVERED',
        'FOLLOW_UP_REQUIRED',
        'PRICING_ESCALATION',
        'CLINICAL_ESCALATION',
        'PATIENT_NOT_INTERESTED',
        'PATIENT_NOT_REACHED',
        'ALREADY_COMPLETED',
      ],
    ],
    [
      'new-patient-journey',
      'urgent, neither',
      ['REGISTERED', 'ACTION_REQUIRED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    ],
    ['cancellation-follow-up', 'in time, a recovery or reminder', toBook],
    ['reschedule-follow-up', 'in time, a recovery or reminder', toBook],
    ['care-gap-follow-up', 'in time, a recovery or reminder', toBook],
    ['appointment-confirmation', 'in time, a recovery or reminder', toKeep],
    ['appointment-reminder', 'urgent, a recovery or reminder', toKeep],
    [
      'payment-recovery',
      'in time, neither',
      ['SELF_PAY', 'BILLING_ESCALATION', 'INSURANCE_UPDATED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    ],
    [
      'prescription-follow-up',
      'in time, neither',
      ['INFORMED', 'ESCALATED', 'PATIENT_NOT_REACHED', 'FOLLOW_UP_REQUIRED'],
    ],
    ['waitlist-offer', 'urgent, a recovery or reminder', toBook],
  ]);
});
