import type { Documented, Route } from '../http/route';
import type { Components, JsonSchema } from './json-schema';

/** What fields of these names hold in an example; a schema's own example goes before. */
const byName: Record<string, unknown> = {
  firstName: 'Ann',
  lastName: 'Lee',
  name: 'Front desk',
  phone: '+13035550101',
  email: 'ann.lee@example.com',
  dateOfBirth: '1980-03-05',
  note: 'Prefers mornings.',
  reason: 'An imported list was wrong',
  password: 'quiet orange lighthouse',
  newPassword: 'seven calm bicycles',
  code: '123456',
  token: 'the-token-of-the-link',
  url: 'https://clinic.example/hooks/clinic-workflows',
  baseUrl: 'https://api.clinic.example/v1',
  path: '/forms/{formId}/sessions/{sessionId}',
  number: '+13035550100',
  startsAt: '2026-12-01T16:00:00.000Z',
  providerName: 'Dr.Chen',
  visitType: 'Follow-up consultation',
  webhookId: 'event-1',
  tenant_id: 'my-platform',
  session_id: 'session-4711',
  form_id: 'intake',
  form_name: 'New patient intake',
  event_id: 'event-1',
  phi_first_name: 'Ann',
  phi_last_name: 'Lee',
  phi_phone: '+13035550101',
  phi_date_of_birth: '1980-03-05',
  appointment_id: 'visit-1',
  provider_name: 'Dr.Chen',
  visit_type: 'Follow-up consultation',
  payment_id: 'payment-1',
  amount_cents: 12_000,
  currency: 'USD',
  failure_reason: 'card_declined',
  prescription_id: 'prescription-1',
  medication_name: 'Amoxicillin',
  status: 'ready',
  rawId: 'AQIDBA',
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  authenticatorData: 'AQIDBA',
  attestationObject: 'AQIDBA',
  signature: 'AQIDBA',
  last_page_reached: 3,
  total_pages: 7,
  completion_percentage: 42.5,
  draft_age_hours: 2.5,
  appointmentReference: 'Appointment/appointment-1',
  barrier: 'price',
  clinicName: 'Lakeside Clinic',
  completionPercentage: 42.5,
  contentType: 'text/plain',
  displayName: 'Dr. Maya Chen',
  formName: 'New patient intake',
  message: 'Nothing is missing.',
  patientFirstName: 'Ann',
  patientLastName: 'Lee',
  patientName: 'Ann Lee',
  patientReference: 'Patient/patient-1',
  productName: 'Annual physical',
  providerDisplayName: 'Dr. Maya Chen',
  subject: 'case:recovery-case-1',
  summary: 'The patient found the price too high.',
  timezone: 'America/Denver',
  access_token: 'the-token-of-the-client',
  backupCode: '7f3k-92mq',
  basis: 'form',
  challenge: 'AQIDBA',
  data: 'UHJlZmVycyBtb3JuaW5ncy4=',
  date: '2026-12-24',
  earliestOn: '2026-12-01',
  latestOn: '2026-12-31',
  format: 'json',
  grant_types_supported: 'client_credentials',
  key: 'shown-once',
  kid: 'key-1',
  openapi: '3.1.1',
  prefix: 'shown-o',
  records: 'appointments',
  request: 'POST /Appointment/$book',
  scope: 'system/Appointment.cruds',
  secret: 'shown-once',
  text: 'Prefers mornings.',
  startsAtSpoken: 'Tuesday, December 1 at 9:00 AM',
  end: '2026-12-01T16:30:00.000Z',
  endsAt: '2026-12-01T16:30:00.000Z',
  action: 'patient.read',
  actor: 'account:account-1',
  createdAt: '2026-12-01T16:00:00.000Z',
  description: 'Find open times.',
  display: 'clinic-workflows',
  family: 'emr-tools',
  goodClient: 'It waits and asks again.',
  happens: 'The answer comes late.',
  howToCause: 'Search slots and read all pages.',
  off: 'An unknown identifier finds nobody.',
  client: 'It handles an empty Bundle.',
  patient: 'Agrees to finish.',
  probe: 'genuine',
  source: 'event:session-4711',
  system: 'urn:example:system',
  title: 'Reads every page',
  token_endpoint: 'https://clinic.example/api/sandbox/token',
  tool: 'verify_patient',
  voiceProvider: 'simulator',
};

