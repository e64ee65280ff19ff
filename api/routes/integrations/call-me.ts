import { CalledMe, CallMe } from '@clinic/shared/contracts/voice';
import { openingSentence } from '@clinic/shared/domain/opening';
import { notStarted } from '@clinic/shared/voice/ended-reason';
import { AppError } from '@clinic/shared/errors';
import { clinicVoice, operatorVoice, whyNoCalls } from '@clinic/shared/outbound/vapi/clinic-voice';
import { createCallBody } from '@clinic/shared/outbound/vapi/create-call';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

/** Rings somebody of the clinic as a patient would be rung, so that they hear what patients hear. */
export function callMeRoutes({ stores, config, dialVapi }: RouteDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/integrations/voice/call-me',
      access: 'admin',
      tag: 'Integrations: voice',
      summary: 'Ring a number of your own with the settings as they are kept, three times in ten minutes at most',
      description:
        'The phone really rings, also for a clinic that is on the simulator: only in its calling hours and by day where ' +
        'the number is, and never one that opted out. The call is a test call: its tools work on a patient of its own.',
      body: CallMe,
      isIdempotent: true,
      responses: {
        200: { description: 'It is about to ring', schema: CalledMe },
        409: { description: 'It may not ring now, or the platform refuses; the sentence says why' },
        429: { description: 'Three calls have been asked for in ten minutes' },
        503: { description: 'The platform did not say whether it rings' },
      },
      async handle({ caller, body: { phone, workflowType }, requestId }) {
        const { clinicId } = caller;
        const [clinic, policy, kept] = await Promise.all([
          stores.clinics.find(clinicId),
          stores.clinics.policy(clinicId),
          stores.settings.voice(clinicId),
        ]);
        const secret = kept?.apiKey ? await stores.keys.voiceSecret(clinicId) : null;
        const voice = clinicVoice(kept, operatorVoice(config), secret);
        const missing = whyNoCalls(voice, workflowType);
        if (missing !== null || voice.apiKey === null || !clinic)
          throw new AppError('conflict', missing ?? 'No account');
        if (!(await stores.callingRules.mayRing(clinicId, phone, { isReal: true }))) {
          throw new AppError(
            'conflict',
            'This number may not ring now: it is outside calling hours, outreach is paused, or the number has opted out',
          );
        }
        const patientId = await stores.patients.createPlaceholder(clinicId);
        const callId = await stores.calls.openTrialCall({ clinicId, workflowType, patientId, phone });
        if (callId === null)
          throw new AppError('too_many_requests', 'Three calls in ten minutes are enough; wait a while');
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'voice.call-me',
          subject: callId,
          detail: { workflowType },
        });
        const opening = policy.disclosesAutomation ? openingSentence(clinic.name) : null;
        const call = { callId, clinicId, workflowType, phone, opening, attempt: 1, firstName: null, subject: {} };
        const place = { clinicName: clinic.name, clinicZone: clinic.timezone, now: new Date().toISOString() };
        const dialled = await dialVapi(
          voice.apiKey,
          createCallBody({ ...call, ...place, serverUrl: config.PUBLIC_URL }, voice),
        );
        if (dialled.kind === 'refused') {
          await stores.calls.close({ clinicId, callId, reason: notStarted('refused') });
          throw new AppError('conflict', `The platform refuses the call: ${dialled.said.replaceAll(phone, '…')}`);
        }
        if (dialled.kind === 'unknown') {
          throw new AppError(
            'unavailable',
            'The platform did not say whether it rings; wait a minute before you try again',
          );
        }
        await stores.calls.placed({ clinicId, callId, platformCallId: dialled.platformCallId });
        return { body: { callId } };
      },
    }),
  ];
}
