import { randomUUID } from 'node:crypto';
import { etagIn, idInLocation } from '@clinic/shared/contracts/calendar/fhir-reading';
import { z } from 'zod';
import type { EhrClient, Exchange } from './ehr-client';
import {
  type Booked,
  bundleIn,
  can,
  fail,
  hasOperation,
  isOk,
  matchesIn,
  patientOf,
  sameTime,
  skip,
  type SlotFound,
  type Subject,
} from './subject';

/** Under which identifiers checks book, so that a booking whose reply was lost is found again. */
const SYSTEM = 'urn:clinic-workflows:readiness';
export const REASON = {
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason', code: 'oth-err' }],
};

export const AppointmentFound = z.looseObject({
  resourceType: z.literal('Appointment'),
  id: z.string(),
  status: z.string(),
  start: z.string(),
  meta: z.looseObject({ versionId: z.string().optional() }).optional(),
});

/** An Appointment as it is sent: with the slot, both participants, and an identifier of its own. */
export function proposedAt(subject: Subject, slot: Pick<SlotFound, 'id' | 'start' | 'end'>) {
  const { practitioner, visitType } = subject;
  const actors = [patientOf(subject), ...(practitioner ? [practitioner] : [])];
  return {
    resourceType: 'Appointment' as const,
    identifier: [{ system: SYSTEM, value: randomUUID() }],
    status: 'proposed' as const,
    serviceType: [{ text: visitType }],
    start: slot.start,
    end: slot.end,
    slot: [{ reference: `Slot/${slot.id}` }],
    participant: actors.map((reference) => ({ actor: { reference }, status: 'needs-action' })),
  };
}

/** Books by `$book` where it is declared, else by creating an Appointment. What was booked is taken back in the end. */
export async function book(
  subject: Subject,
  slot: SlotFound,
  { headers, ...change }: { headers?: Record<string, string>; [element: string]: unknown } = {},
): Promise<Exchange> {
  const { made } = subject;
  const resource = { ...proposedAt(subject, slot), ...change };
  const exchange = await sendBooking(subject, resource, headers);
  const known = bookedIn(exchange);
  if (known) {
    if (!made.some(({ id }) => id === known.id)) made.push(known);
  } else if (exchange.status === null || exchange.status >= 500) {
    subject.unsure.push({ start: slot.start, identifier: resource.identifier[0]?.value ?? '' });
  }
  return exchange;
}

function sendBooking(subject: Subject, resource: object, headers?: Record<string, string>): Promise<Exchange> {
  const { client } = subject;
  if (headers === undefined && hasOperation(subject, 'Appointment', 'book')) {
    const body = { resourceType: 'Parameters', parameter: [{ name: 'appointment', resource }] };
    return client.ask('POST', 'Appointment/$book', { body });
  }
  if (!can(subject, 'Appointment', 'create')) {
    return skip('its CapabilityStatement declares neither $book nor create of Appointment');
  }
  return client.ask('POST', 'Appointment', { body: { ...resource, status: 'booked' }, headers });
}

/** What became of bookings whose reply was lost: those that are found are among what was booked then, and those that are not were not made. */
export async function findUnsure(client: EhrClient, subject: Subject): Promise<void> {
  const { patient, unsure, made } = subject;
  if (unsure.length === 0 || patient === undefined || !can(subject, 'Appointment', 'search-type')) return;
  const still: Subject['unsure'] = [];
  for (const { start, identifier } of unsure) {
    const query = `patient=${patient}&identifier=${encodeURIComponent(`${SYSTEM}|${identifier}`)}`;
    const found = await client.ask('GET', `Appointment?${query}`);
    if (!isOk(found) || found.body?.resourceType !== 'Bundle') {
      still.push({ start, identifier });
      continue;
    }
    // A server may pass over the identifier, in its search or in what it keeps.
    const ours = matchesIn(bundleIn(found), AppointmentFound).filter(
      (one) => one.status !== 'cancelled' && (JSON.stringify(one).includes(identifier) || sameTime(one.start, start)),
    );
    for (const one of ours) {
      const isKnown = made.some(({ id }) => id === one.id);
      if (!isKnown) made.push({ id: one.id, start: one.start, etag: etagIn(one), isOver: false });
    }
  }
  subject.unsure = still;
}

