import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';

/** What holds in every call; it follows the prompt of the workflow type. */
const EVERY_CALL = 'every-call.md';

/** The prompts of a folder: a file for each workflow type, and one for all of them. Throws a sentence that names what is missing. */
export async function readPrompts(folder: string): Promise<(workflowType: WorkflowType) => string> {
  const read = async (name: string) => {
    const text = await readFile(join(folder, name), 'utf8').catch(() => null);
    if (!text?.trim()) throw new Error(`${join(folder, name)} is missing or empty: it is what an assistant is told.`);
    return text.replaceAll('\r\n', '\n').trim();
  };
  const every = await read(EVERY_CALL);
  const texts = new Map<WorkflowType, string>();
  for (const type of workflowTypeNames) texts.set(type, `${await read(`${type}.md`)}\n\n${every}\n`);
  return (workflowType) => texts.get(workflowType) ?? every;
}
