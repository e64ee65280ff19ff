import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { z } from 'zod';
import { tools } from './registry';
import type { Tool } from './tool';

/** How long Vapi waits for us; we answer within 8 s. */
const TIMEOUT_SECONDS = 20;

/** Says where the secret belongs without being it. */
const SECRET_HINT = '<VOICE_WEBHOOK_SECRET>';

/** A tool as Vapi's API and dashboard take it. */
export const ToolDefinition = z
  .object({
    type: z.literal('function'),
    async: z.literal(false),
    function: z.object({
      name: z.string(),
      description: z.string(),
      parameters: z.looseObject({ type: z.literal('object') }),
    }),
    server: z.object({ url: z.string(), timeoutSeconds: z.int(), headers: z.record(z.string(), z.string()) }),
  })
  .meta({ id: 'ToolDefinition' });
export type ToolDefinition = z.infer<typeof ToolDefinition>;

/** The definitions of every tool, or of those that a workflow type's calls may use, ready to paste into Vapi. */
export function toolDefinitions(assistant: WorkflowType | null, publicUrl: string): ToolDefinition[] {
  return tools
    .filter(({ workflowTypes }) => assistant === null || workflowTypes.includes(assistant))
    .map((tool) => toDefinition(tool, publicUrl));
}

function toDefinition({ family, name, description, arguments: args }: Tool, publicUrl: string): ToolDefinition {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' });
  return {
    type: 'function',
    async: false,
    function: { name, description, parameters: { ...schema, type: 'object' } },
    server: {
      url: `${publicUrl}/api/${family}/${name}`,
      timeoutSeconds: TIMEOUT_SECONDS,
      headers: { 'x-voice-secret': SECRET_HINT },
    },
  };
}
