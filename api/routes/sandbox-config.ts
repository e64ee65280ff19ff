import { SandboxConfig, SandboxConfigChange, SavedSandboxConfig } from '@clinic/shared/contracts/sandbox-config';
import { AppError } from '@clinic/shared/errors';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Sandbox configuration';
const path = '/abandonment-recovery/sandbox-emr/config';

/** The switch of the sandbox EMR (contract, "Sandbox configuration"). */
export function sandboxConfigRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path,
      access: 'session',
      patientData: 'none',
      tag,
      summary: 'Whether the sandbox EMR is on; false for an account without a clinic',
      responses: { 200: { description: 'The configuration', schema: SandboxConfig } },
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
      body: SandboxConfigChange,
      responses: {
        200: { description: 'Saved', schema: SavedSandboxConfig },
      },
      async handle({ caller, body: { enabled }, requestId }) {
        const { clinicId } = caller;
        if (clinicId === null) throw new AppError('bad_request', 'No clinic is linked to this account');
        await stores.sandbox.setEnabled({
          clinicId,
          isEnabled: enabled,
          now: new Date(),
          by: actorOf(caller, requestId),
        });
        return { body: { saved: true, enabled } };
      },
    }),
  ];
}
