import { calendarOf } from '@clinic/gateways/calendar/calendar-of';
import type { TaskRecord } from '@clinic/prisma/stores/tasks/tasks';
import type { TaskConfirmation } from '@clinic/shared/contracts/tasks/tasks';
import { z } from 'zod';
import type { Deps } from '../../http/route';

/** As the live tool leaves it where the clinic wants its staff to confirm what unverified callers book. */
const Requested = z.object({
  what: z.literal('requested'),
  providerName: z.string(),
  visitType: z.string(),
  startsAt: z.iso.datetime(),
});

/** The time that a caller asked for, with the call in which they did. */
type Request = { taskId: string; callId: string } & Omit<z.infer<typeof Requested>, 'what'>;

const ALTERNATIVES = { days: 14, limit: 5 };

/** Null for a task that is resolved, and for one in which nobody asked for a time. */
export function requestOf({ id: taskId, state, reason, callId, detail }: TaskRecord): Request | null {
  if (state !== 'OPEN' || reason !== 'unverified_caller' || callId === null) return null;
  const requested = Requested.safeParse(detail).data;
  if (!requested) return null;
  const { providerName, visitType, startsAt } = requested;
  return { taskId, callId, providerName, visitType, startsAt };
}

type Confirmed = Omit<TaskConfirmation, 'task'>;

/** Books the time on the calendar of the call, once however often it is asked for. Where it is gone, names others. */
export async function confirmBooking(
  { stores, systems }: Deps<'stores' | 'systems'>,
  clinicId: string,
  { taskId, callId, providerName: provider, visitType, startsAt }: Request,
): Promise<Confirmed> {
  const call = await stores.calls.liveOf(clinicId, callId);
  if (!call) return { isDone: false, reason: 'call_unknown', appointmentId: null, alternatives: [] };
  const calendar = calendarOf(call, { stores, systems });
  const now = await calendar.now();
  // One task, one booking: a second click, or somebody else's, finds what the first one booked.
  const booked = await calendar.book({ provider, visitType, startsAt }, { recordId: taskId, triedAt: null, now });
  if (booked.kind === 'booked') {
    return { isDone: true, reason: null, appointmentId: booked.appointment.id, alternatives: [] };
  }
  const reason = booked.kind === 'time_refused' ? booked.reason : booked.kind;
  const isGone = booked.kind === 'time_refused';
  const from = new Date(Math.max(now.getTime(), Date.parse(startsAt))).toISOString();
  const free = isGone ? await calendar.freeTimes({ provider, from, ...ALTERNATIVES }, now) : null;
  const times = free?.kind === 'found' ? free.times : [];
  const alternatives = times.map(({ providerName, startsAt: other }) => ({ providerName, startsAt: other }));
  return { isDone: false, reason, appointmentId: null, alternatives };
}
