import { sha256Hex } from '@clinic/shared/crypto';
import { plusLocalDays } from '@clinic/shared/domain/clinic-time';
import { mayOffer } from '@clinic/shared/domain/slots';
import { spokenTime } from '@clinic/shared/domain/spoken-time';
import type { PatientNotice } from '@clinic/shared/contracts/clinic-notice';
import type { EhrAnswer, EhrAppointment, EhrFailure, EhrSlot, LiveEhr } from '@clinic/shared/outbound/clinic-api-port';
import type { ProviderRecord } from '@clinic/prisma/stores/providers';
import { z } from 'zod';
import { noSlots, NOTHING_UPCOMING, takingTurns, unknownProvider } from './appointment-words';
import { refusal, type ToolAnswer, type ToolContext } from './tool';

/** All that is asked of the server for one tool call; the rest of the eight seconds is for our records and the way. */
const TIMEOUT_MS = 6_500;
/** What a request gets at least after others of the same tool call were slow. */
const LAST_MS = 1_000;
/** A look at the next days is enough for most callers, and a small answer for the server. */
const FIRST_LOOK_DAYS = 3;

/** Nothing is promised: what the caller hears is that somebody will confirm. */
const SOMEONE_WILL_CONFIRM =
  "The clinic's own calendar cannot be reached just now. Tell the caller that someone from the clinic will confirm this, and promise no time.";
const NOT_REGISTERED =
  "The clinic's own system cannot tell who this is. Ask for first and last name and date of birth, register them, and try once more.";

/** What a change at the server is called in the task that stands for it until its end is known. */
const Intent = z.object({
  action: z.enum(['book', 'move', 'cancel']),
  key: z.string(),
  startsAt: z.string(),
  appointment: z
    .object({
      id: z.string(),
      providerName: z.string().nullable(),
      actor: z.string().nullable(),
      visitType: z.string(),
      startsAt: z.string(),
    })
    .nullable(),
  /** Whether it was asked for and nobody knows what came of it. */
  isOpen: z.boolean(),
});
type Intent = z.infer<typeof Intent>;

/** Free times at the clinic's own server, as far as they may be offered here too. */
export async function openTimes(
  { providerName, from, days, limit }: { providerName: string | null; from: string; days: number; limit: number },
  context: ToolContext,
): Promise<ToolAnswer> {
  const { call, stores, now } = context;
  const all = await stores.providers.list(call.clinicId);
  const asked = providerName === null ? all : [await stores.providers.recognise(call.clinicId, providerName)];
  const providers = asked.filter((provider) => provider !== null);
  if (providers.length === 0) return noSlots(await unknownProvider(context));
  const at = now.toISOString();
  const offer = ({ slotId, startsAt, ...slot }: EhrSlot) => {
    const startsAtSpoken = spokenTime(startsAt, call.clinicZone, at);
    return { slotId, providerName: slot.providerName, startsAt, startsAtSpoken };
  };

  const answer = await asking(context, async (ehr, within) => {
    for (const look of [FIRST_LOOK_DAYS, days]) {
      const until = plusLocalDays(from, look, call.clinicZone);
      const names = providers.map(({ name }) => name);
      const found = await ehr.openSlots({ providers: names, from, until }, within);
      if (found.kind !== 'done') return found;
      const offered = found.value.filter((slot) => isOffered(slot, providers, context));
      const chosen = providerName === null ? takingTurns(offered, limit) : offered.slice(0, limit);
      if (chosen.length === limit || look === days) return { kind: 'done', value: chosen };
    }
    return { kind: 'done', value: [] };
  });
  if (answer.kind === 'done') return { result: { slots: answer.value.map(offer) } };
  await leaveLookUp(context, answer);
  return noSlots(SOMEONE_WILL_CONFIRM);
}

