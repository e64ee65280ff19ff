import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
let otherClinicId: string;
beforeAll(async () => {
  records = await openRecords();
  ({ clinicId, otherClinicId } = records);
});
afterAll(() => records.close());

const subjects = () => records.stores.callSubjects;
const at = (time: string) => new Date(`2035-03-05T${time}:00Z`);

const aPatient = async (owner = clinicId) => {
  const id = newId();
  await records.database.prisma.patient.create({ data: { id, clinicId: owner } });
  return id;
};
const aCall = async (patientId: string) => {
  const id = newId();
  await records.database.prisma.call.create({
    data: { id, clinicId, patientId, direction: 'inbound', state: 'ENDED' },
  });
  return id;
};
const aNote = async (patientId: string, callId: string | null, about: object = {}) => {
  const id = newId();
  const content = [{ contentType: 'text/plain', data: Buffer.from('Rest.').toString('base64') }];
  await records.database.prisma.document.create({ data: { id, clinicId, patientId, callId, content, ...about } });
  return id;
};

test('the patient of a call is whoever it was with, in their clinic', async () => {
  const patients = [await aPatient(), await aPatient(), await aPatient()];
  const calls: string[] = [];
  for (const patientId of patients) calls.push(await aCall(patientId));
  const patientOf = async (callId: string, owner = clinicId) =>
    (await subjects().patient(owner, callId))?.patientId ?? null;

  const found: (string | null)[] = [];
  for (const callId of calls) found.push(await patientOf(callId));

  expect(found).toEqual(patients);
  expect(await patientOf(calls[0] ?? '', otherClinicId)).toBeNull();
  expect(await patientOf(newId())).toBeNull();
});

test('the notes of a call are its own, the oldest first, each with the texts of all that it has', async () => {
  const patientId = await aPatient();
  const [callId, other] = [await aCall(patientId), await aCall(patientId)];
  const content = ['Fever.', 'Zoë asked for “rest”.'].map((text) => ({ data: Buffer.from(text).toString('base64') }));
  const later = await aNote(patientId, callId, { createdAt: at('10:00'), escalateToClinicalTeam: true });
  const earlier = await aNote(patientId, callId, { createdAt: at('09:00'), content, requestExternalRecords: true });
  await aNote(patientId, other);
  await aNote(patientId, null);

  expect(await subjects().documents(clinicId, callId)).toEqual([
    {
      documentId: earlier,
      text: 'Fever.\nZoë asked for “rest”.',
      escalateToClinicalTeam: false,
      requestExternalRecords: true,
      createdAt: at('09:00').toISOString(),
    },
    {
      documentId: later,
      text: 'Rest.',
      escalateToClinicalTeam: true,
      requestExternalRecords: false,
      createdAt: at('10:00').toISOString(),
    },
  ]);
  expect(await subjects().documents(otherClinicId, callId)).toEqual([]);
});

describe("the clinic's own id", () => {
  let patientId: string;
  beforeEach(async () => {
    patientId = await aPatient();
  });
  let hours = 0;
  const anAppointment = async (externalId: string | null, owner = clinicId) => {
    const id = newId();
    const { prisma } = records.database;
    const provider = await prisma.provider.findFirstOrThrow({ where: { clinicId: owner } });
    const startsAt = new Date(at('08:00').getTime() + (hours += 1) * 3_600_000);
    const endsAt = new Date(startsAt.getTime() + 1_800_000);
    const whose = { clinicId: owner, patientId: owner === clinicId ? patientId : await aPatient(owner) };
    const times = { startsAt, endsAt, visitType: 'Check-up' };
    await prisma.appointment.create({ data: { id, ...whose, providerId: provider.id, ...times, externalId } });
    return { id, externalId, status: 'booked', providerName: provider.name, ...times };
  };
  const keep = (
    of: 'patient' | 'appointment' | 'document',
    about: { id: string; externalId: string; clinicId?: string },
  ) => subjects().keepExternalId({ clinicId, of, ...about });

  test.each([
    ['that has none is that which it is given', null, 'OURS-1', 'OURS-1'],
    ['that has one stays', 'OURS-0', 'OURS-1', 'OURS-0'],
  ])('of a patient %s', async (_what, before, externalId, after) => {
    const other = await aPatient();
    const { prisma } = records.database;
    await prisma.patient.update({ where: { id: patientId }, data: { externalId: before } });

    await keep('patient', { id: patientId, externalId: 'THEIRS', clinicId: otherClinicId });
    await keep('patient', { id: patientId, externalId });

    const idOf = async (id: string) => (await prisma.patient.findUniqueOrThrow({ where: { id } })).externalId;
    expect([await idOf(patientId), await idOf(other)]).toEqual([after, null]);
    await prisma.patient.update({ where: { id: patientId }, data: { externalId: null } });
  });

  test.each([
    ['that has none is that which it is given', null, 'VISIT-1', 'VISIT-1'],
    ['that has another is the new one', 'VISIT-2', 'VISIT-3', 'VISIT-3'],
    ['stays where another appointment has the new one', 'VISIT-4', 'TAKEN', 'VISIT-4'],
    ['is the new one where an appointment of another clinic has that', 'VISIT-5', 'ELSEWHERE', 'ELSEWHERE'],
  ])('of an appointment %s', async (_what, before, externalId, after) => {
    const { prisma } = records.database;
    const [own, other] = [await anAppointment(before), await anAppointment(null)];
    const [taken, elsewhere] = [await anAppointment('TAKEN'), await anAppointment('ELSEWHERE', otherClinicId)];

    await keep('appointment', { id: own.id, externalId: 'THEIRS', clinicId: otherClinicId });
    await keep('appointment', { id: own.id, externalId });

    const find = (id: string, owner = clinicId) => subjects().appointment(owner, id);
    expect([await find(own.id), await find(other.id)]).toEqual([{ ...own, externalId: after }, other]);
    expect(await find(elsewhere.id, otherClinicId)).toEqual(elsewhere);
    expect([await find(own.id, otherClinicId), await find(newId())]).toEqual([null, null]);
    await prisma.appointment.deleteMany({ where: { id: { in: [taken.id, elsewhere.id] } } });
  });

  test('of a note is the one that was given last, in its clinic', async () => {
    const [id, other] = [await aNote(patientId, null), await aNote(patientId, null)];

    await keep('document', { id, externalId: 'NOTE-1' });
    await keep('document', { id, externalId: 'NOTE-2' });
    await keep('document', { id, externalId: 'THEIRS', clinicId: otherClinicId });

    const notes = await records.database.prisma.document.findMany({ where: { id: { in: [id, other] } } });
    expect(new Map(notes.map((note) => [note.id, note.externalId]))).toEqual(
      new Map([
        [id, 'NOTE-2'],
        [other, null],
      ]),
    );
  });
});
