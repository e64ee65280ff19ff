import { newId } from '@clinic/shared/crypto';
import { standingOf, type VerifyingTool } from '@clinic/prisma/stores/voice/verifications';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let patientId: string;

beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  patientId = await records.aPatient({ birthDate: '1980-05-05' });
});
afterAll(() => records.close());

const by = { actor: 'account:one' };
const aCall = async () => (await records.aPlacedCall(await records.aRun())).callId;
const state = (
  callId: string,
  stated: string | null,
  { tool = 'verify_patient', id = newId() }: { tool?: VerifyingTool; id?: string } = {},
) => records.stores.verifications.check({ id, clinicId: records.clinicId, callId, patientId, tool, stated });
const standing = (callId: string) => standingOf(records.database.sql, { clinicId: records.clinicId, callId });
const tasks = (where: { callId: string }) => records.database.prisma.staffTask.findMany({ where });
const known = (callId: string) => ({ clinicId: records.clinicId, patientId, callId, isMatchedByNumber: true });
const record = () => records.database.prisma.patient.findUniqueOrThrow({ where: { id: patientId } });
const proposals = () => records.stores.proposals.ofPatient(records.clinicId, patientId);
const hoursAgo = (hours: number) => records.database.sql`
  update verification_attempts set at = at - make_interval(hours => ${hours}) where patient_id = ${patientId}`;

describe('a date of birth that is stated in a call', () => {
  test('is compared with the one on file, and the last one that was answered says how the caller stands', async () => {
    const callId = await aCall();

    const outcomes = [];
    for (const stated of ['1980-05-06', null, '1980-05-05']) {
      outcomes.push([await state(callId, stated), await standing(callId)]);
    }

    expect(outcomes).toEqual([
      ['mismatched', 'failed'],
      ['unreadable', 'failed'],
      ['matched', 'verified'],
    ]);
  });

  test('fails nobody where none is on file', async () => {
    patientId = await records.aPatient();
    const callId = await aCall();

    expect([await state(callId, '1980-05-05'), await standing(callId)]).toEqual(['nothing_on_file', 'unasked']);
  });

  test('counts once when its tool call is run again', async () => {
    const [callId, id] = [await aCall(), newId()];

    await Promise.all(Array.from({ length: 5 }, () => state(callId, '1980-05-06', { id })));

    expect(await state(callId, '1980-05-05')).toBe('matched');
  });

  test('which a registration asks for does not fail its caller, and counts all the same', async () => {
    const callId = await aCall();

    await state(callId, '1980-05-06', { tool: 'submit_intake' });
    const afterOne = await standing(callId);
    await state(callId, '1980-05-07', { tool: 'resolve_patient_identity' });
    await state(callId, '1980-05-08', { tool: 'submit_intake' });

    expect([afterOne, await standing(callId)]).toEqual(['unasked', 'unasked']);
    expect(await state(callId, '1980-05-05')).toBe('locked');
  });
});

describe('after too many wrong dates of birth', () => {
  test.each([
    ['the third in a call', 1, 0, 0],
    ['the fifth in an hour', 0, 3, 0],
    ['the tenth in a day', 0, 0, 8],
  ])('staff have a task with %s, and not before', async (_which, inCall, inHour, inDay) => {
    const callId = await aCall();
    for (let time = 0; time < inDay; time += 1) {
      await state(await aCall(), '1980-05-01');
      await hoursAgo(2);
    }
    for (let time = 0; time < inHour; time += 1) await state(await aCall(), '1980-05-01');
    for (let time = 0; time < inCall; time += 1) await state(callId, '1980-05-01');

    const outcomes = [await state(callId, '1980-05-02')];
    const before = await tasks({ callId });
    outcomes.push(await state(callId, '1980-05-03'));

    expect(outcomes).toEqual(['mismatched', 'mismatched']);
    expect([before.length, (await tasks({ callId })).map(({ reason }) => reason)]).toEqual([
      0,
      ['verification_locked'],
    ]);
  });

  test('three in a call lock it, with one task; the right one then says nothing', async () => {
    const callId = await aCall();
    const outcomes = [];

    for (const day of ['01', '02', '03', '05', '05']) outcomes.push(await state(callId, `1980-05-${day}`));

    expect(outcomes).toEqual(['mismatched', 'mismatched', 'mismatched', 'locked', 'locked']);
    expect(await standing(callId)).toBe('failed');
    expect(await tasks({ callId })).toMatchObject([{ reason: 'verification_locked', patientId, state: 'OPEN' }]);
  });

  test('many at once are compared one after the other', async () => {
    const callId = await aCall();

    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, day) => state(callId, `1981-05-${10 + day}`)));

    expect(outcomes.filter((outcome) => outcome === 'mismatched')).toHaveLength(3);
  });

  test('five within an hour lock the patient for every call, and for an hour', async () => {
    const calls = [await aCall(), await aCall(), await aCall()] as const;
    for (const [index, day] of ['01', '02', '06', '07', '08'].entries()) {
      await state(calls[index < 2 ? 0 : 1], `1980-05-${day}`);
    }

    const locked = [await state(calls[2], '1980-05-05'), await standing(calls[2])];
    await hoursAgo(1);
    const later = await state(calls[2], '1980-05-05');

    expect(locked).toEqual(['locked', 'failed']);
    expect(later).toBe('matched');
  });
});

