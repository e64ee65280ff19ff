import { newId } from '@clinic/shared/crypto';
import type { Database } from '@clinic/prisma/client';
import type { Stores } from '@clinic/prisma/stores';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { aClinic, freshStores } from '../../../support/stores';

let database: Database;
let stores: Stores;
let clinicId: string;
let otherClinicId: string;
let last = 0;

beforeAll(async () => {
  ({ database, stores } = await freshStores());
});

beforeEach(async () => {
  [clinicId, otherClinicId] = [await aClinic(stores, 'Harbor'), await aClinic(stores, 'Meadow')];
});

afterAll(() => database.close());

const aNumber = (platformId: string | null = `platform-${(last += 1)}`) => ({
  number: `+1415555${2000 + (last += 1)}`,
  platformId,
  assistantId: null,
});

test('the numbers of a clinic are those that were given last', async () => {
  const [first, second, third] = [aNumber(), aNumber(), aNumber()];
  await stores.phoneNumbers.replace(clinicId, [first, second]);

  await stores.phoneNumbers.replace(clinicId, [second, third]);

  expect(await stores.phoneNumbers.list(clinicId)).toMatchObject([second, third]);
});

test('a number that stays keeps its id', async () => {
  const number = aNumber();
  const [before] = await stores.phoneNumbers.replace(clinicId, [number]);

  const [after] = await stores.phoneNumbers.replace(clinicId, [{ ...number, assistantId: 'assistant' }]);

  expect(after).toEqual({ ...before, assistantId: 'assistant' });
});

test('two numbers may swap what the platform calls them', async () => {
  const [first, second] = [aNumber(), aNumber()];
  await stores.phoneNumbers.replace(clinicId, [first, second]);

  const swapped = [
    { ...first, platformId: second.platformId },
    { ...second, platformId: first.platformId },
  ];
  await stores.phoneNumbers.replace(clinicId, swapped);

  expect(await stores.phoneNumbers.list(clinicId)).toMatchObject(swapped);
});

test.each([
  ['a number', (taken: ReturnType<typeof aNumber>) => ({ ...aNumber(), number: taken.number })],
  ["the platform's name of a number", (taken: ReturnType<typeof aNumber>) => aNumber(taken.platformId)],
])('%s that is confirmed for another clinic is refused, and nothing is changed', async (_, given) => {
  const [taken, own] = [aNumber(), aNumber()];
  await stores.phoneNumbers.replace(otherClinicId, [taken]);
  await stores.phoneNumbers.assign({ clinicId: otherClinicId, ...taken }, { actor: 'operator' });
  await stores.phoneNumbers.replace(clinicId, [own]);

  await expect(stores.phoneNumbers.replace(clinicId, [given(taken)])).rejects.toMatchObject({ code: 'conflict' });

  expect(await stores.phoneNumbers.list(clinicId)).toMatchObject([own]);
  expect(await stores.phoneNumbers.list(otherClinicId)).toMatchObject([taken]);
});

test.each([
  { owner: 'demo', asks: 'demo', isConfirmed: false, isHeld: true },
  { owner: 'clinic', asks: 'demo', isConfirmed: false, isHeld: false },
  { owner: 'demo', asks: 'clinic', isConfirmed: false, isHeld: false },
  { owner: 'clinic', asks: 'clinic', isConfirmed: false, isHeld: false },
  { owner: 'clinic', asks: 'demo', isConfirmed: true, isHeld: true },
  { owner: 'demo', asks: 'clinic', isConfirmed: true, isHeld: true },
])('a line of a $owner, confirmed: $isConfirmed, is held from a $asks: $isHeld', async ({ isConfirmed, ...about }) => {
  const line = aNumber();
  const setDemo = (id: string, who: string) =>
    database.prisma.clinic.update({ where: { id }, data: { isDemo: who === 'demo' } });
  await setDemo(otherClinicId, about.owner);
  await setDemo(clinicId, about.asks);
  await stores.phoneNumbers.replace(otherClinicId, [line]);
  if (isConfirmed) await stores.phoneNumbers.assign({ clinicId: otherClinicId, ...line }, { actor: 'operator' });

  const entered = stores.phoneNumbers.replace(clinicId, [line]);

  if (about.isHeld) await expect(entered).rejects.toMatchObject({ code: 'conflict' });
  else await expect(entered).resolves.toMatchObject([line]);
  expect(await stores.phoneNumbers.list(otherClinicId)).toMatchObject([
    { ...line, isConfirmed: isConfirmed || about.owner === 'demo' },
  ]);
});

