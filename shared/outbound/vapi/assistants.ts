import { z } from 'zod';
import { AppError } from '../../errors';
import { OutboundError, type SafeHttp } from '../safe-http';
import { saidIn } from './check';

const TIMEOUT_MS = 20_000;
const PAGE_SIZE = 100;
/** A page of assistants with their prompts and tools. */
const MAX_BYTES = 32 * 1024 * 1024;

/** An assistant as the platform shows it: whatever it holds. */
export type FoundAssistant = z.infer<typeof Found>;
const Found = z.looseObject({ id: z.string().min(1), createdAt: z.string(), metadata: z.unknown().optional() });

export interface VapiAssistants {
  /** All of the account's, oldest first. */
  list(): Promise<FoundAssistant[]>;
  /** Returns the new one's id. */
  create(body: object): Promise<string>;
  /** Changes the fields that are given. */
  update(id: string, body: object): Promise<void>;
}

/**
 * The assistants of an account. Nothing is sent twice: a create whose answer was lost is found by the next list. Throws an
 * AppError in the platform's own words.
 */
export function createVapiAssistants({
  http,
  baseUrl,
  apiKey,
}: {
  http: SafeHttp;
  baseUrl: string;
  apiKey: string;
}): VapiAssistants {
  const ask = async <T>(schema: z.ZodType<T>, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    try {
      const answer = await http.request({
        method,
        url: `${baseUrl}${path}`,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
      if (answer.status >= 300) {
        const sentence = saidIn(answer.body, apiKey);
        throw new AppError(
          'conflict',
          `The voice platform refuses ${method} ${path}: ${answer.status} ${sentence}`.trim(),
        );
      }
      return schema.parse(JSON.parse(answer.body));
    } catch (error) {
      if (error instanceof AppError) throw error;
      const reason = error instanceof OutboundError ? error.message : 'its answer cannot be read';
      throw new AppError(
        'unavailable',
        `The voice platform did not answer ${method} ${path}: ${reason}. Run it again.`,
      );
    }
  };

  return {
    async list() {
      const found = new Map<string, FoundAssistant>();
      for (let until = ''; ;) {
        const page = await ask(z.array(Found), 'GET', `/assistant?limit=${PAGE_SIZE}${until}`);
        const fresh = page.filter(({ id }) => !found.has(id));
        for (const assistant of fresh) found.set(assistant.id, assistant);
        const last = page.map(({ createdAt }) => createdAt).toSorted()[0];
        if (page.length < PAGE_SIZE || fresh.length === 0 || last === undefined) break;
        until = `&createdAtLe=${encodeURIComponent(last)}`;
      }
      return [...found.values()].toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
    },

    create: async (body) => (await ask(z.object({ id: z.string().min(1) }), 'POST', '/assistant', body)).id,

    async update(id, body) {
      await ask(z.unknown(), 'PATCH', `/assistant/${encodeURIComponent(id)}`, body);
    },
  };
}
