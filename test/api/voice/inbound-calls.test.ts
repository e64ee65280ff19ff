import { randomUUID } from 'node:crypto';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../../support/app';
import { aPhone } from '../../support/builders';
import { aPatient, aPlaceholder, patientOf, tasksOf } from '../../support/calls';

const dialled = { number: '+13035550100', platformId: 'number-denver', assistantId: 'assistant-denver' };
const bare = { number: '+13035550101', platformId: null, assistantId: null };

let app: App;

beforeAll(async () => {
  app = await startApp({ hasWorker: false });
  await app.stores.phoneNumbers.replace(app.clinic.clinicId, [dialled, bare]);
  await app.stores.phoneNumbers.replace(app.otherClinic.clinicId, [
    { number: '+442079460100', platformId: 'number-london', assistantId: 'assistant-london' },
  ]);
}, 240_000);

afterAll(() => app.stop());

const aPlatformCall = () => `platform-${randomUUID()}`;
const callBy = (platformCallId: string) =>
  app.database.prisma.call.findUnique({ where: { platformCallId }, include: { patient: true, run: true } });

/** Somebody rings a clinic, and the platform asks who answers. */
async function ring({ from, call = {}, ...line }: { from?: string; call?: object; [part: string]: unknown } = {}) {
  const id = aPlatformCall();
  const { status, body } = await app.voiceEvent({
    type: 'assistant-request',
    call: { id, type: 'inboundPhoneCall', phoneNumberId: dialled.platformId, ...call },
    ...(from && { customer: { number: from } }),
    ...line,
  });
  return { id, status, body, call: await callBy(id) };
}

