import { ClinicAction } from '@clinic/shared/contracts/approved-api';
import { AppError } from '@clinic/shared/errors';
import type { ClinicApiResult } from '@clinic/shared/outbound/clinic-api';
import type { ClinicSystems } from '@clinic/shared/outbound/clinic-systems';
import type { Stores } from '@clinic/prisma/stores';
import { z } from 'zod';
import { actorOf, route, type Route } from '../../http/route';

const TIMEOUT_MS = 10_000;
const Parameters = z.record(z.string().max(64), z.string().max(500));

const Tried = z
  .object({
    result: z
      .enum(['answered', 'refused', 'unavailable', 'unusable'])
      .describe('refused: a 4xx; unavailable: no answer or a 5xx; unusable: the path cannot be filled in'),
    status: z.int().nullable(),
    body: z.unknown().describe('What was answered, as JSON; null where it is none'),
    error: z.string().nullable(),
  })
  .meta({ id: 'TriedAction' });

/** Calls the clinic's approved API once, as a workflow would, to see that the settings are right. */
export function tryApprovedApiRoutes({ stores, systems }: { stores: Stores; systems: ClinicSystems }): Route[] {
  return [
    route({
      method: 'post',
      path: '/integrations/approved-api/try',
      access: 'admin',
      tag: 'Integrations: approved API',
      summary: 'Call a permitted action now, and see what the API answers',
      body: z.strictObject({
        action: ClinicAction,
        params: Parameters.default({}).describe('What fills the {parameters} of the path'),
        body: z.record(z.string(), z.unknown()).optional(),
      }),
      responses: {
        200: { description: 'What came of it', schema: Tried },
        409: { description: 'The action is not permitted, or no API is approved' },
      },
      async handle({ caller, body: { action, params, body }, requestId, signal }) {
        const { clinicId } = caller;
        const clinicApi = await systems.approvedApi(clinicId);
        const result = await clinicApi?.call(action, { params, body, timeoutMs: TIMEOUT_MS, signal });
        if (!result || result.kind === 'not_permitted') {
          throw new AppError('conflict', `The action ${action} is not permitted; save the settings first`);
        }
        await stores.audit.write({
          clinicId,
          ...actorOf(caller, requestId),
          action: 'approved-api.try',
          subject: action,
          detail: { result: result.kind },
        });
        return { body: toView(result) };
      },
    }),
  ];
}

function toView(result: Exclude<ClinicApiResult, { kind: 'not_permitted' }>): z.input<typeof Tried> {
  switch (result.kind) {
    case 'answered':
    case 'refused':
      return { result: result.kind, status: result.status, body: result.body, error: null };
    case 'unavailable':
      return { result: result.kind, status: null, body: null, error: result.error };
    case 'unusable':
      return { result: result.kind, status: null, body: null, error: result.reason };
  }
}
