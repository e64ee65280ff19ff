import type { Vapi } from '@vapi-ai/server-sdk';
import { z } from 'zod';
import { fieldsOf, isFields } from '@clinic/shared/domain/json';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { AppError } from '@clinic/shared/errors';
import { differencesOf } from '../assistants/differences';
import type { FoundAssistant, PlatformAssistants } from '../port';
import { assistantOf, markOf } from './assistant';
import { createVapiClient, faultIn, sentenceIn, type VapiAccess } from './client';
import { readAll } from './pages';

const TIMEOUT_MS = 20_000;

const Found = z.looseObject({ id: z.string().min(1), createdAt: z.string() });

/** The assistants of an account at Vapi. */
export function createVapiAssistants(access: VapiAccess, publicUrl: string): PlatformAssistants {
  const { assistants } = createVapiClient(access, { timeoutMs: TIMEOUT_MS });
  const ask = askWith(access.apiKey);

  return {
    async list() {
      const found = await readAll((query) => ask(z.array(Found), 'GET /assistant', () => assistants.list(query)));
      return found.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
    },

    isMadeFor,

    compose: (about) => ({ ...assistantOf(about, publicUrl) }),

    revise: revised,

    async create(body: Vapi.CreateAssistantDto) {
      return (await ask(z.object({ id: z.string().min(1) }), 'POST /assistant', () => assistants.create(body))).id;
    },

    async update(id, body) {
      await ask(z.unknown(), `PATCH /assistant/${id}`, () => assistants.update({ ...body, id }));
    },
  };
}

export const isMadeFor = ({ metadata }: FoundAssistant, clinicId: string, workflowType: WorkflowType): boolean =>
  differencesOf(metadata, markOf(clinicId, workflowType)).length === 0;

/** Another model, and how warm it is, stay as they were chosen at the platform; its metadata say which one that was. */
export function revised(found: FoundAssistant, wanted: Record<string, unknown>): Record<string, unknown> {
  const { messages, tools, ...rest } = fieldsOf(wanted['model']);
  const model: Record<string, unknown> = { ...(isFields(found['model']) ? found['model'] : rest), messages, tools };
  const metadata = { ...fieldsOf(wanted['metadata']), model: model['model'] };
  return { ...wanted, metadata, model, voicemailMessage: wanted['voicemailMessage'] ?? null };
}

const askWith =
  (apiKey: string) =>
  async <T>(schema: z.ZodType<T>, what: string, question: () => Promise<unknown>): Promise<T> => {
    try {
      return schema.parse(await question());
    } catch (error) {
      const fault = faultIn(error);
      const { status, outbound } = fault;
      if (status !== null && status >= 300) {
        const said = sentenceIn(fault, (text) => text.replaceAll(apiKey, '…'));
        throw new AppError('conflict', `The voice platform refuses ${what}: ${status} ${said}`.trim());
      }
      const reason = outbound?.message ?? 'its answer cannot be read';
      throw new AppError('unavailable', `The voice platform did not answer ${what}: ${reason}. Run it again.`);
    }
  };
