import { isWithinCallingHours } from '@clinic/shared/domain/calling-hours';
import { readPhone } from '@clinic/shared/domain/phone';
import type { Stores } from '@clinic/prisma/stores';
import type { LineOwner } from '@clinic/prisma/stores/inbound-calls';
import { z } from 'zod';
import { parse } from '../http/parse';
import { route, type Route } from '../http/route';
import type { Metrics } from '../metrics';
import type { Dispatcher } from '../dispatcher';
import type { AnswerToolCalls } from '../tools/answer';
import { findToolNamed } from '../tools/registry';
import { callerIn, countedType, intentIn, lineIn, readReport, type Report, VoiceMessage } from './voice-message';

export interface VoiceEventDeps {
  stores: Stores;
  temporal: Dispatcher;
  metrics: Metrics;
  answerToolCalls: AnswerToolCalls;
  config: { VAPI_ASSISTANT_ID?: string };
}

const Reply = z
  .looseObject({ assistantId: z.string().optional(), error: z.string().optional(), eligible: z.boolean().optional() })
  .meta({ id: 'VoiceReply' });

/**
 * What the voice platform reports of its calls, and asks at their beginning (decisions, section 5). Types that we do not
 * know are counted and answered 200.
 */
export function voiceEventRoutes(deps: VoiceEventDeps): Route[] {
  const { metrics, answerToolCalls } = deps;
  return [
    route({
      method: 'post',
      path: '/voice/events',
      access: 'voice',
      tag: 'Voice platform',
      summary: 'Call progress, and who answers an inbound call, as the voice platform reports and asks',
      body: z.unknown(),
      readsBodyItself: true,
      documentedBody: z
        .looseObject({
          message: z.looseObject({ type: z.string(), call: z.looseObject({ id: z.string() }).optional() }),
        })
        .meta({ id: 'VoiceEvent' }),
      limit: '2mb',
      responses: { 200: { description: 'Heard; with an answer where the message asks for one', schema: Reply } },
      async handle({ body, headers, requestId, log }) {
        const { message } = parse(VoiceMessage, body);
        const { type } = message;
        const count = (result: string) => metrics.voiceEvents.inc({ type: countedType(type), result });
        switch (type) {
          case 'assistant-request': {
            const answer = await answerCaller(deps, message);
            count('error' in answer ? 'refused' : 'heard');
            return { body: answer };
          }
          case 'campaign.predial':
            count('heard');
            return { body: { eligible: await mayBeDialled(deps, message) } };
          // An assistant without an address per tool sends its tool calls here.
          case 'tool-calls':
          case 'function-call': {
            count('heard');
            const toolOf = ({ name }: { name: string | null }) => ({
              family: findToolNamed(name ?? '')?.family ?? '',
              name: name ?? '',
            });
            return { body: await answerToolCalls({ body, headers, requestId, log }, toolOf) };
          }
          default: {
            const report = readReport(message);
            count(report ? await hear(deps, message, report) : 'ignored');
            return { body: {} };
          }
        }
      },
    }),
  ];
}

/** Progress of a call of ours, or of one that rang a clinic without the platform asking us who answers. */
async function hear({ stores, temporal }: VoiceEventDeps, message: VoiceMessage, report: Report): Promise<string> {
  const { call } = message;
  if (!call) return 'ignored';
  const told = await stores.calls.report({ platformCallId: call.id, intentId: intentIn(message), ...report });
  told?.messageIds.forEach((messageId) => temporal.tell(messageId));
  if (told) return 'heard';
  const isLive = report.state === 'RINGING' || report.state === 'IN_PROGRESS';
  if (call.type !== 'inboundPhoneCall' || !isLive) return 'unknown_call';
  const owner = await stores.inboundCalls.ownerOf(lineIn(message));
  if (!owner) return 'unknown_call';
  await openCall({ stores, temporal }, { owner, message, platformCallId: call.id, state: report.state });
  return 'heard';
}

async function answerCaller(
  { stores, temporal, config }: VoiceEventDeps,
  message: VoiceMessage,
): Promise<{ assistantId: string } | { error: string }> {
  const owner = message.call ? await stores.inboundCalls.ownerOf(lineIn(message)) : null;
  if (!owner || !message.call) return { error: 'This number is not connected to a clinic.' };
  await openCall({ stores, temporal }, { owner, message, platformCallId: message.call.id, state: 'RINGING' });
  const assistantId = owner.assistantId ?? config.VAPI_ASSISTANT_ID;
  if (assistantId) return { assistantId };
  return { error: 'Nobody can take this call right now. Please call again later.' };
}

/** Opens the call and starts its new-patient-journey; for a call that is open already, nothing new. */
async function openCall(
  { stores, temporal }: Pick<VoiceEventDeps, 'stores' | 'temporal'>,
  {
    owner,
    message,
    platformCallId,
    state,
  }: { owner: LineOwner; message: VoiceMessage; platformCallId: string; state: Report['state'] },
): Promise<void> {
  const { workflowId } = await stores.inboundCalls.open({
    owner,
    platformCallId,
    callerNumber: callerIn(message),
    state: state === 'IN_PROGRESS' ? state : 'RINGING',
  });
  const run = workflowId ? await stores.runs.find(owner.clinicId, workflowId) : null;
  if (run && !run.dispatchedAt) temporal.dispatch(run);
}

/** Whether a campaign of the platform's own may dial somebody: known line, no opt-out, within calling hours. */
async function mayBeDialled({ stores }: VoiceEventDeps, message: VoiceMessage): Promise<boolean> {
  const { contact } = message;
  const owner = await stores.inboundCalls.ownerOf(lineIn(message));
  const written = contact?.number ?? contact?.phone ?? contact?.phoneNumber ?? callerIn(message);
  const phone = owner && written ? readPhone(written, owner.country) : null;
  if (!owner || !phone) return false;
  const { clinicId } = owner;
  const [optOuts, policy, agenda] = await Promise.all([
    stores.optOuts.list(clinicId, { phone, limit: 1 }),
    stores.clinics.policy(clinicId),
    stores.agendas.of(clinicId),
  ]);
  if (optOuts.items.length > 0 || !agenda) return false;
  return isWithinCallingHours({ hours: policy.callingHours, zone: agenda.zone, at: new Date().toISOString() });
}
