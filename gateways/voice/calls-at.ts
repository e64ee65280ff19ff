import type { Stores } from '@clinic/prisma/stores';
import type { KeptVoice } from '@clinic/shared/contracts/voice/voice';
import { voicePlatforms } from '@clinic/shared/domain/voice/platforms';
import { clinicVoice } from './clinic-voice';
import type { VoiceGateway } from './port';
import type { VoicePlatforms } from './registry';

/**
 * Where a clinic's calls are placed, as it has set it at this moment. With `account`, which placed a call: that one, also where the
 * clinic has left it, or its platform, since; who gets another one back learns that its key is kept no longer.
 */
export const callsAt =
  (platforms: VoicePlatforms, { settings, keys }: Pick<Stores, 'settings' | 'keys'>) =>
  async (name: string, clinicId: string, account: string | null = null): Promise<VoiceGateway> => {
    const { kept, secret } = await keptVoice({ settings, keys }, clinicId);
    const callsOf = (platform: string, voice: KeptVoice | null) =>
      platforms.of(platform).callsOf(clinicVoice(voice, platforms.accountOf(platform).operator, secret));
    const current = await callsOf(name, kept);
    if (account === null || current.account === account) return current;
    for (const platform of voicePlatforms) {
      for (const voice of [kept, null]) {
        const earlier = await callsOf(platform, voice);
        if (earlier.account === account) return earlier;
      }
    }
    return current;
  };

/** What a clinic has set, with the secret that goes with its calls. A key that goes with none counts as one that cannot be read. */
export async function keptVoice(
  { settings, keys }: Pick<Stores, 'settings' | 'keys'>,
  clinicId: string,
): Promise<{ kept: KeptVoice | null; secret: string | null }> {
  const kept = await settings.voice(clinicId);
  const secret = kept?.apiKey ? await keys.voiceSecret(clinicId) : null;
  const isMute = kept?.apiKey && kept.credentialId === null && secret === null;
  return { kept: isMute ? { ...kept, apiKey: null, isKeyUnreadable: true } : kept, secret };
}
