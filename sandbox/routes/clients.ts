import { NewSandboxClient, SandboxClientsView, SandboxClientView } from '@clinic/shared/contracts/sandbox/sandbox';
import { AppError } from '@clinic/shared/errors';
import { MAX_CLIENTS, type SandboxClientRecord } from '@clinic/prisma/stores/sandbox/sandbox-clients';
import { configuration, opened } from './configuration';

/** Clients that get tokens by SMART Backend Services. */
export const clientRoutes = [
  configuration.get('/sandbox/clients', {
    right: 'settings.read',
    summary: 'Clients that get tokens of the sandbox by SMART Backend Services, by name',
    description: 'With the ids of their public keys.',
    responses: { 200: { description: 'The clients', schema: SandboxClientsView } },
    async handle({ caller: { clinicId } }, { stores }) {
      return { body: { items: (await stores.sandboxClients.list(clinicId)).map(toClient) } };
    },
  }),
  configuration.post('/sandbox/clients', {
    stepUp: 'access',
    summary: 'Register a client of the sandbox by its public keys (SMART Backend Services)',
    description:
      'Its `id` is issuer and subject of the assertions that you sign with the private half and send to `POST /sandbox/token`.',
    body: NewSandboxClient,
    isIdempotent: true,
    responses: {
      200: { description: 'The client; its id is issuer and subject of its assertions', schema: SandboxClientView },
      409: { description: `There are ${MAX_CLIENTS} already` },
    },
    async handle({ caller: { clinicId }, body: { name, jwks }, idOfNew: id, by }, { stores }) {
      await opened({ stores }, clinicId);
      const registered = await stores.sandboxClients.register({ id, clinicId, name, jwks }, by);
      if (registered.kind === 'too_many') {
        throw new AppError('conflict', `There are ${MAX_CLIENTS} clients already; remove one that is not needed`);
      }
      return { body: toClient(registered.client) };
    },
  }),
  configuration.delete('/sandbox/clients/:clientId', {
    summary: 'Remove a client of the sandbox; its tokens end with it',
    description: 'Requests with its tokens are 401 from then on.',
    responses: { 204: { description: 'Removed' }, 404: { description: 'No such client of this clinic' } },
    async handle({ caller: { clinicId }, params: { clientId }, by }, { stores }) {
      const isGone = await stores.sandboxClients.remove(clinicId, clientId, by);
      if (!isGone) throw new AppError('not_found', `Client ${clientId} not found`);
      return { status: 204 };
    },
  }),
];

const toClient = ({ id, name, jwks, createdAt }: SandboxClientRecord): SandboxClientView => ({
  id,
  name,
  keyIds: jwks.keys.map(({ kid }) => String(kid)),
  createdAt: createdAt.toISOString(),
});
