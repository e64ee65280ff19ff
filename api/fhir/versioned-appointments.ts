import {
  AnyBundle,
  ProposedAppointment,
  VersionedAppointment,
  WaitlistedAppointment,
} from '@clinic/shared/contracts/calendar/fhir';
import { asked as withInput } from '@clinic/shared/contracts/parse';
import { toIdentifier, toVersioned } from '@clinic/shared/contracts/calendar/fhir-appointment';
import { StartInstant } from '@clinic/shared/contracts/calendar/appointments';
import { AppError, invalid } from '@clinic/shared/errors';
import { z } from 'zod';
import type { Documented, FhirRequest, Reply, RouteDeps } from '../http/route';
import { fhir, fhirRefusal, fhirResponse, fhirType, type FhirDeps } from './fhir-route';
import { appointmentRoutes } from './appointments';
import { lenient } from './lenient';
import { refuse } from '@clinic/shared/contracts/calendar/outcome';
import { doneRule, versionRule } from '@clinic/sandbox/leniency';
import { etagOf, identifierIn, showVersion } from '@clinic/sandbox/versions';
import { addToWaitlist, isForWaitlist, WaitlistAppointment } from './waitlist';

const OFF = 'showsNextAppointmentOnly';

/** `POST /Appointment`: a booking as a resource of its own. */
const NewEhrAppointment = ProposedAppointment.extend({ status: z.string().max(30).optional() }).meta({
  id: 'NewAppointment',
});

/** The same, or what somebody waits for, which has no start. */
const NewEhrAppointmentOrWish = z
  .unknown()
  .transform((body, context): z.output<typeof NewEhrAppointment> | WaitlistAppointment => {
    const read = isForWaitlist(body)
      ? WaitlistAppointment.safeParse(body, withInput)
      : NewEhrAppointment.safeParse(body, withInput);
    if (read.success) return read.data;
    for (const issue of read.error.issues) context.issues.push({ input: body, ...issue } as never);
    return z.NEVER;
  });

/** `PUT /Appointment/<id>`: of what is sent, `start`, `status` and `cancelationReason` are looked at. */
const ChangedAppointment = z
  .looseObject({
    resourceType: z.literal('Appointment', { error: 'must be Appointment' }),
    id: z.string().max(64).optional(),
    status: z.string().max(30),
    start: StartInstant.optional(),
  })
  .meta({ id: 'ChangedAppointment' });

const resource = (description: string): Documented => fhirResponse(description, VersionedAppointment);
const shared = {
  404: {
    description: `No such appointment of this clinic; always, as an OperationOutcome, while ${OFF} is on (docs/sandbox.md)`,
  },
};

const operations = lenient(appointmentRoutes);

/** One of the contract's operations, with another body than was sent. */
function operation(path: string) {
  const found = operations.find((each) => each.path === path && each.method === 'post');
  if (!found) throw new Error(`${path} is not a route`);
  return (request: FhirRequest, body: unknown, deps: RouteDeps) =>
    // What is made when it is read stays so.
    Promise.resolve(found.handle(Object.create(request, { body: { value: body } }) as never, deps));
}

const book = operation('/Appointment/$book');
const reschedule = operation('/Appointment/:id/$reschedule');
const cancel = operation('/Appointment/:id/$cancel');

/**
 * Appointments read, created and changed as R4 has it, while the sandbox's lenient rule `showsNextAppointmentOnly` is off: a
 * create is a booking, and a change is a move or a cancellation, by the same rules.
 */
