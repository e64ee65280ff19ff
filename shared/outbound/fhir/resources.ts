import { z } from 'zod';
import type { FhirSettings } from '../../contracts/approved-api';
import type {
  AppointmentNotice,
  DocumentNotice,
  InsuranceQuestion,
  PatientNotice,
} from '../../contracts/clinic-notice';
import { slotEnd } from '../../domain/slots';
import type { EhrAppointment } from '../clinic-api-port';

/** The namespace of our ids at other systems. It never changes: by it a record is found again whose id was never told. */
const systemOf = (what: 'patient' | 'appointment' | 'document') => `urn:clinic-workflows:${what}`;
export const tokenOf = (what: 'patient' | 'appointment' | 'document', value: string) => `${systemOf(what)}|${value}`;
const identifier = (what: 'patient' | 'appointment' | 'document', value: string) => [{ system: systemOf(what), value }];

/** An appointment at another time is another one to a server that is asked whether it has it already. */
export const appointmentKey = ({ appointmentId, startsAt }: Pick<AppointmentNotice, 'appointmentId' | 'startsAt'>) =>
  `${appointmentId}.${Date.parse(startsAt) / 60_000}`;

const IsoDate = z.iso.date();
export const birthDateOf = ({ dateOfBirth }: PatientNotice) => IsoDate.safeParse(dateOfBirth).data ?? null;

export function patientResource(patient: PatientNotice) {
  const { patientId, firstName, lastName, phone, email, address } = patient;
  const telecom = [
    ...(phone ? [{ system: 'phone', value: phone, use: 'mobile' }] : []),
    ...(email ? [{ system: 'email', value: email }] : []),
  ];
  const birthDate = birthDateOf(patient);
  return {
    resourceType: 'Patient',
    identifier: identifier('patient', patientId),
    active: true,
    // FHIR knows no empty texts, and a new caller may not have said their name yet.
    ...((lastName || firstName) && {
      name: [{ use: 'official', ...(lastName && { family: lastName }), ...(firstName && { given: [firstName] }) }],
    }),
    ...(telecom.length > 0 && { telecom }),
    ...(birthDate !== null && { birthDate }),
    ...(address && { address: [{ text: address }] }),
  };
}

