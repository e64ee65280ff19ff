import { MedplumClient, OperationOutcomeError } from '@medplum/core';
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

/** The walk of @medplum/core. It tells of a refusal by its OperationOutcome alone: the status is read beside it. */
export async function walkMedplum(walk: Walk): Promise<Walked> {
  const isReal = walk.mode === 'real';
  let status = 0;
  const client = new MedplumClient({
    baseUrl: walk.baseUrl.replace(/api$/, ''),
    fhirUrlPath: 'api/',
    cacheTime: 0,
    fetch: async (url: string, options: RequestInit) => {
      const response = await fetch(url, options);
      ({ status } = response);
      return response;
    },
  });
  client.setAccessToken(walk.token);
  const operate = (path: string[], input: object = {}, headers: Record<string, string> = {}): Promise<Json> =>
    client.post(client.fhirUrl(...path), input, undefined, { headers });
  const matching = (...given: Parameters<typeof parameters>) => operate(['Patient', '$match'], parameters(...given));
  const search = (type: string, query: Record<string, string>): Promise<Json> => client.search(type as 'Slot', query);
  const refusalOf = async (answer: Promise<unknown>): Promise<{ status: number; outcome: Json }> => {
    try {
      return { status, outcome: await answer };
    } catch (error) {
      if (!(error instanceof OperationOutcomeError)) throw error;
      return { status, outcome: error.outcome };
    }
  };

  const capabilities: Json = await client.get(client.fhirUrl('metadata'));
  const schedules = await search('Schedule', { actor: `Practitioner/${PROVIDER}` });
  const schedule = isReal ? resources(schedules)[0].id : schedules.id;
  const slots: string[] = [];
  for await (const page of client.searchResourcePages('Slot', { schedule: `Schedule/${schedule}`, _count: '5' })) {
    slots.push(...page.map(({ start }) => start ?? ''));
    if (slots.length >= 10) break;
  }
  const [first = '', second = ''] = slots;

  const matched = isReal
    ? await matching({ name: 'resource', resource: person }, { name: 'onlyCertainMatches', valueBoolean: true })
    : await matching({ name: 'identifier', valueString: PERSON.identifier });
  const [{ id: patient }] = resources(matched);
  const booking = (start: string) => parameters({ name: 'appointment', resource: proposed(patient, start) });
  const booked = await operate(['Appointment', '$book'], booking(first));
  const refused = await refusalOf(operate(['Appointment', '$book'], booking(first)));
  const ofPatient = { patient: `Patient/${patient}`, ...(isReal && { status: 'booked' }) };
  const found = resources(await search('Appointment', ofPatient)).map(({ id }) => id);
  const said = {
    fhirVersion: capabilities.fhirVersion,
    schedule,
    slots,
    patient,
    booked: seen(booked),
    refused: { status: refused.status, said: saidIn(refused.outcome) },
    found,
  };
  const { id } = booked;
  const written = async () => {
    const note: Json = await client.createResource(noteFor(walk, patient));
    return note.subject.reference;
  };

  if (!isReal) {
    const moved = await operate(['Appointment', id, '$reschedule'], { start: second });
    const cancelled = await operate(['Appointment', id, '$cancel']);
    const { total: left } = await search('Appointment', ofPatient);
    return { ...said, moved: seen(moved), cancelled: { status: cancelled.status }, left, note: await written() };
  }

  const read: Json = await client.readResource('Appointment', id);
  const headers = { 'If-Match': `W/"${read.meta.versionId}"` };
  const identified = { ...proposed(patient, second), identifier: [{ system: 'urn:medplum', value: read.id }] };
  const moved: Json = await client.createResourceIfNoneExist(identified, `identifier=urn:medplum|${read.id}`);
  const reason = parameters({ name: 'cancelationReason', valueCodeableConcept: REASON });
  const cancelled = await operate(['Appointment', id, '$cancel'], reason, headers);
  const stale = await refusalOf(client.updateResource(read, { headers }));
  const history = await client.readHistory('Appointment', id);
  await client.updateResource(
    { ...moved, status: 'cancelled', cancelationReason: REASON },
    { headers: { 'If-Match': `W/"${moved.meta.versionId}"` } },
  );
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
