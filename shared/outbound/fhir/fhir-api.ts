import type { z } from 'zod';
import type { ClinicAction, FhirAction, FhirCapabilities, FhirSettings } from '../../contracts/approved-api';
import { AppointmentNotice, DocumentNotice, InsuranceQuestion, PatientNotice } from '../../contracts/clinic-notice';
import { type ClinicApiInput, type ClinicApiResult, unavailable } from '../clinic-api-port';
import { OutboundError } from '../safe-http';
import { askFhir, type FhirAnswer, FhirFault, type FhirRequest, type SendFhir } from './exchange';
import * as fhir from './resources';

/** A server that searches for names finds the same person several times; so many to a page. */
const CANDIDATES_A_PAGE = 20;
const SLOTS_A_PAGE = 200;
/** A search that goes on after so many pages is cut off there. */
const MAX_PAGES = 10;

export interface FhirApiOptions {
  /** Sends with the clinic's credentials, within the time and the signal of the call. */
  sendFor: (action: ClinicAction, input: ClinicApiInput) => SendFhir;
  baseUrl: string;
  settings: FhirSettings;
  capabilities: FhirCapabilities;
  now?: () => Date;
}

/**
 * The actions of an approved API, done at a FHIR R4 server. Each takes the body that the `json` kind sends, and answers with
 * `{externalId}`, or with the verdict of `insurance.verify`. Each may be done twice: a record is made under our own identifier.
 */
export function createFhirApi({ sendFor, baseUrl, settings, capabilities, now = () => new Date() }: FhirApiOptions) {
  const act = async <Body>(
    { action, input, schema }: { action: FhirAction; input: ClinicApiInput; schema: z.ZodType<Body> },
    work: (ask: Ask, body: Body) => Promise<object>,
  ): Promise<ClinicApiResult> => {
    const body = schema.safeParse(input.body);
    if (!body.success) {
      const [issue] = body.error.issues;
      return { kind: 'unusable', reason: `the body lacks ${issue?.path.join('.') || 'everything'}` };
    }
    const send = sendFor(action, input);
    try {
      const answer = await work((request) => askFhir(send, baseUrl, request), body.data);
      return { kind: 'answered', status: 200, body: answer };
    } catch (error) {
      if (error instanceof FhirFault) return error.result;
      if (error instanceof OutboundError) return unavailable(error);
      throw error;
    }
  };

  const mayMakePatients = settings.permitted.includes('patient.upsert');
  const patientOf = (ask: Ask, patient: PatientNotice) => knownPatient(ask, patient, mayMakePatients);

  const actions: Record<FhirAction, (input: ClinicApiInput) => Promise<ClinicApiResult>> = {
    'patient.upsert': (input) =>
      act({ action: 'patient.upsert', input, schema: PatientNotice }, async (ask, patient) => ({
        externalId: await patientOf(ask, patient),
      })),

    'appointment.book': (input) =>
      act({ action: 'appointment.book', input, schema: AppointmentNotice }, async (ask, notice) => {
        const patientId = await patientOf(ask, notice.patient);
        const booking = { ask, notice, patientReference: `Patient/${patientId}`, settings, capabilities };
        return { externalId: await book(booking), externalPatientId: patientId };
      }),

    'appointment.cancel': (input) =>
      act({ action: 'appointment.cancel', input, schema: AppointmentNotice }, async (ask, notice) => {
        const externalId = notice.externalId ?? (await bookedUnderOurs(ask, notice, capabilities));
        if (externalId !== null) await cancel(ask, externalId, 'patient');
        return { externalId };
      }),

    'document.write': (input) =>
      act({ action: 'document.write', input, schema: DocumentNotice }, async (ask, document) => {
        const { patient } = input;
        if (!patient) return unusable('it is not known whom the note is about');
        const patientId = await patientOf(ask, patient);
        const body = fhir.documentResource(document, `Patient/${patientId}`);
        const condition = `identifier=${fhir.tokenOf('document', document.documentId)}`;
        const made = await createOnce(ask, 'DocumentReference', body, condition);
        return { externalId: idFrom(made), externalPatientId: patientId };
      }),

    'insurance.verify': (input) =>
      act({ action: 'insurance.verify', input, schema: InsuranceQuestion }, async (ask, question) => {
        const { patient = null } = input;
        const externalPatientId = patient && (await knownId(ask, patient));
        const made = await ask({
          method: 'POST',
          path: 'CoverageEligibilityRequest',
          template: 'CoverageEligibilityRequest',
          body: fhir.eligibilityRequest(question, { patient, externalPatientId, created: now().toISOString() }),
        });
        return fhir.verdictIn(made.body) ?? (await answerTo(ask, made)) ?? {};
      }),
  };

  return {
    call: async (action: ClinicAction, input: ClinicApiInput = {}): Promise<ClinicApiResult> => {
      if (action === 'form.progress' || !settings.isOn || !settings.permitted.includes(action))
        return { kind: 'not_permitted' };
      return actions[action](input);
    },
  };
}