const Named = z.object({
  id: z.string(),
  active: z.boolean().optional().catch(undefined),
  name: z
    .array(z.object({ family: z.string().optional(), given: z.array(z.string()).optional() }))
    .optional()
    .catch(undefined),
  birthDate: z.string().optional().catch(undefined),
  telecom: z
    .array(z.object({ system: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
});

/**
 * Whether a record that a search has found is the patient: the same name, and the same date of birth, or the same phone
 * where we know no date of birth. Servers search by the beginning of a name and by its sound.
 */
export function isSamePatient(found: unknown, patient: PatientNotice): boolean {
  const record = Named.safeParse(found).data;
  if (!record || record.active === false) return false;
  const birthDate = birthDateOf(patient);
  if (birthDate !== null) return isNamed(record, patient) && record.birthDate === birthDate;
  return isNamed(record, patient) && hasPhone(record, patient);
}

/**
 * Whether a record that we have the id of may be the patient's: name, date of birth or phone is the same. The id may be one of
 * another system, under which this server knows somebody else.
 */
export function mayBePatient(found: unknown, patient: PatientNotice): boolean {
  const record = Named.safeParse(found).data;
  if (!record) return false;
  const birthDate = birthDateOf(patient);
  return (
    isNamed(record, patient) || hasPhone(record, patient) || (birthDate !== null && record.birthDate === birthDate)
  );
}

type NamedRecord = z.infer<typeof Named>;

const isNamed = ({ name = [] }: NamedRecord, { firstName, lastName }: PatientNotice): boolean =>
  name.some(
    ({ family, given = [] }) =>
      plain(family) === plain(lastName) && [given[0], given.join(' ')].some((each) => plain(each) === plain(firstName)),
  );

const hasPhone = ({ telecom = [] }: NamedRecord, { phone }: PatientNotice): boolean =>
  Boolean(phone) && telecom.some(({ value }) => lastDigits(value) === lastDigits(phone));

const plain = (name: string | undefined) =>
  (name ?? '').normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** Phones are written in many ways; their last nine digits are the same in all. */
const lastDigits = (phone: string | null | undefined) => (phone ?? '').replaceAll(/\D/g, '').slice(-9);

export interface AppointmentPlaces {
  patientReference: string;
  slotReference: string | null;
}

export function appointmentResource(
  notice: AppointmentNotice,
  { patientReference, slotReference }: AppointmentPlaces,
  settings: FhirSettings,
) {
  const { visitType, startsAt, endsAt, patient } = notice;
  const coded = settings.visitTypes.find(({ name }) => name === visitType);
  const actors = [patientReference, providerReference(notice, settings), locationReference(patient, settings)];
  return {
    resourceType: 'Appointment',
    identifier: identifier('appointment', appointmentKey(notice)),
    status: 'booked',
    serviceType: [{ ...(coded && { coding: [codingOf(coded)] }), text: visitType }],
    start: startsAt,
    end: endsAt,
    ...(slotReference !== null && { slot: [{ reference: slotReference }] }),
    participant: actors
      .filter((reference) => reference !== null)
      .map((reference) => ({ actor: { reference }, status: 'accepted' })),
  };
}

export const providerReference = ({ providerName }: AppointmentNotice, { providers }: FhirSettings): string | null =>
  providers.find(({ name }) => name === providerName)?.reference ?? null;

/** The location that the patient prefers; the only one where there is but one. */
function locationReference({ preferredLocation }: PatientNotice, { locations }: FhirSettings): string | null {
  const preferred = locations.find(({ name }) => plain(name) === plain(preferredLocation ?? ''));
  return (preferred ?? (locations.length === 1 ? locations[0] : undefined))?.reference ?? null;
}

const codingOf = ({ system, code }: { system?: string; code: string }) => ({ ...(system && { system }), code });

/** Whether an appointment will not take place; a record that was made in error never was one. */
export const isCalledOff = ({ status }: Record<string, unknown>): boolean =>
  status === 'cancelled' || status === 'entered-in-error';

export const cancelled = (reason: 'patient' | 'moved') => ({
  status: 'cancelled',
  cancelationReason: {
    coding: [
      {
        system: 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason',
        code: 'pat',
        display: 'Patient',
      },
    ],
    text: reason === 'patient' ? 'Cancelled by the patient' : 'Moved to another time',
  },
});

export function documentResource({ documentId, text, createdAt, ...notice }: DocumentNotice, patientReference: string) {
  const wishes = [
    ...(notice.escalateToClinicalTeam ? ['the care team should look at it'] : []),
    ...(notice.requestExternalRecords ? ['external records are to be requested'] : []),
  ];
  return {
    resourceType: 'DocumentReference',
    identifier: identifier('document', documentId),
    status: 'current',
    docStatus: 'final',
    type: {
      coding: [{ system: 'http://loinc.org', code: '34748-4', display: 'Telephone encounter Note' }],
      text: 'Note of a phone call',
    },
    category: [
      {
        coding: [
          {
            system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
            code: 'clinical-note',
            display: 'Clinical Note',
          },
        ],
      },
    ],
    subject: { reference: patientReference },
    date: createdAt,
    ...(wishes.length > 0 && { description: `Note of a phone call: ${wishes.join('; ')}` }),
    content: [
      {
        attachment: {
          contentType: 'text/plain',
          language: 'en',
          data: Buffer.from(text, 'utf8').toString('base64'),
          title: 'Note of a phone call',
          creation: createdAt,
        },
      },
    ],
  };
}

/** The policy stands in the request itself: nobody has entered it anywhere yet. */
export function eligibilityRequest(
  { payerName, memberId, groupId, subscriberName }: InsuranceQuestion,
  {
    patient,
    externalPatientId,
    created,
  }: { patient: PatientNotice | null; externalPatientId: string | null; created: string },
) {
  const isKnown = externalPatientId !== null;
  const reference = isKnown ? `Patient/${externalPatientId}` : '#patient';
  const person = patient ? patientResource(patient) : { resourceType: 'Patient' };
  const group = {
    type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/coverage-class', code: 'group' }] },
  };
  return {
    resourceType: 'CoverageEligibilityRequest',
    contained: [
      ...(isKnown ? [] : [{ ...person, id: 'patient' }]),
      {
        resourceType: 'Coverage',
        id: 'coverage',
        status: 'active',
        subscriberId: memberId,
        ...(subscriberName && { policyHolder: { display: subscriberName } }),
        beneficiary: { reference },
        payor: [{ display: payerName }],
        ...(groupId && { class: [{ ...group, value: groupId }] }),
      },
    ],
    status: 'active',
    purpose: ['validation', 'benefits'],
    patient: { reference },
    created,
    insurer: { display: payerName },
    insurance: [{ focal: true, coverage: { reference: '#coverage' } }],
  };
}

const Benefit = z.object({
  type: z.object({ coding: z.array(z.object({ code: z.string().optional() })).optional() }).optional(),
  allowedMoney: z.object({ value: z.number() }).optional(),
});
const EligibilityResponse = z.object({
  resourceType: z.literal('CoverageEligibilityResponse'),
  outcome: z.string(),
  insurance: z
    .array(
      z.object({
        inforce: z.boolean().optional(),
        item: z.array(z.object({ benefit: z.array(Benefit).optional() })).optional(),
      }),
    )
    .optional(),
});

/** The verdict in the words of `insurance.verify`; null where the answer holds none. */
export function verdictIn(resource: unknown): { status: string; copayCents?: number; errorMessage?: string } | null {
  const response = EligibilityResponse.safeParse(resource).data;
  if (response?.outcome !== 'complete') return null;
  const inforce = response.insurance?.[0]?.inforce;
  if (inforce === undefined) return null;
  if (!inforce) return { status: 'NOT_IN_FORCE', errorMessage: 'The insurer says that this coverage is not in force.' };
  const benefits = (response.insurance ?? []).flatMap(({ item = [] }) => item.flatMap(({ benefit = [] }) => benefit));
  const copay = benefits.find(({ type }) => type?.coding?.some(({ code }) => code?.startsWith('copay')))?.allowedMoney;
  return { status: 'VERIFIED', ...(copay && { copayCents: Math.round(copay.value * 100) }) };
}

const Entries = z.object({
  resourceType: z.literal('Bundle'),
  entry: z.array(z.object({ resource: z.unknown() })).optional(),
});

const Instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString());
const Schedule = z.object({ id: z.string(), actor: z.array(z.object({ reference: z.string().optional() })) });
const Slot = z.object({
  id: z.string(),
  status: z.string(),
  start: Instant,
  end: Instant.optional().catch(undefined),
  schedule: z.object({ reference: z.string() }),
});

/** Schedules as `Schedule/12`, with whose they are of those who were asked for. */
export function schedulesIn(resources: unknown[], actors: string[]): Map<string, string> {
  const found = resources.flatMap((resource) => {
    const schedule = Schedule.safeParse(resource).data;
    // A server may write references with its own address in front.
    const actor = actors.find((each) => schedule?.actor.some(({ reference }) => isReferenceTo(reference, each)));
    return schedule && actor ? [[`Schedule/${schedule.id}`, actor] as const] : [];
  });
  return new Map(found);
}

const isReferenceTo = (reference: string | undefined, wanted: string): boolean =>
  reference === wanted || (reference?.endsWith(`/${wanted}`) ?? false);

/** The free times of a search; one without an end is as long as ours. */
export const freeSlotsIn = (
  resources: unknown[],
): { reference: string; schedule: string; startsAt: string; endsAt: string }[] =>
  resources.flatMap((resource) => {
    const slot = Slot.safeParse(resource).data;
    if (slot?.status !== 'free') return [];
    const schedule = slot.schedule.reference.split('/').slice(-2).join('/');
    return [{ reference: `Slot/${slot.id}`, schedule, startsAt: slot.start, endsAt: slot.end ?? slotEnd(slot.start) }];
  });

const Appointment = z.object({
  id: z.string(),
  status: z.string(),
  start: Instant,
  serviceType: z
    .array(
      z.object({ text: z.string().optional(), coding: z.array(z.object({ code: z.string().optional() })).optional() }),
    )
    .optional()
    .catch(undefined),
  participant: z
    .array(
      z.object({ actor: z.object({ reference: z.string().optional(), display: z.string().optional() }).optional() }),
    )
    .optional()
    .catch(undefined),
});

/** The appointments of a search that are going to take place, in order of time, in our words as far as they are mapped. */
export function comingIn(resources: unknown[], now: string, { providers, visitTypes }: FhirSettings): EhrAppointment[] {
  const found = resources.flatMap((resource) => Appointment.safeParse(resource).data ?? []);
  return found
    .filter(({ status, start }) => ['booked', 'pending', 'proposed'].includes(status) && start > now)
    .toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start))
    .map(({ id, start, serviceType = [], participant = [] }) => {
      const actors = participant.flatMap(({ actor }) => actor ?? []);
      const mapped = providers.find(({ reference }) =>
        actors.some((actor) => isReferenceTo(actor.reference, reference)),
      );
      const other = actors.find(({ reference }) => reference?.includes('Practitioner'));
      const codes = serviceType.flatMap(({ coding = [] }) => coding.map(({ code }) => code));
      const visitType = visitTypes.find(({ code }) => codes.includes(code))?.name ?? serviceType[0]?.text ?? 'Visit';
      return {
        id,
        providerName: mapped?.name ?? other?.display ?? null,
        actor: mapped?.reference ?? other?.reference ?? null,
        visitType,
        startsAt: start,
      };
    });
}

