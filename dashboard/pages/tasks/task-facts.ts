import type * as api from '#api';
import { saidFacts } from '../outreach/said-facts';

/** The same in a line: what a patient said needs no name. */
export function knownOfTask({ barrier, detail }: Pick<api.Task, 'barrier' | 'detail'>): string {
  const said = saidFacts(barrier);
  const rest = saidFacts(detail).filter(([name]) => !said.some(([known]) => known === name));
  return [...said.map(([, value]) => value), ...rest.map(([name, value]) => `${name}: ${value}`)].join(' · ');
}

/** What the patient stopped at and asked, and what the task itself says; each once. */
export function factsOfTask({ barrier, detail }: Pick<api.Task, 'barrier' | 'detail'>): [string, string][] {
  const facts = new Map([...saidFacts(barrier), ...saidFacts(detail)]);
  return [...facts];
}
