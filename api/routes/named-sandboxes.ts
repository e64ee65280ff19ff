import {
  NamedSandboxesView,
  type NamedSandboxView,
  NewNamedSandbox,
  OpenedSandbox,
  RenewedSandboxToken,
} from '@clinic/shared/contracts/sandbox';
import { AppError } from '@clinic/shared/errors';
import { MAX_NAMED_SANDBOXES, type NamedSandboxRecord } from '@clinic/prisma/stores/named-sandboxes';
import { z } from 'zod';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Sandbox configuration';
const SandboxPath = z.object({ sandboxId: z.string() });
const unknown = { description: 'No such sandbox of this clinic' };

/** More sandboxes of a clinic, each with a token of its own: a team and its CI do not meet. */
export function namedSandboxRoutes({ stores }: Pick<RouteDeps, 'stores'>): Route[] {
  const notFound = (id: string) => new AppError('not_found', `Sandbox ${id} not found`);

  return [
    route({
      method: 'get',
      path: '/sandboxes',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'The named sandboxes of the clinic, by name',
      responses: { 200: { description: 'The sandboxes', schema: NamedSandboxesView } },
      async handle({ caller: { clinicId } }) {
        return { body: { items: (await stores.namedSandboxes.list(clinicId)).map(toView) } };
      },
    }),

    route({
      method: 'post',
      path: '/sandboxes',
      access: 'admin',
      tag,
      summary: 'Open one more sandbox, with a token, fixtures, clock, failures and kindnesses of its own',
      description:
        'It has the providers, hours and closed days that the clinic has now. Its token opens the FHIR routes and everything under /sandbox, for it alone.',
      body: NewNamedSandbox,
      responses: {
        200: { description: 'The sandbox and its token, which is shown once', schema: OpenedSandbox },
        409: { description: `There is one of that name, or there are ${MAX_NAMED_SANDBOXES} already` },
      },
      async handle({ caller, body: { name }, requestId }) {
        const { clinicId } = caller;
        const opened = await stores.namedSandboxes.open(
          { clinicId, name, now: new Date() },
          actorOf(caller, requestId),
        );
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

    route({
      method: 'post',
      path: '/sandboxes/:sandboxId/token',
      access: 'admin',
      tag,
      summary: 'Give a named sandbox a new token; the one that it had opens nothing from then on',
      params: SandboxPath,
      responses: { 200: { description: 'The token, which is shown once', schema: RenewedSandboxToken }, 404: unknown },
      async handle({ caller, params: { sandboxId }, requestId }) {
        const token = await stores.namedSandboxes.renewToken(caller.clinicId, sandboxId, actorOf(caller, requestId));
        if (token === null) throw notFound(sandboxId);
        return { body: { token } };
      },
    }),

    route({
      method: 'delete',
      path: '/sandboxes/:sandboxId',
      access: 'admin',
      tag,
      summary: 'Remove a named sandbox and all that it holds',
      params: SandboxPath,
      responses: { 204: { description: 'Removed' }, 404: unknown },
      async handle({ caller, params: { sandboxId }, requestId }) {
        const isGone = await stores.namedSandboxes.remove(caller.clinicId, sandboxId, actorOf(caller, requestId));
        if (!isGone) throw notFound(sandboxId);
        return { status: 204 };
      },
    }),
  ];
}

const toView = ({ createdAt, ...sandbox }: NamedSandboxRecord): NamedSandboxView => ({
  ...sandbox,
  createdAt: createdAt.toISOString(),
});
