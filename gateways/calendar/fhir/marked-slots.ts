import { z } from 'zod';
import { sha256Hex } from '@clinic/shared/crypto';
import {
  etagIn,
  idInLocation,
  idOf,
  plainReference,
  type Resource,
  resourcesOf,
} from '@clinic/shared/contracts/calendar/fhir-reading';
import { type FhirAnswer, FhirFault } from './exchange';
import { type Ask, orNull } from './requests';
import type { FreeSlot } from './slots';

/** What becomes of a slot in the step that writes its appointment. */
export interface SlotMark {
  resource: Resource;
  status: 'busy' | 'free';
}

interface Write {
  method: 'POST' | 'PUT';
  /** As `Appointment`, or `Appointment/12`. */
  url: string;
  resource: object;
  ifMatch?: string | null;
  ifNoneExist?: string;
}

/** Writes an appointment and marks slots in one transaction: all of it happens or nothing, and only while the slots are as they were read. */
export async function writeWithSlots(ask: Ask, write: Write, marks: SlotMark[]): Promise<FhirAnswer> {
  const { method, url, resource, ifMatch, ifNoneExist } = write;
  const entry = [
    {
      fullUrl: fullUrlOf([url, ifNoneExist]),
      resource,
      request: { method, url, ...(ifMatch && { ifMatch }), ...(ifNoneExist && { ifNoneExist }) },
    },
    ...marks.map((mark) => {
      const version = etagIn(mark.resource);
      const slot = `Slot/${idOf(mark.resource)}`;
      const request = { method: 'PUT', url: slot, ...(version && { ifMatch: version }) };
      return { fullUrl: fullUrlOf([slot]), resource: { ...mark.resource, status: mark.status }, request };
    }),
  ];
  const body = { resourceType: 'Bundle', type: 'transaction', entry };
  const answer = await ask({ method: 'POST', path: '', template: '', body });
  const response = Responses.safeParse(answer.body).data?.entry[0]?.response;
  const status = Number.parseInt(response?.status ?? '', 10);
  if (!response || Number.isNaN(status))
    throw new FhirFault({ kind: 'unavailable', error: `http_${answer.status}`, said: 'it does not say what it did' });
  const [written = null] = resourcesOf('Appointment', answer.body);
  return { status, body: written, id: idInLocation(response.location), version: response.etag ?? null, next: null };
}

/** Each entry of a transaction has an address of its own, by which nothing refers to it here. */
function fullUrlOf(about: (string | undefined)[]): string {
  const hex = sha256Hex(about.join(' '));
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The slots of an appointment, a long one has several, to be marked as free again; not those that are no longer busy. */
export const slotsToFree = (ask: Ask, appointment: Resource): Promise<SlotMark[]> =>
  slotMarks(ask, appointment, { was: 'busy', becomes: 'free' });

/** The slots of an appointment that gets them back; not those that are no longer free. */
export const slotsToTake = (ask: Ask, appointment: Resource): Promise<SlotMark[]> =>
  slotMarks(ask, appointment, { was: 'free', becomes: 'busy' });

async function slotMarks(
  ask: Ask,
  appointment: Resource,
  { was, becomes: status }: { was: SlotMark['status']; becomes: SlotMark['status'] },
): Promise<SlotMark[]> {
  const found = await Promise.all(
    slotsIn(appointment).map((path) => orNull(ask({ method: 'GET', path, template: 'Slot/{id}' }))),
  );
  return found
    .flatMap(({ body }) => resourcesOf('Slot', body))
    .flatMap((resource) => (resource['status'] === was ? [{ resource, status }] : []));
}

/** The slots that an appointment refers to, as `Slot/12`. */
export const slotsIn = (appointment: Resource): string[] =>
  (WithSlots.safeParse(appointment).data?.slot ?? []).flatMap(
    ({ reference }) => plainReference(reference, 'Slot') ?? [],
  );

export const busy = ({ resource }: FreeSlot): SlotMark => ({ resource, status: 'busy' });

const Responses = z.object({
  type: z.literal('transaction-response'),
  entry: z.array(
    z.object({
      response: z.object({ status: z.string(), location: z.string().optional(), etag: z.string().optional() }),
    }),
  ),
});
const WithSlots = z.object({ slot: z.array(z.object({ reference: z.string() })) });
