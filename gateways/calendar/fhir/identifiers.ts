import type { AppointmentNotice } from '@clinic/shared/contracts/events/clinic-notice';

type Kind = 'patient' | 'appointment' | 'document';

/** The namespace of our ids at other systems. It never changes: by it a record is found again whose id was never told. */
export const systemOf = (what: Kind) => `urn:clinic-workflows:${what}`;
export const tokenOf = (what: Kind, value: string) => `${systemOf(what)}|${value}`;
export const identifier = (what: Kind, value: string) => [{ system: systemOf(what), value }];

/** Our key of the appointment that has this identifier; null for one that is not ours. */
export function keyIn(token: string): string | null {
  const ours = tokenOf('appointment', '');
  return token.startsWith(ours) ? (token.slice(ours.length).split('.')[0] ?? null) : null;
}

/** An appointment at another time is another one to a server that is asked whether it has it already. */
export const appointmentKey = ({ appointmentId, startsAt }: Pick<AppointmentNotice, 'appointmentId' | 'startsAt'>) =>
  `${appointmentId}.${Date.parse(startsAt) / 60_000}`;
