import type { EhrTime } from '@clinic/prisma/stores/calendar/ehr-times';
import type { AppointmentNotice } from '@clinic/shared/contracts/events/clinic-notice';
import {
  appointmentResource,
  cancelled,
  type CancellationReason,
  isCalledOff,
  isCancelledAs,
  isNotBooked,
  providerReference,
  takesPart,
} from './appointment-resource';
import { appointmentsNear, cameSecond, personOf, refuseTaken, timeIn, timeKept } from './busy-times';
import type { AppointmentAtServer } from './call-memory';
import { type FhirAnswer, FhirFault, isRefusal } from './exchange';
import { appointmentKey, keyIn, systemOf, tokenOf } from './identifiers';
import { busy, type SlotMark, slotsIn, slotsToFree, slotsToTake, writeWithSlots } from './marked-slots';
import { etagIn, idOf, type Resource, resourcesOf } from '@clinic/shared/contracts/calendar/fhir-reading';
import { type Ask, create, idFrom, orNull, refused, search, unusable } from './requests';
import type { FhirServer } from './server';
import { allOf, type FreeSlot, freeSlot } from './slots';

type Server = Pick<FhirServer, 'ask' | 'capabilities' | 'memory'>;

export interface BookingAtServer extends FhirServer {
  notice: AppointmentNotice;
  /** By what the visit has its time. */
  holder: string;
  /** By what the visit has its own that this one replaces. */
  inPlaceOf?: string | undefined;
  patientReference: string;
  /** What is free at its time, at a server that has slots. */
  slot?: FreeSlot;
  /** The visit in whose place it comes, at a server where a move is another booking. */
  old?: OldVisit | undefined;
  /** Whose time it is, where our name of the provider does not say it. */
  actor?: string;
}

export interface OldVisit {
  id: string;
  current: AppointmentAtServer;
  /** Its time, where the new one stays in a part of it. */
  own: EhrTime | null;
}

/** Books, or moves what was booked. Returns the server's id of the appointment. */
export async function book(booking: Omit<BookingAtServer, 'holder'>): Promise<string> {
  const { ask, notice, settings, capabilities } = booking;
  const actor = providerReference(notice, settings);
  if (actor === null) return unusable(`no practitioner of the EHR is mapped to ${notice.providerName}`);
  const ours = await bookedUnderOurs(ask, notice, capabilities);
  const before = notice.externalId ?? null;
  if (ours !== null && ours.id === before) return before;
  const current = before === null ? null : await readAppointment(ask, before);
  if (current) await refuseForeign(current, notice, async () => booking.patientReference);
  const isThere = current !== null && !isCalledOff(current.resource);
  if (before !== null && isThere && isAt(current.resource, notice)) {
    return keepMoved(booking, { id: before, resource: current.resource }, actor);
  }
  // What the clinic has called off stays so: the patient was told of a visit that is not there any more.
  if (before !== null && !isThere && ours === null) return refused('the appointment was called off there', 409);
  const isMoved = isThere && settings.rescheduling === 'update' && ours === null;
  const time = timeOf(booking);
  const own = isThere ? timeKept(current.resource, time) : null;
  const slot = ours === null && capabilities.hasSlots && (await freeSlot(ask, { ...time, own }));
  const visit = holderFor(isThere ? current : null, { key: notice.appointmentId, isMoved });
  const toMake = { ...booking, ...visit, ...(slot && { slot }) };
  if (ours === null) refuseTaken(await appointmentsNear(booking, time), time, { except: before ?? '' });
  if (isMoved) {
    await move(toMake, before ?? '', current);
    return before ?? '';
  }
  if (before === null || current === null)
    return ours === null ? makeAppointment(toMake) : keepFound(booking, ours, { except: before });
  return bookInPlace({ ...toMake, old: { id: before, current, own } }, ours, { id: before });
}

/**
 * Books a visit in place of another one, and calls that off. The new time comes first: where it is not to be had, the patient keeps the
 * old one. `ours` is what a try before has booked; `current` the old one, where it was read so lately that it need not be read again.
 */
