/** Why a call that was decided a moment ago must not ring any more. */
export const withdrawalReasons = [
  'call_over',
  'run_over',
  'case_over',
  'form_completed',
  'window_over',
  'opted_out',
  'appointment_changed',
  'patient_limits',
] as const;
export type WithdrawalReason = (typeof withdrawalReasons)[number];

const HOUR = 3_600;

/**
 * How long to wait before the next decision, in seconds, after the n-th call in a row that was decided and withdrawn. One
 * is a change at the last moment; several mean that the decision and the check do not agree.
 */
export function withdrawalWaitSeconds(withdrawnInARow: number): number {
  return withdrawnInARow <= 1 ? 0 : Math.min(2 ** (withdrawnInARow - 2), HOUR);
}
