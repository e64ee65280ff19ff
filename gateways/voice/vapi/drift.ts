import type { VoiceFinding } from '@clinic/shared/contracts/voice/voice';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { z } from 'zod';
import { differencesOf } from '../assistants/differences';
import { problem, when } from '../findings';
import type { ExpectedAssistants, FoundAssistant } from '../port';
import { assistantOf } from './assistant';
import { fieldsOf } from '@clinic/shared/domain/json';
import { isMadeFor, revised } from './assistants';

export interface DriftRequest {
  /** The types that the assistant talks for. */
  types: readonly WorkflowType[];
  /** The setting that names it. */
  path: string;
  expected: ExpectedAssistants;
  /** Null where the clinic names none: then nobody knows what would be made. */
  credentialId: string | null;
  publicUrl: string;
}

/**
 * What an assistant has that cannot work in the clinic's calls and, where this service made it, what is not as it would be made
 * now: the clinic has changed since, or somebody has changed the assistant at the platform.
 */
export function driftOf(found: FoundAssistant, request: DriftRequest): VoiceFinding[] {
  const { path, expected, types, publicUrl } = request;
  const working = new Set(types.flatMap((type) => expected.toolsOf(type).map(({ name }) => name)));
  const useless = namesOfTools(found, publicUrl).filter((name) => !working.has(name));
  const parts = partsThatDiffer(found, request);
  const cannotWork = `has tools that cannot work in this clinic: ${useless.join(', ')}. Make them again: voice sync`;
  const differs = `is not as voice sync would make it now: ${parts.join(', ')} differ. See what: voice sync --dry-run`;
  return [
    ...when(useless.length > 0, problem('tools_cannot_work', path, cannotWork)),
    ...when(parts.length > 0, problem('assistant_differs', path, differs)),
  ];
}

const Tools = z.object({
  tools: z
    .array(
      z.object({
        function: z.object({ name: z.string() }).optional().catch(undefined),
        server: z.object({ url: z.string() }).optional().catch(undefined),
      }),
    )
    .catch([]),
});

/** The functions that are called here; those of other services are told by their address. */
const namesOfTools = ({ model }: FoundAssistant, publicUrl: string): string[] =>
  (Tools.safeParse(model).data?.tools ?? []).flatMap(({ function: definition, server }) =>
    definition && (server === undefined || server.url.startsWith(`${publicUrl}/`)) ? [definition.name] : [],
  );

function partsThatDiffer(found: FoundAssistant, { types, expected, credentialId, publicUrl }: DriftRequest): string[] {
  const type = types.find((each) => isMadeFor(found, expected.clinicId, each));
  if (type === undefined || credentialId === null) return [];
  const made = expected.assistantOf(type, { credentialId, prompt: promptOf(found) });
  const wanted = revised(found, { ...assistantOf(made, publicUrl) });
  const parts = Object.entries(wanted).flatMap(([name, value]): [string, unknown, unknown][] => {
    if (name !== 'model' && name !== 'metadata') return [[name, found[name], value]];
    return Object.entries(fieldsOf(value)).map(([field, each]) => [
      named[field] ?? field,
      fieldsOf(found[name])[field],
      each,
    ]);
  });
  return [...new Set(parts.filter(([, is, should]) => differencesOf(is, should).length > 0).map(([name]) => name))];
}

/** The prompt is in the messages, and its digest as it was made in the metadata. */
const named: Record<string, string> = { messages: 'prompt' };

const Told = z.object({ messages: z.array(z.object({ content: z.string() })) });
const promptOf = ({ model }: FoundAssistant): string => Told.safeParse(model).data?.messages[0]?.content ?? '';