describe('assistant-request', () => {
  test('opens the call of a new caller, starts their journey, and says who answers', async () => {
    const from = aPhone();

    const { status, body, call } = await ring({ from });

    expect([status, body.assistantId]).toEqual([200, 'assistant-denver']);
    expect(call).toMatchObject({
      clinicId: app.clinic.clinicId,
      direction: 'inbound',
      state: 'RINGING',
      phone: from,
      isTest: false,
      workflowType: 'new-patient-journey',
      patient: { phone: from, isPlaceholder: true, firstName: '' },
      run: { workflowType: 'new-patient-journey', status: 'started', sessionId: call!.id },
    });
    const { body: workflow } = await app.workflow(call!.workflowId!);
    expect(workflow).toMatchObject({ workflowType: 'new-patient-journey', status: 'started' });
  });

  test('has the assistant open with whom the caller has reached, and that it is one; a clinic can leave that to its assistant', async () => {
    const sentence = `Hello, you have reached ${app.clinic.name}. This is an automated assistant.`;
    const known = {
      clinicName: app.clinic.name,
      clinicZone: 'America/Denver',
      today: expect.any(String),
      todayDate: expect.any(String),
      timeNow: expect.any(String),
      workflowType: 'new-patient-journey',
    };
    const disclose = (discloses: boolean) =>
      app.database
        .sql`update calling_policies set discloses_automation = ${discloses} where clinic_id = ${app.clinic.clinicId}`;

    const opened = await ring({ from: aPhone() });
    await disclose(false);
    const silent = await ring({ from: aPhone() });
    await disclose(true);

    expect(opened.body).toEqual({
      assistantId: 'assistant-denver',
      assistantOverrides: {
        firstMessage: sentence,
        firstMessageMode: 'assistant-speaks-first',
        variableValues: { ...known, openingSentence: sentence },
      },
    });
    expect(silent.body).toEqual({ assistantId: 'assistant-denver', assistantOverrides: { variableValues: known } });
  });

  test('asked twice opens one call and one journey', async () => {
    const [from, id] = [aPhone(), aPlatformCall()];
    const message = {
      type: 'assistant-request',
      customer: { number: from },
      call: { id, phoneNumberId: dialled.platformId },
    };

    const answers = await Promise.all(Array.from({ length: 5 }, () => app.voiceEvent(message)));

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await app.database.prisma.call.count({ where: { phone: from } })).toBe(1);
    expect(await app.database.prisma.patient.count({ where: { phone: from } })).toBe(1);
  });

  test('knows the only patient with that phone, and a caller who rings again before they are registered', async () => {
    const [known, unfinished] = [aPhone(), aPhone()];
    const patientId = await aPatient(app, { phone: known });
    await aPlaceholder(app, known);
    const first = await ring({ from: unfinished });

    expect((await ring({ from: known })).call).toMatchObject({ patientId });
    expect((await ring({ from: unfinished })).call).toMatchObject({ patientId: first.call!.patientId });
  });

  test('chooses nobody where several share a phone: a placeholder rings, and staff get the candidates', async () => {
    const from = aPhone();
    const candidates = [await aPatient(app, { phone: from }), await aPatient(app, { phone: from, firstName: 'Ben' })];

    const { call } = await ring({ from });

    expect(candidates).not.toContain(call!.patientId);
    expect(await patientOf(app, call!.patientId)).toMatchObject({ isPlaceholder: true, firstName: '' });
    const [task, ...more] = await tasksOf(app, { callId: call!.id });
    expect(more).toEqual([]);
    expect(task).toMatchObject({
      reason: 'identity_match',
      state: 'OPEN',
      patientId: call!.patientId,
      detail: { matches: candidates.map((patientId) => ({ patientId, matchedOn: ['phone'] })) },
    });
  });

  test.each([
    ['withheld', undefined, null],
    ['no number', 'anonymous', null],
    ['national', '(303) 555-0177', '+13035550177'],
  ])('takes a number that is %s as it can be read', async (_what, from, phone) => {
    expect((await ring({ from })).call).toMatchObject({ phone, patient: { isPlaceholder: true } });
  });

  test.each([
    ["the platform's id of the number", { call: { phoneNumberId: 'number-london' } }],
    ['the id beside the call', { call: { phoneNumberId: undefined }, phoneNumber: { id: 'number-london' } }],
    ['the number', { call: { phoneNumberId: undefined }, phoneNumber: { number: '+442079460100' } }],
    ['the number in the call', { call: { phoneNumberId: undefined, phoneNumber: { number: '+442079460100' } } }],
    ['the assistant', { call: { phoneNumberId: undefined, assistantId: 'assistant-london' } }],
    ['the id, before the assistant', { call: { phoneNumberId: 'number-london', assistantId: 'assistant-denver' } }],
  ])('finds the clinic by %s', async (_what, line) => {
    const { body, call } = await ring({ from: aPhone(), ...line });

    expect(call).toMatchObject({ clinicId: app.otherClinic.clinicId });
    expect(body.assistantId).toBe('assistant-london');
  });

  test('to a line without an assistant opens the call, and says so to the caller', async () => {
    const { status, body, call } = await ring({
      from: aPhone(),
      call: { phoneNumberId: undefined },
      phoneNumber: { number: bare.number },
    });

    expect([status, body]).toEqual([200, { error: 'Nobody can take this call right now. Please call again later.' }]);
    expect(call).toMatchObject({ state: 'RINGING' });
  });

  test.each([
    ['an unknown line', { call: { phoneNumberId: 'nobody' } }],
    ['no line', { call: { phoneNumberId: undefined } }],
    ['a pair of two clinics', { call: { phoneNumberId: 'number-london' }, phoneNumber: { number: dialled.number } }],
  ])('to %s opens nothing', async (_what, line) => {
    const { status, body, call } = await ring({ from: aPhone(), ...line });

    expect([status, body]).toEqual([200, { error: 'This number is not connected to a clinic.' }]);
    expect(call).toBeNull();
  });

  test('the call then has its tools, goes its way, and its journey hears the end', async () => {
    const { id, call } = await ring({ from: aPhone() });
    const says = (status: string, more = {}) =>
      app.voiceEvent({ type: 'status-update', status, call: { id }, ...more });

    await says('in-progress');
    const told = await app.tool('patient-journey/update_registration_field', id, { firstName: 'Ada' });
    await says('ended', { endedReason: 'customer-ended-call' });
    const after = await app.tool('patient-journey/update_registration_field', id, { firstName: 'Eve' });

    expect(told).toMatchObject({ success: true, registrationStatus: 'ACTION_REQUIRED' });
    expect(after).toEqual({ success: false, error: 'call not recognised' });
    expect(await callBy(id)).toMatchObject({
      state: 'ENDED',
      endedReason: 'customer-ended-call',
      patient: { firstName: 'Ada' },
    });
    const messages = await app.database.prisma.workflowMessage.findMany({ where: { workflowId: call!.workflowId! } });
    expect(messages.map(({ signal }) => signal)).toEqual(['callEnded']);
  });
});

