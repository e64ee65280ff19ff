import type { Stores } from '@clinic/prisma/stores';
import type { ProviderRecord } from '@clinic/prisma/stores/calendar/providers';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import type { PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import { sha256Hex } from '@clinic/shared/crypto';
import { plusLocalDays } from '@clinic/shared/domain/calendar/clinic-time';
import { mayOffer } from '@clinic/shared/domain/calendar/slots';
import { EHR_WAIT_MS, whileCallerWaits } from '../../clinic-api/while-caller-waits';
import type { ClinicSystems } from '../../clinic-systems';
import { onePerTime } from '../one-per-time';
import type {
  BirthDateThere,
  Booking,
  Calendar,
  CalendarAppointment,
  Cancellation,
  FreeTimes,
  Move,
  NewBooking,
  TimeSearch,
  Upcoming,
} from '../port';
import type { EhrAppointment } from './appointment-resource';
import type { LiveEhr, Within } from './live-ehr';
import type { EhrAnswer } from './server';
import { createUnfinishedChanges, type UnfinishedChanges } from './unfinished-changes';

/** What a request gets at least after others of the same tool call were slow. */
const LAST_MS = 1_000;
/** A look at the next days is enough for most callers, and a small answer for the server. */
const FIRST_LOOK_DAYS = 3;

export interface FhirCalendarDeps {
  stores: Pick<Stores, 'callSubjects' | 'providers' | 'tasks'>;
  systems: Pick<ClinicSystems, 'approvedApi' | 'callMemory'>;
}

/** The clinic's EHR, for one call. */
interface Ehr extends FhirCalendarDeps {
  call: LiveCall;
  changes: UnfinishedChanges;
  /** Asks the server while the caller waits: retries and all, it takes no longer than the timeout. */
  ask<T>(work: (ehr: LiveEhr, within: Within) => Promise<EhrAnswer<T>>): Promise<EhrAnswer<T>>;
}

/** The calendar of a clinic's EHR, a FHIR server. What may be offered there follows the clinic's own notice and days off too. */
export function createFhirCalendar(
  call: LiveCall,
  { stores, systems }: FhirCalendarDeps,
  startedAt = Date.now(),
): Calendar {
  const ask: Ehr['ask'] = async (work) => {
    const live = (await systems.approvedApi(call.clinicId))?.live;
    if (!live) return { kind: 'not_permitted' };
    const left = Math.max(EHR_WAIT_MS - (Date.now() - startedAt), LAST_MS);
    const memory = systems.callMemory(call.callId);
    return whileCallerWaits(left, (within) => work(live, { ...within, memory, callId: call.callId }));
  };
  const changes = createUnfinishedChanges({
    call,
    tasks: stores.tasks,
    findBooking: (booking) => ask((ehr, within) => ehr.bookingOf(booking, within)),
  });
  const ehr: Ehr = { call, stores, systems, changes, ask };
  return {
    isOn: true,
    holdMinutes: async () => 0,
    now: async () => new Date(),
    birthDate: () => birthDate(ehr),
    freeTimes: (search, now) => freeTimes(ehr, search, now),
    upcoming: (now) => upcoming(ehr, now),
    book: (booking, { now }) => book(ehr, booking, now),
    move: (startsAt, { now }) => move(ehr, startsAt, now),
    cancel: ({ now }) => cancel(ehr, now),
    // No EHR keeps a time for a caller who thinks it over.
    hold: async () => ({ kind: 'time_refused', reason: 'slot_unavailable' }),
  };
}

/** Who cannot be told apart from others there, or has no name yet, has nothing on file that anybody could be compared with. */
async function birthDate(ehr: Ehr): Promise<BirthDateThere> {
  const found = await withPatient(ehr, (live, patient, within) => live.birthDate(patient, within));
  if (found.kind === 'done') return { kind: 'found', birthDate: found.value };
  return found.kind === 'unusable' ? { kind: 'found', birthDate: null } : ehr.changes.leaveLookUp(found);
}

/** Free times at the clinic's own server, as far as they may be offered here too. */
async function freeTimes(
  { call, stores, changes, ask }: Ehr,
  { provider, from, days, limit }: TimeSearch,
  now: Date,
): Promise<FreeTimes> {
  const { clinicId, clinicZone } = call;
  const asked =
    provider === null
      ? await stores.providers.list(clinicId)
      : [await stores.providers.recognise(clinicId, provider)].filter((each) => each !== null);
  if (asked.length === 0) return { kind: 'unknown_provider' };
  const providers = asked.map(({ name }) => name);

  const found = await ask(async (ehr, within) => {
    for (const look of [FIRST_LOOK_DAYS, days]) {
      const until = plusLocalDays(from, look, clinicZone);
      const answer = await ehr.openSlots({ providers, from, until }, within);
      if (answer.kind !== 'done') return answer;
      const offered = answer.value.filter((slot) =>
        isOffered(
          asked.find(({ name }) => name === slot.providerName),
          slot.startsAt,
          { call, now },
        ),
      );
      const times = provider === null ? onePerTime(offered, limit) : offered.slice(0, limit);
      if (times.length === limit || look === days) return { kind: 'done', value: times };
    }
    return { kind: 'done', value: [] };
  });
  return found.kind === 'done' ? { kind: 'found', times: found.value } : changes.leaveLookUp(found);
}

async function upcoming(ehr: Ehr, now: Date): Promise<Upcoming> {
  const found = await lookUp(ehr, now);
  if (found.kind !== 'done') return ehr.changes.leaveLookUp(found);
  if (found.value === null) return { kind: 'nothing_upcoming' };
  const { id, providerName, startsAt, status = 'booked' } = found.value;
  return { kind: 'found', appointment: { id, providerName, startsAt, status } };
}

async function book(ehr: Ehr, { provider: spoken, visitType, startsAt }: NewBooking, now: Date): Promise<Booking> {
  const { call, stores, changes } = ehr;
  const { clinicId, patientId } = call;
  if (startsAt <= now.toISOString()) return inThePast;
  const provider = await stores.providers.recognise(clinicId, spoken);
  if (!provider) return { kind: 'unknown_provider' };
  if (!isOffered(provider, startsAt, { call, now })) return notOffered;
  const { name: providerName } = provider;
  const key = keyOf(call, [providerName, startsAt]);
  const toBooked = (appointment: CalendarAppointment): Booking => ({ kind: 'booked', appointment });
  const bookThere = async (): Promise<EhrAnswer<Booking>> => {
    const done = await withPatient(ehr, (live, patient, within) =>
      live.book({ key, patient, providerName, visitType, startsAt }, within),
    );
    if (done.kind !== 'done') return done;
    const { id, patientId: externalId } = done.value;
    await stores.callSubjects.keepExternalId({ clinicId, of: 'patient', id: patientId, externalId });
    return { kind: 'done', value: toBooked({ id, providerName, startsAt, status: 'booked' }) };
  };
  return changes.run({ action: 'book', key, startsAt, appointment: null }, bookThere, toBooked);
}

async function move(ehr: Ehr, startsAt: string, now: Date): Promise<Move> {
  const { call, stores, changes } = ehr;
  if (startsAt <= now.toISOString()) return inThePast;
  const found = await appointmentToChange(ehr, 'move', now);
  if (found.kind !== 'done') return changes.leaveLookUp(found);
  const appointment = found.value;
  if (appointment === null) return { kind: 'nothing_upcoming' };
  const { providerName } = appointment;
  const provider = await stores.providers.find(call.clinicId, providerName ?? '');
  if (provider && !isOffered(provider, startsAt, { call, now })) return notOffered;
  const key = keyOf(call, [appointment.id, startsAt]);
  return changes.run({ action: 'move', key, startsAt, appointment }, async (): Promise<EhrAnswer<Move>> => {
    const done = await withPatient(ehr, (live, patient, within) =>
      live.move({ appointment, key, patient, startsAt }, within),
    );
    if (done.kind !== 'done') return done;
    const moved = { id: done.value.id, providerName, startsAt, status: 'booked' };
    return { kind: 'done', value: { kind: 'moved', appointment: moved } };
  });
}

async function cancel(ehr: Ehr, now: Date): Promise<Cancellation> {
  const { call, changes, ask } = ehr;
  const found = await appointmentToChange(ehr, 'cancel', now);
  if (found.kind !== 'done') return changes.leaveLookUp(found);
  const appointment = found.value;
  if (appointment === null) return { kind: 'nothing_upcoming' };
  const { id, providerName, startsAt } = appointment;
  const key = keyOf(call, [id]);
  return changes.run({ action: 'cancel', key, startsAt, appointment }, async (): Promise<EhrAnswer<Cancellation>> => {
    const done = await ask((live, within) => live.cancel(id, within));
    if (done.kind !== 'done') return done;
    const cancelled = { id, providerName, startsAt, status: 'cancelled' };
    return { kind: 'done', value: { kind: 'cancelled', appointment: cancelled } };
  });
}

const inThePast = { kind: 'time_refused', reason: 'in_the_past' } as const;
const notOffered = { kind: 'time_refused', reason: 'slot_unavailable' } as const;

/** The appointment to change: the one that an unfinished change was about, else the next one. */
async function appointmentToChange(
  ehr: Ehr,
  action: 'move' | 'cancel',
  now: Date,
): Promise<EhrAnswer<EhrAppointment | null>> {
  const earlier = await ehr.changes.unfinished();
  if (earlier?.action === action && earlier.appointment) return { kind: 'done', value: earlier.appointment };
  if (action === 'cancel') return lookUp(ehr, now);
  return withPatient(ehr, (live, patient, within) => live.upcomingToMove(patient, now.toISOString(), within));
}

const lookUp = (ehr: Ehr, now: Date) =>
  withPatient(ehr, (live, patient, within) => live.upcoming(patient, now.toISOString(), within));

const withPatient = <T>(
  { call, stores, ask }: Ehr,
  work: (live: LiveEhr, patient: PatientNotice, within: Within) => Promise<EhrAnswer<T>>,
): Promise<EhrAnswer<T>> =>
  ask(async (live, within) => {
    const patient = await stores.callSubjects.patient(call.clinicId, call.callId);
    return patient ? work(live, patient, within) : { kind: 'unusable', reason: 'the patient is no longer on file' };
  });

/** The same for the same change of the same call, however often it is asked for. It says nothing of whom it is about. */
const keyOf = ({ callId }: LiveCall, about: string[]) => `call-${sha256Hex([callId, ...about].join(' ')).slice(0, 32)}`;

function isOffered(
  provider: ProviderRecord | undefined,
  startsAt: string,
  { call, now }: { call: LiveCall; now: Date },
): boolean {
  if (!provider) return false;
  const { daysInForce: specialDays, noticeMinutes } = provider;
  return mayOffer({ startsAt, zone: call.clinicZone, now: now.toISOString(), specialDays, noticeMinutes });
}
