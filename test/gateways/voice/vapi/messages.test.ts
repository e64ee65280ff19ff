import {
  callerIn,
  intentIn,
  isInbound,
  lineIn,
  readCallAnalysis,
  readReport,
  VoiceEvent,
} from '@clinic/gateways/voice/vapi/messages';
import { endOfCall, statusUpdate } from '@clinic/gateways/voice/simulator/speak';
import { callStateOf } from '@clinic/gateways/voice/vapi/call-status';

const read = (message: Record<string, unknown>) => VoiceEvent.parse({ message }).message;

const reportOf = (given: Record<string, unknown>) => {
  const message = read(given);
  if (message.type !== 'status-update' && message.type !== 'end-of-call-report') throw new Error(message.type);
  return readReport(message);
};

const aboutOf = (given: Record<string, unknown>) => {
  const message = read({ type: 'assistant-request', ...given });
  if (message.type !== 'assistant-request') throw new Error(message.type);
  return message;
};

test.each([
  ['scheduled', 'QUEUED'],
  ['queued', 'QUEUED'],
  ['ringing', 'RINGING'],
  ['in-progress', 'IN_PROGRESS'],
  ['forwarding', 'IN_PROGRESS'],
  ['ended', 'ENDED'],
  ['deletion-failed', 'ENDED'],
  ['pondering', null],
  ['constructor', null],
  ['', null],
  [null, null],
  [undefined, null],
])('the status %s is the state %s', (status, state) => {
  expect(callStateOf(status)).toBe(state);
});

test.each(['weather-report', 'constructor', 'other', ''])('a type that is new to us (%s) counts as other', (type) => {
  expect(read({ type, call: { id: 'x' } })).toEqual({ type: 'other' });
});

test.each([{}, { type: 7 }, { type: 'x'.repeat(101) }])('%j is no message', (message) => {
  expect(VoiceEvent.safeParse({ message }).success).toBe(false);
});

test('what is not needed is dropped, the whole conversation included', () => {
  const message = read({ type: 'conversation-update', messages: ['secret'], call: { id: 'x' } });

  expect(message).toEqual({ type: 'conversation-update' });
});

describe('a report', () => {
  test('of a status tells the state, and why the call ended', () => {
    expect(reportOf({ type: 'status-update', status: 'ended', endedReason: 'customer-busy' })).toEqual({
      state: 'ENDED',
      endedReason: 'customer-busy',
      summary: null,
      analysis: null,
      evidence: null,
    });
  });

  test('of a status that is new to us tells nothing', () => {
    expect(reportOf({ type: 'status-update', status: 'pondering' })).toBeNull();
  });

  test('of an end tells what the analysis found', () => {
    const analysis = { summary: 'They talked.', structuredData: { outcome: 'rebooked' } };

    expect(reportOf({ type: 'end-of-call-report', endedReason: 'x', summary: 'old', analysis })).toEqual({
      state: 'ENDED',
      endedReason: 'x',
      summary: 'They talked.',
      analysis: { said: 'rebooked' },
      evidence: null,
    });
  });

  test.each([
    ['a word that is not ours', { structuredData: { outcome: 'sang' } }],
    ['no word', {}],
    ['a list', []],
  ])('whose analysis holds %s says so of nothing', (_what, analysis) => {
    expect(reportOf({ type: 'end-of-call-report', analysis })?.analysis).toEqual({ said: null });
  });

  test('keeps 10,000 characters of the summary, in whole characters', () => {
    const summary = `${'x'.repeat(9_999)}😀`;

    const kept = reportOf({ type: 'end-of-call-report', summary })?.summary;

    expect([kept?.length, kept?.isWellFormed()]).toEqual([10_000, true]);
  });

  test('leaves out what cannot be stored', () => {
    const message = { type: 'end-of-call-report', endedReason: 'a\u0000', summary: '' };

    expect(reportOf(message)).toMatchObject({ endedReason: null, summary: null });
  });

  test('that we write ourselves is read as it was meant', () => {
    const [ended, report] = endOfCall({ reason: 'assistant-ended-call', summary: 'Agreed.', said: 'confirmed' });

    expect(reportOf(statusUpdate('ringing'))).toMatchObject({ state: 'RINGING', endedReason: null });
    expect(reportOf(ended)).toMatchObject({ state: 'ENDED', endedReason: 'assistant-ended-call' });
    expect(reportOf(report)).toMatchObject({ summary: 'Agreed.', analysis: { said: 'confirmed' } });
  });
});

