import { type ClinicCalendar, clinicCalendar } from '../../calendar/clinic-calendar';
import type { Stores } from '@clinic/prisma/stores';
import type { KeptVoice } from '@clinic/shared/contracts/voice/voice';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { ExpectedAssistants, OfferedTool } from '../port';
import { type Prompts, VERIFYING_TOOL } from './prompts';

export interface ExpectedDeps {
  stores: Pick<Stores, 'agendas' | 'clinics' | 'settings'>;
  /** The tools that can work over a calendar, in the calls of one type. */
  offeredTools: (workflowType: WorkflowType, calendar: ClinicCalendar) => OfferedTool[];
}

/** A calendar on which everything works. */
const EVERYTHING: ClinicCalendar = { kind: 'own', holdsTimes: true, booksFollowUps: true };

/** What the assistants of a clinic should be as its settings stand now. */
export async function expectedAssistants(
  { stores, offeredTools }: ExpectedDeps,
  {
    clinic: { id: clinicId, name: clinicName },
    settings,
    prompts,
  }: {
    clinic: { id: string; name: string };
    settings: KeptVoice;
    /** Null where nobody says which: each assistant keeps the one that it has. */
    prompts: Prompts | null;
  },
): Promise<ExpectedAssistants> {
  const calendar = await clinicCalendar(stores, clinicId);
  const toolsOf = (type: WorkflowType) => offeredTools(type, calendar);
  const missingOf = (type: WorkflowType) => {
    const names = new Set(toolsOf(type).map(({ name }) => name));
    return offeredTools(type, EVERYTHING)
      .map(({ name }) => name)
      .filter((name) => !names.has(name));
  };
  return {
    clinicId,
    toolsOf,
    canVerify: (type) => !missingOf(type).includes(VERIFYING_TOOL),
    assistantOf: (workflowType, { credentialId, prompt }) => ({
      clinicId,
      clinicName,
      workflowType,
      prompt: prompts ? prompts(workflowType, missingOf(workflowType)) : prompt,
      tools: toolsOf(workflowType),
      style: settings,
      credentialId,
    }),
  };
}
