import type { WorkflowType } from '../../domain/workflow-types';
import { analysisPlanOf } from '../../voice/analysis';
import { TOOL_TIMEOUT_SECONDS } from '../../voice/tool-definition';
import { serverUrlOf } from './check';
import { callSettings, type ClinicVoice, firstMessageOf, recordingVariables, voicemailSettings } from './clinic-voice';

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
  /** What the call opens with; null where the clinic leaves that to its assistant. */
  opening: string | null;
  subject: Record<string, string>;
  /** Where the platform reaches this service, without `/api`. */
  serverUrl: string;
}

/** The body of the vendor's `POST /call`. */
export function createCallBody(call: CallToCreate, voice: ClinicVoice) {
  const { callId, clinicId, workflowType, phone, attempt, firstName, clinicName, subject, serverUrl } = call;
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
        clinicName,
        workflowType,
        attempt,
        ...(firstName !== null && { firstName }),
        ...(opening !== null && { openingSentence: opening }),
        ...recordingVariables(style),
      },
      ...(opening !== null && { firstMessage: opening, firstMessageMode: 'assistant-speaks-first' as const }),
      server: { url: serverUrlOf(serverUrl), timeoutSeconds: TOOL_TIMEOUT_SECONDS, ...proof },
      serverMessages: [
        'tool-calls' as const,
        'status-update' as const,
        'end-of-call-report' as const,
        ...(style?.transferTo ? ['transfer-destination-request' as const] : []),
      ],
      ...callSettings(style),
      ...voicemailSettings(style, clinicName),
      analysisPlan: analysisPlanOf({ hasOutcomeTool: workflowType === 'abandonment-recovery' }),
    },
  };
}
