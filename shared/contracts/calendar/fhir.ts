import { z } from 'zod';
import { languageTags } from '../../domain/patients/languages';
import { isBase64 } from '../../domain/base64';
import { holdMinutes } from '../../domain/calendar/holds';
import { AppointmentStatus, StartInstant } from './appointments';
import { Instant, Line } from '../primitives';

/** FHIR R4 resources as the contract shows them: what is sent, and what is accepted. */

export const FHIR_JSON = 'application/fhir+json';

/** The id of a resource (R4, 2.24.0.1: `id`). */
export const FhirId = z.string().regex(/^[A-Za-z0-9\-.]{1,64}$/);
const ReferenceTo = (...types: string[]) =>
  z.object({
    reference: z
      .string()
      .regex(new RegExp(`^(${types.join('|')})/[A-Za-z0-9\\-.]{1,64}$`))
      .meta({ examples: [types[0] === 'Patient' ? 'Patient/patient-1' : `${types[0]}/Dr.Chen`] }),
  });

/** The patient and the practitioner of an appointment. */
const participantsWith = <Status extends string>(status: Status) =>
  z
    .array(z.object({ actor: ReferenceTo('Patient', 'Practitioner'), status: z.literal(status) }))
    .length(2)
    .meta({
      examples: [['Patient/patient-1', 'Practitioner/Dr.Chen'].map((reference) => ({ actor: { reference }, status }))],
    });

