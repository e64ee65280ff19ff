import { TOOL_TIMEOUT_SECONDS } from '@clinic/shared/contracts/voice/tool-definition';
import { languageNames } from '@clinic/shared/domain/patients/languages';
import { placeVariables } from '@clinic/shared/domain/voice/variables';
import { type ClinicVoice, firstMessageOf, recordingVariables } from '../clinic-voice';
import type { PlaceCall } from '../port';
import { analysisPlanOf } from './analysis';
import { callSettings, messagesOf, voicemailSettings } from './call-settings';
import { serverUrlOf } from './server-url';

const NAME_LENGTH = 40;

/** Whom to ring and what the call is about; `now` is an instant: what the assistant knows as today. */
export type CallToCreate = Omit<PlaceCall, 'earlierFaults'> & { now: string };

/** The body of the vendor's `POST /call`. */
export function createCallBody(call: CallToCreate, voice: ClinicVoice) {
  const { callId, clinicId, workflowType, phone, attempt, firstName, language, subject, serverUrl } = call;
  const { assistantFor, phoneNumberId, proof, style } = voice;
  const opening = firstMessageOf(call.opening, style, language);
  return {
    // The metadata holds the whole id; the name is what a person sees at the platform, and may be cut.
    name: callId.slice(0, NAME_LENGTH),
    assistantId: assistantFor(workflowType) ?? undefined,
    phoneNumberId: phoneNumberId ?? undefined,
    customer: { number: phone },
    assistantOverrides: {
      metadata: { callId, clinicId, workflowType, attempt },
      variableValues: {
        ...subject,
        ...placeVariables({ ...call, clinicPhone: voice.number }),
        workflowType,
        attempt,
        ...(firstName !== null && { firstName }),
        ...(language !== null && { language: languageNames[language] }),
        ...(opening !== null && { openingSentence: opening }),
        ...recordingVariables(style, language),
      },
      ...(opening !== null && { firstMessage: opening, firstMessageMode: 'assistant-speaks-first' as const }),
      server: { url: serverUrlOf(serverUrl), timeoutSeconds: TOOL_TIMEOUT_SECONDS, ...proof },
      serverMessages: messagesOf(style),
      ...callSettings(style, workflowType),
      ...voicemailSettings(style, call.clinicName, language),
      analysisPlan: analysisPlanOf(workflowType),
    },
  };
}
