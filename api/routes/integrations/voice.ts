import { VoiceChange, VoiceCheck, VoiceView } from '@clinic/shared/contracts/voice';
import { serverUrlOf } from '@clinic/shared/outbound/vapi/check';
import { operatorVoice } from '@clinic/shared/outbound/vapi/clinic-voice';
import { z } from 'zod';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';
import { noVoiceSettings, voiceSettings } from '../../settings/voice';

const tag = 'Integrations: voice';

/** How a clinic's calls are placed: by the simulator, or at the voice platform with which account, number and assistants. */
export function voiceRoutes({ stores, changes, config, checkVoice }: RouteDeps): Route[] {
  const operator = operatorVoice(config);
  const settingsOf = voiceSettings({ stores, config, checkVoice });

  const viewOf = async (clinicId: string): Promise<VoiceView> => {
    const [clinic, kept, secrets] = await Promise.all([
      stores.clinics.find(clinicId),
      stores.settings.voice(clinicId),
      stores.keys.listVoice(clinicId),
    ]);
    const live = secrets.find(({ expiresAt }) => expiresAt === null);
    const provider = clinic?.voiceProvider ?? 'vapi';
    // The view's schema names what may be shown, and drops the rest.
    return VoiceView.parse({
      ...(kept ?? noVoiceSettings),
      provider,
      maySimulate: clinic?.isDemo === true || provider === 'simulator',
      hasApiKey: typeof kept?.apiKey === 'string',
      hasOperatorAccount: operator.apiKey !== null,
      serverUrl: serverUrlOf(config.PUBLIC_URL),
      secret: live
        ? { createdAt: live.createdAt.toISOString(), lastUsedAt: live.lastUsedAt?.toISOString() ?? null }
        : null,
    });
  };

  return [
    route({
      method: 'get',
      path: '/integrations/voice',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'How calls are placed, without the key',
      responses: { 200: { description: 'The settings', schema: VoiceView } },
      handle: async ({ caller: { clinicId } }) => ({ body: await viewOf(clinicId) }),
    }),
    route({
      method: 'put',
      path: '/integrations/voice',
      access: 'admin',
      tag,
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
      async handle({ caller, body, requestId, signal }) {
        const { clinicId } = caller;
        await settingsOf.save(clinicId, body, { by: actorOf(caller, requestId), signal });
        return { body: await viewOf(clinicId) };
      },
    }),
    route({
      method: 'post',
      path: '/integrations/voice/check',
      access: 'admin',
      tag,
      summary: 'Ask the voice platform whether calls could be placed with the settings as they are kept',
      description: 'It asks for the assistants and the number, and changes nothing there. Nobody is called.',
      responses: { 200: { description: 'What is missing or wrong', schema: VoiceCheck } },
      async handle({ caller, requestId, signal }) {
        const by = actorOf(caller, requestId);
        return { body: await settingsOf.checkKept(caller.clinicId, { by, signal }) };
      },
    }),
    route({
      method: 'post',
      path: '/integrations/voice/rotate-secret',
      access: 'admin',
      tag,
      summary:
        'Make a new secret by which the platform proves itself for this clinic, shown once; the old one lives on for 24 h',
      responses: { 200: { description: 'The new secret', schema: z.object({ secret: z.string() }) } },
      async handle({ caller, requestId }) {
        const { clinicId } = caller;
        const secret = await stores.keys.rotateVoice(clinicId, actorOf(caller, requestId));
        changes.announce({ table: 'secrets', clinicId, id: '*' });
        return { body: { secret } };
      },
    }),
  ];
}
