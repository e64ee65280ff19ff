import { z } from 'zod';
import type { EhrTime } from '@clinic/prisma/stores/calendar/ehr-times';
import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { idOf, Instant, plainReference, type Resource } from '@clinic/shared/contracts/calendar/fhir-reading';
import { takesPart } from './appointment-resource';
import { FhirFault, isRefusal } from './exchange';
import type { FhirServer } from './server';
import { type Ask, orNull, refused, search, searchPages } from './requests';

/** An appointment that has a practitioner's time. */
export interface AppointmentAtTime {
  id: string;
  /** As `system|value`. */
  identifiers: string[];
  /** When its record was last written; null where the server tells no such thing. */
  writtenAt: string | null;
}

type AskedServer = Pick<FhirServer, 'ask' | 'capabilities' | 'memory'>;

/** A visit that began so long before may still be going on: R4 searches appointments by their beginning alone. No visit is longer. */
const LOOK_AROUND_MS = 12 * 60 * 60_000;
const APPOINTMENTS_A_PAGE = 100;
const ROLES_A_PAGE = 50;

/** Of an appointment in these states the practitioner's time is taken. */
const takesTime = ['booked', 'pending', 'arrived', 'checked-in', 'fulfilled'];

/** An appointment near a time, with the time that it takes. */
export interface AppointmentNear extends AppointmentAtTime {
  startsAt: string;
  endsAt: string;
}

/**
 * Everything that takes some of a practitioner's time around an instant. A plain FHIR server leaves `Slot.status` as it is when an
 * appointment is made, so only this shows that a slot which is free has been taken.
 */
export async function appointmentsNear(
  server: AskedServer,
  { actor, startsAt }: Pick<EhrTime, 'actor' | 'startsAt'>,
): Promise<AppointmentNear[]> {
  const { ask, capabilities, memory } = server;
  if (capabilities.canBook || capabilities.showsBusyTimes === false) return [];
  const around = (ms: number) => new Date(Date.parse(startsAt) + ms).toISOString();
  const filedFor = async (actors: string[]): Promise<Resource[]> => {
    if (actors.length === 0) return [];
    const { resources, isWhole } = await search(ask, 'Appointment', [
      ['actor', actors.join(',')],
      ['date', `ge${around(-LOOK_AROUND_MS)}`],
      ['date', `lt${around(LOOK_AROUND_MS)}`],
      ['_count', String(APPOINTMENTS_A_PAGE)],
    ]);
    if (!isWhole) return refused('it finds more appointments of a practitioner than can be compared', 409);
    return resources.filter((resource) => actors.some((each) => takesPart(resource, each)));
  };
  // A practitioner without roles is not waited for twice.
  const first = memory.filedUnder.get(actor) ?? [actor];
  const [found, all] = await Promise.all([filedFor(first), filedUnder(server, actor)]);
  const rest = await filedFor(all.filter((each) => !first.includes(each)));
  return [...found, ...rest].flatMap((resource) => {
    const appointment = Timed.safeParse(resource).data;
    if (!appointment || !takesTime.includes(appointment.status)) return [];
    const { id, start, end = slotEnd(start), identifier = [], meta } = appointment;
    const identifiers = identifier.map(({ system, value }) => `${system ?? ''}|${value ?? ''}`);
    return [{ id, identifiers, writtenAt: meta?.lastUpdated ?? null, startsAt: start, endsAt: end }];
  });
}

/** Under whom the visits of a practitioner may be filed: the person first, where it is known, then all roles of theirs. */
export async function filedUnder({ ask, memory }: AskedServer, actor: string): Promise<string[]> {
  const known = memory.filedUnder.get(actor);
  if (known) return known;
  const person = actor.startsWith('PractitionerRole/') ? await whoseRole(ask, actor) : actor;
  const found = person === null ? [actor] : [...new Set([person, actor, ...(await rolesOf(ask, person))])];
  for (const each of found) memory.filedUnder.set(each, found);
  return found;
}

/** Whose time it is that stands under this: a role's is that of who has the role, where the server tells who. */
export async function personOf(server: AskedServer, actor: string): Promise<string> {
  if (!actor.startsWith('PractitionerRole/')) return actor;
  const [person = actor] = await filedUnder(server, actor);
  return person;
}

