import { Client } from 'fhir-kit-client';
import {
  gradeIn,
  type Json,
  noteFor,
  parameters,
  PERSON,
  person,
  proposed,
  PROVIDER,
  REASON,
  resources,
  saidIn,
  seen,
  stranger,
  type Walk,
  type Walked,
} from './walk';

/** The walk of fhir-kit-client. */
export async function walkFhirKit(walk: Walk): Promise<Walked> {
  const client = new Client({ baseUrl: walk.baseUrl, bearerToken: walk.token });
  const isReal = walk.mode === 'real';
  const operate = (name: string, input?: object, about: object = {}): Promise<Json> =>
    client.operation({ resourceType: 'Appointment', name, ...(input && { input: input as never }), ...about });
  const matching = (...given: Parameters<typeof parameters>): Promise<Json> =>
    client.operation({ resourceType: 'Patient', name: 'match', input: parameters(...given) });
  const search = (resourceType: string, searchParams: Record<string, string | number>): Promise<Json> =>
    client.search({ resourceType, searchParams });
  const refusalOf = async (answer: Promise<unknown>) =>
    answer.then(
      () => ({ status: 200, data: {} as Json }),
      (error: { response: { status: number; data: Json } }) => error.response,
    );

  const capabilities: Json = await client.capabilityStatement();
  const schedules = await search('Schedule', { actor: `Practitioner/${PROVIDER}` });
  const schedule = isReal ? resources(schedules)[0].id : schedules.id;
  const page = await search('Slot', { schedule: `Schedule/${schedule}`, _count: 5 });
  const next: Json = await client.nextPage({ bundle: page });
  const slots: string[] = [...resources(page), ...resources(next)].map(({ start }) => start);
  const [first = '', second = ''] = slots;

  const matched = isReal
    ? await matching({ name: 'resource', resource: person }, { name: 'onlyCertainMatches', valueBoolean: true })
    : await matching({ name: 'identifier', valueString: PERSON.identifier });
  const [{ id: patient }] = resources(matched);
  const booking = (start: string) => parameters({ name: 'appointment', resource: proposed(patient, start) });
  const booked = await operate('book', booking(first));
  const refused = await refusalOf(operate('book', booking(first)));
  const ofPatient = { patient: `Patient/${patient}`, ...(isReal && { status: 'booked' }) };
  const found = resources(await search('Appointment', ofPatient)).map(({ id }) => id);
  const said = {
    fhirVersion: capabilities.fhirVersion,
    schedule,
    slots,
    patient,
    booked: seen(booked),
    refused: { status: refused.status, said: saidIn(refused.data) },
    found,
  };
  const { id } = booked;
  const written = async () => {
    const note: Json = await client.create({
      resourceType: 'DocumentReference',
      body: noteFor(walk, patient),
    });
    return note.subject.reference;
  };

  if (!isReal) {
    const moved = await operate('reschedule', { start: second }, { id });
    const cancelled = await operate('cancel', undefined, { id });
    const { total: left } = await search('Appointment', ofPatient);
    return {
      ...said,
      moved: seen(moved),
      cancelled: { status: cancelled.status },
      left,
      note: await written(),
    };
  }

  const read: Json = await client.read({ resourceType: 'Appointment', id });
  const etag = Client.httpFor(read).response?.headers.get('etag') ?? '';
  const moved: Json = await client.create({ resourceType: 'Appointment', body: proposed(patient, second) });
  const reason = parameters({ name: 'cancelationReason', valueCodeableConcept: REASON });
  const options = { headers: { 'If-Match': etag } };
  const cancelled = await operate('cancel', reason, { id, options });
  const stale = await refusalOf(client.update({ resourceType: 'Appointment', id, body: read, options }));
  const history: Json = await client.history({ resourceType: 'Appointment', id });
  await client.update({
    resourceType: 'Appointment',
    id: moved.id,
    body: { ...moved, status: 'cancelled', cancelationReason: REASON },
    options: { headers: { 'If-Match': `W/"${moved.meta.versionId}"` } },
  });
  const { total: left } = await search('Appointment', ofPatient);
  const { total: nobody } = await matching({ name: 'resource', resource: stranger });
  return {
    ...said,
    moved: seen(moved),
    cancelled: { status: cancelled.status, reason: cancelled.cancelationReason.coding[0].code },
    left,
    note: await written(),
    grade: gradeIn(matched),
    nobody,
    history: resources(history).map(({ meta }) => meta.versionId),
    stale: stale.status,
  };
}