export async function bookInPlace(
  booking: BookingAtServer,
  ours: FoundAppointment | null,
  { id, current = null }: { id: string; current?: AppointmentAtServer | null },
): Promise<string> {
  const made = ours === null ? await makeAppointment(booking) : await keepInPlace(booking, ours, id);
  const keeps = booking.slot ? referencesOf(booking.slot) : slotsIn(ours?.resource ?? {});
  await cancel(booking, id, 'moved', { current, keeps });
  return made;
}

/** As `keepFound`, in place of another visit: where it is undone the patient keeps that one, or has it back that a try of ours has called off. */
async function keepInPlace(booking: BookingAtServer, ours: FoundAppointment, id: string): Promise<string> {
  const old = booking.old?.current;
  const keeps = old && !isCalledOff(old.resource) ? slotsIn(old.resource) : [];
  try {
    return await keepFound(booking, ours, { except: id, keeps });
  } catch (error) {
    if (old && isTimeTaken(error) && isCancelledAs('moved', old.resource))
      await bringBack(
        booking,
        { id, resource: { ...old.resource, status: 'booked', cancelationReason: undefined } },
        old,
      );
    throw error;
  }
}

/**
 * Refuses an appointment under an id that we were told where it is somebody else's: the clinic may have another server by now, or
 * had another kind of API, whose ids mean something else here.
 */
export async function refuseForeign(
  { resource }: AppointmentAtServer,
  { appointmentId }: Pick<AppointmentNotice, 'appointmentId'>,
  patientReference: () => Promise<string>,
): Promise<void> {
  const ours = tokenOf('appointment', `${appointmentId}.`);
  if (tokensOf(resource).some((token) => token.startsWith(ours))) return;
  if (!takesPart(resource, await patientReference()))
    refused('the id that we were told of it is another appointment there', 409);
}

/** The time that a booking takes of its practitioner. */
export function timeOf({ notice, settings, actor }: Omit<BookingAtServer, 'holder'>): EhrTime {
  const { startsAt, endsAt } = notice;
  return { actor: actor ?? providerReference(notice, settings) ?? '', startsAt, endsAt };
}

/** An appointment of ours as it was found there. */
export interface FoundAppointment {
  id: string;
  resource: Resource;
}

/** An appointment of ours whose id was never told, as the answer to its booking was lost; null where there is none. */
export async function keptUnderOurs(
  ask: Ask,
  notice: Pick<AppointmentNotice, 'appointmentId' | 'startsAt'>,
  { findsAppointments }: FhirServer['capabilities'],
): Promise<FoundAppointment | null> {
  if (!findsAppointments) return null;
  const token = tokenOf('appointment', appointmentKey(notice));
  const { resources } = await search(ask, 'Appointment', [['identifier', token]]);
  // A server that ignores what it is asked for shows other appointments too.
  const resource = resources.find((one) => !isCalledOff(one) && isAt(one, notice) && tokensOf(one).includes(token));
  const id = idOf(resource);
  return resource && id !== null ? { id, resource } : null;
}

/** As `keptUnderOurs`, where it is booked: what somebody there has yet to accept is nothing that a patient could be told. */
export async function bookedUnderOurs(...asked: Parameters<typeof keptUnderOurs>): Promise<FoundAppointment | null> {
  const ours = await keptUnderOurs(...asked);
  return ours && isRequest(ours.resource) ? notBooked(200) : ours;
}

/** Makes an appointment in a time that nobody has. Where somebody else came first after all it is cancelled again, and refused. */
export async function makeAppointment(booking: BookingAtServer): Promise<string> {
  const { notice, capabilities, old } = booking;
  const left: { room?: AppointmentAtServer } = {};
  const write = async (): Promise<string> => {
    try {
      return await writeAppointment(booking);
    } catch (error) {
      if (!old?.own || !isTimeTaken(error)) throw error;
    }
    // The server lets nobody have a part of the old visit's time, the same patient neither: it makes room first.
    left.room = await makeRoom(booking, old);
    try {
      const slot = booking.slot && (await freeSlot(booking.ask, { ...timeOf(booking), own: old.own }));
      return await writeAppointment({ ...booking, ...(slot && { slot }) });
    } catch (error) {
      if (isRefusal(error)) await bringBack(booking, { id: old.id, resource: old.current.resource }, left.room);
      throw error;
    }
  };
  if (capabilities.canBook) return write();
  const id = await whileTaken(booking, write);
  if (!(await isOvertaken(booking, { id, except: notice.externalId }))) return id;
  await cancel(booking, id, 'taken', { keeps: old && !left.room ? slotsIn(old.current.resource) : [] });
  if (old && left.room) await bringBack(booking, { id: old.id, resource: old.current.resource }, left.room);
  return timeTaken();
}

