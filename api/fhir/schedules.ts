import { emrTime, providerNamed } from '@clinic/prisma/stores/calendar/agendas';
import { BundleOf, Schedule, Slot } from '@clinic/shared/contracts/calendar/fhir';
import type { Slot as DomainSlot } from '@clinic/shared/domain/calendar/slots';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { searchUrl } from '@clinic/shared/contracts/calendar/bundle';
import { fhir, fhirResponse } from './fhir-route';
import { Count, idOfReference, ReferenceTo, searchParameters } from '@clinic/shared/contracts/calendar/search';
import { slotWindow } from './slot-window';

const unknownProvider = { description: 'No such practitioner of this clinic' };

// The domain returns the same slot objects again and again; a text is dropped together with its slot.
const texts = new WeakMap<DomainSlot, string>();

/** `GET /Schedule` and `GET /Slot`. */
export const scheduleRoutes = [
  fhir.get('/Slot', {
    right: 'appointments.read',
    patientData: 'none',
    summary: "Search a practitioner's open slots",
    description:
      'Free 30-minute slots within working hours, computed when asked: 14 days from `start=ge…`, or from now, unless `start=lt…` narrows it. Follow the link `next` until there is none. A missing `schedule` and an invalid date are 400.',
    query: searchParameters({
      schedule: ReferenceTo('Schedule', 'Dr.Chen'),
      start: z.union([z.string().max(100), z.array(z.string().max(100)).max(10)]).optional(),
      _count: Count,
      _cursor: z.string().max(500).optional(),
    }),
    repeatable: ['start'],
    responses: { 200: fhirResponse('Open slots in order of time', BundleOf(Slot)), 404: unknownProvider },
    async handle(
      { caller: { clinicId, agenda }, query: { schedule, start, _count: count, _cursor: cursor } },
      { stores, baseUrl },
    ) {
      const cursors = stores.cursors.of('slots');
      const slotUrl = `${baseUrl}/Slot`;
      const name = idOfReference('Schedule', schedule, 'schedule');
      const position = cursors.decode(cursor, clinicId, '_cursor');
      const starts = [start ?? []].flat();
      const now = emrTime(agenda);
      const window = slotWindow({ starts, zone: agenda.zone, now: now.toISOString() });
      // The end of the search stays where it was when the first page was asked for.
      const until = position?.id ?? window.until;
      const slots = await stores.appointments.slotsOf({
        clinicId,
        providerName: name,
        now,
        from: window.from,
        until,
      });
      if (!slots) throw unknown(name);

      const after = position?.at.toISOString() ?? '';
      const rest = after ? slots.filter(({ startsAt }) => startsAt > after) : slots;
      const page = rest.slice(0, count);
      const last = page.at(-1);
      const next =
        last && rest.length > page.length ? cursors.encode(clinicId, { at: new Date(last.startsAt), id: until }) : null;
      const asked = { schedule, start, _count: String(count) };
      const body = slotBundle({
        total: slots.length,
        entries: page.map((slot) => entryOf(slotUrl, slot, name)),
        self: searchUrl(slotUrl, { ...asked, _cursor: cursor }),
        next: next && searchUrl(slotUrl, { ...asked, _cursor: next }),
      });
      return { body, facts: { from: window.from, until } };
    },
  }),
  fhir.get('/Schedule', {
    right: 'appointments.read',
    patientData: 'none',
    summary: "A practitioner's schedule",
    description:
      'A missing `actor` is 400. The reply is the Schedule itself and no Bundle, as this sandbox has it by contract.',
    query: searchParameters({ actor: ReferenceTo('Practitioner', 'Dr.Chen') }),
    responses: { 200: fhirResponse('The schedule', Schedule), 404: unknownProvider },
    async handle({ caller: { agenda }, query }) {
      const name = idOfReference('Practitioner', query.actor, 'actor');
      if (!providerNamed(agenda, name)) throw unknown(name);
      const schedule: Schedule = {
        resourceType: 'Schedule',
        id: name,
        actor: [{ reference: `Practitioner/${name}` }],
      };
      return { body: schedule };
    },
  }),
];

const unknown = (name: string) => new AppError('unknown_practitioner', `Practitioner ${name} not found`);

/** The entry of a slot as text: what follows the address of this service is the same for every search. */
function entryOf(slotUrl: string, slot: DomainSlot, providerName: string): string {
  const text = texts.get(slot) ?? textOf(slot, providerName);
  texts.set(slot, text);
  return `{"fullUrl":"${slotUrl}/${text}`;
}

function textOf(slot: DomainSlot, providerName: string): string {
  const { slotId: id, startsAt: start, endsAt: end } = slot;
  const resource: Slot = {
    resourceType: 'Slot',
    id,
    schedule: { reference: `Schedule/${providerName}` },
    status: 'free',
    start,
    end,
  };
  return `${JSON.stringify(id).slice(1)},"resource":${JSON.stringify(resource)}}`;
}

/**
 * The Bundle as text, from entries that are text already: a hundred slots are neither made nor written again at each
 * search.
 */
function slotBundle({
  total,
  entries,
  self,
  next,
}: {
  total: number;
  entries: string[];
  self: string;
  next: string | null;
}): string {
  const links = [{ relation: 'self', url: self }, ...(next ? [{ relation: 'next', url: next }] : [])];
  const start = `{"resourceType":"Bundle","type":"searchset","total":${total},"link":${JSON.stringify(links)},"entry":[`;
  return `${start}${entries.join(',')}]}`;
}
