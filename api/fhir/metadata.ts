import { CapabilityStatement, FHIR_JSON } from '@clinic/shared/contracts/fhir';
import {
  operationOfGuide,
  SERVER_CAPABILITIES,
  SUBSCRIPTION_PROFILE,
  TOPIC_CANONICAL,
  topicOf,
} from '@clinic/shared/contracts/subscriptions';
import { everyKindness, type Kindnesses } from '@clinic/shared/domain/kindnesses';
import { refusals } from '@clinic/shared/domain/refusals';
import { timeReasons } from '@clinic/shared/domain/time-explained';
import type { Accounts } from '@clinic/prisma/accounts';
import { SANDBOX_TOKEN } from '@clinic/prisma/stores/named-sandboxes';
import { z } from 'zod';
import { SMART_TOKEN } from '../http/authenticate';
import { bearerIn } from '../http/bearer';
import { route, type Route } from '../http/route';
import { asFhir, fhirResponse, type FhirDeps, refuseOtherFormats, tag } from './fhir-route';

/** When what follows last changed. */
const CHANGED_ON = '2026-11-23';

/** `GET /metadata`: what a FHIR client asks for first, without a token. */
export function metadataRoutes({ baseUrl, stores, accounts }: FhirDeps & { accounts: Accounts }): Route[] {
  const statement = capabilities(baseUrl, everyKindness);
  const clinicOf = async (token: string): Promise<string | null | undefined> => {
    if (token.startsWith(SMART_TOKEN)) return (await stores.sandboxClients.ofToken(token))?.clinicId;
    if (token.startsWith(SANDBOX_TOKEN)) return (await stores.namedSandboxes.ofToken(token))?.sandboxId;
    return (await accounts.session(token, { isBackground: true }))?.clinicId;
  };
  /** That of the clinic whose token was sent; who sends none, or one that is no more, gets the one of every sandbox. */
  const statementFor = async (authorization: string | undefined) => {
    const token = bearerIn(authorization);
    if (!token) return statement;
    const clinicId = await clinicOf(token);
    if (!clinicId) return statement;
    const kindnesses = (await stores.agendas.of(clinicId))?.kindnesses ?? everyKindness;
    return kindnesses === everyKindness ? statement : capabilities(baseUrl, kindnesses);
  };
  return [
    route({
      method: 'get',
      path: '/metadata',
      access: 'public',
      patientData: 'none',
      tag,
      summary: 'What the sandbox EMR can do, as a CapabilityStatement',
      description: 'With the token of a session: what the sandbox of that clinic can do, as it is set.',
      query: z.looseObject({ _format: z.string().max(100).optional() }),
      responses: {
        200: fhirResponse('The CapabilityStatement', CapabilityStatement),
        406: { description: 'The response is wanted in another format than JSON' },
      },
      async handle(request) {
        refuseOtherFormats(request);
        return asFhir({ body: await statementFor(request.headers.authorization) });
      },
    }),
  ];
}

