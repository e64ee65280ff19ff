import type * as api from '#api';

/** How people know each platform that rings phones. The first is where a clinic goes that leaves the simulator. */
const names: Record<Exclude<api.VoiceProvider, 'simulator'>, string> = {
  vapi: 'Vapi',
};

export const realPlatforms = Object.entries(names).map(([platform, name]) => ({ platform, name }));

/** Where a clinic's account is; it can be entered while the simulator still plays the calls. */
export const accountAt = (platform: api.VoiceProvider): string =>
  platform === 'simulator' ? (realPlatforms[0]?.name ?? '') : names[platform];
