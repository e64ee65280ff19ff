/** Where a clinic's calls go: to the simulator, which rings nobody, or to a platform that rings phones. */
export const voicePlatforms = ['vapi', 'simulator'] as const;
export type VoicePlatformName = (typeof voicePlatforms)[number];

/** The platform of a clinic that chooses none: of a new one, and of one that leaves the simulator. */
export const DEFAULT_PLATFORM = 'vapi' satisfies VoicePlatformName;

export const SIMULATOR = 'simulator' satisfies VoicePlatformName;

export const isVoicePlatform = (name: string): name is VoicePlatformName =>
  voicePlatforms.some((platform) => platform === name);
