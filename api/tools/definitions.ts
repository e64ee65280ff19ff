import type { ClinicCalendar } from '@clinic/gateways/calendar/clinic-calendar';
import type { OfferedTool } from '@clinic/gateways/voice/port';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { z } from 'zod';
import { tools } from './registry';
import { isForCallsOf, type Tool } from './tool';

/** The tools that can work in a clinic's calls, all of them or those of one workflow type, for a platform's assistants. */
export function offeredTools(assistant: WorkflowType | null, calendar: ClinicCalendar): OfferedTool[] {
  return tools
    .filter((tool) => canWork(tool, calendar))
    .filter((tool) => assistant === null || isForCallsOf(tool, assistant, calendar))
    .map(({ family, name, description, arguments: args }) => ({
      family,
      name,
      description,
      parameters: z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' }),
    }));
}

function canWork({ family, needs }: Tool, { kind, holdsTimes }: ClinicCalendar): boolean {
  switch (needs) {
    case 'holding':
      return holdsTimes;
    case 'waitlist':
      return kind === 'own';
    case undefined:
      return family !== 'emr-tools' || kind !== 'none';
  }
}
