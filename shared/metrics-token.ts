import { constantTimeEqual } from './crypto';

/** Whether a request may read the metrics: with the token, or without one on the local stack, where none is set. */
export function mayReadMetrics(
  authorization: string | undefined,
  { METRICS_TOKEN: expected, LOCAL_STACK: isLocal }: { METRICS_TOKEN?: string | undefined; LOCAL_STACK: boolean },
): boolean {
  if (!expected) return isLocal;
  const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
  return token !== undefined && constantTimeEqual(token, expected);
}
