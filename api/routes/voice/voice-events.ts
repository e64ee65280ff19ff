import { answeringSentence } from '@clinic/shared/domain/outreach/opening';
import { clinicVoice, firstMessageOf, recordingVariables } from '@clinic/gateways/voice/clinic-voice';
import type { AboutCall, PlatformAccount, PlatformMessages, VoiceMessage } from '@clinic/gateways/voice/port';
import { isWithinCallingHours } from '@clinic/shared/domain/outreach/calling-hours';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import { assertNever } from '@clinic/shared/errors';
import { DocumentedVoiceEvent, VoiceReply } from '@clinic/shared/contracts/voice/message';
import { placeVariables } from '@clinic/shared/domain/voice/variables';
import type { LineOwner } from '@clinic/prisma/stores/voice/inbound-calls';
import { z } from 'zod';
import { parse } from '@clinic/shared/contracts/parse';
import type { VoicePlatforms } from '@clinic/gateways/voice/registry';
import type { Deps, Route } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { findToolNamed } from '../../tools/registry';

type VoiceEventDeps = Deps<'stores' | 'temporal' | 'voice'>;

const routes = routesOf({ tag: 'Voice platform', access: 'voice', right: null });

/** A platform speaks. */
interface Speaking {
  messages: PlatformMessages;
  account: PlatformAccount;
  /** Whose secret the message came with: the only clinic that it may be about, or null for any. */
  clinicId: string | null;
}

/** What became of a message, as the metric counts it. */
type Heard = 'heard' | 'refused' | 'ignored' | 'unknown_call' | 'unconfirmed_call';

/**
 * What the voice platforms report of their calls, and what they ask at their beginning (docs/contract.md, 5). A type that
 * is new to us is counted and answered with 200.
 */
export const voiceEventRoutes = ({ speakers }: VoicePlatforms): Route[] => speakers.map(voiceEventRoute);

function voiceEventRoute({ messages, account }: Omit<Speaking, 'clinicId'>): Route {
  return routes.post(messages.path, {
    summary: 'Call progress, and who answers an inbound call, as the voice platform reports and asks',
    description:
      'The platform calls it, not your system. A message about an unknown call, and one of a type that is new to us, are 200 and change nothing; so is a message that is sent again.',
    body: z.unknown(),
    readsBodyItself: true,
    documentedBody: DocumentedVoiceEvent,
    limit: '8mb',
    mayBeLarge: messages.mayBeReport,
    responses: { 200: { description: 'Heard; with an answer where the message asks for one', schema: VoiceReply } },
    async handle({ caller: { clinicId }, body, headers, requestId, ip: address, log }, deps) {
      const { metrics, answerToolCalls } = deps;
      const message = parse(messages.schema, body);
      const speaking = { messages, account, clinicId };
      const count = (result: Heard) => metrics.voiceEvents.inc({ type: message.type, result });
      const replyTo = async (asked: Promise<Asked>) => {
        const { reply, isRefused } = await asked;
        count(isRefused ? 'refused' : 'heard');
        return { body: reply };
      };
      switch (message.kind) {
        case 'progress':
          count(await recordProgress(deps, message, speaking));
          return { body: {} };
        case 'assistant-request':
          return replyTo(chooseAssistant(deps, message, speaking));
        case 'transfer-request':
          return replyTo(whereToTransfer(deps, message, speaking));
        case 'campaign-dial':
          count('heard');
          return { body: messages.reply.mayDial(await mayBeDialled(deps, message, speaking)) };
        // An assistant that has no address per tool sends its tool calls here.
        case 'tool-calls': {
          count('heard');
          const calls = messages.readToolCalls(body);
          return { body: await answerToolCalls({ calls, headers, requestId, address, log, clinicId }, toolNamed) };
        }
        case 'ignored':
          count('ignored');
          return { body: {} };
        default:
          return assertNever(message);
      }
    },
  });
}

const toolNamed = ({ name }: { name: string | null }) => ({
  family: findToolNamed(name ?? '')?.family ?? '',
  name: name ?? '',
});

type MessageOf<Kind extends VoiceMessage['kind']> = Extract<VoiceMessage, { kind: Kind }>;

/** The reply to a question, in the platform's form. */
interface Asked {
  reply: object;
  isRefused: boolean;
}

const refusedBy = ({ reply }: PlatformMessages, sentence: string): Asked => ({
  reply: reply.refusal(sentence),
  isRefused: true,
});

