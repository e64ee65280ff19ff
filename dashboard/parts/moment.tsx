import { useEffect, useState } from 'react';
import { useZone } from '../shell/account';

const minute = 60_000;
const day = 24 * 60 * minute;

/** An instant as people say it: "4 min ago" while it is near, the clinic's date and time otherwise. */
export function Moment({ at, near = true }: { at: string; near?: boolean }) {
  const zone = useZone();
  useTick(near ? 15_000 : null);
  const full = formatInstant(at, zone);
  const distance = Date.parse(at) - Date.now();
  const text = near && Math.abs(distance) < day ? relative(distance) : full;
  return (
    <time dateTime={at} title={full}>
      {text}
    </time>
  );
}

/** The clinic's wall clock, seconds included where they matter. */
export function ClockTime({ at, withSeconds = false }: { at: string; withSeconds?: boolean }) {
  const zone = useZone();
  return (
    <time dateTime={at} title={formatInstant(at, zone)}>
      {formatTime(at, zone, withSeconds)}
    </time>
  );
}

export const formatInstant = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, {
    ...{ timeZone, weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  }).format(new Date(at));

export const formatDay = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(undefined, { timeZone, weekday: 'short', day: 'numeric', month: 'short' }).format(
    new Date(at),
  );

export const formatTime = (at: string, timeZone: string, withSeconds = false): string =>
  new Intl.DateTimeFormat(undefined, {
    ...{ timeZone, hour: 'numeric', minute: '2-digit' },
    ...(withSeconds && { second: '2-digit' }),
  }).format(new Date(at));

/** Renders again every so often, so that what is said of the time stays true; null stops it. */
export function useTick(everyMs: number | null): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

function relative(distanceMs: number): string {
  const ago = distanceMs <= 0;
  const size = Math.abs(distanceMs);
  if (size < minute) return ago ? 'just now' : 'in a moment';
  const minutes = Math.round(size / minute);
  const text = minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return ago ? `${text} ago` : `in ${text}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