/** Calls off a visit in whose time another one comes, and returns it as it is then. What the clinic has called off meanwhile stays so. */
async function makeRoom(server: Server, { id, current }: OldVisit): Promise<AppointmentAtServer> {
  const left = await change(server, id, {
    current,
    next: (now) => {
      if (!isCalledOff(now)) return { ...now, ...cancelled('moved') };
      // One whose answer was lost is sent again, and refused for what it did itself.
      return isCancelledAs('moved', now) ? null : refused('the appointment was called off there', 409);
    },
  });
  return left ?? refused('the appointment is not there any more', 404);
}

/**
 * Brings back a visit that has made room for one that failed: the same one, or, where the server takes back no cancellation, another
 * one at its time. Only while it is as we left it: what the clinic has called off meanwhile stays so.
 */
async function bringBack(
  booking: BookingAtServer,
  { id, resource: was }: FoundAppointment,
  left: AppointmentAtServer,
): Promise<void> {
  const { ask, capabilities, notice } = booking;
  const { status, cancelationReason, slot } = was;
  const time = timeIn(was, timeOf(booking).actor);
  // A server may keep no reason, and another one no versions.
  const isAsLeft = (now: Resource) =>
    isCancelledAs('moved', now) || (left.version !== null && etagIn(now) === left.version);
  const asItWas = async () => {
    const now = await change(booking, id, {
      takes: capabilities.marksSlots ? await slotsToTake(ask, was) : [],
      next: (found) => (isCalledOff(found) && isAsLeft(found) ? { ...found, status, cancelationReason, slot } : null),
    });
    return now !== null && !isCalledOff(now.resource);
  };
  const anew = async () => {
    if (time === null) return null;
    const free = booking.slot && (await freeSlot(ask, time));
    return writeAppointment({ ...booking, notice: { ...notice, ...time }, ...(free && { slot: free }) });
  };
  const unlessRefused = (error: unknown): null => {
    if (isRefusal(error)) return null;
    throw error;
  };
  const isBack = await asItWas().catch(unlessRefused);
  if (isBack === false) return refused('the old visit, which had made room, was called off there', 409);
  const there = isBack ? id : await anew().catch(unlessRefused);
  if (there === null) return refused('the old visit, which had made room, could not be brought back', 409);
  if (time && (await isSecond(booking, { id: there }, time))) refused('somebody else has the old time too by now', 409);
}

async function writeAppointment(booking: BookingAtServer): Promise<string> {
  const { ask, notice, settings, capabilities, patientReference } = booking;
  const { slot = null } = booking;
  const resource = {
    ...appointmentResource(notice, { patientReference, slotReference: slot?.reference ?? null }, settings),
    ...(slot?.more && { slot: slotReferences(slot) }),
  };
  if (!capabilities.canBook) return createAppointment({ ...booking, resource, slot });
  const proposed = { ...resource, status: 'proposed' };
  const parameter = capabilities.canHold
    ? {
        name: 'appt-id',
        valueUri: `Appointment/${await operate(ask, '$hold', { name: 'appt-resource', resource: proposed })}`,
      }
    : { name: 'appt-resource', resource: proposed };
  return operate(ask, '$book', parameter);
}

/**
 * Writes a booking while no other one of ours, of any process, is sent for its time: two that are sent at once may each see
 * nobody else there, and both stay.
 */
async function whileTaken<T>(booking: BookingAtServer, write: () => Promise<T>): Promise<T> {
  if (!(await takeTime(booking))) return refused('another booking of ours has this time', 409, 'time_taken');
  try {
    return await write();
  } catch (error) {
    // Of any other fault nobody knows whether it is booked.
    if (isRefusal(error)) await booking.times.giveBack(booking.holder);
    throw error;
  }
}

async function takeTime(booking: BookingAtServer): Promise<boolean> {
  const { times, holder, inPlaceOf } = booking;
  const time = timeOf(booking);
  return times.take({ holder, inPlaceOf }, { ...time, actor: await personOf(booking, time.actor) });
}

