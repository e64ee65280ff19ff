import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
let clinicId: string;
beforeAll(async () => {
  records = await openRecords();
});
beforeEach(async () => {
  clinicId = await records.aClinic();
});
afterAll(() => records.close());

const by = { actor: 'operator' };
const actions = async (of = clinicId) =>
  (await records.stores.audit.list(of, { limit: 20 })).items.map(({ action }) => action).toSorted();

describe('the endpoint of a clinic', () => {
  const url = 'https://clinic.example/events';
  const failing = {
    isEnabled: false,
    disabledReason: 'gone',
    failures: 5,
    failingSince: new Date('2030-01-01T00:00:00Z'),
    goneSince: new Date('2030-01-02T00:00:00Z'),
    pausedUntil: new Date('2030-01-03T00:00:00Z'),
    nextLookAt: new Date('2030-01-04T00:00:00Z'),
  };
  const enabled = { isEnabled: true, disabledReason: null, goneSince: null };

  test.each([
    ['the same URL is still failing', url, { ...failing, ...enabled }],
    [
      'another URL has not failed yet',
      'https://clinic.example/other',
      { ...enabled, failures: 0, failingSince: null, pausedUntil: null, nextLookAt: null },
    ],
  ])('that is set again is on again; %s', async (_what, given, after) => {
    const { prisma } = records.database;
    await prisma.receiver.updateMany({ where: { clinicId }, data: failing });
    const further = { id: newId(), clinicId, name: 'Further', url, ...failing };
    await prisma.receiver.create({ data: further });

    await records.stores.clinics.setOutboundEndpoint(clinicId, { url: given, isEnabled: true, events: ['x'] }, by);

    const rows = await prisma.receiver.findMany({ where: { clinicId }, orderBy: { isFirst: 'desc' } });
    expect(rows).toMatchObject([{ ...after, url: given, events: ['x'] }, failing]);
    const found = await records.stores.clinics.outboundEndpoint(clinicId);
    expect(found).toMatchObject({ url: given, isEnabled: true, disabledReason: null, events: ['x'] });
    expect(await actions()).toEqual(['outbound.change']);
  });
});

test('a clinic that has never said where its events go has an endpoint that is on, without a URL, for the usual events', async () => {
  await records.database.prisma.receiver.deleteMany({ where: { clinicId } });
  await records.database.prisma.receiver.create({
    data: { id: newId(), clinicId, name: 'Further', url: 'https://clinic.example/further', isEnabled: false },
  });

  expect(await records.stores.clinics.outboundEndpoint(clinicId)).toEqual({
    id: null,
    url: null,
    isEnabled: true,
    disabledReason: null,
    events: defaultOutboundEvents,
  });
});

describe('a clinic that is moved', () => {
  test.each([
    ['to phones', { isDemo: false, sandboxEnabled: true }, 'vapi', false],
    ['to phones without a sandbox', { isDemo: false, sandboxEnabled: false }, 'vapi', false],
    ['to phones, as a demo', { isDemo: true, sandboxEnabled: true }, 'vapi', true],
    ['to the simulator', { isDemo: false, sandboxEnabled: true }, 'simulator', true],
  ] as const)('%s keeps its sandbox where it has no real patients', async (_what, about, platform, isKept) => {
    const { prisma } = records.database;
    await prisma.clinic.update({ where: { id: clinicId }, data: about });
    await prisma.clinic.update({ where: { id: records.otherClinicId }, data: { sandboxEnabled: true } });

    await records.stores.clinics.setVoiceProvider(clinicId, platform, by);

    const clinic = await prisma.clinic.findUniqueOrThrow({ where: { id: clinicId } });
    expect([clinic.sandboxEnabled, clinic.voiceProvider]).toEqual([isKept, platform]);
    expect(clinic.simulatorAskedAt !== null).toBe(platform === 'simulator');
    const wasEnded = about.sandboxEnabled && !isKept;
    expect(await actions()).toEqual([...(wasEnded ? ['sandbox.disable'] : []), 'voice-provider.change']);
    const other = await prisma.clinic.findUniqueOrThrow({ where: { id: records.otherClinicId } });
    expect([other.sandboxEnabled, other.voiceProvider]).toEqual([true, 'simulator']);
  });

  test.each([
    ['simulator', [true, false, false]],
    ['vapi', [false, false, false]],
  ] as const)('to %s marks its open runs as simulated, or none', async (platform, marked) => {
    const { prisma } = records.database;
    const runs = [
      await records.aRun({ clinicId }),
      await records.aRun({ clinicId }),
      await records.aRun({ clinicId: records.otherClinicId }),
    ];
    const ids = runs.map(({ workflowId }) => workflowId);
    await prisma.workflowRun.updateMany({ where: { id: { in: ids } }, data: { isSimulated: false } });
    await prisma.workflowRun.update({ where: { id: ids[1] ?? '' }, data: { status: 'completed' } });

    await records.stores.clinics.setVoiceProvider(clinicId, platform);

    const rows = await prisma.workflowRun.findMany({ where: { id: { in: ids } } });
    expect(ids.map((id) => rows.find((row) => row.id === id)?.isSimulated)).toEqual(marked);
  });
});

