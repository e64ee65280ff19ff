import { z } from 'zod';

/** What a live-call tool route takes, as documented: `readEnvelope` accepts more than is shown. */
export const ToolEnvelope = z
  .looseObject({
    message: z.looseObject({
      call: z.looseObject({ id: z.string() }).optional(),
      toolCalls: z
        .array(z.looseObject({ id: z.string(), function: z.looseObject({ arguments: z.unknown() }) }))
        .optional(),
    }),
  })
  .meta({ id: 'ToolEnvelope' });

export const ToolReplies = z
  .object({ results: z.array(z.object({ toolCallId: z.string(), result: z.string() })) })
  .meta({ id: 'ToolReplies' });