/** Whether somebody else came first after all, or another booking of ours after this one was held up for minutes. */
const isOvertaken = async (booking: BookingAtServer, about: Second): Promise<boolean> =>
  (await isSecond(booking, about, timeOf(booking))) || !(await takeTime(booking));

async function undo(server: Server, id: string, keeps: string[]): Promise<never> {
  await cancel(server, id, 'taken', { keeps });
  return refused('somebody else has this time there', 409, 'time_taken');
}

/**
 * Leaves an appointment where it is that was made by a try whose end nobody knew, unless somebody else came first: then it is
 * cancelled again, and refused. The try may have ended before it looked.
 */
export async function keepFound(
  server: FhirServer,
  { id, resource }: FoundAppointment,
  { except, keeps = [] }: { except?: string | null; keeps?: string[] } = {},
): Promise<string> {
  const actor = server.settings.providers.find(({ reference }) => takesPart(resource, reference))?.reference;
  const time = actor === undefined ? null : timeIn(resource, actor);
  const staysThere = time === null || !(await isSecond(server, { id, except }, time));
  return staysThere ? id : undo(server, id, keeps);
}

interface Second {
  id: string;
  /** The one that it is in place of: its time may be in part the same. */
  except?: string | null | undefined;
}

const isSecond = (server: Server, about: Second, time: EhrTime) =>
  cameSecond(server, time, {
    ...about,
    isOurs: ({ identifiers }) => identifiers.some((each) => each.startsWith(`${systemOf('appointment')}|`)),
  });

async function createAppointment(
  booking: Omit<BookingAtServer, 'slot'> & { resource: object; slot: FreeSlot | null },
): Promise<string> {
  const { ask, notice, capabilities, resource, slot } = booking;
  const condition = `identifier=${tokenOf('appointment', appointmentKey(notice))}`;
  const marks = capabilities.marksSlots && slot !== null ? allOf(slot).map(busy) : [];
  const write = (ifNoneExist: string | undefined): Promise<FhirAnswer> => {
    if (marks.length > 0)
      return writeWithSlots(
        ask,
        { method: 'POST', url: 'Appointment', resource, ...(ifNoneExist && { ifNoneExist }) },
        marks,
      );
    if (ifNoneExist) return create(ask, 'Appointment', resource, ifNoneExist);
    return ask({ method: 'POST', path: 'Appointment', template: 'Appointment', body: resource });
  };
  for (const ifNoneExist of [condition, undefined]) {
    try {
      const made = await write(ifNoneExist);
      if (made.status === 201 || ifNoneExist === undefined) return bookedIn(made);
      const known = await readAppointment(ask, idFrom(made));
      // One that was moved away from this time and back: the first was cancelled, and stands in the way of the condition alone.
      if (known && isCalledOff(known.resource)) continue;
      if (known && isRequest(known.resource)) return notBooked(made.status);
      if (!known || isAt(known.resource, notice)) return idFrom(made);
      break;
    } catch (error) {
      const status = error instanceof FhirFault ? error.status : null;
      if (status !== 409 && status !== 412) throw error;
      // The same booking that was sent twice at once is refused once with a conflict; it is booked all the same.
      const ours = await bookedUnderOurs(ask, notice, capabilities);
      if (ours !== null) return ours.id;
      // Without a condition a slot alone can be another one than was read.
      if (status === 409 || (ifNoneExist === undefined && marks.length > 0)) return timeTaken();
      // Several meet the condition. Where they can be seen, all of them are cancelled.
      if (!capabilities.findsAppointments || ifNoneExist === undefined) throw error;
    }
  }
  return refused('it has another appointment under our identifier', 409);
}

const timeTaken = () => refused('the time is taken there', 409, 'time_taken');

const isTimeTaken = (error: unknown): boolean => isRefusal(error) && error.result.because === 'time_taken';

/** The id of what was made, where it is booked: a server may keep it as a request that somebody there has yet to accept. */
function bookedIn(made: FhirAnswer): string {
  const [appointment] = resourcesOf('Appointment', made.body);
  const { status = 'booked' } = appointment ?? {};
  return status === 'booked' ? idFrom(made) : notBooked(made.status);
}

