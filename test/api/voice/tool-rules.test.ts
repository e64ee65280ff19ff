import { rivalsOf, tools } from '@clinic/api/tools/registry';
import { isForCallsOf } from '@clinic/api/tools/tool';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';

const visit = [
  'cancellation-follow-up',
  'reschedule-follow-up',
  'care-gap-follow-up',
  'appointment-confirmation',
  'appointment-reminder',
];
const registering = ['new-patient-journey'];
const paying = [...registering, 'payment-recovery'];
const onFile = [...visit, 'prescription-follow-up', 'waitlist-offer'];
const booking = [...registering, ...visit];
const appointments = 'book_appointment, reschedule_appointment, cancel_appointment';
const offers = 'accept_waitlist_offer, decline_waitlist_offer';

/** What every tool is allowed: a further one gets its line here. */
const rules: Record<
  string,
  {
    /** The tools that change the same, in whose place an equal request does nothing twice; null for one that only reads. */
    changes: string | null;
    /** The workflow types whose calls have it, and those that have it beside them where follow-ups book. */
    calls: readonly string[];
    followUps?: readonly string[];
    /** Refused once a wrong date of birth was stated, but for those who have none on file where it is for new patients too. */
    isGuarded?: 'for all' | 'but for new patients';
    /** What its refusal says of what was looked for. */
    refusal?: object;
    needs?: string;
  }
> = {
  resolve_patient_identity: { changes: 'resolve_patient_identity', calls: registering },
  update_registration_field: { changes: 'update_registration_field', calls: registering },
  submit_insurance_info: { changes: 'submit_insurance_info', calls: paying },
  record_self_pay_decision: { changes: 'record_self_pay_decision', calls: paying },
  escalate_billing: { changes: 'escalate_billing', calls: paying },
  validate_intake_field: { changes: null, calls: registering },
  submit_intake: { changes: 'submit_intake', calls: registering },
  verify_patient: { changes: null, calls: onFile },
  check_availability: { changes: null, calls: booking },
  book_appointment: {
    changes: appointments,
    calls: registering,
    followUps: ['cancellation-follow-up', 'care-gap-follow-up'],
    isGuarded: 'but for new patients',
  },
  get_upcoming_appointment: { changes: null, calls: visit, isGuarded: 'for all', refusal: { found: false } },
  reschedule_appointment: { changes: appointments, calls: visit, isGuarded: 'for all' },
  cancel_appointment: { changes: appointments, calls: visit, isGuarded: 'for all' },
  document_and_escalate: { changes: 'document_and_escalate', calls: onFile },
  record_abandonment_barrier: { changes: 'record_abandonment_barrier', calls: ['abandonment-recovery'] },
  resolve_recovery_outcome: { changes: 'resolve_recovery_outcome', calls: ['abandonment-recovery'] },
  check_recovery_session_status: { changes: null, calls: ['abandonment-recovery'] },
  send_resume_link: { changes: null, calls: ['abandonment-recovery'] },
  record_do_not_call: { changes: 'record_do_not_call', calls: workflowTypeNames },
  hold_time: { changes: 'hold_time', calls: booking, isGuarded: 'but for new patients', needs: 'holding' },
  get_waitlist_offer: {
    changes: null,
    calls: ['waitlist-offer'],
    isGuarded: 'for all',
    refusal: { found: false },
    needs: 'waitlist',
  },
  accept_waitlist_offer: { changes: offers, calls: ['waitlist-offer'], isGuarded: 'for all', needs: 'waitlist' },
  decline_waitlist_offer: { changes: offers, calls: ['waitlist-offer'], isGuarded: 'for all', needs: 'waitlist' },
  join_waitlist: { changes: 'join_waitlist', calls: booking, isGuarded: 'but for new patients', needs: 'holding' },
};

test('every tool has its line among the rules', () => {
  expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(rules).toSorted());
});

test.each(tools.map((tool) => [tool.name, tool] as const))('%s is allowed what its line says', (name, tool) => {
  const { changes = null, calls = [], followUps = [], isGuarded, refusal = {}, needs } = rules[name] ?? {};
  const typesWith = (booksFollowUps: boolean) =>
    workflowTypeNames.filter((type) => isForCallsOf(tool, type, { booksFollowUps })).toSorted();

  expect(tool.isWrite ? rivalsOf(tool).join(', ') : null).toBe(changes);
  expect(typesWith(false)).toEqual(calls.toSorted());
  expect(typesWith(true)).toEqual([...new Set([...calls, ...followUps])].toSorted());
  expect(tool.ifCallerFailed).toEqual(isGuarded === undefined ? undefined : refusal);
  expect(tool.isForNewPatients ?? false).toBe(isGuarded === 'but for new patients');
  expect(tool.needs).toBe(needs);
});
