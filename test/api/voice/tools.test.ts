import { randomUUID } from 'node:crypto';
import { demoPolicy } from '@clinic/prisma/fixtures';
import { type App, startApp } from '../../support/app';
import { aPhone, anEnvelope } from '../../support/builders';

const NO_CASE = { success: false, error: 'no active recovery case found for this call' };
const NOT_RECOGNISED = { success: false, error: 'call not recognised' };
const family = '/abandonment-recovery-tools';
const resolution = { recoveryStatus: 'RECOVERED', resumeLinkSent: true };

let app: App;

beforeAll(async () => {
  app = await startApp();
  await app.stores.clinics.setPolicy(app.clinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 3_600 });
}, 240_000);

afterAll(() => app.stop());

/** A case whose patient is on the phone, in an internal test call. */
async function aCallingCase() {
  const { body } = await app.abandon({ phone: aPhone() });
  const callId = await app.openTestCall({ recoveryCaseId: body.recoveryCaseId });
  return { callId, workflowId: body.workflowId as string, recoveryCaseId: body.recoveryCaseId as string };
}

const statusOf = async (recoveryCaseId: string) =>
  (await app.stores.cases.find(app.clinic.clinicId, recoveryCaseId))?.status;

const resultsOf = (text: string): Record<string, unknown>[] =>
  JSON.parse(text).results.map(({ result }: { result: string }) => JSON.parse(result));

describe('the secret', () => {
  test.each([
    '/patient-journey/x',
    '/patient-intake/x',
    '/emr-tools/x',
    '/abandonment-recovery-tools/x',
    '/voice/events',
  ])('missing or wrong at %s is 401, whatever the body', async (path) => {
    const missing = await app.request('POST', path, { body: anEnvelope(null, [{}]) });
    const wrong = await app.request('POST', path, { body: '{', headers: { 'x-voice-secret': 'wrong' } });

    expect([missing.status, wrong.status]).toEqual([401, 401]);
    expect(missing.body).toEqual({
      statusCode: 401,
      message: expect.any(String),
      error: 'Unauthorized',
      code: 'unauthorized',
    });
    expect(missing.headers.get('www-authenticate')).toBeNull();
  });
});

