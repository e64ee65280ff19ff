import { clinicVoice, type ClinicVoice } from '@clinic/gateways/voice/clinic-voice';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { createUnsetGateway } from '@clinic/gateways/voice/unset';
import { VoiceSettings } from '@clinic/shared/contracts/voice/voice';
import type { ServiceConfig } from '@clinic/shared/config';
import { notStarted } from '@clinic/shared/domain/voice/ended-reason';
import { DEFAULT_PLATFORM, SIMULATOR, voicePlatforms } from '@clinic/shared/domain/voice/platforms';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';

const config = { PUBLIC_URL: 'https://us.example', VAPI_BASE_URL: 'https://vapi.example' } as ServiceConfig;
const platforms = createVoicePlatforms({ config, http: { request: jest.fn(), close: jest.fn() } });

test.each([...voicePlatforms, 'gone-since', '', 'toString'])(
  'the account behind a clinic of %j is one that its calls could go through',
  (name) => {
    expect(platforms.accountOf(name)).toBe(platforms.of(DEFAULT_PLATFORM).account);
    expect(platforms.accountOf(name)?.serverUrl).toBe('https://us.example/api/voice/events');
  },
);

test('each platform is had by its name, and one that is unknown is not', () => {
  expect(platforms.of(SIMULATOR).account).toBeNull();
  expect(platforms.accounts.map(({ name }) => name)).toEqual([DEFAULT_PLATFORM]);
  expect(platforms.speakers.map(({ account }) => account)).toEqual([platforms.of(DEFAULT_PLATFORM).account]);
  expect(platforms.contract).toBe(platforms.of(DEFAULT_PLATFORM).messages);
  expect(() => platforms.of('gone-since')).toThrow('gone-since is no voice platform');
});

describe('a clinic without an account', () => {
  const account = platforms.accountOf(DEFAULT_PLATFORM);
  const settings = { ...VoiceSettings.parse({ apiKey: null, phoneNumberId: 'line' }), number: '+15005550100' };
  const [type] = workflowTypeNames;

  test.each<[string, ClinicVoice, string | undefined]>([
    [
      'that has set nothing',
      clinicVoice(null, account.operator, null),
      'The service has no settings for the voice platform: VAPI_API_KEY, VAPI_ASSISTANT_ID, VAPI_PHONE_NUMBER_ID not set.',
    ],
    [
      'that has a number',
      clinicVoice(settings, account.operator, null),
      `The clinic's voice settings are not complete: an API key, an assistant for ${type} is missing.`,
    ],
    [
      'whose account came back meanwhile',
      clinicVoice({ ...settings, apiKey: 'key', assistantId: 'one' }, account.operator, null),
      undefined,
    ],
  ])('%s has each call refused as a fault of ours, and nothing is ever on its way', async (_which, voice, said) => {
    const gateway = createUnsetGateway(voice);
    const found = [await gateway.findByIntent('call-1', 0), await gateway.lookUp('call-1')];

    expect(await gateway.place({ workflowType: type } as Parameters<typeof gateway.place>[0])).toEqual({
      kind: 'refused',
      reason: notStarted('platform-not-configured'),
      isBadNumber: false,
      said,
    });
    expect([gateway.account, gateway.settleMs, ...found]).toEqual(['none', 0, null, null]);
  });

  test('has its calls refused until there is a key', async () => {
    const voice = clinicVoice(settings, account.operator, null);

    expect((await platforms.of(DEFAULT_PLATFORM).callsOf(voice)).account).toBe('none');
  });
});
