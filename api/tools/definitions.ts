import type { WorkflowType } from '@clinic/shared/domain/workflow-types';
import { VOICE_SECRET } from '@clinic/shared/voice/headers';
import { TOOL_TIMEOUT_SECONDS, type ToolDefinition } from '@clinic/shared/voice/tool-definition';
import { z } from 'zod';
import { tools } from './registry';
import type { Tool } from './tool';

/** Says where the secret belongs without being it. */
const SECRET_HINT = '<VOICE_WEBHOOK_SECRET>';

/**
 * The definitions of every tool, or of those that a workflow type's calls may use, ready to paste into Vapi; with those that hold
 * times where the clinic's calls may do so.
 */
export function toolDefinitions(
  assistant: WorkflowType | null,
  publicUrl: string,
  { holdsTimes = false }: { holdsTimes?: boolean } = {},
): ToolDefinition[] {
  return tools
    .filter(({ isForHolding = false }) => holdsTimes || !isForHolding)
    .filter(({ workflowTypes }) => assistant === null || workflowTypes.includes(assistant))
    .map((tool) => toDefinition(tool, publicUrl));
}

function toDefinition({ family, name, description, arguments: args }: Tool, publicUrl: string): ToolDefinition {
  const schema = asPlatformTakesIt(z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' }));
  return {
    type: 'function',
    async: false,
    function: { name, description, parameters: { properties: {}, ...schema, type: 'object' } },
    server: {
      url: `${publicUrl}/api/${family}/${name}`,
      timeoutSeconds: TOOL_TIMEOUT_SECONDS,
      headers: { [VOICE_SECRET]: SECRET_HINT },
    },
  };
}

/** What the vendor's own type of a schema knows; our checks of lengths and ranges are made when a tool is used. */
const KNOWN = ['type', 'items', 'properties', 'description', 'pattern', 'format', 'required', 'enum', 'title'];

function asPlatformTakesIt(schema: object): Record<string, unknown> {
  const known = Object.entries(schema).filter(([key]) => KNOWN.includes(key));
  return Object.fromEntries(
    known.map(([key, value]: [string, unknown]) => {
      if (key === 'properties') return [key, eachOf(value as Record<string, object>)];
      return [key, key === 'items' ? asPlatformTakesIt(value as object) : value];
    }),
  );
}

const eachOf = (properties: Record<string, object>) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, asPlatformTakesIt(schema)]));
