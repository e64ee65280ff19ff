import * as api from '#api';
import { ServiceButton } from '#forms';
import type { Area } from '#http';
import { t } from '#texts';
import { formatDate, formatWallTime } from '#words';
import { useBookable } from './bookable';

const refresh: Area[] = ['waitlist', 'slots', 'providers'];

/** What takes somebody off the waitlist, and what follows from it. */
export const leaving = { does: api.deleteWaitlistByEntryIdMutation(), done: t`Removed from the waitlist.`, refresh };

/** What comes of it that somebody waits. */
export function useWaitingLead(): string {
  const providers = useBookable().data;
  if (!providers) return '';
  return providers.areFreedTimesOffered
    ? t`A time that becomes free is held for 15 minutes for whoever has waited longest, and they are called.`
    : t`Nobody is called by itself: your clinic’s calls do not book in this calendar. Call them when a time becomes free.`;
}

/** Takes somebody off the waitlist. */
export const Remove = ({ entry: { id, visitType, status } }: { entry: api.WaitlistEntry }) =>
  (status === 'waiting' || status === 'offered') && (
    <ServiceButton
      size="xs"
      {...leaving}
      request={{ path: { entryId: id } }}
      name={t`Remove ${visitType} from the waitlist`}
      label={t`Remove`}
    />
  );

/** When somebody who waits could come. */
export function daysInWords({ earliestOn, latestOn, fromTime, untilTime }: api.WaitlistEntry): string {
  const hours = hoursInWords(fromTime, untilTime);
  const days = t`${dayInWords(earliestOn)} to ${dayInWords(latestOn)}`;
  return hours ? `${days}, ${hours}` : days;
}

/** With its year where that is not this one. */
function dayInWords(date: string): string {
  const isThisYear = date.startsWith(`${new Date().getFullYear()}-`);
  return formatDate(date, { day: 'numeric', month: 'short', year: isThisYear ? undefined : 'numeric' });
}

function hoursInWords(fromTime: string | null, untilTime: string | null): string {
  const [from, until] = [fromTime && formatWallTime(fromTime), untilTime && formatWallTime(untilTime)];
  if (from && until) return t`from ${from} and before ${until}`;
  if (from) return t`from ${from}`;
  return until ? t`before ${until}` : '';
}
