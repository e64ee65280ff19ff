import { communicationIn } from './languages';

/** Every row that is about a patient, by table and column, as the database writes them in JSON. */
export interface PatientExport {
  clinicId: string;
  patientId: string;
  /** ISO instant, UTC. */
  exportedAt: string;
  records: Record<string, Record<string, unknown>[]>;
}

type Row = Record<string, unknown>;
type Resource = { resourceType: string; id: string } & Row;

/**
 * What FHIR R4 has a resource for, as a Bundle of type collection: the patient, appointments, notes, calls as Communication, and
 * tasks. The rest of an export is of this service alone. `baseUrl`: where the resources are, as `https://clinic.example/api`.
 */
export function patientBundle({ patientId, exportedAt, records }: PatientExport, baseUrl: string) {
  const rowsOf = (table: string): Row[] => records[table] ?? [];
  const evidence = new Map(rowsOf('call_evidence').map((row) => [row.call_id, row]));
  const resources: Resource[] = [
    ...rowsOf('patients').map((row, _place, all) => toPatient(row, all)),
    ...rowsOf('appointments').map(toAppointment),
    ...rowsOf('documents').map(toDocument),
    ...rowsOf('calls').map((call) => toCommunication(call, evidence.get(call.id))),
    ...rowsOf('staff_tasks').map((task) => toTask(task, patientId)),
  ];
  return {
    resourceType: 'Bundle',
    type: 'collection',
    timestamp: exportedAt,
    entry: resources.map((resource) => ({
      fullUrl: `${baseUrl}/${resource.resourceType}/${resource.id}`,
      resource,
    })),
  };
}

/** FHIR has no empty values: what is not on file is left out. */
function filled<Fields extends Row>(fields: Fields): Row {
  const isThere = (value: unknown) =>
    value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isThere(value)));
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const instant = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? new Date(value).toISOString() : null;
const subjectOf = (row: Row) => ({ reference: `Patient/${text(row.patient_id)}` });

/** Of two records that were merged, one refers to the other. */
function toPatient(row: Row, all: Row[]): Resource {
  const linkTo = (id: unknown, type: string) => ({ other: { reference: `Patient/${text(id)}` }, type });
  const replaces = all.filter((other) => other.replaced_by === row.id).map((other) => linkTo(other.id, 'replaces'));
  const name = filled({ family: text(row.last_name).trim(), given: [text(row.first_name).trim()].filter(Boolean) });
  const telecom = [
    ...(text(row.phone) ? [{ system: 'phone', value: text(row.phone) }] : []),
    ...(text(row.email) ? [{ system: 'email', value: text(row.email) }] : []),
  ];
  const identifier = [row.identifier, row.external_id].filter(Boolean).map((value) => ({ value: text(value) }));
  return {
    resourceType: 'Patient',
    id: text(row.id),
    ...filled({
      active: row.replaced_by ? false : null,
      identifier,
      name: Object.keys(name).length > 0 ? [name] : [],
      telecom,
      birthDate: row.birth_date,
      address: text(row.address).trim() ? [{ text: text(row.address).trim() }] : [],
      link: row.replaced_by ? [linkTo(row.replaced_by, 'replaced-by')] : replaces,
      communication: text(row.preferred_language) ? [communicationIn(text(row.preferred_language))] : [],
    }),
  };
}

function toAppointment(row: Row): Resource {
  return {
    resourceType: 'Appointment',
    id: text(row.id),
    status: text(row.status),
    start: instant(row.starts_at),
    end: instant(row.ends_at),
    serviceType: [{ text: text(row.visit_type) }],
    participant: [
      { actor: subjectOf(row), status: 'accepted' },
      { actor: { reference: `Practitioner/${text(row.provider_id)}` }, status: 'accepted' },
    ],
  };
}

function toDocument(row: Row): Resource {
  const content = Array.isArray(row.content) ? (row.content as { contentType?: unknown; data?: unknown }[]) : [];
  return {
    resourceType: 'DocumentReference',
    id: text(row.id),
    status: 'current',
    subject: subjectOf(row),
    date: instant(row.created_at),
    content: content.map(({ contentType, data }) => ({ attachment: filled({ contentType, data }) })),
  };
}

/** How far a call has come, in FHIR's words. */
const communicationStatus: Record<string, string> = {
  QUEUED: 'preparation',
  RINGING: 'in-progress',
  IN_PROGRESS: 'in-progress',
  ENDED: 'completed',
};

function toCommunication(row: Row, evidence: Row | undefined): Resource {
  const said = [text(row.summary), text(evidence?.transcript)].filter((part) => part.trim() !== '');
  const notMade = row.state === 'ENDED' && !row.started_at;
  return {
    resourceType: 'Communication',
    id: text(row.id),
    status: notMade ? 'not-done' : (communicationStatus[text(row.state)] ?? 'unknown'),
    subject: subjectOf(row),
    medium: [{ text: 'telephone' }],
    ...filled({
      sent: instant(row.started_at),
      received: row.started_at ? instant(row.ended_at) : null,
      payload: said.map((contentString) => ({ contentString })),
    }),
  };
}

function toTask(row: Row, patientId: string): Resource {
  return {
    resourceType: 'Task',
    id: text(row.id),
    status: row.state === 'RESOLVED' ? 'completed' : 'requested',
    intent: 'order',
    code: { text: text(row.reason) },
    for: { reference: `Patient/${patientId}` },
    authoredOn: instant(row.created_at),
  };
}
