import type { z } from 'zod';
import type { ToolDefinition } from '@clinic/shared/contracts/voice/tool-definition';
import type { VoiceFinding } from '@clinic/shared/contracts/voice/voice';
import type { CallState } from '@clinic/shared/domain/outreach/call-state';
import type { CallLanguage } from '@clinic/shared/domain/patients/languages';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { Report } from '@clinic/shared/domain/voice/report';
import type { ToolRequest } from '@clinic/shared/domain/voice/tool-request';
import type { CallStyle, ClinicVoice, OperatorAccount } from './clinic-voice';

/** A voice platform: everything that the service knows of it. docs/add-a-voice-platform.md says how one is added. */
export interface VoicePlatform {
  /** Loads what takes long, so that the first call does not wait for it. */
  prepare?: () => Promise<void>;
  /** Where one clinic's calls are placed, as its settings say. */
  callsOf(voice: ClinicVoice): Promise<VoiceGateway>;
  /** What the platform keeps for its customers; null where there is nothing to keep, because nobody is called. */
  account: PlatformAccount | null;
  /** How its messages are read; null for one that speaks as another does. */
  messages: PlatformMessages | null;
}

/**
 * How long after the intent the request may still be sent. A process that was frozen longer sends nothing when it wakes: until
 * then no other has made a second one, and nobody has closed the call as one that was not placed.
 */
export const SEND_WITHIN_MS = 10_000;

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
  /** What the patient asked to be called in; null where they asked for none. */
  language: CallLanguage | null;
  clinicName: string;
  /** IANA. */
  clinicZone: string;
  /** What the call opens with; null where the clinic leaves that to its assistant. */
  opening: string | null;
  /** What the call is about, by names that the agent's prompt may use. */
  subject: Record<string, string>;
  /** Where the platform reaches this service, without `/api`. */
  serverUrl: string;
  /**
   * In milliseconds since 1970: from then on nothing is sent, because another process may have placed the call meanwhile, and
   * what became of it is unknown. Left out where no other places it.
   */
  sendBefore?: number;
}

/** What is certain. Refused: nothing rings, now or later; `said` is the platform's own sentence, without patient data. */
export type PlacedCall =
  | { kind: 'placed'; platformCallId: string }
  | { kind: 'refused'; reason: string; isBadNumber: boolean; said?: string };

export interface PlatformCall {
  state: CallState;
  endedReason: string | null;
  /** When it ended, by the platform's clock; null or left out where it does not say. */
  endedAt?: string | null;
  /** Of a call that is over, as its report would carry them. */
  summary?: string | null;
  analysis?: Report['analysis'];
  evidence?: Report['evidence'];
}

/**
 * The calls of one clinic. A platform may not recognise a repeated request: `place` sends once, and throws
 * `VoiceUnknownOutcome` when it cannot tell what became of it; the caller then asks `findByIntent` before it dials again.
 */
