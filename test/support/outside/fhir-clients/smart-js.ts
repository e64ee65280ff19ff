import { createRequire } from 'node:module';
import { join } from 'node:path';
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

interface SmartClient {
  request(asked: string | object, options?: object): Promise<Json>;
  create(resource: object, options?: object): Promise<Json>;
  update(resource: object, options?: object): Promise<Json>;
}
type Smart = (...about: object[]) => { client(state: object): SmartClient };

/** The walk of SMART's fhirclient, as it is installed in `home`. */
export async function walkSmartJs(walk: Walk, home: string): Promise<Walked> {
  const smart = createRequire(join(home, 'package.json'))('fhirclient') as Smart;
  const storage = { get: async () => undefined, set: async () => undefined, unset: async () => true };
  const client = smart({ url: '/', headers: {} }, {}, storage).client({
    serverUrl: walk.baseUrl,
    tokenResponse: { access_token: walk.token },
  });
  const isReal = walk.mode === 'real';
  const post = (url: string, body: object, headers: Record<string, string> = {}): Promise<Json> =>
    client.request({
      url,
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/fhir+json', ...headers },
    });
  const matching = (...given: Parameters<typeof parameters>) => post('Patient/$match', parameters(...given));
  /** It reads the body of a refusal itself, and keeps it in its message. */
  const refusalOf = async (answer: Promise<unknown>): Promise<{ status: number; body: Json }> => {
    try {
      return { status: 200, body: await answer };
    } catch (error) {
      const { status, message } = error as { status: number; message: string };
      return { status, body: JSON.parse(message.slice(message.indexOf('{'))) };
    }
  };

  const capabilities = await client.request('metadata');
  const schedules = await client.request(`Schedule?actor=Practitioner/${PROVIDER}`);
  const schedule = isReal ? resources(schedules)[0].id : schedules.id;
  const open = await client.request(`Slot?schedule=Schedule/${schedule}&_count=5`, { pageLimit: 2, flat: true });
  const slots: string[] = open.map(({ start }: Json) => start);
  const [first = '', second = ''] = slots;

  const matched = isReal
    ? await matching({ name: 'resource', resource: person }, { name: 'onlyCertainMatches', valueBoolean: true })
    : await matching({ name: 'identifier', valueString: PERSON.identifier });
  const [{ id: patient }] = resources(matched);
  const booking = (start: string) => parameters({ name: 'appointment', resource: proposed(patient, start) });
  const booked = await post('Appointment/$book', booking(first));
  const refused = await refusalOf(post('Appointment/$book', booking(first)));
  const ofPatient = `Appointment?patient=Patient/${patient}${isReal ? '&status=booked' : ''}`;
  const found = resources(await client.request(ofPatient)).map(({ id }) => id);
  const said = {
    fhirVersion: capabilities.fhirVersion,
    schedule,
    slots,
    patient,
    booked: seen(booked),
    refused: { status: refused.status, said: saidIn(refused.body) },
    found,
  };
  const { id } = booked;
  const written = async () => {
    const note = await client.create(noteFor(walk, patient));
    return note.subject.reference;
  };

  if (!isReal) {
    const moved = await post(`Appointment/${id}/$reschedule`, { start: second });
    const cancelled = await post(`Appointment/${id}/$cancel`, {});
    const { total: left } = await client.request(ofPatient);
    return { ...said, moved: seen(moved), cancelled: { status: cancelled.status }, left, note: await written() };
  }

  const read = await client.request(`Appointment/${id}`);
  const headers = { 'if-match': `W/"${read.meta.versionId}"` };
  const moved = await client.create(proposed(patient, second));
  const reason = parameters({ name: 'cancelationReason', valueCodeableConcept: REASON });
  const cancelled = await post(`Appointment/${id}/$cancel`, reason, headers);
  const stale = await refusalOf(client.update(read, { headers }));
  const history = await client.request(`Appointment/${id}/_history`);
  await client.update(
    { ...moved, status: 'cancelled', cancelationReason: REASON },
    { headers: { 'if-match': `W/"${moved.meta.versionId}"` } },
  );
  const { total: left } = await client.request(ofPatient);
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
