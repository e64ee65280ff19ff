import type { CallState } from '@clinic/shared/domain/call-state';
import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import type { Report } from '@clinic/shared/voice/message';

/** One attempt to ring a patient, as the call record says it. */
export interface PlaceCall {
  /** Our own id of the intent; the platform carries it, so that the call can be found again by it. */
  callId: string;
  clinicId: string;
  workflowType: WorkflowType;
  /** E.164. */
  phone: string;
  attempt: number;
  /** How often the platform itself failed before, for this attempt. */
  earlierFaults: number;
  firstName: string | null;
  clinicName: string;
  /** IANA. */
  clinicZone: string;
  /** What the call opens with; null where the clinic leaves that to its assistant. */
  opening: string | null;
  /** What the call is about, by names that the agent's prompt may use. */
  subject: Record<string, string>;
  /** Where the platform reaches this service, without `/api`. */
  serverUrl: string;
}

/** What is certain. Refused: nothing rings, now or later; `said` is the platform's own sentence, without patient data. */
export type PlacedCall =
  | { kind: 'placed'; platformCallId: string }
  | { kind: 'refused'; reason: string; isBadNumber: boolean; said?: string };

export interface PlatformCall {
  state: CallState;
  endedReason: string | null;
  /** Of a call that is over, as its report would carry them. */
  summary?: string | null;
  analysis?: Report['analysis'];
  evidence?: Report['evidence'];
}

/**
 * A voice platform. It may not recognise a repeated request: `place` sends once, and throws `VoiceUnknownOutcome` when it
 * cannot tell what became of it; the caller then asks `findByIntent` before it dials again.
 */
export interface VoiceGateway {
  /**
   * How long a request that got no answer may be on its way, in a proxy or at the platform: until then the call may still
   * show up, and no second request is made. Zero where a repeated request is recognised.
   */
  settleMs: number;
  place(call: PlaceCall, signal?: AbortSignal): Promise<PlacedCall>;
  /** The platform's id of the call that carries our intent's id, among those placed since; null when there is none. */
  findByIntent(callId: string, placedAfter: string, signal?: AbortSignal): Promise<string | null>;
  /** Null when the platform does not know the call. */
  lookUp(platformCallId: string, signal?: AbortSignal): Promise<PlatformCall | null>;
}

/** The request may or may not have reached the platform: a phone may be ringing. */
export class VoiceUnknownOutcome extends Error {
  override readonly name = 'VoiceUnknownOutcome';
}

/** The platform did not reply to a question. A question places nothing, so asking again is safe. */
export class VoiceUnavailable extends Error {
  override readonly name = 'VoiceUnavailable';
}