export interface VoiceGateway {
  /** Which account is asked, by a name that says nothing of its key: a request is looked up where it was made. */
  account: string;
  /**
   * How long a request that got no answer may be on its way, in a proxy or at the platform: until then the call may still
   * show up, and no second request is made. Zero where a repeated request is recognised.
   */
  settleMs: number;
  place(call: PlaceCall, signal?: AbortSignal): Promise<PlacedCall>;
  /**
   * The platform's id of the call that carries our intent's id, requested so many milliseconds ago; null when there is none. An
   * age, because no two clocks agree.
   */
  findByIntent(callId: string, requestedMsAgo: number, signal?: AbortSignal): Promise<string | null>;
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

/** What a clinic, or the operator for it, has at the platform: numbers, assistants, calls. */
export interface PlatformAccount {
  operator: OperatorAccount;
  /** Where the platform's messages belong. */
  serverUrl: string;
  /** What is wrong with a clinic's voice, in the order of its settings. Changes nothing at the platform. */
  check(
    voice: ClinicVoice,
    asked: {
      /** What its assistants are compared with; null where the clinic has no settings. */
      expected: ExpectedAssistants | null;
      signal?: AbortSignal;
    },
  ): Promise<VoiceFinding[]>;
  /** What a clinic has to choose from with its own key. Changes nothing at the platform. */
  contents(apiKey: string, signal?: AbortSignal): Promise<AccountContents>;
  /** What the platform itself says of a call that nobody placed or announced. */
  findCall(apiKey: string, platformCallId: string): Promise<FoundCall>;
  assistants(apiKey: string): Promise<PlatformAssistants>;
  /** The tools as the platform takes them; a secret is not in them. */
  toolDefinitions(tools: readonly OfferedTool[]): ToolDefinition[];
}

export type AccountContents =
  | {
      kind: 'found';
      assistants: { id: string; name: string | null }[];
      /** Those that phones can be called from, each in E.164. */
      numbers: { id: string; name: string | null; number: string; isActive: boolean }[];
    }
  /** The key, or the account, in the platform's own words. */
  | { kind: 'refused'; said: string }
  | { kind: 'unavailable'; said: string };

export type FoundCall =
  | {
      kind: 'found';
      isInbound: boolean;
      /** The platform's id of the line that was dialled. */
      platformNumberId: string | null;
      callerNumber: string | null;
    }
  | { kind: 'unknown' }
  /** It could not be asked: nothing is known. */
  | { kind: 'unavailable' };

/** A live-call tool that an assistant may use. */
export interface OfferedTool {
  family: string;
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: object;
}

/**
 * The assistants of one account. Nothing is sent twice: a create whose answer was lost is found by the next list. Throws an
 * AppError in the platform's own words.
 */
export interface PlatformAssistants {
  /** All of them, oldest first. */
  list(): Promise<FoundAssistant[]>;
  /** Whether this service made it for the clinic's calls of this type. */
  isMadeFor(found: FoundAssistant, clinicId: string, workflowType: WorkflowType): boolean;
  /** An assistant in the platform's form. */
  compose(about: AssistantToMake): Record<string, unknown>;
  /** What one that we made would be changed to: what people chose for it at the platform stays as it is. */
  revise(found: FoundAssistant, wanted: Record<string, unknown>): Record<string, unknown>;
  /** Returns the new one's id. */
  create(body: object): Promise<string>;
  /** Changes the fields that are given. */
  update(id: string, body: object): Promise<void>;
}

/** An assistant as the platform shows it: whatever it holds. */
export interface FoundAssistant {
  id: string;
  [field: string]: unknown;
}

export interface AssistantToMake {
  clinicId: string;
  clinicName: string;
  workflowType: WorkflowType;
  /** The whole text that the model is given. */
  prompt: string;
  tools: readonly OfferedTool[];
  style: CallStyle;
  /** The platform's id of the credential by which it proves itself to us: no secret is written into an assistant. */
  credentialId: string;
}

/** What a clinic's assistants should be, as its settings stand now. */
export interface ExpectedAssistants {
  clinicId: string;
  /** The tools that can work in its calls of a type. */
  toolsOf(workflowType: WorkflowType): readonly OfferedTool[];
  /** False for a type whose calls verify who is on the line, where they cannot. */
  canVerify(workflowType: WorkflowType): boolean;
  /** As it would be made. The prompt that it has now stays where nobody has said another. */
  assistantOf(workflowType: WorkflowType, has: { credentialId: string; prompt: string }): AssistantToMake;
}

/** How the platform's messages to this service are read, and answered in its form. */
export interface PlatformMessages {
  /** Where they arrive, below `/api`; none else arrives there. */
  path: string;
  /** Reads a body; a message that is new to us is `ignored`. */
  schema: z.ZodType<VoiceMessage>;
  /** Whether a body can be the report of a call that ended, by its bytes; no other message is large. */
  mayBeReport(body: Buffer): boolean;
  /** The tool calls of a body. Throws `bad_request` where it holds none that could be answered. */
  readToolCalls(body: unknown): ToolCallPost;
  reply: {
    assistant(chosen: ChosenAssistant): object;
    transfer(number: string): object;
    mayDial(isAllowed: boolean): object;
    /** The sentence is for the person on the line. */
    refusal(sentence: string): object;
  };
}

/** A message of the platform: what this service reads of it. `type` is the platform's word, of a closed set. */
export type VoiceMessage = { type: string } & (
  | ({ kind: 'progress'; report: Report | null } & AboutCall)
  /** Somebody rings a clinic's number, and the platform asks who takes the call. */
  | ({ kind: 'assistant-request' } & AboutCall)
  /** A patient wants to talk to a person, and the platform asks where to. */
  | ({ kind: 'transfer-request' } & AboutCall)
  /** A campaign of the platform's own is about to dial somebody, and asks whether it may. */
  | ({ kind: 'campaign-dial'; number: string | null } & AboutCall)
  /** `readToolCalls` reads them. */
  | { kind: 'tool-calls' }
  | { kind: 'ignored' }
);

/** Pointers only: what they point at is looked up in our own records. */
export interface AboutCall {
  platformCallId: string | null;
  /** Our own id of the call, as the platform carries it. */
  intentId: string | null;
  /** Whether somebody rang a clinic, and not the clinic them. */
  isInbound: boolean;
  /** The line that was dialled, by everything the platform says of it. */
  line: { platformNumberId: string | null; number: string | null; assistantId: string | null };
  /** The number of the person on the other end. */
  callerNumber: string | null;
}

export interface ChosenAssistant {
  assistantId: string;
  workflowType: WorkflowType;
  style: CallStyle | null;
  /** What it says first; null where it opens the call by itself. */
  opening: string | null;
  /** What its prompt may use. */
  variables: Record<string, unknown>;
}

export interface ToolCallPost {
  /** The platform's id of the call, or null when the body names none. A pointer only: it is looked up. */
  callPointer: string | null;
  requests: ToolRequest[];
  claims: Claim[];
  /** The results in the envelope that the calls came in. */
  reply(results: ToolResult[]): ToolReply;
}

export interface ToolResult {
  toolCallId: string;
  result: string;
}

export type ToolReply = { result: string | undefined } | { results: ToolResult[] };

/** A place in which a body says whom it is about, by ids or by a phone number. Nothing of it is followed. */
export interface Claim {
  place: string;
  of: 'ids' | 'number';
  fields: unknown;
}
