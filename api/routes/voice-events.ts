import { answeringSentence } from '@clinic/shared/domain/opening';
import {
  callSettings,
  type CallStyle,
  clinicVoice,
  firstMessageOf,
  operatorVoice,
  recordingVariables,
} from '@clinic/shared/outbound/vapi/clinic-voice';
import { isWithinCallingHours } from '@clinic/shared/domain/calling-hours';
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
  type TransferRequest,
  VoiceEvent,
  VoiceReply,
} from '@clinic/shared/voice/message';
import { type CallPlace, placeVariables } from '@clinic/shared/voice/variables';
import type { Stores } from '@clinic/prisma/stores';
import type { LineOwner } from '@clinic/prisma/stores/inbound-calls';
import { z } from 'zod';
import { parse } from '../http/parse';
import { route, type Route } from '../http/route';
import type { Metrics } from '../metrics';
import type { Dispatcher } from '../dispatcher';
import type { RouteDeps } from '../route-deps';
import type { AnswerToolCalls } from '../tools/answer';
import { findToolNamed } from '../tools/registry';

export interface VoiceEventDeps {
  stores: Stores;
  temporal: Dispatcher;
  metrics: Metrics;
  answerToolCalls: AnswerToolCalls;
  findVapiCall: RouteDeps['findVapiCall'];
  config: Pick<
    RouteDeps['config'],
    'VAPI_API_KEY' | 'VAPI_ASSISTANT_ID' | 'VAPI_PHONE_NUMBER_ID' | 'VOICE_WEBHOOK_SECRET'
  >;
}

/** Whose secret a message came with: the only clinic that it may be about, or null for any. */
type Speaker = string | null;