test('clinics without an account of their own are those that call phones and have no key', async () => {
  const { prisma } = records.database;
  const settings = (credentials: string | null, owner: string) =>
    prisma.voiceSettings.create({
      data: {
        clinicId: owner,
        credentials,
        assistants: {},
        detectsVoicemail: true,
        leavesMessage: true,
        maxCallSeconds: 60,
        isRecorded: false,
        disclosesRecording: false,
        isHipaa: false,
      },
    });
  const calling = async () => {
    const id = await records.aClinic();
    await prisma.clinic.update({ where: { id }, data: { voiceProvider: 'vapi' } });
    return id;
  };
  const count = () => records.stores.clinics.countWithoutAccount('vapi');
  const before = await count();

  await calling();
  await settings(null, await calling());
  await settings('encrypted', await calling());
  await settings(null, await records.aClinic());

  expect((await count()) - before).toBe(2);
});

describe('a policy', () => {
  const extras = {
    unknownZone: 'clinic',
    simulatorKeepsPatientHours: true,
    disclosesAutomation: false,
    booksInOwnCalendar: true,
    booksFollowUps: true,
    confirmsBookings: true,
  } as const;

  test('of which a part is left out keeps that part', async () => {
    const { clinics } = records.stores;
    const { unknownZone: _zone, ...before } = await clinics.policy(clinicId);
    const { simulatorKeepsPatientHours: _keeps, disclosesAutomation: _says, ...rest } = before;
    const { booksInOwnCalendar: _books, booksFollowUps: _follows, confirmsBookings: _confirms, ...needed } = rest;

    await clinics.setPolicy(clinicId, { ...needed, ...extras });
    await clinics.setPolicy(clinicId, { ...needed, maxAttempts: 7 });

    expect(await clinics.policy(clinicId)).toEqual({ ...needed, ...extras, maxAttempts: 7 });
    expect((await clinics.policy(records.otherClinicId)).maxAttempts).toBe(needed.maxAttempts);
  });

  test.each([
    [[false], ['disclosure.off']],
    [[true], []],
    [[undefined], []],
    [
      [false, true],
      ['disclosure.off', 'disclosure.on'],
    ],
    [[false, undefined], ['disclosure.off']],
  ])('that says %j of the disclosure is noted where it changes it', async (given, noted) => {
    const { clinics } = records.stores;
    const policy = await clinics.policy(clinicId);

    for (const disclosesAutomation of given) await clinics.setPolicy(clinicId, { ...policy, disclosesAutomation }, by);

    expect((await actions()).filter((action) => action.startsWith('disclosure'))).toEqual(noted);
  });
});

test.each([
  ['of the country, in another currency', null, 'DE', null],
  ['of the country, in the same currency', null, 'GG', 0.79],
  ['of its own', 'GBP', 'DE', 0.79],
])('what a dollar costs in a currency %s', async (_, currency, to, usdRate) => {
  const { clinics, results } = records.stores;
  const id = await records.aClinic();
  const targets = { targetRecoveryRate: 0.5, targetRecoveries: 10 };
  await clinics.setCountry(id, 'GB');
  await results.setSettings(id, { currency, usdRate: 0.79, ...targets });

  await clinics.setCountry(id, to);

  expect(await results.settings(id)).toEqual({ currency, usdRate, ...targets, country: to });
});

test('what a clinic is set to is its own, and a limit is refused of nobody', async () => {
  const { clinics } = records.stores;
  const other = records.otherClinicId;
  const before = await clinics.find(other);

  await clinics.setCountry(clinicId, 'MX', by);
  await clinics.setLanguage(clinicId, 'es', by);
  await clinics.setClosedDays(clinicId, { '2030-12-25': 'Christmas', '2030-01-01': 'New Year' }, by);

  expect(await clinics.find(clinicId)).toMatchObject({ id: clinicId, defaultCountry: 'MX', language: 'es' });
  expect([await clinics.language(clinicId), await clinics.language(other)]).toEqual(['es', 'en']);
  expect(Object.keys(await clinics.closedDays(clinicId))).toEqual(['2030-01-01', '2030-12-25']);
  expect(await clinics.closedDays(other)).toEqual({});
  expect(await clinics.find(other)).toEqual(before);
  expect([await clinics.setNumbersPerDay(clinicId, 5, by), await clinics.setNumbersPerDay('nobody', 5)]).toEqual([
    true,
    false,
  ]);
  expect(await actions()).toEqual([
    'closed-days.change',
    'country.change',
    'language.change',
    'numbers-per-day.change',
  ]);
});
