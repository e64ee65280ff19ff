import type { CallState } from '../outreach/call-state';
import type { Said } from '../outreach/conversation';

/** How far a call has come, in our words. */
export interface Report {
  state: CallState;
  /** In the words of ended-reason.ts, or one of the platform's own. */
  endedReason: string | null;
  summary: string | null;
  analysis: Heard | null;
  evidence: CallEvidence | null;
}

/** What the platform hands over of a call beside how it went. It holds what the patient said: it is kept, and never logged. */
export interface CallEvidence {
  transcript: string | null;
  /** An https URL at the platform, or of the clinic's own bucket. */
  recordingUrl: string | null;
  costUsd: number | null;
  durationSeconds: number | null;
  /** The platform's verdict, as `true` or `Good`. */
  success: string | null;
}

/** What the platform's analysis heard. */
export interface Heard {
  said: Said | null;
  /** The patient asked not to be called again. */
  wantsNoCalls?: boolean;
}
