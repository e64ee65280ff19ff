import { callingTimeEnd, isWithinCallingHours, nextCallingTime, type CallingHours } from './calling-hours';
import { type PreferredCallHours, weekOf } from './preferred-hours';
import { weekdays } from '../calendar/weekly-hours';
import { dayMs } from '../calendar/zone-offsets';

/** When a patient may be called: in the clinic's hours, by day on every clock that the patient may live by, and when they asked for it. */
export interface CallingWindows {
  hours: CallingHours;
  clinicZone: string;
  /** None where nobody's phone rings, as with the simulator: then the clinic's hours decide alone. */
  patientZones: readonly string[];
  /** Left out or null where the patient has asked for none. */
  preferredHours?: PreferredCallHours | null;
}

/** The narrowest that a state of the United States allows, on the patient's clock. */
const patientDay = { opens: '08:00', closes: '20:00' };
const patientHours: CallingHours = Object.fromEntries(weekdays.map((weekday) => [weekday, [patientDay]]));

/** A wait of more than two weeks is of no use to anybody. */
const furthestMs = 15 * dayMs;

/** Whether a call may be placed at an instant. */
export function isCallable({ at, ...windows }: CallingWindows & { at: string }): boolean {
  return clocksOf(windows).every((clock) => isWithinCallingHours({ ...clock, at }));
}

/** The earliest instant at or after `from` at which a call may be placed; null when there is none within two weeks. */
export function nextCallableTime({ from, ...windows }: CallingWindows & { from: string }): string | null {
  const clocks = clocksOf(windows);
  let at: string | null = from;
  let agreed = 0;
  // Each clock in turn moves the time on, until all of them agree to it.
  for (let turn = 0; agreed < clocks.length; turn += 1) {
    const clock = clocks[turn % clocks.length];
    const next: string | null = clock && at !== null ? nextCallingTime({ ...clock, from: at }) : null;
    if (next === null || Date.parse(next) > Date.parse(from) + furthestMs) return null;
    agreed = next === at ? agreed + 1 : 1;
    at = next;
  }
  return at;
}

/** When a time to call that has begun is over: the first closing of any clock. Null when a call may not be placed at `at`. */
export function callableUntil({ at, ...windows }: CallingWindows & { at: string }): string | null {
  if (!isCallable({ at, ...windows })) return null;
  const closings = clocksOf(windows).map((clock) => callingTimeEnd({ ...clock, at }));
  return closings.filter((closing) => closing !== null).toSorted()[0] ?? null;
}

interface Clock {
  hours: CallingHours;
  zone: string;
}

function clocksOf(windows: CallingWindows): Clock[] {
  const { hours, clinicZone, patientZones } = windows;
  return [
    { hours, zone: clinicZone },
    ...patientZones.map((zone) => ({ hours: patientHours, zone })),
    ...preferredClock(windows),
  ];
}

/** What a patient asks for is meant by their own clock; where nobody knows which that is, by that of the clinic whom they asked. */
function preferredClock({ preferredHours = null, patientZones, clinicZone }: CallingWindows): Clock[] {
  if (preferredHours === null) return [];
  const [zone = clinicZone, ...others] = patientZones;
  return [{ hours: weekOf(preferredHours), zone: others.length === 0 ? zone : clinicZone }];
}
