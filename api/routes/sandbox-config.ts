import { AppError } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';
import { z } from 'zod';
import { route, type Route } from '../http/route';

const tag = 'Sandbox configuration';
const path = '/abandonment-recovery/sandbox-emr/config';

/** The switch of the sandbox EMR (contract, "Sandbox configuration"). */
export function sandboxConfigRoutes({ stores }: { stores: Stores }): Route[] {
  return [
    route({
      method: 'get',
      path,
      access: 'session',
      tag,
      summary: 'Whether the sandbox EMR is on; false for an account without a clinic',
      responses: { 200: { description: 'The configuration', schema: z.object({ enabled: z.boolean() }) } },
      handle: async ({ caller: { clinicId } }) => ({
        body: { enabled: clinicId !== null && (await stores.sandbox.isEnabled(clinicId)) },
      }),
    }),
    route({
      method: 'put',
      path,
      access: 'admin-or-unlinked',
      tag,
      summary: "Turn the sandbox EMR on or off; the first time on seeds the clinic's fixture patients",
      body: z.strictObject({ enabled: z.boolean({ error: 'must be true or false' }) }),
      responses: {
        200: {
          description: 'Saved',
          schema: z.object({ saved: z.literal(true), enabled: z.boolean() }),
        },
      },
      async handle({ caller: { clinicId, accountId }, body: { enabled }, requestId }) {
        if (clinicId === null) throw new AppError('bad_request', 'No clinic is linked to this account');
        await stores.sandbox.setEnabled({
          clinicId,
          isEnabled: enabled,
          now: new Date(),
          by: { actor: `account:${accountId}`, requestId },
        });
        return { body: { saved: true, enabled } };
      },
    }),
  ];
}
