import { openRecords, type OpenedRun, type Records } from '../../../support/records';

let records: Records;
let run: OpenedRun;
let callId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  run = await records.aRun();
  callId = (await records.aPlacedCall(run)).callId;
});
afterAll(() => records.close());

const { stringify } = JSON;
const me = (patientId = run.patientId) => ({
  clinicId: records.clinicId,
  patientId,
  callId,
  isMatchedByNumber: false,
});
const patient = (id: string) => records.database.prisma.patient.findUniqueOrThrow({ where: { id } });
const tasks = (reason: string) => records.database.prisma.staffTask.findMany({ where: { callId, reason } });
const resolve = (stated: { name: string | null; phone: string | null }) =>
  records.stores.registration.resolveIdentity(me(), stated);
const intake = {
  firstName: 'Joan',
  lastName: 'Doe',
  birthDate: '1990-02-01',
  phone: '+14155550199',
  email: 'joan@example.com',
  address: '1 Main Street',
  reasonForVisit: 'Knee',
};

test('only what was given is written', async () => {
  const record = await records.stores.registration.update(me(), { email: 'ann@example.com' });

  expect(record).toMatchObject({ firstName: 'Ann', email: 'ann@example.com' });
  expect(await patient(run.patientId)).toMatchObject({ firstName: 'Ann', email: 'ann@example.com' });
});

test('a placeholder becomes a patient once every field is there, and not before', async () => {
  const id = await records.aPatient({ firstName: '', lastName: '' });
  await records.database.prisma.patient.update({ where: { id }, data: { isPlaceholder: true } });
  const given = {
    firstName: 'Joan',
    lastName: 'Doe',
    phone: '+14155550198',
    email: 'joan@example.com',
    preferredLocation: 'Denver',
    medicareStatus: 'none',
    healthPlanName: 'none',
    referralSource: 'a friend',
  };

  await records.stores.registration.update(me(id), given);
  const before = await patient(id);
  await records.stores.registration.update(me(id), { commsConsent: false });

  expect(before.isPlaceholder).toBe(true);
  expect((await patient(id)).isPlaceholder).toBe(false);
});

test('a date of birth that is on file stays', async () => {
  const id = await records.aPatient({ birthDate: '1980-05-05' });

  await records.stores.registration.saveIntake(me(id), intake);

  expect(await patient(id)).toMatchObject({ birthDate: '1980-05-05', firstName: 'Joan', address: '1 Main Street' });
});

test('nothing is written to a patient of another clinic', async () => {
  const before = await patient(run.patientId);
  const elsewhere = { ...me(), clinicId: records.otherClinicId };

  await records.stores.registration.update(elsewhere, { firstName: 'Mallory' });
  await records.stores.registration.saveIntake(elsewhere, intake);
  await records.stores.registration.saveSelfPay(elsewhere, { decision: 'self_pay_continue', priceCents: 1 });

  expect(stringify(await patient(run.patientId))).toBe(stringify(before));
});

test('a caller who states what another patient has is known, and staff are told once', async () => {
  const twin = await records.aPatient({ firstName: 'Zoe', lastName: 'Unique', phone: '+14155550777' });

  const type = await resolve({ name: 'zoe unique', phone: '+14155550777' });
  await resolve({ name: 'zoe unique', phone: '+14155550777' });

  expect(type).toBe('EXISTING');
  const opened = await tasks('identity_match');
  expect(opened).toHaveLength(1);
  expect(opened[0]?.detail).toMatchObject({ matches: [{ patientId: twin, matchedOn: ['phone', 'name'] }] });
});

test('a caller who matches in part is new, and staff are told', async () => {
  await records.aPatient({ firstName: 'Yan', lastName: 'Partly', phone: '+14155550778' });

  expect(await resolve({ name: 'Yan Partly', phone: '+14155550999' })).toBe('NEW');
  expect(await tasks('identity_match')).toHaveLength(1);
});

test('placeholders and patients of other clinics are nobody', async () => {
  const id = await records.aPatient({ firstName: 'Xi', lastName: 'Hidden', phone: '+14155550779' });
  await records.database.prisma.patient.update({ where: { id }, data: { isPlaceholder: true } });
  await records.stores.runs.openRun({
    clinicId: records.otherClinicId,
    sessionId: 'elsewhere',
    workflowType: 'care-gap-follow-up',
    patient: { firstName: 'Xi', lastName: 'Hidden', phone: '+14155550779' },
  });

  expect(await resolve({ name: 'Xi Hidden', phone: '+14155550779' })).toBe('NEW');
  expect(await tasks('identity_match')).toEqual([]);
});

