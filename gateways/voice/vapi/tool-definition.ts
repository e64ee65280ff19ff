import { TOOL_TIMEOUT_SECONDS, type ToolDefinition } from '@clinic/shared/contracts/voice/tool-definition';
import { VOICE_SECRET } from '@clinic/shared/domain/voice/headers';
import type { OfferedTool } from '../port';

/** Says where the secret belongs without being it. */
const SECRET_HINT = '<VOICE_WEBHOOK_SECRET>';

/** A tool as Vapi's API and dashboard take it. */
export function toolDefinitionOf(
  { family, name, description, parameters }: OfferedTool,
  publicUrl: string,
): ToolDefinition {
  return {
    type: 'function',
    async: false,
    function: { name, description, parameters: { properties: {}, ...asVapiTakesIt(parameters), type: 'object' } },
    server: {
      url: `${publicUrl}/api/${family}/${name}`,
      timeoutSeconds: TOOL_TIMEOUT_SECONDS,
      headers: { [VOICE_SECRET]: SECRET_HINT },
    },
  };
}

/** What the vendor's own type of a schema knows; our checks of lengths and ranges are made when a tool is used. */
const KNOWN = ['type', 'items', 'properties', 'description', 'pattern', 'format', 'required', 'enum', 'title'];

function asVapiTakesIt(schema: object): Record<string, unknown> {
  const known = Object.entries(schema).filter(([key]) => KNOWN.includes(key));
  return Object.fromEntries(
    known.map(([key, value]: [string, unknown]) => {
      if (key === 'properties') return [key, eachOf(value as Record<string, object>)];
      return [key, key === 'items' ? asVapiTakesIt(value as object) : value];
    }),
  );
}

const eachOf = (properties: Record<string, object>) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, asVapiTakesIt(schema)]));