describe('a line that the operator has not confirmed', () => {
  const by = { actor: 'operator' };
  const ownerOf = ({ number, platformId }: { number: string | null; platformId: string | null }, only?: string) =>
    stores.inboundCalls.ownerOf({ platformNumberId: platformId, number, assistantId: null }, only);
  const confirm = (clinic: string, { number, platformId }: ReturnType<typeof aNumber>) =>
    stores.phoneNumbers.assign({ clinicId: clinic, number, platformId }, by);

  test('takes no call over the account of the operator, until the operator says whose it is', async () => {
    const line = aNumber();
    await stores.phoneNumbers.replace(clinicId, [line]);

    const before = await ownerOf(line);
    const byItsOwnAccount = await ownerOf(line, clinicId);
    await confirm(clinicId, line);

    expect([before, byItsOwnAccount?.clinicId]).toEqual([null, clinicId]);
    expect(await ownerOf(line)).toMatchObject({ clinicId });
    expect(await stores.phoneNumbers.list(clinicId)).toMatchObject([{ ...line, isConfirmed: true }]);
  });

  test('holds nothing: another clinic enters the same, and has it once the operator says so', async () => {
    const line = aNumber();
    await stores.phoneNumbers.replace(otherClinicId, [line]);

    const entered = await stores.phoneNumbers.replace(clinicId, [line]);
    const byItsOwnAccount = await ownerOf(line, clinicId);
    await confirm(clinicId, line);

    expect(entered).toMatchObject([{ ...line, isConfirmed: false }]);
    expect([byItsOwnAccount?.clinicId, (await ownerOf(line))?.clinicId]).toEqual([clinicId, clinicId]);
    await expect(stores.phoneNumbers.replace(otherClinicId, [line])).rejects.toMatchObject({ code: 'conflict' });
  });

  test('does not keep calls from the clinic whose line is confirmed, nor takes them', async () => {
    const [line, stolen] = [aNumber(null), aNumber()];
    await stores.phoneNumbers.replace(clinicId, [line]);
    await confirm(clinicId, line);
    await stores.phoneNumbers.replace(otherClinicId, [stolen]);

    const owner = await ownerOf({ number: line.number, platformId: stolen.platformId });

    expect(owner?.clinicId).toBe(clinicId);
  });

  test('a confirmed line is no longer once its platform id is another', async () => {
    const line = aNumber();
    await stores.phoneNumbers.replace(clinicId, [line]);
    await confirm(clinicId, line);

    await stores.phoneNumbers.replace(clinicId, [{ ...line, assistantId: 'assistant' }]);
    const withAssistant = await stores.phoneNumbers.list(clinicId);
    await stores.phoneNumbers.replace(clinicId, [{ ...line, platformId: 'another' }]);

    expect(withAssistant).toMatchObject([{ isConfirmed: true }]);
    expect(await stores.phoneNumbers.list(clinicId)).toMatchObject([{ isConfirmed: false }]);
    const waiting = await stores.phoneNumbers.unconfirmed();
    expect(waiting.filter((each) => each.clinicId === clinicId)).toMatchObject([{ number: line.number }]);
  });

  test.each<[confirmed: string | null, entered: string | null, isConfirmed: boolean]>([
    ['same', 'same', true],
    ['same', 'another', false],
    ['same', null, true],
    [null, null, true],
    [null, 'new', false],
  ])('one confirmed with the platform id %j and entered with %j is confirmed: %s', async (before, now, isConfirmed) => {
    const idAs = (name: string | null) => name && `${name}-${clinicId}`;
    const line = aNumber(idAs(before));
    await stores.phoneNumbers.replace(clinicId, [line]);
    await confirm(clinicId, line);

    const entered = await stores.phoneNumbers.replace(clinicId, [{ ...line, platformId: idAs(now) }]);

    expect(entered).toMatchObject([{ number: line.number, platformId: idAs(now), isConfirmed }]);
  });

  test('waits for the operator, the longest first, but for demos and what is confirmed', async () => {
    const [first, second, confirmed] = [aNumber(), aNumber(null), aNumber()];
    await stores.phoneNumbers.replace(otherClinicId, [first]);
    await stores.phoneNumbers.replace(clinicId, [confirmed, second]);
    await confirm(clinicId, confirmed);
    const demo = await stores.clinics.create({
      name: 'Demo',
      timezone: 'UTC',
      isDemo: true,
      voiceProvider: 'simulator',
      policy: defaultCallingPolicy,
    });
    await stores.phoneNumbers.replace(demo, [aNumber()]);
    const [third, thirdClinicId] = [aNumber(), await aClinic(stores, 'Cove')];
    await stores.phoneNumbers.replace(thirdClinicId, [third]);
    for (const [{ number }, year] of [
      [first, 2021],
      [third, 2022],
      [second, 2020],
    ] as const) {
      const createdAt = new Date(Date.UTC(year));
      await database.prisma.phoneNumber.updateMany({ where: { number }, data: { createdAt } });
    }

    const ours = new Set([clinicId, otherClinicId, thirdClinicId, demo]);
    const waiting = (await stores.phoneNumbers.unconfirmed()).filter((each) => ours.has(each.clinicId));

    expect(waiting).toEqual([
      { clinicId, clinicName: 'Harbor', number: second.number, platformId: null },
      { clinicId: otherClinicId, clinicName: 'Meadow', number: first.number, platformId: first.platformId },
      { clinicId: thirdClinicId, clinicName: 'Cove', number: third.number, platformId: third.platformId },
    ]);
  });

  test('is taken from the clinic that had entered it by the operator alone', async () => {
    const line = aNumber();
    await stores.phoneNumbers.replace(otherClinicId, [line]);

    await confirm(clinicId, line);

    expect(await ownerOf(line)).toMatchObject({ clinicId });
    expect(await stores.phoneNumbers.list(otherClinicId)).toEqual([]);
    const { items } = await stores.audit.list(otherClinicId, { limit: 5 });
    expect(items).toMatchObject([{ action: 'phone-numbers.take-away', actor: 'operator' }]);
  });

  test('a number and an id of two clinics are nobody’s line', async () => {
    const [ours, theirs] = [aNumber(), aNumber()];
    await stores.phoneNumbers.replace(clinicId, [ours]);
    await stores.phoneNumbers.replace(otherClinicId, [theirs]);
    await confirm(clinicId, ours);
    await confirm(otherClinicId, theirs);

    expect(await ownerOf({ number: ours.number, platformId: theirs.platformId })).toBeNull();
  });
});

