import { type CallingFacts, windowsOf } from './calling-policy';
import { callableUntil, isCallable } from './calling-windows';
import { toInstant } from '../calendar/clinic-time';
import { minuteMs } from '../calendar/zone-offsets';

/** First calls of an opening come within this time of it, however many they are. */
const widestMs = 5 * minuteMs;
/** Where few are due, so closely that no line stays free for long while somebody waits. */
const apartMs = 1_000;

export interface WaitForOpening {
  workflowId: string;
  /** When the wait ends, as it was decided. */
  until: string;
  /** How many other workflows of the clinic wait for the same instant. */
  othersWaiting: number;
  inputs: CallingFacts;
}

/**
 * When a wait really ends. Where more is due at an opening of calling hours than the clinic has lines, first calls are
 * spread over some minutes: the same workflow always gets the same place. Never past half of the time that there is to call in.
 */
export function spreadOpening({ workflowId, until, othersWaiting, inputs }: WaitForOpening): string {
  const { policy, attemptsMade, uselessFrom = null } = inputs;
  const waitForLines = othersWaiting + 1 - policy.maxConcurrentCalls;
  const opensAt = Date.parse(until);
  const windows = windowsOf(inputs);
  const isOpening = !isCallable({ ...windows, at: toInstant(opensAt - 1) });
  const closesAt = callableUntil({ ...windows, at: until });
  if (attemptsMade > 0 || waitForLines <= 0 || !isOpening || closesAt === null) return until;

  const endsAt = Math.min(Date.parse(closesAt), uselessFrom === null ? Infinity : Date.parse(uselessFrom));
  const withinMs = Math.min(widestMs, waitForLines * apartMs, (endsAt - opensAt) / 2);
  return withinMs <= 0 ? until : toInstant(opensAt + Math.floor(placeOf(workflowId) * withinMs));
}

/** From 0 up to 1, evenly over ids: FNV-1a. */
function placeOf(id: string): number {
  let hash = 0x811c9dc5;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}