describe('who states a name and a phone', () => {
  const stated = { name: 'Uma Stated', phone: '+14155550666' };
  const named = { firstName: 'Uma', lastName: 'Stated' };
  const matches = async () => records.database.prisma.identityMatch.findMany({ where: { callId } });
  afterEach(() =>
    records.database.prisma.patient.updateMany({
      where: { OR: [{ phone: stated.phone }, named] },
      data: { firstName: 'Past', lastName: 'Past', phone: null },
    }),
  );

  test.each<
    [what: string, about: object, told: { name?: null; phone?: null }, type: string, matchedOn: string[] | null]
  >([
    ['has both', { ...named, phone: stated.phone }, {}, 'EXISTING', ['phone', 'name']],
    ['has the phone', { phone: stated.phone }, {}, 'NEW', ['phone']],
    ['has the name', named, {}, 'NEW', ['name']],
    ['has neither', {}, {}, 'NEW', null],
    ['has the name, which alone was stated', named, { phone: null }, 'EXISTING', ['name']],
    ['has the phone, which alone was stated', { phone: stated.phone }, { name: null }, 'EXISTING', ['phone']],
  ])('is compared with a patient who %s', async (_what, about, told, type, matchedOn) => {
    const id = await records.aPatient(about);

    expect(await resolve({ ...stated, ...told })).toBe(type);

    expect((await matches()).map((match) => [match.patientId, match.matchedOn])).toEqual(
      matchedOn ? [[id, matchedOn]] : [],
    );
    expect((await patient(run.patientId)).patientType).toBe(type);
    expect(await tasks('identity_match')).toHaveLength(matchedOn ? 1 : 0);
  });

  test('is known by their own record, of which nobody is told', async () => {
    await records.database.prisma.patient.update({
      where: { id: run.patientId },
      data: { ...named, phone: stated.phone, isPlaceholder: false },
    });

    expect(await resolve(stated)).toBe('EXISTING');

    expect([await matches(), await tasks('identity_match')]).toEqual([[], []]);
  });

  test('is compared with their own record and nine others at most, those first who have been known for longest', async () => {
    const createdAt = (minute: number) => new Date(Date.UTC(2020, 0, 1, 0, minute));
    const others = [];
    for (let minute = 0; minute < 11; minute += 1) {
      const id = await records.aPatient({ phone: stated.phone });
      await records.database.prisma.patient.update({ where: { id }, data: { createdAt: createdAt(minute) } });
      others.push(id);
    }
    const own = { ...named, phone: stated.phone, isPlaceholder: false };
    await records.database.prisma.patient.update({ where: { id: run.patientId }, data: own });

    expect(await resolve(stated)).toBe('EXISTING');

    const told = (await matches()).map(({ patientId }) => patientId);
    expect(told.toSorted()).toEqual(others.slice(0, 9).toSorted());
  });

  test('is not compared with who was merged into another', async () => {
    const [kept, replaced] = [await records.aPatient(), await records.aPatient({ ...named, phone: stated.phone })];
    await records.database.prisma.patient.update({ where: { id: replaced }, data: { replacedBy: kept } });

    expect(await resolve(stated)).toBe('NEW');

    expect(await matches()).toEqual([]);
    await records.database.prisma.patient.update({ where: { id: replaced }, data: { replacedBy: null } });
  });

  test('leaves the record of a patient who was matched by the number as it is', async () => {
    await records.aPatient({ ...named, phone: stated.phone });

    const type = await records.stores.registration.resolveIdentity({ ...me(), isMatchedByNumber: true }, stated);

    expect([type, (await patient(run.patientId)).patientType]).toEqual(['EXISTING', 'NEW']);
  });
});

test('an intake form makes a patient of a placeholder once every field is there, and not before', async () => {
  const { prisma } = records.database;
  const rest = {
    preferredLocation: 'Denver',
    medicareStatus: 'none',
    healthPlanName: 'none',
    referralSource: 'a friend',
    commsConsent: true,
  };
  const [full, lacking] = [await records.aPatient(), await records.aPatient()];
  await prisma.patient.update({ where: { id: full }, data: { ...rest, isPlaceholder: true } });
  await prisma.patient.update({ where: { id: lacking }, data: { ...rest, referralSource: null, isPlaceholder: true } });

  const answers = [];
  for (const id of [full, lacking]) answers.push(await records.stores.registration.saveIntake(me(id), intake));

  expect(answers).toEqual(['saved', 'saved']);
  expect([(await patient(full)).isPlaceholder, (await patient(lacking)).isPlaceholder]).toEqual([false, true]);
  expect(await patient(full)).toMatchObject({ birthDate: intake.birthDate, email: intake.email });
});

test('what is told of a record to the CRM is noted for that patient alone', async () => {
  const [told, other] = [await records.aPatient(), await records.aPatient()];

  await records.stores.registration.markSynced({ clinicId: records.otherClinicId, patientId: other });
  await records.stores.registration.markSynced({ clinicId: records.clinicId, patientId: told });

  expect([(await patient(told)).crmSyncedAt !== null, (await patient(other)).crmSyncedAt]).toEqual([true, null]);
});

test('an escalation to billing is one task and one note for each call, with the last reason that was given', async () => {
  const { escalateBilling } = records.stores.registration;
  await escalateBilling(me(), 'too expensive');
  await escalateBilling(me(), null);

  const [task, ...more] = await tasks('billing_escalation');
  expect(more).toEqual([]);
  expect(task?.detail).toEqual({ reason: 'too expensive' });
  expect((await patient(run.patientId)).billingNotes).toHaveLength(1);

  await escalateBilling(me(), 'wants a plan');
  const [changed] = await tasks('billing_escalation');
  expect(changed?.detail).toEqual({ reason: 'wants a plan' });
});