/** A body that the schema of a route takes: every required field, and those that are optional and plain. */
export function exampleOf({ method, path, body, documentedBody }: Route, components: Components): unknown {
  const own = written[`${method.toUpperCase()} ${path}`];
  const shown = documentedBody ?? body;
  if (own !== undefined || !shown) return own;
  return made(components.schemaOf(shown, 'input'), components, '');
}

/** What such a reply holds. */
export function exampleOfReply({ schema, example }: Omit<Documented, 'description'>, components: Components): unknown {
  if (example !== undefined || !schema) return example;
  return made(components.schemaOf(schema, 'output'), components, '');
}

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1);

const resolved = (schema: JsonSchema, { schemas }: Components): JsonSchema =>
  typeof schema.$ref === 'string' ? (schemas[nameOf(schema.$ref)] ?? {}) : schema;

function made(schema: JsonSchema, components: Components, name: string): unknown {
  if (typeof schema.$ref === 'string') return made(resolved(schema, components), components, nameOf(schema.$ref));
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) as JsonSchema[] | undefined;
  if (choices) return made(choices.find(({ type }) => type !== 'null') ?? {}, components, name);
  if (schema.type === 'object') return madeObject(schema, components, name);
  if (schema.type === 'array') {
    const items = made((schema.items ?? {}) as JsonSchema, components, name.replace(/s$/, ''));
    return items === undefined ? [] : [items];
  }
  const types = [schema.type].flat();
  const known = Object.hasOwn(byName, name) ? byName[name] : wordFor(name);
  if (known !== undefined && isOf(types, schema, known)) return known;
  return types.includes('null') ? null : plain(schema);
}

const isOf = (types: unknown[], { format, pattern }: JsonSchema, value: unknown): boolean =>
  (types.includes(typeof value) && (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(String(value)))) ||
  (format === undefined && typeof value === 'number' && (types.includes('integer') || types.includes('number')));

/** What a text is whose name says its kind. */
function wordFor(name: string): string | undefined {
  if (/(Id|_id)$/.test(name))
    return `${name.replace(/_?[iI]d$/, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-1`;
  if (/[a-z]ByName$/.test(name)) return 'Ines Okafor';
  if (/[a-z]By$/.test(name)) return 'account:account-1';
  return /[a-z]Url$|^link$/.test(name) ? 'https://clinic.example/' : undefined;
}

