import type { AppointmentNotice, PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import type { ClinicApiInput } from '../../clinic-api/result';
import { comingIn, type EhrAppointment, isCalledOff, takesPart } from './appointment-resource';
import {
  bookedUnderOurs,
  bookInPlace,
  cancel,
  holderFor,
  holderOf,
  isAt,
  keepFound,
  keepMoved,
  makeAppointment,
  move,
  readAppointment,
  timeOf,
} from './appointments';
import { appointmentsNear, filedUnder, lengthIn, refuseTaken, timeKept } from './busy-times';
import { type CallMemory, takeLookedUp } from './call-memory';
import { slotsToFree } from './marked-slots';
import { appointmentKey, tokenOf } from './identifiers';
import { birthDateThere, knownPatient, namedPatient, patientThere } from './patients';
import { refused, search } from './requests';
import { atServer, type FhirServer, type FhirServerOptions, mayMakePatients } from './server';
import { freeSlot, freeSlots, freeSlotUntil, schedulesOf } from './slots';
import { etagIn, idOf } from '@clinic/shared/contracts/calendar/fhir-reading';
import type { ClinicAction } from '@clinic/shared/contracts/events/approved-api';

export type Within = Pick<ClinicApiInput, 'timeoutMs' | 'signal' | 'callId'> & { memory?: CallMemory };

/** A free time at the clinic's own server. `providerName` is ours. Instants in UTC. */
interface EhrSlot {
  slotId: string;
  providerName: string;
  startsAt: string;
  endsAt: string;
}

/** A booking that may be asked for twice: the same `key` is the same booking. */
interface EhrBooking {
  key: string;
  patient: PatientNotice;
  providerName: string;
  visitType: string;
  startsAt: string;
}

interface EhrMove {
  appointment: EhrAppointment;
  key: string;
  patient: PatientNotice;
  startsAt: string;
}

interface SlotSearch {
  providers: string[];
  from: string;
  until: string;
}

type BookingKey = Pick<EhrBooking, 'key' | 'startsAt'>;

/** Those to come of one patient, mostly on one page. */
const APPOINTMENTS_A_PAGE = 50;

export type LiveEhr = ReturnType<typeof createLiveEhr>;

/**
 * A FHIR server's appointments for a call that goes on. No answer is kept: the server is the record. A time that is booked is first
 * seen to be free, and is booked under an identifier of ours, by which it is found again when the answer was lost.
 */
export function createLiveEhr(options: FhirServerOptions) {
  const at = <T>(action: ClinicAction, { memory, ...input }: Within, work: (server: FhirServer) => Promise<T>) =>
    atServer(options, { action, input, memory }, work);
  const booking = <T>(within: Within, work: (server: FhirServer) => Promise<T>) => at('appointment.book', within, work);
  return {
    /** The patient on whom test calls act, as the server has them; null where none is named. */
    testPatient: (within: Within) =>
      booking(within, async ({ ask }) => {
        const { testPatient } = options.settings;
        return testPatient === undefined ? null : namedPatient(ask, testPatient);
      }),
    /** Free times of these providers, those that are mapped, in order of time. A server that has thousands gives the first pages. */
    openSlots: (wanted: SlotSearch, within: Within) => booking(within, (server) => openSlots(server, wanted)),
    /** The date of birth on file there; null where there is none, or no such patient. */
    birthDate: (patient: PatientNotice, within: Within) =>
      booking(within, ({ ask, memory }) => birthDateThere(ask, patient, memory)),
    /** The patient's next booked appointment; null where there is none, or no such patient. */
    upcoming: (patient: PatientNotice, now: string, within: Within) =>
      booking(within, (server) => upcoming(server, patient, now)),
    /** As `upcoming`, while the schedules are looked up that a move needs next. */
    upcomingToMove: (patient: PatientNotice, now: string, within: Within) =>
      booking(within, async (server) => {
        const schedules = prepareSchedules(server);
        const next = await upcoming(server, patient, now);
        await schedules;
        return next;
      }),
    /** The id of this booking where it is on record there, and nobody else came first; null where it is not. */
    bookingOf: (wanted: BookingKey, within: Within) =>
      booking(within, async (server) => {
        const ours = await bookingOf(server, wanted);
        return ours && keepFound(server, ours);
      }),
    /** Books a free time, or finds that this booking was made before. */
    book: (wanted: EhrBooking, within: Within) => booking(within, (server) => book(server, wanted)),
    /** Moves an appointment to a free time of its provider. The new time first: where it is not to be had, the old one stays. */
    move: (change: EhrMove, within: Within) => booking(within, (server) => moveOnce(server, change)),
    /** Cancels an appointment; one that is cancelled already stays as it is. */
    cancel: (id: string, within: Within) =>
      at('appointment.cancel', within, async (server) => {
        const current = takeLookedUp(server.memory, id) ?? (await readAppointment(server.ask, id));
        if (!current) return null;
        await cancel(server, id, 'patient', { current });
        await server.times.giveBack(holderOf(current.resource));
        return null;
      }),
  };
}

/** Asked for beside something else; what fails here fails again where it is needed. */
async function prepareSchedules({ ask, settings, memory }: FhirServer): Promise<void> {
  const actors = settings.providers.map(({ reference }) => reference);
  if (actors.length > 0) await schedulesOf(ask, actors, memory).catch(() => undefined);
}

async function openSlots(
  { ask, settings, memory }: FhirServer,
  { providers, from, until }: SlotSearch,
): Promise<EhrSlot[]> {
  const mapped = settings.providers.filter(({ name }) => providers.includes(name));
  if (mapped.length === 0) return [];
  const actors = mapped.map(({ reference }) => reference);
  const found = await freeSlots(ask, { actors, from, until }, memory);
  return found
    .filter(({ startsAt }) => startsAt >= from && startsAt < until)
    .map(({ reference, actor, startsAt, endsAt }) => ({
      slotId: reference.replace('Slot/', ''),
      providerName: mapped.find((each) => each.reference === actor)?.name ?? '',
      startsAt,
      endsAt,
    }))
    .toSorted((one, other) => Date.parse(one.startsAt) - Date.parse(other.startsAt));
}

async function upcoming(server: FhirServer, patient: PatientNotice, now: string): Promise<EhrAppointment | null> {
  const { ask, settings, memory } = server;
  const patientId = await patientThere(ask, patient, memory);
  if (patientId === null) return null;
  const { resources } = await search(ask, 'Appointment', [
    ['patient', `Patient/${patientId}`],
    ['date', `ge${now}`],
    ['_count', String(APPOINTMENTS_A_PAGE)],
  ]);
  // A server that ignores what it is asked for shows the visits of other patients too.
  const theirs = resources.filter((each) => takesPart(each, `Patient/${patientId}`));
  const [found = null] = comingIn(theirs, now, settings);
  const next = found && (await withProvider(server, found));
  const resource = resources.find((each) => idOf(each) === next?.id);
  memory.lookedUp =
    next && resource ? { id: next.id, appointment: { resource, version: etagIn(resource) }, at: Date.now() } : null;
  return next;
}

/** A visit with who of ours it is with, under whatever role of theirs it is filed. */
async function withProvider(server: FhirServer, appointment: EhrAppointment): Promise<EhrAppointment> {
  const { providers } = server.settings;
  const { actor } = appointment;
  if (actor === null || providers.some(({ reference }) => reference === actor)) return appointment;
  const same = await filedUnder(server, actor);
  const ours = providers.find(({ reference }) => same.includes(reference));
  if (!ours) return appointment;
  // The times of another role, as at another place, are not those of this visit.
  const isOfRoles = [actor, ours.reference].every((each) => each.startsWith('PractitionerRole/'));
  return { ...appointment, providerName: ours.name, actor: isOfRoles ? actor : ours.reference };
}

const bookingOf = ({ ask, capabilities }: FhirServer, { key, startsAt }: BookingKey) =>
  bookedUnderOurs(ask, { appointmentId: key, startsAt }, capabilities);

async function book(server: FhirServer, booking: EhrBooking): Promise<{ id: string; patientId: string }> {
  const { ask, settings, memory } = server;
  const { patient, providerName, startsAt, key } = booking;
  const actor = settings.providers.find(({ name }) => name === providerName)?.reference;
  if (actor === undefined) return refused(`no practitioner of the EHR is mapped to ${providerName}`, 404);
  const asked = {
    patient: knownPatient(ask, patient, { mayMake: mayMakePatients(server), memory }),
    ours: bookingOf(server, booking),
    slot: freeSlot(ask, { actor, startsAt }, memory),
    near: appointmentsNear(server, { actor, startsAt }),
  };
  // All of it at once; what has failed is told in the order in which it matters.
  await Promise.allSettled(Object.values(asked));
  const patientId = await asked.patient;
  const ours = await asked.ours;
  if (ours !== null) return { id: await keepFound(server, ours), patientId };
  const slot = await asked.slot;
  const notice = noticeOf({ ...booking, externalId: null, endsAt: slot.endsAt });
  const toMake = { ...server, holder: key, notice, patientReference: `Patient/${patientId}`, slot };
  const except = tokenOf('appointment', appointmentKey({ ...notice, appointmentId: key }));
  refuseTaken(await asked.near, timeOf(toMake), { except });
  return { id: await makeAppointment(toMake), patientId };
}

async function moveOnce(server: FhirServer, change: EhrMove): Promise<{ id: string }> {
  const { ask, settings, memory, capabilities } = server;
  const { appointment, patient, startsAt } = change;
  const { id, actor } = appointment;
  if (actor === null) return refused('the appointment names no practitioner whose times could be looked up', 404);
  const providerName = settings.providers.find(({ reference }) => reference === actor)?.name;
  const isUpdate = settings.rescheduling === 'update' || providerName === undefined;
  const lookedUp = takeLookedUp(memory, id);
  const asked = {
    // Only a move that books anew leaves something under our identifier.
    ours: isUpdate ? Promise.resolve(null) : bookingOf(server, change),
    current: lookedUp ? Promise.resolve(lookedUp) : readAppointment(ask, id),
    slot: freeSlot(ask, { actor, startsAt }, memory),
    near: appointmentsNear(server, { actor, startsAt }),
    frees: lookedUp && capabilities.marksSlots ? slotsToFree(ask, lookedUp.resource) : Promise.resolve(undefined),
    patient: isUpdate ? Promise.resolve(null) : knownPatient(ask, patient, { mayMake: false, memory }),
  };
  await Promise.allSettled(Object.values(asked));
  const ours = await asked.ours;
  const current = await asked.current;
  if (ours === null && (!current || isCalledOff(current.resource)))
    return refused('the appointment is not there any more', 404);
  if (ours === null && current && isAt(current.resource, change)) {
    // Where it was known at another time, a try of ours has moved it.
    if (!isAt(current.resource, appointment)) await keepMoved(server, { id, resource: current.resource }, actor);
    return { id };
  }
  // A visit stays as long as it is.
  const until = new Date(Date.parse(startsAt) + (current ? lengthIn(current.resource) : 0)).toISOString();
  const own = current ? timeKept(current.resource, { actor, startsAt, endsAt: until }) : null;
  const slotToHave = async () =>
    own === null
      ? freeSlotUntil(ask, await asked.slot, { actor, until }, memory)
      : freeSlot(ask, { actor, startsAt, endsAt: until, own }, memory);
  const slot = ours === null ? await slotToHave() : null;
  const notice = noticeOf({
    ...change,
    externalId: id,
    providerName: providerName ?? '',
    visitType: appointment.visitType,
    endsAt: slot?.endsAt ?? startsAt,
  });
  const patientReference = `Patient/${await asked.patient}`;
  const visit = holderFor(current, { key: change.key, isMoved: isUpdate });
  const booking = { ...server, ...visit, notice, patientReference, actor };
  if (slot !== null) refuseTaken(await asked.near, timeOf(booking), { except: id });
  if (slot !== null && isUpdate) {
    await move({ ...booking, slot }, id, current, await asked.frees);
    return { id };
  }
  const old = current ? { id, current, own } : undefined;
  return { id: await bookInPlace({ ...booking, ...(slot !== null && { slot }), old }, ours, { id, current }) };
}

const noticeOf = ({
  key,
  externalId,
  providerName,
  visitType,
  patient,
  startsAt,
  endsAt,
}: EhrBooking & { externalId: string | null; endsAt: string }): AppointmentNotice => ({
  appointmentId: key,
  externalId,
  status: 'booked',
  providerName,
  visitType,
  startsAt,
  endsAt,
  patient,
});
