import { ApplicationFailure } from '@temporalio/common';

/**
 * Where an outreach stands, and every way from one stage to another:
 *
 *             ┌──────────┐ ── too early ──────────▶ ┌─────────┐
 *             │          │ ◀── time is up, woken ── │ waiting │ ───────┐
 *   start ──▶ │          │                          └─────────┘        │
 *             │          │ ── no line, or paused ─▶ ┌─────────┐        │
 *             │          │ ◀── line freed, woken ── │ in_line │ ───────┤ cancelled, resolved in a test call
 *             │ deciding │                          └─────────┘        │
 *             │          │ ── a phone rings ──────▶ ┌─────────┐        │
 *             │          │ ◀── withdrawn ────────── │ calling │ ───────┤ resolved by the agent, cancelled
 *             │          │                          └────┬────┘        │
 *             │          │                               │ it is over  │
 *             │          │                        ┌──────▼─────┐       │
 *             │          │ ◀── settled nothing ── │ concluding │ ──────┤ it came to something
 *             └────┬─────┘                        └────────────┘       ▼
 *                  └── no call is needed, or permitted ────────────▶ ended
 *
 * Everybody else sees three states (`state` in outreach-state.ts): CALLING while a phone rings, somebody talks or the call is
 * looked at, and while an internal test call is open; the outcome once it has ended; PENDING at all other times.
 * The recorded runs of test/histories walk every arrow: test/workflows/replay.test.ts.
 */
export const arrows = {
  deciding: ['waiting', 'in_line', 'calling', 'ended'],
  waiting: ['deciding', 'ended'],
  in_line: ['deciding', 'ended'],
  calling: ['deciding', 'concluding', 'ended'],
  concluding: ['deciding', 'ended'],
  ended: [],
} as const satisfies Record<string, readonly string[]>;

export type Stage = keyof typeof arrows;

/** The next stage. Throws where no arrow leads to it: staff then follow up. */
export function follow(from: Stage, to: Stage): Stage {
  const next: readonly Stage[] = arrows[from];
  if (!next.includes(to)) {
    throw ApplicationFailure.nonRetryable(`an outreach does not go from ${from} to ${to}`, 'impossible_stage');
  }
  return to;
}
