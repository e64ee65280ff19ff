import type { OfferedTool } from '@clinic/gateways/voice/port';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { z } from 'zod';
import { tools } from './registry';

/**
 * Every tool, or those that a workflow type's calls may use, for a platform's assistants; with those that hold times where the
 * clinic's calls may do so.
 */
export function offeredTools(
  assistant: WorkflowType | null,
  { holdsTimes = false }: { holdsTimes?: boolean } = {},
): OfferedTool[] {
  return tools
    .filter(({ isForHolding = false }) => holdsTimes || !isForHolding)
    .filter(({ workflowTypes }) => assistant === null || workflowTypes.includes(assistant))
    .map(({ family, name, description, arguments: args }) => ({
      family,
      name,
      description,
      parameters: z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' }),
    }));
}