function capabilities(baseUrl: string, kindnesses: Kindnesses) {
  const { showsNextAppointmentOnly: showsNextOnly, matchesIdentifiersOnly, createsUnknownPatients } = kindnesses;
  const reference = (name: string, documentation: string) => ({ name, type: 'reference', documentation });
  const operation = (name: string, resource: string, documentation: string) => ({
    name,
    definition: `${baseUrl}/OperationDefinition/${resource}-${name}`,
    documentation,
  });
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
        security: kindnesses.takesSessionTokens
          ? { description: 'Bearer token of a dashboard session; everything but this statement needs one' }
          : {
              service: [
                {
                  coding: [
                    {
                      system: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
                      code: 'SMART-on-FHIR',
                    },
                  ],
                },
              ],
              description: `SMART Backend Services: ${baseUrl}/.well-known/smart-configuration`,
            },
        resource: [
          {
            type: 'Schedule',
            interaction: [
              {
                code: 'search-type',
                ...(kindnesses.deviatesFromR4 && { documentation: 'Returns the one Schedule itself, not a Bundle' }),
              },
            ],
            searchParam: [reference('actor', 'Practitioner/<name>; required')],
          },
          {
            type: 'Slot',
            interaction: [{ code: 'search-type' }],
            searchParam: [
              reference('schedule', 'Schedule/<name>; required'),
              {
                name: 'start',
                type: 'date',
                documentation:
                  'Prefixes ge, gt, le, lt, eq, sa, eb; may be given twice. 14 days are searched; default now',
              },
            ],
            operation: [
              operation(
                'explain',
                'Slot',
                `GET Slot/$explain?schedule=…&start=…: why a time is free or not. ${reasonText}`,
              ),
            ],
          },
          {
            type: 'Appointment',
            ...(showsNextOnly
              ? {
                  interaction: [{ code: 'search-type', documentation: 'The next upcoming appointment, or none' }],
                  searchParam: [
                    reference('patient', 'Patient/<id>; required'),
                    { name: 'status', type: 'token', documentation: 'waitlist: what the patient waits for' },
                  ],
                }
              : fullAppointments({ reference })),
            operation: [
              operation('book', 'Appointment', 'POST Appointment/$book; a taken slot is 409'),
              operation(
                'find',
                'Appointment',
                'POST Appointment/$find with start, end, patient-reference, practitioner',
              ),
              operation(
                'hold',
                'Appointment',
                'POST Appointment/$hold as $book, with a parameter minutes from 1 to 15',
              ),
              operation('confirm', 'Appointment', 'POST Appointment/<id>/$confirm books the time that is held'),
              ...(kindnesses.reschedules
                ? [
                    operation(
                      'reschedule',
                      'Appointment',
                      'POST Appointment/<id>/$reschedule with a JSON object { start }, or Parameters that hold start',
                    ),
                  ]
                : []),
              operation(
                'cancel',
                'Appointment',
                kindnesses.cancelsWithoutReason
                  ? 'POST Appointment/<id>/$cancel without a body'
                  : 'POST Appointment/<id>/$cancel with Parameters that hold cancelationReason',
              ),
            ],
          },
          {
            type: 'Patient',
            operation: [
              operation(
                'match',
                'Patient',
                matchesIdentifiersOnly
                  ? `POST Patient/$match with a parameter identifier; exact, and an unknown identifier ${createsUnknownPatients ? 'makes a patient' : 'finds nobody'}`
                  : `POST Patient/$match with resource, count and onlyCertainMatches: candidates with match-grade; with a parameter identifier instead it is exact, and an unknown one ${createsUnknownPatients ? 'makes a patient' : 'finds nobody'}`,
              ),
            ],
          },
          { type: 'DocumentReference', interaction: [{ code: 'create' }] },
          {
            extension: [{ url: TOPIC_CANONICAL, valueCanonical: topicOf(baseUrl) }],
            type: 'Subscription',
            supportedProfile: [SUBSCRIPTION_PROFILE],
            interaction: ['read', 'search-type', 'create', 'update', 'delete'].map((code) => ({ code })),
            searchParam: [
              { name: 'url', type: 'uri', documentation: 'The endpoint' },
              { name: 'status', type: 'token', documentation: 'Several with commas' },
              { name: '_id', type: 'token', documentation: 'Several with commas' },
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
          },
          {
            type: 'Basic',
            interaction: [{ code: 'read', documentation: 'The topic of subscriptions' }],
          },
          {
            type: 'AuditEvent',
            interaction: [
              { code: 'search-type', documentation: 'For administrators, newest first; a Bundle without total' },
            ],
            searchParam: [
              reference('patient', 'Patient/<id>, whose data was seen or changed'),
              { name: 'date', type: 'date', documentation: 'As start of Slot' },
              { name: 'altid', type: 'token', documentation: 'Who, as account:<id>' },
              { name: 'subtype', type: 'token', documentation: 'The action, as patient.read' },
            ],
          },
        ],
      },
    ],
  };
}

/** What a resource can do that has versions, and a search for all of them. */
function fullAppointments({ reference }: { reference: (name: string, documentation: string) => object }) {
  return {
    interaction: ['read', 'history-instance', 'search-type', 'create', 'update'].map((code) => ({ code })),
    versioning: 'versioned-update',
    conditionalCreate: true,
    searchParam: [
      reference('patient', 'Patient/<id>'),
      reference('practitioner', 'Practitioner/<name>'),
      reference('actor', 'Patient/<id> or Practitioner/<name>'),
      { name: 'date', type: 'date', documentation: 'As start of Slot; may be given twice' },
      { name: 'status', type: 'token', documentation: 'Several with commas' },
      { name: 'identifier', type: 'token', documentation: "The client's own, SYSTEM|VALUE" },
      { name: '_id', type: 'token', documentation: 'Several with commas' },
    ],
  };
}

/** The closed list of reasons, for whoever reads the statement alone. */
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