describe('the abandonment tools', () => {
  test('do to the case what the contract says', async () => {
    const { callId, workflowId, recoveryCaseId } = await aCallingCase();

    const progress = await app.tool('abandonment-recovery-tools/check_recovery_session_status', callId);
    const barrier = await app.tool('abandonment-recovery-tools/record_abandonment_barrier', callId, {
      primaryBarrier: 'price',
      specificQuestion: 'Is there a payment plan?',
    });
    const link = await app.tool('abandonment-recovery-tools/send_resume_link', callId, { method: 'email' });
    const resolved = await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', callId, resolution);
    const workflow = await app.ended(workflowId);

    expect(progress).toEqual({
      success: true,
      completionPercentage: 42.5,
      formCompleted: false,
      checkoutCompleted: false,
    });
    expect([barrier, link, resolved]).toEqual([
      { success: true },
      { success: true, method: 'email' },
      { success: true },
    ]);
    expect(workflow).toMatchObject({ status: 'completed', outcome: 'RECOVERED' });
    expect(await app.stores.cases.find(app.clinic.clinicId, recoveryCaseId)).toMatchObject({
      barrier: { primaryBarrier: 'price', specificQuestion: 'Is there a payment plan?' },
      resolution,
    });
  });

  test('find no case in a call without one, or once the case has ended', async () => {
    const { callId } = await aCallingCase();
    const bareCall = await app.openTestCall();

    await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', callId, resolution);
    const after = await app.tool('abandonment-recovery-tools/record_abandonment_barrier', callId, {
      primaryBarrier: 'x',
    });
    const bare = await app.tool('abandonment-recovery-tools/record_abandonment_barrier', bareCall, {
      primaryBarrier: 'x',
    });

    expect([after, bare]).toEqual([NO_CASE, NO_CASE]);
  });

  test.each([
    ['record_abandonment_barrier', {}, /primaryBarrier is required/],
    ['record_abandonment_barrier', { primaryBarrier: 7 }, /primaryBarrier/],
    ['record_abandonment_barrier', { primaryBarrier: '' }, /primaryBarrier/],
    ['resolve_recovery_outcome', { recoveryStatus: 'RECOVERED' }, /resumeLinkSent is required/],
    ['resolve_recovery_outcome', { resumeLinkSent: true }, /recoveryStatus/],
    ['resolve_recovery_outcome', { resumeLinkSent: true, recoveryStatus: 'CALLING' }, /RECOVERED, /],
    ['resolve_recovery_outcome', { resumeLinkSent: 'yes', recoveryStatus: 'RECOVERED' }, /resumeLinkSent/],
    ['send_resume_link', { method: 'carrier pigeon' }, /method must be sms or email/],
    ['send_resume_link', {}, /method/],
  ])('%s with %j says what is wrong, and changes nothing', async (tool, args, sentence) => {
    const { callId, recoveryCaseId } = await aCallingCase();

    const result = await app.tool(`abandonment-recovery-tools/${tool}`, callId, args);

    expect(result).toEqual({ success: false, error: expect.stringMatching(sentence) });
    expect(await statusOf(recoveryCaseId)).toBe('CALLING');
  });

  test('ignore ids, phones and statuses in the arguments that are not theirs', async () => {
    const [mine, other] = [await aCallingCase(), await aCallingCase()];

    const result = await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', mine.callId, {
      ...resolution,
      recoveryCaseId: other.recoveryCaseId,
      workflowId: other.workflowId,
      clinicId: app.otherClinic.clinicId,
      callId: other.callId,
    });

    expect(result).toEqual({ success: true });
    expect([await statusOf(mine.recoveryCaseId), await statusOf(other.recoveryCaseId)]).toEqual([
      'RECOVERED',
      'CALLING',
    ]);
  });
});

describe('one toolCallId', () => {
  test('is answered byte for byte the same, at once and later, and happens once', async () => {
    const { callId, workflowId } = await aCallingCase();
    const envelope = anEnvelope(callId, [{ id: 'tool-call-1', arguments: resolution }]);
    const ask = () => app.asVoice(`${family}/resolve_recovery_outcome`, envelope);

    const together = await Promise.all(Array.from({ length: 10 }, ask));
    const later = await ask();

    expect(new Set([...together, later].map(({ text }) => text))).toEqual(
      new Set(['{"results":[{"toolCallId":"tool-call-1","result":"{\\"success\\":true}"}]}']),
    );
    expect(await app.stores.toolCalls.ofCall(app.clinic.clinicId, callId)).toHaveLength(1);
    expect((await app.ended(workflowId)).outcome).toBe('RECOVERED');
  });

  test('keeps its answer even when the same request would now be refused', async () => {
    const { callId } = await aCallingCase();
    const ask = () =>
      app.tool('abandonment-recovery-tools/record_abandonment_barrier', callId, { primaryBarrier: 'time' }, 'b-1');

    const before = await ask();
    await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', callId, resolution);

    expect([before, await ask()]).toEqual([{ success: true }, { success: true }]);
  });

  test('of another call is another tool call', async () => {
    const [one, other] = [await aCallingCase(), await aCallingCase()];

    for (const { callId } of [one, other]) {
      await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', callId, resolution, 'same-id');
    }

    expect([await statusOf(one.recoveryCaseId), await statusOf(other.recoveryCaseId)]).toEqual([
      'RECOVERED',
      'RECOVERED',
    ]);
  });

  test('that is new, with the same meaning within a minute, is answered like the first', async () => {
    const { callId } = await aCallingCase();

    const first = await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', callId, resolution);
    const again = await app.tool('abandonment-recovery-tools/resolve_recovery_outcome', callId, resolution);

    expect([first, again]).toEqual([{ success: true }, { success: true }]);
  });
});

