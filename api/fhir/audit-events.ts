import { AuditEvent, BundleOf, FhirId } from '@clinic/shared/contracts/calendar/fhir';
import type { AuditEntryRecord } from '@clinic/prisma/stores/operations/audit';
import { z } from 'zod';
import { zoneOf } from '../clinic-span';
import { staffNames } from '../routes/accounts/staff-names';
import { searchUrl } from '@clinic/shared/contracts/calendar/bundle';
import { asFhir, fhirResponse, refuseOtherFormats, tag } from './fhir-route';
import { Count, idOfReference, ReferenceTo, searchParameters } from '@clinic/shared/contracts/calendar/search';
import { boundsOf, earliest, latest } from './slot-window';
import { routesOf } from '../http/routes-of';

const routes = routesOf({ tag: tag, access: 'clinic', right: 'audit' });

const AuditBundle = BundleOf(AuditEvent).omit({ total: true });

/** `GET /AuditEvent`: the clinic's audit, whether its sandbox EMR is on or not. */
export const auditEventRoutes = [
  routes.get('/AuditEvent', {
    patientData: { action: 'audit.list' },
    summary: "The clinic's audit, newest first: who read and changed what",
    description:
      'The entries of `GET /audit` with `reads`, as R4 has them, whether the sandbox is on or not. `patient`, `date`, `altid` and `subtype` narrow it; follow the link `next`.',
    query: searchParameters({
      patient: ReferenceTo('Patient', 'id').optional(),
      date: z.union([z.string().max(100), z.array(z.string().max(100)).max(10)]).optional(),
      altid: z.string().max(200).optional().describe('Who, as account:…'),
      subtype: z.string().max(100).optional().describe('The action, as patient.read'),
      _count: Count,
      _cursor: z.string().max(500).optional(),
    }),
    repeatable: ['date'],
    responses: {
      200: fhirResponse('A Bundle without `total`: counting them would take too long', AuditBundle),
      406: { description: 'The response is wanted in another format than JSON' },
    },
    async handle(request, { stores, baseUrl }) {
      const url = `${baseUrl}/AuditEvent`;
      refuseOtherFormats(request);
      const {
        caller: { clinicId },
        query: { patient, date, altid, subtype, _count: count, _cursor: cursor },
      } = request;
      const zone = await zoneOf(stores, clinicId);
      const bounds = [date ?? []].flat().map((each) => boundsOf('date', each, zone));
      const [page, names] = await Promise.all([
        stores.audit.list(clinicId, {
          hasReads: true,
          subject: patient === undefined ? undefined : idOfReference('Patient', patient, 'patient'),
          actor: altid,
          action: subtype,
          from: latest(bounds.flatMap(({ from }) => from ?? [])),
          until: earliest(bounds.flatMap(({ until }) => until ?? [])),
          limit: Math.max(count, 1),
          cursor,
        }),
        staffNames(stores, clinicId),
      ]);
      const asked = { patient, date, altid, subtype, _count: String(count) };
      const self = { relation: 'self' as const, url: searchUrl(url, { ...asked, _cursor: cursor }) };
      const next = page.nextCursor && searchUrl(url, { ...asked, _cursor: page.nextCursor });
      const body: z.output<typeof AuditBundle> = {
        resourceType: 'Bundle',
        type: 'searchset',
        link: next ? [self, { relation: 'next', url: next }] : [self],
        entry: page.items
          .slice(0, count)
          .map((entry) => ({ fullUrl: `${url}/${entry.id}`, resource: toAuditEvent(entry, { names, baseUrl }) })),
      };
      return asFhir({ body });
    },
  }),
];

const codes = 'http://terminology.hl7.org/CodeSystem';
const signedIn = { system: 'http://dicom.nema.org/resources/ontology/DCM', code: '110114' };
const rest = { system: `${codes}/audit-event-type`, code: 'rest' };
const person = { system: `${codes}/audit-entity-type`, code: '1' };
const other = { system: `${codes}/audit-entity-type`, code: '4' };
const patientRole = { system: `${codes}/object-role`, code: '1' };

function toAuditEvent(
  entry: AuditEntryRecord,
  { names, baseUrl }: { names: ReadonlyMap<string, string>; baseUrl: string },
): AuditEvent {
  const { id, at, actor, action, isRead, subject, subjects, requestId, address } = entry;
  const name = names.get(actor);
  // Deliveries and look-ups name a record, whose patient is known by it.
  const isOfPatients = !/^(delivery|record)\./.test(action);
  const entities: NonNullable<AuditEvent['entity']> = [
    ...subjects.map((each) =>
      isOfPatients
        ? { what: patientNamed(each), type: person, role: patientRole }
        : { what: { identifier: { value: each } }, type: other },
    ),
    ...(subject === null ? [] : [{ what: { identifier: { value: subject } }, type: other }]),
    ...(requestId === null ? [] : [{ what: { identifier: { value: requestId } }, type: other, name: 'request' }]),
  ];
  return {
    resourceType: 'AuditEvent',
    id,
    type: action.startsWith('sign-') ? signedIn : rest,
    subtype: [{ system: `${baseUrl}/audit-actions`, code: action }],
    action: isRead ? 'R' : (changes[action.split('.').at(-1) ?? ''] ?? (action.startsWith('sign-') ? 'E' : 'U')),
    recorded: at.toISOString(),
    outcome: action.endsWith('.refused') ? '4' : '0',
    agent: [
      {
        altId: actor,
        ...(name && { name }),
        requestor: true,
        ...(address && { network: { address, type: '2' } }),
      },
    ],
    source: { observer: { display: 'Clinic workflows' } },
    ...(entities.length > 0 && { entity: entities }),
  };
}

/** Who was asked for by what is no id of FHIR's, and so is nobody, cannot be referred to. */
const patientNamed = (id: string) =>
  FhirId.safeParse(id).success ? { reference: `Patient/${id}` } : { identifier: { value: id } };

/** By how an action ends; every other one changes something. */
const changes: Record<string, AuditEvent['action']> = {
  create: 'C',
  add: 'C',
  book: 'C',
  note: 'C',
  remove: 'D',
  revoke: 'D',
  delete: 'D',
};