/** Null where the server does not say. One that does not show roles, or cannot search them, files nothing under them. */
async function whoseRole(ask: Ask, role: string): Promise<string | null> {
  const asked = ask({ method: 'GET', path: role, template: 'PractitionerRole/{id}' });
  const { body } = await orNull(asked, [403, 404, 410]);
  return personIn(body);
}

async function rolesOf(ask: Ask, person: string): Promise<string[]> {
  const query: [string, string][] = [
    ['practitioner', person],
    ['_count', String(ROLES_A_PAGE)],
  ];
  const request = { method: 'GET' as const, path: 'PractitionerRole', template: 'PractitionerRole', query };
  // One that passes over what it is asked for would show the roles of everybody, page by page.
  const isOfAnybody = (found: Resource[]) => found.some((role) => personIn(role) !== person);
  const { resources } = await searchPages(ask, 'PractitionerRole', request, isOfAnybody).catch((error: unknown) => {
    if (isRefusal(error) || (error instanceof FhirFault && error.status === 501)) return { resources: [] };
    throw error;
  });
  const theirs = resources.filter((role) => personIn(role) === person).map(idOf);
  return theirs.flatMap((id) => (id === null ? [] : `PractitionerRole/${id}`));
}

const personIn = (role: unknown) => plainReference(Role.safeParse(role).data?.practitioner.reference, 'Practitioner');

/** The time that an appointment takes of a practitioner; null where it says none. */
export function timeIn(appointment: Resource, actor: string): EhrTime | null {
  const { start, end = start && slotEnd(start) } = Times.safeParse(appointment).data ?? {};
  return start && end ? { actor, startsAt: start, endsAt: end } : null;
}

/** For how many milliseconds an appointment lasts; 0 where it does not say. */
export function lengthIn(appointment: Resource): number {
  const { start, end } = Times.safeParse(appointment).data ?? {};
  return start && end ? Date.parse(end) - Date.parse(start) : 0;
}

type Span = Pick<EhrTime, 'startsAt' | 'endsAt'>;

const overlaps = (one: Span, other: Span): boolean => one.startsAt < other.endsAt && one.endsAt > other.startsAt;

const overlapping = (near: AppointmentNear[], time: EhrTime) => near.filter((each) => overlaps(each, time));

/** The time that an appointment has which is moved, where it stays in a part of it: what it has itself is free for it. */
export function timeKept(appointment: Resource, to: EhrTime): EhrTime | null {
  const own = timeIn(appointment, to.actor);
  return own && overlaps(own, to) ? own : null;
}

/** Refuses a time that somebody else has; an appointment under this identifier is the booking itself. */
export function refuseTaken(near: AppointmentNear[], time: EhrTime, { except }: { except: string }): void {
  const there = overlapping(near, time);
  if (there.some(({ id, identifiers }) => id !== except && !identifiers.includes(except)))
    refused('somebody else has this time there', 409, 'time_taken');
}

/**
 * Whether the one that was written just now came second: of two of ours the first stays, anybody else's stays always. `except` is
 * the one that it is in place of. Two of ours that are sent at once are told apart before (`TakenTimes`): by the server's clock both could stay.
 */
export async function cameSecond(
  server: AskedServer,
  time: EhrTime,
  {
    id,
    except,
    isOurs,
  }: { id: string; except?: string | null | undefined; isOurs: (other: AppointmentAtTime) => boolean },
): Promise<boolean> {
  const there = overlapping(await appointmentsNear(server, time), time);
  const own = there.find((each) => each.id === id);
  const others = there.filter((each) => each.id !== id && each.id !== except);
  return others.some((other) => !isOurs(other) || !own || isBefore(other, own));
}

/** By the server's clock, which both were written by; ids decide within one tick of it. */
function isBefore(one: AppointmentAtTime, other: AppointmentAtTime): boolean {
  if (one.writtenAt === null || other.writtenAt === null) return true;
  return one.writtenAt === other.writtenAt ? one.id < other.id : one.writtenAt < other.writtenAt;
}

const Role = z.object({ practitioner: z.object({ reference: z.string() }) });
const Times = z.object({ start: Instant, end: Instant.optional().catch(undefined) });
const Timed = Times.extend({
  id: z.string(),
  status: z.string(),
  meta: z
    .object({ lastUpdated: Instant.optional().catch(undefined) })
    .optional()
    .catch(undefined),
  identifier: z
    .array(z.object({ system: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
});