/** What became of a message, as the metric counts it. */
type Heard = 'heard' | 'refused' | 'ignored' | 'unknown_call' | 'unconfirmed_call';

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
      async handle({ caller: { clinicId: speaker }, body, headers, requestId, ip: address, log }) {
        const { message } = parse(VoiceEvent, body);
        const { type } = message;
        const count = (result: Heard) => metrics.voiceEvents.inc({ type, result });
        switch (type) {
          case 'status-update':
          case 'end-of-call-report': {
            const report = readReport(message);
            count(report ? await recordProgress(deps, { message, report, speaker }) : 'ignored');
            return { body: {} };
          }
          case 'assistant-request': {
            const answer = await chooseAssistant(deps, message, speaker);
            count(answer.error === undefined ? 'heard' : 'refused');
            return { body: answer };
          }
          case 'transfer-destination-request': {
            const answer = await whereToTransfer(deps, message, speaker);
            count(answer.error === undefined ? 'heard' : 'refused');
            return { body: answer };
          }
          case 'campaign.predial':
            count('heard');
            return { body: { eligible: await mayBeDialled(deps, message, speaker) } };
          // An assistant that has no address per tool sends its tool calls here.
          case 'tool-calls':
          case 'function-call':
            count('heard');
            return {
              body: await answerToolCalls({ body, headers, requestId, address, log, clinicId: speaker }, toolNamed),
            };
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
  deps: VoiceEventDeps,
  { message, report, speaker }: { message: StatusUpdate | EndOfCallReport; report: Report; speaker: Speaker },
): Promise<Heard> {
  const { stores, temporal } = deps;
  const { call } = message;
  if (!call) return 'ignored';
  const recorded = await stores.calls.report({
    platformCallId: call.id,
    intentId: intentIn(message),
    state: report.state,
    endedReason: report.endedReason,
    summary: report.summary,
    analysis: report.analysis,
    evidence: report.evidence,
    clinicId: speaker,
  });
  recorded?.messageIds.forEach((messageId) => temporal.tell({ clinicId: recorded.clinicId, messageId }));
  if (recorded) return 'heard';
  // What the platform still has to say of it may not bring the person back.
  if (await stores.erasures.isErasedCall(call.id)) return 'unknown_call';
  const { state } = report;
  if (!isInbound(message) || (state !== 'RINGING' && state !== 'IN_PROGRESS')) return 'unknown_call';
  const owner = await stores.inboundCalls.ownerOf(lineIn(message), speaker);
  if (!owner) return 'unknown_call';
  const caller = await confirmedCaller(deps, { message, owner, platformCallId: call.id });
  if (!caller) return 'unconfirmed_call';
  await openCall({ stores, temporal }, { owner, platformCallId: call.id, callerNumber: caller.number, state });
  return 'heard';
}

/**
 * Who calls, as the platform itself says: a call that we neither placed nor were asked about is believed only once it is found
 * there, as a call to this line. Null where it is not; the next word of the call asks again.
 */
async function confirmedCaller(
  { stores, findVapiCall, config }: VoiceEventDeps,
  {
    message,
    owner,
    platformCallId,
  }: { message: StatusUpdate | EndOfCallReport; owner: LineOwner; platformCallId: string },
): Promise<{ number: string | null } | null> {
  // There is no platform to ask, and nobody real who could call.
  if (owner.isSimulated) return { number: callerIn(message) };
  const { apiKey } = clinicVoice(await stores.settings.voice(owner.clinicId), operatorVoice(config), null);
  const found = apiKey === null ? null : await findVapiCall(apiKey, platformCallId);
  if (found?.kind !== 'found' || !found.isInbound) return null;
  const { platformNumberId } = lineIn(message);
  const isSameLine = platformNumberId === null || platformNumberId === found.platformNumberId;
  return isSameLine ? { number: found.callerNumber } : null;
}

async function chooseAssistant(
  { stores, temporal, config }: VoiceEventDeps,
  message: AssistantRequest,
  speaker: Speaker,
): Promise<VoiceReply> {
  const { call } = message;
  const owner = call ? await stores.inboundCalls.ownerOf(lineIn(message), speaker) : null;
  if (!owner || !call) return { error: 'This number is not connected to a clinic.' };
  const callerNumber = callerIn(message);
  await openCall({ stores, temporal }, { owner, platformCallId: call.id, callerNumber, state: 'RINGING' });
  const kept = await stores.settings.voice(owner.clinicId);
  const { style, assistantFor } = clinicVoice(kept, operatorVoice(config), null);
  const assistantId = owner.assistantId ?? assistantFor('new-patient-journey');
  if (assistantId === null) return { error: 'Nobody can take this call right now. Please call again later.' };
  const place = { ...owner, clinicPhone: kept?.number ?? null, now: new Date().toISOString() };
  const assistantOverrides = { ...callSettings(style, 'new-patient-journey'), ...openingOf(owner, style, place) };
  return { assistantId, assistantOverrides };
}

/** What the assistant says first and what it knows, in the same form as for a call that we place. */
function openingOf({ clinicName, disclosesAutomation }: LineOwner, style: CallStyle | null, place: CallPlace) {
  const sentence = firstMessageOf(disclosesAutomation ? answeringSentence(clinicName) : null, style);
  const known = { ...placeVariables(place), workflowType: 'new-patient-journey', ...recordingVariables(style) };
  if (sentence === null) return { variableValues: known };
  return {
    firstMessage: sentence,
    firstMessageMode: 'assistant-speaks-first',
    variableValues: { ...known, openingSentence: sentence },
  };
}

/** To the clinic, while it is open for calls; else the assistant says that nobody is there. */
async function whereToTransfer(
  { stores }: VoiceEventDeps,
  { call }: TransferRequest,
  speaker: Speaker,
): Promise<VoiceReply> {
  const found = call ? await stores.calls.live(call.id) : null;
  if (!found || (speaker !== null && found.clinicId !== speaker)) return { error: 'call not recognised' };
  const { clinicId, clinicZone } = found;
  const [kept, policy] = await Promise.all([stores.settings.voice(clinicId), stores.clinics.policy(clinicId)]);
  if (!kept?.transferTo)
    return { error: 'Nobody can be reached by transfer. Offer that a member of staff calls back.' };
  const now = { hours: policy.callingHours, zone: clinicZone, at: new Date().toISOString() };
  if (!isWithinCallingHours(now)) {
    return { error: 'The clinic is closed right now. Offer that a member of staff calls back.' };
  }
  return { destination: { type: 'number', number: kept.transferTo } };
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
async function mayBeDialled({ stores }: VoiceEventDeps, message: CampaignPredial, speaker: Speaker): Promise<boolean> {
  const { contact } = message;
  const owner = await stores.inboundCalls.ownerOf(lineIn(message), speaker);
  const written = contact?.number ?? contact?.phone ?? contact?.phoneNumber ?? callerIn(message);
  const phone = owner && written ? readPhone(written, owner.country) : null;
  return owner !== null && phone !== null && stores.callingRules.mayRing(owner.clinicId, phone);
}