/** What a successful booking says, as an Appointment or as a Bundle of one. */
export function bookedIn(exchange: Exchange): Booked | null {
  if (!isOk(exchange)) return null;
  const { body, headers } = exchange;
  const given = body?.resourceType === 'Bundle' ? body.entry?.[0]?.resource : body;
  const found = AppointmentFound.safeParse(given);
  if (found.success) {
    const { id, start, status } = found.data;
    return { id, start, etag: headers.etag ?? etagIn(found.data), isOver: status === 'cancelled' };
  }
  // Prefer: return=minimal, as some servers do unasked.
  const id = idInLocation(headers.location);
  return id === null ? null : { id, start: '', etag: headers.etag ?? null, isOver: false };
}

const ifMatch = ({ etag }: Booked): Record<string, string> => (etag === null ? {} : { 'if-match': etag });

/** Reads it again, so that the version is the newest. Null where it cannot be read. */
export async function read(client: EhrClient, subject: Subject, booked: Booked): Promise<Exchange | null> {
  if (!can(subject, 'Appointment', 'read')) return null;
  const exchange = await client.ask('GET', `Appointment/${booked.id}`);
  const found = AppointmentFound.safeParse(exchange.body);
  if (found.success) booked.etag = exchange.headers.etag ?? etagIn(found.data);
  return exchange;
}

/** Cancels by `$cancel` where it is declared, else by an update, with a coded reason. */
export async function cancel(client: EhrClient, subject: Subject, booked: Booked): Promise<Exchange> {
  const current = await read(client, subject, booked);
  const headers = ifMatch(booked);
  let exchange: Exchange;
  if (hasOperation(subject, 'Appointment', 'cancel')) {
    const parameter = [{ name: 'cancelationReason', valueCodeableConcept: REASON }];
    const body = { resourceType: 'Parameters', parameter };
    exchange = await client.ask('POST', `Appointment/${booked.id}/$cancel`, { body, headers });
  } else if (can(subject, 'Appointment', 'update') && current && isOk(current)) {
    const body = { ...current.body, status: 'cancelled', cancelationReason: REASON };
    exchange = await client.ask('PUT', `Appointment/${booked.id}`, { body, headers });
  } else {
    return skip('its CapabilityStatement declares neither $cancel nor read and update of Appointment');
  }
  if (isOk(exchange)) {
    booked.isOver = true;
    booked.etag = exchange.headers.etag ?? booked.etag;
  }
  return exchange;
}

/** Moves it: by `$reschedule`, by an update, or where neither is taken by booking again and cancelling. */
export async function move(
  subject: Subject,
  booked: Booked,
  to: SlotFound,
): Promise<{ exchange: Exchange; by: string }> {
  const { client } = subject;
  if (hasOperation(subject, 'Appointment', 'reschedule')) {
    await read(client, subject, booked);
    const body = { resourceType: 'Parameters', parameter: [{ name: 'start', valueInstant: to.start }] };
    const about = { body, headers: ifMatch(booked) };
    const exchange = await client.ask('POST', `Appointment/${booked.id}/$reschedule`, about);
    return { exchange: keep(exchange, booked), by: '$reschedule' };
  }
  const current = can(subject, 'Appointment', 'update') ? await read(client, subject, booked) : null;
  if (current && isOk(current)) {
    const body = { ...current.body, start: to.start, end: to.end, slot: [{ reference: `Slot/${to.id}` }] };
    const exchange = await client.ask('PUT', `Appointment/${booked.id}`, { body, headers: ifMatch(booked) });
    if (isOk(exchange) || ![400, 405, 422, 501].includes(exchange.status ?? 0)) {
      return { exchange: keep(exchange, booked), by: 'update' };
    }
  }
  const anew = await book(subject, to);
  const made = bookedIn(anew);
  if (!made) return { exchange: anew, by: 'booking anew' };
  const cancelled = await cancel(client, subject, booked);
  if (!isOk(cancelled))
    fail(`the new time was booked, and the old appointment could not be cancelled: ${cancelled.said}`);
  subject.booked = subject.made.find(({ id }) => id === made.id);
  return { exchange: anew, by: 'booking anew and cancelling' };
}

function keep(exchange: Exchange, booked: Booked): Exchange {
  const moved = bookedIn(exchange);
  if (moved) {
    booked.start = moved.start;
    booked.etag = moved.etag;
  }
  return exchange;
}
