import { CALL_ID } from '@clinic/shared/voice/headers';
import { ToolEnvelope, ToolReplies } from '@clinic/shared/voice/message';
import { z } from 'zod';
import { route, type Route } from '../http/route';
import type { AnswerToolCalls } from '../tools/answer';
import { tools } from '../tools/registry';
import { toolFamilies, type ToolFamily } from '../tools/tool';

const tag = 'Live-call tools';

/** A route for each family of tools, one envelope (contract, "Live-call tools"; decisions, section 5). */
export function toolRoutes({ answerToolCalls }: { answerToolCalls: AnswerToolCalls }): Route[] {
  return toolFamilies.map((family) =>
    route({
      method: 'post',
      path: `/${family}/:toolName`,
      access: 'voice',
      tag,
      summary: `Call a tool of the family ${family} in the middle of a phone call`,
      description: describe(family),
      params: z.object({ toolName: z.string() }),
      body: z.unknown(),
      readsBodyItself: true,
      documentedBody: ToolEnvelope,
      documentedHeaders: { [CALL_ID]: "The platform's id of the call, where the body does not name it" },
      limit: '2mb',
      responses: { 200: { description: 'One result per tool call, in the order asked', schema: ToolReplies } },
      async handle({ caller, params: { toolName }, body, headers, requestId, ip: address, log }) {
        const post = { body, headers, requestId, address, log, clinicId: caller.clinicId };
        return { body: await answerToolCalls(post, () => ({ family, name: toolName })) };
      },
    }),
  );
}

/** The family's tools, as a list in Markdown. */
function describe(family: ToolFamily): string {
  const entries = tools
    .filter((tool) => tool.family === family)
    .map(({ name, description, arguments: args, result }) =>
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