function madeObject(schema: JsonSchema, components: Components, owner: string): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  const { enum: keys } = resolved((schema.propertyNames ?? {}) as JsonSchema, components) as { enum?: string[] };
  if (keys && typeof schema.additionalProperties === 'object') {
    const value = schema.additionalProperties as JsonSchema;
    return Object.fromEntries(keys.map((key) => [key, made(value, components, `${owner.replace(/s$/, '')}Id`)]));
  }
  const entries = Object.entries(properties).flatMap(([name, property]) => {
    if ('default' in property) return [[name, property.default]];
    return required.includes(name) || Object.hasOwn(byName, name)
      ? [[name, made(property, components, name === 'id' ? idOf(owner) : name) ?? null]]
      : [];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** `id` of a Task is a task's id. */
const idOf = (owner: string) => (owner === '' ? 'recordId' : `${owner.charAt(0).toLowerCase()}${owner.slice(1)}Id`);

function plain({ type, format, minimum = 0, default: preset }: JsonSchema): unknown {
  if (preset !== undefined) return preset;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(Number(minimum), 1);
  if (type !== 'string') return undefined;
  if (format === 'date-time') return '2026-12-01T16:00:00.000Z';
  if (format === 'date') return '2026-12-01';
  if (format === 'uri') return 'https://clinic.example/';
  if (format === 'email') return 'ann.lee@example.com';
  return 'text';
}

const weekdays = (opens: string, closes: string) =>
  Object.fromEntries(['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => [day, [{ opens, closes }]]));

const warehouse = {
  name: 'Data warehouse',
  url: 'https://warehouse.example/clinic-events',
  enabled: true,
  events: ['recovery_case.outcome', 'workflow.completed'],
};

const policy = {
  firstCallDelaySeconds: 1_800,
  maxAttempts: 3,
  secondsBetweenAttempts: 14_400,
  callingHours: weekdays('09:00', '18:00'),
  maxConcurrentCalls: 5,
  callsPerPatientPerDay: 1,
  callsPerPatientPerWeek: 3,
};

/** Where the schema does not say enough, by method and path. */
const written: Record<string, unknown> = {
  'POST /automation/webhook/:clinicId/forms-completed': {
    event: 'forms.completed',
    tenant_id: 'my-platform',
    data: { session_id: 'session-4711' },
  },
  'POST /voice/events': { message: { type: 'status-update', status: 'in-progress', call: { id: 'platform-call-1' } } },
  'POST /Appointment/$book': {
    resourceType: 'Parameters',
    parameter: [
      {
        name: 'appointment',
        resource: {
          resourceType: 'Appointment',
          start: '2026-11-20T16:30:00Z',
          participant: [
            { actor: { reference: 'Patient/patient-1' } },
            { actor: { reference: 'Practitioner/Dr.Chen' } },
          ],
        },
      },
    ],
  },
  'POST /Appointment/$find': {
    resourceType: 'Parameters',
    parameter: [
      { name: 'start', valueDateTime: '2026-11-20T08:00:00Z' },
      { name: 'end', valueDateTime: '2026-11-27T18:00:00Z' },
      { name: 'patient-reference', valueReference: { reference: 'Patient/patient-1' } },
      { name: 'practitioner', valueReference: { reference: 'Practitioner/Dr.Chen' } },
    ],
  },
  'POST /Patient/$match': {
    resourceType: 'Parameters',
    parameter: [{ name: 'identifier', valueString: 'MRN-1001' }],
  },
  'POST /DocumentReference': {
    resourceType: 'DocumentReference',
    subject: { reference: 'Patient/patient-1' },
    content: [{ attachment: { contentType: 'text/plain', data: 'UHJlZmVycyBtb3JuaW5ncy4=' } }],
  },
  'POST /integrations/opt-outs/import': 'phone,scope\n+13035550101,all\n',
  'POST /auth/links/use': { token: 'the-token-of-the-link', name: 'Ines Okafor', password: 'quiet orange lighthouse' },
  'POST /accounts/invitations': { email: 'ines.okafor@clinic.example', role: 'staff' },
  'POST /sandbox/clock/advance': { days: 1, hours: 2 },
  'POST /patients/:patientId/erasure': { reason: 'patient_request', confirm: 'Lee' },
  'POST /deliveries/resend': { from: '2026-11-20', dryRun: false },
  'POST /deliveries/replay': { from: '2026-11-24T09:00:00Z', event: 'recovery_case.outcome', dryRun: false },
  'POST /runs/cancel': { workflowType: 'abandonment-recovery', until: '2026-11-20T10:00:00.000Z', dryRun: false },
  'POST /views': { list: 'tasks', name: 'Mine, urgent', filters: { who: 'me', priority: 'HIGH' }, isShared: true },
  'PATCH /views/:viewId': { name: 'Urgent', isShared: false },
  'PATCH /tasks/:taskId': { state: 'RESOLVED', version: 3 },
  'POST /tasks/changes': { tasks: [{ id: 'task-1', version: 3 }], change: { priority: 'HIGH' } },
  'POST /calling-policy/preview': policy,
  'PUT /integrations/recovery-policy': policy,
  'PUT /integrations/outbound': {
    url: 'https://clinic.example/hooks/clinic-workflows',
    enabled: true,
    events: ['recovery_case.created', 'recovery_case.outcome'],
  },
  'POST /integrations/outbound/test': { event: 'recovery_case.outcome' },
  'POST /integrations/outbound/endpoints': warehouse,
  'PUT /integrations/outbound/endpoints/:endpointId': { ...warehouse, enabled: false },
  'POST /integrations/outbound/endpoints/:endpointId/test': { event: 'recovery_case.created' },
  'PUT /integrations/providers': {
    items: [
      {
        name: 'Dr.Chen',
        displayName: 'Dr. Maya Chen',
        workingHours: weekdays('09:00', '17:00'),
        visitTypes: ['Follow-up consultation'],
      },
    ],
  },
  'PUT /integrations/closed-days': { items: [{ date: '2026-12-24', name: 'Christmas Eve' }] },
  'PUT /integrations/language': { language: 'es' },
  'PUT /retention': { event_bodies: 60 },
};
