import { ChangeRetention, RetentionView } from '@clinic/shared/contracts/retention';
import { retentionKinds } from '@clinic/shared/domain/retention';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Integrations: retention';

/** For how long a clinic's contents are kept. What recognises a duplicate stays for ever. */
export function retentionRoutes({ stores, config: { RETENTION_DAYS } }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/retention',
      access: 'clinic',
      tag,
      summary: 'For how many days contents are kept, by kind, and how far each is purged',
      patientData: 'none',
      responses: { 200: { description: 'Each kind', schema: RetentionView } },
      handle: async ({ caller: { clinicId } }) => ({ body: await viewOf(clinicId) }),
    }),
    route({
      method: 'put',
      path: '/retention',
      access: 'admin',
      tag,
      summary: 'Choose for how many days contents are kept; what is older goes within a day, and does not come back',
      body: ChangeRetention,
      responses: { 200: { description: 'Each kind, as it is now', schema: RetentionView } },
      async handle({ caller, body, requestId }) {
        await stores.retention.choose(caller.clinicId, body, actorOf(caller, requestId));
        return { body: await viewOf(caller.clinicId) };
      },
    }),
  ];

  async function viewOf(clinicId: string): Promise<RetentionView> {
    const chosen = new Map((await stores.retention.chosen(clinicId)).map((own) => [own.kind, own]));
    const items = retentionKinds.map((kind) => {
      const { days = null, purgedUntil = null } = chosen.get(kind) ?? {};
      const isDefault = days === null;
      return { kind, days: days ?? RETENTION_DAYS[kind], isDefault, purgedUntil: purgedUntil?.toISOString() ?? null };
    });
    return { items };
  }
}