export type Ask = (request: FhirRequest) => Promise<FhirAnswer>;

function unusable(reason: string): never {
  throw new FhirFault({ kind: 'unusable', reason });
}

export function refused(fault: string, status: number, because?: 'time_taken' | 'no_such_patient'): never {
  throw new FhirFault({ kind: 'refused', status, fault, body: null, ...(because && { because }) }, status);
}

/** The server's id of a patient: the one we were told, the one person that it finds, or a new record. */
export async function knownPatient(ask: Ask, patient: PatientNotice, mayMake: boolean): Promise<string> {
  const known = await knownId(ask, patient);
  if (known !== null) return known;
  const birthDate = fhir.birthDateOf(patient);
  if (!patient.lastName || !patient.firstName || (birthDate === null && !patient.phone)) {
    return unusable('a patient is told apart by name and date of birth, or name and phone, and these are not known');
  }
  const found = await searchPatients(ask, [
    ['family', patient.lastName],
    ['given', patient.firstName],
    birthDate === null ? ['phone', patient.phone ?? ''] : ['birthdate', birthDate],
    ['_count', String(CANDIDATES_A_PAGE)],
  ]);
  if (!found.isWhole) return refused('it finds more patients of such a name than can be compared', 409);
  const same = found.resources.filter((record) => fhir.isSamePatient(record, patient)).map(fhir.idOf);
  const [only, ...others] = new Set(same);
  if (only && others.length === 0) return only;
  if (others.length > 0)
    return refused(
      `it has ${others.length + 1} patients of this name and ${birthDate ? 'date of birth' : 'phone'}`,
      409,
    );
  if (!mayMake) return refused('it has no such patient, and patient.upsert is not permitted', 404, 'no_such_patient');
  const condition = `identifier=${fhir.tokenOf('patient', patient.patientId)}`;
  return idFrom(await createOnce(ask, 'Patient', fhir.patientResource(patient), condition));
}

/** The id we were told, where it is this patient's there; null where it is not, or where we were told none. */
async function knownId(ask: Ask, patient: PatientNotice): Promise<string | null> {
  const { externalId } = patient;
  if (!externalId || !/^[A-Za-z0-9\-.]{1,64}$/.test(externalId)) return null;
  const { body } = await orNull(ask({ method: 'GET', path: `Patient/${externalId}`, template: 'Patient/{id}' }));
  return fhir.mayBePatient(body, patient) ? externalId : null;
}

/** By POST, as names in an address end up in logs; by GET only at a server that has no other way. */
async function searchPatients(ask: Ask, form: [string, string][]): Promise<Found> {
  try {
    const path = 'Patient/_search';
    return await searchPages(ask, 'Patient', { method: 'POST', path, template: path, form, isIdempotent: true });
  } catch (error) {
    if (!(error instanceof FhirFault) || ![404, 405, 501].includes(error.status ?? 0)) throw error;
    return search(ask, 'Patient', form);
  }
}

interface Found {
  resources: Record<string, unknown>[];
  /** False where the search was cut off, or goes on where it must not be followed. */
  isWhole: boolean;
}

