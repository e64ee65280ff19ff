import type { Said } from '@clinic/shared/domain/conversation';

/** What happens next in a call: a tool the agent uses for the caller, or the end of it. */
export type Line =
  | { say: 'tool'; family: string; tool: string; arguments: Record<string, unknown> }
  | { say: 'end'; reason: string; summary: string; said?: Said };

/** A tool's decoded result. */
export type Reply = Record<string, unknown>;

/** A conversation: each tool's result comes back, so that a caller can take the slot that was offered. */
export type Talk = () => Generator<Line, void, Reply>;

/** What the callers of one workflow type do, by what their numbers stand for. */
export interface Cast {
  agrees: Talk;
  wantsCallback: Talk;
  findsItExpensive: Talk;
  asksClinicalQuestion: Talk;
  declines: Talk;
}

export const use = (family: string, tool: string, args: Record<string, unknown> = {}): Line => ({
  say: 'tool',
  family,
  tool,
  arguments: args,
});

export const emr = (tool: string, args: Record<string, unknown> = {}): Line => use('emr-tools', tool, args);

/** The agent ends the call; `said` is what the platform's analysis makes of it. */
export const goodbye = (summary: string, said?: Said): Line => ({
  say: 'end',
  reason: 'assistant-ended-call',
  summary,
  said,
});

export const hangUp = (summary: string): Line => ({ say: 'end', reason: 'customer-ended-call', summary });

/** A conversation that goes the same way whatever the tools answer. */
export const talk = (...lines: Line[]): Talk =>
  function* () {
    yield* lines;
  };

/** The first of the open times that `check_availability` offers. */
export function firstOffer({ slots }: Reply): { providerName: string; startsAt: string } | null {
  return Array.isArray(slots) ? (slots[0] ?? null) : null;
}
