import { ChangeRetention, RetentionPreview, RetentionView } from '@clinic/shared/contracts/operations/retention';
import { retentionKinds, retentionLimits } from '@clinic/shared/domain/operations/retention';
import type { z } from 'zod';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Integrations: retention',
  access: 'api-key-or-clinic',
  right: 'settings.read',
  patientData: 'none',
});

/** For how long a clinic's contents are kept. What recognises a duplicate stays for ever. */
export const retentionRoutes = [
  routes.get('/retention', {
    summary: 'For how many days contents are kept, by kind, and how far each is purged',
    description: '`purgedUntil` says up to when nothing has contents left.',
    responses: { 200: { description: 'Each kind', schema: RetentionView } },
    handle: async ({ caller: { clinicId } }, { stores, config }) => ({
      body: await viewOf({ stores, config }, clinicId),
    }),
  }),
  routes.put('/retention', {
    access: 'clinic',
    right: 'settings',
    stepUp: 'records',
    summary: 'Choose for how many days contents are kept; what is older goes within a day, and does not come back',
    description:
      'Kinds that are left out stay as they are; null takes the default again. Days outside of what is allowed are 400.',
    body: ChangeRetention,
    responses: { 200: { description: 'Each kind, as it is now', schema: RetentionView } },
    async handle({ caller: { clinicId }, body, by }, { stores, config }) {
      await stores.retention.choose(clinicId, body, by);
      return { body: await viewOf({ stores, config }, clinicId) };
    },
  }),
  routes.post('/retention/preview', {
    access: 'clinic',
    right: 'settings',
    summary: 'How much would be purged now if these days were chosen; changes nothing',
    description:
      'The body is that of `PUT /retention`; each kind that it names is counted, up to 1,000 records. What a legal hold or an open workflow keeps is not among them.',
    body: ChangeRetention,
    responses: { 200: { description: 'Each kind of the request', schema: RetentionPreview } },
    async handle({ caller: { clinicId }, body }, { stores, config }) {
      const items: z.infer<typeof RetentionPreview>['items'] = [];
      for (const kind of retentionKinds) {
        const chosen = body[kind];
        if (chosen === undefined) continue;
        const days = chosen ?? config.RETENTION_DAYS[kind];
        items.push({ kind, days, due: await stores.retention.countDue(clinicId, kind, days) });
      }
      return { body: { items } };
    },
  }),
];

async function viewOf({ stores, config }: Deps<'stores' | 'config'>, clinicId: string): Promise<RetentionView> {
  const chosen = new Map((await stores.retention.chosen(clinicId)).map((own) => [own.kind, own]));
  const items = retentionKinds.map((kind) => {
    const { days = null, purgedUntil = null } = chosen.get(kind) ?? {};
    const defaultDays = config.RETENTION_DAYS[kind];
    return {
      kind,
      days: days ?? defaultDays,
      ...retentionLimits(kind),
      defaultDays,
      isDefault: days === null,
      purgedUntil: purgedUntil?.toISOString() ?? null,
    };
  });
  return { items };
}
