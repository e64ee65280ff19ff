import { newId } from '@clinic/shared/crypto';
import type { CallerTry } from '@clinic/shared/domain/voice/caller-trust';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let last = 0;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

const aPhone = () => `+1415555${2000 + (last += 1)}`;

async function aCall(patientId: string, phone = aPhone()) {
  const id = newId();
  const { clinicId } = records;
  await records.database.prisma.call.create({
    data: { id, clinicId, patientId, direction: 'inbound', state: 'RINGING', phone },
  });
  return { clinicId, callId: id, patientId, phone };
}
const tryOf = (call: Awaited<ReturnType<typeof aCall>>, kind: CallerTry, id = newId()) =>
  records.stores.callerTries.take({ id, kind, ...call });
const earlier = (id: string, ms: number) =>
  records.database.prisma.callerTry.update({ where: { id }, data: { at: new Date(Date.now() - ms) } });
const [HOUR, DAY, MINUTE] = [3_600_000, 86_400_000, 60_000];

test('a booking is tried once in a call and twice of a patient within a day, each kind by itself', async () => {
  const [patient, other] = [await records.aPatient(), await records.aPatient()];
  const [first, second, third] = [await aCall(patient), await aCall(patient), await aCall(patient)];
  const [ofFirst, ofSecond] = [newId(), newId()];

  const taken = {
    once: await tryOf(first, 'booking', ofFirst),
    runAgain: await tryOf(first, 'booking', ofFirst),
    again: await tryOf(first, 'booking'),
    anotherKind: await tryOf(first, 'hold'),
    inAnotherCall: await tryOf(second, 'booking', ofSecond),
    ofThePatient: await tryOf(third, 'booking'),
    ofAnother: await tryOf(await aCall(other), 'booking'),
  };
  await earlier(ofSecond, DAY - MINUTE);
  const withinTheDay = await tryOf(third, 'booking');
  await earlier(ofSecond, DAY + MINUTE);
  const ofThird = newId();
  const nextDay = await tryOf(third, 'booking', ofThird);
  const fourth = await aCall(patient);
  const full = await tryOf(fourth, 'booking');
  await records.stores.callerTries.giveBack(records.otherClinicId, ofThird);
  const givenBackElsewhere = await tryOf(fourth, 'booking');
  await records.stores.callerTries.giveBack(records.clinicId, ofThird);

  expect(taken).toEqual({
    once: true,
    runAgain: true,
    again: false,
    anotherKind: true,
    inAnotherCall: true,
    ofThePatient: false,
    ofAnother: true,
  });
  expect([withinTheDay, nextDay, full, givenBackElsewhere]).toEqual([false, true, false, false]);
  expect(await tryOf(fourth, 'booking')).toBe(true);
});

test('who somebody is, is asked twenty times an hour of one number', async () => {
  const { database, clinicId } = records;
  const patientId = await records.aPatient();
  const [before, after, elsewhere] = [await aCall(patientId), await aCall(patientId), await aCall(patientId)];
  const ofNumber = { ...after, phone: before.phone };
  await database.prisma.call.update({ where: { id: after.callId }, data: { phone: before.phone } });
  const tries = Array.from({ length: 20 }, () => ({
    id: newId(),
    clinicId,
    patientId,
    callId: before.callId,
    kind: 'identity',
  }));
  await database.prisma.callerTry.createMany({ data: tries });

  const tooMany = [await tryOf(ofNumber, 'identity'), await tryOf(elsewhere, 'identity')];
  await earlier(tries[0]?.id ?? '', HOUR + MINUTE);

  expect(tooMany).toEqual([false, true]);
  expect(await tryOf(ofNumber, 'identity')).toBe(true);
});