describe('whose a line is', () => {
  const ownerOf = (about: { platformNumberId?: string | null; number?: string | null; assistantId?: string | null }) =>
    stores.inboundCalls.ownerOf({ platformNumberId: null, number: null, assistantId: null, ...about });
  const confirmed = async (
    clinic: string,
    ...lines: { number: string; platformId: string | null; assistantId: string | null }[]
  ) => {
    await stores.phoneNumbers.replace(clinic, lines);
    for (const { number, platformId } of lines) {
      await stores.phoneNumbers.assign({ clinicId: clinic, number, platformId }, { actor: 'operator' });
    }
  };

  test.each([
    ['simulator', true],
    ['vapi', false],
  ])(
    'whoever rings a clinic whose calls are placed by %s has a run that is simulated: %s',
    async (provider, isSimulated) => {
      await database.prisma.clinic.update({ where: { id: clinicId }, data: { voiceProvider: provider } });
      const { workflowId } = await stores.inboundCalls.open({
        owner: { clinicId, country: 'US' },
        platformCallId: newId(),
        callerNumber: null,
        state: 'RINGING',
      });

      expect(await database.prisma.workflowRun.findUnique({ where: { id: workflowId ?? '' } })).toMatchObject({
        clinicId,
        isSimulated,
      });
    },
  );

  test('is told with what is of that clinic', async () => {
    const [ours, theirs] = [aNumber(), aNumber()];
    await confirmed(clinicId, ours);
    await confirmed(otherClinicId, { ...theirs, assistantId: 'theirs' });
    const data = { timezone: 'UTC', defaultCountry: 'CA', voiceProvider: 'vapi' };
    await database.prisma.clinic.update({ where: { id: otherClinicId }, data });
    const where = { clinicId: otherClinicId };
    await database.prisma.callingPolicy.update({ where, data: { disclosesAutomation: false } });

    expect([await ownerOf(ours), await ownerOf(theirs)]).toEqual([
      {
        clinicId,
        country: 'US',
        assistantId: null,
        clinicName: 'Harbor',
        clinicZone: 'America/New_York',
        disclosesAutomation: true,
        isSimulated: true,
      },
      {
        clinicId: otherClinicId,
        country: 'CA',
        assistantId: 'theirs',
        clinicName: 'Meadow',
        clinicZone: 'UTC',
        disclosesAutomation: false,
        isSimulated: false,
      },
    ]);
  });

  test('is told by an assistant where that answers for one clinic alone, and by a number or an id whoever answers', async () => {
    const [shared, own] = [`shared-${clinicId}`, `own-${clinicId}`];
    const ours = { ...aNumber(), assistantId: shared };
    const theirs = { ...aNumber(), assistantId: shared };
    await confirmed(clinicId, ours, { ...aNumber(), assistantId: own }, { ...aNumber(), assistantId: own });
    await confirmed(otherClinicId, theirs);

    const owners = [
      await ownerOf({ assistantId: shared }),
      await ownerOf({ assistantId: own }),
      await ownerOf({ assistantId: 'nobody' }),
      await ownerOf({ number: ours.number, assistantId: shared }),
      await ownerOf({ platformNumberId: ours.platformId, assistantId: shared }),
      await ownerOf({ platformNumberId: theirs.platformId, number: theirs.number, assistantId: own }),
      await ownerOf({ number: '+14155550000', assistantId: shared }),
    ];

    expect(owners.map((owner) => owner?.clinicId ?? null)).toEqual([
      null,
      clinicId,
      null,
      clinicId,
      clinicId,
      otherClinicId,
      null,
    ]);
  });
});
