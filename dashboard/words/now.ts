import { useSyncExternalStore } from 'react';
import { useZone } from '../parts/account';
import { type LocalDate, wallClock } from './week';

const everyHalfMinute = (look: () => void): (() => void) => {
  const timer = setInterval(look, 30_000);
  return () => clearInterval(timer);
};

/** What depends on the time, as it goes on; a page stays open all day, and over night. */
export const useAsTimePasses = <Value extends string | boolean>(read: () => Value): Value =>
  useSyncExternalStore(everyHalfMinute, read);

/** The clinic's day. */
export function useToday(): LocalDate {
  const zone = useZone();
  return useAsTimePasses(() => wallClock(new Date().toISOString(), zone).date);
}

/** The instant, to the minute. */
export const useMinute = (): string => useAsTimePasses(() => `${new Date().toISOString().slice(0, 16)}:00.000Z`);