describe('the envelope', () => {
  const path = `${family}/send_resume_link`;
  const link = { method: 'sms' };
  const sent = { success: true, method: 'sms' };
  let callId: string;

  beforeAll(async () => {
    callId = await app.openTestCall();
  });

  test('answers a batch in the order asked; one that fails does not stop the rest', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const calls = [link, { method: 'fax' }, { method: 'email' }].map((args, index) => ({
      id: ids[index],
      arguments: args,
    }));

    const { status, body, text } = await app.asVoice(path, anEnvelope(callId, calls));

    expect(status).toBe(200);
    expect(body.results.map(({ toolCallId }: { toolCallId: string }) => toolCallId)).toEqual(ids);
    expect(resultsOf(text)).toEqual([
      sent,
      { success: false, error: expect.any(String) },
      { success: true, method: 'email' },
    ]);
    expect(body.results.every(({ result }: { result: string }) => !result.includes('\n'))).toBe(true);
  });

  test('runs a batch in order', async () => {
    const { callId: live, recoveryCaseId } = await aCallingCase();
    const batch = anEnvelope(live, [
      { arguments: { ...resolution, recoveryStatus: 'PRICING_ESCALATION' } },
      { arguments: { ...resolution, recoveryStatus: 'RECOVERED' } },
    ]);

    const { text } = await app.asVoice(`${family}/resolve_recovery_outcome`, batch);

    expect(resultsOf(text)).toEqual([{ success: true }, NO_CASE]);
    expect(await statusOf(recoveryCaseId)).toBe('PRICING_ESCALATION');
  });

  test.each([
    [
      'arguments as a JSON string',
      (id: string) => ({ toolCalls: [{ id, function: { arguments: JSON.stringify(link) } }] }),
    ],
    ['toolCallList', (id: string) => ({ toolCallList: [{ id, function: { name: 'other', arguments: link } }] })],
    [
      'toolWithToolCallList',
      (id: string) => ({ toolWithToolCallList: [{ name: 'x', toolCall: { id, function: { arguments: link } } }] }),
    ],
    [
      'an empty toolCalls beside a toolCallList',
      (id: string) => ({ toolCalls: [], toolCallList: [{ id, arguments: link }] }),
    ],
    ['parameters instead of arguments', (id: string) => ({ toolCalls: [{ id, function: { parameters: link } }] })],
    ['toolCallId instead of id', (id: string) => ({ toolCalls: [{ toolCallId: id, function: { arguments: link } }] })],
    ['the same call twice', (id: string) => ({ toolCalls: [1, 2].map(() => ({ id, function: { arguments: link } })) })],
    [
      'fields nobody asked for',
      (id: string) => ({
        artifact: { messages: [] },
        toolCalls: [{ id, type: 'function', function: { arguments: { ...link, extra: 1 } } }],
      }),
    ],
  ])('may carry %s', async (_what, message) => {
    const id = randomUUID();

    const { status, body } = await app.asVoice(path, { message: { call: { id: callId }, ...message(id) } });

    expect(status).toBe(200);
    expect(body).toEqual({ results: [{ toolCallId: id, result: JSON.stringify(sent) }] });
  });

  test('of the older single call is answered as { result }', async () => {
    const { status, body } = await app.asVoice(path, {
      message: {
        type: 'function-call',
        call: { id: callId },
        functionCall: { name: 'send_resume_link', parameters: link },
      },
    });

    expect([status, body]).toEqual([200, { result: JSON.stringify(sent) }]);
  });

  test('that the model wrote as broken JSON is asked for again', async () => {
    const { text } = await app.asVoice(path, anEnvelope(callId, [{ arguments: '{"method": ' }]));

    expect(resultsOf(text)).toEqual([{ success: false, error: expect.stringContaining('again') }]);
  });

  test.each([
    ['nothing', {}],
    ['a message without tool calls', { message: { type: 'tool-calls' } }],
    ['tool calls without any id', { message: { toolCalls: [{ function: { arguments: {} } }] } }],
    ['a text', '"hello"'],
    ['null', 'null'],
    ['a list', []],
  ])('that is %s is 400: there is nobody to answer', async (_what, body) => {
    const { status, body: answer } = await app.asVoice(path, body);

    expect([status, answer.error]).toEqual([400, 'Bad Request']);
  });

  test('without tool calls in it is answered with no results', async () => {
    const { status, body } = await app.asVoice(path, anEnvelope(callId, []));

    expect([status, body]).toEqual([200, { results: [] }]);
  });

  test('may be large: the platform sends the whole conversation', async () => {
    const envelope = anEnvelope(callId, [{ arguments: link }]);
    const padded = (bytes: number) => ({ message: { ...envelope.message, artifact: 'x'.repeat(bytes) } });

    const [fits, tooLarge] = [await app.asVoice(path, padded(1_900_000)), await app.asVoice(path, padded(2_200_000))];

    expect(fits.status).toBe(200);
    expect(tooLarge).toMatchObject({ status: 413, body: { statusCode: 413 } });
  });
});

