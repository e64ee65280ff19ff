import { localDate } from '../calendar/clinic-time';
import { spokenNumber } from '../outreach/opening';
import { spokenDay, spokenTime } from './spoken-time';

/** What a clinic's calls have in common. */
export interface CallPlace {
  clinicName: string;
  /** IANA. */
  clinicZone: string;
  /** The number that its calls come from, E.164; null where it is not known here. */
  clinicPhone: string | null;
  /** An instant. */
  now: string;
}

/** The variables that every call has for its assistant's prompt, in both directions. gateways/voice/assistants/README.md lists them. */
export function placeVariables({ clinicName, clinicZone, clinicPhone, now }: CallPlace): Record<string, string> {
  const date = localDate(now, clinicZone);
  return {
    clinicName,
    ...(clinicPhone !== null && { clinicPhone: spokenNumber(clinicPhone) }),
    clinicZone,
    today: `${spokenDay(now, clinicZone)}, ${date.slice(0, 4)}`,
    todayDate: date,
    timeNow: spokenTime(now, clinicZone).replace(/^.* at /, ''),
  };
}
