import { setTimeout as delay } from 'node:timers/promises';
import { fhirRoutes } from '@clinic/api/fhir/routes';
import type { Around, Caller, FhirRequest, RouteDeps } from '@clinic/api/http/route';
import type { SandboxFailureCode } from '@clinic/shared/domain/sandbox/sandbox-failures';
import { aBooking, parametersOf } from '../support/fhir';
import { openRecords, type Records } from '../support/records';

let records: Records;
let clinicId: string;
let patientId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic();
  patientId = (await records.stores.sandbox.match(clinicId, 'MRN-1')).patient.id;
});
afterAll(() => records.close());

const [nine, ten] = ['2035-03-05T09:00:00.000Z', '2035-03-05T10:00:00.000Z'];
const provider = 'Dr.Vega';

/** What stands in the calendar: whose each time is, and how it is. */
async function standing(): Promise<string[]> {
  const found = await records.database.prisma.appointment.findMany({
    where: { clinicId },
    orderBy: { startsAt: 'asc' },
  });
  return found.map(({ startsAt, patientId: whose, status }) => {
    const who = whose === patientId ? 'patient' : 'rival';
    return `${startsAt.toISOString().slice(11, 16)} ${who} ${status}`;
  });
}

async function aBooked(): Promise<string> {
  const booking = { clinicId, patientId, provider, visitType: 'Follow-up', startsAt: nine, now: new Date() };
  const booked = await records.stores.appointments.book(booking);
  if (booked.kind !== 'booked') throw new Error(`a booking was ${booked.kind}`);
  return booked.appointment.id;
}

/** Asks a route that a failure is chosen for, over stores that take a moment: what stands when the work itself begins. */
async function whenBegun(failure: SandboxFailureCode, path: string, asked: object): Promise<string[]> {
  const { stores } = records;
  const endsAt = new Date(Date.now() + 3_600_000);
  const about = { clinicId, failure, operation: null, identifier: null, parameters: {}, times: 1, endsAt };
  await stores.sandboxFailures.choose(about);
  const late =
    <Given, Told>(work: (given: Given) => Promise<Told>) =>
    async (given: Given) => {
      await delay(20);
      return work(given);
    };
  const { appointments } = stores;
  const slow = { ...appointments, book: late(appointments.book), cancel: late(appointments.cancel) };
  const caller = { kind: 'session', clinicId, agenda: await stores.agendas.of(clinicId) };
  const route = fhirRoutes.find((each) => each.method === 'post' && each.path === path);
  let found: string[] | undefined;
  const play = route?.around?.(caller as Caller);
  if (!play) throw new Error('no failure is chosen for it');
  const reply = await play(
    { response: { locals: {} }, holdOpen: () => undefined } as unknown as Parameters<Around>[0],
    { caller, query: {}, params: {}, ...asked } as unknown as FhirRequest,
    async () => {
      found ??= await standing();
      return { status: 200, body: {} };
    },
    { stores: { ...stores, appointments: slow } } as unknown as RouteDeps,
  );
  expect(reply.headers).toEqual({ 'x-sandbox-failure': failure });
  return found ?? ['nothing was done'];
}

test('a time that is to be booked is somebody else’s before the booking begins', async () => {
  const body = aBooking({ patient: patientId, start: ten, provider });

  expect(await whenBegun('slot_goes', '/Appointment/$book', { body })).toEqual(['10:00 rival booked']);
});

test('a time that is held for the one who books it goes to nobody else', async () => {
  const body = parametersOf({ name: 'appt-id', valueUri: `Appointment/${await aBooked()}` });

  expect(await whenBegun('slot_goes', '/Appointment/$book', { body })).toEqual(['09:00 patient booked']);
});

test('a time to which an appointment is to be moved is somebody else’s before it is moved', async () => {
  const asked = { params: { id: await aBooked() }, body: { start: ten } };

  expect(await whenBegun('slot_goes', '/Appointment/:id/$reschedule', asked)).toEqual([
    '09:00 patient booked',
    '10:00 rival booked',
  ]);
});

test('of an appointment that is not there nobody takes the time', async () => {
  const asked = { params: { id: 'gone' }, body: { start: ten } };

  expect(await whenBegun('slot_goes', '/Appointment/:id/$reschedule', asked)).toEqual([]);
});

test('an appointment is cancelled before it is moved, and no other', async () => {
  const id = await aBooked();
  const other = { clinicId, patientId, provider, visitType: 'Follow-up', startsAt: ten, now: new Date() };
  await records.stores.appointments.book(other);
  const asked = { params: { id }, body: { start: '2035-03-05T11:00:00.000Z' } };

  expect(await whenBegun('cancelled_meanwhile', '/Appointment/:id/$reschedule', asked)).toEqual([
    '09:00 patient cancelled',
    '10:00 patient booked',
  ]);
});
