import type { VoiceReply } from '@clinic/shared/contracts/voice/message';
import type { PlatformMessages } from '../port';
import { callSettings } from './call-settings';

/** Replies in Vapi's form to the messages that ask something. */
export const reply: PlatformMessages['reply'] = {
  assistant: ({ assistantId, workflowType, style, opening, variables }): VoiceReply => ({
    assistantId,
    assistantOverrides: {
      ...callSettings(style, workflowType),
      ...(opening !== null && { firstMessage: opening, firstMessageMode: 'assistant-speaks-first' }),
      variableValues: variables,
    },
  }),
  transfer: (number): VoiceReply => ({ destination: { type: 'number', number } }),
  mayDial: (isAllowed): VoiceReply => ({ eligible: isAllowed }),
  refusal: (sentence): VoiceReply => ({ error: sentence }),
};