/** The caller's next appointment there. */
export async function nextAppointment(context: ToolContext): Promise<ToolAnswer> {
  const { call, now } = context;
  const found = await lookUp(context);
  if (found.kind !== 'done') {
    await leaveLookUp(context, found);
    return { result: { found: false, success: false, error: SOMEONE_WILL_CONFIRM } };
  }
  if (found.value === null) return { result: { found: false } };
  const { id: appointmentId, startsAt: scheduledAt, providerName } = found.value;
  const scheduledAtSpoken = spokenTime(scheduledAt, call.clinicZone, now.toISOString());
  const named = providerName !== null && { providerName };
  return { result: { found: true, appointmentId, ...named, scheduledAt, scheduledAtSpoken, status: 'booked' } };
}

export async function book(
  { providerName, visitType, startsAt }: { providerName: string; visitType: string; startsAt: string },
  context: ToolContext,
): Promise<ToolAnswer> {
  const { call, stores, now } = context;
  if (startsAt <= now.toISOString()) return { result: { success: false, reason: 'in_the_past' } };
  const provider = await stores.providers.recognise(call.clinicId, providerName);
  if (!provider) return refusal(await unknownProvider(context));
  if (!isOffered({ providerName: provider.name, startsAt }, [provider], context)) return notOnOffer;
  const key = keyOf(context, [provider.name, startsAt]);
  const intent: Intent = { action: 'book', key, startsAt, appointment: null, isOpen: true };
  return intended(context, intent, async () => {
    const done = await withPatient(context, (ehr, patient, within) =>
      ehr.book({ key, patient, providerName: provider.name, visitType, startsAt }, within),
    );
    if (done.kind !== 'done') return done;
    const { id, patientId: externalId } = done.value;
    const { clinicId, patientId } = call;
    await stores.callSubjects.keepExternalId({ clinicId, of: 'patient', id: patientId, externalId });
    return { kind: 'done', value: toBooked({ id, startsAt }, context) };
  });
}

export async function move(startsAt: string, context: ToolContext): Promise<ToolAnswer> {
  const { call, stores, now } = context;
  if (startsAt <= now.toISOString()) return { result: { success: false, reason: 'in_the_past' } };
  const found = await appointmentOf('move', context);
  if (found.kind !== 'done') return leaveToStaff(context, found);
  const appointment = found.value;
  if (appointment === null) return NOTHING_UPCOMING;
  const provider = await stores.providers.find(call.clinicId, appointment.providerName ?? '');
  if (provider && !isOffered({ providerName: provider.name, startsAt }, [provider], context)) return notOnOffer;
  const key = keyOf(context, [appointment.id, startsAt]);
  const intent: Intent = { action: 'move', key, startsAt, appointment, isOpen: true };
  return intended(context, intent, async () => {
    const done = await withPatient(context, (ehr, patient, within) =>
      ehr.move({ appointment, key, patient, startsAt }, within),
    );
    return done.kind === 'done' ? { kind: 'done', value: toMoved({ id: done.value.id, startsAt }) } : done;
  });
}

export async function cancel(context: ToolContext): Promise<ToolAnswer> {
  const found = await appointmentOf('cancel', context);
  if (found.kind !== 'done') return leaveToStaff(context, found);
  const appointment = found.value;
  if (appointment === null) return NOTHING_UPCOMING;
  const { id, startsAt } = appointment;
  const intent: Intent = { action: 'cancel', key: keyOf(context, [id]), startsAt, appointment, isOpen: true };
  return intended(context, intent, async () => {
    const done = await asking(context, (ehr, within) => ehr.cancel(id, within));
    if (done.kind !== 'done') return done;
    const detail = { appointmentId: id };
    return { kind: 'done', value: { result: { success: true, status: 'cancelled' }, fact: 'cancelled', detail } };
  });
}

const notOnOffer: ToolAnswer = { result: { success: false, reason: 'slot_unavailable' } };

/**
 * A change at the server, which is on record as a task from before it is asked for until its end is known: a process that dies,
 * or an answer that is lost, leaves the task. While the end of one is unknown nothing else is changed there in this call; the
 * same one is asked for again only where that cannot make a second appointment.
 */
