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
  const statement = await client.capabilityStatement();
  assertR4(statement);

  const matched = await client.operation({ resourceType: 'Patient', name: 'match', input: aMatch('MRN-2001') });
  assertR4(matched);
  const patientId = matched.entry[0].resource.id;

  const schedule = await client.request('Schedule?actor=Practitioner/Dr.Chen');
  assertR4(schedule);

  const slots = await client.search({
    resourceType: 'Slot',
    searchParams: { schedule: `Schedule/${schedule.id}`, _count: 5 },
  });
  assertR4(slots);
  const more = await client.nextPage({ bundle: slots });
  assertR4(more);
  const [first, second] = [slots.entry[0].resource, more.entry[0].resource];
  expect(slots.entry).toHaveLength(5);
  expect(Date.parse(second.start)).toBeGreaterThan(Date.parse(slots.entry[4].resource.start));

  const booked = await client.operation({
    resourceType: 'Appointment',
    name: 'book',
    input: aBooking({ patient: patientId, start: first.start }),
  });
  assertR4(booked);
  expect(booked).toMatchObject({ status: 'booked', start: first.start, end: first.end });

  const upcoming = await client.search({
    resourceType: 'Appointment',
    searchParams: { patient: `Patient/${patientId}` },
  });
  assertR4(upcoming);
  expect(upcoming.entry[0].resource).toEqual(booked);

  const moved = await client.operation({
    resourceType: 'Appointment',
    id: booked.id,
    name: 'reschedule',
    input: { start: second.start },
  });
  assertR4(moved);
  expect(moved).toEqual({ ...booked, start: second.start, end: second.end });

  const cancelled = await client.operation({ resourceType: 'Appointment', id: booked.id, name: 'cancel' });
  assertR4(cancelled);
  expect(cancelled).toEqual({ ...moved, status: 'cancelled' });

  const none = await client.search({ resourceType: 'Appointment', searchParams: { patient: `Patient/${patientId}` } });
  assertR4(none);
  expect(none).toMatchObject({ total: 0, entry: [] });

  const note = await client.create({ resourceType: 'DocumentReference', body: aNote(patientId) });
  assertR4(note);
  expect(note).toMatchObject(aNote(patientId));
});

test('a FHIR client finds the reason of a refused booking in the OperationOutcome', async () => {
  const matched = await client.operation({ resourceType: 'Patient', name: 'match', input: aMatch('MRN-2002') });
  const slots = await client.search({ resourceType: 'Slot', searchParams: { schedule: 'Schedule/Dr.Okafor' } });
  const input = aBooking({
    patient: matched.entry[0].resource.id,
    start: slots.entry[0].resource.start,
    provider: 'Dr.Okafor',
  });
  await client.operation({ resourceType: 'Appointment', name: 'book', input });

  const refused = await client.operation({ resourceType: 'Appointment', name: 'book', input }).catch((error: unknown) => error);

  expect(refused.response.status).toBe(409);
  assertR4(refused.response.data);
  expect(refused.response.data.issue).toEqual([{ severity: 'error', code: 'conflict', diagnostics: 'slot_taken' }]);
});
