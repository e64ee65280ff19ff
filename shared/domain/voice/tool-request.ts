/** A tool call as the rest of the service knows it, whatever envelope it came in. */
export interface ToolRequest {
  id: string;
  /** The tool's name where the body says it. The route's own name wins over it. */
  name: string | null;
  arguments: Record<string, unknown>;
  /** Set when the arguments could not be read; the agent is asked to try again. */
  isUnreadable: boolean;
}

/** What the agent is told of a tool that gave no result of its own. The same tool call may be sent again: what it does is done once. */
export const noResult = {
  stillWorking:
    'This is taking a moment, and nobody knows yet whether it is done. Tell the caller that someone from the clinic will call them back about it.',
  failed: 'Something went wrong. Apologise and try once more.',
} as const;