describe('a caller whom only the number vouches for', () => {
  const field = (id: string, args: object) => app.tool('patient-journey/update_registration_field', id, args);
  const intake = {
    firstName: 'Eve',
    lastName: 'Lee',
    email: 'eve@example.com',
    phone: '+13035550155',
    address: '1 Main Street',
    reasonForVisit: 'Knee',
  };
  const ringAs = async (birthDate: string | null) => {
    const from = aPhone();
    const patientId = await aPatient(app, { phone: from, birthDate });
    const { id, call } = await ring({ from });
    return { id, patientId, callId: call!.id };
  };

  test('hears what a known patient would, and changes nothing; staff get what was said', async () => {
    const { id, patientId, callId } = await ringAs('1980-05-05');

    const told = await field(id, { firstName: 'Eve' });
    const submitted = await app.tool('patient-intake/submit_intake', id, { ...intake, dateOfBirth: '1999-09-09' });

    expect(told).toMatchObject({
      success: true,
      registrationStatus: 'ACTION_REQUIRED',
      missingFields: expect.any(Array),
    });
    expect(submitted).toEqual({ success: true });
    expect(await patientOf(app, patientId)).toMatchObject({ firstName: 'Ann', email: null, birthDate: '1980-05-05' });
    const { body } = await app.request('GET', `/patients/${patientId}/proposals`, { bearer: await app.staff() });
    expect(body.items).toMatchObject([
      { callId, state: 'OPEN', given: { firstName: 'Eve', email: 'eve@example.com' } },
    ]);
    expect(await tasksOf(app, { callId })).toMatchObject([{ reason: 'unverified_change', state: 'OPEN' }]);

    const decided = await app.request('POST', `/proposals/${body.items[0].id}`, {
      body: { decision: 'accept' },
      bearer: await app.staff(),
    });

    expect([decided.status, decided.body.state]).toEqual([200, 'ACCEPTED']);
    expect(await patientOf(app, patientId)).toMatchObject({ firstName: 'Eve', birthDate: '1980-05-05' });
    expect(await tasksOf(app, { callId })).toMatchObject([{ state: 'RESOLVED' }]);
  });

  test('leaves the record as it is where staff dismiss what was said', async () => {
    const { id, patientId, callId } = await ringAs('1980-05-05');
    await field(id, { firstName: 'Eve' });
    const bearer = await app.staff();
    const { body } = await app.request('GET', `/patients/${patientId}/proposals`, { bearer });

    const decided = await app.request('POST', `/proposals/${body.items[0].id}`, {
      body: { decision: 'dismiss' },
      bearer,
    });

    expect([decided.status, decided.body.state]).toEqual([200, 'DISMISSED']);
    expect(await patientOf(app, patientId)).toMatchObject({ firstName: 'Ann' });
    expect(await tasksOf(app, { callId })).toMatchObject([{ state: 'RESOLVED' }]);
  });

  test('writes over the record once the right date of birth was stated', async () => {
    const { id, patientId } = await ringAs('1980-05-05');

    await field(id, { firstName: 'Anna' });
    await app.tool('patient-journey/resolve_patient_identity', id, {
      statedName: 'Ann Lee',
      statedDateOfBirth: 'May 5, 1980',
    });
    await field(id, { email: 'anna@example.com' });

    expect(await patientOf(app, patientId)).toMatchObject({ firstName: 'Anna', email: 'anna@example.com' });
  });
});

describe('an inbound call that nobody asked us about', () => {
  const aWordOf = (id: string, { call = {}, ...more }: { call?: object; status?: string } = {}) =>
    app.voiceEvent({
      type: 'status-update',
      status: 'in-progress',
      customer: { number: aPhone() },
      call: { id, type: 'inboundPhoneCall', phoneNumberId: dialled.platformId, ...call },
      ...more,
    });

  test('is opened by the first word of it', async () => {
    const id = aPlatformCall();

    await aWordOf(id);

    expect(await callBy(id)).toMatchObject({ state: 'IN_PROGRESS', direction: 'inbound', run: { status: 'started' } });
  });

  test.each<[string, { call?: object; status?: string }]>([
    ['has ended', { status: 'ended' }],
    ['is outbound', { call: { type: 'outboundPhoneCall' } }],
    ['is to an unknown line', { call: { phoneNumberId: 'nobody' } }],
  ])('is not opened when it %s', async (_what, more) => {
    const id = aPlatformCall();

    const { status } = await aWordOf(id, more);

    expect(status).toBe(200);
    expect(await callBy(id)).toBeNull();
  });
});

