import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

describe('the next visit of a patient as it was on record a while ago', () => {
  const asOf = new Date('2035-01-08T09:00:00.000Z');
  const now = new Date('2035-01-08T10:00:00.000Z');
  const from = (instant: Date, milliseconds: number) => new Date(instant.getTime() + milliseconds);
  const visitAt = (startsAt: Date) => ({ startsAt, endsAt: from(startsAt, 30 * 60_000) });
  const cancelled = (cancelledAt: Date) => ({ status: 'cancelled', cancelledAt });

  test.each<[what: string, about: object, isFound: boolean]>([
    ['that is to come', {}, true],
    ['that begins just now', visitAt(now), false],
    ['that begins just after', visitAt(from(now, 1)), true],
    ['that was booked just then', { createdAt: asOf }, true],
    ['that was booked just after', { createdAt: from(asOf, 1) }, false],
    ['that was cancelled since', cancelled(from(asOf, 1)), true],
    ['that was cancelled just then', cancelled(asOf), false],
    ['that was cancelled before', cancelled(from(asOf, -1)), false],
    ['that was a time held in a call', { ...cancelled(from(asOf, 1)), heldUntil: from(asOf, 1) }, false],
    ['whose patient has arrived', { status: 'arrived' }, false],
  ])('is one %s, or is not', async (_what, about, isFound) => {
    const { stores, database } = records;
    const clinicId = await records.aClinic();
    const { id: providerId } = await database.prisma.provider.findFirstOrThrow({ where: { clinicId } });
    const aPatient = async () => {
      const id = newId();
      await database.prisma.patient.create({ data: { id, clinicId } });
      return id;
    };
    const [patientId, other] = [await aPatient(), await aPatient()];
    const aVisit = async (ofPatient: string, startsAt: Date, given: object = {}) => {
      const id = newId();
      const made = {
        id,
        clinicId,
        providerId,
        patientId: ofPatient,
        visitType: 'New Patient',
        createdAt: from(asOf, -1),
      };
      await database.prisma.appointment.create({ data: { ...made, ...visitAt(startsAt), ...given } });
      return id;
    };
    // The others begin later, or before it and are another patient's.
    const later = await aVisit(patientId, from(now, 5 * 3_600_000));
    await aVisit(patientId, from(now, 4 * 3_600_000), { createdAt: from(asOf, 1) });
    const ofOther = await aVisit(other, from(now, 3_600_000));
    const id = await aVisit(patientId, from(now, 2 * 3_600_000), about);

    const asked = { clinicId, patientId, asOf, now };
    const found = await stores.sandbox.upcomingAsOf(asked);

    expect(found?.id).toBe(isFound ? id : later);
    expect(found).toMatchObject({ clinicId, patientId, providerName: 'Dr.Vega', providerDisplayName: 'Dr. Luz Vega' });
    expect((await stores.sandbox.upcomingAsOf({ ...asked, patientId: other }))?.id).toBe(ofOther);
    expect(await stores.sandbox.upcomingAsOf({ ...asked, clinicId: records.otherClinicId })).toBeNull();
    expect(await stores.sandbox.upcomingAsOf({ ...asked, patientId: newId() })).toBeNull();
  });
});
