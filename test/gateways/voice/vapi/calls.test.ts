import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { VoiceUnavailable, VoiceUnknownOutcome, type PlaceCall, type VoiceGateway } from '@clinic/gateways/voice/port';
import { createVapiGateway } from '@clinic/gateways/voice/vapi/calls';
import type { KeptVoice } from '@clinic/shared/contracts/voice/voice';
import { newId } from '@clinic/shared/crypto';
import { openingSentence } from '@clinic/shared/domain/outreach/opening';
import { saidWords } from '@clinic/shared/domain/outreach/conversation';
import { clinicVoice } from '@clinic/gateways/voice/clinic-voice';
import { classifyEndedReason, isSetupFault } from '@clinic/shared/domain/voice/ended-reason';
import { eventually } from '../../../support/eventually';
import { startVapiServer, type VapiServer } from '../../../support/outside/vapi-server';

let http: SafeHttp;
let vapi: VapiServer;
let gateway: VoiceGateway;

beforeEach(async () => {
  http = createSafeHttp({ allowPrivateTargets: true });
  vapi = await startVapiServer('vapi-key');
  gateway = gatewayTo(vapi.url);
});
afterEach(() => Promise.all([http.close(), vapi.close()]));

const operator = {
  apiKey: 'vapi-key',
  assistantId: 'assistant-1',
  phoneNumberId: 'number-1',
  secret: 'voice-secret',
  variables: {
    apiKey: 'VAPI_API_KEY',
    assistantId: 'VAPI_ASSISTANT_ID',
    phoneNumberId: 'VAPI_PHONE_NUMBER_ID',
  },
};

const gatewayTo = (baseUrl: string, kept: KeptVoice | null = null) =>
  createVapiGateway({
    http,
    baseUrl,
    apiKey: 'vapi-key',
    voice: clinicVoice(kept, operator, 'secret-of-the-clinic'),
    timeoutMs: 600,
  });

/** What a clinic with an account of its own has entered. */
const ownVoice: KeptVoice = {
  apiKey: 'vapi-key',
  credentialId: null,
  phoneNumberId: 'own-number',
  number: '+15005550100',
  assistantId: 'own-assistant',
  assistants: { 'appointment-reminder': 'reminder' },
  transferTo: null,
  voicemail: { isDetected: true, leavesMessage: false },
  maxCallSeconds: 240,
  recording: { isOn: false, isDisclosed: true },
  isHipaa: false,
};

const aCall = (changed: Partial<PlaceCall> = {}): PlaceCall => ({
  callId: newId(),
  clinicId: 'clinic-1',
  workflowType: 'abandonment-recovery',
  phone: '+15005550001',
  attempt: 2,
  earlierFaults: 0,
  firstName: 'Zoë',
  language: null,
  clinicName: 'Hill Clinic',
  clinicZone: 'America/Denver',
  opening: null,
  subject: {},
  serverUrl: 'https://clinic.example',
  sendBefore: Date.now() + 10_000,
  ...changed,
});
const aMinute = 60_000;

const otherCalls = (count: number, at: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `other-${n}`,
    status: 'ended',
    name: newId(),
    createdAt: new Date(at + n * 1000).toISOString(),
  }));