export const versionedAppointmentRoutes = [
  fhir.get('/Appointment/:id', {
    right: 'appointments.read',
    patientData: { action: 'appointment.read' },
    summary: 'Read an appointment with its version, while the sandbox is set to show it',
    description:
      'The header `etag` holds the version that `If-Match` names in a change; with `If-None-Match` of the same version it is 304.',
    documentedHeaders: { 'if-none-match': 'The ETag of what the client has: 304 while that is current' },
    responses: {
      200: resource('The appointment; `ETag` is its version'),
      304: { description: 'Nothing has changed since' },
      ...shared,
    },
    async handle({ caller: { clinicId, agenda }, params: { id }, headers }, deps) {
      if (agenda.leniency[OFF]) return notOffered();
      const shown = await show(deps, clinicId, id);
      const isKnown = headers['if-none-match'] === shown.headers?.etag;
      return isKnown ? { status: 304, headers: shown.headers, subjects: shown.subjects } : shown;
    },
  }),
  fhir.get('/Appointment/:id/_history', {
    right: 'appointments.read',
    patientData: { action: 'appointment.read' },
    summary:
      'The versions of an appointment, the newest first, each with who made it, while the sandbox is set to show them',
    description: 'A Bundle of the type `history`, of all versions that are kept.',
    responses: { 200: fhirResponse('A Bundle of type history', AnyBundle), ...shared },
    async handle({ caller: { clinicId, agenda }, params: { id } }, { stores, baseUrl }) {
      const url = `${baseUrl}/Appointment`;
      if (agenda.leniency[OFF]) return notOffered();
      const versions = await stores.ehrAppointments.versions(clinicId, id);
      const [current] = versions;
      if (!current) throw unknown(id);
      const entry = versions.map((version) => {
        const isFirst = version.version === 1;
        return {
          fullUrl: `${url}/${id}`,
          resource: toVersioned(version, baseUrl),
          request: { method: isFirst ? 'POST' : 'PUT', url: isFirst ? 'Appointment' : `Appointment/${id}` },
          response: {
            status: isFirst ? '201' : '200',
            etag: etagOf(version),
            lastModified: version.updatedAt.toISOString(),
          },
        };
      });
      const link = [{ relation: 'self', url: `${url}/${id}/_history` }];
      const body = { resourceType: 'Bundle', type: 'history', total: entry.length, link, entry };
      return { body, type: fhirType, subjects: [current.patientId] };
    },
  }),
  fhir.post('/Appointment', {
    right: 'appointments',
    patientData: { action: 'appointment.book', isChange: true },
    summary: 'Create an appointment, while the sandbox is set to take it: a booking by the rules of $book',
    documentedHeaders: {
      'if-none-exist': 'identifier=SYSTEM|VALUE: with an appointment of this identifier on file, that is returned',
    },
    description:
      'With the status `waitlist` a patient is put on the waitlist, whatever the sandbox is set to (docs/sandbox.md).',
    body: NewEhrAppointmentOrWish,
    documentedBody: NewEhrAppointment,
    isIdempotent: true,
    responses: {
      200: resource('The appointment that has the identifier of If-None-Exist already'),
      201: fhirResponse(
        'The booked appointment, or what the patient waits for; `Location` is its address',
        z.union([VersionedAppointment, WaitlistedAppointment]),
      ),
      404: shared[404],
      409: fhirRefusal('slot_taken'),
      422: fhirRefusal('status_not_possible'),
    },
    async handle(request, deps) {
      const url = `${deps.baseUrl}/Appointment`;
      const { caller, body, headers } = request;
      const { clinicId, agenda } = caller;
      if (isForWaitlist(body)) return addToWaitlist(request, body, deps);
      if (agenda.leniency[OFF]) return notOffered();
      const { status = 'booked' } = body;
      if (status !== 'booked' && status !== 'proposed') {
        return refuse('status_not_possible', `An appointment is created as booked or proposed, not as ${status}`);
      }
      const own = identifierIn(body);
      const wanted = conditionIn(headers['if-none-exist']);
      if (wanted !== undefined && own !== undefined && own !== wanted) {
        throw new AppError('bad_request', 'If-None-Exist and the appointment name two identifiers');
      }
      const identifier = wanted ?? own;
      if (identifier !== undefined) {
        const { items } = await deps.stores.ehrAppointments.search(clinicId, { identifier, limit: 1 });
        const [earlier] = items;
        if (earlier && wanted === undefined) {
          return refuse('identifier_in_use', 'An appointment of this clinic has this identifier already');
        }
        if (earlier) return show(deps, clinicId, earlier.id);
      }
      const proposed = {
        ...body,
        status: 'proposed',
        ...(identifier !== undefined && { identifier: [toIdentifier(identifier)] }),
      };
      const parameters = { resourceType: 'Parameters', parameter: [{ name: 'appointment', resource: proposed }] };
      const reply = await book(request as FhirRequest, parameters, deps);
      const { id } = (reply.body ?? {}) as { id?: string };
      if ((reply.status ?? 200) >= 300 || id === undefined) return reply;
      return show(deps, clinicId, id, { status: 201, headers: { location: `${url}/${id}` } });
    },
  }),
  fhir.put('/Appointment/:id', {
    right: 'appointments',
    patientData: { action: 'appointment.change', isChange: true },
    summary: 'Move or cancel an appointment by sending it changed, while the sandbox is set to take it',
    description:
      'A changed `start` moves it, the status `cancelled` cancels it. Without `If-Match` it is 428, with another version 412: read it again, then decide again.',
    documentedHeaders: { 'if-match': 'The ETag of the version that was read; another version is 412' },
    body: ChangedAppointment,
    isIdempotent: true,
    responses: {
      200: resource('The appointment as it is now'),
      ...shared,
      409: fhirRefusal('slot_taken'),
      412: fhirRefusal('version_changed'),
      422: fhirRefusal('status_not_possible'),
      428: fhirRefusal('version_required'),
    },
    async handle(request, deps) {
      const { caller, params, body } = request;
      const { clinicId, agenda } = caller;
      if (agenda.leniency[OFF]) return notOffered();
      const { id } = params;
      if (body.id !== undefined && body.id !== id) {
        throw invalid('id', 'is not that of the address');
      }
      const asked = request as FhirRequest;
      const done = await doneRule(asked, deps);
      if (done) return done;
      const current = await deps.stores.ehrAppointments.find(clinicId, id);
      if (!current) throw unknown(id);
      const stale = await versionRule(asked, deps);
      if (stale) return stale;
      const isMoved = body.start !== undefined && body.start !== current.startsAt.toISOString();
      if (body.status === 'cancelled') {
        return shownAfter(await cancel(asked, body, deps), () => show(deps, clinicId, id));
      }
      if (body.status !== current.status) {
        return refuse(
          'status_not_possible',
          `An appointment that is ${current.status} does not become ${body.status}: cancel it, or book anew`,
        );
      }
      if (!isMoved) return show(deps, clinicId, id);
      return shownAfter(await reschedule(asked, { start: body.start }, deps), () => show(deps, clinicId, id));
    },
  }),
];

