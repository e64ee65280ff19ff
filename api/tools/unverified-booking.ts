import type { NewBooking } from '@clinic/gateways/calendar/port';
import { demandsVerification } from '@clinic/shared/domain/patients/real-patients';
import { toBooked, toRefusal } from './appointment-answers';
import type { ToolAnswer, ToolContext } from './tool';

const TOO_MANY =
  'No more can be booked or held in this call. Tell the caller that someone from the clinic will call them back about it, and promise no time.';
const REQUESTED =
  'The time is noted as a request. Tell the caller that it is not booked yet, and that someone from the clinic will call to confirm it.';

/** Books for the caller of a call; of one whom nobody has verified, where patients are real, only so much, and staff are told. */
export async function bookForCaller(booking: NewBooking, context: ToolContext): Promise<ToolAnswer> {
  const { call, calendar, recordId: id, stores } = context;
  if (isTrusted(context)) return answerOf(await calendar.book(booking, context), context);

  if (!(await stores.callerTries.take({ ...call, id, kind: 'booking' }))) return tooMany(context);
  const { provider: providerName, startsAt, visitType } = booking;
  if (call.confirmsBookings) {
    await tell('requested', { providerName, startsAt, visitType }, context);
    return { result: { success: false, reason: 'requested', error: REQUESTED } };
  }
  const booked = await calendar.book(booking, context);
  if (booked.kind === 'booked') {
    await tell('booked', { appointmentId: booked.appointment.id, startsAt }, context);
    // What staff were left to look at may be booked yet: it goes on counting.
  } else if (booked.kind !== 'left_to_staff') await stores.callerTries.giveBack(call.clinicId, id);
  return answerOf(booked, context);
}

/** Holds a time or joins the waitlist for the caller: as much of each as may be booked, and what came to nothing counts for nothing. */
export async function withinLimits(
  kind: 'hold' | 'waitlist',
  context: ToolContext,
  act: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const { call, recordId: id, stores } = context;
  if (isTrusted(context)) return act();
  if (!(await stores.callerTries.take({ ...call, id, kind }))) return tooMany(context);
  const answer = await act();
  if (answer.result.success !== true) await stores.callerTries.giveBack(call.clinicId, id);
  return answer;
}

const isTrusted = ({ call, standing }: ToolContext): boolean => !demandsVerification(call) || standing === 'verified';

async function tooMany(context: ToolContext): Promise<ToolAnswer> {
  await tell('too_many_bookings', {}, context);
  return { result: { success: false, reason: 'left_to_staff', error: TOO_MANY } };
}

type Booked = Awaited<ReturnType<ToolContext['calendar']['book']>>;

const answerOf = (booked: Booked, context: ToolContext) =>
  booked.kind === 'booked' ? toBooked(booked.appointment, context) : toRefusal(booked, context);

/** One task of a call for each of these. */
export async function tell(
  what: 'booked' | 'requested' | 'too_many_bookings' | 'too_many_tries',
  detail: Record<string, string>,
  { call, stores }: Pick<ToolContext, 'call' | 'stores'>,
): Promise<void> {
  const { clinicId, callId, patientId, caseId, workflowId } = call;
  const cause = `unverified_caller:${what}:${callId}`;
  await stores.tasks.open({
    clinicId,
    reason: 'unverified_caller',
    cause,
    patientId,
    callId,
    caseId,
    workflowId,
    detail: { what, ...detail },
  });
}
