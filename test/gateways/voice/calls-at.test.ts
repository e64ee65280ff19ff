import { callsAt } from '@clinic/gateways/voice/calls-at';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { type KeptVoice, VoiceSettings } from '@clinic/shared/contracts/voice/voice';
import type { ServiceConfig } from '@clinic/shared/config';
import { DEFAULT_PLATFORM, SIMULATOR } from '@clinic/shared/domain/voice/platforms';

const config = { VAPI_BASE_URL: 'https://vapi.example', VAPI_API_KEY: 'key of the operator' } as ServiceConfig;
const platforms = createVoicePlatforms({
  config,
  http: { request: jest.fn(), close: jest.fn() },
  simulatedCalls: { start: jest.fn(), describe: jest.fn() },
});

let kept: KeptVoice | null = null;
const settings = { voice: async () => kept };
const keys = { voiceSecret: async () => 'secret' };
const voice = callsAt(platforms, { settings, keys } as unknown as Parameters<typeof callsAt>[1]);
const withKey = (apiKey: string): KeptVoice => ({ ...VoiceSettings.parse({ apiKey }), number: null });

const accountOf = async (name: string, chosen: KeptVoice | null, account: string | null = null) => {
  kept = chosen;
  return (await voice(name, 'clinic', account)).account;
};

test('a call is looked up at the account and the platform that placed it, whatever the clinic has chosen since', async () => {
  const [own, operators] = [await accountOf(DEFAULT_PLATFORM, withKey('own')), await accountOf(DEFAULT_PLATFORM, null)];
  expect(own).not.toBe(operators);

  expect([
    await accountOf(DEFAULT_PLATFORM, withKey('own'), own),
    await accountOf(DEFAULT_PLATFORM, withKey('own'), operators),
    await accountOf(DEFAULT_PLATFORM, withKey('own'), 'simulator'),
    await accountOf(SIMULATOR, withKey('own'), own),
    await accountOf(SIMULATOR, null, operators),
  ]).toEqual([own, operators, 'simulator', own, operators]);
});

test('one whose key is kept no longer is looked up nowhere: another account says which it is', async () => {
  const own = await accountOf(DEFAULT_PLATFORM, withKey('own'));
  const other = await accountOf(DEFAULT_PLATFORM, withKey('other'));

  expect(await accountOf(DEFAULT_PLATFORM, withKey('other'), own)).toBe(other);
});
