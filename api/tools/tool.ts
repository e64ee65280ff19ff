import type { Calendar } from '@clinic/gateways/calendar/port';
import type { ToolFact } from '@clinic/shared/domain/outreach/conversation';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import type { CallerStanding } from '@clinic/shared/domain/voice/caller-trust';
import { z } from 'zod';
import type { RouteDeps } from '../route-deps';

export const toolFamilies = [
  'patient-journey',
  'patient-intake',
  'emr-tools',
  'abandonment-recovery-tools',
  // Not of the contract: what every assistant must be able to do.
  'calling-tools',
] as const;
export type ToolFamily = (typeof toolFamilies)[number];

/** What a tool works with. Clinic, patient and case come from the call's own record, never from the request. */
export interface ToolContext extends Pick<RouteDeps, 'stores' | 'systems' | 'temporal'> {
  call: LiveCall;
  /** The one calendar that the call acts on. */
  calendar: Calendar;
  toolCallId: string;
  /** An id for the record that this request makes: the same one whenever it is run again. */
  recordId: string;
  /** The verdict on an insurance that the clinic's own API may not be asked for, while the clinic rehearses. */
  rehearsedVerdict?: (memberId: string) => InsuranceVerdict;
  /** When an earlier try of this very request began whose end is unknown; null for a first try. */
  triedAt: Date | null;
  /** How the caller stood when the request was taken. */
  standing: CallerStanding;
  now: Date;
}

/** What is relayed to the caller. `errorMessage` is null exactly when the insurance is verified. */
export interface InsuranceVerdict {
  source: 'clinic_api' | 'sandbox' | 'nobody';
  status: string;
  copayCents: number | null;
  errorMessage: string | null;
}

/** What the agent gets, to the letter of the contract. `success: false` carries an `error` or a `reason` it can act on. */
export type ToolResult = Record<string, unknown>;

/** A result, and the fact that it made true: the call's workflow is told once the reply is stored. Neither holds patient data. */
export interface ToolAnswer {
  result: ToolResult;
  fact?: ToolFact;
  detail?: Record<string, string>;
}

export interface Tool<Arguments extends z.ZodType = z.ZodType> {
  family: ToolFamily;
  name: string;
  /** What the voice model reads to know when to use it. */
  description: string;
  arguments: Arguments;
  result: z.ZodType;
  /** Asked and answered, as OpenAPI shows it. */
  example: { arguments: z.input<Arguments>; result: ToolResult };
  /** Workflow types whose calls may use it. A test call may use what its type has, and every tool where it has none. */
  workflowTypes: readonly WorkflowType[];
  /** Those whose calls may use it where the clinic lets follow-ups book. */
  followUpTypes?: readonly WorkflowType[];
  /** What a clinic must have beside a calendar: calls that may hold times there, or the waitlist of its own calendar here. */
  needs?: 'holding' | 'waitlist';
  /** A write joins a request of the same meaning under another id, so that asking again does nothing twice. */
  isWrite: boolean;
  /** What a write changes, its own name unless said otherwise: another write to the same makes the same words a new request. */
  subject?: string;
  /** What two requests must share to mean the same; all arguments unless said otherwise. */
  meaning?: (args: z.output<Arguments>, call: LiveCall) => unknown;
  /**
   * For a tool that shows or changes appointments: once a wrong date of birth was stated it is refused until a right one
   * is, with these fields beside the refusal's own. In calls with real patients it is refused until a right one was stated.
   */
  ifCallerFailed?: ToolResult;
  /** Beside `ifCallerFailed`: who has no date of birth on file anywhere may be somebody new, and use it unverified. */
  isForNewPatients?: true;
  handle(args: z.output<Arguments>, context: ToolContext): Promise<ToolAnswer>;
}

/** Whether calls of a type have a tool, where a clinic lets follow-ups book or does not. */
export const isForCallsOf = (
  { workflowTypes, followUpTypes = [] }: Tool,
  type: WorkflowType,
  { booksFollowUps }: { booksFollowUps: boolean },
): boolean => workflowTypes.includes(type) || (booksFollowUps && followUpTypes.includes(type));

/** Types a tool by its own schemas. */
export function tool<Arguments extends z.ZodType>(definition: Tool<Arguments>): Tool {
  return definition;
}

/** What a tool answers at least. */
export const Success = z.object({ success: z.boolean(), error: z.string().optional() });

/** A refusal in words that the agent can act on. */
export const refusal = (error: string): ToolAnswer => ({ result: { success: false, error } });
