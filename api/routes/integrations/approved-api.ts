import { ApprovedApi, ClinicAction, PermittedAction } from '@clinic/shared/contracts/approved-api';
import { ApprovedApiChange, withKeptSecret } from '@clinic/shared/contracts/settings';
import type { Stores } from '@clinic/prisma/stores';
import { z } from 'zod';
import { parse } from '../../http/parse';
import { actorOf, route, type Route } from '../../http/route';

const tag = 'Integrations: approved API';

const ApprovedApiView = z
  .object({
    baseUrl: z.string().nullable().describe('null where no API is approved'),
    auth: z
      .object({
        method: z.enum(['none', 'bearer', 'basic', 'api-key-header', 'oauth2-client-credentials']),
        username: z.string().optional(),
        header: z.string().optional(),
        tokenUrl: z.string().optional(),
        clientId: z.string().optional(),
        scope: z.string().optional(),
      })
      .describe('Without its secret, which is never read back'),
    actions: z.partialRecord(ClinicAction, PermittedAction).describe('What is not here is never called'),
  })
  .meta({ id: 'ApprovedApiSettings' });

/** The clinic's own API: where it is, how we prove ourselves, and what we may do there. */
export function approvedApiRoutes({ stores }: { stores: Stores }): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/approved-api',
      access: 'clinic',
      tag,
      summary: "The clinic's approved API, without its secret",
      responses: { 200: { description: 'The settings', schema: ApprovedApiView } },
      handle: async ({ caller }) => ({ body: toView(await stores.settings.approvedApi(caller.clinicId)) }),
    }),
    route({
      method: 'put',
      path: '/integrations/approved-api',
      access: 'admin',
      tag,
      summary: 'Approve an API, or change what it may be used for',
      description:
        'A secret that is left out stays as it is, unless the method or the host changes: a kept secret is never sent ' +
        'to another host. Paths may hold `{parameters}`, as `/forms/{sessionId}`.',
      body: ApprovedApiChange,
      responses: { 200: { description: 'The settings as they are now', schema: ApprovedApiView } },
      async handle({ caller, body, requestId }) {
        const stored = await stores.settings.approvedApi(caller.clinicId);
        const settings = parse(ApprovedApi, withKeptSecret(body, stored));
        await stores.settings.setApprovedApi(caller.clinicId, settings, actorOf(caller, requestId));
        return { body: toView(settings) };
      },
    }),
    route({
      method: 'delete',
      path: '/integrations/approved-api',
      access: 'admin',
      tag,
      summary: 'Call the API no more, and forget its secret',
      responses: { 204: { description: 'Removed, or there was none' } },
      async handle({ caller, requestId }) {
        await stores.settings.removeApprovedApi(caller.clinicId, actorOf(caller, requestId));
        return { status: 204 };
      },
    }),
  ];
}

function toView(settings: ApprovedApi | null): z.input<typeof ApprovedApiView> {
  if (!settings) return { baseUrl: null, auth: { method: 'none' }, actions: {} };
  // The view's schema names what may be shown, and drops the rest.
  return ApprovedApiView.parse(settings);
}
