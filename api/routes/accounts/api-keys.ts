import {
  ApiKeys,
  CreateApiKey,
  NewApiKey,
  RotateApiKey,
  RotatedApiKey,
} from '@clinic/shared/contracts/accounts/api-keys';
import { AppError } from '@clinic/shared/errors';
import type { z } from 'zod';
import type { MadeApiKey } from '@clinic/prisma/stores/accounts/keys';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: API keys', access: 'clinic', right: 'keys', patientData: 'none' });

const MAX_KEYS = 100;

const tooMany = { description: `There are ${MAX_KEYS} live keys already` };

/** Keys of the workflow REST API. Several may be live, so that one can replace another. */
export const apiKeyRoutes = [
  routes.get('/integrations/api-keys', {
    right: 'settings.read',
    summary: 'The live API keys, newest first',
    description:
      'With the beginning of each, to tell them apart, what it may be used for, and when it was last used. Expired ones are listed, revoked ones are not.',
    responses: { 200: { description: 'The keys', schema: ApiKeys } },
    async handle({ caller: { clinicId } }, { stores }) {
      const keys = await stores.keys.listApiKeys(clinicId);
      const items = keys.map(({ createdAt, expiresAt, lastUsedAt, ...key }) => ({
        ...key,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt?.toISOString() ?? null,
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }));
      return { body: { items } };
    },
  }),
  routes.post('/integrations/api-keys', {
    stepUp: 'access',
    summary: 'Make an API key, shown once',
    description:
      'Never put it into code that runs at a client. `scopes` say what it may be used for: name as few as will do. Without them the key is for workflows, patients and appointments. `POST /integrations/api-keys/{apiKeyId}/rotate` replaces it.',
    body: CreateApiKey,
    isIdempotent: true,
    showsSecret: true,
    responses: {
      200: { description: 'The new key', schema: NewApiKey },
      409: tooMany,
    },
    async handle({ caller: { clinicId }, body: { name, scopes, expiresAt }, newSecret: made, by }, { stores }) {
      await refuseTooMany({ stores }, clinicId, made?.id);
      const end = endOf(expiresAt);
      return { body: toNewKey(await stores.keys.createApiKey({ clinicId, name, scopes, expiresAt: end, by, made })) };
    },
  }),
  routes.post('/integrations/api-keys/:apiKeyId/rotate', {
    stepUp: 'access',
    summary: 'Replace an API key: a new one of the same name and scopes, shown once',
    description:
      'The old one is taken for `oldKeyHours` longer, so that your systems can change over, and ends by itself at `oldExpiresAt`. A key that has expired is 404: make another one.',
    body: RotateApiKey,
    isIdempotent: true,
    showsSecret: true,
    responses: {
      200: { description: 'The new key', schema: RotatedApiKey },
      404: { description: 'No such live key of this clinic' },
      409: tooMany,
    },
    async handle({ caller: { clinicId }, params: { apiKeyId: id }, body, newSecret, by }, { stores, changes }) {
      await refuseTooMany({ stores }, clinicId, newSecret?.id);
      const oldUntil = new Date(Date.now() + body.oldKeyHours * 3_600_000);
      const about = { clinicId, id, oldUntil, expiresAt: endOf(body.expiresAt), made: newSecret };
      const made = await stores.keys.rotateApiKey(about, by);
      if (!made) throw new AppError('not_found', `API key ${id} not found`);
      changes.announce({ table: 'api_keys', clinicId, id });
      return { body: { ...toNewKey(made), oldExpiresAt: made.oldExpiresAt.toISOString() } };
    },
  }),
  routes.delete('/integrations/api-keys/:apiKeyId', {
    stepUp: 'access',
    summary: 'Revoke an API key, at once',
    description: 'Requests with it are 401 from then on; workflows that it started go on.',
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

/** `madeId`: of the key that the request may have made before. */
async function refuseTooMany({ stores }: Deps<'stores'>, clinicId: string, madeId?: string): Promise<void> {
  const keys = await stores.keys.listApiKeys(clinicId);
  if (keys.length < MAX_KEYS || keys.some(({ id }) => id === madeId)) return;
  throw new AppError('conflict', `There are ${MAX_KEYS} live keys; revoke one first`);
}

/** When a key is to end. Throws `bad_request` for a time that is over. */
function endOf(expiresAt: string | null): Date | null {
  if (expiresAt === null) return null;
  if (new Date(expiresAt) > new Date()) return new Date(expiresAt);
  const message = 'must be in the future';
  throw new AppError('bad_request', `expiresAt ${message}`, [{ path: 'expiresAt', message }]);
}

const toNewKey = ({ id, name, prefix, scopes, expiresAt, key }: MadeApiKey): z.infer<typeof NewApiKey> => ({
  id,
  name,
  prefix,
  scopes: [...scopes],
  expiresAt: expiresAt?.toISOString() ?? null,
  key,
});