describe('placing a call', () => {
  test('the request carries the number, our intent and where to report to', async () => {
    const call = aCall();

    expect(await gateway.place(call)).toEqual({ kind: 'placed', platformCallId: 'vapi-1' });

    expect(vapi.calls).toEqual([
      expect.objectContaining({
        name: call.callId,
        assistantId: 'assistant-1',
        phoneNumberId: 'number-1',
        customer: { number: '+15005550001' },
        assistantOverrides: expect.objectContaining({
          metadata: { callId: call.callId, clinicId: 'clinic-1', workflowType: 'abandonment-recovery', attempt: 2 },
          variableValues: {
            clinicName: 'Hill Clinic',
            clinicZone: 'America/Denver',
            today: expect.stringMatching(/^\w+day, \w+ \d+, \d{4}$/),
            todayDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
            timeNow: expect.stringMatching(/ [AP]M$|^noon$|^midnight$/),
            workflowType: 'abandonment-recovery',
            attempt: 2,
            firstName: 'Zoë',
          },
          server: {
            url: 'https://clinic.example/api/voice/events',
            timeoutSeconds: 20,
            headers: { 'x-voice-secret': 'voice-secret' },
          },
        }),
      }),
    ]);
  });

  test('the agent is told what the call is about, and the platform asked how it went', async () => {
    const subject = { appointmentTime: 'Tuesday, November 24 at noon' };

    await gateway.place(aCall({ workflowType: 'appointment-reminder', subject }));

    const { assistantOverrides } = vapi.calls[0] as { assistantOverrides?: Record<string, unknown> };
    expect(assistantOverrides?.variableValues).toMatchObject(subject);
    expect(assistantOverrides?.analysisPlan).toMatchObject({
      summaryPlan: { enabled: true },
      successEvaluationPlan: { enabled: true, rubric: 'PassFail' },
      structuredDataPlan: { enabled: true, schema: { properties: { outcome: { enum: [...saidWords] } } } },
    });
  });

  test('an id longer than the platform takes as a name is still found by its whole', async () => {
    const long = `${'x'.repeat(45)}1`;
    await gateway.place(aCall({ callId: long }));
    await gateway.place(aCall({ callId: `${'x'.repeat(45)}2` }));

    expect(vapi.calls[0]!.name).toHaveLength(40);
    expect(await gateway.findByIntent(long, aMinute)).toBe('vapi-1');
  });

  test.each([
    ['refuse', 'call.start.error-http-400', 'platform_fault', 'assistantId must be a UUID'],
    ['unauthorized', 'call.start.error-http-401', 'platform_fault', 'Invalid Key'],
    ['no_credit', 'call.start.error-http-402', 'platform_fault', 'Wallet Balance is -0.01. Purchase More Credits'],
    ['unknown_assistant', 'call.start.error-http-400', 'platform_fault', "Couldn't Get Assistant for … …"],
    ['rate_limit', 'call.start.error-http-429', 'platform_fault', 'Over Concurrency Limit'],
    ['at_limit', 'call.start.error-limit-reached', 'platform_fault', 'Over Concurrency Limit'],
    ['bad_number', 'call.start.error-customer-misdialed', 'bad_number', undefined],
  ] as const)('%s: a definite no, and nothing rings', async (mode, reason, ending, said) => {
    vapi.mode = mode;

    const isBadNumber = ending === 'bad_number';
    expect(await gateway.place(aCall())).toEqual({ kind: 'refused', reason, isBadNumber, said });

    expect(classifyEndedReason(reason)).toBe(ending);
    const isSetup = ['refuse', 'unauthorized', 'no_credit', 'unknown_assistant'].includes(mode);
    expect(isSetupFault(reason)).toBe(isSetup);
    expect(vapi.calls).toHaveLength(0);
    expect(vapi.requests).toHaveLength(1);
  });

  test('a platform that cannot be reached has refused: nothing was sent', async () => {
    await vapi.close();

    expect(await gateway.place(aCall())).toMatchObject({ kind: 'refused', reason: 'call.start.error-ECONNREFUSED' });
    expect(classifyEndedReason('call.start.error-ECONNREFUSED')).toBe('platform_fault');
  });

  test.each(['error', 'accept_then_hang', 'accept_then_reset', 'accept_then_garble'] as const)(
    '%s: the outcome is unknown, and the request is sent once',
    async (mode) => {
      vapi.mode = mode;

      await expect(gateway.place(aCall())).rejects.toThrow(VoiceUnknownOutcome);

      expect(vapi.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );

  test('a slow platform is not waited for beyond the deadline', async () => {
    vapi.delayMs = 5_000;
    const startedAt = Date.now();

    await expect(gateway.place(aCall())).rejects.toThrow(VoiceUnknownOutcome);

    expect(Date.now() - startedAt).toBeLessThan(4_000);
  });

  test('a request whose time is over is not sent, and what became of its call is unknown', async () => {
    await expect(gateway.place(aCall({ sendBefore: Date.now() }))).rejects.toThrow(VoiceUnknownOutcome);

    expect(vapi.requests).toHaveLength(0);
  });

  test('a call cancelled on its way has an unknown outcome', async () => {
    vapi.delayMs = 1_000;
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('cancelled')), 20);

    await expect(gateway.place(aCall(), controller.signal)).rejects.toThrow(VoiceUnknownOutcome);
  });

  test.each(['error', 'accept_then_hang'] as const)('%s: no patient data in the error', async (mode) => {
    vapi.mode = mode;

    const error: unknown = await gateway.place(aCall()).catch((caught: unknown) => caught);

    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(
      /5005550001|Zoë|voice-secret|vapi-key/,
    );
  });
});

