import { CALL_ID } from '@clinic/shared/domain/voice/headers';
import { ToolEnvelope, ToolReplies } from '@clinic/shared/contracts/voice/message';
import { z } from 'zod';
import type { Route } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { tools } from '../../tools/registry';
import { type Tool, toolFamilies, type ToolFamily } from '../../tools/tool';

const routes = routesOf({ tag: 'Live-call tools', access: 'voice', right: null });

const toolsOf = (family: ToolFamily): Tool[] => tools.filter((tool) => tool.family === family);

/** A route for each family of tools, one envelope (docs/contract.md, 5). */
export const toolRoutes: Route[] = toolFamilies.map((family) =>
  routes.post(`/${family}/:toolName`, {
    summary: `Call a tool of the family ${family} in the middle of a phone call`,
    description: describe(family),
    // Another name is a failure in the result, so it is documented and not refused.
    params: z.object({ toolName: z.string().meta({ enum: toolsOf(family).map(({ name }) => name) }) }),
    body: z.unknown(),
    readsBodyItself: true,
    documentedBody: ToolEnvelope,
    examples: Object.fromEntries(toolsOf(family).map((tool) => [tool.name, exampleCall(tool)])),
    documentedHeaders: { [CALL_ID]: "The platform's id of the call, where the body does not name it" },
    limit: '2mb',
    responses: { 200: { description: 'One result per tool call, in the order asked', schema: ToolReplies } },
    async handle(
      { caller, params: { toolName }, body, headers, requestId, ip: address, log },
      { voice, answerToolCalls },
    ) {
      const calls = voice.contract.readToolCalls(body);
      const post = { calls, headers, requestId, address, log, clinicId: caller.clinicId };
      return { body: await answerToolCalls(post, () => ({ family, name: toolName })) };
    },
  }),
);

/** A tool called once, and its reply. */
function exampleCall({ example }: Tool) {
  const call = { id: 'tool-call-1', function: { arguments: example.arguments } };
  return {
    body: { message: { call: { id: 'platform-call-1' }, toolCalls: [call] } },
    reply: { results: [{ toolCallId: call.id, result: JSON.stringify(example.result) }] },
  };
}

/** The family's tools, as a list in Markdown. */
function describe(family: ToolFamily): string {
  const entries = toolsOf(family).map(({ name, description, arguments: args, result }) =>
    [
      `### ${name}`,
      description,
      `Arguments: ${codeOf(args, 'input')}`,
      `Result, as a JSON string: ${codeOf(result, 'output')}`,
    ].join('\n\n'),
  );
  return entries.join('\n\n');
}

function codeOf(schema: z.ZodType, io: 'input' | 'output'): string {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return `\n\n\`\`\`json\n${JSON.stringify(rest, null, 2)}\n\`\`\``;
}
