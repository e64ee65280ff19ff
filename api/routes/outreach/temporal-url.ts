import type { RouteDeps } from '../../http/route';

/** Where Temporal's own UI shows a run. */
export const temporalUrlOf = (
  { TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: RouteDeps['config'],
  workflowId: string,
): string => `${TEMPORAL_UI_URL}/namespaces/${TEMPORAL_NAMESPACE}/workflows/${workflowId}`;

/** Where it lists workflows of a clinic: those that go on, unless another condition is given. */
export function clinicsTemporalUrl(
  { TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: RouteDeps['config'],
  clinicId: string,
  condition = GOES_ON,
): string {
  const query = `ClinicId = '${clinicId}' AND ${condition}`;
  return `${TEMPORAL_UI_URL}/namespaces/${TEMPORAL_NAMESPACE}/workflows?query=${encodeURIComponent(query)}`;
}

export const GOES_ON = "ExecutionStatus = 'Running'";
