import {
  NamedSandboxesView,
  type NamedSandboxView,
  NewNamedSandbox,
  OpenedSandbox,
  RenewedSandboxToken,
} from '@clinic/shared/contracts/sandbox/sandbox';
import { AppError } from '@clinic/shared/errors';
import { MAX_NAMED_SANDBOXES, type NamedSandboxRecord } from '@clinic/prisma/stores/sandbox/named-sandboxes';
import { routesOf } from '@clinic/api/http/routes-of';

const routes = routesOf({ tag: 'Sandbox configuration', access: 'clinic', right: 'sandbox', patientData: 'none' });

const unknown = { description: 'No such sandbox of this clinic' };

/** More sandboxes of a clinic, each with a token of its own: a team and its CI do not meet. */
export const namedSandboxRoutes = [
  routes.get('/sandboxes', {
    right: 'settings.read',
    summary: 'The named sandboxes of the clinic, by name',
    description: 'With their ids, which other routes take. Tokens are never read back.',
    responses: { 200: { description: 'The sandboxes', schema: NamedSandboxesView } },
    async handle({ caller: { clinicId } }, { stores }) {
      return { body: { items: (await stores.namedSandboxes.list(clinicId)).map(toView) } };
    },
  }),
  routes.post('/sandboxes', {
    stepUp: 'access',
    summary: 'Open one more sandbox, with a token, fixtures, clock, failures and lenient rules of its own',
    description:
      'It has the providers, hours and closed days that the clinic has now. Its token opens the FHIR routes and everything under /sandbox, for it alone.',
    body: NewNamedSandbox,
    isIdempotent: true,
    showsSecret: true,
    responses: {
      200: { description: 'The sandbox and its token, which is shown once', schema: OpenedSandbox },
      409: { description: `There is one of that name, or there are ${MAX_NAMED_SANDBOXES} already` },
    },
    async handle({ caller: { clinicId }, body: { name }, newSecret, by }, { stores }) {
      const opened = await stores.namedSandboxes.open({ clinicId, name, now: new Date() }, by, newSecret);
      switch (opened.kind) {
        case 'opened':
          return { body: { ...toView(opened.sandbox), token: opened.token } };
        case 'name_taken':
          throw new AppError('conflict', 'There is a sandbox of this name already', [
            { path: 'name', message: 'is the name of another sandbox' },
          ]);
        case 'too_many':
          throw new AppError(
            'conflict',
            `There are ${MAX_NAMED_SANDBOXES} sandboxes already; remove one that is not needed`,
          );
      }
    },
  }),
  routes.post('/sandboxes/:sandboxId/token', {
    stepUp: 'access',
    summary: 'Give a named sandbox a new token; the one that it had opens nothing from then on',
    description: 'For a token that was lost or seen by somebody else. It is shown once.',
    isIdempotent: true,
    showsSecret: true,
    responses: { 200: { description: 'The token, which is shown once', schema: RenewedSandboxToken }, 404: unknown },
    async handle({ caller: { clinicId }, params: { sandboxId }, newSecret, by }, { stores }) {
      const token = await stores.namedSandboxes.renewToken(clinicId, sandboxId, by, newSecret);
      if (token === null) throw notFound(sandboxId);
      return { body: { token } };
    },
  }),
  routes.delete('/sandboxes/:sandboxId', {
    summary: 'Remove a named sandbox and all that it holds',
    description: 'Its token is 401 from then on. The clinic’s own sandbox is not touched.',
    responses: { 204: { description: 'Removed' }, 404: unknown },
    async handle({ caller: { clinicId }, params: { sandboxId }, by }, { stores }) {
      const isGone = await stores.namedSandboxes.remove(clinicId, sandboxId, by);
      if (!isGone) throw notFound(sandboxId);
      return { status: 204 };
    },
  }),
];

const notFound = (id: string) => new AppError('not_found', `Sandbox ${id} not found`);

const toView = ({ createdAt, ...sandbox }: NamedSandboxRecord): NamedSandboxView => ({
  ...sandbox,
  createdAt: createdAt.toISOString(),
});
