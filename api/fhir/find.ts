import { type Agenda, emrTime } from '@clinic/prisma/stores/calendar/agendas';
import {
  BundleOf,
  FindRequest,
  Parameters,
  ProposableAppointment,
  ProposedAppointment,
} from '@clinic/shared/contracts/calendar/fhir';
import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { parseDateOrInstant, plusLocalDays } from '@clinic/shared/domain/calendar/clinic-time';
import { proposedTimeId, readProposedTimeId } from '@clinic/shared/domain/calendar/proposed-time';
import { AppError, invalid } from '@clinic/shared/errors';
import { parse } from '@clinic/shared/contracts/parse';
import { participantOf } from '@clinic/shared/contracts/calendar/parameters';
import { searchset } from '@clinic/shared/contracts/calendar/bundle';
import { fhir, fhirResponse } from './fhir-route';
import { namedIn, parameterNamed, proposedIn } from '@clinic/shared/contracts/calendar/parameters';
import { idOfReference } from '@clinic/shared/contracts/calendar/search';

/** As far as a Slot search looks. */
const DAYS = 14;
const MAX_PROPOSED = 100;

/** `$find`: times at which a patient could be booked, as Appointments that `$hold` and `$book` take by their ids (IHE, ITI-115). */
export const findRoutes = [
  fhir.post('/Appointment/$find', {
    right: 'appointments.read',
    patientData: 'none',
    summary: 'Find times that a patient can be booked at',
    description: `From \`start\` and before \`end\`, ${DAYS} days and ${MAX_PROPOSED} times at most, of one \`practitioner\` or of any. Whether there is such a patient is said by the call that takes one.`,
    body: Parameters,
    documentedBody: FindRequest,
    responses: {
      200: fhirResponse('Proposed appointments in order of time', BundleOf(ProposableAppointment)),
      404: { description: 'No such practitioner of this clinic' },
    },
    async handle({ caller: { clinicId, agenda }, body }, { stores, baseUrl }) {
      const url = `${baseUrl}/Appointment`;
      const now = emrTime(agenda);
      const { zone } = agenda;
      const from = momentIn(body, 'start', zone);
      const end = momentIn(body, 'end', zone);
      const patientId = idOfReference('Patient', referenceIn(body, 'patient-reference'), 'patient-reference');
      const isOne = body.parameter.some(({ name }) => name === 'practitioner');
      const wanted = isOne ? idOfReference('Practitioner', referenceIn(body, 'practitioner'), 'practitioner') : null;
      const providers = agenda.providers.filter(({ name }) => wanted === null || name === wanted);
      if (wanted !== null && providers.length === 0) {
        throw new AppError('unknown_practitioner', `Practitioner ${wanted} not found`);
      }
      const latest = plusLocalDays(from, DAYS, zone);
      const until = end < latest ? end : latest;
      const found = await Promise.all(
        providers.map(async ({ id: providerId, name: providerName }) => {
          const slots = (await stores.appointments.slotsOf({ clinicId, providerName, from, until, now })) ?? [];
          return slots.flatMap(({ startsAt, endsAt }): ProposableAppointment[] => {
            const id = proposedTimeId({ patientId, providerId, startsAt });
            return id === null
              ? []
              : [{ ...toProposable({ patientId, providerName }), id, start: startsAt, end: endsAt }];
          });
        }),
      );
      const entries = found
        .flat()
        .toSorted((one, other) => (one.start < other.start ? -1 : Number(one.start > other.start)))
        .slice(0, MAX_PROPOSED)
        .map((resource) => ({ fullUrl: `${url}/${resource.id}`, resource }));
      return { body: searchset({ links: { self: `${url}/$find` }, total: entries.length, entries }) };
    },
  }),
];

/** What `$hold` and `$book` are asked for: by an Appointment, or by the id of one that `$find` has proposed. */
export interface AskedTime {
  patientId: string;
  provider: string;
  start: string;
  visitType: string;
}

/** Throws `bad_request` where nothing is asked for, and `not_found` for an id that was never proposed. */
export function askedTime({ providers }: Agenda, body: Parameters): AskedTime {
  const id = namedIn(body);
  if (id === null) {
    const appointment = parse(ProposedAppointment, proposedIn(body));
    return {
      patientId: participantOf(appointment, 'Patient'),
      provider: participantOf(appointment, 'Practitioner'),
      start: appointment.start,
      visitType: appointment.serviceType?.[0]?.text ?? defaultVisitType,
    };
  }
  const proposed = readProposedTimeId(id);
  const provider = providers.find((each) => each.id === proposed?.providerId);
  if (!proposed || !provider) throw new AppError('unknown_appointment', `Appointment ${id} not found`);
  const { patientId, startsAt: start } = proposed;
  return { patientId, provider: provider.name, start, visitType: defaultVisitType };
}

const toProposable = ({ patientId, providerName }: { patientId: string; providerName: string }) => ({
  resourceType: 'Appointment' as const,
  status: 'proposed' as const,
  participant: [`Patient/${patientId}`, `Practitioner/${providerName}`].map((reference) => ({
    actor: { reference },
    status: 'needs-action' as const,
  })),
});

function momentIn(body: Parameters, name: string, zone: string): string {
  const { valueDateTime } = parameterNamed(body, name);
  const moment = typeof valueDateTime === 'string' ? parseDateOrInstant(valueDateTime, zone) : null;
  if (moment !== null) return moment;
  throw invalid(name, 'is not a date or an ISO 8601 timestamp, as valueDateTime');
}

function referenceIn(body: Parameters, name: string): string | undefined {
  const { valueReference } = parameterNamed(body, name);
  const { reference } = (valueReference ?? {}) as { reference?: unknown };
  return typeof reference === 'string' ? reference.slice(0, 500) : undefined;
}
