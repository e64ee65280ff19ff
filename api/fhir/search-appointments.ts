import { toAppointment, toVersioned } from '@clinic/shared/contracts/calendar/fhir-appointment';
import { emrTime } from '@clinic/prisma/stores/calendar/agendas';
import { appointmentStatuses } from '@clinic/shared/domain/calendar/appointment-status';
import { invalid } from '@clinic/shared/errors';
import type { EhrSearch } from '@clinic/prisma/stores/calendar/ehr-appointments';
import { parse } from '@clinic/shared/contracts/parse';
import type { FhirRequest, Reply } from '../http/route';
import { searchset, searchUrl } from '@clinic/shared/contracts/calendar/bundle';
import { fhirType, type FhirDeps } from './fhir-route';
import { refuse } from '@clinic/shared/contracts/calendar/outcome';
import { Count, idOfReference } from '@clinic/shared/contracts/calendar/search';
import { boundsOf, earliest, latest } from './slot-window';
import { searchWaitlist, WAITLIST } from './waitlist';

/** Parameters of the full search, as GET metadata declares them. */
const appointmentParameters = ['patient', 'practitioner', 'actor', 'date', 'status', 'identifier', '_id'] as const;
const known: ReadonlySet<string> = new Set([
  ...appointmentParameters,
  '_sort',
  '_count',
  '_cursor',
  '_format',
  '_total',
  '_pretty',
]);

/** The statuses of R4 that no appointment has here: they find nothing. */
const otherStatuses: ReadonlySet<string> = new Set([
  'proposed',
  'pending',
  'arrived',
  'noshow',
  'entered-in-error',
  'checked-in',
  'waitlist',
]);

/** `GET /Appointment` as the contract has it: a patient's next upcoming appointment, or none. */
export async function searchNext(request: FhirRequest, deps: FhirDeps): Promise<Reply> {
  const { caller, query } = request;
  const { clinicId, agenda } = caller;
  if (query.status === WAITLIST) return searchWaitlist(request, deps);
  const patient = query.patient as string;
  const url = `${deps.baseUrl}/Appointment`;
  const patientId = idOfReference('Patient', patient, 'patient');
  const next = await deps.stores.appointments.nextUpcoming(clinicId, patientId, emrTime(agenda));
  const entries = next ? [{ fullUrl: `${url}/${next.id}`, resource: toAppointment(next) }] : [];
  return { body: searchset({ links: { self: searchUrl(url, { patient }) }, total: entries.length, entries }) };
}

/** `GET /Appointment` as R4 has it: by patient, practitioner, date, status, identifier and id, with pages. */
export async function searchAppointments(request: FhirRequest, { stores, baseUrl }: FhirDeps): Promise<Reply> {
  const { caller, query } = request;
  const { clinicId, agenda } = caller;
  if (query.status === WAITLIST) return { ...(await searchWaitlist(request, { stores, baseUrl })), type: fhirType };
  const strange = unknownParameters(query);
  if (strange.length > 0 && isStrict(request)) {
    return refuse('unknown_parameter', `${strange.join(', ').slice(0, 200)}: not a parameter of this search`, {
      paths: strange.slice(0, 10),
    });
  }
  const text = (name: string): string | undefined => {
    const value = query[name];
    return typeof value === 'string' ? value : undefined;
  };
  const dates = [query.date ?? []].flat() as string[];
  const bounds = dates.map((date) => boundsOf('date', date, agenda.zone));
  const actor = text('actor');
  const isProvider = actor?.startsWith('Practitioner/') === true;
  const patient = text('patient') ?? (isProvider ? undefined : actor);
  const practitioner = text('practitioner') ?? (isProvider ? actor : undefined);
  const search: EhrSearch = {
    patientId: patient && idWithin('Patient', patient),
    providerName: practitioner && idWithin('Practitioner', practitioner),
    identifier: identifierOf(text('identifier')),
    ids: text('_id')?.split(',').slice(0, 100),
    statuses: statusesOf(text('status')),
    from: latest(bounds.flatMap(({ from }) => from ?? [])),
    until: earliest(bounds.flatMap(({ until }) => until ?? [])),
    isNewestFirst: text('_sort') === '-date',
    limit: parse(Count, text('_count')),
    cursor: text('_cursor'),
  };
  const { patientId, providerName, identifier, ids, from, until } = search;
  if ([patientId, providerName, identifier, ids, from, until].every((each) => each === undefined)) {
    throw invalid('patient', 'is required, or practitioner, date, identifier or _id');
  }

  const { items, nextCursor, total } = await stores.ehrAppointments.search(clinicId, search);
  const url = `${baseUrl}/Appointment`;
  const asked = Object.fromEntries(Object.entries(query).filter(([name]) => known.has(name) && name !== '_format'));
  const link = (cursor?: string) =>
    searchUrl(url, {
      ...(asked as Record<string, string | string[]>),
      ...(cursor !== undefined && { _cursor: cursor }),
    });
  const { total: _none, ...bundle } = searchset({
    links: { self: link(), ...(nextCursor !== null && { next: link(nextCursor) }) },
    total: 0,
    entries: items.map((record) => ({
      fullUrl: `${url}/${record.id}`,
      resource: toVersioned(record, baseUrl),
      search: { mode: 'match' },
    })),
  });
  return {
    body: { ...bundle, ...(total !== null && { total }) },
    type: fhirType,
    subjects: items.map((record) => record.patientId),
  };
}

/** Under `Prefer: handling=strict` what is not known is refused, and otherwise ignored. */
const isStrict = ({ headers }: Pick<FhirRequest, 'headers'>): boolean =>
  /(?:^|[,;\s])handling\s*=\s*"?strict\b/i.test([headers.prefer ?? []].flat().join(','));

function unknownParameters(query: Record<string, unknown>): string[] {
  for (const name of Object.keys(query)) {
    const [base = ''] = name.split(/[:.]/);
    if (base !== name && known.has(base)) throw invalid(base, 'takes no modifier and no chain');
  }
  const { _sort: sort } = query;
  const isSortKnown = sort === undefined || sort === 'date' || sort === '-date';
  return [...Object.keys(query).filter((name) => !known.has(name)), ...(isSortKnown ? [] : ['_sort'])];
}

/** `Patient/<id>`, or the id alone. */
const idWithin = (type: string, reference: string): string =>
  reference.includes('/') ? idOfReference(type, reference, type.toLowerCase()) : reference;

/** A token: `system|value`, or the value without a system. */
const identifierOf = (token: string | undefined): string | undefined =>
  token === undefined || token.includes('|') ? token : `|${token}`;

function statusesOf(token: string | undefined): EhrSearch['statuses'] {
  if (token === undefined) return undefined;
  const wanted = token.split(',');
  const strange = wanted.find((word) => !appointmentStatuses.some((each) => each === word) && !otherStatuses.has(word));
  if (strange !== undefined) throw invalid('status', `${strange.slice(0, 40)} is not an appointment status of R4`);
  return appointmentStatuses.filter((each) => wanted.includes(each));
}