describe('for a clinic with settings of its own', () => {
  const overridesOf = () => vapi.calls.at(-1)?.assistantOverrides as Record<string, unknown>;
  const opening = 'Hello, this is an automated assistant calling for Hill Clinic.';

  test('its number calls, its assistant for the workflow type talks, and its own secret goes with the call', async () => {
    const own = gatewayTo(vapi.url, ownVoice);
    await own.place(aCall());
    await own.place(aCall({ workflowType: 'appointment-reminder' }));

    expect(vapi.calls).toMatchObject([
      { assistantId: 'own-assistant', phoneNumberId: 'own-number' },
      { assistantId: 'reminder', phoneNumberId: 'own-number' },
    ]);
    expect(overridesOf()).toMatchObject({
      maxDurationSeconds: 240,
      voicemailDetection: { provider: 'vapi' },
      artifactPlan: { recordingEnabled: false },
      server: { headers: { 'x-voice-secret': 'secret-of-the-clinic' } },
    });
    expect(Object.keys(overridesOf())).not.toEqual(expect.arrayContaining(['voicemailMessage', 'compliancePlan']));
  });

  test('a machine is told a neutral text, a recorded call opens with that, and a transfer is asked about', async () => {
    const kept: KeptVoice = {
      ...ownVoice,
      credentialId: 'credential-1',
      transferTo: '+15005550111',
      voicemail: { isDetected: true, leavesMessage: true },
      recording: { isOn: true, isDisclosed: true },
      isHipaa: true,
    };

    await gatewayTo(vapi.url, kept).place(aCall({ opening, subject: { medicationName: 'Canarynol' } }));

    expect(overridesOf()).toMatchObject({
      firstMessage: `${opening} This call is recorded.`,
      variableValues: {
        openingSentence: `${opening} This call is recorded.`,
        recordingSentence: 'This call is recorded.',
        clinicPhone: '5 0 0, 5 5 5, 0 1 0 0',
      },
      voicemailMessage: 'This is an automated message from Hill Clinic. Please call us back at 5 0 0, 5 5 5, 0 1 0 0.',
      artifactPlan: { recordingEnabled: true, structuredOutputs: [{ name: 'call_result' }] },
      compliancePlan: { hipaaEnabled: true },
      serverMessages: expect.arrayContaining(['transfer-destination-request']),
      'tools:append': [{ type: 'transferCall' }],
      server: { credentialId: 'credential-1' },
    });
    expect(JSON.stringify(overridesOf()['server'])).not.toContain('secret');
  });

  test('a patient who asked for Spanish hears in Spanish what a call says by itself, and the assistant knows of it', async () => {
    const kept: KeptVoice = {
      ...ownVoice,
      voicemail: { isDetected: true, leavesMessage: true },
      recording: { isOn: true, isDisclosed: true },
    };
    const inSpanish = openingSentence('Hill Clinic', 'es');

    await gatewayTo(vapi.url, kept).place(aCall({ opening: inSpanish, language: 'es' }));

    expect(inSpanish).toBe('Hola, soy un asistente automático y llamo de parte de Hill Clinic.');
    expect(overridesOf()).toMatchObject({
      firstMessage: `${inSpanish} Esta llamada se graba.`,
      variableValues: { language: 'Spanish', recordingSentence: 'Esta llamada se graba.' },
      voicemailMessage: expect.stringMatching(
        /^Este es un mensaje automático de Hill Clinic\. Por favor, llámenos al 5 0 0/,
      ),
    });
  });

  test('where nothing is to be detected or disclosed, the platform is told so', async () => {
    const voicemail = { isDetected: false, leavesMessage: false };
    const recording = { isOn: true, isDisclosed: false };

    await gatewayTo(vapi.url, { ...ownVoice, voicemail, recording }).place(aCall({ opening }));

    expect(overridesOf()).toMatchObject({ voicemailDetection: 'off', firstMessage: opening });
  });

  test.each([
    ['no number', { phoneNumberId: null, number: null }, 'a number to call from'],
    ['a number that is none of its own any more', { number: null }, 'a number to call from'],
    ['nobody to talk', { assistantId: null }, 'an assistant for abandonment-recovery'],
  ])(
    'with an account of its own and %s, nothing of the operator’s is used and nobody is called',
    async (_, part, what) => {
      const refused = await gatewayTo(vapi.url, { ...ownVoice, ...part }).place(aCall());

      expect(refused).toMatchObject({
        kind: 'refused',
        reason: 'call.start.error-platform-not-configured',
        said: `The clinic's voice settings are not complete: ${what} is missing.`,
      });
      expect(isSetupFault('call.start.error-platform-not-configured')).toBe(true);
      expect(vapi.requests).toHaveLength(0);
    },
  );

  test('through the operator’s account, what it has not entered is the operator’s', async () => {
    const kept = { ...ownVoice, apiKey: null, phoneNumberId: null, number: null, assistantId: null };
    await gatewayTo(vapi.url, kept).place(aCall());

    expect(vapi.calls).toMatchObject([{ assistantId: 'assistant-1', phoneNumberId: 'number-1' }]);
    expect(overridesOf()).toMatchObject({ server: { headers: { 'x-voice-secret': 'voice-secret' } } });
  });
});

