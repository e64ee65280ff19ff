import {
  classifyEndedReason,
  dependsOnEarlierCalls,
  endingOfCall,
  isEndedByAssistant,
  isSetupFault,
  saysItRang,
  saysItWasAnswered,
} from '@clinic/shared/domain/voice/ended-reason';

test.each([
  ['customer-ended-call', 'conversation'],
  ['customer-ended-call-during-transfer', 'conversation'],
  ['assistant-ended-call', 'conversation'],
  ['assistant-ended-call-after-message-spoken', 'conversation'],
  ['assistant-said-end-call-phrase', 'conversation'],
  ['assistant-forwarded-call', 'conversation'],
  ['exceeded-max-duration', 'conversation'],
  ['vonage-completed', 'conversation'],
  ['call.in-progress.twilio-completed-call', 'conversation'],
  ['call.in-progress.error-transfer-failed', 'conversation'],
  ['call.in-progress.error-warm-transfer-silence-timeout', 'conversation'],
  ['call.forwarding.operator-busy', 'conversation'],

  ['call.in-progress.returned-forwarding-phone-number', 'conversation'],

  ['voicemail', 'not_reached'],
  ['customer-did-not-give-microphone-permission', 'not_reached'],
  ['vonage-rejected', 'not_reached'],
  ['customer-did-not-answer', 'not_reached'],
  ['customer-busy', 'not_reached'],
  ['silence-timed-out', 'not_reached'],
  ['call.in-progress.error-assistant-did-not-receive-customer-audio', 'not_reached'],
  ['call.ringing.sip-inbound-caller-hungup-before-call-connect', 'not_reached'],
  ['twilio-failed-to-connect-call', 'not_reached'],
  ['call.in-progress.error-sip-outbound-call-failed-to-connect', 'not_reached'],
  ['call.in-progress.error-providerfault-outbound-sip-503-service-unavailable', 'not_reached'],
  ['call.in-progress.error-vapifault-transport-never-connected', 'not_reached'],

  ['twilio-reported-customer-misdialed', 'bad_number'],

  ['call.start.error-get-customer', 'platform_fault'],
  ['call.start.error-subscription-concurrency-limit-reached', 'platform_fault'],
  ['call.start.error-vapifault-get-org', 'platform_fault'],
  ['call-start-error-neither-assistant-nor-server-set', 'platform_fault'],
  ['call.in-progress.error-vapifault-worker-died', 'platform_fault'],
  ['call.in-progress.error-configfault-model-unsupported-in-squad', 'platform_fault'],
  ['call.in-progress.error-pipeline-no-available-llm-model', 'platform_fault'],
  ['pipeline-error-openai-llm-failed', 'platform_fault'],
  ['worker-shutdown', 'platform_fault'],
  ['assistant-not-found', 'platform_fault'],
  ['assistant-request-failed', 'platform_fault'],
  ['assistant-join-timed-out', 'platform_fault'],
  ['phone-call-provider-closed-websocket', 'platform_fault'],

  ['concurrency-limit-reached', 'platform_fault'],

  ['manually-canceled', 'cancelled'],
  ['manually-cancelled', 'cancelled'],
  ['scheduled-call-deleted', 'cancelled'],
  ['call-deleted', 'cancelled'],

  ['a-reason-of-next-year', 'conversation'],
  ['', 'conversation'],
])('%s is %s', (reason, ending) => {
  expect(classifyEndedReason(reason)).toBe(ending);
});

test('a connection that fails again means that the number is wrong', () => {
  expect(classifyEndedReason('twilio-failed-to-connect-call', ['vonage-failed-to-connect-call'])).toBe('bad_number');
  expect(classifyEndedReason('twilio-failed-to-connect-call', ['customer-did-not-answer'])).toBe('not_reached');
  expect(classifyEndedReason('customer-did-not-answer', ['twilio-failed-to-connect-call'])).toBe('not_reached');
});

