import { callsAt, keptVoice } from '@clinic/gateways/voice/calls-at';
import { clinicVoice, whyNoCalls } from '@clinic/gateways/voice/clinic-voice';
import {
  type PlaceCall,
  type PlacedCall,
  SEND_WITHIN_MS,
  type VoiceGateway,
  VoiceUnavailable,
  VoiceUnknownOutcome,
} from '@clinic/gateways/voice/port';
import { findRequested } from '@clinic/gateways/voice/requested-call';
import type { CallToPlace } from '@clinic/prisma/stores/outreach/placed-calls';
import { CalledMe, CallMe } from '@clinic/shared/contracts/voice/voice';
import { openingSentence } from '@clinic/shared/domain/outreach/opening';
import { endedReasons, notStarted } from '@clinic/shared/domain/voice/ended-reason';
import { DEFAULT_PLATFORM, SIMULATOR } from '@clinic/shared/domain/voice/platforms';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: voice', access: 'clinic', right: 'settings' });

/** Calls somebody of the clinic as a patient would be called, so that they hear what patients hear. */
export const callMeRoutes = [
  routes.post('/integrations/voice/call-me', {
    summary: 'Ring a number of your own with the settings as they are kept, three times in ten minutes at most',
    description:
      'The phone really rings, also for a clinic that is on the simulator: only in its calling hours and by day where ' +
      'the number is, and never one that opted out. The call is a test call: its tools work on a patient of its own, or ' +
      'at the EHR that calls act at, on the test patient named in its settings.',
    body: CallMe,
    isIdempotent: true,
    responses: {
      200: { description: 'It is about to ring', schema: CalledMe },
      409: { description: 'It may not ring now, or the platform refuses; the sentence says why' },
      429: { description: 'Three calls have been asked for in ten minutes' },
      503: { description: 'The platform did not say whether it rings' },
    },
    async handle({ caller: { clinicId }, body, idOfNew: callId, by }, { stores, config, voice, systems }) {
      const { phone, workflowType } = body;
      const known = await stores.calls.toPlace(clinicId, callId);
      if (known) {
        await findAtPlatform({ stores, voice }, known);
        return { body: { callId } };
      }
      const { clinic, policy, gateway } = await readyToRing({ stores, voice }, clinicId, body);
      const patientId = await patientOfCall({ stores, systems }, clinicId);
      const sendBefore = Date.now() + SEND_WITHIN_MS;
      const { account } = gateway;
      const opened = await stores.calls.openTrialCall({ callId, clinicId, workflowType, patientId, phone, account });
      if (opened === null)
        throw new AppError('too_many_requests', 'Three calls in ten minutes are enough; wait a while');
      const detail = { workflowType };
      await stores.audit.write({ clinicId, ...by, action: 'voice.call-me', subject: callId, detail });
      const placed = await place(gateway, {
        callId,
        clinicId,
        workflowType,
        phone,
        attempt: 1,
        earlierFaults: 0,
        firstName: null,
        language: null,
        clinicName: clinic.name,
        clinicZone: clinic.timezone,
        opening: policy.disclosesAutomation ? openingSentence(clinic.name) : null,
        subject: {},
        serverUrl: config.PUBLIC_URL,
        sendBefore,
      });
      if (placed.kind === 'refused') {
        await stores.calls.close({ clinicId, callId, reason: notStarted('refused') });
        throw new AppError('conflict', `The platform refuses the call: ${placed.said ?? placed.reason}`);
      }
      await stores.calls.placed({ clinicId, callId, platformCallId: placed.platformCallId });
      return { body: { callId } };
    },
  }),
];

/** The clinic, and where its phones ring even while the simulator plays its patients. */
const readyToRing = async (
  { stores, voice }: Deps<'stores' | 'voice'>,
  clinicId: string,
  { phone, workflowType }: z.infer<typeof CallMe>,
) => {
  const [clinic, policy, { kept, secret }] = await Promise.all([
    stores.clinics.find(clinicId),
    stores.clinics.policy(clinicId),
    keptVoice(stores, clinicId),
  ]);
  if (!clinic) throw new AppError('not_found', `Clinic ${clinicId} not found`);
  const platform = realPlatform(clinic);
  const clinics = clinicVoice(kept, voice.accountOf(platform).operator, secret);
  const missing = whyNoCalls(clinics, workflowType);
  if (missing !== null) throw new AppError('conflict', missing);
  if (!(await stores.callingRules.mayRing(clinicId, phone, { isReal: true }))) {
    throw new AppError(
      'conflict',
      'This number may not ring now: it is outside calling hours, outreach is paused, the number has opted out, or it is in a call',
    );
  }
  return { clinic, policy, gateway: await voice.of(platform).callsOf(clinics) };
};

/** Whoever asks for a trial call wants to hear one. */
const realPlatform = ({ voiceProvider }: { voiceProvider: string }): string =>
  voiceProvider === SIMULATOR ? DEFAULT_PLATFORM : voiceProvider;

/** The test patient of the EHR that calls act at; where none is named, somebody new who is nobody there. */
const patientOfCall = async ({ stores, systems }: Deps<'stores' | 'systems'>, clinicId: string): Promise<string> => {
  const live = (await systems.approvedApi(clinicId))?.live;
  const found = await live?.testPatient({ timeoutMs: TEST_PATIENT_MS });
  if (!found || (found.kind === 'done' && found.value === null)) return stores.patients.createPlaceholder(clinicId);
  if (found.kind === 'done' && found.value) return stores.patients.createTestPatient(clinicId, found.value);
  throw new AppError('conflict', 'The test patient cannot be read in the EHR; the check of its settings says why');
};
const TEST_PATIENT_MS = 8_000;

/** Sent once: an admin who does not hear it ring asks again. */
async function place(gateway: VoiceGateway, call: PlaceCall): Promise<PlacedCall> {
  return gateway.place(call).catch((error: unknown) => {
    if (!(error instanceof VoiceUnknownOutcome)) throw error;
    throw unsaid();
  });
}

/** The same request again, of which nobody knows what came: the phone rings once. Throws where it does not, or nobody can say yet. */
async function findAtPlatform({ stores, voice }: Deps<'stores' | 'voice'>, call: CallToPlace): Promise<void> {
  const { clinicId, callId } = call;
  if (call.platformCallId !== null) return undefined;
  if (call.state !== 'ENDED') {
    const gateway = await callsAt(voice, stores)(realPlatform(call), clinicId, call.requestedAccount);
    const found = await findRequested(gateway, call).catch((error: unknown) => {
      if (!(error instanceof VoiceUnavailable)) throw error;
      throw unsaid();
    });
    if (found.kind === 'found') return stores.calls.placed({ clinicId, callId, platformCallId: found.platformCallId });
    if (found.kind === 'open') throw unsaid();
    await stores.calls.close({ clinicId, callId, reason: endedReasons.notFound });
  }
  throw new AppError('conflict', 'It did not ring; ask for it once more');
}

const unsaid = () =>
  new AppError('unavailable', 'The platform did not say whether it rings; wait a minute before you try again');