describe('after a timeout that came once the call was placed', () => {
  test('the call is found by its intent, so that no patient is called twice', async () => {
    const requestedAt = Date.now();
    const call = aCall();
    vapi.mode = 'accept_then_hang';
    await expect(gateway.place(call)).rejects.toThrow(VoiceUnknownOutcome);
    vapi.mode = 'ok';

    const platformCallId = await gateway.findByIntent(call.callId, Date.now() - requestedAt);

    expect(platformCallId).toBe('vapi-1');
    expect(vapi.calls).toHaveLength(1);
  });

  test('minutes pass before a second request is made', () => {
    expect(gateway.settleMs).toBeGreaterThanOrEqual(180_000);
  });

  test('a call that the platform never took is not found', async () => {
    const call = aCall();
    vapi.mode = 'error';
    await expect(gateway.place(call)).rejects.toThrow(VoiceUnknownOutcome);
    vapi.mode = 'ok';

    expect(await gateway.findByIntent(call.callId, aMinute)).toBeNull();
  });

  test('it is found among hundreds placed since, and when the platform’s clock is behind', async () => {
    const requestedAt = Date.now();
    const call = aCall();
    await gateway.place(call);
    vapi.calls[0]!.createdAt = new Date(requestedAt - 60_000).toISOString();
    vapi.calls.push(...otherCalls(900, requestedAt));

    expect(await gateway.findByIntent(call.callId, Date.now() - requestedAt)).toBe('vapi-1');
    expect(await gateway.findByIntent(newId(), Date.now() - requestedAt)).toBeNull();
  });

  test.each([
    ['behind', -7 * 60_000],
    ['ahead', 30 * 60_000],
  ])('it is found where the platform’s clock is many minutes %s', async (_which, clockAheadMs) => {
    vapi.clockAheadMs = clockAheadMs;
    const call = aCall();
    await gateway.place(call);

    expect(await gateway.findByIntent(call.callId, 0)).toBe('vapi-1');
  });

  test('it is found at an account that places thousands of calls an hour', async () => {
    const requestedAt = Date.now();
    const call = aCall();
    await gateway.place(call);
    vapi.calls.push(...otherCalls(3_000, requestedAt - 1_500_000).map((other, n) => ({ ...other, id: `busy-${n}` })));

    expect(await gateway.findByIntent(call.callId, Date.now() - requestedAt)).toBe('vapi-1');
    expect(await gateway.findByIntent(newId(), Date.now() - requestedAt)).toBeNull();
  });

  test('where the platform lists only a part of one moment’s calls, "no such call" is not said', async () => {
    const createdAt = new Date().toISOString();
    vapi.calls.push(...otherCalls(1001, Date.now()).map((other) => ({ ...other, createdAt })));

    await expect(gateway.findByIntent(newId(), aMinute)).rejects.toThrow('too many calls');
  });

  test('the connection of a request that was not answered in time is closed, so that nothing more is sent on it', async () => {
    vapi.mode = 'accept_then_hang';

    await expect(gateway.place(aCall())).rejects.toThrow(VoiceUnknownOutcome);

    await eventually(async () => (await vapi.connections()) === 0, { within: 2_000, every: 10 });
  });

  test('a platform that does not answer the question is unavailable, which is not "no such call"', async () => {
    vapi.mode = 'error';

    await expect(gateway.findByIntent(newId(), aMinute)).rejects.toThrow(VoiceUnavailable);
    await expect(gateway.lookUp('vapi-1')).rejects.toThrow('the voice platform did not answer: http 500');
  });
});