describe('our own id of a call', () => {
  const metadata = { callId: 'ours' };

  test.each([
    ['the call', { call: { id: 'x', metadata } }],
    ['its overrides', { call: { id: 'x', assistantOverrides: { metadata } } }],
    ['its assistant', { call: { id: 'x', assistant: { metadata } } }],
    ['the assistant beside it', { assistant: { metadata } }],
  ])('is found in %s', (_where, message) => {
    expect(intentIn(aboutOf(message))).toBe('ours');
  });

  test('is null where there is none, or one that cannot be stored', () => {
    expect(intentIn(aboutOf({ call: { id: 'x' } }))).toBeNull();
    expect(intentIn(aboutOf({ call: { id: 'x', metadata: { callId: 'a\u0000' } } }))).toBeNull();
  });
});

test('the line and the caller are found where the platform puts them', () => {
  const inCall = {
    id: 'x',
    phoneNumberId: 'line',
    assistantId: 'a',
    customer: { number: '+1' },
    type: 'inboundPhoneCall',
  };

  expect(lineIn(aboutOf({ call: inCall }))).toEqual({ platformNumberId: 'line', number: null, assistantId: 'a' });
  expect(lineIn(aboutOf({ phoneNumber: { id: 'line', number: '+2' } }))).toEqual({
    platformNumberId: 'line',
    number: '+2',
    assistantId: null,
  });
  expect(lineIn(aboutOf({ call: { id: 'x', phoneNumber: { id: 'line', number: '+2' } } }))).toMatchObject({
    platformNumberId: 'line',
    number: '+2',
  });
  expect([callerIn(aboutOf({ call: inCall })), callerIn(aboutOf({ customer: { number: '+3' } }))]).toEqual([
    '+1',
    '+3',
  ]);
  expect([isInbound(aboutOf({ call: inCall })), isInbound(aboutOf({}))]).toEqual([true, false]);
});

describe('what the platform hands over of a call', () => {
  const heardIn = (about: object) => reportOf({ type: 'end-of-call-report', ...about });
  const nothing = { transcript: null, recordingUrl: null, costUsd: null, durationSeconds: null, success: null };
  const kept = {
    transcript: 'AI: Hello.\nUser: Hi.',
    recordingUrl: 'https://storage.vapi.example/call.wav',
    costUsd: 0.1234,
    durationSeconds: 95,
    success: 'true',
  };
  const times = { startedAt: '2026-11-24T19:30:00.000Z', endedAt: '2026-11-24T19:31:34.700Z' };
  const { transcript, recordingUrl } = kept;

  test.each([
    ['as it comes', { artifact: { transcript, recordingUrl }, analysis: { successEvaluation: 'true' } }],
    ['as it came in older messages', { transcript, recordingUrl, analysis: { successEvaluation: true } }],
  ])('is read %s', (_how, about) => {
    expect(heardIn({ ...about, ...times, cost: 0.1234 })?.evidence).toEqual(kept);
  });

  test('is read from a call that is asked about, also before it was analysed', () => {
    expect(readCallAnalysis({ ...times, cost: 0, artifact: { transcript: '' } })).toEqual({
      summary: null,
      analysis: null,
      evidence: { ...nothing, costUsd: 0, durationSeconds: 95 },
    });
    expect(readCallAnalysis('gone')).toMatchObject({ evidence: null });
  });

  test.each([
    ['nothing', {}],
    ['a link that is none', { artifact: { recordingUrl: 'javascript:alert(1)' } }],
    ['a transcript that is none', { artifact: { transcript: { text: 'x' } } }],
    ['a cost below nothing', { cost: -1 }],
    ['an end before the beginning', { startedAt: times.endedAt, endedAt: times.startedAt }],
    ['times that are none', { startedAt: 'yesterday', endedAt: 'today' }],
  ])('%s is not kept', (_what, about) => {
    expect(heardIn(about)?.evidence).toBeNull();
  });

  test('of an endless transcript the beginning is kept', () => {
    expect(heardIn({ transcript: 'x'.repeat(500_000) })?.evidence?.transcript).toHaveLength(400_000);
  });
});