test.each([
  ['assistant-ended-call', true],
  ['assistant-said-end-call-phrase', true],
  ['assistant-not-found', false],
  ['assistant-request-failed', false],
  ['customer-ended-call', false],
])('%s: the agent said goodbye, %s', (reason, isGoodbye) => {
  expect(isEndedByAssistant(reason)).toBe(isGoodbye);
});

test.each([
  ...[400, 401, 402, 403, 404, 422].map((status) => `http-${status}`),
  'platform-not-configured',
  'subscription-frozen',
  'subscription-insufficient-credits',
  'subscription-wallet-does-not-exist',
  'subscription-upgrade-failed',
  'enterprise-feature-not-available',
  'get-resources-validation',
  'number-international',
  'neither-assistant-nor-server-set',
  'assistant-not-found',
  'assistant-not-valid',
  'assistant-not-provided',
])('%s is mended by a person alone', (cause) => {
  expect(isSetupFault(`call.start.error-${cause}`)).toBe(true);
});

test.each([
  'call.start.error-http-500',
  'call.start.error-http-429',
  'call.start.error-concurrency-limit-reached',
  'pipeline-error-openai-llm-failed',
  'worker-shutdown',
  // What is a conversation is no fault, whatever words it holds.
  'customer-ended-call-number-international',
])('%s may pass by itself', (reason) => {
  expect(isSetupFault(reason)).toBe(false);
});

test.each<[reason: string, wasAnswered: boolean, rang: boolean]>([
  ['call.in-progress.error-vapifault-worker-died', true, true],
  ['call.in-progress.twilio-completed-call', true, true],
  ['call.in-progress.error-sip-outbound-call-failed-to-connect', false, true],
  ['call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable', false, true],
  ['customer-ended-call', true, true],
  ['customer-ended-call-before-warm-transfer', true, true],
  ['assistant-forwarded-call', true, true],
  ['exceeded-max-duration', true, true],
  ['silence-timed-out', false, true],
  ['customer-did-not-answer', false, true],
  ['twilio-reported-customer-misdialed', false, true],
  ['call.start.error-http-500', false, false],
  ['worker-shutdown', false, false],
])('%s: was answered %s, rang %s', (reason, wasAnswered, rang) => {
  expect([saysItWasAnswered(reason), saysItRang(reason)]).toEqual([wasAnswered, rang]);
});

test.each<[reason: string, transcript: string | null, durationSeconds: number | null, wasAnswered: boolean]>([
  ['silence-timed-out', 'AI: Hello?', null, true],
  ['pipeline-error-openai-llm-failed', null, 12, true],
  ['a-reason-of-next-year', null, 1, true],
  ['a-reason-of-next-year', '', 0, false],
  ['a-reason-of-next-year', null, null, false],
  ['customer-did-not-answer', null, 30, false],
  ['twilio-failed-to-connect-call', null, 2, false],
  ['call.start.error-get-transport', null, 2, false],
])('%s with the transcript %j and %j seconds: was answered %s', (reason, transcript, durationSeconds, wasAnswered) => {
  expect(saysItWasAnswered(reason, { transcript, durationSeconds })).toBe(wasAnswered);
});

test('only what a failed connection means depends on the calls before', () => {
  expect(dependsOnEarlierCalls('twilio-failed-to-connect-call')).toBe(true);
  expect(dependsOnEarlierCalls('customer-did-not-answer')).toBe(false);
});

test.each([
  ['voicemail', 'customer-ended-call', [], 'not_reached'],
  ['goodbye', 'customer-ended-call', [], 'conversation'],
  [null, null, [], 'conversation'],
  [null, 'twilio-failed-to-connect-call', ['twilio-failed-to-connect-call'], 'bad_number'],
])(
  'a call in which %s was said and that ended as %s, after %j, is shown as %s',
  (said, endedReason, earlierReasons, ending) => {
    expect(endingOfCall({ said, endedReason, earlierReasons })).toBe(ending);
  },
);
