import { answeringSentence } from '@clinic/shared/domain/opening';
import { readPhone } from '@clinic/shared/domain/phone';
import { assertNever } from '@clinic/shared/errors';
import {
  type AssistantRequest,
  type CampaignPredial,
  callerIn,
  DocumentedVoiceEvent,
  type EndOfCallReport,
  intentIn,
  isInbound,
  lineIn,
  readReport,
  type Report,
  type StatusUpdate,
  VoiceEvent,
  VoiceReply,
} from '@clinic/shared/voice/message';
import type { Stores } from '@clinic/prisma/stores';
import type { LineOwner } from '@clinic/prisma/stores/inbound-calls';
import { z } from 'zod';
import { parse } from '../http/parse';
import { route, type Route } from '../http/route';
import type { Metrics } from '../metrics';
import type { Dispatcher } from '../dispatcher';
import type { AnswerToolCalls } from '../tools/answer';
import { findToolNamed } from '../tools/registry';

export interface VoiceEventDeps {
  stores: Stores;
  temporal: Dispatcher;
  metrics: Metrics;
  answerToolCalls: AnswerToolCalls;
  config: { VAPI_ASSISTANT_ID?: string };
}

/** What became of a message, as the metric counts it. */
type Heard = 'heard' | 'refused' | 'ignored' | 'unknown_call';

/**
 * What the voice platform reports of its calls, and what it asks at their beginning (decisions, section 5). A type that
 * is new to us is counted and answered with 200.
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
      documentedBody: DocumentedVoiceEvent,
      limit: '8mb',
      responses: { 200: { description: 'Heard; with an answer where the message asks for one', schema: VoiceReply } },
      async handle({ body, headers, requestId, log }) {
        const { message } = parse(VoiceEvent, body);
        const { type } = message;
        const count = (result: Heard) => metrics.voiceEvents.inc({ type, result });
        switch (type) {
          case 'status-update':
          case 'end-of-call-report': {
            const report = readReport(message);
            count(report ? await recordProgress(deps, message, report) : 'ignored');
            return { body: {} };
          }
          case 'assistant-request': {
            const answer = await chooseAssistant(deps, message);
            count(answer.error === undefined ? 'heard' : 'refused');
            return { body: answer };
          }
          case 'campaign.predial':
            count('heard');
            return { body: { eligible: await mayBeDialled(deps, message) } };
          // An assistant that has no address per tool sends its tool calls here.
          case 'tool-calls':
          case 'function-call':
            count('heard');
            return { body: await answerToolCalls({ body, headers, requestId, log }, toolNamed) };
          case 'conversation-update':
          case 'transcript':
          case 'user-interrupted':
          case 'transfer-update':
          case 'hang':
          case 'call.artifact.upload':
          case 'other':
            count('ignored');
            return { body: {} };
          default:
            return assertNever(type);
        }
      },
    }),
  ];
}

const toolNamed = ({ name }: { name: string | null }) => ({
  family: findToolNamed(name ?? '')?.family ?? '',
  name: name ?? '',
});

/** Progress of a call of ours, or of one that rang a clinic without the platform asking us who answers. */
async function recordProgress(
  { stores, temporal }: VoiceEventDeps,
  message: StatusUpdate | EndOfCallReport,
  report: Report,
): Promise<Heard> {
  const { call } = message;
  if (!call) return 'ignored';
  const recorded = await stores.calls.report({
    platformCallId: call.id,
    intentId: intentIn(message),
    state: report.state,
    endedReason: report.endedReason,
    summary: report.summary,
    analysis: report.analysis,
  });
  recorded?.messageIds.forEach((messageId) => temporal.tell({ clinicId: recorded.clinicId, messageId }));
  if (recorded) return 'heard';
  const { state } = report;
  if (!isInbound(message) || (state !== 'RINGING' && state !== 'IN_PROGRESS')) return 'unknown_call';
  const owner = await stores.inboundCalls.ownerOf(lineIn(message));
  if (!owner) return 'unknown_call';
  await openCall({ stores, temporal }, { owner, platformCallId: call.id, callerNumber: callerIn(message), state });
  return 'heard';
}

async function chooseAssistant(
  { stores, temporal, config }: VoiceEventDeps,
  message: AssistantRequest,
): Promise<VoiceReply> {
  const { call } = message;
  const owner = call ? await stores.inboundCalls.ownerOf(lineIn(message)) : null;
  if (!owner || !call) return { error: 'This number is not connected to a clinic.' };
  const callerNumber = callerIn(message);
  await openCall({ stores, temporal }, { owner, platformCallId: call.id, callerNumber, state: 'RINGING' });
  const assistantId = owner.assistantId ?? config.VAPI_ASSISTANT_ID;
  if (assistantId) return { assistantId, ...(owner.disclosesAutomation && { assistantOverrides: openingOf(owner) }) };
  return { error: 'Nobody can take this call right now. Please call again later.' };
}

/** What the assistant says first, in the same form as for a call that we place. */
function openingOf({ clinicName }: LineOwner) {
  const sentence = answeringSentence(clinicName);
  return {
    firstMessage: sentence,
    firstMessageMode: 'assistant-speaks-first',
    variableValues: { clinicName, openingSentence: sentence },
  };
}

/** Opens the call and starts its new-patient-journey; a call that is open already changes nothing. */
async function openCall(
  { stores, temporal }: Pick<VoiceEventDeps, 'stores' | 'temporal'>,
  inbound: { owner: LineOwner; platformCallId: string; callerNumber: string | null; state: 'RINGING' | 'IN_PROGRESS' },
): Promise<void> {
  const { clinicId } = inbound.owner;
  const { workflowId } = await stores.inboundCalls.open(inbound);
  const run = workflowId ? await stores.runs.find(clinicId, workflowId) : null;
  if (run && !run.dispatchedAt) temporal.dispatch(run);
}

/** Whether a campaign of the platform's own may dial somebody: a known line, and every rule of calling now. */
async function mayBeDialled({ stores }: VoiceEventDeps, message: CampaignPredial): Promise<boolean> {
  const { contact } = message;
  const owner = await stores.inboundCalls.ownerOf(lineIn(message));
  const written = contact?.number ?? contact?.phone ?? contact?.phoneNumber ?? callerIn(message);
  const phone = owner && written ? readPhone(written, owner.country) : null;
  return owner !== null && phone !== null && stores.callingRules.mayRing(owner.clinicId, phone);
}
