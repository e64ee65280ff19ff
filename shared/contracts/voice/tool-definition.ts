import { z } from 'zod';

/** How long the platform waits for a tool's result. The service replies within 8 s. */
export const TOOL_TIMEOUT_SECONDS = 20;

/** A tool as the voice platform's API and dashboard take it. */
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
