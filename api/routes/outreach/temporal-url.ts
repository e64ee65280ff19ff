import type { RouteDeps } from '../../http/route';

/** Where Temporal's own UI shows a run. */
export const temporalUrlOf = (
  { TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: RouteDeps['config'],
  workflowId: string,
): string => `${TEMPORAL_UI_URL}/namespaces/${TEMPORAL_NAMESPACE}/workflows/${workflowId}`;

/** Where it lists what goes on in a clinic. */
export function clinicsTemporalUrl(
  { TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: RouteDeps['config'],
  clinicId: string,
): string {
  const query = `ClinicId = '${clinicId}' AND ExecutionStatus = 'Running'`;
  return `${TEMPORAL_UI_URL}/namespaces/${TEMPORAL_NAMESPACE}/workflows?query=${encodeURIComponent(query)}`;
}
