import {
  VoiceAccount,
  VoiceAccountQuestion,
  VoiceChange,
  VoiceCheck,
  VoiceView,
} from '@clinic/shared/contracts/voice/voice';
import { DEFAULT_PLATFORM, SIMULATOR } from '@clinic/shared/domain/voice/platforms';
import { z } from 'zod';
import type { Deps } from '../../http/route';
import { noVoiceSettings, voiceSettings } from '@clinic/gateways/voice/settings';
import { routesOf } from '../../http/routes-of';
import { offeredTools } from '../../tools/definitions';

const routes = routesOf({ tag: 'Integrations: voice', access: 'clinic', right: 'settings', patientData: 'none' });

/** How a clinic's calls are placed: by the simulator, or at the voice platform with which account, number and assistants. */
export const voiceRoutes = [
  routes.get('/integrations/voice', {
    right: 'settings.read',
    summary: 'How calls are placed, without the key',
    description:
      '`hasApiKey` says whether a key is kept. What is wrong with the settings is for `POST /integrations/voice/check` to say.',
    responses: { 200: { description: 'The settings', schema: VoiceView } },
    handle: async ({ caller: { clinicId } }, { stores, voice }) => ({
      body: await viewOf({ stores, voice }, clinicId),
    }),
  }),
  routes.put('/integrations/voice', {
    stepUp: 'access',
    summary: 'Change how calls are placed, and leave the simulator',
    description:
      'A key that is left out stays as it is; `apiKey: null` takes it away, and calls go through the operator’s account. ' +
      'A clinic that leaves the simulator has its settings checked at the platform first, and stays where it is while ' +
      'something there would keep calls from being placed. Only a demo goes back.',
    body: VoiceChange,
    responses: {
      200: { description: 'The settings as they are now', schema: VoiceView },
      409: { description: 'The clinic stays on the simulator, for the reasons in `details`; nothing was changed' },
    },
    async handle({ caller: { clinicId }, body, by, signal }, { stores, voice }) {
      const settingsOf = voiceSettings({ stores, voice, offeredTools });
      await settingsOf.save(clinicId, body, { by, signal });
      return { body: await viewOf({ stores, voice }, clinicId) };
    },
  }),
  routes.post('/integrations/voice/check', {
    summary: 'Ask the voice platform whether calls could be placed with the settings as they are kept',
    description: 'It asks for the assistants and the number, and changes nothing there. Nobody is called.',
    responses: { 200: { description: 'What is missing or wrong', schema: VoiceCheck } },
    async handle({ caller: { clinicId }, by, signal }, { stores, voice }) {
      const settingsOf = voiceSettings({ stores, voice, offeredTools });
      return { body: await settingsOf.checkKept(clinicId, { by, signal }) };
    },
  }),
  routes.post('/integrations/voice/account', {
    summary: 'List the assistants and numbers of the clinic’s own account at the voice platform, to choose from',
    description:
      'With a key that is not kept yet, it says whether the platform takes it. Nothing is kept, and nothing is changed ' +
      'there. The operator’s account is not listed: its assistants and numbers are not the clinic’s.',
    body: VoiceAccountQuestion,
    responses: { 200: { description: 'What there is to choose from, or why there is nothing', schema: VoiceAccount } },
    async handle({ caller: { clinicId }, body, signal }, { stores, voice }) {
      const settingsOf = voiceSettings({ stores, voice, offeredTools });
      return { body: await settingsOf.account(clinicId, body, signal) };
    },
  }),
  routes.post('/integrations/voice/rotate-secret', {
    stepUp: 'access',
    right: 'keys',
    summary:
      'Make a new secret by which the platform proves itself for this clinic, shown once; the old one lives on for 24 h',
    description:
      'Put the new one into the platform within 24 h; messages with either are taken until then. It is never shown again.',
    isIdempotent: true,
    showsSecret: true,
    responses: { 200: { description: 'The new secret', schema: z.object({ secret: z.string() }) } },
    async handle({ caller: { clinicId }, newSecret, by }, { stores, changes }) {
      const secret = await stores.keys.rotateVoice(clinicId, by, newSecret);
      changes.announce({ table: 'secrets', clinicId, id: '*' });
      return { body: { secret } };
    },
  }),
];

const viewOf = async ({ stores, voice }: Deps<'stores' | 'voice'>, clinicId: string): Promise<VoiceView> => {
  const [clinic, kept, secrets] = await Promise.all([
    stores.clinics.find(clinicId),
    stores.settings.voice(clinicId),
    stores.keys.listVoice(clinicId),
  ]);
  const live = secrets.find(({ expiresAt }) => expiresAt === null);
  const provider = clinic?.voiceProvider ?? DEFAULT_PLATFORM;
  const { operator, serverUrl } = voice.accountOf(provider);
  // The view's schema names what may be shown, and drops the rest.
  return VoiceView.parse({
    ...(kept ?? noVoiceSettings),
    provider,
    maySimulate: clinic?.isDemo === true || provider === SIMULATOR,
    hasApiKey: typeof kept?.apiKey === 'string',
    hasOperatorAccount: operator.apiKey !== null,
    serverUrl,
    secret: live
      ? { createdAt: live.createdAt.toISOString(), lastUsedAt: live.lastUsedAt?.toISOString() ?? null }
      : null,
  });
};
