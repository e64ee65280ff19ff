import type * as api from '#api';
import { t } from '#texts';
import { formatWallTime } from '#words';

/** When a patient asked to be called, in a few words. */
export function callHours({ from, until }: api.PreferredCallHours): string {
  if (from === null) return t`Calls until ${formatWallTime(until ?? '24:00')}`;
  if (until === null) return t`Calls after ${formatWallTime(from)}`;
  return t`Calls from ${formatWallTime(from)} to ${formatWallTime(until)}`;
}

/** What a decision says of the hours that the patient asked for; null where it says nothing of them. */
export function askedHours({ preferredHours }: api.CallDecision['inputs']): string | null {
  if (!isHours(preferredHours)) return null;
  const { from, until } = preferredHours;
  if (from === null) return t`The patient asked to be called until ${formatWallTime(until ?? '24:00')}.`;
  if (until === null) return t`The patient asked to be called from ${formatWallTime(from)}.`;
  return t`The patient asked to be called from ${formatWallTime(from)} to ${formatWallTime(until)}.`;
}

const isTime = (value: unknown): value is string | null => value === null || typeof value === 'string';

const isHours = (value: unknown): value is api.PreferredCallHours =>
  typeof value === 'object' &&
  value !== null &&
  'from' in value &&
  'until' in value &&
  isTime(value.from) &&
  isTime(value.until);
