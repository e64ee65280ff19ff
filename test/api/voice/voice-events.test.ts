import { operator } from '@clinic/commands/command-line';
import { type App, startApp } from '../../support/app';
import { eventually } from '../../support/eventually';
import { type LiveCall, startVoicePlatform, type VoicePlatform } from '../../support/live-call';
import { aPhone } from '../../support/builders';

let platform: VoicePlatform;
let app: App;

beforeAll(async () => {
  platform = await startVoicePlatform();
  app = await startApp({ env: platform.env });
  await app.database.sql`update clinics set voice_provider = 'vapi'`;
}, 240_000);

afterEach(() => {
  platform.mode = 'ok';
});

afterAll(async () => {
  await app.stop();
  await platform.close();
});

const recorded = async ({ callId }: Pick<LiveCall, 'callId'>) => {
  const call = await app.stores.calls.find(app.clinic.clinicId, callId);
  return { state: call?.state, endedReason: call?.endedReason, summary: call?.summary };
};

test('a call goes from ringing to its end, with the reason and the summary', async () => {
  const call = await platform.ring(app);
  const states: unknown[] = [(await recorded(call)).state];

  for (const status of ['queued', 'ringing', 'in-progress', 'forwarding'] as const) {
    await call.says(status);
    states.push((await recorded(call)).state);
  }
  await call.ends('customer-ended-call');

  expect(states).toEqual(['QUEUED', 'QUEUED', 'RINGING', 'IN_PROGRESS', 'IN_PROGRESS']);
  expect(await recorded(call)).toEqual({ state: 'ENDED', endedReason: 'customer-ended-call', summary: 'They talked.' });
  expect(await app.ended(call.workflowId)).toMatchObject({ outcome: 'FOLLOW_UP_REQUIRED', attempts: 1 });
});

test('what the platform hands over of a call is on its page, and nowhere else, until it is deleted', async () => {
  const call = await platform.ring(app);
  const about = { call: { id: call.id }, type: 'end-of-call-report', endedReason: 'customer-ended-call' };
  const said = 'User: I am Zoë.';
  const times = { startedAt: '2026-11-24T19:30:00Z', endedAt: '2026-11-24T19:31:00Z' };
  const page = async (path = `/calls/${call.callId}`) => app.request('GET', path, { bearer: await app.staff() });
  const before = (await page()).body.evidence;

  await app.voiceEvent({
    ...about,
    ...times,
    artifact: { transcript: said },
    analysis: { successEvaluation: 'false' },
  });
  // Sent again with what was not ready: nothing of before is lost.
  await app.voiceEvent({ ...about, cost: 0.5, artifact: { recordingUrl: 'https://vapi.example/1.wav' } });

  expect([before, (await page()).body.evidence]).toEqual([
    null,
    {
      transcript: said,
      recordingUrl: 'https://vapi.example/1.wav',
      costUsd: 0.5,
      durationSeconds: 60,
      success: 'false',
    },
  ]);
  const others = await Promise.all([page('/calls'), page(`/cases/${call.recoveryCaseId}`)]);
  expect(others.map(({ text }) => text.includes(said))).toEqual([false, false]);
  const stranger = await app.request('GET', `/calls/${call.callId}`, { bearer: await app.signIn(app.otherClinic) });
  expect(stranger.status).toBe(404);
});

test('a report of some megabytes is read; one that is longer still is refused, and polled like any that is lost', async () => {
  const call = await platform.ring(app);
  const report = (length: number) => ({
    type: 'end-of-call-report',
    endedReason: 'customer-ended-call',
    call: { id: call.id },
    artifact: { messages: [{ message: 'x'.repeat(length) }] },
  });

  const tooLong = await app.voiceEvent(report(9 * 1024 * 1024));
  expect([tooLong.status, (await recorded(call)).state]).toEqual([413, 'QUEUED']);
  expect((await app.voiceEvent(report(3 * 1024 * 1024))).status).toBe(200);
  expect((await recorded(call)).state).toBe('ENDED');
});

test('a state that comes late moves nothing back', async () => {
  const call = await platform.ring(app);

  await call.says('in-progress');
  await call.says('ringing');
  const late = await recorded(call);
  await call.says('ended', { endedReason: 'customer-ended-call' });
  await call.says('in-progress');
  await call.says('ended', { endedReason: 'customer-did-not-answer' });

  expect(late.state).toBe('IN_PROGRESS');
  expect(await recorded(call)).toMatchObject({ state: 'ENDED', endedReason: 'customer-ended-call' });
});

test('a report that comes without the status before it ends the call as well', async () => {
  const call = await platform.ring(app);
  // It carries nothing of ours, so the platform's id of the call must have been heard.
  await eventually(async () => (await app.stores.calls.find(app.clinic.clinicId, call.callId))?.platformCallId);

  await app.voiceEvent({
    type: 'end-of-call-report',
    endedReason: 'assistant-ended-call',
    summary: 'Old style.',
    call: { id: call.id },
  });

  expect(await recorded(call)).toEqual({ state: 'ENDED', endedReason: 'assistant-ended-call', summary: 'Old style.' });
  expect((await app.ended(call.workflowId)).outcome).toBe('FOLLOW_UP_REQUIRED');
});

test('events and tools that overtake the answer to our own request find their call', async () => {
  platform.mode = 'accept_late';
  const phone = aPhone();
  const { body } = await app.abandon({ phone });
  const { id, assistantOverrides } = await platform.callTo(phone);
  const call = { id, assistantOverrides };

  const heard = await app.voiceEvent({ type: 'status-update', status: 'in-progress', call });
  const resolved = await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', id, {
    recoveryStatus: 'CLINICAL_ESCALATION',
    resumeLinkSent: false,
  });
  await app.voiceEvent({ type: 'status-update', status: 'ended', endedReason: 'customer-ended-call', call });

  expect([heard.status, resolved]).toEqual([200, { success: true }]);
  expect((await app.ended(body.workflowId)).outcome).toBe('CLINICAL_ESCALATION');
  expect(platform.ringsOf(phone)).toBe(1);
});

