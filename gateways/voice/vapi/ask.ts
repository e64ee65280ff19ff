import type { z } from 'zod';
import { faultIn, sentenceIn } from './client';

/** What a question to the platform has come to; `said` is its own sentence, without the key. */
export type Asked<T> =
  | { kind: 'found'; found: T }
  /** 401, 402, 403: the key, the account. */
  | { kind: 'refused'; said: string }
  | { kind: 'unknown'; said: string }
  | { kind: 'unavailable'; said: string };

/** Asks with this key, and reads what comes by the schema. */
export const askWith =
  (apiKey: string) =>
  async <T>(schema: z.ZodType<T>, question: () => Promise<unknown>): Promise<Asked<T>> => {
    try {
      const found = schema.safeParse(await question()).data;
      return found === undefined
        ? { kind: 'unavailable', said: 'its answer cannot be read' }
        : { kind: 'found', found };
    } catch (error) {
      const fault = faultIn(error);
      const { status, outbound } = fault;
      if (status === null) return { kind: 'unavailable', said: outbound?.message ?? 'it did not answer' };
      const said = sentenceIn(fault, (text) => text.replaceAll(apiKey, '…'));
      if (status === 401 || status === 402 || status === 403) return { kind: 'refused', said };
      // An id that is none of the platform's form is a 400 there.
      if (status === 400 || status === 404) return { kind: 'unknown', said };
      return { kind: 'unavailable', said: `it answered ${status}` };
    }
  };
