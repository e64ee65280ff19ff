import type { RouteDeps } from '../../http/route';

/** Where Temporal's own UI shows a run. */
export const temporalUrlOf = (
  { TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: RouteDeps['config'],
  workflowId: string,
): string => `${TEMPORAL_UI_URL}/namespaces/${TEMPORAL_NAMESPACE}/workflows/${workflowId}`;

/** Where it lists what goes on in a clinic: all of it, or what a further condition holds for. */
export function clinicsTemporalUrl(
  { TEMPORAL_UI_URL, TEMPORAL_NAMESPACE }: RouteDeps['config'],
  clinicId: string,
  condition?: string,
): string {
  const all = `ClinicId = '${clinicId}' AND ExecutionStatus = 'Running'`;
  const query = condition === undefined ? all : `${all} AND ${condition}`;
  return `${TEMPORAL_UI_URL}/namespaces/${TEMPORAL_NAMESPACE}/workflows?query=${encodeURIComponent(query)}`;
}
