import type { Said } from '@clinic/shared/domain/outreach/conversation';

/** Messages in the form that the contract shows, for everything that plays a caller: the simulator, the demo, tests. */

/** What is said of a call that goes on. */
export type CallStatus =
  | 'scheduled'
  | 'queued'
  | 'ringing'
  | 'in-progress'
  | 'forwarding'
  | 'ended'
  | 'deletion-failed';

/** What the analysis of a call says. */
interface Analysis {
  summary: string;
  structuredData?: { outcome: Said };
}

export const statusUpdate = (status: CallStatus): { type: 'status-update'; status: CallStatus } => ({
  type: 'status-update',
  status,
});

/** The two messages that report an end: at once that it is over, then what the analysis says. */
export function endOfCall({
  reason,
  summary,
  said,
}: {
  reason: string;
  summary: string;
  said?: Said;
}): [
  { type: 'status-update'; status: 'ended'; endedReason: string },
  { type: 'end-of-call-report'; endedReason: string; analysis: Analysis },
] {
  return [
    { type: 'status-update', status: 'ended', endedReason: reason },
    {
      type: 'end-of-call-report',
      endedReason: reason,
      analysis: { summary, ...(said !== undefined && { structuredData: { outcome: said } }) },
    },
  ];
}

/** One tool call, listed under both names that the platform has had for the list. */
export function toolCallMessage({ id, tool, args }: { id: string; tool: string; args: Record<string, unknown> }) {
  const entry = { id, type: 'function', function: { name: tool, arguments: args } };
  return { type: 'tool-calls', toolCalls: [entry], toolCallList: [entry] };
}

/** The decoded result of the one tool call of a request. */
export function resultIn(reply: unknown): Record<string, unknown> {
  const { results } = reply as { results?: { result: string }[] };
  return JSON.parse(results?.[0]?.result ?? '{}') as Record<string, unknown>;
}
