import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import type { ExpectedAssistants, FoundAssistant, PlatformAssistants } from '../port';
import { differencesOf, type DifferenceLine } from './differences';

/** What becomes of the assistant of one workflow type. */
export type Step = { workflowType: WorkflowType } & (
  | { kind: 'create'; body: object }
  | { kind: 'update'; id: string; body: object; differences: DifferenceLine[] }
  | { kind: 'same'; id: string }
  /** The clinic has named one that somebody else made: it is left alone. */
  | { kind: 'foreign'; id: string }
);

export interface SyncPlan {
  steps: Step[];
  /** Ours at the platform, for a type that has another one already. They are not deleted: a call may be using them. */
  unused: { id: string; workflowType: WorkflowType }[];
}

export interface SyncRequest {
  expected: ExpectedAssistants;
  credentialId: string;
  /** Who talks for which type, as the clinic has it. */
  named: Partial<Record<WorkflowType, string>>;
  /** Whether ours take the place of assistants that the clinic has named and somebody else made. */
  takesOver: boolean;
}

/** What would have to be done, compared with what the account has. Nothing is changed by it. */
export async function planSync(
  { expected, credentialId, named, takesOver }: SyncRequest,
  assistants: PlatformAssistants,
): Promise<SyncPlan> {
  const found = await assistants.list();
  const steps: Step[] = [];
  const unused: SyncPlan['unused'] = [];
  for (const workflowType of workflowTypeNames) {
    const namedId = named[workflowType];
    const ours = found.filter((each) => assistants.isMadeFor(each, expected.clinicId, workflowType));
    const chosen = ours.find(({ id }) => id === namedId) ?? ours[0];
    unused.push(...ours.filter((each) => each !== chosen).map(({ id }) => ({ id, workflowType })));
    // One that the platform no longer has is nobody's.
    const isForeign = namedId !== undefined && namedId !== chosen?.id && found.some(({ id }) => id === namedId);
    if (isForeign && !takesOver) {
      steps.push({ workflowType, kind: 'foreign', id: namedId });
      continue;
    }
    const wanted = assistants.compose(expected.assistantOf(workflowType, { credentialId, prompt: '' }));
    const step = chosen ? stepTo(chosen, assistants.revise(chosen, wanted)) : { kind: 'create' as const, body: wanted };
    steps.push({ workflowType, ...step });
  }
  return { steps, unused };
}

type WithoutType<Each> = Each extends Step ? Omit<Each, 'workflowType'> : never;

function stepTo(found: FoundAssistant, wanted: Record<string, unknown>): WithoutType<Step> {
  const { id } = found;
  const differences = differencesOf(found, wanted);
  if (differences.length === 0) return { kind: 'same', id };
  const fields = Object.entries(wanted).filter(([key, value]) => differencesOf(found[key], value).length > 0);
  return { kind: 'update', id, body: Object.fromEntries(fields), differences };
}

/** Does what a plan says, one after the other, and returns who talks for which type now. */
export async function applySync(
  { steps }: SyncPlan,
  assistants: Pick<PlatformAssistants, 'create' | 'update'>,
): Promise<Partial<Record<WorkflowType, string>>> {
  const talking: Partial<Record<WorkflowType, string>> = {};
  for (const step of steps) {
    if (step.kind === 'update') await assistants.update(step.id, step.body);
    talking[step.workflowType] = step.kind === 'create' ? await assistants.create(step.body) : step.id;
  }
  return talking;
}

/** A plan as a person reads it before it is done. */
export function describePlan({ steps, unused }: SyncPlan): string[] {
  return [
    ...steps.flatMap((step) => {
      const { workflowType, kind } = step;
      if (kind === 'create') return [`+ ${workflowType}: a new assistant`];
      if (kind === 'update') return [`~ ${workflowType} (${step.id})`, ...step.differences];
      if (kind === 'same') return [`= ${workflowType} (${step.id})`];
      return [`! ${workflowType} (${step.id}): not made here, and left alone; --take-over has ours talk instead`];
    }),
    ...unused.map(
      ({ id, workflowType }) => `? ${workflowType} (${id}): made here and not used; delete it at the platform`,
    ),
  ];
}
