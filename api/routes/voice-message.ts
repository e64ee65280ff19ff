import { type CallState, callStateOf } from '@clinic/shared/domain/call-state';
import { isSaid, type Said } from '@clinic/shared/domain/conversation';
import { z } from 'zod';
import { isStorable } from '../http/parse';

/** What cannot be kept, or is no text, counts as not given. */
const Text = z.string().refine(isStorable).nullish().catch(null);
const Id = z.string().min(1).max(200).refine(isStorable).nullish().catch(null);

const part = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).nullish().catch(null);
const Pointing = part({ metadata: part({ callId: Id }) });
const Line = part({ id: Id, number: Id });
const Customer = part({ number: Id });

/** What of a platform message we read; the rest of it, the whole conversation included, is dropped. */
export const VoiceMessage = z.object({
  message: z.object({
    type: z.string().max(100),
    status: Text,
    endedReason: Text,
    /** Where older payloads have it. */
    summary: Text,
    analysis: part({ summary: Text, structuredData: part({ outcome: Text }) }),
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
    /** Of `campaign.predial`. */
    contact: part({ number: Id, phone: Id, phoneNumber: Id }),
  }),
});
export type VoiceMessage = z.infer<typeof VoiceMessage>['message'];

/** Types that are heard and dropped, beside those that do something. */
const dropped = [
  'conversation-update',
  'transcript',
  'user-interrupted',
  'transfer-update',
  'hang',
  'call.artifact.upload',
] as const;
const known = [
  'status-update',
  'end-of-call-report',
  'assistant-request',
  'campaign.predial',
  'tool-calls',
  'function-call',
  ...dropped,
] as const;

/** The type as a metric may show it: the platform makes new ones as it likes. */
export const countedType = (type: string): string => known.find((each) => each === type) ?? 'other';

export interface Report {
  state: CallState;
  endedReason: string | null;
  summary: string | null;
  analysis: { said: Said | null } | null;
}

/** What a message says of its call's progress; null when it says nothing of it. */
export function readReport({ type, status, endedReason, summary, analysis }: VoiceMessage): Report | null {
  if (type === 'status-update') {
    const state = callStateOf(status);
    return state ? { state, endedReason: endedReason ?? null, summary: null, analysis: null } : null;
  }
  if (type === 'end-of-call-report') {
    const outcome = analysis?.structuredData?.outcome;
    return {
      state: 'ENDED',
      endedReason: endedReason ?? null,
      summary: (analysis?.summary ?? summary)?.slice(0, 10_000).toWellFormed() || null,
      analysis: { said: isSaid(outcome) ? outcome : null },
    };
  }
  return null;
}

/** Our own id of the call where the platform hands it back, in any of the places it knows. A pointer, looked up like the rest. */
export function intentIn({ call, assistant }: VoiceMessage): string | null {
  const places = [call, call?.assistantOverrides, call?.assistant, assistant];
  return places.map((place) => place?.metadata?.callId).find(Boolean) ?? null;
}

/** The line that was dialled, by what the platform itself knows of it. */
export const lineIn = ({ call, phoneNumber }: VoiceMessage) => ({
  platformNumberId: call?.phoneNumberId ?? phoneNumber?.id ?? call?.phoneNumber?.id ?? null,
  number: phoneNumber?.number ?? call?.phoneNumber?.number ?? null,
  assistantId: call?.assistantId ?? null,
});

export const callerIn = ({ call, customer }: VoiceMessage): string | null =>
  customer?.number ?? call?.customer?.number ?? null;
