import { Client } from 'fhir-kit-client';
import { startApp, type App } from '../support/app';
import { aBooking, aMatch, aNote, openSandbox } from '../support/fhir';
import { assertR4 } from '../support/r4';

let app: App;
let client: Client;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  const { staff } = await openSandbox(app);
  client = new Client({ baseUrl: app.baseUrl, bearerToken: staff });
});
afterAll(() => app.stop());

test('a FHIR client walks from matching to write-back, and every answer is valid R4', async () => {
  await valid(client.capabilityStatement());
  const schedule = await valid(client.request('Schedule?actor=Practitioner/Dr.Chen'));
  const patientId = await matched('MRN-2001');

  const slots = await valid(search('Slot', { schedule: `Schedule/${schedule.id}`, _count: 5 }));
  const more = await valid(client.nextPage({ bundle: slots as never }));
  const first = resourceOf(slots);
  const second = resourceOf(more);
  expect(slots.entry).toHaveLength(5);
  expect(second.start > slots.entry[4]!.resource.start).toBe(true);

  const input = aBooking({ patient: patientId, start: first.start });
  const booked = await valid(client.operation({ resourceType: 'Appointment', name: 'book', input }));
  expect(booked).toMatchObject({ status: 'booked', start: first.start, end: first.end });
  expect(resourceOf(await valid(search('Appointment', { patient: `Patient/${patientId}` })))).toEqual(booked);

  const about = { resourceType: 'Appointment', id: booked.id };
  const moved = await valid(client.operation({ ...about, name: 'reschedule', input: { start: second.start } }));
  expect(moved).toEqual({ ...booked, start: second.start, end: second.end });

  const cancelled = await valid(client.operation({ ...about, name: 'cancel' }));
  expect(cancelled).toEqual({ ...moved, status: 'cancelled' });
  const none = await valid(search('Appointment', { patient: `Patient/${patientId}` }));
  expect(none).toMatchObject({ total: 0, entry: [] });

  const note = await valid(client.create({ resourceType: 'DocumentReference', body: aNote(patientId) }));
  expect(note).toMatchObject(aNote(patientId));
});

test('a FHIR client finds the reason of a refused booking in the OperationOutcome', async () => {
  const patient = await matched('MRN-2002');
  const { start } = resourceOf(await valid(search('Slot', { schedule: 'Schedule/Dr.Okafor' })));
  const input = aBooking({ patient, start, provider: 'Dr.Okafor' });
  const book = () => client.operation({ resourceType: 'Appointment', name: 'book', input });
  await book();

  const { response } = (await book().catch((error: unknown) => error)) as {
    response: { status: number; data: { issue: unknown } };
  };

  expect(response.status).toBe(409);
  assertR4(response.data);
  expect(response.data.issue).toEqual([{ severity: 'error', code: 'conflict', diagnostics: 'slot_taken' }]);
});

interface Resource {
  id: string;
  status: string;
  start: string;
  end: string;
  entry: { resource: Resource }[];
}

async function valid(answer: Promise<unknown> | undefined): Promise<Resource> {
  const resource = await answer;
  assertR4(resource);
  return resource as Resource;
}

const search = (resourceType: string, searchParams: Record<string, string | number>) =>
  client.search({ resourceType, searchParams });

const resourceOf = ({ entry }: Resource): Resource => entry[0]!.resource;

async function matched(identifier: string): Promise<string> {
  const input = aMatch(identifier);
  return resourceOf(await valid(client.operation({ resourceType: 'Patient', name: 'match', input }))).id;
}