describe('campaign.predial', () => {
  const eligible = async (contact: object, line: object = { phoneNumber: { id: dialled.platformId } }) =>
    (await app.voiceEvent({ type: 'campaign.predial', campaignId: 'c', contact, ...line })).body;

  test('lets a known line dial whom the clinic may call, and nobody else', async () => {
    const optedOut = aPhone();
    await app.stores.optOuts.add(app.clinic.clinicId, optedOut);

    expect(await eligible({ number: aPhone() })).toEqual({ eligible: true });
    expect(await eligible({ number: optedOut })).toEqual({ eligible: false });
    expect(await eligible({})).toEqual({ eligible: false });
    expect(await eligible({ number: aPhone() }, {})).toEqual({ eligible: false });
  });

  test('is no outside calling hours', async () => {
    await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, callingHours: {} });

    expect(await eligible({ number: aPhone() })).toEqual({ eligible: false });

    await app.stores.clinics.setPolicy(app.clinic.clinicId, demoPolicy);
  });

  test('is no while outreach is paused', async () => {
    const { clinicId } = app.clinic;
    const paused = { clinicId, workflowType: null, reason: 'a test', until: null };
    const { id } = await app.stores.pauses.pause(paused, { actor: 'account:1' });

    expect(await eligible({ number: aPhone() })).toEqual({ eligible: false });

    await app.stores.pauses.resume(clinicId, id, { actor: 'account:1' });
  });

  test('is no where it is night for the patient, by the number or by the address on file', async () => {
    const provider = (name: string) =>
      app.database.sql`update clinics set voice_provider = ${name} where id = ${app.clinic.clinicId}`;
    const places = [
      { number: '+18084505678', zone: 'Pacific/Honolulu' },
      { number: '+442079460100', zone: 'Europe/London' },
      { number: '+81312345678', zone: 'Asia/Tokyo' },
    ];
    const isDay = ({ zone }: { zone: string }) => {
      const hour = new Intl.DateTimeFormat('en', { timeZone: zone, hour: 'numeric', hourCycle: 'h23' }).format();
      return Number(hour) >= 8 && Number(hour) < 20;
    };
    await provider('vapi');

    const answers = await Promise.all(places.map(({ number }) => eligible({ number })));
    const nowhere = await aPatient(app, { phone: places.find(isDay)!.number });
    const night = isDay({ zone: 'Pacific/Honolulu' }) ? null : '1 Beach Road, Honolulu, HI 96815';
    await app.database.sql`update patients set address = ${night} where id = ${nowhere}`;
    const atHome = await eligible({ number: places.find(isDay)!.number });
    await provider('simulator');

    expect(answers).toEqual(places.map((place) => ({ eligible: isDay(place) })));
    expect(atHome).toEqual({ eligible: night === null });
  });
});

test.each([
  'hang',
  'transfer-update',
  'user-interrupted',
  'call.artifact.upload',
  'conversation-update',
  'transcript',
  'something.new',
])('%s is heard and dropped', async (type) => {
  const { status, body } = await app.voiceEvent({
    type,
    call: { id: aPlatformCall() },
    artifact: { messages: ['\u0000'] },
  });

  expect([status, body]).toEqual([200, {}]);
});

