import { z } from 'zod';
import { fieldsOf } from '@clinic/shared/domain/json';
import { isSaid } from '@clinic/shared/domain/outreach/conversation';
import { isStorable } from '@clinic/shared/domain/storable';
import type { CallEvidence, Report } from '@clinic/shared/domain/voice/report';
import { assertNever } from '@clinic/shared/errors';
import type { AboutCall, VoiceMessage } from '../port';
import { callStateOf } from './call-status';

/** What cannot be stored, or is no text, counts as not given. */
const Text = z.string().refine(isStorable).nullish().catch(null);
const Id = z.string().min(1).max(200).refine(isStorable).nullish().catch(null);

const MAX_WORD = 200;
/** An hour of talk is some 60,000. */
const MAX_TRANSCRIPT = 400_000;
const MAX_URL = 2_000;

const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).nullish().catch(null);
const Pointing = part({ metadata: part({ callId: Id }) });
const Line = part({ id: Id, number: Id });
const Customer = part({ number: Id });

/** What a message says of the call that it is about. */
const about = {
  call: part({
    id: z.string().min(1).max(200).refine(isStorable),
    type: Text,
    phoneNumberId: Id,
    assistantId: Id,
    metadata: part({ callId: Id }),
    assistantOverrides: Pointing,
    assistant: Pointing,
    customer: Customer,
    phoneNumber: Line,
  }),
  assistant: Pointing,
  customer: Customer,
  phoneNumber: Line,
};
const About = z.object(about);
type About = z.infer<typeof About>;

/** A call has reached another state. */
const StatusUpdate = z.object({ ...about, type: z.literal('status-update'), status: Text, endedReason: Text });

/** Models write a yes as text too: an opt-out that was heard is not lost to its form. */
const Yes = z
  .union([z.boolean(), z.string().transform((text) => /^\s*(?:true|yes)\s*$/i.test(text))])
  .nullish()
  .catch(null);
const Structured = { outcome: Text, doNotCall: Yes };
/** A verdict is a word, a number or a yes, by the rubric. */
const Verdict = z
  .union([z.string(), z.number(), z.boolean()])
  .transform((verdict) => String(verdict).slice(0, MAX_WORD))
  .refine(isStorable)
  .nullish()
  .catch(null);
const analysis = part({ summary: Text, structuredData: part(Structured), successEvaluation: Verdict });
/** The same as the vendor has it since: by the id of each output, under a name that the assistant's owner chose. */
const artifact = part({
  transcript: Text,
  recordingUrl: Text,
  structuredOutputs: z
    .record(z.string(), z.object({ name: Text, result: z.unknown() }).nullish().catch(null))
    .nullish()
    .catch(null),
});

/** In US dollars, and from when to when people talked. */
const measured = {
  cost: z.number().nonnegative().nullish().catch(null),
  startedAt: Text,
  endedAt: Text,
};

/** A call is over and has been analysed. */
const EndOfCallReport = z.object({
  ...about,
  type: z.literal('end-of-call-report'),
  endedReason: Text,
  /** Where older messages have it. */
  summary: Text,
  transcript: Text,
  recordingUrl: Text,
  ...measured,
  analysis,
  artifact,
});

/** Somebody rings a clinic's number, and the platform asks which assistant takes the call. */
const AssistantRequest = z.object({ ...about, type: z.literal('assistant-request') });

/** A patient wants to talk to a person, and the platform asks where to. */
const TransferRequest = z.object({ ...about, type: z.literal('transfer-destination-request') });

/** A campaign of the platform's own is about to dial somebody, and asks whether it may. */
const CampaignPredial = z.object({
  ...about,
  type: z.literal('campaign.predial'),
  contact: part({ number: Id, phone: Id, phoneNumber: Id }),
});

/** Tool calls of an assistant that has no address per tool; `readEnvelope` reads them. */
const ToolCalls = z.object({ type: z.enum(['tool-calls', 'function-call']) });

/** What the platform sends and this service has no use for. */
const Unused = z.object({
  type: z.enum([
    'conversation-update',
    'transcript',
    'user-interrupted',
    'transfer-update',
    'hang',
    'call.artifact.upload',
  ]),
});

/** The platform makes new types as it likes. */
const Other = z.object({ type: z.literal('other') });

const KnownMessage = z.discriminatedUnion('type', [
  StatusUpdate,
  EndOfCallReport,
  AssistantRequest,
  TransferRequest,
  CampaignPredial,
  ToolCalls,
  Unused,
  Other,
]);

type StatusUpdate = z.infer<typeof StatusUpdate>;
type EndOfCallReport = z.infer<typeof EndOfCallReport>;
type Message = z.infer<typeof KnownMessage>;

/** A message of the platform: what this service reads of it. The rest, the whole conversation included, is dropped. */
export const VoiceEvent = z.object({
  message: z
    .looseObject({ type: z.string().max(100) })
    .transform((message): Message => KnownMessage.safeParse(message).data ?? { type: 'other' }),
});

/** The same in the words of the port. */
export const readMessage = VoiceEvent.transform(({ message }) => toVoiceMessage(message));