/** Whether a search has more than this page. */
export const hasNextPage = (body: unknown): boolean =>
  Paged.safeParse(body).data?.link.some(({ relation }) => relation === 'next') ?? false;

const Paged = z.object({ link: z.array(z.object({ relation: z.string() })) });

/** The resources of one type that a search or an operation returned, in a Bundle, in Parameters or alone. */
export function resourcesOf(type: string, body: unknown): Record<string, unknown>[] {
  const isType = (resource: unknown): resource is Record<string, unknown> =>
    typeof resource === 'object' && resource !== null && (resource as { resourceType?: unknown }).resourceType === type;
  if (isType(body)) return [body];
  const parameters = Parameters.safeParse(body).data?.parameter.map(({ resource }) => resource) ?? [];
  const entries = Entries.safeParse(body).data?.entry?.map(({ resource }) => resource) ?? [];
  return [...parameters, ...entries].flatMap((resource) =>
    isType(resource) ? [resource] : resourcesIn(type, resource),
  );
}

const Parameters = z.object({
  resourceType: z.literal('Parameters'),
  parameter: z.array(z.object({ resource: z.unknown() })),
});

const resourcesIn = (type: string, nested: unknown) =>
  Entries.safeParse(nested).success ? resourcesOf(type, nested) : [];

export const idOf = (resource: unknown): string | null =>
  z.object({ id: z.string() }).safeParse(resource).data?.id ?? null;
