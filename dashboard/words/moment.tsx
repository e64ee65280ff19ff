import { useEffect, useState } from 'react';
import { t } from '#texts';
import { useZone } from '../parts/account';
import { dateFormat } from './formats';
import classes from './moment.module.css';
import { useToday } from './now';
import { wallClock } from './week';

const minute = 60_000;
const day = 24 * 60 * minute;

/** An instant as people say it: "4 min ago" while it is near, the clinic's date and time otherwise. */
export function Moment({ at, near = true }: { at: string; near?: boolean }) {
  const zone = useZone();
  useTick(near ? 15_000 : null);
  const distance = Date.parse(at) - Date.now();
  const isNear = near && Math.abs(distance) < day;
  return (
    <time dateTime={at} title={formatInstant(at, zone)} className={classes.short}>
      {isNear ? relative(distance) : formatShort(at, zone, distance > 0)}
    </time>
  );
}

/** How long something goes on, to the second. */
export function TimeSince({ at }: { at: string }) {
  useTick(1_000);
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(at)) / 1_000));
  const text = [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return (
    <time dateTime={at} role="timer" aria-live="off" className={classes.short}>
      {text}
    </time>
  );
}

/** When something takes place, short enough for a list: `Tue, Nov 24, 2026, 10:30 AM`. */
export function DayAndTime({ at }: { at: string }) {
  const zone = useZone();
  return (
    <time dateTime={at} title={formatInstant(at, zone)} className={classes.short}>
      {formatDay(at, zone, 'numeric')}, {formatTime(at, zone)}
    </time>
  );
}

/** The clinic's wall clock, seconds included where they matter; with the day, unless it is today. */
export function ClockTime({ at, withSeconds = false }: { at: string; withSeconds?: boolean }) {
  const zone = useZone();
  const isToday = wallClock(at, zone).date === useToday();
  return (
    <time dateTime={at} title={formatInstant(at, zone)}>
      {isToday ? '' : `${formatDay(at, zone)}, `}
      {formatTime(at, zone, withSeconds)}
    </time>
  );
}

/** All of it, with the zone: what is shown when somebody points at a time. */
function formatInstant(at: string, timeZone: string): string {
  const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
  return dateFormat({ timeZone, ...date, ...time }).format(new Date(at));
}

/** `Nov 20, 6:57 PM`, with the year of another one. Of what is past the weekday tells nobody anything, and a list has no room for it. */
function formatShort(at: string, timeZone: string, isToCome: boolean): string {
  const isOfThisYear = wallYear(at, timeZone) === wallYear(new Date().toISOString(), timeZone);
  return dateFormat({
    timeZone,
    weekday: isToCome ? 'short' : undefined,
    day: 'numeric',
    month: 'short',
    year: isOfThisYear ? undefined : 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(new Date(at));
}

const wallYear = (at: string, timeZone: string) => dateFormat({ timeZone, year: 'numeric' }, 'en').format(new Date(at));

export const formatDay = (at: string, timeZone: string, year?: 'numeric'): string =>
  dateFormat({ timeZone, weekday: 'short', day: 'numeric', month: 'short', year }).format(new Date(at));

export const formatTime = (at: string, timeZone: string, withSeconds = false): string =>
  dateFormat({
    timeZone,
    hour: 'numeric',
    minute: '2-digit',
    ...(withSeconds && { second: '2-digit' }),
  }).format(new Date(at));

/** Renders again every so often, so that what is said of the time stays true; null stops it. */
function useTick(everyMs: number | null): void {
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
  if (size < minute) return ago ? t`just now` : t`in a moment`;
  const minutes = Math.round(size / minute);
  const text = minutes < 60 ? t`${minutes} min` : t`${Math.round(minutes / 60)} h`;
  return ago ? t`${text} ago` : t`in ${text}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return t`${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return t`${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return both(t`${minutes} min`, seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return both(t`${hours} h`, minutes % 60, 'min');
  return both(t`${Math.floor(hours / 24)} d`, hours % 24, 'h');
}

/** `2 h`, `2 h 5 min`. */
const both = (large: string, small: number, unit: string) => (small === 0 ? large : `${large} ${small} ${unit}`);