/** Of an appointment in these states nobody there has said that it takes place. */
const isRequest = ({ status }: Resource): boolean => ['proposed', 'pending', 'waitlist'].includes(String(status));

function notBooked(status: number): never {
  const said = 'it keeps the appointment, and not as booked';
  throw new FhirFault({ kind: 'unavailable', error: `http_${status}`, said });
}

/** The operations of the Argonaut Scheduling guide; each returns the appointment, which is cancelled where it was refused. */
async function operate(ask: Ask, operation: '$book' | '$hold', parameter: object): Promise<string> {
  const path = `Appointment/${operation}`;
  const parameters = { resourceType: 'Parameters', parameter: [parameter] };
  const answer = await ask({ method: 'POST', path, template: path, body: parameters }).catch((error: unknown) => {
    // A conflict while booking means that somebody else has the time.
    if (error instanceof FhirFault && error.status === 409) return timeTaken();
    throw error;
  });
  const { body, id, status } = answer;
  const [appointment] = resourcesOf('Appointment', body);
  if (isNotBooked(body)) refused(`${operation} was refused`, status);
  const made = idOf(appointment) ?? id ?? refused('the answer names no id of what was made', status);
  if (operation === '$book' && appointment) bookedIn({ ...answer, body: appointment, id: made });
  return made;
}

const referencesOf = (slot: FreeSlot) => allOf(slot).map(({ reference }) => reference);

const slotReferences = (slot: FreeSlot) => referencesOf(slot).map((reference) => ({ reference }));

/** Null where it is not there, or not any more. */
export async function readAppointment(ask: Ask, id: string): Promise<AppointmentAtServer | null> {
  const { body, version } = await orNull(
    ask({ method: 'GET', path: `Appointment/${id}`, template: 'Appointment/{id}' }),
  );
  const [resource] = resourcesOf('Appointment', body);
  if (resource) return { resource, version };
  return body === null ? null : refused('the answer is no Appointment', 200);
}

/** By what a visit has its time that is moved, or that is booked under our key in place of the one that is there, if any. */
export function holderFor(
  current: AppointmentAtServer | null,
  { key, isMoved }: { key: string; isMoved: boolean },
): Pick<BookingAtServer, 'holder' | 'inPlaceOf'> {
  const held = current ? holderOf(current.resource) : undefined;
  return isMoved && held !== undefined ? { holder: held } : { holder: key, inPlaceOf: held };
}

/** By what a visit has its time while it is booked or moved: our key of it, or the server's id of one that is not ours. */
export const holderOf = (appointment: Resource): string =>
  tokensOf(appointment).flatMap((token) => keyIn(token) ?? [])[0] ?? `Appointment/${idOf(appointment)}`;

export const isAt = ({ start }: Resource, { startsAt }: Pick<AppointmentNotice, 'startsAt'>) =>
  Date.parse(String(start)) === Date.parse(startsAt);

function tokensOf({ identifier }: Resource): string[] {
  const all: { system?: unknown; value?: unknown }[] = Array.isArray(identifier) ? identifier : [];
  return all.map(({ system, value }) => `${String(system)}|${String(value)}`);
}

/** Moves an appointment to a time that nobody has. Where somebody else came first after all it gets its old time back. */
export async function move(
  booking: BookingAtServer,
  id: string,
  current: AppointmentAtServer | null,
  frees?: SlotMark[],
): Promise<void> {
  const { notice, slot = null } = booking;
  const { startsAt: start, endsAt: end } = notice;
  const atNewTime = { start, end, ...(slot !== null && { slot: slotReferences(slot) }) };
  const was: { resource?: Resource } = {};
  const isThere = await whileTaken(booking, () =>
    change(booking, id, {
      current,
      slot,
      ...(frees && { frees }),
      next: (resource) => {
        // Somebody else has cancelled it meanwhile: it is not brought back unasked.
        if (isCalledOff(resource)) return refused('the appointment was called off there', 409);
        // A change whose answer was lost is sent again, and refused for what it did itself: it is at the new time by then.
        if (!isAt(resource, notice)) was.resource = resource;
        return { ...resource, ...atNewTime };
      },
    }),
  );
  if (!isThere) refused('the appointment is not there any more', 404);
  if (!was.resource || !(await isOvertaken(booking, { id }))) return;
  await goBack(booking, id, was.resource);
  refused('somebody else has this time there', 409, 'time_taken');
}

