import { BundleOf, Schedule, Slot } from '@clinic/shared/contracts/fhir';
import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import type { OpenSlot } from '@clinic/prisma/stores/appointments';
import { z } from 'zod';
import type { Route } from '../http/route';
import { searchUrl } from './bundle';
import { fhirAnswer, type FhirDeps, fhirRoute } from './fhir-route';
import { Count, idOfReference, Reference, searchParameters } from './search';
import { slotWindow } from './slot-window';

const unknownProvider = { description: 'No such practitioner of this clinic' };

/** `GET /Schedule` and `GET /Slot`. */
export function scheduleRoutes({ stores, baseUrl }: FhirDeps & { stores: Stores }): Route[] {
  const providerOf = async (clinicId: string, name: string) => {
    const provider = await stores.providers.find(clinicId, name);
    if (!provider) throw new AppError('not_found', `Practitioner ${name} not found`);
    return provider;
  };
  const slotUrl = `${baseUrl}/Slot`;

  return [
    fhirRoute({
      method: 'get',
      path: '/Slot',
      summary: "Search a practitioner's open slots",
      query: searchParameters({
        schedule: Reference.meta({ examples: ['Schedule/Dr.Chen'] }),
        start: z.union([z.string().max(100), z.array(z.string().max(100)).max(10)]).optional(),
        _count: Count,
        _cursor: z.string().max(500).optional(),
      }),
      repeatable: ['start'],
      responses: { 200: fhirAnswer('Open slots in order of time', BundleOf(Slot)), 404: unknownProvider },
      async handle({ caller: { clinicId }, query: { schedule, start, _count: count, _cursor: cursor } }) {
        const name = idOfReference('Schedule', schedule, 'schedule');
        const position = stores.cursors.decode(cursor, clinicId);
        const starts = [start ?? []].flat();
        const now = new Date();
        const agenda = await stores.agendas.of(clinicId);
        const window = slotWindow({ starts, zone: agenda?.zone ?? 'UTC', now: now.toISOString() });
        // The end of the search stays where it was when the first page was asked for.
        const until = position?.id ?? window.until;
        await providerOf(clinicId, name);
        const found = await stores.appointments.openSlots({
          ...{ clinicId, provider: name, now },
          ...{ from: window.from, until },
        });
        const slots = found.kind === 'slots' ? found.slots : [];

        const after = position?.at.toISOString() ?? '';
        const rest = after ? slots.filter(({ startsAt }) => startsAt > after) : slots;
        const page = rest.slice(0, count);
        const last = page.at(-1);
        const next =
          last && rest.length > page.length
            ? stores.cursors.encode(clinicId, { at: new Date(last.startsAt), id: until })
            : null;
        const asked = { schedule, start, _count: String(count) };
        const body = slotBundle(slotUrl, {
          total: slots.length,
          slots: page,
          self: searchUrl(slotUrl, { ...asked, _cursor: cursor }),
          next: next && searchUrl(slotUrl, { ...asked, _cursor: next }),
        });
        return { body };
      },
    }),

    fhirRoute({
      method: 'get',
      path: '/Schedule',
      summary: "A practitioner's schedule",
      query: searchParameters({ actor: Reference.meta({ examples: ['Practitioner/Dr.Chen'] }) }),
      responses: { 200: fhirAnswer('The schedule', Schedule), 404: unknownProvider },
      async handle({ caller: { clinicId }, query }) {
        const { name } = await providerOf(clinicId, idOfReference('Practitioner', query.actor, 'actor'));
        const schedule: Schedule = {
          ...{ resourceType: 'Schedule', id: name },
          actor: [{ reference: `Practitioner/${name}` }],
        };
        return { body: schedule };
      },
    }),
  ];
}

/**
 * The Bundle as text: a hundred slots are written at once, not turned into objects first. What stands in it (ids,
 * names of providers, instants, addresses) needs no escaping, by its rules.
 */
function slotBundle(
  url: string,
  { total, slots, self, next }: { total: number; slots: OpenSlot[]; self: string; next: string | null },
): string {
  const entries = slots.map(
    ({ slotId, providerName, startsAt, endsAt }) =>
      `{"fullUrl":"${url}/${slotId}","resource":{"resourceType":"Slot","id":"${slotId}","schedule":{"reference":` +
      `"Schedule/${providerName}"},"status":"free","start":"${startsAt}","end":"${endsAt}"}}`,
  );
  const links = [{ relation: 'self', url: self }, ...(next ? [{ relation: 'next', url: next }] : [])];
  return `{"resourceType":"Bundle","type":"searchset","total":${total},"link":${JSON.stringify(links)},"entry":[${entries.join(',')}]}`;
}
