import type { Said } from '@clinic/shared/domain/outreach/conversation';
import { endedReasons } from '@clinic/shared/domain/voice/ended-reason';

/** What happens next in a call: the agent uses a tool for the caller, or the call ends. */
export type Line =
  | { say: 'tool'; family: string; tool: string; arguments: Record<string, unknown> }
  | { say: 'end'; reason: string; summary: string; said?: Said };

/** A tool's decoded result. */
export type Reply = Record<string, unknown>;

/** The lines of a call: each tool's result comes back, so that a caller can take the time that was offered. */
export type Lines = Generator<Line, void, Reply>;

/** What callers know of themselves. */
export interface Caller {
  /** As YYYY-MM-DD. */
  dateOfBirth: string;
}

/** One of whom no date of birth is on file. */
export const anyCaller: Caller = { dateOfBirth: '1980-03-05' };

/** A scripted call. */
export type Talk = (caller: Caller) => Lines;

/** Plays a scripted call to its end. */
export async function perform(
  talk: Talk,
  say: (line: Line, index: number) => Promise<Reply>,
  caller: Caller = anyCaller,
): Promise<void> {
  const lines = talk(caller);
  let next = lines.next();
  for (let index = 0; next.done !== true; index += 1) next = lines.next(await say(next.value, index));
}

/** A scripted call that goes the same way whatever the tools return. */
export const talk = (...lines: Line[]): Talk =>
  function* () {
    yield* lines;
  };

/** The agent uses a tool, named by its family and its own name. */
export const use = (family: string, tool: string, args: Record<string, unknown> = {}): Line => ({
  say: 'tool',
  family,
  tool,
  arguments: args,
});

export const emr = (tool: string, args: Record<string, unknown> = {}): Line => use('emr-tools', tool, args);

export const journey = (tool: string, args: Record<string, unknown> = {}): Line => use('patient-journey', tool, args);

/** The agent ends the call; `said` is what the platform's analysis makes of it. */
export const goodbye = (summary: string, said?: Said): Line => ({
  say: 'end',
  reason: endedReasons.agentSaidGoodbye,
  summary,
  said,
});

/** The patient ends the call in the middle of it. */
export const hangUp = (summary: string): Line => ({ say: 'end', reason: endedReasons.patientHungUp, summary });

/** Nobody takes the call. */
export const noAnswer: Line = { say: 'end', reason: endedReasons.noAnswer, summary: '' };

interface Offer {
  providerName: string;
  startsAt: string;
}

/** The open times that `check_availability` offers. */
export const offers = ({ slots }: Reply): Offer[] => (Array.isArray(slots) ? slots : []);

/** The first of them. */
export const firstOffer = (reply: Reply): Offer | null => offers(reply)[0] ?? null;