describe('what became of a message is counted:', () => {
  const counted = async () => {
    const metrics = await (await fetch(new URL('/metrics', app.baseUrl))).text();
    const lines = metrics.matchAll(/^voice_events_total\{type="([^"]+)",result="([^"]+)"\} (\d+)$/gm);
    return new Map([...lines].map(([, type, result, count]) => [`${type}: ${result}`, Number(count)]));
  };
  const nowhere = { phoneNumberId: 'number-of-nobody' };
  const tools = { toolCallList: [{ id: 'one', function: { name: 'send_resume_link', arguments: {} } }] };
  test.each<[what: string, message: Record<string, unknown> & { type: string }, result: string]>([
    ['a call to a line of ours', { type: 'assistant-request', call: { phoneNumberId: dialled.platformId } }, 'heard'],
    ['a call to no line of ours', { type: 'assistant-request', call: nowhere }, 'refused'],
    ['a transfer of no call of ours', { type: 'transfer-destination-request' }, 'refused'],
    ['who may be dialled', { type: 'campaign.predial', contact: { number: '+13035550188' } }, 'heard'],
    ['a call to us that nobody asked about', { type: 'status-update', status: 'ringing' }, 'unknown_call'],
    ['a state that says nothing', { type: 'status-update', status: 'something' }, 'ignored'],
    ['tool calls', { type: 'tool-calls', ...tools }, 'heard'],
    ['a transcript', { type: 'transcript' }, 'ignored'],
  ])('%s', async (_what, { type, call, ...about }, result) => {
    const before = await counted();
    await app.voiceEvent({ type, call: { id: aPlatformCall(), ...(call as object) }, ...about });
    const after = await counted();

    const more = [...after].flatMap(([what, count]) => {
      const added = count - (before.get(what) ?? 0);
      return added > 0 ? [[what, added]] : [];
    });
    expect(more).toEqual([[`${type}: ${result}`, 1]]);
  });
});

test('a message without a type is no message', async () => {
  expect((await app.voiceEvent({ call: { id: 'x' } })).status).toBe(400);
});

test('an assistant without an address per tool sends its tool calls here', async () => {
  const callId = await app.openTestCall();
  const toolCallList = [
    { id: 'one', function: { name: 'send_resume_link', arguments: { method: 'sms' } } },
    { id: 'two', function: { name: 'validate_intake_field', arguments: '{"fieldName":"phone","value":"1"}' } },
    { id: 'three', function: { name: 'nothing_we_have', arguments: {} } },
  ];

  const { status, body } = await app.voiceEvent({ type: 'tool-calls', call: { id: callId }, toolCallList });

  expect(status).toBe(200);
  expect(
    body.results.map(({ toolCallId, result }: { toolCallId: string; result: string }) => [
      toolCallId,
      JSON.parse(result),
    ]),
  ).toEqual([
    ['one', { success: true, method: 'sms' }],
    ['two', { valid: false, error: 'A phone number has 7 to 15 digits.' }],
    ['three', { success: false, error: 'unknown tool' }],
  ]);
});

describe('the tool definitions for the platform', () => {
  const definitions = async (assistant?: string) =>
    app.request('GET', `/voice/tools${assistant ? `?assistant=${assistant}` : ''}`, { bearer: await app.staff() });

  test('are every tool, each with its address, its arguments and where the secret goes', async () => {
    const { clinicId } = app.clinic;
    await app.stores.clinics.setPolicy(clinicId, {
      ...(await app.stores.clinics.policy(clinicId)),
      booksInOwnCalendar: true,
    });

    const { status, body } = await definitions();

    expect(status).toBe(200);
    expect(body.tools).toHaveLength(22);
    expect(body.tools).toContainEqual({
      type: 'function',
      async: false,
      function: {
        name: 'book_appointment',
        description: 'Book one of the open times for the caller.',
        parameters: {
          type: 'object',
          properties: {
            providerName: expect.objectContaining({ type: 'string' }),
            visitType: expect.objectContaining({ type: 'string' }),
            scheduledAt: expect.objectContaining({ type: 'string', description: expect.any(String) }),
          },
          required: ['providerName', 'visitType', 'scheduledAt'],
        },
      },
      server: {
        url: `${app.env.PUBLIC_URL}/api/emr-tools/book_appointment`,
        timeoutSeconds: 20,
        headers: { 'x-voice-secret': '<VOICE_WEBHOOK_SECRET>' },
      },
    });
    expect(JSON.stringify(body)).not.toContain(app.env.VOICE_WEBHOOK_SECRET);
  });

  test('are those of one assistant where it is named', async () => {
    const { body } = await definitions('payment-recovery');

    expect(body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
      'submit_insurance_info',
      'record_self_pay_decision',
      'escalate_billing',
      'record_do_not_call',
    ]);
  });

  test('are not for everybody', async () => {
    expect((await definitions('nobody')).status).toBe(400);
    expect((await app.request('GET', '/voice/tools')).status).toBe(401);
    const { email, password } = app.unlinkedAccount;
    const bearer = await app.signIn({ email, password });
    expect((await app.request('GET', '/voice/tools', { bearer })).status).toBe(403);
  });
});
