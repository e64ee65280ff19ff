import { CapabilityStatement, FHIR_JSON } from '@clinic/shared/contracts/calendar/fhir';
import {
  operationOfGuide,
  SERVER_CAPABILITIES,
  SUBSCRIPTION_PROFILE,
  TOPIC_CANONICAL,
  topicOf,
} from '@clinic/shared/contracts/events/subscriptions';
import { fullLeniency, type Leniency } from '@clinic/shared/domain/sandbox/leniency';
import { refusals } from '@clinic/shared/domain/calendar/refusals';
import { timeReasons } from '@clinic/shared/domain/calendar/time-explained';
import { clinicOfToken } from '@clinic/sandbox/tokens';
import { z } from 'zod';
import { bearerIn } from '../http/bearer';
import { routesOf } from '../http/routes-of';
import type { Deps } from '../http/route';
import { asFhir, fhirResponse, notAcceptable, refuseOtherFormats, tag } from './fhir-route';

/** When what follows last changed. */
const CHANGED_ON = '2026-11-23';

const routes = routesOf({ tag, access: 'public', right: null, patientData: 'none' });

/** `GET /metadata`: what a FHIR client asks for first, without a token. */
export const metadataRoutes = [
  routes.get('/metadata', {
    summary: 'What the sandbox EMR can do, as a CapabilityStatement',
    description: 'With the token of a session: what the sandbox of that clinic can do, as it is set.',
    query: z.looseObject({ _format: z.string().max(100).optional() }),
    responses: { 200: fhirResponse('The CapabilityStatement', CapabilityStatement), 406: notAcceptable },
    async handle(request, deps) {
      refuseOtherFormats(request);
      return asFhir({ body: capabilities(deps.baseUrl, await leniencyFor(deps, request.headers.authorization)) });
    },
  }),
];

/** That of the clinic whose token was sent; who sends none, or one that is no more, gets the one of every sandbox. */
async function leniencyFor(
  { stores, accounts }: Deps<'stores' | 'accounts'>,
  authorization: string | undefined,
): Promise<Leniency> {
  const token = bearerIn(authorization);
  if (!token) return fullLeniency;
  const clinicId =
    (await clinicOfToken(stores, token)) ?? (await accounts.session(token, { isBackground: true }))?.clinicId;
  const agenda = clinicId ? await stores.agendas.of(clinicId) : null;
  return agenda?.leniency ?? fullLeniency;
}

function capabilities(baseUrl: string, leniency: Leniency) {
  return {
    resourceType: 'CapabilityStatement',
    instantiates: [SERVER_CAPABILITIES],
    status: 'active',
    date: CHANGED_ON,
    kind: 'instance',
    implementation: {
      description: 'Sandbox EMR: a reference interface to validate an integration with, no real health record',
      url: baseUrl,
    },
    software: { name: 'Clinic workflows' },
    fhirVersion: '4.0.1',
    format: [FHIR_JSON, 'json'],
    rest: [
      {
        mode: 'server',
        documentation: refusalText,
        security: securityOf(baseUrl, leniency),
        resource: [
          scheduleOf(leniency),
          slotOf(baseUrl),
          appointmentOf(baseUrl, leniency),
          patientOf(baseUrl, leniency),
          { type: 'DocumentReference', interaction: [{ code: 'create' }] },
          subscriptionOf(baseUrl),
          { type: 'Basic', interaction: [{ code: 'read', documentation: 'The topic of subscriptions' }] },
          auditEvent,
        ],
      },
    ],
  };
}

const reference = (name: string, documentation: string) => ({ name, type: 'reference', documentation });
const token = (name: string, documentation: string) => ({ name, type: 'token', documentation });
const date = (name: string, documentation: string) => ({ name, type: 'date', documentation });

/** An operation of a resource: its name, and how it is asked. */
const operationOf = (baseUrl: string, resource: string) => (name: string, documentation: string) => ({
  name,
  definition: `${baseUrl}/OperationDefinition/${resource}-${name}`,
  documentation,
});

function securityOf(baseUrl: string, { takesSessionTokens }: Leniency) {
  if (takesSessionTokens) {
    return { description: 'Bearer token of a dashboard session; everything but this statement needs one' };
  }
  const system = 'http://terminology.hl7.org/CodeSystem/restful-security-service';
  return {
    service: [{ coding: [{ system, code: 'SMART-on-FHIR' }] }],
    description: `SMART Backend Services: ${baseUrl}/.well-known/smart-configuration`,
  };
}

const scheduleOf = ({ deviatesFromR4 }: Leniency) => ({
  type: 'Schedule',
  interaction: [
    {
      code: 'search-type',
      ...(deviatesFromR4 && { documentation: 'Returns the one Schedule itself, not a Bundle' }),
    },
  ],
  searchParam: [reference('actor', 'Practitioner/<name>; required')],
});

