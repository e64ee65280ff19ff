import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useZone } from '#parts';
import { plural, t } from '#texts';
import { TextLink, useToday, wallClock } from '#words';
import { useWhen } from './bookable';

export type Changed = Pick<
  api.PatientRecord['appointments'][number],
  'id' | 'startsAt' | 'providerName' | 'providerDisplayName' | 'status'
>;

/** Whether an appointment can still be moved or cancelled. */
export const isChangeable = ({ status, startsAt }: Pick<Changed, 'status' | 'startsAt'>): boolean =>
  status === 'booked' && Date.parse(startsAt) >= Date.now();

/** Whether it is a visit of this day that has not ended by what was noted. */
export function useIsOfToday(): (appointment: Pick<Changed, 'status' | 'startsAt'>) => boolean {
  const zone = useZone();
  const today = useToday();
  return ({ status, startsAt }) =>
    (status === 'booked' || status === 'arrived') && wallClock(startsAt, zone).date === today;
}

/** When an appointment is, and with whom. */
export function useAbout({ startsAt, providerDisplayName }: Changed): string {
  const when = useWhen();
  return t`${when(startsAt)} with ${providerDisplayName}`;
}

/** What the waitlist does with the time of an appointment that is moved or cancelled. */
export function FreedTime({ appointment: { id } }: { appointment: Pick<Changed, 'id'> }) {
  const { data } = useQuery(api.getAppointmentsByAppointmentIdWaitingOptions({ path: { appointmentId: id } }));
  if (!data) return null;
  const { count, isOffered } = data;
  const waiting = plural(count, {
    one: 'One patient on the waitlist wants the time that becomes free.',
    other: '# patients on the waitlist want the time that becomes free.',
  });
  return (
    <Text size="sm">
      {count === 0 && t`Its time is open to everybody at once: nobody on the waitlist wants such a time.`}
      {count > 0 &&
        (isOffered
          ? t`${waiting} It is held for the first, who is called about it.`
          : t`${waiting} Calls do not act on this calendar: call them yourself.`)}{' '}
      {count > 0 && <TextLink to="/waitlist">{t`Waitlist`}</TextLink>}
    </Text>
  );
}