const unknown = (id: string) => new AppError('unknown_appointment', `Appointment ${id} not found`);

const show = async (
  { stores, baseUrl }: FhirDeps,
  clinicId: string,
  id: string,
  besides?: Pick<Reply, 'status' | 'headers'>,
): Promise<Reply> => {
  const record = await stores.ehrAppointments.find(clinicId, id);
  if (!record) throw unknown(id);
  return showVersion(record, baseUrl, besides);
};

const notOffered = (): Reply =>
  refuse('not_offered', `The sandbox shows the next appointment alone: ${OFF} is on (docs/sandbox.md)`);

const shownAfter = (reply: Reply, showIt: () => Promise<Reply>): Promise<Reply> | Reply =>
  (reply.status ?? 200) >= 300 ? reply : showIt();

/** The identifier of an `If-None-Exist`, a query or a whole address with one, as `system|value`. Throws `bad_request` for another condition. */
function conditionIn(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const query = new URLSearchParams(
    [header]
      .flat()
      .join('&')
      .replace(/^[^?=]*\?/, ''),
  );
  const [[name, value] = ['', ''], ...more] = [...query];
  if (name === 'identifier' && value !== '' && value.length <= 300 && more.length === 0) {
    return value.includes('|') ? value : `|${value}`;
  }
  throw new AppError('bad_request', 'If-None-Exist takes one condition: identifier=SYSTEM|VALUE');
}
