import type { Stores } from '@clinic/prisma/stores';
import type { CallState } from '@clinic/prisma/stores/calls';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import type { Metrics } from '../metrics';
import type { Temporal } from '../temporal';

const Text = z.string().nullish().catch(null);

/** What of a platform message we read; the rest of it, the whole conversation included, is dropped. */
const VoiceMessage = z.object({
  message: z.object({
    type: z.string().max(100),
    status: Text,
    endedReason: Text,
    summary: Text,
    analysis: z.object({ summary: Text }).nullish().catch(null),
    call: z
      .object({
        id: z.string().min(1).max(200),
        metadata: z.object({ callId: Text }).nullish().catch(null),
        assistantOverrides: z
          .object({ metadata: z.object({ callId: Text }).nullish().catch(null) })
          .nullish()
          .catch(null),
      })
      .nullish()
      .catch(null),
  }),
});
type VoiceMessage = z.infer<typeof VoiceMessage>['message'];

const states: Record<string, CallState> = {
  scheduled: 'QUEUED',
  queued: 'QUEUED',
  ringing: 'RINGING',
  'in-progress': 'IN_PROGRESS',
  forwarding: 'IN_PROGRESS',
  ended: 'ENDED',
};

/** What the voice platform reports of its calls (decisions, section 5). Unknown types are counted and answered 200. */
export function voiceEventRoutes({
  stores,
  temporal,
  metrics,
}: {
  stores: Stores;
  temporal: Temporal;
  metrics: Metrics;
}): Route[] {
  return [
    route({
      method: 'post',
      path: '/voice/events',
      access: 'voice',
      tag: 'Voice platform',
      summary: 'Call progress, as the voice platform reports it',
      body: VoiceMessage,
      limit: '2mb',
      responses: { 200: { description: 'Heard', schema: z.looseObject({}) } },
      async handle({ body: { message } }) {
        const report = readReport(message);
        const counted = message.type in knownTypes ? message.type : 'other';
        if (!report || !message.call) {
          metrics.voiceEvents.inc({ type: counted, result: 'ignored' });
          return { body: {} };
        }
        const told = await stores.calls.report({
          platformCallId: message.call.id,
          intentId: message.call.metadata?.callId ?? message.call.assistantOverrides?.metadata?.callId ?? null,
          ...report,
        });
        if (told?.messageId) temporal.tell(told.messageId);
        metrics.voiceEvents.inc({ type: counted, result: told ? 'heard' : 'unknown_call' });
        return { body: {} };
      },
    }),
  ];
}

const knownTypes: Record<string, true> = { 'status-update': true, 'end-of-call-report': true };

function readReport(
  message: VoiceMessage,
): { state: CallState | null; endedReason: string | null; summary: string | null } | null {
  if (message.type === 'status-update') {
    const state = states[message.status ?? ''] ?? null;
    return state ? { state, endedReason: message.endedReason ?? null, summary: null } : null;
  }
  if (message.type === 'end-of-call-report') {
    const summary = message.analysis?.summary ?? message.summary ?? null;
    return { state: 'ENDED', endedReason: message.endedReason ?? null, summary: summary?.slice(0, 10_000) || null };
  }
  return null;
}
