import type * as api from '#api';
import { saidFacts } from '../outreach/said-facts';

/** What the patient stopped at and asked, and what the task itself says; each once. */
export function factsOfTask({ barrier, detail }: Pick<api.Task, 'barrier' | 'detail'>): [string, string][] {
  const facts = new Map([...saidFacts(barrier), ...saidFacts(detail)]);
  return [...facts];
}

/** The same in a line: what a patient said needs no name. */
export function knownOfTask(task: Pick<api.Task, 'barrier' | 'detail'>): string {
  const said = new Set(saidFacts(task.barrier).map(([name]) => name));
  return factsOfTask(task)
    .map(([name, value]) => (said.has(name) ? value : `${name}: ${value}`))
    .join(' · ');
}