describe('looking a call up', () => {
  test.each([
    ['scheduled', 'QUEUED'],
    ['queued', 'QUEUED'],
    ['ringing', 'RINGING'],
    ['in-progress', 'IN_PROGRESS'],
    ['forwarding', 'IN_PROGRESS'],
    ['some-new-status', 'IN_PROGRESS'],
  ])('%s is %s', async (status, state) => {
    await gateway.place(aCall());
    vapi.calls[0]!.status = status;

    expect(await gateway.lookUp('vapi-1')).toEqual({ state, endedReason: null });
  });

  test('an ended call comes with its reason', async () => {
    await gateway.place(aCall());
    Object.assign(vapi.calls[0]!, { status: 'ended', endedReason: 'customer-did-not-answer' });

    expect(await gateway.lookUp('vapi-1')).toMatchObject({
      state: 'ENDED',
      endedReason: 'customer-did-not-answer',
      endedAt: null,
      analysis: null,
    });
  });

  test('an ended call comes with its analysis, as its report would have', async () => {
    await gateway.place(aCall());
    const analysis = { summary: 'They will come.', structuredData: { outcome: 'confirmed' } };
    const ended = { status: 'ended', endedReason: 'assistant-ended-call', endedAt: '2026-11-24T10:05:00Z' };
    Object.assign(vapi.calls[0]!, { ...ended, analysis });

    expect(await gateway.lookUp('vapi-1')).toEqual({
      state: 'ENDED',
      endedReason: 'assistant-ended-call',
      endedAt: '2026-11-24T10:05:00.000Z',
      summary: 'They will come.',
      evidence: null,
      analysis: { said: 'confirmed' },
    });
  });

  test('a call the platform does not know is null', async () => {
    expect(await gateway.lookUp('vapi-9')).toBeNull();
  });
});
