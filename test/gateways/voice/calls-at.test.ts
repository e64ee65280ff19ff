import { callsAt } from '@clinic/gateways/voice/calls-at';
import { createVoicePlatforms } from '@clinic/gateways/voice/registry';
import { type KeptVoice, VoiceSettings } from '@clinic/shared/contracts/voice/voice';
import type { ServiceConfig } from '@clinic/shared/config';
import { isSetupFault, keyUnreadable } from '@clinic/shared/domain/voice/ended-reason';
import { DEFAULT_PLATFORM, SIMULATOR } from '@clinic/shared/domain/voice/platforms';

const config = { VAPI_BASE_URL: 'https://vapi.example', VAPI_API_KEY: 'key of the operator' } as ServiceConfig;
const platforms = createVoicePlatforms({
  config,
  http: { request: jest.fn(), close: jest.fn() },
  simulatedCalls: { start: jest.fn(), describe: jest.fn() },
});

let kept: KeptVoice | null = null;
const settings = { voice: async () => kept };
const keys = { voiceSecret: async (): Promise<string | null> => 'secret' };
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

test.each<[string, KeptVoice, string | null]>([
  ['a key', { ...VoiceSettings.parse({ apiKey: null }), number: null, isKeyUnreadable: true }, 'secret'],
  ['the secret that goes with calls', { ...VoiceSettings.parse({ apiKey: 'own' }), number: null }, null],
])(
  'no call of a clinic goes through the operator’s account because %s cannot be decrypted',
  async (_what, chosen, secret) => {
    kept = chosen;
    keys.voiceSecret = async () => secret;

    const gateway = await voice(DEFAULT_PLATFORM, 'clinic');

    keys.voiceSecret = async () => 'secret';
    const placed = await gateway.place({ workflowType: 'payment-recovery' } as Parameters<typeof gateway.place>[0]);
    expect(placed).toMatchObject({
      kind: 'refused',
      reason: keyUnreadable,
      said: expect.stringContaining('decrypted'),
    });
    expect(isSetupFault(keyUnreadable)).toBe(false);
  },
);

test('one whose key is kept no longer is looked up nowhere: another account says which it is', async () => {
  const own = await accountOf(DEFAULT_PLATFORM, withKey('own'));
  const other = await accountOf(DEFAULT_PLATFORM, withKey('other'));

  expect(await accountOf(DEFAULT_PLATFORM, withKey('other'), own)).toBe(other);
});
