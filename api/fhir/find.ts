import {
  BundleOf,
  FindRequest,
  Parameters,
  ProposableAppointment,
  ProposedAppointment,
} from '@clinic/shared/contracts/fhir';
import { defaultVisitType } from '@clinic/shared/contracts/appointments';
import { parseDateOrInstant, plusLocalDays } from '@clinic/shared/domain/clinic-time';
import { proposedTimeId, readProposedTimeId } from '@clinic/shared/domain/proposed-time';
import { AppError } from '@clinic/shared/errors';
import { parse } from '../http/parse';
import type { Route } from '../http/route';
import { participantOf } from './appointment';
import { searchset } from './bundle';
import { fhirResponse, type FhirDeps, fhirRoute } from './fhir-route';
import { namedIn, parameterNamed, proposedIn } from './parameters';
import { idOfReference } from './search';

/** As far as a Slot search looks. */
const DAYS = 14;
const MAX_PROPOSED = 100;

/** `$find`: times at which a patient could be booked, as Appointments that `$hold` and `$book` take by their ids (IHE, ITI-115). */
export function findRoutes({ stores, baseUrl }: FhirDeps): Route[] {
  const url = `${baseUrl}/Appointment`;
  return [
    fhirRoute({
      method: 'post',
      path: '/Appointment/$find',
      patientData: 'none',
      summary: 'Find times that a patient can be booked at',
      description: `From \`start\` and before \`end\`, ${DAYS} days and ${MAX_PROPOSED} times at most, of one \`practitioner\` or of any. Whether there is such a patient is said by whoever takes one.`,
      body: Parameters,
      documentedBody: FindRequest,
      responses: {
        200: fhirResponse('Proposed appointments in order of time', BundleOf(ProposableAppointment)),
        404: { description: 'No such practitioner of this clinic' },
      },
      async handle({ caller: { clinicId }, body }) {
        const [agenda, now] = await Promise.all([stores.agendas.of(clinicId), stores.agendas.now(clinicId)]);
        const zone = agenda?.zone ?? 'UTC';
        const from = momentIn(body, 'start', zone);
        const end = momentIn(body, 'end', zone);
        const patientId = idOfReference('Patient', referenceIn(body, 'patient-reference'), 'patient-reference');
        const isOne = body.parameter.some(({ name }) => name === 'practitioner');
        const wanted = isOne ? idOfReference('Practitioner', referenceIn(body, 'practitioner'), 'practitioner') : null;
        const providers = (agenda?.providers ?? []).filter(({ name }) => wanted === null || name === wanted);
        if (wanted !== null && providers.length === 0) {
          throw new AppError('not_found', `Practitioner ${wanted} not found`);
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
}

/** What `$hold` and `$book` are asked for: by an Appointment, or by the id of one that `$find` has proposed. */
export interface AskedTime {
  patientId: string;
  provider: string;
  start: string;
  visitType: string;
}

/** Throws `bad_request` where nothing is asked for, and `not_found` for an id that was never proposed. */
export async function askedTime(stores: FhirDeps['stores'], clinicId: string, body: Parameters): Promise<AskedTime> {
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
  const { providers = [] } = (await stores.agendas.of(clinicId)) ?? {};
  const provider = providers.find((each) => each.id === proposed?.providerId);
  if (!proposed || !provider) throw new AppError('not_found', `Appointment ${id} not found`);
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
  const message = 'is not a date or an ISO 8601 timestamp, as valueDateTime';
  throw new AppError('bad_request', `${name} ${message}`, [{ path: name, message }]);
}

function referenceIn(body: Parameters, name: string): string | undefined {
  const { valueReference } = parameterNamed(body, name);
  const { reference } = (valueReference ?? {}) as { reference?: unknown };
  return typeof reference === 'string' ? reference.slice(0, 500) : undefined;
}
