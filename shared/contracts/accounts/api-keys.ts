import { z } from 'zod';
import { Instant, Line } from '../primitives';

/** `POST /api/integrations/api-keys`. */
export const CreateApiKey = z.strictObject({ name: Line });

const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The beginning of the key, to recognise it by'),
    createdAt: Instant,
    lastUsedAt: Instant.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const ApiKeys = z.object({ items: z.array(ApiKey) });

export const NewApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    key: z.string().describe('Shown here and never again'),
  })
  .meta({ id: 'NewApiKey' });
