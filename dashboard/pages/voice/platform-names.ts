import type * as api from '#api';

/** How people know each platform that rings phones. The first is where a clinic goes that leaves the simulator. */
type RealPlatform = Exclude<api.VoiceProvider, 'simulator'>;

const names: Record<RealPlatform, string> = {
  vapi: 'Vapi',
};

export const realPlatforms = (Object.keys(names) as RealPlatform[]).map((platform) => ({
  platform,
  name: names[platform],
}));

/** Where a clinic's account is; it can be entered while the simulator still plays the calls. */
export const accountAt = (platform: api.VoiceProvider): string =>
  platform === 'simulator' ? (realPlatforms[0]?.name ?? '') : names[platform];
