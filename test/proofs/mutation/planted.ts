import { type Mutant, mutants } from './mutants';
import { runMutants } from './run-mutants';
import { workflowMutants } from './workflow-mutants';

/** Every fault that `npm run prove -- mutation` plants. */
export const planted: Mutant[] = [...mutants, ...runMutants, ...workflowMutants];

export const nameOf = ({ file, why }: Mutant): string => `${file}: ${why}`;

/** Faults whose text is not in its file exactly once. */
export async function findStale(read: (file: string) => Promise<string>, chosen: Mutant[]): Promise<string[]> {
  const stale: string[] = [];
  for (const mutant of chosen) {
    const text = await read(mutant.file).catch(() => null);
    const times = text === null ? null : text.split(mutant.find).length - 1;
    if (times !== 1) stale.push(`${nameOf(mutant)}: ${times === null ? 'no such file' : `found ${times} times`}`);
  }
  return stale;
}