const slotOf = (baseUrl: string) => ({
  type: 'Slot',
  interaction: [{ code: 'search-type' }],
  searchParam: [
    reference('schedule', 'Schedule/<name>; required'),
    date('start', 'Prefixes ge, gt, le, lt, eq, sa, eb; may be given twice. 14 days are searched; default now'),
  ],
  operation: [
    operationOf(baseUrl, 'Slot')(
      'explain',
      `GET Slot/$explain?schedule=…&start=…: why a time is free or not. ${reasonText}`,
    ),
  ],
});

function appointmentOf(baseUrl: string, { showsNextAppointmentOnly, reschedules, cancelsWithoutReason }: Leniency) {
  const operation = operationOf(baseUrl, 'Appointment');
  const reschedule = operation(
    'reschedule',
    'POST Appointment/<id>/$reschedule with a JSON object { start }, or Parameters that hold start',
  );
  const cancel = cancelsWithoutReason
    ? 'POST Appointment/<id>/$cancel without a body'
    : 'POST Appointment/<id>/$cancel with Parameters that hold cancelationReason';
  return {
    type: 'Appointment',
    ...(showsNextAppointmentOnly ? nextAppointment : fullAppointments),
    operation: [
      operation('book', 'POST Appointment/$book; a taken slot is 409'),
      operation('find', 'POST Appointment/$find with start, end, patient-reference, practitioner'),
      operation('hold', 'POST Appointment/$hold as $book, with a parameter minutes from 1 to 15'),
      operation('confirm', 'POST Appointment/<id>/$confirm books the time that is held'),
      ...(reschedules ? [reschedule] : []),
      operation('cancel', cancel),
    ],
  };
}

const nextAppointment = {
  interaction: [{ code: 'search-type', documentation: 'The next upcoming appointment, or none' }],
  searchParam: [
    reference('patient', 'Patient/<id>; required'),
    token('status', 'waitlist: what the patient waits for'),
  ],
};

function patientOf(baseUrl: string, { matchesIdentifiersOnly, createsUnknownPatients }: Leniency) {
  const unknown = createsUnknownPatients ? 'makes a patient' : 'finds nobody';
  const match = matchesIdentifiersOnly
    ? `POST Patient/$match with a parameter identifier; exact, and an unknown identifier ${unknown}`
    : `POST Patient/$match with resource, count and onlyCertainMatches: candidates with match-grade; with a parameter identifier instead it is exact, and an unknown one ${unknown}`;
  return { type: 'Patient', operation: [operationOf(baseUrl, 'Patient')('match', match)] };
}

const subscriptionOf = (baseUrl: string) => ({
  extension: [{ url: TOPIC_CANONICAL, valueCanonical: topicOf(baseUrl) }],
  type: 'Subscription',
  supportedProfile: [SUBSCRIPTION_PROFILE],
  interaction: ['read', 'search-type', 'create', 'update', 'delete'].map((code) => ({ code })),
  searchParam: [
    { name: 'url', type: 'uri', documentation: 'The endpoint' },
    token('status', 'Several with commas'),
    token('_id', 'Several with commas'),
  ],
  operation: [
    {
      name: 'status',
      definition: operationOfGuide('status'),
      documentation:
        'GET Subscription/$status for all, GET Subscription/<id>/$status or POST Subscription/<id>/$status',
    },
    {
      name: 'events',
      definition: operationOfGuide('events'),
      documentation: 'GET Subscription/<id>/$events or POST Subscription/<id>/$events',
    },
  ],
});

const auditEvent = {
  type: 'AuditEvent',
  interaction: [{ code: 'search-type', documentation: 'For administrators, newest first; a Bundle without total' }],
  searchParam: [
    reference('patient', 'Patient/<id>, whose data was seen or changed'),
    date('date', 'As start of Slot'),
    token('altid', 'Who, as account:<id>'),
    token('subtype', 'The action, as patient.read'),
  ],
};

/** What a resource can do that has versions, and a search for all of them. */
const fullAppointments = {
  interaction: ['read', 'history-instance', 'search-type', 'create', 'update'].map((code) => ({ code })),
  versioning: 'versioned-update',
  conditionalCreate: true,
  searchParam: [
    reference('patient', 'Patient/<id>'),
    reference('practitioner', 'Practitioner/<name>'),
    reference('actor', 'Patient/<id> or Practitioner/<name>'),
    date('date', 'As start of Slot; may be given twice'),
    token('status', 'Several with commas'),
    token('identifier', "The client's own, SYSTEM|VALUE"),
    token('_id', 'Several with commas'),
  ],
};

/** The closed list of reasons, for anyone who reads the statement alone. */
const refusalText = [
  'Each refusal says why in the header x-refusal-reason, in one word of this list; of a time, which rule refused it in x-refusal-rule, and the nearest that would do in x-nearest-slots.',
  '',
  ...Object.entries(refusals).map(
    ([reason, { status, means, toDo }]) => `- \`${reason}\` (${status}): ${means} ${toDo}`,
  ),
].join('\n');

const reasonText = Object.entries(timeReasons)
  .map(([reason, means]) => `${reason}: ${means}`)
  .join(' ');
