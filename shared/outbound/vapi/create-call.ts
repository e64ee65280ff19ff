import type { WorkflowType } from '../../domain/workflow-types';
import { analysisPlanOf } from '../../voice/analysis';
import { TOOL_TIMEOUT_SECONDS } from '../../voice/tool-definition';
import { placeVariables } from '../../voice/variables';
import { serverUrlOf } from './check';
import {
  callSettings,
  type ClinicVoice,
  firstMessageOf,
  messagesOf,
  recordingVariables,
  voicemailSettings,
} from './clinic-voice';

const NAME_LENGTH = 40;

/** Whom to ring, and what the call is about. */
export interface CallToCreate {
  /** Our own id of the intent. */
  callId: string;
  clinicId: string;
  workflowType: WorkflowType;
  /** E.164. */
  phone: string;
  attempt: number;
  firstName: string | null;
  clinicName: string;
  /** IANA. */
  clinicZone: string;
  /** An instant: what the assistant knows as today. */
  now: string;
  /** What the call opens with; null where the clinic leaves that to its assistant. */
  opening: string | null;
  subject: Record<string, string>;
  /** Where the platform reaches this service, without `/api`. */
  serverUrl: string;
}

/** The body of the vendor's `POST /call`. */
export function createCallBody(call: CallToCreate, voice: ClinicVoice) {
  const { callId, clinicId, workflowType, phone, attempt, firstName, subject, serverUrl } = call;
  const { assistantFor, phoneNumberId, proof, style } = voice;
  const opening = firstMessageOf(call.opening, style);
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
        ...(opening !== null && { openingSentence: opening }),
        ...recordingVariables(style),
      },
      ...(opening !== null && { firstMessage: opening, firstMessageMode: 'assistant-speaks-first' as const }),
      server: { url: serverUrlOf(serverUrl), timeoutSeconds: TOOL_TIMEOUT_SECONDS, ...proof },
      serverMessages: messagesOf(style),
      ...callSettings(style, workflowType),
      ...voicemailSettings(style, call.clinicName),
      analysisPlan: analysisPlanOf(workflowType),
    },
  };
}
