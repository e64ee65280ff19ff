import type { Vapi } from '@vapi-ai/server-sdk';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { sha256Hex } from '@clinic/shared/crypto';
import { TOOL_TIMEOUT_SECONDS } from '@clinic/shared/contracts/voice/tool-definition';
import type { AssistantToMake } from '../port';
import { analysisPlanOf } from './analysis';
import { lastingSettings, messagesOf, voicemailSettings } from './call-settings';
import { serverUrlOf } from './server-url';
import { toolDefinitionOf } from './tool-definition';

/** Names this service at the platform: an assistant without it was made by somebody else. */
const MADE_BY = 'clinic-workflows';
const NAME_LENGTH = 40;
/** What a new one begins with. */
const MODEL = 'gpt-4.1';

/** What an assistant is made for, as it says itself at the platform. */
export const markOf = (clinicId: string, workflowType: WorkflowType) => ({ madeBy: MADE_BY, clinicId, workflowType });

/**
 * The assistant of a workflow type, in the vendor's own words. The model and its temperature are what a new one begins with;
 * they, its voice and its transcriber are chosen at the platform from then on.
 */
export function assistantOf(
  about: AssistantToMake,
  publicUrl: string,
): Vapi.CreateAssistantDto & { model: Vapi.CreateAssistantDtoModel.Openai } {
  const { clinicId, clinicName, workflowType, prompt, style, credentialId } = about;
  const proof = { timeoutSeconds: TOOL_TIMEOUT_SECONDS, credentialId };
  const tools = about.tools
    .map((tool) => toolDefinitionOf(tool, publicUrl))
    .map(
      ({ type, async, function: { name, description, parameters }, server: { url } }): Vapi.OpenAiModelToolsItem => ({
        type,
        async,
        function: {
          name,
          description,
          parameters: {
            type: parameters.type,
            // Only what the vendor's type knows is left in it; the test looks at every tool.
            properties: parameters['properties'] as Record<string, Vapi.JsonSchema>,
            required: parameters['required'] as string[] | undefined,
          },
        },
        server: { ...proof, url },
      }),
    );
  return {
    name: `${clinicName.slice(0, NAME_LENGTH - workflowType.length - 2).trim()}, ${workflowType}`,
    metadata: { ...markOf(clinicId, workflowType), model: MODEL, prompt: sha256Hex(prompt) },
    model: {
      provider: 'openai',
      model: MODEL,
      temperature: 0.3,
      messages: [{ role: 'system', content: prompt }],
      tools: [...tools, { type: 'endCall' }],
    },
    // The sentence that discloses the automation comes with each call and goes before this.
    firstMessageMode: 'assistant-speaks-first-with-model-generated-message',
    server: { ...proof, url: serverUrlOf(publicUrl) },
    serverMessages: [...messagesOf({ transferTo: 'any' })],
    ...lastingSettings(style, workflowType),
    ...voicemailSettings(style, clinicName),
    analysisPlan: analysisPlanOf(workflowType),
  };
}
