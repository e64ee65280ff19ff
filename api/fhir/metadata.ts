import { CapabilityStatement, FHIR_JSON } from '@clinic/shared/contracts/fhir';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import { asFhir, fhirResponse, type FhirDeps, refuseOtherFormats, tag } from './fhir-route';

/** When what follows last changed. */
const CHANGED_ON = '2026-11-22';

/** `GET /metadata`: what a FHIR client asks for first, without a token. */
export function metadataRoutes({ baseUrl }: Pick<FhirDeps, 'baseUrl'>): Route[] {
  const statement = capabilities(baseUrl);
  return [
    route({
      method: 'get',
      path: '/metadata',
      access: 'public',
      patientData: 'none',
      tag,
      summary: 'What the sandbox EMR can do, as a CapabilityStatement',
      query: z.looseObject({ _format: z.string().max(100).optional() }),
      responses: {
        200: fhirResponse('The CapabilityStatement', CapabilityStatement),
        406: { description: 'The response is wanted in another format than JSON' },
      },
      handle(request) {
        refuseOtherFormats(request);
        return asFhir({ body: statement });
      },
    }),
  ];
}

function capabilities(baseUrl: string) {
  const reference = (name: string, documentation: string) => ({ name, type: 'reference', documentation });
  const operation = (name: string, resource: string, documentation: string) => ({
    name,
    definition: `${baseUrl}/OperationDefinition/${resource}-${name}`,
    documentation,
  });
  return {
    resourceType: 'CapabilityStatement',
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
        security: {
          description: 'Bearer token of a dashboard session; everything but this statement needs one',
        },
        resource: [
          {
            type: 'Schedule',
            interaction: [{ code: 'search-type', documentation: 'Returns the one Schedule itself, not a Bundle' }],
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
          },
          {
            type: 'Appointment',
            interaction: [{ code: 'search-type', documentation: 'The next upcoming appointment, or none' }],
            searchParam: [reference('patient', 'Patient/<id>; required')],
            operation: [
              operation('book', 'Appointment', 'POST Appointment/$book; a taken slot is 409'),
              operation('reschedule', 'Appointment', 'POST Appointment/<id>/$reschedule with a JSON object { start }'),
              operation('cancel', 'Appointment', 'POST Appointment/<id>/$cancel without a body'),
            ],
          },
          {
            type: 'Patient',
            operation: [
              operation(
                'match',
                'Patient',
                'POST Patient/$match with a parameter identifier; exact, and an unknown identifier makes a patient',
              ),
            ],
          },
          { type: 'DocumentReference', interaction: [{ code: 'create' }] },
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
