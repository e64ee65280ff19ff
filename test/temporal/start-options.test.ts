import { runsWhere } from '@clinic/temporal/run-lists';
import { priorityOf, searchableSession, startOptions } from '@clinic/temporal/start-options';
import {
  deliveryWorkflowId,
  longWorkflowId,
  searchAttributes,
  simulatedCallWorkflowId,
  TASK_QUEUE,
} from '@clinic/workflows/ids';
import { testPayloadKeys } from '../support/histories';

test('what somebody on the phone waits for goes first, and the clinics take turns', () => {
  expect((['live', 'calls', 'deliveries', 'longWork'] as const).map((kind) => priorityOf(kind))).toEqual([
    { priorityKey: 1 },
    { priorityKey: 3 },
    { priorityKey: 4 },
    { priorityKey: 5 },
  ]);
  expect(priorityOf('calls', 'c1')).toEqual({ priorityKey: 3, fairnessKey: 'c1' });
});

test.each([
  ['with a recovery case', 'k1', [{ key: searchAttributes.recoveryCase, value: 'k1' }]],
  ['without one', null, []],
])('a run %s is started once, and found by its clinic, its session and its state', (_what, caseId, more) => {
  const run = {
    workflowId: 'w1',
    workflowType: 'care-gap-follow-up',
    clinicId: 'c1',
    patientId: 'p1',
    phone: '+13035550100',
    caseId,
    sessionId: 's1',
  } as const;
  const { options } = startOptions(run, testPayloadKeys);

  expect(options).toMatchObject({
    workflowId: 'w1',
    taskQueue: TASK_QUEUE,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: 'care-gap-follow-up',
    priority: priorityOf('calls', 'c1'),
    memo: { sessionId: 's1' },
  });
  expect(options.typedSearchAttributes).toEqual([
    { key: searchAttributes.clinic, value: 'c1' },
    { key: searchAttributes.session, value: searchableSession(testPayloadKeys, 'c1', 's1')[0] },
    { key: searchAttributes.status, value: 'PENDING' },
    ...more,
  ]);
});

test('lists have workflows of runs alone', () => {
  expect(runsWhere(`ClinicId = 'c1'`)).toBe(
    "WorkflowType IN ('abandonmentRecovery', 'newPatientJourney', 'cancellationFollowUp', 'rescheduleFollowUp', 'careGapFollowUp', " +
      "'appointmentConfirmation', 'appointmentReminder', 'paymentRecovery', 'prescriptionFollowUp', 'waitlistOffer') AND ClinicId = 'c1'",
  );
});

test('a workflow is found again by its id', () => {
  expect(deliveryWorkflowId('case-1', 'first')).toBe('deliver-events-case-1-first');
  expect(simulatedCallWorkflowId('k1')).toBe('simulated-call-k1');
  expect(
    (['cancel_runs', 'resend_deliveries', 'erase_patient'] as const).map((kind) => longWorkflowId({ kind, id: 'x' })),
  ).toEqual(['cancel-runs-x', 'resend-deliveries-x', 'erase-patient-x']);
});
