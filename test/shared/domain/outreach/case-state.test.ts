import { caseStates, isTerminal, recoveryStatuses } from '@clinic/shared/domain/outreach/case-state';

test('the contract’s seven statuses are the endings of a case', () => {
  expect(caseStates.filter(isTerminal)).toEqual([...recoveryStatuses]);
  expect(caseStates.filter((state) => !isTerminal(state))).toEqual(['PENDING', 'CALLING']);
  expect([...recoveryStatuses].toSorted()).toEqual([
    'ALREADY_COMPLETED',
    'CLINICAL_ESCALATION',
    'FOLLOW_UP_REQUIRED',
    'PATIENT_NOT_INTERESTED',
    'PATIENT_NOT_REACHED',
    'PRICING_ESCALATION',
    'RECOVERED',
  ]);
});