function toVoiceMessage(message: Message): VoiceMessage {
  const { type } = message;
  switch (type) {
    case 'status-update':
    case 'end-of-call-report':
      return { type, kind: 'progress', report: readReport(message), ...aboutCall(message) };
    case 'assistant-request':
      return { type, kind: 'assistant-request', ...aboutCall(message) };
    case 'transfer-destination-request':
      return { type, kind: 'transfer-request', ...aboutCall(message) };
    case 'campaign.predial': {
      const { contact } = message;
      const number = contact?.number ?? contact?.phone ?? contact?.phoneNumber ?? callerIn(message);
      return { type, kind: 'campaign-dial', number, ...aboutCall(message) };
    }
    case 'tool-calls':
    case 'function-call':
      return { type, kind: 'tool-calls' };
    case 'conversation-update':
    case 'transcript':
    case 'user-interrupted':
    case 'transfer-update':
    case 'hang':
    case 'call.artifact.upload':
    case 'other':
      return { type, kind: 'ignored' };
    default:
      return assertNever(type);
  }
}

const aboutCall = (message: About): AboutCall => ({
  platformCallId: message.call?.id ?? null,
  intentId: intentIn(message),
  isInbound: isInbound(message),
  line: lineIn(message),
  callerNumber: callerIn(message),
});

/** What a message reports of its call; null for a status that is new to us. */
export function readReport(message: StatusUpdate | EndOfCallReport): Report | null {
  const endedReason = message.endedReason ?? null;
  if (message.type === 'status-update') {
    const state = callStateOf(message.status);
    return state && { state, endedReason, summary: null, analysis: null, evidence: null };
  }
  return { state: 'ENDED', endedReason, ...toldBy(message), evidence: evidenceIn(message) };
}

/** What a call that is over tells when it is asked about, by the names that its report has for it; nothing before it was analysed. */
export function readCallAnalysis(call: unknown): Pick<Report, 'summary' | 'analysis' | 'evidence'> {
  const found = Analysed.safeParse(call).data;
  const isAnalysed = found?.analysis || found?.artifact?.structuredOutputs;
  const evidence = found ? evidenceIn(found) : null;
  return isAnalysed ? { ...toldBy(found), evidence } : { summary: null, analysis: null, evidence };
}

const Analysed = z.object({ ...measured, analysis, artifact });

/** Null where there is nothing to keep. */
function evidenceIn({
  analysis: heard,
  artifact: made,
  cost,
  startedAt,
  endedAt,
  ...older
}: z.infer<typeof Analysed> & { transcript?: string | null; recordingUrl?: string | null }): CallEvidence | null {
  const url = made?.recordingUrl ?? older.recordingUrl;
  const seconds = Math.round((Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000);
  const evidence = {
    transcript: (made?.transcript ?? older.transcript)?.slice(0, MAX_TRANSCRIPT).toWellFormed() || null,
    recordingUrl: url && url.length <= MAX_URL && /^https?:/i.test(url) && URL.canParse(url) ? url : null,
    costUsd: cost ?? null,
    durationSeconds: seconds >= 0 && seconds <= MAX_SECONDS ? seconds : null,
    success: heard?.successEvaluation ?? null,
  };
  return Object.values(evidence).some((value) => value !== null) ? evidence : null;
}

const MAX_SECONDS = 86_400;

function toldBy({
  analysis: heard,
  artifact: made,
  summary,
}: z.infer<typeof Analysed> & { summary?: string | null }): Pick<Report, 'summary' | 'analysis'> {
  const found = [heard?.structuredData, ...Object.values(made?.structuredOutputs ?? {}).map(structuredBy)];
  const words = found.map((each) => each?.outcome);
  const wantsNoCalls = found.some((each) => each?.doNotCall === true) || words.includes(DO_NOT_CALL);
  return {
    summary: (heard?.summary ?? summary)?.slice(0, 10_000).toWellFormed() || null,
    analysis: {
      said: words.find(isSaid) ?? null,
      ...(wantsNoCalls && { wantsNoCalls }),
    },
  };
}

/** Of an assistant whose only output is one word. */
const DO_NOT_CALL = 'do_not_call';
const StructuredResult = z.object(Structured);

/** An output is an object with our fields, or one of them alone under its name. */
function structuredBy(output: { name?: string | null; result: unknown } | null | undefined) {
  const { name, result } = output ?? {};
  return StructuredResult.safeParse(name ? { [name]: result, ...fieldsOf(result) } : fieldsOf(result)).data;
}

/** Our own id of the call, in whichever place the platform hands it back. It is a pointer, looked up like the others. */
export function intentIn({ call, assistant }: About): string | null {
  const places = [call, call?.assistantOverrides, call?.assistant, assistant];
  return places.map((place) => place?.metadata?.callId).find(Boolean) ?? null;
}

/** The line that was dialled, by everything the platform says of it. */
export const lineIn = ({ call, phoneNumber }: About) => ({
  platformNumberId: call?.phoneNumberId ?? phoneNumber?.id ?? call?.phoneNumber?.id ?? null,
  number: phoneNumber?.number ?? call?.phoneNumber?.number ?? null,
  assistantId: call?.assistantId ?? null,
});

/** The number at the other end. */
export const callerIn = ({ call, customer }: About): string | null =>
  customer?.number ?? call?.customer?.number ?? null;

/** Whether somebody rang a clinic, and not the clinic them. */
export const isInbound = ({ call }: About): boolean => call?.type === 'inboundPhoneCall';