/** Everything that a search finds, page by page, up to ten pages. */
export const search = (ask: Ask, type: string, query: [string, string][]): Promise<Found> =>
  searchPages(ask, type, { method: 'GET', path: type, template: type, query });

async function searchPages(ask: Ask, type: string, request: FhirRequest): Promise<Found> {
  const resources: Record<string, unknown>[] = [];
  let answer = await ask(request);
  for (let page = 1; ; page += 1) {
    const found = fhir.resourcesOf(type, answer.body);
    resources.push(...found);
    if (found.length === 0) return { resources, isWhole: true };
    if (answer.next === null) return { resources, isWhole: !fhir.hasNextPage(answer.body) };
    if (page === MAX_PAGES) return { resources, isWhole: false };
    answer = await ask({ method: 'GET', path: type, template: type, page: answer.next });
  }
}

/** Makes a record unless one meets the condition already, so that a lost answer makes no second one. */
const create = (ask: Ask, type: string, body: object, condition: string): Promise<FhirAnswer> =>
  ask({ method: 'POST', path: type, template: type, body, headers: { 'if-none-exist': condition } });

/** As `create`, sent again after a conflict: HAPI has one where the same was sent twice at once, and finds it the next time. */
async function createOnce(...record: Parameters<typeof create>): Promise<FhirAnswer> {
  try {
    return await create(...record);
  } catch (error) {
    if (!(error instanceof FhirFault) || error.status !== 409) throw error;
    return create(...record);
  }
}

function idFrom({ body, id, status }: FhirAnswer): string {
  return fhir.idOf(body) ?? id ?? refused('the answer names no id of what was made', status);
}

export interface BookingAtServer {
  ask: Ask;
  notice: AppointmentNotice;
  patientReference: string;
  settings: FhirSettings;
  capabilities: FhirCapabilities;
  /** Known to be free already. */
  slot?: FreeSlot;
}

/** Books, or moves what was booked. Returns the server's id of the appointment. */
async function book(booking: BookingAtServer): Promise<string> {
  const { ask, notice, settings, capabilities } = booking;
  if (fhir.providerReference(notice, settings) === null)
    unusable(`no practitioner of the EHR is mapped to ${notice.providerName}`);
  const ours = await bookedUnderOurs(ask, notice, capabilities);
  const before = notice.externalId ?? null;
  if (ours !== null && ours === before) return ours;
  const current = before === null ? null : await readAppointment(ask, before);
  const isThere = current !== null && !fhir.isCalledOff(current.resource);
  if (isThere && isAt(current.resource, notice)) return before ?? '';
  if (isThere && settings.rescheduling === 'update' && ours === null) {
    await move(booking, before ?? '');
    return before ?? '';
  }
  // The new time first: where it is not to be had, the patient keeps the old one.
  const made = ours ?? (await makeAppointment(booking));
  if (isThere && before !== null) await cancel(ask, before, 'moved');
  return made;
}

/** An appointment of ours whose id was never told, as the answer to its booking was lost; null where there is none. */
export async function bookedUnderOurs(
  ask: Ask,
  notice: Pick<AppointmentNotice, 'appointmentId' | 'startsAt'>,
  { findsAppointments }: FhirCapabilities,
): Promise<string | null> {
  if (!findsAppointments) return null;
  const { resources } = await search(ask, 'Appointment', [
    ['identifier', fhir.tokenOf('appointment', fhir.appointmentKey(notice))],
  ]);
  return fhir.idOf(resources.find((appointment) => !fhir.isCalledOff(appointment)));
}

export async function makeAppointment({
  ask,
  notice,
  patientReference,
  settings,
  capabilities,
  slot,
}: BookingAtServer): Promise<string> {
  const slotReference = slot?.reference ?? (capabilities.hasSlots ? await slotOf(ask, notice, settings) : null);
  const resource = fhir.appointmentResource(notice, { patientReference, slotReference }, settings);
  if (!capabilities.canBook) return createAppointment({ ask, notice, capabilities, resource });
  const proposed = { ...resource, status: 'proposed' };
  const parameter = capabilities.canHold
    ? {
        name: 'appt-id',
        valueUri: `Appointment/${await operate(ask, '$hold', { name: 'appt-resource', resource: proposed })}`,
      }
    : { name: 'appt-resource', resource: proposed };
  return operate(ask, '$book', parameter);
}

