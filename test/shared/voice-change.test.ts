import { VoiceChange, withKeptKey } from '@clinic/shared/contracts/voice/voice';

test('voice settings that leave out the assistants leave them as they are; an empty object takes them away', () => {
  const made = VoiceChange.parse({
    provider: 'vapi',
    apiKey: 'key',
    assistants: { 'appointment-reminder': 'assistant-1' },
  });
  const kept = withKeptKey(made, null);

  const without = withKeptKey(VoiceChange.parse({ provider: 'vapi', maxCallSeconds: 300 }), kept);
  const emptied = withKeptKey(VoiceChange.parse({ provider: 'vapi', assistants: {} }), kept);

  expect(without).toMatchObject({ maxCallSeconds: 300, apiKey: 'key', assistants: kept.assistants });
  expect(emptied.assistants).toEqual({});
});
