/**
 * One walk for FHIR clients that others have written: match, search, book, move, cancel, write back, each by the client's own
 * means. What a client has understood of the responses is what it hands back.
 */
export interface Walk {
  /** Ends in /api. */
  baseUrl: string;
  token: string;
  /** `contract`: the sandbox as it begins. `real`: like a real EHR, with every lenient rule off. */
  mode: 'contract' | 'real';
}

/** An appointment as a client read it. */
interface Seen {
  id: string;
  status: string;
  start: string;
}

export interface Walked {
  fhirVersion: string;
  /** The id of the practitioner's Schedule. */
  schedule: string;
  /** Starts of the first two pages of five, as instants in UTC. */
  slots: string[];
  patient: string;
  booked: Seen;
  /** A second booking of the same time: its status, and the reason as the client found it. */
  refused: { status: number; said: string };
  /** Ids that a search by patient finds then. */
  found: string[];
  moved: Seen;
  /** The first appointment after its cancellation; in real mode with the code of the reason. */
  cancelled: { status: string; reason?: string };
  /** How many appointments are still booked at the end. */
  left: number;
  /** Whom the note is about. */
  note: string;
  /** How sure the match was, and how many there are for somebody unknown; real mode alone, as all that follows. */
  grade?: string;
  nobody?: number;
  /** The versions of the first appointment, the newest first. */
  history?: string[];
  /** The status of a change with the ETag of the first version. */
  stale?: number;
}

export const PROVIDER = 'Dr.Chen';
export const VISIT_TYPE = 'Follow-up consultation';

/** One of the fixtures, who has no appointment. */
export const PERSON = {
  identifier: 'MRN-1011',
  family: 'Lindqvist',
  given: 'Hannah',
  birthDate: '1969-10-10',
  phone: '+13035550111',
};

export const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade';
const REASON_SYSTEM = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason';
export const REASON = { coding: [{ system: REASON_SYSTEM, code: 'pat' }] };

export const person = {
  resourceType: 'Patient' as const,
  name: [{ family: PERSON.family, given: [PERSON.given] }],
  birthDate: PERSON.birthDate,
  telecom: [{ system: 'phone' as const, value: PERSON.phone }],
};
export const stranger = {
  resourceType: 'Patient' as const,
  name: [{ family: 'Vanderbilt', given: ['Zoe'] }],
  birthDate: '1901-01-01',
};

export const proposed = (patient: string, start: string) => ({
  resourceType: 'Appointment' as const,
  status: 'proposed' as const,
  start,
  serviceType: [{ text: VISIT_TYPE }],
  participant: [
    { actor: { reference: `Patient/${patient}` }, status: 'needs-action' as const },
    { actor: { reference: `Practitioner/${PROVIDER}` }, status: 'needs-action' as const },
  ],
});

/** A note that asks for the clinical team, by the extension as the mode has it. */
export const noteFor = ({ baseUrl, mode }: Walk, patient: string) => ({
  resourceType: 'DocumentReference' as const,
  status: 'current' as const,
  subject: { reference: `Patient/${patient}` },
  content: [{ attachment: { contentType: 'text/plain', data: Buffer.from('Wants a Tuesday.').toString('base64') } }],
  extension: [
    {
      url: `${mode === 'real' ? `${baseUrl}/StructureDefinition/` : ''}escalateToClinicalTeam`,
      valueBoolean: true,
    },
  ],
});

export const parameters = (...parameter: { name: string; [value: string]: unknown }[]) => ({
  resourceType: 'Parameters' as const,
  parameter,
});

// eslint-disable-next-line typescript/no-explicit-any -- resources as JSON comes
export type Json = any;

export const seen = ({ id, status, start }: Json): Seen => ({ id, status, start });
export const resources = ({ entry = [] }: Json): Json[] => entry.map(({ resource }: Json) => resource);
export const gradeIn = ({ entry: [first] }: Json): string =>
  first.search.extension.find(({ url }: Json) => url === GRADE).valueCode;
/** The reason of a refusal: the code where there is one, else the one word of the contract. */
export const saidIn = ({ issue: [first] }: Json): string => first.details?.coding?.[0]?.code ?? first.diagnostics;
