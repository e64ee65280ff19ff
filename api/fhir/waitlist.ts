import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { NewWaitlistEntry } from '@clinic/shared/contracts/calendar/waitlist';
import { TimeText } from '@clinic/shared/contracts/primitives';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { AppError } from '@clinic/shared/errors';
import type { WaitlistRecord } from '@clinic/prisma/stores/calendar/waitlist';
import { z } from 'zod';
import { parse } from '@clinic/shared/contracts/parse';
import type { FhirRequest, Reply } from '../http/route';
import { accountOf } from '@clinic/shared/domain/accounts/accounts';
import { searchset, searchUrl } from '@clinic/shared/contracts/calendar/bundle';
import type { FhirDeps } from './fhir-route';
import { idOfReference } from '@clinic/shared/contracts/calendar/search';

/** What somebody waits for, as FHIR has it: an Appointment of the status `waitlist`, with a period in place of a start. */
export const WAITLIST = 'waitlist';

const MAX_SHOWN = 100;

export const WaitlistAppointment = z.looseObject({
  resourceType: z.literal('Appointment'),
  status: z.literal(WAITLIST),
  requestedPeriod: z
    .array(z.looseObject({ start: z.string().max(40), end: z.string().max(40) }), 'is required')
    .length(1, 'must be one period'),
  serviceType: z.array(z.looseObject({ text: z.string().max(200).optional() })).optional(),
  extension: z.array(z.looseObject({ url: z.string(), valueTime: z.string().optional() })).optional(),
  participant: z
    .array(z.looseObject({ actor: z.looseObject({ reference: z.string().max(500).optional() }).optional() }))
    .max(100),
});

export type WaitlistAppointment = z.infer<typeof WaitlistAppointment>;

export function isForWaitlist(body: unknown): body is WaitlistAppointment {
  const { resourceType, status } = (body ?? {}) as { resourceType?: unknown; status?: unknown };
  return resourceType === 'Appointment' && status === WAITLIST;
}

/** `GET /Appointment?status=waitlist&patient=…`: who waits, first come first. */
export async function searchWaitlist(
  { caller: { clinicId }, query }: FhirRequest,
  { stores, baseUrl }: FhirDeps,
): Promise<Reply> {
  const { patient } = query;
  const patientId = typeof patient === 'string' ? idOfReference('Patient', patient, 'patient') : undefined;
  const { items } = await stores.waitlist.list(clinicId, { patientId, isOpen: true, limit: MAX_SHOWN });
  const url = `${baseUrl}/Appointment`;
  const asked = { ...(typeof patient === 'string' && { patient }), status: WAITLIST };
  return {
    body: searchset({
      links: { self: searchUrl(url, asked) },
      total: items.length,
      entries: items.map((entry) => ({
        fullUrl: `${url}/${entry.id}`,
        resource: toWaitlistAppointment(entry, baseUrl),
      })),
    }),
    subjects: items.map((entry) => entry.patientId),
  };
}

/** `POST /Appointment` with the status `waitlist`: puts a patient on the list. */
export async function addToWaitlist(
  { caller, idOfNew }: Pick<FhirRequest, 'caller' | 'idOfNew'>,
  body: WaitlistAppointment,
  { stores, baseUrl }: FhirDeps,
): Promise<Reply> {
  const { clinicId, agenda } = caller;
  const { requestedPeriod, serviceType, extension = [], participant } = body;
  const { zone } = agenda;
  const [period = { start: '', end: '' }] = requestedPeriod;
  const references = participant.flatMap(({ actor }) => actor?.reference ?? []);
  const practitioner = references.find((each) => each.startsWith('Practitioner/'));
  const patient = references.find((each) => each.startsWith('Patient/'));
  const timeOf = (name: string) => {
    const time = extension.find(({ url }) => url === `${baseUrl}/StructureDefinition/${name}`)?.valueTime?.slice(0, 5);
    return time === undefined ? undefined : parse(TimeText, time);
  };
  const wanted = parse(NewWaitlistEntry, {
    patientId: idOfReference('Patient', patient, 'participant'),
    providerName: practitioner && idOfReference('Practitioner', practitioner, 'participant'),
    visitType: serviceType?.[0]?.text,
    earliestOn: dayOf(period.start, zone),
    latestOn: dayOf(period.end, zone),
    fromTime: timeOf('from-time'),
    untilTime: timeOf('until-time'),
  });
  const added = await stores.waitlist.add(
    {
      clinicId,
      entryId: idOfNew,
      patientId: wanted.patientId,
      provider: wanted.providerName ?? null,
      isFhirId: true,
      visitType: wanted.visitType ?? defaultVisitType,
      earliestOn: wanted.earliestOn,
      latestOn: wanted.latestOn,
      fromTime: wanted.fromTime ?? null,
      untilTime: wanted.untilTime ?? null,
    },
    accountOf(caller),
  );
  switch (added.kind) {
    case 'added': {
      const { entry } = added;
      const location = `${baseUrl}/Appointment/${entry.id}`;
      const headers = { location };
      return { status: 201, headers, body: toWaitlistAppointment(entry, baseUrl), subjects: [entry.patientId] };
    }
    case 'unknown_patient':
      throw new AppError('unknown_patient', `Patient ${wanted.patientId} not found`);
    case 'unknown_provider':
      throw new AppError('unknown_practitioner', `Practitioner ${wanted.providerName ?? ''} not found`);
    case 'too_many':
      throw new AppError('waitlist_full', 'The patient waits for as many times as possible already');
  }
}

/** The entry of an id that was taken off the list by `$cancel`; null where there is no such entry. */
export async function cancelWaiting(
  { stores, baseUrl }: FhirDeps,
  { clinicId, entryId }: { clinicId: string; entryId: string },
): Promise<Reply | null> {
  const entry = await stores.waitlist.remove(clinicId, entryId);
  return entry && { body: toWaitlistAppointment(entry, baseUrl), subjects: [entry.patientId] };
}

/** A date, or an instant as a date on the clinic's clock. */
const dayOf = (text: string, zone: string): string => {
  const isInstant = text.includes('T') && !Number.isNaN(Date.parse(text));
  return isInstant ? localDate(new Date(text).toISOString(), zone) : text;
};

function toWaitlistAppointment(entry: WaitlistRecord, baseUrl: string) {
  const { id, patientId, providerName, visitType, earliestOn, latestOn, fromTime, untilTime, status } = entry;
  const times = { 'from-time': fromTime, 'until-time': untilTime };
  const extension = Object.entries(times).flatMap(([name, time]) =>
    time === null ? [] : [{ url: `${baseUrl}/StructureDefinition/${name}`, valueTime: `${time}:00` }],
  );
  return {
    resourceType: 'Appointment',
    id,
    ...(extension.length > 0 && { extension }),
    status: status === 'removed' || status === 'expired' ? 'cancelled' : WAITLIST,
    serviceType: [{ text: visitType }],
    requestedPeriod: [{ start: earliestOn, end: latestOn }],
    participant: [
      { actor: { reference: `Patient/${patientId}` }, status: 'accepted' },
      ...(providerName === null
        ? []
        : [{ actor: { reference: `Practitioner/${providerName}` }, status: 'needs-action' }]),
    ],
  };
}
