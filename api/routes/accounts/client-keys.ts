import { ClientKeys, KeySet, NewClientKey } from '@clinic/shared/contracts/events/approved-api';
import { AppError } from '@clinic/shared/errors';
import { jwksUrlOf } from '@clinic/gateways/clinic-systems';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: approved API', access: 'clinic', right: 'keys', patientData: 'none' });

/** How long a server may remember a key set; a new key is published for longer before it signs. */
const REMEMBERED_SECONDS = 300;

/** The key pairs by which we prove ourselves at a clinic's own systems, and where their public halves are read. */
export const clientKeyRoutes = [
  routes.get('/clinics/:clinicId/jwks.json', {
    access: 'public',
    right: null,
    summary: 'The public keys by which a clinic’s systems know us, as a JSON Web Key Set',
    description: 'Register this address where a system wants a JWKS URL. A clinic that is not known has no keys.',
    responses: { 200: { description: 'The keys, newest first', schema: KeySet } },
    handle: async ({ params: { clinicId } }, { stores }) => ({
      body: { keys: await stores.clientKeys.published(clinicId) },
      headers: { 'cache-control': `public, max-age=${REMEMBERED_SECONDS}`, 'access-control-allow-origin': '*' },
    }),
  }),
  routes.get('/integrations/approved-api/keys', {
    right: 'settings.read',
    summary: 'The key pairs that are published, newest first; their private halves are never read back',
    description: '`state` says which one signs now, which will, and which is still published without signing.',
    responses: { 200: { description: 'The keys', schema: ClientKeys } },
    handle: async ({ caller: { clinicId } }, { stores, config }) => ({
      body: await viewOf({ stores, config }, clinicId),
    }),
  }),
  routes.post('/integrations/approved-api/keys', {
    stepUp: 'access',
    summary: 'Make a key pair, the first one or the one that replaces it',
    description:
      'The first signs at once. Another is published at once, signs 15 minutes later, when no server remembers the key ' +
      'set without it, and the one before retires 15 minutes after that.',
    body: NewClientKey,
    isIdempotent: true,
    responses: {
      200: { description: 'The keys as they are now', schema: ClientKeys },
      409: { description: 'Two keys are published already' },
    },
    async handle({ caller: { clinicId }, body: { algorithm }, idOfNew: kid, by }, { stores, config }) {
      await stores.clientKeys.create(clinicId, { kid, algorithm }, by);
      return { body: await viewOf({ stores, config }, clinicId) };
    },
  }),
  routes.delete('/integrations/approved-api/keys/:kid', {
    stepUp: 'access',
    summary: 'Withdraw a key at once; the other one, if there is one, signs from now on',
    description: 'For a private key that somebody else has seen. It is no longer published either.',
    responses: {
      200: { description: 'The keys as they are now', schema: ClientKeys },
      404: { description: 'No such key of this clinic' },
    },
    async handle({ caller: { clinicId }, params: { kid }, by }, { stores, config }) {
      const isRemoved = await stores.clientKeys.remove(clinicId, kid, by);
      if (!isRemoved) throw new AppError('not_found', `Key ${kid} not found`);
      return { body: await viewOf({ stores, config }, clinicId) };
    },
  }),
];

const viewOf = async ({ stores, config }: Deps<'stores' | 'config'>, clinicId: string): Promise<ClientKeys> => {
  const keys = await stores.clientKeys.list(clinicId);
  return {
    jwksUrl: jwksUrlOf(config.PUBLIC_URL, clinicId),
    items: keys.map(({ kid, algorithm, state, createdAt, signsFrom, retiresAt }) => ({
      kid,
      algorithm,
      state,
      createdAt: createdAt.toISOString(),
      signsFrom: signsFrom.toISOString(),
      retiresAt: retiresAt?.toISOString() ?? null,
    })),
  };
};
