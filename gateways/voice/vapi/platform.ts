import type { ServiceConfig } from '@clinic/shared/config';
import type { SafeHttp } from '../../http/safe-http';
import type { OperatorAccount } from '../clinic-voice';
import type { VoicePlatform } from '../port';
import { createUnsetGateway } from '../unset';
import { readToolCalls } from './envelope';
import { readMessage } from './messages';
import { reply } from './reply';
import { MESSAGES_PATH, serverUrlOf } from './server-url';
import { toolDefinitionOf } from './tool-definition';

export interface VapiPlatformDeps {
  config: Pick<
    ServiceConfig,
    | 'PUBLIC_URL'
    | 'VAPI_API_KEY'
    | 'VAPI_ASSISTANT_ID'
    | 'VAPI_BASE_URL'
    | 'VAPI_PHONE_NUMBER_ID'
    | 'VOICE_WEBHOOK_SECRET'
  >;
  http: SafeHttp;
}

/** Vapi (vapi.ai). What needs the vendor's SDK is loaded with the first question: that takes half a second. */
export function createVapiPlatform({ config, http }: VapiPlatformDeps): VoicePlatform {
  const publicUrl = config.PUBLIC_URL;
  const operator = operatorAccount(config);
  const access = { http, baseUrl: config.VAPI_BASE_URL };

  return {
    async prepare() {
      if (operator.apiKey !== null) await import('@clinic/gateways/voice/vapi/client');
    },

    async callsOf(voice) {
      const { apiKey } = voice;
      if (apiKey === null) return createUnsetGateway(voice);
      const { createVapiGateway } = await import('@clinic/gateways/voice/vapi/calls');
      return createVapiGateway({ ...access, apiKey, voice });
    },

    account: {
      operator,
      serverUrl: serverUrlOf(publicUrl),
      async check(voice, asked) {
        const { checkVapiVoice } = await import('@clinic/gateways/voice/vapi/check');
        return checkVapiVoice(voice, { ...access, publicUrl, ...asked });
      },
      async contents(apiKey, signal) {
        const { readVapiAccount } = await import('@clinic/gateways/voice/vapi/account');
        return readVapiAccount({ ...access, apiKey }, signal);
      },
      async findCall(apiKey, platformCallId) {
        const { findVapiCall } = await import('@clinic/gateways/voice/vapi/calls');
        return findVapiCall({ ...access, apiKey }, platformCallId);
      },
      async assistants(apiKey) {
        const { createVapiAssistants } = await import('@clinic/gateways/voice/vapi/assistants');
        return createVapiAssistants({ ...access, apiKey }, publicUrl);
      },
      toolDefinitions: (tools) => tools.map((tool) => toolDefinitionOf(tool, publicUrl)),
    },

    messages: { path: MESSAGES_PATH, schema: readMessage, mayBeReport, readToolCalls, reply },
  };
}

/** A report holds the call's transcript; status updates and questions hold a page at most. */
const mayBeReport = (body: Buffer): boolean => body.includes('"end-of-call-report"');

const operatorAccount = (config: VapiPlatformDeps['config']): OperatorAccount => ({
  apiKey: config.VAPI_API_KEY ?? null,
  assistantId: config.VAPI_ASSISTANT_ID ?? null,
  phoneNumberId: config.VAPI_PHONE_NUMBER_ID ?? null,
  secret: config.VOICE_WEBHOOK_SECRET,
  variables: {
    apiKey: 'VAPI_API_KEY',
    assistantId: 'VAPI_ASSISTANT_ID',
    phoneNumberId: 'VAPI_PHONE_NUMBER_ID',
  },
});