/** Progress of a call of ours, or of one that rang a clinic without the platform asking us who answers. */
async function recordProgress(
  deps: VoiceEventDeps,
  message: MessageOf<'progress'>,
  speaking: Speaking,
): Promise<Heard> {
  const { stores, temporal } = deps;
  const { platformCallId, intentId, report } = message;
  if (!report || platformCallId === null) return 'ignored';
  const recorded = await stores.calls.report({ platformCallId, intentId, ...report, clinicId: speaking.clinicId });
  recorded?.messageIds.forEach((messageId) => temporal.tell({ clinicId: recorded.clinicId, messageId }));
  if (recorded) return 'heard';
  // What the platform still has to say of it may not bring the person back.
  if (await stores.erasures.isErasedCall(platformCallId)) return 'unknown_call';
  const { state } = report;
  if (!message.isInbound || (state !== 'RINGING' && state !== 'IN_PROGRESS')) return 'unknown_call';
  const owner = await stores.inboundCalls.ownerOf(message.line, speaking.clinicId);
  if (!owner) return 'unknown_call';
  const caller = await confirmedCaller(deps, { about: message, owner, platformCallId, account: speaking.account });
  if (!caller) return 'unconfirmed_call';
  await openCall(deps, { owner, platformCallId, callerNumber: caller.number, state });
  return 'heard';
}

/**
 * Who calls, as the platform itself says: a call that we neither placed nor were asked about is believed only once it is found
 * there, as a call to this line. Null where it is not; the next word of the call asks again.
 */
async function confirmedCaller(
  { stores }: VoiceEventDeps,
  {
    about: { line, callerNumber },
    owner,
    platformCallId,
    account,
  }: { about: AboutCall; owner: LineOwner; platformCallId: string; account: PlatformAccount },
): Promise<{ number: string | null } | null> {
  // There is no platform to ask, and nobody real who could call.
  if (owner.isSimulated) return { number: callerNumber };
  const { apiKey } = clinicVoice(await stores.settings.voice(owner.clinicId), account.operator, null);
  const found = apiKey === null ? null : await account.findCall(apiKey, platformCallId);
  if (found?.kind !== 'found' || !found.isInbound) return null;
  const isSameLine = line.platformNumberId === null || line.platformNumberId === found.platformNumberId;
  return isSameLine ? { number: found.callerNumber } : null;
}

/** What the assistant says first and what it knows has the same form as for a call that we place. */
async function chooseAssistant(
  deps: VoiceEventDeps,
  { platformCallId, line, callerNumber }: MessageOf<'assistant-request'>,
  { messages, account, clinicId }: Speaking,
): Promise<Asked> {
  const { stores } = deps;
  const owner = platformCallId === null ? null : await stores.inboundCalls.ownerOf(line, clinicId);
  if (!owner || platformCallId === null) return refusedBy(messages, 'This number is not connected to a clinic.');
  await openCall(deps, { owner, platformCallId, callerNumber, state: 'RINGING' });
  const workflowType = 'new-patient-journey';
  const kept = await stores.settings.voice(owner.clinicId);
  const { style, assistantFor } = clinicVoice(kept, account.operator, null);
  const assistantId = owner.assistantId ?? assistantFor(workflowType);
  if (assistantId === null) {
    return refusedBy(messages, 'Nobody can take this call right now. Please call again later.');
  }
  const opening = firstMessageOf(owner.disclosesAutomation ? answeringSentence(owner.clinicName) : null, style);
  const place = { ...owner, clinicPhone: kept?.number ?? null, now: new Date().toISOString() };
  const variables = {
    ...placeVariables(place),
    workflowType,
    ...recordingVariables(style),
    ...(opening !== null && { openingSentence: opening }),
  };
  const reply = messages.reply.assistant({ assistantId, workflowType, style, opening, variables });
  return { reply, isRefused: false };
}

/** To the clinic, while it is open for calls; else the assistant says that nobody is there. */
async function whereToTransfer(
  { stores }: VoiceEventDeps,
  { platformCallId }: MessageOf<'transfer-request'>,
  speaking: Speaking,
): Promise<Asked> {
  const { messages } = speaking;
  const found = platformCallId === null ? null : await stores.calls.live(platformCallId);
  if (!found || (speaking.clinicId !== null && found.clinicId !== speaking.clinicId)) {
    return refusedBy(messages, 'call not recognised');
  }
  const { clinicId, clinicZone } = found;
  const [kept, policy] = await Promise.all([stores.settings.voice(clinicId), stores.clinics.policy(clinicId)]);
  if (!kept?.transferTo) {
    return refusedBy(messages, 'Nobody can be reached by transfer. Offer that a member of staff calls back.');
  }
  const now = { hours: policy.callingHours, zone: clinicZone, at: new Date().toISOString() };
  if (!isWithinCallingHours(now)) {
    return refusedBy(messages, 'The clinic is closed right now. Offer that a member of staff calls back.');
  }
  return { reply: messages.reply.transfer(kept.transferTo), isRefused: false };
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
async function mayBeDialled(
  { stores }: VoiceEventDeps,
  { line, number }: MessageOf<'campaign-dial'>,
  { clinicId }: Speaking,
): Promise<boolean> {
  const owner = await stores.inboundCalls.ownerOf(line, clinicId);
  const phone = owner && number ? readPhone(number, owner.country) : null;
  return owner !== null && phone !== null && stores.callingRules.mayRing(owner.clinicId, phone);
}