test('ten within a day lock the patient for every call, and for a day', async () => {
  for (let number = 10; number < 20; number += 1) {
    await state(await aCall(), `1981-05-${number}`);
    await hoursAgo(2);
  }
  const callId = await aCall();

  const locked = await state(callId, '1980-05-05');
  await hoursAgo(4);
  const later = await state(callId, '1980-05-05');

  expect([locked, later]).toEqual(['locked', 'matched']);
});

describe('what a caller who was matched by the number alone says', () => {
  test('is returned with what is on file of this patient, and of nobody else', async () => {
    const { prisma } = records.database;
    const onFile = {
      firstName: 'Ann',
      lastName: 'Filed',
      phone: (await record()).phone,
      email: 'ann@example.com',
      preferredLocation: 'Denver',
      medicareStatus: 'eligible',
      healthPlanName: 'Plan A',
      referralSource: 'a friend',
      commsConsent: true,
    };
    await prisma.patient.update({ where: { id: patientId }, data: onFile });
    const callId = await aCall();
    const [first, second] = [await aCall(), await aCall()];
    const { update } = records.stores.registration;

    const answers = [
      await update(known(callId), {}),
      await update(known(first), { healthPlanName: 'Plan B', commsConsent: false }),
      await update(known(second), { lastName: 'Changed' }),
    ];
    const elsewhere = { ...known(second), clinicId: records.otherClinicId };
    const there = await update(elsewhere, { lastName: 'Changed' }).catch(() => ({ lastName: 'Changed' }));

    expect(answers).toEqual([
      onFile,
      { ...onFile, healthPlanName: 'Plan B', commsConsent: false },
      { ...onFile, lastName: 'Changed' },
    ]);
    expect(Object.values(there).filter((value) => value !== undefined)).toEqual(['Changed']);
  });

  test('is proposed, with one task that shows it, and the record stays as it is', async () => {
    const callId = await aCall();

    const first = await records.stores.registration.update(known(callId), { firstName: 'Eve', commsConsent: true });
    const second = await records.stores.registration.update(known(callId), { email: 'eve@example.com' });

    expect(first).toMatchObject({ firstName: 'Eve', lastName: 'Lee', commsConsent: true });
    expect(second).toMatchObject({ firstName: 'Eve', email: 'eve@example.com' });
    expect(await record()).toMatchObject({ firstName: 'Ann', email: null, commsConsent: null, consent: null });
    expect(await tasks({ callId })).toMatchObject([
      {
        reason: 'unverified_change',
        patientId,
        detail: { firstName: 'Eve', email: 'eve@example.com', commsConsent: true },
      },
    ]);
  });

  test('about insurance, payment and who they are changes nothing either', async () => {
    const callId = await aCall();
    const { registration } = records.stores;

    await registration.saveSelfPay(known(callId), { decision: 'self_pay_continue', priceCents: 1 });
    await registration.saveInsurance(known(callId), {
      payerName: 'Payer',
      memberId: 'M-1',
      groupId: null,
      subscriberName: null,
      status: 'VERIFIED',
      copayCents: null,
      errorMessage: null,
      source: 'sandbox',
    });
    const type = await registration.resolveIdentity(known(callId), { name: 'Ann Lee', phone: null });

    expect(type).toBe('EXISTING');
    expect(await record()).toMatchObject({ insurance: null, selfPay: null, patientType: 'NEW' });
    expect(await proposals()).toMatchObject([
      { given: { insurance: { memberId: 'M-1' }, selfPay: { priceCents: 1 } } },
    ]);
  });

  test('is written once the date of birth was right, and from then on at once', async () => {
    const callId = await aCall();
    await records.stores.registration.update(known(callId), { firstName: 'Anna' });

    await state(callId, '1980-05-05', { tool: 'submit_intake' });
    await records.stores.registration.update(known(callId), { email: 'anna@example.com' });

    expect(await record()).toMatchObject({ firstName: 'Anna', email: 'anna@example.com' });
    expect(await proposals()).toMatchObject([{ state: 'ACCEPTED', decidedBy: `call:${callId}` }]);
    expect(await tasks({ callId })).toMatchObject([{ state: 'RESOLVED' }]);
  });

  test('never sets the date of birth that callers are verified by', async () => {
    patientId = await records.aPatient();
    const callId = await aCall();

    const saved = await records.stores.registration.saveIntake(known(callId), {
      firstName: 'Eve',
      lastName: 'Lee',
      birthDate: '1999-09-09',
      phone: '+14155550199',
      email: 'eve@example.com',
      address: '1 Main Street',
      reasonForVisit: 'Knee',
    });

    expect(saved).toBe('proposed');
    expect(await record()).toMatchObject({ birthDate: null, firstName: 'Ann' });
  });

  test('is accepted or dismissed by staff, once', async () => {
    const [accepted, dismissed] = [await aCall(), await aCall()];
    await records.stores.registration.update(known(accepted), { email: 'new@example.com' });
    await records.stores.registration.update(known(dismissed), { email: 'other@example.com' });
    const ofAnother = { id: newId(), reason: 'unverified_change', cause: `unverified_change:${accepted}` };
    await records.database.prisma.staffTask.create({ data: { ...ofAnother, clinicId: records.otherClinicId } });
    const [second, first] = await proposals();
    const decide = (id: string, decision: 'ACCEPTED' | 'DISMISSED') =>
      records.stores.proposals.decide(records.clinicId, id, decision, by);

    await decide(first!.id, 'ACCEPTED');
    await decide(second!.id, 'DISMISSED');
    const again = await decide(second!.id, 'ACCEPTED');

    expect(await record()).toMatchObject({ email: 'new@example.com' });
    expect(again).toMatchObject({ state: 'DISMISSED', decidedBy: by.actor });
    const { items } = await records.stores.audit.list(records.clinicId, { subject: patientId, limit: 10 });
    expect(items.map(({ action }) => action)).toEqual(['proposal.dismiss', 'proposal.accept']);
    const states = async (where: object) =>
      (await records.database.prisma.staffTask.findMany({ where })).map(({ state: stands }) => stands);
    const ours = { clinicId: records.clinicId, callId: { in: [accepted, dismissed] } };
    expect([await states(ours), await states({ id: ofAnother.id })]).toEqual([['RESOLVED', 'RESOLVED'], ['OPEN']]);
  });

  /** As `update` writes it: unless said otherwise, of the patient who is asked about. */
  const said = async (given: object, callId: string, of = patientId) => {
    const id = newId();
    const data = { id, clinicId: records.clinicId, patientId: of, callId, given };
    await records.database.prisma.recordProposal.create({ data });
    return id;
  };
  const stateOf = async (id: string) =>
    (await records.database.prisma.recordProposal.findUniqueOrThrow({ where: { id } })).state;
  const accept = (id: string) => records.stores.proposals.decide(records.clinicId, id, 'ACCEPTED', by);

  test.each<[field: string, value: unknown, written?: object]>([
    ['firstName', 'Eve'],
    ['lastName', 'Ash'],
    ['phone', '+14155550142'],
    ['email', 'eve@example.com'],
    ['address', '1 Main Street'],
    ['reasonForVisit', 'Knee'],
    ['preferredLocation', 'Denver'],
    ['medicareStatus', 'none'],
    ['healthPlanName', 'Plan B'],
    ['referralSource', 'a friend'],
    ['commsConsent', false],
    ['consent', { isGiven: false }],
    ['insurance', { memberId: 'M-1' }],
    ['selfPay', { priceCents: 1 }],
    ['birthDate', '1999-09-09', {}],
    ['nothingThatIsKept', 'x', {}],
  ])(
    'once it is accepted, is written of %s, and nothing else is',
    async (field, value, written = { [field]: value }) => {
      const stored = async () => ({ ...(await record()), searchText: null, updatedAt: null });
      const before = await stored();

      await accept(await said({ [field]: value }, await aCall()));

      expect(await stored()).toEqual({ ...before, ...written });
    },
  );

  test('about a date of birth is written where staff accept it and none is on file', async () => {
    patientId = await records.aPatient();

    await accept(await said({ birthDate: '1999-09-09' }, await aCall()));

    expect((await record()).birthDate).toBe('1999-09-09');
  });

  test('is decided for its own call and patient alone', async () => {
    const [callId, earlier, later, other] = [await aCall(), await aCall(), await aCall(), await records.aPatient()];
    const ofEarlier = await said({ email: 'earlier@example.com', address: '3 Oak Street' }, earlier);
    const createdAt = new Date('2026-03-03T10:00:00.000Z');
    await records.database.prisma.recordProposal.update({ where: { id: ofEarlier }, data: { createdAt } });
    const first = await said({ email: 'first@example.com' }, callId);
    const ofLater = await said({ email: 'later@example.com', address: '2 Elm Street' }, later);
    const ofOther = await said({ email: 'other@example.com' }, callId, other);

    await accept(first);

    const others = [await stateOf(ofEarlier), await stateOf(ofLater), await stateOf(ofOther)];
    expect([await stateOf(first), ...others]).toEqual(['ACCEPTED', 'OPEN', 'OPEN', 'OPEN']);
    expect(await record()).toMatchObject({ email: 'first@example.com', address: null });
    const untouched = await records.database.prisma.patient.findUniqueOrThrow({ where: { id: other } });
    expect(untouched.email).toBeNull();
  });

  test.each<['ACCEPTED' | 'DISMISSED' | null, object]>([
    [null, { email: 'eve@example.com', lastName: 'Ash', firstName: 'Eva' }],
    ['DISMISSED', { firstName: 'Eva' }],
    ['ACCEPTED', { firstName: 'Eva' }],
  ])(
    'after what was said before was %s, is proposed with what is still open, in a task that is',
    async (decision, given) => {
      const callId = await aCall();
      const { update } = records.stores.registration;
      await update(known(callId), { email: 'eve@example.com', firstName: 'Eve', lastName: 'Ash' });
      const [before] = await proposals();
      if (decision) await records.stores.proposals.decide(records.clinicId, before?.id ?? '', decision, by);

      await update(known(callId), { firstName: 'Eva' });

      expect(await proposals()).toMatchObject([
        { id: before?.id, state: 'OPEN', decidedBy: null, decidedAt: null, given },
      ]);
      expect((await proposals())[0]?.given).toEqual(given);
      expect(await tasks({ callId })).toMatchObject([
        { state: 'OPEN', resolvedAt: null, detail: { ...given, proposalId: before?.id } },
      ]);
    },
  );

  test('and was dealt with before it is decided stays dealt with since then', async () => {
    const callId = await aCall();
    await records.stores.registration.update(known(callId), { firstName: 'Eve' });
    const resolvedAt = new Date('2026-03-03T10:00:00.000Z');
    await records.database.prisma.staffTask.updateMany({ where: { callId }, data: { state: 'RESOLVED', resolvedAt } });
    const [proposal] = await proposals();

    await accept(proposal?.id ?? '');

    expect(await tasks({ callId })).toMatchObject([{ state: 'RESOLVED', resolvedAt }]);
    expect(await stateOf(proposal?.id ?? '')).toBe('ACCEPTED');
  });
});
