import { runsWhere } from '@clinic/temporal/run-lists';
import { priorityOf } from '@clinic/temporal/start-options';
import { deliveryWorkflowId, longWorkflowId, simulatedCallWorkflowId } from '@clinic/workflows/ids';

test('what somebody on the phone waits for goes first, and the clinics take turns', () => {
  expect((['live', 'calls', 'deliveries', 'longWork'] as const).map((kind) => priorityOf(kind))).toEqual([
    { priorityKey: 1 },
    { priorityKey: 3 },
    { priorityKey: 4 },
    { priorityKey: 5 },
  ]);
  expect(priorityOf('calls', 'c1')).toEqual({ priorityKey: 3, fairnessKey: 'c1' });
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
