import {
  SandboxConfig,
  SandboxConfigChange,
  SavedSandboxConfig,
} from '@clinic/shared/contracts/sandbox/sandbox-config';
import { AppError } from '@clinic/shared/errors';
import { routesOf } from '@clinic/api/http/routes-of';

const routes = routesOf({ tag: 'Sandbox configuration', access: 'session', right: null, patientData: 'none' });

const path = '/abandonment-recovery/sandbox-emr/config';

/** The switch of the sandbox EMR (contract, "Sandbox configuration"). */
export const sandboxConfigRoutes = [
  routes.get(path, {
    summary: 'Whether the sandbox EMR is on; false for an account without a clinic',
    description: 'Ask it before FHIR routes, which are 403 while it is off.',
    responses: { 200: { description: 'The configuration', schema: SandboxConfig } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({
      body: { enabled: clinicId !== null && (await stores.sandbox.isEnabled(clinicId)) },
    }),
  }),
  routes.put(path, {
    right: 'sandbox',
    summary: "Turn the sandbox EMR on or off; the first time on seeds the clinic's fixture patients",
    description:
      '`enabled` must be a boolean (400). An account that is linked to no clinic gets 400. While it is off, FHIR routes are 403.',
    body: SandboxConfigChange,
    responses: { 200: { description: 'Saved', schema: SavedSandboxConfig } },
    async handle({ caller: { clinicId }, body: { enabled }, by }, { stores }) {
      if (clinicId === null) throw new AppError('bad_request', 'No clinic is linked to this account');
      await stores.sandbox.setEnabled({
        clinicId,
        isEnabled: enabled,
        now: new Date(),
        by,
      });
      return { body: { saved: true, enabled } };
    },
  }),
];