async function intended(
  context: ToolContext,
  intent: Intent,
  work: () => Promise<EhrAnswer<ToolAnswer>>,
): Promise<ToolAnswer> {
  const { call, stores } = context;
  const cause = causeOf(context);
  const earlier = await pendingOf(context);
  if (earlier?.isOpen) {
    const known = await endOf(earlier, context);
    if (known !== null) {
      await stores.tasks.withdraw(call.clinicId, cause);
      return known.isSame(intent) ? known.answer : { ...known.answer, result: known.other };
    }
    const mayRepeat = earlier.key === intent.key && intent.action !== 'book';
    if (!mayRepeat) return refusal(SOMEONE_WILL_CONFIRM);
  }
  const note = (isOpen: boolean, why: string) =>
    stores.tasks.intend({
      clinicId: call.clinicId,
      reason: 'booking_to_check',
      cause,
      patientId: call.patientId,
      callId: call.callId,
      caseId: call.caseId,
      workflowId: call.workflowId,
      detail: { why, action: intent.action, startsAt: intent.startsAt, intent: { ...intent, isOpen } },
    });
  const isMine = await note(true, 'It was asked of your own system, and nobody knows yet what came of it.');
  // Another request of this call is at work.
  if (!isMine) return refusal(SOMEONE_WILL_CONFIRM);
  const answer = await work();
  if (answer.kind === 'done') {
    await stores.tasks.withdraw(call.clinicId, cause);
    return answer.value;
  }
  if (answer.kind === 'refused' && answer.because === 'time_taken') {
    await stores.tasks.withdraw(call.clinicId, cause);
    return { result: { success: false, reason: 'slot_taken' } };
  }
  if (answer.kind === 'unusable') {
    await stores.tasks.withdraw(call.clinicId, cause);
    return refusal(NOT_REGISTERED);
  }
  await note(!changedNothing(answer), whyNot(answer));
  return refusal(SOMEONE_WILL_CONFIRM);
}

/** What an earlier booking of this call, whose answer was lost, has come to; null where the server does not have it. */
async function endOf(earlier: Intent, context: ToolContext) {
  if (earlier.action !== 'book') return null;
  const { key, startsAt } = earlier;
  const found = await asking(context, (ehr, within) => ehr.bookingOf({ key, startsAt }, within));
  if (found.kind !== 'done' || found.value === null) return null;
  const answer = toBooked({ id: found.value, startsAt }, context);
  const spoken = spokenTime(startsAt, context.call.clinicZone, context.now.toISOString());
  return {
    answer,
    isSame: (intent: Intent) => intent.key === key,
    other: {
      success: false,
      error: `The time that was asked for before, ${spoken}, is booked after all. Tell the caller so; to change it, someone from the clinic will call.`,
    },
  };
}

/** The appointment to change: the one that an unfinished change was about, else the next one. */
async function appointmentOf(
  action: 'move' | 'cancel',
  context: ToolContext,
): Promise<EhrAnswer<EhrAppointment | null>> {
  const earlier = await pendingOf(context);
  if (earlier?.isOpen && earlier.action === action && earlier.appointment) {
    return { kind: 'done', value: earlier.appointment };
  }
  return lookUp(context);
}

const lookUp = (context: ToolContext) =>
  withPatient(context, (ehr, patient, within) => ehr.upcoming(patient, context.now.toISOString(), within));

/** A look-up that failed is for staff once in a call. */
async function leaveLookUp({ call, stores }: ToolContext, failure: EhrFailure): Promise<void> {
  const { clinicId, callId, patientId, caseId, workflowId } = call;
  const cause = `ehr_look_up:${callId}`;
  const detail = { why: whyNot(failure) };
  await stores.tasks.open({
    clinicId,
    reason: 'booking_to_check',
    cause,
    patientId,
    callId,
    caseId,
    workflowId,
    detail,
  });
}

