import { ApiKeys, CreateApiKey, NewApiKey } from '@clinic/shared/contracts/api-keys';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const tag = 'Integrations: API keys';
const MAX_KEYS = 100;

/** Keys of the workflow REST API. Several may be live, so that one can replace another. */
export function apiKeyRoutes({ stores, changes }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/api-keys',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The live API keys, newest first',
      responses: { 200: { description: 'The keys', schema: ApiKeys } },
      async handle({ caller }) {
        const keys = await stores.keys.listApiKeys(caller.clinicId);
        const items = keys.map(({ createdAt, lastUsedAt, ...key }) => ({
          ...key,
          createdAt: createdAt.toISOString(),
          lastUsedAt: lastUsedAt?.toISOString() ?? null,
        }));
        return { body: { items } };
      },
    }),
    route({
      method: 'post',
      path: '/integrations/api-keys',
      access: 'admin',
      tag,
      summary: 'Make an API key, shown once',
      body: CreateApiKey,
      responses: {
        200: { description: 'The new key', schema: NewApiKey },
        409: { description: `There are ${MAX_KEYS} live keys already` },
      },
      async handle({ caller, body: { name }, requestId }) {
        const { clinicId } = caller;
        if ((await stores.keys.listApiKeys(clinicId)).length >= MAX_KEYS) {
          throw new AppError('conflict', `There are ${MAX_KEYS} live keys; revoke one first`);
        }
        return { body: await stores.keys.createApiKey({ clinicId, name, by: actorOf(caller, requestId) }) };
      },
    }),
    route({
      method: 'delete',
      path: '/integrations/api-keys/:apiKeyId',
      access: 'admin',
      tag,
      summary: 'Revoke an API key, at once',
      params: z.object({ apiKeyId: z.string() }),
      responses: { 204: { description: 'Revoked' }, 404: { description: 'No such live key of this clinic' } },
      async handle({ caller, params: { apiKeyId }, requestId }) {
        const { clinicId } = caller;
        if (!(await stores.keys.revokeApiKey(clinicId, apiKeyId, actorOf(caller, requestId)))) {
          throw new AppError('not_found', `API key ${apiKeyId} not found`);
        }
        changes.announce({ table: 'api_keys', clinicId, id: apiKeyId });
        return { status: 204 };
      },
    }),
  ];
}