/**
 * Leaves an appointment at its time, to which a try has moved it whose end nobody knew: it may have ended before it looked who came
 * first. Nobody knows any more where it could go back to.
 */
export async function keepMoved(server: Server, { id, resource }: FoundAppointment, actor: string): Promise<string> {
  const time = timeIn(resource, actor);
  if (time === null || !(await isSecond(server, { id }, time))) return id;
  const fault = 'somebody else has its new time too';
  throw new FhirFault({ kind: 'refused', status: 409, fault, body: null, isInPart: true }, 409);
}

/** Gives an appointment its old time back, and its slot. Where somebody has taken that meanwhile, staff must see to it. */
async function goBack(booking: BookingAtServer, id: string, was: Resource): Promise<void> {
  const { ask, capabilities } = booking;
  const { start, end, slot } = was;
  const takes = capabilities.marksSlots ? await slotsToTake(ask, was) : [];
  const isThere = await change(booking, id, {
    takes,
    next: (now) => {
      // What others made of it meanwhile stays: it is not brought back unasked, and not moved once more.
      if (isCalledOff(now)) return refused('the appointment was called off there', 409);
      return isAt(now, booking.notice) ? { ...now, start, end, slot } : null;
    },
  });
  if (!isThere) refused('the appointment is not there any more', 404);
  const time = timeIn(was, timeOf(booking).actor);
  if (time && (await isSecond(booking, { id }, time))) refused('somebody else has the old time too by now', 409);
}

export async function cancel(
  server: Server,
  id: string,
  reason: CancellationReason,
  known: Pick<Change, 'current' | 'keeps'> = {},
): Promise<void> {
  await change(server, id, {
    ...known,
    next: (resource) => (isCalledOff(resource) ? null : { ...resource, ...cancelled(reason) }),
  });
}

interface Change {
  next: (resource: Resource) => Resource | null;
  /** As it was read a moment ago. */
  current?: AppointmentAtServer | null;
  /** The one that it has from now on; the one before is free again, at a server that leaves this to us. */
  slot?: FreeSlot | null;
  /** What becomes free of `current`, where that was looked up already. */
  frees?: SlotMark[];
  /** What it gets back. */
  takes?: SlotMark[];
  /** The slots, as `Slot/12`, that the visit has which comes in its place, or had which it came in the place of. */
  keeps?: string[];
}

/**
 * Changes what is on record there, and nothing that somebody else has changed meanwhile: then it is read once more. Returns it as
 * it is then; null where it is not there.
 */
async function change(
  { ask, capabilities }: Server,
  id: string,
  { next, current = null, slot = null, frees, takes = [], keeps = [] }: Change,
): Promise<AppointmentAtServer | null> {
  for (let isLastTry = false; ; isLastTry = true) {
    const found = (isLastTry ? null : current) ?? (await readAppointment(ask, id));
    if (!found) return null;
    const changed = next(found.resource);
    if (changed === null) return found;
    const givesUp = capabilities.marksSlots
      ? ((isLastTry ? undefined : frees) ?? (await slotsToFree(ask, found.resource)))
      : [];
    const kept = isCalledOff(changed) ? keeps : slotsIn(changed);
    const marks = capabilities.marksSlots
      ? [
          ...(slot === null ? [] : allOf(slot).map(busy)),
          ...takes,
          ...givesUp.filter(({ resource }) => !kept.includes(`Slot/${idOf(resource)}`)),
        ]
      : [];
    try {
      if (marks.length > 0) {
        const write = { method: 'PUT', url: `Appointment/${id}`, resource: changed, ifMatch: found.version } as const;
        const { version } = await writeWithSlots(ask, write, marks);
        return { resource: changed, version };
      }
      const { version } = await ask({
        method: 'PUT',
        path: `Appointment/${id}`,
        template: 'Appointment/{id}',
        body: changed,
        headers: found.version === null ? {} : { 'if-match': found.version },
      });
      return { resource: changed, version };
    } catch (error) {
      const status = error instanceof FhirFault ? error.status : null;
      const isOutdated = status === 409 || status === 412;
      if (isOutdated && !isLastTry) continue;
      if (status === 409 && slot !== null) return timeTaken();
      throw error;
    }
  }
}
