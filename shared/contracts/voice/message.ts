import { z } from 'zod';
import { Facts } from '../primitives';

/** A message of the voice platform, as the OpenAPI document shows it. */
export const DocumentedVoiceEvent = z
  .looseObject({ message: z.looseObject({ type: z.string(), call: z.looseObject({ id: z.string() }).optional() }) })
  .meta({ id: 'VoiceEvent' });

/** The reply to a message that asks something; an empty one to all others. */
export const VoiceReply = z
  .looseObject({
    assistantId: z.string().optional(),
    assistantOverrides: z.looseObject({ firstMessage: z.string().optional() }).optional(),
    destination: z.looseObject({ type: z.literal('number'), number: z.string() }).optional(),
    error: z.string().optional(),
    eligible: z.boolean().optional(),
  })
  .meta({ id: 'VoiceReply' });
export type VoiceReply = z.infer<typeof VoiceReply>;

/** The tool calls of a request, as the OpenAPI document shows them. The older forms are read too. */
export const ToolEnvelope = z
  .looseObject({
    message: z.looseObject({
      call: z.looseObject({ id: z.string() }).optional(),
      toolCalls: z.array(z.looseObject({ id: z.string(), function: z.looseObject({ arguments: Facts }) })).min(1),
    }),
  })
  .meta({ id: 'ToolEnvelope' });

export const ToolReplies = z
  .object({ results: z.array(z.object({ toolCallId: z.string(), result: z.string() })) })
  .meta({ id: 'ToolReplies' });