async function createAppointment({
  ask,
  notice,
  capabilities,
  resource,
}: Pick<BookingAtServer, 'ask' | 'notice' | 'capabilities'> & { resource: object }): Promise<string> {
  const condition = `identifier=${fhir.tokenOf('appointment', fhir.appointmentKey(notice))}`;
  // One that was moved away from this time and back: the first was cancelled, and stands in the way of the condition.
  const anew = async () =>
    idFrom(await taken(() => ask({ method: 'POST', path: 'Appointment', template: 'Appointment', body: resource })));
  try {
    const made = await create(ask, 'Appointment', resource, condition);
    if (made.status === 201) return idFrom(made);
    const known = await readAppointment(ask, idFrom(made));
    return known && fhir.isCalledOff(known.resource) ? await anew() : idFrom(made);
  } catch (error) {
    const status = error instanceof FhirFault ? error.status : null;
    if (status !== 409 && status !== 412) throw error;
    // The same booking that was sent twice at once is refused once with a conflict; it is booked all the same.
    const ours = await bookedUnderOurs(ask, notice, capabilities);
    if (ours !== null) return ours;
    if (status === 409) return refused('the time is taken there', 409, 'time_taken');
    // Several meet the condition. Where they can be seen, all of them are cancelled.
    if (!capabilities.findsAppointments) throw error;
    return anew();
  }
}

/** The operations of the Argonaut Scheduling guide; each returns the appointment, which is cancelled where it was refused. */
async function operate(ask: Ask, operation: '$book' | '$hold', parameter: object): Promise<string> {
  const { body, id, status } = await taken(() =>
    ask({
      method: 'POST',
      path: `Appointment/${operation}`,
      template: `Appointment/${operation}`,
      body: { resourceType: 'Parameters', parameter: [parameter] },
    }),
  );
  const [appointment] = fhir.resourcesOf('Appointment', body);
  const outcomes = fhir.resourcesOf('OperationOutcome', body);
  if ((appointment && fhir.isCalledOff(appointment)) || (!appointment && outcomes.length > 0))
    refused(`${operation} was refused`, status);
  return fhir.idOf(appointment) ?? id ?? refused('the answer names no id of what was made', status);
}

/** A time that the server shows as free. */
export interface FreeSlot {
  /** As `Slot/12`. */
  reference: string;
  startsAt: string;
  endsAt: string;
}

const slotOf = async (ask: Ask, notice: AppointmentNotice, { providers }: FhirSettings): Promise<string> => {
  const actor = providers.find(({ name }) => name === notice.providerName)?.reference ?? '';
  return (await freeSlot(ask, { actor, startsAt: notice.startsAt })).reference;
};

/** A free slot at exactly this time. Throws a refusal where there is none. */
export async function freeSlot(ask: Ask, { actor, startsAt }: { actor: string; startsAt: string }): Promise<FreeSlot> {
  const until = new Date(Date.parse(startsAt) + 60_000).toISOString();
  const slots = await freeSlots(ask, { actors: [actor], from: startsAt, until });
  return (
    slots.find((slot) => Date.parse(slot.startsAt) === Date.parse(startsAt)) ??
    refused('the time is not free there', 409, 'time_taken')
  );
}

/** The free slots of some people between two instants, by the searches that every server with slots has. */
export async function freeSlots(
  ask: Ask,
  { actors, from, until }: { actors: string[]; from: string; until: string },
): Promise<(FreeSlot & { actor: string })[]> {
  const found = await search(ask, 'Schedule', [['actor', actors.join(',')]]);
  const schedules = fhir.schedulesIn(found.resources, actors);
  if (schedules.size === 0) refused(`it has no schedule of ${actors.join(', ')}`, 404);
  const { resources } = await search(ask, 'Slot', [
    ['schedule', [...schedules.keys()].join(',')],
    ['status', 'free'],
    ['start', `ge${from}`],
    ['start', `lt${until}`],
    ['_count', String(SLOTS_A_PAGE)],
  ]);
  return fhir.freeSlotsIn(resources).flatMap(({ schedule, ...slot }) => {
    const actor = schedules.get(schedule);
    return actor === undefined ? [] : [{ ...slot, actor }];
  });
}

