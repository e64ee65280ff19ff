import { ApiKeys, CreateApiKey, NewApiKey } from '@clinic/shared/contracts/accounts/api-keys';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: API keys', access: 'admin', patientData: 'none' });

const MAX_KEYS = 100;

/** Keys of the workflow REST API. Several may be live, so that one can replace another. */
export const apiKeyRoutes = [
  routes.get('/integrations/api-keys', {
    access: 'clinic',
    summary: 'The live API keys, newest first',
    description:
      'With the beginning of each, to tell them apart, and when each was last used. Revoked ones are left out.',
    responses: { 200: { description: 'The keys', schema: ApiKeys } },
    async handle({ caller: { clinicId } }, { stores }) {
      const keys = await stores.keys.listApiKeys(clinicId);
      const items = keys.map(({ createdAt, lastUsedAt, ...key }) => ({
        ...key,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }));
      return { body: { items } };
    },
  }),
  routes.post('/integrations/api-keys', {
    stepUp: 'access',
    summary: 'Make an API key, shown once',
    description:
      'Never put it into code that runs at a client. Several may be live: make the new one, change your systems, revoke the old one.',
    body: CreateApiKey,
    responses: {
      200: { description: 'The new key', schema: NewApiKey },
      409: { description: `There are ${MAX_KEYS} live keys already` },
    },
    async handle({ caller: { clinicId }, body: { name }, by }, { stores }) {
      if ((await stores.keys.listApiKeys(clinicId)).length >= MAX_KEYS) {
        throw new AppError('conflict', `There are ${MAX_KEYS} live keys; revoke one first`);
      }
      return { body: await stores.keys.createApiKey({ clinicId, name, by }) };
    },
  }),
  routes.delete('/integrations/api-keys/:apiKeyId', {
    stepUp: 'access',
    summary: 'Revoke an API key, at once',
    description: 'Requests with it are 401 from then on; workflows that it started go on.',
    params: z.object({ apiKeyId: z.string() }),
    responses: { 204: { description: 'Revoked' }, 404: { description: 'No such live key of this clinic' } },
    async handle({ caller: { clinicId }, params: { apiKeyId }, by }, { stores, changes }) {
      if (!(await stores.keys.revokeApiKey(clinicId, apiKeyId, by))) {
        throw new AppError('not_found', `API key ${apiKeyId} not found`);
      }
      changes.announce({ table: 'api_keys', clinicId, id: apiKeyId });
      return { status: 204 };
    },
  }),
];