export const Schedule = z
  .object({
    resourceType: z.literal('Schedule'),
    id: FhirId,
    actor: z.array(ReferenceTo('Practitioner')).length(1),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;

export const Slot = z
  .object({
    resourceType: z.literal('Slot'),
    id: FhirId,
    schedule: ReferenceTo('Schedule'),
    status: z.literal('free'),
    start: Instant,
    end: Instant,
  })
  .meta({ id: 'Slot' });
export type Slot = z.infer<typeof Slot>;

export const Appointment = z
  .object({
    resourceType: z.literal('Appointment'),
    id: FhirId,
    status: AppointmentStatus,
    start: Instant,
    end: Instant,
    serviceType: z.array(z.object({ text: z.string().meta({ examples: ['Follow-up consultation'] }) })).length(1),
    participant: participantsWith('accepted'),
  })
  .meta({ id: 'Appointment' });
export type Appointment = z.infer<typeof Appointment>;

/** An appointment as a sandbox shows it that is set to be like a real EHR. */
export const VersionedAppointment = Appointment.extend({
  meta: z.looseObject({ versionId: z.string().meta({ examples: ['2'] }), lastUpdated: Instant }),
  identifier: z.array(z.looseObject({ system: z.string().optional(), value: z.string() })).optional(),
  cancelationReason: z
    .looseObject({ coding: z.array(z.looseObject({ system: z.string(), code: z.string() })) })
    .optional(),
}).meta({ id: 'VersionedAppointment' });

/** What somebody waits for: an appointment without a time. */
export const WaitlistedAppointment = z
  .looseObject({
    resourceType: z.literal('Appointment'),
    id: FhirId,
    status: z.enum(['waitlist', 'cancelled']),
    requestedPeriod: z.array(z.object({ start: z.iso.date(), end: z.iso.date() })).length(1),
  })
  .meta({ id: 'WaitlistedAppointment' });

/** A resource as FHIR R4 defines it, of which the document says no more than its type. */
export const AnyResource = z
  .looseObject({ resourceType: z.string().meta({ examples: ['Subscription'] }), id: FhirId.optional() })
  .meta({ id: 'Resource', description: 'As FHIR R4 defines the type' });

/** A Bundle of any resources: a searchset, a history, or a notification. */
export const AnyBundle = z
  .looseObject({
    resourceType: z.literal('Bundle'),
    type: z.enum(['searchset', 'history']),
    total: z.int().optional(),
    entry: z.array(z.looseObject({ fullUrl: z.string().optional(), resource: AnyResource.optional() })),
  })
  .meta({ id: 'Bundle' });

/** What `$find` returns: a time at which somebody could be booked. */
export const ProposableAppointment = Appointment.omit({ serviceType: true })
  .extend({
    status: z.literal('proposed'),
    participant: participantsWith('needs-action'),
  })
  .meta({ id: 'ProposableAppointment' });
export type ProposableAppointment = z.infer<typeof ProposableAppointment>;

/** A time that is held: no appointment yet, and over at the instant of its extension. */
export const HeldAppointment = Appointment.extend({
  status: z.literal('pending'),
  participant: participantsWith('tentative'),
  extension: z.array(z.object({ url: z.string(), valueInstant: Instant })).length(1),
}).meta({ id: 'HeldAppointment' });
export type HeldAppointment = z.infer<typeof HeldAppointment>;

const Communication = z.object({
  language: z.object({ coding: z.array(z.object({ system: z.literal(languageTags), code: z.string() })).min(1) }),
  preferred: z.literal(true),
});

export const Patient = z
  .object({
    resourceType: z.literal('Patient'),
    id: FhirId,
    name: z.array(z.object({ family: z.string().optional(), given: z.array(z.string()).optional() })).optional(),
    birthDate: z.iso.date().optional(),
    telecom: z.array(z.object({ system: z.enum(['phone', 'email']), value: z.string() })).optional(),
    link: z
      .array(z.object({ other: ReferenceTo('Patient'), type: z.literal('replaces') }))
      .optional()
      .describe('Records of the same person that were merged into this one'),
    communication: z.array(Communication).optional(),
  })
  .meta({ id: 'Patient' });
export type Patient = z.infer<typeof Patient>;

export const noteExtensions = ['escalateToClinicalTeam', 'requestExternalRecords'] as const;

export const DocumentReference = z
  .object({
    resourceType: z.literal('DocumentReference'),
    id: FhirId,
    status: z.literal('current'),
    subject: ReferenceTo('Patient'),
    content: z.array(z.object({ attachment: z.object({ contentType: z.string(), data: z.string() }) })).min(1),
    extension: z.array(z.object({ url: z.enum(noteExtensions), valueBoolean: z.boolean() })).optional(),
  })
  .meta({ id: 'DocumentReference' });
export type DocumentReference = z.infer<typeof DocumentReference>;

/** A searchset. Every entry has an absolute `fullUrl`; `total` counts what matches, not what stands on the page. */
export const BundleOf = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({
    resourceType: z.literal('Bundle'),
    type: z.literal('searchset'),
    total: z.int(),
    link: z.array(z.object({ relation: z.enum(['self', 'next']), url: z.string() })).min(1),
    entry: z.array(z.object({ fullUrl: z.string(), resource })),
  });

const Coding = z.object({ system: z.string(), code: z.string() });
const Identified = z.object({ identifier: z.object({ value: z.string() }) });

/** An entry of the audit. */
export const AuditEvent = z
  .object({
    resourceType: z.literal('AuditEvent'),
    id: FhirId,
    type: Coding,
    subtype: z.array(Coding).describe('The action, as patient.read'),
    action: z.enum(['C', 'R', 'U', 'D', 'E']),
    recorded: Instant,
    outcome: z.enum(['0', '4']),
    agent: z
      .array(
        z.object({
          altId: z.string().describe('As account:…, api-key:…, call:…, workflow:…, system'),
          name: z.string().optional(),
          requestor: z.literal(true),
          network: z.object({ address: z.string(), type: z.literal('2') }).optional(),
        }),
      )
      .length(1),
    source: z.object({ observer: z.object({ display: z.string() }) }),
    entity: z
      .array(
        z.object({
          what: z.union([ReferenceTo('Patient'), Identified]),
          type: Coding,
          role: Coding.optional(),
          name: z.string().optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof AuditEvent>;

export const OperationOutcome = z
  .object({
    resourceType: z.literal('OperationOutcome'),
    issue: z.array(z.object({ severity: z.string(), code: z.string(), diagnostics: z.string() })).min(1),
  })
  .meta({ id: 'OperationOutcome' });
export type OperationOutcome = z.infer<typeof OperationOutcome>;

export const CapabilityStatement = z
  .looseObject({
    resourceType: z.literal('CapabilityStatement'),
    fhirVersion: z.literal('4.0.1'),
    format: z.array(z.string()),
    rest: z.array(z.looseObject({ mode: z.literal('server') })),
  })
  .meta({ id: 'CapabilityStatement' });

/** The wrapper of an operation's input. Parameters of other names are ignored. */
export const Parameters = z
  .looseObject({
    resourceType: z.literal('Parameters', { error: 'must be Parameters' }),
    parameter: z
      .array(z.looseObject({ name: z.string(), valueString: z.unknown().optional(), resource: z.unknown().optional() }))
      .max(100),
  })
  .meta({ id: 'Parameters' });
export type Parameters = z.infer<typeof Parameters>;

/** What the parameter with the proposed Appointment is called: by the contract, by Argonaut's guide, by IHE's. */
export const proposalNames = ['appointment', 'appt-resource', 'appointment-resource'] as const;

/** `resource` of the parameter `appointment` of `$book`. */
export const ProposedAppointment = z.looseObject({
  resourceType: z.literal('Appointment', { error: 'must be Appointment' }),
  status: z.literal('proposed', { error: 'must be proposed' }).optional(),
  start: StartInstant,
  serviceType: z
    .array(z.looseObject({ text: Line.optional() }))
    .max(10)
    .optional(),
  participant: z
    .array(z.looseObject({ actor: z.looseObject({ reference: z.string().max(500).optional() }).optional() }))
    .max(100),
});

/** `valueString` of the parameter `identifier` of `$match`. */
export const MatchIdentifier = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(128, 'must not be longer than 128 characters');

export const BookRequest = z
  .object({
    resourceType: z.literal('Parameters'),
    parameter: z.array(z.object({ name: z.literal('appointment'), resource: ProposedAppointment })).length(1),
  })
  .meta({ id: 'BookRequest' });

export const FindRequest = z
  .object({
    resourceType: z.literal('Parameters'),
    parameter: z
      .array(
        z.union([
          z.object({ name: z.enum(['start', 'end']), valueDateTime: z.string() }),
          z.object({
            name: z.enum(['patient-reference', 'practitioner']),
            valueReference: ReferenceTo('Patient', 'Practitioner'),
          }),
        ]),
      )
      .min(3)
      .max(4),
  })
  .meta({ id: 'FindRequest' });

/** `valueInteger` of the parameter `minutes` of `$hold`. */
export const HoldMinutes = z.int().min(holdMinutes.min).max(holdMinutes.max);

export const HoldRequest = z
  .object({
    resourceType: z.literal('Parameters'),
    parameter: z
      .array(
        z.union([
          z.object({ name: z.literal('appointment'), resource: ProposedAppointment }),
          z.object({ name: z.literal('minutes'), valueInteger: HoldMinutes }),
        ]),
      )
      .min(1)
      .max(2),
  })
  .meta({ id: 'HoldRequest' });

export const MatchRequest = z
  .object({
    resourceType: z.literal('Parameters'),
    parameter: z.array(z.object({ name: z.literal('identifier'), valueString: MatchIdentifier })).length(1),
  })
  .meta({ id: 'MatchRequest' });

export const RescheduleRequest = z.looseObject({ start: StartInstant }).meta({ id: 'RescheduleRequest' });

/** The contract's object, or what a FHIR client can send in its place: Parameters with a parameter `start`, an instant or a dateTime. */
export const RescheduleBody = z.preprocess(startOfParameters, RescheduleRequest);

function startOfParameters(body: unknown): unknown {
  const { resourceType, parameter } = (body ?? {}) as { resourceType?: unknown; parameter?: unknown };
  if (resourceType !== 'Parameters' || !Array.isArray(parameter)) return body;
  const named = parameter.filter((each: unknown) => (each as { name?: unknown } | null)?.name === 'start');
  const [only] = named as { valueInstant?: unknown; valueDateTime?: unknown; valueString?: unknown }[];
  return named.length === 1 ? { start: only?.valueInstant ?? only?.valueDateTime ?? only?.valueString } : body;
}

/** What is written back after a conversation. Extensions of other urls are ignored. */
export const NewDocumentReference = z
  .looseObject({
    resourceType: z.literal('DocumentReference', { error: 'must be DocumentReference' }),
    status: z.literal('current', { error: 'must be current' }).optional(),
    subject: z.looseObject({
      reference: z
        .string()
        .max(500)
        .regex(/^Patient\/./, 'must begin with Patient/'),
    }),
    content: z
      .array(
        z.looseObject({
          attachment: z.looseObject({
            contentType: z
              .string()
              .max(100)
              .regex(/^text\/plain(?:\s*;.*)?$/i, 'must be text/plain')
              .default('text/plain'),
            data: z
              .string()
              .min(1, 'must not be empty')
              .refine(isWrappedBase64, 'must be base64')
              .meta({ format: 'byte' }),
          }),
        }),
      )
      .min(1, 'must hold an attachment')
      .max(20),
    extension: z
      .array(z.looseObject({ url: z.string().max(500), valueBoolean: z.unknown().optional() }))
      .max(50)
      .optional(),
  })
  .meta({ id: 'NewDocumentReference' });
export type NewDocumentReference = z.output<typeof NewDocumentReference>;

/** Line breaks are allowed, as in mail. */
function isWrappedBase64(text: string): boolean {
  return isBase64(text.replaceAll(/[\r\n]+/g, ''));
}
