import type { VoicePlatforms } from '@clinic/gateways/voice/registry';
import type { Route } from '../http/route';
import { callMeRoutes } from './voice/call-me';
import { phoneNumberRoutes } from './voice/phone-numbers';
import { testCallRoutes } from './voice/test-calls';
import { toolRoutes } from './voice/tools';
import { voiceRoutes as settingRoutes } from './voice/voice';
import { voiceEventRoutes } from './voice/voice-events';
import { voiceToolRoutes } from './voice/voice-tools';

/** What voice platforms and their agents call, and how a clinic's calls are set up. */
export const voiceRoutes = (platforms: VoicePlatforms): Route[] => [
  ...toolRoutes,
  ...voiceEventRoutes(platforms),
  ...voiceToolRoutes,
  ...testCallRoutes,
  ...callMeRoutes,
  ...settingRoutes,
  ...phoneNumberRoutes,
];
