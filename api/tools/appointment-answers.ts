import type { Booking, CalendarAppointment, Cancellation, Holding, Move } from '@clinic/gateways/calendar/port';
import { spokenTime } from '@clinic/shared/domain/voice/spoken-time';
import { refusal, type ToolAnswer, type ToolContext } from './tool';

/** What the tools on appointments answer alike. */
const NOTHING_UPCOMING = refusal('no appointment on file');

export const UNKNOWN_PATIENT = refusal('The patient of this call is no longer on file.');

/** Nothing is promised, and staff have a task: what the caller hears is that somebody calls back. */
export const STAFF_CALL_BACK =
  "The clinic's own calendar cannot be reached just now. Tell the caller that someone from the clinic will call them back about it. Promise no time, and do not say that anything is done.";

const NOT_REGISTERED =
  "The clinic's own system cannot tell who this is. Ask for first and last name and date of birth, register them, and try once more.";

export const noSlots = (error: string): ToolAnswer => ({ result: { slots: [], success: false, error } });

export async function unknownProvider({ call, stores }: ToolContext): Promise<string> {
  const providers = await stores.providers.list(call.clinicId);
  const names = providers.map(({ displayName }) => displayName).join(', ');
  return names ? `There is no such provider here. The providers are ${names}.` : 'No provider takes appointments here.';
}

export const toSpoken = (instant: string, { call, now }: Pick<ToolContext, 'call' | 'now'>): string =>
  spokenTime(instant, call.clinicZone, now.toISOString());

export function toBooked({ id, startsAt, status }: CalendarAppointment, context: ToolContext): ToolAnswer {
  const scheduledAtSpoken = toSpoken(startsAt, context);
  return {
    result: { success: true, appointmentId: id, scheduledAt: startsAt, scheduledAtSpoken, status },
    fact: 'booked',
    detail: { appointmentId: id, startsAt },
  };
}

type NotDone = Exclude<Booking | Move | Cancellation | Holding, { kind: 'booked' | 'moved' | 'cancelled' | 'held' }>;

/** Why a calendar was not changed, in words that the agent can act on. */
export async function toRefusal(answer: NotDone, context: ToolContext): Promise<ToolAnswer> {
  switch (answer.kind) {
    case 'time_refused':
      return { result: { success: false, reason: answer.reason } };
    case 'unknown_provider':
      return refusal(await unknownProvider(context));
    case 'unknown_patient':
      return UNKNOWN_PATIENT;
    case 'nothing_upcoming':
      return NOTHING_UPCOMING;
    case 'left_to_staff':
      return refusal(STAFF_CALL_BACK);
    case 'patient_not_identified':
      return refusal(NOT_REGISTERED);
    case 'booked_before':
      return toBookedBefore(answer.appointment, context);
  }
}

/** The workflow is told of the booking that was made after all; the caller's newer wish was not fulfilled. */
function toBookedBefore(appointment: CalendarAppointment, context: ToolContext): ToolAnswer {
  const spoken = toSpoken(appointment.startsAt, context);
  const error = `The time that was asked for before, ${spoken}, is booked after all. Tell the caller so; to change it, someone from the clinic will call.`;
  return { ...toBooked(appointment, context), result: { success: false, error } };
}
