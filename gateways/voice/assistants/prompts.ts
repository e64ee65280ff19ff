import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';

/** Where the prompts are, seen from where the service was started. */
export const PROMPTS = join('gateways', 'voice', 'assistants');

/** What holds in every call; it follows the prompt of the workflow type. */
const EVERY_CALL = 'every-call.md';
/** What takes the place of a prompt that begins with verifying the patient, where nobody can be verified. */
const CALL_BACK = 'call-back.md';

/** The tool without which nobody knows who is on the line: nothing of a record may be said. */
export const VERIFYING_TOOL = 'verify_patient';

/** The prompt of a workflow type, in a clinic where these of its tools cannot work. */
export type Prompts = (workflowType: WorkflowType, missing: readonly string[]) => string;

/** The prompts of a folder: a file for each workflow type, and one for all of them. Throws a sentence that names what is missing. */
export async function readPrompts(folder: string): Promise<Prompts> {
  const read = async (name: string) => {
    const text = await readFile(join(folder, name), 'utf8').catch(() => null);
    if (!text?.trim()) throw new Error(`${join(folder, name)} is missing or empty: it is what an assistant is told.`);
    return text.replaceAll('\r\n', '\n').trim();
  };
  const [every, callBack] = [await read(EVERY_CALL), await read(CALL_BACK)];
  const texts = new Map<WorkflowType, string>();
  for (const type of workflowTypeNames) texts.set(type, await read(`${type}.md`));
  return (workflowType, missing) => {
    const text = missing.includes(VERIFYING_TOOL) ? callBack : (texts.get(workflowType) ?? '');
    const named = missing.filter((name) => text.includes(`\`${name}\``));
    return [text, ...(named.length > 0 ? [without(named)] : []), every].join('\n\n') + '\n';
  };
}

/** What the assistant does where a step names a tool that it does not have. */
const without = (names: string[]): string =>
  `In this clinic you do not have ${names.join(', ')}. Leave out what a step above would do with one of them: say that somebody ` +
  'from the clinic will call back about it, and go on. Promise no time, and do not say that anything is booked.';