describe('the call', () => {
  const path = `${family}/send_resume_link`;
  const ask = async (envelope: unknown, headers = {}) => resultsOf((await app.asVoice(path, envelope, headers)).text);
  const link = [{ arguments: { method: 'sms' } }];

  test('that is unknown or over is not recognised', async () => {
    const over = await app.openTestCall();
    await app.voiceEvent({ type: 'status-update', status: 'ended', call: { id: over } });

    expect(await ask(anEnvelope('nobody', [...link, ...link]))).toEqual([NOT_RECOGNISED, NOT_RECOGNISED]);
    expect(await ask(anEnvelope(over, link))).toEqual([NOT_RECOGNISED]);
  });

  test('may be named by the header where the body names none; the body comes first', async () => {
    const callId = await app.openTestCall();

    expect(await ask(anEnvelope(null, link), { 'x-call-id': callId })).toEqual([{ success: true, method: 'sms' }]);
    expect(await ask(anEnvelope(null, link), { 'x-call-id': 'nobody' })).toEqual([NOT_RECOGNISED]);
    expect(await ask(anEnvelope('nobody', link), { 'x-call-id': callId })).toEqual([NOT_RECOGNISED]);
  });

  test('is the default test call for the bare envelope of the contract, in the local stack', async () => {
    const bare = { message: { toolCalls: [{ id: 'bare-1', function: { arguments: { method: 'sms' } } }] } };

    expect(await ask(bare)).toEqual([{ success: true, method: 'sms' }]);
  });

  test('of another workflow type may not use these tools', async () => {
    const callId = await app.openTestCall({ workflowType: 'new-patient-journey' });

    expect(await ask(anEnvelope(callId, link))).toEqual([
      { success: false, error: 'tool not available for this call' },
    ]);
  });

  test.each(['no_such_tool', 'constructor', '__proto__', 'record_abandonment_barrier%00', 'x'.repeat(300)])(
    'to an unknown tool (%s) says so',
    async (name) => {
      const callId = await app.openTestCall();

      const { status, text } = await app.asVoice(`${family}/${name}`, anEnvelope(callId, [{}]));

      if (status === 200) expect(resultsOf(text)).toEqual([{ success: false, error: 'unknown tool' }]);
      else expect(status).toBe(400);
    },
  );

  test('takes the name of the route, not the one in the body', async () => {
    const callId = await app.openTestCall();
    const named = { id: randomUUID(), function: { name: 'resolve_recovery_outcome', arguments: { method: 'sms' } } };

    expect(await ask({ message: { call: { id: callId }, toolCalls: [named] } })).toEqual([
      { success: true, method: 'sms' },
    ]);
  });
});

test('outside the local stack the bare envelope points at no call', async () => {
  const production = await startApp({ env: { LOCAL_STACK: '0' }, hasWorker: false });
  const bare = { message: { toolCalls: [{ id: 'bare-1', function: { arguments: { method: 'sms' } } }] } };

  const { text } = await production.asVoice(`${family}/send_resume_link`, bare);
  await production.stop();

  expect(resultsOf(text)).toEqual([NOT_RECOGNISED]);
}, 30_000);