test('a call whose answer was cut is looked up before anybody dials again', async () => {
  platform.mode = 'accept_then_reset';
  const phone = aPhone();
  const { body } = await app.abandon({ phone });
  const { id } = await platform.callTo(phone);
  platform.mode = 'ok';

  const call = await eventually(async () => {
    const [first] = await app.callsOf(body.workflowId);
    return first?.platformCallId === id && first;
  });
  await app.voiceEvent({ type: 'status-update', status: 'ended', endedReason: 'customer-ended-call', call: { id } });

  expect(call.attempt).toBe(1);
  expect((await app.ended(body.workflowId)).outcome).toBe('FOLLOW_UP_REQUIRED');
  expect(platform.ringsOf(phone)).toBe(1);
});

test('a number the platform calls wrong is not dialled again: staff check it', async () => {
  platform.mode = 'bad_number';
  const { body } = await app.abandon({ phone: aPhone() });

  const workflow = await app.ended(body.workflowId);

  const { items } = await app.stores.tasks.list(app.clinic.clinicId, { reason: 'bad_number', limit: 10 });
  expect(workflow).toMatchObject({ outcome: 'PATIENT_NOT_REACHED', attempts: 0 });
  expect(items.map(({ caseId }) => caseId)).toContain(body.recoveryCaseId);
});

test.each([
  ['an unknown type', { type: 'weather-report', call: { id: 'x' } }],
  ['a type that is a property of every object', { type: 'constructor', call: { id: 'x' } }],
  ['an unknown call', { type: 'status-update', status: 'ended', call: { id: 'nobody' } }],
  ['an unknown status', { type: 'status-update', status: 'pondering', call: { id: 'nobody' } }],
  ['no call', { type: 'status-update', status: 'ended' }],
  ['a call that is none', { type: 'end-of-call-report', call: 'x', endedReason: 7, analysis: [] }],
  [
    'the whole conversation',
    {
      type: 'conversation-update',
      messages: Array.from({ length: 1_000 }, () => ({ role: 'user' })),
      call: { id: 'x' },
    },
  ],
])('%s is heard and answered 200', async (_what, message) => {
  const { status, body } = await app.voiceEvent(message);

  expect([status, body]).toEqual([200, {}]);
});

test.each([{}, { message: null }, { message: { type: 7 } }, [], 'null'])('%j is no message: 400', async (body) => {
  const { status } = await app.asVoice('/voice/events', body);

  expect(status).toBe(400);
});

test("nobody ends a call by naming our own id of it under another platform's", async () => {
  const call = await platform.ring(app);
  await call.says('in-progress');

  await app.voiceEvent({
    type: 'status-update',
    status: 'ended',
    call: { id: 'somebody-else', metadata: { callId: call.callId } },
  });

  expect((await recorded(call)).state).toBe('IN_PROGRESS');
});

describe('a call that nobody placed or announced', () => {
  const line = { number: '+13035550170', platformId: 'number-lookup', assistantId: null };
  const from = aPhone();
  const word = async (id: string) => {
    await app.voiceEvent({
      type: 'status-update',
      status: 'in-progress',
      customer: { number: '+13035550199' },
      call: { id, type: 'inboundPhoneCall', phoneNumberId: line.platformId },
    });
    return app.database.prisma.call.findUnique({ where: { platformCallId: id } });
  };
  const atThePlatform = (id: string, about: object = {}) =>
    platform.calls.push({
      id,
      status: 'in-progress',
      createdAt: new Date().toISOString(),
      type: 'inboundPhoneCall',
      phoneNumberId: line.platformId,
      customer: { number: from },
      ...about,
    });

  beforeAll(() => app.stores.phoneNumbers.replace(app.clinic.clinicId, [line]));

  test('is believed as the platform tells of it', async () => {
    atThePlatform('looked-up');

    expect(await word('looked-up')).toMatchObject({ phone: from, direction: 'inbound', clinicId: app.clinic.clinicId });
  });

  test.each([
    ['the platform does not know it', 'unheard-of', undefined],
    ['it is one that was placed', 'placed-elsewhere', { type: 'outboundPhoneCall' }],
    ['it rang another line', 'other-line', { phoneNumberId: 'number-of-others' }],
  ])('is not where %s', async (_why, id, about) => {
    if (about) atThePlatform(id, about);

    expect(await word(id)).toBeNull();
  });

  test('is not where its person was erased, whatever the platform still has to say of it', async () => {
    atThePlatform('erased');
    const { clinicId } = app.clinic;
    const patientId = await app.stores.patients.createPlaceholder(clinicId);
    const asked = await app.stores.erasures.request({ clinicId, patientId, reason: 'patient_request' }, operator);
    const erasureId = 'erasure' in asked ? asked.erasure.id : '';
    const data = { clinicId, erasureId, key: 'erased', kind: 'platform-call' };
    await app.database.prisma.tombstone.create({ data });

    expect(await word('erased')).toBeNull();
  });

  test('waits for its next word while the platform cannot be asked', async () => {
    atThePlatform('later');
    platform.mode = 'error';
    const meanwhile = await word('later');
    platform.mode = 'ok';

    expect(meanwhile).toBeNull();
    expect(await word('later')).toMatchObject({ phone: from });
  });
});