/** A conflict while booking means that somebody else has the time. */
async function taken(work: () => Promise<FhirAnswer>): Promise<FhirAnswer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FhirFault && error.status === 409)
      return refused('the time is taken there', 409, 'time_taken');
    throw error;
  }
}

interface AppointmentAtServer {
  resource: Record<string, unknown>;
  version: string | null;
}

/** Null where it is not there, or not any more. */
export async function readAppointment(ask: Ask, id: string): Promise<AppointmentAtServer | null> {
  const { body, version } = await orNull(
    ask({ method: 'GET', path: `Appointment/${id}`, template: 'Appointment/{id}' }),
  );
  const [resource] = fhir.resourcesOf('Appointment', body);
  if (resource) return { resource, version };
  return body === null ? null : refused('the answer is no Appointment', 200);
}

/** An answer without a resource where there is none. */
async function orNull(asked: Promise<FhirAnswer>): Promise<Pick<FhirAnswer, 'body' | 'version'>> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof FhirFault && (error.status === 404 || error.status === 410))
      return { body: null, version: null };
    throw error;
  }
}

const isAt = ({ start }: Record<string, unknown>, { startsAt }: AppointmentNotice) =>
  Date.parse(String(start)) === Date.parse(startsAt);

export async function move(booking: BookingAtServer, id: string): Promise<void> {
  const { ask, notice, settings, capabilities, slot } = booking;
  const slotReference = slot?.reference ?? (capabilities.hasSlots ? await slotOf(ask, notice, settings) : null);
  const isThere = await change(ask, id, (resource) => {
    // Somebody else has cancelled it meanwhile: it is not brought back unasked.
    if (fhir.isCalledOff(resource)) return refused('the appointment was cancelled there', 409);
    return {
      ...resource,
      status: 'booked',
      start: notice.startsAt,
      end: notice.endsAt,
      ...(slotReference !== null && { slot: [{ reference: slotReference }] }),
    };
  });
  if (!isThere) refused('the appointment is not there any more', 404);
}

export async function cancel(ask: Ask, id: string, reason: 'patient' | 'moved'): Promise<void> {
  await change(ask, id, (resource) => (fhir.isCalledOff(resource) ? null : { ...resource, ...fhir.cancelled(reason) }));
}

/**
 * Changes what is on record there, and nothing that somebody else has changed meanwhile: then it is read once more. False where
 * it is not there.
 */
async function change(
  ask: Ask,
  id: string,
  next: (resource: Record<string, unknown>) => Record<string, unknown> | null,
): Promise<boolean> {
  for (let isLastTry = false; ; isLastTry = true) {
    const found = await readAppointment(ask, id);
    if (!found) return false;
    const changed = next(found.resource);
    if (changed === null) return true;
    try {
      await ask({
        method: 'PUT',
        path: `Appointment/${id}`,
        template: 'Appointment/{id}',
        body: changed,
        headers: found.version === null ? {} : { 'if-match': found.version },
      });
      return true;
    } catch (error) {
      const isOutdated = error instanceof FhirFault && (error.status === 409 || error.status === 412);
      if (!isOutdated || isLastTry) throw error;
    }
  }
}

/** A server that answers a request with the request itself keeps the verdict beside it. */
async function answerTo(ask: Ask, made: FhirAnswer): Promise<object | null> {
  const id = fhir.idOf(made.body) ?? made.id;
  if (id === null) return null;
  const { body } = await ask({
    method: 'GET',
    path: 'CoverageEligibilityResponse',
    template: 'CoverageEligibilityResponse',
    query: [['request', `CoverageEligibilityRequest/${id}`]],
  });
  return fhir.verdictIn(fhir.resourcesOf('CoverageEligibilityResponse', body)[0]);
}