async function leaveToStaff(context: ToolContext, failure: EhrFailure): Promise<ToolAnswer> {
  await leaveLookUp(context, failure);
  return refusal(SOMEONE_WILL_CONFIRM);
}

async function pendingOf(context: ToolContext): Promise<Intent | null> {
  const detail = await context.stores.tasks.pending(context.call.clinicId, causeOf(context));
  return detail === null ? null : (Intent.safeParse(detail.intent).data ?? null);
}

const causeOf = ({ call }: ToolContext) => `ehr_change:${call.callId}`;

/** The same for the same change of the same call, however often it is asked for. It says nothing of whom it is about. */
const keyOf = ({ call }: ToolContext, about: string[]) =>
  `call-${sha256Hex([call.callId, ...about].join(' ')).slice(0, 32)}`;

type Within = Parameters<LiveEhr['upcoming']>[2];

/** Asks the clinic's own server while a caller waits: retries and all, it takes no longer than the timeout. */
async function asking<T>(
  { call, systems, now }: Pick<ToolContext, 'call' | 'systems' | 'now'>,
  work: (ehr: LiveEhr, within: Within) => Promise<EhrAnswer<T>>,
): Promise<EhrAnswer<T>> {
  const ehr = (await systems.approvedApi(call.clinicId))?.live;
  if (!ehr) return { kind: 'not_permitted' };
  const left = Math.max(TIMEOUT_MS - (Date.now() - now.getTime()), LAST_MS);
  const signal = AbortSignal.timeout(left);
  try {
    return await work(ehr, { timeoutMs: left, signal });
  } catch (error) {
    if (signal.aborted) return { kind: 'unavailable', error: 'timeout' };
    throw error;
  }
}

const withPatient = <T>(
  context: ToolContext,
  work: (ehr: LiveEhr, patient: PatientNotice, within: Within) => Promise<EhrAnswer<T>>,
): Promise<EhrAnswer<T>> =>
  asking(context, async (ehr, within) => {
    const patient = await context.stores.callSubjects.patient(context.call.clinicId, context.call.callId);
    return patient ? work(ehr, patient, within) : { kind: 'unusable', reason: 'the patient is no longer on file' };
  });

function isOffered(
  { providerName, startsAt }: Pick<EhrSlot, 'providerName' | 'startsAt'>,
  providers: ProviderRecord[],
  { call, now }: ToolContext,
): boolean {
  const provider = providers.find(({ name }) => name === providerName);
  if (!provider) return false;
  const { daysInForce: specialDays, noticeMinutes } = provider;
  return mayOffer({ startsAt, zone: call.clinicZone, now: now.toISOString(), specialDays, noticeMinutes });
}

/** A refusal, or a circuit that is open, has left everything there as it was. */
const changedNothing = (failure: EhrFailure): boolean =>
  failure.kind !== 'unavailable' || failure.error === 'circuit_open' || failure.error === 'unauthorized';

function whyNot(failure: EhrFailure): string {
  switch (failure.kind) {
    case 'unavailable':
      return `Your own system did not answer: ${failure.said ?? failure.error}.`;
    case 'refused':
      return `Your own system answered ${failure.fault}.`;
    case 'unusable':
      return `Your own system could not be asked: ${failure.reason}.`;
    case 'not_permitted':
      return 'Your own system is switched off meanwhile.';
  }
}

function toBooked({ id, startsAt }: { id: string; startsAt: string }, { call, now }: ToolContext): ToolAnswer {
  const scheduledAtSpoken = spokenTime(startsAt, call.clinicZone, now.toISOString());
  return {
    result: { success: true, appointmentId: id, scheduledAt: startsAt, scheduledAtSpoken, status: 'booked' },
    fact: 'booked',
    detail: { appointmentId: id, startsAt },
  };
}

const toMoved = ({ id, startsAt }: { id: string; startsAt: string }): ToolAnswer => ({
  result: { success: true, appointmentId: id, scheduledAt: startsAt, status: 'booked' },
  fact: 'rescheduled',
  detail: { appointmentId: id, startsAt },
});
